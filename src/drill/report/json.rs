//! One JSON object, which docs/reference/schemas/check.schema.json describes.

use std::time::Duration;

use serde::Serialize;

use crate::base::digits::rounded;
use crate::base::sanitise::sanitised;
use crate::drill::diagnosis::Diagnosis;
use crate::drill::readiness::{LevelCounts, Readiness, Trial, TriedPlayer, UntriedPlayer};
use crate::drill::script::{BoutFacts, Level, ProcessExit};
use crate::referee::record::TryKind;

/// The version of the object's format.
const FORMAT: u32 = 1;

#[derive(Serialize)]
struct ReadinessEntry<'a> {
    format: u32,
    program: &'static str,
    rules: String,
    isolation: &'a str,
    players: Vec<TriedEntry>,
    untried: Vec<UntriedEntry>,
}

#[derive(Serialize)]
struct UntriedEntry {
    player: String,
    why: String,
    void: bool,
}

#[derive(Serialize)]
struct TriedEntry {
    player: String,
    command: String,
    digest: Option<String>,
    verdict: &'static str,
    broken: Option<String>,
    must: CountsEntry,
    should: CountsEntry,
    seconds: f64,
    scenarios: Vec<TrialEntry>,
}

#[derive(Serialize)]
struct CountsEntry {
    passed: usize,
    failed: usize,
    skipped: usize,
}

#[derive(Serialize)]
struct TrialEntry {
    id: &'static str,
    side: String,
    level: &'static str,
    status: &'static str,
    flaky: bool,
    seconds: f64,
    forged: bool,
    summary: String,
    diagnoses: Vec<DiagnosisEntry>,
    transcript: Option<String>,
    moves: MovesEntry,
    exit: Option<ExitEntry>,
}

#[derive(Serialize)]
struct DiagnosisEntry {
    code: &'static str,
    title: String,
    text: String,
    evidence: Vec<String>,
    fix: String,
    file: Option<String>,
    line: Option<u32>,
}

#[derive(Serialize)]
struct MovesEntry {
    made: usize,
    refused: usize,
    garbled: usize,
}

#[derive(Serialize)]
struct ExitEntry {
    status: Option<i32>,
    signal: Option<i32>,
    after_end_ms: Option<f64>,
}

/// `readiness` as one JSON object.
pub(super) fn json(readiness: &Readiness) -> String {
    let entry = ReadinessEntry {
        format: FORMAT,
        program: env!("CARGO_PKG_VERSION"),
        rules: readiness.ruleset.to_string(),
        isolation: &readiness.isolation,
        players: readiness.players.iter().map(tried).collect(),
        untried: readiness.untried.iter().map(untried).collect(),
    };
    let text = serde_json::to_string_pretty(&entry).expect("a report can be written as JSON");
    // A CI server would treat `##` as the beginning of a command, wherever it occurs. In this text, it occurs only in
    // strings.
    text.replace("##", "#\\u0023") + "\n"
}

fn untried(UntriedPlayer { player, why, is_void }: &UntriedPlayer) -> UntriedEntry {
    UntriedEntry { player: sanitised(player), why: sanitised(why), void: *is_void }
}

fn tried(player: &TriedPlayer) -> TriedEntry {
    TriedEntry {
        player: sanitised(&player.player),
        command: sanitised(&player.command),
        digest: player.digest.as_deref().map(sanitised),
        verdict: player.verdict().name(),
        broken: player.broken.as_deref().map(|broken| broken.lines().map(sanitised).collect::<Vec<_>>().join("\n")),
        must: counts(player.counts(Level::Must)),
        should: counts(player.counts(Level::Should)),
        seconds: seconds(player.took),
        scenarios: player.trials.iter().map(of_trial).collect(),
    }
}

const fn counts(LevelCounts { passed, failed, skipped }: LevelCounts) -> CountsEntry {
    CountsEntry { passed, failed, skipped }
}

fn of_trial(trial: &Trial) -> TrialEntry {
    TrialEntry {
        id: trial.scenario.id,
        side: trial.side.word(),
        level: trial.scenario.level.name(),
        status: trial.status.name(),
        flaky: trial.flaky,
        seconds: seconds(trial.took),
        forged: trial.decisive_game().is_some_and(|game| game.forged),
        summary: sanitised(&trial.summary),
        diagnoses: trial.diagnoses.iter().map(of_diagnosis).collect(),
        transcript: trial.transcript_file.as_deref().map(sanitised),
        moves: moves(trial),
        exit: trial.decisive_game().and_then(exit),
    }
}

fn of_diagnosis(diagnosis: &Diagnosis) -> DiagnosisEntry {
    let place = diagnosis.place.as_ref();
    DiagnosisEntry {
        code: diagnosis.cause.name(),
        title: sanitised(&diagnosis.title),
        text: sanitised(&diagnosis.text),
        evidence: diagnosis.evidence.iter().map(|line| sanitised(line)).collect(),
        fix: sanitised(&diagnosis.fix),
        file: place.map(|place| sanitised(&place.file)),
        line: place.and_then(|place| place.line),
    }
}

/// The bot's moves in all games of `trial`. A legal move that the arena refused on purpose is not counted as refused.
fn moves(trial: &Trial) -> MovesEntry {
    let refused = |kind| {
        let of_game = trial.games.iter().flat_map(BoutFacts::true_refusals);
        of_game.filter(|refusal| refusal.kind == kind).count()
    };
    MovesEntry {
        made: trial.games.iter().map(|game| game.own_plies().count()).sum(),
        refused: refused(TryKind::Illegal),
        garbled: refused(TryKind::Garbled),
    }
}

fn exit(game: &BoutFacts) -> Option<ExitEntry> {
    let process = game.process.as_ref()?;
    let (status, signal) = match process.exit {
        Some(ProcessExit::Status(status)) => (Some(status), None),
        Some(ProcessExit::Signal(signal)) => (None, Some(signal)),
        None => (None, None),
    };
    Some(ExitEntry { status, signal, after_end_ms: process.left_after.map(|after| seconds(after) * 1000.0) })
}

/// `time` in seconds, rounded to milliseconds.
fn seconds(time: Duration) -> f64 {
    rounded(time.as_secs_f64(), 3)
}
