//! The rule set: `ruleset`, and its options in the table `rules`.

mod quantum_options;

use toml::Spanned;
use toml::de::DeValue;

use super::advantages::AdvantagesDraft;
use super::flaw::Flaw;
use super::key::AnyKey;
use super::keys::rules::{self, QUANTUM_KEYS, SEEGOVER_KEYS};
use super::keys::top;
use super::keys::words::RulesetName;
use super::problem_places::KeyReader;
use super::section::Section;
use crate::game::quantum::{Mode, QuantumRules};
use crate::game::seegover::{DropRule, Options};
use crate::game::{Ruleset, UnknownRuleset};
use crate::tournament::Quoted;

/// The rules that the file specifies.
pub(super) struct GivenRules {
    /// The rule set; Gothello if the file does not name one, or if its name was not understood.
    pub(super) ruleset: Ruleset,
    /// Whether the name of the rule set was understood; true if the file does not name one.
    pub(super) is_understood: bool,
    /// The options that belong to players.
    pub(super) of_players: AdvantagesDraft,
}

/// Reads the rule set with its options, and the options that belong to players.
pub(super) fn given(reader: &mut KeyReader<'_>, section: &Section<'_>) -> GivenRules {
    let named = named(reader, section);
    let is_understood = named.is_some() || !section.has(top::RULESET.name);
    let (ruleset, of_players) = with_options(reader, section, named);
    GivenRules { ruleset, is_understood, of_players }
}

/// Reads the options of `named`, the rule set that the file names, and the options that belong to players.
fn with_options(
    reader: &mut KeyReader<'_>,
    section: &Section<'_>,
    named: Option<Ruleset>,
) -> (Ruleset, AdvantagesDraft) {
    let ruleset = match named.unwrap_or_default() {
        Ruleset::Seegover(defaults) => {
            let rules = table(reader, section, SEEGOVER_KEYS, "a table such as { cycle = \"superko\", drop = 2 }");
            Ruleset::Seegover(rules.map_or(defaults, |rules| options(reader, &rules)))
        }
        Ruleset::Quantum(defaults) => {
            let rules = table(reader, section, QUANTUM_KEYS, "a table such as { start = \"open\", ko = \"simple\" }");
            let read = rules.map(|rules| quantum_options::read(reader, &rules, defaults));
            let (rules, of_players) = read.unwrap_or((defaults, AdvantagesDraft::default()));
            return (Ruleset::Quantum(rules), of_players);
        }
        Ruleset::Gothello => {
            // If the name was not understood, it is unclear to which rule set these options belong.
            if section.has("rules") && (named.is_some() || !section.has("ruleset")) {
                let rules = given_table(section, QUANTUM_KEYS);
                let is_quantum = rules.is_some_and(|rules| QUANTUM_KEYS.iter().any(|key| rules.has(key.name())));
                let owner = if is_quantum { "quantum" } else { "seegover" };
                reader.note(section.key_offset("rules"), Flaw::NoOptions { ruleset: "gothello", owner });
            }
            Ruleset::Gothello
        }
    };
    (ruleset, AdvantagesDraft::default())
}

/// Reads the rule set that `ruleset` names, with its default options.
fn named(reader: &mut KeyReader<'_>, section: &Section<'_>) -> Option<Ruleset> {
    let text = reader.text(section, &top::RULESET, "a word in quotes")?;
    let at = text.span.start;
    let (name, has_options) = text.content.split_once(' ').map_or((text.content, false), |(name, _)| (name, true));
    let flaw = match name.parse::<Ruleset>() {
        Ok(ruleset) if !has_options => {
            return Some(ruleset);
        }
        Ok(Ruleset::Gothello) | Err(UnknownRuleset::Name { .. }) => {
            Flaw::UnknownWord { key: text.key, text: Quoted::new(text.content), known: RulesetName::all().collect() }
        }
        Ok(ruleset) => {
            reader.note(at, Flaw::OptionsInName { example: example_of(ruleset) });
            return Some(ruleset);
        }
        Err(why) => Flaw::NoSuchSize { text: Quoted::new(text.content), why },
    };
    reader.note(at, flaw);
    None
}

