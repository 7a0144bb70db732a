//! The state described by a journal's entries.

mod settled_games;

use std::collections::{HashMap, HashSet};
use std::hash::Hash;
use std::sync::Arc;

use thiserror::Error;

use super::kept::Kept;
use super::ladder_history::{LadderFault, LadderHistory};
use super::ladder_line::AcceptedEntry;
use super::ladder_tally::LadderTally;
use super::reading::{ReadEntry, ReadGame};
use super::{FORMAT, GameEntry, Header, JournalEntry, PlayerEntry, Seal, TextDigest};
use crate::referee::record::{LogTextError, LoggedGame};
use crate::referee::result::{GameResult, Void};
use crate::results::format_result::{FormatResult, PlayedGames, PlayedTournament};
use crate::results::standings::{GameSummary, GroupSummary, MissingGames, PlayedSummary, RunState, Test};
use crate::tournament::Format;
use crate::tournament::definition::{Belonging, Definition, Foreign};
use crate::tournament::schedule::{GameId, Results, Schedule};
use crate::tournament::shard::Shard;
pub(super) use settled_games::SettledGames;

/// Why an entry cannot follow the entries before it.
#[derive(Debug, Error)]
pub enum LedgerError {
    /// The first entry is not a header, or a later one is.
    #[error("a journal must have exactly one header, in its first line")]
    Header,
    /// The header has a format that is unknown to this version.
    #[error("format {0} is not known to this version of gothello-arena")]
    Format(u32),
    /// The definition of the tournament contradicts itself.
    #[error("its definition of the tournament contradicts itself")]
    Definition,
    /// The tournament cannot be split into shards.
    #[error(
        "it names a shard, but its tournament cannot be split into shards, because games depend on earlier results"
    )]
    Shard,
    /// A record does not belong to any game of this tournament.
    #[error("game `{id}`: {source}")]
    Foreign {
        /// The game that the line names.
        id: String,
        /// Why the record does not belong to the game.
        source: Foreign,
    },
    /// A record cannot be parsed.
    #[error("the record of game `{id}`: {source}")]
    Record {
        /// The game.
        id: String,
        /// What is wrong with the record.
        source: LogTextError,
    },
    /// A record does not belong to the game that its line names.
    #[error("the record of game `{id}` says that it belongs to another game")]
    OtherGame {
        /// The game that the line names.
        id: String,
    },
    /// A finished game has no result, or a void game has one.
    #[error("the record of game `{id}` and its line disagree on whether the game is void")]
    OtherEnd {
        /// The game.
        id: String,
    },
    /// A ladder entry contradicts the entries before it.
    #[error(transparent)]
    Ladder(#[from] LadderFault),
    /// An entry supersedes a game that has been forgotten.
    #[error("it supersedes a game with a result, but games with results are no longer in memory")]
    Forgotten,
    /// A game has a second result although its first result was not superseded.
    #[error("game `{id}` already has a result")]
    Twice {
        /// The game.
        id: String,
    },
}

/// The state of a run according to its journal.
///
/// A ladder runs for months. Its ledger can forget each game that has a result, except for the data on which the next
/// decisions depend; see [`Ledger::of_unfinished`]. A ledger returns only games that it has not forgotten.
#[derive(Clone, Debug)]
pub struct Ledger {
    /// The version of the program that began the run.
    pub program: String,
    /// The definition of the tournament.
    pub definition: Definition,
    /// The definition before each extension, oldest first.
    pub earlier: Vec<Definition>,
    /// The program of each player.
    pub players: Vec<PlayerEntry>,
    /// The shard that the run plays; `None` if it plays the whole tournament.
    pub shard: Option<Shard>,
    seal: Seal,
    pub(super) belonging: Belonging,
    /// The versions and decisions, if the tournament is a ladder.
    pub(super) ladder: Option<LadderHistory>,
    /// The forgotten games, if the ledger forgets games.
    pub(super) settled: Option<SettledGames>,
    /// How many records the journal contains.
    pub(super) records: u64,
    /// The games with a record that counts, by id.
    pub(super) games: HashMap<Arc<str>, Box<Kept>>,
    /// The names of players in `games`, without duplicates.
    shared_names: HashSet<Arc<str>>,
    /// The results in `games`, without duplicates.
    shared_endings: HashSet<Arc<GameResult>>,
    /// Records that no longer count, by id and text.
    pub(super) superseded: HashSet<(Arc<str>, TextDigest)>,
}

