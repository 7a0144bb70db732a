//! The trials of a drill that remain: which of them is next, and which are skipped because of what earlier ones have
//! shown.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::mpsc::UnboundedSender;

use super::{Drill, lock};
use crate::base::stop::{Stop, StopSignal};
use crate::base::time::now;
use crate::drill::playing::drill_news::{DrillCall, DrillNews, Due};
use crate::drill::playing::seating::Hall;
use crate::drill::readiness::{SkipReason, Trial, TrialStatus};
use crate::drill::script::{BotSeat, BoutEnd, BoutFacts, Coming, Judgement, Scenario, SecondTry, why_late};
use crate::referee::result::Termination;

/// The scenarios that others depend on.
const FIRST: [&str; 2] = [Scenario::HELLO, Scenario::PLAIN];

/// Whether the scenario's other games would take a long time and reveal nothing new, because the bot did not connect,
/// because it hung, or because the machine spoiled this game.
const fn says_enough(facts: &BoutFacts) -> bool {
    matches!(facts.end, BoutEnd::TimedOut | BoutEnd::FlagFell | BoutEnd::OutOfWallTime | BoutEnd::Void(_))
        || matches!(facts.coming, Coming::Failed { .. })
}

/// The number of scenarios on one side in which a bot may hang, or may be starved, before its remaining scenarios on
/// that side are skipped.
const MOST_HUNG: usize = 3;

