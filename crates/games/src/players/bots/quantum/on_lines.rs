//! Estimates the value of points while chains are enclosed there.

use crate::game::Seat;
use crate::game::quantum::points::{GoBoard, GoPoint, GoPoints};
use crate::game::quantum::{CountRule, Game, PerSeat};

/// The weight of a point.
const POINT: i32 = 10;

/// The weight of each liberty of a seat's stones. A liberty shared by several stones counts once.
const LIBERTY: i32 = 2;

/// The weight of each stone of a chain that another seat can take immediately.
const TAKEN: i32 = 16;

/// The penalty for each stone of a chain that can be taken after the turn.
const THREATENED: i32 = 4;

/// In the proof, the weight of each stone of a chain for each liberty that the chain lacks to reach [`SAFE`] liberties.
const HUNTED: i32 = 1;

/// A chain with at least this many liberties is not hunted in the proof.
const SAFE: u32 = 4;

fn stones(board: &GoBoard) -> PerSeat<GoPoints> {
    PerSeat::from_fn(board.seats(), |seat| board.stones().stones(seat))
}

/// Returns the count of each seat in Go if each empty point belonged to the seat with the nearest stone. In the proof,
/// returns the actual counts.
pub(super) fn seeming_counts(game: &Game) -> PerSeat<i32> {
    let Some(board) = game.points() else { return PerSeat::default() };
    if game.is_proof() {
        return counts(board, CountRule::Territory);
    }
    let stones = stones(board);
    let near = nearest(board.seats(), &stones, board.empty());
    PerSeat::from_fn(board.seats(), |seat| {
        let further = match game.rules().count() {
            CountRule::Area => stones[seat].len(),
            CountRule::Territory => board.prisoners()[seat],
        };
        (near[seat].len() + further).cast_signed()
    })
}

/// Returns the count of each seat on `board`.
pub(super) fn counts(board: &GoBoard, count: CountRule) -> PerSeat<i32> {
    let (area, territory) = (board.area(), board.territory());
    PerSeat::from_fn(board.seats(), |seat| {
        let count = match count {
            CountRule::Area => area[seat],
            CountRule::Territory => territory[seat] + board.prisoners()[seat],
        };
        count.cast_signed()
    })
}

/// Returns the points of `empty` that are nearer to the stones of one seat than to those of any other. A point that is
/// equally near to the stones of several seats belongs to none of them, and it blocks paths.
fn nearest(seats: u8, stones: &PerSeat<GoPoints>, empty: GoPoints) -> PerSeat<GoPoints> {
    let mut rest = empty;
    let (mut front, mut found) = (*stones, PerSeat::<GoPoints>::default());
    loop {
        let (mut reached, mut contested) = (GoPoints::default(), GoPoints::default());
        for seat in Seat::all(seats) {
            front[seat] = front[seat].beside() & rest;
            contested = contested | (reached & front[seat]);
            reached = reached | front[seat];
        }
        rest = rest - reached;
        for seat in Seat::all(seats) {
            front[seat] = front[seat] - contested;
            found[seat] = found[seat] | front[seat];
        }
        if front.of(seats).all(|(_, front)| front.is_empty()) {
            return found;
        }
    }
}

/// Estimates the value of Go or the proof for each seat.
pub(super) fn estimate(game: &Game) -> PerSeat<i32> {
    let mut values = rough_estimate(game);
    let Some(board) = game.points() else { return values };
    for seat in game.seats_in() {
        let moves = seat == game.seat_to_move();
        values[seat] -= if game.is_proof() { hunted(board, seat) } else { endangered(board, seat, moves) };
    }
    values
}

/// Estimates the value of Go or the proof for each seat, without examining individual chains.
pub(super) fn rough_estimate(game: &Game) -> PerSeat<i32> {
    let Some(board) = game.points() else { return PerSeat::default() };
    let (counts, stones) = (seeming_counts(game), stones(board));
    PerSeat::from_fn(board.seats(), |seat| {
        let liberties = || (stones[seat].beside() & board.empty()).len().cast_signed();
        POINT * counts[seat] + if game.is_proof() { 0 } else { LIBERTY * liberties() }
    })
}

/// Returns the penalty for the chains of `seat` that have one liberty left. `moves` says whether the seat is to move.
fn endangered(board: &GoBoard, seat: Seat, moves: bool) -> i32 {
    let cost = if moves { THREATENED } else { TAKEN };
    let of_chain =
        |(chain, liberties): (GoPoints, u32)| if liberties == 1 { cost * chain.len().cast_signed() } else { 0 };
    chains(board, board.stones().stones(seat)).map(of_chain).sum()
}

/// Returns the penalty for stones that `seat` placed before the proof and whose chains have few liberties.
fn hunted(board: &GoBoard, seat: Seat) -> i32 {
    let stones = board.stones().stones(seat);
    let old = stones - board.proof_stones().unwrap_or_default();
    let of_chain = |(chain, liberties): (GoPoints, u32)| {
        HUNTED * ((chain & old).len() * SAFE.saturating_sub(liberties)).cast_signed()
    };
    chains(board, stones).map(of_chain).sum()
}