impl Ledger {
    /// The state after `header`.
    ///
    /// # Errors
    /// Fails if the header's format is unknown, or if its definition does not describe a tournament.
    pub fn new(header: Header) -> Result<Self, LedgerError> {
        if header.format != FORMAT {
            return Err(LedgerError::Format(header.format));
        }
        if header.shard.is_some() && !header.definition.schedule(&[]).has_shards() {
            return Err(LedgerError::Shard);
        }
        Ok(Self {
            seal: Seal::of(&header),
            belonging: Belonging::new(&header.definition).ok_or(LedgerError::Definition)?,
            ladder: (header.definition.frame.format == Format::Ladder).then(|| LadderHistory::new(&header.definition)),
            settled: None,
            program: header.program,
            definition: header.definition,
            earlier: Vec::new(),
            players: header.players,
            shard: header.shard,
            records: 0,
            games: HashMap::new(),
            shared_names: HashSet::new(),
            shared_endings: HashSet::new(),
            superseded: HashSet::new(),
        })
    }

    /// Like [`Ledger::new`], but the ledger of a ladder forgets each game that has a result.
    ///
    /// # Errors
    /// Fails in the same cases as [`Ledger::new`].
    pub fn of_unfinished(header: Header) -> Result<Self, LedgerError> {
        let ledger = Self::new(header)?;
        let settled = ledger.ladder.as_ref().map(|history| SettledGames::new(LadderTally::new(history)));
        Ok(Self { settled, ..ledger })
    }

    /// Adds the next entry.
    ///
    /// # Errors
    /// Fails if the entry cannot follow the entries before it. A ledger that has forgotten games also fails if the
    /// entry supersedes one of them.
    pub fn take(&mut self, entry: JournalEntry) -> Result<(), LedgerError> {
        self.take_read(ReadEntry::of(entry)).map(drop)
    }

    /// Adds the next entry, whose record has already been read. Returns the record, if the entry has one.
    ///
    /// # Errors
    /// Fails if the entry cannot follow the entries before it.
    pub(super) fn take_read(&mut self, entry: ReadEntry) -> Result<Option<LoggedGame>, LedgerError> {
        match entry {
            ReadEntry::Game(game) => return self.take_game(*game).map(Some),
            ReadEntry::Other(entry) => self.take_other(*entry)?,
        }
        Ok(None)
    }

    fn take_game(&mut self, game: ReadGame) -> Result<LoggedGame, LedgerError> {
        let ReadGame { number, id, is_void, text, void_text, read } = game;
        let (record, summary) = match read {
            Ok(read) => *read,
            Err(source) => return Err(LedgerError::Record { id, source }),
        };
        if record.game() != Some(&id) {
            return Err(LedgerError::OtherGame { id });
        }
        if let Some(ladder) = &self.ladder {
            ladder.check_decided(number, &id)?;
        }
        self.belonging.check(&id, &record).map_err(|source| LedgerError::Foreign { id: id.clone(), source })?;
        if record.void().is_some() != is_void {
            return Err(LedgerError::OtherEnd { id });
        }
        self.add(&id, &summary, (number, text), record.void().zip(void_text))?;
        Ok(record)
    }

    /// Adds the last record of the game `id`: its summary, its number, the digest of its text and, if the game is void,
    /// the text itself.
    fn add(
        &mut self,
        id: &str,
        summary: &PlayedSummary,
        (number, text): (u64, TextDigest),
        void: Option<(&Void, String)>,
    ) -> Result<(), LedgerError> {
        if void.is_none() && self.settle(id, summary, (number, text)) {
            return Ok(());
        }
        if let (Some(settled), Some((_, record))) = (&mut self.settled, &void) {
            let game = GameEntry { number, id: id.to_owned(), record: record.clone() };
            settled.void.retain(|_, void| void.number != number);
            settled.void.insert(self.records, game);
        }
        let kept = self.kept(id, summary, (number, text));
        self.insert(kept.with_void(void.map(|(void, _)| void.reason.as_str().into())))
    }

