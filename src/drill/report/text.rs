//! The report that a student reads.

use std::fmt::Write as _;

use super::groups::{TrialGroup, groups, in_words};
use super::wording::{class, confinement, counted, expected, last_words, verdict, what_happened, why};
use crate::base::sanitise::{inert, sanitised};
use crate::drill::diagnosis::Diagnosis;
use crate::drill::readiness::{Readiness, TrialStatus, TriedPlayer};
use crate::results::quoting::{WIDTH, failed_build, shortened, wrapped};
use crate::results::replay::Style;

/// How many characters of a digest are shown.
const SHORT_DIGEST: usize = 12;

/// How many lines of evidence are shown for each diagnosis. The transcript's file contains all of them.
const SHOWN_EVIDENCE: usize = 2;

/// The indentation of a group's contents.
const INDENT: &str = "        ";

/// Renders `readiness` for users, at most 80 columns wide.
pub(super) fn text(readiness: &Readiness, style: Style) -> String {
    let mut text = wrapped("", &confinement(readiness));
    for untried in &readiness.untried {
        text += &wrapped("  ", &format!("{}: not tried: {}", sanitised(&untried.player), sanitised(&untried.why)));
    }
    for player in &readiness.players {
        text += "\n";
        text += &of_player(player, style);
    }
    if readiness.players.len() + readiness.untried.len() > 1 {
        text += "\n";
        text += &wrapped("summary: ", &class(readiness));
    }
    inert(&text)
}

fn of_player(player: &TriedPlayer, style: Style) -> String {
    let heading = format!("{}: {}", sanitised(&player.player), sanitised(&player.command));
    let mut text = style.bold(wrapped("", &heading).trim_end()) + "\n";
    text += &wrapped("  ", &facts(player));
    for group in groups(player) {
        text += &of_group(&group, player.sides.len(), style);
    }
    text += &wrapped("  verdict: ", &verdict(player));
    let (_, output) = failed_build(player.broken.as_deref().unwrap_or_default());
    for line in output {
        let _ = writeln!(text, "    {}", shortened(&line, WIDTH - 4));
    }
    text
}

/// The digest of `player`, the number of its trials, and the time that they took.
fn facts(player: &TriedPlayer) -> String {
    let digest = player.digest.as_ref().map(|digest| {
        let digest: String = sanitised(digest).chars().take(SHORT_DIGEST).collect();
        format!("sha256 {digest}")
    });
    let checks = counted(player.trials.len(), "check", "checks");
    let seconds = format!("{:.1} s", player.took.as_secs_f64());
    digest.into_iter().chain([checks, seconds]).collect::<Vec<_>>().join(", ")
}

/// The word at the beginning of a group, and its colour.
const fn heading(status: TrialStatus) -> (&'static str, &'static str) {
    match status {
        TrialStatus::Pass => ("PASS", "32"),
        TrialStatus::Fail | TrialStatus::Timeout => ("FAIL", "31"),
        TrialStatus::Warn => ("WARN", "33"),
        TrialStatus::Info => ("INFO", "36"),
        TrialStatus::Skip => ("SKIP", "2"),
    }
}

/// Describes `group`, whose player plays `all` seats.
fn of_group(group: &TrialGroup<'_>, all: usize, style: Style) -> String {
    let (word, colour) = heading(group.status);
    let labels = if group.status == TrialStatus::Pass { passes(group, all) } else { group.labels() };
    // The colour is added after wrapping, because its escape sequences take up no columns.
    let mut text = wrapped(&format!("  {word}  "), &labels).replacen(word, &style.paint(colour, word), 1);
    match group.status {
        TrialStatus::Pass => {}
        TrialStatus::Info | TrialStatus::Skip => text += &wrapped(INDENT, &what_happened(group)),
        TrialStatus::Fail | TrialStatus::Timeout | TrialStatus::Warn => text += &trouble(group),
    }
    text
}

/// The scenarios that passed. A scenario that passed on both sides, or in `all` seats, is listed without its sides or
/// seats. Notes about trials that passed follow in parentheses.
fn passes(group: &TrialGroup<'_>, all: usize) -> String {
    let items = group.scenarios().into_iter().map(|(id, sides)| {
        let trials = group.trials.iter().filter(|trial| trial.scenario.id == id);
        let told: Vec<String> = trials
            .filter(|trial| !trial.summary.is_empty())
            .map(|trial| format!("{}: {}", trial.side, sanitised(trial.summary.trim_end_matches('.'))))
            .collect();
        let told = if told.is_empty() { String::new() } else { format!(" ({})", told.join("; ")) };
        match sides[..] {
            [side] if told.is_empty() => format!("{id} (as {side})"),
            _ if told.is_empty() && sides.len() < all => format!("{id} (as {})", in_words(&sides)),
            _ => format!("{id}{told}"),
        }
    });
    items.collect::<Vec<_>>().join(", ")
}

/// What happened, why, and what to do.
fn trouble(group: &TrialGroup<'_>) -> String {
    let first = group.first();
    let mut text = wrapped(INDENT, &what_happened(group));
    for diagnosis in &first.diagnoses {
        text += &cause(diagnosis);
    }
    for line in last_words(first) {
        text += &wrapped(&format!("{INDENT}Seen: "), &line);
    }
    if first.diagnoses.is_empty() && group.only_scenario().is_some() {
        text += &wrapped(&format!("{INDENT}Expected: "), &expected(first));
    }
    if let Some(file) = &first.transcript_file {
        // A path is not wrapped, so that it can be copied.
        let _ = writeln!(text, "{INDENT}Transcript: {}", sanitised(file));
    }
    text
}

fn cause(diagnosis: &Diagnosis) -> String {
    let mut text = wrapped(&format!("{INDENT}Why: "), &why(diagnosis));
    for line in diagnosis.evidence.iter().take(SHOWN_EVIDENCE) {
        text += &wrapped(&format!("{INDENT}Seen: "), &sanitised(line));
    }
    text + &wrapped(&format!("{INDENT}Fix: "), &sanitised(&diagnosis.fix))
}
