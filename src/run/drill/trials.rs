//! Which scenarios are played on which side, and what came of them.

use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::runtime::Builder;
use tokio::sync::mpsc::{self, UnboundedSender};

use super::played_bout;
use super::seating::{DrillGrounds, Hall};
use crate::base::random::mix;
use crate::base::stop::{Stop, StopSignal};
use crate::base::time::now;
use crate::game::rules::{Ruleset, Side};
use crate::referee::drill::{BoutEnd, BoutFacts, Coming, Judgement, NeededRules, Plan, Scenario, Setting};
use crate::results::readiness::{Trial, TrialStatus};

/// The drill of some players.
#[derive(Debug)]
pub(crate) struct Drill {
    /// The rules.
    pub(crate) ruleset: Ruleset,
    /// The time that each side has in an ordinary game.
    pub(crate) time: Duration,
    /// The seed of everything random.
    pub(crate) seed: u64,
    /// What is played, in this order. `hello` and `plain` are always played first on each side, as others need them.
    pub(crate) scenarios: Vec<&'static Scenario>,
    /// Where each player takes its seats.
    pub(crate) halls: Vec<Hall>,
    /// What surrounds the seats.
    pub(crate) grounds: DrillGrounds,
}

/// What happens in a drill.
#[derive(Debug)]
pub(crate) enum DrillNews {
    /// A game is about to begin.
    Begins {
        /// The player's index.
        player: usize,
        /// The scenario.
        scenario: &'static Scenario,
        /// The bot's side.
        side: Side,
        /// Which game of the scenario it is, from 0.
        game: u32,
    },
    /// A trial has ended or was skipped.
    Ended {
        /// The player's index.
        player: usize,
        /// What came of it.
        trial: Box<Trial>,
    },
}

/// One trial to be played.
#[derive(Clone, Copy, Debug)]
struct Due {
    player: usize,
    side: Side,
    scenario: &'static Scenario,
}

/// The scenarios that others need.
const FIRST: [&str; 2] = ["hello", "plain"];

impl Drill {
    /// Plays all trials, `jobs` at a time, and tells `told` about each, until `stop` asks to end.
    ///
    /// # Errors
    /// When the machine has no thread or no scheduler left.
    pub(crate) async fn play(
        self,
        jobs: NonZeroUsize,
        stop: StopSignal,
        told: UnboundedSender<DrillNews>,
    ) -> std::io::Result<()> {
        let chains: VecDeque<(usize, Side)> =
            (0..self.halls.len()).flat_map(|player| Side::BOTH.map(|side| (player, side))).collect();
        let work =
            Arc::new(Work { drill: self, chains: Mutex::new(chains), rest: Mutex::default(), hung: Mutex::default() });
        let (done, mut ended) = mpsc::unbounded_channel();
        for number in 0..jobs.get() {
            let (work, stop, told, done) = (Arc::clone(&work), stop.clone(), told.clone(), done.clone());
            let runtime = Builder::new_current_thread().enable_all().build()?;
            std::thread::Builder::new().name(format!("drill-{number}")).spawn(move || {
                runtime.block_on(work.work(stop, &told));
                // The receiver waits for all threads.
                let _ = done.send(());
            })?;
        }
        drop(done);
        while ended.recv().await.is_some() {}
        Ok(())
    }

    /// Plays one trial.
    async fn trial(&self, Due { player, side, scenario }: Due, told: &UnboundedSender<DrillNews>) -> Trial {
        let begun = now();
        let mut games = Vec::new();
        for game in 0..scenario.games {
            // Nobody may listen any more.
            let _ = told.send(DrillNews::Begins { player, scenario, side, game });
            // Every language can read a seed below 2^31 into a plain integer.
            let seed = mix(self.seed, &format!("{}.{side}.{}", scenario.id, scenario.seed_of(game))) >> 33;
            let setting = Setting { side, ruleset: self.ruleset, time: self.time, game, seed };
            let plan = (scenario.plan)(&setting);
            let facts = self.game(player, plan, &setting).await;
            let says_enough = says_enough(&facts);
            games.push(facts);
            if says_enough {
                break;
            }
        }
        let Judgement { finding, summary, decisive } = (scenario.judge)(&games);
        Trial {
            scenario,
            side,
            status: TrialStatus::of(scenario.level, finding),
            summary,
            took: begun.elapsed(),
            games,
            decisive,
            diagnoses: Vec::new(),
            transcript_file: None,
        }
    }

    /// Plays one game, and plays it again as often as a run would if the machine is at fault.
    async fn game(&self, player: usize, plan: Plan, setting: &Setting) -> BoutFacts {
        let mut retries = self.grounds.limits.void_retries;
        loop {
            let facts = played_bout::play(&self.halls[player], &self.grounds, plan.clone(), setting).await;
            if !matches!(facts.end, BoutEnd::Void(_)) || retries == 0 {
                return facts;
            }
            retries -= 1;
        }
    }

    /// Why `scenario` cannot be played with these rules.
    fn unfit(&self, scenario: &Scenario) -> Option<String> {
        let fits = scenario.rules == NeededRules::Any || self.ruleset == Ruleset::Gothello;
        (!fits).then(|| format!("it depends on the moves of Gothello, and the rule set is {}", self.ruleset))
    }
}

/// Whether the scenario's other games would take long and say nothing new: the bot did not come, or it hung.
const fn says_enough(facts: &BoutFacts) -> bool {
    matches!(facts.end, BoutEnd::TimedOut | BoutEnd::FlagFell) || matches!(facts.coming, Coming::Failed { .. })
}

