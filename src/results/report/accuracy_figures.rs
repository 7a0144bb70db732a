//! The figures of a player's accuracy.

use super::column::{JsonObject, RoundedFigure, TableColumn};
use crate::results::analysis::{Accuracy, MoveTally, Phase};

/// A column in a table of move counts.
type TallyColumn<'s> = TableColumn<'s, MoveTally>;

/// The columns with the number of moves of each kind.
pub(super) fn counts<'s>() -> Vec<TallyColumn<'s>> {
    vec![
        TallyColumn::new("moves", "moves", |tally| tally.moves),
        TallyColumn::new("judged", "judged", |tally| tally.judged),
        TallyColumn::new("blunders", "blunders", |tally| tally.blunders),
        TallyColumn::for_programs("measured", |tally| tally.measured),
        TallyColumn::for_programs("exact", |tally| tally.exact),
        TallyColumn::for_programs("lost", |tally| tally.lost),
    ]
}

/// The columns with the share of moves that kept the winner, the share that kept the margin, and the stones lost per
/// move.
pub(super) fn shares<'s>() -> [TallyColumn<'s>; 3] {
    let share = |share| RoundedFigure::to(4, share).share();
    [
        TallyColumn::new("winner_kept", "winner kept", move |tally| tally.winner_kept().map(share)),
        TallyColumn::new("margin_kept", "margin kept", move |tally| tally.margin_kept().map(share)),
        TallyColumn::new("average_loss", "lost/move", |tally| {
            tally.average_loss().map(|loss| RoundedFigure::to(4, loss))
        }),
    ]
}

fn tally_columns<'s>() -> Vec<TallyColumn<'s>> {
    counts().into_iter().chain(shares()).collect()
}

/// The columns with a player's accuracy over all moves, and over the moves of each phase.
pub(super) fn columns<'s>() -> Vec<TableColumn<'s, Accuracy>> {
    let all = tally_columns().into_iter().map(|column| column.of(|accuracy: Accuracy| accuracy.all()));
    let phases = Phase::ALL.into_iter().flat_map(|phase| {
        TableColumn::nested(phase.name(), tally_columns, move |accuracy: Accuracy| accuracy.phase(phase))
    });
    all.chain(phases).collect()
}

/// A player's accuracy in JSON.
pub(super) fn object(accuracy: Accuracy) -> JsonObject<'static> {
    JsonObject::of(&columns(), accuracy)
}
