//! The rules of Gothello.
//!
//! A board has 25 bytes, `b`, `w` or `.`, in reading order: a5 to e5, then a4 to e4, down to a1 to e1. A point is the
//! index of its byte, from 0 (a5) to 24 (e1). A move is a point, or `None` for a pass. A side is `b` or `w`.

pub const SIZE: usize = 5;
pub const POINTS: usize = SIZE * SIZE;
pub const START: Board = [b'.'; POINTS];

pub type Board = [u8; POINTS];
pub type Side = u8;
pub type Move = Option<usize>;

/// The name of a point, such as `c3`, or `pass`.
pub fn name(chosen: Move) -> String {
    match chosen {
        Some(point) => format!("{}{}", char::from(b"abcde"[point % SIZE]), SIZE - point / SIZE),
        None => "pass".to_owned(),
    }
}

/// The move that `text` names. Anything but a point is a pass.
pub fn named(text: &str) -> Move {
    match *text.as_bytes() {
        [file @ b'a'..=b'e', rank @ b'1'..=b'5'] => Some(usize::from(b'5' - rank) * SIZE + usize::from(file - b'a')),
        _ => None,
    }
}

pub fn opponent(side: Side) -> Side {
    if side == b'b' { b'w' } else { b'b' }
}

/// The two to four points next to `point`.
pub fn neighbours(point: usize) -> impl Iterator<Item = usize> {
    let (row, column) = (point / SIZE, point % SIZE);
    let above = (row > 0).then(|| point - SIZE);
    let left = (column > 0).then(|| point - 1);
    let right = (column < SIZE - 1).then(|| point + 1);
    let below = (row < SIZE - 1).then(|| point + SIZE);
    [above, left, right, below].into_iter().flatten()
}

/// The connected stones of one colour at `point`, and whether they touch an empty point (a liberty).
pub fn group(board: &Board, point: usize) -> (Vec<usize>, bool) {
    let (mut stones, mut is_free, mut next) = (vec![point], false, 0);
    while next < stones.len() {
        for beside in neighbours(stones[next]) {
            if board[beside] == b'.' {
                is_free = true;
            } else if board[beside] == board[point] && !stones.contains(&beside) {
                stones.push(beside);
            }
        }
        next += 1;
    }
    (stones, is_free)
}

/// Whether `side` may place a stone on `point`: the point is empty, and the stone's group has a liberty BEFORE
/// captures.
pub fn is_legal(board: &Board, side: Side, point: usize) -> bool {
    let mut after = *board;
    after[point] = side;
    board[point] == b'.' && group(&after, point).1
}

/// All points on which `side` may place a stone. A pass is always legal.
pub fn legal_points(board: &Board, side: Side) -> Vec<usize> {
    (0..POINTS).filter(|&point| is_legal(board, side, point)).collect()
}

/// The board after a legal move: opposing groups next to the new stone that have no liberty left change colour.
pub fn play(board: &Board, side: Side, chosen: Move) -> Board {
    let Some(point) = chosen else { return *board };
    let mut placed = *board;
    placed[point] = side;
    let mut after = placed;
    for beside in neighbours(point).filter(|&beside| placed[beside] == opponent(side)) {
        let (stones, is_free) = group(&placed, beside);
        if !is_free {
            stones.into_iter().for_each(|stone| after[stone] = side);
        }
    }
    after
}

/// How many empty points are next to a stone of `side`.
pub fn liberties(board: &Board, side: Side) -> i32 {
    let is_liberty = |point: usize| board[point] == b'.' && neighbours(point).any(|beside| board[beside] == side);
    (0..POINTS).map(|point| i32::from(is_liberty(point))).sum()
}

/// The stones of `side` minus those of its opponent. Two passes in a row end the game, and the lead decides who wins.
pub fn lead(board: &Board, side: Side) -> i32 {
    let worth = |&stone: &u8| i32::from(stone == side) - i32::from(stone == opponent(side));
    board.iter().map(worth).sum()
}
