//! D02: the bot has a hard-coded host.

use std::net::Ipv4Addr;

use super::super::inquiry::{Subject, shown};
use super::super::language::Language;
use super::super::source_lines::{CodeLine, quoted};
use crate::drill::readiness::{Cause, Diagnosis};

/// Runtimes' messages for a name that has no address.
const UNKNOWN: [&str; 16] = [
    "gaierror",
    "UnknownHostException",
    "Name or service not known",
    "Temporary failure in name resolution",
    "No address associated with hostname",
    "nodename nor servname",
    "ENOTFOUND",
    "EAI_AGAIN",
    "failed to lookup address",
    "Unknown host",
    "unknown host",
    "Host not found",
    "host not found",
    "Host name lookup failure",
    "no such host",
    "UnresolvedAddressException",
];

/// Runtimes' messages for an existing host on which no program listens on the port.
const REFUSED: [&str; 3] = ["Connection refused", "ECONNREFUSED", "ConnectionRefused"];

/// Runtimes' messages for a host that does not answer.
const NOBODY_THERE: [&str; 11] = [
    "Network is unreachable",
    "ENETUNREACH",
    "NetworkUnreachable",
    "No route to host",
    "EHOSTUNREACH",
    "NoRouteToHost",
    "Connection timed out",
    "ETIMEDOUT",
    "timed out",
    "TimedOut",
    "Cannot assign requested address",
];

/// The reason why a bot cannot reach its host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unreachable {
    /// The name has no address.
    UnknownName,
    /// The host has an address, but no program listens there. The host must be this machine, since a confined bot
    /// cannot reach any other.
    Refused,
    /// The host does not answer.
    NoAnswer,
}

impl Unreachable {
    /// The failure that `line` reports, if it is about an unreachable host.
    fn of(line: &str) -> Option<Self> {
        let kinds: [(Self, &[&str]); 3] =
            [(Self::UnknownName, &UNKNOWN), (Self::Refused, &REFUSED), (Self::NoAnswer, &NOBODY_THERE)];
        let says = |words: &[&str]| words.iter().any(|word| line.contains(word));
        kinds.into_iter().find(|(_, words)| says(words)).map(|(kind, _)| kind)
    }
}

/// The line of stderr that reports that the bot cannot reach its host.
pub(super) fn says_unreachable(subject: &Subject<'_>) -> Option<String> {
    let is_telling = |line: &str| Unreachable::of(line).is_some();
    let last = subject.last_words().into_iter().find(|line| is_telling(line));
    last.or_else(|| subject.stderr_tail(20).into_iter().find(|line| is_telling(line)).map(str::to_owned))
}

/// D02, if the bot could not reach a hard-coded host.
pub(super) fn find(subject: &Subject<'_>) -> Option<Diagnosis> {
    if subject.has_connected() {
        return None;
    }
    let Some(says) = says_unreachable(subject) else { return silent(subject) };
    let why = Unreachable::of(&says)?;
    let written = written_host(subject, why);
    let named = (why == Unreachable::UnknownName).then(|| named_host(&says)).flatten();
    let known = subject.inquiry.code.is_known();
    // If the sources are known, the host must be in them; otherwise the message must name it.
    let host = match (&written, &named) {
        (Some((host, _)), Some(named)) if host != named && !is_argument(named) => return None,
        (_, Some(named)) if is_argument(named) => return None,
        (Some((host, _)), _) => (*host).to_owned(),
        (None, Some(named)) if !known => named.clone(),
        _ => return None,
    };
    let diagnosis = diagnosis(subject, &host).at(written.map(|(_, line)| line));
    let evidence = std::iter::once(format!("stderr: {says}")).chain(subject.exit_words());
    Some(diagnosis.showing(evidence))
}

/// D02 for the host `host`.
fn diagnosis(subject: &Subject<'_>, host: &str) -> Diagnosis {
    let host = shown(host);
    let text = format!(
        "Your bot connects to the host `{host}`, which is hard-coded. In a tournament, the referee runs elsewhere, and the bot's command says where."
    );
    let fix = format!(
        "{} If you cannot change the bot, the teacher can make that name work for it: `hosts = [\"{host}\"]` under the player (this needs confinement of tier A or B).",
        own_fix(subject.inquiry.code.language)
    );
    subject.diagnosis(Cause::FixedHost, text, fix)
}

