//! A static evaluation of the stones on the board.

use crate::game::seegover::{Squares, View};

/// What a stone is worth.
const STONE: i32 = 4;

/// What a stone in a corner is worth in addition: it can never be captured.
const CORNER: i32 = 3;

/// What a stone on an edge is worth in addition: it can be captured only along the edge.
const EDGE: i32 = 1;

const CORNERS: Squares = 0b10001_00000_00000_00000_10001;
const EDGES: Squares = 0b01110_10001_10001_10001_01110;

/// Returns the stones of the side that sees `view` as its own minus its opponent's.
pub(super) const fn lead(view: View) -> i32 {
    difference(view, u32::MAX)
}

/// Guesses the score for the side to move, which sees `view`.
pub(super) const fn estimate(view: View) -> i32 {
    STONE * lead(view) + CORNER * difference(view, CORNERS) + EDGE * difference(view, EDGES)
}

/// Returns how many more stones in `set` the side that sees `view` has than its opponent.
const fn difference(view: View, set: Squares) -> i32 {
    (view.own() & set).count_ones().cast_signed() - (view.enemy() & set).count_ones().cast_signed()
}
