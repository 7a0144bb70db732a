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
use crate::results::analysis::{Analysis, DropsSearched};
use crate::results::analysis_by_solver::{Analyst, SeegoverTable};

/// The default size of the table in MiB.
pub(super) const MEBIBYTES: NonZeroU32 = NonZeroU32::new(256).unwrap();

/// The time for each game of Gothello by default.
const BUDGET: Duration = Duration::from_secs(10);

/// What judging may cost.
#[derive(Clone, Copy, Debug)]
pub(super) struct Means {
    /// The time for each game. By default, a game of Gothello has [`BUDGET`], and in one of Seegover only the last drops are
    /// searched, however long that takes.
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
        let drops = if self.budget.is_some() { DropsSearched::All } else { DropsSearched::Last };
        let of_cache = || load(None).map(|(_, table)| SeegoverTable { table: Arc::new(table), drops });
        let seegover = games.iter().any(is_seegover).then(of_cache).transpose()?;
        Ok(Analyst::new(threads_or_two(self.threads), table(self.mebibytes)?, seegover))
    }

    /// The time for a game by these rules, if it has a limit.
    const fn time_for(self, ruleset: Ruleset) -> Option<Duration> {
        match (ruleset, self.budget) {
            (Ruleset::Gothello, None) => Some(BUDGET),
            (_, budget) => budget,
        }
    }
}

/// Judges games one after the other.
pub(super) struct Panel<'a> {
    analyst: Analyst,
    means: Means,
    interrupt: &'a Flag,
    progress: Progress,
    games: &'a [GameRecord],
    judged: usize,
}

impl<'a> Panel<'a> {
    /// A panel for `games`, which must all have a solver.
    pub(super) fn new(means: Means, interrupt: &'a Flag, games: &'a [GameRecord]) -> Result<Self, Failure> {
        Ok(Self { analyst: means.analyst(games)?, means, interrupt, progress: Progress::new(), games, judged: 0 })
    }

    /// Judges the next game; `None` after the last one, or once a signal has come. A signal leaves a single game judged as far
    /// as it was solved by then.
    ///
    /// # Errors
    /// When the record's rule set has no solver.
    pub(super) fn judge_next(&mut self) -> Result<Option<(&'a GameRecord, Analysis)>, MissingFeature> {
        let Some(record) = self.games.get(self.judged) else { return Ok(None) };
        let (progress, games, number) = (&mut self.progress, self.games.len(), self.judged + 1);
        let id = record.game.as_deref().unwrap_or("a game");
        let interrupted = self.interrupt.raised();
        let deadline = self.means.time_for(record.ruleset).map(|time| now() + time);
        let is_over = || interrupted.load(Ordering::Relaxed) || deadline.is_some_and(|deadline| now() >= deadline);
        let analysis = self.analyst.analyze(record, is_over, |empty| {
            progress.tell(format_args!("{number} of {games}: {id}, {empty} empty points"));
        });
        self.progress.clear();
        if self.interrupt.which().is_some() && games > 1 {
            return Ok(None);
        }
        self.judged += 1;
        Ok(Some((record, analysis?)))
    }

    /// The exit code, after the last game or a signal.
    pub(super) fn end(self) -> Exit {
        let Some(interrupted) = self.interrupt.which() else { return Exit::Success };
        match self.games.len() {
            1 => note("interrupted: the game is judged only as far as it was solved by then"),
            games => note(format_args!("interrupted: {} of {games} games were judged", self.judged)),
        }
        interrupted.exit()
    }
}
