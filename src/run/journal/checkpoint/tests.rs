use std::collections::BTreeMap;
use std::fs;

use jiff::Timestamp;
use proptest::prelude::*;
use tempfile::TempDir;

use super::*;
use crate::game::Side;
use crate::run::journal::{
    self, AcceptedEntry, BadLine, Durability, FORMAT, FrozenEntry, GameEntry, HandInEntry, Journal, JournalError,
    LedgerError, PairingEntry, PlayerEntry, RefusedEntry, ReopenedEntry, StatusEntry, TermsEntry,
};
use crate::run::unplayed_record::unplayed_record;
use crate::tournament::Tournament;
use crate::tournament::definition::{Definition, PlayerDefinition};
use crate::tournament::schedule::GameSpec;

const FILE: &str = "format = \"ladder\"\n[[player]]\nname = \"greedy\"\nbuiltin = \"greedy\"\n\
    [[player]]\nname = \"random\"\nbuiltin = \"random\"\n[[player]]\nname = \"ada\"\nfolder = \"ada\"\n";

/// A ladder whose journal is written line by line.
struct Ladder {
    dir: TempDir,
    journal: Journal,
    ledger: Ledger,
    /// The games that have been decided on and have no result.
    open: Vec<GameSpec>,
    /// The time of the next entry.
    at: Timestamp,
}

/// Something that can happen in a ladder.
#[derive(Clone, Debug)]
enum Happening {
    Accept,
    Refuse,
    Pair(usize, usize, bool),
    /// One of the games in progress ends in one of the ways listed in [`ENDS`].
    End(usize, usize),
    Pause(usize),
    Resume(usize),
    Retire(usize),
    Build(usize),
    Reopen,
    Terms,
    Freeze,
    Sleep,
}

/// The results of games, and how they came about. The last game is void.
const ENDS: [(&str, &str); 5] = [
    ("0-1", "no show"),
    ("1-0", "crash"),
    ("0-1", "resignation"),
    ("*", "double forfeit"),
    ("*", "void\"]\n[Reason \"no port"),
];

fn happening() -> impl Strategy<Value = Happening> {
    prop_oneof![
        2 => Just(Happening::Accept),
        1 => Just(Happening::Refuse),
        8 => (any::<usize>(), any::<usize>(), any::<bool>()).prop_map(|(one, other, random)| Happening::Pair(one, other, random)),
        8 => (any::<usize>(), 0..ENDS.len()).prop_map(|(game, end)| Happening::End(game, end)),
        1 => any::<usize>().prop_map(Happening::Pause),
        1 => any::<usize>().prop_map(Happening::Resume),
        1 => any::<usize>().prop_map(Happening::Retire),
        1 => any::<usize>().prop_map(Happening::Build),
        1 => Just(Happening::Reopen),
        1 => Just(Happening::Terms),
        1 => Just(Happening::Freeze),
        2 => Just(Happening::Sleep),
    ]
}

fn happenings() -> impl Strategy<Value = Vec<Happening>> {
    prop::collection::vec(happening(), 0..80)
}

impl Ladder {
    fn new() -> Self {
        let tournament = Tournament::parse(FILE, "term").unwrap_or_else(|problems| panic!("{problems}"));
        let definition = Definition::from(&tournament);
        let player =
            |name: &str| PlayerEntry { name: name.to_owned(), digest: None, files: BTreeMap::new(), products: None };
        let (digest, players) = (definition.digest(), ["greedy", "random"].map(player).to_vec());
        let header = Header { format: FORMAT, program: String::new(), digest, definition, players, shard: None };
        let dir = tempfile::tempdir().expect("a directory");
        let journal = Journal::create(dir.path(), &header, Durability::Fast).unwrap_or_else(|error| panic!("{error}"));
        let ledger = Ledger::of_unfinished(header).unwrap_or_else(|error| panic!("{error}"));
        Self { dir, journal, ledger, open: Vec::new(), at: Timestamp::UNIX_EPOCH }
    }

