//! The connection to a broker, and the names of everything that a run keeps there.

use std::fmt::Display;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use async_nats::jetstream::consumer::pull;
use async_nats::jetstream::stream::{Config, DiscardPolicy, RetentionPolicy, Stream};
use async_nats::jetstream::{self, Context, kv, object_store};
use async_nats::{Client, ConnectOptions};
use thiserror::Error;

use crate::base::printable::{Shown as _, printable};

/// Why something at the broker did not work.
#[derive(Debug, Error)]
pub(crate) enum BrokerError {
    /// A file with credentials cannot be used.
    #[error("cannot use `{}` ({option}): {why}", path.shown())]
    Credentials {
        /// The option that names the file.
        option: &'static str,
        /// The file.
        path: PathBuf,
        /// Why not.
        why: String,
    },
    /// There is no connection.
    #[error("cannot connect to the broker at `{}` (--nats): {why}", printable(url))]
    Unreachable {
        /// Where the broker should be.
        url: String,
        /// Why not.
        why: String,
    },
    /// The broker refused something, or did not answer.
    #[error("the broker: {what}: {why}")]
    Refused {
        /// What was tried.
        what: &'static str,
        /// Why not.
        why: String,
    },
}

/// Makes a [`BrokerError::Refused`] of an error.
pub(crate) fn refused<E: std::error::Error>(what: &'static str) -> impl Fn(E) -> BrokerError {
    move |error| BrokerError::Refused { what, why: chain(&error) }
}

/// An error with all its causes, fit to be printed.
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
    printable(&text)
}

/// How to reach a broker.
#[derive(Clone, Debug, Default)]
pub(crate) struct BrokerAccess {
    /// The address, such as `nats://broker.example:4222` or `tls://broker.example`.
    pub url: String,
    /// A file with the certificates of the authority that the broker's certificate must come from.
    pub tls_ca: Option<PathBuf>,
    /// A credentials file, with a JWT and its key.
    pub creds: Option<PathBuf>,
    /// A file with the seed of an nkey.
    pub nkey: Option<PathBuf>,
}

impl BrokerAccess {
    /// Connects; later interruptions are mended in the background.
    ///
    /// # Errors
    /// Fails if a file cannot be used, or if the broker cannot be reached or refuses the user.
    pub(crate) async fn connect(&self, name: &str) -> Result<Client, BrokerError> {
        let wrong = |option, path: &PathBuf, why: &dyn Display| BrokerError::Credentials {
            option,
            path: path.clone(),
            why: why.to_string(),
        };
        let mut options = ConnectOptions::new().name(name).connection_timeout(TIMEOUT);
        if let Some(path) = &self.tls_ca {
            fs::metadata(path).map_err(|error| wrong("--tls-ca", path, &error))?;
            options = options.add_root_certificates(path.clone()).require_tls(true);
        }
        if let Some(path) = &self.nkey {
            let seed = fs::read_to_string(path).map_err(|error| wrong("--nkey", path, &error))?;
            options = options.nkey(seed.trim().to_owned());
        }
        if let Some(path) = &self.creds {
            options = options.credentials_file(path).await.map_err(|error| wrong("--creds", path, &error))?;
        }
        let unreachable = |error| BrokerError::Unreachable { url: self.url.clone(), why: chain(&error) };
        options.connect(&self.url).await.map_err(unreachable)
    }
}

/// How long to wait for the broker's answer.
const TIMEOUT: Duration = Duration::from_secs(5);

/// How often coordinators and workers say that they are there.
pub(crate) const HEARTBEAT: Duration = Duration::from_secs(2);

/// For how long after that they count as there.
pub(crate) const ALIVE: Duration = Duration::from_secs(10);

/// How often a job is given to a worker before its game is void.
pub(crate) const DELIVERIES: i64 = 5;

/// The `JetStream` of a connection.
pub(crate) fn jetstream(client: &Client) -> Context {
    let mut context = jetstream::new(client.clone());
    context.set_timeout(TIMEOUT);
    context
}

/// The name of the consumers of a run's streams.
pub(crate) const CONSUMER: &str = "all";

/// The names of what belongs to one run.
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

    /// The subject of the `nth` try at game `number`, among jobs or, with the other word, among answers.
    pub(crate) fn job(&self, number: u64, nth: u32) -> String {
        format!("gothello.{}.job.{number}.{nth}", self.0)
    }

    /// The subject of the answer to a job.
    pub(crate) fn answer(&self, number: u64, nth: u32) -> String {
        format!("gothello.{}.result.{number}.{nth}", self.0)
    }

    /// The subject on which workers say which games they take.
    pub(crate) fn taken(&self) -> String {
        format!("gothello.{}.taken", self.0)
    }

    /// The game's number and the try that the subject of a job or of an answer names.
    pub(crate) fn of_subject(subject: &str) -> Option<GameTry> {
        let mut tokens = subject.rsplit('.');
        let nth = tokens.next()?.parse().ok()?;
        Some(GameTry { number: tokens.next()?.parse().ok()?, nth })
    }

    /// Where the broker says that a job was given away too often.
    pub(crate) fn exhausted(&self) -> String {
        format!("$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES.{}.{CONSUMER}", self.jobs())
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

/// Makes a stream from which each message goes once it is acknowledged, and which holds one message for each subject.
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
    context.get_or_create_stream(config).await.map_err(refused("a stream cannot be made"))
}

/// Makes the consumer of `stream` anew, so that everything in it is delivered, and counted, from the start.
pub(crate) async fn consumer(
    stream: &Stream,
    patience: Duration,
    deliveries: i64,
) -> Result<jetstream::consumer::Consumer<pull::Config>, BrokerError> {
    // It need not be there.
    let _ = stream.delete_consumer(CONSUMER).await;
    let config = pull::Config {
        durable_name: Some(CONSUMER.to_owned()),
        ack_wait: patience,
        max_deliver: deliveries,
        max_ack_pending: 1_000_000,
        ..pull::Config::default()
    };
    stream.create_consumer(config).await.map_err(refused("a consumer cannot be made"))
}

/// A bucket whose entries go unless they are renewed.
pub(crate) async fn bucket(context: &Context, name: &str) -> Result<kv::Store, BrokerError> {
    if let Ok(there) = context.get_key_value(name).await {
        return Ok(there);
    }
    // A bucket is a stream with these values. The library's own way first asks for the account, and does not understand what
    // servers of version 2.9 answer.
    let config = Config {
        name: format!("KV_{name}"),
        subjects: vec![format!("$KV.{name}.>")],
        max_messages_per_subject: 1,
        discard: DiscardPolicy::New,
        max_age: ALIVE,
        duplicate_window: ALIVE,
        allow_rollup: true,
        allow_direct: true,
        deny_delete: true,
        ..Config::default()
    };
    context.get_or_create_stream(config).await.map_err(refused("a bucket cannot be made"))?;
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
    context.create_object_store(config).await.map_err(refused("the store of bundles cannot be made"))
}

/// Whether a message was refused because there is one with its subject: the same job, or an answer to the same job.
pub(crate) fn is_refused_as_repeated(error: &jetstream::context::PublishError) -> bool {
    chain(error).contains("maximum messages per subject exceeded")
}
