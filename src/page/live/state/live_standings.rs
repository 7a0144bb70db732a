//! The standings of a live page, which are refitted regularly, and the history of the ratings.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use serde::Serialize;

use super::roster::{ShownPlayer, ShownPlayers};
use crate::page::shown::RatingHistory;
use crate::page::shown::data::PagePlayer;
use crate::page::shown::groups::{PageGroupPlayer, SeatFigures};
use crate::page::shown::rating_history::whole;
use crate::results::rating::Elo;
use crate::results::standings::{
    Counting, FieldStandings, FieldTally, GameSummary, GroupRow, PlayedSummary, PlayerRow, RatingOptions, RunState,
};

/// The minimum interval between fits of the ratings.
const FIT_EVERY: Duration = Duration::from_secs(2);

/// The time to wait before the next fit, as a multiple of the time that the last fit took.
const REST: u32 = 50;

/// The maximum number of cuts, or points in time, in the history of the ratings.
const CUTS: usize = 50;

/// The standings so far, with the names that the page shows.
#[derive(Debug)]
pub(crate) struct LiveStandings {
    tally: FieldTally,
    /// The games of a sequential test, some of which may not count once it ends; `None` in other runs.
    tested: Option<Vec<PlayedSummary>>,
    games: usize,
    /// Whether games have been added since the last fit.
    is_stale: bool,
    next_fit: Duration,
    fits: u64,
    standings: Option<FieldStandings>,
    /// The players in the order of their numbers, each with its rating if it has played.
    players: Vec<LiveRow>,
    ratings: Vec<(Option<Elo>, Option<Elo>)>,
    /// The rank of players without games.
    last: usize,
    history: RatingHistory,
}

/// A player in the standings, as JSON.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub(crate) enum LiveRow {
    /// A player in games with two seats.
    Pair(PagePlayer),
    /// A player in games with more than two seats.
    Group(PageGroupPlayer),
}

impl LiveRow {
    /// The player called `name` before its first game, in a tournament whose games have `seats` seats.
    fn without_games(seats: u8, name: &str, slug: String, rank: usize) -> Self {
        match seats {
            ..=2 => Self::Pair(PagePlayer::without_games(name, slug, rank)),
            _ => Self::Group(PageGroupPlayer::without_games(seats, name, slug, rank)),
        }
    }

    /// The name on the page.
    fn name(&self) -> &str {
        match self {
            Self::Pair(player) => &player.name,
            Self::Group(player) => &player.name,
        }
    }
}

impl LiveStandings {
    /// The standings before the first game of a run whose games have `seats` seats. `is_test` says whether the run is a
    /// sequential test.
    pub(crate) fn new(roster: &ShownPlayers, seats: u8, is_test: bool) -> Self {
        let mut standings = Self {
            tally: FieldTally::of_seats(Counting::default(), seats),
            tested: is_test.then(Vec::new),
            games: 0,
            is_stale: false,
            next_fit: Duration::ZERO,
            fits: 0,
            standings: None,
            players: Vec::new(),
            ratings: Vec::new(),
            last: 0,
            history: RatingHistory::default(),
        };
        standings.fit(roster, RunState::default());
        standings
    }

    /// Adds, without ratings, the players of `roster` that are new since the last fit. Returns whether there are any.
    pub(crate) fn meet(&mut self, roster: &ShownPlayers) -> bool {
        let new = roster.players().get(self.players.len()..).unwrap_or_default();
        for ShownPlayer { shown, shown_slug, .. } in new {
            let (seats, slug) = (self.tally.seats(), shown_slug.clone());
            self.players.push(LiveRow::without_games(seats, shown, slug, self.last));
            self.ratings.push((None, None));
        }
        !new.is_empty()
    }

    /// Adds a game.
    pub(crate) fn add(&mut self, game: PlayedSummary) {
        let is_added = self.tally.add(&game);
        assert!(is_added.is_ok(), "all games of a run have the same number of seats");
        if let Some(tested) = &mut self.tested {
            tested.push(game);
        }
        self.games += 1;
        self.is_stale = true;
    }

    /// The games of a sequential test.
    pub(crate) fn tested(&self) -> impl Iterator<Item = &GameSummary> {
        self.tested.iter().flatten().filter_map(|game| match game {
            PlayedSummary::Pair(game) => Some(game),
            PlayedSummary::Group(_) => None,
        })
    }

    /// The state of the run has changed, so the next fit is needed even without further games.
    pub(crate) const fn expire(&mut self) {
        self.is_stale = true;
    }

