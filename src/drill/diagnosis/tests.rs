//! Each cause is found in the facts that show it, and in no other facts.

mod clocks;
mod endings;
mod exceptions;
mod missing;
mod speech;
mod startup;

use std::time::Duration;

use super::trials_for_tests::{facts, say, trial};
use super::*;
use crate::base::sanitise::sanitised;
use crate::drill::readiness::Trial;
use crate::drill::readiness::TrialStatus::{Fail, Info, Pass, Skip, Timeout, Warn};
use crate::drill::script::{BoutEnd, BoutFacts, Coming, ProcessExit, Refusal, Replay, Speaker};
use crate::game::{BySide, Side};
use crate::referee::record::{Ply, Tries, TryKind};
use crate::referee::result::{GameResult, Termination};
use crate::referee::time_control::TimeControl;
use crate::referee::usage::Usage;

const SECOND: Duration = Duration::from_secs(1);

fn python(files: &[(&str, &str)]) -> SourceFiles {
    let files = files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
    SourceFiles { files, command: vec!["python3".into(), "bot.py".into()], hosts: Vec::new() }
}

/// Diagnoses a bot that behaves the same each time.
fn diagnose(trials: &mut [Trial], sources: &SourceFiles) {
    diagnose_with(trials, sources, |first, replay| match replay {
        Replay::Alike | Replay::Patient => first.clone(),
        Replay::Whole | Replay::Piped => played("321 x"),
        Replay::Held => BoutFacts { early: Some(false), ..first.clone() },
    });
}

/// Diagnoses a bot whose behaviour in each replay is derived from the first game by `again`.
fn diagnose_with(trials: &mut [Trial], sources: &SourceFiles, again: impl Fn(&BoutFacts, Replay) -> BoutFacts) {
    let mut search = CauseSearch::new(trials, sources);
    while let Some(wanted) = search.next(trials) {
        let facts = again(&trials[wanted.trial].games[wanted.game], wanted.replay);
        search.add(wanted, facts);
    }
    search.tell(trials);
}

/// The codes of the causes assigned to each trial.
fn codes(trials: &mut [Trial], sources: &SourceFiles) -> Vec<Vec<&'static str>> {
    diagnose(trials, sources);
    trials.iter().map(|trial| trial.diagnoses.iter().map(|found| found.cause.name()).collect()).collect()
}

/// The codes of the causes assigned to a single trial of the scenario `id` with the single game `game`.
fn code_of(id: &str, game: BoutFacts, sources: &SourceFiles) -> Vec<&'static str> {
    let status = if game.end == BoutEnd::TimedOut { Timeout } else { Fail };
    codes(&mut [trial(id, Side::Black, status, vec![game])], sources).remove(0)
}

/// `game`, after which the bot exited with `status` and wrote `stderr`.
fn exited(mut game: BoutFacts, status: i32, stderr: &str) -> BoutFacts {
    let process = game.process.as_mut().expect("started");
    (process.exit, process.left_after) = (Some(ProcessExit::Status(status)), Some(Duration::ZERO));
    process.stderr = stderr.to_owned();
    game
}

fn absent(reason: &str, status: i32, stderr: &str) -> BoutFacts {
    let mut game = exited(facts(Side::Black), status, stderr);
    game.coming = Coming::Failed { termination: Termination::NoShow, reason: reason.to_owned() };
    game
}

/// A game in which the bot exited after the arena had sent the lines `told`.
fn crashed(told: &[&str], stderr: &str) -> BoutFacts {
    let mut game = exited(facts(Side::Black), 1, stderr);
    say(&mut game, Speaker::Arena, &["000 hello"]);
    say(&mut game, Speaker::Bot, &["0.9.1 player black"]);
    say(&mut game, Speaker::Arena, told);
    game.end = BoutEnd::Crashed("exited with code 1".into());
    game
}

/// A game that ended as planned with the line `last`.
fn played(last: &str) -> BoutFacts {
    let mut game = exited(facts(Side::Black), 0, "");
    say(&mut game, Speaker::Arena, &["000 hello", "100 ok", "352 go"]);
    say(&mut game, Speaker::Bot, &["0.9.1 player black", "1 c3"]);
    say(&mut game, Speaker::Arena, &["200 ok", last]);
    game.plies.push(ply(Side::Black, "c3", Duration::ZERO));
    game.end = BoutEnd::Played(GameResult::resigned(Side::White));
    game
}

