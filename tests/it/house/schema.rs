//! The schema of tournament files, their reader and docs/reference/tournament-file.md agree on every key.

mod editors;
mod generated;

mod facts;
mod samples;

use std::sync::LazyLock;

use gothello_arena::players::bots::{DEFAULT_DEPTH, DEFAULT_PLAYOUTS};
use gothello_arena::tournament::definition::Definition;
use gothello_arena::tournament::file::{Flaw, TOURNAMENT_SCHEMA, identifying_keys};
use gothello_arena::tournament::{PlayerKind, Tournament};
use jsonschema::Validator;
use proptest::prelude::*;
use serde_json::Value;

use facts::Facts;
use samples::{Table, candidates, file, good, toml_text};

/// The schema as a value.
fn schema() -> Value {
    serde_json::from_str(TOURNAMENT_SCHEMA).expect("the schema is JSON")
}

static VALIDATOR: LazyLock<Validator> =
    LazyLock::new(|| jsonschema::draft7::new(&schema()).expect("a schema of draft 7"));

/// The keys of `table` in the schema.
fn keys(schema: &Value, table: Table) -> Vec<String> {
    let properties = schema.pointer(&format!("{}/properties", table.pointer())).and_then(Value::as_object);
    properties.expect("a table has keys").keys().cloned().collect()
}

/// `value` as editors compare it with a schema: JSON has no dates, so a date becomes a string.
fn without_dates(value: toml::Value) -> toml::Value {
    match value {
        toml::Value::Datetime(date) => date.to_string().into(),
        toml::Value::Array(items) => items.into_iter().map(without_dates).collect::<Vec<_>>().into(),
        toml::Value::Table(table) => {
            table.into_iter().map(|(key, value)| (key, without_dates(value))).collect::<toml::Table>().into()
        }
        other => other,
    }
}

/// The tournament file `text` as JSON, which is the form that a schema describes.
fn json(text: &str) -> Value {
    let table: toml::Table = text.parse().unwrap_or_else(|error| panic!("{error}\n{text}"));
    serde_json::to_value(without_dates(table.into())).expect("a table without dates is JSON")
}

/// Whether a schema cannot express the rule that `text` breaks: it is about two values that are not words, about the
/// files of this machine, about the Unicode properties of a character, about whether a date is in quotes, or about the
/// value of a duration or a number of bytes. (The schema states the bounds of durations and sizes as `x-minimum` and
/// `x-maximum`.)
fn is_beyond_schemas(flaw: &Flaw, text: &str) -> bool {
    match flaw {
        Flaw::EloOrder { .. }
        | Flaw::MoreRoundsThanOpponents { .. }
        | Flaw::DuplicateName { .. }
        | Flaw::SameSlug { .. }
        | Flaw::LooksLike { .. }
        | Flaw::HelloTooLong { .. }
        | Flaw::HostTwice { .. }
        | Flaw::AddressTaken { .. }
        | Flaw::AddressOfFixedPlayer { .. }
        | Flaw::ShowsTheFile { .. }
        | Flaw::ShowsAnother { .. }
        // Options that do not fit the modes, the seats or the points of a rule set, or that no engine plays.
        | Flaw::Misfit(_)
        // The number of players is incompatible with the number of tables.
        | Flaw::Unseatable { .. }
        | Flaw::NoGtpForm(_)
        // To a schema, a date is a string.
        | Flaw::WrongType { found: "a date or time", .. }
        | Flaw::NotAnInstant { .. } => true,
        Flaw::WrongType { key, found: "a string", .. } => key == "closes",
        Flaw::OutOfRange { text: value, .. } => text.contains(&format!("\"{}\"", value.as_str())),
        // Features that a rule set lacks regardless of its options.
        Flaw::MissingFeature { missing, .. } => missing.option.is_none(),
        Flaw::Name(_) | Flaw::ControlCharacter { .. } => !text.is_ascii(),
        // An invisible character is shown as an escape.
        Flaw::NotABranch { text: value } => !value.as_str().is_ascii() || value.as_str().contains("\\u{"),
        // For example, a tenth of a month is not a whole number of seconds.
        Flaw::NotADuration { text: value, .. } => value.as_str().contains('.'),
        _ => false,
    }
}

