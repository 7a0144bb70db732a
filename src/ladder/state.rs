//! The state of a ladder while it is played, and what it leads to: the next pairings, the versions to prepare, and the
//! versions to pause.
//!
//! Everything here follows from the journal. The order in which games end has no effect on the ratings, and none on the
//! pairings either as long as one game is played at a time.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::OnceLock;

use jiff::Timestamp;

use crate::game::Side;
use crate::referee::result::{GameResult, Termination};
use crate::results::ladder::{
    LadderAnchor, LadderCounts, LadderFit, LadderPairer, LadderVersion, PairingReason, PairingRules, Selection,
    SelectionTest, VersionRating, VersionState, active_versions, fit_interval,
};
use crate::results::rating::{Elo, Model};
use crate::run::journal::ladder_history::{LadderFault, LadderHistory, LadderPlayer, LastGames, VersionStatus};
use crate::run::journal::ladder_line::PairingEntry;
use crate::run::journal::line::JournalEntry;
use crate::tournament::ladder::LadderTerms;
use crate::tournament::schedule::{GameSpec, PlayerIndex};

/// After how many forfeits in a row, by crashes and no shows, a version is paused.
const FORFEITS_TO_PAUSE: u32 = 3;

/// The number of seconds of a day.
const DAY: i64 = 86_400;

/// For how many days the results are kept.
const DAYS_KEPT: usize = 9;

/// How a game ended, as far as a ladder is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GameOutcome {
    /// The winner; `None` after a draw.
    winner: Option<Side>,
    /// Whether it counts for the ratings: not if both players failed.
    is_rated: bool,
    /// The side that failed to play at all.
    failed: Option<Side>,
}

impl GameOutcome {
    /// The side that lost.
    pub(crate) fn loser(self) -> Option<Side> {
        self.winner.map(Side::opponent)
    }
}

impl From<&GameResult> for GameOutcome {
    fn from(result: &GameResult) -> Self {
        let (winner, termination) = (result.winner(), result.termination());
        let failed = matches!(termination, Termination::Crash | Termination::NoShow | Termination::NotStarted);
        Self {
            winner,
            is_rated: termination != Termination::DoubleForfeit,
            failed: winner.map(Side::opponent).filter(|_| failed),
        }
    }
}

/// The ratings and errors of a ladder, by the places of its players; `None` for players without a rating.
pub(crate) type LadderRatings = Vec<Option<VersionRating>>;

/// The state of a ladder.
#[derive(Clone, Debug)]
pub(crate) struct LadderState {
    history: LadderHistory,
    counts: LadderCounts,
    /// The games that were decided on and have not ended, each with black first.
    in_flight: BTreeMap<u64, (PlayerIndex, PlayerIndex)>,
    /// How many games in a row each player has failed to play.
    failures: Vec<u32>,
    /// The games of the last round robin, if the ladder is frozen.
    last_games: LastGames,
    seed: u64,
    fitted: Option<Fitted>,
    /// The results at the end of each of the last days on which games were decided on, with the number of the day since the
    /// start of 1970.
    days: VecDeque<(i64, LadderCounts)>,
}

/// The last fit, and the pairings decided on with it.
#[derive(Clone, Debug)]
struct Fitted {
    fit: LadderFit,
    active: Vec<PlayerIndex>,
    pairer: LadderPairer,
    selection: OnceLock<SelectionTest>,
    /// How many games had been counted, and how many pairings decided on.
    games: u64,
}

impl LadderState {
    /// The state of the ladder that `history` describes. `seed` is that of the tournament; `games` contains the number and
    /// the outcome of each game that has ended, in the order of the journal.
    pub(crate) fn new(history: LadderHistory, seed: u64, games: impl IntoIterator<Item = (u64, GameOutcome)>) -> Self {
        let all = history.schedule().games().filter_map(|spec| Some((spec.number, pair_of(&spec)?))).collect();
        let failures = vec![0; history.players().len()];
        let mut state = Self {
            history,
            counts: LadderCounts::default(),
            in_flight: all,
            failures,
            last_games: LastGames::default(),
            seed,
            fitted: None,
            days: VecDeque::new(),
        };
        for (number, outcome) in games {
            state.end(number, outcome);
        }
        state.plan_last_games();
        state
    }

