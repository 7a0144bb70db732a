//! Facts and trials for tests.

use std::time::Duration;

use crate::game::rules::{Ruleset, Side};
use crate::referee::clock::TimeControl;
use crate::referee::drill::{BoutEnd, BoutFacts, Coming, ProcessFacts, Scenario, Speaker, Transcript};
use crate::results::readiness::{Trial, TrialStatus};

/// The facts of a bout in which nothing has happened.
pub(super) fn facts(side: Side) -> BoutFacts {
    BoutFacts {
        side,
        ruleset: Ruleset::Gothello,
        time_control: TimeControl::Unlimited,
        coming: Coming::Seated,
        plies: Vec::new(),
        refusals: Vec::new(),
        end: BoutEnd::NotBegun,
        forged: false,
        slowest: Duration::ZERO,
        used: Duration::ZERO,
        idle_cpu: None,
        said_after_end: Vec::new(),
        process: Some(ProcessFacts::default()),
        transcript: Transcript::default(),
    }
}

/// The outcome of the scenario with this name, decided by its last game.
pub(super) fn trial(id: &str, side: Side, status: TrialStatus, games: Vec<BoutFacts>) -> Trial {
    Trial {
        scenario: Scenario::find(id).expect("a scenario"),
        side,
        status,
        summary: String::new(),
        took: Duration::ZERO,
        decisive: games.len().saturating_sub(1),
        games,
        diagnoses: Vec::new(),
        transcript_file: None,
    }
}

/// Adds lines of one speaker to the transcript of `facts`.
pub(super) fn say(facts: &mut BoutFacts, by: Speaker, lines: &[&str]) {
    for line in lines {
        facts.transcript.add(Duration::ZERO, by, format!("{line}\r\n").as_bytes());
    }
}
