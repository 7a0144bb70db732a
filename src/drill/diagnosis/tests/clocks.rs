//! The causes related to clocks and to the time that a bot takes.

use super::*;
use crate::referee::starvation::Starvation;

const NAME_ERROR: &str = "NameError: name 'white_time_control' is not defined";

#[test]
fn an_old_client_is_recognised_by_the_name_that_it_lacks_and_its_line_is_reported() {
    let mut game =
        crashed(&["101 10 10 go"], &traceback("/b/lib/gthclient.py", "self.my_time = white_time_control", NAME_ERROR));
    game.time_control = clocks(SECOND, SECOND);
    let sources = python(&[("lib/gthclient.py", "class GthClient:\n        self.my_time = white_time_control\n")]);
    let mut trials = [trial("clock", Side::Black, Fail, vec![game.clone()])];
    assert_eq!(codes(&mut trials, &sources), [["D01"]]);
    let found = &trials[0].diagnoses[0];
    assert!(found.fix.contains("`self.my_time = self.white_time_control`"), "{}", found.fix);
    assert_eq!(found.place, Some(SourcePlace { file: "lib/gthclient.py".into(), line: Some(2) }));
    // Another name, a crash later in the game, and a game without clocks have other causes.
    let other = traceback("/b/bot.py", "x = dephts[0]", "NameError: name 'dephts' is not defined");
    let mut late = game.clone();
    say(&mut late, Speaker::Bot, &["1 c3"]);
    let mut unlimited = game.clone();
    unlimited.time_control = TimeControl::Unlimited;
    let mut renamed = game;
    renamed.process.as_mut().unwrap().stderr = other;
    assert_eq!(code_of("clock", late, &sources), ["D18"]);
    assert_eq!(code_of("clock", unlimited, &sources), ["D18"]);
    assert_eq!(code_of("clock", renamed, &sources), [""; 0]);
}

#[test]
fn any_end_on_the_line_101_counts_if_the_bot_plays_without_clocks() {
    let mut game = crashed(&["101 10 10 go"], &traceback("/b/bot.py", "assert code == 100", "AssertionError"));
    game.time_control = clocks(SECOND, SECOND);
    let plain = trial("plain", Side::Black, Pass, vec![played("321 1 c3")]);
    let mut trials = [plain, trial("clock", Side::Black, Fail, vec![game.clone()])];
    assert_eq!(codes(&mut trials, &SourceFiles::default()), [vec![], vec!["D01"]]);
    assert_eq!(code_of("clock", game.clone(), &SourceFiles::default()), [""; 0]);
    // The same exception also ends the bot in the middle of a game.
    let mut chance = crashed(&["100 ok", "311 1 c3"], &traceback("/b/bot.py", "assert code == 100", "AssertionError"));
    say(&mut chance, Speaker::Bot, &["1 c3"]);
    chance.plies.push(ply(Side::Black, "c3", Duration::ZERO));
    let mut trials = [
        trial("plain", Side::Black, Pass, vec![played("321 1 c3")]),
        trial("split", Side::Black, Fail, vec![chance]),
        trial("clock", Side::Black, Fail, vec![game]),
    ];
    assert!(codes(&mut trials, &SourceFiles::default()).iter().flatten().all(|code| *code != "D01"));
}

#[test]
fn a_bot_that_falls_silent_after_a_refusal_or_once_for_long_is_not_slow() {
    let game = |turns: &[Duration], cpu: Duration| {
        let mut game = facts(Side::Black);
        game.time_control = clocks(10 * SECOND, 10 * SECOND);
        (game.end, game.used) = (BoutEnd::FlagFell, 10 * SECOND);
        game.plies = turns.iter().map(|turn| ply(Side::Black, "c3", *turn)).collect();
        game.process.as_mut().unwrap().usage = Some(Usage { user: cpu, ..Usage::default() });
        game
    };
    let even = [SECOND; 7];
    assert_eq!(code_of("clock", game(&even, SECOND), &SourceFiles::default()), ["D16"]);
    let mut refused = game(&even, SECOND);
    refused.refusals =
        vec![Refusal { ply: 7, text: "8 a1".into(), why: "no".into(), kind: TryKind::Garbled, forged: true }];
    assert_eq!(code_of("clock", refused, &SourceFiles::default()), [""; 0]);
    // The machine hung in one turn.
    let mut once = [SECOND / 100; 7];
    once[2] = 9 * SECOND;
    assert_eq!(code_of("clock", game(&once, SECOND), &SourceFiles::default()), [""; 0]);
}

