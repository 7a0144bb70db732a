//! The places of points and moves in the lists of a data set.

use crate::game::Move;
use crate::game::gothello::{Point, SIZE};

/// The number of points.
pub const POINTS: usize = 25;

/// The number of moves: a placement on each point, and the pass.
pub const MOVES: usize = POINTS + 1;

/// The points from a5 to e1, in reading order.
pub fn reading_order() -> impl Iterator<Item = Point> {
    (0..SIZE).rev().flat_map(|rank| (0..SIZE).filter_map(move |file| Point::new(file, rank)))
}

/// The place of a move in the lists of a data set: first the points in reading order, then the pass.
pub fn place_of(played: Move) -> usize {
    match Point::parse(played.as_str()) {
        Some(point) => usize::from(SIZE - 1 - point.rank()) * usize::from(SIZE) + usize::from(point.file()),
        None => POINTS,
    }
}

/// A list with a 1 at the place of each of `moves`.
pub fn marked(moves: impl IntoIterator<Item = Move>) -> [u8; MOVES] {
    let mut marks = [0; MOVES];
    moves.into_iter().for_each(|played| marks[place_of(played)] = 1);
    marks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_in_reading_order_and_the_pass_is_last() {
        assert_eq!(
            ["a5", "e5", "a4", "e1", "pass"].map(|text| place_of(text.parse().expect("a move"))),
            [0, 4, 5, 24, 25]
        );
    }
}
