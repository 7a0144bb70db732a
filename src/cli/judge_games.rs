//! Judges many games one after the other, with a progress line, until all are judged or a signal arrives.
//!
//! A game of a run is looked up in the run's cache first, and is added to it as soon as it is judged.

mod caches;
mod in_order;

use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::interrupt::Flag;
use super::progress::Progress;
use super::seegover_table::load;
use super::{Exit, Failure, note, table, threads_or_two};
use crate::base::time::{Instant, now};
use crate::game::Ruleset;
use crate::referee::record::GameRecord;
use crate::results::analysis::by_solver::{Analyst, SeegoverTable};
use crate::results::analysis::{Analysis, DropsSearched};
use crate::run::analysis_cache::KnownGame;
use caches::Caches;
pub(super) use in_order::{Judging, judge_in_order};

/// The minimum and maximum default sizes of the table, in MiB.
const MEBIBYTES: [NonZeroU32; 2] = [NonZeroU32::new(64).unwrap(), NonZeroU32::new(256).unwrap()];

/// How many MiB of the table a search may use for each second of a game's budget. A table that is much larger than what
/// the search fills only slows it down, because more lookups miss the CPU's caches.
const MEBIBYTES_PER_SECOND: u64 = 16;

/// The default time for each game of Gothello.
const BUDGET: Duration = Duration::from_secs(10);

/// The resources for judging.
#[derive(Clone, Copy, Debug)]
pub(super) struct Means {
    /// The time for each game. By default, a game of Gothello has [`BUDGET`], and in a game of Seegover, only the last drops are
    /// searched, however long that takes.
    pub(super) budget: Option<Duration>,
    /// The threads; by default two, if there are two cores.
    pub(super) threads: Option<NonZeroUsize>,
    /// The size of the table in MiB; by default, it depends on the time for each game.
    pub(super) mebibytes: Option<NonZeroU32>,
    /// What ends the search of a game.
    pub(super) limit: SearchLimit,
}

/// What ends the search of a game of Gothello.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SearchLimit {
    /// Time.
    Time,
    /// The number of nodes that [`NODES_PER_SECOND`] derives from the time. The result is the same on every machine,
    /// however busy it is.
    Nodes,
}

/// The number of nodes that represents a second. A slow core searches this many in a second.
pub(super) const NODES_PER_SECOND: u64 = 2_000_000;

impl Means {
    /// An analyst for these `games`. If one of them is of Seegover, it has the table from the cache directory.
    fn analyst(self, games: &[GameRecord]) -> Result<Analyst, Failure> {
        let is_seegover = |game: &GameRecord| matches!(game.ruleset, Ruleset::Seegover(_));
        let is_bounded = self.budget.is_some() && self.limit == SearchLimit::Time;
        let drops = if is_bounded { DropsSearched::All } else { DropsSearched::Last };
        let of_cache = || load(None).map(|(_, table)| SeegoverTable { table: Arc::new(table), drops });
        let seegover = games.iter().any(is_seegover).then(of_cache).transpose()?;
        Ok(Analyst::new(threads_or_two(self.threads), table(self.mebibytes())?, seegover))
    }

    /// The size of the table in MiB.
    fn mebibytes(self) -> NonZeroU32 {
        let [least, most] = MEBIBYTES;
        let fitting = self.budget.unwrap_or(BUDGET).as_secs().saturating_mul(MEBIBYTES_PER_SECOND);
        let fitting = NonZeroU32::new(u32::try_from(fitting).unwrap_or(u32::MAX)).unwrap_or(least);
        self.mebibytes.unwrap_or_else(|| fitting.clamp(least, most))
    }

    /// The time limit for a game under these rules, if there is one.
    const fn time_for(self, ruleset: Ruleset) -> Option<Duration> {
        match (ruleset, self.budget) {
            (Ruleset::Seegover(_), _) if matches!(self.limit, SearchLimit::Nodes) => None,
            (Ruleset::Gothello, None) => Some(BUDGET),
            (_, budget) => budget,
        }
    }

    /// The node limit for a game, which applies if its search is limited by nodes.
    fn nodes(self) -> u64 {
        let milliseconds = self.budget.unwrap_or(BUDGET).as_millis();
        u64::try_from(milliseconds).unwrap_or(u64::MAX).saturating_mul(NODES_PER_SECOND / 1000)
    }

    /// The budget under which a game by these rules is stored; zero for a search without a time limit by default, which
    /// does the least.
    fn budget_for(self, ruleset: Ruleset) -> Duration {
        self.time_for(ruleset).unwrap_or_default()
    }
}

/// Judges games one after the other.
pub(super) struct Panel<'a> {
    means: Means,
    /// Created for the first game that is searched.
    analyst: Option<Analyst>,
    interrupt: &'a Flag,
    progress: Progress,
    games: &'a [GameRecord],
    /// The run that each game belongs to, if its cache is to be used.
    runs: Vec<Option<PathBuf>>,
    caches: Caches,
    judged: usize,
}

impl<'a> Panel<'a> {
    /// A panel for `games` that does not use caches.
    pub(super) fn new(means: Means, interrupt: &'a Flag, games: &'a [GameRecord]) -> Self {
        let (progress, caches, runs) = (Progress::new(), Caches::default(), vec![None; games.len()]);
        Self { means, analyst: None, interrupt, progress, games, runs, caches, judged: 0 }
    }

    /// The same panel with the caches of `runs`, which contains the run of each game, or `None` for a game without a
    /// cache.
    pub(super) fn with_caches(self, runs: Vec<Option<PathBuf>>) -> Self {
        Self { runs, ..self }
    }

