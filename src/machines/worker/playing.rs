//! Plays for one run until it ends. Players that are added to the run are prepared while games are played.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::JoinSet;

use super::field::{WorkerField, WorkerGround};
use super::slot::WorkerSlot;
use super::{Doing, PlayEnd, UnfitError, WorkerOffice, raise_panic};
use crate::base::sanitise::sanitised;
use crate::base::stop::Stop;
use crate::base::time::{now, sleep_until};
use crate::base::units::counted;
use crate::machines::broker::{HEARTBEAT, RunNames};
use crate::machines::messages::{Inability, Manifest, RunNotice};
use crate::run::executor::GameThreads;

/// The preparation of another field.
type FieldPreparation<'a> = Pin<Box<dyn Future<Output = Result<WorkerField, UnfitError>> + 'a>>;

/// The slots of a worker while it plays for a run.
struct Shift<'a> {
    office: &'a WorkerOffice,
    doing: &'a watch::Sender<Doing>,
    /// The run's name at the broker.
    run: String,
    /// How long a worker of the run may be silent.
    timeout: Duration,
    threads: Arc<GameThreads>,
    field: Arc<WorkerField>,
    /// The field for the slots' next games.
    next: watch::Sender<Arc<WorkerField>>,
    slots: JoinSet<()>,
    /// Whether the slots should stop taking jobs.
    over: watch::Sender<bool>,
}

/// Plays for the run that `notice` announces and `manifest` describes, until the run ends, falls silent or is
/// restarted, or until the worker is stopped.
///
/// # Errors
/// Fails if no game of the run can be played on this machine, or if the broker is at fault before the first game.
pub(super) async fn play(
    office: &WorkerOffice,
    notice: &RunNotice,
    manifest: Manifest,
    doing: &watch::Sender<Doing>,
) -> Result<PlayEnd, UnfitError> {
    let slots = office.options.slots;
    let ground = WorkerGround::open(&manifest, (slots, office.speed), &office.tell).await?;
    let field = ground.field((&notice.manifest, &manifest), office.sources(), None).await?;
    let (stem, games) = (sanitised(&manifest.stem), counted(slots.get() as u64, "game"));
    (office.say)(format!("playing for run {} ({stem}), {games} at a time", manifest.run));
    say_what_is_new(office, &field, &BTreeMap::new());
    let mut shift = Shift::begin(office, &manifest, field, doing)?;
    let (latest, mut heard) = watch::channel(notice.clone());
    let end = {
        let silent = office.until_silent(&latest);
        tokio::pin!(silent);
        let mut stop = office.stop.clone();
        let mut preparing: Option<FieldPreparation<'_>> = None;
        loop {
            let is_grown = heard.borrow().manifest != shift.field.manifest;
            if preparing.is_none() && is_grown {
                preparing = Some(Box::pin(another_field(office, &ground, heard.clone(), Arc::clone(&shift.field))));
            }
            let may_be_mended = preparing.is_none() && shift.field.may_be_mended();
            tokio::select! {
                end = &mut silent => break Ok(end),
                () = stop.reached(Stop::Drain) => break Ok(PlayEnd::Stopped),
                _ = heard.changed() => {}
                prepared = prepared(&mut preparing) => {
                    preparing = None;
                    match prepared {
                        Ok(field) => shift.change(field),
                        Err(error) => break Err(error),
                    }
                }
                ended = shift.slots.join_next() => match ended {
                    Some(ended) => raise_panic(ended),
                    // All slots have stopped, because their lane has changed.
                    None => shift.start_slots(),
                },
                () = sleep_until(now() + shift.timeout), if may_be_mended => {
                    preparing = Some(Box::pin(another_field(office, &ground, heard.clone(), Arc::clone(&shift.field))));
                }
            }
        }
    };
    shift.end().await;
    end
}