/// The scenarios in the order in which they are played: those of the most important level first. A bot that hangs in
/// SHOULD scenarios would otherwise fail the MUST scenarios that are skipped because of that.
fn by_level(scenarios: &[&'static Scenario]) -> Vec<&'static Scenario> {
    let mut ordered = scenarios.to_vec();
    ordered.sort_by_key(|scenario| scenario.level);
    ordered
}

/// The trials that remain to be played, and what is known about the bots so far.
pub(super) struct Work {
    drill: Arc<Drill>,
    /// The sides of players whose first scenarios have not been played yet.
    chains: Mutex<VecDeque<(usize, BotSeat)>>,
    /// The trials that may be played in any order.
    rest: Mutex<VecDeque<Due>>,
    /// A player and a side for each trial in which the bot hung.
    hung: Mutex<Vec<(usize, BotSeat)>>,
    /// A player and a side for each trial that is void because the machine had no core for the bot.
    starved: Mutex<Vec<(usize, BotSeat)>>,
    /// Why the players that had a second try with more time did not connect in time, by player index.
    late: Mutex<BTreeMap<usize, String>>,
}

impl Work {
    /// The trials of `drill`, none of which has been played yet.
    pub(super) fn new(drill: &Arc<Drill>) -> Self {
        let seats = drill.ruleset.seats();
        let chains: VecDeque<(usize, BotSeat)> = drill
            .halls
            .iter()
            .enumerate()
            .flat_map(|(player, hall)| hall.sides(seats).map(move |side| (player, side)))
            .collect();
        Self {
            drill: Arc::clone(drill),
            chains: Mutex::new(chains),
            rest: Mutex::default(),
            hung: Mutex::default(),
            starved: Mutex::default(),
            late: Mutex::default(),
        }
    }

    /// Plays the remaining trials, until there are none or `stop` requests an end. [`Stop::Drain`] lets the running
    /// trial finish.
    pub(super) async fn work(&self, mut stop: StopSignal, told: &UnboundedSender<DrillNews>) {
        let call = DrillCall { told, stop: stop.clone() };
        tokio::select! {
            biased;
            () = stop.reached(Stop::Now) => {}
            () = self.work_through(&call) => {}
        }
    }

    async fn work_through(&self, call: &DrillCall<'_>) {
        loop {
            if call.stop.get() >= Stop::Drain {
                self.skip_all(call);
                return;
            }
            if let Some((player, side)) = take(&self.chains) {
                self.begin(player, side, call).await;
            } else if let Some(due) = take(&self.rest) {
                self.play(due, call).await;
            } else {
                // The thread that is playing a first scenario will also play the scenarios that depend on it.
                return;
            }
        }
    }

    /// Skips all remaining trials.
    fn skip_all(&self, call: &DrillCall<'_>) {
        while let Some((player, side)) = take(&self.chains) {
            for &scenario in &self.drill.scenarios {
                call.skip(Due { player, side, scenario }, SkipReason::Interrupted);
            }
        }
        while let Some(due) = take(&self.rest) {
            call.skip(due, SkipReason::Interrupted);
        }
    }

    /// Plays the first scenarios on one side. Queues the other scenarios, or skips those that would reveal nothing.
    async fn begin(&self, player: usize, side: BotSeat, call: &DrillCall<'_>) {
        let lacking = self.lacking(player, side, call).await;
        for scenario in by_level(&self.drill.scenarios).into_iter().filter(|scenario| !FIRST.contains(&scenario.id)) {
            let due = Due { player, side, scenario };
            let skip = match lacking {
                _ if self.drill.unfit(player, scenario).is_some() => self.drill.unfit(player, scenario),
                Some(Lacking::Hello) => Some(SkipReason::NeedsHello),
                Some(Lacking::Moves) if scenario.needs_moves => Some(SkipReason::NeedsPlain),
                _ => None,
            };
            match skip {
                Some(why) => call.skip(due, why),
                None => lock(&self.rest).push_back(due),
            }
        }
    }

    /// Plays the scenarios that others depend on. Returns what the bot failed to do in them, if anything.
    async fn lacking(&self, player: usize, side: BotSeat, call: &DrillCall<'_>) -> Option<Lacking> {
        let due = |id| Scenario::find(id).map(|scenario| Due { player, side, scenario });
        let (hello, plain) = (due(Scenario::HELLO)?, due(Scenario::PLAIN)?);
        let lacking = self.play(hello, call).await;
        if lacking.is_none() {
            return self.play(plain, call).await;
        }
        if self.drill.is_asked_for(plain.scenario) {
            call.skip(plain, SkipReason::NeedsHello);
        }
        lacking
    }

    /// Plays one trial, and reports it if it was requested or if the bot lacked something that other scenarios need.
    /// Returns what the bot lacked, if anything.
    async fn play(&self, due: Due, call: &DrillCall<'_>) -> Option<Lacking> {
        let Due { player, side, .. } = due;
        if let Some(trial) = self.drill.earlier(due) {
            self.recall(player, &trial);
            return self.report(player, trial, true, call);
        }
        let is_often = |trials: &Mutex<Vec<(usize, BotSeat)>>| {
            lock(trials).iter().filter(|other| **other == (player, side)).count() >= MOST_HUNG
        };
        let skip = if is_often(&self.hung) {
            Some(SkipReason::Hung { scenarios: MOST_HUNG, side })
        } else {
            is_often(&self.starved).then_some(SkipReason::Starved { scenarios: MOST_HUNG, side })
        };
        if let Some(why) = skip {
            call.skip(due, why);
            return None;
        }
        let (trial, is_finished) = self.trial(due, call).await;
        self.report(player, trial, is_finished, call)
    }

    /// Reports a trial that was played, as described for [`Work::play`].
    fn report(&self, player: usize, trial: Trial, is_finished: bool, call: &DrillCall<'_>) -> Option<Lacking> {
        let Trial { scenario, side, .. } = trial;
        if trial.games.iter().any(BoutFacts::is_starved_out) {
            lock(&self.starved).push((player, side));
        }
        if trial.games.iter().any(|game| game.end == BoutEnd::TimedOut) {
            lock(&self.hung).push((player, side));
        }
        let came = trial.flaky || trial.games.iter().all(|game| game.coming == Coming::Seated);
        let moved = trial.flaky || trial.games.iter().any(|game| game.own_plies().next().is_some());
        let lacking = match scenario.id {
            Scenario::HELLO if !came => Some(Lacking::Hello),
            // A game spoiled by the machine does not show that the bot makes no move.
            Scenario::PLAIN if !moved && !trial.is_void() => Some(Lacking::Moves),
            _ => None,
        };
        if self.drill.is_asked_for(scenario) || lacking.is_some() {
            call.tell(player, trial, is_finished);
        }
        lacking
    }

    /// Records why the player was too late in a trial that an earlier drill finished.
    fn recall(&self, player: usize, trial: &Trial) {
        let judgement = (trial.scenario.judge)(&trial.games);
        let decisive = &trial.games[judgement.decisive];
        let second = SecondTry::after(trial.scenario, &judgement, decisive, self.hello_timeout());
        if let (Some(SecondTry::Patient), Coming::Failed { reason, .. }) = (second, &decisive.coming) {
            lock(&self.late).insert(player, reason.clone());
        }
    }

    /// Plays all games of one trial, and repeats the decisive game if a second try can reveal more. Returns the trial,
    /// and whether it is finished.
    async fn trial(&self, due: Due, call: &DrillCall<'_>) -> (Trial, bool) {
        let Due { side, scenario, .. } = due;
        let begun = now();
        let mut games = Vec::new();
        for game in 0..scenario.games {
            call.begins(due, game);
            let facts = self.drill.game(due, game, self.hello_timeout(), call).await;
            let says_enough = says_enough(&facts);
            games.push(facts);
            if says_enough {
                break;
            }
        }
        let Tried { judgement: Judgement { finding, failure, summary, decisive }, flaky, second, is_finished } =
            self.try_again(due, &mut games, call).await;
        let trial = Trial {
            scenario,
            side,
            status: TrialStatus::of(scenario.level, finding),
            failure,
            skipped: None,
            summary,
            flaky,
            took: begun.elapsed(),
            games,
            decisive,
            second,
            diagnoses: Vec::new(),
            transcript_file: None,
        };
        (trial, is_finished)
    }

    /// Judges the games of a trial. If the bot failed and a second try can reveal more, repeats the decisive game.
    async fn try_again(&self, due: Due, games: &mut [BoutFacts], call: &DrillCall<'_>) -> Tried {
        let Due { player, scenario, .. } = due;
        let judgement = (scenario.judge)(games);
        let second = match &self.drill.halls[player] {
            // The user would have to start the bot by hand again.
            Hall::Awaited(_) => None,
            Hall::Started { .. } => {
                SecondTry::after(scenario, &judgement, &games[judgement.decisive], self.hello_timeout())
            }
        };
        match second {
            Some(_) if call.stop.get() >= Stop::Drain => {
                Tried { judgement, flaky: false, second: None, is_finished: false }
            }
            None => Tried { judgement, flaky: false, second: None, is_finished: true },
            Some(SecondTry::Alike) => {
                let game = u32::try_from(judgement.decisive).unwrap_or_default();
                call.begins(due, game);
                let second = self.drill.game(due, game, self.hello_timeout(), call).await;
                let (judgement, flaky) = judgement.after_second_try(scenario, &second);
                Tried { judgement, flaky, second: Some(second), is_finished: true }
            }
            Some(SecondTry::Patient) => {
                let why = self.why_late(due, call).await;
                games[judgement.decisive].coming = Coming::Failed { termination: Termination::NoShow, reason: why };
                Tried { judgement: (scenario.judge)(games), flaky: false, second: None, is_finished: true }
            }
        }
    }

    /// Why the bot did not connect in time, including how it behaves when it has more time. Only one such try is made
    /// for each player.
    async fn why_late(&self, due: Due, call: &DrillCall<'_>) -> String {
        if let Some(why) = lock(&self.late).get(&due.player) {
            return why.clone();
        }
        call.begins(due, 0);
        let timeout = self.hello_timeout();
        let second = self.drill.game(due, 0, SecondTry::Patient.hello_timeout(timeout), call).await;
        let why = why_late(&second, timeout);
        lock(&self.late).insert(due.player, why.clone());
        why
    }

    fn hello_timeout(&self) -> Duration {
        self.drill.grounds.limits.hello_timeout
    }
}

/// The outcome of a trial's games.
struct Tried {
    judgement: Judgement,
    /// Whether the second try succeeded.
    flaky: bool,
    /// The second try, if the game was repeated unchanged.
    second: Option<BoutFacts>,
    /// Whether the second try has been played, or is not necessary.
    is_finished: bool,
}

/// What a bot failed to do in the first scenarios. Because of this failure, other scenarios would reveal nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lacking {
    /// The bot did not connect to its seat.
    Hello,
    /// The bot made no move.
    Moves,
}

fn take<T>(shared: &Mutex<VecDeque<T>>) -> Option<T> {
    lock(shared).pop_front()
}

#[cfg(test)]
mod tests {
    use tokio::sync::mpsc;

    use super::*;
    use crate::base::stop;
    use crate::drill::diagnosis::trials_for_tests::{facts, trial};
    use crate::drill::playing::seating::DrillGrounds;
    use crate::drill::script::OrdinaryClock;
    use crate::game::{Ruleset, Side};
    use crate::host::seat::address::Addresses;
    use crate::tournament::GameLimits;

    fn drill(asked: &[&str]) -> Arc<Drill> {
        Arc::new(Drill {
            ruleset: Ruleset::default(),
            clock: OrdinaryClock::DEFAULT,
            seed: 1,
            scenarios: asked.iter().filter_map(|id| Scenario::find(id)).collect(),
            halls: Vec::new(),
            grounds: DrillGrounds { confinement: None, addresses: Addresses::default(), limits: GameLimits::default() },
            earlier: Mutex::default(),
        })
    }

    #[test]
    fn scenarios_that_every_bot_must_pass_are_played_first() {
        let given = drill(&["refused", "split", "names", "slow", "win"]).scenarios.clone();
        let ids: Vec<&str> = by_level(&given).iter().map(|scenario| scenario.id).collect();
        assert_eq!(ids, ["split", "slow", "refused", "win", "names"]);
    }

    #[test]
    fn a_trial_is_reported_if_it_was_asked_for_or_if_it_shows_why_others_are_skipped() {
        let absent = || {
            let reason = "no hello".to_owned();
            let coming = Coming::Failed { termination: Termination::NoShow, reason };
            BoutFacts { coming, ..facts(Side::Black) }
        };
        let seated = || BoutFacts { coming: Coming::Seated, ..facts(Side::Black) };
        for (asked, id, game, lacking, is_told) in [
            (&["hello", "clock"][..], "hello", seated(), None, true),
            (&["clock"], "hello", seated(), None, false),
            (&["clock"], "hello", absent(), Some(Lacking::Hello), true),
            (&["hello"], "hello", absent(), Some(Lacking::Hello), true),
            (&["clock"], "plain", seated(), Some(Lacking::Moves), true),
            (&["clock"], "clock", seated(), None, true),
        ] {
            let work = Work::new(&drill(asked));
            let (told, mut news) = mpsc::unbounded_channel();
            let (_sender, stop) = stop::channel();
            let played = trial(id, Side::Black, TrialStatus::Pass, vec![game]);
            let found = work.report(3, played, true, &DrillCall { told: &told, stop });
            assert_eq!((found, news.try_recv().is_ok()), (lacking, is_told), "{asked:?} {id}");
        }
    }
}
