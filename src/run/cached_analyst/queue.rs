//! Analyzes many games, one after another.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use super::{AnalysisMeans, AnalysisNews, AnalysisProgress, AnalystError, CachedAnalyst, SearchLimit, SearchOutcome};
use crate::referee::record::GameRecord;
use crate::results::analysis::Analysis;

/// Analyzes games one after another, until all are analyzed or the flag is raised.
pub(crate) struct AnalysisQueue<'a> {
    analyst: CachedAnalyst<'a>,
    means: AnalysisMeans,
    games: &'a [GameRecord],
    runs: Vec<Option<PathBuf>>,
    next: usize,
}

impl<'a> AnalysisQueue<'a> {
    /// A queue of `games`, whose moves must be legal. `runs` contains the run of each game, or `None` for a game
    /// without a cache.
    pub(crate) fn new(
        means: AnalysisMeans,
        games: &'a [GameRecord],
        runs: Vec<Option<PathBuf>>,
        stop: &'a AtomicBool,
        tell: impl FnMut(AnalysisNews<'_>) + 'a,
    ) -> Self {
        let analyst = CachedAnalyst::planned(means.plan(games), games.len(), stop, tell);
        Self { analyst, means, games, runs, next: 0 }
    }

    /// Prepares for searching, unless the caches contain sufficient analyses of all games.
    ///
    /// # Errors
    /// Returns an error if there is not enough memory, or if a table that the games need is missing.
    pub(crate) fn prepare(&mut self) -> Result<(), AnalystError> {
        let is_known = |(record, run): (&GameRecord, &Option<PathBuf>)| {
            self.analyst.enough(run.as_deref(), record, &limit(self.means, record)).is_some()
        };
        if self.games.iter().zip(&self.runs).all(is_known) { Ok(()) } else { self.analyst.prepare() }
    }

    /// Analyzes the next game; returns `None` after the last one, or once the flag is raised. If there is only one game
    /// and the flag is raised while it is searched, its analysis contains what had been solved by then.
    ///
    /// # Errors
    /// Returns an error if the game's rule set has no solver, or if [`AnalysisQueue::prepare`] would fail.
    pub(crate) fn analyze_next(&mut self) -> Result<Option<(&'a GameRecord, Analysis)>, AnalystError> {
        let Some(record) = self.games.get(self.next).filter(|_| !self.analyst.is_stopped()) else { return Ok(None) };
        let run = self.runs[self.next].as_deref();
        self.next += 1;
        Ok(match self.analyst.analyze(run, record, &limit(self.means, record))? {
            SearchOutcome::Complete(analysis) => Some((record, analysis)),
            SearchOutcome::Stopped(analysis) => (self.games.len() == 1).then_some((record, analysis)),
        })
    }

    /// Tidies the caches, and returns how many games were analyzed.
    pub(crate) fn end(self) -> AnalysisProgress {
        self.analyst.end()
    }
}

/// The limit for the game in `record`.
fn limit(means: AnalysisMeans, record: &GameRecord) -> SearchLimit {
    means.limit(record.ruleset, None)
}
