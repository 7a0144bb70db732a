//! Games that repeat an earlier game move for move.

use std::collections::{HashMap, HashSet};

use super::GameSummary;
use crate::game::BySide;
use crate::referee::moves_digest::MovesDigest;

/// The key that distinguishes games: the players by side, and the moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Played {
    players: BySide<u32>,
    moves: [u64; 2],
}

impl Played {
    /// Creates the key of a game between the players with these indices.
    pub(super) fn new(players: BySide<usize>, moves: &MovesDigest) -> Self {
        Self { players: players.map(|player| u32::try_from(player).unwrap_or(u32::MAX)), moves: moves.prefix() }
    }
}

/// For each game, the index of the first game that it repeats, which has the same ordered pair and the same moves.
/// Games without a result or without a move do not repeat any other game.
pub fn duplicates<'g>(games: impl Iterator<Item = GameSummary<&'g str>> + Clone) -> Vec<Option<usize>> {
    let shared = shared_fingerprints(games.clone());
    let mut names: HashMap<&str, usize> = HashMap::new();
    let mut groups: HashMap<Played, usize> = HashMap::new();
    // The first game of each group of identical games, as its key in the schedule and its index.
    let mut first: Vec<(ScheduleKey<'g>, usize)> = Vec::new();
    let mut name = |name| {
        let next = names.len();
        *names.entry(name).or_insert(next)
    };
    let mut group_of = |(index, game): (usize, GameSummary<&'g str>)| {
        let may_repeat = game.can_repeat() && shared.contains(&game.moves.fingerprint());
        let played = may_repeat.then(|| Played::new(game.players.map(&mut name), &game.moves))?;
        let found = (schedule_key(game.round, game.game), index);
        let group = *groups.entry(played).or_insert(first.len());
        match first.get_mut(group) {
            None => first.push(found),
            Some(before) if found.0 < before.0 => *before = found,
            Some(_) => {}
        }
        Some(group)
    };
    let groups: Vec<Option<usize>> = games.enumerate().map(&mut group_of).collect();
    let repeated = |(index, group): (usize, Option<usize>)| Some(first[group?].1).filter(|&first| first != index);
    groups.into_iter().enumerate().map(repeated).collect()
}

/// The fingerprints of moves shared by several of `games`. Only these games can be repetitions, and most games of a
/// long run have unique moves, so this takes much less memory than comparing all games.
fn shared_fingerprints<'g>(games: impl Iterator<Item = GameSummary<&'g str>>) -> HashSet<u64> {
    let mut all: Vec<u64> = games.filter(GameSummary::can_repeat).map(|game| game.moves.fingerprint()).collect();
    all.sort_unstable();
    all.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0]).collect()
}

/// See [`schedule_key`].
pub(super) type ScheduleKey<'g> = (Option<u32>, usize, &'g str);

/// Sorts games of the same ordered pair in schedule order: by the round, and within a round by the number at the end of the id,
/// which the first game of the pair does not have.
pub(super) const fn schedule_key(round: Option<u32>, game: &str) -> ScheduleKey<'_> {
    (round, game.len(), game)
}
