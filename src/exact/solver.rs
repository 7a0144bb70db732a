//! Exact values of positions: who wins with best play by both, and by how much.
//!
//! ```
//! use gothello_arena::game::rules::{Outcome, Side};
//! use gothello_arena::game::rules::gothello::Game;
//! use gothello_arena::exact::solver::{Question, Solver, Table};
//!
//! let board = ".bbw. .wwbb w.bww .bbbw bww..".parse().expect("a board");
//! let game = Game::from_board(board, Side::Black);
//! let table = Table::for_game(&game);
//! let solution = Solver::new(&table).solve(&game, Question::Margin)?;
//! assert_eq!(solution.outcome, Outcome::of_margin(11));
//! # Ok::<(), gothello_arena::exact::solver::Unsolved>(())
//! ```
//!
//! # Why the table needs no flag for a pass
//!
//! Let `s` be the stones of the side to move minus those of the other, and `B` the best that a placement leads to, with the
//! same sign. After a pass, another ends the game, so the value is `max(s, B)`. Otherwise the side to move may pass, and
//! then the other chooses between ending the game and its own best placement, `B'` as it counts: the value is
//! `max(B, min(s, -B'))`. After a placement there is no pass before, so that `B` and `B'` are made of values of the second
//! kind alone; these are what the table holds, and the first kind is asked for at the root at most.
//!
//! Let `V` be the value of the second kind, and `V'` that of the same stones with the other side to move. The search only
//! ever asks whether a value reaches a bound `t`. Passing can help only if `s >= t`, and then it does if and only if
//! `V' <= -t`: by `V' = max(B', min(-s, -B))` and `-s <= -t`, that says the same as `B' <= -t`. So a pass is searched as an
//! ordinary position. There the other side may not pass in turn, since `-s` does not reach `1 - t`, and so the search ends.
//! A value of the first kind reaches `t` if `s` does, and otherwise if and only if `V` does.
//!
//! To be on move is never worse than not to be: `V >= -V'`, since `-V' = min(-B', max(s, B))` is not more than
//! `max(B, min(s, -B'))` in any order of the three. So what is known of one of the two positions bounds the other.
//!
//! Each placement fills an empty point and none is ever emptied, so that positions never repeat.

mod crew;
mod order;
mod proof;
mod safe;
mod search;
mod span;
mod stones;
mod symmetry;
mod table;
mod task;

use std::sync::atomic::AtomicBool;

use thiserror::Error;

pub use crew::Crew;
pub use span::Span;
pub(crate) use stones::Stones;
pub(crate) use symmetry::{Symmetry, folded};
pub use table::{Entry, NoRoom, Table};

use crate::game::rules::gothello::{Game, Point, points};
use crate::game::rules::{Move, Outcome, Side};
use proof::Prover;
use task::MOST;

/// How much is asked of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// Who wins.
    Winner,
    /// The margin, which takes a few times as long.
    Margin,
}

/// A limit was reached before the answer was found. What was found on the way is in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("not solved within {nodes} nodes")]
pub struct Unsolved {
    /// How many nodes this solver has searched so far.
    pub nodes: u64,
}

/// What there is to say of a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solution {
    /// Who wins, and by how much if that was asked for.
    pub outcome: Outcome,
    /// All moves that keep the value, the pass last; none once the game is over. If only the winner was asked for, these are
    /// all moves that keep it: in a lost position, all there are.
    pub best: Vec<Move>,
    /// Moves that keep the value, from here to the end of the game.
    pub line: Vec<Move>,
}

/// How far beyond a bound that was found the next question goes, where that is possible. Larger steps skip questions; those
/// far from the value are the cheap ones.
const STRIDE: i32 = 4;

/// Solves positions with the help of a table, which keeps what was found for the next question.
#[derive(Debug)]
pub struct Solver<'a> {
    prover: Prover<'a>,
}

impl<'a> Solver<'a> {
    /// A solver without limits.
    pub fn new(table: &'a Table) -> Self {
        Self { prover: Prover::new(table) }
    }

    /// The same solver as one of several, each in a thread of its own, with one table and one crew for all of them. They
    /// are to be asked the same question; the first to answer dismisses the crew.
    #[must_use]
    pub fn in_crew(mut self, crew: &'a Crew) -> Self {
        self.prover.search.crew = Some(crew);
        self
    }

    /// The same solver, which gives up soon after `stop` is raised.
    #[must_use]
    pub fn until(mut self, stop: &'a AtomicBool) -> Self {
        self.prover.search.stop = Some(stop);
        self
    }

    /// The same solver, which gives up once it has searched `nodes` in all, from its first question on. With an empty table
    /// and without a crew, whether that is enough is the same on every machine.
    #[must_use]
    pub fn within(mut self, nodes: u64) -> Self {
        self.prover.search.most_nodes = nodes;
        self
    }

    /// How many nodes this solver has searched so far.
    pub fn nodes(&self) -> u64 {
        self.prover.search.nodes
    }

    /// Who wins; `None` is a draw.
    ///
    /// # Errors
    /// When a limit is reached.
    pub fn winner(&mut self, game: &Game) -> Result<Option<Side>, Unsolved> {
        let sign = self.value(game, Question::Winner)?;
        Ok(game.side().winner(sign))
    }

    /// Black's stones minus white's at the end, from -24 to 24.
    ///
    /// # Errors
    /// When a limit is reached.
    pub fn margin(&mut self, game: &Game) -> Result<i32, Unsolved> {
        let value = self.value(game, Question::Margin)?;
        Ok(game.side().own(value))
    }

