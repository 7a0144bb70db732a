//! A coordinator's work at the broker.

mod additions;

use std::collections::BTreeSet;
use std::future::IntoFuture as _;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use async_nats::Client;
use async_nats::connection::State;
use async_nats::jetstream::consumer::pull;
use async_nats::jetstream::kv::{Operation, Store};
use async_nats::jetstream::stream::Stream;
use async_nats::jetstream::{Context, Message};
use futures_util::StreamExt as _;
use futures_util::future::join_all;
use serde::Deserialize;
use tokio::sync::{mpsc, watch};
use tokio::time::{MissedTickBehavior, interval};

use super::SavedGame;
use super::answers::Answers;
use super::attendance::{Attendees, WorkerTidings};
use super::desk::{Desk, LaneJob, LaneTry, Verdict};
use super::sent_field::SentField;
use crate::base::time::{now, sleep_until};
use crate::machines::broker::{
    ALIVE, ANSWERS, BrokerError, ConsumerTerms, DELIVERIES, GameTry, HEARTBEAT, RUNS, RunNames, Say, WORKERS, bucket,
    bundles, consumer, digest_in_store, is_refused_as_repeated, jetstream, manifests, refused, work_queue,
};
use crate::machines::bundle::Bundle;
use crate::machines::lane::Lane;
use crate::machines::messages::{Manifest, RunNotice, Taken};
use crate::run::addition::Addition;
use crate::run::elsewhere::Room;
use crate::run::listener::EventQueues;

/// The pause before a new session.
const PAUSE: Duration = Duration::from_secs(1);

/// How long an answer may wait for its game to be saved before the answer is redelivered.
const SAVING: Duration = Duration::from_mins(10);

/// How many bytes of answers may be in flight from the broker. The total may exceed this limit by one answer.
const MOST_BYTES: usize = 16 << 20;

/// A coordinator.
pub(super) struct Office {
    pub(super) client: Client,
    /// The notice that is sent to workers periodically.
    pub(super) notice: RunNotice,
    /// The manifest, and its text, which workers read.
    pub(super) manifest: Manifest,
    pub(super) manifest_text: Vec<u8>,
    pub(super) timeout: Duration,
    /// The players in the manifest.
    pub(super) field: SentField,
    pub(super) desk: Desk,
    /// The queues of the run's listeners.
    pub(super) queues: EventQueues,
    /// The games that the executor sends out, and other additions to the run.
    pub(super) asked: mpsc::UnboundedReceiver<Addition>,
    /// The games that have been saved to the journal.
    pub(super) saved: mpsc::UnboundedReceiver<SavedGame>,
    pub(super) room: watch::Sender<Room>,
    /// The workers.
    pub(super) attendees: Attendees,
    /// Jobs to be taken back.
    pub(super) gone: Vec<LaneTry>,
    /// The digests of bundles that are altered at the broker.
    pub(super) doubted: BTreeSet<String>,
    /// What happens while the broker is unavailable.
    pub(super) meanwhile: &'static str,
    pub(super) say: Say,
}

/// The streams and consumers that a session has opened.
pub(super) struct SetUp {
    context: Context,
    jobs: Stream,
    /// The lanes from which workers can take jobs.
    lanes: BTreeSet<Lane>,
    answers: pull::Stream,
    /// How many times this machine had connected to the broker when the session began.
    connects: u64,
}

/// The broker's advisory that a job was delivered too many times.
#[derive(Deserialize)]
struct Exhausted {
    stream_seq: u64,
}

impl Office {
    fn names(&self) -> RunNames {
        RunNames(self.notice.run.clone())
    }

    /// Shares games with workers until no more games are requested and all answers are saved.
    pub(super) async fn run(mut self) {
        let mut has_said = false;
        let mut worked_last = now();
        loop {
            let connects = self.connects();
            let (is_set_up, worked) = match self.set_up().await {
                Ok(set_up) => (true, Box::pin(self.session(set_up, &mut has_said)).await),
                Err(error) => (false, Err(error)),
            };
            match worked {
                Ok(()) => return,
                Err(_) if self.asked.is_closed() => return,
                Err(error) => {
                    if self.is_news(&error, connects) && !std::mem::replace(&mut has_said, true) {
                        (self.say)(format!("{error}; {}", self.meanwhile));
                    }
                    if is_set_up {
                        worked_last = now();
                    } else if now().saturating_duration_since(worked_last) > self.timeout.max(ALIVE) {
                        // Workers cannot be reached, so this machine plays their games.
                        self.lose_all();
                    }
                    sleep_until(now() + PAUSE).await;
                }
            }
        }
    }

