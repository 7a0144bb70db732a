//! Gothello on 5x5, according to the rules of 2001, using bitboards.
//!
//! Source of the rules: Bart Massey, "Gothello", 2001-11-14. A stone may be placed on any empty point unless its own
//! group would then have no liberty, which is determined before captures. Opposing groups next to the stone that have
//! lost their last liberty change colour. Two passes in a row end the game, and the side with more stones wins.

pub mod vectors;

use std::fmt;
use std::str::FromStr;

use super::board_text;
use super::{BoardError, IllegalMove, Move, Outcome, Position, Side};

/// The error for a placement on an occupied point.
pub const OCCUPIED: IllegalMove = IllegalMove::Refused("the point is occupied");

/// The error for a placement that would leave the stone's own group without a liberty.
pub const NO_LIBERTY: IllegalMove = IllegalMove::Refused("the stone would have no liberty");

/// The number of files, which is also the number of ranks.
pub const SIZE: u8 = 5;

/// The bits of one rank: five points and an empty sixth, so that a shift by one never wraps onto the next rank.
const RANK_BITS: u8 = SIZE + 1;

/// A set of points. The bit of a point is `rank * 6 + file`, both counted from zero, so a1 is bit 0.
pub type Points = u32;

/// All 25 points.
pub const ALL: Points = 0b01_1111_0111_1101_1111_0111_1101_1111;

/// One point of the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Point(u8);

impl Point {
    /// The point on `file` and `rank`, both from 0 to 4, or `None` if it is off the board.
    pub const fn new(file: u8, rank: u8) -> Option<Self> {
        if file < SIZE && rank < SIZE { Some(Self(rank * RANK_BITS + file)) } else { None }
    }

    /// The lowest point of a set, and the set without it; `None` for the empty set.
    pub const fn pop(points: Points) -> Option<(Self, Points)> {
        if points == 0 {
            return None;
        }
        #[expect(clippy::cast_possible_truncation, reason = "at most 31")]
        let bit = points.trailing_zeros() as u8;
        Some((Self(bit), points & (points - 1)))
    }

    /// All 25 points, rank by rank, starting with a1.
    pub fn all() -> impl Iterator<Item = Self> {
        points(ALL)
    }

    /// The set that contains only this point.
    pub const fn bit(self) -> Points {
        1 << self.0
    }

    /// The file, from 0 (a) to 4 (e).
    pub const fn file(self) -> u8 {
        self.0 % RANK_BITS
    }

    /// The rank, from 0 (rank 1) to 4 (rank 5).
    pub const fn rank(self) -> u8 {
        self.0 / RANK_BITS
    }

    /// The placement on this point.
    pub const fn to_move(self) -> Move {
        Move::from_bytes(&[b'a' + self.file(), b'1' + self.rank()])
    }

    /// The point that `text` names: `a1` to `e5`, in lower case.
    pub const fn parse(text: &str) -> Option<Self> {
        match *text.as_bytes() {
            [file @ b'a'..=b'e', rank @ b'1'..=b'5'] => Self::new(file - b'a', rank - b'1'),
            _ => None,
        }
    }
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.to_move().as_str())
    }
}

/// The points of a set, lowest bit first.
pub fn points(mut set: Points) -> impl Iterator<Item = Point> {
    std::iter::from_fn(move || {
        let (point, rest) = Point::pop(set)?;
        set = rest;
        Some(point)
    })
}

/// The points that are horizontally or vertically next to a point of `set`. These may include points of `set` itself.
pub const fn neighbours(set: Points) -> Points {
    (set << 1 | set >> 1 | set << RANK_BITS | set >> RANK_BITS) & ALL
}

/// All points of `within` that are connected to `seed`, which must be a subset of `within`.
pub const fn flood(seed: Points, within: Points) -> Points {
    let mut group = seed;
    loop {
        let grown = (group | neighbours(group)) & within;
        if grown == group {
            return group;
        }
        group = grown;
    }
}

