//! One line of a journal, from text to value and back.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::ladder_line::{
    AcceptedEntry, FrozenEntry, PairingEntry, RefusedEntry, ReopenedEntry, StatusEntry, TermsEntry,
};
use super::player_entry::PlayerEntry;
use crate::base::checksummed_line::{has_checksum, with_checksum, without_checksum};
use crate::tournament::definition::{Definition, PlayerDefinition};
use crate::tournament::shard::Shard;

/// The version of the journal's format. Until 0.1.0 is released, the format may be extended without changing this
/// number.
pub const FORMAT: u32 = 1;

/// The highest format number that only versions before 0.1.0 wrote.
const LAST_DEVELOPMENT: u32 = 4;

/// The maximum length of a line to read, in bytes; far longer than any record.
pub(super) const MAX_BYTES: u64 = 16 << 20;

/// The entry in one line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum JournalEntry {
    /// The first line.
    Header(Header),
    /// A finished game.
    Game(GameEntry),
    /// A game that is void, through no player's fault.
    Void(GameEntry),
    /// All of a player's games so far are superseded, and will be replayed.
    Redo {
        /// The program that the player runs from then on.
        player: PlayerEntry,
        /// If games of later rounds depend on the superseded games, the round after which all players' games are
        /// superseded, too.
        kept_to: Option<u32>,
        /// The player's definition in the tournament file from then on, if it has changed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        definition: Option<PlayerDefinition>,
    },
    /// These games are superseded, and will be replayed.
    Again {
        /// The ids of the games.
        games: Vec<String>,
        /// The same as in `Redo`.
        kept_to: Option<u32>,
    },
    /// A player was rebuilt from the same files.
    Built(PlayerEntry),
    /// The tournament has become larger.
    Extend {
        /// The definition from then on.
        definition: Definition,
        /// All players of the extended tournament, with their digests.
        players: Vec<PlayerEntry>,
    },
    /// In a ladder: a new version of a player plays from then on.
    Version(Box<AcceptedEntry>),
    /// In a ladder: a hand-in was refused.
    Refused(RefusedEntry),
    /// In a ladder: a version does not play until it is resumed.
    Paused(StatusEntry),
    /// In a ladder: a paused version plays again.
    Resumed(StatusEntry),
    /// In a ladder: a version never plays again.
    Retired(StatusEntry),
    /// In a ladder: a game is going to be played.
    Pairing(PairingEntry),
    /// In a ladder: no more versions are accepted.
    Frozen(FrozenEntry),
    /// In a ladder: a player may still hand in versions.
    Reopened(ReopenedEntry),
    /// In a ladder: these keys of the tournament file are in effect.
    Terms(TermsEntry),
}

/// A game with its whole record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameEntry {
    /// The game's number in the schedule, from 0.
    pub number: u64,
    /// The game's id.
    pub id: String,
    /// The game log's text.
    pub record: String,
}

/// The beginning of a journal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// The version of the format; see [`FORMAT`].
    pub format: u32,
    /// The version of the program that wrote the journal.
    pub program: String,
    /// The digest of the definition.
    pub digest: String,
    /// The definition of the tournament.
    pub definition: Definition,
    /// The players, in the order of the tournament file.
    pub players: Vec<PlayerEntry>,
    /// The shard that the run plays, if it does not play the whole tournament.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<Shard>,
}

/// What is wrong with a line.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BadLine {
    /// The line is cut off before its end.
    #[error("the line is cut off")]
    CutOff,
    /// The line is longer than any line can be.
    #[error("the line is damaged: it does not end within {} MiB", MAX_BYTES >> 20)]
    TooLong,
    /// The line is complete, but ends with a byte other than a newline.
    #[error("the line is damaged: its last byte should be a newline")]
    OtherEnd,
    /// The line's checksum is missing or wrong.
    #[error("the line is damaged, or belongs to another tournament: its checksum is wrong")]
    Checksum,
    /// The checksum is right, but this version does not understand the content.
    #[error("the line is intact, but this version does not understand it: {0}")]
    Unknown(String),
    /// The line is intact, but a development version wrote it, in a format that this version does not read.
    #[error("it is in format {0}, which only development versions wrote")]
    Development(u32),
}

/// The additional input of a line's checksum: the digest of the tournament, so that a line of another tournament is not
/// mistaken for a line of this tournament. Headers have no seal, since they contain the digest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seal(String);