    /// Sets up a session for the first time, which reveals whether a permission is missing. If the connection is lost
    /// meanwhile, this is tried again once the broker is back, as in [`run`](Self::run), for as long as a worker that is
    /// silent counts as alive.
    ///
    /// # Errors
    /// Fails if the broker refuses something, or does not come back.
    pub(super) async fn set_up_first(&mut self) -> Result<(), BrokerError> {
        let deadline = now() + self.timeout.max(ALIVE);
        loop {
            let connects = self.connects();
            match self.set_up().await {
                Err(error) if self.is_news(&error, connects) || now() > deadline => return Err(error),
                Err(_) => sleep_until(now() + PAUSE).await,
                Ok(_) => return Ok(()),
            }
        }
    }

    /// Creates everything that is missing at the broker, and publishes the outstanding jobs.
    async fn set_up(&mut self) -> Result<SetUp, BrokerError> {
        let connects = self.connects();
        let context = jetstream(&self.client);
        let names = self.names();
        let jobs = work_queue(&context, names.jobs(), format!("gothello.{}.job.>", names.0)).await?;
        let answers = work_queue(&context, names.answers(), format!("gothello.{}.result.>", names.0)).await?;
        let lanes: BTreeSet<Lane> = self.desk.lanes().cloned().chain([Lane::without([])]).collect();
        for lane in &lanes {
            self.open_lane(&jobs, lane).await?;
        }
        let name = ANSWERS.to_owned();
        let subjects = format!("gothello.{}.result.>", names.0);
        let reading = consumer(&answers, ConsumerTerms { name, subjects, timeout: SAVING, deliveries: -1 }).await?;
        bucket(&context, WORKERS).await?;
        self.describe(&context).await?;
        self.take_back(&jobs).await?;
        let out = self.desk.jobs();
        publish(&context, &names, &out).await?;
        let answers = reading.stream().max_messages_per_batch(1_000).max_bytes_per_batch(MOST_BYTES);
        let answers = answers.heartbeat(HEARTBEAT * 2).expires(HEARTBEAT * 5);
        let answers = answers.messages().await.map_err(refused("answers cannot be read"))?;
        Ok(SetUp { context, jobs, lanes, answers, connects })
    }

    /// Describes the run to workers, and stores the files of its players.
    async fn describe(&mut self, context: &Context) -> Result<(), BrokerError> {
        self.store_bundles(context).await?;
        let described = manifests(context).await?.put(&self.notice.run, self.manifest_text.clone().into()).await;
        described.map_err(refused("the run cannot be described to workers"))?;
        self.show(context).await
    }

    /// Uploads the bundles that are missing from the store, or that a worker has reported as altered.
    async fn store_bundles(&mut self, context: &Context) -> Result<(), BrokerError> {
        let store = bundles(context).await?;
        for Bundle { digest, bytes } in self.field.bundles() {
            let there = store.info(digest).await.ok();
            let is_there = there.and_then(|info| info.digest).as_deref() == Some(&digest_in_store(bytes));
            if !is_there || self.doubted.contains(digest) {
                let put = store.put(digest.as_str(), &mut bytes.as_slice()).await;
                put.map_err(refused("the files of a player cannot be stored"))?;
            }
        }
        self.doubted.clear();
        Ok(())
    }

    /// Creates the consumer from which workers take the jobs of `lane`.
    async fn open_lane(&self, jobs: &Stream, lane: &Lane) -> Result<(), BrokerError> {
        let (name, subjects) = (lane.to_string(), self.names().jobs_in(lane));
        let terms = ConsumerTerms { name, subjects, timeout: self.timeout, deliveries: DELIVERIES };
        consumer(jobs, terms).await.map(drop)
    }

    /// Takes back the jobs in lanes from which no worker takes jobs.
    async fn take_back(&mut self, jobs: &Stream) -> Result<(), BrokerError> {
        while let Some((lane, at)) = self.gone.last() {
            let subject = self.names().job(lane, *at);
            jobs.purge().filter(subject).await.map_err(refused("a job cannot be withdrawn"))?;
            self.gone.pop();
        }
        Ok(())
    }

