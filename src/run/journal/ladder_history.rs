//! The state of a ladder according to the entries of its journal.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::ladder_line::{
    AcceptedEntry, FrozenEntry, HandInEntry, PairingEntry, ProgramLine, RefusedEntry, ReopenedEntry, StatusEntry,
    TermsEntry,
};
use super::line::JournalEntry;
use crate::game::BySide;
use crate::tournament::definition::Definition;
use crate::tournament::schedule::{GameSpec, LadderFixture, LadderGames, PlayerIndex, Schedule};
use crate::tournament::slug;

/// Why an entry of a ladder cannot follow the entries before it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LadderFault {
    /// The tournament is not a ladder.
    #[error("the tournament is not a ladder")]
    NotALadder,
    /// A player is accepted twice.
    #[error("player `{0}` has already been accepted")]
    AcceptedTwice(String),
    /// A hand-in has the same number as an earlier hand-in by the same player.
    #[error("player `{of}` has already handed in number {number}")]
    NumberTwice {
        /// The player.
        of: String,
        /// The number.
        number: u32,
    },
    /// An entry names a version that does not exist.
    #[error("there is no version `{0}`")]
    NoSuchVersion(String),
    /// A game was decided on, but one of its players does not exist, or would play against itself.
    #[error("`{black}` and `{white}` cannot play a game")]
    NoPair {
        /// The player with the black stones.
        black: String,
        /// The player with the white stones.
        white: String,
    },
    /// A game was played that had not been decided on.
    #[error("game `{0}` was not scheduled")]
    Undecided(String),
}

/// Whether a player of a ladder plays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum VersionStatus {
    /// The version plays if it is one of its player's newest versions, or its player's best version.
    #[default]
    Playing,
    /// The version does not play until somebody resumes it.
    Paused(String),
    /// The version never plays again.
    Retired(String),
}

/// A player of a ladder: a version, or a player without versions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LadderPlayer {
    /// The name in games, such as `ada.7`.
    pub name: String,
    /// The hand-in that the version comes from; `None` for a player without versions.
    pub version: Option<HandInEntry>,
    /// How the version is built and started.
    pub program: Option<ProgramLine>,
    /// Whether the player plays.
    pub status: VersionStatus,
    /// When the player was accepted; `None` if the player was there from the start.
    pub since: Option<Timestamp>,
    /// How many games had been decided on when the version was last resumed. Its failures in these games do not count.
    pub forgiven: u64,
}

/// A decision on a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LadderDecision {
    /// The game.
    pub fixture: LadderFixture,
    /// Whether the game's players were drawn at random.
    pub random: bool,
    /// When the game was decided on, in seconds since the start of 1970.
    pub at: i64,
}

/// The games of a ladder, and the decisions on those that have not been forgotten, in a form that can be stored.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StoredDecisions {
    games: LadderGames,
    /// Whether the players of each game were drawn at random, and when the game was decided on, in seconds since the
    /// start of 1970.
    decisions: BTreeMap<u64, (bool, i64)>,
}

impl StoredDecisions {
    /// How many games have been decided on.
    pub(super) const fn decided(&self) -> u64 {
        self.games.decided
    }
}

/// The state of a ladder according to the entries of its journal. Games that have ended can be forgotten, so that the
/// memory does not grow with the number of games.
#[derive(Clone, Debug)]
pub struct LadderHistory {
    players: Vec<LadderPlayer>,
    places: HashMap<String, PlayerIndex>,
    refused: Vec<RefusedEntry>,
    schedule: Schedule,
    /// For each game in `schedule`, whether its players were drawn at random, and when the game was decided on, in
    /// seconds since the start of 1970.
    decisions: BTreeMap<u64, (bool, i64)>,
    frozen: Option<FrozenLadder>,
    reopened: BTreeMap<String, Timestamp>,
    terms: Option<TermsEntry>,
}

/// The end of the hand-ins.
#[derive(Clone, Debug)]
struct FrozenLadder {
    entry: FrozenEntry,
    /// How many games had been decided on before the end.
    games: u64,
    /// The players of the last round robin.
    finalists: Vec<PlayerIndex>,
    /// The versions that were accepted afterwards.
    late: Vec<PlayerIndex>,
}

