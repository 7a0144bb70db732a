//! A drill of several players, from the first scenario to the causes of what went wrong.

use std::io;
use std::num::NonZeroUsize;
use std::path::Path;
use std::time::Duration;

use tokio::sync::mpsc;

use super::{Drill, DrillNews, Prepared, PreparedPlayer};
use crate::base::printable::printable;
use crate::base::stop::StopSignal;
use crate::game::rules::{Ruleset, Side};
use crate::host::program::ProgramFiles;
use crate::host::sources::read_sources;
use crate::referee::drill::{SCENARIOS, Scenario};
use crate::results::diagnosis::{SourceFiles, diagnose};
use crate::results::readiness::{Trial, TriedPlayer};
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
    (stop, mut hear): (StopSignal, impl FnMut(&str, DrilledGame)),
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
    let playing = Drill { ruleset, time, seed, scenarios, halls, grounds }.play(jobs, stop, told);
    let hearing = async {
        while let Some(progress) = news.recv().await {
            match progress {
                DrillNews::Begins { player, scenario, side, game: number } => {
                    hear(&players[indices[player]].player, DrilledGame { scenario, side, number });
                }
                DrillNews::Ended { player, trial } => players[indices[player]].trials.push(*trial),
            }
        }
    };
    let (played, ()) = tokio::join!(playing, hearing);
    played?;
    for (player, entrant) in players.iter_mut().zip(&orders.tournament.players) {
        finish(player, &sources(entrant, &orders.base));
    }
    Ok(players)
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
    let files = ProgramFiles::of(program, base, arguments);
    SourceFiles { files: read_sources(&files), command }
}

/// The directory of the player's files as seen from the working directory.
fn place_of(player: &Player, base: &Path) -> Option<String> {
    let PlayerKind::Program(program) = &player.kind else { return None };
    seen_from_here(&program.working_dir(base))
}

/// Puts a player's trials in order and finds the causes of what went wrong.
fn finish(player: &mut TriedPlayer, sources: &SourceFiles) {
    let place = |trial: &Trial| SCENARIOS.iter().position(|scenario| scenario.id == trial.scenario.id);
    player.trials.sort_by_key(|trial| (place(trial), trial.side));
    player.took = player.trials.iter().map(|trial| trial.took).sum();
    diagnose(&mut player.trials, sources);
}

/// The directory `dir` as seen from the working directory, for the paths of annotations; `None` if it is that directory.
fn seen_from_here(dir: &Path) -> Option<String> {
    let here = std::env::current_dir().unwrap_or_default();
    let below = dir.strip_prefix(&here).unwrap_or(dir);
    Some(below.to_string_lossy().into_owned()).filter(|dir| !dir.is_empty() && dir != ".")
}