/// In how many scenarios a bot may hang on one side before the others are skipped on that side.
const MOST_HUNG: usize = 3;

/// What is left to be played.
struct Work {
    drill: Drill,
    /// The sides of players whose first scenarios are still to be played.
    chains: Mutex<VecDeque<(usize, Side)>>,
    /// The trials that may be played in any order.
    rest: Mutex<VecDeque<Due>>,
    /// A player and a side for each trial in which the bot hung.
    hung: Mutex<Vec<(usize, Side)>>,
}

impl Work {
    /// Plays what is left, until nothing is or `stop` asks to end. [`Stop::Drain`] lets the trial that runs finish.
    async fn work(&self, mut stop: StopSignal, told: &UnboundedSender<DrillNews>) {
        let asked = stop.clone();
        tokio::select! {
            biased;
            () = stop.reached(Stop::Now) => {}
            () = self.work_through(&asked, told) => {}
        }
    }

    async fn work_through(&self, stop: &StopSignal, told: &UnboundedSender<DrillNews>) {
        loop {
            if stop.get() >= Stop::Drain {
                self.skip_all(told);
                return;
            }
            if let Some((player, side)) = take(&self.chains) {
                self.begin(player, side, told).await;
            } else if let Some(due) = take(&self.rest) {
                self.play(due, told).await;
            } else {
                // Another thread that is still in a first scenario will play what follows from it.
                return;
            }
        }
    }

    /// Skips everything that is left.
    fn skip_all(&self, told: &UnboundedSender<DrillNews>) {
        let why = || "the check was interrupted".to_owned();
        while let Some((player, side)) = take(&self.chains) {
            for &scenario in &self.drill.scenarios {
                tell(told, player, skipped(Due { player, side, scenario }, why()));
            }
        }
        while let Some(due) = take(&self.rest) {
            tell(told, due.player, skipped(due, why()));
        }
    }

    /// Plays the first scenarios on one side, and puts off the others, or skips those that would say nothing.
    async fn begin(&self, player: usize, side: Side, told: &UnboundedSender<DrillNews>) {
        let mut lacking = None;
        for id in FIRST {
            let Some(scenario) = Scenario::find(id) else { continue };
            if lacking.is_some() {
                break;
            }
            let trial = self.play(Due { player, side, scenario }, told).await;
            lacking = trial;
        }
        for &scenario in self.drill.scenarios.iter().filter(|scenario| !FIRST.contains(&scenario.id)) {
            let due = Due { player, side, scenario };
            let skip = match lacking {
                _ if self.drill.unfit(scenario).is_some() => self.drill.unfit(scenario),
                Some(Lacking::Hello) => Some("needs hello".to_owned()),
                Some(Lacking::Moves) if scenario.needs_moves => Some("needs plain".to_owned()),
                _ => None,
            };
            match skip {
                Some(why) => tell(told, player, skipped(due, why)),
                None => lock(&self.rest).push_back(due),
            }
        }
        if lacking == Some(Lacking::Hello)
            && let Some(scenario) = self.drill.scenarios.iter().find(|scenario| scenario.id == "plain")
        {
            tell(told, player, skipped(Due { player, side, scenario }, "needs hello".to_owned()));
        }
    }

    /// Plays one trial and tells of it, if it was asked for or if others need what it lacked. Returns what that is.
    async fn play(&self, due: Due, told: &UnboundedSender<DrillNews>) -> Option<Lacking> {
        let Due { player, scenario, side } = due;
        if lock(&self.hung).iter().filter(|hung| **hung == (player, side)).count() >= MOST_HUNG {
            tell(told, player, skipped(due, format!("it hung in {MOST_HUNG} scenarios as {side}")));
            return None;
        }
        let trial = self.drill.trial(due, told).await;
        if trial.games.iter().any(|game| game.end == BoutEnd::TimedOut) {
            lock(&self.hung).push((player, side));
        }
        let came = trial.games.iter().all(|game| game.coming == Coming::Seated);
        let moved = trial.games.iter().any(|game| game.own_plies().next().is_some());
        let lacking = match scenario.id {
            "hello" if !came => Some(Lacking::Hello),
            "plain" if !moved => Some(Lacking::Moves),
            _ => None,
        };
        let is_asked = self.drill.scenarios.iter().any(|asked| asked.id == scenario.id);
        if is_asked || lacking.is_some() {
            tell(told, player, trial);
        }
        lacking
    }
}

/// What a bot did not do in the first scenarios, so that others would say nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lacking {
    /// It did not come to its seat.
    Hello,
    /// It made no move.
    Moves,
}

fn tell(told: &UnboundedSender<DrillNews>, player: usize, trial: Trial) {
    // Nobody may listen any more.
    let _ = told.send(DrillNews::Ended { player, trial: Box::new(trial) });
}

fn skipped(Due { scenario, side, .. }: Due, why: String) -> Trial {
    Trial {
        scenario,
        side,
        status: TrialStatus::Skip,
        summary: why,
        took: Duration::ZERO,
        games: Vec::new(),
        decisive: 0,
        diagnoses: Vec::new(),
        transcript_file: None,
    }
}

fn lock<T>(shared: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

fn take<T>(shared: &Mutex<VecDeque<T>>) -> Option<T> {
    lock(shared).pop_front()
}