    fn take_other(&mut self, entry: JournalEntry) -> Result<(), LedgerError> {
        self.remember(&entry)?;
        match entry {
            JournalEntry::Header(_) => return Err(LedgerError::Header),
            JournalEntry::Game(_) | JournalEntry::Void(_) => {}
            JournalEntry::Redo { player, kept_to, definition } => {
                if let Some(definition) = definition {
                    self.definition.redefine(definition);
                }
                self.redo(player, kept_to);
            }
            JournalEntry::Again { games, kept_to } => {
                let games: HashSet<String> = games.into_iter().collect();
                self.supersede(kept_to, |kept| games.contains(kept.id()));
            }
            JournalEntry::Built(player) => self.replace(player),
            JournalEntry::Extend { definition, players } => {
                self.belonging = Belonging::new(&definition).ok_or(LedgerError::Definition)?;
                self.earlier.push(std::mem::replace(&mut self.definition, definition));
                self.players = players;
            }
            entry @ (JournalEntry::Version(_)
            | JournalEntry::Refused(_)
            | JournalEntry::Paused(_)
            | JournalEntry::Resumed(_)
            | JournalEntry::Retired(_)
            | JournalEntry::Pairing(_)
            | JournalEntry::Frozen(_)
            | JournalEntry::Reopened(_)
            | JournalEntry::Terms(_)) => self.take_of_ladder(entry)?,
        }
        Ok(())
    }

    /// Adds an entry of a kind that only the journal of a ladder contains.
    fn take_of_ladder(&mut self, entry: JournalEntry) -> Result<(), LedgerError> {
        let history = self.ladder.as_mut().ok_or(LadderFault::NotALadder)?;
        history.take(&entry)?;
        if let Some(settled) = &mut self.settled {
            settled.tally.take(history, &entry);
        }
        if let JournalEntry::Version(entry) = entry {
            let AcceptedEntry { player, definition, .. } = *entry;
            self.belonging.add_player(&definition.name);
            self.definition.add_player(definition);
            self.players.push(player);
        }
        Ok(())
    }

    /// The versions and decisions of a ladder; `None` for other formats.
    pub const fn ladder(&self) -> Option<&LadderHistory> {
        self.ladder.as_ref()
    }

    /// The seal that goes into the checksum of each line of the journal, along with the line itself.
    pub const fn seal(&self) -> &Seal {
        &self.seal
    }

    /// The data that every record of the tournament must contain.
    pub const fn belonging(&self) -> &Belonging {
        &self.belonging
    }

    /// Adds a game; `record` is the parsed text of `game`.
    ///
    /// # Errors
    /// Fails if the game already has a result. The new record nevertheless replaces the old one.
    pub fn keep(&mut self, game: &GameEntry, record: &LoggedGame) -> Result<(), LedgerError> {
        let GameEntry { number, id, record: text } = game;
        let void = record.void().map(|void| (void, text.clone()));
        self.add(id, &PlayedSummary::from(record), (*number, TextDigest::of(text)), void)
    }

    /// The part of the game `id` that the ledger keeps. Its strings and its result are shared with other games and with
    /// the table of games.
    fn kept(&mut self, id: &str, summary: &PlayedSummary, place: (u64, TextDigest)) -> Kept {
        let id = self.games.get_key_value(id).map_or_else(|| id.into(), |(id, _)| Arc::clone(id));
        let name = |name: &String| shared(&mut self.shared_names, name.as_str(), |name| name.into());
        match summary {
            PlayedSummary::Pair(summary) => {
                let players = summary.players.as_ref().map(name);
                let ending = summary.result.as_ref();
                let own = |ending: &GameResult| Arc::new(ending.clone());
                let result = ending.map(|ending| shared(&mut self.shared_endings, ending, own));
                Kept::of_pair(summary.with_texts(id, players), result, place)
            }
            PlayedSummary::Group(summary) => {
                Kept::of_group(summary.with_texts(id, summary.players.as_ref().map(name)), place)
            }
        }
    }

    fn insert(&mut self, mut kept: Kept) -> Result<(), LedgerError> {
        kept.place = self.records;
        self.records += 1;
        let id = kept.shared_id();
        if let Some(before) = self.games.insert(Arc::clone(&id), Box::new(kept)) {
            if before.has_result() {
                return Err(LedgerError::Twice { id: id.to_string() });
            }
            self.superseded.insert((id, before.text));
        }
        Ok(())
    }

