//! A coordinator's work at the broker.

use std::collections::{BTreeMap, HashMap};
use std::future::IntoFuture as _;
use std::time::Duration;

use async_nats::Client;
use async_nats::jetstream::consumer::pull;
use async_nats::jetstream::kv::Operation;
use async_nats::jetstream::stream::Stream;
use async_nats::jetstream::{Context, Message};
use futures_util::StreamExt as _;
use futures_util::future::join_all;
use serde::Deserialize;
use tokio::sync::{mpsc, watch};
use tokio::time::{MissedTickBehavior, interval};

use super::desk::{Desk, Verdict};
use super::roll_call::RollCall;
use super::{SavedGame, Say};
use crate::base::printable::printable;
use crate::base::time::{Instant, now, sleep_until};
use crate::run::nats::broker::{
    ALIVE, BrokerError, DELIVERIES, HEARTBEAT, RUNS, RunNames, WORKERS, bucket, bundles, consumer,
    is_refused_as_repeated, jetstream, refused, work_queue,
};
use crate::run::nats::bundle::Bundle;
use crate::run::nats::messages::{Job, Manifest, Taken, WorkerStatus};
use crate::tournament::schedule::GameSpec;

/// How many games may be away for each slot of a worker, so that no slot waits for a job.
const AHEAD: usize = 3;

/// How long to wait before a new session.
const PAUSE: Duration = Duration::from_secs(1);

/// How long an answer may wait for its game to be saved before it comes again.
const SAVING: Duration = Duration::from_mins(10);

/// A coordinator.
pub(super) struct Office {
    pub(super) client: Client,
    pub(super) manifest: Manifest,
    pub(super) patience: Duration,
    pub(super) bundles: Vec<Bundle>,
    pub(super) desk: Desk,
    /// The games that the executor gives away.
    pub(super) asked: mpsc::UnboundedReceiver<GameSpec>,
    /// The games that the journal has.
    pub(super) saved: mpsc::UnboundedReceiver<SavedGame>,
    pub(super) room: watch::Sender<usize>,
    /// The workers that play for the run, by their keys.
    pub(super) workers: BTreeMap<String, PresentWorker>,
    /// What the user knows of who is there.
    pub(super) roll_call: RollCall,
    pub(super) say: Say,
}

/// A worker that plays for the run.
pub(super) struct PresentWorker {
    /// When it was last heard of.
    heard: Instant,
    /// Its name, fit to be printed.
    name: String,
    slots: usize,
}

/// What a session has opened.
pub(super) struct SetUp {
    context: Context,
    jobs: Stream,
    answers: pull::Stream,
}

/// The answers that are with the coordinator.
#[derive(Default)]
struct Answers {
    /// Those of games that are not saved yet.
    unsaved: HashMap<u64, Vec<Message>>,
    /// Those that came before their game was asked for, as after a restart.
    early: HashMap<u64, Message>,
}

/// What the broker says when a job was given away too often.
#[derive(Deserialize)]
struct Exhausted {
    stream_seq: u64,
}

impl Office {
    fn names(&self) -> RunNames {
        RunNames(self.manifest.run.clone())
    }

    /// Works until no more games are asked for and all answers are saved.
    pub(super) async fn run(mut self) {
        let mut has_said = false;
        loop {
            let worked = match self.set_up().await {
                Ok(set_up) => self.session(set_up, &mut has_said).await,
                Err(error) => Err(error),
            };
            match worked {
                Ok(()) => return,
                Err(_) if self.asked.is_closed() => return,
                Err(error) => {
                    if !std::mem::replace(&mut has_said, true) {
                        (self.say)(format!("{error}; games go on here, and to workers once the broker is back"));
                    }
                    sleep_until(now() + PAUSE).await;
                }
            }
        }
    }

