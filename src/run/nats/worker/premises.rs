//! What a worker needs before it can play for a run: the tournament, the players' files, and their confinement.

use std::collections::BTreeMap;
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use async_nats::Client;
use tempfile::TempDir;
use tokio::io::AsyncReadExt as _;
use tokio::sync::mpsc;
use toml::Value;

use super::UnfitError;
use crate::base::machine;
use crate::base::printable::printable;
use crate::host::confinement::Confinement;
use crate::host::program;
use crate::host::seat::address::Addresses;
use crate::referee::pace::{MachinePace, Speed, TimeScale};
use crate::run::campaign::{Orders, Tell, Wishes, capacity, confine};
use crate::run::entrants::{Entrant, Preparer};
use crate::run::listener::EventQueues;
use crate::run::nats::broker::{bundles, jetstream, refused};
use crate::run::nats::bundle::unpack;
use crate::run::nats::messages::Manifest;
use crate::run::play::Arena;
use crate::tournament::file::Tournament;

/// All that games of a run need.
pub(super) struct WorkerPremises {
    pub(super) arena: Arena,
    /// The directory of the players' files, which goes with this value.
    pub(super) scratch: TempDir,
}

/// Fetches and checks what games of `manifest` need. Bots may use `slots` games' worth of cores.
/// Clocks are scaled for a machine of `speed`, if the tournament wants that.
///
/// # Errors
/// Fails if something is missing here that the coordinator has, or if bots cannot be confined as they must be.
pub(super) async fn prepare(
    manifest: &Manifest,
    client: &Client,
    (slots, speed): (NonZeroUsize, Option<Speed>),
    tell: &Tell,
) -> Result<WorkerPremises, UnfitError> {
    let lacking = |why: &str| UnfitError::Lacking { run: manifest.run.clone(), why: printable(why) };
    let scratch = tempfile::Builder::new().prefix("gothello-worker-").tempdir();
    let scratch = scratch.map_err(|error| lacking(&error.to_string()))?;
    let base = scratch.path().join("tournament");
    fs::create_dir(&base).map_err(|error| lacking(&error.to_string()))?;
    let players = scratch.path().join("players");
    let mut dirs = BTreeMap::new();
    for (number, (player, digest)) in manifest.bundles.iter().enumerate() {
        let dir = players.join(number.to_string());
        fs::create_dir_all(&dir).map_err(|error| lacking(&error.to_string()))?;
        let bytes = fetched(client, digest).await?;
        unpack(&bytes, digest, &dir)
            .map_err(|error| lacking(&format!("the files of player `{player}` are not used: {error}")))?;
        dirs.insert(player.as_str(), dir);
    }
    let text = relocated(&manifest.tournament, |player| dirs.get(player).map(PathBuf::as_path));
    let tournament = Tournament::parse(&text, &manifest.stem).map_err(|problems| lacking(&problems.to_string()))?;
    let scale =
        if tournament.scale_time { scale(manifest.speed, speed).map_err(|why| lacking(&why))? } else { TimeScale::ONE };
    let tournament = Arc::new(tournament);
    let wishes = Wishes { isolation: manifest.isolation(), ..Wishes::default() };
    let dir = scratch.path().join("results");
    let orders = Orders { tournament: Arc::clone(&tournament), base: base.clone(), dir: dir.clone(), wishes };
    let cage = confine::confinement(&orders, tell).await.map_err(|error| lacking(&error.to_string()))?;
    let premises = |cage| Confinement { cage, premises: program::Premises::new(&tournament, &base, &dir) };
    let confinement = cage.map(premises);
    let (events, _told) = mpsc::unbounded_channel();
    let preparer = Preparer {
        tournament: &tournament,
        base: &base,
        confinement: confinement.as_ref(),
        known: &[],
        events: &events,
    };
    let mut entrants = preparer.prepare().await.map_err(|error| lacking(&error.to_string()))?;
    for (player, entrant) in tournament.players.iter().zip(&mut entrants) {
        let there = manifest.unstartable.get(player.name.as_str());
        match (there, &*entrant) {
            // It cannot be started anywhere, for the same reason.
            (Some(why), _) => *entrant = Entrant::Unstartable(why.clone()),
            (None, Entrant::Unstartable(why) | Entrant::Changed(why)) => {
                return Err(lacking(&format!("player `{}` cannot be started on this machine: {why}", player.name)));
            }
            (None, Entrant::Program { .. } | Entrant::Remote) => {}
        }
    }
    let cores = capacity::cores(&tournament, slots, tell);
    let arena = Arena {
        tournament,
        entrants,
        confinement,
        cores,
        lateness: Mutex::default(),
        addresses: Addresses::default(),
        site: machine::name(),
        pace: MachinePace { speed, scale },
        queues: EventQueues::default(),
    };
    Ok(WorkerPremises { arena, scratch })
}

/// The scale of the clocks on a machine of speed `own`, for a coordinator of speed `reference`.
///
/// # Errors
/// Fails if one of them is unknown, or if they are too far apart.
fn scale(reference: Option<Speed>, own: Option<Speed>) -> Result<TimeScale, String> {
    let (Some(reference), Some(own)) = (reference, own) else {
        return Err(
            "`scale_time` is set, but the speed of this machine or of the coordinator could not be measured".to_owned()
        );
    };
    TimeScale::between(reference, own).ok_or_else(|| {
        format!(
            "`scale_time` is set, and this machine ({}) and the coordinator ({}) are more than four times apart, which no scale of \
             the clocks makes fair",
            own.shown(),
            reference.shown()
        )
    })
}

/// The bundle of this digest.
async fn fetched(client: &Client, digest: &str) -> Result<Vec<u8>, UnfitError> {
    let store = bundles(&jetstream(client)).await?;
    let mut object = store.get(digest).await.map_err(refused("the files of a player cannot be fetched"))?;
    let mut bytes = Vec::new();
    let read = object.read_to_end(&mut bytes).await;
    read.map_err(refused("the files of a player cannot be fetched"))?;
    Ok(bytes)
}

/// The tournament file `text` with each player's `dir` where `dir_of` says, and without builds, whose products are there.
fn relocated<'d>(text: &str, dir_of: impl Fn(&str) -> Option<&'d Path>) -> String {
    // Whatever is no TOML is refused by whoever reads it as a tournament.
    let Ok(mut table) = text.parse::<toml::Table>() else { return text.to_owned() };
    if let Some(Value::Array(players)) = table.get_mut("player") {
        for player in players.iter_mut().filter_map(Value::as_table_mut) {
            player.remove("build");
            player.remove("build_network");
            let dir = player.get("name").and_then(Value::as_str).and_then(&dir_of);
            if let Some(dir) = dir {
                player.insert("dir".to_owned(), Value::String(dir.to_string_lossy().into_owned()));
            }
        }
    }
    toml::to_string(&table).unwrap_or_else(|_| text.to_owned())
}
