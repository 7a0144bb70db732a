//! Judges games move by move, until they are done or their time is up. Games of Seegover are looked up, which takes no time.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::exact::book::Book;
use crate::exact::seegover::{Expert, Tablebase};
use crate::exact::solvable::Solvable;
use crate::exact::solver::{Question, Solver, Table, Unsolved};
use crate::exact::team::Team;
use crate::game::rules::seegover::Options;
use crate::game::rules::{Feature, MissingFeature, Ruleset};
use crate::referee::record::GameRecord;
use crate::results::analysis::Analysis;

/// How often to check whether the time is up.
const LOOK: Duration = Duration::from_millis(20);

/// Analyzes games one after the other, all with one table.
#[derive(Debug)]
pub struct Analyst {
    threads: NonZeroUsize,
    table: Table,
    seegover: Option<Arc<Tablebase>>,
    /// What judges games of Seegover with these options.
    expert: Option<(Options, Expert)>,
}

impl Analyst {
    /// Makes an analyst that solves Gothello with `threads` threads and `table`, and looks up Seegover in `seegover`.
    pub const fn new(threads: NonZeroUsize, table: Table, seegover: Option<Arc<Tablebase>>) -> Self {
        Self { threads, table, seegover, expert: None }
    }

    /// Judges the moves of a record, which must hold. Once `is_over` says that the time is up, nothing more is solved.
    /// `tick` is called now and then, with the number of empty points of the
    /// position that is being solved.
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
            return Ok(Analysis::of_seegover(record, options, self.expert(options)?));
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

    /// What judges games of Seegover with these `options`.
    fn expert(&mut self, options: Options) -> Result<&mut Expert, MissingFeature> {
        let known = self.expert.take().filter(|(known, _)| *known == options);
        let missing = MissingFeature { ruleset: Ruleset::Seegover(options), feature: Feature::Solver, option: None };
        let expert = match (known, &self.seegover) {
            (Some((_, expert)), _) => expert,
            (None, Some(table)) => Expert::new(Arc::clone(table), options)?,
            (None, None) => return Err(missing),
        };
        Ok(&mut self.expert.insert((options, expert)).1)
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
        Team { threads: self.threads, table: &self.table, stop: &stop }.solve_together(LOOK, look, ask).found.ok()
    }
}
