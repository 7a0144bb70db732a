//! The time that the clocks measure, and the activity of bots between their turns: with real processes, confined and
//! unconfined.

use std::collections::BTreeSet;
use std::fs;
use std::time::Duration;

use gothello_arena::game::Side;
use gothello_arena::referee::record::GameRecord;

use crate::confinement::probes::{can_confine, probe};
use crate::harness::arena::{Arena, text};
use crate::harness::waiting::InTime as _;
use crate::run::side_by_side::Machine;

/// The table of a player that always passes and runs the probe in the mode `mode`.
fn passing(name: &str, mode: &str, argument: &str) -> String {
    format!(
        "[[player]]\nname = \"{name}\"\ndir = \"bot\"\n\
         command = [\"./probe\", \"{mode}\", \"{{side}}\", \"{{host}}\", \"{{port}}\", \"{argument}\"]\n"
    )
}

/// A player that places stones for as long as it can: a passing opponent gets more than ten turns against it.
const ENDURING: &str = "[[player]]\nname = \"enduring\"\nbuiltin = \"random\"\n";

/// Plays the two games of a tournament with the keys `keys` and the players `players`: once unconfined, and once
/// confined if this machine can confine bots.
fn play(keys: &str, players: &str, judge: impl FnMut(&Arena, Vec<GameRecord>)) {
    play_on(None, keys, players, judge);
}

/// Like [`play`], on `machine` if there is one.
fn play_on(machine: Option<&Machine>, keys: &str, players: &str, mut judge: impl FnMut(&Arena, Vec<GameRecord>)) {
    for isolation in ["require", "off"] {
        if isolation == "require" && !can_confine() {
            continue;
        }
        let arena = Arena::new(&format!("isolation = \"{isolation}\"\nconcurrency = 1\n{keys}\n{players}"));
        fs::create_dir(arena.path().join("bot")).expect("made");
        fs::copy(probe(), arena.path().join("bot/probe")).expect("copied");
        let mut command = arena.command(&["run", "class.toml", "--out", "out"]);
        if let Some(machine) = machine {
            command = machine.command(&command);
        }
        let output = command.output_in_time().expect("the program starts");
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        arena.assert_logs_hold(&output);
        let records: Vec<GameRecord> = arena.results().iter().map(|row| arena.record(&row["game"])).collect();
        assert_eq!(records.len(), 2);
        judge(&arena, records);
    }
}

/// The termination of a game, as in results.csv, and its reason.
fn ending(record: &GameRecord) -> (String, String) {
    let result = record.result.as_ref().expect("not void");
    (result.termination().to_string(), result.reason().unwrap_or_default().to_owned())
}

fn side_of(record: &GameRecord, name: &str) -> Side {
    if record.players.black == name { Side::Black } else { Side::White }
}

#[test]
fn waiting_uses_up_the_wall_clock_but_not_the_cpu_clock() {
    let players = passing("dozing", "doze", "150") + ENDURING;
    play("time = \"1s\"", &players, |_, records| {
        for record in records {
            assert_eq!(ending(&record), ("time".to_owned(), "used more than 1s".to_owned()));
        }
    });
    play("time = \"1s\"\nclock = \"cpu\"\nwall_limit = \"1m\"", &players, |_, records| {
        for record in records {
            assert_eq!(ending(&record).0, "normal");
            assert!(record.to_string().contains("[Clock \"cpu wall 60\"]\n"));
            assert!(record.used(side_of(&record, "dozing")) < Duration::from_secs(1));
        }
    });
}

#[test]
fn the_cpu_clock_counts_all_processes_of_a_bot() {
    let players = passing("thinking", "think", "150") + ENDURING;
    play("time = \"1s\"\nclock = \"cpu\"\nwall_limit = \"10m\"", &players, |_, records| {
        for record in records {
            assert_eq!(ending(&record), ("time".to_owned(), "used more than 1s of CPU time".to_owned()));
            let mover = record.unfinished.as_ref().expect("a turn that the flag cut off").side();
            assert_eq!(mover, side_of(&record, "thinking"));
            // In each turn, two processes use 150 ms of CPU time each, measured in ticks of 10 ms.
            for ply in record.plies.iter().filter(|ply| ply.side() == mover) {
                assert!(ply.elapsed.is_some_and(|elapsed| elapsed >= Duration::from_millis(250)), "{record}");
            }
        }
    });
}

#[test]
fn wall_limit_bounds_the_turns_under_a_cpu_clock() {
    let players = passing("hanging", "hang", "") + ENDURING;
    play("time = \"5s\"\nclock = \"cpu\"\nwall_limit = \"2s\"", &players, |_, records| {
        for record in records {
            let (termination, reason) = ending(&record);
            assert_eq!(termination, "time");
            assert!(reason.starts_with("its turns took more than 2s (key `wall_limit`), of which 0.0"), "{reason}");
        }
    });
}

/// The CPU time in milliseconds that the pondering player used on its opponent's turns, according to its own report.
fn pondered(arena: &Arena, records: &[GameRecord]) -> u64 {
    let said = records.iter().map(|record| {
        let side = side_of(record, "pondering");
        let game = record.game.as_ref().expect("an id");
        let text = fs::read_to_string(arena.out().join(format!("games/{game}.{side}.stderr"))).expect("a report");
        let words: Vec<&str> = text.split_whitespace().collect();
        words.iter().skip_while(|word| **word != "pondered").nth(1).expect("a number").parse::<u64>().expect("a number")
    });
    said.sum()
}