/// Stones on the board, without history.
///
/// Invariant: `black` and `white` are disjoint subsets of [`ALL`]. A group can lack a liberty: this cannot occur in
/// play, but some diagrams in the rules show such positions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Board {
    black: Points,
    white: Points,
}

impl Board {
    /// Creates the board with these stones, or returns `None` if two stones are on the same point or a stone is off the
    /// board.
    pub const fn new(black: Points, white: Points) -> Option<Self> {
        if black & white != 0 || (black | white) & !ALL != 0 { None } else { Some(Self { black, white }) }
    }

    /// The stones of `side`.
    pub const fn stones(&self, side: Side) -> Points {
        match side {
            Side::Black => self.black,
            Side::White => self.white,
        }
    }

    /// The points without a stone.
    pub const fn empty(&self) -> Points {
        ALL & !(self.black | self.white)
    }

    /// The side of a group without liberties, and one of the group's points, if there is such a group. This is
    /// impossible in a game.
    pub fn breathless(&self) -> Option<(Side, Point)> {
        for side in Side::BOTH {
            let mut rest = self.stones(side);
            while let Some((point, _)) = Point::pop(rest) {
                let group = flood(point.bit(), self.stones(side));
                if neighbours(group) & self.empty() == 0 {
                    return Some((side, point));
                }
                rest &= !group;
            }
        }
        None
    }

    /// Black's stones minus white's.
    pub const fn margin(&self) -> i32 {
        self.black.count_ones().cast_signed() - self.white.count_ones().cast_signed()
    }

    /// The points on which `side` may place a stone.
    pub const fn placements(&self, side: Side) -> Points {
        let empty = self.empty();
        // A point with an empty neighbour is always legal: the stone has that liberty.
        let mut legal = empty & neighbours(empty);
        let mut closed = empty & !legal;
        let own = self.stones(side);
        while let Some((point, rest)) = Point::pop(closed) {
            closed = rest;
            let group = flood(point.bit(), own | point.bit());
            if neighbours(group) & empty & !point.bit() != 0 {
                legal |= point.bit();
            }
        }
        legal
    }

    /// Places a stone of `side` on `point`, which must be one of [`Board::placements`], and captures.
    #[must_use]
    pub const fn place(&self, side: Side, point: Point) -> Self {
        let own = self.stones(side) | point.bit();
        let mut theirs = self.stones(side.opponent());
        let empty = self.empty() & !point.bit();
        let mut captured = 0;
        let mut touched = neighbours(point.bit()) & theirs;
        while touched != 0 {
            let group = flood(touched & touched.wrapping_neg(), theirs);
            touched &= !group;
            if neighbours(group) & empty == 0 {
                captured |= group;
            }
        }
        theirs &= !captured;
        match side {
            Side::Black => Self { black: own | captured, white: theirs },
            Side::White => Self { black: theirs, white: own | captured },
        }
    }
}

impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        board_text::write(f, |file, rank| {
            let bit = 1 << (rank * RANK_BITS + file);
            Side::BOTH.into_iter().find(|&side| self.stones(side) & bit != 0)
        })
    }
}

/// Reads ranks from 5 down to 1, separated by white space or `/`.
impl FromStr for Board {
    type Err = BoardError;

    fn from_str(text: &str) -> Result<Self, BoardError> {
        let mut board = Self::default();
        board_text::read(text, |side, file, rank| {
            let bit = 1 << (rank * RANK_BITS + file);
            match side {
                Side::Black => board.black |= bit,
                Side::White => board.white |= bit,
            }
        })?;
        Ok(board)
    }
}

/// A game in progress: the board, the side to move, and whether the last move was a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Game {
    board: Board,
    to_move: Side,
    passes: Passes,
}

/// The number of consecutive passes that have just been made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Passes {
    None,
    One,
    Two,
}

impl Default for Game {
    /// The empty board, with black to move.
    fn default() -> Self {
        Self::from_board(Board::default(), Side::Black)
    }
}

