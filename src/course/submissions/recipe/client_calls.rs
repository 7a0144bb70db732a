//! The call that connects a program to the referee. It shows where the program's side, the host and the server number
//! come from.

use std::collections::BTreeMap;

use super::argument_words::ArgumentArray;
use super::roles::ArgumentRole;
use super::source_text::{
    assigned, assigned_value, calls, has_name, is_name_letter, last_word, names, split_arguments, string_literal,
};
use crate::game::Side;

/// A call that connects to the referee. Its parts are expressions in the program. A part that the call lacks is empty.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClientCall<'t> {
    pub(super) side: &'t str,
    pub(super) host: &'t str,
    /// The server number, or the port.
    pub(super) number: (ArgumentRole, &'t str),
}

/// The functions of the course's libraries, which all take a side, a host and a server number.
const LIBRARIES: [&str; 2] = ["GthClient", "gth_start_game"];

/// The functions that connect a socket to a host and a port, or find the address for that.
const SOCKETS: [&str; 8] = [
    "Socket",
    "create_connection",
    "connect",
    "open_connection",
    "getaddrinfo",
    "createConnection",
    "TCPSocket.new",
    "TCPSocket.open",
];

impl<'t> ClientCall<'t> {
    /// Every call in `text`.
    pub(super) fn all(text: &'t str) -> Vec<Self> {
        let by_library = LIBRARIES.iter().flat_map(|name| calls(text, name)).filter_map(|(at, inner)| {
            let parts = split_arguments(inner);
            let before = text[..at].trim_end();
            let is_definition = ["class", "def", "public", "void"].iter().any(|word| before.ends_with(word))
                || parts.iter().any(|part| ["int ", "String ", "char "].iter().any(|kind| part.starts_with(kind)));
            let keyword = |word: &str| {
                parts.iter().find_map(|part| Some(part.strip_prefix(word)?.trim_start().strip_prefix('=')?.trim()))
            };
            let part = |place: usize, words: &[&str]| {
                let by_place = parts.get(place).copied().filter(|part| assigned_value(part).is_none());
                words.iter().find_map(|word| keyword(word)).or(by_place).unwrap_or_default()
            };
            let has_host = parts.len() >= 2;
            (!is_definition && has_host).then(|| Self {
                side: part(0, &["side", "player"]),
                host: part(1, &["host", "hostname"]),
                number: (ArgumentRole::SERVER, part(2, &["server", "number"])),
            })
        });
        let by_socket = SOCKETS
            .iter()
            .flat_map(|name| calls(text, name).map(move |(at, inner)| (*name, at, inner)))
            .filter_map(|(name, at, inner)| {
                let inner = inner.trim();
                let inner = inner.strip_prefix('(').map_or(inner, |pair| pair.split(')').next().unwrap_or(pair));
                let parts = split_arguments(inner);
                let is_typed = parts.iter().any(|part| part.starts_with("String ") || part.starts_with("int "));
                let [one, other, ..] = parts[..] else { return None };
                // Node takes the port first.
                let is_port_first = name == "createConnection" || text[..at].ends_with("net.");
                let (host, number) = if is_port_first { (other, one) } else { (one, other) };
                // A sum with the first port contains a server number.
                let role = if number.contains("29068")
                    || names(number).any(|name| name.to_ascii_lowercase().contains("base"))
                {
                    ArgumentRole::SERVER
                } else {
                    ArgumentRole::PORT
                };
                (!is_typed && !host.contains("AF_")).then_some(Self { side: "", host, number: (role, number) })
            });
        by_library.chain(by_socket).collect()
    }
}

/// The source of a value in a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ValueSource {
    /// The argument at this index.
    Argument(usize),
    /// A string hard-coded in the program.
    Text(String),
    /// A number hard-coded in the program.
    Number(u64),
    Unknown,
}

/// The variables of a program that contain arguments or constants.
#[derive(Debug)]
pub(super) struct Variables<'a> {
    arguments: &'a BTreeMap<String, usize>,
    /// Every constant that is assigned to a variable.
    constants: BTreeMap<String, Vec<String>>,
    array: ArgumentArray<'a>,
}

impl<'a> Variables<'a> {
    pub(super) fn of(lines: &[&str], arguments: &'a BTreeMap<String, usize>, array: ArgumentArray<'a>) -> Self {
        let mut constants: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for line in lines {
            let name = last_word(assigned(line).0);
            if let Some(value) = assigned_value(line).filter(|_| !name.is_empty()) {
                constants.entry(name.to_owned()).or_default().push(value.to_owned());
            }
        }
        Self { arguments, constants, array }
    }

    /// The source of the value of `expression`.
    pub(super) fn source(&self, expression: &str) -> ValueSource {
        self.source_within(expression, 4)
    }

