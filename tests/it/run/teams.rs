//! Teams in real processes: the programs for the modes of a game take over from each other.

use std::fs;

use gothello_arena::game::quantum::Mode;
use gothello_arena::game::{Ruleset, Seat};
use gothello_arena::referee::record::{GameRecord, GroupRecord, LoggedGame, Out, Ply};
use gothello_arena::referee::result::Termination;
use rustix::process::Signal;

use crate::confinement::probes::can_confine;
use crate::harness::arena::{Arena, text};

/// A team called `ada`. For every mode, its program is the test bot `member.py`, with the mode's fault in `faults`.
fn team(ruleset: &str, faults: &[(Mode, &str)]) -> String {
    let ruleset: Ruleset = ruleset.parse().expect("a rule set");
    let members = ruleset.modes().iter().map(|mode| {
        let fault = faults.iter().find(|(of, _)| of == mode).map_or(String::new(), |(_, fault)| format!(", {fault:?}"));
        format!(
            "{mode} = {{ command = [\"python3\", \"@bots/member.py\", \"{mode}\", \"{{side}}\", \"{{host}}\", \"{{port}}\", \
             \"{{ruleset}}\"{fault}] }}\n"
        )
    });
    format!("[[player]]\nname = \"ada\"\n[player.modes]\n{}", members.collect::<String>())
}

fn random(name: &str) -> String {
    format!("[[player]]\nname = \"{name}\"\nbuiltin = \"random\"\n")
}

/// A tournament of two games for two.
fn two(ruleset: &str, keys: &str, faults: &[(Mode, &str)]) -> Arena {
    let keys = format!("ruleset = \"{ruleset}\"\nseed = 5\nquit_timeout = \"500ms\"\nisolation = \"off\"\n{keys}\n");
    Arena::new(&[keys, team(ruleset, faults), random("bo")].concat())
}

/// A tournament of four games at one table.
fn four(keys: &str, faults: &[(Mode, &str)]) -> Arena {
    let keys = format!(
        "ruleset = \"quantum-8-4p\"\nformat = \"group\"\nseed = 5\nquit_timeout = \"500ms\"\nisolation = \"off\"\n{keys}\n"
    );
    let mixed =
        "[[player]]\nname = \"bo\"\nmodes.othello = { builtin = \"random\" }\nmodes.go = { builtin = \"random\" }\n";
    Arena::new(&[&keys, &team("quantum-8-4p", faults), mixed, &random("cy"), &random("di")].concat())
}

