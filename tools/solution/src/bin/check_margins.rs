//! An independent check of tables of Gothello positions.
//!
//! Gothello is played on a square board. The two sides alternately place a stone or pass; two passes in a row end the
//! game, and the side with more stones wins. A stone may be placed if its group then has a liberty, counted before
//! anything is captured; afterwards, every opposing group next to the stone that has no liberty left changes colour.
//!
//! A position's value `V` is the margin (own stones minus the other side's) that the side to move reaches with best
//! play. If `f` is the best value of a placement (minus infinity if there is none), `s` the margin on the board, and
//! `B'` the same board seen by the other side, then `V(B) = max(f(B), min(-f(B'), s(B)))`.
//!
//! `check_margins DIR LAYER` recomputes `DIR/5x5-K.margins` from the file with one more stone, and compares every
//! entry. `check_margins own --dir OUT` computes whole layers without any other file, from the fullest board down to
//! layer `--from`; its files go to `OUT`, and each file is removed once it has been read unless `--keep 1` is given.
//! With `--compare DIR`, each layer that is in `DIR` is also compared. Both modes work on one set of empty points at a
//! time. The colourings of a set are numbered by the points in *descending* order, unlike in the files under test.
#![forbid(unsafe_code)]

use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::fs::File;
use std::io::Write as _;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

/// Marks a colouring in which some group has no liberty.
const ILLEGAL: i8 = i8::MIN;
/// The best value if there is no placement; its negation is larger than every margin.
const NONE: i8 = -127;
/// Marks, in place of the playable points, a set of stones of one colour in which some group has no liberty.
const DEAD: u32 = 1 << 31;
const POISON: &str = "no thread panics while it holds the lock";
/// The number of colourings that are computed before their results are counted in order.
const BATCH: usize = 1 << 26;
/// The width of a row of a bitboard. The spare columns stay empty, so that a shift never wraps around.
const STRIDE: usize = 6;

/// The board's symmetries. A set of points is a mask with one bit for each point: bit `rank * size + file`.
struct Shape {
    size: usize,
    /// The image of each point under each symmetry.
    moves: [[usize; 25]; 8],
}

impl Shape {
    fn new(size: usize) -> Self {
        let (mut moves, last) = ([[0; 25]; 8], size - 1);
        for (symmetry, images) in moves.iter_mut().enumerate() {
            for (point, image) in images.iter_mut().enumerate().take(size * size) {
                let file = if symmetry & 1 == 0 { point % size } else { last - point % size };
                let rank = if symmetry & 2 == 0 { point / size } else { last - point / size };
                *image = if symmetry & 4 == 0 { rank * size + file } else { file * size + rank };
            }
        }
        Self { size, moves }
    }

    /// The points of the board whose bits in `mask` are `value`.
    fn points(&self, mask: u32, value: u32) -> impl DoubleEndedIterator<Item = usize> {
        (0..self.size * self.size).filter(move |point| mask >> point & 1 == value)
    }

    fn image(&self, symmetry: usize, mask: u32) -> u32 {
        let (mut rest, mut image) = (mask, 0);
        while rest != 0 {
            image |= 1 << self.moves[symmetry][rest.trailing_zeros() as usize];
            rest &= rest - 1;
        }
        image
    }

    /// The number of different images of `mask`.
    fn orbit(&self, mask: u32) -> u64 {
        let mut images: Vec<u32> = (0..8).map(|symmetry| self.image(symmetry, mask)).collect();
        images.sort_unstable();
        images.dedup();
        images.len() as u64
    }

    /// A point's bit on a bitboard.
    fn bit(&self, point: usize) -> u32 {
        1 << (point / self.size * STRIDE + point % self.size)
    }
}

/// How a file of one layer arranges the positions.
struct Layout<'a> {
    shape: &'a Shape,
    /// This program's own arrangement: the largest image represents its class, and blocks and points are in descending
    /// order. In the files under test, the smallest image represents its class, and blocks and points are in ascending
    /// order.
    own: bool,
    stones: usize,
    /// One set of empty points for each block, in order.
    blocks: Vec<u32>,
}

impl<'a> Layout<'a> {
    fn new(shape: &'a Shape, stones: usize, own: bool) -> Self {
        let points = shape.size * shape.size;
        let masks = (0..1_u32 << points).filter(|mask| mask.count_ones() as usize + stones == points);
        let first = |&mask: &u32| {
            let mut images = (1..8).map(|symmetry| shape.image(symmetry, mask));
            if own { images.all(|image| image <= mask) } else { images.all(|image| image >= mask) }
        };
        let mut blocks: Vec<u32> = masks.filter(first).collect();
        if own {
            blocks.reverse();
        }
        Self { shape, own, stones, blocks }
    }

