//! Judges the games of a page by exact values, one by one, on a thread with the lowest priority.

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
use crate::base::time::now;
use crate::page::shown::game_code::coded_values;
use crate::referee::record::GameRecord;
use crate::results::analysis::by_solver::Analyst;
use crate::run::analysis_cache::{AnalysisCache, KnownGame};

/// The time for one game. The game of the moment is shown for longer than this.
const BUDGET: Duration = Duration::from_secs(4);

/// How much to raise the niceness of the thread; the system allows at most 19.
const NICENESS: i32 = 19;

/// Judges one game at a time on a separate thread.
pub(crate) struct IdleJudge {
    plan: Option<Sender<(String, GameRecord)>>,
    answers: Receiver<(String, String)>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
    is_busy: bool,
}

impl fmt::Debug for IdleJudge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IdleJudge").field("is_busy", &self.is_busy).finish_non_exhaustive()
    }
}

impl IdleJudge {
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
            let mut bench = JudgeThread { analyst, cache: None, stop: stopped };
            for (id, record) in received {
                if sender.send((id, bench.values(&record, &dir))).is_err() {
                    break;
                }
            }
            bench.end();
        };
        let thread = std::thread::Builder::new().name("live judge".to_owned()).spawn(work)?;
        Ok(Self { plan: Some(plan), answers, stop, thread: Some(thread), is_busy: false })
    }

    /// Whether the thread waits for a game.
    pub(crate) const fn is_free(&self) -> bool {
        !self.is_busy
    }

    /// Requests judgement of the game of `record`; the answer will call it `id`.
    pub(crate) fn ask(&mut self, id: String, record: GameRecord) {
        // If the thread is gone, there is no answer, and nothing more is requested.
        self.is_busy = true;
        if let Some(plan) = &self.plan {
            let _ = plan.send((id, record));
        }
    }

    /// The game that has been judged since the last call, with its values in the form of an entry of `games`.
    pub(crate) fn answer(&mut self) -> Option<(String, String)> {
        let answer = self.answers.try_recv().ok()?;
        self.is_busy = false;
        Some(answer)
    }
}

impl Drop for IdleJudge {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.plan = None;
        // A panic of the thread has already been printed, and is not a reason to lose a run.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// The state of the thread.
struct JudgeThread {
    analyst: Analyst,
    /// The cache of the run, as soon as there is a game that it may contain.
    cache: Option<AnalysisCache>,
    stop: Arc<AtomicBool>,
}

impl JudgeThread {
    /// The values of the game of `record`, from the cache of the run in `dir` or else from a search.
    fn values(&mut self, record: &GameRecord, dir: &Path) -> String {
        let cache = self.cache.get_or_insert_with(|| AnalysisCache::open(dir));
        let known = cache.find(record);
        tell(cache);
        if let Some(known) = known {
            return coded_values(&known.analysis);
        }
        let deadline = now() + BUDGET;
        let is_over = || self.stop.load(Ordering::Relaxed) || now() >= deadline;
        // The rule set has a solver; otherwise, the run would not have begun.
        let Ok(analysis) = self.analyst.analyze(record, is_over, |_| {}) else { return String::new() };
        let values = coded_values(&analysis);
        if !self.stop.load(Ordering::Relaxed) {
            // On a machine that is playing games, the time says little about the extent of the search.
            cache.keep(record, &KnownGame { analysis, budget: Duration::ZERO });
            tell(cache);
        }
        values
    }

    fn end(self) {
        if let Some(mut cache) = self.cache {
            cache.tidy();
            tell(&mut cache);
        }
    }
}

/// Reports any problems with `cache` to the user.
fn tell(cache: &mut AnalysisCache) {
    cache.take_warnings().iter().for_each(console::note);
}
