//! Checks that the tournament file suits the number of seats of its game.

use super::features::players;
use super::flaw::Flaw;
use super::format_keys::FormatDraft;
use super::keys::top;
use super::keys::words::FormatWord;
use super::problem_places::KeyReader;
use super::section::Section;
use crate::game::{Ruleset, Side};
use crate::referee::sans_io::Endings;

/// Records a problem if the format is for a different number of seats. Returns whether the format is suitable.
pub(super) fn format_suits(
    reader: &mut KeyReader<'_>,
    top: &Section<'_>,
    ruleset: Ruleset,
    format: Option<&FormatDraft>,
) -> bool {
    let Some(word) = format.map(FormatDraft::word) else { return false };
    let (ruleset, seats) = (ruleset.name(), ruleset.seats());
    let flaw = match (word, seats) {
        (FormatWord::Group, 2) => Flaw::GroupOfTwo { ruleset },
        (FormatWord::Group, _) | (_, 2) => return true,
        (FormatWord::Sprt, _) => Flaw::SprtOfMany { ruleset, seats },
        (pairs, _) => Flaw::PairsOfMany { format: pairs.name(), ruleset, seats },
    };
    let key = if top.has(top::FORMAT.name) { top::FORMAT.name } else { top::RULESET.name };
    reader.note(top.key_offset(key), flaw);
    false
}

