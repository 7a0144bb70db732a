//! Handicaps and compensations that belong to a player, regardless of its seat.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

use super::schedule::PlayerIndex;
use crate::game::quantum::{Handicap, Misfit, OptionValue, QuantumRules};
use crate::game::{BySeat, Fraction, Ruleset, Seat};

/// The advantages that some players of a tournament have in all their games, in addition to the advantages in the
/// rules.
///
/// Invariant: the rules allow these advantages for every seat.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Advantages {
    #[serde(skip_serializing_if = "Option::is_none", default)]
    handicap: Option<PlayerHandicap>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    compensation: Option<PlayerCompensation>,
}

/// Stones of one player that are on the points before the first turn of Go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlayerHandicap {
    /// The player.
    pub player: PlayerIndex,
    /// How many stones.
    pub stones: u8,
}

/// Points that one player has in addition to its count and to the compensation of its seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlayerCompensation {
    /// The player.
    pub player: PlayerIndex,
    /// How many points.
    #[serde(serialize_with = "fraction_text", deserialize_with = "fraction")]
    pub points: Fraction,
}

// serde passes the field by reference.
#[expect(clippy::trivially_copy_pass_by_ref)]
fn fraction_text<S: Serializer>(points: &Fraction, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(points)
}

fn fraction<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Fraction, D::Error> {
    String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
}

impl Advantages {
    /// Creates the advantages in games of `rules`.
    ///
    /// # Errors
    /// Fails if the rules do not allow them for every seat.
    pub fn new(
        rules: QuantumRules,
        handicap: Option<PlayerHandicap>,
        compensation: Option<PlayerCompensation>,
    ) -> Result<Self, Misfit> {
        for seat in Seat::all(rules.seats()) {
            if let Some(PlayerHandicap { stones, .. }) = handicap {
                with_handicap(rules, seat, stones)?;
            }
            if let Some(PlayerCompensation { points, .. }) = compensation {
                with_compensation(rules, seat, points)?;
            }
        }
        Ok(Self { handicap, compensation })
    }

    /// Whether no player has an advantage.
    pub const fn is_empty(&self) -> bool {
        self.handicap.is_none() && self.compensation.is_none()
    }

    /// The handicap, if a player has one.
    pub const fn handicap(&self) -> Option<PlayerHandicap> {
        self.handicap
    }

    /// The compensation, if a player has one.
    pub const fn compensation(&self) -> Option<PlayerCompensation> {
        self.compensation
    }

    /// Whether one of `players` has an advantage, so that a game between them does not measure their strength.
    pub fn concern(&self, players: &BySeat<PlayerIndex>) -> bool {
        let handicapped = self.handicap.map(|handicap| handicap.player);
        let compensated = self.compensation.map(|compensation| compensation.player);
        players.values().any(|player| [handicapped, compensated].contains(&Some(*player)))
    }

    /// The advantages of those `players` that have one, as in the log's tag: `bo: handicap 4, ada: compensation 0.75`;
    /// `None` if no player has an advantage. `name` returns a player's name.
    pub fn text<'n>(
        &self,
        players: impl IntoIterator<Item = PlayerIndex>,
        name: impl Fn(PlayerIndex) -> &'n str,
    ) -> Option<String> {
        let players: Vec<PlayerIndex> = players.into_iter().collect();
        let name = |player: PlayerIndex| players.contains(&player).then(|| name(player));
        let handicap = self.handicap.and_then(|own| Some(format!("{}: handicap {}", name(own.player)?, own.stones)));
        let compensation = self
            .compensation
            .and_then(|own| Some(format!("{}: compensation {}", name(own.player)?, own.points.shown())));
        let texts: Vec<String> = [handicap, compensation].into_iter().flatten().collect();
        (!texts.is_empty()).then(|| texts.join(", "))
    }

    /// The rules of a game of `players` in a tournament of `ruleset`.
    pub fn rules(&self, ruleset: Ruleset, players: &BySeat<PlayerIndex>) -> Ruleset {
        let Ruleset::Quantum(rules) = ruleset else { return ruleset };
        let seat_of = |wanted: PlayerIndex| players.iter().find(|(_, player)| **player == wanted).map(|(seat, _)| seat);
        let mut of_game = rules;
        if let Some((seat, stones)) = self.handicap.and_then(|it| Some((seat_of(it.player)?, it.stones))) {
            of_game = with_handicap(of_game, seat, stones).unwrap_or(of_game);
        }
        if let Some((seat, points)) = self.compensation.and_then(|it| Some((seat_of(it.player)?, it.points))) {
            of_game = with_compensation(of_game, seat, points).unwrap_or(of_game);
        }
        Ruleset::Quantum(of_game)
    }
}

