//! The players of a tournament file: each alone, and then whether they go together.

use std::collections::{BTreeMap, HashMap};
use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

use toml::de::{DeTable, DeValue};

use super::parse::{MAX_SEED, resources};
use super::problem::{Flaw, Written};
use super::read::{Reader, Text, Value};
use super::template::{Placeholder, Template};
use super::{Player, PlayerKind, PlayerName, Program, Remote, Resources, Site, Token, Transport};
use crate::base::near::nearest;
use crate::players::bots::{Builtin, Engine, ErrorRate};
use crate::referee::wire::{BASE_PORT, EntityName};

/// The keys of a player.
const KEYS: &[&str] = &[
    "name",
    "command",
    "builtin",
    "remote",
    "dir",
    "env",
    "build",
    "transport",
    "depth",
    "playouts",
    "error",
    "seed",
    "token",
    "listen",
    "openings",
    "challenger",
    "memory",
    "processes",
    "cpu",
    "scratch",
    "open_files",
    "output",
    "readable",
    "writable",
    "pass_env",
    "build_network",
];

/// The keys that make a player what it is, each with those that go with it alone.
const KINDS: [(&str, &[&str]); 3] = [
    (
        "command",
        &[
            "dir",
            "env",
            "build",
            "transport",
            "memory",
            "processes",
            "cpu",
            "scratch",
            "open_files",
            "output",
            "readable",
            "writable",
            "pass_env",
            "build_network",
        ],
    ),
    ("builtin", &["depth", "playouts", "error", "seed"]),
    ("remote", &["token", "listen"]),
];

/// A player's table with what the checks between players need.
struct Entry<'t> {
    table: &'t DeTable<'t>,
    /// Where the table stands.
    offset: usize,
    name: Option<PlayerName>,
    kind: Option<PlayerKind>,
}

/// All players of a file.
pub(super) struct Players {
    /// In the order of the file; `None` where anything at all is wrong with them.
    pub(super) players: Option<Vec<Player>>,
    /// For each of them, where `challenger = true` stands, if it does.
    pub(super) challengers: Vec<Option<usize>>,
}

/// What the tournament needs of every player.
#[derive(Clone, Copy, Debug)]
pub(super) struct Needs<'a> {
    /// Where the file lies.
    pub(super) site: &'a Site<'a>,
    /// The arena's public address, where it has one.
    pub(super) public: Option<SocketAddr>,
    /// That it follows openings.
    pub(super) openings: bool,
    /// That its processes are the arena's own children: the setting that needs it.
    pub(super) processes: Option<&'static str>,
}

/// What the top of the file says for every program.
#[derive(Clone, Debug)]
pub(super) struct Shared {
    /// What it may use up.
    pub(super) resources: Resources,
    /// The variables that it gets from the arena's environment.
    pub(super) pass_env: Vec<String>,
    /// Whether builds may use the network.
    pub(super) build_network: bool,
}

/// All players of the file whose top is `table`, or `None` where it is not even known how many they are.
pub(super) fn all(reader: &mut Reader<'_>, table: &DeTable<'_>, needs: Needs<'_>, shared: &Shared) -> Option<Players> {
    let tables = tables(reader, table)?;
    let entries: Vec<Entry<'_>> = tables
        .iter()
        .map(|&(offset, table)| {
            reader.unknown_keys(table, KEYS);
            let name = name(reader, offset, table);
            let kind = kind(reader, offset, table, shared);
            Entry { table, offset, name, kind }
        })
        .collect();
    let challengers = entries.iter().map(|entry| challenger(reader, entry.table)).collect();
    openings_are_understood(reader, &entries, needs.openings);
    processes_are_in_reach(reader, &entries, needs.processes);
    names_differ(reader, &entries);
    nothing_is_shown(reader, &entries, needs.site);
    hellos_fit(reader, &entries, table.contains_key("listen"));
    addresses_differ(reader, table, &entries, needs.public);
    if entries.len() < 2 {
        // A misspelt `[[player]]` has been noted already, as an unknown key.
        if !table.keys().any(|key| key.get_ref() != "player" && nearest(key.get_ref(), ["player"]).is_some()) {
            let offset = entries.first().map_or(0, |entry| entry.offset);
            reader.note(offset, Flaw::TooFewPlayers(entries.len()));
        }
        return None;
    }
    let players = entries.into_iter().map(|entry| Some(Player { name: entry.name?, kind: entry.kind? })).collect();
    Some(Players { players, challengers })
}