/// Records a problem for every key that has a meaning only in games with two seats. `endings` is the value of that key.
pub(super) fn refuse_what_is_for_two(
    reader: &mut KeyReader<'_>,
    top: &Section<'_>,
    ruleset: Ruleset,
    endings: Endings,
) {
    let (ruleset, seats) = (ruleset.name(), ruleset.seats());
    for key in ["black_time", "white_time", "black_move_time", "white_move_time", "black_bank", "white_bank"] {
        if top.has(key) {
            let same = Side::BOTH.iter().fold(key.to_owned(), |key, side| key.replace(&format!("{side}_"), ""));
            reader.note(top.key_offset(key), Flaw::SideClockOfMany { key, same, ruleset, seats });
        }
    }
    if endings == Endings::Compatible {
        reader.note(top.key_offset(top::ENDINGS.name), Flaw::EndingsOfMany { seats });
    }
    for player in players(top).filter(|player| player.has("sides")) {
        reader.note(player.key_offset("sides"), Flaw::SidesOfMany { ruleset, seats });
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use crate::tournament::{Format, TablesEach, Tournament};

    fn file(keys: &str, players: usize) -> String {
        let players = (0..players).map(|player| format!("[[player]]\nname = \"p{player}\"\ncommand = [\"./p\"]\n"));
        format!("{keys}\n{}", players.collect::<String>())
    }

    /// The problems of a file with these keys and this number of players.
    fn problems(keys: &str, players: usize) -> Vec<String> {
        problems_of(&file(keys, players))
    }

    fn problems_of(text: &str) -> Vec<String> {
        let found = Tournament::parse(text, "test").err();
        found.map(|problems| problems.iter().map(ToString::to_string).collect()).unwrap_or_default()
    }

    const FOUR: &str = "ruleset = \"quantum-4p\"\nformat = \"group\"\n";

    #[test]
    fn groups_are_read_with_their_tables() {
        let format = |keys: &str, players| {
            let read = Tournament::parse(&file(keys, players), "test").unwrap_or_else(|problems| panic!("{problems}"));
            let Format::Group { rounds, tables } = read.format else { panic!("{:?}", read.format) };
            (rounds.get(), tables)
        };
        let number = |tables| TablesEach::Number(NonZeroU32::new(tables).expect("not zero"));
        assert_eq!(format(&format!("{FOUR}rounds = 3\ntables = 6"), 8), (3, number(6)));
        assert_eq!(format(&format!("{FOUR}tables = \"all\""), 5), (1, TablesEach::All));
        // Without the key, each player sits at the smallest number of tables that leaves no seat empty.
        assert_eq!([8, 7, 6].map(|players| format(FOUR, players).1), [number(1), number(4), number(2)]);
        assert_eq!(format("ruleset = \"quantum-6p-beside\"\nformat = \"group\"", 8).1, number(3));
    }

    #[test]
    fn a_format_for_another_number_of_seats_is_refused() {
        for (keys, expected) in [
            (
                "ruleset = \"quantum-4p\"",
                "1:1: `format = \"round-robin\"` is for games with two players, but `quantum-4p` has 4 seats (write \
                 `format = \"group\"`)",
            ),
            (
                "ruleset = \"quantum-6p\"\nformat = \"swiss\"",
                "2:1: `format = \"swiss\"` is for games with two players, but `quantum-6p` has 6 seats (write \
                 `format = \"group\"`)",
            ),
            (
                "ruleset = \"quantum-4p\"\nformat = \"sprt\"",
                "2:1: `format = \"sprt\"` is a test between two players, but `quantum-4p` has 4 seats (write `format = \"group\"`, which rates \
                 all players)",
            ),
            (
                "format = \"group\"\ntables = 3",
                "1:1: `format = \"group\"` is for games with four or six players, but `gothello` has two seats (write \
                 `format = \"round-robin\"`, or a game such as `ruleset = \"quantum-4p\"`)",
            ),
            // If the rule set is not understood, the format is not checked against the default rule set.
            (
                "ruleset = \"quantum-8-6p\"\nformat = \"group\"",
                "1:11: `ruleset`: `quantum-8-6p`: this game does not come in this size; available: `quantum-6p`",
            ),
            (
                "ruleset = \"quantum-4p\"\nformat = \"group\"\nrules = { handicap = { stones = 4 } }",
                "3:22: `handicap` has no `seat` (write `handicap = { seat = 2, stones = 4 }`",
            ),
            (
                "ruleset = \"quantum-4p\"\nformat = \"group\"\nrules = { handicap = 4 }",
                "3:22: `handicap`: expected a table such as { seat = 2, stones = 4 }",
            ),
            (
                "ruleset = \"quantum-4p\"\nformat = \"group\"\nrules = { compensation = [0, 0.3, 0.5, 1] }",
                "3:30: `3/10` in `compensation` is not a multiple of 1/4 (the nearest one is 1/4)",
            ),
            (
                "tables = 3",
                "1:1: `tables` is for `format = \"group\"`, but this tournament has `format = \"round-robin\"`",
            ),
            (
                "ruleset = \"quantum-4p\"\nformat = \"group\"\npairs = 3",
                "3:1: `pairs` is for `format = \"knockout\"`, but this tournament has `format = \"group\"`",
            ),
            (
                "ruleset = \"quantum-4p\"\nformat = \"group\"\ntables = \"al\"",
                "3:10: `tables`: unknown value `al`: did you mean `all`?",
            ),
        ] {
            let found = problems(keys, 8);
            assert!(found.len() == 1 && found[0].starts_with(expected), "{keys}: {found:#?}");
        }
    }

    #[test]
    fn players_that_cannot_be_seated_are_refused_with_the_numbers_that_work() {
        for (tables, players, expected) in [
            ("", 3, "2:1: `format`: 3 players cannot fill a table of 4 seats (add players until there are at least 4)"),
            (
                "tables = 3",
                7,
                "3:1: `tables`: 7 players cannot each sit at 3 tables of 4 seats without leaving a seat empty (write \
                 `tables = 4` or another multiple of 4, or let 4 or 8 players take part)",
            ),
            (
                "tables = 5",
                5,
                "3:1: `tables`: with 5 players, each can sit at no more than 4 different tables of 4 seats (write \
                 `tables = \"all\"`, or more `rounds`)",
            ),
            (
                "rounds = 1000000\ntables = \"all\"",
                100,
                "4:1: `tables`: 100 players with these tables and rounds would play more than 10^12 games (write a \
                 smaller number of tables or rounds)",
            ),
        ] {
            assert_eq!(problems(&format!("{FOUR}{tables}"), players), [expected], "{tables}");
        }
    }

    #[test]
    fn what_is_for_two_seats_is_refused_with_four() {
        for (key, expected) in [
            (
                "black_time = \"60s\"\nwhite_time = \"60s\"",
                &[
                    "3:1: `black_time` is the clock of one side in a game with two players, but `quantum-4p` has 4 \
                     seats, which all have the same clock (write `time`)",
                    "4:1: `white_time` is the clock of one side",
                ] as &[&str],
            ),
            (
                "black_move_time = \"1s\"\nwhite_move_time = \"1s\"\nwhite_bank = \"9s\"",
                &["3:1: `black_move_time` is", "4:1: `white_move_time` is", "5:1: `white_bank` is"],
            ),
            (
                "openings = { plies = 2, balanced = true }",
                &["3:1: `openings`: games with 4 players always start from the initial position (leave the key out)"],
            ),
            (
                "endings = \"compatible\"",
                &[
                    "3:1: `endings`: when a player fails in a game of 4, the others play on, so no player is sent a line that announces a win",
                ],
            ),
            (
                "adjudicate = {}",
                &["3:1: `adjudicate`: the rule set `quantum-4p` has no adjudication (leave the key out)"],
            ),
        ] {
            let found = problems(&format!("{FOUR}{key}"), 8);
            let are_expected = found.iter().zip(expected).all(|(found, expected)| found.starts_with(expected));
            assert!(found.len() == expected.len() && are_expected, "{key}: {found:#?}");
        }
        assert_eq!(problems(&format!("{FOUR}endings = \"documented\"\ntime = \"60s\"\nclock = \"cpu\""), 8), [""; 0]);
        assert_eq!(
            problems(&format!("{FOUR}move_time = \"1s\"\nbank = \"60s\"\nbetween_moves = \"freeze\""), 8),
            [""; 0]
        );
    }

    #[test]
    fn what_a_player_has_for_two_seats_is_refused_with_four() {
        let player =
            |keys: &str| problems_of(&(file(FOUR, 3) + "[[player]]\nname = \"x\"\ncommand = [\"./p\"]\n" + keys));
        assert_eq!(
            player("sides = [\"black\"]"),
            ["16:1: `sides`: `quantum-4p` has 4 seats, and every player plays in each of them (leave the key out)"]
        );
        let found = player("transport = \"gtp\"");
        assert!(found.len() == 1 && found[0].contains("`transport`: the Go Text Protocol cannot express"), "{found:?}");
        let found = player("challenger = true");
        assert!(found.len() == 1 && found[0].contains("`challenger` is for `format = \"gauntlet\"`"), "{found:?}");
    }
}
