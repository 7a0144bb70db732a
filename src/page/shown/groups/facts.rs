//! Facts about each player that the standings do not contain, derived from games of more than two seats.

use std::time::Duration;

use super::page_data::GroupContent;
use crate::game::Seat;
use crate::page::shown::think_times::ThinkTimes;

/// The maximum number of drop-outs of a player that a page lists. The others are only counted.
const LISTED: usize = 20;

/// The facts about one player.
#[derive(Clone, Debug, Default)]
pub(super) struct GroupFacts {
    /// The times of all moves.
    pub(super) think_times: ThinkTimes,
    /// The time used in all games that have times.
    pub(super) used: Duration,
    /// The maximum time used in a game.
    pub(super) most_used: Duration,
    /// The number of games that have times.
    pub(super) timed_games: u32,
    /// The number of games from which the player dropped out.
    pub(super) drop_outs: usize,
    /// The first of these games, with the player's seat.
    pub(super) shown_drop_outs: Vec<(usize, Seat)>,
}

/// Gathers the facts about each player from the games of `content`, in the order of the standings.
pub(super) fn group_facts(content: &GroupContent<'_>) -> Vec<GroupFacts> {
    let mut facts = vec![GroupFacts::default(); content.data.players.len()];
    for (index, (entry, game)) in content.data.games.iter().zip(content.games).enumerate() {
        for &(seat, time) in &game.times {
            facts[entry.players[seat]].think_times.add(time);
        }
        let Some(result) = &game.summary.result else { continue };
        for (seat, &player) in entry.players.iter() {
            let (facts, used) = (&mut facts[player], game.summary.used[seat]);
            if !used.is_zero() {
                facts.used = facts.used.saturating_add(used);
                facts.most_used = facts.most_used.max(used);
                facts.timed_games += 1;
            }
            if result.outs().iter().any(|out| out.seat == seat) {
                facts.drop_outs += 1;
                if facts.shown_drop_outs.len() < LISTED {
                    facts.shown_drop_outs.push((index, seat));
                }
            }
        }
    }
    facts
}
