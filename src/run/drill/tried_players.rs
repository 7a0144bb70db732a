//! A drill of several players, from the first scenario to the causes of what went wrong.

use std::io;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;

use super::{Drill, DrillNews, Prepared, PreparedPlayer};
use crate::base::printable::printable;
use crate::base::stop::{Stop, StopSignal};
use crate::game::rules::{Ruleset, Side};
use crate::host::program::ProgramFiles;
use crate::host::sources::read_sources;
use crate::referee::drill::{SCENARIOS, Scenario};
use crate::results::diagnosis::{CauseSearch, SourceFiles};
use crate::results::readiness::{SkipReason, Trial, TriedPlayer};
use crate::run::campaign::Orders;
use crate::tournament::file::{Player, PlayerKind};

/// How players are tried.
#[derive(Clone, Debug)]
pub(crate) struct DrillOrders {
    /// The rules.
    pub(crate) ruleset: Ruleset,
    /// The time that each side has in an ordinary game.
    pub(crate) time: Duration,
    /// The seed of everything random.
    pub(crate) seed: u64,
    /// What is played, in this order.
    pub(crate) scenarios: Vec<&'static Scenario>,
    /// How many scenarios to play at a time.
    pub(crate) jobs: NonZeroUsize,
}

/// A game of a drill that is about to begin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DrilledGame {
    /// The scenario.
    pub(crate) scenario: &'static Scenario,
    /// The bot's side.
    pub(crate) side: Side,
    /// Which game of the scenario it is, from 0.
    pub(crate) number: u32,
    /// Whether it is played once more, to see whether a cause shows again.
    pub(crate) again: bool,
}

/// What is heard of a drill while it is on.
#[derive(Clone, Copy, Debug)]
pub(crate) enum DrillStep {
    /// A game is about to begin.
    Begins(DrilledGame),
    /// How long the rest of the player's scenarios will take, if each game takes as long as that of `plain`.
    Takes(Duration),
}

/// Tries the players of `orders`, which are `prepared`, until the signal asks to end; what has not been played by then counts as
/// skipped. `hear` is told of each game, with the player's name.
///
/// # Errors
/// When the machine has no thread or no scheduler left.
pub(crate) async fn try_players(
    orders: &Orders,
    prepared: Prepared,
    how: DrillOrders,
    (stop, mut hear): (StopSignal, impl FnMut(&str, DrillStep)),
) -> io::Result<Vec<TriedPlayer>> {
    let Prepared { grounds, tier: _, players: prepared } = prepared;
    let mut players: Vec<TriedPlayer> = Vec::new();
    let (mut halls, mut indices) = (Vec::new(), Vec::new());
    for (player, PreparedPlayer { digest, hall, .. }) in orders.tournament.players.iter().zip(prepared) {
        let broken = match hall {
            Ok(hall) => {
                indices.push(players.len());
                halls.push(hall);
                None
            }
            Err(why) => Some(why),
        };
        players.push(TriedPlayer {
            player: player.name.to_string(),
            command: command_words(player),
            dir: place_of(player, &orders.base),
            digest,
            broken,
            trials: Vec::new(),
            took: Duration::ZERO,
        });
    }
    let (told, mut news) = mpsc::unbounded_channel();
    let DrillOrders { ruleset, time, seed, scenarios, jobs } = how;
    let drill = Arc::new(Drill { ruleset, time, seed, scenarios: scenarios.clone(), halls, grounds });
    let playing = drill.play(jobs, stop.clone(), told);
    let hearing = async {
        while let Some(progress) = news.recv().await {
            match progress {
                DrillNews::Begins { player, scenario, side, game: number } => {
                    let game = DrilledGame { scenario, side, number, again: false };
                    hear(&players[indices[player]].player, DrillStep::Begins(game));
                }
                DrillNews::Ended { player, trial } => {
                    let player = &mut players[indices[player]];
                    let first_plain = trial.scenario.id == Scenario::PLAIN && !player.has_tried(Scenario::PLAIN);
                    player.trials.push(*trial);
                    if let Some(rest) = rest_of(player, &scenarios).filter(|_| first_plain) {
                        hear(&player.player, DrillStep::Takes(rest / u32::try_from(jobs.get()).unwrap_or(u32::MAX)));
                    }
                }
            }
        }
    };
    let (played, ()) = tokio::join!(playing, hearing);
    played?;
    for (hall, index) in indices.into_iter().enumerate() {
        let (player, entrant) = (&mut players[index], &orders.tournament.players[index]);
        finish(player, &scenarios);
        let sources = sources(entrant, &orders.base);
        find_causes((hall, player), &drill, &sources, (&stop, &mut hear)).await;
    }
    Ok(players)
}