    /// The ladder after `happenings`.
    fn after(happenings: &[Happening]) -> Self {
        let mut ladder = Self::new();
        for happening in happenings {
            ladder.happen(happening);
        }
        ladder
    }

    fn enter(&mut self, entry: JournalEntry) {
        self.journal.append(std::slice::from_ref(&entry)).unwrap_or_else(|error| panic!("{error}"));
        self.ledger.take(entry).unwrap_or_else(|error| panic!("{error}"));
    }

    fn hand_in(&self) -> HandInEntry {
        let number = self.ledger.ladder().expect("a ladder").last_number("ada") + 1;
        let (sources, door, origin) = (number.to_string(), "folder".to_owned(), String::new());
        HandInEntry { of: "ada".to_owned(), number, sources, arrived: self.at, door, origin }
    }

    fn name(&self, player: usize) -> String {
        let players = self.ledger.ladder().expect("a ladder").players();
        players[player % players.len()].name.clone()
    }

    fn happen(&mut self, happening: &Happening) {
        let status = |ladder: &Self, player| StatusEntry {
            version: ladder.name(player),
            reason: "why".to_owned(),
            at: ladder.at,
        };
        let entry = match *happening {
            Happening::Accept => {
                let version = self.hand_in();
                let name = version.name();
                let player = PlayerEntry {
                    name: name.clone(),
                    digest: Some("d".to_owned()),
                    files: BTreeMap::new(),
                    products: None,
                };
                let definition = PlayerDefinition { name, facts: BTreeMap::new() };
                JournalEntry::Version(Box::new(AcceptedEntry {
                    player,
                    definition,
                    version: Some(version),
                    program: None,
                    at: self.at,
                }))
            }
            Happening::Refuse => {
                JournalEntry::Refused(RefusedEntry { version: self.hand_in(), reason: "why".to_owned(), at: self.at })
            }
            Happening::Pair(one, other, random) => return self.pair(one, other, random),
            Happening::End(game, end) => return self.end(game, end),
            Happening::Pause(player) => JournalEntry::Paused(status(self, player)),
            Happening::Resume(player) => JournalEntry::Resumed(status(self, player)),
            Happening::Retire(player) => JournalEntry::Retired(status(self, player)),
            Happening::Build(player) => {
                let (name, digest) = (self.name(player), Some("new".to_owned()));
                JournalEntry::Built(PlayerEntry { name, digest, files: BTreeMap::new(), products: None })
            }
            Happening::Reopen => JournalEntry::Reopened(ReopenedEntry { player: "ada".to_owned(), until: self.at }),
            Happening::Terms => JournalEntry::Terms(TermsEntry { active: 2, target_error: 0.1 + 0.2, at: self.at }),
            Happening::Freeze => JournalEntry::Frozen(FrozenEntry { at: self.at, rounds: 2 }),
            Happening::Sleep => {
                self.at += jiff::SignedDuration::from_hours(20);
                return;
            }
        };
        self.enter(entry);
    }

    fn pair(&mut self, one: usize, other: usize, random: bool) {
        let (black, white) = (self.name(one), self.name(other));
        if black == white {
            return;
        }
        let before = self.ledger.ladder().expect("a ladder").schedule().at_most();
        self.enter(JournalEntry::Pairing(PairingEntry { black, white, random, at: self.at }));
        self.open.extend(self.ledger.ladder().expect("a ladder").schedule().get(before));
    }

    /// Ends one of the games in progress. A game that is void remains in progress.
    fn end(&mut self, game: usize, end: usize) {
        let Some(place) = game.checked_rem(self.open.len()) else { return };
        let (result, ending) = ENDS[end];
        let spec = self.open[place].clone();
        let names = Side::BOTH.map(|side| self.name(spec.pair()[side]));
        let record = unplayed_record(&spec, spec.id.as_str(), [&names[0], &names[1]], result, ending);
        let game = GameEntry { number: spec.number, id: spec.id.to_string(), record };
        if end == ENDS.len() - 1 {
            self.enter(JournalEntry::Void(game));
        } else {
            self.open.remove(place);
            self.enter(JournalEntry::Game(game));
        }
    }

