//! What the standings keep of a game once its log is written.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use sha2::{Digest, Sha256};
use thiserror::Error;

use crate::base::hex::hex;
use crate::game::rules::{BySide, Move};
use crate::referee::record::GameRecord;
use crate::referee::result::GameResult;
use crate::referee::usage::Usage;

/// One game as results.csv and the standings see it.
///
/// `S` holds its texts: with `&str`, a million games can be read without a copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameSummary<S = String> {
    /// The game's id; empty if the record has none.
    pub game: S,
    /// The round, from 1.
    pub round: Option<u32>,
    /// The players' names.
    pub players: BySide<S>,
    /// The result, without its reason; `None` is a void game.
    pub result: Option<GameResult>,
    /// How many moves were accepted.
    pub plies: usize,
    /// Time used in all, as far as the record knows.
    pub used: BySide<Duration>,
    /// What each player's processes used, if that is known.
    pub usage: BySide<Option<Usage>>,
    /// What was played.
    pub moves: MovesDigest,
}

impl<S> GameSummary<S> {
    /// Whether the game can repeat another one, or be repeated: it has a result and a move.
    ///
    /// Two games without a move do not count as alike, because nothing was played.
    pub(crate) const fn can_repeat(&self) -> bool {
        self.result.is_some() && self.plies > 0
    }

    /// The same summary with other texts.
    fn with_texts<T>(&self, game: T, players: BySide<T>) -> GameSummary<T> {
        let &Self { game: _, round, players: _, ref result, plies, used, usage, moves } = self;
        GameSummary { game, round, players, result: result.clone(), plies, used, usage, moves }
    }
}

impl GameSummary {
    /// The same summary, with its texts borrowed.
    pub fn view(&self) -> GameSummary<&str> {
        self.with_texts(&self.game, self.players.as_ref().map(String::as_str))
    }
}

impl GameSummary<&str> {
    /// The same summary, with texts of its own.
    pub fn to_summary(&self) -> GameSummary {
        self.with_texts(self.game.to_owned(), self.players.map(str::to_owned))
    }
}

impl From<&GameRecord> for GameSummary {
    fn from(record: &GameRecord) -> Self {
        Self {
            game: record.game.clone().unwrap_or_default(),
            round: record.round,
            players: record.players.clone(),
            result: record.result.as_ref().ok().map(without_reason),
            plies: record.plies.len(),
            used: BySide::from_fn(|side| record.used(side)),
            usage: record.usage,
            moves: MovesDigest::of(record.plies.iter().map(|ply| ply.played)),
        }
    }
}

fn without_reason(result: &GameResult) -> GameResult {
    GameResult::new(result.winner(), result.termination(), result.margin(), None)
        .expect("the parts of a result make a result")
}

/// The SHA-256 digest of a game's moves as text, joined by single blanks. Games with the same moves have the same digest.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct MovesDigest([u8; Self::LEN]);

impl MovesDigest {
    const LEN: usize = 32;

    /// The digest of `moves`, black's first.
    pub fn of(moves: impl IntoIterator<Item = Move>) -> Self {
        let mut hash = Sha256::new();
        for (ply, played) in moves.into_iter().enumerate() {
            if ply > 0 {
                hash.update(b" ");
            }
            hash.update(played.as_str());
        }
        Self(hash.finalize().into())
    }
}

impl fmt::Display for MovesDigest {
    /// 64 hexadecimal digits in lower case.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

impl fmt::Debug for MovesDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The text is no digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected 64 hexadecimal digits in lower case")]
pub struct NotADigest;

impl FromStr for MovesDigest {
    type Err = NotADigest;

    fn from_str(text: &str) -> Result<Self, NotADigest> {
        let digits = text.as_bytes();
        if digits.len() != 2 * Self::LEN {
            return Err(NotADigest);
        }
        let mut bytes = [0; Self::LEN];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = nibble(pair[0])? << 4 | nibble(pair[1])?;
        }
        Ok(Self(bytes))
    }
}

fn nibble(digit: u8) -> Result<u8, NotADigest> {
    match digit {
        b'0'..=b'9' => Ok(digit - b'0'),
        b'a'..=b'f' => Ok(digit - b'a' + 10),
        _ => Err(NotADigest),
    }
}
