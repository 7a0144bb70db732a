//! The rule set: `ruleset`, and its options in the table `rules`.

use toml::Spanned;
use toml::de::DeValue;

use super::flaw::Flaw;
use super::problem_places::KeyReader;
use super::section::Section;
use crate::game::rules::Ruleset;
use crate::game::rules::seegover::{BackRule, CaptureRule, CycleRule, DropRule, Options};

/// The rule set with its options; Gothello without the keys.
pub(super) fn ruleset(reader: &mut KeyReader<'_>, section: &mut Section<'_>) -> Ruleset {
    let named = named(reader, section);
    let ruleset = named.unwrap_or_default();
    let options = options(reader, section);
    match ruleset {
        Ruleset::Seegover(defaults) => Ruleset::Seegover(options.unwrap_or(defaults)),
        Ruleset::Quantum(_) => ruleset,
        Ruleset::Gothello => {
            // After a name that was not understood, nobody knows whose options these are.
            let is_sure = named.is_some() || !section.has("ruleset");
            if section.has("rules") && is_sure {
                reader.note(section.key_offset("rules"), Flaw::NoOptions { ruleset: ruleset.name() });
            }
            ruleset
        }
    }
}

/// The rule set that `ruleset` names, with its default options.
fn named(reader: &mut KeyReader<'_>, section: &mut Section<'_>) -> Option<Ruleset> {
    let value = section.peek("ruleset");
    let text = value.and_then(|value| value.get_ref().as_str()).unwrap_or_default();
    let (name, has_options) = text.split_once(' ').map_or((text, false), |(name, _)| (name, true));
    if let (true, Some(value), Ok(ruleset @ Ruleset::Seegover(_))) = (has_options, value, name.parse()) {
        section.get("ruleset");
        reader.note(value.span().start, Flaw::OptionsInName);
        return Some(ruleset);
    }
    reader.word(section, "ruleset", &Ruleset::ALL.map(|ruleset| (ruleset.name(), ruleset)))
}

/// Notes options that stand outside `rules`, keys of `top` that stand in it, and unknown keys in both. All other keys must
/// have been read.
pub(super) fn misplaced_keys(reader: &mut KeyReader<'_>, top: &Section<'_>) {
    let examples = Options::KEYS.into_iter().zip(["\"superko\"", "2", "\"single\"", "\"capture\""]);
    for (key, example) in examples.filter(|(key, _)| top.has(key)) {
        reader.note(top.key_offset(key), Flaw::OutsideRules { key, example });
    }
    reader.unknown_keys_but(top, &Options::KEYS);
    let Some(DeValue::Table(rules)) = top.peek("rules").map(Spanned::get_ref) else { return };
    let (mut rules, keys_of_top) = (Section::new(rules), top.known());
    for key in Options::KEYS {
        rules.get(key);
    }
    for &key in keys_of_top.iter().filter(|key| rules.has(key)) {
        reader.note(rules.key_offset(key), Flaw::InsideRules { key });
    }
    reader.unknown_keys_but(&rules, &keys_of_top);
}

/// The options of Seegover in `rules`, each with its default; `None` without such a table.
fn options(reader: &mut KeyReader<'_>, section: &mut Section<'_>) -> Option<Options> {
    const EXPECTED: &str = "a table such as { cycle = \"superko\", drop = 2 }";
    let value = section.get("rules")?;
    let DeValue::Table(rules) = value.get_ref() else {
        reader.wrong_type("rules", value, EXPECTED);
        return None;
    };
    let mut section = Section::new(rules);
    let cycle = reader.word(&mut section, "cycle", &CycleRule::ALL.map(|rule| (rule.name(), rule)));
    let drop = reader.integer(&mut section, "drop", 1..=2);
    let capture = reader.word(&mut section, "capture", &CaptureRule::ALL.map(|rule| (rule.name(), rule)));
    let back = reader.word(&mut section, "back", &BackRule::ALL.map(|rule| (rule.name(), rule)));
    Some(Options {
        cycle: cycle.unwrap_or_default(),
        drop: if drop == Some(2) { DropRule::Two } else { DropRule::One },
        capture: capture.unwrap_or_default(),
        back: back.unwrap_or_default(),
    })
}

