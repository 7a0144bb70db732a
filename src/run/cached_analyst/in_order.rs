//! Analyzes the games of a run in an order chosen by the caller, until a total time is used up. Games known to the
//! run's cache come first, then the games that have to be searched. The result of each search is added to the cache
//! immediately.
//!
//! The moves of all games must be legal, as in checked records. Games whose rule set has no solver are skipped. With a
//! `total` of [`Duration::ZERO`], nothing is searched: only the cache is consulted, which needs neither threads nor the
//! Seegover table.

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::{AnalysisMeans, AnalysisNews, AnalystError, CachedAnalyst, SearchOutcome};
use crate::base::time::now;
use crate::game::Feature;
use crate::referee::record::GameRecord;
use crate::results::analysis::Analysis;
use crate::run::results_dir;

/// How the games of a run are analyzed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AnalysisInOrder<'a> {
    /// The directory of the run whose cache is used; with `None`, or for a run without a journal, no cache is used.
    pub(crate) run: Option<&'a Path>,
    /// The time for all games together.
    pub(crate) total: Duration,
    /// The settings for each game.
    pub(crate) means: AnalysisMeans,
}

/// Returns what is known about each of `games` when the flag is raised or the time is up. `order` contains the indices
/// of the games that may be searched, the most important one first; the cache is consulted for all games.
///
/// # Errors
/// Returns an error if there is not enough memory, or if a table that the games need is missing.
pub(crate) fn analyze_in_order(
    games: &[GameRecord],
    order: &[usize],
    wanted: AnalysisInOrder<'_>,
    stop: &AtomicBool,
    tell: impl FnMut(AnalysisNews<'_>),
) -> Result<Vec<Option<Analysis>>, AnalystError> {
    let AnalysisInOrder { run, total, means } = wanted;
    let run = run.filter(|run| results_dir::has_journal(run));
    let mut analyst = CachedAnalyst::planned(means.plan(games), games.len(), stop, tell);
    let mut found: Vec<Option<Analysis>> =
        games.iter().map(|record| analyst.known(run, record).map(|known| known.analysis)).collect();
    let end = now() + total;
    for &index in order {
        if now() >= end || analyst.is_stopped() {
            break;
        }
        let record = &games[index];
        if record.ruleset.require(Feature::Solver).is_err() {
            continue;
        }
        // A game with the same moves may have been searched in the meantime.
        match analyst.analyze(run, record, &means.limit(record.ruleset, Some(end)))? {
            SearchOutcome::Complete(analysis) => found[index] = Some(analysis),
            SearchOutcome::Stopped(analysis) if games.len() == 1 => found[index] = Some(analysis),
            SearchOutcome::Stopped(_) => {}
        }
    }
    analyst.end();
    Ok(found)
}