    /// The image of `mask` that has a block, and a symmetry that maps `mask` to it.
    fn canonical(&self, mask: u32) -> (u32, usize) {
        let images = (0..8).map(|symmetry| (self.shape.image(symmetry, mask), symmetry));
        if self.own { images.max() } else { images.min() }.expect("there are eight symmetries")
    }

    /// The occupied points in the order of the bits of an index.
    fn occupied(&self, empty: u32) -> Vec<usize> {
        let points = self.shape.points(empty, 0);
        if self.own { points.rev().collect() } else { points.collect() }
    }

    /// The block for a set of empty points, and for each of `points`, the number that a stone on this point adds to the
    /// index in that block.
    fn place(&self, empty: u32, points: &[usize]) -> (usize, Vec<u32>) {
        let (image, symmetry) = self.canonical(empty);
        let order = |block: &u32| if self.own { image.cmp(block) } else { block.cmp(&image) };
        let number = self.blocks.binary_search_by(order).expect("each class has a block");
        let mut weight = [0; 25];
        for (bit, &point) in self.occupied(image).iter().enumerate() {
            weight[point] = 1 << bit;
        }
        (number, points.iter().map(|&point| weight[self.shape.moves[symmetry][point]]).collect())
    }
}

type Block = Arc<Vec<u8>>;

/// A file of one layer, which is read in whole blocks.
struct Table<'a> {
    layout: Layout<'a>,
    file: File,
    /// The number of blocks that are kept.
    room: usize,
    /// Blocks by number, and the numbers in the order in which the blocks were read.
    cache: Mutex<(HashMap<usize, Block>, VecDeque<usize>)>,
}

impl<'a> Table<'a> {
    fn open(layout: Layout<'a>, path: &Path, cache: usize) -> Result<Self, String> {
        let file = File::open(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let length = file.metadata().map_err(|error| error.to_string())?.len();
        let expected = (layout.blocks.len() as u64) << layout.stones;
        if length != expected {
            return Err(format!("{}: {length} bytes instead of {expected}", path.display()));
        }
        Ok(Self { room: cache >> layout.stones, layout, file, cache: Mutex::default() })
    }

    fn read(&self, number: usize) -> Result<Vec<u8>, String> {
        let mut bytes = vec![0; 1 << self.layout.stones];
        let offset = (number as u64) << self.layout.stones;
        self.file.read_exact_at(&mut bytes, offset).map_err(|error| format!("block {number}: {error}"))?;
        Ok(bytes)
    }

    /// Reads a block through the cache. The lock is not held while the file is read.
    fn cached(&self, number: usize) -> Result<Block, String> {
        if let Some(block) = self.cache.lock().expect(POISON).0.get(&number) {
            return Ok(Arc::clone(block));
        }
        let block = Arc::new(self.read(number)?);
        let mut guard = self.cache.lock().expect(POISON);
        if guard.0.insert(number, Arc::clone(&block)).is_none() {
            guard.1.push_back(number);
        }
        if guard.1.len() > self.room
            && let Some(oldest) = guard.1.pop_front()
        {
            guard.0.remove(&oldest);
        }
        Ok(block)
    }
}

/// The sums of all subsets of `weights`.
fn sums(weights: &[u32]) -> Vec<u32> {
    let mut table = vec![0; 1 << weights.len()];
    for subset in 1..table.len() {
        table[subset] = table[subset & (subset - 1)] + weights[subset.trailing_zeros() as usize];
    }
    table
}

/// Tables that add up several sets of weights for the bits of an index: one table for the low bits, and one table for
/// the high bits.
struct Sums {
    width: usize,
    low_bits: usize,
    low: Vec<u32>,
    high: Vec<u32>,
}

impl Sums {
    fn new(bits: usize, weights: &[Vec<u32>]) -> Self {
        let (width, low_bits) = (weights.len(), bits / 2);
        let (mut low, mut high) = (vec![0; width << low_bits], vec![0; width << (bits - low_bits)]);
        for (column, weights) in weights.iter().enumerate() {
            for (table, half) in [(&mut low, &weights[..low_bits]), (&mut high, &weights[low_bits..])] {
                table.iter_mut().skip(column).step_by(width).zip(sums(half)).for_each(|(entry, sum)| *entry = sum);
            }
        }
        Self { width, low_bits, low, high }
    }

