//! Simulated workers: tasks that send a worker's messages to a real broker, and answer with records prepared in
//! advance.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use async_nats::Client;
use async_nats::jetstream::consumer::{Consumer, pull};
use async_nats::jetstream::kv::{Operation, Store};
use async_nats::jetstream::{AckKind, Context, Message, new};
use futures_util::StreamExt as _;
use gothello_arena::base::random::SplitMix64;
use gothello_arena::game::BySide;
use gothello_arena::tournament::Tournament;
use gothello_arena::tournament::definition::Definition;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{interval, sleep};

use crate::random_game::play;

/// The interval between a worker's heartbeats.
const HEARTBEAT: Duration = Duration::from_secs(2);

/// The name of the consumer from which workers take the games of all players.
pub(crate) const LANE: &str = "all";

/// The answers to all jobs of a run, prepared before the run begins.
pub(crate) struct Answers {
    /// The answers, by game number.
    payloads: Vec<Vec<u8>>,
}

impl Answers {
    /// Plays all games of the tournament file `text` with random moves.
    pub(crate) fn to(text: &str) -> Self {
        let tournament = Tournament::parse(text, "class").expect("right");
        let mut random = SplitMix64::new(1);
        let games = Definition::from(&tournament).schedule(&[]);
        let payload = |spec| {
            let mut record = play(&tournament, &spec, &mut random);
            record.digests = BySide::default();
            let silent = serde_json::json!({"stdout": "", "stderr": "", "turns": []});
            let answer = serde_json::json!({
                "worker": "simulated", "record": record.to_string(), "black": silent, "white": silent,
            });
            answer.to_string().into_bytes()
        };
        Self { payloads: games.games().map(payload).collect() }
    }

    pub(crate) fn len(&self) -> u64 {
        self.payloads.len() as u64
    }

    pub(crate) fn of(&self, number: u64) -> &[u8] {
        &self.payloads[usize::try_from(number).expect("they fit")]
    }

    /// The mean length of an answer in bytes.
    pub(crate) fn mean_length(&self) -> u64 {
        self.payloads.iter().map(|payload| payload.len() as u64).sum::<u64>() / self.len()
    }
}

/// How simulated workers behave.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Behaviour {
    pub(crate) workers: usize,
    /// How many games each worker plays at the same time.
    pub(crate) slots: usize,
    /// How long a game takes.
    pub(crate) thinking: Duration,
}

/// The work of simulated workers so far.
#[derive(Debug, Default)]
pub(crate) struct Done {
    pub(crate) answered: AtomicU64,
    /// How many workers have found the run.
    pub(crate) playing: AtomicU64,
    /// The total size of the jobs in bytes.
    pub(crate) job_bytes: AtomicU64,
    /// How many jobs or answers were refused or lost by the broker.
    pub(crate) failed: AtomicU64,
}

/// Simulated workers, which play until they are dropped.
pub(crate) struct Workforce {
    pub(crate) done: Arc<Done>,
    over: watch::Sender<bool>,
    threads: Vec<JoinHandle<()>>,
}

impl Workforce {
    /// Starts workers at the broker `url`, on this many threads.
    pub(crate) fn start(url: &str, behaviour: Behaviour, threads: NonZeroUsize, answers: &Arc<Answers>) -> Self {
        let done = Arc::<Done>::default();
        let (over, is_over) = watch::channel(false);
        let start = |thread: usize| {
            let (url, answers, done, is_over) =
                (url.to_owned(), Arc::clone(answers), Arc::clone(&done), is_over.clone());
            std::thread::spawn(move || {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
                runtime.block_on(async {
                    let mut workers = JoinSet::new();
                    for number in (thread..behaviour.workers).step_by(threads.get()) {
                        let worker = Worker {
                            client: connect(&url).await,
                            name: format!("simulated-{number:04}"),
                            behaviour,
                            answers: Arc::clone(&answers),
                            done: Arc::clone(&done),
                            is_over: is_over.clone(),
                        };
                        workers.spawn(worker.work());
                    }
                    workers.join_all().await;
                });
            })
        };
        let threads = (0..threads.get()).map(start).collect();
        Self { done, over, threads }
    }
}

impl Drop for Workforce {
    fn drop(&mut self) {
        self.over.send_replace(true);
        for thread in self.threads.drain(..) {
            assert!(thread.join().is_ok() || std::thread::panicking(), "a simulated worker has failed");
        }
    }
}

/// Connects to the broker at `url`.
pub(crate) async fn connect(url: &str) -> Client {
    let patient = async_nats::ConnectOptions::new().connection_timeout(Duration::from_mins(1));
    patient.connect(url).await.expect("connected")
}

