//! Games that repeat an earlier game move for move.

use std::borrow::Borrow;
use std::collections::HashMap;

use super::GameSummary;
use crate::game::rules::BySide;
use crate::referee::moves_digest::MovesDigest;

/// What makes games distinct: the players by side, and the moves.
pub(super) type Played = (BySide<usize>, MovesDigest);

/// For each game, the index of the first game that it repeats: one of the same ordered pair with the same moves. Games
/// without a result or without a move repeat no other.
pub fn duplicates<G: Borrow<GameSummary>>(games: &[G]) -> Vec<Option<usize>> {
    let games: Vec<&GameSummary> = games.iter().map(Borrow::borrow).collect();
    let mut names: HashMap<&str, usize> = HashMap::new();
    let mut first: HashMap<Played, usize> = HashMap::new();
    let mut name = |name| {
        let next = names.len();
        *names.entry(name).or_insert(next)
    };
    let keys: Vec<Option<Played>> = games
        .iter()
        .map(|game| game.can_repeat().then(|| (game.players.as_ref().map(|player| name(player.as_str())), game.moves)))
        .collect();
    let key = |index: usize| schedule_key(games[index].round, &games[index].game);
    for (index, played) in keys.iter().enumerate() {
        if let Some(played) = played {
            let first = first.entry(*played).or_insert(index);
            if key(index) < key(*first) {
                *first = index;
            }
        }
    }
    let first_of = |played: &Option<Played>| played.as_ref().map(|played| first[played]);
    keys.iter().enumerate().map(|(index, played)| first_of(played).filter(|&first| first != index)).collect()
}

/// See [`schedule_key`].
pub(super) type ScheduleKey<'g> = (Option<u32>, usize, &'g str);

/// Sorts games of the same ordered pair in the schedule's order: by the round, and within a round by the number at the end
/// of the id, which the first game of the pair does not have.
pub(super) const fn schedule_key(round: Option<u32>, game: &str) -> ScheduleKey<'_> {
    (round, game.len(), game)
}
