//! Tournament files. A file that is accepted has a schedule, and a definition that survives being written and read.
//! Errors about a refused file name existing places.

#![no_main]

use std::collections::BTreeSet;

use gothello_arena::tournament::definition::Definition;
use gothello_arena::tournament::schedule::{Results, Schedule, Step};
use gothello_arena::tournament::{PlayerKind, Template, Tournament};
use gothello_arena::tournament::file::FileProblems;
use libfuzzer_sys::fuzz_target;

/// How many games of a schedule are examined, since it can have millions.
const GAMES: usize = 50;

fuzz_target!(|data: &[u8]| {
    match Tournament::parse_bytes(data, "fuzz") {
        Ok(tournament) => {
            commands_read_back(&tournament);
            definition_reads_back(&tournament);
            games_are_told_apart(&tournament);
        }
        Err(problems) => problems_have_places(&String::from_utf8_lossy(data), &problems),
    }
});

fn commands_read_back(tournament: &Tournament) {
    for player in &tournament.players {
        let PlayerKind::Program(program) = &player.kind else { continue };
        for word in &program.command {
            assert_eq!(Template::parse(&word.to_string()).as_ref(), Ok(word), "{word}");
        }
    }
}

/// Checks that a definition that is read back identifies the same run, because a journal stores the definition of a
/// tournament file.
fn definition_reads_back(tournament: &Tournament) {
    let definition = Definition::from(tournament);
    let text = serde_json::to_string(&definition).expect("plain data");
    let again: Definition = serde_json::from_str(&text).expect("what was written");
    assert_eq!(again, definition, "{text}");
    assert_eq!(again.digest(), definition.digest());
    assert_eq!(definition.changes(&again), []);
}

fn games_are_told_apart(tournament: &Tournament) {
    let mut schedule = Schedule::new(tournament);
    assert!(schedule.at_most() > 0);
    let (results, mut ids) = (Results::default(), BTreeSet::new());
    while let Step::Game(game) = schedule.next(&results) {
        assert!(game.players.black != game.players.white, "{}", game.id);
        assert!(game.players.black.max(game.players.white) < tournament.players.len(), "{}", game.id);
        assert!(ids.insert(game.id.to_string()), "{} is there twice", game.id);
        if ids.len() == GAMES {
            break;
        }
    }
    assert!(!ids.is_empty());
    assert!(ids.len() as u64 <= schedule.at_most());
}

fn problems_have_places(text: &str, problems: &FileProblems) {
    assert!(problems.iter().count() > 0);
    for problem in problems {
        let lines: Vec<&str> = text.split('\n').collect();
        let (line, column) = (problem.place.line, problem.place.column);
        assert!(line >= 1 && line <= lines.len(), "{problem}");
        assert!(column >= 1 && column <= lines[line - 1].chars().count() + 1, "{problem}: {:?}", lines[line - 1]);
        assert!(!problem.to_string().contains(char::is_control), "{problem}");
    }
}