fn ply(side: Side, played: &str, elapsed: Duration) -> Ply {
    let (elapsed, tries) = (Some(elapsed), Tries::default());
    Ply {
        seat: side.into(),
        played: played.parse().unwrap(),
        elapsed,
        left: None,
        late_credit: false,
        tries,
        thought: None,
        note: None,
    }
}

fn clocks(own: Duration, other: Duration) -> TimeControl {
    TimeControl::sudden_death(BySide { black: own, white: other })
}

fn traceback(file: &str, code: &str, message: &str) -> String {
    format!("Traceback (most recent call last):\n  File \"{file}\", line 2, in f\n    {code}\n{message}\n")
}

const GAI: &str = "socket.gaierror: [Errno -2] Name or service not known";

/// `game` after one move of each side.
fn after_a_move(mut game: BoutFacts) -> BoutFacts {
    game.plies = vec![ply(Side::Black, "c3", Duration::ZERO), ply(Side::White, "d4", Duration::ZERO)];
    game
}

fn refused(side: Side, text: &str, kind: TryKind) -> BoutFacts {
    let mut game = facts(side);
    game.plies = vec![ply(Side::Black, "c3", Duration::ZERO)];
    if side == Side::Black {
        game.plies.push(ply(Side::White, "d4", Duration::ZERO));
    }
    let ply = game.plies.len();
    game.refusals = vec![Refusal { ply, text: text.into(), why: "no".into(), kind, forged: false }];
    game.end = BoutEnd::Stuck("40 refused lines".into());
    game
}

#[test]
fn a_cause_is_reported_only_under_failures_that_it_explains_and_if_nothing_contradicts_it() {
    // If a bot does not leave after one of its moves was refused, no cause related to endings is reported.
    let stays = |last: &str| {
        let mut game = played(last);
        let process = game.process.as_mut().unwrap();
        (process.exit, process.left_after) = (None, None);
        game
    };
    let refused = BoutFacts { refusals: refused(Side::Black, "1 a1", TryKind::Illegal).refusals, ..stays("325 x") };
    let mut trials =
        [trial("win", Side::Black, Pass, vec![played("321 x")]), trial("draw", Side::Black, Fail, vec![refused])];
    assert_eq!(codes(&mut trials, &SourceFiles::default()), [vec![""; 0], vec![]]);
    // A bot that handles a draw elsewhere does not treat draws as errors.
    let fails = exited(played("203 draw"), 1, "");
    let mut trials = [
        trial("win", Side::Black, Pass, vec![played("321 x")]),
        trial("draw", Side::Black, Warn, vec![fails.clone()]),
        trial("draw", Side::White, Pass, vec![played("325 x")]),
    ];
    assert_eq!(codes(&mut trials, &SourceFiles::default())[1], ["D17"]);
    // If a bot never leaves, and no game ended on the board, its games reveal nothing about any code.
    let mut trials = [
        trial("win", Side::Black, Fail, vec![crashed(&["100 ok"], "")]),
        trial("opponent-leaves", Side::Black, Warn, vec![stays("391 x")]),
    ];
    assert_eq!(codes(&mut trials, &SourceFiles::default()), [[""; 0], [""; 0]]);
}

#[test]
fn a_cause_that_does_not_reappear_is_not_reported() {
    fn good() -> BoutFacts {
        played("321 x")
    }
    fn bad() -> BoutFacts {
        crashed(&["311 1 c3"], "")
    }
    let sources = python(&[("bot.py", "data = sock.recv(1024)\n")]);
    let fails = || crashed(&["311 1 c3"], "");
    let told = |again: fn() -> BoutFacts, whole: fn() -> BoutFacts| {
        let mut trials = [
            trial("plain", Side::Black, Pass, vec![played("321 x")]),
            trial("merged", Side::Black, Fail, vec![fails()]),
        ];
        diagnose_with(&mut trials, &sources, |_, replay| if replay == Replay::Whole { whole() } else { again() });
        trials[1].diagnoses.iter().map(|found| found.cause.name()).collect::<Vec<_>>()
    };
    assert_eq!(told(bad, good), ["D10"]);
    assert_eq!(told(good, good), [""; 0], "it crashed by chance");
    assert_eq!(told(bad, bad), [""; 0], "it crashes in this game however the lines arrive");
    let void = || BoutFacts { end: BoutEnd::Void("no memory".into()), ..facts(Side::Black) };
    assert_eq!(told(void, good), [""; 0], "a void game shows nothing");
}

