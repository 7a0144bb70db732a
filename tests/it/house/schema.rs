//! The schema of tournament files, the reader of tournament files and docs/reference/tournament-file.md say the same of every key.

mod documented;
mod editors;

mod facts;
mod samples;

use std::collections::BTreeSet;
use std::sync::LazyLock;

use gothello_arena::players::bots::{DEFAULT_DEPTH, DEFAULT_PLAYOUTS};
use gothello_arena::tournament::file::{FileProblems, Flaw, TOURNAMENT_SCHEMA};
use gothello_arena::tournament::{PlayerKind, Tournament};
use jsonschema::Validator;
use proptest::prelude::*;
use serde_json::Value;

use facts::{Facts, Range};
use samples::{Table, candidates, file, good, toml_text};

/// The schema as a value.
fn schema() -> Value {
    serde_json::from_str(TOURNAMENT_SCHEMA).expect("the schema is JSON")
}

static VALIDATOR: LazyLock<Validator> =
    LazyLock::new(|| jsonschema::draft7::new(&schema()).expect("a schema of draft 7"));

/// The keys of `table` that the schema knows.
fn keys(schema: &Value, table: Table) -> Vec<String> {
    let properties = schema.pointer(&format!("{}/properties", table.pointer())).and_then(Value::as_object);
    properties.expect("a table has keys").keys().cloned().collect()
}

/// The tournament file `text` as JSON, which is what a schema is about.
fn json(text: &str) -> Value {
    let table: toml::Table = text.parse().unwrap_or_else(|error| panic!("{error}\n{text}"));
    serde_json::to_value(table).expect("a table without dates is JSON")
}

/// Whether a schema cannot express the rule that `text` breaks: it is about two values that are not words, about the files of
/// this machine, about what Unicode says of a character, or about what a duration or a number of bytes stands for. (The bounds
/// of the last are `x-minimum` and `x-maximum` in the schema.)
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
        // What does not fit the modes, the seats or the points of a rule set, or what no engine plays.
        | Flaw::Misfit(_)
        | Flaw::NoGtpForm(_) => true,
        Flaw::OutOfRange { text: value, .. } => text.contains(&format!("\"{}\"", value.as_str())),
        // What a rule set lacks with all of its options.
        Flaw::MissingFeature { missing, .. } => missing.option.is_none(),
        Flaw::Name(_) | Flaw::ControlCharacter { .. } => !text.is_ascii(),
        // Such as a tenth of a month, which is no whole number of seconds.
        Flaw::NotADuration { text: value, .. } => value.as_str().contains('.'),
        _ => false,
    }
}

/// Whether schema and reader both accept `text`.
///
/// # Errors
/// Returns what is wrong if only one of them accepts it.
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

/// Fails if schema and reader disagree about one of `texts`. Returns how many they accept and how many they refuse.
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

/// The keys that a reader knows in each table in which it has found an unknown one.
pub(crate) fn known_keys(problems: &FileProblems) -> Vec<BTreeSet<String>> {
    let known = problems.iter().filter_map(|problem| match &problem.flaw {
        Flaw::UnknownKey { known, .. } => Some(known.iter().map(|&key| key.to_owned()).collect()),
        _ => None,
    });
    known.collect()
}

