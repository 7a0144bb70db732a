//! Games that repeat an earlier game move for move.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;

use super::{GameSummary, GroupSummary};
use crate::game::{BySeat, BySide, MOST_SEATS};
use crate::referee::moves_digest::MovesDigest;

/// The key by which games are compared: the players by side or by seat, and the moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Played<P = BySide<u32>> {
    players: P,
    moves: [u64; 2],
}

/// The key of a game with more than two seats. The elements after the last seat are 0.
pub(super) type PlayedGroup = Played<[u32; MOST_SEATS]>;

impl Played {
    /// Creates the key of a game between the players with these indices.
    pub(super) fn of_pair(players: BySide<usize>, moves: &MovesDigest) -> Self {
        Self { players: players.map(index), moves: moves.prefix() }
    }
}

impl PlayedGroup {
    /// Creates the key of a game among the players with these indices.
    pub(super) fn of_group(players: &BySeat<usize>, moves: &MovesDigest) -> Self {
        let mut indices = [0; MOST_SEATS];
        for (seat, &player) in players.iter() {
            indices[seat.index()] = index(player);
        }
        Self { players: indices, moves: moves.prefix() }
    }
}

fn index(player: usize) -> u32 {
    u32::try_from(player).unwrap_or(u32::MAX)
}

/// Returns whether a game with this number of plies can repeat another game or be repeated. `has_result` is false for a
/// void game.
///
/// Two games without moves do not count as identical, because nothing was played in them.
pub(super) const fn can_repeat(has_result: bool, plies: usize) -> bool {
    has_result && plies > 0
}

/// A game that may repeat another game.
pub trait Repeatable<'g> {
    /// The players, as they are compared between games.
    type Players: Eq + Hash;

    /// Whether the game can repeat another game or be repeated.
    fn may_repeat(&self) -> bool;

    /// The round and the id.
    fn round_and_id(&self) -> (Option<u32>, &'g str);

    /// The digest of the moves.
    fn moves(&self) -> &MovesDigest;

    /// The players, each as the number that `number` assigns to its name.
    fn numbered(&self, number: impl FnMut(&'g str) -> usize) -> Self::Players;
}

impl<'g> Repeatable<'g> for GameSummary<&'g str> {
    type Players = BySide<u32>;

    fn may_repeat(&self) -> bool {
        self.can_repeat()
    }

    fn round_and_id(&self) -> (Option<u32>, &'g str) {
        (self.round, self.game)
    }

    fn moves(&self) -> &MovesDigest {
        &self.moves
    }

    fn numbered(&self, number: impl FnMut(&'g str) -> usize) -> BySide<u32> {
        Played::of_pair(self.players.map(number), &self.moves).players
    }
}

impl<'g> Repeatable<'g> for GroupSummary<&'g str> {
    type Players = [u32; MOST_SEATS];

    fn may_repeat(&self) -> bool {
        self.can_repeat()
    }

    fn round_and_id(&self) -> (Option<u32>, &'g str) {
        (self.round, self.game)
    }

    fn moves(&self) -> &MovesDigest {
        &self.moves
    }

    fn numbered(&self, mut number: impl FnMut(&'g str) -> usize) -> [u32; MOST_SEATS] {
        PlayedGroup::of_group(&self.players.as_ref().map(|name| number(name)), &self.moves).players
    }
}

/// For each game, the index of the first game that it repeats, which has the same players in the same seats and the
/// same moves. Games without a result or without moves do not repeat any other game.
pub fn duplicates<'g, G: Repeatable<'g>>(games: impl Iterator<Item = G> + Clone) -> Vec<Option<usize>> {
    let shared = shared_fingerprints(games.clone());
    let mut names: HashMap<&str, usize> = HashMap::new();
    let mut groups: HashMap<Played<G::Players>, usize> = HashMap::new();
    // The first game of each group of identical games, as its key in the schedule and its index.
    let mut first: Vec<(ScheduleKey<'g>, usize)> = Vec::new();
    let mut name = |name| {
        let next = names.len();
        *names.entry(name).or_insert(next)
    };
    let mut group_of = |(index, game): (usize, G)| {
        let may_repeat = game.may_repeat() && shared.contains(&game.moves().fingerprint());
        let played = may_repeat.then(|| Played { players: game.numbered(&mut name), moves: game.moves().prefix() })?;
        let (round, id) = game.round_and_id();
        let found = (schedule_key(round, id), index);
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
fn shared_fingerprints<'g, G: Repeatable<'g>>(games: impl Iterator<Item = G>) -> HashSet<u64> {
    let mut all: Vec<u64> = games.filter(G::may_repeat).map(|game| game.moves().fingerprint()).collect();
    all.sort_unstable();
    all.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0]).collect()
}

/// See [`schedule_key`].
pub(super) type ScheduleKey<'g> = (Option<u32>, usize, &'g str);

/// A key that sorts games of the same ordered pair in schedule order: by the round, and within a round by the number at
/// the end of the id, which the first game of the pair does not have.
pub(super) const fn schedule_key(round: Option<u32>, game: &str) -> ScheduleKey<'_> {
    (round, game.len(), game)
}
