//! A static evaluation of the stones on the board.

use crate::game::seegover::{Squares, View};

/// The weight of a stone.
const STONE: i32 = 4;

/// The additional weight of a stone in a corner, which can never be captured.
const CORNER: i32 = 3;

/// The additional weight of a stone on an edge, which can be captured only along the edge.
const EDGE: i32 = 1;

const CORNERS: Squares = 0b10001_00000_00000_00000_10001;
const EDGES: Squares = 0b01110_10001_10001_10001_01110;

/// Returns the number of stones of the side that sees `view`, minus the number of its opponent's stones.
pub(super) const fn lead(view: View) -> i32 {
    difference(view, u32::MAX)
}

/// Estimates the score of `view` for the side to move.
pub(super) const fn estimate(view: View) -> i32 {
    STONE * lead(view) + CORNER * difference(view, CORNERS) + EDGE * difference(view, EDGES)
}

/// Returns how many more stones in `set` the side that sees `view` has than its opponent.
const fn difference(view: View, set: Squares) -> i32 {
    (view.own() & set).count_ones().cast_signed() - (view.enemy() & set).count_ones().cast_signed()
}