/// How long the other `scenarios` of `player` will take, after its first game of `plain`.
fn rest_of(player: &TriedPlayer, scenarios: &[&'static Scenario]) -> Option<Duration> {
    let plain = player.trials.iter().find(|trial| trial.scenario.id == Scenario::PLAIN)?;
    let game = plain.games.first()?.took;
    let all: u32 = scenarios.iter().map(|scenario| 2 * scenario.games).sum();
    let played: usize = player.trials.iter().map(|trial| trial.games.len()).sum();
    Some(game.saturating_mul(all.saturating_sub(u32::try_from(played).unwrap_or(u32::MAX))))
}

/// Finds the causes of what went wrong for `player`, which is at this hall of `drill`. What shows a cause is played once more, unless
/// `stop` asks to end; a cause that has not shown again is not told.
async fn find_causes(
    (hall, player): (usize, &mut TriedPlayer),
    drill: &Drill,
    sources: &SourceFiles,
    (stop, hear): (&StopSignal, &mut impl FnMut(&str, DrillStep)),
) {
    let mut search = CauseSearch::new(&player.trials, sources);
    let mut ended = stop.clone();
    while let Some(wanted) = search.next(&mut player.trials) {
        let Trial { scenario, side, .. } = player.trials[wanted.trial];
        let number = u32::try_from(wanted.game).unwrap_or_default();
        if stop.get() >= Stop::Drain {
            break;
        }
        hear(&player.player, DrillStep::Begins(DrilledGame { scenario, side, number, again: true }));
        tokio::select! {
            biased;
            () = ended.reached(Stop::Now) => break,
            facts = drill.replay((hall, side, scenario), number, wanted.replay, stop) => search.add(wanted, facts),
        }
    }
    search.tell(&mut player.trials);
}

/// The words of the player's command, printable.
fn command_words(player: &Player) -> String {
    let PlayerKind::Program(program) = &player.kind else { return String::new() };
    let words: Vec<String> = program.command.iter().map(|word| printable(&word.to_string())).collect();
    words.join(" ")
}

/// The sources of `player`, whose paths are relative to `base`, and its command.
fn sources(player: &Player, base: &Path) -> SourceFiles {
    let PlayerKind::Program(program) = &player.kind else { return SourceFiles::default() };
    let command: Vec<String> = program.command.iter().map(ToString::to_string).collect();
    let arguments = command.iter().skip(1).map(String::as_str);
    let files = ProgramFiles::of(program.dir.as_deref(), base, arguments);
    SourceFiles { files: read_sources(&files), command }
}

/// The directory of the player's files as seen from the working directory.
fn place_of(player: &Player, base: &Path) -> Option<String> {
    let PlayerKind::Program(program) = &player.kind else { return None };
    seen_from_here(&program.working_dir(base))
}

/// Puts a player's trials in order. What of `scenarios` was not played has been interrupted.
fn finish(player: &mut TriedPlayer, scenarios: &[&'static Scenario]) {
    for scenario in scenarios {
        for side in Side::BOTH {
            let is_it = |trial: &Trial| trial.scenario.id == scenario.id && trial.side == side;
            if !player.trials.iter().any(is_it) {
                player.trials.push(Trial::skipped(scenario, side, SkipReason::Interrupted));
            }
        }
    }
    let place = |trial: &Trial| SCENARIOS.iter().position(|scenario| scenario.id == trial.scenario.id);
    player.trials.sort_by_key(|trial| (place(trial), trial.side));
    player.took = player.trials.iter().map(|trial| trial.took).sum();
}

/// The directory `dir` as seen from the working directory, for the paths of annotations; `None` if it is that directory.
fn seen_from_here(dir: &Path) -> Option<String> {
    let here = std::env::current_dir().unwrap_or_default();
    let below = dir.strip_prefix(&here).unwrap_or(dir);
    Some(below.to_string_lossy().into_owned()).filter(|dir| !dir.is_empty() && dir != ".")
}
