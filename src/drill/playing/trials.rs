//! Plays the scenarios of a drill on each side, and judges them.

mod remaining_trials;

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::runtime::Builder;
use tokio::sync::mpsc::{self, UnboundedSender};

use super::drill_news::{DrillCall, DrillNews, Due};
use super::played_bout::{self, BoutSetup};
use super::seating::{DrillGrounds, Hall};
use crate::base::random::mix;
use crate::base::stop::StopSignal;
use crate::drill::readiness::{SkipReason, Trial};
use crate::drill::script::{BotSeat, BoutEnd, BoutFacts, NeededRules, OrdinaryClock, Replay, Scenario, Setting};
use crate::game::Ruleset;
use crate::host::shortage::quieter;
use remaining_trials::Work;

/// The drill of several players.
#[derive(Debug)]
pub(crate) struct Drill {
    /// The rules.
    pub(crate) ruleset: Ruleset,
    /// The clock of each side in an ordinary game.
    pub(crate) clock: OrdinaryClock,
    /// The seed from which all randomness is derived.
    pub(crate) seed: u64,
    /// The scenarios to play, in this order within each level. `hello` and `plain` always come first on each side,
    /// because other scenarios depend on them.
    pub(crate) scenarios: Vec<&'static Scenario>,
    /// How each player takes its seats.
    pub(crate) halls: Vec<Hall>,
    /// The environment of the seats.
    pub(crate) grounds: DrillGrounds,
    /// Trials that an earlier drill of the same bots finished, each with the player's index. They are not played again:
    /// when such a trial is due, it counts as if it had just been played.
    pub(crate) earlier: Mutex<Vec<(usize, Trial)>>,
}

impl Drill {
    /// Plays all trials, `jobs` at a time, and reports each to `told`, until `stop` requests an end.
    ///
    /// # Errors
    /// Returns an error if the machine cannot provide a thread or a scheduler.
    pub(crate) async fn play(
        self: &Arc<Self>,
        jobs: NonZeroUsize,
        stop: StopSignal,
        told: UnboundedSender<DrillNews>,
    ) -> std::io::Result<()> {
        let work = Arc::new(Work::new(self));
        let (done, mut ended) = mpsc::unbounded_channel();
        for number in 0..jobs.get() {
            let (work, stop, told, done) = (Arc::clone(&work), stop.clone(), told.clone(), done.clone());
            let runtime = Builder::new_current_thread().enable_all().build()?;
            std::thread::Builder::new().name(format!("drill-{number}")).spawn(move || {
                runtime.block_on(work.work(stop, &told));
                // The receiver waits for all threads to finish.
                let _ = done.send(());
            })?;
        }
        drop(done);
        while ended.recv().await.is_some() {}
        Ok(())
    }

    /// Plays one game. If the machine is at fault, repeats the game as many times as a run would. The bot has
    /// `hello_timeout` to send its hello.
    async fn game(&self, due: Due, game: u32, hello_timeout: Duration, call: &DrillCall<'_>) -> BoutFacts {
        let is_void = |why: &str| call.is_void(due, game, why);
        self.game_as(due, game, (Replay::Alike, hello_timeout), (&call.stop, &is_void)).await
    }

    /// Replays one game of a trial. The function in `listener` is called with the reason each time a fault of the
    /// machine spoils the game.
    pub(super) async fn replay(
        &self,
        (player, side, scenario): (usize, BotSeat, &'static Scenario),
        game: u32,
        replay: Replay,
        listener: (&StopSignal, &(dyn Fn(&str) + Sync)),
    ) -> BoutFacts {
        let how = (replay, self.grounds.limits.hello_timeout);
        self.game_as(Due { player, side, scenario }, game, how, listener).await
    }

    async fn game_as(
        &self,
        due: Due,
        game: u32,
        (replay, hello_timeout): (Replay, Duration),
        (stop, is_void): (&StopSignal, &(dyn Fn(&str) + Sync)),
    ) -> BoutFacts {
        let Due { player, side, scenario } = due;
        // In every language, a plain integer can represent a seed below 2^31.
        let seed = mix(self.seed, &format!("{}.{}.{}", scenario.id, side.word(), scenario.seed_of(game))) >> 33;
        let setting =
            Setting { side, ruleset: self.ruleset, clock: self.clock, game, seed, mode: self.halls[player].mode() };
        let mut retries = self.grounds.limits.void_retries;
        loop {
            let setup =
                BoutSetup { plan: replay.of((scenario.plan)(&setting)), setting: &setting, hello_timeout, stop };
            let facts = played_bout::play(&self.halls[player], &self.grounds, setup).await;
            let BoutEnd::Void(why) = &facts.end else { return facts };
            is_void(why);
            if retries == 0 {
                return facts;
            }
            retries -= 1;
            if facts.is_starved_out() {
                // On a machine that stays busy, the wait must not be longer than the spoiled game was.
                quieter(facts.took).await;
            }
        }
    }

    /// The trial that is due, if an earlier drill finished it.
    fn earlier(&self, Due { player, side, scenario }: Due) -> Option<Trial> {
        let mut earlier = lock(&self.earlier);
        let is_it = |(of, trial): &(usize, Trial)| (*of, trial.side, trial.scenario.id) == (player, side, scenario.id);
        let place = earlier.iter().position(is_it)?;
        Some(earlier.swap_remove(place).1)
    }

    fn is_asked_for(&self, scenario: &Scenario) -> bool {
        self.scenarios.iter().any(|asked| asked.id == scenario.id)
    }

    /// Why `scenario` cannot be played under the drill's rules, or by `player` if it is a team's bot; `None` if
    /// `scenario` can be played.
    fn unfit(&self, player: usize, scenario: &Scenario) -> Option<SkipReason> {
        if self.halls[player].mode().is_some() && !scenario.is_for_one_mode() {
            return Some(SkipReason::OneMode);
        }
        (!scenario.rules.include(self.ruleset)).then_some(match scenario.rules {
            NeededRules::TwoSeats | NeededRules::MoreSeats => SkipReason::OtherSeats(self.ruleset),
            NeededRules::Any | NeededRules::Gothello => SkipReason::OtherRules(self.ruleset),
        })
    }
}

fn lock<T>(shared: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