/// The games of the last round robin, in the order in which they are decided on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LastGames {
    /// Each block contains the pairs of one round, with black first. This round is played `rounds` times.
    blocks: Vec<Vec<(PlayerIndex, PlayerIndex)>>,
    rounds: u64,
    decided: u64,
}

impl LastGames {
    /// The next pair to decide on, with black first; `None` once all pairs have been decided on.
    pub fn next(&self) -> Option<(PlayerIndex, PlayerIndex)> {
        let mut before = self.decided;
        for block in &self.blocks {
            let games = block.len() as u64 * self.rounds;
            if before < games {
                return usize::try_from(before % block.len() as u64).ok().map(|place| block[place]);
            }
            before -= games;
        }
        None
    }

    /// Records that the pair of [`LastGames::next`] has been decided on.
    pub const fn decide(&mut self) {
        self.decided += 1;
    }

    /// The players of all pairs that have not been decided on.
    pub fn players(&self) -> BTreeSet<PlayerIndex> {
        let (mut before, mut players) = (self.decided, BTreeSet::new());
        for block in &self.blocks {
            let games = block.len() as u64 * self.rounds;
            let left = games.saturating_sub(before).min(block.len() as u64);
            before = before.saturating_sub(games);
            let left = block.iter().rev().take(usize::try_from(left).unwrap_or(usize::MAX));
            players.extend(left.flat_map(|&(black, white)| [black, white]));
        }
        players
    }
}

impl LadderHistory {
    /// The state at the beginning of a ladder with this definition.
    pub fn new(definition: &Definition) -> Self {
        let mut history = Self {
            players: Vec::new(),
            places: HashMap::new(),
            refused: Vec::new(),
            schedule: definition.schedule(&[]),
            decisions: BTreeMap::new(),
            frozen: None,
            reopened: BTreeMap::new(),
            terms: None,
        };
        for player in &definition.players {
            let name = player.name.clone();
            let status = VersionStatus::Playing;
            history.add(LadderPlayer { name, version: None, program: None, status, since: None, forgiven: 0 });
        }
        history
    }

    fn add(&mut self, player: LadderPlayer) {
        self.places.insert(player.name.clone(), self.players.len());
        self.players.push(player);
    }

    /// Adds a player.
    ///
    /// # Errors
    /// Fails if a player already has the name, or if the hand-in's number has been used.
    fn accept(&mut self, entry: &AcceptedEntry) -> Result<(), LadderFault> {
        let name = entry.player.name.clone();
        if self.places.contains_key(&name) {
            return Err(LadderFault::AcceptedTwice(name));
        }
        self.check_number(entry.version.as_ref())?;
        self.schedule.add_player(&slug(&name));
        let AcceptedEntry { version, program, at, .. } = entry.clone();
        let place = self.players.len();
        let status = VersionStatus::Playing;
        self.add(LadderPlayer { name, version, program, status, since: Some(at), forgiven: 0 });
        if let Some(frozen) = &mut self.frozen {
            frozen.late.push(place);
        }
        Ok(())
    }

    fn check_number(&self, hand_in: Option<&HandInEntry>) -> Result<(), LadderFault> {
        let Some(HandInEntry { of, number, .. }) = hand_in else { return Ok(()) };
        if *number <= self.last_number(of) {
            return Err(LadderFault::NumberTwice { of: of.clone(), number: *number });
        }
        Ok(())
    }

    /// Adds a hand-in that was refused.
    ///
    /// # Errors
    /// Fails if the hand-in's number has been used.
    fn refuse(&mut self, entry: RefusedEntry) -> Result<(), LadderFault> {
        self.check_number(Some(&entry.version))?;
        self.refused.push(entry);
        Ok(())
    }

    /// Changes whether a version plays.
    ///
    /// # Errors
    /// Fails if there is no such version.
    fn set_status(&mut self, entry: &StatusEntry, status: impl Fn(String) -> VersionStatus) -> Result<(), LadderFault> {
        let StatusEntry { version, reason, .. } = entry;
        let Some(&place) = self.places.get(version) else { return Err(LadderFault::NoSuchVersion(version.clone())) };
        self.players[place].status = status(reason.clone());
        Ok(())
    }

