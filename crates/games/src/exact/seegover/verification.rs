//! Verifies a table using only the rules.
//!
//! A position's worth follows from the worths of the positions after its turns. If this is true for all positions, and
//! the positions in which the game is over are correct, the table is correct: by induction on the number of plies,
//! every win and loss is correct; and from a position that is a draw according to the table, neither side can force a
//! win.

use thiserror::Error;

use super::table::{Census, Tablebase};
use super::worth::Worth;
use crate::game::Side;
use crate::game::seegover::{ALL, Board, DropRule, Square, Squares, View, squares};

/// The number of parcels into which all positions are divided for verification.
pub const PARCELS: usize = 25 << (24 - PARCEL_BITS);

/// The number of squares on which the stones of a parcel's positions differ.
const PARCEL_BITS: usize = 16;

/// A position whose worth does not follow from its turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("black to move on `{}`: the table says {stored}, but the turns imply {found}", line(*.view))]
pub struct WrongWorth {
    view: View,
    stored: Worth,
    found: Worth,
}

/// The board on one line, with the stones of the side to move shown as black.
fn line(view: View) -> String {
    Board::of(Side::Black, view).to_string().replace('\n', "/")
}

/// Compares every position of a parcel with the positions that follow it under the rules of the table, and counts the
/// parcel's positions by their worth. All images of a position under the symmetries of the board count as separate
/// positions here.
///
/// # Errors
/// Returns the first contradiction.
pub fn verify(table: &Tablebase, parcel: usize) -> Result<Census, WrongWorth> {
    let mut census = Census::default();
    for view in positions(parcel) {
        let stored = table.worth(view).unwrap_or(Worth::Drawn);
        let found = judged(table, view);
        if stored != found {
            return Err(WrongWorth { view, stored, found });
        }
        census.add(stored);
    }
    Ok(census)
}

/// The worth of a position according to its turns, or to its stones if the game is over.
fn judged(table: &Tablebase, view: View) -> Worth {
    if view.is_lost() {
        return Worth::Lost(0);
    }
    if view.swapped().is_lost() {
        return Worth::Won(0);
    }
    let mut best: Option<Worth> = None;
    view.each_turn(table.rules().with(DropRule::One), |_, after| {
        let worth = table.worth(after.swapped()).map(Worth::before);
        if best.is_none_or(|best| worth.is_some_and(|worth| worth.rank() > best.rank())) {
            best = worth;
        }
    });
    best.unwrap_or(Worth::Drawn)
}

/// All positions of a parcel.
fn positions(parcel: usize) -> impl Iterator<Item = View> {
    let (hole, high) = (parcel >> (24 - PARCEL_BITS), parcel % (1 << (24 - PARCEL_BITS)));
    let hole = squares(ALL).nth(hole).map_or(0, Square::bit);
    #[expect(clippy::cast_possible_truncation, reason = "24 bits")]
    let colourings = ((high << PARCEL_BITS) as Squares..).take(1 << PARCEL_BITS);
    colourings.filter_map(move |colouring| {
        let below = colouring & (hole - 1);
        let own = below | (colouring & !(hole - 1)) << 1;
        View::new(own, ALL & !own & !hole)
    })
}
