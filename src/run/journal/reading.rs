//! Reads the lines of a journal on all cores.

use std::io::{self, BufRead, Read as _};

use sha2::{Digest as _, Sha256};

use super::line::{self, BadLine, GameEntry, JournalEntry, Seal};
use super::{Extent, TextDigest};
use crate::base::machine::in_order;
use crate::referee::record::{LogTextError, LoggedGame};
use crate::results::standings::PlayedSummary;

/// An entry whose record has been read, so that a ledger does not have to parse the record's text.
pub(super) enum ReadEntry {
    /// A game with its record, void or not.
    Game(Box<ReadGame>),
    /// Any other entry.
    Other(Box<JournalEntry>),
}

/// A game whose record has been read.
pub(super) struct ReadGame {
    pub(super) number: u64,
    pub(super) id: String,
    /// Whether the line says that the game is void.
    pub(super) is_void: bool,
    /// The digest of the record's text.
    pub(super) text: TextDigest,
    /// The record's text, if the game is void.
    pub(super) void_text: Option<String>,
    /// The record and its summary, parsed from the text.
    pub(super) read: Result<Box<(LoggedGame, PlayedSummary)>, LogTextError>,
}

impl ReadEntry {
    /// Reads the record of `entry`, if it has one.
    pub(super) fn of(entry: JournalEntry) -> Self {
        match entry {
            JournalEntry::Game(game) => Self::Game(Box::new(ReadGame::of(game, false))),
            JournalEntry::Void(game) => Self::Game(Box::new(ReadGame::of(game, true))),
            other => Self::Other(Box::new(other)),
        }
    }

    /// The record, if the entry has a readable record.
    pub(super) fn record(&self) -> Option<&LoggedGame> {
        match self {
            Self::Game(game) => game.read.as_ref().ok().map(|read| &read.0),
            Self::Other(_) => None,
        }
    }
}

impl ReadGame {
    fn of(game: GameEntry, is_void: bool) -> Self {
        let GameEntry { number, id, record: text } = game;
        let summarized = |record: LoggedGame| {
            let summary = PlayedSummary::from(&record);
            Box::new((record, summary))
        };
        let (digest, read) = (TextDigest::of(&text), text.parse().map(summarized));
        Self { number, id, is_void, text: digest, void_text: is_void.then_some(text), read }
    }
}

/// Why not all lines of a journal could be passed on.
pub(super) enum ReadingError<E> {
    /// The file cannot be read.
    Io(io::Error),
    /// A line is damaged.
    Damaged {
        /// The line, from 1.
        line: u64,
        /// What is wrong with the line.
        source: BadLine,
    },
    /// An entry was refused.
    Refused(E),
}

/// The place of a line in its journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LinePlace {
    /// The line, from 1.
    pub(super) line: u64,
    /// How many bytes the journal contains before the line.
    pub(super) start: u64,
    /// The length of the line with its newline, in bytes.
    pub(super) bytes: u64,
}

/// Where the reading of a journal begins.
#[derive(Default)]
pub(super) struct ReadingStart {
    /// The part of the journal before the input.
    pub(super) extent: Extent,
    /// The seal of the lines; `None` if the first line is the header.
    pub(super) seal: Option<Seal>,
}

/// Passes each entry of `input`, in order, to `take`: the result of `examine` for the entry, together with the entry's
/// place. `input` begins at `start`. Reading uses all cores; `take` runs on this thread. `digest` is updated with the
/// bytes of all complete lines.
///
/// # Errors
/// Returns the first error in the order of the lines.
pub(super) fn read_entries<T: Send, E>(
    mut input: impl BufRead,
    start: ReadingStart,
    mut digest: Option<&mut Sha256>,
    examine: impl Fn(JournalEntry) -> T + Sync,
    mut take: impl FnMut(LinePlace, T) -> Result<(), E>,
) -> Result<Extent, ReadingError<E>> {
    let mut extent = start.extent;
    let mut take_line = |ReadLine { bytes, entry }: ReadLine<T>| {
        let line = extent.lines + 1;
        match entry {
            Ok(entry) => {
                let start = extent.whole;
                extent.lines = line;
                extent.whole += bytes;
                take(LinePlace { line, start, bytes }, entry).map_err(ReadingError::Refused)?;
            }
            // Nothing can follow an incomplete line.
            Err(BadLine::CutOff) => extent.torn = bytes,
            Err(source) => return Err(ReadingError::Damaged { line, source }),
        }
        Ok(())
    };
    let (mut failed, mut has_ended) = (None, false);
    let mut next = |most| {
        if has_ended {
            return None;
        }
        let batch = LineBatch::read(&mut input, most).map_err(|error| failed = Some(error)).unwrap_or_default();
        if let Some(digest) = &mut digest {
            digest.update(batch.whole());
        }
        has_ended = !batch.is_whole();
        (!batch.ends.is_empty()).then_some(batch)
    };
    let is_at_header = start.seal.is_none();
    let mut seal = start.seal.unwrap_or_default();
    if is_at_header && let Some(first) = next(1) {
        let header = |entry| {
            let seal = if let JournalEntry::Header(header) = &entry { Seal::of(header) } else { Seal::default() };
            (seal, examine(entry))
        };
        for ReadLine { bytes, entry } in first.entries(&Seal::default(), header) {
            let entry = entry.map(|(of_header, entry)| {
                seal = of_header;
                entry
            });
            take_line(ReadLine { bytes, entry })?;
        }
    }
    let batches = std::iter::from_fn(|| next(usize::MAX));
    let read = |batch: LineBatch| batch.entries(&seal, &examine);
    in_order(batches, read, |lines: Vec<ReadLine<T>>| lines.into_iter().try_for_each(&mut take_line))?;
    failed.map_or(Ok(extent), |error| Err(ReadingError::Io(error)))
}

