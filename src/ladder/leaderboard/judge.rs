//! Finds the mistakes in lost games, one game at a time, on a thread with the lowest priority.

use std::collections::{HashMap, HashSet};
use std::io;
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::JoinHandle;
use std::time::Duration;

use serde::Serialize;

use crate::base::console;
use crate::base::machine::step_back;
use crate::game::{Feature, Ruleset, Side};
use crate::referee::record::GameRecord;
use crate::results::analysis::{Analysis, DropsSearched, MoveQuality};
use crate::run::cached_analyst::{
    AnalysisNews, AnalystPlan, CachedAnalyst, SearchEffort, SearchLimit, SearchOutcome, SeegoverPlan,
};

/// The limit for one game. On a busy machine, the search time does not show how far the search got, so the search is
/// treated as one without a budget.
const LIMIT: SearchLimit =
    SearchLimit { effort: SearchEffort::Time(Duration::from_secs(4)), budget: Duration::ZERO, end: None };

/// The amount by which to raise the niceness of the thread; the system allows at most 19.
const NICENESS: i32 = 19;

/// The size of the table of positions, in MiB.
const MEBIBYTES: NonZeroU32 = NonZeroU32::new(64).unwrap();

/// How many games may wait; a player that asks for another one has to ask again later.
const MOST_WAITING: usize = 400;

/// How many games to remember. The run's cache of analyses remembers all of them.
const MOST_JUDGED: usize = 4096;

/// The loser's moves in a game.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(super) struct JudgedLoss {
    /// The loser's mistakes.
    pub(super) mistakes: Vec<JudgedMove>,
    /// How many moves were judged, and how many were made.
    pub(super) judged: usize,
    pub(super) moves: usize,
}

/// A mistake.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct JudgedMove {
    /// The ply, from 1.
    pub(super) ply: usize,
    #[serde(rename = "move")]
    pub(super) played: String,
    /// What the mistake cost, in words.
    pub(super) comment: String,
    /// Whether the mistake changed the winner.
    pub(super) blunder: bool,
}

impl JudgedLoss {
    /// The moves of `side` according to `analysis`.
    fn of(analysis: &Analysis, side: Side) -> Self {
        let own = || (1..).zip(&analysis.moves).filter(move |(_, made)| made.side == side && !made.given);
        let mistake = |(ply, made): (usize, &crate::results::analysis::AnalyzedMove)| {
            let blunder = made.quality()? == MoveQuality::Blunder;
            Some(JudgedMove { ply, played: made.played.to_string(), comment: made.comment()?, blunder })
        };
        Self {
            mistakes: own().filter_map(mistake).collect(),
            judged: own().filter(|(_, made)| made.quality().is_some()).count(),
            moves: own().count(),
        }
    }
}

/// A question to the thread: a game's number, its loser, and its record.
type JudgeQuestion = (u64, Side, Box<GameRecord>);

/// The thread, and its results so far.
#[derive(Debug)]
pub(super) struct Judge {
    ruleset: Ruleset,
    dir: PathBuf,
    thread: Option<JudgeThread>,
    judged: HashMap<u64, JudgedLoss>,
    waiting: HashSet<u64>,
}

/// The thread. It ends when this handle is dropped.
#[derive(Debug)]
struct JudgeThread {
    questions: Option<Sender<JudgeQuestion>>,
    answers: Receiver<(u64, JudgedLoss)>,
    stop: Arc<AtomicBool>,
    handle: Option<JoinHandle<()>>,
}

impl Judge {
    /// A judge of games under `ruleset`, whose results are kept with the run in `dir`.
    pub(super) fn new(ruleset: Ruleset, dir: PathBuf) -> Self {
        Self { ruleset, dir, thread: None, judged: HashMap::new(), waiting: HashSet::new() }
    }

    /// Whether games under these rules can be judged.
    pub(super) fn can_judge(&self) -> bool {
        self.ruleset.require(Feature::Solver).is_ok()
    }

    /// Whether there is a thread that judges games.
    pub(super) fn is_working(&self) -> bool {
        let handle = self.thread.as_ref().and_then(|thread| thread.handle.as_ref());
        handle.is_some_and(|handle| !handle.is_finished())
    }