fn with_handicap(rules: QuantumRules, seat: Seat, stones: u8) -> Result<QuantumRules, Misfit> {
    rules.with(OptionValue::Handicap(Some(Handicap { seat, stones })))
}

fn with_compensation(rules: QuantumRules, seat: Seat, points: Fraction) -> Result<QuantumRules, Misfit> {
    rules.with(OptionValue::Compensation(rules.compensation().with_more(seat, points)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::quantum::Lineup;

    fn rules(lineup: &str) -> QuantumRules {
        QuantumRules::of(Lineup::named(lineup).expect("a line-up"))
    }

    fn points(player: PlayerIndex, points: &str) -> PlayerCompensation {
        PlayerCompensation { player, points: points.parse().expect("a number") }
    }

    #[test]
    fn an_advantage_follows_its_player_from_seat_to_seat() {
        let both =
            Advantages::new(rules("go-9"), Some(PlayerHandicap { player: 2, stones: 4 }), Some(points(2, "6.5")));
        let both = both.expect("it fits");
        let of = |players: [PlayerIndex; 2]| {
            let players = BySeat::new(players.to_vec()).expect("two");
            (both.rules(Ruleset::Quantum(rules("go-9")), &players).to_string(), both.concern(&players))
        };
        assert_eq!(of([2, 0]), ("go-9 compensation=13/2,15/2 handicap=1,4".to_owned(), true));
        assert_eq!(of([0, 2]), ("go-9 compensation=0,14 handicap=2,4".to_owned(), true));
        assert_eq!(of([0, 1]), ("go-9".to_owned(), false));

        let four =
            Advantages::new(rules("quantum-4p"), Some(PlayerHandicap { player: 5, stones: 3 }), Some(points(1, "3/4")));
        let four = four.expect("it fits");
        let players = BySeat::new(vec![0, 1, 5, 3]).expect("four");
        let rules = four.rules(Ruleset::Quantum(rules("quantum-4p")), &players);
        assert_eq!(rules.to_string(), "quantum-4p compensation=0,1,1/2,3/4 handicap=3,3");
    }

    #[test]
    fn an_advantage_has_to_fit_every_seat() {
        let handicap = |lineup, stones| {
            Advantages::new(rules(lineup), Some(PlayerHandicap { player: 0, stones }), None)
                .map_err(|why| why.to_string())
        };
        assert!(handicap("go-9", 9).is_ok());
        assert!(handicap("othello", 4).expect_err("no points").contains("which `othello` does not have"));
        assert!(handicap("quantum-8", 10).expect_err("too many").starts_with("a handicap of 10 stones does not fit"));
        let compensation =
            |lineup, text| Advantages::new(rules(lineup), None, Some(points(0, text))).map_err(|why| why.to_string());
        assert!(compensation("quantum-6p", "1/6").is_ok());
        assert!(compensation("quantum-6p", "1/4").expect_err("no sixths").contains("not a multiple of 1/6"));
        // White would have 999 and a half.
        assert!(compensation("quantum", "998.5").is_ok());
        assert!(compensation("quantum", "999").expect_err("too much").contains("out of range"));
    }

    #[test]
    fn advantages_read_back() {
        let both =
            Advantages::new(rules("quantum"), Some(PlayerHandicap { player: 1, stones: 2 }), Some(points(0, "3.5")));
        let both = both.expect("it fits");
        let text = serde_json::to_string(&both).expect("plain data");
        assert_eq!(text, r#"{"handicap":{"player":1,"stones":2},"compensation":{"player":0,"points":"7/2"}}"#);
        assert_eq!(serde_json::from_str::<Advantages>(&text).expect("what was written"), both);
        assert_eq!(serde_json::to_string(&Advantages::default()).expect("plain data"), "{}");
    }
}