/// D02, if the bot does not report why it cannot connect, for example because it catches the exception, and every
/// connecting call in the started file names another machine.
fn silent(subject: &Subject<'_>) -> Option<Diagnosis> {
    if subject.uncaught.is_some() {
        return None;
    }
    let code = &subject.inquiry.code;
    let mut written: Option<(&str, CodeLine<'_>)> = None;
    for line in code.started_lines().filter(|line| connects(line.text)) {
        let host = quoted(line.text).into_iter().find(|text| is_far_host(text))?;
        // A default for a missing argument is not used, because no argument is missing.
        if code.may_use(host) || is_default(line.text) {
            return None;
        }
        written = written.or(Some((host, line)));
    }
    let (host, line) = written?;
    let evidence = [format!("the bot's code: {}", line.text.trim()), "the referee received no connection".to_owned()];
    Some(diagnosis(subject, host).at(Some(line)).showing(evidence.into_iter().chain(subject.exit_words())))
}

/// Whether `line` contains a call that connects to a host.
fn connects(line: &str) -> bool {
    let low = line.trim_start().to_lowercase();
    let is_definition = ["def ", "class ", "async def ", "function "].iter().any(|word| low.starts_with(word));
    let calls = ["connect(", "create_connection(", "open_connection(", "createconnection(", "client(", "new socket("];
    !is_definition && calls.iter().any(|call| low.contains(call))
}

/// Whether a string on `line` may be the default for a missing argument.
fn is_default(line: &str) -> bool {
    ["default", " or ", "len(", "length", "else", "unwrap_or", "?"].iter().any(|word| line.contains(word))
}

const fn own_fix(language: Language) -> &'static str {
    match language {
        Language::Python => {
            "Use the host that the bot is given: `host = sys.argv[2]` with `command = [\"python3\", ..., \"{side}\", \"{host}\", \"{server}\"]`."
        }
        Language::Java => {
            "Use the host that the bot is given: `String host = args[1];` with `{side} {host} {server}` in `command`."
        }
        Language::C | Language::Cpp => {
            "Use the host that the bot is given: `argv[2]` with `{side} {host} {server}` in `command`."
        }
        Language::Rust => {
            "Use the host that the bot is given: `env::args().nth(2)` with `{side} {host} {server}` in `command`."
        }
        Language::JavaScript => {
            "Use the host that the bot is given: `process.argv[3]` with `{side} {host} {server}` in `command`."
        }
        Language::Other => "Use the host that the bot is given: `{host}` in `command`, or the variable GOTHELLO_HOST.",
    }
}

/// Whether `host` is another argument of the command, such as the side: the arguments are then in the wrong order.
fn is_argument(host: &str) -> bool {
    ["black", "white"].contains(&host) || host.bytes().all(|byte| byte.is_ascii_digit())
}

/// The host named in the message `says`, such as `UnknownHostException: barton` or `getaddrinfo ENOTFOUND barton`.
fn named_host(says: &str) -> Option<String> {
    let after = [
        "UnknownHostException: ",
        "ENOTFOUND ",
        "EAI_AGAIN ",
        "Unknown host: ",
        "unknown host: ",
        "Unknown host ",
        "unknown host ",
    ];
    let rest = after.iter().find_map(|word| says.split_once(word)).map(|(_, rest)| rest)?;
    let host = rest.split(|c: char| c.is_whitespace() || c == ':').next()?.trim_matches(['\'', '"', '`', '.', ',']);
    (!host.is_empty()).then(|| host.to_owned())
}

/// A hard-coded host to which a connection can fail with `why`, and the line that contains the host.
fn written_host<'a>(subject: &Subject<'a>, why: Unreachable) -> Option<(&'a str, CodeLine<'a>)> {
    let lines = subject.nearest_lines();
    match why {
        Unreachable::UnknownName => far_host(subject, &lines),
        Unreachable::Refused => near_host(subject, &lines),
        Unreachable::NoAnswer => far_host(subject, &lines).or_else(|| near_host(subject, &lines)),
    }
}

/// A host other than this machine, named on one of `lines` or in the bot's settings. An address, or a name with a
/// domain, takes precedence over a word that may not be a host.
fn far_host<'a>(subject: &Subject<'a>, lines: &[CodeLine<'a>]) -> Option<(&'a str, CodeLine<'a>)> {
    let far = |line: &CodeLine<'a>| {
        let host = quoted(line.text).into_iter().find(|text| is_far_host(text));
        host.map(|host| (host, *line))
    };
    let named = |line: &CodeLine<'a>| {
        let last = || quoted(line.text).into_iter().rev().find(|text| is_host_name(text));
        is_about_hosts(line.text).then(last).flatten().map(|host| (host, *line))
    };
    let set = |line: CodeLine<'a>| {
        let mut words = line.text.split(|c: char| c.is_whitespace() || "\"'=:,".contains(c));
        words.find(|word| is_far_host(word)).map(|host| (host, line))
    };
    let settings = || subject.inquiry.code.settings().find_map(set);
    lines.iter().find_map(far).or_else(settings).or_else(|| lines.iter().find_map(named))
}

/// This machine's own name or address, if one of `lines` contains it. `None` if the command gives the bot only a port,
/// so that this machine is the right host.
fn near_host<'a>(subject: &Subject<'a>, lines: &[CodeLine<'a>]) -> Option<(&'a str, CodeLine<'a>)> {
    let gives = |placeholder: &str| subject.inquiry.code.command().iter().any(|word| word.contains(placeholder));
    let is_right = !gives("{host}") && (gives("{port}") || gives("{server}"));
    let is_near = |text: &&str| ["localhost", "0.0.0.0", "::1"].contains(text) || is_loopback(text);
    let near = |line: &CodeLine<'a>| quoted(line.text).into_iter().find(is_near).map(|host| (host, *line));
    lines.iter().filter(|line| !is_right && !is_default(line.text)).find_map(near)
}

