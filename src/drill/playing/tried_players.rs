//! A drill of several players, from the first scenario to the causes of failures.

use std::io;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::mpsc;

use super::{Drill, DrillNews, Prepared, PreparedPlayer, Unready};
use crate::base::sanitise::sanitised;
use crate::base::stop::{Stop, StopSignal};
use crate::drill::diagnosis::{CauseSearch, SourceFiles};
use crate::drill::readiness::{SkipReason, Trial, TriedPlayer, UntriedPlayer};
use crate::drill::script::{BotSeat, OrdinaryClock, SCENARIOS, Scenario};
use crate::drill::sources::read_sources;
use crate::game::Ruleset;
use crate::host::program::ProgramFiles;
use crate::run::campaign::CampaignPlan;
use crate::tournament::Player;

/// How players are drilled.
#[derive(Debug)]
pub(crate) struct DrillSetup {
    /// The rules.
    pub(crate) ruleset: Ruleset,
    /// The clock of each side in an ordinary game.
    pub(crate) clock: OrdinaryClock,
    /// The seed from which all randomness is derived.
    pub(crate) seed: u64,
    /// The scenarios to play, in this order.
    pub(crate) scenarios: Vec<&'static Scenario>,
    /// How many scenarios to play at a time.
    pub(crate) jobs: NonZeroUsize,
    /// Trials that an earlier drill of the same bots finished, each with the player's name. They are not played again.
    pub(crate) earlier: Vec<(String, Trial)>,
}

/// A game of a drill.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DrilledGame {
    /// The scenario.
    pub(crate) scenario: &'static Scenario,
    /// The bot's side or seat.
    pub(crate) side: BotSeat,
    /// The index of the game in the scenario.
    pub(crate) number: u32,
    /// Whether the game is a replay to confirm a cause.
    pub(crate) again: bool,
}

