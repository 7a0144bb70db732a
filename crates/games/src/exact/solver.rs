//! Exact values of positions: who wins under best play by both sides, and by how much.
//!
//! ```
//! use gothello_games::game::{Outcome, Side};
//! use gothello_games::game::gothello::Game;
//! use gothello_games::exact::solver::{Question, Solver, TranspositionTable};
//!
//! let board = ".bbw. .wwbb w.bww .bbbw bww..".parse().expect("a board");
//! let game = Game::from_board(board, Side::Black);
//! let table = TranspositionTable::for_game(&game);
//! let solution = Solver::new(&table).solve(&game, Question::Margin)?;
//! assert_eq!(solution.outcome, Outcome::of_margin(11));
//! # Ok::<(), gothello_games::exact::solver::Unsolved>(())
//! ```
//!
//! # Why the table does not need a flag for a pass
//!
//! Let `s` be the stones of the side to move minus those of the other, and `B` the best value to which a placement
//! leads, from the same perspective. After a pass, another pass ends the game, so the value is `max(s, B)`. Otherwise,
//! the side to move may pass. The other side then chooses between ending the game and its own best placement, `B'` from
//! its perspective, so the value is `max(B, min(s, -B'))`. The position after a placement is not preceded by a pass, so
//! `B` and `B'` are determined only by values of the second kind. The table contains only these; values of the first
//! kind are needed at most at the root.
//!
//! Let `V` be the value of the second kind, and `V'` that of the same stones with the other side to move. The search
//! only ever asks whether a value reaches a bound `t`. Passing can help only if `s >= t`, and then it helps if and only
//! if `V' <= -t`: since `V' = max(B', min(-s, -B))` and `-s <= -t`, this is the same as `B' <= -t`. So a pass is
//! searched like an ordinary position. In that position, the other side does not have to consider a pass in turn, since
//! `-s` does not reach `1 - t`, so the search ends. A value of the first kind reaches `t` if `s` does, and otherwise if
//! and only if `V` does.
//!
//! Having the move is never a disadvantage: `V >= -V'`, since `-V' = min(-B', max(s, B))` is not more than `max(B,
//! min(s, -B'))`, whatever the order of the three values. A bound for one of the two positions therefore bounds the
//! other.
//!
//! Each placement fills an empty point, and points are never emptied, so positions never repeat.

mod between_threads;
mod good_points;
mod margin_span;
mod move_order;
mod proof_numbers;
mod safe_stones;
mod search;
mod stones;
mod symmetry;
mod task;
mod transposition_table;

use std::sync::atomic::AtomicBool;

use thiserror::Error;

pub use between_threads::Crew;
pub use margin_span::Span;
pub use stones::Stones;
pub use symmetry::{Symmetry, folded};
pub use transposition_table::{NoRoom, TableTooLarge, TranspositionTable};

use crate::exact::margin_table::known::KnownMargins;
use crate::game::gothello::{Game, Point, points};
use crate::game::{Move, Outcome, Side};
use proof_numbers::ProofSearch;
use task::MOST;

/// How much to find out about a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// Only the winner.
    Winner,
    /// The margin, which takes a few times as long.
    Margin,
}

/// The error if a limit was reached before the answer was found. The table keeps the intermediate results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("not solved within {nodes} nodes")]
pub struct Unsolved {
    /// How many nodes this solver has searched so far.
    pub nodes: u64,
}

/// The complete solution of a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solution {
    /// The winner, and the margin if it was asked for.
    pub outcome: Outcome,
    /// All moves that keep the value, with the pass last; empty once the game is over. If only the winner was asked
    /// for, these are all moves that keep the winner, which in a lost position are all legal moves.
    pub best: Vec<Move>,
    /// Moves that keep the value, from here to the end of the game.
    pub line: Vec<Move>,
}

/// The distance from a newly found bound to the next question, if the remaining range is wide enough. Larger steps skip
/// questions, and questions far from the value are cheap.
const STRIDE: i32 = 4;

/// Solves positions with the help of a table, which keeps results for later questions.
#[derive(Debug)]
pub struct Solver<'a> {
    prover: ProofSearch<'a>,
    /// The margins that need no search.
    known: KnownMargins<'a>,
}

impl<'a> Solver<'a> {
    /// Makes a solver without limits, which looks up the margins that are in the program.
    pub fn new(table: &'a TranspositionTable) -> Self {
        Self { prover: ProofSearch::new(table), known: KnownMargins::Embedded }
    }

    /// Makes the solver look up the margins in `known`, and search for all others. This affects only the number of
    /// nodes searched, not the results.
    #[must_use]
    pub fn looking_up(mut self, known: KnownMargins<'a>) -> Self {
        self.known = known;
        self
    }

