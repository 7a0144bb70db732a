//! One line of a journal, text to value and back.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use thiserror::Error;

use crate::base::hex::hex;
use crate::tournament::definition::{Definition, PlayerDefinition};

/// The version of the journal's format, in its header.
pub const FORMAT: u32 = 2;

/// The first version in which lines are sealed with the digest of their tournament.
const SEALED: u32 = 2;

/// The longest line that is read, in bytes; far more than any record has.
pub(super) const MAX_BYTES: u64 = 16 << 20;

/// One line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Entry {
    /// The first line.
    Header(Header),
    /// A finished game.
    Game(GameEntry),
    /// A game that came to nothing by no player's fault.
    Void(GameEntry),
    /// All games of a player so far are superseded: they are played again.
    Redo {
        /// What it runs from here on.
        player: PlayerEntry,
        /// Where games of later rounds depend on these, the round after which everybody's are superseded, too.
        kept_to: Option<u32>,
        /// What the tournament file says of it from here on, where that has changed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        definition: Option<PlayerDefinition>,
    },
    /// These games are superseded: they are played again.
    Again {
        /// Their ids.
        games: Vec<String>,
        /// As with `Redo`.
        kept_to: Option<u32>,
    },
    /// A player was built again from the same files.
    Built(PlayerEntry),
    /// The tournament has become larger.
    Extend {
        /// What is played from here on.
        definition: Definition,
        /// The digests of all its players.
        players: Vec<PlayerEntry>,
    },
}

/// A game with its whole record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameEntry {
    /// Its number in the schedule, from 0.
    pub number: u64,
    /// Its id.
    pub id: String,
    /// The game log's text.
    pub record: String,
}

/// What a journal begins with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// [`FORMAT`] of the writer.
    pub format: u32,
    /// The version of the program that wrote it.
    pub program: String,
    /// The digest of the definition.
    pub digest: String,
    /// What is played.
    pub definition: Definition,
    /// The players, in the order of the tournament file.
    pub players: Vec<PlayerEntry>,
}

/// What a player ran when the run began.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlayerEntry {
    /// Its name.
    pub name: String,
    /// The digest of its program, if the arena starts one.
    pub digest: Option<String>,
    /// Each file of its program with a digest of its own.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, String>,
    /// What its build made, with digests, if it has a build. These are no part of what identifies it. An entry of before builds
    /// were told apart has them among its files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub products: Option<BTreeMap<String, String>>,
}

impl PlayerEntry {
    /// What is not as it was when `self` was written, in words; `None` if nothing is. Files that are new since then are no
    /// change: bots may have written them.
    pub fn change(&self, now: &Self) -> Option<String> {
        match (&self.digest, &now.digest) {
            (None, Some(_)) => Some("could not be started then".to_owned()),
            (Some(_), None) => Some("cannot be started now".to_owned()),
            (None, None) => None,
            (Some(_), Some(_)) => {
                let changed = self.files.iter().find(|(file, digest)| now.files.get(*file) != Some(digest));
                changed.map(|(file, _)| format!("`{file}`"))
            }
        }
    }
}

/// What is wrong with a line.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BadLine {
    /// It has no end.
    #[error("the line is cut off")]
    CutOff,
    /// It is longer than any line can be.
    #[error("the line is damaged: it has no end within {} MiB", MAX_BYTES >> 20)]
    TooLong,
    /// All of it is there, but for the newline another byte.
    #[error("the line is damaged: its last byte should be a newline")]
    OtherEnd,
    /// Its checksum is missing or another.
    #[error("the line is damaged, or is of another tournament: its checksum does not hold")]
    Checksum,
    /// The checksum holds, but the content is none that this version knows.
    #[error("the line is whole, but not understood by this version: {0}")]
    Unknown(String),
}

/// What precedes a line's checksum; the checksum's 16 digits and [`SUM_END`] follow.
const SUM_START: &str = ",\"sum\":\"";
const SUM_DIGITS: usize = 16;
const SUM_END: &str = "\"}\n";

/// What a line's checksum is made from besides the line: the digest of the tournament, so that no line of another
/// tournament passes for one of this. Headers have none, as they hold the digest; nor had any line in format 1.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seal(Option<String>);

impl Seal {
    /// The seal of the lines behind this header.
    pub fn of(header: &Header) -> Self {
        Self((header.format >= SEALED).then(|| header.digest.clone()))
    }

