//! Reads and writes the book as text.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::{Book, BookEntry, Class};
use crate::game::gothello::{Board, Game, Point};
use crate::game::{Move, Side};

/// The first lines of a book.
const HEADER: &str = "\
# Positions up to symmetry, with black to move: the board from rank 5 to rank 1, black's outcome with best play by both sides,
# the margin if it is known, and a move that keeps the winner.
";

/// The reason why a text is not a book.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line} of the book: {problem}")]
pub struct BookError {
    /// The number of the line, starting from 1.
    pub line: usize,
    /// The problem with the line.
    pub problem: String,
}

impl fmt::Display for Book {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HEADER)?;
        for (class, entry) in self.entries() {
            writeln!(f, "{}", line(class, entry))?;
        }
        Ok(())
    }
}

/// Formats one entry.
fn line(class: Class, entry: BookEntry) -> String {
    let board = class.game().board().to_string().replace('\n', " ");
    let outcome = match entry.outcome {
        1.. => "win",
        0 => "draw",
        _ => "loss",
    };
    let margin = entry.margin.map_or_else(|| "?".to_owned(), |margin| format!("{margin:+}"));
    let reply = entry.reply.map_or_else(|| "-".to_owned(), |reply| reply.to_string());
    format!("{board} {outcome} {margin} {reply}")
}

/// Parses the output of the `Display` of [`Book`]. Empty lines and lines that begin with `#` are skipped.
impl FromStr for Book {
    type Err = BookError;

    fn from_str(text: &str) -> Result<Self, BookError> {
        let mut book = Self::default();
        for (index, text) in text.lines().enumerate() {
            if text.starts_with('#') || text.trim().is_empty() {
                continue;
            }
            let (class, entry) = entry(text).map_err(|problem| BookError { line: index + 1, problem })?;
            if book.entry(class).is_some() {
                return Err(BookError { line: index + 1, problem: "the position already has an entry".to_owned() });
            }
            book.insert(class, entry);
        }
        Ok(book)
    }
}

fn entry(text: &str) -> Result<(Class, BookEntry), String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let [ranks @ .., outcome, margin, reply] = words.as_slice() else { return Err("too few columns".to_owned()) };
    let board: Board = ranks.join(" ").parse().map_err(|error| format!("{error}"))?;
    let game = Game::from_board(board, Side::Black);
    let (class, _) = Class::of(&game);
    if class.game() != game {
        return Err("the board is not the image that represents its class".to_owned());
    }
    let outcome = match *outcome {
        "win" => 1,
        "draw" => 0,
        "loss" => -1,
        other => return Err(format!("`{other}` is not one of `win`, `draw` and `loss`")),
    };
    let margin = match *margin {
        "?" => None,
        text => Some(
            text.parse::<i32>()
                .ok()
                .filter(|margin| margin.signum() == outcome && margin.abs() <= 25)
                .ok_or_else(|| format!("`{text}` is not a margin of that outcome"))?,
        ),
    };
    let reply = match *reply {
        "-" => None,
        "pass" => Some(Move::PASS),
        text => Some(
            Point::parse(text)
                .filter(|point| game.placements() & point.bit() != 0)
                .ok_or_else(|| format!("`{text}` is not a legal move there"))?
                .to_move(),
        ),
    };
    Ok((class, BookEntry { outcome, margin, reply }))
}