    /// Makes this solver one of several that share one table and one crew, each in its own thread. All of them must be
    /// asked the same question; the first to answer dismisses the crew.
    #[must_use]
    pub fn in_crew(mut self, crew: &'a Crew) -> Self {
        self.prover.search.crew = Some(crew);
        self
    }

    /// Makes the solver try recently good placements earlier, so that it searches fewer nodes. Without this, it
    /// searches the same nodes as all earlier versions of the program, so that proofs can be repeated exactly.
    pub fn learn(&mut self) {
        self.prover.search.good_points = Some(Box::default());
    }

    /// Makes the solver give up soon after `stop` is raised.
    #[must_use]
    pub fn until(mut self, stop: &'a AtomicBool) -> Self {
        self.prover.search.stop = Some(stop);
        self
    }

    /// Makes the solver give up once it has searched `nodes` nodes in total, counted from its first question. With an
    /// empty table and without a crew, whether these nodes suffice does not depend on the machine.
    #[must_use]
    pub fn within(mut self, nodes: u64) -> Self {
        self.prover.search.most_nodes = nodes;
        self
    }

    /// Returns how many nodes this solver has searched so far.
    pub fn nodes(&self) -> u64 {
        self.prover.search.nodes
    }

    /// Finds out who wins; `None` means a draw.
    ///
    /// # Errors
    /// Returns an error if a limit is reached.
    pub fn winner(&mut self, game: &Game) -> Result<Option<Side>, Unsolved> {
        let sign = self.value(game, Question::Winner)?;
        Ok(game.side().winner(sign))
    }

    /// Finds black's stones minus white's at the end, from -24 to 24.
    ///
    /// # Errors
    /// Returns an error if a limit is reached.
    pub fn margin(&mut self, game: &Game) -> Result<i32, Unsolved> {
        let value = self.value(game, Question::Margin)?;
        Ok(game.side().own(value))
    }

    /// Finds all moves that keep the value, as in [`Solution::best`].
    ///
    /// # Errors
    /// Returns an error if a limit is reached.
    pub fn best_moves(&mut self, game: &Game, question: Question) -> Result<Vec<Move>, Unsolved> {
        let value = self.value(game, question)?;
        self.keeping(game, least_to_keep(value, question))
    }

    /// Finds the complete solution of a position.
    ///
    /// # Errors
    /// Returns an error if a limit is reached.
    pub fn solve(&mut self, game: &Game, question: Question) -> Result<Solution, Unsolved> {
        let value = self.value(game, question)?;
        let (side, is_exact) = (game.side(), question == Question::Margin);
        Ok(Solution {
            outcome: Outcome { winner: side.winner(value), margin: is_exact.then(|| side.own(value)) },
            best: self.keeping(game, least_to_keep(value, question))?,
            line: self.line(*game, value, question)?,
        })
    }

    /// Narrows down the margin as far as `question` requires. `known` is the range that is already certain, which saves
    /// work: the search begins just above its lower bound, which is usually the value if a move of the game has shown
    /// that this bound can be reached.
    ///
    /// # Errors
    /// Returns an error if a limit is reached.
    pub fn narrow(&mut self, game: &Game, known: Span, question: Question) -> Result<Span, Unsolved> {
        // Only a damaged table can make values contradict each other.
        let known = if known.lower <= known.upper { known } else { Span::OPEN };
        Ok(self.between(game, known.seen_by(game.side()), question)?.seen_by(game.side()))
    }

    /// Finds out whether the side to move achieves `least` or more, and returns the resulting span of the margin.
    ///
    /// # Errors
    /// Returns an error if a limit is reached.
    pub fn ask(&mut self, game: &Game, least: i32) -> Result<Span, Unsolved> {
        let bound = self.reaches(game, least)?;
        let found =
            if bound >= least { Span { lower: bound, ..Span::OPEN } } else { Span { upper: bound, ..Span::OPEN } };
        Ok(found.seen_by(game.side()))
    }

    /// Finds the value for the side to move: the margin, or its sign if only the winner is asked for.
    fn value(&mut self, game: &Game, question: Question) -> Result<i32, Unsolved> {
        let found = self.between(game, Span::OPEN, question)?;
        Ok(match question {
            Question::Margin => found.lower,
            Question::Winner => i32::from(found.lower > 0) - i32::from(found.upper < 0),
        })
    }

