//! Colour-swapped pairs of games, for the sequential test.

use std::collections::BTreeMap;

use super::GameSummary;
use super::repeats::{ScheduleKey, schedule_key};
use crate::game::{BySide, Side};
use crate::tournament::schedule::{Decided, KnownEnding};
use crate::tournament::sprt::PlayedPair;

/// A game's key in the schedule, and how the game ended, if it is over.
type Placed<'g> = (ScheduleKey<'g>, Option<KnownEnding>);

/// Each pair of games of `player` against `opponent`, in schedule order, up to the first incomplete pair. Later pairs
/// do not count yet: the verdict must not depend on which games happen to end first.
///
/// Within a round, the first game as black forms a pair with the first game as white, and so on. Rounds count from 1,
/// and games without a round do not belong to a pair. A pair with a void game is incomplete. A pair with a double
/// forfeit is skipped, because double forfeits are not rated.
pub fn played_pairs<'g>(
    games: impl IntoIterator<Item = &'g GameSummary>,
    player: &str,
    opponent: &str,
) -> Vec<PlayedPair> {
    let mut rounds: BTreeMap<u32, BySide<Vec<Placed<'g>>>> = BTreeMap::new();
    for game in games {
        let side = match (game.players.black.as_str(), game.players.white.as_str()) {
            (black, white) if (black, white) == (player, opponent) => Side::Black,
            (black, white) if (white, black) == (player, opponent) => Side::White,
            _ => continue,
        };
        if let Some(round) = game.round {
            let placed = (schedule_key(game.round, &game.game), game.ended());
            rounds.entry(round).or_default()[side].push(placed);
        }
    }
    let mut pairs = Vec::new();
    for (round, (number, mut sides)) in (1..).zip(rounds) {
        if number != round {
            break;
        }
        for side in Side::BOTH {
            sides[side].sort_unstable_by(|one, other| one.0.cmp(&other.0));
        }
        for ((_, black), (_, white)) in sides.black.iter().zip(&sides.white) {
            match (black, white) {
                (Some(black), Some(white)) => {
                    if [black, white].iter().all(|game| game.decided != Decided::BothForfeited) {
                        pairs.push(KnownEnding::pair(*black, *white));
                    }
                }
                _ => return pairs,
            }
        }
        if sides.black.len() != sides.white.len() {
            break;
        }
    }
    pairs
}