    fn redo(&mut self, player: PlayerEntry, kept_to: Option<u32>) {
        let name = &player.name;
        self.supersede(kept_to, |kept| kept.is_of(name));
        self.replace(player);
    }

    fn replace(&mut self, player: PlayerEntry) {
        if let Some(entry) = self.players.iter_mut().find(|entry| entry.name == player.name) {
            *entry = player;
        }
    }

    /// Supersedes the games that satisfy `is_meant` and, if `kept_to` is given, all games of rounds after it.
    fn supersede(&mut self, kept_to: Option<u32>, is_meant: impl Fn(&Kept) -> bool) {
        let superseded = &mut self.superseded;
        self.games.retain(|id, kept| {
            let depends = kept_to.is_some_and(|last| kept.round().is_none_or(|round| round > last));
            let stays = !depends && !is_meant(kept);
            if !stays {
                superseded.insert((Arc::clone(id), kept.text));
            }
            stays
        });
    }

    /// The games of the run, starting from the first.
    pub fn schedule(&self) -> Schedule {
        if let Some(ladder) = &self.ladder {
            return ladder.schedule().clone();
        }
        let whole = self.definition.schedule(&self.earlier);
        // A ledger only has a shard if the tournament can be divided into shards.
        self.shard.and_then(|shard| whole.of_shard(shard)).unwrap_or(whole)
    }

