//! Journals that are cut short, damaged, salvaged, or impossible.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use gothello_arena::base::random::mix;
use gothello_arena::run::journal::{
    self, Durability, FORMAT, GameEntry, Header, Journal, JournalEntry, JournalError, LedgerError, PlayerEntry, Writer,
    salvage,
};
use gothello_arena::tournament::Tournament;
use gothello_arena::tournament::definition::Definition;
use tempfile::TempDir;

use crate::harness::arena::{Arena, random_and_greedy, text};

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
    header_of(FIELD)
}

fn header_of(field: &str) -> Header {
    let tournament = Tournament::parse(field, "test").unwrap_or_else(|problems| panic!("{problems:?}"));
    let definition = Definition::from(&tournament);
    let player =
        |name: &str| PlayerEntry { name: name.to_owned(), digest: None, files: BTreeMap::new(), products: None };
    let players = vec![player("a"), player("b")];
    Header { format: FORMAT, program: "test".to_owned(), digest: definition.digest(), definition, players, shard: None }
}

/// The line of a game: black resigned immediately, or the game is void.
fn game(number: u64, id: &str, is_void: bool) -> JournalEntry {
    let (black, white) = if id.contains("-a-") { ("a", "b") } else { ("b", "a") };
    let (result, termination) = if is_void { ("*", "void") } else { ("1-0", "resignation") };
    let round = &id[1..2];
    let seed = mix(header().definition.frame.seed, id);
    let record = format!(
        "[Seed \"{seed}\"]\n[TimeControl \"-\"]\n[Round \"{round}\"]\n[Black \"{black}\"]\n[White \"{white}\"]\n[Result \"{result}\"]\n\
         [Termination \"{termination}\"]\n[Reason \"{number}\"]\n[Game \"{id}\"]\n\n{result}\n"
    );
    let game = GameEntry { number, id: id.to_owned(), record };
    if is_void { JournalEntry::Void(game) } else { JournalEntry::Game(game) }
}

fn redo(name: &str) -> JournalEntry {
    let player = PlayerEntry { name: name.to_owned(), digest: None, files: BTreeMap::new(), products: None };
    JournalEntry::Redo { player, kept_to: None, definition: None }
}

/// A directory with a journal of `entries` after its header.
fn written(entries: &[JournalEntry]) -> TempDir {
    written_behind(&header(), entries)
}

fn written_behind(header: &Header, entries: &[JournalEntry]) -> TempDir {
    let dir = TempDir::new().expect("a directory");
    Journal::create(dir.path(), header, Durability::Fast)
        .and_then(|mut journal| journal.append(entries))
        .expect("written");
    dir
}

fn file(dir: &Path) -> std::path::PathBuf {
    dir.join("journal.jsonl")
}

/// The ids of the games that have a result, in schedule order.
fn finished(dir: &Path) -> Result<Vec<String>, JournalError> {
    let (ledger, _) = journal::read(dir, |_| {})?;
    Ok(ledger.summaries().filter(|game| game.result.is_some()).map(|game| game.game.to_owned()).collect())
}

fn three_games() -> TempDir {
    written(&[game(1, "r1-b-a", false), game(0, "r1-a-b", false), game(2, "r2-a-b", false)])
}

#[test]
fn a_journal_cut_anywhere_keeps_every_game_with_a_complete_line() {
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
        let (mut journal, _, extent) = Journal::resume(dir.path(), Durability::Fast).expect("resumed");
        assert_eq!(finished(dir.path()).expect("whole"), games[lines - 1], "{length}");
        assert_eq!(extent.torn, (length - ends[lines - 1]) as u64);
        // The torn line is gone, and the newly appended line is complete.
        journal.append(&[game(5, "r3-b-a", false)]).expect("written");
        drop(journal);
        assert_eq!(finished(dir.path()).expect("whole").last().map(String::as_str), Some("r3-b-a"), "{length}");
    }
}

