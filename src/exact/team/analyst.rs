//! Judges games move by move, in bounded time.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::solve_together;
use crate::base::time::{Instant, now};
use crate::exact::book::Book;
use crate::exact::solver::{Question, Solver, Table, Unsolved};
use crate::game::rules::gothello::Game;
use crate::referee::record::GameRecord;
use crate::results::analysis::Analysis;

/// How often to check whether the budget is used up.
const LOOK: Duration = Duration::from_millis(20);

/// Analyzes games one after the other, all with one table.
#[derive(Debug)]
pub struct Analyst<'a> {
    threads: NonZeroUsize,
    table: Table,
    budget: Duration,
    interrupted: &'a AtomicBool,
}

impl<'a> Analyst<'a> {
    /// Makes an analyst that spends up to `budget` on each game, with `threads` threads and this table. Once
    /// `interrupted` is raised, it solves nothing more.
    pub fn new(threads: NonZeroUsize, table: Table, budget: Duration, interrupted: &'a AtomicBool) -> Self {
        Self { threads, table, budget, interrupted }
    }

    /// Judges the moves of a record that holds. `tick` is called now and then, with the number of empty points of the
    /// position that is being solved.
    pub fn analyze(&self, record: &GameRecord, mut tick: impl FnMut(u32)) -> Analysis {
        let deadline = now() + self.budget;
        let book = Book::embedded();
        let mut analysis = Analysis::of(
            record,
            |game| book.value(game),
            |game, certain, wanted| self.ask(game, deadline, &mut tick, |solver| solver.narrow(game, certain, wanted)),
        );
        analysis.suggest(record, |game, question| {
            let searched = || self.ask(game, deadline, &mut tick, |solver| solver.good_move(game, question)).flatten();
            // The book only knows how to keep the winner.
            book.reply(game).filter(|_| question == Question::Winner).or_else(searched)
        });
        analysis
    }

    /// Answers one question, if there is time for it.
    fn ask<T: Send>(
        &self,
        game: &Game,
        deadline: Instant,
        tick: &mut impl FnMut(u32),
        ask: impl Fn(&mut Solver<'_>) -> Result<T, Unsolved> + Sync,
    ) -> Option<T> {
        let is_over = || self.interrupted.load(Ordering::Relaxed) || now() >= deadline;
        let stop = AtomicBool::new(is_over());
        let look = |_| {
            tick(game.board().empty().count_ones());
            stop.store(is_over(), Ordering::Relaxed);
        };
        solve_together(self.threads, &self.table, &stop, LOOK, look, ask).found.ok()
    }
}
