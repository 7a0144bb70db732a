//! Judges many games one after the other, with a line of progress, until all are judged or a signal comes.

use std::num::{NonZeroU32, NonZeroUsize};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::interrupt::Flag;
use super::progress::Progress;
use super::seegover_table::load;
use super::{Exit, Failure, note, table, threads_or_two};
use crate::base::time::now;
use crate::game::rules::{MissingFeature, Ruleset};
use crate::referee::record::GameRecord;
use crate::results::analysis::Analysis;
use crate::results::analysis_by_solver::Analyst;

/// The default size of the table in MiB.
pub(super) const MEBIBYTES: NonZeroU32 = NonZeroU32::new(256).unwrap();

/// An analyst with a table of `mebibytes` and with `threads` threads, or with two if there are two cores. If there are `games`
/// of Seegover, it has the table in the cache directory.
pub(super) fn analyst(
    threads: Option<NonZeroUsize>,
    mebibytes: NonZeroU32,
    games: &[GameRecord],
) -> Result<Analyst, Failure> {
    let is_seegover = |game: &GameRecord| matches!(game.ruleset, Ruleset::Seegover(_));
    let seegover = if games.iter().any(is_seegover) { Some(Arc::new(load(None)?.1)) } else { None };
    Ok(Analyst::new(threads_or_two(threads), table(mebibytes)?, seegover))
}

/// Judges games one after the other.
pub(super) struct Panel<'a> {
    analyst: Analyst,
    budget: Duration,
    interrupt: &'a Flag,
    progress: Progress,
    games: usize,
    judged: usize,
}

impl<'a> Panel<'a> {
    /// A panel for `games` games, each of which `analyst` judges within `budget`.
    pub(super) fn new(analyst: Analyst, budget: Duration, interrupt: &'a Flag, games: usize) -> Self {
        Self { analyst, budget, interrupt, progress: Progress::new(), games, judged: 0 }
    }

    /// Judges the next game; `None` once a signal has come.
    ///
    /// # Errors
    /// When the record's rule set has no solver.
    pub(super) fn analyze(&mut self, record: &GameRecord) -> Result<Option<Analysis>, MissingFeature> {
        let (progress, games, number) = (&mut self.progress, self.games, self.judged + 1);
        let id = record.game.as_deref().unwrap_or("a game");
        let (deadline, interrupted) = (now() + self.budget, self.interrupt.raised());
        let is_over = || interrupted.load(Ordering::Relaxed) || now() >= deadline;
        let analysis = self.analyst.analyze(record, is_over, |empty| {
            progress.tell(format_args!("{number} of {games}: {id}, {empty} empty points"));
        });
        self.progress.clear();
        if self.interrupt.which().is_some() {
            return Ok(None);
        }
        self.judged += 1;
        analysis.map(Some)
    }

    /// The exit code, after the last game or a signal.
    pub(super) fn end(self) -> Exit {
        let Some(interrupted) = self.interrupt.which() else { return Exit::Success };
        note(format_args!("interrupted: {} of {} games were judged", self.judged, self.games));
        interrupted.exit()
    }
}
