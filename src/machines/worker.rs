//! A machine that plays games for coordinators, one run at a time.

mod fetching;
mod field;
mod playing;
mod slot;

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::thread::available_parallelism;

use async_nats::Client;
use async_nats::connection::State;
use async_nats::jetstream::kv::{Entry, Operation, Watch};
use futures_util::StreamExt as _;
use thiserror::Error;
use tokio::sync::watch;
use tokio::task::{JoinError, JoinSet};
use tokio::time::{MissedTickBehavior, interval};

use super::broker::{
    ALIVE, BrokerAccess, BrokerError, BrokerRole, ConnectionTeller, HEARTBEAT, RUNS, Say, WORKERS, bucket, jetstream,
    manifests, refused,
};
use super::cache::BundleCache;
use super::messages::{FORMAT, Inability, Manifest, RunNotice, WorkerStatus};
use crate::base::sanitise::sanitised;
use crate::base::stop::{Stop, StopSignal};
use crate::base::time::{now, sleep_until};
use crate::host::sandbox::{Tier, detect};
use crate::machines::speed;
use crate::referee::pace::Speed;
use crate::run::campaign::Tell;
use fetching::BundleSources;

/// The options of a worker.
#[derive(Clone, Debug)]
pub(crate) struct WorkerOptions {
    /// The broker.
    pub access: BrokerAccess,
    /// How many games to play at a time.
    pub slots: NonZeroUsize,
    /// The name under which the worker is known to others.
    pub name: String,
    /// The worker's cache of players' files.
    pub cache: BundleCache,
    /// The speed of the machine, if the user overrides the measurement.
    pub speed: Option<Speed>,
}

/// Why a worker does not play for a run.
#[derive(Debug, Error)]
pub(crate) enum UnfitError {
    /// The coordinator has a different version of the program.
    #[error(
        "the coordinator of run {run} has version {theirs} (message format {format}), but this is version {} (message \
         format {FORMAT}): install the same version on both machines",
        env!("CARGO_PKG_VERSION")
    )]
    Version {
        /// The run.
        run: String,
        /// The coordinator's version.
        theirs: String,
        /// The version of the coordinator's messages.
        format: u32,
    },
    /// Something that the run needs is missing on this machine, or cannot be fetched.
    #[error("run {run}: {why}")]
    Lacking {
        /// The run.
        run: String,
        /// A description of what is missing, sanitised for printing.
        why: String,
    },
    /// The broker failed, perhaps temporarily.
    #[error(transparent)]
    Broker(#[from] BrokerError),
}

/// A worker at a broker.
pub(crate) struct WorkerOffice {
    options: WorkerOptions,
    client: Client,
    /// The key under which the worker is known to the broker.
    key: String,
    /// The best confinement that works on this machine, if this could be determined.
    tier: Option<Tier>,
    /// The speed of this machine, if it could be measured.
    speed: Option<Speed>,
    tell: Tell,
    say: Say,
    stop: StopSignal,
    counts: Arc<WorkerCounts>,
}

/// How many games the worker is playing, and how many it has played.
#[derive(Debug, Default)]
pub(crate) struct WorkerCounts {
    playing: AtomicUsize,
    played: AtomicU64,
}

/// The worker's current activity, for its status.
#[derive(Clone, Debug, Default)]
struct Doing {
    run: Option<String>,
    manifest: Option<String>,
    cannot: BTreeMap<String, Inability>,
    unfit: Option<String>,
    unfit_for: Option<String>,
}

/// Why a worker stops playing for a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PlayEnd {
    /// The run has ended.
    Over,
    /// The run's coordinator has sent nothing for a while.
    Silent,
    /// The run's coordinator was restarted, perhaps with other files.
    Changed,
    /// The worker has been stopped.
    Stopped,
}

impl WorkerOffice {
    /// Connects to the broker, and determines the speed of this machine and its best confinement.
    ///
    /// # Errors
    /// Fails if the broker cannot be reached.
    pub(crate) async fn open(
        options: WorkerOptions,
        tell: Tell,
        say: Say,
        stop: StopSignal,
    ) -> Result<Self, BrokerError> {
        let meanwhile = "running games continue, and their answers wait until the broker is back";
        let teller = ConnectionTeller { say: Arc::clone(&say), meanwhile };
        let name = format!("gothello-arena worker {}", options.name);
        let client = options.access.connect(BrokerRole::Worker, &name, teller).await?;
        let key = client.new_inbox().chars().filter(char::is_ascii_alphanumeric).collect();
        let speed = options.speed.or_else(speed::measured);
        // Bots run in subdirectories of the directory for temporary files.
        let tier = detect(&std::env::temp_dir()).await.ok().map(|detected| detected.tier);
        Ok(Self { options, client, key, tier, speed, tell, say, stop, counts: Arc::default() })
    }

