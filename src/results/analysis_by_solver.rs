//! Judges games move by move, until they are done or their time is up.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use crate::exact::book::Book;
use crate::exact::seegover::{Expert, Tablebase};
use crate::exact::solvable::Solvable;
use crate::exact::solver::{Question, Solver, Table, Unsolved};
use crate::exact::team::{Team, watched};
use crate::game::rules::seegover::Options;
use crate::game::rules::{Feature, MissingFeature, Ruleset};
use crate::referee::record::GameRecord;
use crate::results::analysis::{Analysis, DropsSearched};

/// How often to check whether the time is up.
const LOOK: Duration = Duration::from_millis(20);

/// Analyzes games one after the other, all with one table.
#[derive(Debug)]
pub struct Analyst {
    threads: NonZeroUsize,
    table: Table,
    seegover: Option<SeegoverTable>,
    /// What judged the last game of Seegover, with all that it found in the drops.
    expert: Option<Expert>,
    /// Stops the expert.
    stop: Arc<AtomicBool>,
}

/// What judges games of Seegover.
#[derive(Clone, Debug)]
pub struct SeegoverTable {
    /// The values of the move phase.
    pub table: Arc<Tablebase>,
    /// How far back the drops are searched.
    pub drops: DropsSearched,
}

impl Analyst {
    /// Makes an analyst that solves Gothello with `threads` threads and `table`, and judges Seegover by `seegover`.
    pub fn new(threads: NonZeroUsize, table: Table, seegover: Option<SeegoverTable>) -> Self {
        Self { threads, table, seegover, expert: None, stop: Arc::default() }
    }

    /// Judges the moves of a record, which must hold. Once `is_over` says that the time is up, nothing more is solved.
    /// `tick` is called now and then, with the number of empty points of the position that is being solved.
    ///
    /// # Errors
    /// When the record's rule set has no solver, or its table is not there.
    pub fn analyze(
        &mut self,
        record: &GameRecord,
        is_over: impl Fn() -> bool,
        mut tick: impl FnMut(u32),
    ) -> Result<Analysis, MissingFeature> {
        if let Ruleset::Seegover(options) = record.ruleset {
            return self.analyze_seegover(record, options, &is_over, &mut tick);
        }
        let book = Book::embedded();
        let mut analysis = Analysis::of(
            record,
            |game| book.value(game),
            |game, certain, wanted| self.ask(game, &is_over, &mut tick, |solver| solver.narrow(game, certain, wanted)),
        )?;
        analysis.suggest(record, |game, question| {
            let searched = || self.ask(game, &is_over, &mut tick, |solver| solver.good_move(game, question)).flatten();
            // The book only knows how to keep the winner.
            book.reply(game).filter(|_| question == Question::Winner).or_else(searched)
        })?;
        Ok(analysis)
    }

    /// Judges a game of Seegover with these `options`. The table is always asked, and the drops are searched while there is time.
    fn analyze_seegover(
        &mut self,
        record: &GameRecord,
        options: Options,
        is_over: &impl Fn() -> bool,
        tick: &mut impl FnMut(u32),
    ) -> Result<Analysis, MissingFeature> {
        let missing = MissingFeature { ruleset: record.ruleset.name(), feature: Feature::Solver, option: None };
        let SeegoverTable { table, drops } = self.seegover.clone().ok_or(missing)?;
        let known = self.expert.take().filter(|expert| expert.rules() == options);
        let expert = known.map_or_else(|| Expert::new(table, options), Ok)?.until(Arc::clone(&self.stop));
        let expert = self.expert.insert(expert);
        self.stop.store(is_over(), Ordering::Relaxed);
        let empty = AtomicU32::new(0);
        let look = || {
            tick(empty.load(Ordering::Relaxed));
            self.stop.store(is_over(), Ordering::Relaxed);
        };
        let judge = || Analysis::of_seegover(record, expert, drops, |now| empty.store(now, Ordering::Relaxed));
        Ok(watched(LOOK, look, judge))
    }

    /// Answers one question, if there is time for it.
    fn ask<T: Send>(
        &self,
        game: &Solvable,
        is_over: &impl Fn() -> bool,
        tick: &mut impl FnMut(u32),
        ask: impl Fn(&mut Solver<'_>) -> Result<T, Unsolved> + Sync,
    ) -> Option<T> {
        let stop = AtomicBool::new(is_over());
        let look = |_| {
            tick(game.empty_points());
            stop.store(is_over(), Ordering::Relaxed);
        };
        let learn_and_ask = |solver: &mut Solver<'_>| {
            solver.learn();
            ask(solver)
        };
        let team = Team { threads: self.threads, table: &self.table, stop: &stop };
        team.solve_together(LOOK, look, learn_and_ask).found.ok()
    }
}
