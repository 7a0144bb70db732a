//! The pairings of a round robin by the circle method, computed by plain arithmetic.

use super::PlayerIndex;
use crate::game::BySide;

/// The games of one round between `players` players: each pair meets twice, once with each colour.
///
/// A round has two halves with the same pairings, and colours are swapped in the second half; in rounds with an odd
/// number (counted from 0), the swapped half comes first. A half consists of steps, and in each step every player plays
/// once. (With an odd number of players, one player sits out each step, and each player sits out one step.)
///
/// After every whole step of a tournament, the following properties hold, and are tested:
/// - players differ in games played by at most 1, and not at all if their number is even;
/// - a player's games with black and with white differ in number by at most 2, and by at most 1 if the number of
///   players is odd.
///
/// After every half, the colours of each player differ by at most 1, and after every round not at all.
///
/// The method is as follows: all players but one sit in a circle, which rotates by one seat in each step; the last
/// player sits in the middle. In step `s`, player `s` meets the one in the middle, and the players `k` seats to either
/// side of `s` meet each other. The player ahead of `s` has black if `k` is odd, so that a player's colours alternate
/// as it moves around the circle. With an odd number of players, the middle is empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoundRobin {
    players: u64,
}

impl RoundRobin {
    /// Creates the round robin of `players` players; with fewer than two, there are no games.
    pub const fn new(players: usize) -> Self {
        Self { players: players as u64 }
    }

    /// Returns how many games a round has.
    pub const fn games_a_round(self) -> u64 {
        self.players * self.players.saturating_sub(1)
    }

    /// Returns how many games a step has.
    pub const fn games_a_step(self) -> u64 {
        self.players / 2
    }

    /// Returns the players of game `number` (from 0, less than [`RoundRobin::games_a_round`]) of round `round` (from
    /// 0).
    pub fn game(self, round: u64, number: u64) -> BySide<PlayerIndex> {
        let half = self.games_a_round() / 2;
        let swapped = (number >= half) != (round % 2 == 1);
        let number = number % half;
        let (step, place) = (number / self.games_a_step(), number % self.games_a_step());
        let (ahead, behind, ahead_is_black) = self.pair(step, place);
        if ahead_is_black == swapped {
            BySide { black: behind, white: ahead }
        } else {
            BySide { black: ahead, white: behind }
        }
    }

    /// Returns the number, within its round, of the colour pair to which game `number` of the round belongs: the second
    /// half of a round has the same pairs as the first half, in the same order.
    pub const fn pair_of(self, number: u64) -> u64 {
        number % (self.games_a_round() / 2)
    }

    /// Returns the players who meet at position `place` of step `step`, and whether the first of them has black before
    /// any swap.
    fn pair(self, step: u64, place: u64) -> (PlayerIndex, PlayerIndex, bool) {
        let has_middle = self.players.is_multiple_of(2);
        let circle = if has_middle { self.players - 1 } else { self.players };
        let distance = if has_middle { place } else { place + 1 };
        if distance == 0 {
            return (index(circle), index(step), step.is_multiple_of(2));
        }
        let ahead = (step + distance) % circle;
        let behind = (step + circle - distance) % circle;
        (index(ahead), index(behind), distance % 2 == 1)
    }
}

/// Converts a player's number, which came from a `usize`.
#[expect(clippy::cast_possible_truncation, reason = "less than the number of players, which was a usize")]
const fn index(player: u64) -> PlayerIndex {
    player as PlayerIndex
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    /// Returns all games of `rounds` rounds.
    fn games(robin: RoundRobin, rounds: u64) -> impl Iterator<Item = (u64, BySide<PlayerIndex>)> {
        (0..rounds).flat_map(move |round| (0..robin.games_a_round()).map(move |n| (round, robin.game(round, n))))
    }

    proptest! {
        #[test]
        fn each_ordered_pair_meets_once_a_round(players in 0_usize..20, rounds in 1_u64..4) {
            let robin = RoundRobin::new(players);
            let mut seen = HashMap::new();
            for (round, game) in games(robin, rounds) {
                prop_assert!(game.black < players && game.white < players && game.black != game.white);
                *seen.entry((round, game.black, game.white)).or_insert(0) += 1;
            }
            prop_assert_eq!(seen.len() as u64, rounds * (players * players.saturating_sub(1)) as u64);
            prop_assert!(seen.values().all(|&times| times == 1));
        }

        #[test]
        fn nobody_plays_twice_in_a_step(players in 2_usize..20, rounds in 1_u64..3) {
            let robin = RoundRobin::new(players);
            let all: Vec<_> = games(robin, rounds).collect();
            for step in all.chunks(usize::try_from(robin.games_a_step()).unwrap()) {
                let mut playing: Vec<_> = step.iter().flat_map(|(_, game)| [game.black, game.white]).collect();
                playing.sort_unstable();
                playing.dedup();
                prop_assert_eq!(playing.len(), players / 2 * 2);
            }
        }

        #[test]
        fn every_prefix_of_whole_steps_is_fair(players in 2_usize..20, rounds in 1_u64..5) {
            let robin = RoundRobin::new(players);
            let even = players % 2 == 0;
            let (mut played, mut colours) = (vec![0_i64; players], vec![0_i64; players]);
            for (i, (_, game)) in games(robin, rounds).enumerate() {
                played[game.black] += 1;
                played[game.white] += 1;
                colours[game.black] += 1;
                colours[game.white] -= 1;
                let done = i as u64 + 1;
                if !done.is_multiple_of(robin.games_a_step()) {
                    continue;
                }
                let spread = played.iter().max().unwrap() - played.iter().min().unwrap();
                prop_assert!(spread <= i64::from(!even), "games played {played:?}");
                let worst = colours.iter().map(|difference| difference.abs()).max().unwrap();
                prop_assert!(worst <= if even { 2 } else { 1 }, "colours {colours:?} after {done}");
                if done.is_multiple_of(robin.games_a_round() / 2) {
                    prop_assert!(worst <= 1, "colours {colours:?} after half a round");
                }
                if done.is_multiple_of(robin.games_a_round()) {
                    prop_assert_eq!(worst, 0);
                }
            }
        }
    }

    #[test]
    fn rounds_begin_with_either_half_in_turn() {
        let robin = RoundRobin::new(5);
        let swapped = |game: BySide<PlayerIndex>| BySide { black: game.white, white: game.black };
        for number in 0..20 {
            assert_eq!(robin.game(1, number), swapped(robin.game(0, number)));
            assert_eq!(robin.game(2, number), robin.game(0, number));
        }
    }

    #[test]
    fn four_players_meet_in_three_steps() {
        let robin = RoundRobin::new(4);
        let half: Vec<_> = (0..6).map(|n| robin.game(0, n)).map(|game| (game.black, game.white)).collect();
        assert_eq!(half, [(3, 0), (1, 2), (1, 3), (2, 0), (3, 2), (0, 1)]);
    }
}
