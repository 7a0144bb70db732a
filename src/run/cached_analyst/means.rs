//! The settings of an analyst, and the limit for each game.

use std::collections::BTreeSet;
use std::num::{NonZeroU32, NonZeroUsize};
use std::sync::Arc;
use std::time::Duration;

use thiserror::Error;

use super::{SearchEffort, SearchLimit};
use crate::base::console;
use crate::base::exit::{CommandError, ErrorExit, Exit};
use crate::base::sanitise::Shown as _;
use crate::base::time::Instant;
use crate::exact::margin_table::table_file::{MarginFile, UnusableMargins, default_place};
use crate::exact::solver::{TableTooLarge, TranspositionTable};
use crate::exact::tablebase::{SeegoverTableLack, read_named};
use crate::exact::threads::threads_or_two;
use crate::game::seegover::MoveRules;
use crate::game::{Feature, MissingFeature, Ruleset};
use crate::referee::record::GameRecord;
use crate::results::analysis::DropsSearched;
use crate::results::analysis::by_solver::{Analyst, SeegoverTables};

/// The minimum and maximum default sizes of the transposition table, in MiB.
const MEBIBYTES: [NonZeroU32; 2] = [NonZeroU32::new(64).unwrap(), NonZeroU32::new(256).unwrap()];

/// The size of the transposition table in MiB for each second of a game's budget. A table that is much larger than a
/// search can fill only slows the search down, because more lookups miss the CPU's caches.
const MEBIBYTES_PER_SECOND: u64 = 16;

/// The default time for each game of Gothello.
const BUDGET: Duration = Duration::from_secs(10);

/// The number of nodes that represents a second. A slow core searches this many in a second.
const NODES_PER_SECOND: u64 = 2_000_000;

/// Why games cannot be analyzed.
#[derive(Debug, Error)]
pub(crate) enum AnalystError {
    /// There is not enough memory for the transposition table.
    #[error(transparent)]
    TableTooLarge(#[from] TableTooLarge),
    /// There is no Seegover table.
    #[error(transparent)]
    SeegoverTable(#[from] SeegoverTableLack),
    /// There is no solver for a game.
    #[error(transparent)]
    NoSolver(#[from] MissingFeature),
}

impl CommandError for AnalystError {
    fn error_exit(&self) -> ErrorExit {
        match self {
            Self::TableTooLarge(error) => error.error_exit(),
            Self::SeegoverTable(error) => error.error_exit(),
            Self::NoSolver(_) => Exit::ArenaFailed.alone(),
        }
    }
}

/// The settings of an analyst.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AnalystPlan {
    /// The number of threads.
    pub(crate) threads: NonZeroUsize,
    /// The size of the transposition table in MiB.
    pub(crate) mebibytes: NonZeroU32,
    /// How games of Seegover are analyzed, if there are any.
    pub(crate) seegover: Option<SeegoverPlan>,
}

/// How games of Seegover are analyzed. They need tables from the cache directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SeegoverPlan {
    /// The move rules of these games. There is a table for each of these rules.
    pub(crate) rules: BTreeSet<MoveRules>,
    /// How far back the drops in these games are searched.
    pub(crate) drops: DropsSearched,
}

impl SeegoverPlan {
    /// A plan for games under `rulesets`; `None` if none of them needs a table.
    pub(crate) fn of(rulesets: impl IntoIterator<Item = Ruleset>, drops: DropsSearched) -> Option<Self> {
        let rules = rulesets.into_iter().filter_map(|ruleset| match ruleset {
            Ruleset::Seegover(options) if ruleset.require(Feature::Solver).is_ok() => Some(options.move_rules()),
            _ => None,
        });
        let rules: BTreeSet<MoveRules> = rules.collect();
        (!rules.is_empty()).then_some(Self { rules, drops })
    }

