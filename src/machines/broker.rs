//! The connection to a broker, and the names of everything that a run stores at the broker.

mod access;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use async_nats::Client;
use async_nats::jetstream::consumer::pull;
use async_nats::jetstream::stream::{Config, DiscardPolicy, RetentionPolicy, Stream};
use async_nats::jetstream::{self, Context, kv, object_store};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE;
use sha2::{Digest as _, Sha256};
use thiserror::Error;

use super::lane::Lane;
use crate::base::sanitise::{Shown as _, sanitised};
pub(crate) use access::{BrokerAccess, BrokerRole, ConnectionTeller};

/// Receives lines for the user.
pub(crate) type Say = Arc<dyn Fn(String) + Send + Sync>;

/// Why an operation at the broker failed.
#[derive(Debug, Error)]
pub(crate) enum BrokerError {
    /// A file with credentials cannot be used.
    #[error("cannot use `{}` ({option}): {why}", path.shown())]
    Credentials {
        /// The option that names the file.
        option: &'static str,
        /// The file.
        path: PathBuf,
        /// The reason.
        why: String,
    },
    /// There is no connection.
    #[error("cannot connect to the broker at `{url}` (--nats): {why}")]
    Unreachable {
        /// The broker's address, without a password.
        url: String,
        /// The reason, and what to do.
        why: String,
    },
    /// The broker does not have the required features.
    #[error("the broker at `{url}` (--nats) cannot be used: {why}")]
    Unsuitable {
        /// The broker's address, without a password.
        url: String,
        /// The reason, and what to do.
        why: String,
    },
    /// The connection was interrupted and restored, and the user has been notified. The broker may have lost messages
    /// that it had accepted.
    #[error("the connection to the broker was interrupted")]
    Interrupted,
    /// The broker refused a request, or did not answer.
    #[error("broker error: {what}: {why}")]
    Refused {
        /// The attempted operation.
        what: &'static str,
        /// The reason.
        why: String,
    },
}

/// Turns an error into a [`BrokerError::Refused`].
pub(crate) fn refused<E: std::error::Error>(what: &'static str) -> impl Fn(E) -> BrokerError {
    move |error| {
        let mut why = chain(&error);
        if why.contains("timed out") {
            why = format!("it does not answer ({why})");
        }
        if ["insufficient", "resources exceeded", "maximum bytes"].iter().any(|words| why.contains(words)) {
            why.push_str(" (its store is full: see `max_file_store` and `store_dir` in its `jetstream` configuration)");
        }
        BrokerError::Refused { what, why }
    }
}

/// An error with all its causes, sanitised for printing.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        if !text.ends_with(&more) {
            text = format!("{text}: {more}");
        }
        cause = error.source();
    }
    sanitised(&text)
}

/// How long to wait for the broker's answer.
const TIMEOUT: Duration = Duration::from_secs(5);

/// How often coordinators and workers send a heartbeat.
pub(crate) const HEARTBEAT: Duration = Duration::from_secs(2);

/// How long coordinators and workers count as alive after a heartbeat.
pub(crate) const ALIVE: Duration = Duration::from_secs(10);

/// The maximum number of times that a job is delivered to workers before its game becomes void.
pub(crate) const DELIVERIES: i64 = 5;

/// The `JetStream` of a connection.
pub(crate) fn jetstream(client: &Client) -> Context {
    let mut context = jetstream::new(client.clone());
    context.set_timeout(TIMEOUT);
    context
}

/// The name of the consumer from which a coordinator takes answers. No lane has this name, so that a broker can deny
/// workers access to answers.
pub(crate) const ANSWERS: &str = "answers";

/// The names of everything that belongs to one run.
#[derive(Clone, Debug)]
pub(crate) struct RunNames(pub String);

impl RunNames {
    /// The stream of jobs.
    pub(crate) fn jobs(&self) -> String {
        format!("gothello-{}-jobs", self.0)
    }

    /// The stream of answers.
    pub(crate) fn answers(&self) -> String {
        format!("gothello-{}-results", self.0)
    }

    /// The subject of a job in `lane`.
    pub(crate) fn job(&self, lane: &Lane, GameTry { number, nth }: GameTry) -> String {
        format!("gothello.{}.job.{lane}.{number}.{nth}", self.0)
    }

    /// The subjects of all jobs in `lane`.
    pub(crate) fn jobs_in(&self, lane: &Lane) -> String {
        format!("gothello.{}.job.{lane}.>", self.0)
    }

    /// The subject of the answer to a job.
    pub(crate) fn answer(&self, number: u64, nth: u32) -> String {
        format!("gothello.{}.result.{number}.{nth}", self.0)
    }

    /// The subject on which workers announce the games that they take.
    pub(crate) fn taken(&self) -> String {
        format!("gothello.{}.taken", self.0)
    }

    /// Parses the game's number and the number of the try from the subject of a job or an answer.
    pub(crate) fn of_subject(subject: &str) -> Option<GameTry> {
        let mut tokens = subject.rsplit('.');
        let nth = tokens.next()?.parse().ok()?;
        Some(GameTry { number: tokens.next()?.parse().ok()?, nth })
    }