    fn rows(&self, index: usize) -> (&[u32], &[u32]) {
        let (low, high) = (index & ((1 << self.low_bits) - 1), index >> self.low_bits);
        (&self.low[low * self.width..][..self.width], &self.high[high * self.width..][..self.width])
    }

    fn get(&self, index: usize, column: usize) -> u32 {
        let (low, high) = self.rows(index);
        low[column] + high[column]
    }
}

/// The neighbours of a set of points, including points outside the board.
fn around(set: u32) -> u32 {
    set << 1 | set >> 1 | set << STRIDE | set >> STRIDE
}

/// The group in `stones` that contains `seed`.
fn group(seed: u32, stones: u32) -> u32 {
    let mut group = seed;
    loop {
        let grown = (group | around(group)) & stones;
        if grown == group {
            return group;
        }
        group = grown;
    }
}

/// One thread's working memory. All arrays are indexed by the colouring (bit set: a stone of the side to move).
#[derive(Default)]
struct Work {
    /// The points on which a colour with these stones may place a stone, whatever the other side's stones are; or
    /// [`DEAD`].
    playable: Vec<u32>,
    /// For each empty point, the stones of one colour that a placement on this point captures, as weights in the child.
    captured: Vec<u32>,
    /// The best value of a placement, or [`ILLEGAL`].
    best: Vec<i8>,
    values: Vec<u8>,
}

impl Work {
    /// Computes the values of all colourings with these empty points.
    fn solve(&mut self, own: &Layout, child: Option<&Table>, empty: u32) -> Result<(), String> {
        let (shape, stones) = (own.shape, own.occupied(empty));
        let gaps: Vec<usize> = shape.points(empty, 1).collect();
        let bits: Vec<u32> = gaps.iter().map(|&point| shape.bit(point)).collect();
        let (mut children, mut weights) = (Vec::new(), vec![vec![0; stones.len()]; gaps.len()]);
        if let Some(table) = child {
            for (gap, weights) in gaps.iter().zip(&mut weights) {
                let (number, stone_weights) = table.layout.place(empty & !(1 << gap), &stones);
                *weights = stone_weights;
                children.push(table.cached(number)?);
            }
        }
        let index = Sums::new(stones.len(), &weights);
        self.survey(shape, &stones, &bits, &index);

        let all = (1 << stones.len()) - 1;
        self.best.resize(all + 1, 0);
        self.values.resize(all + 1, 0);
        for mine in 0..=all {
            let theirs = all ^ mine;
            let playable = self.playable[mine];
            self.best[mine] = ILLEGAL;
            if (playable | self.playable[theirs]) & DEAD != 0 {
                continue;
            }
            let (low, high) = index.rows(theirs);
            let captured = &self.captured[theirs * bits.len()..][..bits.len()];
            let mut best = i32::from(NONE);
            for ((((child, bit), low), high), captured) in children.iter().zip(&bits).zip(low).zip(high).zip(captured) {
                let value = -i32::from(child[(low + high - captured) as usize].cast_signed());
                best = best.max(if playable & bit == 0 { i32::from(NONE) } else { value });
            }
            if best > 25 || child.is_none() && playable != 0 {
                return Err(format!("a child of the position has no value\n{}", draw(shape, &stones, mine)));
            }
            self.best[mine] = i8::try_from(best).expect("a margin is small");
        }
        for mine in 0..=all {
            let (best, theirs) = (self.best[mine], self.best[all ^ mine]);
            let margin = 2 * mine.count_ones().cast_signed() - all.count_ones().cast_signed();
            let margin = i8::try_from(margin).expect("a margin is small");
            let value = if best == ILLEGAL { ILLEGAL } else { best.max(margin.min(-theirs)) };
            self.values[mine] = value.cast_unsigned();
        }
        Ok(())
    }