impl Game {
    /// Creates a game that continues from `board`, as if the last move had not been a pass.
    pub const fn from_board(board: Board, to_move: Side) -> Self {
        Self { board, to_move, passes: Passes::None }
    }

    /// The stones.
    pub const fn board(&self) -> Board {
        self.board
    }

    /// The side to move.
    pub const fn side(&self) -> Side {
        self.to_move
    }

    /// Whether the last move was a pass, in which case another pass ends the game.
    pub const fn passed(&self) -> bool {
        matches!(self.passes, Passes::One)
    }

    /// Whether two passes have ended the game.
    pub const fn is_over(&self) -> bool {
        matches!(self.passes, Passes::Two)
    }

    /// How many points are empty.
    pub const fn empty_points(&self) -> u32 {
        self.board.empty().count_ones()
    }

    /// The points on which the side to move may place a stone; none once the game is over.
    pub const fn placements(&self) -> Points {
        if self.is_over() { 0 } else { self.board.placements(self.to_move) }
    }

    /// The game after a placement, which must be one of [`Game::placements`].
    #[must_use]
    pub const fn place(&self, point: Point) -> Self {
        Self { board: self.board.place(self.to_move, point), to_move: self.to_move.opponent(), passes: Passes::None }
    }

    /// The game after a pass. This game must not be over.
    #[must_use]
    pub const fn pass(&self) -> Self {
        let passes = match self.passes {
            Passes::None => Passes::One,
            Passes::One | Passes::Two => Passes::Two,
        };
        Self { board: self.board, to_move: self.to_move.opponent(), passes }
    }

    /// The game after a legal move. A move that does not name a point is a pass.
    #[must_use]
    pub fn after(&self, legal: Move) -> Self {
        match Point::parse(legal.as_str()) {
            Some(point) => self.place(point),
            None => self.pass(),
        }
    }

    /// The number of sequences of `plies` placements from here.
    pub fn perft(&self, plies: u32) -> u64 {
        let placements = self.placements();
        match plies {
            0 => 1,
            1 => u64::from(placements.count_ones()),
            _ => points(placements).map(|point| self.place(point).perft(plies - 1)).sum(),
        }
    }

    /// The number of sequences of `plies` moves from here, where passes count as moves. A double pass ends a sequence,
    /// and shorter sequences are not counted.
    pub fn perft_with_passes(&self, plies: u32) -> u64 {
        if plies == 0 {
            return 1;
        }
        if self.is_over() {
            return 0;
        }
        if plies == 1 {
            return u64::from(self.placements().count_ones()) + 1;
        }
        let placed: u64 = points(self.placements()).map(|point| self.place(point).perft_with_passes(plies - 1)).sum();
        placed + self.pass().perft_with_passes(plies - 1)
    }
}

impl fmt::Display for Game {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.board.fmt(f)
    }
}

impl Position for Game {
    fn to_move(&self) -> Side {
        self.to_move
    }

    fn legal_moves(&self) -> Vec<Move> {
        if self.is_over() {
            return Vec::new();
        }
        points(self.placements()).map(Point::to_move).chain([Move::PASS]).collect()
    }

    fn play(&mut self, text: &str) -> Result<Move, IllegalMove> {
        let pass = text == Move::PASS.as_str();
        let point = Point::parse(text);
        if !pass && point.is_none() {
            return Err(IllegalMove::NotUnderstood);
        }
        if self.is_over() {
            return Err(IllegalMove::GameOver);
        }
        let Some(point) = point else {
            *self = self.pass();
            return Ok(Move::PASS);
        };
        if self.board.empty() & point.bit() == 0 {
            return Err(OCCUPIED);
        }
        if self.placements() & point.bit() == 0 {
            return Err(NO_LIBERTY);
        }
        *self = self.place(point);
        Ok(point.to_move())
    }

    fn outcome(&self) -> Option<Outcome> {
        self.is_over().then(|| Outcome::of_margin(self.board.margin()))
    }
}
