//! A move of any game, as text.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use thiserror::Error;

/// A move as its canonical text, such as `c3`, `b1-a1` or `pass`.
///
/// In a [`Position`](super::Position), the same move always has the same text, and no two moves have the same text.
///
/// Invariant: 1 to [`Move::MAX_LEN`] printable ASCII characters without spaces, in lower case.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Move {
    len: u8,
    text: [u8; Self::MAX_LEN],
}

impl Move {
    /// The maximum length of a move's text in any rule set, in bytes.
    pub const MAX_LEN: usize = 15;

    /// The pass, which has the same text in every rule set.
    pub const PASS: Self = Self::from_bytes(b"pass");

    /// Creates the move with this text, which must satisfy the type's invariant.
    pub(super) const fn from_bytes(bytes: &[u8]) -> Self {
        assert!(!bytes.is_empty() && bytes.len() <= Self::MAX_LEN, "a move's text has 1 to 15 bytes");
        let mut text = [0; Self::MAX_LEN];
        let mut i = 0;
        while i < bytes.len() {
            assert!(bytes[i].is_ascii_graphic() && !bytes[i].is_ascii_uppercase(), "a move's text is lower-case ASCII");
            text[i] = bytes[i];
            i += 1;
        }
        #[expect(clippy::cast_possible_truncation, reason = "at most MAX_LEN")]
        let len = bytes.len() as u8;
        Self { len, text }
    }

    /// The canonical text.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(self.as_bytes()).unwrap_or_default()
    }

    /// The canonical text's bytes.
    pub const fn as_bytes(&self) -> &[u8] {
        self.text.split_at(self.len as usize).0
    }

    /// Whether this is the pass.
    pub fn is_pass(&self) -> bool {
        *self == Self::PASS
    }
}

/// The error for text that cannot be a move in any game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a move is 1 to 15 printable lower-case characters")]
pub struct NotAMove;

/// Reads a move's text, for example from a game log. Whether it is a move of the game can be determined only by a
/// [`Position`](super::Position).
impl FromStr for Move {
    type Err = NotAMove;

    fn from_str(text: &str) -> Result<Self, NotAMove> {
        let fits = (1..=Self::MAX_LEN).contains(&text.len())
            && text.bytes().all(|byte| byte.is_ascii_graphic() && !byte.is_ascii_uppercase());
        if fits { Ok(Self::from_bytes(text.as_bytes())) } else { Err(NotAMove) }
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl Serialize for Move {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Move {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Cow::<'de, str>::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