fn run(arena: &Arena) {
    let output = arena.run(&[]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    arena.assert_logs_hold(&output);
}

/// The mode in which each of `plies` was played, and the mode in which the game continues. The seats in `outs` drop out
/// after some of the plies.
fn modes(ruleset: Ruleset, plies: &[Ply], outs: &[Out]) -> Vec<Option<Mode>> {
    let mut position = ruleset.start();
    let mut modes = vec![position.mode()];
    for (index, ply) in plies.iter().enumerate() {
        outs.iter().filter(|out| out.after_plies == index).for_each(|out| position.drop_out(out.seat));
        position.play(ply.played.as_str()).unwrap_or_else(|error| panic!("{error}"));
        modes.push(position.mode());
    }
    modes
}

/// The parts of the output of a team in `stderr`, each with the mode of the program that wrote it.
fn told(stderr: &str, first: Mode) -> Vec<(Mode, Vec<&str>)> {
    let mut parts = vec![(first, Vec::new())];
    for line in stderr.lines() {
        let title = Mode::ALL.into_iter().find(|mode| line == format!("[{mode}]"));
        match title {
            Some(mode) => parts.push((mode, Vec::new())),
            None => parts.last_mut().expect("a part").1.push(line),
        }
    }
    parts
}

/// Checks that each program of the team in `seat` received the moves before its mode, and played all of the team's
/// plies in its mode and no others.
fn assert_programs_relieved_each_other(stderr: &str, ruleset: Ruleset, plies: &[Ply], seat: Seat) {
    let modes = modes(ruleset, plies, &[]);
    let parts = told(stderr, ruleset.modes()[0]);
    assert_eq!(parts.iter().map(|(mode, _)| *mode).collect::<Vec<_>>(), ruleset.modes(), "{stderr}");
    for (mode, lines) in parts {
        let before = modes.iter().position(|&now| now == Some(mode)).expect("every mode is played");
        let own = plies.iter().enumerate().filter(|(index, ply)| ply.seat == seat && modes[*index] == Some(mode));
        let expected = own.map(|(index, _)| format!("ply {}", index + 1));
        let expected: Vec<String> = [format!("told {before}")].into_iter().chain(expected).collect();
        assert_eq!(lines, expected, "{mode}");
    }
}

fn stderr(arena: &Arena, name: &str) -> String {
    fs::read_to_string(arena.out().join(format!("games/{name}.stderr"))).expect("its output")
}

fn group(arena: &Arena, game: usize) -> GroupRecord {
    let log = fs::read(arena.out().join(format!("games/r1-t1-g{game}.log"))).expect("a log");
    *LoggedGame::from_bytes(&log).unwrap_or_else(|error| panic!("{error}")).into_two().expect_err("four seats")
}

/// The seat of `ada`.
fn seat_of_team(record: &GroupRecord) -> Seat {
    record.players.all_seats().find(|&seat| record.players[seat] == "ada").expect("a player")
}

/// Checks that no player dropped out of a game at the table, and that each program of the team played its mode.
fn assert_team_played_its_modes(arena: &Arena, game: usize) {
    let record = group(arena, game);
    assert!(record.outs.is_empty(), "{record}");
    let seat = seat_of_team(&record);
    let stderr = stderr(arena, &format!("r1-t1-g{game}.seat{seat}"));
    assert_programs_relieved_each_other(&stderr, record.ruleset, &record.plies, seat);
}

const GAMES: [(&str, &str, Seat); 2] =
    [("r1-ada-bo", "black", Seat::FIRST), ("r1-bo-ada", "white", Seat::FIRST.next(2))];

#[test]
fn each_program_of_a_team_plays_its_mode() {
    let arena = two("quantum", "time = \"20s\"", &[]);
    run(&arena);
    for (game, side, seat) in GAMES {
        let record = arena.record(game);
        let result = record.result.as_ref().unwrap_or_else(|void| panic!("{void}"));
        assert_eq!(result.termination(), Termination::Normal, "{result:?}");
        assert_programs_relieved_each_other(
            &stderr(&arena, &format!("{game}.{side}")),
            record.ruleset,
            &record.plies,
            seat,
        );
    }
}

#[test]
fn teams_play_at_a_table_of_four_and_with_programs_that_are_stopped_between_their_turns() {
    for keys in ["time = \"20s\"", "between_moves = \"freeze\"\nclock = \"cpu\"\ntime = \"20s\""] {
        let arena = four(keys, &[]);
        run(&arena);
        (1..=4).for_each(|game| assert_team_played_its_modes(&arena, game));
    }
}

#[test]
fn a_team_plays_at_a_table_of_six() {
    let keys = "ruleset = \"quantum-6p\"\nformat = \"group\"\nseed = 5\nquit_timeout = \"500ms\"\nisolation = \"off\"\n\
                time = \"60s\"\n";
    let others = ["bo", "cy", "di", "ed", "flo"].map(random).concat();
    let arena = Arena::new(&[keys, &team("quantum-6p", &[]), &others].concat());
    run(&arena);
    (1..=6).for_each(|game| assert_team_played_its_modes(&arena, game));
}

/// A tournament with the team `ada`, whose program for Go has the keys `go` and is started in the directory `go`.
fn with_own_go(keys: &str, go: &str) -> Arena {
    let keys = format!("ruleset = \"quantum-8\"\nseed = 5\nquit_timeout = \"500ms\"\n{keys}\n");
    let team = format!(
        "[[player]]\nname = \"ada\"\nmodes.othello = {{ builtin = \"random\" }}\n\
         modes.go = {{ dir = \"go\", transport = \"stdio\", {go} }}\n"
    );
    let arena = Arena::new(&[keys, team, random("bo")].concat());
    fs::create_dir(arena.path().join("go")).expect("created");
    arena
}

#[test]
fn a_program_for_a_mode_can_be_built() {
    let build = "build = [\"sh\", \"-c\", \"echo 'echo built >&2; exit 1' > bot.sh\"], command = [\"sh\", \"bot.sh\"]";
    for isolation in ["off", "auto"] {
        let arena = with_own_go(&format!("isolation = \"{isolation}\""), build);
        run(&arena);
        for (game, side, _) in GAMES {
            assert!(stderr(&arena, &format!("{game}.{side}")).ends_with("[go]\nbuilt\n"), "{isolation}");
        }
    }
}

#[test]
fn a_later_program_of_a_team_is_confined_like_the_first_one() {
    if !can_confine() {
        return;
    }
    let arena = with_own_go("isolation = \"require\"", "command = [\"sh\", \"bot.sh\"]");
    fs::write(arena.path().join("secret"), "of another player\n").expect("written");
    fs::write(arena.path().join("go/bot.sh"), "cat ../secret >&2; echo tried >&2; exit 1\n").expect("written");
    run(&arena);
    for (game, side, _) in GAMES {
        let stderr = stderr(&arena, &format!("{game}.{side}"));
        assert!(stderr.ends_with("tried\n") && !stderr.contains("of another player"), "{stderr}");
    }
}

/// The number of plies before Go.
fn plies_before_go(ruleset: Ruleset, plies: &[Ply], outs: &[Out]) -> usize {
    modes(ruleset, plies, outs).iter().position(|&mode| mode == Some(Mode::Go)).expect("go begins")
}

#[test]
fn a_program_that_fails_in_its_mode_costs_its_team_the_game() {
    for (fault, expected) in [
        ("absent", Termination::NoShow),
        ("crash", Termination::Crash),
        ("flag", Termination::Time),
        ("illegal", Termination::Illegal),
    ] {
        let keys = "time = \"4s\"\nillegal_tries = 0\ngarbled_tries = 0\n";
        let arena = two("quantum-8", keys, &[(Mode::Go, fault)]);
        run(&arena);
        for (game, side, seat) in GAMES {
            let record: GameRecord = arena.record(game);
            let result = record.result.as_ref().unwrap_or_else(|void| panic!("{void}"));
            let expected = if fault == "illegal" { Termination::Protocol } else { expected };
            assert_eq!((result.termination(), result.winner()), (expected, Some(seat.side().opponent())), "{fault}");
            let before = plies_before_go(record.ruleset, &record.plies, &[]);
            if fault == "absent" {
                assert_eq!(record.plies.len(), before);
                let reason = result.reason().expect("a reason");
                assert!(reason.starts_with("its bot for go: "), "{reason}");
                assert!(
                    stderr(&arena, &format!("{game}.{side}"))
                        .contains("[go]\nthe program for this mode never connects\n")
                );
            } else {
                assert!(
                    record.plies.len() <= before + 1 && record.plies.iter().skip(before).all(|ply| ply.seat != seat)
                );
            }
        }
    }
}

#[test]
fn a_team_whose_program_fails_drops_out_and_the_others_play_on() {
    for (fault, expected) in [("absent", Termination::NoShow), ("crash", Termination::Crash)] {
        let arena = four("time = \"20s\"", &[(Mode::Go, fault)]);
        run(&arena);
        for game in 1..=4 {
            let record = group(&arena, game);
            let seat = seat_of_team(&record);
            let outs: Vec<_> = record.outs.iter().map(|out| (out.seat, out.termination)).collect();
            assert_eq!(outs, [(seat, expected)], "{record}");
            let before = plies_before_go(record.ruleset, &record.plies, &record.outs);
            assert!((before..before + 4).contains(&record.outs[0].after_plies), "{record}");
            assert!(record.plies.len() > before + 20, "{record}");
            assert_eq!(record.result.as_ref().map(|standing| standing.placing[seat]).ok(), Some(4));
        }
    }
}

#[test]
fn a_run_with_a_team_that_is_killed_and_resumed_plays_the_same_games() {
    let moves = |arena: &Arena| {
        GAMES.map(|(game, ..)| arena.record(game).plies.iter().map(|ply| ply.played).collect::<Vec<_>>())
    };
    let undisturbed = two("quantum-8", "concurrency = 1", &[]);
    run(&undisturbed);
    let arena = two("quantum-8", "concurrency = 1", &[]);
    let mut running = arena.start(None);
    running.hear("r1-");
    running.signal(Signal::KILL);
    running.end();
    let output = arena.run(&[]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    arena.assert_logs_hold(&output);
    assert_eq!(moves(&arena), moves(&undisturbed));
}

#[test]
fn a_run_is_not_resumed_if_any_program_of_a_team_has_changed() {
    let keys = "ruleset = \"quantum-8\"\nseed = 5\nquit_timeout = \"500ms\"\nisolation = \"off\"\n";
    let team = "[[player]]\nname = \"ada\"\nmodes.othello = { builtin = \"random\" }\n\
                modes.go = { dir = \"go\", transport = \"stdio\", command = [\"sh\", \"bot.sh\"] }\n";
    let arena = Arena::new(&[keys, team, &random("bo")].concat());
    fs::create_dir(arena.path().join("go")).expect("created");
    let bot = arena.path().join("go/bot.sh");
    fs::write(&bot, "exit 1\n").expect("written");
    let output = arena.run(&[]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    fs::write(&bot, "exit 2\n").expect("written");
    let output = arena.run(&[]);
    let said = text(&output.stderr);
    assert_ne!(output.status.code(), Some(0), "{said}");
    assert!(said.contains("go:bot.sh"), "{said}");
}