    /// The names of all players of the tournament, in the order of the tournament file.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.definition.players.iter().map(|player| player.name.as_str())
    }

    /// The first round in which `player` has a game; `None` if it has no game yet.
    pub fn first_round_of(&self, player: &str) -> Option<u32> {
        self.games.values().filter(|kept| kept.is_of(player)).filter_map(|kept| kept.round()).min()
    }

    /// Whether any game of `player` has a record that counts.
    pub fn has_game_of(&self, player: &str) -> bool {
        self.games.values().any(|kept| kept.is_of(player)) || self.has_forgotten_game_of(player)
    }

    /// Whether any game of `player` has a result.
    pub fn has_result_of(&self, player: &str) -> bool {
        self.games.values().any(|kept| kept.is_of(player) && kept.has_result()) || self.has_forgotten_game_of(player)
    }

    /// The last record of the game `id`, if a record of this game counts.
    pub fn game(&self, id: &str) -> Option<&Kept> {
        self.games.get(id).map(Box::as_ref)
    }

    /// The ids of all games with a record that counts, in arbitrary order.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.games.keys().map(Arc::as_ref)
    }

    /// Whether `text` is, or once was, the journal's record of the game `id`.
    pub fn knows(&self, id: &str, text: TextDigest) -> bool {
        self.text(id) == Some(text) || self.superseded.contains(&(id.into(), text))
    }

    /// The digest of the record of the game `id`, if the record counts. A ledger that forgets games keeps the digest
    /// for a game with a result only until the game's log is found to match.
    pub(crate) fn text(&self, id: &str) -> Option<TextDigest> {
        let kept = self.games.get(id).map(|kept| kept.text);
        kept.or_else(|| self.settled.as_ref()?.unchecked.get(id).copied())
    }

    /// Whether there are records that no longer count.
    pub fn has_superseded(&self) -> bool {
        !self.superseded.is_empty()
    }

    /// The games with two seats with a record that counts, including void ones, in schedule order.
    pub fn summaries(&self) -> impl Iterator<Item = GameSummary<&str>> + Clone {
        self.in_order().into_iter().filter_map(Kept::pair)
    }

    /// The games with more than two seats with a record that counts, including void ones, in schedule order.
    pub fn groups(&self) -> impl Iterator<Item = GroupSummary<&str>> + Clone {
        self.in_order().into_iter().filter_map(Kept::group)
    }

    /// Whether the games of the tournament have more than two seats.
    pub fn is_of_groups(&self) -> bool {
        self.seats() > 2
    }

    /// The number of seats in each of the tournament's games.
    pub fn seats(&self) -> u8 {
        self.definition.frame.ruleset.seats()
    }

    /// The games with a record that counts, including void ones, in schedule order.
    pub fn in_order(&self) -> Vec<&Kept> {
        let mut games: Vec<&Kept> = self.games.values().map(Box::as_ref).collect();
        games.sort_by_key(|kept| kept.number);
        games
    }

    /// The ids of the games with the most recent records, at most `most` of them, in the order of the records.
    pub fn latest(&self, most: usize) -> Vec<&str> {
        let mut games: Vec<(u64, &str)> = self.games.iter().map(|(id, kept)| (kept.place, &**id)).collect();
        games.sort_unstable();
        games.split_off(games.len().saturating_sub(most)).into_iter().map(|(_, id)| id).collect()
    }

    /// How many games have a result.
    pub fn finished(&self) -> usize {
        let kept = self.games.values().filter(|kept| kept.has_result()).count();
        let forgotten = self.settled.as_ref().map_or(0, |settled| settled.tally.games());
        kept + usize::try_from(forgotten).unwrap_or(usize::MAX)
    }

    /// The results of the games that are over.
    pub fn results(&self) -> Results {
        let mut results = Results::with_room(self.games.len());
        for (id, kept) in &self.games {
            if let Some(ended) = kept.ended() {
                results.insert(GameId::from_text(Arc::clone(id)), ended);
            }
        }
        results
    }

    /// The state of the run: the games still to be played, if they are known; the progress of the sequential test, if
    /// there is one; and the result according to the format, if it has one.
    pub fn state(&self) -> RunState {
        let mut schedule = self.schedule();
        let results = if schedule.needs_results() { self.results() } else { Results::default() };
        let players = self.names().map(str::to_owned).collect::<Vec<_>>();
        let test = match (schedule.progress(&results), &players[..]) {
            (Some(progress), [player, opponent]) => {
                Some(Test { player: player.clone(), opponent: opponent.clone(), progress: *progress })
            }
            _ => None,
        };
        let missing = self.missing(&mut schedule, &results);
        let format = &self.definition.frame.format;
        let is_complete = missing.games() == 0;
        let result = FormatResult::is_of(format).then(|| {
            let (drawn, games) = (schedule.drawn(&results), self.played());
            FormatResult::of(PlayedTournament { format, names: &players, drawn: &drawn, games: &games, is_complete })
        });
        RunState { missing, test, result: result.flatten() }
    }

    /// The games with a result, by round and pairing.
    fn played(&self) -> PlayedGames {
        let mut played = PlayedGames::default();
        for (id, kept) in &self.games {
            let (Some(result), Some(place)) = (kept.result(), self.belonging.place(id)) else { continue };
            if let Ok(players) = place.players.by_side() {
                played.add(place.round, players, result);
            }
        }
        played
    }

    fn missing(&self, schedule: &mut Schedule, results: &Results) -> MissingGames {
        let mut missing = MissingGames::default();
        let planned = if schedule.needs_results() { None } else { schedule.len() };
        let void = |id: &str| self.games.get(id).and_then(|kept| kept.void.as_deref().map(str::to_owned));
        let Some(all) = planned else {
            schedule.missing(results).for_each(|spec| missing.add(spec.id.as_str(), void(spec.id.as_str())));
            return missing;
        };
        // A tournament of thousands of players has millions of games. There is no need to look at each of them: games
        // are played in order, so all games after a certain one are unplayed.
        let mut known = self.games.len();
        for (place, spec) in (0..).zip(schedule.games()) {
            if known == 0 && missing.has_listed_all() {
                missing.count(all - place);
                break;
            }
            let id = spec.id.as_str();
            known -= usize::from(self.games.contains_key(id));
            if self.games.get(id).is_none_or(|kept| !kept.has_result()) {
                missing.add(id, void(id));
            }
        }
        missing
    }
}

