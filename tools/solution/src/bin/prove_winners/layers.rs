//! The layers in their files.
//!
//! `5x5-17.results` contains the results of all colourings with 17 stones on 5x5 points: set by set, 16 bytes for every
//! 64 colourings. `5x5-17.parts` has a line for each part of this file that is done, with its number and its SHA-256.
//! `5x5.layers` has a line for each layer that is complete. A program that was killed continues from these files.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use sha2::{Digest as _, Sha256};

use super::block::Solver;
use super::board::Board;
use super::index::{from_bytes, words};

/// The minimum number of bytes of a part, which consists of whole sets.
const PART: usize = 1 << 16;

const POISON: &str = "no thread panics while it holds the lock";

/// The sets of stones of a layer, and the file with their results.
pub(crate) struct Layer<'a> {
    board: &'a Board,
    pub(crate) stones: usize,
    /// The classes of sets in the order of the file.
    pub(crate) sets: Vec<u32>,
    file: File,
    parts: PathBuf,
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |text, byte| format!("{text}{byte:02x}"))
}

impl<'a> Layer<'a> {
    /// Opens the file of a layer, which is complete unless it `is_new`.
    pub(crate) fn open(board: &'a Board, dir: &Path, stones: usize, is_new: bool) -> io::Result<Self> {
        let path = |kind| dir.join(format!("{0}x{0}-{stones}.{kind}", board.size));
        let file = OpenOptions::new().read(true).write(is_new).create(is_new).truncate(false).open(path("results"))?;
        let layer = Self { board, stones, sets: board.classes(stones), file, parts: path("parts") };
        let bytes = (layer.sets.len() * layer.block()) as u64;
        if is_new {
            layer.file.set_len(bytes)?;
        } else if layer.file.metadata()?.len() != bytes {
            return Err(io::Error::other(format!("the file does not have {bytes} bytes")));
        }
        Ok(layer)
    }

    /// The number of bytes of a set's results.
    const fn block(&self) -> usize {
        16 * words(self.stones)
    }

    /// Replaces the contents of `bytes` by the results of the sets from place `first` on.
    fn read(&self, first: usize, sets: usize, bytes: &mut Vec<u8>) -> io::Result<()> {
        bytes.resize(sets * self.block(), 0);
        self.file.read_exact_at(bytes, (first * self.block()) as u64)
    }

    /// Replaces the contents of `bytes` by the results of one set, which is the lowest of its images.
    pub(crate) fn read_set(&self, set: u32, bytes: &mut Vec<u8>) -> io::Result<()> {
        self.read(self.sets.binary_search(&set).expect("each class has a set"), 1, bytes)
    }

    const fn sets_of_part(&self) -> usize {
        PART.div_ceil(self.block())
    }

    /// The digests of the parts that an earlier process computed. The last line may not be complete.
    fn known_parts(&self) -> io::Result<HashMap<usize, String>> {
        if !self.parts.exists() {
            return Ok(HashMap::new());
        }
        let text = std::fs::read_to_string(&self.parts)?;
        let part = |line: &str| {
            let (number, digest) = line.split_once(' ')?;
            Some((number.parse().ok()?, digest.to_owned()))
        };
        Ok(text.lines().filter_map(part).collect())
    }

    /// Computes the layer from the one with one more stone, except for the parts whose digests show that they are done.
    /// Returns the number of these parts, and that of all parts.
    pub(crate) fn compute(&self, next: Option<&Layer>, threads: usize) -> io::Result<[usize; 2]> {
        let (known, parts) = (self.known_parts()?, self.sets.len().div_ceil(self.sets_of_part()));
        let mut list = OpenOptions::new().append(true).create(true).open(&self.parts)?;
        // A line that is not complete ends here.
        list.write_all(b"\n")?;
        let (turn, reused, list) = (AtomicUsize::new(0), AtomicUsize::new(0), Mutex::new(list));
        let work = || {
            let (mut solver, mut bytes) = (Solver::new(self.board, self.stones), Vec::new());
            loop {
                let part = turn.fetch_add(1, Ordering::Relaxed);
                if part >= parts {
                    return io::Result::Ok(());
                }
                let first = part * self.sets_of_part();
                let sets = &self.sets[first..self.sets.len().min(first + self.sets_of_part())];
                if let Some(digest) = known.get(&part) {
                    self.read(first, sets.len(), &mut bytes)?;
                    if hex(&Sha256::digest(&bytes)) == *digest {
                        reused.fetch_add(1, Ordering::Relaxed);
                        continue;
                    }
                }
                bytes.clear();
                let read = |set, bytes: &mut Vec<u8>| next.map_or(Ok(()), |next| next.read_set(set, bytes));
                sets.iter().try_for_each(|&set| solver.solve(set, read, &mut bytes))?;
                self.file.write_all_at(&bytes, (first * self.block()) as u64)?;
                let line = format!("{part} {}\n", hex(&Sha256::digest(&bytes)));
                list.lock().expect(POISON).write_all(line.as_bytes())?;
            }
        };
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
            threads.into_iter().try_for_each(|thread| thread.join().expect("no thread panics"))
        })?;
        self.file.sync_all()?;
        Ok([reused.into_inner(), parts])
    }

    /// Forgets the digests of the parts, which a complete layer does not need.
    pub(crate) fn forget_parts(&self) -> io::Result<()> {
        std::fs::remove_file(&self.parts)
    }

    /// A line with the numbers of positions in the file, with all images, and with the file's digest.
    pub(crate) fn line(&self) -> io::Result<String> {
        let (mut digest, mut bytes, mut totals) = (Sha256::new(), Vec::new(), [0; 3]);
        for (part, sets) in self.sets.chunks(self.sets_of_part()).enumerate() {
            self.read(part * self.sets_of_part(), sets.len(), &mut bytes)?;
            digest.update(&bytes);
            for (&set, block) in sets.iter().zip(bytes.chunks_exact(self.block())) {
                let mut counts = [0; 3];
                for [at_least_draws, at_most_draws] in from_bytes(block) {
                    let drawn = at_least_draws & at_most_draws;
                    let lanes = [at_least_draws & !drawn, drawn, at_most_draws & !drawn];
                    counts.iter_mut().zip(lanes).for_each(|(count, lanes)| *count += u64::from(lanes.count_ones()));
                }
                let images = self.board.orbit(set);
                totals.iter_mut().zip(counts).for_each(|(total, count)| *total += images * count);
            }
        }
        let ([won, drawn, lost], digest) = (totals, hex(&digest.finalize()));
        let numbers = format!("positions {} won {won} drawn {drawn} lost {lost}", won + drawn + lost);
        Ok(format!("layer {} sets {} {numbers} sha256 {digest}", self.stones, self.sets.len()))
    }
}
