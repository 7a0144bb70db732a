//! Answers to questions about positions, as users read them: text, or a JSON object.
//!
//! | room | contents |
//! | --- | --- |
//! | `seegover` | a position of Seegover, by the table and a search of the drops |
//! | `whole_game` | the whole game of Gothello, from the empty board |

mod seegover;
mod whole_game;

use std::fmt::Write as _;
use std::time::Duration;

use serde::Serialize;

pub use seegover::{QueryNews, SeegoverAnswer, SeegoverDetail, SeegoverQuery};
pub use whole_game::{FirstMove, WholeGame, WholeGameError, WholeGameNews, WholeGameSearch};

use crate::exact::solver::Solution;
use crate::game::{Move, Outcome};

/// The version of the JSON format. docs/reference/schemas/solution.schema.json describes it.
const FORMAT: u32 = 1;

/// What a position of Gothello is worth.
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
    /// The answer to a question about one position. The search visited `nodes` nodes and took the time `took`.
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

    /// The answer to a question about the whole game. The search took the time `took`.
    pub fn of_whole_game(game: WholeGame, took: Duration) -> Self {
        let WholeGame { solution, first_moves, nodes } = game;
        Self { first_moves: Some(first_moves), ..Self::new(solution, nodes, took) }
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
    if moves.is_empty() { "none, the game is over".to_owned() } else { moves.join(" ") }
}