#[test]
fn swapped_times_show_in_the_pace_on_either_clock() {
    let (short, long) = (7 * SECOND, 60 * SECOND);
    let run = |own, other, turns: u32, pace: Duration, end: BoutEnd| {
        let mut game = facts(Side::Black);
        game.time_control = clocks(own, other);
        game.used = pace * turns;
        if end == BoutEnd::FlagFell {
            game.used = own;
        }
        game.plies = (0..turns).map(|_| ply(Side::Black, "c3", pace)).collect();
        game.end = end;
        game
    };
    let ended = || BoutEnd::Played(GameResult::resigned(Side::White));
    let code = |games| codes(&mut [trial("clock-uneven", Side::Black, Fail, games)], &SourceFiles::default()).remove(0);
    let swapped = vec![run(long, short, 12, SECOND / 3, ended()), run(short, long, 2, 3 * SECOND, BoutEnd::FlagFell)];
    assert_eq!(code(swapped), ["D13"]);
    // A bot that ignores its clocks is slow on both.
    let slow = vec![run(long, short, 12, SECOND, ended()), run(short, long, 7, SECOND, BoutEnd::FlagFell)];
    assert_eq!(code(slow), ["D16"]);
}

#[test]
fn a_slow_bot_is_distinguished_from_one_that_hangs() {
    let game = |turns: u32, pace: Duration, cpu: Duration| {
        let mut game = facts(Side::Black);
        game.time_control = clocks(10 * SECOND, 10 * SECOND);
        (game.end, game.used) = (BoutEnd::FlagFell, 10 * SECOND);
        game.plies = (0..turns).map(|_| ply(Side::Black, "c3", pace)).collect();
        game.process.as_mut().unwrap().usage = Some(Usage { user: cpu, ..Usage::default() });
        game
    };
    assert_eq!(code_of("clock", game(6, SECOND, SECOND), &SourceFiles::default()), ["D16"]);
    assert_eq!(code_of("clock", game(0, SECOND, 9 * SECOND), &SourceFiles::default()), ["D16"]);
    assert_eq!(code_of("clock", game(3, SECOND / 100, SECOND / 5), &SourceFiles::default()), [""; 0]);
}

/// A game in which the bot took a second for each of its `turns` moves, and waited for a core for `starved` in total.
fn paced(turns: u32, time_control: TimeControl, end: BoutEnd, starved: Duration) -> BoutFacts {
    let (used, ran) = (turns * SECOND, turns * SECOND / 2);
    let mut game = BoutFacts { time_control, end, used, took: used, ..facts(Side::Black) };
    game.starvation = Some(Starvation { starved, ran, of: used });
    game.plies = (0..turns).map(|_| ply(Side::Black, "c3", SECOND)).collect();
    game
}

#[test]
fn a_bot_that_waited_for_a_core_is_not_blamed_for_that_time() {
    let clocked = clocks(10 * SECOND, 10 * SECOND);
    let ended = || BoutEnd::Played(GameResult::resigned(Side::White));
    for (turns, time_control, end, starved, expected) in [
        (10, clocked, BoutEnd::FlagFell, SECOND / 2, &["D16"][..]),
        (10, clocked, BoutEnd::FlagFell, 2 * SECOND, &[]),
        (10, clocked, ended(), SECOND / 2, &["D16"]),
        (10, clocked, ended(), 2 * SECOND, &[]),
        (20, TimeControl::Unlimited, BoutEnd::TimedOut, SECOND, &["D16"]),
        (20, TimeControl::Unlimited, BoutEnd::TimedOut, 12 * SECOND, &[]),
    ] {
        let id = if time_control == clocked { "clock" } else { "plain" };
        let game = paced(turns, time_control, end, starved);
        assert_eq!(code_of(id, game.clone(), &SourceFiles::default()), expected, "{starved:?} {:?}", game.end);
    }
}

