//! The source of a live page's events, and its implementation for a run.

mod live_listener;
mod run_feed;
mod shown_run;
#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;

use tokio::sync::mpsc;

use super::answer::Archive;
use super::idle_analysis::IdleAnalysis;
use super::state::LiveState;
use crate::game::BySeat;
use crate::host::bot_output::BotOutput;
use crate::results::analysis::by_solver::Analyst;
use crate::run::listener::event_queue;
use crate::tournament::schedule::{GameId, Results, Schedule};
pub(crate) use live_listener::LiveListener;
pub(crate) use run_feed::RunFeed;
pub(crate) use shown_run::ShownRun;

/// The source of a page's events. All methods are called on the page's thread, which polls regularly.
pub(crate) trait Feed: Send {
    /// Updates `state` with new events; `at` is the time since the page was started. Returns whether more events may
    /// follow.
    fn drain(&mut self, state: &mut LiveState, at: Duration) -> bool;

    /// The CPUs that the thread should be pinned to, as soon as they are known.
    fn cpus(&mut self) -> Option<Vec<u32>> {
        None
    }

    /// The thread that analyzes games, as soon as the games begin; `None` if they should not be analyzed.
    fn idle_analysis(&mut self) -> Option<IdleAnalysis> {
        None
    }

    /// Whether there is, or will be, a thread that analyzes games.
    fn analyzes(&self) -> bool {
        false
    }

    /// Finds the records of games that have ended, if the feed keeps these records.
    fn archive(&self) -> Archive {
        Rc::new(|_| None)
    }
}

/// The maximum number of events that may be queued for the page's thread, which drains them twenty times a second.
const CAPACITY: usize = 4096;

/// A message from the collector to the page's thread that is not an event.
#[derive(Debug)]
enum FeedOrder {
    /// The games begin.
    Begin(Box<BegunRun>),
    /// The queue had no space for the end of this game.
    Overflow { id: GameId, number: u64 },
    /// There will be no more events.
    Close,
}

/// The state of a run when its games begin.
#[derive(Debug)]
struct BegunRun {
    state: LiveState,
    test: Option<(Schedule, Results)>,
    cpus: Vec<u32>,
    /// The text of the file of aliases, if names are hidden.
    aliases: Option<String>,
    /// The ids of the latest games to end, in the order in which they ended.
    latest: Vec<String>,
}

/// The directory of a run's results, and the files and the analyst that the page may use.
#[derive(Debug)]
pub(crate) struct RunSite {
    /// The directory of the results.
    pub dir: PathBuf,
    /// The maximum number of files that the page may have open.
    pub files: u64,
    /// The analyst of games that have ended, if they should be analyzed.
    pub analyst: Option<Analyst>,
    /// How far the page is behind the run.
    pub delay: Duration,
}

/// The number of files that an analysis may have open: the cache, and its replacement.
const OF_THE_JUDGE: u64 = 2;

/// Creates both ends of the channel from the run at `site` to its page, which is behind the run by the site's delay.
pub(crate) fn of_run(shown: ShownRun, site: RunSite) -> (LiveListener, RunFeed) {
    let files = site.files + if site.analyst.is_some() { OF_THE_JUDGE } else { 0 };
    let (queue, reader) = event_queue(CAPACITY);
    let (plan, received) = mpsc::unbounded_channel();
    (LiveListener { shown, files, queue, plan }, RunFeed::new(site, reader, received))
}

/// The outputs of bots that have written nothing.
fn no_outputs() -> BySeat<BotOutput> {
    BySeat::from_fn(2, |_| BotOutput::default())
}
