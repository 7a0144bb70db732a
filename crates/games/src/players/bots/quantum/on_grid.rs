//! Estimates the value of squares while stones are turned over there.

use crate::game::Seat;
use crate::game::quantum::squares::SquareBoard;
use crate::game::quantum::{Game, INNER, Mode, PerSeat, SquareField, SquareLayer, on_squares};

/// The weight of a stone at the end of a mode.
pub(super) const STONE: i32 = 10;

/// The weight of a stone on an empty board. Early stones are a disadvantage, since each of them gives the other seats
/// more stones to turn over.
const EARLY_STONE: i32 = -8;

/// The weight of each square on which a seat may place a stone.
const PLACEMENT: i32 = 8;

/// The weight of a corner, which can never be turned over.
const CORNER: i32 = 120;

/// The weight of each stone connected to its own corner along an edge.
const EDGE: i32 = 15;

/// The penalty for a stone diagonally next to an empty corner.
const BESIDE_CORNER: i32 = 60;

/// The penalty for a stone next to an empty corner on an edge.
const EDGE_BESIDE_CORNER: i32 = 20;

/// Estimates the value of the current mode for each seat.
pub(super) fn estimate(game: &Game) -> PerSeat<i32> {
    let size = match game.mode() {
        Some(Mode::Reverse) => INNER,
        _ => game.rules().lineup().squares(),
    };
    on_squares!(game.squares(), field => estimate_field(game, field, size), PerSeat::default())
}

fn estimate_field<const WORDS: usize>(game: &Game, field: &SquareField<WORDS>, size: u8) -> PerSeat<i32> {
    let (board, squares) = (field.board(), field.field());
    let occupied = board.occupied().and(squares).len().cast_signed();
    let stone = EARLY_STONE + (STONE - EARLY_STONE) * occupied / squares.len().cast_signed().max(1);
    PerSeat::from_fn(game.rules().seats(), |seat| {
        let stones = board.stones(seat).len().cast_signed();
        let placements = board.enclosing(seat, squares).len().cast_signed();
        stone * stones + PLACEMENT * placements + corners(board, size, seat)
    })
}

/// Returns the value of `seat`'s stones in and next to the corners of the central `size` x `size` squares.
fn corners<const WORDS: usize>(board: &SquareBoard<WORDS>, size: u8, seat: Seat) -> i32 {
    let (own, stride) = (board.stones(seat), board.grid().stride().cast_signed());
    let inwards = [(1, stride), (-1, stride), (-1, -stride), (1, -stride)];
    let worth = |(corner, (along, down)): (usize, (isize, isize))| {
        let is_own = |step: isize| own.contains(corner.wrapping_add_signed(step));
        if board.occupied().contains(corner) {
            if !is_own(0) {
                return 0;
            }
            let run = |step| (1..isize::from(size.cast_signed())).take_while(|far| is_own(far * step)).count();
            let edge = i32::try_from(run(along) + run(down)).unwrap_or(0);
            CORNER + EDGE * edge
        } else {
            let cost = |is_there: bool, cost: i32| if is_there { -cost } else { 0 };
            cost(is_own(along + down), BESIDE_CORNER)
                + cost(is_own(along), EDGE_BESIDE_CORNER)
                + cost(is_own(down), EDGE_BESIDE_CORNER)
        }
    };
    board.grid().corners(size).into_iter().zip(inwards).map(worth).sum()
}
