//! An analyzed game as text: its moves with their values, and what decided it.

use super::text_table::{Grid, Look};
use crate::base::printable::printable;
use crate::game::rules::Outcome;
use crate::referee::record::GameRecord;
use crate::results::analysis::{Analysis, JudgedMove, MARGIN_FROM, Mark, turning_point};

/// A whole game: its moves, what each move was worth, and what decided the game.
pub fn game(record: &GameRecord, analysis: &Analysis) -> String {
    let decisive = analysis.decisive();
    let mut grid = Grid::new(["ply", "move", "empty", "before it", "after it", "lost", "mark", "better"]);
    for (index, judged) in analysis.moves.iter().enumerate() {
        let value = |value: Option<Outcome>| value.map_or_else(|| "?".to_owned(), |value| value.to_string());
        grid.push(vec![
            (index + 1).to_string(),
            record.numbered(index).to_string(),
            judged.empty.to_string(),
            value(judged.before),
            value(judged.after),
            judged
                .lost()
                .map_or_else(|| "?".to_owned(), |lost| if lost > 0 { lost.to_string() } else { String::new() }),
            mark(judged, decisive == Some(index)),
            judged.better.map(|better| better.to_string()).unwrap_or_default(),
        ]);
    }
    let names = record.players.as_ref().map(|name| printable(name));
    let unknown = if analysis.moves.iter().any(|judged| judged.lost().is_none()) {
        format!(
            "? is unknown: not solved in time, or stones lost with more than {MARGIN_FROM} empty points (only the winner is solved for).\n"
        )
    } else {
        String::new()
    };
    format!(
        "{} (black) against {} (white)\n{}{}.\n{unknown}",
        names.black,
        names.white,
        grid.render(Look::Plain),
        printable(&turning_point(record, analysis))
    )
}

/// One line about a game: what decided it.
pub fn summary(name: &str, record: &GameRecord, analysis: &Analysis) -> String {
    printable(&format!("{name}: {}", turning_point(record, analysis))) + "\n"
}

/// The effect of a move, in a word or two.
fn mark(judged: &JudgedMove, decisive: bool) -> String {
    let mark = match judged.mark() {
        Some(Mark::Blunder) if decisive => "decisive blunder",
        Some(Mark::Blunder) => "blunder",
        Some(Mark::LostStones) => "lost stones",
        None => "?",
        Some(Mark::Kept) => "",
    };
    match (judged.given, mark) {
        (true, "" | "?") => "opening".to_owned(),
        (true, mark) => format!("opening, {mark}"),
        (false, mark) => mark.to_owned(),
    }
}
