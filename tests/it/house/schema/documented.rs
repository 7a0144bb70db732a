//! docs/reference/tournament-file.md gives the keys, bounds, words and defaults of the schema.

use std::collections::BTreeSet;

use serde_json::Value;

use super::facts::{Facts, Range};
use super::samples::{Table, toml_text};
use super::{amount, keys, schema};

/// The rows of the table that follows `heading` in docs/reference/tournament-file.md, without the two rows of its head.
fn rows(heading: &str) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string("docs/reference/tournament-file.md").expect("the page");
    let after = text.split(heading).nth(1).unwrap_or_else(|| panic!("`{heading}`"));
    let table = after.lines().skip_while(|line| !line.starts_with("| ")).take_while(|line| line.starts_with('|'));
    let cells = |row: &str| row.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect();
    table.skip(2).map(cells).collect()
}

/// The texts in back-quotes in `cell`.
fn code(cell: &str) -> Vec<String> {
    cell.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// The bounds in `cell`, which stand on either side of ` to `.
fn ranges(cell: &str) -> Vec<(f64, f64)> {
    let plain = cell.replace(['`', '"'], "").replace("2^63 - 1", "9223372036854775807");
    let parts: Vec<&str> = plain.split(" to ").collect();
    let bound = |text: &str| text.chars().any(|c| c.is_ascii_digit()).then(|| amount(text));
    let before = |text: &str| {
        // A number of bytes has a blank within it.
        let words: Vec<&str> = text.split_whitespace().collect();
        let with_unit = words.len() > 1 && words[words.len() - 1].ends_with("iB");
        bound(&words[words.len() - if with_unit { 2 } else { 1 }..].join(" "))
    };
    let after =
        |text: &str| bound(text.split([',', ';', ')']).next().unwrap_or_default().trim_end_matches(" by default"));
    parts.windows(2).filter_map(|pair| Some((before(pair[0])?, after(pair[1])?))).collect()
}

/// The bounds of a key. A key that takes numbers and texts has the same bounds for both.
fn bounds(facts: &Facts) -> Vec<(f64, f64)> {
    let mut bounds: Vec<(f64, f64)> = Vec::new();
    for Range { least, most, .. } in &facts.ranges {
        let bound = (amount(least), amount(most));
        if bounds.last() != Some(&bound) {
            bounds.push(bound);
        }
    }
    bounds
}

/// What the schema says of the keys of the table at `key`, if the value of `key` is a table.
fn nested(schema: &Value, key: &str) -> Vec<(String, Facts)> {
    let table = match key {
        "adjudicate" => Table::Adjudicate,
        "openings" => Table::Openings,
        "rules" => Table::SeegoverRules,
        _ => return Vec::new(),
    };
    keys(schema, table).into_iter().map(|key| (key.clone(), Facts::of(schema, table, &key))).collect()
}

#[test]
fn the_top_of_the_file_is_documented_as_the_schema_has_it() {
    let schema = schema();
    let mut documented = BTreeSet::from(["player".to_owned()]);
    for row in rows("## The top of the file") {
        let [names, default, allowed, meaning] = &row[..] else { panic!("{row:?}") };
        let names = code(names);
        let defaults: Vec<&str> = default.split(", ").collect();
        for (index, name) in names.iter().enumerate() {
            let facts = Facts::of(&schema, Table::Top, name);
            let expected = facts.default.as_ref().map(toml_text).filter(|text| text != "[]");
            match expected {
                Some(value) if names.len() == defaults.len() => {
                    assert_eq!(defaults[index], format!("`{value}`"), "`{name}`");
                }
                value => assert!(value.is_none() && !default.starts_with('`'), "`{name}`: {default}, {value:?}"),
            }
            let inner = nested(&schema, name);
            let expected = inner.iter().flat_map(|(_, facts)| bounds(facts)).chain(bounds(&facts));
            let (mut found, mut expected) = (ranges(allowed), expected.collect::<Vec<_>>());
            found.sort_by(|one, other| one.partial_cmp(other).expect("numbers"));
            expected.sort_by(|one, other| one.partial_cmp(other).expect("numbers"));
            assert_eq!(found, expected, "`{name}`: {allowed}");
            for (key, inner) in &inner {
                let default = inner.default.as_ref().map(|default| format!("{key} = {default}"));
                assert!(default.is_none_or(|default| allowed.contains(&default)), "`{name}`: {allowed}");
                assert!(allowed.contains(&format!("`{key}`")), "`{name}`: {allowed}");
            }
            words_are_documented(name, &facts, allowed);
            let most = facts.most_characters.map(|most| format!("up to {most} characters"));
            assert!(most.is_none_or(|most| allowed.contains(&most)), "`{name}`: {allowed}");
            assert!(!meaning.is_empty(), "`{name}`");
        }
        documented.extend(names);
    }
    assert_eq!(documented, keys(&schema, Table::Top).into_iter().collect());
    let most = schema.pointer("/properties/openings/then/properties/plies/maximum").expect("a bound");
    assert!(
        rows("## The top of the file")
            .iter()
            .any(|row| row[2].contains(&format!("up to {most} with `balanced = true`")))
    );
}

#[test]
fn the_options_of_quantum_gothello_are_documented_as_the_schema_has_them() {
    let schema = schema();
    let mut documented = BTreeSet::new();
    for row in rows("The table `[rules]` holds the options.") {
        let [name, default, allowed, meaning] = &row[..] else { panic!("{row:?}") };
        let [name] = &code(name)[..] else { panic!("{row:?}") };
        let facts = Facts::of(&schema, Table::QuantumRules, name);
        match facts.default.as_ref().map(toml_text) {
            Some(value) => assert!(default.starts_with(&format!("`{value}`")), "`{name}`: {default}"),
            None => assert_eq!(default, "none", "`{name}`"),
        }
        words_are_documented(name, &facts, allowed);
        assert!(!meaning.is_empty(), "`{name}`");
        documented.insert(name.clone());
    }
    assert_eq!(documented, keys(&schema, Table::QuantumRules).into_iter().collect());
}

/// The words of a key stand in `cell`, and no others.
fn words_are_documented(name: &str, facts: &Facts, cell: &str) {
    let is_word = |text: &String| text.starts_with('"') && text.ends_with('"') && !text.contains([' ', ':']);
    let is_bound = |text: &String| text.trim_start_matches('"').starts_with(|c: char| c.is_ascii_digit());
    let found = code(cell).into_iter().filter(|text| is_word(text) && !is_bound(text));
    let expected = facts.words.iter().map(|word| format!("\"{word}\""));
    assert_eq!(found.collect::<BTreeSet<_>>(), expected.collect(), "`{name}`: {cell}");
}

#[test]
fn the_keys_of_a_player_are_documented_as_the_schema_has_them() {
    let schema = schema();
    // The page describes the names of players above its table.
    let mut documented = BTreeSet::from(["name".to_owned()]);
    for row in rows("## Players") {
        let [names, goes_with, meaning] = &row[..] else { panic!("{row:?}") };
        for name in code(names) {
            let facts = Facts::of(&schema, Table::Player, &name);
            if meaning.contains("the same as at the top of the file") {
                let top = Facts::of(&schema, Table::Top, &name);
                let own = Facts { default: top.default.clone(), examples: top.examples.clone(), ..facts };
                assert_eq!(own, top, "`{name}`");
            } else {
                assert_eq!(
                    ranges(meaning),
                    if name == "seed" { Vec::new() } else { bounds(&facts) },
                    "`{name}`: {meaning}"
                );
                let numbers = facts.default.as_ref().filter(|default| default.is_number());
                let by_default = meaning.split(" by default").next().filter(|text| text.len() < meaning.len());
                let by_default = by_default.and_then(|text| text.rsplit([' ', ';']).next()?.parse::<f64>().ok());
                assert_eq!(by_default, numbers.and_then(Value::as_f64), "`{name}`: {meaning}");
                let most = facts.most_items.map(|most| format!("up to {most} "));
                assert!(most.is_none_or(|most| meaning.contains(&most)), "`{name}`: {meaning}");
                if !facts.words.is_empty() {
                    words_are_documented(&name, &facts, meaning);
                }
            }
            goes_with_is_documented(&schema, &name, goes_with);
            documented.insert(name);
        }
    }
    assert_eq!(documented, keys(&schema, Table::Player).into_iter().collect());
    let name = Facts::of(&schema, Table::Player, "name");
    let text = std::fs::read_to_string("docs/reference/tournament-file.md").expect("the page");
    assert!(text.contains(&format!("It has up to {} characters.", name.most_characters.expect("a bound"))));
}

/// The schema lets `name` stand only beside the keys that `cell` names, as the reader does by another test.
fn goes_with_is_documented(schema: &Value, name: &str, cell: &str) {
    let needed = schema.pointer(&format!("/definitions/player/dependencies/{name}"));
    let list = needed.and_then(|needed| needed.as_array().or_else(|| needed["required"].as_array()));
    let expected: Vec<&str> = list.into_iter().flatten().filter_map(Value::as_str).collect();
    let words = code(cell);
    let first = words.first().map(|word| word.split(" = ").next().unwrap_or_default());
    if name == "openings" {
        // Two kinds of player may have this key, which no dependency says.
        assert_eq!(words, ["command", "remote"]);
    } else {
        assert_eq!(first.into_iter().collect::<Vec<_>>(), expected, "`{name}`: {cell}");
    }
}
