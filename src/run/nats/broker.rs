//! The connection to a broker, and the names of everything that a run keeps there.

use std::fmt::Display;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use async_nats::jetstream::consumer::pull;
use async_nats::jetstream::stream::{Config, DiscardPolicy, RetentionPolicy, Stream};
use async_nats::jetstream::{self, Context, kv, object_store};
use async_nats::{Client, ConnectError, ConnectErrorKind, ConnectOptions, ServerAddr, ServerInfo};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE;
use sha2::{Digest as _, Sha256};
use thiserror::Error;

use super::lane::Lane;
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
    #[error("cannot connect to the broker at `{url}` (--nats): {why}")]
    Unreachable {
        /// Where the broker should be, without a password.
        url: String,
        /// Why not, and what to do.
        why: String,
    },
    /// The broker is not of the right kind.
    #[error("the broker at `{url}` (--nats) cannot be used: {why}")]
    Unsuitable {
        /// Where the broker is, without a password.
        url: String,
        /// Why not, and what to do.
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
    move |error| {
        let mut why = chain(&error);
        if ["insufficient", "resources exceeded", "maximum bytes"].iter().any(|words| why.contains(words)) {
            why.push_str(" (its store is full: see `max_file_store` and `store_dir` of its `jetstream`)");
        }
        BrokerError::Refused { what, why }
    }
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

/// Who is connected to a broker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BrokerRole {
    /// A run.
    Coordinator,
    /// A worker, or somebody who looks at workers.
    Worker,
}

impl BrokerRole {
    /// Where the broker sends what is for this client alone. Workers, who may not read what is for coordinators, have another
    /// place; docs/nats.conf names both.
    const fn inbox(self) -> &'static str {
        match self {
            Self::Coordinator => "_INBOX.gothello_coordinator",
            Self::Worker => "_INBOX.gothello_worker",
        }
    }
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
    pub(crate) async fn connect(&self, role: BrokerRole, name: &str) -> Result<Client, BrokerError> {
        let wrong = |option, path: &PathBuf, why: &dyn Display| BrokerError::Credentials {
            option,
            path: path.clone(),
            why: why.to_string(),
        };
        let mut options = ConnectOptions::new().name(name).connection_timeout(TIMEOUT);
        options = options.custom_inbox_prefix(role.inbox()).ping_interval(HEARTBEAT * 5);
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
        let url = without_password(&self.url);
        let unreachable = |error: &ConnectError| BrokerError::Unreachable { url: url.clone(), why: unreachable(error) };
        let addresses: Result<Vec<ServerAddr>, _> = self.url.split(',').map(str::parse).collect();
        let addresses =
            addresses.map_err(|error| unreachable(&ConnectError::with_source(ConnectErrorKind::ServerParse, error)))?;
        // The library leaves what stands in an address to its user.
        if let Some((user, password)) =
            addresses.iter().find_map(|address| Some((address.username()?, address.password())))
        {
            options = match password {
                Some(password) => options.user_and_password(percent_decoded(user), percent_decoded(password)),
                None => options.token(percent_decoded(user)),
            };
        }
        let client = options.connect(addresses).await.map_err(|error| unreachable(&error))?;
        match unsuitable(&client.server_info()) {
            None => Ok(client),
            Some(why) => Err(BrokerError::Unsuitable { url, why }),
        }
    }
}

/// An address, fit to be printed, without the user, the password or the token that may stand in it.
fn without_password(url: &str) -> String {
    let each = url.split(',').map(|url| {
        let (scheme, rest) = url.split_once("://").map_or(("", url), |(scheme, rest)| (scheme, rest));
        let separator = if rest.len() < url.len() { "://" } else { "" };
        rest.rsplit_once('@').map_or_else(|| url.to_owned(), |(_, host)| format!("{scheme}{separator}***@{host}"))
    });
    printable(&each.collect::<Vec<_>>().join(","))
}