/// An example of an option of `ruleset`, as written in a file.
const fn example_of(ruleset: Ruleset) -> &'static str {
    match ruleset {
        Ruleset::Gothello | Ruleset::Seegover(_) => "drop = 2",
        Ruleset::Quantum(_) => "ko = \"simple\"",
    }
}

/// The keys that the table `rules` may have with `ruleset`.
fn keys_of(ruleset: Ruleset) -> Vec<&'static dyn AnyKey> {
    match ruleset {
        Ruleset::Gothello | Ruleset::Seegover(_) => SEEGOVER_KEYS.to_vec(),
        Ruleset::Quantum(rules) => {
            let of_lineup = QuantumRules::keys_of(rules.lineup());
            QUANTUM_KEYS.iter().copied().filter(|key| of_lineup.contains(&key.name())).collect()
        }
    }
}

/// Records the unknown keys of `section` that are not in `elsewhere`. Go players may write `komi`; the message then
/// states the corresponding option.
fn note_unknown(reader: &mut KeyReader<'_>, section: &Section<'_>, elsewhere: &[&str], ruleset: Ruleset) {
    const KOMI: &str = "komi";
    let is_komi = matches!(ruleset, Ruleset::Quantum(rules) if rules.lineup().has(Mode::Go)) && section.has(KOMI);
    if is_komi {
        reader.note(section.key_offset(KOMI), Flaw::Komi);
    }
    let komi = is_komi.then_some(KOMI);
    let elsewhere: Vec<&str> = elsewhere.iter().copied().chain(komi).collect();
    reader.unknown_keys_but(section, &elsewhere);
}

/// Records options that are outside `rules`, keys of `top` that are inside it, and unknown keys in both.
pub(super) fn misplaced_keys(reader: &mut KeyReader<'_>, top: &Section<'_>, ruleset: Ruleset) {
    let options: Vec<&dyn AnyKey> = SEEGOVER_KEYS.iter().chain(QUANTUM_KEYS).copied().collect();
    for option in options.iter().filter(|option| top.has(option.name())) {
        let flaw = Flaw::OutsideRules { key: option.name(), example: option.example() };
        reader.note(top.key_offset(option.name()), flaw);
    }
    let options: Vec<&str> = options.iter().map(|option| option.name()).collect();
    note_unknown(reader, top, &options, ruleset);
    let Some(given) = given_table(top, QUANTUM_KEYS) else { return };
    let mut known = keys_of(ruleset);
    if matches!(ruleset, Ruleset::Quantum(_)) {
        // Keys of other line-ups have already been read, and their problems recorded.
        let is_known = |key: &&dyn AnyKey| known.iter().any(|known| known.name() == key.name());
        let read: Vec<_> = QUANTUM_KEYS.iter().copied().filter(|key| !is_known(key) && given.has(key.name())).collect();
        known.extend(read);
    }
    let keys_of_top = top.known();
    for &key in keys_of_top.iter().filter(|key| given.has(key)) {
        reader.note(given.key_offset(key), Flaw::InsideRules { key });
    }
    if ruleset != Ruleset::Gothello
        && let Some(rules) = given_table(top, &known)
    {
        note_unknown(reader, &rules, &keys_of_top, ruleset);
    }
}

/// The table `rules`, which may have `keys`; `None` if `rules` is missing or is not a table.
fn given_table<'t>(section: &Section<'t>, keys: &[&'static dyn AnyKey]) -> Option<Section<'t>> {
    match section.get(top::RULES.name).map(Spanned::get_ref) {
        Some(DeValue::Table(rules)) => Some(Section::new(rules, keys)),
        _ => None,
    }
}

/// Like `given_table`, but also records a problem if `rules` is not a table.
fn table<'t>(
    reader: &mut KeyReader<'_>,
    section: &Section<'t>,
    keys: &[&'static dyn AnyKey],
    expected: &'static str,
) -> Option<Section<'t>> {
    let rules = reader.table_of(top::RULES.name, section.get(top::RULES.name)?, expected)?;
    Some(Section::new(rules, keys))
}

