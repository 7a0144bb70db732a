//! Gradebooks for tests, with at least one example of everything that a gradebook can contain.

use std::time::Duration;

use serde_json::json;

use crate::course::grades::{
    FigureUnit, Gradebook, GradedGame, ItemMark, KeptDrill, MarkEvidence, MarkFigure, MarkState, StudentGrade,
};
use crate::course::roster::{RosterEntry, SubmissionLayout, SubmissionState};
use crate::course::rubric::{
    AccuracyKind, AccuracyPhase, AccuracyRule, Doubt, GradePoints, ItemRule, LegalityRule, PointScale, Rubric,
    RubricItem, RubricPlay, ScoreRule,
};
use crate::drill::script::Level;
use crate::game::{BySide, Outcome, Ruleset, Side};
use crate::referee::record::{GameRecord, Ply, Try, TryKind};
use crate::referee::result::{GameResult, Termination};
use crate::results::analysis::{Analysis, AnalyzedMove, BetterLines, Phase};

pub(super) fn points(number: f64) -> GradePoints {
    GradePoints::new(number).expect("points")
}

fn scale(full: f64, zero: f64) -> PointScale {
    PointScale::new(full, zero).expect("a scale")
}

/// A rubric with an item of each kind, worth 100 points plus 5.
pub(super) fn rubric() -> Rubric {
    let item = |id: &str, worth: f64, rule: ItemRule| RubricItem {
        id: id.to_owned(),
        title: None,
        points: points(worth),
        bonus: false,
        rule,
    };
    let score = |baseline: &str, full: f64| ScoreRule {
        against: baseline.parse().expect("a baseline"),
        scale: scale(full, 0.2),
        confidence: 0.9,
        doubt: Doubt::Student,
    };
    let accuracy = AccuracyRule {
        figure: AccuracyKind::WinnerKept,
        phase: AccuracyPhase::Middle,
        scale: scale(0.9, 0.7),
        min_judged: 100,
    };
    let forfeits = ItemRule::Forfeits { scale: scale(0.0, 5.0), kinds: vec![Termination::Time, Termination::Crash] };
    Rubric {
        title: "CS 441 <final>".to_owned(),
        total: points(100.0),
        rounding: points(0.5),
        one_side: 1.0,
        play: RubricPlay { games: 20, max_games: 100, control: None, seed: 441, analysis: Duration::from_secs(5) },
        items: vec![
            item("protocol", 30.0, ItemRule::Check { level: Level::Must, all: false }),
            item("legal", 20.0, ItemRule::Legality(LegalityRule { scale: scale(0.0, 50.0), min_moves: 100 })),
            item("no-forfeits", 10.0, forfeits),
            item("minimax", 30.0, ItemRule::Score(score("alphabeta 2", 0.5))),
            item("accuracy", 10.0, ItemRule::Accuracy(accuracy)),
            item("writeup", 0.0, ItemRule::Manual),
            RubricItem { bonus: true, ..item("beats-ab3", 5.0, ItemRule::Score(score("alphabeta 3", 0.55))) },
        ],
    }
}

/// A mark with a figure and an interval around the figure.
pub(super) fn mark(worth: f64, state: MarkState) -> ItemMark {
    let is_given = matches!(state, MarkState::Settled | MarkState::Borderline);
    let figure = MarkFigure { value: 0.6, interval: Some([0.5, 0.7]), counted: 0.7, unit: FigureUnit::Share };
    ItemMark {
        points: is_given.then(|| points(worth)),
        figure: is_given.then_some(figure),
        state,
        sentence: "12 points of 20 games".to_owned(),
        evidence: MarkEvidence::default(),
    }
}

/// A drill in which a MUST check failed on both sides because of D04.
pub(super) fn drill(why: &str) -> KeptDrill {
    let cause = json!({ "code": "D04", "title": "the bot does not turn over captured groups", "text": why, "evidence": [],
                        "fix": "Turn the group.", "file": "bot.py", "line": 7 });
    let trial = |side: &str, status: &str| {
        let causes = if status == "fail" { vec![cause.clone()] } else { Vec::new() };
        json!({ "id": "captures", "side": side, "level": "MUST", "status": status, "summary": "it passes", "diagnoses": causes,
                "transcript": null, "made": 12, "refused": 0, "garbled": 0, "games": 1, "games_ms": 40, "void": false })
    };
    let drill = json!({ "format": 1, "program": env!("CARGO_PKG_VERSION"), "ruleset": "gothello", "control": "10", "isolation": "A", "player": "Ada",
                        "digest": "00", "files": {}, "definition": { "name": "Ada", "facts": {} }, "broken": null, "took_ms": 1500,
                        "trials": [trial("black", "fail"), trial("white", "fail"), trial("black", "pass")] });
    KeptDrill::read(drill.to_string().as_bytes()).expect("a drill")
}