impl Seal {
    /// The seal of the lines after `header`.
    pub fn of(header: &Header) -> Self {
        Self(header.digest.clone())
    }

    /// The digest of the tournament when the run began.
    #[cfg(feature = "nats")]
    pub(crate) fn digest(&self) -> &str {
        &self.0
    }
}

/// The line of `entry`, with its newline: an object whose last member `sum` is the checksum of `seal` and all bytes
/// before that member.
pub fn write(entry: &JournalEntry, seal: &Seal) -> String {
    // An entry is plain data with string keys, which JSON can always represent.
    let object = serde_json::to_string(entry).unwrap_or_else(|error| unreachable!("an entry is JSON: {error}"));
    with_checksum(object, &seal.0)
}

/// Parses the entry in a line, which includes its newline. Leaves the line's bytes in an unspecified state.
///
/// # Errors
/// Fails if the line is cut off, damaged, not sealed with `seal`, not understood, or written in a development format.
pub fn read(line: &mut [u8], seal: &Seal) -> Result<JournalEntry, BadLine> {
    let Some((b'\n', _)) = line.split_last() else { return Err(unended(line, seal)) };
    let Some(object) = without_checksum(line, &seal.0) else {
        // The first development format omitted the digest from every checksum; the current format omits it only from
        // the checksums of headers.
        let is_unsealed = has_checksum(line, "") && !line.starts_with(HEADER);
        return Err(if is_unsealed { BadLine::Development(1) } else { BadLine::Checksum });
    };
    if object.starts_with(HEADER)
        && let Ok(HeaderLine { header: HeaderVersion { format: format @ 2..=LAST_DEVELOPMENT } }) =
            serde_json::from_slice(object)
    {
        return Err(BadLine::Development(format));
    }
    serde_json::from_slice(object).map_err(|error| BadLine::Unknown(error.to_string()))
}

/// How the line of a header begins.
const HEADER: &[u8] = b"{\"header\":";

/// The part of a header's line that exists in every format.
#[derive(Deserialize)]
struct HeaderLine {
    header: HeaderVersion,
}

#[derive(Deserialize)]
struct HeaderVersion {
    format: u32,
}

/// Why a line has no newline at its end. Leaves the line's bytes in an unspecified state.
fn unended(line: &mut [u8], seal: &Seal) -> BadLine {
    if line.len() as u64 == MAX_BYTES {
        return BadLine::TooLong;
    }
    // A single flipped bit in a newline must not make a whole line look unfinished.
    if let Some(last) = line.last_mut() {
        *last = b'\n';
    }
    if has_checksum(line, &seal.0) { BadLine::OtherEnd } else { BadLine::CutOff }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn game() -> impl Strategy<Value = GameEntry> {
        (any::<u64>(), ".*", "(?s).*").prop_map(|(number, id, record)| GameEntry { number, id, record })
    }

    fn entry() -> impl Strategy<Value = JournalEntry> {
        prop_oneof![
            game().prop_map(JournalEntry::Game),
            game().prop_map(JournalEntry::Void),
            (".*", proptest::option::of("[0-9a-f]{64}"), any::<Option<u32>>()).prop_map(|(name, digest, kept_to)| {
                let player = PlayerEntry { name, digest, files: BTreeMap::new(), products: None };
                JournalEntry::Redo { player, kept_to, definition: None }
            }),
            (proptest::collection::vec(".*", 0..4), any::<Option<u32>>())
                .prop_map(|(games, kept_to)| JournalEntry::Again { games, kept_to }),
        ]
    }

    proptest! {
        #[test]
        fn a_written_line_reads_back(entry in entry()) {
            for seal in [Seal::default(), Seal("a digest".to_owned())] {
                let line = write(&entry, &seal);
                prop_assert_eq!(line.matches('\n').count(), 1);
                prop_assert_eq!(read(&mut line.clone().into_bytes(), &seal), Ok(entry.clone()));
                let other = Seal("another digest".to_owned());
                // Only lines of the first development format have no digest.
                let bad = if seal == Seal::default() { BadLine::Development(1) } else { BadLine::Checksum };
                prop_assert_eq!(read(&mut line.into_bytes(), &other), Err(bad));
            }
        }

        #[test]
        fn any_changed_bit_is_noticed(entry in entry(), at: usize, bit in 0..8_u8) {
            let mut line = write(&entry, &Seal::default()).into_bytes();
            let at = at % line.len();
            line[at] ^= 1 << bit;
            // Only a line that was never finished may be dropped without an error.
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
