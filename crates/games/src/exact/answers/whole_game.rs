//! Solves the whole game of Gothello, from the empty board.

use std::fmt;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde::Serialize;
use thiserror::Error;

use crate::base::exit::{CommandError, ErrorExit, Exit};
use crate::base::sanitise::Shown as _;
use crate::base::time::{self, Instant};
use crate::exact::solved_positions::{self, SolvedPositionsError};
use crate::exact::solver::{Question, Solution, Solver, Span, TranspositionTable, Unsolved};
use crate::exact::team::Team;
use crate::game::Outcome;
use crate::game::gothello::{Game, Point};

/// One first move of each class: the others are its images under the symmetries of the board. The strongest comes first,
/// since each result helps with the next.
const CLASSES: [&str; 6] = ["c3", "c2", "b2", "c1", "b1", "a1"];

/// How often to write the results to the checkpoint, and how often to check whether that is due.
const CHECKPOINT_EVERY: Duration = Duration::from_mins(1);
const TICK: Duration = Duration::from_secs(1);

/// By how much the next bound to try may exceed the proven lower bound on the margin.
const FARTHEST: i32 = 5;

/// Why the whole game is not solved.
#[derive(Debug, Error)]
pub enum WholeGameError {
    /// The search ended without an answer.
    #[error(transparent)]
    Unsolved(#[from] Unsolved),
    /// The checkpoint cannot be read or written.
    #[error(transparent)]
    Checkpoint(#[from] SolvedPositionsError),
}

impl CommandError for WholeGameError {
    fn error_exit(&self) -> ErrorExit {
        match self {
            Self::Unsolved(_) => Exit::ArenaFailed.alone(),
            Self::Checkpoint(error) => error.error_exit(),
        }
    }
}

/// What is known about a first move.
#[derive(Debug, Serialize)]
pub struct FirstMove {
    #[serde(rename = "move")]
    name: &'static str,
    winner: &'static str,
}

impl fmt::Display for FirstMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let outcome = if self.winner == "draw" { "draw".to_owned() } else { format!("{} wins", self.winner) };
        write!(f, "{:>4}: {outcome}", self.name)
    }
}

/// What is known about the whole game.
#[derive(Debug)]
pub struct WholeGame {
    /// Who wins, and perhaps by how much.
    pub solution: Solution,
    /// Who wins after the first moves.
    pub first_moves: Vec<FirstMove>,
    /// The nodes that were searched.
    pub nodes: u64,
}

/// What the search of the whole game is doing.
#[derive(Clone, Copy, Debug)]
pub enum WholeGameNews<'a> {
    /// A question is being answered.
    Searching {
        /// The question.
        what: &'a str,
        /// The nodes that were searched so far for all questions.
        nodes: u64,
    },
    /// The question is answered.
    Answered,
    /// A part of the answer, in words: the next part may take long.
    Found(&'a str),
}

/// The search of the whole game, with its checkpoint.
pub struct WholeGameSearch<'a, T> {
    threads: NonZeroUsize,
    table: &'a TranspositionTable,
    /// The file of the checkpoint.
    file: Option<&'a Path>,
    /// The nodes used by earlier questions.
    nodes: u64,
    written: Instant,
    tell: T,
}

impl<'a, T: FnMut(WholeGameNews<'_>)> WholeGameSearch<'a, T> {
    /// A search by `threads` threads that share `table`. It continues from the positions in `file`, and stores its own
    /// there.
    pub fn new(threads: NonZeroUsize, table: &'a TranspositionTable, file: Option<&'a Path>, tell: T) -> Self {
        Self { threads, table, file, nodes: 0, written: time::now(), tell }
    }

    /// Answers `question` about the whole game, and who wins after each class of first moves.
    ///
    /// # Errors
    /// Fails if the checkpoint cannot be read or written.
    pub fn solve(mut self, question: Question) -> Result<WholeGame, WholeGameError> {
        if let Some(file) = self.file {
            let kept = solved_positions::restore(self.table, file)?;
            (self.tell)(WholeGameNews::Found(&format!("{kept} positions from `{}`", file.shown())));
        }
        let start = Game::default();
        let mut first_moves = Vec::new();
        for name in CLASSES {
            if let Some(point) = Point::parse(name) {
                let game = start.place(point);
                first_moves.push(self.first_move(name, &game)?);
            }
        }
        let passed = start.pass();
        first_moves.push(self.first_move("pass", &passed)?);
        let winners = self.ask("who wins", |solver| solver.solve(&start, Question::Winner))?;
        let solution = match question {
            Question::Winner => winners,
            Question::Margin => {
                self.find_margin(&start, Span::won_by(winners.outcome.winner))?;
                self.ask("best moves", |solver| solver.solve(&start, Question::Margin))?
            }
        };
        Ok(WholeGame { solution, first_moves, nodes: self.nodes })
    }

    /// Solves the position `game` after the first move `name`, and reports the result at once: the next may take as long.
    fn first_move(&mut self, name: &'static str, game: &Game) -> Result<FirstMove, WholeGameError> {
        let winner = self.ask(name, |solver| solver.winner(game))?;
        let found = FirstMove { name, winner: Outcome { winner, margin: None }.winner_name() };
        (self.tell)(WholeGameNews::Found(&found.to_string()));
        Ok(found)
    }

    /// Answers one question, `what`, and writes the checkpoint during the search.
    fn ask<A: Send>(
        &mut self,
        what: &str,
        ask: impl Fn(&mut Solver<'_>) -> Result<A, Unsolved> + Sync,
    ) -> Result<A, WholeGameError> {
        let (table, threads) = (self.table, self.threads);
        let mut failed = None;
        let stop = AtomicBool::new(false);
        let tick = |nodes| {
            let nodes = self.nodes + nodes;
            (self.tell)(WholeGameNews::Searching { what, nodes });
            if self.written.elapsed() >= CHECKPOINT_EVERY
                && let Err(error) = self.keep()
            {
                stop.store(true, Ordering::Relaxed);
                failed = Some(error);
            }
        };
        let answer = Team { threads, table, stop: &stop }.solve_together(TICK, tick, ask);
        (self.tell)(WholeGameNews::Answered);
        self.nodes += answer.nodes;
        match (failed, answer.found) {
            (Some(error), Err(_)) => Err(error.into()),
            (_, found) => {
                self.keep()?;
                Ok(found?)
            }
        }
    }

    /// Finds the margin of a position with black to move, one bound after another, and reports each bound, because the
    /// last one may take long.
    fn find_margin(&mut self, game: &Game, mut span: Span) -> Result<(), WholeGameError> {
        (self.tell)(WholeGameNews::Found(&format!("{}; now the margin", certain(span))));
        while span.margin().is_none() {
            // Try the middle, unless it is far away: a bound far from the value says little.
            let least = (span.lower + (span.upper - span.lower + 1) / 2).min(span.lower + FARTHEST);
            let what = format!("whether it is {least} or more");
            span = span.and(self.ask(&what, |solver| solver.ask(game, least))?);
            (self.tell)(WholeGameNews::Found(&certain(span)));
        }
        Ok(())
    }

    /// Writes the checkpoint, if there is one.
    fn keep(&mut self) -> Result<(), SolvedPositionsError> {
        if let Some(file) = self.file {
            solved_positions::keep(self.table, file)?;
        }
        self.written = time::now();
        Ok(())
    }
}

/// The proven bounds on the margin, in words.
fn certain(span: Span) -> String {
    match span.margin() {
        Some(margin) => format!("the margin is {margin:+}"),
        None => format!("the margin is at least {:+} and at most {:+}", span.lower, span.upper),
    }
}