/// The options of Seegover in `rules`, or their defaults.
fn options(reader: &mut KeyReader<'_>, rules: &Section<'_>) -> Options {
    Options {
        cycle: reader.read(rules, &rules::CYCLE).unwrap_or_default(),
        drop: if reader.read(rules, &rules::DROP) == Some(2) { DropRule::Two } else { DropRule::One },
        capture: reader.read(rules, &rules::CAPTURE).unwrap_or_default(),
        back: reader.read(rules, &rules::BACK).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use toml::de::DeTable;

    use super::*;

    /// Reads the rule set of a file. Also returns the problems.
    fn read(text: &str) -> (Ruleset, Vec<String>) {
        let table = DeTable::parse(text).expect("TOML");
        let (mut reader, section) = (KeyReader::new(text), Section::new(table.get_ref(), top::TOP_KEYS));
        let GivenRules { ruleset, .. } = given(&mut reader, &section);
        misplaced_keys(&mut reader, &section, ruleset);
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
    fn every_problem_in_the_table_is_reported_at_its_position() {
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
    fn a_key_in_the_wrong_place_is_sent_to_the_right_one() {
        let (ruleset, mut problems) = read("ruleset = \"seegover\"\ndrop = 2\ncycle = \"superko\"\nstones = 3");
        assert_eq!(ruleset.to_string(), "seegover");
        let unknown = problems.pop().expect("three problems");
        assert!(unknown.starts_with("4:1: unknown key `stones` (known: name, ruleset, rules, format,"), "{unknown}");
        assert_eq!(
            problems,
            [
                "2:1: `drop` is an option of the rules (write it in `rules`, as in `rules = { drop = 2 }`)",
                "3:1: `cycle` is an option of the rules (write it in `rules`, as in `rules = { cycle = \"superko\" }`)",
            ]
        );
        let (_, problems) = read("ruleset = \"seegover\"\n[rules]\ndrop = 2\nrounds = 5");
        assert_eq!(
            problems,
            [
                "4:1: `rounds` is not an option of the rules, but belongs at the top of the file (write it above the line `[rules]`)"
            ]
        );
        let (ruleset, problems) = read("ruleset = \"seegover drop=2\"");
        assert_eq!(ruleset.name(), "seegover");
        assert_eq!(
            problems,
            ["1:11: `ruleset` takes only a name: put the options in `rules` (write `rules = { drop = 2 }`)"]
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

    #[test]
    fn options_of_other_games_are_those_of_their_line_up() {
        let all = "ruleset = \"quantum\"\n[rules]\nstart = \"open\"\nrows = \"one\"\nstuck = \"pass\"\nko = \"simple\"\n\
                   suicide = true\ncount = \"area\"\nscoring = \"modes\"\ncompensation = [0.5, \"13/2\"]\n\
                   handicap = { seat = \"white\", stones = 4 }";
        let expected = "quantum start=open rows=one ko=simple suicide=yes count=area scoring=modes \
                        compensation=1/2,13/2 handicap=2,4";
        for (text, expected) in [
            (all, expected),
            ("ruleset = \"quantum-20\"", "quantum-20"),
            ("ruleset = \"go-9\"\n[rules]\ncompensation = [0, 7.5]\nstart = \"middle\"", "go-9"),
            ("ruleset = \"othello\"\nrules = { compensation = [0, 1] }", "othello compensation=0,1"),
        ] {
            let (ruleset, problems) = read(text);
            assert_eq!((ruleset.to_string().as_str(), problems), (expected, Vec::new()), "{text}");
        }
    }

    #[test]
    fn every_problem_of_an_option_of_another_game_is_reported_at_its_position() {
        let (_, problems) = read(
            "ruleset = \"quantum\"\n[rules]\nstart = \"corners\"\nrows = \"on\"\nstuck = \"beside\"\nko = 1\nsuicide = \"yes\"\n\
             kount = \"area\"\ncompensation = [0, 0.3]\nhandicap = { seat = \"whit\", stones = 10, x = 2 }\nrounds = 2",
        );
        assert_eq!(
            problems,
            [
                "3:9: `start=corners` is not possible with 2 seats: it must be `middle` or `open`",
                "4:8: `rows`: unknown value `on`: did you mean `one`?",
                "5:9: `stuck=beside` requires more than two seats",
                "6:6: `ko`: expected a word in quotes, found a whole number",
                "7:11: `suicide`: expected `true` or `false`, without quotes, found a string",
                "8:1: unknown key `kount`: did you mean `count`?",
                "9:20: `3/10` in `compensation` is not a multiple of 1/2 (the nearest one is 1/2)",
                "10:21: `seat`: unknown value `whit`: did you mean `white`?",
                "10:38: `stones`: `10` is out of range (2 to 9)",
                "10:42: unknown key `x` (known: seat, player, stones)",
                "11:1: `rounds` is not an option of the rules, but belongs at the top of the file (write it above the line `[rules]`)",
            ]
        );
        for (value, problem) in [
            (
                "compensation = 7.5",
                "2:26: `compensation`: expected a list with a number for each seat, such as [0, 0.5]",
            ),
            ("compensation = [1]", "2:26: `compensation` needs one value for each of the 2 seats, but has 1"),
            ("compensation = [0, -1]", "2:30: `-1` in `compensation` is out of range (0 to 999)"),
            ("compensation = [\"1/0\", 0]", "2:27: `compensation`: `1/0` is not a number of points (write 0.5, 7 or"),
            ("compensation = [0, true]", "2:30: `compensation`: expected a number such as 0.5, or a string such as"),
            ("handicap = { stones = 4 }", "2:22: `handicap` has no `seat` (write `handicap = { seat ="),
            ("handicap = 4", "2:22: `handicap`: expected a table such as { seat ="),
            ("rows = \"one\"", "2:18: `rows` is an option of the reverse mode, which `go-9` does not have"),
            ("cycle = \"draw\"", "2:11: unknown key `cycle` (known: ko, suicide, count, compensation, handicap)"),
            ("komi = 7.5", "2:11: `komi` is called `compensation` here (write `rules = { compensation = [0, 6.5] }`"),
        ] {
            let (_, problems) = read(&format!("ruleset = \"go-9\"\nrules = {{ {value} }}"));
            assert!(problems.len() == 1 && problems[0].starts_with(problem), "{value}: {problems:?}");
        }
    }

    #[test]
    fn a_rule_set_that_no_tournament_can_play_is_refused_with_those_that_there_are() {
        let problems = |name: &str| read(&format!("ruleset = \"{name}\"\nrules = {{ ko = \"simple\" }}")).1;
        for (name, problem) in [
            (
                "quantum-11",
                "1:11: `ruleset`: `quantum-11`: this game does not come in this size; available: `quantum` (10x10), `quantum-8` (8x8), ",
            ),
            (
                "go-22",
                "1:11: `ruleset`: `go-22`: this game does not come in this size; available: `go-9` (9x9), `go-13` (13x13), `go-19` (19x19)",
            ),
            (
                "quantum-22-4p",
                "1:11: `ruleset`: `quantum-22-4p`: this game does not come in this size; available: `quantum-4p` (10x10), `quantum-8-4p` (8x8)",
            ),
            ("otello", "1:11: `ruleset`: unknown value `otello`: did you mean `othello`?"),
            (
                "go-9 ko=simple",
                "1:11: `ruleset` takes only a name: put the options in `rules` (write `rules = { ko = \"simple\" }`)",
            ),
        ] {
            let problems = problems(name);
            assert!(problems.len() == 1 && problems[0].starts_with(problem), "{name}: {problems:?}");
        }
        assert_eq!(problems("quantum-6p"), [""; 0]);
        let gothello = read("rules = { ko = \"simple\" }").1;
        assert!(
            gothello[0].ends_with("(leave the table out, or write `ruleset = \"quantum\"` at the top of the file)")
        );
    }
}
