//! Journals that are cut, damaged, salvaged, or say what can't be.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use gothello_arena::definition::Definition;
use gothello_arena::journal::{
    self, Durability, Entry, FORMAT, GameEntry, Header, Journal, JournalError, LedgerError, PlayerEntry, salvage,
};
use gothello_arena::tournament::Tournament;
use tempfile::TempDir;

const FIELD: &str = r#"
    rounds = 3
    [[player]]
    name = "a"
    builtin = "random"
    [[player]]
    name = "b"
    builtin = "random"
"#;

fn header() -> Header {
    let tournament = Tournament::parse(FIELD, "test").unwrap_or_else(|problems| panic!("{problems:?}"));
    let definition = Definition::from(&tournament);
    let player =
        |name: &str| PlayerEntry { name: name.to_owned(), digest: None, files: BTreeMap::new(), products: None };
    let players = vec![player("a"), player("b")];
    Header { format: FORMAT, program: "test".to_owned(), digest: definition.digest(), definition, players }
}

/// Black resigned at once, or the game is void.
fn game(number: u64, id: &str, is_void: bool) -> Entry {
    let (black, white) = if id.contains("-a-") { ("a", "b") } else { ("b", "a") };
    let (result, termination) = if is_void { ("*", "void") } else { ("1-0", "resignation") };
    let round = &id[1..2];
    let record = format!(
        "[Round \"{round}\"]\n[Black \"{black}\"]\n[White \"{white}\"]\n[Result \"{result}\"]\n\
         [Termination \"{termination}\"]\n[Reason \"{number}\"]\n[Game \"{id}\"]\n\n{result}\n"
    );
    let game = GameEntry { number, id: id.to_owned(), record };
    if is_void { Entry::Void(game) } else { Entry::Game(game) }
}

fn redo(name: &str) -> Entry {
    let player = PlayerEntry { name: name.to_owned(), digest: None, files: BTreeMap::new(), products: None };
    Entry::Redo { player, kept_to: None, definition: None }
}

/// A directory with a journal of these entries behind its header.
fn written(entries: &[Entry]) -> TempDir {
    let dir = TempDir::new().expect("a directory");
    Journal::create(dir.path(), &header(), Durability::Fast)
        .and_then(|mut journal| journal.append(entries))
        .expect("written");
    dir
}

fn file(dir: &Path) -> std::path::PathBuf {
    dir.join("journal.jsonl")
}

/// The ids of the games that have a result, in the schedule's order.
fn finished(dir: &Path) -> Result<Vec<String>, JournalError> {
    let (ledger, _) = journal::read(dir, |_| {})?;
    let summaries = ledger.summaries();
    Ok(summaries.into_iter().filter(|game| game.result.is_some()).map(|game| game.game.clone()).collect())
}

fn three_games() -> TempDir {
    written(&[game(1, "r1-b-a", false), game(0, "r1-a-b", false), game(2, "r2-a-b", false)])
}

#[test]
fn a_journal_cut_anywhere_has_the_games_whose_lines_are_whole() {
    let dir = three_games();
    let whole = fs::read(file(dir.path())).expect("read");
    let ends: Vec<usize> = (1..=whole.len()).filter(|&end| whole[end - 1] == b'\n').collect();
    assert_eq!(ends.len(), 4);
    let games = [&[][..], &["r1-b-a"], &["r1-a-b", "r1-b-a"], &["r1-a-b", "r1-b-a", "r2-a-b"]];
    for length in 0..=whole.len() {
        fs::write(file(dir.path()), &whole[..length]).expect("written");
        let lines = ends.iter().filter(|&&end| end <= length).count();
        if lines == 0 {
            assert!(
                matches!(Journal::resume(dir.path(), Durability::Fast), Err(JournalError::NoHeader { .. })),
                "{length}"
            );
            continue;
        }
        let (mut journal, _, extent) = Journal::resume(dir.path(), Durability::Fast).expect("it goes on");
        assert_eq!(finished(dir.path()).expect("whole"), games[lines - 1], "{length}");
        assert_eq!(extent.torn, (length - ends[lines - 1]) as u64);
        // What was torn is gone, and what comes now is whole.
        journal.append(&[game(5, "r3-b-a", false)]).expect("written");
        drop(journal);
        assert_eq!(finished(dir.path()).expect("whole").last().map(String::as_str), Some("r3-b-a"), "{length}");
    }
}

