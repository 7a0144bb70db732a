//! Judges many games one after the other, with a line of progress, until all are judged or a signal comes.
//!
//! A game of a run is looked up in the run's cache first, and goes into it as soon as it is judged.

mod caches;
#[expect(dead_code, reason = "for the command `report`")]
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
use crate::base::time::now;
use crate::game::rules::Ruleset;
use crate::referee::record::GameRecord;
use crate::results::analysis::Analysis;
use crate::results::analysis_by_solver::Analyst;
use crate::run::analysis_cache::KnownGame;
use caches::Caches;
#[expect(unused_imports, reason = "for the command `report`")]
pub(super) use in_order::{JudgedGames, Judging, judge_in_order};

/// The default size of the table in MiB.
pub(super) const MEBIBYTES: NonZeroU32 = NonZeroU32::new(256).unwrap();

/// The time for each game by default.
const BUDGET: Duration = Duration::from_secs(10);

/// What judging may cost.
#[derive(Clone, Copy, Debug)]
pub(super) struct Means {
    /// The time for each game; by default [`BUDGET`].
    pub(super) budget: Option<Duration>,
    /// The threads; by default two, if there are two cores.
    pub(super) threads: Option<NonZeroUsize>,
    /// The size of the table in MiB.
    pub(super) mebibytes: NonZeroU32,
}

impl Means {
    /// An analyst for these `games`. If one of them is of Seegover, it has the table in the cache directory.
    fn analyst(self, games: &[GameRecord]) -> Result<Analyst, Failure> {
        let is_seegover = |game: &GameRecord| matches!(game.ruleset, Ruleset::Seegover(_));
        let seegover = if games.iter().any(is_seegover) { Some(Arc::new(load(None)?.1)) } else { None };
        Ok(Analyst::new(threads_or_two(self.threads), table(self.mebibytes)?, seegover))
    }

    /// The time for a game.
    fn time(self) -> Duration {
        self.budget.unwrap_or(BUDGET)
    }
}

/// Judges games one after the other.
pub(super) struct Panel<'a> {
    means: Means,
    /// Made for the first game that is searched.
    analyst: Option<Analyst>,
    interrupt: &'a Flag,
    progress: Progress,
    games: &'a [GameRecord],
    /// The run to which each game belongs, if its cache is to be used.
    runs: Vec<Option<PathBuf>>,
    caches: Caches,
    judged: usize,
}

impl<'a> Panel<'a> {
    /// A panel for `games`, which uses no caches.
    pub(super) fn new(means: Means, interrupt: &'a Flag, games: &'a [GameRecord]) -> Self {
        let (progress, caches, runs) = (Progress::new(), Caches::default(), vec![None; games.len()]);
        Self { means, analyst: None, interrupt, progress, games, runs, caches, judged: 0 }
    }

    /// The same panel with the caches of `runs`, which has the run of each game, or `None` for a game without a cache.
    pub(super) fn with_caches(self, runs: Vec<Option<PathBuf>>) -> Self {
        Self { runs, ..self }
    }

    /// Makes ready for searching, unless the caches know enough about all games.
    ///
    /// # Errors
    /// When there is no memory, or no table for games that need one.
    pub(super) fn prepare(&mut self) -> Result<(), Failure> {
        if !(0..self.games.len()).all(|index| self.enough(index).is_some()) {
            prepared(&mut self.analyst, self.means, self.games)?;
        }
        Ok(())
    }

    /// Judges the next game; `None` after the last one, or once a signal has come.
    ///
    /// # Errors
    /// When the game's rule set has no solver, or what [`Panel::prepare`] may lack.
    pub(super) fn judge_next(&mut self) -> Result<Option<(&'a GameRecord, Analysis)>, Failure> {
        let (index, games) = (self.judged, self.games);
        let Some(record) = games.get(index).filter(|_| self.interrupt.which().is_none()) else { return Ok(None) };
        let known = match self.enough(index) {
            Some(known) => known,
            None => match self.search(index, self.means.time())? {
                Some(known) => known,
                None => return Ok(None),
            },
        };
        self.judged += 1;
        Ok(Some((record, known.analysis)))
    }

    /// What the cache knows about the game with this `index`.
    fn known(&mut self, index: usize) -> Option<KnownGame> {
        self.caches.find(self.runs[index].as_deref()?, &self.games[index])
    }

    /// What the cache knows about the game with this `index`, if a search would add nothing.
    fn enough(&mut self, index: usize) -> Option<KnownGame> {
        self.known(index).filter(|known| known.is_enough(&self.games[index], self.means.time()))
    }

    /// Searches the game with this `index` for `time`, adds what was known before, and keeps the result; `None` once a signal
    /// has come.
    fn search(&mut self, index: usize, time: Duration) -> Result<Option<KnownGame>, Failure> {
        let (record, deadline, interrupted) = (&self.games[index], now() + time, self.interrupt.raised());
        let (number, games) = (self.judged + 1, self.games.len());
        let id = record.game.as_deref().unwrap_or("a game");
        let is_over = || interrupted.load(Ordering::Relaxed) || now() >= deadline;
        let analyst = prepared(&mut self.analyst, self.means, self.games)?;
        let progress = &mut self.progress;
        let analysis = analyst.analyze(record, is_over, |empty| {
            progress.tell(format_args!("{number} of {games}: {id}, {empty} empty points"));
        });
        progress.clear();
        if self.interrupt.which().is_some() {
            return Ok(None);
        }
        let analysis = match self.known(index) {
            Some(before) => analysis?.joined_with(&before.analysis),
            None => analysis?,
        };
        let known = KnownGame { analysis, budget: time };
        if let Some(run) = &self.runs[index] {
            self.caches.keep(run, record, &known);
        }
        Ok(Some(known))
    }

    /// The exit code, after the last game or a signal.
    pub(super) fn end(self) -> Exit {
        self.caches.tidy();
        let Some(interrupted) = self.interrupt.which() else { return Exit::Success };
        note(format_args!("interrupted: {} of {} games were judged", self.judged, self.games.len()));
        interrupted.exit()
    }
}

/// The analyst in `place`, which is made if there is none yet.
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
