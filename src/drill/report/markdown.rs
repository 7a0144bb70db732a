//! The summary of a step of GitHub Actions, in Markdown.

use std::fmt::Write as _;

use super::groups::{TrialGroup, groups};
use super::wording::{class, codes, confinement, counted, verdict, what_happened, why};
use crate::base::sanitise::sanitised;
use crate::drill::readiness::{LevelCounts, Readiness, Trial, TrialStatus, TriedPlayer};
use crate::drill::script::Level;
use crate::results::quoting::{fenced, markdown};

/// How many lines at the end of a transcript are shown.
const SHOWN_LINES: usize = 30;

/// Renders `readiness` as tables: one of all players, and one for each player with failures or warnings. The text is at
/// most `most` bytes long; parts that do not fit completely are left out, and counted.
pub fn step_summary(readiness: &Readiness, most: usize) -> String {
    let mut text = overview(readiness);
    let parts: Vec<String> = readiness.players.iter().flat_map(parts).collect();
    let note = |left_out: usize| format!("\n{} left out: see the report.\n", counted(left_out, "part is", "parts are"));
    // The note itself must fit as well.
    let room = most.saturating_sub(note(parts.len()).len());
    if text.len() > room {
        return if most < 100 {
            String::new()
        } else {
            format!("{}\n{}", markdown(&class(readiness)), note(parts.len() + 1))
        };
    }
    let mut left_out = 0;
    for part in parts {
        if left_out == 0 && text.len() + part.len() <= room {
            text += &part;
        } else {
            left_out += 1;
        }
    }
    if left_out > 0 {
        text += &note(left_out);
    }
    text
}

fn overview(readiness: &Readiness) -> String {
    let mut text = format!("### Bots ready to play: {}\n\n", markdown(&class(readiness)));
    text += "| player | verdict | MUST | SHOULD |\n| :--- | :--- | :--- | :--- |\n";
    for player in &readiness.players {
        let [must, should] = [Level::Must, Level::Should].map(|level| share(player.counts(level)));
        let _ = writeln!(text, "| {} | {} | {must} | {should} |", markdown(&player.player), markdown(&verdict(player)));
    }
    for untried in &readiness.untried {
        let _ = writeln!(text, "| {} | not tried: {} | | |", markdown(&untried.player), markdown(&untried.why));
    }
    let _ = writeln!(text, "\n{}", markdown(&confinement(readiness)));
    text
}

/// How many of a level's trials passed, such as `26 of 28`, or `0 of 28, 26 not tried`.
fn share(counts: LevelCounts) -> String {
    let untried = if counts.skipped == 0 { String::new() } else { format!(", {} not tried", counts.skipped) };
    format!("{} of {}{untried}", counts.passed, counts.all())
}

/// The parts about `player`: a table of failures and warnings, followed by the transcripts.
fn parts(player: &TriedPlayer) -> Vec<String> {
    let groups = groups(player);
    let troubles: Vec<&TrialGroup<'_>> =
        groups.iter().filter(|group| matches!(group.status, TrialStatus::Fail | TrialStatus::Warn)).collect();
    if troubles.is_empty() {
        return Vec::new();
    }
    let mut table = format!(
        "\n#### {}\n\n| | scenarios | what happened | why | fix |\n| :--- | :--- | :--- | :--- | :--- |\n",
        markdown(&player.player)
    );
    table += &troubles.iter().map(|group| row(group)).collect::<String>();
    let transcripts = troubles.iter().filter_map(|group| transcript(player, group.first()));
    std::iter::once(table).chain(transcripts).collect()
}

fn row(group: &TrialGroup<'_>) -> String {
    let first = group.first();
    let all = |text: &dyn Fn(usize) -> String| (0..first.diagnoses.len()).map(text).collect::<Vec<_>>().join("<br>");
    format!(
        "| {} | {} | {} | {} | {} |\n",
        if group.status == TrialStatus::Warn { "WARN" } else { "FAIL" },
        markdown(&group.labels()),
        markdown(&what_happened(group)),
        all(&|index| markdown(&why(&first.diagnoses[index]))),
        all(&|index| markdown(&first.diagnoses[index].fix)),
    )
}

/// The end of the transcript of `trial`, collapsed.
fn transcript(player: &TriedPlayer, trial: &Trial) -> Option<String> {
    let text = trial.transcript()?.to_string();
    let lines: Vec<String> = text.lines().map(sanitised).collect();
    let shown = &lines[lines.len().saturating_sub(SHOWN_LINES)..];
    let codes = codes(trial);
    let title = format!("{}: {} {codes}", sanitised(&player.player), trial.name());
    Some(format!(
        "\n<details><summary>{}</summary>\n\n{}\n</details>\n",
        html(title.trim_end()),
        fenced(&shown.join("\n"))
    ))
}

/// `text` for an HTML element within Markdown.
fn html(text: &str) -> String {
    sanitised(text).chars().fold(String::new(), |mut escaped, letter| {
        if letter.is_ascii_punctuation() {
            let _ = write!(escaped, "&#{};", u32::from(letter));
        } else {
            escaped.push(letter);
        }
        escaped
    })
}
