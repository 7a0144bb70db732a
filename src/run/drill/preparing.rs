//! Prepares the players of a drill as a run prepares its own: found, built, digested, and confined alike.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::net::TcpListener;
use tokio::sync::mpsc;

use super::seating::{DrillGrounds, Hall};
use crate::host::confinement::Confinement;
use crate::host::program::Premises;
use crate::host::sandbox::Tier;
use crate::host::seat::address::Addresses;
use crate::run::campaign::confine::confinement;
use crate::run::campaign::{CampaignError, Orders, Tell};
use crate::run::entrants::{Entrant, Preparer};
use crate::run::event::Event;
use crate::tournament::file::Player;

/// The players of a drill, ready to be started.
#[derive(Debug)]
pub(crate) struct Prepared {
    /// What surrounds their seats.
    pub(crate) grounds: DrillGrounds,
    /// How they are confined.
    pub(crate) tier: Tier,
    /// Each player, in the order of the tournament.
    pub(crate) players: Vec<PreparedPlayer>,
}

/// A player of a drill.
#[derive(Debug)]
pub(crate) struct PreparedPlayer {
    /// The digest of what identifies the player, if there is one.
    pub(crate) digest: Option<String>,
    /// The digest of each file that identifies it; empty if it cannot be started.
    pub(crate) files: BTreeMap<String, String>,
    /// The digest of each file that its build has made; `None` without a build.
    pub(crate) products: Option<BTreeMap<String, String>>,
    /// Where it takes its seats, or why it cannot be started.
    pub(crate) hall: Result<Hall, String>,
}

/// Prepares all players of the tournament in `orders`.
///
/// # Errors
/// Fails if the bots cannot be confined as they must be, or if the machine lacks something that preparing them takes.
pub(crate) async fn prepare(orders: &Orders, tell: &Tell) -> Result<Prepared, CampaignError> {
    let cage = confinement(orders, tell).await?;
    let tier = cage.as_ref().map_or(Tier::D, crate::host::sandbox::Cage::tier);
    let confinement =
        cage.map(|cage| Confinement { cage, premises: Premises::new(&orders.tournament, &orders.base, &orders.dir) });
    let (events, mut told) = mpsc::unbounded_channel();
    let entrants = Preparer {
        tournament: &orders.tournament,
        base: &orders.base,
        confinement: confinement.as_ref(),
        known: &[],
        events: &events,
    }
    .prepare()
    .await?;
    drop(events);
    let mut outputs = Vec::new();
    while let Some(event) = told.recv().await {
        if let Event::Unstartable { player, output, .. } = event {
            outputs.push((player, output));
        }
    }
    let players = orders.tournament.players.iter().zip(entrants).map(|(player, entrant)| {
        let output = outputs.iter().find(|(name, _)| name == player.name.as_str()).map(|(_, output)| output.as_str());
        prepared(player, entrant, output.unwrap_or_default())
    });
    let players = players.collect();
    let grounds = DrillGrounds { confinement, addresses: Addresses::default(), limits: orders.tournament.limits };
    Ok(Prepared { grounds, tier, players })
}

fn prepared(player: &Player, entrant: Entrant, output: &str) -> PreparedPlayer {
    match entrant {
        Entrant::Program { program, executable, dir, identity } => {
            let digest = identity.digest().map(str::to_owned);
            PreparedPlayer {
                digest,
                files: identity.files(),
                products: identity.products().cloned(),
                hall: Ok(Hall::Started {
                    name: player.name.to_string(),
                    program,
                    executable,
                    dir,
                    only_side: player.only_side,
                    is_told_clock: player.is_told_clock,
                }),
            }
        }
        Entrant::Unstartable(reason) | Entrant::Changed(reason) => {
            let output = if output.is_empty() { String::new() } else { format!("\n{output}") };
            without_files(Err(format!("{reason}{output}")))
        }
        Entrant::Remote => without_files(Err("it connects by itself".to_owned())),
    }
}

/// A player of which no file is known.
const fn without_files(hall: Result<Hall, String>) -> PreparedPlayer {
    PreparedPlayer { digest: None, files: BTreeMap::new(), products: None, hall }
}

/// A player that is started by hand and connects to `listener`, without confinement. `orders` give the limits.
pub(crate) fn awaited(orders: &Orders, listener: TcpListener) -> Prepared {
    let grounds = DrillGrounds { confinement: None, addresses: Addresses::default(), limits: orders.tournament.limits };
    let player = without_files(Ok(Hall::Awaited(Arc::new(listener))));
    Prepared { grounds, tier: Tier::D, players: vec![player] }
}