    /// Writes a checkpoint of everything so far, as if the logs of all games existed.
    fn check(&mut self) {
        vouch(&mut self.ledger);
        let checkpoint = Checkpoint::of(&self.ledger, self.journal.mark()).expect("a ladder");
        checkpoint.write(self.dir.path()).expect("written");
    }

    fn checkpoint(&self) -> std::path::PathBuf {
        self.dir.path().join(CHECKPOINT)
    }

    /// The state with which a run continues, and how many bytes of the journal are covered by a checkpoint.
    fn resumed(self) -> (String, u64, TempDir) {
        drop(self.journal);
        let resumed = Journal::resume_unfinished(self.dir.path(), Durability::Fast);
        let (journal, mut ledger, extent) = resumed.unwrap_or_else(|error| panic!("{error}"));
        let bytes = fs::read(self.dir.path().join(journal::FILE)).expect("read");
        assert_eq!(journal.mark().digest.finalize(), Sha256::digest(&bytes));
        assert_eq!((extent.whole, extent.torn), (bytes.len() as u64, 0));
        assert_eq!(extent.lines, bytes.split_inclusive(|&byte| byte == b'\n').count() as u64);
        let covered = ledger.covered();
        (known(&mut ledger), covered, self.dir)
    }
}

/// Pretends that all logs match the records.
fn vouch(ledger: &mut Ledger) {
    let here = fs::metadata(".").expect("a directory");
    let unchecked: Vec<String> = ledger.unchecked().map(str::to_owned).collect();
    for id in &unchecked {
        ledger.vouch(id, journal::LogStamp::of(id, &here));
    }
}

/// The whole state of `ledger`, as text.
fn known(ledger: &mut Ledger) -> String {
    vouch(ledger);
    let mut void: Vec<(u64, &str)> =
        ledger.ids().map(|id| (ledger.game(id).map_or(0, |kept| kept.place), id)).collect();
    void.sort_unstable();
    let void = format!("{void:?}");
    let players = format!("{:?} {:?}", ledger.players, ledger.definition);
    let history = ledger.ladder().expect("a ladder");
    let history = format!("{:?} {:?} {:?}", history.players(), history.refused(), history.last_games());
    let mut stored = serde_json::to_value(StoredLedger::of(ledger).expect("a ladder")).expect("it is JSON");
    let met = stored["decisions"]["games"]["met"].as_array_mut().expect("an array");
    met.sort_by_key(ToString::to_string);
    format!("{stored}\n{void}\n{players}\n{history}\n{} {}", ledger.finished(), ledger.state().missing.games())
}

