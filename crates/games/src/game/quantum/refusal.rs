//! The reasons why moves are refused.

use crate::game::IllegalMove;

/// The square or the point is occupied.
pub const OCCUPIED: IllegalMove = refused("there is already a stone there");

/// The seat's supply is used up.
pub const NO_STONES: IllegalMove = refused("no stones are left");

/// The stone does not enclose a row, or not the row that the move names.
pub const TURNS_NOTHING: IllegalMove = refused("the stone turns nothing over");

/// A pass in a mode in which a seat may pass only if it cannot place a stone.
pub const MUST_PLACE: IllegalMove = refused("passing is not allowed while a stone can be placed");

/// Only one row is turned over, but the stone encloses several.
pub const WHICH_ROW: IllegalMove = refused("the stone encloses several rows; name the far end of one of them");

/// One of the first four stones is not in the middle.
pub const NOT_MIDDLE: IllegalMove = refused("the first four stones go on the squares in the middle");

/// A stone that does not have to turn anything over is not next to another stone.
pub const NOT_BESIDE: IllegalMove = refused("the stone is not next to another stone");

/// The stone's chain would have no liberty.
pub const NO_LIBERTY: IllegalMove = refused("the stone would have no liberty");

/// The rule `ko` forbids the arrangement to which the move would lead.
pub const REPETITION: IllegalMove = refused("the stones would repeat an earlier arrangement");

const fn refused(why: &'static str) -> IllegalMove {
    IllegalMove::Refused(why)
}