/// Whether both the schema and the reader accept `text`.
///
/// # Errors
/// Returns a description of the disagreement if only one of them accepts `text`.
fn accepted(text: &str) -> Result<bool, String> {
    let read = Tournament::parse(text, "test");
    let value = json(text);
    match (read, VALIDATOR.validate(&value)) {
        (Ok(_), Ok(())) => Ok(true),
        (Ok(_), Err(error)) => Err(format!("only the schema refuses: {error}\n{text}")),
        (Err(_), Err(_)) => Ok(false),
        (Err(problems), Ok(())) => {
            let beyond = problems.iter().all(|problem| is_beyond_schemas(&problem.flaw, text));
            if beyond { Ok(false) } else { Err(format!("only the reader refuses: {problems}\n{text}")) }
        }
    }
}

/// Fails if the schema and the reader disagree about one of `texts`. Returns how many texts they accept and how many
/// they refuse.
fn agree(texts: impl IntoIterator<Item = String>) -> (usize, usize) {
    let (mut accepts, mut wrong) = ((0, 0), Vec::new());
    for text in texts {
        match accepted(&text) {
            Ok(true) => accepts.0 += 1,
            Ok(false) => accepts.1 += 1,
            Err(error) => wrong.push(error),
        }
    }
    assert!(wrong.is_empty(), "{} disagreements\n{}", wrong.len(), wrong[..wrong.len().min(20)].join("\n"));
    accepts
}

#[test]
fn schema_and_reader_accept_the_same_values_for_every_key() {
    let schema = schema();
    let each_key =
        Table::ALL.into_iter().flat_map(|table| keys(&schema, table).into_iter().map(move |key| (table, key)));
    let texts = each_key.flat_map(|(table, key)| {
        let facts = Facts::of(&schema, table, &key);
        candidates(&facts).into_iter().map(move |value| file(table, &[(key.clone(), value)]))
    });
    let (accepted, refused) = agree(texts);
    assert!(accepted > 300 && refused > 2_000, "{accepted} accepted, {refused} refused");
}

/// The values of a key that have different consequences for other keys.
fn telling(facts: &Facts) -> Vec<String> {
    let mut values: Vec<String> = facts.words.iter().map(|word| toml_text(&Value::from(word.as_str()))).collect();
    if facts.is_boolean {
        values.extend(["true".to_owned(), "false".to_owned()]);
    }
    if values.is_empty() { vec![good(facts)] } else { values }
}

#[test]
fn schema_and_reader_agree_about_every_two_keys() {
    let schema = schema();
    let plies = (0..12).flat_map(|plies| [true, false].map(|balanced| (plies, balanced)));
    let openings = plies.map(|(plies, balanced)| format!("{{ plies = {plies}, balanced = {balanced} }}"));
    assert_eq!(agree(openings.map(|value| file(Table::Top, &[("openings".to_owned(), value)]))), (14, 10));
    for table in [Table::Top, Table::Player] {
        let single: Vec<(String, String)> = keys(&schema, table)
            .into_iter()
            .filter(|key| key != "player")
            .flat_map(|key| {
                let values = telling(&Facts::of(&schema, table, &key));
                values.into_iter().map(move |value| (key.clone(), value))
            })
            .collect();
        let pairs = single.iter().enumerate().flat_map(|(index, one)| {
            let others = single[index..].iter().filter(|other| other.0 != one.0);
            others.flat_map(move |other| {
                let both = [one.clone(), other.clone()];
                [file(table, &both), samples::bare(table, &both)]
            })
        });
        let (accepted, refused) = agree(pairs);
        assert!(accepted > 100 && refused > 100, "{accepted} accepted, {refused} refused");
    }
}

/// The result of reading a file, with the defaults of bots filled in, and the digest of the run.
fn read(text: &str) -> Option<(String, String)> {
    let mut tournament = Tournament::parse(text, "test").ok()?;
    for player in &mut tournament.players {
        if let PlayerKind::Builtin(bot) = &mut player.kind {
            bot.depth.get_or_insert(DEFAULT_DEPTH);
            bot.playouts.get_or_insert(DEFAULT_PLAYOUTS);
        }
    }
    Some((format!("{tournament:?}"), Definition::from(&tournament).digest()))
}