#[test]
fn a_clock_of_cpu_time_does_not_run_while_a_bot_waits() {
    let (clocked, wall_limit) = (clocks(10 * SECOND, 10 * SECOND), Some(100 * SECOND));
    let ended = || BoutEnd::Played(GameResult::resigned(Side::White));
    let sleeps = python(&[("bot.py", "def choose():\n    time.sleep(5)\n    search()\n")]);
    for end in [BoutEnd::FlagFell, ended()] {
        // A long wait for a core does not reduce the bot's own CPU time.
        let mut game = paced(10, clocked, end, 20 * SECOND);
        game.wall_limit = wall_limit;
        game.walls = vec![9 * SECOND; 10];
        let mut trials = [trial("clock", Side::Black, Fail, vec![game])];
        assert_eq!(codes(&mut trials, &sleeps), [["D16"]]);
        let Diagnosis { text, fix, evidence, place, .. } = trials[0].diagnoses.remove(0);
        assert!(text.contains(" 10 s of CPU time") && !text.contains("busy machine"), "{text}");
        assert!(fix.ends_with("(`clock = \"cpu\"`); measure that time.") && place.is_none(), "{fix} {place:?}");
        assert_eq!(evidence, ["10 moves in 10 s of CPU time", "the slowest turn took 1.0 s of CPU time"]);
    }
    // A bot whose wall time runs out has used little of its clock.
    let mut waits = paced(3, clocked, BoutEnd::OutOfWallTime, Duration::ZERO);
    (waits.wall_limit, waits.walls) = (wall_limit, vec![30 * SECOND; 3]);
    assert_eq!(code_of("clock", waits, &sleeps), [""; 0]);
    // The times of a game without clocks are wall times, which say nothing about CPU time.
    let mut plain = facts(Side::Black);
    plain.plies = (0..5).map(|_| ply(Side::Black, "c3", SECOND)).collect();
    plain.end = ended();
    let control = TimeControl::both("1/move".parse().expect("a control"));
    let mut silent = BoutFacts { time_control: control, end: BoutEnd::FlagFell, used: SECOND, ..facts(Side::Black) };
    for (limit, expected) in [(None, &["D16"][..]), (wall_limit, &[])] {
        silent.wall_limit = limit;
        let mut trials = [
            trial("plain", Side::Black, Pass, vec![plain.clone()]),
            trial("clock", Side::Black, Fail, vec![silent.clone()]),
        ];
        assert_eq!(codes(&mut trials, &SourceFiles::default())[1], expected, "{limit:?}");
    }
}

#[test]
fn a_slow_bot_is_referred_to_its_clock_only_if_it_was_told_of_one() {
    let told = |game: BoutFacts| {
        let (id, status) = if game.end == BoutEnd::TimedOut { ("plain", Timeout) } else { ("clock", Fail) };
        let mut trials = [trial(id, Side::Black, status, vec![game])];
        assert_eq!(codes(&mut trials, &SourceFiles::default()), [["D16"]]);
        let Diagnosis { text, fix, .. } = trials[0].diagnoses.remove(0);
        assert_eq!(text.matches(". ").count() + usize::from(text.ends_with('.')), 2, "{text}");
        let marks = ["watch its clock", "no clocks", "tell_clock = false", "first number after `101`"];
        marks.map(|mark| text.contains(mark) || fix.contains(mark))
    };
    let clocked = |hello: &str| {
        let mut game = paced(10, clocks(10 * SECOND, 10 * SECOND), BoutEnd::FlagFell, Duration::ZERO);
        say(&mut game, Speaker::Arena, &["000 hello", hello]);
        game
    };
    assert_eq!(told(clocked("101 10 10 go")), [true, false, false, true]);
    assert_eq!(told(clocked("100 go")), [false, false, true, false]);
    let unlimited = paced(20, TimeControl::Unlimited, BoutEnd::TimedOut, Duration::ZERO);
    assert_eq!(told(unlimited), [false, true, false, false]);
}

