//! Plays one game after another from the broker.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use async_nats::Client;
use async_nats::jetstream::consumer::{Consumer, pull};
use async_nats::jetstream::context::PublishErrorKind;
use async_nats::jetstream::{AckKind, Context, Message};
use futures_util::StreamExt as _;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::interval;

use super::field::WorkerField;
use super::{WorkerCounts, raise_panic};
use crate::base::sanitise::sanitised;
use crate::base::stop::{Stop, StopSignal};
use crate::base::time::{now, sleep_until};
use crate::host::bot_output::BotOutput;
use crate::machines::broker::{RunNames, Say, is_refused_as_repeated, jetstream};
use crate::machines::lane::Lane;
use crate::machines::messages::{Job, JobAnswer, Taken};
use crate::run::executor::GameThreads;
use crate::run::play::PlayedGame;
use crate::tournament::Tournament;
use crate::tournament::schedule::GameSpec;

/// How long to wait for a job from the broker before asking again.
const WAIT: Duration = Duration::from_secs(10);

/// How long to wait after the broker has failed.
const PAUSE: Duration = Duration::from_millis(500);

/// How long to wait for the players of a job that this worker does not know yet. The coordinator has already described
/// them.
const DESCRIBED: Duration = Duration::from_secs(30);

/// The delay before a job that cannot be read is redelivered.
const UNREADABLE: Duration = Duration::from_secs(1);

/// The maximum overhead of the broker's protocol in a message.
const ENVELOPE: usize = 4096;

/// A slot of a worker, which plays one game at a time.
pub(super) struct WorkerSlot {
    pub(super) client: Client,
    pub(super) names: RunNames,
    pub(super) lane: Lane,
    pub(super) worker: String,
    /// How long the broker waits for a sign of life before it redelivers the job to another worker.
    pub(super) timeout: Duration,
    /// The players with which the next game is played.
    pub(super) field: watch::Receiver<Arc<WorkerField>>,
    pub(super) threads: Arc<GameThreads>,
    pub(super) stop: StopSignal,
    pub(super) is_over: watch::Receiver<bool>,
    pub(super) counts: Arc<WorkerCounts>,
    pub(super) say: Say,
}

impl WorkerSlot {
    /// Plays until the run is over or the worker is stopped.
    pub(super) async fn work(mut self) {
        let context = jetstream(&self.client);
        let (mut queue, mut answering) = (None, JoinSet::new());
        while !*self.is_over.borrow() {
            let mut is_over = self.is_over.clone();
            let job = tokio::select! {
                job = self.next_job(&context, &mut queue) => job,
                _ = is_over.wait_for(|over| *over) => break,
            };
            let Some(message) = job else { continue };
            if let Some(answer) = self.play(message).await {
                // One answer may be in flight while the next game is fetched and played, but no more than one.
                finish(&mut answering).await;
                answering.spawn(answer.send(context.clone(), self.stop.clone(), self.is_over.clone()));
            }
        }
        finish(&mut answering).await;
    }

    /// Waits for a job for a limited time. `queue` is the consumer that delivered the last job.
    async fn next_job(&self, context: &Context, queue: &mut Option<Consumer<pull::Config>>) -> Option<Message> {
        let known = queue.take();
        let fetched = async {
            let consumer = match known {
                Some(known) => known,
                None => context.get_consumer_from_stream(self.lane.to_string(), self.names.jobs()).await.ok()?,
            };
            let mut jobs = consumer.batch().max_messages(1).expires(WAIT).messages().await.ok()?;
            *queue = Some(consumer);
            match jobs.next().await {
                Some(Ok(message)) => Some(Some(message)),
                None => Some(None),
                Some(Err(_)) => None,
            }
        };
        match fetched.await {
            Some(job) => job,
            None => {
                // The broker is unreachable, or the coordinator is recreating the consumer.
                sleep_until(now() + PAUSE).await;
                None
            }
        }
    }

    /// Plays the game of a job. Returns the answer, unless there is none to send.
    async fn play(&mut self, message: Message) -> Option<WrittenAnswer> {
        let job = serde_json::from_slice::<Job>(&message.payload).ok();
        let understood = match &job {
            Some(job) => self.understood(job, &message).await,
            None => None,
        };
        let Some((job, (spec, field))) = job.zip(understood) else {
            // A coordinator that has just been restarted may have players that this worker does not know yet.
            (self.say)(format!("returning a job that cannot be read: {}", sanitised(&message.subject)));
            let _ = message.ack_with(AckKind::Nak(Some(UNREADABLE))).await;
            return None;
        };
        let taken = Taken { number: job.number, worker: self.worker.clone() };
        let _ = self.client.publish(self.names.taken(), serde_json::to_vec(&taken).unwrap_or_default().into()).await;
        let Some((thread, load)) = self.threads.least_loaded() else {
            let _ = message.ack_with(AckKind::Nak(None)).await;
            return None;
        };
        let voided = spec.clone();
        self.counts.playing.fetch_add(1, Relaxed);
        let (arena, stop) = (Arc::clone(&field.arena), self.stop.clone());
        let nobody = spec.players.as_ref().map(|_| None);
        let mut playing = thread.spawn(async move {
            let played = arena.play(spec, nobody, stop).await;
            drop(load);
            played
        });
        let mut signs = interval(self.timeout / 3);
        // Without this, the first sign of life would be due immediately.
        signs.reset();
        let played = loop {
            tokio::select! {
                played = &mut playing => break played,
                _ = signs.tick() => drop(message.ack_with(AckKind::Progress).await),
            }
        };
        self.counts.playing.fetch_sub(1, Relaxed);
        match played {
            Ok(Some(played)) => {
                self.counts.played.fetch_add(1, Relaxed);
                let payload = self.payload(&field, &voided, played);
                Some(WrittenAnswer { subject: self.names.answer(job.number, job.nth), payload, message })
            }
            // The game was aborted, so another worker will get it.
            Ok(None) => {
                let _ = message.ack_with(AckKind::Nak(None)).await;
                None
            }
            Err(error) => {
                raise_panic(Err(error));
                None
            }
        }
    }

