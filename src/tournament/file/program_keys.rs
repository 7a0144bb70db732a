//! The keys of a player that the arena starts as a program.

use std::path::PathBuf;

use toml::de::DeValue;

use super::flaw::Flaw;
use super::key::FileKey;
use super::key_kinds::OwnReader;
use super::keys::{player, top};
use super::problem_places::KeyReader;
use super::read_values::Text;
use super::resource_keys::resources;
use super::section::{Section, TomlValue};
use crate::tournament::HostName;
use crate::tournament::Quoted;
use crate::tournament::ladder::EntryProgram;
use crate::tournament::{Placeholder, Template};
use crate::tournament::{Program, Resources, Transport};

/// The settings at the top of the file for every program.
#[derive(Clone, Debug)]
pub(super) struct ProgramDefaults {
    /// The resources that a program may use.
    pub(super) resources: Resources,
    /// The variables that a program gets from the arena's environment.
    pub(super) pass_env: Vec<String>,
    /// Whether builds may use the network.
    pub(super) build_network: bool,
}

/// Reads the keys of a program; `defaults` contains the settings at the top of the file for every program.
pub(super) fn program(
    reader: &mut KeyReader<'_>,
    section: &Section<'_>,
    defaults: &ProgramDefaults,
) -> Option<Program> {
    let dir = dir(reader, section);
    let writable = reader.read(section, &player::WRITABLE).unwrap_or_default();
    if writable && !section.has("dir") {
        reader.note(section.key_offset("writable"), Flaw::WritableWithoutDir);
    }
    let program = program_without_dir(reader, section, defaults);
    let has_command = !program.command.is_empty();
    has_command.then_some(Program { dir, writable, ..program })
}

/// Reads the keys of a program whose files have not arrived yet.
pub(super) fn entry_program(
    reader: &mut KeyReader<'_>,
    section: &Section<'_>,
    defaults: &ProgramDefaults,
) -> EntryProgram {
    EntryProgram::new(program_without_dir(reader, section, defaults))
}

/// Reads all keys of a program except those for its directory. The command is empty if the key is missing or its value
/// is wrong.
fn program_without_dir(reader: &mut KeyReader<'_>, section: &Section<'_>, defaults: &ProgramDefaults) -> Program {
    let transport = reader.read(section, &player::TRANSPORT).unwrap_or_default();
    let env = env(reader, section, transport);
    let command = command(reader, section, transport).unwrap_or_default();
    let build = words_of_build(reader, section);
    let resources = resources(reader, section, defaults.resources);
    let readable = readable(reader, section);
    let mut passed = defaults.pass_env.clone();
    passed.extend(pass_env(reader, section));
    let build_network = reader.given(section, &player::BUILD_NETWORK).unwrap_or(defaults.build_network);
    let hosts = hosts(reader, section, transport);
    Program {
        command,
        dir: None,
        env,
        pass_env: passed,
        build,
        build_network,
        transport,
        resources,
        readable,
        writable: false,
        hosts,
    }
}

fn command(reader: &mut KeyReader<'_>, section: &Section<'_>, transport: Transport) -> Option<Vec<Template>> {
    let expected = "an array of strings such as [\"python3\", \"bot.py\", \"{side}\"]";
    let words = words(reader, section, &player::COMMAND, expected)?;
    let templates: Vec<_> = words.iter().map(|word| template(reader, word, transport)).collect();
    if let Some(Some(program)) = templates.first()
        && !program.is_literal()
    {
        reader.note(words[0].span.start, Flaw::PlaceholderInProgram);
    }
    templates.into_iter().collect()
}

fn readable(reader: &mut KeyReader<'_>, section: &Section<'_>) -> Vec<PathBuf> {
    let paths =
        words(reader, section, &player::READABLE, "an array of paths such as [\"/opt/jdk\"]").unwrap_or_default();
    paths.into_iter().map(|path| PathBuf::from(path.content)).collect()
}

fn words_of_build(reader: &mut KeyReader<'_>, section: &Section<'_>) -> Option<Vec<String>> {
    let words = words(reader, section, &player::BUILD, "an array of strings such as [\"make\", \"bot\"]")?;
    Some(words.into_iter().map(|word| word.content.to_owned()).collect())
}

