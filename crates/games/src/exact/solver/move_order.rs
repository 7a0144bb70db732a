//! Decides which placement to try first.
//!
//! The weights were chosen by hand and adjusted one by one, so that few nodes were searched on random positions with 10
//! to 14 empty points. They affect how long a search takes, and never what it finds.

use super::stones::{SearchPosition, Stones, difference};
use super::task::Bounds;
use crate::game::gothello::{Points, neighbours};

/// What one more stone is worth.
const STONE: i32 = 16;

/// What an eye is worth to its colour: an empty point surrounded by stones of only one colour.
const EYE: i32 = 56;

/// What an empty point beside stones of a colour is worth to that colour.
const LIBERTY: i32 = 8;

/// What a point where a side may place a stone is worth to that side. This weight also keeps the number of moves to
/// search small.
const PLACEMENT: i32 = 56;

/// What each stone of a group with a single liberty costs.
const ATARI: i32 = 28;

/// What each certain point of the margin is worth, to the side that moved and, below, to the other side.
const CERTAIN: i32 = 12;
const CERTAIN_FOR_THE_OTHER: i32 = 4;

/// What one more group is worth: many small groups hold more than one large group, which can be lost at once.
const GROUP: i32 = 8;

/// Scores at a glance how good a position looks for the side that made the last move.
pub(super) fn glance(stones: Stones) -> i32 {
    let empty = stones.empty();
    let eyes = |other: Points| empty & !neighbours(empty | other);
    let liberties = |stones: Points| neighbours(stones) & empty;
    -STONE * stones.lead()
        + EYE * difference(eyes(stones.own), eyes(stones.theirs))
        + LIBERTY * difference(liberties(stones.theirs), liberties(stones.own))
}

/// Returns what a closer look adds to the score of [`glance`]. `bounds` are those of the side to move.
pub(super) fn closer(position: &SearchPosition, bounds: Bounds) -> i32 {
    let (own, theirs) = (&position.own, &position.theirs);
    PLACEMENT * difference(position.their_legal(), position.legal())
        + ATARI * difference(own.stones & !own.solid, theirs.stones & !theirs.solid)
        - CERTAIN * bounds.upper
        - CERTAIN_FOR_THE_OTHER * bounds.lower
        + GROUP * theirs.count()
}