/// Where `challenger = true` stands.
fn challenger(reader: &mut Reader<'_>, table: &DeTable<'_>) -> Option<usize> {
    reader
        .boolean(table, "challenger")
        .filter(|&challenger| challenger)
        .map(|_| Reader::key_offset(table, "challenger"))
}

/// Where games start with given plies, every player says that it follows them; built-in bots do.
fn openings_are_understood(reader: &mut Reader<'_>, entries: &[Entry<'_>], has_openings: bool) {
    for entry in entries {
        let understands = reader.boolean(entry.table, "openings");
        if entry.table.contains_key("builtin") {
            if understands == Some(false) {
                reader.note(Reader::key_offset(entry.table, "openings"), Flaw::BuiltinOpenings);
            }
        } else if let Some(name) = &entry.name
            && has_openings
            && !understands.unwrap_or(false)
        {
            let key = if entry.table.contains_key("openings") { "openings" } else { "name" };
            reader.note(Reader::key_offset(entry.table, key), Flaw::NoOpenings { player: name.clone() });
        }
    }
}

/// Only what runs here can be measured and stopped.
fn processes_are_in_reach(reader: &mut Reader<'_>, entries: &[Entry<'_>], setting: Option<&'static str>) {
    for entry in entries {
        if let (Some(setting), Some(PlayerKind::Remote(_)), Some(name)) = (setting, &entry.kind, &entry.name) {
            let flaw = Flaw::ProcessOutOfReach { setting, player: name.clone() };
            reader.note(Reader::key_offset(entry.table, "remote"), flaw);
        }
    }
}

/// The players' tables, each with where it stands.
fn tables<'t>(reader: &mut Reader<'_>, table: &'t DeTable<'t>) -> Option<Vec<(usize, &'t DeTable<'t>)>> {
    const EXPECTED: &str = "a table for each player, under a line `[[player]]`";
    let Some(value) = table.get("player") else {
        return Some(Vec::new());
    };
    let DeValue::Array(array) = value.get_ref() else {
        if value.get_ref().is_table() {
            reader.note(Reader::key_offset(table, "player"), Flaw::SingleBrackets);
        } else {
            reader.wrong_type("player", value, EXPECTED);
        }
        return None;
    };
    let mut tables = Vec::new();
    for item in array {
        match item.get_ref() {
            DeValue::Table(table) => tables.push((item.span().start, table)),
            _ => reader.wrong_type("player", item, EXPECTED),
        }
    }
    Some(tables)
}

fn name(reader: &mut Reader<'_>, offset: usize, table: &DeTable<'_>) -> Option<PlayerName> {
    if !table.contains_key("name") {
        reader.note(offset, Flaw::Missing { key: "name", example: "name = \"alice\"" });
        return None;
    }
    let text = reader.text(table, "name", "a string such as \"alice\"")?;
    match PlayerName::new(text.content) {
        Ok(name) => Some(name),
        Err(invalid) => {
            reader.note(text.span.start, Flaw::Name(invalid));
            None
        }
    }
}

/// Whether `key` is no key of players, but close to one that says how a player comes to its games.
fn is_misspelt_kind(key: &str) -> bool {
    let is_kind = |near: &str| KINDS.iter().any(|(kind, _)| *kind == near);
    !KEYS.contains(&key) && nearest(key, KEYS.iter().copied()).is_some_and(is_kind)
}

fn kind(reader: &mut Reader<'_>, offset: usize, table: &DeTable<'_>, shared: &Shared) -> Option<PlayerKind> {
    let mut given: Vec<&'static str> = KINDS.map(|(kind, _)| kind).to_vec();
    given.retain(|kind| table.contains_key(*kind));
    given.sort_by_key(|kind| Reader::key_offset(table, kind));
    let [kind] = given[..] else {
        match given.first() {
            // One that is misspelt has been noted already, as an unknown key.
            None if !table.keys().any(|key| is_misspelt_kind(key.get_ref())) => reader.note(offset, Flaw::NoKind),
            None => {}
            Some(&other) => {
                for &key in &given[1..] {
                    reader.note(Reader::key_offset(table, key), Flaw::Excluding { key, other });
                }
                // Whichever was meant, what is wrong with it is said now.
                builtin(reader, table);
                program(reader, table, shared);
            }
        }
        return None;
    };
    for (belongs_to, keys) in KINDS.into_iter().filter(|(belongs_to, _)| *belongs_to != kind) {
        for &key in keys.iter().filter(|key| table.contains_key(**key)) {
            reader.note(Reader::key_offset(table, key), Flaw::ForAnotherKind { key, belongs_to, kind });
        }
    }
    match kind {
        "command" => program(reader, table, shared).map(PlayerKind::Program),
        "builtin" => builtin(reader, table).map(PlayerKind::Builtin),
        _ => remote(reader, offset, table).map(PlayerKind::Remote),
    }
}

