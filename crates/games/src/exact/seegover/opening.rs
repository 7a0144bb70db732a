//! The first drops that keep a won game won, stored so that no search has to find them again.
//!
//! An opening contains turns only for the side that wins from the empty board: one turn for each early position that
//! can arise while that side follows the opening, whatever the other side does. Images of a position under the
//! symmetries of the board share an entry. The text of an opening contains a line for each entry, with the board from
//! rank 5 to rank 1, and the turn.
//!
//! ```text
//! b.... ..... ..w.. ..... ..... e5
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

use thiserror::Error;

use super::place::{SYMMETRIES, image, image_of};
use crate::game::Side;
use crate::game::seegover::{Board, DropRule, Game, MoveRules, Options, Play, Square, squares};

/// Turns of the drop phase by position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening {
    rules: Options,
    /// Each position is represented by the least of its images.
    turns: BTreeMap<Board, Play>,
    /// The positions after these turns, each also represented by the least of its images.
    after: BTreeSet<Board>,
}

/// The error for an invalid line of an opening, or for a second turn on a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("line {line} of the opening is not a new board followed by a legal turn for the side to move")]
pub struct OpeningError {
    /// The number of the line, starting from 1.
    pub line: usize,
}

/// The least image of a board, and the symmetry that maps the board to it.
pub(super) fn least(board: Board) -> (Board, usize) {
    let of = |symmetry| {
        let [black, white] = Side::BOTH.map(|side| image_of(symmetry, board.stones(side)));
        (Board::new(black, white).unwrap_or_default(), symmetry)
    };
    (0..SYMMETRIES).map(of).min().unwrap_or((board, 0))
}

/// The turn that `symmetry` maps to `turn`.
fn led_back(symmetry: usize, turn: Play) -> Play {
    let back = |to: Square| {
        let all = squares(crate::game::seegover::ALL);
        let mut from = all.filter(|from| image(symmetry, usize::from(from.index())) == usize::from(to.index()));
        from.next().unwrap_or(to)
    };
    match turn {
        Play::Drop(at) => Play::Drop(back(at)),
        Play::Pair(one, other) => {
            let (one, other) = (back(one), back(other));
            Play::Pair(one.min(other), one.max(other))
        }
        Play::Move { .. } | Play::Return { .. } => turn,
    }
}

impl Opening {
    /// The opening for games under `rules` that is built into the program. The program contains openings only for the
    /// default rules of the move phase, with either drop rule.
    pub fn embedded(rules: Options) -> Option<&'static Self> {
        static ONE: LazyLock<Opening> = LazyLock::new(|| {
            Opening::parse(MoveRules::DEFAULT.with(DropRule::One), include_str!("opening/one.txt"))
                .expect("the opening is read in a test")
        });
        static TWO: LazyLock<Opening> = LazyLock::new(|| {
            Opening::parse(MoveRules::DEFAULT.with(DropRule::Two), include_str!("opening/two.txt"))
                .expect("the opening is read in a test")
        });
        let opening = match rules.drop {
            DropRule::One => &ONE,
            DropRule::Two => &TWO,
        };
        (MoveRules::DEFAULT.with(rules.drop) == rules).then(|| &**opening)
    }

    /// The opening without any turns.
    pub(super) const fn empty(rules: Options) -> Self {
        Self { rules, turns: BTreeMap::new(), after: BTreeSet::new() }
    }

    /// Adds a turn on `board`, which must be the least of its images.
    pub(super) fn add(&mut self, board: Board, turn: Play) {
        self.after.insert(least(self.game(board).after(turn).board()).0);
        self.turns.insert(board, turn);
    }

    /// The game that begins on `board`, with black to move.
    pub(super) fn game(&self, board: Board) -> Game {
        Game::from_board(self.rules, board, Side::Black).unwrap_or_else(|_| Game::new(self.rules))
    }

    /// The turn for the side to move in `game`, if the opening has one.
    pub fn turn(&self, game: &Game) -> Option<Play> {
        if game.side() != Side::Black || game.rules() != self.rules {
            return None;
        }
        let (board, symmetry) = least(game.board());
        self.turns.get(&board).map(|&turn| led_back(symmetry, turn))
    }

    /// Whether the opening shows that black wins `game`: the opening has a turn for black in this position, or black
    /// has just followed it.
    pub fn is_won(&self, game: &Game) -> bool {
        match game.side() {
            Side::Black => self.turn(game).is_some(),
            Side::White => game.rules() == self.rules && self.after.contains(&least(game.board()).0),
        }
    }

    /// The positions of the opening, with black to move, and their turns.
    pub fn turns(&self) -> impl Iterator<Item = (Board, Play)> {
        self.turns.iter().map(|(&board, &turn)| (board, turn))
    }

    /// Parses an opening for games under `rules`, in the format of its `Display`. Empty lines and lines that begin with
    /// `#` are skipped.
    ///
    /// # Errors
    /// Reports the first invalid line.
    pub fn parse(rules: Options, text: &str) -> Result<Self, OpeningError> {
        let mut opening = Self::empty(rules);
        for (index, line) in text.lines().enumerate() {
            if !line.starts_with('#') && !line.trim().is_empty() {
                let entry = opening.entry(line).filter(|(board, _)| !opening.turns.contains_key(board));
                let (board, turn) = entry.ok_or(OpeningError { line: index + 1 })?;
                opening.add(board, turn);
            }
        }
        Ok(opening)
    }

    fn entry(&self, line: &str) -> Option<(Board, Play)> {
        let (board, turn) = line.rsplit_once(' ')?;
        let board = Board::from_str(board).ok()?;
        let turn = Play::parse(turn, self.rules.drop)?;
        let is_legal = self.game(board).board() == board && self.game(board).plays().contains(&turn);
        (is_legal && least(board).0 == board).then_some((board, turn))
    }
}

impl fmt::Display for Opening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("# Boards up to symmetry, from rank 5 to rank 1, with black to move, and a turn that wins.\n")?;
        let mut turns: Vec<_> = self.turns().collect();
        turns.sort_by_key(|(board, _)| board.count());
        for (board, turn) in turns {
            writeln!(f, "{} {}", board.to_string().replace('\n', " "), turn.to_move())?;
        }
        Ok(())
    }
}