    /// Plays for one run after another until the worker is stopped.
    pub(crate) async fn work(mut self) {
        let (doing, status) = watch::channel(Doing::default());
        let mut stop = self.stop.clone();
        let mut showing = JoinSet::new();
        showing.spawn(show(self.client.clone(), self.key.clone(), self.status(), status));
        // The notices of the runs that this worker has declined, by run.
        let mut declined: BTreeMap<String, RunNotice> = BTreeMap::new();
        let mut has_said = false;
        while stop.get() == Stop::No {
            let next = tokio::select! {
                next = self.next_run(&declined) => next,
                () = stop.reached(Stop::Drain) => break,
            };
            let served = match next {
                Ok(notice) => {
                    let served = self.serve(&notice, &doing).await;
                    doing.send_replace(Doing::default());
                    served.map_err(|error| (Some(notice), error))
                }
                Err(error) => Err((None, error.into())),
            };
            match served {
                Ok(()) => has_said = false,
                Err((_, UnfitError::Broker(error))) => {
                    let is_connected = self.client.connection_state() == State::Connected;
                    if is_connected && !std::mem::replace(&mut has_said, true) {
                        (self.say)(format!("{error}; waiting for the broker, or for its first coordinator"));
                    }
                    sleep_until(now() + HEARTBEAT / 4).await;
                }
                Err((notice, unfit)) => {
                    (self.say)(format!("not playing: {unfit}"));
                    let unfit_for = notice.as_ref().map(|notice| notice.run.clone());
                    doing.send_replace(Doing { unfit: Some(unfit.to_string()), unfit_for, ..Doing::default() });
                    declined.extend(notice.map(|notice| (notice.run.clone(), notice)));
                }
            }
        }
        showing.abort_all();
        let farewell = async {
            if let Ok(workers) = bucket(&jetstream(&self.client), WORKERS).await {
                // The entry would soon expire anyway.
                let _ = workers.purge(&self.key).await;
            }
            let _ = self.client.flush().await;
        };
        // The broker may no longer be available.
        let _ = tokio::time::timeout(HEARTBEAT, farewell).await;
    }

    fn status(&self) -> impl Fn(&Doing) -> WorkerStatus + Send + use<> {
        let (name, slots) = (self.options.name.clone(), self.options.slots.get());
        let (tier, speed) = (self.tier, self.speed);
        let counts = Arc::clone(&self.counts);
        move |Doing { run, manifest, cannot, unfit, unfit_for }| WorkerStatus {
            name: name.clone(),
            program: env!("CARGO_PKG_VERSION").to_owned(),
            run: run.clone(),
            slots,
            cores: available_parallelism().map_or(1, NonZeroUsize::get),
            tier,
            speed,
            playing: counts.playing.load(Relaxed),
            played: counts.played.load(Relaxed),
            unfit: unfit.clone(),
            unfit_for: unfit_for.clone(),
            manifest: manifest.clone(),
            cannot: cannot.clone(),
        }
    }

    /// Waits for a run in progress that is not in `declined`, or that has changed since the worker declined it.
    async fn next_run(&mut self, declined: &BTreeMap<String, RunNotice>) -> Result<RunNotice, BrokerError> {
        let mut runs = self.watch_runs().await?;
        loop {
            let notice = shown(&next_entry(&mut runs).await?);
            let is_declined =
                |notice: &RunNotice| declined.get(&notice.run).is_some_and(|declined| declined.continues_in(notice));
            if let Some(notice) = notice.filter(|notice| !is_declined(notice)) {
                return Ok(notice);
            }
        }
    }

    /// Fetches the manifest of the run that `notice` announces.
    async fn manifest(&self, notice: &RunNotice) -> Result<Manifest, BrokerError> {
        let what = "the description of a run cannot be read";
        let text = manifests(&jetstream(&self.client)).await?.get(&notice.run).await.map_err(refused(what))?;
        let manifest = text.and_then(|text| notice.manifest(&text));
        // The coordinator may be restarting at this moment.
        manifest.ok_or_else(|| BrokerError::Refused { what, why: "the broker has none, or a different one".to_owned() })
    }

    async fn watch_runs(&self) -> Result<Watch, BrokerError> {
        let runs = bucket(&jetstream(&self.client), RUNS).await?;
        // The watch begins with the existing entries, so no run is missed.
        runs.watch_with_history(">").await.map_err(refused("runs cannot be watched"))
    }

