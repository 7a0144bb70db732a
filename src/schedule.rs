//! Which games a tournament consists of, lazily and as a pure function of the tournament.

mod round_robin;

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::random::mix;
use crate::rules::{BySide, Side};
use crate::tournament::Tournament;

pub use round_robin::RoundRobin;

/// What names a game within its tournament: `r<round>-<black>-<white>` in slugs, with `-<n>` where a round holds the
/// pairing more than once.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct GameId(String);

impl GameId {
    /// The id of the `nth` game (from 1) of this pairing in round `round` (from 1). The slugs are those of
    /// [`crate::tournament::PlayerName::slug`]; as they hold no `-`, different games have different ids.
    pub fn new(round: u32, black_slug: &str, white_slug: &str, nth: u32) -> Self {
        let first = format!("r{round}-{black_slug}-{white_slug}");
        Self(if nth > 1 { format!("{first}-{nth}") } else { first })
    }

    /// The id as text, fit for a file name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for GameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// An index into [`crate::tournament::Tournament::players`].
pub type PlayerIndex = usize;

/// One game to be played.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct GameSpec {
    /// Its id.
    pub id: GameId,
    /// The round, from 1.
    pub round: u32,
    /// Who plays.
    pub players: BySide<PlayerIndex>,
    /// The game's own seed, a function of the tournament's seed and the id alone.
    pub seed: u64,
}

impl GameSpec {
    /// What `{seed}` stands for in the command of the player with `side`: a function of the game's seed and the side
    /// alone, less than 2^31, so that any program in any language can read it into a plain integer.
    pub fn seat_seed(&self, side: Side) -> u64 {
        mix(self.seed, side.name()) >> 33
    }
}

/// All games of a tournament, in the order in which they are to be started: a round robin, see [`RoundRobin`].
///
/// It is a pure function of the tournament's players, rounds and seed, and holds nothing but its place in the order, so
/// that the longest tournament takes no memory. A clone goes on from the same place.
#[derive(Clone, Debug)]
pub struct Schedule {
    robin: RoundRobin,
    slugs: Arc<[String]>,
    seed: u64,
    len: u64,
    next: u64,
}

impl Schedule {
    /// The schedule of `tournament`, from its first game on.
    pub fn new(tournament: &Tournament) -> Self {
        let slugs: Arc<[String]> = tournament.players.iter().map(|player| player.name.slug()).collect();
        let robin = RoundRobin::new(slugs.len());
        let len = robin.games_a_round() * u64::from(tournament.rounds.get());
        Self { robin, slugs, seed: tournament.seed, len, next: 0 }
    }

    /// How many games the tournament has, whatever has been taken from the schedule.
    pub const fn len(&self) -> u64 {
        self.len
    }

    /// Whether the tournament has no game at all, which needs fewer than two players.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Game `number`, from 0 in the order of the schedule.
    pub fn get(&self, number: u64) -> Option<GameSpec> {
        if number >= self.len {
            return None;
        }
        let a_round = self.robin.games_a_round();
        let players = self.robin.game(number / a_round, number % a_round);
        let round = u32::try_from(number / a_round).ok()? + 1;
        let id = GameId::new(round, &self.slugs[players.black], &self.slugs[players.white], 1);
        let seed = mix(self.seed, id.as_str());
        Some(GameSpec { id, round, players, seed })
    }
}

impl Iterator for Schedule {
    type Item = GameSpec;

    fn next(&mut self) -> Option<GameSpec> {
        let game = self.get(self.next)?;
        self.next += 1;
        Some(game)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = usize::try_from(self.len - self.next).ok();
        (left.unwrap_or(usize::MAX), left)
    }
}