/// Whether `text` is an address of this machine.
fn is_loopback(text: &str) -> bool {
    text.parse().is_ok_and(|address: Ipv4Addr| address.is_loopback())
}

/// File extensions and other suffixes after a dot that are not domains.
const NO_DOMAINS: [&str; 40] = [
    "bin", "c", "cc", "cfg", "class", "conf", "cpp", "csv", "dat", "db", "gz", "h", "html", "ini", "jar", "java", "js",
    "json", "lang", "log", "md", "npy", "npz", "pickle", "pkl", "png", "pt", "py", "rs", "sh", "so", "toml", "ts",
    "txt", "util", "xml", "yaml", "yml", "zip", "out",
];

/// Whether `text` is a host name with a domain, or the address of another machine.
fn is_far_host(text: &str) -> bool {
    let labels: Vec<&str> = text.split('.').collect();
    let is_label = |label: &&str| {
        !label.is_empty() && label.len() <= 63 && label.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
    };
    if labels.len() < 2 || !labels.iter().all(is_label) {
        return false;
    }
    let numbers: Vec<u8> = labels.iter().filter_map(|label| label.parse().ok()).collect();
    if numbers.len() == labels.len() {
        return labels.len() == 4 && numbers[0] != 127 && numbers != [0, 0, 0, 0] && numbers != [255; 4];
    }
    let last = labels[labels.len() - 1];
    let is_domain = last.len() >= 2 && last.chars().all(|c| c.is_ascii_lowercase()) && !NO_DOMAINS.contains(&last);
    is_domain
        && labels[0].starts_with(|c: char| c.is_ascii_alphanumeric())
        && !["java", "javax", "sys", "self", "os"].contains(&labels[0])
}

/// Whether `line` is about a host: it connects, or assigns a variable whose name suggests a host.
fn is_about_hosts(line: &str) -> bool {
    let low = line.to_lowercase();
    ["host", "hostname", "address", "addr", "server", "machine"]
        .iter()
        .any(|word| low.contains(word) && low.contains('='))
        || [
            "connect(",
            "create_connection(",
            "socket(",
            "client(",
            "getaddrinfo(",
            "gethostbyname(",
            "tcpstream::connect",
        ]
        .iter()
        .any(|word| low.contains(word))
}

/// Quoted words that appear in the same places as hosts, but are not hosts.
const NO_HOSTS: [&str; 22] = [
    "black",
    "white",
    "player",
    "observer",
    "host",
    "hostname",
    "server",
    "port",
    "side",
    "name",
    "utf-8",
    "utf8",
    "ascii",
    "localhost",
    "r",
    "w",
    "rb",
    "wb",
    "rw",
    "a",
    "pass",
    "resign",
];

/// Whether `text` may be the name of a host without a domain.
fn is_host_name(text: &str) -> bool {
    let is_name = text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
        && (2..=63).contains(&text.len());
    is_name && !NO_HOSTS.contains(&text.to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_distinguished_from_files_and_versions_and_packages() {
        for host in ["barton.example.edu", "gothello.cs.uni-x.de", "10.0.0.7", "192.168.1.20", "a.io", "srv.local"] {
            assert!(is_far_host(host), "{host}");
        }
        for other in [
            "bot.py",
            "0.9.1",
            "0.9",
            "127.0.0.1",
            "java.net",
            "weights.json",
            "a",
            "",
            ".",
            "...",
            "a..b",
            "Foo.Bar",
            "1.5",
            "x y.de",
            "libx.so",
            "0.0.0.0",
        ] {
            assert!(!is_far_host(other) || other == "java.net", "{other}");
        }
        assert!(!is_far_host("java.net"));
    }

    #[test]
    fn how_a_host_fails_follows_from_the_message() {
        for (says, why) in [
            ("socket.gaierror: [Errno -2] Name or service not known", Some(Unreachable::UnknownName)),
            ("ConnectionRefusedError: [Errno 111] Connection refused", Some(Unreachable::Refused)),
            ("Error: connect ECONNREFUSED 127.0.0.1:58136", Some(Unreachable::Refused)),
            ("java.net.ConnectException: Connection refused", Some(Unreachable::Refused)),
            ("Error: Os { code: 111, kind: ConnectionRefused, message: \"x\" }", Some(Unreachable::Refused)),
            ("TimeoutError: [Errno 110] Connection timed out", Some(Unreachable::NoAnswer)),
            ("OSError: [Errno 101] Network is unreachable", Some(Unreachable::NoAnswer)),
            ("KeyError: 'refused'", None),
        ] {
            assert_eq!(Unreachable::of(says), why, "{says}");
        }
    }

    #[test]
    fn the_host_in_a_message_is_found() {
        for says in [
            "java.net.UnknownHostException: barton.edu",
            "Error: getaddrinfo ENOTFOUND barton.edu",
            "bot: unknown host 'barton.edu'",
        ] {
            assert_eq!(named_host(says).as_deref(), Some("barton.edu"), "{says}");
        }
        assert_eq!(named_host("socket.gaierror: [Errno -2] Name or service not known"), None);
    }
}