    /// Prepares for searching, unless the caches know enough about all games.
    ///
    /// # Errors
    /// Returns an error if there is no memory, or no table for games that need one.
    pub(super) fn prepare(&mut self) -> Result<(), Failure> {
        if !(0..self.games.len()).all(|index| self.enough(index).is_some()) {
            prepared(&mut self.analyst, self.means, self.games)?;
        }
        Ok(())
    }

    /// Judges the next game; returns `None` after the last one, or once a signal has arrived. After a signal, a single game is
    /// judged as far as it was solved by then.
    ///
    /// # Errors
    /// Returns an error if the game's rule set has no solver, or as for [`Panel::prepare`].
    pub(super) fn judge_next(&mut self) -> Result<Option<(&'a GameRecord, Analysis)>, Failure> {
        let (index, games) = (self.judged, self.games);
        let Some(record) = games.get(index).filter(|_| self.interrupt.which().is_none()) else { return Ok(None) };
        let known = match self.enough(index) {
            Some(known) => Some(known),
            None => self.search(index, None)?,
        };
        self.judged += usize::from(known.is_some());
        Ok(known.map(|known| (record, known.analysis)))
    }

    /// What the cache knows about the game with this `index`.
    fn known(&mut self, index: usize) -> Option<KnownGame> {
        self.caches.find(self.runs[index].as_deref()?, &self.games[index])
    }

    /// What the cache knows about the game with this `index`, if a search would add nothing.
    fn enough(&mut self, index: usize) -> Option<KnownGame> {
        let record = &self.games[index];
        let budget = self.means.budget_for(record.ruleset);
        self.known(index).filter(|known| known.is_enough(record, budget))
    }

    /// Searches the game with this `index` until its time is up, or until `end` if that is earlier. Adds what was known before,
    /// and stores the result. Returns `None` once a signal has arrived.
    fn search(&mut self, index: usize, end: Option<Instant>) -> Result<Option<KnownGame>, Failure> {
        if self.means.limit == SearchLimit::Nodes {
            return self.search_repeatably(index);
        }
        let (record, begin) = (&self.games[index], now());
        let own_end = self.means.time_for(record.ruleset).map(|time| begin + time);
        let deadline = own_end.into_iter().chain(end).min();
        let interrupted = self.interrupt.raised();
        let is_over = || interrupted.load(Ordering::Relaxed) || deadline.is_some_and(|deadline| now() >= deadline);
        let (number, games) = (self.judged + 1, self.games.len());
        let id = record.game.as_deref().unwrap_or("a game");
        let progress = &mut self.progress;
        let analyst = prepared(&mut self.analyst, self.means, self.games)?;
        let analysis = analyst.analyze(record, is_over, |empty| {
            progress.tell(format_args!("{number} of {games}: {id}, {empty} empty points"));
        });
        progress.clear();
        let is_interrupted = self.interrupt.which().is_some();
        if is_interrupted && games > 1 {
            return Ok(None);
        }
        let analysis = match self.known(index) {
            Some(before) => analysis?.joined_with(&before.analysis),
            None => analysis?,
        };
        // If `end` cuts short a search that has no limit of its own, there is no budget under which to store the
        // result.
        let is_cut_short = own_end.is_none() && deadline.is_some_and(|deadline| now() >= deadline);
        let budget = own_end.and(deadline).map_or(Duration::ZERO, |deadline| deadline.saturating_duration_since(begin));
        let known = KnownGame { analysis, budget };
        if let Some(run) = self.runs[index].as_ref().filter(|_| !is_cut_short && !is_interrupted) {
            self.caches.keep(run, record, &known);
        }
        Ok(Some(known))
    }

    /// Searches the game with this `index` within its node limit, and stores the result. Returns `None` once a signal
    /// has arrived.
    fn search_repeatably(&mut self, index: usize) -> Result<Option<KnownGame>, Failure> {
        let record = &self.games[index];
        let interrupted = self.interrupt.raised();
        let (number, games) = (self.judged + 1, self.games.len());
        let id = record.game.as_deref().unwrap_or("a game");
        let progress = &mut self.progress;
        let analyst = prepared(&mut self.analyst, self.means, self.games)?;
        let is_over = || interrupted.load(Ordering::Relaxed);
        let analysis = analyst.analyze_repeatably(record, self.means.nodes(), is_over, |empty| {
            progress.tell(format_args!("{number} of {games}: {id}, {empty} empty points"));
        });
        progress.clear();
        if self.interrupt.which().is_some() {
            return Ok(None);
        }
        let known = KnownGame { analysis: analysis?, budget: self.means.budget_for(record.ruleset) };
        if let Some(run) = &self.runs[index] {
            self.caches.keep(run, record, &known);
        }
        Ok(Some(known))
    }

    /// The exit code, after the last game or a signal.
    pub(super) fn end(self) -> Exit {
        self.caches.tidy();
        let Some(interrupted) = self.interrupt.which() else { return Exit::Success };
        match self.games.len() {
            1 => note("interrupted: only the moves solved by then are judged"),
            games => note(format_args!("interrupted: {} of {games} games were judged", self.judged)),
        }
        interrupted.exit()
    }
}

/// The analyst in `place`, which is created if there is none yet.
fn prepared<'p>(
    place: &'p mut Option<Analyst>,
    means: Means,
    games: &[GameRecord],
) -> Result<&'p mut Analyst, Failure> {
    let analyst = match place.take() {
        Some(analyst) => analyst,
        None => means.analyst(games)?,
    };
    Ok(place.insert(analyst))
}