/// A game lost as black against `baseline`, in which the move `3 c3` was a blunder that changed the value from `before`
/// to `after` stones.
pub(super) fn lost(id: &str, baseline: &str, [before, after]: [i32; 2]) -> GradedGame {
    let players = BySide { black: "Ada".to_owned(), white: baseline.to_owned() };
    let result = GameResult::played(Outcome::of_margin(after));
    let mut record = GameRecord::of(Ruleset::Gothello, players, Ok(result));
    record.game = Some(id.to_owned());
    record.site = Some("a-machine".to_owned());
    let moves = ["b2", "d4", "c3", "d2", "e5"];
    record.plies = Side::BOTH
        .into_iter()
        .cycle()
        .zip(moves)
        .map(|(side, played)| {
            let elapsed = Some(Duration::from_millis(if side == Side::Black { 250 } else { 9000 }));
            Ply { elapsed, ..Ply::untimed(side, played.parse().expect("a move")) }
        })
        .collect();
    let analyzed = |(index, ply): (usize, &Ply)| {
        let value = |from: usize| Some(Outcome::of_margin(if from <= 2 { before } else { after }));
        AnalyzedMove {
            side: ply.side(),
            played: ply.played,
            empty: 9,
            phase: Phase::Middle,
            given: false,
            before: value(index),
            after: value(index + 1),
            depths: [None; 2],
            better: (index == 2).then(|| "e1".parse().expect("a move")),
        }
    };
    let moves = record.plies.iter().enumerate().map(analyzed).collect();
    GradedGame {
        id: format!("ada/{baseline}/{id}"),
        baseline: baseline.to_owned(),
        side: Side::Black,
        is_first: true,
        analysis: Some(Analysis { ruleset: Ruleset::Gothello, moves, lines: BetterLines::default() }),
        record,
        repeats: None,
        log: format!("/home/teacher/games/{id}.log").into(),
        stderr_tail: None,
    }
}

/// A game that the student forfeited, with the bot's output.
pub(super) fn forfeited(id: &str, kind: Termination, reason: &str, stderr: &str) -> GradedGame {
    let mut game = lost(id, "greedy", [3, -3]);
    game.record.result = Ok(GameResult::forfeit(Side::Black, kind, reason));
    game.analysis = None;
    game.stderr_tail = Some(stderr.to_owned());
    game.record.plies[2].tries.push(Try::new(TryKind::Illegal, "3 b2<i>"));
    game
}

/// A student with a failed drill, lost games and a crash. All untrusted text is `hostile`.
pub(super) fn student(player: &str, hostile: &str) -> StudentGrade {
    let settled = [10.0, 18.5, 5.0];
    let mut marks: Vec<ItemMark> = settled.map(|worth| mark(worth, MarkState::Settled)).into();
    marks.extend([mark(12.0, MarkState::Borderline), mark(0.0, MarkState::Incomplete), mark(0.0, MarkState::Manual)]);
    marks.push(mark(2.5, MarkState::Settled));
    StudentGrade {
        player: player.to_owned(),
        slug: "ada".to_owned(),
        marks,
        drill: Some(drill(hostile)),
        games: vec![
            lost("r1-ada-greedy", "greedy", [1, -1]),
            lost("r3-ada-greedy", "greedy", [8, -8]),
            lost("r5-ada-greedy", "greedy", [4, -2]),
            lost("r1-ada-alphabeta_2", "alphabeta 2", [2, -2]),
            forfeited("r7-ada-greedy", Termination::Crash, hostile, hostile),
        ],
    }
}

pub(super) fn gradebook(students: Vec<StudentGrade>) -> Gradebook {
    Gradebook { rubric: rubric(), ruleset: Ruleset::Gothello, students, ungraded: Vec::new() }
}

/// A submission to Moodle by a single student, whose participant number is `participant`.
pub(super) fn roster_entry(player: &str, participant: u64) -> RosterEntry {
    RosterEntry {
        player: player.to_owned(),
        slug: player.to_lowercase(),
        state: SubmissionState::Ready,
        late: false,
        layout: SubmissionLayout::MoodleFiles,
        full_name: player.to_owned(),
        participant: Some(participant.to_string()),
        username: None,
        email: None,
        folder: None,
        team: None,
        submitted: vec!["bot.py".to_owned()],
        submission_sha256: String::new(),
        files: Vec::new(),
        files_sha256: String::new(),
    }
}