    fn source_within(&self, expression: &str, depth: usize) -> ValueSource {
        let open = format!("{}[", self.array.name);
        if let Some(at) = expression.find(&open) {
            let index =
                expression[at + open.len()..].split(']').next().and_then(|index| index.trim().parse::<usize>().ok());
            return index
                .and_then(|index| index.checked_sub(self.array.first))
                .map_or(ValueSource::Unknown, ValueSource::Argument);
        }
        if let Some(text) = string_literal(expression) {
            return ValueSource::Text(text.to_owned());
        }
        if let Ok(number) = expression.trim().parse() {
            return ValueSource::Number(number);
        }
        let words: Vec<&str> = names(expression).collect();
        if let Some(index) = words.iter().find_map(|name| self.arguments.get(*name)) {
            return ValueSource::Argument(*index);
        }
        let is_one_name = expression.trim().chars().all(|c| is_name_letter(c) || c == '.');
        match words.last().and_then(|name| self.constants.get(*name)).filter(|_| is_one_name && depth > 0) {
            Some(values) => {
                let mut sources = values.iter().map(|value| self.source_within(value, depth - 1));
                let first = sources.next().unwrap_or(ValueSource::Unknown);
                if sources.all(|other| other == first) { first } else { ValueSource::Unknown }
            }
            None => ValueSource::Unknown,
        }
    }

    /// The side that `expression` always stands for: as a word, or as the name of a constant such as
    /// `Board.PLAYER_BLACK`.
    fn side(&self, expression: &str) -> Option<Side> {
        let text = match self.source(expression) {
            ValueSource::Text(text) => text,
            ValueSource::Unknown if !expression.contains(['(', '?']) => expression.to_owned(),
            _ => return None,
        };
        let text = text.to_ascii_lowercase();
        match (text.contains("black"), text.contains("white")) {
            (true, false) => Some(Side::Black),
            (false, true) => Some(Side::White),
            _ => None,
        }
    }
}

/// Values that are hard-coded in a program, although arguments could provide them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct WrittenValues {
    /// The name of a host other than this machine.
    pub(super) host: Option<String>,
    /// The only side that the program plays.
    pub(super) side: Option<Side>,
    /// The server number, if it is not 0.
    pub(super) number: Option<u64>,
}

impl WrittenValues {
    /// The values hard-coded in the program with these `lines`. `arguments` maps each variable that contains an
    /// argument to the argument's index.
    pub(super) fn of(lines: &[&str], array: ArgumentArray<'_>, arguments: &BTreeMap<String, usize>) -> Self {
        let code = lines.join("\n");
        let variables = Variables::of(lines, arguments, array);
        let calls = ClientCall::all(&code);
        let mut written = Self { side: spoken_side(&code), ..Self::default() };
        let sides: Vec<Option<Side>> =
            calls.iter().filter(|call| !call.side.is_empty()).map(|call| variables.side(call.side)).collect();
        if let Some(first) = sides.first() {
            written.side = if sides.iter().all(|side| side == first) { *first } else { None };
        }
        for call in &calls {
            if let ValueSource::Text(host) = variables.source(call.host) {
                let is_here = host.is_empty()
                    || host.starts_with("127.")
                    || host == "localhost"
                    || host == "::1"
                    || host == "0.0.0.0";
                if !is_here && written.host.is_none() {
                    written.host = Some(host);
                }
            }
            if let (ArgumentRole::SERVER, ValueSource::Number(number)) =
                (call.number.0, variables.source(call.number.1))
            {
                written.number = written.number.or(Some(number).filter(|number| *number > 0));
            }
        }
        written
    }
}

/// The side that a program sends in the protocol's own words, if it is always the same side.
fn spoken_side(code: &str) -> Option<Side> {
    let says = |side: Side| code.contains(&format!("player {}", side.name()));
    match (says(Side::Black), says(Side::White)) {
        (true, false) if !has_name(code, "argv") => Some(Side::Black),
        (false, true) if !has_name(code, "argv") => Some(Side::White),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_that_connect_are_distinguished_from_definitions() {
        for (text, expected) in [
            ("c = GthClient(me, host, 0)", Some("me|host|{server}|0")),
            ("gth_start_game(side, argv[2], n);", Some("side|argv[2]|{server}|n")),
            ("c = gthclient.GthClient(me, number=n, host=h)", Some("me|h|{server}|n")),
            ("s.connect((host, 29068 + n))", Some("|host|{server}|29068 + n")),
            ("net.connect(port, host);", Some("|host|{port}|port")),
            ("getaddrinfo(argv[2], argv[3], &hints, &found);", Some("|argv[2]|{port}|argv[3]")),
            ("c = GthClient(me)", None),
            ("def GthClient(side, host, server):", None),
            ("public GthClient(side, host, server) {", None),
            ("GthClient(int side, String host, int server) {", None),
            ("void connect(String host, int port) {", None),
        ] {
            let calls: Vec<String> = ClientCall::all(text)
                .into_iter()
                .map(|ClientCall { side, host, number: (role, number) }| {
                    format!("{side}|{host}|{}|{number}", role.word())
                })
                .collect();
            assert_eq!(calls, expected.into_iter().collect::<Vec<_>>(), "{text}");
        }
    }
}
