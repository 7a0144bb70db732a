//! Puzzles as text for people and as JSON for programs.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use super::{Puzzle, PuzzleGoal};
use crate::base::sanitise::sanitised;
use crate::results::replay::Style;

/// The task of the side to move, as a sentence.
pub(crate) fn task(puzzle: &Puzzle) -> String {
    let side = puzzle.game.side();
    let other = side.opponent();
    let passed = if puzzle.game.passed() { format!(" {other} has just passed.") } else { String::new() };
    let goal = match puzzle.goal {
        PuzzleGoal::Win => "Only one move wins.",
        PuzzleGoal::Draw => "Only one move draws, and none wins.",
        PuzzleGoal::Margin => "Only one move keeps the margin.",
    };
    let text = format!("{side} to move.{passed} {goal}");
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().collect::<String>() + letters.as_str())
}

/// How the players fared, as a sentence; empty for a random position.
pub(super) fn tries(puzzle: &Puzzle) -> String {
    let Some(tried) = &puzzle.tried else { return String::new() };
    let (game, plies) = &tried.first;
    let failed = match (tried.failed(), tried.players.len()) {
        (_, 0) => "not yet tried".to_owned(),
        (0, _) => "found by all".to_owned(),
        (failed, all) => format!("missed by {failed} of {all}"),
    };
    sanitised(&format!("{game}, ply {}: {failed}", plies + 1))
}

/// The puzzles as text: the boards first, with stones as `style` shows them, and the answers at the end.
pub fn puzzles_text(puzzles: &[Puzzle], style: Style) -> String {
    let mut text = String::new();
    for (number, puzzle) in (1..).zip(puzzles) {
        let _ = writeln!(text, "{number}. {} Difficulty {}.\n", task(puzzle), puzzle.difficulty);
        for (rank, line) in (1..=5).rev().zip(puzzle.game.to_string().lines()) {
            let spaced: Vec<String> = line
                .chars()
                .filter(|letter| !letter.is_whitespace())
                .map(|letter| style.stone(letter).into())
                .collect();
            let _ = writeln!(text, "    {rank} {}", spaced.join(" "));
        }
        let _ = writeln!(text, "      a b c d e\n");
    }
    if !puzzles.is_empty() {
        text += "Answers\n";
    }
    for (number, puzzle) in (1..).zip(puzzles) {
        let tries = tries(puzzle);
        let tries = if tries.is_empty() { tries } else { format!("  ({tries})") };
        let _ = writeln!(text, "{number:>4}. {}{tries}", puzzle.answer);
    }
    text
}

/// The version of the JSON format.
pub(super) const FORMAT: u64 = 1;

/// A puzzle as JSON.
#[derive(Deserialize, Serialize)]
pub(super) struct PuzzleJson {
    pub(super) board: String,
    pub(super) to_move: String,
    pub(super) passed: bool,
    pub(super) goal: PuzzleGoal,
    pub(super) answer: String,
    pub(super) difficulty: u8,
    /// How the players fared; never read, since it would give the answer away.
    #[serde(flatten, skip_deserializing, skip_serializing_if = "Option::is_none")]
    tries: Option<TriesJson>,
}

#[derive(Serialize)]
struct TriesJson {
    game: String,
    ply: usize,
    failed: Vec<String>,
    found: Vec<String>,
}

/// The puzzles as one JSON object, on one line. `board` and `to_move` have the form that `solve` accepts.
pub fn puzzles_json(puzzles: &[Puzzle]) -> String {
    let puzzle = |puzzle: &Puzzle| PuzzleJson {
        board: board(puzzle),
        to_move: puzzle.game.side().to_string(),
        passed: puzzle.game.passed(),
        goal: puzzle.goal,
        answer: puzzle.answer.to_string(),
        difficulty: puzzle.difficulty,
        tries: puzzle.tried.as_ref().map(|tried| {
            let names = |wanted| {
                tried.players.iter().filter(|(_, found)| *found == wanted).map(|(name, _)| name.clone()).collect()
            };
            let (game, plies) = tried.first.clone();
            TriesJson { game, ply: plies, failed: names(false), found: names(true) }
        }),
    };
    let all: Vec<PuzzleJson> = puzzles.iter().map(puzzle).collect();
    format!("{}\n", serde_json::json!({ "format": FORMAT, "puzzles": all }))
}

/// The board on one line, ranks 5 to 1.
pub(super) fn board(puzzle: &Puzzle) -> String {
    puzzle.game.to_string().split_whitespace().collect::<Vec<_>>().join(" ")
}
