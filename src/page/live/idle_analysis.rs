//! Analyzes the games of a page, and positions that its readers ask about, one at a time, on a thread with the lowest
//! priority.

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
use crate::game::{Move, Outcome, Ruleset};
use crate::page::shown::game_code::coded_values;
use crate::referee::record::GameRecord;
use crate::results::analysis::by_solver::Analyst;
use crate::run::cached_analyst::{AnalysisNews, CachedAnalyst, SearchEffort, SearchLimit, SearchOutcome};

/// The limit for one game, which is shorter than the time for which the game of the moment is shown. While the machine
/// plays games, the time of a search says little about how far the search got, so the result counts as that of a search
/// without a budget.
const LIMIT: SearchLimit =
    SearchLimit { effort: SearchEffort::Time(Duration::from_secs(4)), budget: Duration::ZERO, end: None };

/// The limit for one position that a reader asks about.
const POSITION_LIMIT: Duration = Duration::from_secs(2);

/// The amount by which to raise the niceness of the thread; the system allows at most 19.
const NICENESS: i32 = 19;

/// A request to the thread.
#[derive(Debug)]
enum IdleTask {
    /// Analyze the game of this record. The answer repeats the id.
    Game(String, Box<GameRecord>),
    /// Find the value of the position after these moves, which are legal.
    Position(Ruleset, Vec<Move>),
}

/// An answer of the thread.
#[derive(Debug)]
pub(crate) enum IdleAnswer {
    /// The values of the game with this id, as entries in `games` contain them.
    Game(String, String),
    /// The value of the position, if one was found in time.
    Position(Option<Outcome>),
}

/// Analyzes one game or position at a time on a separate thread.
pub(crate) struct IdleAnalysis {
    plan: Option<Sender<IdleTask>>,
    answers: Receiver<IdleAnswer>,
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
    /// Starts the thread, on the CPUs of the calling thread. The results of `analyst` are stored in the cache of the
    /// run in `dir`.
    ///
    /// # Errors
    /// Fails if the thread cannot be created.
    pub(crate) fn start(analyst: Analyst, dir: PathBuf) -> io::Result<Self> {
        let (plan, received) = mpsc::channel();
        let (sender, answers) = mpsc::channel();
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let work = move || {
            // A system that refuses this does not support niceness.
            let _ = step_back(NICENESS);
            let mut analyst = CachedAnalyst::ready(analyst, &stopped, tell);
            for task in received {
                let answer = match task {
                    IdleTask::Game(id, record) => IdleAnswer::Game(id, values(&mut analyst, &record, &dir)),
                    IdleTask::Position(ruleset, moves) => {
                        // The rule set has a solver; otherwise, the run would not have begun.
                        IdleAnswer::Position(analyst.value(ruleset, &moves, POSITION_LIMIT).ok().flatten())
                    }
                };
                if sender.send(answer).is_err() {
                    break;
                }
            }
            analyst.end();
        };
        let thread = std::thread::Builder::new().name("live analysis".to_owned()).spawn(work)?;
        Ok(Self { plan: Some(plan), answers, stop, thread: Some(thread), is_busy: false })
    }

    /// Whether the thread is waiting for a request.
    pub(crate) const fn is_free(&self) -> bool {
        !self.is_busy
    }

    /// Requests an analysis of the game of `record`, which the answer will identify by `id`.
    pub(crate) fn analyze(&mut self, id: String, record: GameRecord) {
        self.ask(IdleTask::Game(id, Box::new(record)));
    }

    /// Requests the value of the position after `moves`, which are legal.
    pub(crate) fn value(&mut self, ruleset: Ruleset, moves: Vec<Move>) {
        self.ask(IdleTask::Position(ruleset, moves));
    }

    fn ask(&mut self, task: IdleTask) {
        // If the thread is gone, no answer will come, and so nothing more will be requested.
        self.is_busy = true;
        if let Some(plan) = &self.plan {
            let _ = plan.send(task);
        }
    }

    /// The answer that has arrived since the last call, if there is one.
    pub(crate) fn answer(&mut self) -> Option<IdleAnswer> {
        let answer = self.answers.try_recv().ok()?;
        self.is_busy = false;
        Some(answer)
    }
}

impl Drop for IdleAnalysis {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.plan = None;
        // If the thread panicked, the panic has already been printed, and the run should not be lost because of it.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// The values of the game in `record`, from the cache of the run in `dir` or, if they are not there, from a search.
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
        console::warn(warning);
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use super::*;
    use crate::base::random::SplitMix64;
    use crate::exact::solver::TranspositionTable;
    use crate::game::BySide;
    use crate::referee::record::Ply;
    use crate::referee::result::GameResult;
    use crate::run::analysis_cache::AnalysisCache;

    /// A random game without avoidable passes, whose positions are solved quickly.
    fn game() -> GameRecord {
        let (mut position, mut random) = (Ruleset::Gothello.start(), SplitMix64::new(13));
        let players = BySide { black: "a".to_owned(), white: "b".to_owned() };
        let result = Ok(GameResult::played(Outcome::of_margin(1)));
        let mut record = GameRecord::of(Ruleset::Gothello, players, result);
        while position.outcome().is_none() {
            let moves = position.legal_moves();
            let count = moves.len() as u64 - u64::from(moves.len() > 1);
            let played = moves[usize::try_from(random.below(count)).expect("few")];
            record.plies.push(Ply::untimed(position.to_move(), played));
            position.play(played.as_str()).expect("legal");
        }
        record
    }

    /// The values of the game in `record` as the thread finds them. If `is_stopped` is set, the thread is told to stop
    /// beforehand.
    fn found(record: &GameRecord, dir: &Path, is_stopped: bool) -> String {
        let stop = AtomicBool::new(is_stopped);
        let analyst = Analyst::new(NonZeroUsize::MIN, TranspositionTable::with_bytes(1 << 24), None);
        values(&mut CachedAnalyst::ready(analyst, &stop, tell), record, dir)
    }

    #[test]
    fn a_game_is_searched_once_and_then_found_in_the_cache() {
        let (dir, record) = (tempfile::tempdir().expect("a directory"), game());
        let stopped = found(&record, dir.path(), true);
        let values = found(&record, dir.path(), false);
        let kept = AnalysisCache::open(dir.path()).find(&record).expect("it was kept").analysis;
        // The program contains the values of the first positions, and the value of the last position follows from the
        // rules.
        let last = &kept.moves[record.plies.len() - 8..];
        assert!(last.iter().all(|analyzed| analyzed.quality().is_some()), "{values}");
        assert_ne!(stopped, values, "an analysis that is stopped is not kept");
        assert_eq!(found(&record, dir.path(), true), values);
    }
}