/// The array of strings at `key`, if the key is present: the name of a program, which must not be empty, and its
/// arguments.
fn words<'t>(
    reader: &mut KeyReader<'_>,
    section: &Section<'t>,
    key: &FileKey<OwnReader>,
    expected: &'static str,
) -> Option<Vec<Text<'t>>> {
    let key = key.name;
    let value = section.get(key)?;
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

/// Whether `text` can be passed to a program: it must not contain a NUL.
fn without_nul(reader: &mut KeyReader<'_>, key: &str, text: &Text<'_>) -> bool {
    let clean = !text.content.contains('\0');
    if !clean {
        reader.note(text.span.start, Flaw::ControlCharacter { key: key.to_owned() });
    }
    clean
}

fn template(reader: &mut KeyReader<'_>, text: &Text<'_>, transport: Transport) -> Option<Template> {
    if transport.is_piped() {
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

fn env(reader: &mut KeyReader<'_>, section: &Section<'_>, transport: Transport) -> Vec<(String, Template)> {
    let Some(value) = section.get(player::ENV.name) else {
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

/// Returns the problem with `name` as the name of a variable under `key`, if there is one. The arena itself sets the
/// variables in `reserved` and those of the placeholders.
fn variable_name(name: &str, key: &'static str, reserved: &[&'static str]) -> Option<Flaw> {
    if name.is_empty() || name.contains(['=', '\0']) {
        return Some(Flaw::BadVariable { key, name: Quoted::new(name) });
    }
    let told = Placeholder::ALL.map(Placeholder::variable);
    let reserved = told.iter().chain(reserved).find(|reserved| **reserved == name)?;
    Some(Flaw::ReservedVariable { key, name: reserved })
}

/// The maximum number of names in a player's `hosts`. A bot usually has one or two hard-coded names.
const MAX_HOSTS: usize = 16;

/// The names at `hosts`: each must be the name of a host, and none may be listed twice.
fn hosts(reader: &mut KeyReader<'_>, section: &Section<'_>, transport: Transport) -> Vec<HostName> {
    const EXPECTED: &str = "an array of names such as [\"barton.example.edu\"]";
    let Some(value) = section.get(player::HOSTS.name) else {
        return Vec::new();
    };
    let DeValue::Array(items) = value.get_ref() else {
        reader.wrong_type("hosts", value, EXPECTED);
        return Vec::new();
    };
    if transport.is_piped() {
        reader.note(section.key_offset("hosts"), Flaw::NoHostsOverStdio { transport });
    }
    if let Some(beyond) = items.get(MAX_HOSTS) {
        reader.note(beyond.span().start, Flaw::TooManyHosts { number: items.len(), most: MAX_HOSTS });
    }
    let mut hosts: Vec<HostName> = Vec::new();
    for item in items {
        let DeValue::String(text) = item.get_ref() else {
            reader.wrong_type("hosts", item, EXPECTED);
            continue;
        };
        match HostName::new(text) {
            Ok(host) if hosts.contains(&host) => reader.note(item.span().start, Flaw::HostTwice { host }),
            Ok(host) => hosts.push(host),
            Err(why) => reader.note(item.span().start, Flaw::NotAHost { text: Quoted::new(text), why }),
        }
    }
    hosts
}

/// The names at `pass_env`, at the top of the file or of one player.
pub(super) fn pass_env(reader: &mut KeyReader<'_>, section: &Section<'_>) -> Vec<String> {
    const EXPECTED: &str = "an array of names such as [\"MODEL_PATH\"]";
    let Some(value) = section.get(top::PASS_ENV.name) else {
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

fn variable<'t>(reader: &mut KeyReader<'_>, name: &str, value: &'t TomlValue<'_>) -> Option<Text<'t>> {
    let DeValue::String(text) = value.get_ref() else {
        reader.wrong_type(format!("env.{}", Quoted::new(name).as_str()), value, "a string; put quotes round it");
        return None;
    };
    let text = Text { key: "env", content: text, span: value.span() };
    without_nul(reader, "env", &text).then_some(text)
}

fn dir(reader: &mut KeyReader<'_>, section: &Section<'_>) -> Option<PathBuf> {
    let text = reader.text(section, &player::DIR, "a directory such as \"bots/alice\", relative to this file")?;
    if text.content.is_empty() {
        let example = " (name the bot's own directory, such as \"bots/alice\", or leave it out)";
        reader.note(text.span.start, Flaw::Empty { key: "dir".to_owned(), example });
        return None;
    }
    without_nul(reader, "dir", &text).then(|| PathBuf::from(text.content))
}