/// The events that [`try_players`] passes to `hear`.
#[derive(Clone, Copy, Debug)]
pub(crate) enum DrillTelling<'a> {
    /// A game is about to begin.
    Begins(DrilledGame),
    /// A fault of the machine has spoiled a game. The reason is hostile text. The game may be repeated.
    Void(DrilledGame, &'a str),
    /// A trial has ended, and is not void.
    Ended {
        /// The trial's outcome.
        trial: &'a Trial,
        /// Whether the outcome is final. An interrupted drill skips second tries.
        is_finished: bool,
    },
    /// The estimated duration of the player's remaining scenarios, if each game takes as long as the game of `plain`.
    Takes(Duration),
    /// The verdict on the player is final. The causes of failures are not known yet.
    Judged(&'a TriedPlayer),
}

/// The outcome of the drill of several players.
#[derive(Debug)]
pub(crate) struct TriedPlayers {
    /// The players that were drilled or are broken.
    pub(crate) players: Vec<TriedPlayer>,
    /// The players that could not be drilled because of a fault of the machine.
    pub(crate) spoiled: Vec<UntriedPlayer>,
}

/// Drills `prepared`, the players of `plan`, until `stop` requests an end. Trials that have not been played by then
/// count as skipped. Every event is passed to `hear` with the player's name.
///
/// # Errors
/// Returns an error if the machine cannot provide a thread or a scheduler.
pub(crate) async fn try_players(
    plan: &CampaignPlan,
    prepared: Prepared,
    how: DrillSetup,
    (stop, mut hear): (StopSignal, impl FnMut(&str, DrillTelling<'_>)),
) -> io::Result<TriedPlayers> {
    let Prepared { grounds, tier: _, players: prepared } = prepared;
    let (mut players, mut spoiled): (Vec<TriedPlayer>, Vec<UntriedPlayer>) = (Vec::new(), Vec::new());
    let (mut halls, mut indices) = (Vec::new(), Vec::new());
    for (player, PreparedPlayer { digest, hall, .. }) in plan.tournament.players.iter().zip(prepared) {
        let mut sides: Vec<BotSeat> = BotSeat::all(how.ruleset.seats()).collect();
        let broken = match hall {
            Ok(hall) => {
                sides = hall.sides(how.ruleset.seats()).collect();
                indices.push(players.len());
                halls.push(hall);
                None
            }
            Err(Unready::Broken { why, timed_out: _ }) => Some(why),
            Err(Unready::Void(why)) => {
                spoiled.push(UntriedPlayer { player: player.name.to_string(), why, is_void: true });
                continue;
            }
        };
        players.push(TriedPlayer {
            player: player.name.to_string(),
            command: command_words(player),
            sides,
            dir: place_of(player, &plan.base),
            digest,
            broken,
            control: how.clock.control,
            trials: Vec::new(),
            took: Duration::ZERO,
        });
        if let Some(broken) = players.last().filter(|player| player.broken.is_some()) {
            hear(&broken.player, DrillTelling::Judged(broken));
        }
    }
    let (told, mut news) = mpsc::unbounded_channel();
    let DrillSetup { ruleset, clock, seed, scenarios, jobs, earlier } = how;
    let hall_of = |name: &str| indices.iter().position(|&index| players[index].player == name);
    let earlier = earlier.into_iter().filter_map(|(player, trial)| Some((hall_of(&player)?, trial))).collect();
    let earlier = Mutex::new(earlier);
    let drill = Arc::new(Drill { ruleset, clock, seed, scenarios: scenarios.clone(), halls, grounds, earlier });
    let playing = drill.play(jobs, stop.clone(), told);
    let hearing = async {
        while let Some(progress) = news.recv().await {
            match progress {
                DrillNews::Begins { player, scenario, side, game: number } => {
                    let game = DrilledGame { scenario, side, number, again: false };
                    hear(&players[indices[player]].player, DrillTelling::Begins(game));
                }
                DrillNews::Void { player, scenario, side, game: number, why } => {
                    let game = DrilledGame { scenario, side, number, again: false };
                    hear(&players[indices[player]].player, DrillTelling::Void(game, &why));
                }
                DrillNews::Ended { player, trial, is_finished } => {
                    let tried = &mut players[indices[player]];
                    let first_plain = trial.scenario.id == Scenario::PLAIN && !tried.has_tried(Scenario::PLAIN);
                    if !trial.is_void() {
                        hear(&tried.player, DrillTelling::Ended { trial: &trial, is_finished });
                    }
                    tried.trials.push(*trial);
                    if let Some(rest) = rest_of(tried, &scenarios).filter(|_| first_plain) {
                        let rest = rest / u32::try_from(jobs.get()).unwrap_or(u32::MAX);
                        hear(&tried.player, DrillTelling::Takes(rest));
                    }
                    if stop.get() == Stop::No && has_all(tried, &scenarios) {
                        hear(&tried.player, DrillTelling::Judged(tried));
                    }
                }
            }
        }
    };
    let (played, ()) = tokio::join!(playing, hearing);
    played?;
    for (hall, index) in indices.into_iter().enumerate() {
        let tried = &mut players[index];
        finish(tried, &scenarios);
        let entrant = plan.tournament.players.iter().find(|entrant| entrant.name.as_str() == tried.player);
        let sources = entrant.map(|entrant| sources(entrant, &plan.base)).unwrap_or_default();
        find_causes((hall, tried), &drill, &sources, (&stop, &mut hear)).await;
    }
    Ok(TriedPlayers { players, spoiled })
}

/// The estimated duration of the remaining `scenarios` of `player`, based on its first game of `plain`.
fn rest_of(player: &TriedPlayer, scenarios: &[&'static Scenario]) -> Option<Duration> {
    let plain = player.trials.iter().find(|trial| trial.scenario.id == Scenario::PLAIN)?;
    let game = plain.games.first()?.took;
    let sides = u32::try_from(player.sides.len()).unwrap_or_default();
    let all: u32 = scenarios.iter().map(|scenario| sides * scenario.games).sum();
    let done: usize = player.trials.iter().map(|trial| trial.games.len()).sum();
    Some(game.saturating_mul(all.saturating_sub(u32::try_from(done).unwrap_or(u32::MAX))))
}

/// Finds the causes of the failures of `player`, whose index in `drill` is `hall`. Games that show a cause are
/// replayed, unless `stop` requests an end; a cause that no replay has confirmed is not reported.
async fn find_causes(
    (hall, player): (usize, &mut TriedPlayer),
    drill: &Drill,
    sources: &SourceFiles,
    (stop, hear): (&StopSignal, &mut impl FnMut(&str, DrillTelling<'_>)),
) {
    let mut search = CauseSearch::new(&player.trials, sources);
    let mut ended = stop.clone();
    while let Some(wanted) = search.next(&mut player.trials) {
        let Trial { scenario, side, .. } = player.trials[wanted.trial];
        let number = u32::try_from(wanted.game).unwrap_or_default();
        if stop.get() >= Stop::Drain {
            break;
        }
        hear(&player.player, DrillTelling::Begins(DrilledGame { scenario, side, number, again: true }));
        tokio::select! {
            biased;
            () = ended.reached(Stop::Now) => break,
            // A void game proves nothing, so the cause is not reported.
            facts = drill.replay((hall, side, scenario), number, wanted.replay, (stop, &|_| {})) => {
                search.add(wanted, facts);
            }
        }
    }
    search.tell(&mut player.trials);
}

/// The words of the player's command; printable.
fn command_words(player: &Player) -> String {
    let Some((_, program)) = player.programs().next() else { return String::new() };
    let words: Vec<String> = program.command.iter().map(|word| sanitised(&word.to_string())).collect();
    words.join(" ")
}

/// The sources and the command of `player`. Its paths are relative to `base`.
fn sources(player: &Player, base: &Path) -> SourceFiles {
    let Some((_, program)) = player.programs().next() else { return SourceFiles::default() };
    let command: Vec<String> = program.command.iter().map(ToString::to_string).collect();
    let arguments = command.iter().skip(1).map(String::as_str);
    let files = ProgramFiles::of(program, base, arguments);
    SourceFiles { files: read_sources(&files), command, hosts: program.hosts.iter().map(ToString::to_string).collect() }
}

/// The path of the player's files relative to the working directory.
fn place_of(player: &Player, base: &Path) -> Option<String> {
    let (_, program) = player.programs().next()?;
    seen_from_here(&program.working_dir(base))
}

/// The trials of `scenarios` that `player` does not have, each as a scenario and a side.
fn lacking(player: &TriedPlayer, scenarios: &[&'static Scenario]) -> Vec<(&'static Scenario, BotSeat)> {
    let all = scenarios.iter().flat_map(|&scenario| player.sides.iter().map(move |&side| (scenario, side)));
    let has = |(scenario, side): &(&Scenario, BotSeat)| {
        player.trials.iter().any(|trial| trial.scenario.id == scenario.id && trial.side == *side)
    };
    all.filter(|trial| !has(trial)).collect()
}

/// Whether all trials of `player` in `scenarios` have ended or were skipped.
fn has_all(player: &TriedPlayer, scenarios: &[&'static Scenario]) -> bool {
    lacking(player, scenarios).is_empty()
}

/// Puts the trials of `player` in order. Those of `scenarios` that were not played count as interrupted.
fn finish(player: &mut TriedPlayer, scenarios: &[&'static Scenario]) {
    for (scenario, side) in lacking(player, scenarios) {
        player.trials.push(Trial::skipped(scenario, side, SkipReason::Interrupted));
    }
    let place = |trial: &Trial| SCENARIOS.iter().position(|scenario| scenario.id == trial.scenario.id);
    player.trials.sort_by_key(|trial| (place(trial), trial.side));
    player.took = player.trials.iter().map(|trial| trial.took).sum();
}

/// The path of `dir` relative to the working directory, for the paths in annotations; `None` if `dir` is the working
/// directory.
fn seen_from_here(dir: &Path) -> Option<String> {
    let here = std::env::current_dir().unwrap_or_default();
    let below = dir.strip_prefix(&here).unwrap_or(dir);
    Some(below.to_string_lossy().into_owned()).filter(|dir| !dir.is_empty() && dir != ".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_player_with_one_side_lacks_no_trial_on_the_other() {
        let scenarios: Vec<&'static Scenario> = SCENARIOS.iter().collect();
        for seats in [1, 2] {
            let sides: Vec<BotSeat> = BotSeat::all(2).skip(2 - seats).collect();
            let mut player = TriedPlayer {
                player: "heron".to_owned(),
                command: String::new(),
                sides: sides.clone(),
                dir: None,
                digest: None,
                broken: None,
                control: OrdinaryClock::DEFAULT.control,
                trials: Vec::new(),
                took: Duration::ZERO,
            };
            finish(&mut player, &scenarios);
            assert_eq!(player.trials.len(), sides.len() * SCENARIOS.len());
            assert!(player.trials.iter().all(|trial| sides.contains(&trial.side)));
            let is_must = |scenario: &&Scenario| scenario.level == crate::drill::script::Level::Must;
            let musts = SCENARIOS
                .iter()
                .filter(is_must)
                .filter(|scenario| scenario.is_meant_for(OrdinaryClock::DEFAULT.control, 2));
            assert_eq!(player.untried_musts(), sides.len() * musts.count(), "all were interrupted");
        }
    }
}