    /// From now on, games in rounds after `last_round` do not count, whether they have already been added or not.
    pub(crate) fn end_test(&mut self, last_round: u32) {
        let counting = Counting { last_round: Some(last_round), ..Counting::default() };
        if self.tally.counting() != counting {
            self.tally = FieldTally::of_seats(counting, self.tally.seats());
            for game in self.tested.iter().flatten() {
                let _ = self.tally.add(game);
            }
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

    /// Fits the ratings to all games so far. The standings include the state of the `run` from now on.
    pub(crate) fn fit(&mut self, roster: &ShownPlayers, run: RunState) {
        self.is_stale = false;
        self.fits += 1;
        // Without an anchor, a fit cannot fail.
        let Ok(standings) = self.tally.standings(&RatingOptions::default()) else { return };
        let rows = StandingsRows::of(&standings);
        self.last = rows.ranked() + 1;
        let seats = self.tally.seats();
        (self.players, self.ratings) =
            roster.players().iter().map(|player| rows.place(player, seats, self.last)).unzip();
        if let Some(result) = &run.result {
            let placed = result.placed().into_iter().zip(result.reasons()).zip(0..);
            let mut placed: HashMap<&str, _> =
                placed.map(|(((player, place), reason), at)| (player, (at, place, reason))).collect();
            for (row, ShownPlayer { shown, .. }) in self.players.iter_mut().zip(roster.players()) {
                if let LiveRow::Pair(player) = row {
                    player.put(placed.remove(shown.as_str()));
                }
            }
        }
        self.standings = Some(standings.of_run(run));
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
            // There may be new players.
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

    /// The Elo of the player with the number `player`, if the player has one, and its error at 95 %, if it is known.
    pub(crate) fn rating(&self, player: usize) -> Option<(i64, Option<i64>)> {
        let (elo, error) = *self.ratings.get(player)?;
        Some((whole(elo?), error.map(whole)))
    }

    /// The players, in the order of their numbers.
    pub(crate) fn players(&self) -> &[LiveRow] {
        &self.players
    }

    /// The history of the ratings.
    pub(crate) const fn history(&self) -> &RatingHistory {
        &self.history
    }

    /// The history of the ratings of the players in `page`, in the order of `page`.
    pub(crate) fn history_of(&self, page: &[PagePlayer]) -> RatingHistory {
        let number = |shown: &PagePlayer| self.players.iter().position(|player| player.name() == shown.name);
        let numbers: Vec<usize> = page.iter().filter_map(number).collect();
        let RatingHistory { at, elo, e95 } = &self.history;
        let picked = |cuts: &[Vec<_>]| numbers.iter().map(|&number| cuts[number].clone()).collect();
        RatingHistory { at: at.clone(), elo: picked(elo), e95: picked(e95) }
    }

    /// The standings as of the last fit.
    pub(crate) const fn standings(&self) -> Option<&FieldStandings> {
        self.standings.as_ref()
    }

    /// The seats with their games and advantages, seat 1 first; `None` if games have two seats.
    pub(crate) fn seats(&self) -> Option<Vec<SeatFigures>> {
        match self.standings.as_ref()? {
            FieldStandings::Pairs(_) => None,
            FieldStandings::Groups(standings) => Some(standings.seat_rows().iter().map(SeatFigures::from).collect()),
        }
    }

    /// Continues the count of fits from the count of `before`.
    pub(crate) const fn follow(&mut self, before: &Self) {
        self.fits += before.fits;
    }

    /// The number of times that the ratings have been fitted.
    pub(crate) const fn fits(&self) -> u64 {
        self.fits
    }
}

/// Keeps every second element of `cuts`, always including the last.
fn halve<T>(cuts: &mut Vec<T>) {
    let mut keep = cuts.len().is_multiple_of(2);
    cuts.retain(|_| {
        keep = !keep;
        keep
    });
}

/// The rows of the standings, by player name.
#[derive(Debug)]
enum StandingsRows<'s> {
    Pairs(BTreeMap<&'s str, &'s PlayerRow>),
    Groups(BTreeMap<&'s str, &'s GroupRow>),
}

impl<'s> StandingsRows<'s> {
    fn of(standings: &'s FieldStandings) -> Self {
        match standings {
            FieldStandings::Pairs(standings) => {
                Self::Pairs(standings.rows().iter().map(|row| (row.player.as_str(), row)).collect())
            }
            FieldStandings::Groups(standings) => {
                Self::Groups(standings.rows().iter().map(|row| (row.player.as_str(), row)).collect())
            }
        }
    }

    /// The number of players with a rank.
    fn ranked(&self) -> usize {
        match self {
            Self::Pairs(rows) => rows.values().filter(|row| row.rank.is_some()).count(),
            Self::Groups(rows) => rows.values().filter(|row| row.rank.is_some()).count(),
        }
    }

    /// The row of `player` on the page of a run whose games have `seats` seats, and the player's rating with its error.
    /// Players without games share the rank `last`.
    fn place(&self, player: &ShownPlayer, seats: u8, last: usize) -> (LiveRow, (Option<Elo>, Option<Elo>)) {
        let ShownPlayer { shown, shown_slug, .. } = player;
        let (name, slug) = (shown.as_str(), shown_slug.clone());
        match self {
            Self::Pairs(rows) => {
                if let Some(row) = rows.get(name).filter(|row| row.total().games() > 0) {
                    let rating = (row.finite_rating(), row.error95);
                    return (LiveRow::Pair(PagePlayer::new(row, slug, last)), rating);
                }
            }
            Self::Groups(rows) => {
                if let Some(row) = rows.get(name).filter(|row| row.total.games > 0) {
                    let rating = (row.finite_rating(), row.error95);
                    return (LiveRow::Group(PageGroupPlayer::new(row, slug, last)), rating);
                }
            }
        }
        (LiveRow::without_games(seats, name, slug, last), (None, None))
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
