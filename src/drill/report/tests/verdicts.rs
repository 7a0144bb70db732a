//! The verdict on whether a bot is ready.

use super::*;
use crate::drill::readiness::ReadinessVerdict;

#[test]
fn a_verdict_says_what_failures_cost() {
    let told = |failures: &[TrialFailure]| {
        let failed = |failure: &TrialFailure| Trial {
            failure: Some(*failure),
            ..trial(&MUST, Side::Black, TrialStatus::Fail, "x")
        };
        let heron = TriedPlayer { trials: failures.iter().map(failed).collect(), ..player("heron", "") };
        let readiness = Readiness { players: vec![heron], untried: Vec::new(), ..example() };
        written(&readiness, ReadinessFormat::Text, false).replace("\n          ", "")
    };
    for (failures, said) in [
        (&[TrialFailure::Crashed, TrialFailure::FlagFell][..], "fail; each failure costs a game in a tournament\n"),
        (
            &[TrialFailure::Illegal, TrialFailure::Illegal],
            "fail; none of them costs a game on its own; a refused line costs time",
        ),
        (
            &[TrialFailure::Illegal, TrialFailure::Absent],
            "fail; 1 of them costs a game in a tournament; a refused line costs time",
        ),
        (&[TrialFailure::SpokeAfterEnd], "fail; none of them costs a game on its own\n"),
    ] {
        assert!(told(failures).contains(said), "{}", told(failures));
    }
}

#[test]
fn a_verdict_counts_the_checks_that_were_not_tried() {
    let mut skipped = example();
    let skip = |scenario, side| trial(scenario, side, TrialStatus::Skip, "It did not come.");
    skipped.players[0].trials.extend([skip(&OTHER_MUST, Side::White), skip(&MUST, Side::White)]);
    let text = written(&skipped, ReadinessFormat::Text, false);
    assert!(text.contains("not ready: 3 of 5 MUST checks fail, 2 were not tried; each"), "{text}");
    assert!(step_summary(&skipped, usize::MAX).contains("| 0 of 5, 2 not tried | 1 of 2 |"));
}

#[test]
fn a_bot_is_ready_only_if_every_must_check_was_tried() {
    let passed = |scenario, side| trial(scenario, side, TrialStatus::Pass, "");
    for (trials, said) in [
        (vec![passed(&SHOULD, Side::Black)], "open: of the MUST checks, 28 were not tried; no warnings"),
        (vec![passed(&MUST, Side::Black)], "open: the only MUST check that was tried passes, and 27 were not tried"),
        (all_musts().into_iter().skip(1).collect(), "open: all 27 MUST checks that were tried pass, and 1 was not"),
        (all_musts(), "ready: all 28 MUST checks pass; no warnings"),
    ] {
        let heron = TriedPlayer { trials, ..player("heron", "") };
        let readiness = Readiness { players: vec![heron], untried: Vec::new(), ..example() };
        let text = written(&readiness, ReadinessFormat::Text, false).replace("\n          ", "");
        assert!(text.contains(said), "{text}");
    }
}

#[test]
fn strictness_is_the_same_in_every_report() {
    let mut warned = example();
    warned.players.remove(0);
    warned.players[0].trials.push(trial(&SHOULD, Side::Black, TrialStatus::Warn, "It raised an exception."));
    for strict in [false, true] {
        assert_eq!(warned.holds(strict), !strict);
        let tap = written(&warned, ReadinessFormat::Tap, strict);
        assert_eq!(tap.contains("\nnot ok 1 - kestrel"), strict, "{tap}");
        assert_eq!(tap.contains("# TODO warning"), !strict, "{tap}");
        let xml = written(&warned, ReadinessFormat::Junit, strict);
        assert_eq!(xml.contains("<failure"), strict, "{xml}");
        assert!(xml.contains("It raised an exception."), "{xml}");
    }
}

#[test]
fn a_bot_is_open_if_the_machine_has_spoiled_a_must() {
    let mut player = TriedPlayer { trials: all_musts(), ..player("heron", "heron") };
    assert_eq!(player.verdict(), ReadinessVerdict::Ready);
    player.trials[0].status = TrialStatus::Info;
    player.trials[0].games[0].end = BoutEnd::Void("no core".to_owned());
    assert_eq!((player.verdict(), player.counts(Level::Must).skipped), (ReadinessVerdict::Open, 1));
}
