//! Analyzes games move by move, until all moves are analyzed or the time is up.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use crate::exact::margin_table::known::KnownMargins;
use crate::exact::margin_table::table_file::MarginFile;
use crate::exact::seegover::{Expert, Tablebase};
use crate::exact::solvable::{Solvable, position};
use crate::exact::solver::{Question, Solver, Span, TranspositionTable, Unsolved};
use crate::exact::team::{Team, watched};
use crate::game::seegover::{self, Options};
use crate::game::{Feature, MissingFeature, Move, Outcome, Position as _, Ruleset, Side};
use crate::referee::record::GameRecord;
use crate::results::analysis::seegover::is_first_turns;
use crate::results::analysis::{Analysis, DropsSearched};

/// How often to check whether the time is up.
const LOOK: Duration = Duration::from_millis(20);

/// The size of the table for a repeatable analysis: several entries for each node that can be searched in a few
/// seconds.
const REPEATABLE_BYTES: usize = 32 << 20;

/// Analyzes games one after the other, all with the same table.
#[derive(Debug)]
pub struct Analyst {
    threads: NonZeroUsize,
    table: TranspositionTable,
    /// The table of Gothello's margins, if there is one.
    margins: Option<MarginFile>,
    seegover: Option<SeegoverTables>,
    /// The expert that analyzed the last game of Seegover, with everything it found out about the drops.
    expert: Option<Expert>,
    /// The flag that stops the expert.
    stop: Arc<AtomicBool>,
}

/// The tables with which games of Seegover are analyzed.
#[derive(Clone, Debug)]
pub struct SeegoverTables {
    /// The values of the move phase: one table for each set of rules that games can have.
    pub tables: Vec<Arc<Tablebase>>,
    /// How many of the drops are searched.
    pub drops: DropsSearched,
}

/// A budget of nodes for a sequence of questions, which one thread answers.
struct Allowance<'a> {
    table: &'a TranspositionTable,
    stop: &'a AtomicBool,
    /// The number of nodes that are left.
    nodes: u64,
}

impl Allowance<'_> {
    /// Answers one question, if there are enough nodes left.
    fn ask<T>(&mut self, ask: impl FnOnce(&mut Solver<'_>) -> Result<T, Unsolved>) -> Option<T> {
        let mut solver = Solver::new(self.table).within(self.nodes).until(self.stop);
        solver.learn();
        let found = ask(&mut solver).ok();
        self.nodes = self.nodes.saturating_sub(solver.nodes());
        found
    }
}

impl Analyst {
    /// Creates an analyst that solves Gothello with `threads` threads and `table`, and analyzes Seegover using
    /// `seegover`.
    pub fn new(threads: NonZeroUsize, table: TranspositionTable, seegover: Option<SeegoverTables>) -> Self {
        Self { threads, table, margins: None, seegover, expert: None, stop: Arc::default() }
    }

    /// Makes the analyst look up the margins in `margins`, if there is a table. Repeatable analyses do not use it.
    #[must_use]
    pub fn looking_up(self, margins: Option<MarginFile>) -> Self {
        Self { margins, ..self }
    }

    /// Analyzes the moves of a record, which must be valid. Once `is_over` returns true, nothing more is solved. `tick`
    /// is called regularly with the number of empty points of the position that is being solved.
    ///
    /// # Errors
    /// Returns an error if there is no solver for the record's rule set, or if its table is missing.
    pub fn analyze(
        &mut self,
        record: &GameRecord,
        is_over: impl Fn() -> bool,
        mut tick: impl FnMut(u32),
    ) -> Result<Analysis, MissingFeature> {
        if let Ruleset::Seegover(options) = record.ruleset {
            return self.analyze_seegover(record, options, &is_over, &mut tick);
        }
        let known = KnownMargins::with(self.margins.as_ref());
        let mut analysis = Analysis::of(
            record,
            |game| known.outcome(game),
            |game, certain, wanted| self.ask(game, &is_over, &mut tick, |solver| solver.narrow(game, certain, wanted)),
        )?;
        analysis.suggest(record, |game, question| {
            self.ask(game, &is_over, &mut tick, |solver| solver.good_move(game, question)).flatten()
        })?;
        Ok(analysis)
    }

    /// Analyzes the moves of a record, which must be valid, with a result that is the same on every machine, however
    /// busy it is: a game of Gothello gets one thread, an empty table, only the margins that are built into the
    /// program, `nodes` nodes to analyze its moves and a quarter as many to find better ones. In Seegover, the
    /// analyst's table and its searches are repeatable anyway. Once `is_over` returns true, nothing more is solved, and
    /// the analysis is no longer repeatable. `tick` is called as in [`Analyst::analyze`].
    ///
    /// # Errors
    /// Returns the same errors as [`Analyst::analyze`].
    pub fn analyze_repeatably(
        &mut self,
        record: &GameRecord,
        nodes: u64,
        is_over: impl Fn() -> bool,
        mut tick: impl FnMut(u32),
    ) -> Result<Analysis, MissingFeature> {
        if matches!(record.ruleset, Ruleset::Seegover(_)) {
            return self.analyze(record, is_over, tick);
        }
        let (stop, empty) = (AtomicBool::new(is_over()), AtomicU32::new(0));
        let look = || {
            tick(empty.load(Ordering::Relaxed));
            stop.store(is_over(), Ordering::Relaxed);
        };
        watched(LOOK, look, || {
            let table = TranspositionTable::with_bytes(REPEATABLE_BYTES);
            let mut allowance = Allowance { table: &table, stop: &stop, nodes };
            let mut analysis = Analysis::of(
                record,
                |game| KnownMargins::Embedded.outcome(game),
                |game, certain, wanted| {
                    empty.store(game.empty_points(), Ordering::Relaxed);
                    allowance.ask(|solver| solver.narrow(game, certain, wanted))
                },
            )?;
            allowance.nodes = nodes / 4;
            analysis
                .suggest(record, |game, question| allowance.ask(|solver| solver.good_move(game, question)).flatten())?;
            Ok(analysis)
        })
    }

