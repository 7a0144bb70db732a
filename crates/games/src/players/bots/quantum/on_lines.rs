//! Estimates the value of points while chains are enclosed there.

use crate::game::Side;
use crate::game::quantum::points::{GoBoard, GoPoint, GoPoints};
use crate::game::quantum::{CountRule, Game, PerSeat, Seat};

/// The weight of a point.
const POINT: i32 = 10;

/// The weight of each liberty of a side's stones. A liberty of several stones counts once.
const LIBERTY: i32 = 2;

/// The weight of each stone of a chain that the opponent can take immediately.
const TAKEN: i32 = 16;

/// The penalty for each stone of a chain that can be taken after the turn.
const THREATENED: i32 = 4;

/// In the proof, the weight of each stone and each missing liberty of a chain with fewer than [`SAFE`] liberties.
const HUNTED: i32 = 1;

/// With this number of liberties, a chain is not hunted in the proof.
const SAFE: u32 = 4;

/// The points of black and of white.
type BothSides = [GoPoints; 2];

fn stones(board: &GoBoard) -> BothSides {
    Side::BOTH.map(|side| board.stones().stones(Seat::from(side)))
}

/// Returns the margin in Go if each empty point belonged to the side with the nearest stone, from black's perspective.
/// In the proof, returns the actual margin.
pub(super) fn seeming_margin(game: &Game) -> i32 {
    let Some(board) = game.points() else { return 0 };
    let of_prisoners = difference(Side::BOTH.map(|side| board.prisoners()[Seat::from(side)]));
    if game.is_proof() {
        return margin(board, CountRule::Territory);
    }
    let stones = stones(board);
    let of_points = difference(nearest(stones, board.empty()).map(|points| points.len()));
    let of_stones = difference(stones.map(|stones| stones.len()));
    of_points
        + match game.rules().count() {
            CountRule::Area => of_stones,
            CountRule::Territory => of_prisoners,
        }
}

/// Returns the margin on `board`, from black's perspective.
pub(super) fn margin(board: &GoBoard, count: CountRule) -> i32 {
    let of = |counts: &PerSeat<u32>| difference(Side::BOTH.map(|side| counts[Seat::from(side)]));
    match count {
        CountRule::Area => of(&board.area()),
        CountRule::Territory => of(&board.territory()) + of(board.prisoners()),
    }
}

fn difference([black, white]: [u32; 2]) -> i32 {
    black.cast_signed() - white.cast_signed()
}

/// Returns the points of `empty` that are nearer to one side's stones than to the other's. A point that is equally near
/// to both belongs to neither side, and blocks paths.
fn nearest([black, white]: BothSides, empty: GoPoints) -> BothSides {
    let mut rest = empty;
    let (mut front, mut found) = ([black, white], [GoPoints::default(); 2]);
    loop {
        let [black, white] = front.map(|front| front.beside() & rest);
        let both = black & white;
        rest = rest - (black | white);
        front = [black - both, white - both];
        if front.iter().all(GoPoints::is_empty) {
            return found;
        }
        found = [found[0] | front[0], found[1] | front[1]];
    }
}

/// Estimates the value of Go or the proof for black.
pub(super) fn estimate(game: &Game) -> i32 {
    let Some(board) = game.points() else { return 0 };
    let mover = game.seat_to_move().side();
    let chains: i32 = Side::BOTH
        .into_iter()
        .map(|side| {
            let weakness = if game.is_proof() { hunted(board, side) } else { endangered(board, side, side == mover) };
            -side.own(weakness)
        })
        .sum();
    rough_estimate(game) + chains
}

/// Estimates the value of Go or the proof for black, without examining individual chains.
pub(super) fn rough_estimate(game: &Game) -> i32 {
    let Some(board) = game.points() else { return 0 };
    let liberties = stones(board).map(|stones| (stones.beside() & board.empty()).len());
    let liberties = if game.is_proof() { 0 } else { LIBERTY * difference(liberties) };
    POINT * seeming_margin(game) + liberties
}