#[test]
fn a_slow_bot_is_told_in_the_terms_of_its_control() {
    let ended = || BoutEnd::Played(GameResult::resigned(Side::White));
    // `turns` are in tenths of a second. If the flag falls, it falls in the last of them.
    let game = |control: &str, turns: &[u32], end: BoutEnd| {
        let times = turns.iter().map(|tenths| SECOND / 10 * *tenths);
        let mut game = facts(Side::Black);
        game.used = times.clone().sum();
        let moves = turns.len() - usize::from(end == BoutEnd::FlagFell);
        game.plies = times.take(moves).map(|elapsed| ply(Side::Black, "c3", elapsed)).collect();
        (game.time_control, game.end) = (TimeControl::both(control.parse().expect("a control")), end);
        say(&mut game, Speaker::Arena, &["000 hello", "101 10 10 go"]);
        game
    };
    let sum = "the line `207`, which includes";
    for (control, turns, end, text, fix) in [
        (
            "6+1",
            &[30, 30, 30][..],
            BoutEnd::FlagFell,
            "Your bot's flag fell after 2 moves: it had used all of its 6 s, and all of its increments.",
            sum,
        ),
        (
            "10+1",
            &[50, 56, 1],
            ended(),
            "Your bot had only 0.4 s of its initial 10 s left at one point, which leaves no reserve for a busy machine.",
            sum,
        ),
        (
            "0:2x2",
            &[15, 30, 21],
            BoutEnd::FlagFell,
            "Your bot's flag fell after 2 moves: its move 3 did not end within the last period of 2 s.",
            sum,
        ),
        (
            "1/move",
            &[8, 8, 10],
            BoutEnd::FlagFell,
            "Your bot's flag fell after 2 moves: its move 3 took longer than the 1 s allowed for a move.",
            "three quarters of the time for a move",
        ),
        (
            "1/move",
            &[8, 10, 8],
            ended(),
            "Your bot used 1.00 of 1 s for its move 2, which leaves no reserve for a busy machine.",
            "`{move_time}`",
        ),
        (
            "1/move+2bank",
            &[15, 20, 5, 14],
            ended(),
            "Your bot used 1.90 of 2 s from its bank on 3 moves that took longer than 1 s, which leaves no reserve for a \
             busy machine.",
            "With a bank",
        ),
    ] {
        let mut trials = [trial("clock", Side::Black, Fail, vec![game(control, turns, end)])];
        assert_eq!(codes(&mut trials, &SourceFiles::default()), [["D16"]], "{control}");
        let Diagnosis { text: told, fix: advice, .. } = trials[0].diagnoses.remove(0);
        assert!(told.starts_with(text), "{told}");
        assert!(advice.contains(fix), "{advice}");
    }
    // Using up periods and increments is not a fault.
    for (control, turns) in [("6+1", &[10; 20][..]), ("0:2x2", &[15, 17, 15]), ("1/move+2bank", &[8, 12, 8])] {
        let mut played = trial("clock", Side::Black, Fail, vec![game(control, turns, ended())]);
        played.failure = Some(crate::drill::script::TrialFailure::UsedClock);
        assert_eq!(codes(&mut [played], &SourceFiles::default()), [[""; 0]], "{control}");
    }
}

#[test]
fn a_bot_that_never_makes_a_move_in_time_is_slow_if_it_makes_moves_elsewhere() {
    let control = TimeControl::both("1/move".parse().expect("a control"));
    let silent = BoutFacts { time_control: control, end: BoutEnd::FlagFell, used: SECOND, ..facts(Side::Black) };
    for (pace, expected) in [(SECOND / 2, &[][..]), (SECOND, &["D16"])] {
        let mut plain = facts(Side::Black);
        plain.plies = (0..5).map(|_| ply(Side::Black, "c3", pace)).collect();
        plain.end = BoutEnd::Played(GameResult::resigned(Side::White));
        let mut trials =
            [trial("plain", Side::Black, Pass, vec![plain]), trial("clock", Side::Black, Fail, vec![silent.clone()])];
        assert_eq!(codes(&mut trials, &SourceFiles::default())[1], expected, "{pace:?}");
    }
}

#[test]
fn a_move_that_comes_after_the_flag_has_fallen_shows_that_the_bot_does_not_hang() {
    let told = |control: &str, said: &str, after: Duration| {
        let mut game = facts(Side::Black);
        (game.time_control, game.end) = (TimeControl::both(control.parse().expect("a control")), BoutEnd::FlagFell);
        game.plies = vec![ply(Side::Black, "c3", SECOND / 100), ply(Side::White, "a1", Duration::ZERO)];
        game.used = game.time_control.of(Side::Black).expect("clocks").allowance() + SECOND / 100;
        (game.said_after_end, game.spoke_after) = (vec![said.to_owned()], Some(after));
        let mut trials = [trial("clock", Side::Black, Fail, vec![game])];
        diagnose(&mut trials, &SourceFiles::default());
        let [Trial { diagnoses, .. }] = trials;
        diagnoses.into_iter().map(|found| (found.cause.name(), found.evidence.concat())).collect::<Vec<_>>()
    };
    for control in ["1/move", "1/move+2bank", "0:1x5", "10", "10+1"] {
        let found = told(control, "2 d3", SECOND / 2);
        assert!(
            matches!(&found[..], [("D16", shown)] if shown.contains("the next move came 0.5 s too late")),
            "{found:?}"
        );
        for (said, after) in [("2 d3", SECOND / 20), ("3 d3", SECOND / 2), ("2 a1", SECOND / 2), ("bye", SECOND / 2)] {
            assert_eq!(told(control, said, after), [], "{control} {said} {after:?}");
        }
    }
}

#[test]
fn a_bot_that_computes_in_silence_is_busy() {
    let mut game = played("321 x");
    game.idle_cpu = Some(29 * SECOND / 10);
    assert_eq!(codes(&mut [trial("slow", Side::Black, Warn, vec![game.clone()])], &SourceFiles::default()), [["D15"]]);
    game.idle_cpu = Some(SECOND / 10);
    assert_eq!(codes(&mut [trial("slow", Side::Black, Warn, vec![game])], &SourceFiles::default()), [[""; 0]]);
}