    /// Finds everything that depends only on the stones of one colour: one group is found by flood fill, and the other
    /// groups are known from the smaller set without this group.
    fn survey(&mut self, shape: &Shape, stones: &[usize], bits: &[u32], index: &Sums) {
        let (count, gaps) = (stones.len(), bits.iter().sum::<u32>());
        self.playable.resize(1 << count, 0);
        self.captured.resize(bits.len() << count, 0);
        let places: Vec<u32> = stones.iter().map(|&point| shape.bit(point)).collect();
        let boards = Sums::new(count, std::slice::from_ref(&places));
        let mut number = [0; 30];
        for (bit, place) in places.iter().enumerate() {
            number[place.trailing_zeros() as usize] = 1 << bit;
        }
        let numbers = [sums(&number[..10]), sums(&number[10..20]), sums(&number[20..])];

        self.playable[0] = around(gaps) & gaps;
        self.captured[..bits.len()].fill(0);
        for set in 1..1_usize << count {
            let chain = group(places[set.ilog2() as usize], boards.get(set, 0));
            let part = |third: usize| numbers[third][(chain >> (10 * third) & 1023) as usize];
            let chain_set = (part(0) + part(1) + part(2)) as usize;
            let (rest, liberties) = (set ^ chain_set, around(chain) & gaps);
            if liberties == 0 || self.playable[rest] == DEAD {
                self.playable[set] = DEAD;
                continue;
            }
            let single = liberties.is_power_of_two();
            self.playable[set] = self.playable[rest] | if single { 0 } else { liberties };
            self.captured.copy_within(rest * bits.len()..(rest + 1) * bits.len(), set * bits.len());
            if single {
                let gap = bits.iter().position(|&bit| bit == liberties).expect("a liberty is an empty point");
                self.captured[set * bits.len() + gap] += index.get(chain_set, gap);
            }
        }
    }
}

/// Draws a board: `X` for the side to move, `O` for the other.
fn draw(shape: &Shape, stones: &[usize], mine: usize) -> String {
    let mut rows = vec![vec!['.'; shape.size]; shape.size];
    for (bit, &point) in stones.iter().enumerate() {
        rows[point / shape.size][point % shape.size] = if mine >> bit & 1 == 0 { 'O' } else { 'X' };
    }
    rows.iter().rev().map(|row| row.iter().chain(&['\n']).collect::<String>()).collect()
}

/// Compares the values of a set of empty points with the set's block in a file, entry by entry.
fn compare(own: &Layout, values: &[u8], table: &Table, empty: u32) -> Result<(), String> {
    let stones = own.occupied(empty);
    let (number, weights) = table.layout.place(empty, &stones);
    let (block, index) = (table.read(number)?, Sums::new(stones.len(), &[weights]));
    for (mine, &value) in values.iter().enumerate() {
        let entry = index.get(mine, 0) as usize;
        if block[entry] != value {
            let (here, there) = (value.cast_signed(), block[entry].cast_signed());
            let board = draw(own.shape, &stones, mine);
            return Err(format!("block {number} entry {entry}: computed {here}, but {there} in the file\n{board}"));
        }
    }
    Ok(())
}

/// One layer to compute.
struct Job<'a> {
    /// The arrangement of the colourings of a set of empty points.
    own: &'a Layout<'a>,
    sets: Vec<u32>,
    child: Option<Table<'a>>,
    expected: Option<Table<'a>>,
    out: Option<File>,
    threads: usize,
}

impl Job<'_> {
    /// Computes and compares the colourings of a set, and counts how many are legal, won, drawn and lost.
    fn solve(&self, work: &mut Work, empty: u32) -> Result<(Vec<u8>, [u64; 4]), String> {
        work.solve(self.own, self.child.as_ref(), empty)?;
        if let Some(table) = &self.expected {
            compare(self.own, &work.values, table, empty)?;
        }
        let mut counts = [0; 4];
        for value in work.values.iter().map(|byte| byte.cast_signed()).filter(|&value| value != ILLEGAL) {
            counts[0] += 1;
            counts[2 - usize::from(value > 0) + usize::from(value < 0)] += 1;
        }
        Ok((work.values.clone(), counts))
    }

    /// Computes the layer and prints a line; an error describes the first disagreement.
    fn run(&self) -> Result<(), String> {
        let (start, mut digest, mut totals) = (Instant::now(), Sha256::new(), [[0; 4]; 2]);
        let mut works: Vec<Work> = (0..self.threads).map(|_| Work::default()).collect();
        for sets in self.sets.chunks((BATCH >> self.own.stones).max(2 * self.threads)) {
            let (next, solved) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
            std::thread::scope(|scope| {
                for work in &mut works {
                    scope.spawn(|| {
                        loop {
                            let turn = next.fetch_add(1, Ordering::Relaxed);
                            let Some(&empty) = sets.get(turn) else { return };
                            let result = self.solve(work, empty);
                            solved.lock().expect(POISON).insert(turn, result);
                        }
                    });
                }
            });
            for (&empty, result) in sets.iter().zip(solved.into_inner().expect(POISON).into_values()) {
                let (values, counts) = result.map_err(|error| format!("layer {}: {error}", self.own.stones))?;
                digest.update(&values);
                if let Some(mut file) = self.out.as_ref() {
                    file.write_all(&values).map_err(|error| error.to_string())?;
                }
                for (totals, weight) in totals.iter_mut().zip([1, self.own.shape.orbit(empty)]) {
                    totals.iter_mut().zip(counts).for_each(|(total, count)| *total += weight * count);
                }
            }
        }
        print!("layer {} blocks {}", self.own.stones, self.sets.len());
        for (name, [legal, won, drawn, lost]) in ["legal", "weighted legal"].into_iter().zip(totals) {
            print!(" {name} {legal} won {won} drawn {drawn} lost {lost}");
        }
        let digest = digest.finalize().iter().fold(String::new(), |text, byte| format!("{text}{byte:02x}"));
        println!(" sha256 {digest}{}", if self.expected.is_some() { " agree" } else { "" });
        let (time, colourings) = (start.elapsed(), (self.sets.len() as u128) << self.own.stones);
        let each = time.as_nanos() * self.threads as u128 / colourings.max(1);
        eprintln!("{:.1} s, {each} ns per colouring and thread", time.as_secs_f64());
        Ok(())
    }
}