/// The state of the journal in `dir`, read without a checkpoint.
fn whole(dir: &Path) -> String {
    known(&mut journal::read_unfinished(dir).unwrap_or_else(|error| panic!("{error}")))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_checkpoint_and_the_lines_after_it_lead_to_the_same_state_as_the_whole_journal(
        before in happenings(), after in happenings(),
    ) {
        let mut ladder = Ladder::after(&before);
        ladder.check();
        let covered = ladder.journal.mark().length;
        for happening in &after {
            ladder.happen(happening);
        }
        let so_far = known(&mut ladder.ledger);
        let (resumed, known_from_checkpoint, dir) = ladder.resumed();
        prop_assert_eq!(known_from_checkpoint, covered);
        prop_assert_eq!(&resumed, &so_far);
        prop_assert_eq!(&resumed, &whole(dir.path()));
    }

    /// A ledger that forgets games has the same information about a ladder as a ledger that does not.
    #[test]
    fn a_ledger_that_forgets_games_knows_what_the_next_decisions_depend_on(happenings in happenings()) {
        let ladder = Ladder::after(&happenings);
        let (full, _) = journal::read(ladder.dir.path(), |_| {}).unwrap_or_else(|error| panic!("{error}"));
        let ((history, tally), (full_history, full_tally)) =
            (ladder.ledger.ladder_so_far().expect("a ladder"), full.ladder_so_far().expect("a ladder"));
        prop_assert_eq!(tally, full_tally);
        prop_assert_eq!(history.players(), full_history.players());
        prop_assert!(history.open_games().eq(full_history.open_games()));
        let finished = (ladder.ledger.finished_numbers(), full.finished_numbers());
        for spec in full.schedule().games() {
            let id = spec.id.as_str();
            prop_assert_eq!(ladder.ledger.has_result(id), full.has_result(id));
            prop_assert_eq!(finished.0.contains(spec.number), finished.1.contains(spec.number));
        }
        for player in full.names() {
            prop_assert_eq!(ladder.ledger.has_game_of(player), full.has_game_of(player));
            prop_assert_eq!(ladder.ledger.has_result_of(player), full.has_result_of(player));
        }
        prop_assert_eq!(ladder.ledger.finished(), full.finished());
        prop_assert_eq!(ladder.ledger.state().missing, full.state().missing);
    }

    #[test]
    fn a_damaged_byte_or_a_cut_makes_a_checkpoint_as_good_as_missing(
        happenings in happenings(), at: usize, change in 1..=255_u8, is_cut: bool,
    ) {
        let mut ladder = Ladder::after(&happenings);
        ladder.check();
        let path = ladder.checkpoint();
        let mut bytes = fs::read(&path).expect("read");
        let at = at % bytes.len();
        if is_cut { bytes.truncate(at) } else { bytes[at] ^= change }
        fs::write(&path, bytes).expect("written");
        let so_far = known(&mut ladder.ledger);
        let (resumed, covered, _dir) = ladder.resumed();
        prop_assert_eq!((resumed, covered), (so_far, 0));
    }

    /// If the checksums are right, the state in the second line is either refused or that of a possible ladder.
    #[test]
    fn a_state_that_is_not_that_of_a_ladder_is_refused(happenings in happenings(), at: usize, digit in 0..=9_u8) {
        let mut ladder = Ladder::after(&happenings);
        ladder.check();
        let path = ladder.checkpoint();
        let text = fs::read_to_string(&path).expect("read");
        let (first, second) = text.split_once('\n').expect("two lines");
        let end = second.rfind(",\"sum\"").expect("a checksum");
        let mut object = second[..end].to_owned() + "}";
        let digits: Vec<usize> = object.bytes().enumerate().filter(|(_, byte)| byte.is_ascii_digit()).map(|(at, _)| at).collect();
        let at = digits[at % digits.len()];
        object.replace_range(at..=at, &digit.to_string());
        fs::write(&path, format!("{first}\n{}", with_checksum(object, CHECKPOINT))).expect("written");
        let players = ladder.ledger.ladder().expect("a ladder").players().len();
        drop(ladder.journal);
        let resumed = Journal::resume_unfinished(ladder.dir.path(), Durability::Fast);
        let (_, ledger, _) = resumed.unwrap_or_else(|error| panic!("{error}"));
        let (history, tally) = ledger.ladder_so_far().expect("a ladder");
        prop_assert!(tally.is_of(history.players().len()) && history.players().len() <= players + 1);
        prop_assert_eq!(tally.games() + history.open_games().len() as u64, history.schedule().at_most());
    }
}

/// A ladder with some games and a checkpoint.
fn checked() -> Ladder {
    let mut happenings = vec![Happening::Accept];
    happenings.extend((0..6).flat_map(|game| [Happening::Pair(game, 2, false), Happening::End(0, game % 4)]));
    let mut ladder = Ladder::after(&happenings);
    ladder.check();
    ladder
}

