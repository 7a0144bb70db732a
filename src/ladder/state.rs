//! The state of a ladder while it is played, and the decisions that follow from it: the next pairings, the versions to
//! prepare, and the versions to pause.
//!
//! Everything here follows from the journal. The order in which games end has no effect on the ratings. It has no
//! effect on the pairings either, as long as games are played one at a time.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use jiff::Timestamp;

use crate::results::ladder::{
    LadderAnchor, LadderCounts, LadderFit, LadderPairer, LadderVersion, PairingReason, PairingRules, SelectionTest,
    VersionRating, VersionState, active_versions, fit_interval,
};
use crate::results::rating::{Elo, Model};
use crate::run::journal::ladder_history::{LadderFault, LadderHistory, LadderPlayer, LastGames, VersionStatus};
use crate::run::journal::ladder_line::PairingEntry;
use crate::run::journal::ladder_tally::{DAY, GameOutcome, LadderTally, LostFixture};
use crate::run::journal::line::JournalEntry;
use crate::tournament::ladder::LadderTerms;
use crate::tournament::schedule::{GameSpec, PlayerIndex};

/// How many forfeits in a row, through crashes and no-shows, cause a version to be paused.
const FORFEITS_TO_PAUSE: u32 = 3;

/// The ratings of a ladder's players, with their errors, in the order of the players; `None` for players without a
/// rating.
pub(crate) type LadderRatings = Vec<Option<VersionRating>>;

/// The state of a ladder.
#[derive(Clone, Debug)]
pub(crate) struct LadderState {
    /// The versions and decisions so far, and the games that have not ended.
    history: LadderHistory,
    tally: LadderTally,
    /// The games of the last round robin, if the ladder is frozen.
    last_games: LastGames,
    seed: u64,
    fitted: Option<Fitted>,
}

/// The last fit, and the pairings decided on with it.
#[derive(Clone, Debug)]
struct Fitted {
    fit: LadderFit,
    active: Vec<PlayerIndex>,
    pairer: LadderPairer,
    selection: OnceLock<SelectionTest>,
    /// How many games had been counted when the ratings were fitted.
    games: u64,
}

impl LadderState {
    /// The state of the ladder that `history` describes, without the games that `tally` already contains. `seed` is the
    /// seed of the tournament.
    pub(crate) fn new(history: LadderHistory, tally: LadderTally, seed: u64) -> Self {
        let mut state = Self { history, tally, last_games: LastGames::default(), seed, fitted: None };
        state.plan_last_games();
        state
    }

    /// The versions and decisions so far, and the games that have not ended.
    pub(crate) const fn history(&self) -> &LadderHistory {
        &self.history
    }

    /// The results so far.
    pub(crate) const fn counts(&self) -> &LadderCounts {
        self.tally.counts()
    }

    /// The latest lost games of the player `of`, latest first.
    pub(crate) fn lost_by(&self, of: &str) -> impl Iterator<Item = &LostFixture> {
        self.tally.lost_by(of)
    }

    /// How many games have been decided on but have not ended.
    pub(crate) fn in_flight(&self) -> usize {
        self.history.open_games().len()
    }

    /// Takes an entry that is in the journal. Returns the game that the entry decides on, if any.
    ///
    /// # Errors
    /// Fails if the entry cannot follow the entries before it.
    pub(crate) fn take(&mut self, entry: &JournalEntry) -> Result<Option<GameSpec>, LadderFault> {
        let game = self.history.take(entry)?;
        self.tally.take(&self.history, entry);
        match entry {
            JournalEntry::Pairing(_) if self.history.frozen().is_some() => self.last_games.decide(),
            JournalEntry::Frozen(_) => self.plan_last_games(),
            JournalEntry::Version(_) => {
                self.fitted = None;
                self.plan_last_games();
            }
            JournalEntry::Paused(_) | JournalEntry::Resumed(_) | JournalEntry::Retired(_) => self.fitted = None,
            _ => {}
        }
        Ok(game)
    }

    /// Counts game `number`, which has ended. A game that was not decided on, or has already been counted, has no
    /// effect.
    pub(crate) fn end(&mut self, number: u64, outcome: GameOutcome) {
        self.tally.end(&mut self.history, number, outcome);
    }