const USAGE: &str = "usage: check_margins DIR LAYER [--every N] [--offset J]
       check_margins own --dir OUT [--from K] [--compare DIR] [--keep 1]
options of both: [--size 3|4|5] [--threads T] [--cache MB]";

fn run(arguments: &[String]) -> Result<(), String> {
    let (mut options, mut plain) = (HashMap::new(), Vec::new());
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.strip_prefix("--") {
            Some(name) => drop(options.insert(name, rest.next().ok_or(USAGE)?.as_str())),
            None => plain.push(argument.as_str()),
        }
    }
    let mut number = |name, standard| {
        options.remove(name).map_or(Ok(standard), |text| text.parse::<usize>().map_err(|_| format!("--{name} {text}")))
    };
    let (size, threads, cache) = (number("size", 5)?, number("threads", 1)?, number("cache", 512)? << 20);
    let (every, offset) = (number("every", 1)?, number("offset", 0)?);
    let (from, keep) = (number("from", 0)?, number("keep", 0)? != 0);
    let (out, other) = (options.remove("dir").map(PathBuf::from), options.remove("compare").map(PathBuf::from));
    if !(3..=5).contains(&size) || threads == 0 || every == 0 || !options.is_empty() {
        return Err(USAGE.into());
    }
    let (shape, top) = (Shape::new(size), size * size - 1);
    let theirs = |dir: &Path, stones| dir.join(format!("{size}x{size}-{stones}.margins"));
    let open = |stones, path: PathBuf, own| Table::open(Layout::new(&shape, stones, own), &path, cache);
    // Each mode refuses the options of the other.
    let has_wrong_option = if out.is_some() { (every, offset) != (1, 0) } else { from != 0 || keep || other.is_some() };
    if has_wrong_option {
        return Err(USAGE.into());
    }
    match (plain[..].first(), plain.get(1), out) {
        (Some(&"own"), None, Some(out)) => {
            let path = |stones| out.join(format!("own-{stones}.values"));
            for stones in (from..=top).rev() {
                let own = &Layout::new(&shape, stones, true);
                let child = if stones < top { Some(open(stones + 1, path(stones + 1), true)?) } else { None };
                let expected = other.as_ref().map(|dir| theirs(dir, stones)).filter(|path| path.exists());
                let expected = expected.map(|path| open(stones, path, false)).transpose()?;
                // Nothing reads the last layer.
                let out = if stones > from { Some(File::create(path(stones))) } else { None };
                let out = out.transpose().map_err(|error| error.to_string())?;
                Job { own, sets: own.blocks.clone(), child, expected, out, threads }.run()?;
                if stones < top && !keep {
                    std::fs::remove_file(path(stones + 1)).map_err(|error| error.to_string())?;
                }
            }
            Ok(())
        }
        (Some(dir), Some(layer), None) => {
            let (dir, stones) = (Path::new(dir), layer.parse::<usize>().map_err(|_| USAGE)?);
            let expected = open(stones.min(top), theirs(dir, stones), false)?;
            let child = if stones < top { Some(open(stones + 1, theirs(dir, stones + 1), false)?) } else { None };
            let own = &Layout { shape: &shape, own: true, stones, blocks: Vec::new() };
            let sets = expected.layout.blocks.iter().copied().skip(offset % every).step_by(every).collect();
            Job { own, sets, child, expected: Some(expected), out: None, threads }.run()
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
