//! What is kept of a game once its log is written.

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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameSummary {
    /// The game's id; empty where the record has none.
    pub game: String,
    /// The round, from 1.
    pub round: Option<u32>,
    /// The players' names.
    pub players: BySide<String>,
    /// The result, without its reason; `None` is a void game.
    pub result: Option<GameResult>,
    /// How many moves were accepted.
    pub plies: usize,
    /// Time used in all, as far as the record knows.
    pub used: BySide<Duration>,
    /// What each player's processes used, where that is known.
    pub usage: BySide<Option<Usage>>,
    /// What was played.
    pub moves: MovesDigest,
}

impl GameSummary {
    /// The same, borrowed.
    pub fn view(&self) -> GameView<'_> {
        GameView {
            game: &self.game,
            round: self.round,
            players: self.players.as_ref().map(String::as_str),
            result: self.result.clone(),
            plies: self.plies,
            used: self.used,
            usage: self.usage,
            moves: self.moves,
        }
    }
}

/// A [`GameSummary`] whose texts stand elsewhere, so that a million of them can be read without a copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameView<'g> {
    /// The game's id; empty where the record has none.
    pub game: &'g str,
    /// The round, from 1.
    pub round: Option<u32>,
    /// The players' names.
    pub players: BySide<&'g str>,
    /// The result; `None` is a void game.
    pub result: Option<GameResult>,
    /// How many moves were accepted.
    pub plies: usize,
    /// Time used in all, as far as the record knows.
    pub used: BySide<Duration>,
    /// What each player's processes used, where that is known.
    pub usage: BySide<Option<Usage>>,
    /// What was played.
    pub moves: MovesDigest,
}

impl GameView<'_> {
    /// The same with texts of its own.
    pub fn to_summary(&self) -> GameSummary {
        GameSummary {
            game: self.game.to_owned(),
            round: self.round,
            players: self.players.map(str::to_owned),
            result: self.result.clone(),
            plies: self.plies,
            used: self.used,
            usage: self.usage,
            moves: self.moves,
        }
    }

    /// Whether the game can repeat another, or be repeated: it has a result and a move.
    ///
    /// Games without a move are not alike in what was played, as nothing was.
    pub(crate) const fn can_repeat(&self) -> bool {
        self.result.is_some() && self.plies > 0
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

/// The SHA-256 digest of a game's moves as text, joined by one blank each; games of the same moves have the same.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct MovesDigest([u8; Self::LEN]);

impl MovesDigest {
    const LEN: usize = 32;

    /// The digest of these moves, black's first.
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

/// Text that is no digest.
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
