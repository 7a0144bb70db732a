//! Puzzles made from candidates, by exact values.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};

use super::candidates::{PlayedPosition, PlayedPositions, RandomPositions};
use super::{Puzzle, PuzzleClass, PuzzleGoal, class_of, difficulty, is_greedy};
use crate::exact::margin_table::grid::BoardGrid;
use crate::exact::margin_table::known::KnownMargins;
use crate::exact::solver::{Question, Solver, TranspositionTable, Unsolved};
use crate::exact::team::Team;
use crate::game::Move;
use crate::game::gothello::Game;

/// The number of random positions in a batch, after which the puzzles found are counted; and the number of consecutive
/// batches without a new puzzle after which the search gives up.
const BATCH: usize = 256;
const FRUITLESS: usize = 40;

/// Which puzzles are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PuzzleWish {
    /// Whether to include positions in which only one move keeps the margin, even if several moves win.
    pub margin: bool,
    /// Whether to include positions whose answer the bot `greedy` may play.
    pub easy: bool,
}

/// Makes puzzles on several threads.
#[derive(Clone, Copy, Debug)]
pub struct PuzzleMaker<'m> {
    /// The number of threads.
    pub threads: NonZeroUsize,
    /// The margins that need no search.
    pub known: KnownMargins<'m>,
    /// Which puzzles are wanted.
    pub wish: PuzzleWish,
    /// Stops the work once it is raised.
    pub stop: &'m AtomicBool,
}

impl PuzzleMaker<'_> {
    /// The puzzles among `positions`, in their order. `tick` is called with the number of positions judged so far.
    /// Returns `None` if `stop` was raised.
    pub fn played(&self, positions: &PlayedPositions, tick: impl FnMut(usize)) -> Option<Vec<Puzzle>> {
        let grid = BoardGrid::new(5);
        let games: Vec<Game> = positions.all.iter().map(|position| position.game).collect();
        let found = self.judged(&games, tick)?;
        let puzzle = |(position, found): (&PlayedPosition, Option<Puzzle>)| {
            let puzzle = found?;
            Some(Puzzle { tried: Some(position.tries(&grid, puzzle.answer)), ..puzzle })
        };
        Some(positions.all.iter().zip(found).filter_map(puzzle).collect())
    }

    /// The first `count` puzzles among `positions`, or fewer if they become too rare; no two are in the same class.
    /// `tick` is called with the number of puzzles found. `None` if `stop` was raised.
    pub fn random(
        &self,
        positions: &mut RandomPositions,
        count: usize,
        mut tick: impl FnMut(usize),
    ) -> Option<Vec<Puzzle>> {
        let grid = BoardGrid::new(5);
        let mut classes: BTreeSet<PuzzleClass> = BTreeSet::new();
        let (mut puzzles, mut fruitless) = (Vec::new(), 0);
        while puzzles.len() < count && fruitless < FRUITLESS {
            let fresh = positions.by_ref().take(BATCH).filter(|game| classes.insert(class_of(&grid, game)));
            let games: Vec<Game> = fresh.collect();
            let before = puzzles.len();
            let found = self.judged(&games, |_| tick(before))?;
            puzzles.extend(found.into_iter().flatten().take(count - before));
            fruitless = if puzzles.len() > before { 0 } else { fruitless + 1 };
            tick(puzzles.len());
        }
        Some(puzzles)
    }

    /// For each of `games`, the puzzle in its position, if there is one. `tick` is called with the number of games
    /// judged so far. Returns `None` if `stop` was raised.
    pub fn judged(&self, games: &[Game], mut tick: impl FnMut(usize)) -> Option<Vec<Option<Puzzle>>> {
        let table = TranspositionTable::with_bytes(64 << 20);
        let team = Team { threads: self.threads, table: &table, known: self.known, stop: self.stop };
        let mut puzzles = vec![None; games.len()];
        let mut judged = 0;
        let judge = |solver: &mut Solver<'_>, game: &Game| {
            solver.learn();
            Ok(only_move(solver, game, self.wish.margin)?
                .filter(|&(_, answer)| self.wish.easy || !is_greedy(game, answer))
                .map(|(goal, answer)| Puzzle {
                    game: *game,
                    goal,
                    answer,
                    difficulty: difficulty(game, answer),
                    tried: None,
                }))
        };
        team.solve_each(games, judge, |index, puzzle, _| {
            puzzles[index] = puzzle;
            judged += 1;
            tick(judged);
            true
        });
        (judged == games.len() && !self.stop.load(Ordering::Relaxed)).then_some(puzzles)
    }
}

/// The only move that keeps the win or the draw, or, with `margin`, the only move that keeps the margin.
fn only_move(solver: &mut Solver<'_>, game: &Game, margin: bool) -> Result<Option<(PuzzleGoal, Move)>, Unsolved> {
    let goal = match solver.winner(game)? {
        Some(side) if side == game.side() => Some(PuzzleGoal::Win),
        Some(_) => None,
        None => Some(PuzzleGoal::Draw),
    };
    if let Some(goal) = goal
        && let [answer] = solver.best_moves(game, Question::Winner)?[..]
    {
        return Ok(Some((goal, answer)));
    }
    if margin && let [answer] = solver.best_moves(game, Question::Margin)?[..] {
        return Ok(Some((PuzzleGoal::Margin, answer)));
    }
    Ok(None)
}