    /// The value of the position after the legal moves `moves`, as far as it is found before `is_over` returns true;
    /// `None` if not even the winner is found.
    ///
    /// # Errors
    /// Returns an error if there is no solver for the rule set, or if its table is missing.
    pub fn value(
        &mut self,
        ruleset: Ruleset,
        moves: &[Move],
        is_over: impl Fn() -> bool,
    ) -> Result<Option<Outcome>, MissingFeature> {
        if let Ruleset::Seegover(options) = ruleset {
            return self.value_of_seegover(ruleset, options, moves, &is_over);
        }
        let game = position(ruleset, moves.iter().copied())?;
        if let Some(known) = game.outcome().or_else(|| KnownMargins::with(self.margins.as_ref()).outcome(&game)) {
            return Ok(Some(known));
        }
        let mut found = Span::OPEN;
        for question in [Question::Winner, Question::Margin] {
            let before = found;
            let narrower = self.ask(&game, &is_over, &mut |_| {}, |solver| solver.narrow(&game, before, question));
            found = narrower.map_or(found, |narrower| found.and(narrower));
        }
        Ok(found.outcome())
    }

    /// Implements [`Analyst::value`] for Seegover with these `options`.
    fn value_of_seegover(
        &mut self,
        ruleset: Ruleset,
        options: Options,
        moves: &[Move],
        is_over: &impl Fn() -> bool,
    ) -> Result<Option<Outcome>, MissingFeature> {
        let mut game = seegover::Game::new(options);
        for played in moves {
            // The moves are legal.
            let _ = game.play(played.as_str());
        }
        if let Some(outcome) = game.outcome() {
            return Ok(Some(outcome));
        }
        let stop = Arc::clone(&self.stop);
        let expert = self.expert(ruleset, options)?;
        stop.store(is_over(), Ordering::Relaxed);
        let search = || match game.board().is_full() {
            _ if is_first_turns(&game) => Some(Some(Side::Black)),
            true => expert.winner_in_history(&game),
            false => expert.winner(&game).ok(),
        };
        let found = watched(LOOK, || stop.store(is_over(), Ordering::Relaxed), search);
        // The table contains no margins.
        Ok(found.map(|winner| Outcome { winner, margin: None }))
    }

    /// The expert for Seegover with these `options`, with everything that it found out in the last game.
    fn expert(&mut self, ruleset: Ruleset, options: Options) -> Result<&mut Expert, MissingFeature> {
        ruleset.require(Feature::Solver)?;
        let missing = MissingFeature { ruleset: ruleset.name(), feature: Feature::Solver, option: None };
        let tables = &self.seegover.as_ref().ok_or(missing)?.tables;
        let table = tables.iter().find(|table| table.rules() == options.move_rules()).ok_or(missing)?;
        let known = self.expert.take().filter(|expert| expert.rules() == options);
        let expert = known.unwrap_or_else(|| Expert::new(Arc::clone(table), options.drop));
        Ok(self.expert.insert(expert.until(Arc::clone(&self.stop))))
    }

    /// Analyzes a game of Seegover with these `options`. The table is always consulted, and the drops are searched
    /// while there is time.
    fn analyze_seegover(
        &mut self,
        record: &GameRecord,
        options: Options,
        is_over: &impl Fn() -> bool,
        tick: &mut impl FnMut(u32),
    ) -> Result<Analysis, MissingFeature> {
        let drops = self.seegover.as_ref().map_or(DropsSearched::All, |tables| tables.drops);
        let stop = Arc::clone(&self.stop);
        let expert = self.expert(record.ruleset, options)?;
        stop.store(is_over(), Ordering::Relaxed);
        let empty = AtomicU32::new(0);
        let look = || {
            tick(empty.load(Ordering::Relaxed));
            stop.store(is_over(), Ordering::Relaxed);
        };
        let analyze = || Analysis::of_seegover(record, expert, drops, |now| empty.store(now, Ordering::Relaxed));
        Ok(watched(LOOK, look, analyze))
    }

    /// Answers one question, if there is time left.
    fn ask<T: Send>(
        &self,
        game: &Solvable,
        is_over: &impl Fn() -> bool,
        tick: &mut impl FnMut(u32),
        ask: impl Fn(&mut Solver<'_>) -> Result<T, Unsolved> + Sync,
    ) -> Option<T> {
        let (stop, known) = (AtomicBool::new(is_over()), KnownMargins::with(self.margins.as_ref()));
        let look = |_| {
            tick(game.empty_points());
            stop.store(is_over(), Ordering::Relaxed);
        };
        let learn_and_ask = |solver: &mut Solver<'_>| {
            solver.learn();
            ask(solver)
        };
        let team = Team { threads: self.threads, table: &self.table, known, stop: &stop };
        team.solve_together(LOOK, look, learn_and_ask).found.ok()
    }
}