/// A simulated worker.
#[derive(Clone)]
struct Worker {
    client: Client,
    name: String,
    behaviour: Behaviour,
    answers: Arc<Answers>,
    done: Arc<Done>,
    is_over: watch::Receiver<bool>,
}

impl Worker {
    /// Waits for a run, and plays its games.
    async fn work(self) {
        let context = new(self.client.clone());
        let mut is_over = self.is_over.clone();
        tokio::select! {
            _ = is_over.wait_for(|over| *over) => {}
            () = self.play(&context) => {}
        }
    }

    async fn play(&self, context: &Context) {
        let runs = opened(context, "gothello_runs").await;
        let mut shown = runs.watch_with_history(">").await.expect("watched");
        let (run, notice) = loop {
            let entry = shown.next().await.expect("the broker is there").expect("an entry");
            if entry.operation == Operation::Put {
                let notice: serde_json::Value = serde_json::from_slice(&entry.value).expect("a notice");
                break (entry.key, notice);
            }
        };
        self.done.playing.fetch_add(1, Relaxed);
        let mut slots = JoinSet::new();
        for _ in 0..self.behaviour.slots {
            slots.spawn(self.clone().fill_slot(run.clone()));
        }
        let statuses = opened(context, "gothello_workers").await;
        let status = serde_json::json!({
            "name": self.name, "program": env!("CARGO_PKG_VERSION"), "run": run, "slots": self.behaviour.slots, "cores": 1,
            "speed": null, "playing": self.behaviour.slots, "played": 0, "unfit": null, "unfit_for": null,
            "manifest": notice["manifest"], "cannot": {},
        });
        let status = status.to_string();
        let mut ticks = interval(HEARTBEAT);
        loop {
            tokio::select! {
                _ = ticks.tick() => drop(statuses.put(&self.name, status.clone().into()).await),
                // Real workers also read this, since it shows that the coordinator is alive.
                _ = shown.next() => {}
            }
        }
    }

    async fn fill_slot(self, run: String) {
        let context = new(self.client.clone());
        let mut consumer: Option<Consumer<pull::Config>> = None;
        loop {
            let from = match consumer.take() {
                Some(consumer) => consumer,
                None => match context.get_consumer_from_stream(LANE, format!("gothello-{run}-jobs")).await {
                    Ok(consumer) => consumer,
                    Err(_) => {
                        sleep(HEARTBEAT / 4).await;
                        continue;
                    }
                },
            };
            let Ok(mut jobs) = from.batch().max_messages(1).expires(HEARTBEAT * 5).messages().await else { continue };
            match jobs.next().await {
                Some(Ok(message)) => self.answer(&context, message, &run).await,
                None => {}
                Some(Err(_)) => continue,
            }
            consumer = Some(from);
        }
    }

    /// Handles a job as a worker does: announces it, waits for the length of a game, and sends the answer.
    async fn answer(&self, context: &Context, job: Message, run: &str) {
        self.done.job_bytes.fetch_add(job.payload.len() as u64, Relaxed);
        let fields: BTreeMap<String, serde_json::Value> = serde_json::from_slice(&job.payload).expect("a job");
        let (number, nth) = (fields["number"].as_u64().expect("a number"), &fields["nth"]);
        let taken = serde_json::json!({"number": number, "worker": self.name}).to_string();
        let _ = self.client.publish(format!("gothello.{run}.taken"), taken.into()).await;
        let _ = job.ack_with(AckKind::Progress).await;
        if !self.behaviour.thinking.is_zero() {
            sleep(self.behaviour.thinking).await;
        }
        let subject = format!("gothello.{run}.result.{number}.{nth}");
        let published = match context.publish(subject, self.answers.of(number).to_vec().into()).await {
            Ok(publishing) => publishing.await.map(drop),
            Err(error) => Err(error),
        };
        if published.is_err() {
            self.done.failed.fetch_add(1, Relaxed);
            return;
        }
        let _ = job.ack().await;
        self.done.answered.fetch_add(1, Relaxed);
    }
}

/// Opens the bucket `name`, which the coordinator creates.
async fn opened(context: &Context, name: &str) -> Store {
    loop {
        match context.get_key_value(name).await {
            Ok(bucket) => return bucket,
            Err(_) => sleep(HEARTBEAT / 10).await,
        }
    }
}

/// Waits until `done` returns true, or fails after `most`.
pub(crate) fn until(most: Duration, what: &str, mut done: impl FnMut() -> bool) {
    let start = Instant::now();
    while !done() {
        assert!(start.elapsed() < most, "{what}: not within {most:?}");
        std::thread::sleep(Duration::from_millis(1));
    }
}
