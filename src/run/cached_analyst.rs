//! An analyst that consults the caches of runs before it searches a game, and stores its findings in them.
//!
//! This is the only driver of [`Analyst`]. A caller that needs analyses of games limits the cost of a search with a
//! [`SearchLimit`], raises a flag to stop the search, and receives [`AnalysisNews`] while it runs.
//!
//! | room | contents |
//! | --- | --- |
//! | `in_order` | the games of one run, the most important first, within a total time |
//! | `means` | the settings of an analyst, and the limit for each game |
//! | `queue` | many games, one after another |

mod in_order;
mod means;
mod queue;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

pub(crate) use in_order::{AnalysisInOrder, analyze_in_order};
pub(crate) use means::{AnalysisMeans, AnalystError, AnalystPlan, BudgetUnit, SeegoverPlan, table_of_positions};
pub(crate) use queue::AnalysisQueue;

use crate::base::time::{Instant, now};
use crate::game::{Move, Outcome, Ruleset};
use crate::referee::record::GameRecord;
use crate::results::analysis::Analysis;
use crate::results::analysis::by_solver::Analyst;
use crate::run::analysis_cache::{AnalysisCache, CacheWarning, KnownGame};

/// The current activity of an analyst.
#[derive(Debug)]
pub(crate) enum AnalysisNews<'a> {
    /// A game is being searched.
    Searching {
        /// The game's id.
        game: &'a str,
        /// The progress before this game.
        progress: AnalysisProgress,
        /// The number of empty points in the position that is being solved.
        empty: u32,
    },
    /// The search of a game has ended.
    Searched,
    /// A problem with a cache that the user should know about.
    Warning(CacheWarning),
}

/// How many games have been analyzed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct AnalysisProgress {
    /// The number of games that are done.
    pub(crate) analyzed: usize,
    /// The total number of games.
    pub(crate) games: usize,
}

/// The bound on the search of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SearchEffort {
    /// The search has no bound: the game is searched to the end.
    Whole,
    /// The search has this much time.
    Time(Duration),
    /// The search may visit this many nodes. The result does not depend on the machine or its load, so it is not
    /// combined with earlier results.
    Nodes(u64),
}

/// The limit of one search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SearchLimit {
    /// The permitted cost of the search.
    pub(crate) effort: SearchEffort,
    /// The budget that a complete search is stored with. No search is needed if a result with this budget is known.
    pub(crate) budget: Duration,
    /// The latest time at which the search ends, whatever its effort.
    pub(crate) end: Option<Instant>,
}

impl SearchLimit {
    /// When a search that begins at `begin` must end, if it has a deadline.
    fn deadline(&self, begin: Instant) -> Option<Instant> {
        let own = match self.effort {
            SearchEffort::Time(time) => Some(begin + time),
            SearchEffort::Whole | SearchEffort::Nodes(_) => None,
        };
        own.into_iter().chain(self.end).min()
    }

    /// The budget with which to store the result of a search that began at `begin` and had until `deadline`. `None` if
    /// it must not be stored: if a search without a time limit was cut short, no budget describes how far it got.
    fn kept_budget(&self, begin: Instant, deadline: Option<Instant>) -> Option<Duration> {
        let had = deadline.map(|deadline| deadline.saturating_duration_since(begin));
        match self.effort {
            SearchEffort::Time(_) => Some(had.map_or(self.budget, |had| had.min(self.budget))),
            SearchEffort::Whole | SearchEffort::Nodes(_) => {
                Some(self.budget).filter(|_| deadline.is_none_or(|deadline| now() < deadline))
            }
        }
    }
}

/// The outcome of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SearchOutcome {
    /// The search used up its limit, or found everything.
    Complete(Analysis),
    /// The search was stopped. The analysis contains what had been solved by then, and is not stored.
    Stopped(Analysis),
}

/// The analyst, which is created when the first game has to be searched.
#[derive(Debug)]
enum PreparedAnalyst {
    Planned(AnalystPlan),
    Ready(Box<Analyst>),
}

impl PreparedAnalyst {
    /// Returns the analyst, creating it if necessary.
    fn prepared(&mut self) -> Result<&mut Analyst, AnalystError> {
        loop {
            match self {
                Self::Ready(analyst) => return Ok(analyst),
                Self::Planned(plan) => *self = Self::Ready(Box::new(plan.analyst()?)),
            }
        }
    }
}

/// Analyzes games, using the caches of the runs that they belong to.
pub(crate) struct CachedAnalyst<'a> {
    analyst: PreparedAnalyst,
    caches: BTreeMap<PathBuf, AnalysisCache>,
    progress: AnalysisProgress,
    stop: &'a AtomicBool,
    tell: Box<dyn FnMut(AnalysisNews<'_>) + 'a>,
}

impl<'a> CachedAnalyst<'a> {
    /// An analyst for `games` games, created from `plan` when the first of them has to be searched. Once `stop` is
    /// raised, nothing more is solved. `tell` receives the analyst's activities.
    pub(crate) fn planned(
        plan: AnalystPlan,
        games: usize,
        stop: &'a AtomicBool,
        tell: impl FnMut(AnalysisNews<'_>) + 'a,
    ) -> Self {
        let progress = AnalysisProgress { analyzed: 0, games };
        let analyst = PreparedAnalyst::Planned(plan);
        Self { analyst, caches: BTreeMap::new(), progress, stop, tell: Box::new(tell) }
    }

    /// Like [`CachedAnalyst::planned`], but for an existing `analyst` and any number of games.
    pub(crate) fn ready(analyst: Analyst, stop: &'a AtomicBool, tell: impl FnMut(AnalysisNews<'_>) + 'a) -> Self {
        let analyst = PreparedAnalyst::Ready(Box::new(analyst));
        let progress = AnalysisProgress::default();
        Self { analyst, caches: BTreeMap::new(), progress, stop, tell: Box::new(tell) }
    }

