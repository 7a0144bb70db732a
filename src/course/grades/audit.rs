//! audit.json: every mark with the games and scenarios that support it. docs/reference/schemas/audit.schema.json
//! describes it.

use serde::Serialize;

use super::grades_csv::ids;
use super::{Gradebook, GradedGame, ItemMark, MarkFigure, MarkState, StudentGrade, UngradedPlayer};
use crate::base::sanitise::sanitised;
use crate::course::rubric::{ItemRule, RubricItem};
use crate::game::Ruleset;

/// The version of the file format.
const FORMAT: u32 = 1;

#[derive(Serialize)]
struct AuditEntry<'a> {
    format: u32,
    program: &'static str,
    title: &'a str,
    total: f64,
    rounding: f64,
    ruleset: Ruleset,
    items: Vec<AuditedItem<'a>>,
    students: Vec<AuditedStudent<'a>>,
    ungraded: Vec<AuditedOther<'a>>,
}

#[derive(Serialize)]
struct AuditedItem<'a> {
    id: &'a str,
    kind: &'static str,
    points: f64,
    bonus: bool,
    against: Option<String>,
}

#[derive(Serialize)]
struct AuditedOther<'a> {
    player: &'a str,
    why: &'a str,
}

#[derive(Serialize)]
struct AuditedStudent<'a> {
    player: &'a str,
    slug: &'a str,
    digest: Option<&'a str>,
    total: f64,
    open: f64,
    bonus: f64,
    borderline: Vec<&'a str>,
    incomplete: Vec<&'a str>,
    marks: Vec<AuditedMark<'a>>,
    games: Vec<AuditedGame<'a>>,
}

#[derive(Serialize)]
struct AuditedMark<'a> {
    item: &'a str,
    points: Option<f64>,
    state: &'static str,
    figure: Option<AuditedFigure>,
    sentence: &'a str,
    games: &'a [String],
    distinct: Option<usize>,
    scenarios: &'a [String],
}

#[derive(Serialize)]
struct AuditedFigure {
    value: f64,
    low: Option<f64>,
    high: Option<f64>,
    counted: f64,
    unit: &'static str,
}

#[derive(Serialize)]
struct AuditedGame<'a> {
    id: &'a str,
    opponent: &'a str,
    side: &'static str,
    first: bool,
    score: Option<f64>,
    termination: &'static str,
    forfeit: bool,
    repeats: Option<&'a str>,
    log: String,
}

/// The text of audit.json, with a final newline.
pub fn audit_json(book: &Gradebook) -> String {
    let rubric = &book.rubric;
    let entry = AuditEntry {
        format: FORMAT,
        program: env!("CARGO_PKG_VERSION"),
        title: &rubric.title,
        total: rubric.total.number(),
        rounding: rubric.rounding.number(),
        ruleset: book.ruleset,
        items: rubric.items.iter().map(item).collect(),
        students: book.students.iter().map(|student| audited(book, student)).collect(),
        ungraded: book.ungraded.iter().map(|UngradedPlayer { player, why }| AuditedOther { player, why }).collect(),
    };
    // A gradebook is plain data, which JSON can always represent.
    let text = serde_json::to_string_pretty(&entry).unwrap_or_else(|error| unreachable!("an audit is JSON: {error}"));
    text + "\n"
}

fn item(item: &RubricItem) -> AuditedItem<'_> {
    let against = match &item.rule {
        ItemRule::Score(score) => Some(score.against.to_string()),
        _ => None,
    };
    AuditedItem { id: &item.id, kind: item.kind(), points: item.points.number(), bonus: item.bonus, against }
}

fn audited<'a>(book: &'a Gradebook, student: &'a StudentGrade) -> AuditedStudent<'a> {
    let marks = book.rubric.items.iter().zip(&student.marks);
    AuditedStudent {
        player: &student.player,
        slug: &student.slug,
        digest: student.drill.as_ref().and_then(|drill| drill.digest.as_deref()),
        total: student.total().number(),
        open: student.open(&book.rubric).number(),
        bonus: student.bonus(&book.rubric).number(),
        borderline: ids(book, student, MarkState::Borderline),
        incomplete: ids(book, student, MarkState::Incomplete),
        marks: marks.map(|(item, mark)| audited_mark(&item.id, mark)).collect(),
        games: student.games.iter().map(game).collect(),
    }
}

fn audited_mark<'a>(item: &'a str, mark: &'a ItemMark) -> AuditedMark<'a> {
    let figure = mark.figure.map(|MarkFigure { value, interval, counted, unit }| AuditedFigure {
        value,
        low: interval.map(|[low, _]| low),
        high: interval.map(|[_, high]| high),
        counted,
        unit: unit.name(),
    });
    AuditedMark {
        item,
        points: mark.points.map(crate::course::rubric::GradePoints::number),
        state: mark.state.name(),
        figure,
        sentence: &mark.sentence,
        games: &mark.evidence.games,
        distinct: mark.evidence.distinct,
        scenarios: &mark.evidence.trials,
    }
}

fn game(game: &GradedGame) -> AuditedGame<'_> {
    let score = game.result().map(|_| match game.winner() {
        Some(winner) if winner == game.side => 1.0,
        None if game.forfeit().is_none() => 0.5,
        _ => 0.0,
    });
    AuditedGame {
        id: &game.id,
        opponent: &game.baseline,
        side: game.side.name(),
        first: game.is_first,
        score,
        termination: game.result().map_or("void", |result| result.termination().name()),
        forfeit: game.forfeit().is_some(),
        repeats: game.repeats.as_deref(),
        log: sanitised(&game.log.to_string_lossy()),
    }
}