/// Some consecutive lines.
#[derive(Default)]
struct LineBatch {
    bytes: Vec<u8>,
    /// The position at which each line ends in `bytes`.
    ends: Vec<usize>,
}

impl LineBatch {
    /// The minimum number of bytes of a batch, unless it is the last: large enough that passing the batch to another
    /// thread costs little compared to reading it.
    const SIZE: usize = 64 << 10;

    /// Reads the next lines, but no more than `most`.
    fn read(input: &mut impl BufRead, most: usize) -> io::Result<Self> {
        let mut batch = Self::default();
        while batch.bytes.len() < Self::SIZE && batch.ends.len() < most && batch.is_whole() {
            if input.by_ref().take(line::MAX_BYTES).read_until(b'\n', &mut batch.bytes)? == 0 {
                break;
            }
            batch.ends.push(batch.bytes.len());
        }
        Ok(batch)
    }

    /// Whether the last line is complete.
    fn is_whole(&self) -> bool {
        self.bytes.last().is_none_or(|&last| last == b'\n')
    }

    /// The bytes of all complete lines.
    fn whole(&self) -> &[u8] {
        let lines = self.ends.len() - usize::from(!self.is_whole());
        let end = lines.checked_sub(1).map_or(0, |last| self.ends[last]);
        &self.bytes[..end]
    }

    /// Each line, with the result of `examine` for its entry, up to the first bad line.
    fn entries<T>(mut self, seal: &Seal, examine: impl Fn(JournalEntry) -> T) -> Vec<ReadLine<T>> {
        let mut lines = Vec::with_capacity(self.ends.len());
        let mut start = 0;
        for end in self.ends {
            let entry = line::read(&mut self.bytes[start..end], seal).map(&examine);
            let is_bad = entry.is_err();
            lines.push(ReadLine { bytes: (end - start) as u64, entry });
            if is_bad {
                break;
            }
            start = end;
        }
        lines
    }
}

/// A line with its length.
struct ReadLine<T> {
    bytes: u64,
    entry: Result<T, BadLine>,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The lines of a journal without a header, enough for several batches.
    fn lines() -> Vec<String> {
        let entry = |number: usize| JournalEntry::Again { games: vec![format!("{number:0>2000}")], kept_to: None };
        (0..200).map(|number| line::write(&entry(number), &Seal::default())).collect()
    }

    /// The numbers of the lines of `text` that are passed on, and the result of reading.
    fn read(text: &str) -> (Vec<u64>, Result<Extent, ReadingError<u64>>) {
        let mut taken = Vec::new();
        let number = |entry| match entry {
            JournalEntry::Again { games, .. } => games[0].trim_start_matches('0').parse().unwrap_or(0),
            _ => u64::MAX,
        };
        let mut digest = Sha256::new();
        let extent = read_entries(
            text.as_bytes(),
            ReadingStart::default(),
            Some(&mut digest),
            number,
            |LinePlace { line, start, bytes }, number: u64| {
                let place = usize::try_from(start).expect("it is in memory")
                    ..usize::try_from(start + bytes).expect("so is its end");
                assert!(text[place].ends_with('\n'));
                taken.push(line);
                if line == number + 1 { Ok(()) } else { Err(number) }
            },
        );
        if let Ok(extent) = &extent {
            let whole = usize::try_from(extent.whole).expect("it is in memory");
            assert_eq!(digest.finalize(), Sha256::digest(&text.as_bytes()[..whole]));
        }
        (taken, extent)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn every_line_before_a_damaged_or_torn_one_is_passed_on(at in 0..200_usize, torn: bool) {
            let mut lines = lines();
            assert!(lines.concat().len() > 4 * LineBatch::SIZE);
            if torn {
                lines.truncate(at + 1);
                lines[at].pop();
                lines[at].pop();
            } else {
                lines[at].replace_range(30..31, "x");
            }
            let (taken, extent) = read(&lines.concat());
            prop_assert!(taken.into_iter().eq(1..=at as u64));
            match extent {
                Ok(extent) => {
                    let (whole, torn) = (lines[..at].concat().len() as u64, lines[at].len() as u64);
                    prop_assert_eq!(extent, Extent { whole, lines: at as u64, torn });
                }
                Err(ReadingError::Damaged { line, source: BadLine::Checksum }) => {
                    prop_assert!(!torn && line == at as u64 + 1);
                }
                Err(_) => prop_assert!(false, "the file can be read"),
            }
        }

        #[test]
        fn nothing_follows_a_refused_entry(at in 1..200_usize) {
            let mut lines = lines();
            lines.remove(at - 1);
            let (taken, extent) = read(&lines.concat());
            if at == 200 {
                prop_assert!(extent.is_ok());
            } else {
                prop_assert!(matches!(extent, Err(ReadingError::Refused(number)) if number == at as u64));
                prop_assert_eq!(taken.last(), Some(&(at as u64)));
            }
        }
    }
}