impl<'a> Shift<'a> {
    /// Begins to play the games of the run that `manifest` describes.
    fn begin(
        office: &'a WorkerOffice,
        manifest: &Manifest,
        field: WorkerField,
        doing: &'a watch::Sender<Doing>,
    ) -> Result<Self, UnfitError> {
        let run = manifest.run.clone();
        let threads = GameThreads::start(office.options.slots)
            .map_err(|error| UnfitError::Lacking { run: run.clone(), why: error.to_string() })?;
        let field = Arc::new(field);
        let mut shift = Self {
            office,
            doing,
            run,
            timeout: Duration::from_millis(manifest.timeout_ms),
            threads: Arc::new(threads),
            next: watch::Sender::new(Arc::clone(&field)),
            field,
            slots: JoinSet::new(),
            over: watch::Sender::new(false),
        };
        shift.start_slots();
        Ok(shift)
    }

    /// Starts a task for each slot. The tasks take jobs from the field's lane.
    fn start_slots(&mut self) {
        let Self { office, run, timeout, threads, field, .. } = self;
        (self.next, self.over) = (watch::Sender::new(Arc::clone(field)), watch::Sender::new(false));
        for _ in 0..office.options.slots.get() {
            let slot = WorkerSlot {
                client: office.client.clone(),
                names: RunNames(run.clone()),
                lane: field.lane(),
                worker: office.options.name.clone(),
                timeout: *timeout,
                field: self.next.subscribe(),
                threads: Arc::clone(threads),
                stop: office.stop.clone(),
                is_over: self.over.subscribe(),
                counts: Arc::clone(&office.counts),
                say: Arc::clone(&office.say),
            };
            self.slots.spawn(slot.work());
        }
        self.report();
    }

    /// Reports what this worker can play.
    fn report(&self) {
        let (run, manifest) = (Some(self.run.clone()), Some(self.field.manifest.clone()));
        self.doing.send_replace(Doing { run, manifest, cannot: self.field.cannot.clone(), ..Doing::default() });
    }

    /// Switches to another field for the next games.
    fn change(&mut self, field: WorkerField) {
        say_what_is_new(self.office, &field, &self.field.cannot);
        let is_in_lane = field.lane() == self.field.lane() && !*self.over.borrow();
        self.field = Arc::new(field);
        if is_in_lane {
            self.next.send_replace(Arc::clone(&self.field));
            self.report();
        } else {
            // The coordinator is informed once the games from the old lane have ended. Otherwise, it would give these
            // games to other workers.
            self.over.send_replace(true);
        }
    }

    /// Finishes the games in progress, and ends.
    async fn end(mut self) {
        self.over.send_replace(true);
        while let Some(ended) = self.slots.join_next().await {
            raise_panic(ended);
        }
    }
}

/// The field for the manifest that the latest notice in `heard` announces. Parts that are unchanged from the field
/// `before` are kept.
///
/// # Errors
/// Fails if a player cannot be read. If the broker is at fault, the request is repeated.
async fn another_field(
    office: &WorkerOffice,
    ground: &WorkerGround,
    heard: watch::Receiver<RunNotice>,
    before: Arc<WorkerField>,
) -> Result<WorkerField, UnfitError> {
    loop {
        let notice = heard.borrow().clone();
        let field = match office.manifest(&notice).await {
            Ok(manifest) => ground.field((&notice.manifest, &manifest), office.sources(), Some(&before)).await,
            Err(error) => Err(error.into()),
        };
        match field {
            Err(UnfitError::Broker(_)) => sleep_until(now() + HEARTBEAT / 4).await,
            field => return field,
        }
    }
}

/// Waits until the other field is prepared; waits forever if none is being prepared.
async fn prepared(preparing: &mut Option<FieldPreparation<'_>>) -> Result<WorkerField, UnfitError> {
    match preparing {
        Some(preparing) => preparing.await,
        None => std::future::pending().await,
    }
}

/// Tells the user what has changed since the inabilities `before`: which other players' games this worker cannot play,
/// with the reasons, and which players' games it can play now.
fn say_what_is_new(office: &WorkerOffice, field: &WorkerField, before: &BTreeMap<String, Inability>) {
    for (player, Inability { why, .. }) in field.cannot.iter().filter(|(player, _)| !before.contains_key(*player)) {
        (office.say)(format!("player `{}` plays only on other machines: {why}", sanitised(player)));
    }
    for player in before.keys().filter(|player| !field.cannot.contains_key(*player) && field.has_player(player)) {
        (office.say)(format!("player `{}` now plays here as well", sanitised(player)));
    }
}
