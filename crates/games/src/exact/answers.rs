//! Answers to questions about positions, as users read them: text, or a JSON object.
//!
//! This part answers questions about Gothello; `seegover` answers those about a Seegover position, using the table and
//! a search of the drops.

mod seegover;

use std::fmt::{self, Write as _};
use std::time::Duration;

use serde::Serialize;

pub use seegover::{QueryNews, SeegoverAnswer, SeegoverDetail, SeegoverQuery};

use crate::exact::margin_table::known::KnownMargins;
use crate::exact::solver::Solution;
use crate::game::gothello::Game;
use crate::game::{Move, Outcome};

/// The version of the JSON format. docs/reference/schemas/solution.schema.json describes it.
const FORMAT: u32 = 1;

/// One first move of each class; the other moves of a class are its images under the symmetries of the board.
const FIRST_MOVES: [&str; 7] = ["c3", "c2", "b2", "c1", "b1", "a1", "pass"];

/// The result of a first move.
#[derive(Debug, Serialize)]
struct FirstMove {
    #[serde(rename = "move")]
    name: &'static str,
    winner: &'static str,
    margin: i32,
    #[serde(skip)]
    outcome: Outcome,
}

impl FirstMove {
    fn new(name: &'static str) -> Option<Self> {
        let game = Game::default().after(name.parse().ok()?);
        let outcome = KnownMargins::Embedded.outcome(&game)?;
        Some(Self { name, winner: outcome.winner_name(), margin: outcome.margin?, outcome })
    }
}

impl fmt::Display for FirstMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:>4}: {}", self.name, self.outcome)
    }
}

/// The value of a Gothello position.
#[derive(Debug, Serialize)]
pub struct GothelloAnswer {
    format: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    margin: Option<i32>,
    winner: &'static str,
    #[serde(skip)]
    outcome: Outcome,
    best: Vec<String>,
    line: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    first_moves: Option<Vec<FirstMove>>,
    nodes: u64,
    seconds: f64,
}

impl GothelloAnswer {
    /// The answer to a question about one position. The search visited `nodes` nodes and took `took`.
    pub fn new(solution: Solution, nodes: u64, took: Duration) -> Self {
        let texts = |moves: Vec<Move>| moves.iter().map(ToString::to_string).collect();
        Self {
            format: FORMAT,
            margin: solution.outcome.margin,
            winner: solution.outcome.winner_name(),
            outcome: solution.outcome,
            best: texts(solution.best),
            line: texts(solution.line),
            first_moves: None,
            nodes,
            seconds: took.as_secs_f64(),
        }
    }

    /// Adds the result of each class of first moves to this answer, which must be about the empty board.
    #[must_use]
    pub fn with_first_moves(self) -> Self {
        Self { first_moves: Some(FIRST_MOVES.iter().filter_map(|name| FirstMove::new(name)).collect()), ..self }
    }

    /// The answer in a few lines.
    pub fn text(&self) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}", self.outcome);
        for first in self.first_moves.iter().flatten() {
            let _ = writeln!(text, "{first}");
        }
        let _ = writeln!(text, "best: {}", or_over(&self.best));
        let _ = writeln!(text, "line: {}", or_over(&self.line));
        let _ = writeln!(text, "{} nodes in {:.3} s", self.nodes, self.seconds);
        text
    }
}

/// The moves, or the reason why there are none.
fn or_over(moves: &[String]) -> String {
    if moves.is_empty() { "none (the game is over)".to_owned() } else { moves.join(" ") }
}