/// `builtin = "alphabeta"` and so on, for a message.
fn engine_names(engines: &[Engine]) -> String {
    let names: Vec<String> = engines.iter().map(|engine| format!("\"{engine}\"")).collect();
    names.join(" or ")
}

fn builtin(reader: &mut Reader<'_>, table: &DeTable<'_>) -> Option<Builtin> {
    let engine = reader.word(table, "builtin", &Engine::ALL.map(|engine| (engine.name(), engine)));
    let depth = reader.integer(table, "depth", 1..=u64::from(Builtin::MAX_DEPTH));
    let seed = reader.integer(table, "seed", 0..=MAX_SEED);
    let playouts = reader.integer(table, "playouts", 1..=u64::from(Builtin::MAX_PLAYOUTS));
    let error = reader.number(table, "error", 0.0..=1.0, 0.0);
    for (key, engines) in [
        ("depth", &[Engine::Alphabeta][..]),
        ("playouts", &[Engine::Mcts]),
        ("error", &[Engine::Alphabeta, Engine::Mcts, Engine::Perfect]),
    ] {
        if let Some(engine) = engine.filter(|engine| !engines.contains(engine) && table.contains_key(key)) {
            let flaw = Flaw::ForAnotherEngine { key, engines: engine_names(engines), engine: engine.name() };
            reader.note(Reader::key_offset(table, key), flaw);
        }
    }
    let number = |number: Option<u64>| NonZeroU32::new(u32::try_from(number?).ok()?);
    let error = error.and_then(ErrorRate::new)?;
    Some(Builtin { engine: engine?, depth: number(depth), playouts: number(playouts), error, seed })
}

fn remote(reader: &mut Reader<'_>, offset: usize, table: &DeTable<'_>) -> Option<Remote> {
    let value = table.get("remote")?;
    match value.get_ref() {
        DeValue::Boolean(true) => {}
        DeValue::Boolean(false) => {
            reader.note(value.span().start, Flaw::NotRemote);
            return None;
        }
        _ => {
            reader.wrong_type("remote", value, "`true`, without quotes");
            return None;
        }
    }
    match (table.contains_key("token"), table.contains_key("listen")) {
        (false, false) => reader.note(offset, Flaw::NoWayIn),
        (true, true) => {
            reader.note(Reader::key_offset(table, "listen"), Flaw::Excluding { key: "listen", other: "token" });
        }
        _ => {}
    }
    let listen = reader.address(table, "listen");
    let text = reader.text(table, "token", "a word in quotes");
    let token = text.and_then(|text| match Token::new(text.content) {
        Ok(token) => Some(token),
        Err(invalid) => {
            reader.note(text.span.start, Flaw::Token(invalid));
            None
        }
    });
    Some(Remote { token, listen })
}

fn program(reader: &mut Reader<'_>, table: &DeTable<'_>, shared: &Shared) -> Option<Program> {
    let transport = reader.word(table, "transport", &[("tcp", Transport::Tcp), ("stdio", Transport::Stdio)]);
    let transport = transport.unwrap_or_default();
    let words = words(reader, table, "command", "an array of strings such as [\"python3\", \"bot.py\", \"{side}\"]");
    let command = words.map(|words| {
        let templates: Vec<_> = words.iter().map(|word| template(reader, word, transport)).collect();
        if let Some(Some(program)) = templates.first()
            && !program.is_literal()
        {
            reader.note(words[0].span.start, Flaw::PlaceholderInProgram);
        }
        templates
    });
    let build = words_of_build(reader, table);
    let readable = readable(reader, table);
    let writable = reader.boolean(table, "writable").unwrap_or(false);
    if writable && !table.contains_key("dir") {
        reader.note(Reader::key_offset(table, "writable"), Flaw::WritableWithoutDir);
    }
    let env = env(reader, table, transport);
    let mut passed = shared.pass_env.clone();
    passed.extend(pass_env(reader, table));
    let dir = dir(reader, table);
    let resources = resources(reader, table, shared.resources);
    let command = command?.into_iter().collect::<Option<Vec<_>>>()?;
    let build_network = reader.boolean(table, "build_network").unwrap_or(shared.build_network);
    Some(Program {
        command,
        dir,
        env,
        pass_env: passed,
        build,
        build_network,
        transport,
        resources,
        readable,
        writable,
    })
}