/// The element of `all` that equals `value`. If there is no equal element yet, `own` creates it.
fn shared<T: Eq + Hash + ?Sized>(all: &mut HashSet<Arc<T>>, value: &T, own: impl FnOnce(&T) -> Arc<T>) -> Arc<T> {
    if let Some(found) = all.get(value) {
        return Arc::clone(found);
    }
    let new = own(value);
    all.insert(Arc::clone(&new));
    new
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::referee::record::GameRecord;
    use crate::tournament::Tournament;

    /// The ledger of a round robin of `players` over `rounds`, without games.
    fn ledger(players: u32, rounds: u32) -> Ledger {
        let players = (0..players).map(|number| format!("[[player]]\nname = \"p{number}\"\nbuiltin = \"random\"\n"));
        let text = format!("rounds = {rounds}\n{}", players.collect::<String>());
        let tournament = Tournament::parse(&text, "test").unwrap_or_else(|problems| panic!("{problems}"));
        let definition = Definition::from(&tournament);
        let digest = definition.digest();
        Ledger::new(Header {
            format: FORMAT,
            program: String::new(),
            digest,
            definition,
            players: Vec::new(),
            shard: None,
        })
        .unwrap_or_else(|error| panic!("{error}"))
    }

    /// The summary of the record of game `number`.
    fn summary_of(ledger: &Ledger, number: u64, result: &str) -> GameSummary {
        GameSummary::from(&entry(ledger, number, result).record.parse::<GameRecord>().expect("a record"))
    }

    /// Adds game `number` of the schedule, with the ending `result`.
    fn play(ledger: &mut Ledger, number: u64, result: &str) {
        let game = entry(ledger, number, result);
        let entry = if result.contains("void") { JournalEntry::Void(game) } else { JournalEntry::Game(game) };
        ledger.take(entry).unwrap_or_else(|error| panic!("{error}"));
    }

    /// Game `number` of the schedule, with the ending `result`.
    fn entry(ledger: &Ledger, number: u64, result: &str) -> GameEntry {
        let spec = ledger.definition.schedule(&[]).get(number).expect("a game");
        let name = |side| format!("p{}", spec.players[side]);
        let (black, white) = (name(crate::game::Side::Black), name(crate::game::Side::White));
        let record = format!(
            "[Game \"{}\"]\n[Round \"{}\"]\n[Seed \"{}\"]\n[TimeControl \"-\"]\n[Black \"{black}\"]\n[White \"{white}\"]\n\
             {result}\n",
            spec.id, spec.round, spec.seed
        );
        GameEntry { number, id: spec.id.to_string(), record }
    }

    #[test]
    fn the_games_are_as_their_records_say_and_in_the_order_of_the_schedule() {
        let mut ledger = ledger(3, 2);
        let usage = "[BlackUsage \"user 0.5 system 0.1 wall 1.5 memory 7 processes 2 written 9\"]\n";
        let ends = [(4, format!("{usage}{WON}")), (0, VOID.to_owned()), (2, WON.to_owned())];
        for (number, end) in &ends {
            play(&mut ledger, *number, end);
        }
        let mut expected: Vec<(u64, GameSummary)> =
            ends.iter().map(|(number, end)| (*number, summary_of(&ledger, *number, end))).collect();
        expected.sort_by_key(|(number, _)| *number);
        assert!(ledger.summaries().eq(expected.iter().map(|(_, summary)| summary.view())));
        assert!(ledger.in_order().iter().map(|kept| (kept.number, kept.place)).eq([(0, 1), (2, 2), (4, 0)]));
        assert!(ledger.in_order().iter().map(|kept| kept.void.as_deref()).eq([Some("no port"), None, None]));
    }

    const WON: &str = "[Result \"0-1\"]\n[Termination \"no show\"]\n\n0-1";
    const VOID: &str = "[Result \"*\"]\n[Termination \"void\"]\n[Reason \"no port\"]\n\n*";

    #[test]
    fn the_missing_games_of_the_longest_tournament_are_counted_without_looking_at_each() {
        let mut ledger = ledger(300, 1_000_000);
        play(&mut ledger, 0, WON);
        play(&mut ledger, 20, VOID);
        let missing = ledger.state().missing;
        assert_eq!(missing.games(), 300 * 299 * 1_000_000 - 1);
        assert_eq!(missing.listed().len(), 11, "ten unplayed games and the void game");
    }

    proptest! {
        #[test]
        fn missing_and_finished_games_match_a_one_by_one_check(
            ends in proptest::collection::vec(prop_oneof![4 => Just(Some(WON)), 1 => Just(Some(VOID)), 1 => Just(None)], 0..56),
        ) {
            let mut ledger = ledger(8, 1);
            for (number, end) in (0..).zip(ends) {
                if let Some(end) = end {
                    play(&mut ledger, number, end);
                }
            }
            prop_assert_eq!(ledger.finished(), ledger.results().len());
            let mut each = MissingGames::default();
            for spec in ledger.definition.schedule(&[]).missing(&ledger.results()) {
                each.add(spec.id.as_str(), ledger.game(spec.id.as_str()).and_then(|kept| kept.void.as_deref().map(str::to_owned)));
            }
            prop_assert_eq!(ledger.state().missing, each);
        }
    }
}
