//! A damaged journal, kept as far as it is whole.

use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Seek, Write};
use std::path::{Path, PathBuf};

use super::line::{self, Entry};
use super::{JournalError, lock};
use crate::report::results_dir::JOURNAL as FILE;

/// What was kept of a damaged journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Salvaged {
    /// Where the damaged file is now.
    pub aside: PathBuf,
    /// How many lines were kept.
    pub kept: u64,
    /// The lines that were damaged, from 1.
    pub damaged: Vec<u64>,
    /// The whole lines that were dropped because a later one has the same game; what superseded them must have been in a
    /// damaged line.
    pub superseded: Vec<u64>,
}

/// Writes the journal of `dir` anew with those of its lines that are whole. The damaged file stays beside it under another
/// name.
///
/// # Errors
/// When not even the header is whole, when another process has the journal, and when a file can't be written.
pub fn salvage(dir: &Path) -> Result<Salvaged, JournalError> {
    let path = dir.join(FILE);
    let fail = |action| move |source| JournalError::Io { action, path: dir.join(FILE), source };
    let mut file = File::open(&path).map_err(fail("open"))?;
    lock(&file, &path)?;
    let superseded = twice(&mut file).map_err(fail("read"))?;
    file.rewind().map_err(fail("read"))?;
    let mut new = crate::files::temporary_in(dir).map_err(fail("write"))?;
    let (mut kept, mut damaged) = (0, Vec::new());
    let mut lines = Lines::new(&mut file);
    while let Some((line, bytes, entry)) = lines.next().map_err(fail("read"))? {
        let is_header = matches!(entry, Some(Entry::Header(_)));
        if entry.is_none() || (is_header && kept > 0) {
            damaged.push(line);
        } else if kept == 0 && !is_header {
            return Err(JournalError::NoHeader { path });
        } else if !superseded.contains(&line) {
            new.write_all(bytes).map_err(fail("write"))?;
            kept += 1;
        }
    }
    if kept == 0 {
        return Err(JournalError::NoHeader { path });
    }
    new.as_file().sync_all().map_err(fail("write"))?;
    let aside = free_name(dir);
    fs::hard_link(&path, &aside).map_err(fail("keep a copy of"))?;
    new.persist(&path).map_err(|error| fail("replace")(error.error))?;
    File::open(dir).and_then(|dir| dir.sync_all()).map_err(fail("write"))?;
    let mut superseded: Vec<u64> = superseded.into_iter().collect();
    superseded.sort_unstable();
    Ok(Salvaged { aside, kept, damaged, superseded })
}

/// The lines with results of games that have another one in a later line, though nothing that is whole supersedes the first.
fn twice(file: &mut File) -> std::io::Result<HashSet<u64>> {
    let mut last: HashMap<String, (u64, [String; 2], Option<u32>)> = HashMap::new();
    let mut twice = HashSet::new();
    let mut lines = Lines::new(file);
    while let Some((line, _, entry)) = lines.next()? {
        match entry {
            // Nothing may come to a finished game without a redo between.
            Some(Entry::Void(game)) => {
                if let Some((before, ..)) = last.remove(&game.id) {
                    twice.insert(before);
                }
            }
            Some(Entry::Game(game)) => {
                let record = game.record.parse::<crate::record::GameRecord>().ok();
                let (players, round) = record
                    .map(|record| ([record.players.black, record.players.white], record.round))
                    .unwrap_or_default();
                if let Some((before, ..)) = last.insert(game.id, (line, players, round)) {
                    twice.insert(before);
                }
            }
            Some(Entry::Redo { player, kept_to, .. }) => {
                last.retain(|_, (_, players, round)| !depends(kept_to, *round) && !players.contains(&player.name));
            }
            Some(Entry::Again { games, kept_to }) => {
                last.retain(|id, (_, _, round)| !depends(kept_to, *round) && !games.contains(id));
            }
            _ => {}
        }
    }
    Ok(twice)
}

/// Whether a game of `round` depends on those of the rounds up to `kept_to`, after which all are superseded.
fn depends(kept_to: Option<u32>, round: Option<u32>) -> bool {
    kept_to.is_some_and(|last| round.is_none_or(|round| round > last))
}

/// A line's number from 1, its bytes and, if it is whole, its entry.
type Line<'b> = (u64, &'b [u8], Option<Entry>);

/// Goes through the lines of a file.
struct Lines<'f> {
    input: BufReader<&'f mut File>,
    bytes: Vec<u8>,
    line: u64,
}

impl<'f> Lines<'f> {
    fn new(file: &'f mut File) -> Self {
        Self { input: BufReader::new(file), bytes: Vec::new(), line: 0 }
    }

    fn next(&mut self) -> std::io::Result<Option<Line<'_>>> {
        self.bytes.clear();
        if self.input.by_ref().take(line::MAX_BYTES).read_until(b'\n', &mut self.bytes)? == 0 {
            return Ok(None);
        }
        self.line += 1;
        let entry = line::read(&mut self.bytes.clone()).ok();
        Ok(Some((self.line, &self.bytes, entry)))
    }
}

/// A name for a damaged journal that nothing has yet.
fn free_name(dir: &Path) -> PathBuf {
    let mut number = 1_u64;
    loop {
        let name = dir.join(format!("{FILE}.damaged-{number}"));
        if !name.exists() {
            return name;
        }
        number += 1;
    }
}