#[test]
fn a_bot_ponders_in_its_opponents_time_unless_it_is_frozen() {
    let players = passing("pondering", "ponder", "") + &passing("dozing", "doze", "700");
    // Without an opening, black's pass and white's pass would end the game: only black would wait, and it could not
    // measure for how long. An opening ply makes a third ply necessary.
    let keys = "time = \"30s\"\nopenings = { plies = 1 }\n";
    let players = players.replace("[[player]]", "[[player]]\nopenings = true");
    let [mut running, mut frozen] = [Vec::new(), Vec::new()];
    play(keys, &players, |arena, records| running.push(pondered(arena, &records)));
    play(&format!("{keys}between_moves = \"freeze\""), &players, |arena, records| {
        for record in &records {
            assert_eq!(ending(record).0, "normal");
        }
        frozen.push(pondered(arena, &records));
    });
    // A bot that is to be frozen still uses CPU time until the arena has stopped it. On a busy machine, the arena takes
    // longer and a running bot gets less of the CPU, so only the comparison of the two bots is meaningful.
    for (running, frozen) in running.iter().zip(&frozen) {
        assert!(*running > 2 * frozen && *running > 20, "{running} ms running, {frozen} ms frozen");
    }
    assert_eq!(running.len(), frozen.len());
}

#[test]
fn a_confined_bot_that_is_frozen_cannot_resume_itself() {
    let players = passing("reviving", "revive", "") + ENDURING;
    for (keys, refusals) in [("between_moves = \"freeze\"", 4), ("between_moves = \"run\"", 0)] {
        play(&format!("time = \"30s\"\n{keys}"), &players, |arena, records| {
            let is_confined =
                records[0].other_tags.iter().any(|(tag, value)| tag == "Isolation" && "ABC".contains(value));
            for record in &records {
                let (game, side) = (record.game.as_ref().expect("an id"), side_of(record, "reviving"));
                let said = fs::read_to_string(arena.out().join(format!("games/{game}.{side}.stderr")));
                let said = said.expect("a report");
                let refused = if is_confined { refusals } else { 0 };
                assert_eq!(
                    (said.matches("refused ").count(), said.matches("reached ").count()),
                    (refused, 4 - refused)
                );
            }
        });
    }
}

#[test]
fn remote_players_cannot_have_cpu_clocks_or_be_frozen() {
    for (keys, named) in [
        ("time = \"5s\"\nclock = \"cpu\"", "`clock = \"cpu\"` is for programs that the arena starts"),
        ("between_moves = \"freeze\"", "`between_moves = \"freeze\"` is for programs that the arena starts"),
        ("clock = \"cpu\"", "`clock = \"cpu\"` needs clocks"),
        ("time = \"5s\"\nwall_limit = \"50s\"", "`wall_limit` is for `clock = \"cpu\"`"),
    ] {
        let remote = "[[player]]\nname = \"far\"\nremote = true\nlisten = \"127.0.0.1:29099\"\n";
        let arena = Arena::new(&format!("{keys}\n{ENDURING}{remote}"));
        let output = arena.command(&["check", "class.toml"]).output_in_time().expect("it starts");
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output.stderr).contains(named), "{}", text(&output.stderr));
    }
}

/// The CPUs on which the bot of the side `side` may run, as reported by the bot.
fn cpus(arena: &Arena, record: &GameRecord, side: Side) -> BTreeSet<String> {
    let game = record.game.as_ref().expect("an id");
    let text = fs::read_to_string(arena.out().join(format!("games/{game}.{side}.stderr"))).expect("a report");
    text.lines().map(str::to_owned).collect()
}

#[test]
fn each_bot_has_its_own_core_if_there_are_enough() {
    // The arenas of other tests also use cores, so this test needs a machine without other arenas.
    let Some(machine) = Machine::new() else { return };
    let all = std::thread::available_parallelism().expect("known").get();
    let cores = gothello_arena::base::machine::physical_cores().get();
    let players = passing("one", "cpus", "") + &passing("two", "cpus", "");
    play_on(Some(&machine), "time = \"30s\"", &players, |arena, records| {
        for record in &records {
            let [black, white] = Side::BOTH.map(|side| cpus(arena, record, side));
            assert!(!black.is_empty() && !white.is_empty());
            assert_eq!(black.is_disjoint(&white), cores >= 2, "{black:?} {white:?}");
        }
    });
    play_on(Some(&machine), "time = \"30s\"\nbetween_moves = \"freeze\"", &players, |arena, records| {
        for record in &records {
            assert_eq!(cpus(arena, record, Side::Black), cpus(arena, record, Side::White));
        }
    });
    // A confined bot cannot move to another core even if it tries.
    let greedy = passing("one", "spread", "") + &passing("two", "spread", "");
    play_on(Some(&machine), "time = \"30s\"", &greedy, |arena, records| {
        let is_confined =
            records[0].other_tags.iter().any(|(tag, value)| tag == "Isolation" && value != "D" && value != "off");
        for record in records.iter().filter(|_| is_confined) {
            let [black, white] = Side::BOTH.map(|side| cpus(arena, record, side));
            assert_eq!(black.is_disjoint(&white), cores >= 2, "{black:?} {white:?}");
        }
    });
    play_on(Some(&machine), "time = \"30s\"\naffinity = false", &players, |arena, records| {
        for record in &records {
            assert!(cpus(arena, record, Side::Black).len() >= all);
        }
    });
}