#[cfg(test)]
mod tests {
    use toml::de::DeTable;

    use super::*;

    /// The rule set of a file, and the problems in it.
    fn read(text: &str) -> (Ruleset, Vec<String>) {
        let table = DeTable::parse(text).expect("TOML");
        let (mut reader, mut section) = (KeyReader::new(text), Section::new(table.get_ref()));
        let ruleset = ruleset(&mut reader, &mut section);
        section.get("rounds");
        misplaced_keys(&mut reader, &section);
        (ruleset, reader.into_problems().iter().map(ToString::to_string).collect())
    }

    #[test]
    fn options_that_the_file_leaves_out_have_their_defaults() {
        for (text, expected) in [
            ("", "gothello"),
            ("ruleset = \"seegover\"", "seegover"),
            ("ruleset = \"seegover\"\n[rules]\ndrop = 1", "seegover"),
            ("rules = { drop = 2 }\nruleset = \"seegover\"", "seegover drop=2"),
            (
                "ruleset = \"seegover\"\nrules.back = \"capture\"\nrules.cycle = \"superko\"\nrules.capture = \"single\"",
                "seegover cycle=superko capture=single back=capture",
            ),
        ] {
            let (ruleset, problems) = read(text);
            assert_eq!((ruleset.to_string().as_str(), problems), (expected, Vec::new()), "{text}");
        }
    }

    #[test]
    fn every_problem_in_the_table_is_noted_where_it_stands() {
        let (_, problems) = read(
            "ruleset = \"seegover\"\n[rules]\ncycle = \"super-ko\"\ndrop = 3\ncapture = 1\nbak = \"free\"\nback = \"fre\"",
        );
        assert_eq!(
            problems,
            [
                "3:9: `cycle`: unknown value `super-ko`: did you mean `superko`?",
                "4:8: `drop`: `3` is out of range (1 to 2)",
                "5:11: `capture`: expected a word in quotes, found a whole number",
                "6:1: unknown key `bak`: did you mean `back`?",
                "7:8: `back`: unknown value `fre`: did you mean `free`?",
            ]
        );
        let (_, problems) = read("ruleset = \"seegover\"\nrules = 2");
        assert_eq!(
            problems,
            ["2:9: `rules`: expected a table such as { cycle = \"superko\", drop = 2 }, found a whole number"]
        );
    }

    #[test]
    fn what_stands_in_the_wrong_place_is_sent_to_the_right_one() {
        let (ruleset, problems) = read("ruleset = \"seegover\"\ndrop = 2\ncycle = \"superko\"\nstones = 3");
        assert_eq!(ruleset.to_string(), "seegover");
        assert_eq!(
            problems,
            [
                "2:1: `drop` is an option of the rules (write it into the table, as in `rules = { drop = 2 }`)",
                "3:1: `cycle` is an option of the rules (write it into the table, as in `rules = { cycle = \"superko\" }`)",
                "4:1: unknown key `stones` (known: ruleset, rules, rounds)",
            ]
        );
        let (_, problems) = read("ruleset = \"seegover\"\n[rules]\ndrop = 2\nrounds = 5");
        assert_eq!(
            problems,
            [
                "4:1: `rounds` is no option of the rules, but belongs to the top of the file (write it above the line `[rules]`)"
            ]
        );
        let (ruleset, problems) = read("ruleset = \"seegover drop=2\"");
        assert_eq!(ruleset.name(), "seegover");
        assert_eq!(
            problems,
            ["1:11: `ruleset` holds a name alone: the options belong into `rules` (write `rules = { drop = 2 }`)"]
        );
    }

    #[test]
    fn gothello_has_no_options() {
        for text in ["[rules]\ndrop = 2", "ruleset = \"gothello\"\nrules = {}"] {
            let (ruleset, problems) = read(text);
            assert_eq!(ruleset, Ruleset::Gothello);
            assert!(problems[0].contains("`gothello` has none"), "{problems:?}");
        }
        let (_, problems) = read("ruleset = \"segover\"\n[rules]\ndrop = 2");
        assert_eq!(problems, ["1:11: `ruleset`: unknown value `segover`: did you mean `seegover`?"]);
    }
}
