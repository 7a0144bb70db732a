//! The standings of a live page, which are refitted regularly, and the history of the ratings.

use std::collections::BTreeMap;
use std::time::Duration;

use super::roster::{ShownPlayer, ShownPlayers};
use crate::page::shown::RatingHistory;
use crate::page::shown::data::PagePlayer;
use crate::page::shown::rating_history::whole;
use crate::results::format_result::FormatResult;
use crate::results::rating::Elo;
use crate::results::standings::{Counting, GameSummary, PlayerRow, RatingOptions, RunState, Standings, Tally};

/// The minimum interval between fits of the ratings.
const FIT_EVERY: Duration = Duration::from_secs(2);

/// The time to wait before the next fit, as a multiple of the time that the last one took.
const REST: u32 = 50;

/// The maximum number of cuts in the history of the ratings.
const CUTS: usize = 50;

/// The standings so far, by the names that the page shows.
#[derive(Debug, Default)]
pub(crate) struct Ladder {
    tally: Tally,
    /// The games of a sequential test, some of which may not count once it ends; `None` in other runs.
    tested: Option<Vec<GameSummary>>,
    games: usize,
    /// Whether games have been added since the last fit.
    is_stale: bool,
    next_fit: Duration,
    fits: u64,
    standings: Option<Standings>,
    /// Each player, and its rating if it has played, in the order of their numbers.
    players: Vec<PagePlayer>,
    ratings: Vec<(Option<Elo>, Option<Elo>)>,
    /// The rank of players without games.
    last: usize,
    history: RatingHistory,
}

impl Ladder {
    /// The standings before the first game of a run, which may be a sequential test.
    pub(crate) fn new(roster: &ShownPlayers, is_test: bool) -> Self {
        let mut ladder = Self { tested: is_test.then(Vec::new), ..Self::default() };
        ladder.fit(roster, None);
        ladder
    }

    /// Adds the players of `roster` that are new since the last fit, without a rating. Returns whether there are any.
    pub(crate) fn meet(&mut self, roster: &ShownPlayers) -> bool {
        let new = roster.players().get(self.players.len()..).unwrap_or_default();
        for ShownPlayer { shown, shown_slug, .. } in new {
            self.players.push(PagePlayer::without_games(shown, shown_slug.clone(), self.last));
            self.ratings.push((None, None));
        }
        !new.is_empty()
    }

    /// Adds a game.
    pub(crate) fn add(&mut self, game: &GameSummary<&str>) {
        self.tally.add(game);
        if let Some(tested) = &mut self.tested {
            tested.push(game.to_summary());
        }
        self.games += 1;
        self.is_stale = true;
    }

    /// From now on, games of rounds after `last_round` do not count, whether they have already been added or not.
    pub(crate) fn end_test(&mut self, last_round: u32) {
        let counting = Counting { last_round: Some(last_round), ..Counting::default() };
        if self.tally.counting() != counting {
            self.tally = Tally::new(counting);
            self.tally.extend(self.tested.iter().flatten());
            self.is_stale = true;
        }
    }

    /// Whether to fit the ratings now, at the time `at`.
    pub(crate) fn wants_fit(&self, at: Duration) -> bool {
        self.is_stale && at >= self.next_fit
    }

    /// Records that the last fit was made at `at` and took `cost`, which determines when the next one may be made.
    pub(crate) fn rest(&mut self, at: Duration, cost: Duration) {
        self.next_fit = at + FIT_EVERY.max(cost * REST);
    }

    /// Fits the ratings to all games so far. The standings include `result` from now on.
    pub(crate) fn fit(&mut self, roster: &ShownPlayers, result: Option<FormatResult>) {
        self.is_stale = false;
        self.fits += 1;
        // Without an anchor, a fit cannot fail.
        let Ok(standings) = Standings::new(&self.tally, &RatingOptions::default()) else { return };
        let rows: BTreeMap<&str, &PlayerRow> = standings.rows().iter().map(|row| (row.player.as_str(), row)).collect();
        self.last = standings.rows().iter().filter(|row| row.rank.is_some()).count() + 1;
        (self.players, self.ratings) = roster.players().iter().map(|player| place(player, &rows, self.last)).unzip();
        self.standings = Some(standings.of_run(RunState { result, ..RunState::default() }));
        self.cut();
    }

