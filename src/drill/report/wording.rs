//! Sentences shared by several reports.

use super::groups::TrialGroup;
use crate::base::sanitise::sanitised;
use crate::drill::diagnosis::{Diagnosis, exception_in};
use crate::drill::readiness::{Readiness, ReadinessVerdict, Trial, TrialStatus, TriedPlayer};
use crate::drill::script::{FailureCost, Level, ProcessExit};
use crate::results::quoting::{failed_build, shortened};

/// The verdict on `player` after all trials, in a sentence for its author.
pub fn verdict(player: &TriedPlayer) -> String {
    let [must, should] = [Level::Must, Level::Should].map(|level| player.counts(level));
    let skipped = |skipped| match skipped {
        0 => String::new(),
        skipped => format!("; {} not tried", counted(skipped, "check was", "checks were")),
    };
    match player.verdict() {
        ReadinessVerdict::Broken => {
            let (reason, _) = failed_build(player.broken.as_deref().unwrap_or_default());
            format!("broken: it cannot play at all: {}", sanitised(&reason))
        }
        ReadinessVerdict::NotReady => {
            let untried = match must.skipped {
                0 => String::new(),
                skipped => format!(", {} not tried", counted(skipped, "was", "were")),
            };
            format!("not ready: {} of {} MUST checks fail{untried}; {}", must.failed, must.all(), costs(player))
        }
        ReadinessVerdict::Open => {
            let untried = counted(player.untried_musts(), "was", "were");
            let passed = match must.passed {
                0 => format!("of the MUST checks, {untried} not tried"),
                1 => format!("the only MUST check that was tried passes, and {untried} not tried"),
                passed => format!("all {passed} MUST checks that were tried pass, and {untried} not tried"),
            };
            format!("open: {passed}{}", warnings(player))
        }
        ReadinessVerdict::Ready => {
            format!(
                "ready: all {} MUST checks pass{}{}",
                must.passed,
                warnings(player),
                skipped(must.skipped + should.skipped)
            )
        }
    }
}

/// The warnings of `player`, such as `; 2 warnings, which cannot cost a game`.
fn warnings(player: &TriedPlayer) -> String {
    match player.trials.iter().filter(|trial| trial.status == TrialStatus::Warn).count() {
        0 => "; no warnings".to_owned(),
        warnings => format!("; {}, which cannot cost a game", counted(warnings, "warning", "warnings")),
    }
}

/// What the failures of `player` would cost in a tournament.
fn costs(player: &TriedPlayer) -> String {
    let failures = player.trials.iter().filter(|trial| trial.has_failed()).filter_map(|trial| trial.failure);
    let costs: Vec<FailureCost> = failures.map(FailureCost::of).collect();
    let of = |cost| costs.iter().filter(|other| **other == cost).count();
    let (games, tries, all) = (of(FailureCost::Game), of(FailureCost::Tries), costs.len());
    if games > 0 && games == all {
        return "each failure costs a game in a tournament".to_owned();
    }
    let lost = match games {
        0 => "none of them costs a game on its own".to_owned(),
        games => format!("{} a game in a tournament", counted(games, "of them costs", "of them cost")),
    };
    if tries == 0 {
        return lost;
    }
    format!("{lost}; a refused line costs time, and too many of them lose the game (`illegal_tries`, `garbled_tries`)")
}

/// How many players are ready, and how many are not.
pub(super) fn class(readiness: &Readiness) -> String {
    let of = |verdict| readiness.players.iter().filter(|player| player.verdict() == verdict).count();
    let parts = [
        (of(ReadinessVerdict::Ready), "ready"),
        (of(ReadinessVerdict::Open), "open"),
        (of(ReadinessVerdict::NotReady), "not ready"),
        (of(ReadinessVerdict::Broken), "broken"),
        (readiness.untried.len(), "not tried"),
    ];
    let parts = parts.iter().filter(|(count, word)| *count > 0 || *word == "ready");
    parts.map(|(count, word)| format!("{count} {word}")).collect::<Vec<_>>().join(", ")
}

/// How bots were confined, and how many players were tried.
pub(super) fn confinement(readiness: &Readiness) -> String {
    let tried = readiness.players.len();
    let how = match readiness.isolation.as_str() {
        "" => String::new(),
        "D" => "bots are not confined (tier D); ".to_owned(),
        tier => format!("bots are confined by tier {}; ", sanitised(tier)),
    };
    match readiness.untried.len() {
        0 => format!("{how}{} tried", counted(tried, "player", "players")),
        others => format!("{how}{tried} of {} players tried", tried + others),
    }
}

/// What happened in the trials of `group`, described by the first trial. If the trials differ, the text names the first
/// trial as an example.
pub(super) fn what_happened(group: &TrialGroup<'_>) -> String {
    let first = group.first();
    let summary = sanitised(&first.summary);
    if group.agrees() { summary } else { format!("For example, {}: {summary}", first.name()) }
}

/// The text of `diagnosis`, with the code of the cause and the place in the source, such as `... (D01, bot.py:141)`.
pub(super) fn why(diagnosis: &Diagnosis) -> String {
    let place = diagnosis.place.as_ref().map_or(String::new(), |place| {
        let line = place.line.map_or(String::new(), |line| format!(":{line}"));
        format!(", {}{line}", sanitised(&place.file))
    });
    format!("{} ({}{place})", sanitised(&diagnosis.text), diagnosis.cause)
}

/// How many characters of a line of stderr are shown.
const LONGEST_LINE: usize = 200;

/// How many lines at the end of stderr are shown for a bot that ended badly without a known cause.
const SHOWN_STDERR: usize = 3;

/// If the bot's process ended badly in `trial` and no cause is known, the exception that the bot reported on stderr or,
/// failing that, the last lines of stderr.
pub(super) fn last_words(trial: &Trial) -> Vec<String> {
    let process = trial.decisive_game().and_then(|game| game.process.as_ref());
    let ended_badly = |exit: &ProcessExit| *exit != ProcessExit::Status(0);
    let process =
        process.filter(|process| trial.diagnoses.is_empty() && process.exit.as_ref().is_some_and(ended_badly));
    let stderr = process.map_or("", |process| &process.stderr);
    if let Some(headline) = exception_in(stderr) {
        return vec![format!("stderr: {}", shortened(&sanitised(headline.trim_end()), LONGEST_LINE))];
    }
    let lines: Vec<&str> = stderr.lines().filter(|line| !line.trim().is_empty()).collect();
    let shown = &lines[lines.len().saturating_sub(SHOWN_STDERR)..];
    shown.iter().map(|line| format!("stderr: {}", shortened(&sanitised(line.trim_end()), LONGEST_LINE))).collect()
}

/// The codes of the causes of `trial`, such as `D01, D07`.
pub(super) fn codes(trial: &Trial) -> String {
    trial.diagnoses.iter().map(|diagnosis| diagnosis.cause.name()).collect::<Vec<_>>().join(", ")
}

/// What the bot is expected to do in the scenario of `trial`, worded to follow a colon.
pub(super) fn expected(trial: &Trial) -> String {
    format!("the bot {}.", trial.scenario.about.trim_end_matches('.'))
}

/// Returns `count` followed by `one` or `several`.
pub(super) fn counted(count: usize, one: &str, several: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { several })
}