    /// Prepares for searching.
    ///
    /// # Errors
    /// Returns an error if there is not enough memory, or if a table that the games need is missing.
    pub(crate) fn prepare(&mut self) -> Result<(), AnalystError> {
        self.analyst.prepared()?;
        Ok(())
    }

    /// Whether the analyst was asked to stop.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// The analysis of the game in `record` in the cache of `run`; without a run, there is no cache.
    pub(crate) fn known(&mut self, run: Option<&Path>, record: &GameRecord) -> Option<KnownGame> {
        self.with_cache(run?, |cache| cache.find(record))
    }

    /// The analysis of the game in `record` in the cache of `run`, if a search within `limit` would add nothing to it.
    pub(crate) fn enough(&mut self, run: Option<&Path>, record: &GameRecord, limit: &SearchLimit) -> Option<KnownGame> {
        self.known(run, record).filter(|known| known.is_enough(record, limit.budget))
    }

    /// The analysis of the game in `record`, from the cache of `run` if that is sufficient, or else from a search
    /// within `limit`. The result of a search is stored in the cache.
    ///
    /// # Errors
    /// Returns an error if the game's rule set has no solver, or if [`CachedAnalyst::prepare`] would fail.
    pub(crate) fn analyze(
        &mut self,
        run: Option<&Path>,
        record: &GameRecord,
        limit: &SearchLimit,
    ) -> Result<SearchOutcome, AnalystError> {
        let outcome = match self.enough(run, record, limit) {
            Some(known) => SearchOutcome::Complete(known.analysis),
            None => self.search(run, record, limit)?,
        };
        self.progress.analyzed += usize::from(matches!(outcome, SearchOutcome::Complete(_)));
        Ok(outcome)
    }

    /// The value of the position after the legal moves `moves`, as far as a search of at most `time` determines it;
    /// `None` if not even the winner is determined.
    ///
    /// # Errors
    /// Returns an error if the rule set has no solver, or if [`CachedAnalyst::prepare`] would fail.
    pub(crate) fn value(
        &mut self,
        ruleset: Ruleset,
        moves: &[Move],
        time: Duration,
    ) -> Result<Option<Outcome>, AnalystError> {
        let (deadline, stop) = (now() + time, self.stop);
        let is_over = || stop.load(Ordering::Relaxed) || now() >= deadline;
        Ok(self.analyst.prepared()?.value(ruleset, moves, is_over)?)
    }

    /// Searches the game in `record` within `limit`, adds earlier findings, and stores the result.
    fn search(
        &mut self,
        run: Option<&Path>,
        record: &GameRecord,
        limit: &SearchLimit,
    ) -> Result<SearchOutcome, AnalystError> {
        let begin = now();
        let deadline = limit.deadline(begin);
        let analysis = self.searched(record, limit.effort, deadline)?;
        let before = match limit.effort {
            SearchEffort::Nodes(_) => None,
            SearchEffort::Whole | SearchEffort::Time(_) => self.known(run, record),
        };
        let analysis = match before {
            Some(before) => analysis.joined_with(&before.analysis),
            None => analysis,
        };
        if self.is_stopped() {
            return Ok(SearchOutcome::Stopped(analysis));
        }
        let budget = limit.kept_budget(begin, deadline);
        if let (Some(run), Some(budget)) = (run, budget) {
            let known = KnownGame { analysis: analysis.clone(), budget };
            self.with_cache(run, |cache| cache.keep(record, &known));
        }
        Ok(SearchOutcome::Complete(analysis))
    }

    /// The result of the search alone, without earlier findings.
    fn searched(
        &mut self,
        record: &GameRecord,
        effort: SearchEffort,
        deadline: Option<Instant>,
    ) -> Result<Analysis, AnalystError> {
        let Self { analyst, progress, stop, tell, .. } = self;
        let (analyst, progress) = (analyst.prepared()?, *progress);
        let game = record.game.as_deref().unwrap_or("a game");
        let is_over = || stop.load(Ordering::Relaxed) || deadline.is_some_and(|deadline| now() >= deadline);
        let tick = |empty| tell(AnalysisNews::Searching { game, progress, empty });
        let analysis = match effort {
            SearchEffort::Whole | SearchEffort::Time(_) => analyst.analyze(record, is_over, tick),
            SearchEffort::Nodes(nodes) => analyst.analyze_repeatably(record, nodes, is_over, tick),
        };
        tell(AnalysisNews::Searched);
        Ok(analysis?)
    }

    /// Tidies all caches, and returns how many games were analyzed.
    pub(crate) fn end(self) -> AnalysisProgress {
        let Self { caches, progress, mut tell, .. } = self;
        for mut cache in caches.into_values() {
            cache.tidy();
            cache.take_warnings().into_iter().for_each(|warning| tell(AnalysisNews::Warning(warning)));
        }
        progress
    }

    /// Calls `act` with the cache of `run`, and passes on the cache's warnings.
    fn with_cache<T>(&mut self, run: &Path, act: impl FnOnce(&mut AnalysisCache) -> T) -> T {
        let cache = self.caches.entry(run.to_owned()).or_insert_with(|| AnalysisCache::open(run));
        let result = act(cache);
        for warning in cache.take_warnings() {
            (self.tell)(AnalysisNews::Warning(warning));
        }
        result
    }
}
