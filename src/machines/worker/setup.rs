//! Prepares a worker to play for a run: the tournament, the players' files, and their confinement.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::io;
use std::num::NonZeroUsize;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use async_nats::Client;
use async_nats::jetstream::object_store::GetErrorKind;
use sha2::{Digest as _, Sha256};
use tokio::io::AsyncReadExt as _;
use tokio::sync::mpsc;
use toml::Value;

use super::UnfitError;
use crate::base::files::Scratch;
use crate::base::hex::hex;
use crate::base::machine;
use crate::base::sanitise::sanitised;
use crate::host::confinement::Confinement;
use crate::host::program;
use crate::machines::broker::{Say, bundles, jetstream, refused};
use crate::machines::bundle::{BundleError, MOST_ARCHIVE, unpack};
use crate::machines::cache::{BundleCache, Cached, is_digest};
use crate::machines::messages::{Inability, Manifest, WorkerLack, player_of};
use crate::referee::pace::{MachinePace, Speed, TimeScale};
use crate::run::campaign::{CampaignOptions, CampaignPlan, Tell, Warning, capacity, confine};
use crate::run::entrants::{Entrant, Needed, Preparer};
use crate::run::play::Arena;
use crate::tournament::Tournament;

/// Everything that the games of a run need.
pub(super) struct WorkerSetup {
    pub(super) arena: Arena,
    /// The players whose games cannot be played on this machine, and why.
    pub(super) cannot: BTreeMap<String, Inability>,
    /// The directory of the players' files, which is removed on drop.
    pub(super) scratch: Scratch,
}

/// The sources of everything that a worker needs for a run.
#[derive(Clone, Copy)]
pub(super) struct WorkerSources<'a> {
    pub(super) manifest: &'a Manifest,
    pub(super) client: &'a Client,
    pub(super) cache: &'a BundleCache,
    pub(super) say: &'a Say,
}

/// How long the transfer of a bundle may stall.
const STALL: Duration = Duration::from_secs(30);

