//! Checks that the rule set has every feature that the tournament file asks for.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::flaw::Flaw;
use super::keys::inner_tables::OPENINGS_KEYS;
use super::keys::player;
use super::player_kind::members;
use super::problem_places::KeyReader;
use super::section::Section;
use crate::game::{Feature, MissingFeature, NoGtpForm};
use crate::players::bots::Thinker;
use crate::tournament::Transport;

/// Records a problem for every key that asks for a feature that `require` refuses.
pub(super) fn refuse_missing(
    reader: &mut KeyReader<'_>,
    top: &Section<'_>,
    require: impl Fn(Feature) -> Result<(), MissingFeature>,
) {
    let mut refuse = |section: &Section<'_>, key: &'static str, feature| {
        if let Err(missing) = require(feature) {
            reader.note(section.key_offset(key), Flaw::MissingFeature { key, missing });
        }
    };
    if top.has("adjudicate") {
        refuse(top, "adjudicate", Feature::Adjudication);
    }
    if let Some(openings) = top.get("openings").and_then(|value| table(value.get_ref())) {
        let openings = Section::new(openings, OPENINGS_KEYS);
        if matches!(openings.get("balanced").map(Spanned::get_ref), Some(DeValue::Boolean(true))) {
            refuse(&openings, "balanced", Feature::BalancedOpenings);
        }
    }
    for player in players(top).flat_map(|player| members(&player).into_iter().map(|(_, member)| member).chain([player]))
    {
        let Some(thinker) = player.get("builtin").and_then(|value| value.get_ref().as_str()) else { continue };
        let is_perfect = thinker == Thinker::Perfect.name();
        refuse(&player, "builtin", if is_perfect { Feature::Perfect } else { Feature::BuiltinBots });
    }
}

/// Records a problem for every engine whose protocol cannot express the game, because of `missing`.
pub(super) fn refuse_engines(reader: &mut KeyReader<'_>, top: &Section<'_>, missing: NoGtpForm) {
    for player in players(top) {
        let transport = player.get("transport").and_then(|value| value.get_ref().as_str());
        if transport == Some(Transport::Gtp.name()) {
            reader.note(player.key_offset("transport"), Flaw::NoGtpForm(missing));
        }
    }
}

/// The players' tables.
pub(super) fn players<'t>(top: &Section<'t>) -> impl Iterator<Item = Section<'t>> {
    let players = match top.get("player").map(Spanned::get_ref) {
        Some(DeValue::Array(players)) => Some(players),
        _ => None,
    };
    players
        .into_iter()
        .flatten()
        .filter_map(|player| table(player.get_ref()))
        .map(|player| Section::new(player, player::PLAYER_KEYS))
}

fn table<'t>(value: &'t DeValue<'t>) -> Option<&'t DeTable<'t>> {
    if let DeValue::Table(table) = value { Some(table) } else { None }
}

#[cfg(test)]
mod tests {
    use super::super::keys::top;
    use super::*;
    use crate::game::Ruleset;

    const FILE: &str = "adjudicate = { nodes = 5000 }
openings = { plies = 2, balanced = true }
[[player]]
builtin = \"greedy\"
[[player]]
name = \"oracle\"
builtin = \"perfect\"
[[player]]
command = [\"./bot\"]
";

    /// The problems found in the file if the rule set has every feature except `missing`.
    fn noted(text: &str, missing: &[Feature]) -> Vec<String> {
        let (table, _) = DeTable::parse_recoverable(text);
        let mut reader = KeyReader::new(text);
        refuse_missing(&mut reader, &Section::new(table.get_ref(), top::TOP_KEYS), |feature| {
            let refused = MissingFeature { ruleset: Ruleset::Gothello.name(), feature, option: None };
            if missing.contains(&feature) { Err(refused) } else { Ok(()) }
        });
        reader.into_problems().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn each_key_that_asks_for_a_missing_feature_is_refused_at_its_position() {
        assert_eq!(noted(FILE, &[]), [""; 0]);
        let all = noted(FILE, &Feature::ALL);
        let expected = [
            ("1:1: `adjudicate`", "adjudication (leave the key out)"),
            ("2:25: `balanced`", "balanced openings (leave the key out)"),
            ("4:1: `builtin`", "built-in bots (leave the key out)"),
            ("7:1: `builtin`", "`perfect` bot (choose another bot, such as `alphabeta`)"),
        ];
        let expected = expected.map(|(key, rest)| format!("{key}: the rule set `gothello` has no {rest}"));
        assert_eq!(all, expected);
        assert_eq!(noted(FILE, &[Feature::Perfect]), expected[3..]);
    }

    #[test]
    fn openings_that_are_not_balanced_need_nothing() {
        assert_eq!(noted("openings = { plies = 2, balanced = false }", &Feature::ALL), [""; 0]);
    }
}
