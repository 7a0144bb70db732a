//! A digest of the moves of a game.

use std::borrow::Cow;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest, Sha256};
use thiserror::Error;

use crate::base::hex::hex;
use crate::game::Move;

/// The SHA-256 digest of a game's moves as text, joined by single spaces. Games with the same moves have the same
/// digest.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct MovesDigest([u8; Self::LEN]);

impl Hash for MovesDigest {
    /// Hashes only the first bytes, which are as random as the whole digest.
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.first_chunk::<8>().map_or(0, |first| u64::from_ne_bytes(*first)).hash(state);
    }
}

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

    /// The first 128 bits of the digest, which distinguish all games in half the memory.
    pub(crate) fn prefix(&self) -> [u64; 2] {
        let (first, rest) = self.0.split_at(8);
        [first, rest].map(|bytes| bytes.first_chunk().map_or(0, |chunk| u64::from_be_bytes(*chunk)))
    }

    /// The first 64 bits of the digest, which distinguish the games of a tournament.
    pub fn fingerprint(&self) -> u64 {
        self.prefix()[0]
    }
}

impl fmt::Display for MovesDigest {
    /// Writes 64 hexadecimal digits in lower case.
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

/// The error for text that is not a digest.
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
        let mut seen = 0;
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            let (high, low) = (NIBBLES[usize::from(pair[0])], NIBBLES[usize::from(pair[1])]);
            seen |= high | low;
            *byte = high << 4 | low & 0xf;
        }
        if seen & NO_NIBBLE == 0 { Ok(Self(bytes)) } else { Err(NotADigest) }
    }
}

/// A bit that is not set in any nibble.
const NO_NIBBLE: u8 = 0x80;

/// The value of each byte as a digit, or [`NO_NIBBLE`]. This avoids a branch per digit when reading a million digests.
const NIBBLES: [u8; 256] = {
    let digits = b"0123456789abcdef";
    let mut nibbles = [NO_NIBBLE; 256];
    let mut value = 0;
    while value < 16 {
        nibbles[digits[value as usize] as usize] = value;
        value += 1;
    }
    nibbles
};

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn only_the_digits_of_a_digest_are_one(bytes: [u8; 32], at in 0..64_usize, letter in "[^0-9a-f]") {
            let text = MovesDigest(bytes).to_string();
            prop_assert_eq!(text.parse(), Ok(MovesDigest(bytes)));
            let mut other = text.clone();
            other.replace_range(at..=at, &letter);
            prop_assert_eq!(other.parse::<MovesDigest>(), Err(NotADigest));
            prop_assert_eq!(text[..at].parse::<MovesDigest>(), Err(NotADigest));
        }
    }
}
