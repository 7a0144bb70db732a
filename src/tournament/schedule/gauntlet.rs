//! The pairings of some players against all others, computed by plain arithmetic.

use super::PlayerIndex;
use super::gcd::gcd;
use crate::game::BySide;

/// The games of one round between the challengers and the other players: each challenger meets each other player twice,
/// once with each colour.
///
/// A round consists of steps. In each step, every player of the smaller group meets one player of the larger group, and
/// then all these pairs meet again with colours swapped; in rounds with an odd number (counted from 0), the swapped
/// games come first. The players of the larger group take turns in a circle, so that all of them play equally often.
/// After every half step of a tournament, the following properties hold, and are tested:
/// - a player's games with black and with white differ in number by at most 1, and not at all after a whole step;
/// - the players of the smaller group have played equally often, and those of the larger group differ by at most 2
///   games.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gauntlet {
    few: Vec<PlayerIndex>,
    many: Vec<PlayerIndex>,
}

impl Gauntlet {
    /// Creates the gauntlet of `players` players, in which `challengers` meet the others.
    pub fn new(players: usize, challengers: &[PlayerIndex]) -> Self {
        let others: Vec<PlayerIndex> = (0..players).filter(|player| !challengers.contains(player)).collect();
        let challengers = challengers.to_vec();
        if challengers.len() <= others.len() {
            Self { few: challengers, many: others }
        } else {
            Self { few: others, many: challengers }
        }
    }

    /// Returns how many games a round has.
    pub const fn games_a_round(&self) -> u64 {
        self.games_a_step() * self.many.len() as u64
    }

    /// Returns how many games a step has.
    pub const fn games_a_step(&self) -> u64 {
        2 * self.few.len() as u64
    }

    /// Returns the number, within its round, of the colour pair to which game `number` of the round belongs: the second
    /// half of a step has the same pairs as the first half, in the same order.
    pub const fn pair_of(&self, number: u64) -> u64 {
        let few = self.few.len() as u64;
        number / self.games_a_step() * few + number % few
    }

    /// Returns the players of game `number` (from 0, less than [`Gauntlet::games_a_round`]) of round `round` (from 0).
    pub fn game(&self, round: u64, number: u64) -> BySide<PlayerIndex> {
        let (few, many) = (self.few.len() as u64, self.many.len() as u64);
        let (step, place) = (number / self.games_a_step(), number % self.games_a_step());
        let (half, seat) = (place / few, place % few);
        // After `lap` steps, the circle would return to the same seats. It is therefore shifted by one after each lap,
        // so that each player takes each seat once in a round.
        let lap = many / gcd(few, many);
        let dealt = (step * few + step / lap + seat) % many;
        let (one, other) = (self.few[index(seat)], self.many[index(dealt)]);
        // Colours alternate from step to step, so that no player always starts with the same colour.
        if (half + step + round).is_multiple_of(2) {
            BySide { black: one, white: other }
        } else {
            BySide { black: other, white: one }
        }
    }
}

/// Converts an index in a group, whose length was a `usize`.
#[expect(clippy::cast_possible_truncation, reason = "less than the length of a vector")]
const fn index(place: u64) -> usize {
    place as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;

    /// Generates gauntlets in which some of the players, but not all, are challengers.
    fn gauntlets() -> impl Strategy<Value = (usize, Vec<PlayerIndex>)> {
        proptest::collection::vec(any::<bool>(), 2..24).prop_filter_map("both groups have players", |marks| {
            let challengers: Vec<_> = (0..marks.len()).filter(|&player| marks[player]).collect();
            (!challengers.is_empty() && challengers.len() < marks.len()).then_some((marks.len(), challengers))
        })
    }

    proptest! {
        #[test]
        fn each_challenger_meets_each_other_player_once_with_each_colour((players, challengers) in gauntlets()) {
            let gauntlet = Gauntlet::new(players, &challengers);
            for round in 0..2 {
                let mut seen = HashSet::new();
                for number in 0..gauntlet.games_a_round() {
                    let game = gauntlet.game(round, number);
                    prop_assert!(challengers.contains(&game.black) != challengers.contains(&game.white));
                    prop_assert!(seen.insert(game), "{game:?} comes twice");
                }
                prop_assert_eq!(seen.len(), 2 * challengers.len() * (players - challengers.len()));
            }
        }

        #[test]
        fn every_prefix_of_half_steps_is_fair((players, challengers) in gauntlets(), rounds in 1_u64..4) {
            let gauntlet = Gauntlet::new(players, &challengers);
            let (mut colours, mut played) = (vec![0_i64; players], vec![0_i64; players]);
            let few = gauntlet.few.len() as u64;
            let games = (0..rounds).flat_map(|round| (0..gauntlet.games_a_round()).map(move |number| (round, number)));
            for (i, (round, number)) in games.enumerate() {
                let game = gauntlet.game(round, number);
                colours[game.black] += 1;
                colours[game.white] -= 1;
                played[game.black] += 1;
                played[game.white] += 1;
                let done = i as u64 + 1;
                if !done.is_multiple_of(few) {
                    continue;
                }
                prop_assert!(colours.iter().all(|difference| difference.abs() <= 1), "{colours:?}");
                if done.is_multiple_of(gauntlet.games_a_step()) {
                    prop_assert!(colours.iter().all(|&difference| difference == 0), "{colours:?}");
                }
                let spread = |group: &[PlayerIndex]| {
                    let games: Vec<i64> = group.iter().map(|&player| played[player]).collect();
                    games.iter().max().unwrap_or(&0) - games.iter().min().unwrap_or(&0)
                };
                prop_assert_eq!(spread(&gauntlet.few), 0);
                prop_assert!(spread(&gauntlet.many) <= 2, "{played:?}");
            }
        }
    }
}