    /// The versions and decisions so far.
    pub(crate) const fn history(&self) -> &LadderHistory {
        &self.history
    }

    /// The results so far.
    pub(crate) const fn counts(&self) -> &LadderCounts {
        &self.counts
    }

    /// How many games have been decided on and have not ended.
    pub(crate) fn in_flight(&self) -> usize {
        self.in_flight.len()
    }

    /// Takes an entry that the journal has. Returns the game that it decides on, if it does.
    ///
    /// # Errors
    /// Fails if the entry cannot follow those before it.
    pub(crate) fn take(&mut self, entry: &JournalEntry) -> Result<Option<GameSpec>, LadderFault> {
        let game = self.history.take(entry)?;
        self.failures.resize(self.history.players().len(), 0);
        match (entry, &game) {
            (JournalEntry::Pairing(_), Some(spec)) => {
                self.in_flight.extend(pair_of(spec).map(|pair| (spec.number, pair)));
                if self.history.frozen().is_some() {
                    self.last_games.decide();
                }
            }
            (JournalEntry::Resumed(entry), _) => {
                if let Some(player) = self.history.place(&entry.version) {
                    self.failures[player] = 0;
                }
                self.fitted = None;
            }
            (JournalEntry::Frozen(_), _) => self.plan_last_games(),
            (JournalEntry::Version(_), _) => {
                self.fitted = None;
                self.plan_last_games();
            }
            (JournalEntry::Paused(_) | JournalEntry::Retired(_), _) => self.fitted = None,
            _ => {}
        }
        Ok(game)
    }

    /// Counts game `number`, which has ended. A game that was not decided on, or is counted already, has no effect.
    pub(crate) fn end(&mut self, number: u64, outcome: GameOutcome) {
        let Some((black, white)) = self.in_flight.remove(&number) else { return };
        self.remember_day(number);
        for (side, player) in [(Side::Black, black), (Side::White, white)] {
            // A game from before the version was resumed says nothing about it.
            if number >= self.history.players()[player].forgiven {
                let failures = &mut self.failures[player];
                *failures = if outcome.failed == Some(side) { *failures + 1 } else { 0 };
            }
        }
        if outcome.is_rated {
            let selection = if self.history.is_drawn(number) { Selection::Drawn } else { Selection::Chosen };
            self.counts.add(black, white, outcome.winner, selection);
        }
    }

    /// Keeps the results so far if game `number` is the first that ended of those decided on that day.
    fn remember_day(&mut self, number: u64) {
        let Some(day) = self.history.decided_at(number).map(|at| at.div_euclid(DAY)) else { return };
        if self.days.back().is_none_or(|(last, _)| *last < day) {
            self.days.push_back((day, self.counts.clone()));
            if self.days.len() > DAYS_KEPT {
                self.days.pop_front();
            }
        }
    }

    /// The results of a week before the time `now`, in seconds since the start of 1970: those before the first day on which a
    /// game was decided on since. `None` if that is before all that is known.
    fn week_ago(&self, now: i64) -> Option<&LadderCounts> {
        let day = now.div_euclid(DAY) - 7;
        let later = self.days.iter().find(|(known, _)| *known > day);
        let is_known = self.days.front().is_some_and(|(first, _)| *first <= day);
        is_known.then(|| later.map_or(&self.counts, |(_, counts)| counts))
    }