    /// Plays for the run that `notice` announces, until the run ends, falls silent or is restarted, or until the worker
    /// is stopped.
    async fn serve(&self, notice: &RunNotice, doing: &watch::Sender<Doing>) -> Result<(), UnfitError> {
        let RunNotice { program, run, format, .. } = notice;
        if program != env!("CARGO_PKG_VERSION") || *format != FORMAT {
            return Err(UnfitError::Version { run: run.clone(), theirs: sanitised(program), format: *format });
        }
        let manifest = self.manifest(notice).await?;
        match playing::play(self, notice, manifest, doing).await? {
            PlayEnd::Changed => (self.say)(format!("the coordinator of run {run} was restarted")),
            PlayEnd::Over => (self.say)(format!("run {run} has ended")),
            PlayEnd::Silent => (self.say)(format!(
                "the coordinator of run {run} has been silent for {} s; waiting for it, or for another run",
                ALIVE.as_secs()
            )),
            PlayEnd::Stopped => {}
        }
        Ok(())
    }

    /// The places from which this worker gets players' files.
    const fn sources(&self) -> BundleSources<'_> {
        BundleSources { client: &self.client, cache: &self.options.cache, say: &self.say }
    }

    /// Waits until the run of the `latest` notice is removed from the broker, or until its coordinator restarts or has
    /// been silent for a while. Meanwhile, keeps `latest` up to date.
    async fn until_silent(&self, latest: &watch::Sender<RunNotice>) -> PlayEnd {
        let mut heard = now();
        let notice = latest.borrow().clone();
        'watching: while now().saturating_duration_since(heard) < ALIVE {
            let Ok(mut runs) = self.watch_runs().await else {
                sleep_until(now() + HEARTBEAT / 4).await;
                continue;
            };
            loop {
                let entry = tokio::select! {
                    entry = next_entry(&mut runs) => entry,
                    () = sleep_until(heard + ALIVE) => return PlayEnd::Silent,
                };
                match entry {
                    Ok(entry) if entry.key != notice.run => {}
                    Ok(entry) => match shown(&entry) {
                        Some(shown) if notice.continues_in(&shown) => {
                            heard = now();
                            latest.send_if_modified(|known| {
                                let is_new = *known != shown;
                                *known = shown;
                                is_new
                            });
                        }
                        Some(_) => return PlayEnd::Changed,
                        None => return PlayEnd::Over,
                    },
                    Err(_) => {
                        sleep_until(now() + HEARTBEAT / 4).await;
                        continue 'watching;
                    }
                }
            }
        }
        PlayEnd::Silent
    }
}

async fn next_entry(entries: &mut Watch) -> Result<Entry, BrokerError> {
    let ended = || BrokerError::Refused { what: "a watch has ended", why: "the broker is gone".to_owned() };
    entries.next().await.ok_or_else(ended)?.map_err(refused("runs cannot be watched"))
}

/// Propagates a slot's panic, if there was one: after a bug, the worker must not keep running without playing.
fn raise_panic(ended: Result<(), JoinError>) {
    if let Err(error) = ended
        && let Ok(panic) = error.try_into_panic()
    {
        std::panic::resume_unwind(panic);
    }
}

/// The notice in `entry`, if there is one.
fn shown(entry: &Entry) -> Option<RunNotice> {
    if entry.operation != Operation::Put {
        return None;
    }
    serde_json::from_slice(&entry.value).ok()
}

/// Publishes the worker's status at the broker periodically.
async fn show(client: Client, key: String, status: impl Fn(&Doing) -> WorkerStatus, mut doing: watch::Receiver<Doing>) {
    let mut ticks = interval(HEARTBEAT);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _ = ticks.tick() => {}
            Ok(()) = doing.changed() => {}
            else => return,
        }
        let now = status(&doing.borrow_and_update());
        let text = serde_json::to_vec(&now).unwrap_or_default();
        if let Ok(workers) = bucket(&jetstream(&client), WORKERS).await {
            // The next heartbeat will try again.
            let _ = workers.put(&key, text.into()).await;
        }
    }
}

/// Returns the workers that are currently known to the broker, by name.
///
/// # Errors
/// Fails if the broker cannot be reached, or refuses the request.
pub(crate) async fn present(access: &BrokerAccess, say: Say) -> Result<Vec<WorkerStatus>, BrokerError> {
    let teller = ConnectionTeller { say, meanwhile: "waiting for it" };
    let client = access.connect(BrokerRole::Worker, "gothello-arena workers", teller).await?;
    let store = bucket(&jetstream(&client), WORKERS).await?;
    let keys = store.keys().await.map_err(refused("workers cannot be listed"))?;
    let mut workers = Vec::new();
    for key in keys.collect::<Vec<_>>().await {
        let key = key.map_err(refused("workers cannot be listed"))?;
        let status = store.get(key).await.map_err(refused("workers cannot be listed"))?;
        workers.extend(status.and_then(|text| serde_json::from_slice::<WorkerStatus>(&text).ok()));
    }
    workers.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(workers)
}
