//! An independent proof of who wins in every position of Gothello.
//!
//! Gothello is played on a square board. The two sides alternately place a stone or pass; two passes in a row end the
//! game, and the side with more stones wins. A stone may be placed if its group then has a liberty, counted before
//! anything is captured; afterwards, every opposing group next to the stone that has no liberty left changes colour.
//!
//! `prove_winners DIR` computes from nothing who wins in each position, from the fullest boards down to the empty one,
//! and writes a file for each layer to `DIR`: 27 GB for the board of 5x5 points. It prints the numbers of positions of
//! each layer, and the SHA-256 of its file. After a kill, the same command continues where the process stopped. With
//! `--counts FILE`, the numbers are compared with those of a table in Markdown.
//!
//! `prove_winners compare MARGINS LAYER --dir DIR` compares each entry of a layer in `DIR` with the margin that the
//! program under test has written to `MARGINS/5x5-LAYER.margins`.
//!
//! The value of a position is the margin that the side to move reaches with best play. If `f` is the best value of a
//! placement (minus infinity if there is none), `s` the margin on the board, and `B'` the same board seen by the other
//! side, then `V(B) = max(f(B), min(-f(B'), s(B)))`. The sign of `V(B)` depends only on the signs of the others, so two
//! bits are enough for each position.
#![forbid(unsafe_code)]

mod block;
mod board;
mod chains;
mod compare;
mod index;
mod layers;

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use board::Board;
use layers::Layer;

const USAGE: &str = "usage: prove_winners DIR [--from K] [--threads T] [--counts FILE]
       prove_winners compare MARGINS LAYER --dir DIR
option of both: [--size 3|4|5]";

/// The lines of the layers that are complete, by the number of stones, and their file.
struct Completed {
    path: PathBuf,
    lines: BTreeMap<usize, String>,
}

impl Completed {
    fn open(dir: &Path, size: usize) -> Result<Self, String> {
        let path = dir.join(format!("{size}x{size}.layers"));
        let text = if path.exists() { std::fs::read_to_string(&path) } else { Ok(String::new()) };
        let text = text.map_err(|error| format!("{}: {error}", path.display()))?;
        let line = |line: &str| Some((line.split(' ').nth(1)?.parse().ok()?, line.to_owned()));
        Ok(Self { lines: text.lines().filter_map(line).collect(), path })
    }

    /// Adds a layer. The file is complete at all times.
    fn add(&mut self, stones: usize, line: String) -> Result<(), String> {
        self.lines.insert(stones, line);
        let (new, lines) = (self.path.with_extension("new"), self.lines.values().rev());
        let text: String = lines.flat_map(|line| [line, "\n"]).collect();
        let written = std::fs::write(&new, text).and_then(|()| std::fs::rename(&new, &self.path));
        written.map_err(|error| format!("{}: {error}", self.path.display()))
    }
}

/// What to compute, and how.
struct Proof<'a> {
    board: &'a Board,
    dir: &'a Path,
    /// The smallest number of stones.
    from: usize,
    threads: usize,
    /// A text with the expected numbers of positions.
    counts: Option<String>,
}

impl Proof<'_> {
    /// Computes the layers that are not complete, and prints a line for each layer.
    fn run(&self) -> Result<(), String> {
        let lock = File::open(self.dir).map_err(|error| format!("{}: {error}", self.dir.display()))?;
        lock.try_lock().map_err(|_| format!("another process computes in {}", self.dir.display()))?;
        let mut completed = Completed::open(self.dir, self.board.size)?;
        let mut next: Option<Layer> = None;
        // The line of the next layer if an earlier process computed it.
        let mut earlier = None;
        for stones in (self.from..self.board.points()).rev() {
            let described = |error| format!("layer {stones}: {error}");
            let is_new = !completed.lines.contains_key(&stones);
            let layer = Layer::open(self.board, self.dir, stones, is_new).map_err(described)?;
            if is_new {
                let line = self.complete(&layer, next.as_ref(), earlier).map_err(described)?;
                completed.add(stones, line)?;
                layer.forget_parts().map_err(described)?;
            }
            let line = &completed.lines[&stones];
            match self.counts.as_ref().map(|text| compare::counts(text, stones)).transpose()? {
                Some(counts) if !line.contains(&counts) => return Err(format!("{line}, but expected {counts}")),
                Some(_) => println!("{line} agree"),
                None => println!("{line}"),
            }
            earlier = Some(line.clone()).filter(|_| !is_new);
            next = Some(layer);
        }
        Ok(())
    }

    /// Computes a layer from the next one, whose file must still have the digest in the line `earlier`. Returns the
    /// line of the layer.
    fn complete(&self, layer: &Layer, next: Option<&Layer>, earlier: Option<String>) -> io::Result<String> {
        if let (Some(next), Some(earlier)) = (next, earlier)
            && next.line()? != earlier
        {
            return Err(io::Error::other(format!("the file of layer {} has changed", next.stones)));
        }
        let start = Instant::now();
        let [reused, parts] = layer.compute(next, self.threads)?;
        let (time, colourings) = (start.elapsed(), (layer.sets.len() as u128) << layer.stones);
        let each = time.as_nanos() * self.threads as u128 * 10 / colourings;
        let (seconds, each) = (time.as_secs_f64(), format!("{}.{} ns", each / 10, each % 10));
        let times = format!("{seconds:.1} s, {each} per colouring and thread");
        eprintln!("layer {}: {times}, {reused} of {parts} parts were done before", layer.stones);
        layer.line()
    }
}

fn run(arguments: &[String]) -> Result<(), String> {
    let (mut options, mut plain) = (HashMap::new(), Vec::new());
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.strip_prefix("--") {
            Some(name) => drop(options.insert(name, rest.next().ok_or(USAGE)?.as_str())),
            None => plain.push(argument.as_str()),
        }
    }
    let mut number =
        |name, standard| options.remove(name).map_or(Ok(standard), |text: &str| text.parse().map_err(|_| USAGE));
    let size = number("size", 5)?;
    if !(3..=5).contains(&size) {
        return Err(USAGE.into());
    }
    let board = Board::new(size);
    match plain[..] {
        [dir] => {
            let (from, threads) = (number("from", 0)?, number("threads", 1)?);
            let counts = options.remove("counts").map(std::fs::read_to_string).transpose();
            let counts = counts.map_err(|error| format!("--counts: {error}"))?;
            if threads == 0 || !options.is_empty() {
                return Err(USAGE.into());
            }
            Proof { board: &board, dir: Path::new(dir), from, threads, counts }.run()
        }
        ["compare", margins, layer] => {
            let stones = layer.parse().ok().filter(|&stones| stones < board.points()).ok_or(USAGE)?;
            let dir = options.remove("dir").filter(|_| options.is_empty()).ok_or(USAGE)?;
            if !Completed::open(Path::new(dir), size)?.lines.contains_key(&stones) {
                return Err(format!("layer {stones} is not complete"));
            }
            let compared = Layer::open(&board, Path::new(dir), stones, false)
                .and_then(|layer| compare::entries(&board, &layer, Path::new(margins)));
            let entries = compared.map_err(|error| format!("layer {stones}: {error}"))?;
            println!("layer {stones} entries {entries} agree");
            Ok(())
        }
        _ => Err(USAGE.into()),
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let Err(error) = run(&arguments) {
        println!("{error}");
        std::process::exit(1);
    }
}