    /// The ratings of a week before the time `now`, by a fit of the results of that time, for the versions of that time; `None`
    /// if that is before all that is known. A version without games has no rating.
    pub(crate) fn ratings_week_ago(&self, now: i64) -> Option<LadderRatings> {
        let (counts, day) = (self.week_ago(now)?, now.div_euclid(DAY) - 7);
        let players = self.history.players().iter();
        // Versions are in the order in which they were accepted.
        let is_there = |since: Option<Timestamp>| since.is_none_or(|since| since.as_second().div_euclid(DAY) <= day);
        let there = players.take_while(|player| is_there(player.since)).count();
        let mut versions = self.versions();
        versions.truncate(there);
        let fit = LadderFit::new(Model::default(), &versions, self.anchor().as_slice(), counts, None);
        let mut ratings = fit.ratings(&[]);
        for (place, rating) in ratings.iter_mut().enumerate() {
            *rating = rating.filter(|_| counts.games_of(place) > 0);
        }
        Some(ratings)
    }

    /// The versions that have failed too often in a row and are not paused yet, each with the reason.
    pub(crate) fn to_pause(&self) -> Vec<(PlayerIndex, String)> {
        let failing = |player: &PlayerIndex| {
            let known = &self.history.players()[*player];
            let plays = known.status == VersionStatus::Playing && known.version.is_some();
            plays && self.failures[*player] >= FORFEITS_TO_PAUSE
        };
        let reason = |player: PlayerIndex| {
            let times = self.failures[player];
            (player, format!("it crashed, or did not come, in {times} games in a row"))
        };
        (0..self.failures.len()).filter(failing).map(reason).collect()
    }

    /// The versions as the fit takes them.
    fn versions(&self) -> Vec<LadderVersion> {
        let mut last: BTreeMap<&str, PlayerIndex> = BTreeMap::new();
        let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
        let players = self.history.players().iter().enumerate();
        let version = |(place, player)| {
            let player: &LadderPlayer = player;
            let of = player.version.as_ref().map_or(player.name.as_str(), |version| version.of.as_str());
            let count = numbers.len();
            let number = *numbers.entry(of).or_insert(count);
            LadderVersion {
                player: number,
                number: player.version.as_ref().map_or(1, |version| version.number),
                predecessor: last.insert(of, place),
                state: match player.status {
                    VersionStatus::Playing => VersionState::Accepted,
                    VersionStatus::Paused(_) => VersionState::Paused,
                    VersionStatus::Retired(_) => VersionState::Retired,
                },
                is_baseline: player.version.is_none(),
            }
        };
        players.map(version).collect()
    }

    /// The player whose rating is 0: the first one without versions.
    fn anchor(&self) -> Option<LadderAnchor> {
        let version = self.history.players().iter().position(|player| player.version.is_none())?;
        Some(LadderAnchor { version, elo: Elo(0.0), deviation: None })
    }

    /// Fits the ratings if enough has happened since the last fit. This takes up to a second in a large ladder.
    pub(crate) fn fit(&mut self, terms: &LadderTerms) {
        let is_current = |fitted: &Fitted| {
            let since = self.counts.total().saturating_sub(fitted.games);
            since < fit_interval(fitted.active.len()).max(1)
        };
        if self.fitted.as_ref().is_some_and(is_current) {
            return;
        }
        let (versions, anchors) = (self.versions(), self.anchor());
        let fit = LadderFit::new(Model::default(), &versions, anchors.as_slice(), &self.counts, None);
        let ratings = fit.ratings(&[]);
        let newest = usize::try_from(terms.active).unwrap_or(usize::MAX);
        let active = active_versions(&versions, newest, |place| Some(ratings.get(place)?.as_ref()?.elo.0));
        let rules = PairingRules {
            target_error: Elo(terms.target_error),
            first_games: terms.first_games.into(),
            random_share: terms.random_share,
            most_games: PairingRules::MOST_GAMES,
            seed: self.seed,
        };
        let in_flight: Vec<(usize, usize)> = self.in_flight.values().copied().collect();
        let pairer = LadderPairer::new(rules, &versions, &active, &fit, (&self.counts, &in_flight));
        self.fitted = Some(Fitted { fit, active, pairer, selection: OnceLock::new(), games: self.counts.total() });
    }

