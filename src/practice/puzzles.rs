//! Puzzles: positions in which only one move is right.
//!
//! A position is a puzzle if exactly one legal move keeps the win, the draw or the margin for the side to move. The
//! answers are exact values, so every puzzle has one answer by construction.

mod candidates;
mod deck;
mod making;
mod puzzle_file;
mod puzzle_text;
mod sheet;

pub use candidates::{PlayedPositions, RandomPositions};
pub use deck::deck;
pub use making::{PuzzleMaker, PuzzleWish};
pub use puzzle_file::{PuzzleFileError, puzzles_of};
pub(crate) use puzzle_text::task;
pub use puzzle_text::{puzzles_json, puzzles_text};
pub use sheet::sheet;

use serde::{Deserialize, Serialize};

use crate::base::random::SplitMix64;
use crate::exact::margin_table::grid::{BoardGrid, PointSet, SYMMETRIES};
use crate::exact::margin_table::known::in_table;
use crate::game::Move;
use crate::game::gothello::{Game, points};
use crate::players::bots::Thinkable as _;

/// The goal that only one move in a puzzle achieves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PuzzleGoal {
    /// It wins.
    Win,
    /// It draws, and the position is not won.
    Draw,
    /// It keeps the margin.
    Margin,
}

/// A position in which one move is right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Puzzle {
    /// The position.
    pub game: Game,
    /// The goal that only the answer achieves.
    pub goal: PuzzleGoal,
    /// The only move that achieves the goal.
    pub answer: Move,
    /// How deep a player has to look, in plies: the least depth, from 1 to [`DEEPEST`], at which `alphabeta` finds the
    /// answer and also finds it one ply deeper. If there is no such depth, the value is [`DEEPEST`] plus one.
    pub difficulty: u8,
    /// How the players of a run fared in this position.
    pub tried: Option<PuzzleTries>,
}

/// How the players of a run fared in a position or its images.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PuzzleTries {
    /// The first game in which the position occurred, and the number of plies before it.
    pub first: (String, usize),
    /// The names of the players that were to move in the position, and whether each found the answer every time, sorted
    /// by name.
    pub players: Vec<(String, bool)>,
}

impl PuzzleTries {
    /// How many players failed at least once.
    pub fn failed(&self) -> usize {
        self.players.iter().filter(|(_, found)| !found).count()
    }
}

/// The depth of the deepest search that is used to grade puzzles.
pub const DEEPEST: u8 = 5;

/// A position up to the symmetries of the board and the exchange of colours: the stones of the side to move and those
/// of the other side, in the lowest of their eight images, and whether the other side has just passed.
pub type PuzzleClass = (PointSet, PointSet, bool);

/// The class of `game`.
pub fn class_of(grid: &BoardGrid, game: &Game) -> PuzzleClass {
    let (board, side) = (game.board(), game.side());
    let [own, theirs] = [side, side.opponent()].map(|side| in_table(board.stones(side)));
    let images = (0..SYMMETRIES).map(|symmetry| [own, theirs].map(|set| grid.image_of_set(symmetry, set)));
    let [own, theirs] = images.min().expect("there are eight images");
    (own, theirs, game.passed())
}

/// Whether `game` leaves a choice worth a puzzle: the game goes on, and there are at least two placements.
fn leaves_a_choice(game: &Game) -> bool {
    !game.is_over() && game.placements().count_ones() >= 2
}

/// Whether the bot `greedy` may play `answer`: it takes any of the placements that lead to its largest lead.
fn is_greedy(game: &Game, answer: Move) -> bool {
    let leads = || points(game.placements()).map(|point| (game.lead_after(point.to_move()), point.to_move()));
    let most = leads().map(|(lead, _)| lead).max();
    if game.wins_by_passing() {
        return answer.is_pass();
    }
    leads().any(|(lead, played)| Some(lead) == most && played == answer)
}

/// The difficulty of finding `answer` in `game`; see [`Puzzle::difficulty`].
fn difficulty(game: &Game, answer: Move) -> u8 {
    // The seed matters only where the search finds several moves equally good.
    let finds = |depth: u8| game.by_alphabeta(depth.into(), &mut SplitMix64::new(depth.into())) == answer;
    let (mut depth, mut before) = (1, finds(1));
    while depth <= DEEPEST {
        let next = finds(depth + 1);
        if before && next {
            break;
        }
        (depth, before) = (depth + 1, next);
    }
    depth
}

#[cfg(test)]
mod tests;