    /// The game of `job`, and the field that contains its players. Waits for the field if the players are new.
    /// Meanwhile, signs of life keep the broker from giving `message`, which contains the job, to another worker.
    async fn understood(&mut self, job: &Job, message: &Message) -> Option<(GameSpec, Arc<WorkerField>)> {
        let until = now() + DESCRIBED;
        let mut signs = interval(self.timeout / 3);
        loop {
            let field = Arc::clone(&self.field.borrow_and_update());
            let Tournament { ruleset, players, .. } = &*field.arena.tournament;
            let spec = job.spec(ruleset.seats(), players.len());
            if let Some(spec) = spec.filter(|spec| field.has_players_of(spec)) {
                return Some((spec, field));
            }
            tokio::select! {
                changed = self.field.changed() => changed.ok()?,
                _ = signs.tick() => drop(message.ack_with(AckKind::Progress).await),
                () = ended(self.is_over.clone()) => return None,
                () = sleep_until(until) => return None,
            }
        }
    }

    /// The answer for the game `spec`, which was played with `field`. It is shortened if it is too large for the
    /// broker.
    fn payload(&self, field: &WorkerField, spec: &GameSpec, PlayedGame { record, outputs }: PlayedGame) -> Vec<u8> {
        let most = self.client.server_info().max_payload;
        let text = record.to_string();
        let bundles = spec.players.as_ref().map(|&player| field.bundle_text(player));
        let answer = |text, outputs| payload(&JobAnswer::new(&self.worker, text, outputs, bundles.clone()));
        let whole = answer(text.clone(), outputs);
        if whole.len() + ENVELOPE <= most {
            return whole;
        }
        let game = sanitised(spec.id.as_str());
        let none = || spec.players.as_ref().map(|_| BotOutput::default());
        let record = answer(text, none());
        if record.len() + ENVELOPE <= most {
            (self.say)(format!(
                "{game}: the bots' output is larger than the broker accepts (`max_payload`), and is left out"
            ));
            return record;
        }
        let reason = format!("its log is larger than the {most} bytes that the broker accepts (`max_payload`)");
        (self.say)(format!("{game}: void: {reason}"));
        answer(field.arena.voided(spec, reason).to_string(), none())
    }
}

/// An answer to a job.
struct WrittenAnswer {
    subject: String,
    payload: Vec<u8>,
    /// The message that contained the job.
    message: Message,
}

impl WrittenAnswer {
    /// Publishes the answer, retrying until the broker has accepted it, and only then acknowledges the job. Gives up if
    /// the run has removed its streams: it has ended, or the broker has lost everything and the run has not come back.
    /// In the latter case, another worker gets the game.
    async fn send(self, context: Context, mut stop: StopSignal, is_over: watch::Receiver<bool>) {
        let Self { subject, payload, message } = self;
        loop {
            let published = match context.publish(subject.clone(), payload.clone().into()).await {
                Ok(publishing) => publishing.await.map(drop),
                Err(error) => Err(error),
            };
            match published {
                Err(error) if error.kind() == PublishErrorKind::StreamNotFound && *is_over.borrow() => return,
                Err(error) if !is_refused_as_repeated(&error) => tokio::select! {
                    () = sleep_until(now() + PAUSE) => drop(message.ack_with(AckKind::Progress).await),
                    () = stop.reached(Stop::Now) => return,
                },
                // The answer has arrived, or another worker was faster.
                _ => break,
            }
        }
        let _ = message.ack().await;
    }
}

/// Waits until the slots are told to take no more jobs.
async fn ended(mut is_over: watch::Receiver<bool>) {
    // If the sender is gone, the slot takes no more jobs either.
    drop(is_over.wait_for(|over| *over).await.map(|over| *over));
}

/// Waits for the answers that are in flight.
async fn finish(answering: &mut JoinSet<()>) {
    while let Some(ended) = answering.join_next().await {
        raise_panic(ended);
    }
}

fn payload(answer: &JobAnswer) -> Vec<u8> {
    serde_json::to_vec(answer).unwrap_or_default()
}