    /// The versions that play, by the last fit.
    pub(crate) fn active(&self) -> BTreeSet<PlayerIndex> {
        self.fitted.iter().flat_map(|fitted| fitted.active.iter().copied()).collect()
    }

    /// The players whose programs are needed: the active ones, those of games that have not ended, and those of the last
    /// round robin.
    pub(crate) fn needed(&self) -> BTreeSet<PlayerIndex> {
        let mut needed = self.active();
        needed.extend(self.in_flight.values().flat_map(|&(black, white)| [black, white]));
        needed.extend(self.last_games.players());
        needed
    }

    /// The ratings by the last fit.
    pub(crate) fn ratings(&self) -> LadderRatings {
        self.fitted.as_ref().map(|fitted| fitted.fit.ratings(&fitted.active)).unwrap_or_default()
    }

    /// Whether the randomly drawn games agree with the others, by the last fit. The first call after a fit takes several times as
    /// long as the fit.
    pub(crate) fn selection(&self) -> Option<SelectionTest> {
        let fitted = self.fitted.as_ref()?;
        Some(*fitted.selection.get_or_init(|| fitted.fit.selection_test(&self.counts)))
    }

    /// The last fit.
    pub(crate) fn last_fit(&self) -> Option<&LadderFit> {
        self.fitted.as_ref().map(|fitted| &fitted.fit)
    }

    /// The next game to decide on; `None` if none is needed. The decision takes effect with [`LadderState::take`]. `is_ready`
    /// tells whether a player's program is prepared; until all programs that are needed are, nobody is paired. `at` is the time
    /// of the decision.
    pub(crate) fn next_pairing(
        &mut self,
        terms: &LadderTerms,
        is_ready: impl Fn(PlayerIndex) -> bool,
        at: Timestamp,
    ) -> Option<PairingEntry> {
        self.fit(terms);
        if !self.needed().into_iter().all(is_ready) {
            return None;
        }
        let name = |place: PlayerIndex| self.history.players()[place].name.clone();
        if self.history.frozen().is_some() {
            let (black, white) = self.last_games.next()?;
            return Some(PairingEntry { black: name(black), white: name(white), random: false, at });
        }
        let decision = self.history.schedule().at_most();
        let pairing = self.fitted.as_mut()?.pairer.next(decision)?;
        let random = pairing.reason == PairingReason::Random;
        Some(PairingEntry { black: name(pairing.black), white: name(pairing.white), random, at })
    }

    /// Whether the ladder is frozen and all of its games have been played.
    pub(crate) fn is_over(&self) -> bool {
        self.history.frozen().is_some() && self.last_games.next().is_none() && self.in_flight.is_empty()
    }

    /// Plans the games of the last round robin that have not been decided on, if the ladder is frozen: between the last
    /// versions of all players that played at that time, and then between each version that came later and all of these.
    fn plan_last_games(&mut self) {
        self.last_games = self.history.last_games().unwrap_or_default();
    }

    /// Whether the ladder is frozen, and of its games only `spoiled` are left, which cannot be played.
    pub(crate) fn is_played_but_for(&self, spoiled: usize) -> bool {
        self.history.frozen().is_some() && self.last_games.next().is_none() && self.in_flight.len() <= spoiled
    }

    /// Forgets the last fit, because what governs the games has changed.
    pub(crate) fn forget_fit(&mut self) {
        self.fitted = None;
    }
}

/// The players of a game of two.
fn pair_of(spec: &GameSpec) -> Option<(PlayerIndex, PlayerIndex)> {
    let players = spec.players.clone().by_side().ok()?;
    Some((players.black, players.white))
}
