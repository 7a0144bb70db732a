//! An analyzed game as text: its moves with their values, and what decided it.

use super::column::{TableColumn, grid};
use super::text_table::Look;
use crate::base::sanitise::sanitised;
use crate::game::{Outcome, Ruleset};
use crate::referee::record::GameRecord;
use crate::results::analysis::{Analysis, AnalyzedMove, MoveQuality, turning_point};

/// A column of the table of a game's moves.
type PlyColumn<'a> = TableColumn<'a, (usize, &'a AnalyzedMove)>;

/// A whole game: its moves, what each move was worth, and what decided the game.
pub fn game(record: &GameRecord, analysis: &Analysis) -> String {
    let decisive = analysis.decisive();
    let columns = [
        PlyColumn::for_people("ply", |(index, _)| index + 1),
        PlyColumn::for_people("move", |(index, _)| record.numbered(index).to_string()),
        PlyColumn::for_people("empty", |(_, judged)| judged.empty),
        PlyColumn::for_people("before it", |(_, judged)| value(judged.before, judged.depths[0])),
        PlyColumn::for_people("after it", |(_, judged)| value(judged.after, judged.depths[1])),
        PlyColumn::for_people("lost", |(_, judged)| lost(record.ruleset, judged)),
        PlyColumn::for_people("mark", |(index, judged)| mark(judged, decisive == Some(index))),
        PlyColumn::for_people("better", |(_, judged)| {
            judged.better.map(|better| better.to_string()).unwrap_or_default()
        }),
    ];
    let names = record.players.as_ref().map(|name| sanitised(name));
    let unknown = unknown(record.ruleset, analysis);
    format!(
        "{} (black) against {} (white)\n{}{}.\n{unknown}",
        names.black,
        names.white,
        grid(&columns, analysis.moves.iter().enumerate()).render(Look::Plain),
        sanitised(&turning_point(record, analysis))
    )
}

/// A value, with the plies to the end if they are known.
fn value(value: Option<Outcome>, depth: Option<u32>) -> String {
    match (value, depth) {
        (None, _) => "?".to_owned(),
        (Some(value), Some(depth)) if depth > 0 && value.winner.is_some() => format!("{value} in {depth}"),
        (Some(value), _) => value.to_string(),
    }
}

/// The stones of margin that a move lost; empty in a game that is not won by margin.
fn lost(ruleset: Ruleset, judged: &AnalyzedMove) -> String {
    match (ruleset, judged.lost()) {
        (Ruleset::Gothello, None) => "?".to_owned(),
        (Ruleset::Gothello, Some(lost @ 1..)) => lost.to_string(),
        _ => String::new(),
    }
}

/// The explanation of `?`, if the text contains one.
fn unknown(ruleset: Ruleset, analysis: &Analysis) -> String {
    let is_open = |judged: &AnalyzedMove| judged.before.is_none() || judged.after.is_none();
    match ruleset {
        Ruleset::Gothello if analysis.moves.iter().any(|judged| judged.lost().is_none()) => {
            "? means unknown: the position was not solved in time (a larger --budget solves more).\n".to_owned()
        }
        Ruleset::Seegover(_) if analysis.moves.iter().any(is_open) => {
            "? means unknown: a drop that was not searched (a larger --budget searches more), or a win that a repetition of an earlier position may turn into a draw.\n".to_owned()
        }
        Ruleset::Gothello | Ruleset::Seegover(_) | Ruleset::Quantum(_) => String::new(),
    }
}

/// One line about a game: what decided it.
pub fn summary(name: &str, record: &GameRecord, analysis: &Analysis) -> String {
    sanitised(&format!("{name}: {}", turning_point(record, analysis))) + "\n"
}

/// The effect of a move, in a word or two.
fn mark(judged: &AnalyzedMove, decisive: bool) -> String {
    let mark = match judged.quality() {
        Some(MoveQuality::Blunder) if decisive => "decisive blunder",
        Some(MoveQuality::Blunder) => "blunder",
        Some(MoveQuality::LostStones) => "lost stones",
        None => "?",
        Some(MoveQuality::Kept) => "",
    };
    match (judged.given, mark) {
        (true, "" | "?") => "opening".to_owned(),
        (true, mark) => format!("opening, {mark}"),
        (false, mark) => mark.to_owned(),
    }
}
