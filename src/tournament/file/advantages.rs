//! Resolves the handicap and the compensation that the file grants to players, once all players are known.

use super::flaw::Flaw;
use super::problem_places::KeyReader;
use crate::game::{Fraction, Ruleset};
use crate::tournament::{Advantages, Player, PlayerCompensation, PlayerHandicap, Quoted};

/// A player that the file names in a value.
#[derive(Clone, Debug)]
pub(super) struct NamedPlayer {
    pub(super) name: String,
    /// The offset of the name in the file.
    pub(super) offset: usize,
}

/// The advantages that the file grants to players, before the players' names are looked up. Each advantage is stored
/// with its offset in the file.
#[derive(Clone, Debug, Default)]
pub(super) struct AdvantagesDraft {
    pub(super) handicap: Option<(NamedPlayer, u8, usize)>,
    pub(super) compensation: Option<(NamedPlayer, Fraction, usize)>,
}

impl AdvantagesDraft {
    /// The advantages in games of `ruleset` between `players`. Records each problem.
    pub(super) fn of(self, reader: &mut KeyReader<'_>, ruleset: Ruleset, players: &[Player]) -> Advantages {
        let Ruleset::Quantum(rules) = ruleset else { return Advantages::default() };
        let mut of = |named: NamedPlayer, key| {
            let player = players.iter().position(|player| player.name.as_str() == named.name);
            if player.is_none() {
                let known = players.iter().map(|player| player.name.clone()).collect();
                reader.note(named.offset, Flaw::NoSuchPlayer { key, text: Quoted::new(&named.name), known });
            }
            player
        };
        let handicap = self.handicap.and_then(|(named, stones, offset)| {
            Some((PlayerHandicap { player: of(named, "handicap")?, stones }, offset))
        });
        let compensation = self.compensation.and_then(|(named, points, offset)| {
            Some((PlayerCompensation { player: of(named, "compensation")?, points }, offset))
        });
        let (handicap_alone, compensation_alone) =
            (handicap.map(|(handicap, _)| handicap), compensation.map(|(compensation, _)| compensation));
        // Each advantage is checked without the other, so that each problem is recorded at its own position.
        let offsets = [handicap.map(|(_, offset)| offset), compensation.map(|(_, offset)| offset)];
        let checks = [Advantages::new(rules, handicap_alone, None), Advantages::new(rules, None, compensation_alone)];
        for (offset, check) in offsets.into_iter().zip(checks) {
            if let (Some(offset), Err(why)) = (offset, check) {
                reader.note(offset, Flaw::Misfit(why));
            }
        }
        Advantages::new(rules, handicap_alone, compensation_alone).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use crate::game::BySeat;
    use crate::tournament::Tournament;

    fn file(keys: &str, players: usize) -> String {
        let players = (0..players).map(|player| format!("[[player]]\nname = \"p{player}\"\ncommand = [\"./p\"]\n"));
        format!("{keys}\n{}", players.collect::<String>())
    }

    fn parse(keys: &str, players: usize) -> Tournament {
        Tournament::parse(&file(keys, players), "test").unwrap_or_else(|problems| panic!("{problems}"))
    }

    fn problems(keys: &str, players: usize) -> Vec<String> {
        let found = Tournament::parse(&file(keys, players), "test").err();
        found.map(|problems| problems.iter().map(ToString::to_string).collect()).unwrap_or_default()
    }

    #[test]
    fn what_a_player_gets_is_in_the_rules_of_its_games() {
        let of = |tournament: &Tournament, players: &[usize]| {
            tournament.rules_of(&BySeat::new(players.to_vec()).expect("a seat each")).to_string()
        };
        let two = parse(
            "ruleset = \"quantum\"\n[rules]\nko = \"simple\"\nhandicap = { player = \"p1\", stones = 4 }\n\
             compensation = { player = \"p1\", points = 6.5 }",
            3,
        );
        assert_eq!(two.ruleset.to_string(), "quantum ko=simple");
        assert_eq!(of(&two, &[1, 0]), "quantum ko=simple compensation=13/2,1/2 handicap=1,4");
        assert_eq!(of(&two, &[2, 1]), "quantum ko=simple compensation=0,7 handicap=2,4");
        assert_eq!(of(&two, &[2, 0]), "quantum ko=simple");

        let four = "ruleset = \"quantum-4p\"\nformat = \"group\"\n[rules]\n";
        let by_player = parse(&format!("{four}compensation = {{ player = \"p4\", points = \"1/4\" }}"), 8);
        assert_eq!(of(&by_player, &[0, 1, 2, 4]), "quantum-4p compensation=0,1/4,1/2,1");
        let by_seat = parse(&format!("{four}handicap = {{ seat = 3, stones = 4 }}"), 4);
        assert_eq!(of(&by_seat, &[0, 1, 2, 3]), "quantum-4p handicap=3,4");
        assert!(by_seat.advantages.is_empty() && !by_player.advantages.is_empty());
    }

    #[test]
    fn every_mistake_in_an_advantage_is_reported_at_its_position() {
        for (option, expected) in [
            (
                "handicap = { player = \"bo\", stones = 4 }",
                "2:33: `handicap`: no player is named `bo` (players: `p0`, `p1`)",
            ),
            (
                "compensation = { player = \"P0\", points = 1 }",
                "2:37: `compensation`: no player is named `P0` (players: `p0`, `p1`)",
            ),
            (
                "handicap = { player = \"p0\", seat = \"white\", stones = 4 }",
                "2:24: `player` and `seat` cannot be used together",
            ),
            (
                "handicap = { stones = 4 }",
                "2:22: `handicap` has no `seat` (write `handicap = { seat = \"white\", stones",
            ),
            ("handicap = { player = \"p0\" }", "2:22: `handicap` has no `stones` (write"),
            ("handicap = { player = 1, stones = 4 }", "2:33: `player`: expected the name of a player"),
            ("handicap = { seat = 2, stones = 4 }", "2:31: `seat`: expected a word in quotes, found a whole number"),
            ("handicap = { player = \"p0\", stones = 10 }", "2:48: `stones`: `10` is out of range (2 to 9)"),
            ("compensation = { player = \"p0\" }", "2:26: `compensation` has no `points` (write"),
            ("compensation = { points = 2 }", "2:26: `compensation` has no `player` (write"),
            (
                "compensation = { player = \"p0\", points = 0.3 }",
                "2:26: `3/10` in `compensation` is not a multiple of 1/2",
            ),
            ("compensation = { player = \"p0\", points = 999 }", "2:26: `999` in `compensation` is out of range"),
            ("compensation = { player = \"p0\", points = -1 }", "2:26: `-1` in `compensation` is out of range"),
            ("compensation = { player = \"p0\", points = 1, x = 2 }", "2:55: unknown key `x` (known: player, points)"),
        ] {
            let found = problems(&format!("ruleset = \"go-9\"\nrules = {{ {option} }}"), 2);
            assert!(found.len() == 1 && found[0].starts_with(expected), "{option}: {found:#?}");
        }
        let found = problems("ruleset = \"quantum-8\"\nrules = { handicap = { player = \"p0\", stones = 9 } }", 2);
        assert!(found.is_empty(), "9x9 points have room for 9: {found:?}");
        let found = problems("ruleset = \"othello\"\nrules = { handicap = { player = \"p0\", stones = 4 } }", 2);
        assert!(found.len() == 1 && found[0].contains("`handicap` is an option of the go mode"), "{found:?}");
        let four = "ruleset = \"quantum-4p\"\nformat = \"group\"\n[rules]\nhandicap = { seat = ";
        for (seat, expected) in [
            ("5", "4:21: `seat`: `5` is out of range (1 to 4)"),
            ("\"white\"", "4:21: `seat`: expected a whole number, without quotes, found a string"),
        ] {
            assert_eq!(problems(&format!("{four}{seat}, stones = 4 }}"), 4), [expected]);
        }
    }
}
