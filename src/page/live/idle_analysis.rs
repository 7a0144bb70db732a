//! Analyzes the games of a page, one at a time, on a thread with the lowest priority.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::base::console;
use crate::base::machine::step_back;
use crate::page::shown::game_code::coded_values;
use crate::referee::record::GameRecord;
use crate::results::analysis::by_solver::Analyst;
use crate::run::cached_analyst::{AnalysisNews, CachedAnalyst, SearchEffort, SearchLimit, SearchOutcome};

/// The limit for one game. The game of the moment is shown for longer. On a machine that is playing games, the time says little
/// about how far the search got, so it counts as nothing.
const LIMIT: SearchLimit =
    SearchLimit { effort: SearchEffort::Time(Duration::from_secs(4)), budget: Duration::ZERO, end: None };

/// How much to raise the niceness of the thread; the system allows at most 19.
const NICENESS: i32 = 19;

/// Analyzes one game at a time on a separate thread.
pub(crate) struct IdleAnalysis {
    plan: Option<Sender<(String, GameRecord)>>,
    answers: Receiver<(String, String)>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
    is_busy: bool,
}

impl fmt::Debug for IdleAnalysis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IdleAnalysis").field("is_busy", &self.is_busy).finish_non_exhaustive()
    }
}

impl IdleAnalysis {
    /// Starts the thread, on the CPUs of the calling one. The results of `analyst` go into the cache of the run in
    /// `dir`.
    ///
    /// # Errors
    /// Fails if the machine has no thread left.
    pub(crate) fn start(analyst: Analyst, dir: PathBuf) -> io::Result<Self> {
        let (plan, received) = mpsc::channel();
        let (sender, answers) = mpsc::channel();
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let work = move || {
            // A system that refuses this does not support niceness.
            let _ = step_back(NICENESS);
            let mut analyst = CachedAnalyst::ready(analyst, &stopped, tell);
            for (id, record) in received {
                if sender.send((id, values(&mut analyst, &record, &dir))).is_err() {
                    break;
                }
            }
            analyst.end();
        };
        let thread = std::thread::Builder::new().name("live analysis".to_owned()).spawn(work)?;
        Ok(Self { plan: Some(plan), answers, stop, thread: Some(thread), is_busy: false })
    }

    /// Whether the thread waits for a game.
    pub(crate) const fn is_free(&self) -> bool {
        !self.is_busy
    }

    /// Requests an analysis of the game of `record`; the answer will call it `id`.
    pub(crate) fn ask(&mut self, id: String, record: GameRecord) {
        // If the thread is gone, there is no answer, and nothing more is requested.
        self.is_busy = true;
        if let Some(plan) = &self.plan {
            let _ = plan.send((id, record));
        }
    }

    /// The game that has been analyzed since the last call, with its values in the form of an entry of `games`.
    pub(crate) fn answer(&mut self) -> Option<(String, String)> {
        let answer = self.answers.try_recv().ok()?;
        self.is_busy = false;
        Some(answer)
    }
}

impl Drop for IdleAnalysis {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.plan = None;
        // A panic of the thread has already been printed, and is not a reason to lose a run.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// The values of the game of `record`, from the cache of the run in `dir` or else from a search.
fn values(analyst: &mut CachedAnalyst<'_>, record: &GameRecord, dir: &Path) -> String {
    match analyst.analyze(Some(dir), record, &LIMIT) {
        Ok(SearchOutcome::Complete(analysis) | SearchOutcome::Stopped(analysis)) => coded_values(&analysis),
        // The rule set has a solver; otherwise, the run would not have begun.
        Err(_) => String::new(),
    }
}

/// Reports any problems with the cache to the user.
fn tell(news: AnalysisNews<'_>) {
    if let AnalysisNews::Warning(warning) = news {
        console::note(warning);
    }
}