fn readable(reader: &mut Reader<'_>, table: &DeTable<'_>) -> Vec<PathBuf> {
    let paths = words(reader, table, "readable", "an array of paths such as [\"/opt/jdk\"]").unwrap_or_default();
    paths.into_iter().map(|path| PathBuf::from(path.content)).collect()
}

fn words_of_build(reader: &mut Reader<'_>, table: &DeTable<'_>) -> Option<Vec<String>> {
    let words = words(reader, table, "build", "an array of strings such as [\"make\", \"bot\"]")?;
    Some(words.into_iter().map(|word| word.content.to_owned()).collect())
}

/// The array of strings at `key`, if it is there: the name of a program, which is not empty, and its arguments.
fn words<'t>(
    reader: &mut Reader<'_>,
    table: &'t DeTable<'_>,
    key: &'static str,
    expected: &'static str,
) -> Option<Vec<Text<'t>>> {
    let value = table.get(key)?;
    let DeValue::Array(array) = value.get_ref() else {
        reader.wrong_type(key, value, expected);
        return None;
    };
    let mut words = Vec::new();
    for (i, item) in array.iter().enumerate() {
        match item.get_ref() {
            DeValue::String(text) => words.push(Text { key, content: text, span: item.span() }),
            _ => reader.wrong_type(format!("{key}, word {}", i + 1), item, "a string; put quotes round it"),
        }
    }
    if words.len() < array.len() {
        return None;
    }
    let empty = words.first().is_none_or(|program| program.content.is_empty());
    if empty {
        let example = ": its first word is the program to run";
        reader.note(value.span().start, Flaw::Empty { key: key.to_owned(), example });
    }
    let clean = words.iter().filter(|word| !without_nul(reader, key, word)).count() == 0;
    (!empty && clean).then_some(words)
}

/// Whether `text` can be handed to a program; a NUL can't.
fn without_nul(reader: &mut Reader<'_>, key: &str, text: &Text<'_>) -> bool {
    let clean = !text.content.contains('\0');
    if !clean {
        reader.note(text.span.start, Flaw::ControlCharacter { key: key.to_owned() });
    }
    clean
}

fn template(reader: &mut Reader<'_>, text: &Text<'_>, transport: Transport) -> Option<Template> {
    if transport == Transport::Stdio {
        for placeholder in Placeholder::ALL.into_iter().filter(|placeholder| placeholder.is_address()) {
            if let Some(offset) = Template::find(text.content, placeholder) {
                let flaw = Flaw::NoAddressOverStdio { key: text.key.to_owned(), placeholder: placeholder.name() };
                reader.note(reader.inside(&text.span, offset), flaw);
            }
        }
    }
    match Template::parse(text.content) {
        Ok(template) => Some(template),
        Err(flaws) => {
            for (offset, flaw) in flaws {
                reader.note(reader.inside(&text.span, offset), Flaw::Template(flaw));
            }
            None
        }
    }
}

fn env(reader: &mut Reader<'_>, table: &DeTable<'_>, transport: Transport) -> Vec<(String, Template)> {
    let Some(value) = table.get("env") else {
        return Vec::new();
    };
    let DeValue::Table(variables) = value.get_ref() else {
        reader.wrong_type("env", value, "a table of strings such as { LEVEL = \"3\" }");
        return Vec::new();
    };
    let mut env = Vec::new();
    for (key, value) in variables {
        let name: &str = key.get_ref();
        if let Some(flaw) = variable_name(name, "env", &[]) {
            reader.note(key.span().start, flaw);
        }
        let Some(text) = variable(reader, name, value) else {
            continue;
        };
        if let Some(template) = template(reader, &text, transport) {
            env.push((name.to_owned(), template));
        }
    }
    env
}

/// What is wrong with `name` as that of a variable under `key`, if anything is; the arena sets those in `reserved` itself, and
/// those of placeholders.
fn variable_name(name: &str, key: &'static str, reserved: &[&'static str]) -> Option<Flaw> {
    if name.is_empty() || name.contains(['=', '\0']) {
        return Some(Flaw::BadVariable { key, name: Written::new(name) });
    }
    let told = Placeholder::ALL.map(Placeholder::variable);
    let reserved = told.iter().chain(reserved).find(|reserved| **reserved == name)?;
    Some(Flaw::ReservedVariable { key, name: reserved })
}