    /// Adds the current ratings to their history. A history that has become too long loses every second cut.
    fn cut(&mut self) {
        if self.games == 0 {
            return;
        }
        let Self { history: RatingHistory { at, elo, e95 }, ratings, games, .. } = self;
        if at.last() == Some(games) {
            at.pop();
            elo.iter_mut().chain(&mut *e95).for_each(|cuts| cuts.truncate(at.len()));
        }
        at.push(*games);
        for cuts in [&mut *elo, &mut *e95] {
            // A player may be new.
            cuts.resize_with(ratings.len(), || vec![None; at.len() - 1]);
        }
        for ((elo, e95), rating) in elo.iter_mut().zip(&mut *e95).zip(ratings) {
            elo.push(rating.0.map(whole));
            e95.push(rating.1.map(whole));
        }
        if at.len() > CUTS {
            halve(at);
            elo.iter_mut().chain(e95).for_each(halve);
        }
    }

    /// The Elo of the player with this number, if it has one.
    pub(crate) fn elo(&self, player: usize) -> Option<i64> {
        self.ratings.get(player).and_then(|rating| rating.0).map(whole)
    }

    /// The players, in the order of their numbers.
    pub(crate) fn players(&self) -> &[PagePlayer] {
        &self.players
    }

    /// The history of the ratings.
    pub(crate) const fn history(&self) -> &RatingHistory {
        &self.history
    }

    /// The history of the ratings of the players of `page`, in their order.
    pub(crate) fn history_of(&self, page: &[PagePlayer]) -> RatingHistory {
        let number = |shown: &PagePlayer| self.players.iter().position(|player| player.name == shown.name);
        let numbers: Vec<usize> = page.iter().filter_map(number).collect();
        let RatingHistory { at, elo, e95 } = &self.history;
        let picked = |cuts: &[Vec<_>]| numbers.iter().map(|&number| cuts[number].clone()).collect();
        RatingHistory { at: at.clone(), elo: picked(elo), e95: picked(e95) }
    }

    /// The standings as of the last fit.
    pub(crate) const fn standings(&self) -> Option<&Standings> {
        self.standings.as_ref()
    }

    /// Continues the count of fits from that of `before`.
    pub(crate) const fn follow(&mut self, before: &Self) {
        self.fits += before.fits;
    }

    /// The number of times that the ratings have been fitted.
    pub(crate) const fn fits(&self) -> u64 {
        self.fits
    }
}

/// Keeps every second one of `cuts`, and always the last.
fn halve<T>(cuts: &mut Vec<T>) {
    let mut keep = cuts.len().is_multiple_of(2);
    cuts.retain(|_| {
        keep = !keep;
        keep
    });
}

/// `player` on the page, with its rating and error. A player without games shares the rank `last`.
fn place(
    player: &ShownPlayer,
    rows: &BTreeMap<&str, &PlayerRow>,
    last: usize,
) -> (PagePlayer, (Option<Elo>, Option<Elo>)) {
    let ShownPlayer { shown, shown_slug: slug, .. } = player;
    match rows.get(shown.as_str()).filter(|row| row.total().games() > 0) {
        Some(row) => (PagePlayer::new(row, slug.clone(), last), (row.finite_rating(), row.error95)),
        None => (PagePlayer::without_games(shown, slug.clone(), last), (None, None)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_history_keeps_its_last_cut_and_every_second_of_the_others() {
        for length in 1..8 {
            let mut cuts: Vec<usize> = (0..length).collect();
            halve(&mut cuts);
            assert_eq!(cuts.last(), Some(&(length - 1)));
            assert!(cuts.is_sorted_by(|one, next| one + 2 == *next), "{cuts:?}");
        }
    }
}
