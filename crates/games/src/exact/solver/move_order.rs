//! Decides which placement to try first.
//!
//! The weights were chosen by hand and adjusted one by one to minimise the nodes searched on random positions with 10
//! to 14 empty points. They affect how long a search takes, but never its result.

use super::stones::{SearchPosition, Stones, difference};
use super::task::Bounds;
use crate::game::gothello::{Points, neighbours};

/// The weight of one more stone.
const STONE: i32 = 16;

/// The weight of an eye, for its colour. An eye is an empty point surrounded by stones of only one colour.
const EYE: i32 = 56;

/// The weight of an empty point next to stones of a colour, for that colour.
const LIBERTY: i32 = 8;

/// The weight of a point on which a side may place a stone, for that side. This weight also keeps the number of moves
/// to search small.
const PLACEMENT: i32 = 56;

/// The penalty for each stone of a group with a single liberty.
const ATARI: i32 = 28;

/// The weight of each certain point of the margin, for the side that moved and, below, for the other side.
const CERTAIN: i32 = 12;
const CERTAIN_FOR_THE_OTHER: i32 = 4;

/// The weight of one more group: many small groups are safer than one large group, which can be lost all at once.
const GROUP: i32 = 8;

/// Roughly scores how good a position looks for the side that made the last move.
pub(super) fn glance(stones: Stones) -> i32 {
    let empty = stones.empty();
    let eyes = |other: Points| empty & !neighbours(empty | other);
    let liberties = |stones: Points| neighbours(stones) & empty;
    -STONE * stones.lead()
        + EYE * difference(eyes(stones.own), eyes(stones.theirs))
        + LIBERTY * difference(liberties(stones.theirs), liberties(stones.own))
}

/// Returns a correction to the score of [`glance`], based on a closer look. `bounds` are those of the side to move.
pub(super) fn closer(position: &SearchPosition, bounds: Bounds) -> i32 {
    let (own, theirs) = (&position.own, &position.theirs);
    PLACEMENT * difference(position.their_legal(), position.legal())
        + ATARI * difference(own.stones & !own.solid, theirs.stones & !theirs.solid)
        - CERTAIN * bounds.upper
        - CERTAIN_FOR_THE_OTHER * bounds.lower
        + GROUP * theirs.count()
}