/// The names at `pass_env`, at the top of the file or of one player.
pub(super) fn pass_env(reader: &mut Reader<'_>, table: &DeTable<'_>) -> Vec<String> {
    const EXPECTED: &str = "an array of names such as [\"MODEL_PATH\"]";
    let Some(value) = table.get("pass_env") else {
        return Vec::new();
    };
    let DeValue::Array(names) = value.get_ref() else {
        reader.wrong_type("pass_env", value, EXPECTED);
        return Vec::new();
    };
    let mut passed = Vec::new();
    for name in names {
        match name.get_ref() {
            DeValue::String(text) => match variable_name(text, "pass_env", &["HOME", "TMPDIR"]) {
                Some(flaw) => reader.note(name.span().start, flaw),
                None => passed.push(text.to_string()),
            },
            _ => reader.wrong_type("pass_env", name, EXPECTED),
        }
    }
    passed
}

fn variable<'t>(reader: &mut Reader<'_>, name: &str, value: &'t Value<'_>) -> Option<Text<'t>> {
    let DeValue::String(text) = value.get_ref() else {
        reader.wrong_type(format!("env.{}", Written::new(name).as_str()), value, "a string; put quotes round it");
        return None;
    };
    let text = Text { key: "env", content: text, span: value.span() };
    without_nul(reader, "env", &text).then_some(text)
}

fn dir(reader: &mut Reader<'_>, table: &DeTable<'_>) -> Option<PathBuf> {
    let text = reader.text(table, "dir", "a directory such as \"bots/alice\", relative to this file")?;
    if text.content.is_empty() {
        let example = " (name the bot's own directory, such as \"bots/alice\", or leave it out)";
        reader.note(text.span.start, Flaw::Empty { key: "dir".to_owned(), example });
        return None;
    }
    without_nul(reader, "dir", &text).then(|| PathBuf::from(text.content))
}

/// Names differ, and so do their slugs and what the eye sees.
fn names_differ(reader: &mut Reader<'_>, entries: &[Entry<'_>]) {
    let (mut slugs, mut folds) = (HashMap::new(), HashMap::new());
    for entry in entries {
        let Some(name) = &entry.name else { continue };
        let offset = Reader::key_offset(entry.table, "name");
        let (slug, own) = (name.slug(), (name, reader.line(offset)));
        let &mut (first, first_line) = slugs.entry(slug.clone()).or_insert(own);
        let &mut (alike, alike_line) = folds.entry(name.folded()).or_insert(own);
        let name_alone = name.clone();
        let flaw = if first == name && first_line != own.1 {
            Flaw::DuplicateName { name: name_alone, first_line }
        } else if first != name {
            Flaw::SameSlug { name: name_alone, first: first.clone(), first_line, slug }
        } else if alike != name {
            Flaw::LooksLike { name: name_alone, first: alike.clone(), first_line: alike_line }
        } else {
            continue;
        };
        reader.note(offset, flaw);
    }
}

/// A path that a player's table has its bot see.
struct Sight {
    key: &'static str,
    /// Where it stands in the file.
    offset: usize,
    /// As it is written.
    written: PathBuf,
}

impl Entry<'_> {
    fn program(&self) -> Option<&Program> {
        match &self.kind {
            Some(PlayerKind::Program(program)) => Some(program),
            _ => None,
        }
    }

    /// Everything that its table has its bot see, but its program.
    fn sights(&self) -> Vec<Sight> {
        let Some(program) = self.program() else { return Vec::new() };
        let sight = |key, item: &Value<'_>, written: &Path| Sight {
            key,
            offset: item.span().start,
            written: written.to_owned(),
        };
        let items = |key| match self.table.get(key).map(toml::Spanned::get_ref) {
            Some(DeValue::Array(items)) => &items[..],
            _ => &[],
        };
        let mut sights = Vec::new();
        sights.extend(program.dir.iter().zip(self.table.get("dir")).map(|(dir, item)| sight("dir", item, dir)));
        sights.extend(program.readable.iter().zip(items("readable")).map(|(path, item)| sight("readable", item, path)));
        let words = program.command.iter().zip(items("command")).skip(1).filter(|(word, _)| word.is_literal());
        let files = words.filter(|_| program.dir.is_none());
        sights.extend(files.map(|(word, item)| sight("command", item, Path::new(&word.fill(|_| String::new())))));
        sights
    }
}