/// Returns each chain of `stones` with the number of its liberties.
fn chains(board: &GoBoard, stones: GoPoints) -> impl Iterator<Item = (GoPoints, u32)> {
    let (mut rest, empty) = (stones, board.empty());
    std::iter::from_fn(move || {
        let chain = rest.region(rest.nth(0)?);
        rest = rest - chain;
        Some((chain, (chain.beside() & empty).len()))
    })
}

/// Returns whether the empty point `point` is an eye that `seat` should not fill: all adjacent points have stones of
/// `seat`, and the other seats have stones on at most one of the diagonal points or, at the edge of the board, on none.
pub(super) fn is_eye(board: &GoBoard, seat: Seat, point: GoPoint) -> bool {
    if !board.is_own_eye(seat, point) {
        return false;
    }
    let (file, rank) = (point.file(), point.rank());
    let corner = |by: (i8, i8)| GoPoint::new(file.checked_add_signed(by.0)?, rank.checked_add_signed(by.1)?);
    let corners = [(-1, -1), (-1, 1), (1, -1), (1, 1)].map(|by| corner(by).filter(|corner| corner.is_on(board.size())));
    let others = board.stones().occupied() - board.stones().stones(seat);
    let lost = corners.iter().flatten().filter(|&&corner| others.contains(corner)).count();
    let most = usize::from(corners.iter().all(Option::is_some));
    lost <= most
}

/// Returns the points within three steps of a stone, or all points while there are few stones.
pub(super) fn lively(board: &GoBoard) -> GoPoints {
    let stones = board.stones().occupied();
    if stones.len() < 4 {
        return board.empty();
    }
    (0..3).fold(stones, |near, _| near | near.beside()) & board.empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Side;
    use crate::game::quantum::points::{Arrangement, GoRules};

    /// A board with these stones, given as one string for each seat.
    fn board(stones: &[&str]) -> GoBoard {
        let seats = u8::try_from(stones.len()).expect("few");
        let mut placed = Arrangement::default();
        for (seat, points) in Seat::all(seats).zip(stones) {
            points.split_whitespace().for_each(|point| placed.put(seat, point.parse().expect("a point")));
        }
        let last = Seat::FIRST.previous(seats);
        GoBoard::new(9, seats, GoRules::default(), &placed, last).expect("chains with liberties")
    }

    #[test]
    fn a_point_belongs_to_the_seat_with_the_nearest_stone() {
        let at = |text: &str| text.parse().expect("a point");
        let two = board(&["c5", "g5"]);
        let near = nearest(2, &stones(&two), two.empty());
        // Both seats are equally near to file e, and there are four files on either side of it. Two points have stones.
        assert_eq!(near.of(2).map(|(_, points)| points.len()).collect::<Vec<_>>(), [35, 35]);
        let [black, white] = Side::BOTH.map(|side| near[Seat::from(side)]);
        assert!(black.contains(at("d9")) && white.contains(at("f1")));
        assert!(!black.contains(at("e5")) && !white.contains(at("e5")));
        // A stone in each corner: points on the middle file and the middle rank are equally near to two or four of
        // these.
        let four = board(&["a1", "j1", "j9", "a9"]);
        let near = nearest(4, &stones(&four), four.empty());
        assert_eq!(near.of(4).map(|(_, points)| points.len()).collect::<Vec<_>>(), [15; 4]);
        assert!(near[Seat::FIRST].contains(at("d4")) && !near[Seat::FIRST].contains(at("e4")));
    }

    #[test]
    fn an_eye_has_own_stones_beside_it_and_hardly_any_other_at_its_corners() {
        let is_eye =
            |stones: &[&str], point: &str| is_eye(&board(stones), Seat::FIRST, point.parse().expect("a point"));
        for (black, white, expected) in [
            ("d5 f5 e4 e6", "", true),
            ("d5 f5 e4 e6", "d4", true),
            ("d5 f5 e4 e6", "d4 f6", false),
            ("d5 f5 e4", "", false),
            ("d5 f5 e4", "e6", false),
        ] {
            assert_eq!(is_eye(&[black, white], "e5"), expected);
        }
        assert!(is_eye(&["a2 b1", ""], "a1"));
        assert!(!is_eye(&["a2 b1", "b2"], "a1"));
        // Diagonal points count as lost no matter which of the other seats have stones there.
        assert!(!is_eye(&["d5 f5 e4 e6", "", "d4", "f6"], "e5"));
    }

    #[test]
    fn chains_are_told_apart_with_their_liberties() {
        let board = board(&["a1 a2 c3", "b1"]);
        let black = chains(&board, board.stones().stones(Seat::FIRST));
        let mut black: Vec<(u32, u32)> = black.map(|(chain, liberties)| (chain.len(), liberties)).collect();
        black.sort_unstable();
        assert_eq!(black, [(1, 4), (2, 2)]);
    }
}