#[test]
fn damage_in_the_middle_is_refused_with_its_line_and_salvaged() {
    for line in 1..=3 {
        let dir = three_games();
        let text = fs::read_to_string(file(dir.path())).expect("read");
        let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
        let at = lines[line - 1].len() / 2;
        let other = if lines[line - 1].as_bytes()[at] == b'0' { "1" } else { "0" };
        lines[line - 1].replace_range(at..=at, other);
        let damaged = lines.concat();
        fs::write(file(dir.path()), &damaged).expect("written");
        let error = Journal::resume(dir.path(), Durability::Fast).expect_err("it is damaged").to_string();
        assert!(error.contains(&format!("journal.jsonl:{line}: the line is damaged")), "{error}");
        assert_eq!(fs::read_to_string(file(dir.path())).expect("read"), damaged, "nothing was changed");
        if line == 1 {
            assert!(matches!(salvage(dir.path()), Err(JournalError::NoHeader { .. })));
            continue;
        }
        let salvaged = salvage(dir.path()).expect("the rest is whole");
        assert_eq!((salvaged.kept, salvaged.damaged, salvaged.superseded), (3, vec![line as u64], vec![]));
        assert_eq!(fs::read_to_string(salvaged.aside).expect("kept"), damaged);
        let left = if line == 2 { ["r1-a-b", "r2-a-b"] } else { ["r1-b-a", "r2-a-b"] };
        assert_eq!(finished(dir.path()).expect("whole"), left);
    }
}

#[test]
fn a_lost_redo_leaves_the_later_games() {
    let replayed = [game(0, "r1-a-b", false), game(1, "r1-b-a", false), redo("a"), game(0, "r1-a-b", false)];
    let dir = written(&replayed);
    assert_eq!(finished(dir.path()).expect("whole"), ["r1-a-b"]);
    let text = fs::read_to_string(file(dir.path())).expect("read");
    fs::write(file(dir.path()), text.replace("{\"redo\"", "{\"Redo\"")).expect("written");
    let salvaged = salvage(dir.path()).expect("the rest is whole");
    assert_eq!((salvaged.kept, salvaged.damaged, salvaged.superseded), (3, vec![4], vec![2]));
    assert_eq!(finished(dir.path()).expect("whole"), ["r1-a-b", "r1-b-a"]);
}

#[test]
fn what_can_t_be_is_refused_with_its_line() {
    let first = game(0, "r1-a-b", false);
    let Entry::Game(inner) = first.clone() else { panic!("a game") };
    for (entries, line, why) in [
        (vec![first.clone(), first.clone()], 3, "has a result already"),
        (vec![first.clone(), game(0, "r1-a-b", true)], 3, "has a result already"),
        (vec![Entry::Header(header())], 2, "one header"),
        (vec![Entry::Void(inner.clone())], 2, "does not end as its line says"),
        (vec![Entry::Game(GameEntry { id: "r9-a-b".to_owned(), ..inner.clone() })], 2, "of another game"),
        (vec![Entry::Game(GameEntry { record: "[Black".to_owned(), ..inner })], 2, "the record of game `r1-a-b`"),
    ] {
        let dir = written(&entries);
        let error = journal::read(dir.path(), |_| {}).expect_err("it can't be").to_string();
        assert!(error.contains(&format!("journal.jsonl:{line}: ")) && error.contains(why), "{error}");
    }
    // A void game may be played again, and again be void.
    let dir = written(&[game(0, "r1-a-b", true), game(0, "r1-a-b", true), first]);
    assert_eq!(finished(dir.path()).expect("whole"), ["r1-a-b"]);
}

#[test]
fn a_format_of_another_version_is_refused() {
    let dir = TempDir::new().expect("a directory");
    drop(Journal::create(dir.path(), &Header { format: FORMAT + 1, ..header() }, Durability::Fast).expect("written"));
    let Err(JournalError::Inconsistent { line: 1, source, .. }) = journal::read(dir.path(), |_| {}) else {
        panic!("it is refused")
    };
    assert!(matches!(*source, LedgerError::Format(format) if format == FORMAT + 1));
}

#[test]
fn one_process_at_a_time_writes_a_journal() {
    let dir = TempDir::new().expect("a directory");
    let journal = Journal::create(dir.path(), &header(), Durability::Safe).expect("written");
    assert!(matches!(Journal::resume(dir.path(), Durability::Safe), Err(JournalError::Locked { .. })));
    assert!(matches!(salvage(dir.path()), Err(JournalError::Locked { .. })));
    assert!(Journal::create(dir.path(), &header(), Durability::Safe).is_err(), "there is one already");
    // Reading needs no lock.
    assert_eq!(finished(dir.path()).expect("whole"), [""; 0]);
    drop(journal);
    assert!(Journal::resume(dir.path(), Durability::Safe).is_ok());
}