    /// The loser's moves in game `number`, if they have been judged. Otherwise, the game that `read` returns is judged
    /// soon.
    pub(super) fn loss(
        &mut self,
        number: u64,
        side: Side,
        read: impl FnOnce() -> Option<GameRecord>,
    ) -> Option<JudgedLoss> {
        self.collect();
        if let Some(known) = self.judged.get(&number) {
            return Some(known.clone());
        }
        if !self.waiting.contains(&number) && self.waiting.len() < MOST_WAITING {
            let record = read()?;
            self.ask((number, side, Box::new(record)));
        }
        None
    }

    fn ask(&mut self, question: JudgeQuestion) {
        let number = question.0;
        if self.thread.is_none() {
            match JudgeThread::start(self.ruleset, self.dir.clone()) {
                Ok(thread) => self.thread = Some(thread),
                Err(error) => {
                    console::warn(format_args!("lost games will not be judged: {error}"));
                    return;
                }
            }
        }
        let questions = self.thread.as_ref().and_then(|thread| thread.questions.as_ref());
        // If the thread is gone, its panic has been printed.
        if questions.is_some_and(|questions| questions.send(question).is_ok()) {
            self.waiting.insert(number);
        }
    }

    fn collect(&mut self) {
        let Some(thread) = &self.thread else { return };
        for (number, loss) in thread.answers.try_iter() {
            self.waiting.remove(&number);
            if self.judged.len() >= MOST_JUDGED {
                self.judged.clear();
            }
            self.judged.insert(number, loss);
        }
    }
}

impl JudgeThread {
    /// Starts the thread, on the CPUs of the calling thread.
    fn start(ruleset: Ruleset, dir: PathBuf) -> io::Result<Self> {
        let (questions, asked) = mpsc::channel();
        let (sender, answers) = mpsc::channel();
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let work = move || {
            // A system that refuses this does not support niceness.
            let _ = step_back(NICENESS);
            answer(ruleset, &dir, &stopped, (&asked, &sender));
        };
        let handle = std::thread::Builder::new().name("lost games".to_owned()).spawn(work)?;
        Ok(Self { questions: Some(questions), answers, stop, handle: Some(handle) })
    }
}

/// Answers every question until there are no more.
fn answer(
    ruleset: Ruleset,
    dir: &Path,
    stop: &AtomicBool,
    (asked, sender): (&Receiver<JudgeQuestion>, &Sender<(u64, JudgedLoss)>),
) {
    let seegover = SeegoverPlan::of([ruleset], DropsSearched::All);
    let plan = AnalystPlan { threads: NonZeroUsize::MIN, mebibytes: MEBIBYTES, seegover };
    let tell = |news: AnalysisNews<'_>| {
        if let AnalysisNews::Warning(warning) = news {
            console::warn(warning);
        }
    };
    let mut analyst = CachedAnalyst::planned(plan, 0, stop, tell);
    for (number, side, record) in asked {
        let loss = match analyst.analyze(Some(dir), &record, &LIMIT) {
            Ok(SearchOutcome::Complete(analysis) | SearchOutcome::Stopped(analysis)) => JudgedLoss::of(&analysis, side),
            // There are no tables for the game, so none of its moves are judged.
            Err(_) => JudgedLoss { moves: record.plies.len().div_ceil(2), ..JudgedLoss::default() },
        };
        if stop.load(Ordering::Relaxed) || sender.send((number, loss)).is_err() {
            break;
        }
    }
    analyst.end();
}

impl Drop for JudgeThread {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.questions = None;
        // A panic of the thread has already been printed, and is not a reason to lose a run.
        let _ = self.handle.take().map(JoinHandle::join);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_judge_without_a_living_thread_is_not_working() {
        let dir = tempfile::tempdir().expect("a directory");
        let mut judge = Judge::new(Ruleset::Gothello, dir.path().to_owned());
        assert!(!judge.is_working(), "nothing has been asked");
        judge.thread = Some(JudgeThread::start(Ruleset::Gothello, dir.path().to_owned()).expect("a thread"));
        assert!(judge.is_working());
        let thread = judge.thread.as_mut().expect("a thread");
        // Without a sender of questions, the thread ends as it does after a panic.
        thread.questions = None;
        while thread.handle.as_ref().is_some_and(|handle| !handle.is_finished()) {
            std::thread::sleep(Duration::from_millis(1));
        }
        assert!(!judge.is_working());
    }
}