    /// Reads the tables.
    fn tables(&self) -> Result<SeegoverTables, SeegoverTableLack> {
        let read = |&rules: &MoveRules| Ok(Arc::new(read_named(None, Some(rules))?.1));
        Ok(SeegoverTables { tables: self.rules.iter().map(read).collect::<Result<_, _>>()?, drops: self.drops })
    }
}

impl AnalystPlan {
    /// Creates the analyst.
    ///
    /// # Errors
    /// Returns an error if there is not enough memory, or if a Seegover table is needed but missing.
    pub(crate) fn analyst(&self) -> Result<Analyst, AnalystError> {
        let seegover = self.seegover.as_ref().map(SeegoverPlan::tables).transpose()?;
        let table = TranspositionTable::try_with_mebibytes(self.mebibytes)?;
        Ok(Analyst::new(self.threads, table, seegover).looking_up(table_of_positions(console::warn)))
    }
}

/// Returns the table of positions in the user's cache, if there is one. If it cannot be used, `tell` is called with the
/// reason.
pub(crate) fn table_of_positions(tell: impl FnOnce(UnusableMargins)) -> Option<MarginFile> {
    let table = MarginFile::cached_or(tell);
    let place = default_place(5).filter(|_| table.is_some());
    match place {
        Some(place) => {
            console::detail_of(&place, format_args!("positions are looked up in the table `{}`", place.shown()));
        }
        None => console::detail(
            "there is no table of positions in the cache: positions that are not built into the program will be searched",
        ),
    }
    table
}

/// The user's settings for analyses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AnalysisMeans {
    /// The time for each game. By default, a game of Gothello gets [`BUDGET`]; in a game of Seegover, only the last
    /// drops are searched, however long that takes.
    pub(crate) budget: Option<Duration>,
    /// The number of threads; by default two, if there are two cores.
    pub(crate) threads: Option<NonZeroUsize>,
    /// The size of the transposition table in MiB; by default, it depends on the time for each game.
    pub(crate) mebibytes: Option<NonZeroU32>,
    /// The unit in which the budget is measured.
    pub(crate) unit: BudgetUnit,
}

/// The unit in which the budget of a game of Gothello is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BudgetUnit {
    /// Time.
    Time,
    /// The number of nodes that [`NODES_PER_SECOND`] derives from the time. The result does not depend on the machine
    /// or its load.
    Nodes,
}

impl AnalysisMeans {
    /// The settings for this time per game, two threads, and a transposition table that suits the time.
    pub(crate) const fn of_budget(budget: Option<Duration>, unit: BudgetUnit) -> Self {
        Self { budget, threads: None, mebibytes: None, unit }
    }

    /// The plan of an analyst for these `games`.
    pub(crate) fn plan(self, games: &[GameRecord]) -> AnalystPlan {
        let is_bounded = self.budget.is_some() && self.unit == BudgetUnit::Time;
        let drops = if is_bounded { DropsSearched::All } else { DropsSearched::Last };
        AnalystPlan {
            threads: threads_or_two(self.threads),
            mebibytes: self.mebibytes(),
            seegover: SeegoverPlan::of(games.iter().map(|game| game.ruleset), drops),
        }
    }

    /// The size of the transposition table in MiB.
    fn mebibytes(self) -> NonZeroU32 {
        let [least, most] = MEBIBYTES;
        let fitting = self.budget.unwrap_or(BUDGET).as_secs().saturating_mul(MEBIBYTES_PER_SECOND);
        let fitting = NonZeroU32::new(u32::try_from(fitting).unwrap_or(u32::MAX)).unwrap_or(least);
        self.mebibytes.unwrap_or_else(|| fitting.clamp(least, most))
    }

    /// The limit for a game under `ruleset`, whose search ends at `end` at the latest.
    pub(crate) fn limit(self, ruleset: Ruleset, end: Option<Instant>) -> SearchLimit {
        let time = self.time_for(ruleset);
        let effort = match (self.unit, time) {
            (BudgetUnit::Nodes, _) => SearchEffort::Nodes(self.nodes()),
            (BudgetUnit::Time, Some(time)) => SearchEffort::Time(time),
            (BudgetUnit::Time, None) => SearchEffort::Whole,
        };
        // A search without a time limit is stored with the smallest budget, zero.
        SearchLimit { effort, budget: time.unwrap_or_default(), end }
    }

    /// The budget for a game under `ruleset`, if there is one.
    const fn time_for(self, ruleset: Ruleset) -> Option<Duration> {
        match (ruleset, self.budget) {
            (Ruleset::Seegover(_), _) if matches!(self.unit, BudgetUnit::Nodes) => None,
            (Ruleset::Gothello, None) => Some(BUDGET),
            (_, budget) => budget,
        }
    }

    /// The node limit for a game.
    fn nodes(self) -> u64 {
        let milliseconds = self.budget.unwrap_or(BUDGET).as_millis();
        u64::try_from(milliseconds).unwrap_or(u64::MAX).saturating_mul(NODES_PER_SECOND / 1000)
    }
}
