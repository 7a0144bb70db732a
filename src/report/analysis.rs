//! Analyses as text: the moves of a game with their values, and how well players played.

use super::grid::{Grid, Look};
use crate::analysis::{Accuracy, Analysis, Mark, Phase, Tally, Value, turning_point};
use crate::record::{GameRecord, numbered};
use crate::replay::printable;

/// A game: its moves, what each was worth, and what decided it.
pub fn game(record: &GameRecord, analysis: &Analysis) -> String {
    let mut grid = Grid::new(["ply", "move", "empty", "before it", "after it", "lost", ""]);
    for (index, judged) in analysis.moves.iter().enumerate() {
        let value = |value: Option<Value>| value.map_or_else(|| "?".to_owned(), |value| value.to_string());
        let mark = match judged.mark() {
            None | Some(Mark::Kept) => "",
            Some(Mark::LostStones) => "inaccurate",
            Some(Mark::Blunder) => "blunder",
        };
        let opening = if judged.given { "opening" } else { mark };
        grid.push(vec![
            (index + 1).to_string(),
            numbered(index, judged.played),
            judged.empty.to_string(),
            value(judged.before),
            value(judged.after),
            judged.lost().filter(|&lost| lost > 0).map(|lost| lost.to_string()).unwrap_or_default(),
            opening.to_owned(),
        ]);
    }
    let names = record.players.as_ref().map(|name| printable(name));
    format!(
        "{} (black) against {} (white)\n{}{}\n",
        names.black,
        names.white,
        grid.render(Look::Plain),
        printable(&turning_point(record, analysis))
    )
}

/// How well each of these players played, by phase.
pub fn accuracy<'a>(players: impl IntoIterator<Item = (&'a str, Accuracy)>, look_like_markdown: bool) -> String {
    let mut header = vec!["#".to_owned(), "player".to_owned(), "moves".to_owned(), "judged".to_owned()];
    header.extend(["kept", "lost/move", "blunders"].map(str::to_owned));
    for phase in Phase::ALL {
        header.extend([format!("{} kept", phase.name()), "lost/move".to_owned()]);
    }
    let mut grid = Grid::new(header);
    for (index, (name, accuracy)) in players.into_iter().enumerate() {
        let all = accuracy.all();
        let mut row = vec![(index + 1).to_string(), name.to_owned(), all.moves.to_string(), all.judged.to_string()];
        row.extend([kept(all), lost(all), all.blunders.to_string()]);
        for phase in Phase::ALL {
            let tally = accuracy.phase(phase);
            row.extend([kept(tally), lost(tally)]);
        }
        grid.push(row);
    }
    grid.render(if look_like_markdown { Look::Markdown } else { Look::Plain })
}

fn kept(tally: Tally) -> String {
    tally.kept_share().map_or_else(|| "-".to_owned(), |share| format!("{:.1} %", 100.0 * share))
}

fn lost(tally: Tally) -> String {
    tally.average_loss().map_or_else(|| "-".to_owned(), |loss| format!("{loss:.2}"))
}
