//! Workflow commands of GitHub Actions, which annotate a change with the problems that it caused.

use super::groups::{TrialGroup, groups};
use super::wording::{codes, expected, last_words, verdict, what_happened, why};
use crate::base::sanitise::sanitised;
use crate::drill::readiness::{Readiness, TrialStatus, TriedPlayer};
use crate::results::quoting::{failed_build, message, property, shortened};

/// The maximum number of annotations of each kind that GitHub shows for a step.
const MOST: usize = 10;

/// The maximum length of a title. GitHub truncates longer ones.
const LONGEST_TITLE: usize = 200;

/// At most ten lines in total, first `::error` and then `::warning` lines: one for each player that cannot play at all,
/// and one for each group of trials that failed or warned for the same reason.
pub fn annotations(readiness: &Readiness) -> String {
    let [mut lines, mut warnings] = [Vec::new(), Vec::new()];
    for player in &readiness.players {
        if player.broken.is_some() {
            lines.push(broken(player));
        }
        for group in groups(player) {
            match group.status {
                TrialStatus::Fail | TrialStatus::Timeout => lines.push(of_group("error", player, &group)),
                TrialStatus::Warn => warnings.push(of_group("warning", player, &group)),
                TrialStatus::Pass | TrialStatus::Info | TrialStatus::Skip => {}
            }
        }
    }
    lines.append(&mut warnings);
    lines.truncate(MOST);
    lines.concat()
}

fn broken(player: &TriedPlayer) -> String {
    let title = property(&sanitised(&player.player));
    let (_, output) = failed_build(player.broken.as_deref().unwrap_or_default());
    let told: Vec<String> = std::iter::once(sanitised(&verdict(player))).chain(output).collect();
    format!("::error title={title}::{}\n", message(&told.join("\n")))
}

fn of_group(command: &str, player: &TriedPlayer, group: &TrialGroup<'_>) -> String {
    let first = group.first();
    let codes = codes(first);
    let codes = if codes.is_empty() { codes } else { format!(" ({codes})") };
    let title = shortened(&format!("{}: {}{codes}", sanitised(&player.player), group.labels()), LONGEST_TITLE);
    let mut properties = format!("title={}", property(&title));
    if let Some(place) = first.diagnoses.iter().find_map(|diagnosis| diagnosis.place.as_ref()) {
        let line = place.line.map_or(String::new(), |line| format!(",line={line}"));
        let file = property(&sanitised(&player.path_of(&place.file)));
        properties = format!("{properties},file={file}{line}");
    }
    let mut told = vec![what_happened(group)];
    for diagnosis in &first.diagnoses {
        told.push(format!("Why: {}", why(diagnosis)));
        told.push(format!("Fix: {}", sanitised(&diagnosis.fix)));
    }
    told.extend(last_words(first).iter().map(|line| format!("Seen: {line}")));
    if first.diagnoses.is_empty() && group.only_scenario().is_some() {
        told.push(format!("Expected: {}", expected(first)));
    }
    if let Some(file) = &first.transcript_file {
        told.push(format!("Transcript: {}", sanitised(file)));
    }
    format!("::{command} {properties}::{}\n", message(&told.join("\n")))
}