    /// The ratings a week before the time `now`, from a fit of the results up to then, for the versions that existed
    /// then; `None` if nothing is known about that time. A version without games has no rating.
    pub(crate) fn ratings_week_ago(&self, now: i64) -> Option<LadderRatings> {
        let (counts, day) = (self.tally.week_ago(now)?, now.div_euclid(DAY) - 7);
        let players = self.history.players().iter();
        // Versions are in the order in which they were accepted.
        let is_there = |since: Option<Timestamp>| since.is_none_or(|since| since.as_second().div_euclid(DAY) <= day);
        let there = players.take_while(|player| is_there(player.since)).count();
        let mut versions = self.versions();
        versions.truncate(there);
        let fit = LadderFit::new(Model::default(), &versions, self.anchor().as_slice(), &counts, None);
        let mut ratings = fit.ratings(&[]);
        for (place, rating) in ratings.iter_mut().enumerate() {
            *rating = rating.filter(|_| counts.games_of(place) > 0);
        }
        Some(ratings)
    }

    /// The versions that have failed too many times in a row and are not paused yet, each with the reason.
    pub(crate) fn to_pause(&self) -> Vec<(PlayerIndex, String)> {
        let failing = |player: &PlayerIndex| {
            let known = &self.history.players()[*player];
            let plays = known.status == VersionStatus::Playing && known.version.is_some();
            plays && self.tally.failures()[*player] >= FORFEITS_TO_PAUSE
        };
        let reason = |player: PlayerIndex| {
            let times = self.tally.failures()[player];
            (player, format!("it crashed or did not show up in {times} games in a row"))
        };
        (0..self.history.players().len()).filter(failing).map(reason).collect()
    }

    /// The versions in the form that the fit requires.
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
            let since = self.counts().total().saturating_sub(fitted.games);
            since < fit_interval(fitted.active.len()).max(1)
        };
        if self.fitted.as_ref().is_some_and(is_current) {
            return;
        }
        let (versions, anchors) = (self.versions(), self.anchor());
        let fit = LadderFit::new(Model::default(), &versions, anchors.as_slice(), self.counts(), None);
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
        let in_flight: Vec<(usize, usize)> = self.open_pairs().collect();
        let pairer = LadderPairer::new(rules, &versions, &active, &fit, (self.counts(), &in_flight));
        self.fitted = Some(Fitted { fit, active, pairer, selection: OnceLock::new(), games: self.counts().total() });
    }

    /// The players of the games that have not ended, each with black first.
    fn open_pairs(&self) -> impl Iterator<Item = (PlayerIndex, PlayerIndex)> {
        self.history.open_games().map(|(_, game)| {
            let players = game.players();
            (players.black, players.white)
        })
    }

    /// The versions that play, according to the last fit.
    pub(crate) fn active(&self) -> BTreeSet<PlayerIndex> {
        self.fitted.iter().flat_map(|fitted| fitted.active.iter().copied()).collect()
    }

    /// The players whose programs are needed: the active players, the players of games that have not ended, and the
    /// players of the last round robin.
    pub(crate) fn needed(&self) -> BTreeSet<PlayerIndex> {
        let mut needed = self.active();
        needed.extend(self.open_pairs().flat_map(|(black, white)| [black, white]));
        needed.extend(self.last_games.players());
        needed
    }

    /// The ratings according to the last fit.
    pub(crate) fn ratings(&self) -> LadderRatings {
        self.fitted.as_ref().map(|fitted| fitted.fit.ratings(&fitted.active)).unwrap_or_default()
    }

    /// Whether the randomly drawn games agree with the others, according to the last fit. The first call after a fit
    /// takes several times as long as the fit.
    pub(crate) fn selection(&self) -> Option<SelectionTest> {
        let fitted = self.fitted.as_ref()?;
        Some(*fitted.selection.get_or_init(|| fitted.fit.selection_test(self.counts())))
    }

    /// The last fit.
    pub(crate) fn last_fit(&self) -> Option<&LadderFit> {
        self.fitted.as_ref().map(|fitted| &fitted.fit)
    }

    /// The next game to decide on; `None` if none is needed. The decision takes effect with [`LadderState::take`].
    /// `is_ready` returns whether a player's program is prepared; no players are paired until all programs that are
    /// needed are prepared. `at` is the time of the decision.
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
        self.history.frozen().is_some() && self.last_games.next().is_none() && self.in_flight() == 0
    }

    /// Plans the games of the last round robin that have not been decided on, if the ladder is frozen: between the last
    /// versions of all players that played at that time, and then between each version that was added later and all of
    /// these.
    fn plan_last_games(&mut self) {
        self.last_games = self.history.last_games().unwrap_or_default();
    }

    /// Whether the ladder is frozen and at most `spoiled` of its games, which cannot be played, are left.
    pub(crate) fn is_played_but_for(&self, spoiled: usize) -> bool {
        self.history.frozen().is_some() && self.last_games.next().is_none() && self.in_flight() <= spoiled
    }

    /// Forgets the last fit, because the settings that govern the games have changed.
    pub(crate) fn forget_fit(&mut self) {
        self.fitted = None;
    }
}
