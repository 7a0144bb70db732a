//! Games in pairs with colours swapped, as the sequential test judges them.

use std::collections::BTreeMap;

use super::GameSummary;
use super::tally::{ScheduleKey, schedule_key};
use crate::rating::Wdl;
use crate::rules::Side;

/// The half-points (0 to 4) of `player` in each pair of its games against `opponent`, in the schedule's order, up to the
/// first pair that is not complete: what came later says nothing yet, or the verdict would depend on which games
/// happened to end first.
///
/// Within a round, the first game as black goes with the first one as white, and so on; rounds count from 1, and games
/// without a round are of none. A void game is not complete; a double forfeit is half a point, as it favours nobody.
pub fn pair_scores<'g>(games: impl IntoIterator<Item = &'g GameSummary>, player: &str, opponent: &str) -> Vec<usize> {
    let mut rounds: BTreeMap<u32, [Vec<(ScheduleKey<'_>, Option<usize>)>; 2]> = BTreeMap::new();
    for game in games {
        let side = match (game.players.black.as_str(), game.players.white.as_str()) {
            (black, white) if (black, white) == (player, opponent) => Side::Black,
            (black, white) if (white, black) == (player, opponent) => Side::White,
            _ => continue,
        };
        if let Some(round) = game.round {
            let of_side = &mut rounds.entry(round).or_default()[usize::from(side == Side::White)];
            of_side.push((schedule_key(game.round, &game.game), half_points(game, side)));
        }
    }
    let mut scores = Vec::new();
    for (round, (number, mut sides)) in (1..).zip(rounds) {
        if number != round {
            break;
        }
        sides.iter_mut().for_each(|games| games.sort_unstable());
        let [as_black, as_white] = &sides;
        for ((_, black), (_, white)) in as_black.iter().zip(as_white) {
            match (black, white) {
                (Some(black), Some(white)) => scores.push(black + white),
                _ => return scores,
            }
        }
        if as_black.len() != as_white.len() {
            break;
        }
    }
    scores
}

fn half_points(game: &GameSummary, side: Side) -> Option<usize> {
    let result = game.result.as_ref()?;
    usize::try_from(Wdl::game(side, result.winner()).half_points()).ok()
}