    /// Makes everything that is missing at the broker, and publishes the jobs that are out.
    pub(super) async fn set_up(&mut self) -> Result<SetUp, BrokerError> {
        let context = jetstream(&self.client);
        let names = self.names();
        let jobs = work_queue(&context, names.jobs(), format!("gothello.{}.job.>", names.0)).await?;
        let answers = work_queue(&context, names.answers(), format!("gothello.{}.result.>", names.0)).await?;
        consumer(&jobs, self.patience, DELIVERIES).await?;
        let reading = consumer(&answers, SAVING, -1).await?;
        let store = bundles(&context).await?;
        for Bundle { digest, bytes } in &self.bundles {
            if store.info(digest).await.is_err() {
                store
                    .put(digest.as_str(), &mut bytes.as_slice())
                    .await
                    .map_err(refused("a bundle cannot be stored"))?;
            }
        }
        bucket(&context, WORKERS).await?;
        self.show(&context).await?;
        let out = self.desk.jobs();
        publish(&context, &names, &out).await?;
        let answers = reading.stream().max_messages_per_batch(1_000).heartbeat(HEARTBEAT * 2).expires(HEARTBEAT * 5);
        let answers = answers.messages().await.map_err(refused("answers cannot be read"))?;
        Ok(SetUp { context, jobs, answers })
    }

    /// Shows workers what is played.
    async fn show(&self, context: &Context) -> Result<(), BrokerError> {
        let runs = bucket(context, RUNS).await?;
        let text = serde_json::to_vec(&self.manifest).unwrap_or_default();
        runs.put(&self.manifest.run, text.into()).await.map(drop).map_err(refused("the run cannot be shown to workers"))
    }

    async fn session(&mut self, mut at: SetUp, has_said: &mut bool) -> Result<(), BrokerError> {
        let names = self.names();
        let subscribed = |error| refused("a subject cannot be read")(error);
        let mut taken = self.client.subscribe(names.taken()).await.map_err(subscribed)?;
        let mut exhausted = self.client.subscribe(names.exhausted()).await.map_err(subscribed)?;
        let statuses = bucket(&at.context, WORKERS).await?;
        let mut statuses = statuses.watch_all().await.map_err(refused("workers cannot be watched"))?;
        let mut ticks = interval(HEARTBEAT);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut answers = Answers::default();
        loop {
            tokio::select! {
                asked = self.asked.recv() => match asked {
                    Some(spec) => self.give(spec, &mut answers, &at.context).await?,
                    None => return self.close(at, answers).await,
                },
                Some(saved) = self.saved.recv() => self.let_go(saved, &mut answers).await?,
                answer = at.answers.next() => {
                    let answer = answer.ok_or_else(gone)?.map_err(refused("answers cannot be read"))?;
                    *has_said = false;
                    self.take(answer, &mut answers, &at.context).await?;
                }
                Some(message) = taken.next() => {
                    if let Ok(Taken { number, worker }) = serde_json::from_slice(&message.payload) {
                        self.desk.taken(number, &worker);
                    }
                }
                Some(message) = exhausted.next() => {
                    if let Ok(Exhausted { stream_seq }) = serde_json::from_slice(&message.payload) {
                        self.give_up(&at.jobs, stream_seq).await?;
                    }
                }
                status = statuses.next() => {
                    let status = status.ok_or_else(gone)?.map_err(refused("workers cannot be watched"))?;
                    if status.operation == Operation::Put {
                        self.hear(status.key, &status.value);
                    }
                }
                _ = ticks.tick() => {
                    self.show(&at.context).await?;
                    self.count_room();
                }
            }
        }
    }

    /// Gives games away: `spec`, and all that wait behind it.
    async fn give(&mut self, spec: GameSpec, answers: &mut Answers, context: &Context) -> Result<(), BrokerError> {
        let mut jobs = Vec::new();
        let mut next = Some(spec);
        while let Some(spec) = next {
            let number = spec.number;
            let job = self.desk.send_out(spec);
            match answers.early.remove(&number) {
                Some(early) => {
                    if let Some(at) = RunNames::of_subject(&early.subject) {
                        self.desk.expect(at);
                    }
                    self.take(early, answers, context).await?;
                }
                None => jobs.push(job),
            }
            next = self.asked.try_recv().ok();
        }
        publish(context, &self.names(), &jobs).await
    }

    /// Takes in an answer.
    async fn take(&mut self, answer: Message, answers: &mut Answers, context: &Context) -> Result<(), BrokerError> {
        let Some(at) = RunNames::of_subject(&answer.subject) else { return acknowledge(&answer).await };
        match self.desk.answered(at, &answer.payload) {
            Verdict::Keep => answers.unsaved.entry(at.number).or_default().push(answer),
            Verdict::Early => drop(answers.early.insert(at.number, answer)),
            Verdict::Late => acknowledge(&answer).await?,
            Verdict::Wrong { again, why } => {
                (self.say)(format!("an answer is refused: {why}"));
                acknowledge(&answer).await?;
                publish(context, &self.names(), again.as_slice()).await?;
            }
        }
        Ok(())
    }