#[test]
fn nothing_is_diagnosed_where_a_scenario_passes_or_is_skipped_or_only_reported() {
    let stderr = traceback("/b/bot.py", "import numpy", "ModuleNotFoundError: No module named 'numpy'");
    for status in [Pass, Skip, Info] {
        let mut trials = [trial("hello", Side::Black, status, vec![absent("exited", 1, &stderr)])];
        assert_eq!(codes(&mut trials, &SourceFiles::default()), [[""; 0]], "{status}");
    }
    let mut void = absent("exited", 1, &stderr);
    void.end = BoutEnd::Void("out of memory".into());
    assert_eq!(codes(&mut [trial("hello", Side::Black, Fail, vec![void])], &SourceFiles::default()), [[""; 0]]);
    assert_eq!(codes(&mut [trial("hello", Side::Black, Fail, vec![])], &SourceFiles::default()), [[""; 0]]);
}

#[test]
fn hostile_text_comes_out_printable_and_short() {
    let nasty = format!("\u{1b}]0;x\u{7}\u{202e}{}\u{85}\u{0}", "A".repeat(1 << 16));
    let sources = python(&[("\u{1b}[2Jbot.py", &format!("HOST = 'b.edu'  # {nasty}\n{nasty}\n"))]);
    let messages = [
        format!("ModuleNotFoundError: No module named '{nasty}'"),
        format!("{GAI} {nasty}"),
        format!("java.net.UnknownHostException: {nasty}"),
        format!("NameError: name 'white_time_control{nasty}' is not defined"),
        format!("FileNotFoundError: [Errno 2] No such file or directory: '{nasty}'"),
        format!("usage: {nasty}"),
        nasty.clone(),
    ];
    for message in messages {
        let mut clocked = crashed(&["101 1 1 x", &nasty], &traceback("/b/\u{1b}[2Jbot.py", &nasty, &message));
        clocked.time_control = clocks(SECOND, SECOND);
        let mut refused = refused(Side::Black, &format!("1 d3 {nasty}"), TryKind::Garbled);
        refused.process.as_mut().unwrap().stderr.clone_from(&message);
        let mut trials = [
            trial(
                "hello",
                Side::Black,
                Fail,
                vec![absent(&message, 1, &traceback("/b/\u{1b}[2Jbot.py", &nasty, &message))],
            ),
            trial("clock", Side::Black, Fail, vec![clocked]),
            trial("plain", Side::Black, Fail, vec![refused]),
            trial("draw", Side::Black, Warn, vec![exited(played(&format!("203 {nasty}")), 1, &message)]),
        ];
        diagnose(&mut trials, &sources);
        for found in trials.iter().flat_map(|trial| &trial.diagnoses) {
            let place = found.place.as_ref().map(|place| place.file.clone()).unwrap_or_default();
            for text in [&found.title, &found.text, &found.fix, &place].into_iter().chain(&found.evidence) {
                assert_eq!(*text, sanitised(text));
                assert!(text.len() < 2000, "{}", text.len());
            }
        }
    }
}

#[test]
fn each_text_is_two_sentences_and_each_diagnosis_has_evidence_and_a_fix() {
    let stderr = traceback("/b/bot.py", "import numpy", "ModuleNotFoundError: No module named 'numpy'");
    let as_white = BoutFacts { side: Side::White.into(), ..absent("exited", 1, &stderr) };
    let mut trials = [
        trial("hello", Side::White, Fail, vec![as_white]),
        trial("plain", Side::Black, Timeout, vec![refused(Side::Black, "d3", TryKind::Garbled)]),
        trial("win", Side::Black, Warn, vec![exited(played("321 x"), 3, "")]),
    ];
    assert_eq!(codes(&mut trials, &SourceFiles::default()), [["D14"], ["D08"], ["D17"]]);
    for found in trials.iter().flat_map(|trial| &trial.diagnoses) {
        assert_eq!(found.title, found.cause.title());
        assert_eq!(found.text.matches(". ").count() + usize::from(found.text.ends_with('.')), 2, "{}", found.text);
        assert!(!found.evidence.is_empty() && found.fix.ends_with('.'), "{found:?}");
    }
}