    /// Announces the run to workers. Call this repeatedly.
    async fn show(&self, context: &Context) -> Result<(), BrokerError> {
        let runs = bucket(context, RUNS).await?;
        let text = serde_json::to_vec(&self.notice).unwrap_or_default();
        runs.put(&self.notice.run, text.into()).await.map(drop).map_err(refused("the run cannot be announced"))
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
                    Some(addition) => self.add(addition, &mut answers, &at.context).await?,
                    None => return self.close(at, answers).await,
                },
                packed = self.field.packed() => self.extend(packed, &at.context).await?,
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
                    match status.operation {
                        Operation::Put => self.hear(status.key, Some(&status.value)),
                        Operation::Delete | Operation::Purge => self.hear(status.key, None),
                    }
                }
                _ = ticks.tick() => {
                    self.show(&at.context).await?;
                    if self.attendees.miss_the_silent() {
                        self.restaff();
                    }
                    self.say_who_is_there();
                    for text in self.desk.look_for_unplayable(now(), self.timeout) {
                        (self.say)(text);
                    }
                    self.desk.end_unplayable(now(), self.timeout).await;
                    publish(&at.context, &names, &self.desk.jobs_to_renew(now(), self.timeout)).await?;
                }
            }
            self.check_connection(&at)?;
            self.settle(&mut at).await?;
        }
    }

    /// Whether `error` should be reported to the user: it has not already been reported as a lost connection. This is
    /// true if the connection is up, and has been up since the failed work began, when this machine had connected
    /// `connects` times.
    fn is_news(&self, error: &BrokerError, connects: u64) -> bool {
        let has_stood = self.client.connection_state() == State::Connected && self.connects() == connects;
        !matches!(error, BrokerError::Interrupted) && has_stood
    }

    fn connects(&self) -> u64 {
        self.client.statistics().connects.load(Relaxed)
    }

    /// Checks that the connection has not been interrupted. The client reconnects on its own. However, a broker that
    /// was killed may have lost jobs and answers that it had accepted, and a consumer whose state is older than the
    /// state of its stream delivers nothing. A new session recreates the consumers and publishes the missing jobs.
    fn check_connection(&self, at: &SetUp) -> Result<(), BrokerError> {
        if self.connects() == at.connects { Ok(()) } else { Err(BrokerError::Interrupted) }
    }

    /// Carries out the desk's decisions at the broker, and informs the executor how many further games can be sent out.
    async fn settle(&mut self, at: &mut SetUp) -> Result<(), BrokerError> {
        if !self.doubted.is_empty() {
            self.store_bundles(&at.context).await?;
        }
        let new: Vec<Lane> = self.desk.lanes().filter(|lane| !at.lanes.contains(lane)).cloned().collect();
        for lane in new {
            self.open_lane(&at.jobs, &lane).await?;
            at.lanes.insert(lane);
        }
        self.take_back(&at.jobs).await?;
        // If this fails, the next session publishes the jobs.
        let placed = self.desk.place_waiting();
        publish(&at.context, &self.names(), &placed).await?;
        let room = self.desk.room();
        self.room.send_if_modified(|known| std::mem::replace(known, room.clone()) != room);
        Ok(())
    }

    /// Handles `answer` as the desk decides.
    async fn take(
        &mut self,
        answer: Message,
        answers: &mut Answers<Message>,
        context: &Context,
    ) -> Result<(), BrokerError> {
        let Some(at) = RunNames::of_subject(&answer.subject) else { return acknowledge(&answer).await };
        match self.desk.answered(at, &answer.payload) {
            Verdict::Keep(game) => answers.keep(game, without_contents(answer)),
            Verdict::Early => answers.keep_early(at.number, without_contents(answer)),
            Verdict::Late => acknowledge(&answer).await?,
            Verdict::Wrong { again, why } => {
                (self.say)(format!("an answer was refused: {why}"));
                acknowledge(&answer).await?;
                publish(context, &self.names(), again.as_slice()).await?;
            }
        }
        Ok(())
    }

    /// Acknowledges the answers to the game that has been saved.
    async fn let_go(&mut self, saved: SavedGame, answers: &mut Answers<Message>) -> Result<(), BrokerError> {
        self.desk.saved(saved);
        for answer in answers.done_with(saved) {
            acknowledge(&answer).await?;
        }
        Ok(())
    }

    /// Takes back the job with the number `sequence` in the stream, which was delivered too many times.
    async fn give_up(&mut self, jobs: &Stream, sequence: u64) -> Result<(), BrokerError> {
        let Ok(job) = jobs.get_raw_message(sequence).await else { return Ok(()) };
        jobs.delete_message(sequence).await.map_err(refused("a job cannot be withdrawn"))?;
        if let Some(at) = RunNames::of_subject(&job.subject) {
            self.desk.exhausted(at);
        }
        Ok(())
    }

    /// Handles the status of the worker `key`. `None` means that the worker has left.
    fn hear(&mut self, key: String, status: Option<&[u8]>) {
        let Some(status) = status else {
            if self.attendees.miss(&key) {
                self.restaff();
            }
            return;
        };
        let WorkerTidings { said, doubted, is_change } = self.attendees.hear(key, status, &self.notice.run);
        for text in said {
            (self.say)(text);
        }
        self.doubted.extend(doubted.iter().flat_map(|player| self.field.digests(player)));
        if is_change {
            self.restaff();
        }
    }

    /// Informs the desk and the user about the connected workers.
    fn restaff(&mut self) {
        let gone = self.desk.staff(self.attendees.workers());
        self.gone.extend(gone);
        self.queues.put(&self.attendees.count());
        self.say_who_is_there();
    }

    fn say_who_is_there(&mut self) {
        if let Some(news) = self.attendees.news() {
            (self.say)(news);
        }
    }

    /// Forgets all workers, because the broker has been unavailable for too long.
    fn lose_all(&mut self) {
        self.attendees.miss_all();
        self.restaff();
        // Without workers, there is nothing to publish: games that this machine can play are returned.
        let _ = self.desk.place_waiting();
        self.room.send_replace(self.desk.room());
    }

    /// Waits until all answers are saved. Removes the run from the broker if there are no outstanding games; otherwise,
    /// its answers stay at the broker for the next start.
    async fn close(&mut self, at: SetUp, mut answers: Answers<Message>) -> Result<(), BrokerError> {
        while let Some(saved) = self.saved.recv().await {
            self.let_go(saved, &mut answers).await?;
        }
        let is_complete = self.desk.is_empty() && answers.is_empty();
        let deadline = now() + ALIVE;
        loop {
            let connects = self.connects();
            let cleared = self.clear_away(&at.context, is_complete).await;
            // A broker that was killed meanwhile may have forgotten what it has removed.
            let is_settled = match &cleared {
                Ok(()) => self.connects() == connects,
                Err(error) => self.is_news(error, connects),
            };
            if is_settled || now() > deadline {
                return cleared;
            }
            sleep_until(now() + PAUSE).await;
        }
    }

    /// Removes the run's notice from the broker, and everything else if the run `is_complete`. Removes as much as
    /// possible, and returns the first error.
    async fn clear_away(&self, context: &Context, is_complete: bool) -> Result<(), BrokerError> {
        let names = self.names();
        let mut cleared = purge(bucket(context, RUNS).await, &names).await;
        if is_complete {
            cleared = cleared.and(purge(manifests(context).await, &names).await);
            for stream in [names.jobs(), names.answers()] {
                let deleted = context.delete_stream(stream).await.map(drop);
                cleared = cleared.and(deleted.map_err(refused("a stream cannot be deleted")));
            }
        }
        // Messages that were only queued in the client must be sent before the program ends.
        cleared.and(self.client.flush().await.map_err(refused("the last messages were not sent")))
    }
}