impl WorkerSources<'_> {
    /// Fetches and checks everything that the run's games need. Bots get cores for `slots` games at a time. Clocks are
    /// scaled for a machine of the given `speed`, if the tournament requires it.
    ///
    /// # Errors
    /// Fails if no game of the run can be played on this machine, for example because bots cannot be confined as
    /// required.
    pub(super) async fn prepare(
        self,
        (slots, speed): (NonZeroUsize, Option<Speed>),
        tell: &Tell,
    ) -> Result<WorkerSetup, UnfitError> {
        let Self { manifest, .. } = self;
        let lacking = |why: &str| UnfitError::Lacking { run: manifest.run.clone(), why: sanitised(why) };
        let made = made_scratch();
        let scratch = made.map_err(|error| lacking(&format!("no directory for players' files (TMPDIR): {error}")))?;
        let base = scratch.path().join("tournament");
        let (mut dirs, mut cannot) = (BTreeMap::new(), BTreeMap::new());
        for (number, (key, digest)) in manifest.bundles.iter().enumerate() {
            let dir = scratch.path().join("players").join(number.to_string());
            if let Some(inability) = self.unpack(digest, &dir).await? {
                cannot.insert(player_of(key).to_owned(), inability);
            }
            dirs.insert(key.as_str(), dir);
        }
        let text = relocated(&manifest.tournament, |key| dirs.get(key).map(PathBuf::as_path));
        let tournament = Tournament::parse(&text, &manifest.stem).map_err(|problems| lacking(&problems.to_string()))?;
        let scale = if tournament.scale_time {
            scale(manifest.speed, speed).map_err(|why| lacking(&why))?
        } else {
            TimeScale::ONE
        };
        let tournament = Arc::new(tournament);
        let options = CampaignOptions { isolation: manifest.isolation(), ..CampaignOptions::default() };
        let dir = scratch.path().join("results");
        let plan = CampaignPlan { tournament: Arc::clone(&tournament), base: base.clone(), dir: dir.clone(), options };
        let cage = confine::confinement(&plan, tell).await.map_err(|error| lacking(&error.to_string()))?;
        let confined = |cage| Confinement { cage, visible_paths: program::VisiblePaths::new(&tournament, &base, &dir) };
        let confinement = cage.map(confined);
        let (events, _told) = mpsc::unbounded_channel();
        let preparer = Preparer {
            tournament: &tournament,
            base: &base,
            confinement: confinement.as_ref(),
            known: &[],
            events: &events,
            tell: &|news| tell(Warning::PlayerDir(news)),
        };
        let mut entrants = preparer.prepare(Needed::InTime).await.map_err(|error| lacking(&error.to_string()))?;
        for (player, entrant) in tournament.players.iter().zip(&mut entrants) {
            let there = manifest.unstartable.get(player.name.as_str());
            match (there, &*entrant) {
                // The coordinator could not start the player, so it cannot be started anywhere.
                (Some(why), _) => *entrant = Entrant::Unstartable(why.clone()),
                (None, Entrant::Unstartable(why) | Entrant::Changed(why)) => {
                    let inability = Inability { lacks: WorkerLack::Program, why: sanitised(why) };
                    cannot.entry(player.name.to_string()).or_insert(inability);
                }
                // A worker begins only when every player that it can start has been prepared.
                (None, Entrant::Program { .. } | Entrant::Remote | Entrant::Resting | Entrant::Void(_)) => {}
            }
        }
        let cores = capacity::cores(&tournament, slots, tell);
        let arena = Arena {
            confinement: confinement.map(Arc::new),
            cores,
            site: machine::name(),
            pace: MachinePace { speed, scale },
            ..Arena::new(tournament, entrants)
        };
        Ok(WorkerSetup { arena, cannot, scratch })
    }

    /// Whether the files of any player have become available.
    pub(super) async fn have_come(self, cannot: &BTreeMap<String, Inability>) -> bool {
        let wanted = self.manifest.bundles.iter();
        let is_missing =
            |key: &str| cannot.get(player_of(key)).is_some_and(|inability| inability.lacks != WorkerLack::Program);
        let wanted = wanted.filter(|(key, _)| is_missing(key));
        for (_, digest) in wanted {
            let Ok(scratch) = made_scratch() else { return false };
            if matches!(self.unpack(digest, &scratch.path().join("player")).await, Ok(None)) {
                return true;
            }
        }
        false
    }

    /// Unpacks the bundle with the given `digest` into the new directory `dir`. Returns the reason if this is impossible,
    /// unless the broker is at fault.
    async fn unpack(self, digest: &str, dir: &Path) -> Result<Option<Inability>, UnfitError> {
        let inability = |lacks, why: String| Ok(Some(Inability { lacks, why: sanitised(&why) }));
        if !is_digest(digest) {
            return inability(WorkerLack::Files, "the name of its files is not a SHA-256".to_owned());
        }
        let kept = self.cache.get(digest);
        if kept == Cached::Changed {
            (self.say)(format!("cached files were changed ({digest}), and are fetched again"));
        }
        let bytes = match kept {
            Cached::Whole(bytes) => bytes,
            Cached::Changed | Cached::Missing => match fetched(self.client, digest).await? {
                FetchedBundle::Whole(bytes) => {
                    if let Err(error) = self.cache.put(digest, &bytes) {
                        (self.say)(format!("{error}; they are used, but will be fetched again"));
                    }
                    bytes
                }
                FetchedBundle::Untrue(why) => return inability(WorkerLack::TrueFiles, why),
            },
        };
        let made = fs::create_dir_all(dir).map_err(|source| BundleError::Io { path: dir.to_owned(), source });
        match made.and_then(|()| unpack(&bytes, digest, dir)) {
            Ok(()) => Ok(None),
            Err(error @ BundleError::Io { .. }) => {
                inability(WorkerLack::Files, format!("its files cannot be unpacked here (TMPDIR): {error}"))
            }
            Err(error) => inability(WorkerLack::Files, format!("its files are not used: {error}")),
        }
    }
}