#[test]
fn the_schema_has_the_keys_of_the_reader() {
    let schema = schema();
    for table in Table::ALL {
        let text = file(table, &[("zzzzzzzz".to_owned(), "1".to_owned())]);
        let problems = Tournament::parse(&text, "test").expect_err("an unknown key");
        // The reader takes this option in every line-up, and offers it only where there are more than two seats.
        let is_offered = |key: &String| !(table == Table::QuantumRules && key == "stuck");
        assert_eq!(known_keys(&problems), [keys(&schema, table).into_iter().filter(is_offered).collect()], "{table:?}");
        assert_eq!(accepted(&text), Ok(false), "{table:?}");
    }
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

/// The values of a key that say different things about other keys.
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
    assert_eq!(agree(openings.map(|value| file(Table::Top, &[("openings".to_owned(), value)]))), (13, 11));
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

/// The bounds that the reader names when it refuses `value`, if it does so because of bounds.
fn named_bounds(table: Table, key: &str, value: &str) -> Option<(String, String)> {
    let problems = Tournament::parse(&file(table, &[(key.to_owned(), value.to_owned())]), "test").err()?;
    problems.iter().find_map(|problem| match &problem.flaw {
        Flaw::OutOfRange { key: of, least, most, .. } if of == key => Some((least.clone(), most.clone())),
        _ => None,
    })
}

/// The value of a bound in the units that the reader counts in: a number, seconds or bytes.
fn amount(bound: &str) -> f64 {
    let bytes = |text: &str| {
        let (number, unit) = text.split_once(' ')?;
        let power = ["B", "KiB", "MiB", "GiB", "TiB"].iter().position(|known| *known == unit)?;
        Some(number.parse::<f64>().ok()? * 1024_f64.powi(i32::try_from(power).ok()?))
    };
    let seconds = |text: &str| humantime::parse_duration(text).ok().map(|duration| duration.as_secs_f64());
    let found = bound.parse().ok().or_else(|| bytes(bound)).or_else(|| seconds(bound));
    found.unwrap_or_else(|| panic!("`{bound}` is no bound"))
}

#[test]
fn the_bounds_of_the_schema_are_those_of_the_reader() {
    // One of these is outside of any bounds that a key may have.
    const EXTREMES: [&str; 8] =
        ["-1", "9_223_372_036_854_775_808", "-1e300", "1e300", "\"0s\"", "\"99999999h\"", "\"0 B\"", "\"99999 TiB\""];
    let schema = schema();
    let mut bounded = 0;
    for table in Table::ALL {
        for key in keys(&schema, table) {
            let ranges = Facts::of(&schema, table, &key).ranges;
            let named = EXTREMES.iter().filter_map(|value| named_bounds(table, &key, value));
            let named: Vec<(f64, f64)> = named.map(|(least, most)| (amount(&least), amount(&most))).collect();
            assert_eq!(named.is_empty(), ranges.is_empty(), "{table:?} `{key}`: {named:?}, {ranges:?}");
            bounded += ranges.len();
            for Range { least, most, .. } in &ranges {
                let expected = (amount(least), amount(most));
                assert!(named.iter().all(|found| *found == expected), "{table:?} `{key}`: {named:?}, {expected:?}");
            }
            for Range { least, most, is_text } in ranges {
                for bound in [least, most] {
                    let value = if is_text { format!("\"{bound}\"") } else { bound };
                    assert_eq!(named_bounds(table, &key, &value), None, "{table:?} `{key} = {value}`");
                }
            }
        }
    }
    assert!(bounded > 40, "{bounded} bounds");
}

/// What the reader makes of a file, with the defaults of bots filled in.
fn read(text: &str) -> Option<String> {
    let mut tournament = Tournament::parse(text, "test").ok()?;
    for player in &mut tournament.players {
        if let PlayerKind::Builtin(bot) = &mut player.kind {
            bot.depth.get_or_insert(DEFAULT_DEPTH);
            bot.playouts.get_or_insert(DEFAULT_PLAYOUTS);
        }
    }
    Some(format!("{tournament:?}"))
}

#[test]
fn the_defaults_of_the_schema_are_those_of_the_reader() {
    let schema = schema();
    let top = keys(&schema, Table::Top);
    for table in Table::ALL {
        for key in keys(&schema, table) {
            // Such a key of a player has the value from the top of the file as its default.
            let is_inherited = table == Table::Player && top.contains(&key) && key != "seed";
            let facts = Facts::of(&schema, table, &key);
            let with = |value: &str| read(&file(table, &[(key.clone(), value.to_owned())]));
            let without = read(&samples::without(table, &key)).filter(|_| !is_inherited);
            let Some(without) = without else {
                assert_eq!(facts.default.filter(|_| !is_inherited), None, "{table:?} `{key}` is needed");
                continue;
            };
            let default = facts.default.as_ref().map(toml_text);
            if let Some(default) = &default {
                assert_eq!(with(default), Some(without.clone()), "{table:?} `{key} = {default}`");
            }
            let others = candidates(&facts).into_iter().filter(|value| Some(value) != default.as_ref());
            let read: Vec<(String, String)> = others.filter_map(|value| Some((with(&value)?, value))).collect();
            // No game of two has the other value, and tournaments seat two.
            let differs = read.iter().any(|(read, _)| *read != without) || key == "stuck";
            assert!(differs, "no value of {table:?} `{key}` makes a difference");
            if default.is_none() {
                let same = read.iter().find(|(read, _)| *read == without);
                assert_eq!(same.map(|(_, value)| value), None, "{table:?} `{key}` has a default");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn schema_and_reader_agree_about_text(
        duration in "[ ]{0,2}[0-9]{1,3}[. ]{0,2}[0-9]{0,2}(ms|s|sec|m|min|h|hrs|d|w|M|y|x|µs)?[ ]?([0-9]{1,2}(s|m|h))?",
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
            one(Table::Top, "time", quoted(&duration)),
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