    /// Decides on the next game.
    ///
    /// # Errors
    /// Fails if one of the players does not exist.
    fn pair(&mut self, entry: &PairingEntry) -> Result<GameSpec, LadderFault> {
        let PairingEntry { black, white, random, at } = entry;
        let places = [black, white].map(|name| self.places.get(name).copied());
        let spec = match places {
            [Some(black), Some(white)] => self.schedule.decide(BySide { black, white }),
            _ => None,
        };
        let spec = spec.ok_or_else(|| LadderFault::NoPair { black: black.clone(), white: white.clone() })?;
        self.decisions.insert(spec.number, (*random, at.as_second()));
        Ok(spec)
    }

    /// The last playing version of each player, and the players without versions.
    pub fn last_of_all(&self) -> Vec<&LadderPlayer> {
        self.last_playing().into_iter().map(|place| &self.players[place]).collect()
    }

    /// Ends the hand-ins. A ladder freezes only once.
    fn freeze(&mut self, entry: FrozenEntry) {
        if self.frozen.is_none() {
            let (games, finalists) = (self.schedule.at_most(), self.last_playing());
            self.frozen = Some(FrozenLadder { entry, games, finalists, late: Vec::new() });
        }
    }

    /// The last playing version of each player, and the players without versions, in the order of the journal.
    fn last_playing(&self) -> Vec<PlayerIndex> {
        let mut last: HashMap<&str, PlayerIndex> = HashMap::new();
        for (place, player) in self.players.iter().enumerate() {
            if player.status == VersionStatus::Playing {
                last.insert(player.version.as_ref().map_or(player.name.as_str(), |version| version.of.as_str()), place);
            }
        }
        let mut last: Vec<PlayerIndex> = last.into_values().collect();
        last.sort_unstable();
        last
    }

    /// The games of the last round robin; `None` until the ladder is frozen.
    ///
    /// The players that existed when the ladder froze come first: in each round, every pair plays two games, one with
    /// each colour. Then each version that was accepted later meets all players with other names, in the same number of
    /// rounds.
    pub fn last_games(&self) -> Option<LastGames> {
        let FrozenLadder { entry, games, finalists, late } = self.frozen.as_ref()?;
        let both = |one: PlayerIndex, other: PlayerIndex| [(other, one), (one, other)];
        let first = finalists.iter().enumerate();
        let mut blocks: Vec<Vec<(PlayerIndex, PlayerIndex)>> = vec![
            first
                .flat_map(|(number, &one)| finalists[..number].iter().flat_map(move |&other| both(one, other)))
                .collect(),
        ];
        let of = |place: PlayerIndex| self.players[place].version.as_ref().map(|version| version.of.as_str());
        for (number, &one) in late.iter().enumerate() {
            let others = finalists.iter().chain(&late[..number]).filter(|&&other| of(other) != of(one));
            blocks.push(others.flat_map(|&other| both(one, other)).collect());
        }
        Some(LastGames { blocks, rounds: entry.rounds.into(), decided: self.schedule.at_most() - games })
    }

    /// Takes the next entry of the journal. Returns the game that the entry decides on, if any. Entries that also occur
    /// in other formats have no effect.
    ///
    /// # Errors
    /// Fails if the entry cannot follow the entries before it.
    pub fn take(&mut self, entry: &JournalEntry) -> Result<Option<GameSpec>, LadderFault> {
        match entry {
            JournalEntry::Version(entry) => self.accept(entry)?,
            JournalEntry::Refused(entry) => self.refuse(entry.clone())?,
            JournalEntry::Paused(entry) => self.set_status(entry, VersionStatus::Paused)?,
            JournalEntry::Resumed(entry) => {
                self.set_status(entry, |_| VersionStatus::Playing)?;
                let decided = self.schedule.at_most();
                if let Some(&place) = self.places.get(&entry.version) {
                    self.players[place].forgiven = decided;
                }
            }
            JournalEntry::Retired(entry) => self.set_status(entry, VersionStatus::Retired)?,
            JournalEntry::Pairing(entry) => return self.pair(entry).map(Some),
            JournalEntry::Frozen(entry) => self.freeze(entry.clone()),
            JournalEntry::Reopened(ReopenedEntry { player, until }) => {
                self.reopened.insert(player.clone(), *until);
            }
            JournalEntry::Terms(entry) => self.terms = Some(*entry),
            JournalEntry::Header(_)
            | JournalEntry::Game(_)
            | JournalEntry::Void(_)
            | JournalEntry::Redo { .. }
            | JournalEntry::Again { .. }
            | JournalEntry::Built(_)
            | JournalEntry::Extend { .. } => {}
        }
        Ok(None)
    }