/// Creates a directory that bots may traverse, which contains the tournament's directory.
fn made_scratch() -> io::Result<Scratch> {
    let scratch = Scratch::new()?;
    fs::set_permissions(scratch.path(), Permissions::from_mode(0o711))?;
    fs::create_dir(scratch.path().join("tournament"))?;
    Ok(scratch)
}

/// The scale of the clocks on a machine with the speed `own`, for a coordinator with the speed `reference`.
///
/// # Errors
/// Fails if one of the speeds is unknown, or if they are too far apart.
fn scale(reference: Option<Speed>, own: Option<Speed>) -> Result<TimeScale, String> {
    let (Some(reference), Some(own)) = (reference, own) else {
        return Err(
            "`scale_time` is set, but the speed of this machine or of the coordinator could not be measured".to_owned()
        );
    };
    TimeScale::between(reference, own).ok_or_else(|| {
        format!(
            "`scale_time` is set, but the speeds of this machine ({}) and the coordinator ({}) are more than four times apart, so \
             scaled clocks would not be fair",
            own.shown(),
            reference.shown()
        )
    })
}

/// The result of fetching a bundle from the broker.
enum FetchedBundle {
    /// The bundle.
    Whole(Vec<u8>),
    /// The broker does not have the bundle, or returned something else. Contains the reason.
    Untrue(String),
}

/// Fetches the bundle with the given `digest`.
async fn fetched(client: &Client, digest: &str) -> Result<FetchedBundle, UnfitError> {
    use FetchedBundle::{Untrue, Whole};
    let store = bundles(&jetstream(client)).await?;
    let object = match store.get(digest).await {
        Err(error) if error.kind() == GetErrorKind::NotFound => {
            return Ok(Untrue("the broker does not have its files".to_owned()));
        }
        object => object.map_err(refused("the files of a player cannot be fetched"))?,
    };
    let (mut object, mut bytes) = (object.take(MOST_ARCHIVE + 1), Vec::new());
    loop {
        match tokio::time::timeout(STALL, object.read_buf(&mut bytes)).await {
            Ok(Ok(0)) => break,
            Ok(Ok(_)) => {}
            Ok(Err(error)) => return Ok(Untrue(format!("its files cannot be read from the broker: {error}"))),
            Err(_) => {
                return Ok(Untrue(format!("the broker has sent nothing more of its files for {} s", STALL.as_secs())));
            }
        }
    }
    let is_right = hex(&Sha256::digest(&bytes)) == digest;
    Ok(if is_right { Whole(bytes) } else { Untrue(format!("its files are not used: {}", BundleError::Digest)) })
}

/// Sets the `dir` of the program that `table` describes, if it has one, and removes its build.
fn relocate(table: &mut toml::Table, dir: Option<&Path>) {
    table.remove("build");
    table.remove("build_network");
    if let Some(dir) = dir {
        table.insert("dir".to_owned(), Value::String(dir.to_string_lossy().into_owned()));
    }
}

/// Returns `text`, a tournament file, with the `dir` of each program set to the result of `dir_of` for its key, and without
/// builds, whose products are already in the bundles.
fn relocated<'d>(text: &str, dir_of: impl Fn(&str) -> Option<&'d Path>) -> String {
    // Text that is not TOML is rejected when it is parsed as a tournament.
    let Ok(mut table) = text.parse::<toml::Table>() else { return text.to_owned() };
    if let Some(Value::Array(players)) = table.get_mut("player") {
        for player in players.iter_mut().filter_map(Value::as_table_mut) {
            let name = player.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
            relocate(player, dir_of(&name));
            let modes = player.get_mut("modes").and_then(Value::as_table_mut);
            for (mode, member) in modes.into_iter().flatten() {
                if let Some(member) = member.as_table_mut() {
                    relocate(member, dir_of(&format!("{name}:{mode}")));
                }
            }
        }
    }
    toml::to_string(&table).unwrap_or_else(|_| text.to_owned())
}