    /// Does the same as [`Solver::narrow`], but from the perspective of the side to move.
    fn between(&mut self, game: &Game, known: Span, question: Question) -> Result<Span, Unsolved> {
        // The side that moves last tends to win, so this is the more informative question in most positions.
        let telling = (game.board().empty().count_ones() % 2).cast_signed();
        let Span { mut lower, mut upper } = known;
        let mut least = match question {
            Question::Margin if lower > -MOST => lower + 1,
            _ => telling,
        };
        while !(Span { lower, upper }).answers(question) {
            least = match question {
                Question::Margin => least.clamp(lower + 1, upper),
                // One of the two questions may already be answered.
                Question::Winner if lower >= 0 => 1,
                Question::Winner if upper <= 0 => 0,
                Question::Winner => telling,
            };
            let bound = self.reaches(game, least)?;
            if bound >= least {
                lower = bound;
                least = bound + 1 + STRIDE;
            } else {
                upper = bound;
                least = bound - STRIDE;
            }
            // Once two answers enclose the value, each question halves the remaining range.
            if upper - lower <= STRIDE {
                least = lower + 1 + (upper - lower - 1) / 2;
            }
        }
        Ok(Span { lower, upper })
    }

    /// Returns a bound on the value for the side to move: a lower bound if the value is `least` or more, and otherwise
    /// an upper bound.
    fn reaches(&mut self, game: &Game, least: i32) -> Result<i32, Unsolved> {
        let stones = stones(game);
        let lead = stones.lead();
        if game.is_over() || (game.passed() && lead >= least) {
            return Ok(lead);
        }
        let bound = match self.known.margin(stones.own, stones.theirs) {
            Some(margin) => margin,
            None => self.prover.value(stones, least).ok_or(Unsolved { nodes: self.prover.search.nodes })?,
        };
        Ok(if game.passed() { bound.max(lead) } else { bound })
    }

    /// Returns whether the move to `next` keeps the value at `least` or more for the side that makes it.
    fn keeps(&mut self, next: &Game, least: i32) -> Result<bool, Unsolved> {
        Ok(self.reaches(next, 1 - least)? < 1 - least)
    }

    /// Returns all moves that keep the value at `least` or more.
    fn keeping(&mut self, game: &Game, least: i32) -> Result<Vec<Move>, Unsolved> {
        let mut moves = Vec::new();
        if game.is_over() {
            return Ok(moves);
        }
        for point in points(game.placements()) {
            if self.keeps(&game.place(point), least)? {
                moves.push(point.to_move());
            }
        }
        if self.keeps(&game.pass(), least)? {
            moves.push(Move::PASS);
        }
        Ok(moves)
    }

    /// Finds one of the moves of [`Solution::best`], without examining the others; `None` once the game is over.
    ///
    /// # Errors
    /// Returns an error if a limit is reached.
    pub fn good_move(&mut self, game: &Game, question: Question) -> Result<Option<Move>, Unsolved> {
        let value = self.value(game, question)?;
        if game.is_over() {
            return Ok(None);
        }
        let known = self.prover.search.known_best(stones(game)).filter(|_| question == Question::Margin || value >= 0);
        self.keeping_one(game, least_to_keep(value, question), known).map(Some)
    }

    /// Returns a move that keeps the value at `least` or more. Placements are preferred to a pass, and `first` is tried
    /// before the placements that look best.
    fn keeping_one(&mut self, game: &Game, least: i32, first: Option<Point>) -> Result<Move, Unsolved> {
        let mut candidates: Vec<(i32, Point)> = points(game.placements())
            .map(|point| {
                let looks = move_order::glance(stones(&game.place(point)));
                (if first == Some(point) { i32::MAX } else { looks }, point)
            })
            .collect();
        candidates.sort_by_key(|&(score, _)| std::cmp::Reverse(score));
        for (_, point) in candidates {
            if self.keeps(&game.place(point), least)? {
                return Ok(point.to_move());
            }
        }
        Ok(Move::PASS)
    }

    /// Returns moves that keep the value, up to the end of the game. These moves do not depend on the contents of the
    /// table.
    fn line(&mut self, mut game: Game, mut value: i32, question: Question) -> Result<Vec<Move>, Unsolved> {
        let mut line = Vec::new();
        while !game.is_over() {
            let played = self.keeping_one(&game, least_to_keep(value, question), None)?;
            line.push(played);
            game = game.after(played);
            value = -value;
        }
        Ok(line)
    }
}

/// Returns the stones from the perspective of the side to move.
pub const fn stones(game: &Game) -> Stones {
    let (board, side) = (game.board(), game.side());
    Stones { own: board.stones(side), theirs: board.stones(side.opponent()) }
}

/// Returns the value that a move must reach in order to keep the result.
const fn least_to_keep(value: i32, question: Question) -> i32 {
    match question {
        Question::Winner if value < 0 => -MOST,
        _ => value,
    }
}