    /// All moves that keep the value, as in [`Solution::best`].
    ///
    /// # Errors
    /// When a limit is reached.
    pub fn best_moves(&mut self, game: &Game, question: Question) -> Result<Vec<Move>, Unsolved> {
        let value = self.value(game, question)?;
        self.keeping(game, least_to_keep(value, question))
    }

    /// Everything there is to say of a position.
    ///
    /// # Errors
    /// When a limit is reached.
    pub fn solve(&mut self, game: &Game, question: Question) -> Result<Solution, Unsolved> {
        let value = self.value(game, question)?;
        let (side, is_exact) = (game.side(), question == Question::Margin);
        Ok(Solution {
            outcome: Outcome { winner: side.winner(value), margin: is_exact.then(|| side.own(value)) },
            best: self.keeping(game, least_to_keep(value, question))?,
            line: self.line(*game, value, question)?,
        })
    }

    /// What is certain of the margin, as far as `question` wants to know it; `known` is what was certain before, and saves work:
    /// the search begins just above it, which is right most often where a move of the game has shown what can be had.
    ///
    /// # Errors
    /// When a limit is reached.
    pub fn narrow(&mut self, game: &Game, known: Span, question: Question) -> Result<Span, Unsolved> {
        Ok(self.between(game, known.seen_by(game.side()), question)?.seen_by(game.side()))
    }

    /// What is certain of the margin once it is known whether the side to move comes to `least` or more.
    ///
    /// # Errors
    /// When a limit is reached.
    pub fn ask(&mut self, game: &Game, least: i32) -> Result<Span, Unsolved> {
        let bound = self.reaches(game, least)?;
        let found =
            if bound >= least { Span { lower: bound, ..Span::OPEN } } else { Span { upper: bound, ..Span::OPEN } };
        Ok(found.seen_by(game.side()))
    }

    /// The value for the side to move: the margin, or its sign if only the winner is asked for.
    fn value(&mut self, game: &Game, question: Question) -> Result<i32, Unsolved> {
        let found = self.between(game, Span::OPEN, question)?;
        Ok(match question {
            Question::Margin => found.lower,
            Question::Winner => i32::from(found.lower > 0) - i32::from(found.upper < 0),
        })
    }

    /// [`Solver::narrow`] as the side to move sees it.
    fn between(&mut self, game: &Game, known: Span, question: Question) -> Result<Span, Unsolved> {
        // Whoever moves last tends to win, so that this is the more telling question in most positions.
        let telling = (game.board().empty().count_ones() % 2).cast_signed();
        let Span { mut lower, mut upper } = known;
        let mut least = match question {
            Question::Margin if lower > -MOST => lower + 1,
            _ => telling,
        };
        while !(Span { lower, upper }).answers(question) {
            least = match question {
                Question::Margin => least.clamp(lower + 1, upper),
                // Of the two questions, one may be answered already.
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
            // Once the value is caught between two answers, each question halves what is left.
            if upper - lower <= STRIDE {
                least = lower + 1 + (upper - lower - 1) / 2;
            }
        }
        Ok(Span { lower, upper })
    }

    /// A bound on the value for the side to move: a lower one if it is `least` or more, otherwise an upper one.
    fn reaches(&mut self, game: &Game, least: i32) -> Result<i32, Unsolved> {
        let stones = stones(game);
        let lead = stones.lead();
        if game.is_over() || (game.passed() && lead >= least) {
            return Ok(lead);
        }
        let bound = self.prover.value(stones, least).ok_or(Unsolved { nodes: self.prover.search.nodes })?;
        Ok(if game.passed() { bound.max(lead) } else { bound })
    }

    /// Whether the move to `next` keeps `least` for the side that makes it.
    fn keeps(&mut self, next: &Game, least: i32) -> Result<bool, Unsolved> {
        Ok(self.reaches(next, 1 - least)? < 1 - least)
    }

    /// All moves that keep `least`.
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

    /// A move that keeps the value, as one of [`Solution::best`], but without a look at the others; none once the game is over.
    ///
    /// # Errors
    /// When a limit is reached.
    pub fn good_move(&mut self, game: &Game, question: Question) -> Result<Option<Move>, Unsolved> {
        let value = self.value(game, question)?;
        if game.is_over() {
            return Ok(None);
        }
        let known = self.prover.search.known_best(stones(game)).filter(|_| question == Question::Margin || value >= 0);
        self.keeping_one(game, least_to_keep(value, question), known).map(Some)
    }

    /// A move that keeps `least`: a placement rather than a pass, `first` if it does, and then the one that looks best.
    fn keeping_one(&mut self, game: &Game, least: i32, first: Option<Point>) -> Result<Move, Unsolved> {
        let mut candidates: Vec<(i32, Point)> = points(game.placements())
            .map(|point| {
                let looks = order::glance(stones(&game.place(point)));
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

    /// Moves that keep the value, to the end of the game; whatever the table knows, they are the same.
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

/// The stones as the side to move sees them.
pub(crate) const fn stones(game: &Game) -> Stones {
    let (board, side) = (game.board(), game.side());
    Stones { own: board.stones(side), theirs: board.stones(side.opponent()) }
}

/// What a move has to reach so that nothing is lost.
const fn least_to_keep(value: i32, question: Question) -> i32 {
    match question {
        Question::Winner if value < 0 => -MOST,
        _ => value,
    }
}
