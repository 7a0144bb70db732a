//! What was played in a game, as a digest.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest, Sha256};
use thiserror::Error;

use crate::base::hex::hex;
use crate::game::rules::Move;

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

    /// The first 64 bits of the digest, which tell the games of one tournament apart.
    pub fn fingerprint(&self) -> u64 {
        self.0.first_chunk().map_or(0, |first| u64::from_be_bytes(*first))
    }
}

impl fmt::Display for MovesDigest {
    /// 64 hexadecimal digits in lower case.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

impl Serialize for MovesDigest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for MovesDigest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Cow::<'de, str>::deserialize(deserializer)?.parse().map_err(D::Error::custom)
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