/// No bot is shown this file, nor a directory that holds it or another player's `dir`. Players may share a `dir`.
fn nothing_is_shown(reader: &mut Reader<'_>, entries: &[Entry<'_>], site: &Site<'_>) {
    let dirs: Vec<Option<PathBuf>> =
        entries.iter().map(|entry| Some(site.resolve(entry.program()?.dir.as_ref()?))).collect();
    // In the order of paths, all that lie below one follow it.
    let owners: BTreeMap<&PathBuf, &PlayerName> =
        dirs.iter().zip(entries).filter_map(|(dir, entry)| Some((dir.as_ref()?, entry.name.as_ref()?))).collect();
    for (entry, own) in entries.iter().zip(&dirs) {
        for Sight { key, offset, written } in entry.sights() {
            let shown = site.resolve(&written);
            let path = Written::new(&written.to_string_lossy());
            let mut below = owners.range::<&PathBuf, _>(&shown..).take_while(|(dir, _)| dir.starts_with(&shown));
            if site.is_file(&shown) {
                reader.note(offset, Flaw::IsTheFile { key, path });
            } else if key == "command" {
                // A word of the command shows a file at most.
            } else if site.is_shown_by(&shown) {
                reader.note(offset, Flaw::ShowsTheFile { key, path });
            } else if let Some((_, &other)) = below.find(|(dir, _)| own.as_ref() != Some(**dir)) {
                reader.note(offset, Flaw::ShowsAnother { key, path, other: other.clone() });
            }
        }
    }
}

/// Name and token of a remote player fit into a hello, and there is an address to send it to.
fn hellos_fit(reader: &mut Reader<'_>, entries: &[Entry<'_>], has_public_address: bool) {
    for entry in entries {
        let Some(PlayerKind::Remote(Remote { token: Some(token), .. })) = &entry.kind else { continue };
        let offset = Reader::key_offset(entry.table, "token");
        if !has_public_address && !entry.table.contains_key("listen") {
            reader.note(offset, Flaw::NoPublicAddress);
        }
        let Some(name) = &entry.name else { continue };
        let length = name.as_str().chars().count() + 1 + token.length();
        if length > EntityName::MAX_LEN {
            reader.note(offset, Flaw::HelloTooLong { length, most: EntityName::MAX_LEN });
        }
    }
}

/// Addresses to listen on differ from each other, and from what programs need that can't be told where to connect to.
fn addresses_differ(reader: &mut Reader<'_>, top: &DeTable<'_>, entries: &[Entry<'_>], public: Option<SocketAddr>) {
    let own = entries.iter().filter_map(|entry| match &entry.kind {
        Some(PlayerKind::Remote(Remote { listen: Some(address), .. })) => {
            Some((*address, Reader::key_offset(entry.table, "listen")))
        }
        _ => None,
    });
    let public = public.map(|address| (address, Reader::key_offset(top, "listen")));
    let addresses: Vec<_> = public.into_iter().chain(own).collect();
    let fixed = entries.iter().find(|entry| match &entry.kind {
        Some(PlayerKind::Program(program)) => {
            program.transport == Transport::Tcp
                && !Placeholder::ALL.into_iter().any(|it| it.is_address() && program.mentions(it))
        }
        _ => false,
    });
    let fixed_address = SocketAddr::from(([127, 0, 0, 1], BASE_PORT));
    for (i, &(address, offset)) in addresses.iter().enumerate() {
        if let Some(&(_, first)) = addresses[..i].iter().find(|(other, _)| overlap(*other, address)) {
            let first_line = reader.line(first);
            reader.note(offset, Flaw::AddressTaken { address: address.to_string(), first_line });
        }
        if let Some(Entry { name: Some(name), .. }) = fixed
            && overlap(address, fixed_address)
        {
            reader.note(offset, Flaw::AddressOfFixedPlayer { player: name.clone() });
        }
    }
}

/// Whether only one of the two can be listened on. Port 0 is another free port each time.
fn overlap(a: SocketAddr, b: SocketAddr) -> bool {
    a.port() == b.port() && a.port() != 0 && (a.ip() == b.ip() || a.ip().is_unspecified() || b.ip().is_unspecified())
}
