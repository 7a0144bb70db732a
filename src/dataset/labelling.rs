//! Finds labels on several threads, and stores them in a file from which a command that was stopped can continue.
//!
//! Each line of the file contains a position, its label, and a checksum. Labels are exact, so an intact line can be
//! used regardless of which command wrote it, provided that the command had the same [`LabelWish`], which the checksum
//! covers.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write as _};
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::{Deserialize, Serialize};

use super::label::{ExactLabel, LabelWish, label};
use super::sample::SampledPosition;
use crate::base::checksummed_line::{with_checksum, without_checksum};
use crate::exact::margin_table::known::KnownMargins;
use crate::exact::solver::TranspositionTable;
use crate::exact::team::Team;
use crate::game::gothello::Game;

/// The minimum size, in bytes, of the table that the threads share. Positions from different games have little in
/// common, but the positions that can be reached in one move from the same position have a lot in common.
const TABLE_BYTES: usize = 1 << 26;

/// The number of labels after which the file is flushed.
const FLUSHED_AFTER: usize = 200;

/// A line of the file.
#[derive(Debug, Serialize, Deserialize)]
struct PartLine {
    position: String,
    label: ExactLabel,
}

/// How labels are found.
#[derive(Clone, Copy, Debug)]
pub struct Labelling<'l> {
    /// The number of threads.
    pub threads: NonZeroUsize,
    /// The margins that need no search.
    pub known: KnownMargins<'l>,
    /// Stops all threads once it is raised.
    pub stop: &'l AtomicBool,
    /// The facts to find out about each position.
    pub wish: LabelWish,
}

impl Labelling<'_> {
    /// Finds the labels of `positions`, in their order. Positions that are in the file `part` are not searched again,
    /// and the labels of all others are added to the file. In the meantime, `tick` is called with the number of known
    /// labels. Returns `None` if `stop` was raised.
    ///
    /// # Errors
    /// Fails if `part` cannot be read or written.
    pub fn labels(
        &self,
        positions: &[SampledPosition],
        part: &Path,
        mut tick: impl FnMut(usize),
    ) -> io::Result<Option<Vec<ExactLabel>>> {
        let mut kept = read(part, self.wish)?;
        let mut labels: Vec<Option<ExactLabel>> =
            positions.iter().map(|position| kept.remove(&position_text(&position.game))).collect();
        let missing: Vec<usize> = (0..labels.len()).filter(|&place| labels[place].is_none()).collect();
        let games: Vec<Game> = missing.iter().map(|&place| positions[place].game).collect();
        if let Some(largest) = games.iter().max_by_key(|game| game.empty_points()) {
            let mut file = BufWriter::new(append_to(part)?);
            let (mut done, mut failed) = (labels.len() - missing.len(), None);
            let table = TranspositionTable::with_bytes(TranspositionTable::bytes_for(largest).max(TABLE_BYTES));
            let team = Team { threads: self.threads, table: &table, known: self.known, stop: self.stop };
            team.solve_each(
                &games,
                |solver, game| label(solver, game, self.wish),
                |index, found, _| {
                    let line = PartLine { position: position_text(&games[index]), label: found };
                    let written = write_line(&mut file, &line, self.wish);
                    labels[missing[index]] = Some(line.label);
                    done += 1;
                    let flushed = if done % FLUSHED_AFTER == 0 { file.flush() } else { Ok(()) };
                    failed = written.and(flushed).err();
                    tick(done);
                    failed.is_none() && !self.stop.load(Ordering::Relaxed)
                },
            );
            file.flush()?;
            if let Some(error) = failed {
                return Err(error);
            }
        }
        Ok(labels.into_iter().collect())
    }
}

/// The additional input to a line's checksum.
fn seal(wish: LabelWish) -> String {
    format!("{:?} {}", wish.question, wish.moves)
}

/// Text that identifies a position.
fn position_text(game: &Game) -> String {
    let board = game.to_string().replace('\n', "/");
    format!("{board} {}{}", game.side(), if game.passed() { " passed" } else { "" })
}

/// The labels in the file, which may not exist. Damaged lines are skipped.
fn read(part: &Path, wish: LabelWish) -> io::Result<HashMap<String, ExactLabel>> {
    let mut bytes = match fs::read(part) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(HashMap::new()),
        Err(error) => return Err(error),
    };
    let seal = seal(wish);
    let lines = bytes.split_inclusive_mut(|&byte| byte == b'\n').filter_map(|line| {
        let line: PartLine = serde_json::from_slice(without_checksum(line, &seal)?).ok()?;
        Some((line.position, line.label))
    });
    Ok(lines.collect())
}

/// Opens the file for more lines. If the last line was cut off, it is terminated first, so that only this line is
/// damaged.
fn append_to(part: &Path) -> io::Result<File> {
    let is_whole = fs::read(part).map_or(true, |bytes| bytes.last().is_none_or(|&last| last == b'\n'));
    let mut file = OpenOptions::new().append(true).create(true).open(part)?;
    if !is_whole {
        file.write_all(b"\n")?;
    }
    Ok(file)
}

fn write_line(file: &mut impl io::Write, line: &PartLine, wish: LabelWish) -> io::Result<()> {
    file.write_all(with_checksum(serde_json::to_string(line)?, &seal(wish)).as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::sample::{SampledPositions, random_game};
    use crate::exact::solver::Question;

    #[test]
    fn labels_do_not_depend_on_threads_or_on_a_damaged_file_of_an_earlier_command() {
        let mut sampled = SampledPositions::new(0..=9, Some(30));
        (0..40).for_each(|seed| sampled.add_game(random_game(seed), "random"));
        let positions = sampled.shuffled(1);
        let dir = tempfile::tempdir().expect("a directory");
        let part = dir.path().join("part");
        let stop = AtomicBool::new(false);
        let wish = LabelWish { question: Question::Margin, moves: true };
        let find = |threads: usize| {
            let threads = NonZeroUsize::new(threads).expect("positive");
            let labelling = Labelling { threads, known: KnownMargins::Embedded, stop: &stop, wish };
            let mut searched = 0;
            let found = labelling.labels(&positions, &part, |_| searched += 1).expect("readable").expect("not stopped");
            (found, searched)
        };
        let (first, searched) = find(1);
        assert_eq!(searched, positions.len());
        assert_eq!(find(2), (first.clone(), 0));

        let mut bytes = fs::read(&part).expect("there");
        bytes[40] ^= 1;
        bytes.truncate(bytes.len() - 3);
        fs::write(&part, bytes).expect("written");
        assert_eq!(find(2), (first, 2));
    }
}
