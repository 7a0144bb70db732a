//! Boards of five ranks and five files as text.

use std::fmt;

use thiserror::Error;

use super::Side;

/// The number of files, which is also the number of ranks.
const SIZE: u8 = 5;

/// An error in the text of a board.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BoardError {
    /// The number of ranks is not five.
    #[error("a board has 5 ranks, but this one has {0}")]
    Ranks(usize),
    /// A rank does not have five points.
    #[error("a rank has 5 points, but `{text}` (rank {rank}) has {found}")]
    Points {
        /// The rank, from 5 down to 1.
        rank: usize,
        /// The rank's text.
        text: String,
        /// The number of characters in the rank.
        found: usize,
    },
    /// A character is not one of the three that are valid.
    #[error("`{letter}` in rank {rank} is not `b`, `w` or `.`")]
    Letter {
        /// The rank, from 5 down to 1.
        rank: usize,
        /// The character.
        letter: char,
    },
    /// There is a stone on every point, although one must stay empty.
    #[error("a board has at most 24 stones, but this one has 25")]
    Full,
}

/// Reads ranks from 5 down to 1, separated by white space or `/`, and calls `place` with each stone and its file and
/// rank, both starting from 0.
pub(super) fn read(text: &str, mut place: impl FnMut(Side, u8, u8)) -> Result<(), BoardError> {
    let is_gap = |letter: char| letter.is_whitespace() || letter == '/';
    let ranks: Vec<&str> = text.split(is_gap).filter(|rank| !rank.is_empty()).collect();
    if ranks.len() != usize::from(SIZE) {
        return Err(BoardError::Ranks(ranks.len()));
    }
    for (row, text) in (0..SIZE).rev().zip(ranks) {
        let rank = usize::from(row) + 1;
        let found = text.chars().count();
        if found != usize::from(SIZE) {
            return Err(BoardError::Points { rank, text: text.to_owned(), found });
        }
        for (file, letter) in (0..SIZE).zip(text.chars()) {
            match letter {
                'b' => place(Side::Black, file, row),
                'w' => place(Side::White, file, row),
                '.' => {}
                _ => return Err(BoardError::Letter { rank, letter }),
            }
        }
    }
    Ok(())
}

/// Writes one line per rank, highest first, with the stones that `stone` returns for a file and a rank, both starting
/// from 0.
pub(super) fn write(f: &mut fmt::Formatter<'_>, stone: impl Fn(u8, u8) -> Option<Side>) -> fmt::Result {
    for rank in (0..SIZE).rev() {
        for file in 0..SIZE {
            write!(f, "{}", stone(file, rank).map_or('.', Side::letter))?;
        }
        if rank > 0 {
            writeln!(f)?;
        }
    }
    Ok(())
}
