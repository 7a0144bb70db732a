//! Puzzles read from the JSON that `puzzles --json` prints.

use serde::Deserialize;
use thiserror::Error;

use super::Puzzle;
use super::puzzle_text::{FORMAT, PuzzleJson};
use crate::base::sanitise::sanitised;
use crate::game::gothello::{Board, Game};
use crate::game::{Move, Position as _, Side};

/// How much of a file's text a message quotes, in characters.
const QUOTED: usize = 40;

/// Why no puzzles can be read from the text of a file. The message is printable.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PuzzleFileError {
    /// The text is not JSON in the form that `puzzles --json` prints.
    #[error("not the output of `puzzles --json`: {0}")]
    Form(String),
    /// The text is in the format of a later version.
    #[error("the format is {0}, but this version reads only {FORMAT}")]
    Version(u64),
    /// There are no puzzles.
    #[error("the file contains no puzzles")]
    Empty,
    /// A puzzle is not valid.
    #[error("puzzle {number}: {what}")]
    Puzzle {
        /// The number of the puzzle, from 1.
        number: usize,
        /// What is wrong.
        what: String,
    },
}

#[derive(Deserialize)]
struct FileJson {
    format: u64,
    puzzles: Vec<PuzzleJson>,
}

/// The puzzles in `text`, in their order. The results of a run's players are left out, since they would give the answer
/// away.
///
/// # Errors
/// Fails if `text` is not the output of `puzzles --json`, or contains no puzzles. The answers are only checked for
/// legality.
pub fn puzzles_of(text: &str) -> Result<Vec<Puzzle>, PuzzleFileError> {
    let form = |error: serde_json::Error| PuzzleFileError::Form(sanitised(&error.to_string()));
    let FileJson { format, puzzles } = serde_json::from_str(text).map_err(form)?;
    if format != FORMAT {
        return Err(PuzzleFileError::Version(format));
    }
    let puzzle = |(index, given): (usize, PuzzleJson)| {
        given.puzzle().map_err(|what| PuzzleFileError::Puzzle { number: index + 1, what })
    };
    let puzzles = puzzles.into_iter().enumerate().map(puzzle).collect::<Result<Vec<_>, _>>()?;
    if puzzles.is_empty() { Err(PuzzleFileError::Empty) } else { Ok(puzzles) }
}

impl PuzzleJson {
    fn puzzle(self) -> Result<Puzzle, String> {
        let quoted = |text: &str| sanitised(&text.chars().take(QUOTED).collect::<String>());
        let board: Board = self.board.parse().map_err(|_| format!("`{}` is not a board", quoted(&self.board)))?;
        if board.breathless().is_some() {
            return Err("a group has no liberties".to_owned());
        }
        let side: Side = self.to_move.parse().map_err(|_| format!("`{}` is not a side", quoted(&self.to_move)))?;
        let game =
            if self.passed { Game::from_board(board, side.opponent()).pass() } else { Game::from_board(board, side) };
        let is_legal = |played: &Move| !game.is_over() && game.legal_moves().contains(played);
        let answer = self.answer.parse().ok().filter(is_legal);
        let answer = answer.ok_or_else(|| format!("the answer `{}` is not legal", quoted(&self.answer)))?;
        Ok(Puzzle { game, goal: self.goal, answer, difficulty: self.difficulty, tried: None })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::practice::puzzles::puzzles_json;

    const ONE: &str = r#"{"format": 1, "puzzles": [{"board": "..... ..... ..b.. ..... .....", "to_move": "white",
        "passed": true, "goal": "win", "answer": "c4", "difficulty": 2, "game": "r1", "ply": 1}]}"#;

    #[test]
    fn what_is_printed_is_read_back() {
        let puzzles = puzzles_of(ONE).expect("a puzzle");
        assert!(puzzles[0].game.passed() && puzzles[0].game.side() == Side::White);
        assert_eq!(puzzles_of(&puzzles_json(&puzzles)), Ok(puzzles));
    }

    #[test]
    fn a_file_that_makes_no_sense_is_described_in_printable_text() {
        for (from, to, said) in [
            ("\"format\": 1", "\"format\": 2", "the format is 2, but this version reads only 1"),
            ("c4", "c3", "puzzle 1: the answer `c3` is not legal"),
            ("white", "\\u001b[2J", "puzzle 1: `\\u{1b}[2J` is not a side"),
            ("..b..", "..b.", "puzzle 1: `"),
            ("..... ..... ..b.. .....", "bbbbb bbbbb bbbbb bbbbb", "puzzle 1: the answer `c4` is not legal"),
            ("..... ..... ..b.. ..... .....", "bbbbb bbbbb bbwbb bbbbb bbbb.", "puzzle 1: a group has no liberties"),
            ("\"goal\": \"win\"", "\"goal\": \"\\u001b\"", "not the output of `puzzles --json`: unknown variant"),
            ("{\"format\"", "[", "not the output of `puzzles --json`: "),
        ] {
            let error = puzzles_of(&ONE.replacen(from, to, 1)).expect_err(to).to_string();
            assert!(error.starts_with(said) && !error.contains('\u{1b}'), "{error:?}");
        }
        assert_eq!(puzzles_of(r#"{"format": 1, "puzzles": []}"#), Err(PuzzleFileError::Empty));
    }
}
