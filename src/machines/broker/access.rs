//! Connecting to a broker, and checking whether it can be used.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::fs;
use std::future::{Ready, ready};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use async_nats::{Client, ConnectError, ConnectErrorKind, ConnectOptions, Event, ServerAddr, ServerError, ServerInfo};

use super::{BrokerError, HEARTBEAT, Say, TIMEOUT, chain};
use crate::base::percent::decoded_leniently;
use crate::base::sanitise::sanitised;

/// The role of a client of a broker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BrokerRole {
    /// A run.
    Coordinator,
    /// A worker, or a command that inspects workers.
    Worker,
}

impl BrokerRole {
    /// The prefix of the inbox for messages to this client only. Workers must not read the messages of coordinators, so
    /// they have a different prefix; docs/reference/nats.conf names both.
    const fn inbox(self) -> &'static str {
        match self {
            Self::Coordinator => "_INBOX.gothello_coordinator",
            Self::Worker => "_INBOX.gothello_worker",
        }
    }
}

/// Reports the state of the connection to the user.
pub(crate) struct ConnectionTeller {
    /// Receives the lines.
    pub(crate) say: Say,
    /// What happens while the broker is unavailable.
    pub(crate) meanwhile: &'static str,
}

/// The maximum number of refusals by the broker that are reported to the user. Further refusals probably have the same
/// cause.
const MOST_REFUSALS: usize = 5;

/// The reports to the user about a connection so far.
#[derive(Debug, Default)]
struct ToldConnection {
    is_lost: bool,
    refusals: BTreeSet<String>,
}

impl ToldConnection {
    /// The line about `event`, which a client with this `role` received, if the user has not seen the line yet.
    fn news(&mut self, event: Event, role: BrokerRole, meanwhile: &str) -> Option<String> {
        match event {
            Event::Disconnected if !self.is_lost => {
                self.is_lost = true;
                Some(format!("the connection to the broker is lost; {meanwhile}"))
            }
            Event::Connected if self.is_lost => {
                self.is_lost = false;
                Some("the broker is back".to_owned())
            }
            Event::ServerError(ServerError::Other(text)) if is_refusal(&text, role) => {
                let is_new = self.refusals.len() < MOST_REFUSALS && self.refusals.insert(text.clone());
                let text = sanitised(&text);
                is_new.then(|| {
                    format!("the broker reports: {text} (docs/reference/nats.conf lists the required permissions)")
                })
            }
            _ => None,
        }
    }
}

/// Whether `text` reports that a client with this `role` lacks a permission that it needs. A worker tries to create
/// everything that is missing at the broker, and waits for a coordinator if it lacks the permission to do so.
fn is_refusal(text: &str, role: BrokerRole) -> bool {
    let is_makeshift = role == BrokerRole::Worker && text.contains("$JS.API.STREAM.CREATE.");
    text.starts_with("Permissions Violation") && !is_makeshift
}

/// The callback for all events of the client's connection.
fn on_event(role: BrokerRole, ConnectionTeller { say, meanwhile }: ConnectionTeller) -> impl Fn(Event) -> Ready<()> {
    let told = Mutex::new(ToldConnection::default());
    move |event| {
        let news = told.lock().unwrap_or_else(PoisonError::into_inner).news(event, role, meanwhile);
        if let Some(news) = news {
            say(news);
        }
        ready(())
    }
}

/// How to reach a broker.
#[derive(Clone, Debug, Default)]
pub(crate) struct BrokerAccess {
    /// The address, such as `nats://broker.example:4222` or `tls://broker.example`.
    pub url: String,
    /// A file with the certificates of the authority that must have signed the broker's certificate.
    pub tls_ca: Option<PathBuf>,
    /// A credentials file, with a JWT and its key.
    pub creds: Option<PathBuf>,
    /// A file with the seed of an nkey.
    pub nkey: Option<PathBuf>,
}

impl BrokerAccess {
    /// Connects to the broker. The client reconnects in the background after interruptions, which `teller` reports.
    ///
    /// # Errors
    /// Fails if a file cannot be used, or if the broker cannot be reached or refuses the user.
    pub(crate) async fn connect(
        &self,
        role: BrokerRole,
        name: &str,
        teller: ConnectionTeller,
    ) -> Result<Client, BrokerError> {
        let wrong = |option, path: &PathBuf, why: &dyn Display| BrokerError::Credentials {
            option,
            path: path.clone(),
            why: why.to_string(),
        };
        let mut options = ConnectOptions::new().name(name).connection_timeout(TIMEOUT);
        options = options.custom_inbox_prefix(role.inbox()).ping_interval(HEARTBEAT * 5);
        options = options.event_callback(on_event(role, teller));
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
        // The library leaves it to the caller to handle credentials in an address.
        if let Some((user, password)) =
            addresses.iter().find_map(|address| Some((address.username()?, address.password())))
        {
            options = match password {
                Some(password) => options.user_and_password(decoded_leniently(user), decoded_leniently(password)),
                None => options.token(decoded_leniently(user)),
            };
        }
        let client = options.connect(addresses).await.map_err(|error| unreachable(&error))?;
        match unsuitable(&client.server_info()) {
            None => Ok(client),
            Some(why) => Err(BrokerError::Unsuitable { url, why }),
        }
    }
}

