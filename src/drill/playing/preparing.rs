//! Prepares the players of a drill as a run does: they are located, built, digested, and confined.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::Arc;

use tokio::net::TcpListener;

use super::seating::{DrillGrounds, Hall};
use crate::host::confinement::Confinement;
use crate::host::sandbox::Tier;
use crate::host::seat::address::Addresses;
use crate::run::campaign::confine::confinement;
use crate::run::campaign::enough_resources::AtATime;
use crate::run::campaign::readied::{ReadiedPlayers, readied};
use crate::run::campaign::{CampaignError, CampaignPlan, Tell, Warning};
use crate::run::entrants::{Entrant, ReadyBot, Unprepared};
use crate::tournament::{Player, Tournament};

/// The players of a drill, ready to be started.
#[derive(Debug)]
pub(crate) struct Prepared {
    /// The environment of the players' seats.
    pub(crate) grounds: DrillGrounds,
    /// How the players are confined.
    pub(crate) tier: Tier,
    /// Each player, in the order of the tournament.
    pub(crate) players: Vec<PreparedPlayer>,
}

impl Prepared {
    /// Combines the players of `tournament` with `entrants`, the results of preparing them. `confinement` is how they
    /// are confined.
    pub(crate) fn of_entrants(
        tournament: &Tournament,
        entrants: &[Result<Entrant, Unprepared>],
        confinement: Option<Arc<Confinement>>,
    ) -> Self {
        let tier = confinement.as_ref().map_or(Tier::D, |confinement| confinement.cage.tier());
        let players =
            tournament.players.iter().zip(entrants).map(|(player, entrant)| prepared(player, entrant)).collect();
        let grounds = DrillGrounds { confinement, addresses: Addresses::default(), limits: tournament.limits };
        Self { grounds, tier, players }
    }

    /// The number of trials in which every player that can be started plays `scenarios` scenarios in each of its seats.
    /// Each game has `seats` seats.
    pub(crate) fn trials(&self, seats: u8, scenarios: usize) -> usize {
        let halls = self.players.iter().filter_map(|player| player.hall.as_ref().ok());
        halls.map(|hall| hall.sides(seats).count() * scenarios).sum()
    }
}

/// A player of a drill.
#[derive(Debug)]
pub(crate) struct PreparedPlayer {
    /// The digest of everything that identifies the player, if it is known.
    pub(crate) digest: Option<String>,
    /// The digests of the files that identify the player; empty if the player cannot be started.
    pub(crate) files: BTreeMap<String, String>,
    /// The digests of the files that the player's build produced; `None` if the player has no build.
    pub(crate) products: Option<BTreeMap<String, String>>,
    /// How the player takes its seats, or why it cannot be started.
    pub(crate) hall: Result<Hall, Unready>,
}

/// Why a player of a drill cannot be started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Unready {
    /// The player is at fault.
    Broken {
        /// What is wrong, including the output of the player's build. Hostile text.
        why: String,
        /// Whether the player's build exceeded `build_timeout`.
        timed_out: bool,
    },
    /// The machine is at fault. Contains the reason, which is hostile text.
    Void(String),
}

/// Prepares all players of the tournament in `plan` for a drill that plays `jobs` scenarios at a time.
///
/// # Errors
/// Returns an error if the bots cannot be confined as required.
pub(crate) async fn prepare(plan: &CampaignPlan, jobs: NonZeroUsize, tell: &Tell) -> Result<Prepared, CampaignError> {
    let cage = confinement(plan, tell).await?;
    let tier = cage.as_ref().map_or(Tier::D, crate::host::sandbox::Cage::tier);
    if let Some(warning) = Warning::of_starvation(cage.as_ref()) {
        tell(warning);
    }
    for warning in Warning::of_room(&plan.tournament.players, AtATime::Scenarios(jobs), tier) {
        tell(warning);
    }
    let ReadiedPlayers { confinement, entrants } = readied(plan, cage, tell).await;
    Ok(Prepared::of_entrants(&plan.tournament, &entrants, confinement.map(Arc::new)))
}

fn prepared(player: &Player, entrant: &Result<Entrant, Unprepared>) -> PreparedPlayer {
    let broken = |why: String, timed_out: bool| without_files(Err(Unready::Broken { why, timed_out }));
    match entrant {
        Ok(Entrant::Program { bots, identity }) => {
            // Each bot of a team is tried as a separate player, so there is at most one bot here.
            let Some(ReadyBot { mode, program, executable, dir, lock, .. }) = bots.first() else {
                return broken("it has no program".to_owned(), false);
            };
            let digest = identity.digest().map(str::to_owned);
            PreparedPlayer {
                digest,
                files: identity.files(),
                products: identity.products().cloned(),
                hall: Ok(Hall::Started {
                    name: player.name.to_string(),
                    program: program.clone(),
                    executable: executable.clone(),
                    dir: dir.clone(),
                    mode: *mode,
                    only_side: player.only_side,
                    is_told_clock: player.is_told_clock,
                    _lock: lock.clone(),
                }),
            }
        }
        Err(Unprepared::Shortage(reason)) | Ok(Entrant::Void(reason)) => {
            without_files(Err(Unready::Void(reason.clone())))
        }
        Err(why) => {
            let timed_out = matches!(why, Unprepared::Unstartable { timed_out: true, .. });
            broken(why.text(), timed_out)
        }
        Ok(Entrant::Unstartable(reason) | Entrant::Changed(reason)) => broken(reason.clone(), false),
        Ok(Entrant::Remote | Entrant::Resting) => broken("it connects on its own".to_owned(), false),
    }
}

/// A player whose files are unknown.
const fn without_files(hall: Result<Hall, Unready>) -> PreparedPlayer {
    PreparedPlayer { digest: None, files: BTreeMap::new(), products: None, hall }
}

/// Returns a single player that the user starts by hand. It connects to `listener`, and is not confined. The limits
/// come from `plan`.
pub(crate) fn awaited(plan: &CampaignPlan, listener: TcpListener) -> Prepared {
    let grounds = DrillGrounds { confinement: None, addresses: Addresses::default(), limits: plan.tournament.limits };
    let player = without_files(Ok(Hall::Awaited(Arc::new(listener))));
    Prepared { grounds, tier: Tier::D, players: vec![player] }
}
