//! Facts and trials for tests.

use std::time::Duration;

use crate::drill::readiness::{Trial, TrialStatus};
use crate::drill::script::{BotSeat, BoutFacts, ProcessFacts, Scenario, Speaker};
use crate::game::Ruleset;
use crate::referee::time_control::TimeControl;

/// The facts of a bout on `side` in which nothing happened.
pub(in crate::drill) fn facts(side: impl Into<BotSeat>) -> BoutFacts {
    let not_begun = BoutFacts::not_begun(side, Ruleset::Gothello, TimeControl::Unlimited);
    BoutFacts { process: Some(ProcessFacts::default()), ..not_begun }
}

/// The outcome of the scenario `id` on `side`, decided by the last of `games`.
pub(in crate::drill) fn trial(id: &str, side: impl Into<BotSeat>, status: TrialStatus, games: Vec<BoutFacts>) -> Trial {
    let scenario = Scenario::find(id).expect("a scenario");
    let judged = (scenario.judge)(&games[games.len().saturating_sub(1)..]);
    Trial {
        scenario,
        side: side.into(),
        status,
        failure: judged.failure,
        skipped: None,
        summary: String::new(),
        flaky: false,
        took: Duration::ZERO,
        decisive: games.len().saturating_sub(1),
        second: None,
        games,
        diagnoses: Vec::new(),
        transcript_file: None,
    }
}

/// Adds `lines`, sent by the speaker `by`, to the transcript of `facts`.
pub(in crate::drill) fn say(facts: &mut BoutFacts, by: Speaker, lines: &[&str]) {
    for line in lines {
        facts.transcript.add(Duration::ZERO, by, format!("{line}\r\n").as_bytes());
    }
}