/// Returns the penalty for the chains of `side` that have one liberty left. `moves` means that the side is to move.
fn endangered(board: &GoBoard, side: Side, moves: bool) -> i32 {
    let cost = if moves { THREATENED } else { TAKEN };
    let of_chain =
        |(chain, liberties): (GoPoints, u32)| if liberties == 1 { cost * chain.len().cast_signed() } else { 0 };
    chains(board, stones(board)[side as usize]).map(of_chain).sum()
}

/// Returns the penalty for the chains of `side` from before the proof that have few liberties.
fn hunted(board: &GoBoard, side: Side) -> i32 {
    let old = stones(board)[side as usize] - board.proof_stones().unwrap_or_default();
    let of_chain = |(chain, liberties): (GoPoints, u32)| {
        HUNTED * ((chain & old).len() * SAFE.saturating_sub(liberties)).cast_signed()
    };
    chains(board, stones(board)[side as usize]).map(of_chain).sum()
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
/// `seat`, and the other side has at most one of the diagonal points or, at the edge of the board, none.
pub(super) fn is_eye(board: &GoBoard, seat: Seat, point: GoPoint) -> bool {
    if !board.is_own_eye(seat, point) {
        return false;
    }
    let other = seat.next(board.seats());
    let (file, rank) = (point.file(), point.rank());
    let corner = |by: (i8, i8)| GoPoint::new(file.checked_add_signed(by.0)?, rank.checked_add_signed(by.1)?);
    let corners = [(-1, -1), (-1, 1), (1, -1), (1, 1)].map(|by| corner(by).filter(|corner| corner.is_on(board.size())));
    let lost = corners.iter().flatten().filter(|&&corner| board.stones().stones(other).contains(corner)).count();
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
    use crate::game::quantum::points::{Arrangement, GoRules};

    fn board(black: &str, white: &str) -> GoBoard {
        let mut stones = Arrangement::default();
        for (side, points) in [(Side::Black, black), (Side::White, white)] {
            points.split_whitespace().for_each(|point| stones.put(side.into(), point.parse().expect("a point")));
        }
        GoBoard::new(9, 2, GoRules::default(), &stones, Side::White.into()).expect("chains with liberties")
    }

    #[test]
    fn a_point_belongs_to_the_side_with_the_nearest_stone() {
        let board = board("c5", "g5");
        let [black, white] = nearest(stones(&board), board.empty());
        // There are four files on either side of e, where both sides are equally near; two points have stones.
        assert_eq!((black.len(), white.len()), (35, 35));
        let at = |text: &str| text.parse().expect("a point");
        assert!(black.contains(at("d9")) && white.contains(at("f1")));
        assert!(!black.contains(at("e5")) && !white.contains(at("e5")));
    }

    #[test]
    fn an_eye_has_own_stones_beside_it_and_hardly_any_other_at_its_corners() {
        for (black, white, expected) in [
            ("d5 f5 e4 e6", "", true),
            ("d5 f5 e4 e6", "d4", true),
            ("d5 f5 e4 e6", "d4 f6", false),
            ("d5 f5 e4", "", false),
            ("d5 f5 e4", "e6", false),
        ] {
            assert_eq!(is_eye(&board(black, white), Side::Black.into(), "e5".parse().expect("a point")), expected);
        }
        assert!(is_eye(&board("a2 b1", ""), Side::Black.into(), "a1".parse().expect("a point")));
        assert!(!is_eye(&board("a2 b1", "b2"), Side::Black.into(), "a1".parse().expect("a point")));
    }

    #[test]
    fn chains_are_told_apart_with_their_liberties() {
        let board = board("a1 a2 c3", "b1");
        let mut black: Vec<(u32, u32)> =
            chains(&board, stones(&board)[0]).map(|(chain, liberties)| (chain.len(), liberties)).collect();
        black.sort_unstable();
        assert_eq!(black, [(1, 4), (2, 2)]);
    }
}
