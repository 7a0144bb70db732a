//! What every rule set has in common: sides, moves as text, outcomes, and the [`Position`] that the referee drives.
//!
//! Nothing above this module knows a board's size or a game's concrete moves; only the solver and the built-in bots
//! look into [`gothello`].

pub mod gothello;

use std::fmt;
use std::ops::{Index, IndexMut};
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::base::words::{alternatives, words};

/// One of the two sides. Black moves first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// The side that moves first.
    Black,
    /// The side that moves second.
    White,
}

impl Side {
    /// Both sides, black first.
    pub const BOTH: [Self; 2] = Self::ALL;

    /// The other side.
    #[must_use]
    pub const fn opponent(self) -> Self {
        match self {
            Self::Black => Self::White,
            Self::White => Self::Black,
        }
    }

    /// `b` or `w`, as boards spell it.
    pub const fn letter(self) -> char {
        match self {
            Self::Black => 'b',
            Self::White => 'w',
        }
    }
}

// The words that the protocol and all files use.
words! { pub Side, NotASide, Black => "black", White => "white" }

/// Text that names no side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected {}", alternatives(&Side::ALL.map(Side::name)))]
pub struct NotASide;

/// One value for each side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct BySide<T> {
    /// Black's.
    pub black: T,
    /// White's.
    pub white: T,
}

impl<T> BySide<T> {
    /// The pair of what `make` returns for black and for white, called in this order.
    pub fn from_fn(mut make: impl FnMut(Side) -> T) -> Self {
        let black = make(Side::Black);
        Self { black, white: make(Side::White) }
    }

    /// Applies `change` to both values.
    pub fn map<U>(self, mut change: impl FnMut(T) -> U) -> BySide<U> {
        let black = change(self.black);
        BySide { black, white: change(self.white) }
    }

    /// The same pair, borrowed.
    pub const fn as_ref(&self) -> BySide<&T> {
        BySide { black: &self.black, white: &self.white }
    }
}

impl<T> Index<Side> for BySide<T> {
    type Output = T;

    fn index(&self, side: Side) -> &T {
        match side {
            Side::Black => &self.black,
            Side::White => &self.white,
        }
    }
}

impl<T> IndexMut<Side> for BySide<T> {
    fn index_mut(&mut self, side: Side) -> &mut T {
        match side {
            Side::Black => &mut self.black,
            Side::White => &mut self.white,
        }
    }
}

/// A move as its canonical text: a point such as `c3`, or `pass`.
///
/// A [`Position`] returns moves in one spelling each, so that equal moves have equal texts.
///
/// Invariant: 1 to [`Move::MAX_LEN`] printable ASCII characters without blanks, lower case.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Move {
    len: u8,
    text: [u8; Self::MAX_LEN],
}

impl Move {
    /// The longest text of a move in any rule set, in bytes.
    pub const MAX_LEN: usize = 15;

    /// The pass, which every rule set spells alike.
    pub const PASS: Self = Self::from_bytes(b"pass");

    /// `bytes` have to fulfil the type's invariant.
    const fn from_bytes(bytes: &[u8]) -> Self {
        assert!(!bytes.is_empty() && bytes.len() <= Self::MAX_LEN, "a move's text has 1 to 15 bytes");
        let mut text = [0; Self::MAX_LEN];
        let mut i = 0;
        while i < bytes.len() {
            assert!(bytes[i].is_ascii_graphic() && !bytes[i].is_ascii_uppercase(), "a move's text is lower-case ASCII");
            text[i] = bytes[i];
            i += 1;
        }
        #[expect(clippy::cast_possible_truncation, reason = "at most MAX_LEN")]
        let len = bytes.len() as u8;
        Self { len, text }
    }

    /// The canonical text.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(self.as_bytes()).unwrap_or_default()
    }

    /// The canonical text's bytes.
    pub const fn as_bytes(&self) -> &[u8] {
        self.text.split_at(self.len as usize).0
    }

    /// Whether this is the pass.
    pub fn is_pass(&self) -> bool {
        *self == Self::PASS
    }
}

/// Text that can be no move in any game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a move is 1 to 15 printable lower-case characters")]
pub struct NotAMove;

/// Reads a move's shape, as from a game log; only a [`Position`] knows whether it means anything.
impl FromStr for Move {
    type Err = NotAMove;

    fn from_str(text: &str) -> Result<Self, NotAMove> {
        let fits = (1..=Self::MAX_LEN).contains(&text.len())
            && text.bytes().all(|byte| byte.is_ascii_graphic() && !byte.is_ascii_uppercase());
        if fits { Ok(Self::from_bytes(text.as_bytes())) } else { Err(NotAMove) }
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// How a game ends by its rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The winner; `None` is a draw.
    pub winner: Option<Side>,
    /// Black's stones minus white's.
    pub margin: i32,
}

/// Why a position refuses a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum IllegalMove {
    /// The text is no move of this game at all.
    #[error("not a move of this game")]
    NotUnderstood,
    /// The point holds a stone.
    #[error("the point is occupied")]
    Occupied,
    /// The stone's own group would have no liberty.
    #[error("the stone would have no liberty")]
    NoLiberty,
    /// The game is over.
    #[error("the game is over")]
    GameOver,
}

/// A position of some game, with what is needed of its history to judge the next move.
///
/// Its `Display` is the board as the protocol shows it: one line a rank, the highest first, no newline at the end.
pub trait Position: fmt::Display + fmt::Debug + Send + Sync {
    /// The side whose turn it is; unspecified once the game is over.
    fn to_move(&self) -> Side;

    /// All moves that [`Position::play`] takes now, the pass last; none once the game is over.
    fn legal_moves(&self) -> Vec<Move>;

    /// Plays the move that `text` names and returns it in canonical form.
    ///
    /// # Errors
    /// Says why the move is refused; the position is then unchanged.
    fn play(&mut self, text: &str) -> Result<Move, IllegalMove>;

    /// The result, once the rules have ended the game.
    fn outcome(&self) -> Option<Outcome>;
}

/// The rule sets that the arena knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Ruleset {
    /// Bart Massey's Gothello on 5x5, rules of 2001.
    #[default]
    #[serde(rename = "gothello")]
    Gothello,
}

impl Ruleset {
    /// The position in which games of this rule set start.
    pub fn start(self) -> Box<dyn Position> {
        match self {
            Self::Gothello => Box::new(gothello::Game::default()),
        }
    }
}

// The names that files use.
words! { pub Ruleset, UnknownRuleset, Gothello => "gothello" }

/// Text that names no rule set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected {}", alternatives(&Ruleset::ALL.map(Ruleset::name)))]
pub struct UnknownRuleset;