#[test]
fn every_key_is_obeyed_has_its_default_and_makes_another_run_if_it_says_so() {
    let schema = schema();
    let [top, of_players] = identifying_keys();
    for table in Table::ALL {
        for key in keys(&schema, table) {
            let identifies = match table {
                Table::Top => top.contains(&key.as_str()),
                Table::Player => of_players.contains(&key.as_str()),
                // A teacher may change how a ladder chooses its games while the ladder is open.
                Table::Ladder => false,
                _ => true,
            };
            let facts = Facts::of(&schema, table, &key);
            let with = |value: &str| read(&file(table, &[(key.clone(), value.to_owned())]));
            // Without a required key, the file does not describe a tournament.
            let Some(without) = read(&samples::without(table, &key)) else { continue };
            let default = facts.default.as_ref().map(toml_text);
            if let Some(default) = &default {
                assert_eq!(with(default).as_ref(), Some(&without), "{table:?} `{key} = {default}`");
            }
            let others = candidates(&facts).into_iter().filter(|value| Some(value) != default.as_ref());
            let others: Vec<_> = others.filter_map(|value| with(&value)).filter(|read| read.0 != without.0).collect();
            assert!(!others.is_empty(), "no value of {table:?} `{key}` makes a difference");
            for (read, digest) in others {
                assert_eq!(digest != without.1, identifies, "{table:?} `{key}`: {read}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn schema_and_reader_agree_about_text(
        duration in "[ ]{0,2}[0-9]{1,3}[. ]{0,2}[0-9]{0,2}(ms|s|sec|m|min|h|hrs|d|w|M|y|x|µs)?[ ]?([0-9]{1,2}(s|m|h))?",
        // The bounds of a clock's parts are not in the schema; only the reader checks them.
        clock in "[ ]?[1-9][0-9]?(s|m|h|q)[ ]?([+,][ ]?([1-9] ?[x×:] ?)?[1-9][0-9]?(s|q| s)?){0,2}[ ]?",
        size in "[ ]?[0-9_]{0,4}[ ]{0,2}(B|kB|KB|MB|TB|KiB|MiB|GiB|TiB|kb|Ki)?[ ]?",
        address in "([0-9]{1,3}\\.){3}[0-9]{1,3}:[0-9]{1,6}|\\[(::1|::|fe80::1%[0-9])\\]:[0-9]{1,5}|localhost:[0-9]{2}",
        word in "[a{} ]{0,3}(\\{(side|host|sde|Port|)\\})?[a{}]{0,2}",
        name in "[-=+@: a9Ä棋_.\u{a0}\u{202e}\u{7f}]{0,5}",
        host in "([aZ0-9xX-]{0,3}\\.){0,2}([a0-9x-]{0,3}|localhost|localdomain)|[a-]{60,66}",
        token in "[ a9ä\u{85}]{0,40}",
    ) {
        let quoted = |text: &str| toml::Value::from(text).to_string();
        let one = |table, key: &str, value: String| file(table, &[(key.to_owned(), value)]);
        for text in [
            one(Table::Top, "move_time", quoted(&duration)),
            one(Table::Top, "time", quoted(&clock)),
            one(Table::Top, "quit_timeout", quoted(&duration)),
            one(Table::Top, "output_cap", quoted(&size)),
            one(Table::Player, "scratch", quoted(&size)),
            one(Table::Top, "listen", quoted(&address)),
            one(Table::Player, "listen", quoted(&address)),
            one(Table::Top, "name", quoted(&name)),
            one(Table::Player, "name", quoted(&name)),
            one(Table::Player, "token", quoted(&token)),
            one(Table::Player, "hosts", format!("[{}]", quoted(&host))),
            one(Table::Player, "command", format!("[{}]", quoted(&word))),
            one(Table::Player, "command", format!("[\"x\", {}]", quoted(&word))),
            one(Table::Player, "env", format!("{{ {} = {} }}", quoted(&name), quoted(&word))),
        ] {
            let agreed = accepted(&text);
            prop_assert!(agreed.is_ok(), "{}", agreed.unwrap_err());
        }
    }
}