/// The address `url`, sanitised for printing, without any user, password or token.
fn without_password(url: &str) -> String {
    let each = url.split(',').map(|url| {
        let (scheme, rest) = url.split_once("://").map_or(("", url), |(scheme, rest)| (scheme, rest));
        let separator = if rest.len() < url.len() { "://" } else { "" };
        rest.rsplit_once('@').map_or_else(|| url.to_owned(), |(_, host)| format!("{scheme}{separator}***@{host}"))
    });
    sanitised(&each.collect::<Vec<_>>().join(","))
}

/// Why there is no connection, and what to do.
fn unreachable(error: &ConnectError) -> String {
    let why = chain(error);
    // Certificate errors are reported as connection errors.
    let kind = if why.contains("certificate") { ConnectErrorKind::Tls } else { error.kind() };
    let advice = match kind {
        ConnectErrorKind::Authentication | ConnectErrorKind::AuthorizationViolation => {
            "the broker does not accept this user; check --nkey and --creds"
        }
        ConnectErrorKind::Tls => {
            "check that --tls-ca names the certificate of the authority that signed the broker's certificate, \
             and that the broker's certificate is valid for this host"
        }
        ConnectErrorKind::ServerParse => "an address looks like nats://broker.example:4222",
        ConnectErrorKind::Dns => "is the broker's host name correct?",
        ConnectErrorKind::TimedOut | ConnectErrorKind::Io | ConnectErrorKind::MaxReconnects => {
            "is nats-server running there? On Debian or Ubuntu, it is in the package nats-server"
        }
    };
    format!("{why} ({advice})")
}

/// The payload size, in bytes, that a broker must allow at least: bundles are sent in chunks of half this size.
const LEAST_PAYLOAD: usize = 256 << 10;

/// The first version of the server with all required features.
const FIRST_VERSION: (u32, u32) = (2, 9);

/// The reason why a server cannot be used, if any.
fn unsuitable(server: &ServerInfo) -> Option<String> {
    let mut numbers = server.version.split('.').map(|number| number.parse::<u32>().unwrap_or_default());
    let version = (numbers.next().unwrap_or_default(), numbers.next().unwrap_or_default());
    let (major, minor) = FIRST_VERSION;
    if version < FIRST_VERSION {
        let found = sanitised(&server.version);
        return Some(format!("it is nats-server {found}, but version {major}.{minor} or later is required"));
    }
    if !server.jetstream {
        let how = "start it with `-js`, or with `jetstream { store_dir: DIR }` in its configuration";
        return Some(format!("it runs without JetStream; {how}"));
    }
    (server.max_payload < LEAST_PAYLOAD).then(|| {
        format!(
            "its `max_payload` is {} bytes, but at least {LEAST_PAYLOAD} are needed (docs/reference/nats.conf)",
            server.max_payload
        )
    })
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
    fn a_lost_connection_and_a_missing_permission_are_reported_once() {
        let mut told = ToldConnection::default();
        let mut hear = |event, role| told.news(event, role, "games wait");
        let worker = BrokerRole::Worker;
        assert_eq!(hear(Event::Connected, worker), None, "the first time");
        let lost = Some("the connection to the broker is lost; games wait".to_owned());
        assert_eq!((hear(Event::Disconnected, worker), hear(Event::Disconnected, worker)), (lost.clone(), None));
        let back = Some("the broker is back".to_owned());
        assert_eq!((hear(Event::Connected, worker), hear(Event::Connected, worker)), (back, None));
        assert_eq!(hear(Event::Disconnected, worker), lost);
        let refusal = |what: &str| {
            Event::ServerError(ServerError::Other(format!("Permissions Violation for Publish to \"{what}\"")))
        };
        let create = "$JS.API.STREAM.CREATE.KV_gothello_runs";
        assert_eq!(hear(refusal(create), worker), None, "it waits for a coordinator");
        let said = hear(refusal(create), BrokerRole::Coordinator).expect("news");
        assert!(
            said.starts_with("the broker reports: Permissions Violation for Publish to ") && said.contains(create),
            "{said}"
        );
        assert_eq!(hear(refusal(create), BrokerRole::Coordinator), None);
        let more = (0..9).filter_map(|number| hear(refusal(&format!("x{number}")), worker)).count();
        assert_eq!(more, MOST_REFUSALS - 1);
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
