//! The floor for a coordinator: a program that publishes jobs in advance, receives answers, and acknowledges each,
//! without inspecting anything.

use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use async_nats::jetstream::consumer::pull;
use async_nats::jetstream::stream::{Config, DiscardPolicy, RetentionPolicy, Stream};
use async_nats::jetstream::{Context, new};
use futures_util::StreamExt as _;
use futures_util::future::join_all;

use crate::simulated::{LANE, connect};

/// The name of the fake run.
const RUN: &str = "0000000000000000";

/// The exchange of jobs and answers between workers and a bare coordinator.
pub(crate) struct Exchange(JoinHandle<f64>);

impl Exchange {
    /// Publishes `jobs` jobs at the broker `url`, with at most `ahead` of them unanswered at any time.
    pub(crate) fn start(url: &str, jobs: u64, ahead: usize) -> Self {
        let url = url.to_owned();
        Self(std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(exchange(&url, jobs, ahead as u64))
        }))
    }

    /// Waits for the last answer. Returns the number of answers per second since the first one.
    pub(crate) fn end(self) -> f64 {
        self.0.join().expect("no panic")
    }
}

/// A job as long as a real one.
fn job(number: u64) -> Vec<u8> {
    let job = serde_json::json!({
        "game": format!("r100-player-10-player-9-{number}"), "number": number, "nth": 1, "round": 100, "black": 9, "white": 8,
        "seed": u64::MAX - number, "opening": [],
    });
    job.to_string().into_bytes()
}

async fn exchange(url: &str, jobs: u64, ahead: u64) -> f64 {
    let client = connect(url).await;
    let context = new(client.clone());
    let job_stream = queue(&context, "jobs", "job").await;
    let answer_stream = queue(&context, "results", "result").await;
    consumer(&job_stream, LANE, format!("gothello.{RUN}.job.>")).await;
    let answers = consumer(&answer_stream, "answers", format!("gothello.{RUN}.result.>")).await;
    let mut answers = answers.stream().max_messages_per_batch(1000).messages().await.expect("read");
    for bucket in ["gothello_workers", "gothello_runs"] {
        let config = Config {
            name: format!("KV_{bucket}"),
            subjects: vec![format!("$KV.{bucket}.>")],
            max_messages_per_subject: 1,
            allow_rollup: true,
            allow_direct: true,
            ..Config::default()
        };
        context.create_stream(config).await.expect("made");
    }
    context.publish(format!("$KV.gothello_runs.{RUN}"), "{}".into()).await.expect("shown").await.expect("shown");
    let (mut published, mut answered, mut start) = (0, 0, Instant::now());
    while answered < jobs {
        let mut sent = Vec::new();
        // Publish many at a time, since each batch waits for the broker.
        let room = answered + ahead - published;
        while room >= ahead / 4 && published < jobs && published < answered + ahead {
            let subject = format!("gothello.{RUN}.job.{LANE}.{published}.1");
            sent.push(context.publish(subject, job(published).into()).await.expect("published").into_future());
            published += 1;
        }
        for published in join_all(sent).await {
            published.expect("published");
        }
        let answer = answers.next().await.expect("an answer").expect("an answer");
        if answered == 0 {
            start = Instant::now();
        }
        answer.ack().await.expect("acknowledged");
        answered += 1;
    }
    client.flush().await.expect("flushed");
    #[expect(clippy::cast_precision_loss, reason = "small")]
    let rate = jobs as f64 / start.elapsed().as_secs_f64();
    rate
}

async fn queue(context: &Context, name: &str, word: &str) -> Stream {
    let config = Config {
        name: format!("gothello-{RUN}-{name}"),
        subjects: vec![format!("gothello.{RUN}.{word}.>")],
        retention: RetentionPolicy::WorkQueue,
        max_messages_per_subject: 1,
        discard: DiscardPolicy::New,
        discard_new_per_subject: true,
        ..Config::default()
    };
    context.create_stream(config).await.expect("made")
}

async fn consumer(
    stream: &Stream,
    name: &str,
    subjects: String,
) -> async_nats::jetstream::consumer::Consumer<pull::Config> {
    let config = pull::Config {
        durable_name: Some(name.to_owned()),
        filter_subject: subjects,
        ack_wait: Duration::from_secs(30),
        max_ack_pending: 1_000_000,
        ..pull::Config::default()
    };
    stream.create_consumer(config).await.expect("made")
}
