//! Which placement to try first.
//!
//! Weights made by hand and adjusted one after the other, so that few nodes were searched on random positions with 10 to
//! 14 empty points. They decide how long a search takes and never what it finds.

use super::stones::{Position, Stones, difference};
use super::task::Bounds;
use crate::game::rules::gothello::{Points, neighbours};

/// What a stone more is worth.
const STONE: i32 = 16;

/// What an empty point among stones of one colour alone, an eye, is worth to it.
const EYE: i32 = 56;

/// What an empty point beside stones of a colour is worth to it.
const LIBERTY: i32 = 8;

/// What a point where a side may place a stone is worth to it. It also keeps what is to be searched small.
const PLACEMENT: i32 = 56;

/// What a stone of a group with a single liberty costs.
const ATARI: i32 = 28;

/// What each point of the margin is worth that is certain for the side that moved, and for the other.
const CERTAIN: i32 = 12;
const CERTAIN_FOR_THE_OTHER: i32 = 4;

/// What a group more is worth: many small ones hold more than one large one, which can be lost at once.
const GROUP: i32 = 8;

/// How good a position looks for the side that made the last move, at a glance.
pub(super) fn glance(stones: Stones) -> i32 {
    let empty = stones.empty();
    let eyes = |other: Points| empty & !neighbours(empty | other);
    let liberties = |stones: Points| neighbours(stones) & empty;
    -STONE * stones.lead()
        + EYE * difference(eyes(stones.own), eyes(stones.theirs))
        + LIBERTY * difference(liberties(stones.theirs), liberties(stones.own))
}

/// What a closer look adds to that; `bounds` are those of the side to move.
pub(super) fn closer(position: &Position, bounds: Bounds) -> i32 {
    let (own, theirs) = (&position.own, &position.theirs);
    PLACEMENT * difference(position.their_legal(), position.legal())
        + ATARI * difference(own.stones & !own.solid, theirs.stones & !theirs.solid)
        - CERTAIN * bounds.upper
        - CERTAIN_FOR_THE_OTHER * bounds.lower
        + GROUP * theirs.count()
}
