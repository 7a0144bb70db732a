//! Tournament files, those of classes and ladders among them. A file that is accepted has a schedule, and a definition
//! that survives being written and read. A refusal names places in the file.

#![no_main]

use std::collections::BTreeSet;

use gothello_arena::tournament::definition::Definition;
use gothello_arena::tournament::schedule::{Results, Schedule, Step};
use gothello_arena::tournament::{PlayerKind, Template, Tournament};
use gothello_arena_fuzz::assert_problems;
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
        Err(problems) => assert_problems(data, &problems),
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
    if schedule.fixtures().is_some() {
        // A ladder decides on its games while it is played.
        return;
    }
    assert!(schedule.at_most() > 0);
    let (results, mut ids) = (Results::default(), BTreeSet::new());
    while let Step::Game(game) = schedule.next(&results) {
        let seated: BTreeSet<_> = game.players.values().copied().collect();
        assert_eq!(seated.len(), usize::from(tournament.ruleset.seats()), "{}", game.id);
        assert!(seated.iter().all(|&player| player < tournament.players.len()), "{}", game.id);
        assert!(ids.insert(game.id.to_string()), "{} is there twice", game.id);
        if ids.len() == GAMES {
            break;
        }
    }
    assert!(!ids.is_empty());
    assert!(ids.len() as u64 <= schedule.at_most());
}