#[test]
fn a_covered_part_that_was_changed_is_read_and_reported_as_ever() {
    let ladder = checked();
    let path = ladder.dir.path().join(journal::FILE);
    let text = fs::read_to_string(&path).expect("read");
    drop(ladder.journal);
    fs::write(&path, text.replacen("no show", "no shoe", 1)).expect("written");
    let error = Journal::resume_unfinished(ladder.dir.path(), Durability::Fast).expect_err("it is damaged");
    assert!(matches!(error, JournalError::Damaged { source: BadLine::Checksum, .. }), "{error}");
    // A shorter journal is intact, but does not match the checkpoint.
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    fs::write(&path, lines[..lines.len() - 1].concat()).expect("written");
    let (_, ledger, _) = Journal::resume_unfinished(ladder.dir.path(), Durability::Fast).expect("it is whole");
    assert_eq!(ledger.covered(), 0);
}

#[test]
fn what_is_wrong_after_the_covered_part_is_reported_with_its_line() {
    let mut ladder = checked();
    let text = fs::read_to_string(ladder.dir.path().join(journal::FILE)).expect("read");
    // The last game of the covered part has a second result.
    let last = text.lines().last().expect("a line").to_owned() + "\n";
    let JournalEntry::Game(game) = line::read(&mut last.into_bytes(), ladder.ledger.seal()).expect("a line") else {
        panic!("the last line is for a game")
    };
    ladder.journal.append(&[JournalEntry::Game(game)]).expect("written");
    drop(ladder.journal);
    let error = Journal::resume_unfinished(ladder.dir.path(), Durability::Fast).expect_err("a game has two results");
    let JournalError::Inconsistent { line, source, .. } = error else { panic!("{error}") };
    assert!(matches!(*source, LedgerError::Twice { .. }), "{source}");
    assert_eq!(line, text.lines().count() as u64 + 1);
}

#[test]
fn if_a_game_with_a_result_is_superseded_all_games_are_kept() {
    let mut ladder = checked();
    let games = ladder.ledger.finished();
    let id =
        journal::read(ladder.dir.path(), |_| {}).expect("whole").0.ids().next().map(str::to_owned).expect("a game");
    let again = JournalEntry::Again { games: vec![id], kept_to: None };
    assert!(matches!(ladder.ledger.take(again.clone()), Err(LedgerError::Forgotten)));
    ladder.journal.append(&[again]).expect("written");
    drop(ladder.journal);
    let (_, ledger, _) = Journal::resume_unfinished(ladder.dir.path(), Durability::Fast).expect("it is whole");
    assert_eq!((ledger.covered(), ledger.finished(), ledger.forgotten().is_none()), (0, games - 1, true));
    assert_eq!(ledger.ladder_so_far().expect("a ladder").0.open_games().len(), 1);
}

#[test]
fn a_checkpoint_of_another_format_and_one_without_its_end_have_no_effect() {
    for change in ["format", "link"] {
        let mut ladder = checked();
        let path = ladder.checkpoint();
        let text = fs::read_to_string(&path).expect("read");
        let (first, second) = text.split_once('\n').expect("two lines");
        fs::remove_file(&path).expect("removed");
        if change == "format" {
            let end = first.rfind(",\"sum\"").expect("a checksum");
            let object = first[..end].replacen("\"format\":1", "\"format\":2", 1) + "}";
            fs::write(&path, with_checksum(object, CHECKPOINT) + second).expect("written");
        } else {
            let outside = ladder.dir.path().join("outside");
            fs::write(&outside, &text).expect("written");
            std::os::unix::fs::symlink(&outside, &path).expect("linked");
        }
        let so_far = known(&mut ladder.ledger);
        let (resumed, covered, _dir) = ladder.resumed();
        assert_eq!((resumed, covered), (so_far, 0), "{change}");
    }
}