    /// The first 64 bits of the SHA-256 of the seal and `bytes`, in hexadecimal.
    fn checksum(&self, bytes: &[u8]) -> String {
        let digest = Sha256::new().chain_update(self.0.as_deref().unwrap_or_default()).chain_update(bytes).finalize();
        hex(&digest[..SUM_DIGITS / 2])
    }
}

/// The line of `entry`, with its newline: an object whose last member `sum` is made from `seal` and all bytes before it.
pub fn write(entry: &Entry, seal: &Seal) -> String {
    // An entry is plain data with text keys, which JSON can always hold.
    let mut line = serde_json::to_string(entry).unwrap_or_else(|error| unreachable!("an entry is JSON: {error}"));
    line.pop();
    let sum = seal.checksum(line.as_bytes());
    line.push_str(SUM_START);
    line.push_str(&sum);
    line.push_str(SUM_END);
    line
}

/// The entry that a line holds, its newline included. The line is of no use afterwards.
///
/// # Errors
/// When the line is cut off, damaged, not sealed with `seal`, or not understood.
pub fn read(line: &mut [u8], seal: &Seal) -> Result<Entry, BadLine> {
    let Some((b'\n', _)) = line.split_last() else { return Err(unended(line, seal)) };
    let length = content(line, seal).ok_or(BadLine::Checksum)?;
    // Without the checksum, the object ends here.
    line[length] = b'}';
    serde_json::from_slice(&line[..=length]).map_err(|error| BadLine::Unknown(error.to_string()))
}

/// How much of a line, its newline included, its checksum is made from; `None` if the checksum does not hold.
fn content(line: &[u8], seal: &Seal) -> Option<usize> {
    let length = line.len().checked_sub(SUM_START.len() + SUM_DIGITS + SUM_END.len())?;
    let (content, tail) = line.split_at(length);
    let sum = tail.strip_prefix(SUM_START.as_bytes())?.strip_suffix(SUM_END.as_bytes())?;
    (sum == seal.checksum(content).as_bytes()).then_some(length)
}

/// Why a line has no newline at its end. The line is of no use afterwards.
fn unended(line: &mut [u8], seal: &Seal) -> BadLine {
    if line.len() as u64 == MAX_BYTES {
        return BadLine::TooLong;
    }
    // One flipped bit in a newline must not make a whole line look like one that was never finished.
    if let Some(last) = line.last_mut() {
        *last = b'\n';
    }
    if content(line, seal).is_some() { BadLine::OtherEnd } else { BadLine::CutOff }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn game() -> impl Strategy<Value = GameEntry> {
        (any::<u64>(), ".*", "(?s).*").prop_map(|(number, id, record)| GameEntry { number, id, record })
    }

    fn entry() -> impl Strategy<Value = Entry> {
        prop_oneof![
            game().prop_map(Entry::Game),
            game().prop_map(Entry::Void),
            (".*", proptest::option::of("[0-9a-f]{64}"), any::<Option<u32>>()).prop_map(|(name, digest, kept_to)| {
                let player = PlayerEntry { name, digest, files: BTreeMap::new(), products: None };
                Entry::Redo { player, kept_to, definition: None }
            }),
            (proptest::collection::vec(".*", 0..4), any::<Option<u32>>())
                .prop_map(|(games, kept_to)| Entry::Again { games, kept_to }),
        ]
    }

    proptest! {
        #[test]
        fn a_written_line_reads_back(entry in entry()) {
            for seal in [Seal::default(), Seal(Some("a digest".to_owned()))] {
                let line = write(&entry, &seal);
                prop_assert_eq!(line.matches('\n').count(), 1);
                prop_assert_eq!(read(&mut line.clone().into_bytes(), &seal), Ok(entry.clone()));
                let other = Seal(Some("another digest".to_owned()));
                prop_assert_eq!(read(&mut line.into_bytes(), &other), Err(BadLine::Checksum));
            }
        }

        #[test]
        fn any_changed_bit_is_noticed(entry in entry(), at: usize, bit in 0..8_u8) {
            let mut line = write(&entry, &Seal::default()).into_bytes();
            let at = at % line.len();
            line[at] ^= 1 << bit;
            // Only a line that was never finished is dropped without a word.
            prop_assert!(!matches!(read(&mut line, &Seal::default()), Ok(_) | Err(BadLine::CutOff)));
        }

        #[test]
        fn any_cut_is_noticed(entry in entry(), at: usize) {
            let mut line = write(&entry, &Seal::default()).into_bytes();
            line.truncate(at % line.len());
            prop_assert_eq!(read(&mut line, &Seal::default()), Err(BadLine::CutOff));
        }
    }
}
