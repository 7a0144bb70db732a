//! The Test Anything Protocol, version 14.

use std::fmt::Write as _;

use super::wording::{codes, verdict};
use crate::base::sanitise::sanitised;
use crate::drill::diagnosis::Diagnosis;
use crate::drill::readiness::{Readiness, Trial, TrialStatus, TriedPlayer};

/// Renders `readiness` with a test point for each player, and a subtest for a player's trials. A point is `not ok`
/// without a directive if and only if it counts against the player: a warning has the directive TODO unless `strict`,
/// so that harnesses show it but do not count it.
pub(super) fn tap(readiness: &Readiness, strict: bool) -> String {
    let all = readiness.players.len() + readiness.untried.len();
    let mut text = format!("TAP version 14\n1..{all}\n");
    for (number, player) in (1..).zip(&readiness.players) {
        text += &of_player(number, player, strict);
    }
    for (number, untried) in (readiness.players.len() + 1..).zip(&readiness.untried) {
        let (name, why) = (description(&untried.player), sanitised(&untried.why));
        let _ = writeln!(text, "ok {number} - {name} # SKIP {why}");
    }
    text
}

fn of_player(number: usize, player: &TriedPlayer, strict: bool) -> String {
    let name = description(&player.player);
    let mut text = format!("# Subtest: {name}\n    1..{}\n", player.trials.len());
    for (number, trial) in (1..).zip(&player.trials) {
        for line in of_trial(number, trial, strict).lines() {
            let _ = writeln!(text, "    {line}");
        }
    }
    let ok = if player.holds(strict) { "ok" } else { "not ok" };
    let _ = writeln!(text, "{ok} {number} - {name}\n  ---\n  message: {}\n  ...", scalar(&verdict(player)));
    text
}

fn of_trial(number: usize, trial: &Trial, strict: bool) -> String {
    let name = format!("{} ({})", trial.scenario.id, trial.side);
    match trial.status {
        TrialStatus::Pass => format!("ok {number} - {name}\n"),
        TrialStatus::Skip => format!("ok {number} - {name} # SKIP {}\n", sanitised(&trial.summary)),
        TrialStatus::Info => format!("not ok {number} - {name} # TODO information only\n{}", block(trial)),
        TrialStatus::Warn if !strict => {
            let codes = codes(trial);
            format!("not ok {number} - {name} # TODO warning {codes}").trim_end().to_owned() + "\n" + &block(trial)
        }
        TrialStatus::Fail | TrialStatus::Timeout | TrialStatus::Warn => {
            let codes = codes(trial);
            let codes = if codes.is_empty() { codes } else { format!(" # {codes}") };
            format!("not ok {number} - {name}{codes}\n{}", block(trial))
        }
    }
}

/// The YAML block of a test point.
fn block(trial: &Trial) -> String {
    let mut text = format!(
        "  ---\n  message: {}\n  level: {}\n  status: {}\n  seconds: {:.3}\n",
        scalar(&trial.summary),
        trial.scenario.level,
        trial.status,
        trial.took.as_secs_f64()
    );
    if !trial.diagnoses.is_empty() {
        text += "  diagnoses:\n";
        text += &trial.diagnoses.iter().map(of_diagnosis).collect::<String>();
    }
    if let Some(file) = &trial.transcript_file {
        let _ = writeln!(text, "  transcript: {}", scalar(file));
    }
    text + "  ...\n"
}

fn of_diagnosis(diagnosis: &Diagnosis) -> String {
    let mut text = format!("    - code: {}\n", diagnosis.cause);
    for (key, value) in [("title", &diagnosis.title), ("text", &diagnosis.text), ("fix", &diagnosis.fix)] {
        let _ = writeln!(text, "      {key}: {}", scalar(value));
    }
    if let Some(place) = &diagnosis.place {
        let _ = writeln!(text, "      file: {}", scalar(&place.file));
        if let Some(line) = place.line {
            let _ = writeln!(text, "      line: {line}");
        }
    }
    text
}

/// `text` as a YAML scalar in double quotes, which can be any JSON string.
fn scalar(text: &str) -> String {
    serde_json::Value::String(sanitised(text)).to_string()
}

/// `text` as the description of a test point.
fn description(text: &str) -> String {
    sanitised(text).replace('\\', "\\\\").replace('#', "\\#")
}