    /// Lets go of the answers of a game that is saved.
    async fn let_go(&mut self, saved: SavedGame, answers: &mut Answers) -> Result<(), BrokerError> {
        self.desk.saved(saved);
        for answer in answers.unsaved.remove(&saved.number).unwrap_or_default() {
            acknowledge(&answer).await?;
        }
        Ok(())
    }

    /// Takes back the job at `sequence`, which was given away too often.
    async fn give_up(&mut self, jobs: &Stream, sequence: u64) -> Result<(), BrokerError> {
        let Ok(job) = jobs.get_raw_message(sequence).await else { return Ok(()) };
        jobs.delete_message(sequence).await.map_err(refused("a job cannot be taken back"))?;
        if let Some(at) = RunNames::of_subject(&job.subject) {
            self.desk.exhausted(at);
        }
        Ok(())
    }

    /// Hears of a worker.
    fn hear(&mut self, key: String, status: &[u8]) {
        let Ok(status) = serde_json::from_slice::<WorkerStatus>(status) else { return };
        if status.run.as_deref() == Some(&self.manifest.run) {
            let worker = PresentWorker { heard: now(), name: printable(&status.name), slots: status.slots };
            self.workers.insert(key, worker);
        } else {
            self.workers.remove(&key);
        }
        self.count_room();
    }

    /// Counts for how many games the workers have room.
    fn count_room(&mut self) {
        self.workers.retain(|_, worker| now().saturating_duration_since(worker.heard) < ALIVE);
        let there = self.workers.values().map(|worker| (worker.name.as_str(), worker.slots));
        if let Some(news) = self.roll_call.news(now(), there) {
            (self.say)(news);
        }
        let slots: usize = self.workers.values().map(|worker| worker.slots).sum();
        let room = slots.saturating_mul(AHEAD);
        self.room.send_if_modified(|known| std::mem::replace(known, room) != room);
    }

    /// Waits until all answers are saved. Takes the run off the broker if no game is out; else its answers stay there for the
    /// next start.
    async fn close(&mut self, at: SetUp, mut answers: Answers) -> Result<(), BrokerError> {
        while let Some(saved) = self.saved.recv().await {
            self.let_go(saved, &mut answers).await?;
        }
        let names = self.names();
        let SetUp { context, jobs: _, answers: _ } = at;
        bucket(&context, RUNS).await?.purge(&names.0).await.map_err(refused("the run cannot be taken off"))?;
        if self.desk.is_empty() && answers.early.is_empty() {
            for stream in [names.jobs(), names.answers()] {
                context.delete_stream(stream).await.map_err(refused("a stream cannot be deleted"))?;
            }
        }
        // What was only handed to the client must be on its way before the program ends.
        self.client.flush().await.map_err(refused("the last messages were not sent"))
    }
}

/// Publishes `jobs`. A job that is there already is left alone.
async fn publish(context: &Context, names: &RunNames, jobs: &[Job]) -> Result<(), BrokerError> {
    let mut sent = Vec::new();
    for job in jobs {
        let payload = serde_json::to_vec(job).unwrap_or_default();
        let publishing = context.publish(names.job(job.number, job.nth), payload.into()).await;
        sent.push(publishing.map_err(refused("a job cannot be published"))?.into_future());
    }
    for published in join_all(sent).await {
        match published {
            Err(error) if !is_refused_as_repeated(&error) => return Err(refused("a job cannot be published")(error)),
            _ => {}
        }
    }
    Ok(())
}

async fn acknowledge(answer: &Message) -> Result<(), BrokerError> {
    let acknowledged = answer.ack().await;
    acknowledged.map_err(|why| BrokerError::Refused { what: "an answer cannot be acknowledged", why: why.to_string() })
}

/// The broker has ended a subscription.
fn gone() -> BrokerError {
    BrokerError::Refused { what: "a subscription has ended", why: "the broker is gone, or was emptied".to_owned() }
}