#[test]
fn damage_in_the_middle_is_refused_by_line_and_can_be_salvaged() {
    for line in 1..=3 {
        let dir = three_games();
        let text = fs::read_to_string(file(dir.path())).expect("read");
        let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
        let at = lines[line - 1].len() / 2;
        let other = if lines[line - 1].as_bytes()[at] == b'0' { "1" } else { "0" };
        lines[line - 1].replace_range(at..=at, other);
        let damaged = lines.concat();
        fs::write(file(dir.path()), &damaged).expect("written");
        let error = Journal::resume(dir.path(), Durability::Fast).expect_err("a damaged line").to_string();
        assert!(error.contains(&format!("journal.jsonl:{line}: the line is damaged")), "{error}");
        assert_eq!(fs::read_to_string(file(dir.path())).expect("read"), damaged, "the journal must not change");
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
fn salvaging_without_a_redo_line_keeps_the_later_games() {
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
fn impossible_lines_are_refused_by_line() {
    let first = game(0, "r1-a-b", false);
    let JournalEntry::Game(inner) = first.clone() else { panic!("a game") };
    for (entries, line, why) in [
        (vec![first.clone(), first.clone()], 3, "already has a result"),
        (vec![first.clone(), game(0, "r1-a-b", true)], 3, "already has a result"),
        (vec![JournalEntry::Header(header())], 2, "one header"),
        (vec![JournalEntry::Void(inner.clone())], 2, "disagree on whether the game is void"),
        (
            vec![JournalEntry::Game(GameEntry { id: "r2-a-b".to_owned(), ..inner.clone() })],
            2,
            "belongs to another game",
        ),
        (vec![game(0, "r4-a-b", false)], 2, "this tournament has no such game"),
        (vec![game(0, "r1-a-c", false)], 2, "this tournament has no such game"),
        (vec![game(0, "r1-a-b-2", false)], 2, "this tournament has no such game"),
        (vec![game(0, "r1-a-b/../../../escaped", false)], 2, "this tournament has no such game"),
        (
            vec![JournalEntry::Game(GameEntry { record: "[Black".to_owned(), ..inner })],
            2,
            "the record of game `r1-a-b`",
        ),
    ] {
        let dir = written(&entries);
        let error = journal::read(dir.path(), |_| {}).expect_err("unreadable").to_string();
        assert!(error.contains(&format!("journal.jsonl:{line}: ")) && error.contains(why), "{error}");
    }
    // A void game may be played again and be void again.
    let dir = written(&[game(0, "r1-a-b", true), game(0, "r1-a-b", true), first]);
    assert_eq!(finished(dir.path()).expect("whole"), ["r1-a-b"]);
}

/// Every tag in which a record can differ from this tournament's game with the same id.
#[test]
fn a_record_of_another_tournament_is_refused_by_line() {
    let JournalEntry::Game(inner) = game(0, "r1-a-b", false) else { panic!("a game") };
    for (tag, from, to) in [
        ("Seed", inner.record.lines().next().expect("a tag"), "[Seed \"7\"]"),
        ("TimeControl", "[TimeControl \"-\"]", "[TimeControl \"60\"]"),
        ("TimeScale", "[TimeControl \"-\"]", "[TimeControl \"-\"]\n[TimeScale \"1.25\"]"),
        ("TimeControl", "[TimeControl \"-\"]\n", ""),
        ("Round", "[Round \"1\"]", "[Round \"2\"]"),
        ("Black", "[Black \"a\"]", "[Black \"A\"]"),
        ("OpeningPlies", "[Seed", "[OpeningPlies \"2\"]\n[Seed"),
    ] {
        let record = inner.record.replacen(from, to, 1);
        assert_ne!(record, inner.record);
        let dir = written(&[JournalEntry::Game(GameEntry { record, ..inner.clone() })]);
        let error = journal::read(dir.path(), |_| {}).expect_err("a foreign line").to_string();
        assert!(error.contains(&format!("journal.jsonl:2: game `r1-a-b`: its `{tag}` does not match")), "{error}");
    }
}

/// The two tournaments differ only in a key that game records do not mention.
#[test]
fn a_line_of_another_tournament_counts_as_damage() {
    let other = header_of(&FIELD.replace("rounds = 3", "rounds = 3\n    illegal_tries = 7"));
    let entries = [game(0, "r1-a-b", false), game(1, "r1-b-a", false), redo("b")];
    let theirs = written_behind(&other, &entries);
    let theirs = fs::read_to_string(file(theirs.path())).expect("read");
    for line in theirs.split_inclusive('\n') {
        let dir = three_games();
        let text = fs::read_to_string(file(dir.path())).expect("read");
        // The line comes last, as after `tail -1 other/journal.jsonl >>journal.jsonl`.
        fs::write(file(dir.path()), text.clone() + line).expect("written");
        let refused = Journal::resume(dir.path(), Durability::Fast).expect_err("a foreign line").to_string();
        assert!(refused.contains("journal.jsonl:5: "), "{refused}");
        assert_eq!(fs::read_to_string(file(dir.path())).expect("read"), text.clone() + line);
        assert_eq!(salvage(dir.path()).expect("the rest is whole").damaged, [5]);
        assert_eq!(fs::read_to_string(file(dir.path())).expect("read"), text);
    }
}

/// The test flips every bit of the last line, including its newline.
#[test]
fn a_flipped_bit_in_the_last_line_is_damage_not_a_torn_line() {
    let dir = three_games();
    let whole = fs::read(file(dir.path())).expect("read");
    let last = whole[..whole.len() - 1].iter().rposition(|&byte| byte == b'\n').expect("lines") + 1;
    for at in last..whole.len() {
        for bit in 0..8 {
            let mut damaged = whole.clone();
            damaged[at] ^= 1 << bit;
            fs::write(file(dir.path()), &damaged).expect("written");
            let refused = Journal::resume(dir.path(), Durability::Fast);
            assert!(
                matches!(refused, Err(JournalError::Damaged { line: 4, .. })),
                "bit {bit} of byte {at}: {refused:?}"
            );
            assert_eq!(fs::read(file(dir.path())).expect("read"), damaged);
        }
    }
    let salvaged = salvage(dir.path()).expect("the rest is whole");
    assert_eq!(salvaged.damaged, [4]);
    assert_eq!(fs::read(file(dir.path())).expect("read"), whole[..last]);
}

#[test]
fn a_torn_line_stays_until_the_journal_is_written() {
    let dir = three_games();
    let mut whole = fs::read(file(dir.path())).expect("read");
    whole.truncate(whole.len() - 9);
    fs::write(file(dir.path()), &whole).expect("written");
    let (mut journal, ..) = Journal::resume(dir.path(), Durability::Fast).expect("resumed");
    assert_eq!(fs::read(file(dir.path())).expect("read"), whole);
    assert!(journal.mend().expect("cut off") && !journal.mend().expect("there is nothing more"));
    assert!(fs::read(file(dir.path())).expect("read").ends_with(b"\n"));
}

/// Salvaging must leave a journal that a run can resume, so it also drops lines that are complete but impossible.
#[test]
fn complete_but_impossible_lines_are_not_salvaged() {
    let JournalEntry::Game(inner) = game(0, "r1-a-b", false) else { panic!("a game") };
    let wrong = [
        JournalEntry::Header(header()),
        JournalEntry::Void(inner.clone()),
        game(9, "../escaped", false),
        JournalEntry::Game(GameEntry { record: "[Black".to_owned(), ..inner }),
    ];
    for wrong in wrong {
        let dir = written(&[game(1, "r1-b-a", false), wrong, game(0, "r1-a-b", false)]);
        assert!(Journal::resume(dir.path(), Durability::Fast).is_err());
        assert_eq!(salvage(dir.path()).expect("the rest is whole").damaged, [3]);
        assert_eq!(finished(dir.path()).expect("whole"), ["r1-a-b", "r1-b-a"]);
    }
}

#[test]
fn a_self_contradictory_header_is_refused() {
    for slug in ["../b", "b/c", "", "a", "b-c"] {
        let mut header = header();
        header.definition.frame.slugs[1] = slug.to_owned();
        let dir = written_behind(&header, &[]);
        let error = journal::read(dir.path(), |_| {}).expect_err("unreadable").to_string();
        assert!(error.contains("journal.jsonl:1: ") && error.contains("contradicts itself"), "{error}");
    }
}

#[test]
fn an_endless_line_is_read_within_bounds() {
    let dir = three_games();
    let journal = fs::OpenOptions::new().write(true).open(file(dir.path())).expect("opened");
    journal.set_len(1 << 42).expect("a sparse file");
    let error = Journal::resume(dir.path(), Durability::Fast).expect_err("a damaged line").to_string();
    assert!(error.contains("journal.jsonl:5: ") && error.contains("does not end within 16 MiB"), "{error}");
    let error = salvage(dir.path()).expect_err("there is no end").to_string();
    assert!(error.contains("could not read"), "{error}");
}

#[test]
fn an_unknown_format_version_is_refused() {
    for format in [0, 5] {
        let dir = TempDir::new().expect("a directory");
        drop(Journal::create(dir.path(), &Header { format, ..header() }, Durability::Fast).expect("written"));
        let Err(JournalError::Inconsistent { line: 1, source, .. }) = journal::read(dir.path(), |_| {}) else {
            panic!("expected a refusal")
        };
        assert!(matches!(*source, LedgerError::Format(found) if found == format));
    }
}

/// The first two lines of journals that development versions wrote, by format number.
const DEVELOPMENT: [(u32, &str); 4] = [
    (1, include_str!("../../data/journals/format-1.jsonl")),
    (2, include_str!("../../data/journals/format-2.jsonl")),
    (3, include_str!("../../data/journals/format-3.jsonl")),
    (4, include_str!("../../data/journals/format-4.jsonl")),
];

#[test]
fn journals_of_development_versions_are_refused_by_name_and_left_alone() {
    for (number, text) in DEVELOPMENT {
        let dir = TempDir::new().expect("a directory");
        fs::write(file(dir.path()), text).expect("written");
        let errors = [
            journal::read(dir.path(), |_| {}).map(drop).expect_err("refused"),
            Journal::resume(dir.path(), Durability::Fast).map(drop).expect_err("refused"),
            salvage(dir.path()).map(drop).expect_err("refused"),
        ];
        for error in errors {
            assert!(matches!(error, JournalError::Development { format, .. } if format == number), "{number}: {error}");
        }
        assert_eq!(fs::read_to_string(file(dir.path())).expect("read"), text);
    }
}

#[test]
fn a_run_of_a_development_version_is_played_again_next_to_it() {
    let arena = Arena::new(concat!("seed = 3\n", random_and_greedy!()));
    fs::create_dir(arena.out()).expect("made");
    for (_, lines) in DEVELOPMENT {
        fs::write(file(&arena.out()), lines).expect("written");
        for words in [&["standings", "out"][..], &["rebuild", "out"], &["run", "class.toml", "--out", "out"]] {
            let output = arena.output(words);
            let said = text(&output.stderr);
            assert!(!output.status.success(), "{words:?}");
            assert!(said.contains("a version from before the release of 0.1.0 wrote `"), "{words:?}: {said}");
            assert!(
                said.contains("its games must be played again, in another directory or with `run FILE --fresh`"),
                "{said}"
            );
        }
    }
    let fresh = arena.run(&["--fresh", "--quiet"]);
    assert!(fresh.status.success(), "{}", text(&fresh.stderr));
}

#[test]
fn only_one_process_at_a_time_writes_a_journal() {
    let dir = TempDir::new().expect("a directory");
    let journal = Journal::create(dir.path(), &header(), Durability::Safe).expect("written");
    assert!(matches!(Journal::resume(dir.path(), Durability::Safe), Err(JournalError::Locked { .. })));
    assert!(matches!(salvage(dir.path()), Err(JournalError::Locked { .. })));
    assert!(Journal::create(dir.path(), &header(), Durability::Safe).is_err(), "a journal must not replace another");
    // Reading does not need the lock.
    assert_eq!(finished(dir.path()).expect("whole"), [""; 0]);
    drop(journal);
    assert!(Journal::resume(dir.path(), Durability::Safe).is_ok());
}

/// Writes two games. Calls `between` between the two games and `after` after the second game.
fn write_two(between: impl FnOnce(&Path), after: impl FnOnce(&Path)) -> (TempDir, Result<(), JournalError>) {
    let dir = TempDir::new().expect("a directory");
    let journal = Journal::create(dir.path(), &header(), Durability::Fast).expect("written");
    let mut writer = Writer::start(journal).expect("a thread");
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let result = runtime.block_on(async {
        writer.write(game(0, "r1-a-b", false), ());
        writer.written().await.expect("written");
        between(&file(dir.path()));
        writer.write(game(1, "r1-b-a", false), ());
        if writer.written().await.is_some() {
            after(&file(dir.path()));
        }
        // The writer has failed or is idle; later lines must be kept, too.
        writer.write(game(2, "r2-a-b", false), ());
        writer.finish().await.map(drop)
    });
    (dir, result)
}

fn change_in_place(path: &Path) {
    let text = fs::read_to_string(path).expect("read");
    fs::write(path, text.replacen("r1-a-b", "r1-a-B", 1)).expect("written");
}

#[test]
fn a_disturbed_journal_stops_the_writer_and_all_lines_are_rescued() {
    let disturbances: [fn(&Path); 4] = [
        |path| fs::remove_file(path).expect("removed"),
        |path| {
            fs::copy(path, path.with_extension("copy")).expect("copied");
            fs::rename(path.with_extension("copy"), path).expect("renamed");
        },
        |path| fs::write(path, "").expect("emptied"),
        change_in_place,
    ];
    for disturb in disturbances {
        for (dir, result) in [write_two(disturb, |_| {}), write_two(|_| {}, disturb)] {
            let Err(JournalError::Disturbed { rescued: Ok(rescued), .. }) = result else {
                panic!("the disturbance went unnoticed: {result:?}");
            };
            assert_eq!(rescued, dir.path().join("journal.jsonl.rescued-1"));
            fs::rename(rescued, file(dir.path())).expect("renamed");
            assert_eq!(finished(dir.path()).expect("whole"), ["r1-a-b", "r1-b-a", "r2-a-b"]);
        }
    }
}

/// Backup programs make links, and sync clients set times.
#[test]
fn links_and_times_do_not_disturb_a_journal() {
    let touch = |path: &Path| {
        let hour = SystemTime::now() - Duration::from_hours(1);
        fs::File::options().write(true).open(path).and_then(|file| file.set_modified(hour)).expect("touched");
        fs::hard_link(path, path.with_extension(if path.with_extension("link").exists() { "other" } else { "link" }))
            .expect("linked");
    };
    let (dir, result) = write_two(touch, touch);
    result.expect("unchanged");
    assert_eq!(finished(dir.path()).expect("whole"), ["r1-a-b", "r1-b-a", "r2-a-b"]);
}

/// Nothing more is appended, so only the final check can notice the change.
#[test]
fn a_disturbance_at_the_end_of_a_run_is_noticed() {
    for disturb in [change_in_place, |path: &Path| fs::remove_file(path).expect("removed")] {
        let dir = three_games();
        let (journal, ..) = Journal::resume(dir.path(), Durability::Fast).expect("resumed");
        let mut writer = Writer::start(journal).expect("a thread");
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        let result = runtime.block_on(async {
            writer.write(game(5, "r3-b-a", false), ());
            writer.written().await.expect("written");
            disturb(&file(dir.path()));
            writer.finish().await
        });
        assert!(matches!(result, Err(JournalError::Disturbed { rescued: Ok(_), .. })), "{result:?}");
    }
}