    /// Checks that game `number`, whose id is `id`, was decided on and has not been forgotten.
    ///
    /// # Errors
    /// Fails otherwise.
    pub(super) fn check_decided(&self, number: u64, id: &str) -> Result<(), LadderFault> {
        let is_decided = self.schedule.get(number).is_some_and(|spec| spec.id.as_str() == id);
        if is_decided { Ok(()) } else { Err(LadderFault::Undecided(id.to_owned())) }
    }

    /// All players, in the order in which they were accepted. Games refer to a player by its place in this list.
    pub fn players(&self) -> &[LadderPlayer] {
        &self.players
    }

    /// The place of the player with this name.
    pub fn place(&self, name: &str) -> Option<PlayerIndex> {
        self.places.get(name).copied()
    }

    /// The hand-ins that were refused, in the order of the journal.
    pub fn refused(&self) -> &[RefusedEntry] {
        &self.refused
    }

    /// The number of the last hand-in by the player `of`; 0 if there is none.
    pub fn last_number(&self, of: &str) -> u32 {
        self.hand_ins(of).map(|hand_in| hand_in.number).max().unwrap_or(0)
    }

    /// Everything that the player `of` handed in, whether accepted or refused.
    pub fn hand_ins<'a>(&'a self, of: &'a str) -> impl Iterator<Item = &'a HandInEntry> + 'a {
        let accepted = self.players.iter().filter_map(|player| player.version.as_ref());
        let refused = self.refused.iter().map(|entry| &entry.version);
        accepted.chain(refused).filter(move |hand_in| hand_in.of == of)
    }

    /// The games that have not been forgotten, in the order of the decisions.
    pub const fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// Forgets game `number`, which has ended, and returns it; `None` if there is no such game. The game still counts
    /// as decided on.
    pub fn forget(&mut self, number: u64) -> Option<LadderDecision> {
        let fixture = self.schedule.forget(number)?;
        let (random, at) = self.decisions.remove(&number)?;
        Some(LadderDecision { fixture, random, at })
    }

    /// The games in a form that can be stored.
    pub(super) fn stored_decisions(&self) -> Option<StoredDecisions> {
        Some(StoredDecisions { games: self.schedule.stored_games()?, decisions: self.decisions.clone() })
    }

    /// Restores the games that were `stored`. Returns whether these games are possible with the ladder's players.
    pub(super) fn restore_decisions(&mut self, stored: StoredDecisions) -> bool {
        let StoredDecisions { games, decisions } = stored;
        let is_possible = games.games.keys().eq(decisions.keys()) && self.schedule.restore_games(games);
        self.decisions = decisions;
        is_possible
    }

    /// Counts `decided` games as decided on, until [`LadderHistory::restore_decisions`] restores them.
    pub(super) const fn set_decided(&mut self, decided: u64) {
        self.schedule.set_decided(decided);
    }

    /// The games that have been decided on and have not been forgotten, by number.
    pub fn open_games(&self) -> impl ExactSizeIterator<Item = (u64, LadderFixture)> {
        let games: &BTreeMap<u64, LadderFixture> = self.schedule.fixtures().unwrap_or(const { &BTreeMap::new() });
        games.iter().map(|(&number, &game)| (number, game))
    }

    /// The entry that ended the hand-ins, if there is one.
    pub fn frozen(&self) -> Option<&FrozenEntry> {
        self.frozen.as_ref().map(|frozen| &frozen.entry)
    }

    /// The keys of the tournament file that are in effect; `None` if the journal does not say.
    pub const fn terms(&self) -> Option<&TermsEntry> {
        self.terms.as_ref()
    }

    /// The time until which a player may hand in after the end of the hand-ins; `None` if the player has no extension.
    pub fn reopened(&self, player: &str) -> Option<Timestamp> {
        self.reopened.get(player).copied()
    }
}