/// A part of an address without its escapes, such as `%40` for `@`.
fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, more @ ..] = rest {
        let escaped = more.get(..2).filter(|_| *first == b'%').and_then(|digits| std::str::from_utf8(digits).ok());
        let escaped =
            escaped.filter(|digits| !digits.starts_with('+')).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(escaped.unwrap_or(*first));
        rest = if escaped.is_some() { &more[2..] } else { more };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Why there is no connection, and what to do.
fn unreachable(error: &ConnectError) -> String {
    let why = chain(error);
    // What is wrong with a certificate comes as an error of the connection.
    let kind = if why.contains("certificate") { ConnectErrorKind::Tls } else { error.kind() };
    let advice = match kind {
        ConnectErrorKind::Authentication | ConnectErrorKind::AuthorizationViolation => {
            "the broker does not know this user, see --nkey and --creds"
        }
        ConnectErrorKind::Tls => {
            "--tls-ca names the certificate of the authority that signed the broker's own, which must be valid for this host"
        }
        ConnectErrorKind::ServerParse => "an address looks like nats://broker.example:4222",
        ConnectErrorKind::Dns | ConnectErrorKind::TimedOut | ConnectErrorKind::Io | ConnectErrorKind::MaxReconnects => {
            "is nats-server running there?"
        }
    };
    format!("{why} ({advice})")
}

/// The least that a payload must hold: bundles travel in parts of half of this.
const LEAST_PAYLOAD: usize = 256 << 10;

/// The first version of the server that has everything that is needed.
const FIRST_VERSION: (u32, u32) = (2, 9);

/// Why a server cannot be used, if it cannot.
fn unsuitable(server: &ServerInfo) -> Option<String> {
    let mut numbers = server.version.split('.').map(|number| number.parse::<u32>().unwrap_or_default());
    let version = (numbers.next().unwrap_or_default(), numbers.next().unwrap_or_default());
    let (major, minor) = FIRST_VERSION;
    if version < FIRST_VERSION {
        let found = printable(&server.version);
        return Some(format!("it is version {found} of nats-server, and version {major}.{minor} or later is needed"));
    }
    if !server.jetstream {
        let how = "start it with `-js`, or with `jetstream { store_dir: DIR }` in its configuration";
        return Some(format!("it runs without JetStream; {how}"));
    }
    (server.max_payload < LEAST_PAYLOAD).then(|| {
        format!(
            "its `max_payload` is {} bytes, and at least {LEAST_PAYLOAD} are needed (docs/nats.conf)",
            server.max_payload
        )
    })
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

/// The name of the consumer from which a coordinator takes answers. No lane has this name, so that a broker can keep workers
/// from answers.
pub(crate) const ANSWERS: &str = "answers";

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

/// What a consumer of a stream is to deliver.
pub(crate) struct ConsumerTerms {
    /// Its name.
    pub(crate) name: String,
    /// The subjects.
    pub(crate) subjects: String,
    /// How long to wait for an acknowledgement.
    pub(crate) patience: Duration,
    /// How often to deliver a message at most.
    pub(crate) deliveries: i64,
}

/// Makes a consumer of `stream` anew, so that everything that it delivers is delivered, and counted, from the start.
pub(crate) async fn consumer(
    stream: &Stream,
    ConsumerTerms { name, subjects, patience, deliveries }: ConsumerTerms,
) -> Result<jetstream::consumer::Consumer<pull::Config>, BrokerError> {
    // It need not be there.
    let _ = stream.delete_consumer(&name).await;
    let config = pull::Config {
        durable_name: Some(name),
        filter_subject: subjects,
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

/// The digest that the store of bundles has of an archive with these bytes.
pub(crate) fn digest_in_store(bytes: &[u8]) -> String {
    format!("SHA-256={}", URL_SAFE.encode(Sha256::digest(bytes)))
}

/// Whether a message was refused because there is one with its subject: the same job, or an answer to the same job.
pub(crate) fn is_refused_as_repeated(error: &jetstream::context::PublishError) -> bool {
    chain(error).contains("maximum messages per subject exceeded")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_address_is_shown_with_its_password() {
        for (url, shown) in [
            ("nats://host:4222", "nats://host:4222"),
            ("nats://user:secret@host:4222", "nats://***@host:4222"),
            ("tls://secret@host", "tls://***@host"),
            ("user:sec@ret@host", "***@host"),
            ("nats://a:b@one,nats://c@two,three", "nats://***@one,nats://***@two,three"),
            ("nats://\u{1b}[2J", "nats://\\u{1b}[2J"),
        ] {
            assert_eq!(without_password(url), shown);
        }
    }

    #[test]
    fn escapes_of_an_address_are_resolved() {
        for (text, plain) in
            [("a%40b%3A", "a@b:"), ("100%", "100%"), ("%4", "%4"), ("%zz", "%zz"), ("%+1", "%+1"), ("", "")]
        {
            assert_eq!(percent_decoded(text), plain);
        }
    }

    #[test]
    fn a_server_that_lacks_something_is_named_with_what_it_lacks() {
        let server = |version: &str, jetstream, max_payload| {
            let info = ServerInfo { version: version.to_owned(), jetstream, max_payload, ..ServerInfo::default() };
            unsuitable(&info).unwrap_or_default()
        };
        for version in ["2.9.0", "2.9.10", "2.10.4-beta.1", "3.0.0", "10.1.0"] {
            assert_eq!(server(version, true, 1 << 20), "");
        }
        for version in ["2.8.4", "1.9.9", "0.0", "none", ""] {
            assert!(server(version, true, 1 << 20).contains("version 2.9 or later"), "{version}");
        }
        assert!(server("2.9.10", false, 1 << 20).contains("`-js`"));
        assert!(server("2.9.10", true, 1000).contains("`max_payload` is 1000 bytes"));
    }
}