/// Removes the run from a bucket.
async fn purge(bucket: Result<Store, BrokerError>, names: &RunNames) -> Result<(), BrokerError> {
    bucket?.purge(&names.0).await.map_err(refused("the run cannot be removed"))
}

/// Publishes `jobs`. Jobs that are already at the broker are left unchanged.
async fn publish(context: &Context, names: &RunNames, jobs: &[LaneJob]) -> Result<(), BrokerError> {
    let mut sent = Vec::new();
    for LaneJob { lane, job } in jobs {
        let payload = serde_json::to_vec(job).unwrap_or_default();
        let at = GameTry { number: job.number, nth: job.nth };
        let publishing = context.publish(names.job(lane, at), payload.into()).await;
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

/// Returns the answer without its contents. The rest is enough to acknowledge the answer, or to request it again.
fn without_contents(mut answer: Message) -> Message {
    answer.message.payload = Vec::new().into();
    answer
}

async fn acknowledge(answer: &Message) -> Result<(), BrokerError> {
    let acknowledged = answer.ack().await;
    acknowledged.map_err(|why| BrokerError::Refused { what: "an answer cannot be acknowledged", why: why.to_string() })
}

/// The error to return if the broker has ended a subscription.
fn gone() -> BrokerError {
    BrokerError::Refused { what: "a subscription has ended", why: "the broker or its store is gone".to_owned() }
}
