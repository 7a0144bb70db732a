//! Judges the games of a run in an order of the caller's choice until a total time is used up: first those known to the run's
//! cache, then those that have to be searched. Each game that is searched is added to the cache at once.
//!
//! ```text
//! let judging = Judging { run: Some(&dir), total: Duration::from_secs(600), budget: None };
//! let judged = judge_in_order(&games, &order, judging)?;
//! for (game, analysis) in games.iter().zip(&judged.analyses) {
//!     // `None` if nothing is known about the game. In an analysis, some values may still be unknown.
//! }
//! // After a signal, `judged.exit` is its exit code; the games that were judged until then are there.
//! ```
//!
//! The moves of all games must be legal, as those of checked records are. Games in `order` whose rule set has no solver are
//! skipped. With a `total` of [`Duration::ZERO`], nothing is searched: only the cache is consulted, and neither threads nor the
//! Seegover table are needed.

use std::path::Path;
use std::time::Duration;

use super::{Means, Panel, SearchLimit};
use crate::base::time::now;
use crate::cli::interrupt::{Flag, Interrupted};
use crate::cli::{Exit, Failure};
use crate::game::Feature;
use crate::referee::record::GameRecord;
use crate::results::analysis::Analysis;
use crate::run::analysis_cache::KnownGame;
use crate::run::results_dir;

/// How games are judged.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Judging<'a> {
    /// The directory of the run whose cache is used; with `None`, or for a run without a journal, no cache is used.
    pub(crate) run: Option<&'a Path>,
    /// The time for all games together.
    pub(crate) total: Duration,
    /// The time for each game; `None` is the default of `analyze`.
    pub(crate) budget: Option<Duration>,
}

/// The games that were judged.
#[derive(Debug)]
pub(crate) struct JudgedGames {
    /// What is known about each game, in the caller's order of games.
    pub(crate) analyses: Vec<Option<Analysis>>,
    /// [`Exit::Success`], or the exit code of a signal.
    pub(crate) exit: Exit,
}

/// Judges `games`. `order` holds the indices of those that may be searched, the most important one first; the cache is consulted
/// for all.
pub(crate) fn judge_in_order(
    games: &[GameRecord],
    order: &[usize],
    judging: Judging<'_>,
) -> Result<JudgedGames, Failure> {
    let interrupt = Flag::watch()?;
    let means = Means { budget: judging.budget, threads: None, mebibytes: None, limit: SearchLimit::Time };
    let run = judging.run.filter(|run| results_dir::has_journal(run));
    let runs = vec![run.map(Path::to_owned); games.len()];
    let mut panel = Panel::new(means, &interrupt, games).with_caches(runs);
    let mut known: Vec<Option<KnownGame>> = (0..games.len()).map(|index| panel.known(index)).collect();
    let end = now() + judging.total;
    for &index in order {
        if now() >= end || interrupt.which().is_some() {
            break;
        }
        if games[index].ruleset.require(Feature::Solver).is_err() {
            continue;
        }
        // A game with the same moves may have been searched meanwhile.
        let found = match panel.enough(index) {
            Some(enough) => Some(enough),
            None => panel.search(index, Some(end))?,
        };
        if found.is_some() {
            known[index] = found;
            panel.judged += 1;
        }
    }
    panel.caches.tidy();
    let analyses = known.into_iter().map(|known| known.map(|known| known.analysis)).collect();
    Ok(JudgedGames { analyses, exit: interrupt.which().map_or(Exit::Success, Interrupted::exit) })
}