    /// The subject on which the broker reports that a job was delivered too many times.
    pub(crate) fn exhausted(&self) -> String {
        format!("$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES.{}.*", self.jobs())
    }
}

/// One try at a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GameTry {
    /// The game's number in the schedule.
    pub(crate) number: u64,
    /// The try, from 1.
    pub(crate) nth: u32,
}

/// Creates a stream that removes each message once it is acknowledged, and that stores at most one message per subject.
pub(crate) async fn work_queue(context: &Context, name: String, subjects: String) -> Result<Stream, BrokerError> {
    let config = Config {
        name,
        subjects: vec![subjects],
        retention: RetentionPolicy::WorkQueue,
        max_messages_per_subject: 1,
        discard: DiscardPolicy::New,
        discard_new_per_subject: true,
        ..Config::default()
    };
    context.get_or_create_stream(config).await.map_err(refused("a stream cannot be created"))
}

/// The configuration of a consumer of a stream.
pub(crate) struct ConsumerTerms {
    /// The name of the consumer.
    pub(crate) name: String,
    /// The subjects of the messages that the consumer delivers.
    pub(crate) subjects: String,
    /// How long to wait for an acknowledgement.
    pub(crate) timeout: Duration,
    /// The maximum number of deliveries of a message.
    pub(crate) deliveries: i64,
}

/// Recreates a consumer of `stream`, so that deliveries start, and are counted, from the beginning.
pub(crate) async fn consumer(
    stream: &Stream,
    ConsumerTerms { name, subjects, timeout, deliveries }: ConsumerTerms,
) -> Result<jetstream::consumer::Consumer<pull::Config>, BrokerError> {
    // The consumer may not exist yet.
    let _ = stream.delete_consumer(&name).await;
    let config = pull::Config {
        durable_name: Some(name),
        filter_subject: subjects,
        ack_wait: timeout,
        max_deliver: deliveries,
        max_ack_pending: 1_000_000,
        ..pull::Config::default()
    };
    stream.create_consumer(config).await.map_err(refused("a consumer cannot be created"))
}

/// A bucket whose entries expire unless they are renewed.
pub(crate) async fn bucket(context: &Context, name: &str) -> Result<kv::Store, BrokerError> {
    bucket_for(context, name, ALIVE).await
}

/// The bucket of manifests, by the names of their runs. Its entries do not expire.
pub(crate) async fn manifests(context: &Context) -> Result<kv::Store, BrokerError> {
    bucket_for(context, "gothello_manifests", Duration::ZERO).await
}

/// The bucket `name`, whose entries expire after `age`, or never if `age` is zero.
async fn bucket_for(context: &Context, name: &str, age: Duration) -> Result<kv::Store, BrokerError> {
    if let Ok(there) = context.get_key_value(name).await {
        return Ok(there);
    }
    // A bucket is a stream with this configuration. The library's own method first requests information about the
    // account, and does not understand the answers of servers of version 2.9.
    let config = Config {
        name: format!("KV_{name}"),
        subjects: vec![format!("$KV.{name}.>")],
        max_messages_per_subject: 1,
        discard: DiscardPolicy::New,
        max_age: age,
        // The broker does not accept a window longer than the maximum age of the entries.
        duplicate_window: ALIVE,
        allow_rollup: true,
        allow_direct: true,
        deny_delete: true,
        ..Config::default()
    };
    context.get_or_create_stream(config).await.map_err(refused("a bucket cannot be created"))?;
    context.get_key_value(name).await.map_err(refused("a bucket cannot be used"))
}

/// The bucket of runs, by their names.
pub(crate) const RUNS: &str = "gothello_runs";

/// The bucket of workers, by their keys.
pub(crate) const WORKERS: &str = "gothello_workers";

/// How long a bundle stays at the broker.
const BUNDLE_AGE: Duration = Duration::from_hours(24 * 30);

/// The store of bundles, by their digests.
pub(crate) async fn bundles(context: &Context) -> Result<object_store::ObjectStore, BrokerError> {
    const NAME: &str = "gothello_bundles";
    if let Ok(there) = context.get_object_store(NAME).await {
        return Ok(there);
    }
    let config =
        object_store::Config { bucket: NAME.to_owned(), max_age: BUNDLE_AGE, ..object_store::Config::default() };
    context.create_object_store(config).await.map_err(refused("the store of bundles cannot be created"))
}

/// The digest of the archive `bytes`, as written in the store of bundles.
pub(crate) fn digest_in_store(bytes: &[u8]) -> String {
    format!("SHA-256={}", URL_SAFE.encode(Sha256::digest(bytes)))
}

/// Whether a message was refused because the stream already contains a message with the same subject: the same job, or
/// an answer to the same job.
pub(crate) fn is_refused_as_repeated(error: &jetstream::context::PublishError) -> bool {
    chain(error).contains("maximum messages per subject exceeded")
}
