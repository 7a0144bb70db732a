//! Checks the proof in an opening book. It does not use the library, but has its own rules and search.
//!
//! ```text
//! cargo run --release -p solution --bin check_proof -- crates/games/src/exact/book/opening.txt --sample 200 --seed 1
//! ```
//!
//! Starting from the empty board, one side plays by the book against everything that the other side can do, including
//! passes; then the sides are swapped. The book's promise for a position must still be kept after the book's move and
//! every answer. The book's lines end at the leaves, which are positions in which at most 18 points are empty. The
//! program solves a random sample of the leaves again, as far as the book's promise: a win, or at least a draw. The
//! exit code is 1 if anything is wrong.
//!
//! With `--all`, it solves every leaf, which takes hours. `--checkpoint FILE` then stores the answers, one line for
//! each leaf, and the program resumes from there when it is restarted:
//!
//! ```text
//! cargo run --release -p solution --bin check_proof -- --all --checkpoint leaves.txt --threads 2
//! ```
//!
//! Points are numbered in reading order, from 0 (a5) to 24 (e1). A set of points is a number with one bit for each
//! point. A position has the stones of the side to move and those of the other side; colours appear only in the output.

use std::cell::Cell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write as _;
use std::fs::File;
use std::io::Write as _;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

const POINTS: usize = 25;
const BOARD: u32 = (1 << POINTS) - 1;

/// The points next to each point.
const BESIDE: [u32; POINTS] = {
    let mut beside = [0; POINTS];
    let mut at = 0;
    while at < POINTS {
        if at % 5 > 0 {
            beside[at] |= 1 << (at - 1);
        }
        if at % 5 < 4 {
            beside[at] |= 1 << (at + 1);
        }
        if at >= 5 {
            beside[at] |= 1 << (at - 5);
        }
        if at < 20 {
            beside[at] |= 1 << (at + 5);
        }
        at += 1;
    }
    beside
};

/// The stones of the side to move and of the other side, and whether the other side has just passed.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Position {
    mine: u32,
    theirs: u32,
    passed: bool,
}

/// The lowest point of a set.
const fn lowest(set: u32) -> usize {
    set.trailing_zeros() as usize
}

/// The points of a set, one by one.
fn each(mut set: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let at = (set != 0).then(|| lowest(set))?;
        set &= set - 1;
        Some(at)
    })
}

/// The group of the stone at a point, and all points next to the group. The stones still to visit are a stack of bits.
fn group(at: usize, stones: u32) -> (u32, u32) {
    let (mut members, mut around, mut todo) = (1 << at, 0, 1_u32 << at);
    while todo != 0 {
        let beside = BESIDE[lowest(todo)];
        todo &= todo - 1;
        around |= beside;
        let new = beside & stones & !members;
        members |= new;
        todo |= new;
    }
    (members, around)
}

impl Position {
    fn empty(self) -> u32 {
        BOARD & !(self.mine | self.theirs)
    }

    /// The side with more stones: 1 for the side to move, -1 for the other side, 0 for neither.
    fn ahead(self) -> i32 {
        self.mine.count_ones().cmp(&self.theirs.count_ones()) as i32
    }

    /// The position after a stone at an empty point. `None` if the rules forbid the stone because its own group would
    /// not touch an empty point. Groups of the other side that no longer touch one become the mover's.
    fn place(self, at: usize) -> Option<Self> {
        let mut mover = self.mine | 1 << at;
        let empty = self.empty() & !(1 << at);
        if BESIDE[at] & empty == 0 && group(at, mover).1 & empty == 0 {
            return None;
        }
        let mut other = self.theirs;
        let mut touched = BESIDE[at] & other;
        while touched != 0 {
            let (members, around) = group(lowest(touched), self.theirs);
            touched &= !members;
            if around & empty == 0 {
                mover |= members;
                other &= !members;
            }
        }
        Some(Self { mine: other, theirs: mover, passed: false })
    }

    /// The position after a pass that does not end the game.
    fn pass(self) -> Self {
        Self { mine: self.theirs, theirs: self.mine, passed: true }
    }

    fn placements(self) -> impl Iterator<Item = (usize, Self)> {
        each(self.empty()).filter_map(move |at| Some((at, self.place(at)?)))
    }

    /// The image of the position under a symmetry.
    fn image(self, symmetry: &[usize; POINTS]) -> Self {
        let moved = |set| each(set).fold(0, |all, at| all | 1 << symmetry[at]);
        Self { mine: moved(self.mine), theirs: moved(self.theirs), ..self }
    }

    /// The least of the position's eight images, and the symmetry that leads to it.
    fn least_image(self, symmetries: &[[usize; POINTS]; 8]) -> (Self, usize) {
        let images = symmetries.iter().enumerate().map(|(number, symmetry)| (self.image(symmetry), number));
        images.min_by_key(|(image, number)| (image.mine, image.theirs, *number)).unwrap_or((self, 0))
    }

    /// The position's ranks as text, with this colour for the side to move.
    fn shown(self, black_to_move: bool) -> String {
        let (black, white) = if black_to_move { (self.mine, self.theirs) } else { (self.theirs, self.mine) };
        let mut text = String::new();
        for at in 0..POINTS {
            let has = |set: u32| set >> at & 1 == 1;
            text.push(if has(black) {
                'b'
            } else if has(white) {
                'w'
            } else {
                '.'
            });
            if at % 5 == 4 {
                text.push(' ');
            }
        }
        let side = if black_to_move { "black" } else { "white" };
        let _ = write!(text, "({side} to move{})", if self.passed { ", after a pass" } else { "" });
        text
    }
}

/// The image of each point under each of the eight symmetries of the square.
fn symmetries() -> [[usize; POINTS]; 8] {
    std::array::from_fn(|number| {
        std::array::from_fn(|at| {
            let (row, column) = (at / 5, at % 5);
            let (row, column) = if number & 1 == 0 { (row, column) } else { (column, row) };
            let row = if number & 2 == 0 { row } else { 4 - row };
            let column = if number & 4 == 0 { column } else { 4 - column };
            5 * row + column
        })
    })
}

/// The position of a board of 25 letters, with black to move.
fn board(ranks: &[&str]) -> Option<Position> {
    let letters: Vec<char> = ranks.iter().flat_map(|rank| rank.chars()).collect();
    let set = |letter| (0..POINTS).filter(|&at| letters[at] == letter).fold(0, |all, at| all | 1 << at);
    let whole =
        ranks.len() == 5 && ranks.iter().all(|rank| rank.len() == 5) && letters.iter().all(|l| "bw.".contains(*l));
    whole.then(|| Position { mine: set('b'), theirs: set('w'), passed: false })
}

/// The point of a name such as `c3`.
fn point(name: &str) -> Option<usize> {
    let [file @ b'a'..=b'e', rank @ b'1'..=b'5'] = name.as_bytes() else { return None };
    Some(usize::from(b'5' - rank) * 5 + usize::from(file - b'a'))
}

#[derive(Clone, Copy, PartialEq)]
enum Reply {
    None,
    Pass,
    Place(usize),
}

/// A book's entry for the least image of a position: 1 if the side to move wins, 0 for a draw, -1 if it loses.
struct Entry {
    outcome: i32,
    reply: Reply,
}

struct Book {
    entries: HashMap<(u32, u32), Entry>,
    symmetries: [[usize; POINTS]; 8],
}

impl Book {
    fn read(text: &str) -> Result<Self, String> {
        let mut book = Self { entries: HashMap::new(), symmetries: symmetries() };
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.starts_with('#') && !line.is_empty()) {
            let words: Vec<&str> = line.split(' ').collect();
            book.add(&words).ok_or_else(|| format!("line {} cannot be understood: {line}", number + 1))?;
        }
        Ok(book)
    }

    fn add(&mut self, words: &[&str]) -> Option<()> {
        let [ranks @ .., outcome, _, reply] = words else { return None };
        let outcome = ["loss", "draw", "win"].iter().position(|word| word == outcome)?;
        let (least, symmetry) = board(ranks)?.least_image(&self.symmetries);
        let reply = match *reply {
            "-" => Reply::None,
            "pass" => Reply::Pass,
            name => Reply::Place(self.symmetries[symmetry][point(name)?]),
        };
        let entry = Entry { outcome: i32::try_from(outcome).ok()? - 1, reply };
        self.entries.insert((least.mine, least.theirs), entry).is_none().then_some(())
    }

    /// The outcome and the reply for a position if the last move was not a pass, in the orientation of the position.
    fn look(&self, position: Position) -> Option<(i32, Reply)> {
        let (least, symmetry) = position.least_image(&self.symmetries);
        let entry = self.entries.get(&(least.mine, least.theirs))?;
        let back = |at: usize| (0..POINTS).find(|&from| self.symmetries[symmetry][from] == at);
        let reply = match entry.reply {
            Reply::Place(at) => back(at).map_or(Reply::None, Reply::Place),
            other => other,
        };
        Some((entry.outcome, reply))
    }
}

/// Everything that can happen while one side plays by the book.
struct Tree<'a> {
    book: &'a Book,
    live: u32,
    black: bool,
    /// The positions in which this side chose a move by the book.
    turns: HashSet<(u32, u32)>,
    /// The positions where the book's lines end, with the results that the book promised there.
    leaves: BTreeMap<(u32, u32, bool), i32>,
    wrong: Vec<String>,
}

impl Tree<'_> {
    /// Starts from positions in which the side is to move, each with the promised result: 1, 0, or -1 for none.
    fn grow(&mut self, mut todo: Vec<(Position, i32)>) {
        while let Some((position, promised)) = todo.pop() {
            let (least, _) = position.least_image(&self.book.symmetries);
            if position.passed && position.ahead() > 0 {
                continue; // The side also passes, and has won.
            }
            if position.empty().count_ones() <= self.live {
                let known = self.leaves.entry((least.mine, least.theirs, position.passed)).or_insert(promised);
                *known = promised.max(*known);
                continue;
            }
            match self.turn(position, promised) {
                Err(problem) => self.wrong.push(format!("{}: {problem}", position.shown(self.black))),
                Ok(None) => {}
                Ok(Some((outcome, next))) => {
                    // A preceding pass does not affect the book's move, unless this move is a pass.
                    if self.turns.insert((least.mine, least.theirs)) {
                        todo.extend(next.placements().map(|(_, answered)| (answered, outcome)));
                        // After this side's own pass, the other side's pass ends the game; `turn` has taken this into
                        // account.
                        todo.extend((!next.passed).then(|| (next.pass(), outcome)));
                    }
                }
            }
        }
    }

    /// The result that the book promises from here on, and the position after its move; `None` if the move ends the
    /// game.
    fn turn(&self, position: Position, promised: i32) -> Result<Option<(i32, Position)>, String> {
        let (outcome, reply) = self.book.look(position).ok_or("the book does not have it")?;
        let by_passing = if position.passed { position.ahead() } else { -1 };
        if outcome.max(by_passing) < promised {
            return Err(format!("{} was promised, but the book says {}", word(promised), word(outcome)));
        }
        if position.passed && by_passing > outcome {
            return Ok(None);
        }
        match reply {
            Reply::None => Err("the book has no move".to_owned()),
            Reply::Pass if outcome >= 0 && position.ahead() < outcome => {
                Err("the book's pass gives away the game".to_owned())
            }
            Reply::Pass if position.passed => Ok(None),
            Reply::Pass => Ok(Some((outcome, position.pass()))),
            Reply::Place(at) if position.empty() >> at & 1 == 1 => {
                let next = position.place(at).ok_or("the rules forbid the book's move")?;
                Ok(Some((outcome, next)))
            }
            Reply::Place(_) => Err("the book's move is on a stone".to_owned()),
        }
    }

    /// The leaves with a promise. Neighbours in this order have stones in common, so that the table is useful.
    fn promised_leaves(&self) -> Vec<(Position, i32)> {
        let promised = self.leaves.iter().filter(|(_, promised)| **promised >= 0);
        promised.map(|(&(mine, theirs, passed), &promised)| (Position { mine, theirs, passed }, promised)).collect()
    }
}

/// A random sample of leaves.
fn sample(mut leaves: Vec<(Position, i32)>, count: usize, seed: u64) -> Vec<(Position, i32)> {
    let total = leaves.len();
    // A linear congruential generator with the constants of Knuth's MMIX. Its upper bits are better than its lower
    // ones.
    let mut state = seed;
    for place in 0..count.min(total) {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let others = u64::try_from(total - place).unwrap_or(1);
        leaves.swap(place, place + usize::try_from((state >> 33) % others).unwrap_or(0));
    }
    leaves.truncate(count);
    leaves
}

const fn word(outcome: i32) -> &'static str {
    match outcome {
        1.. => "win",
        0 => "draw",
        _ => "loss",
    }
}

/// A table of answers. Each entry has the complete position: 25 bits for each side, whether the last move was a pass,
/// and whether the question was for a win or a draw. The answer follows.
struct Table {
    words: Vec<Cell<u64>>,
}

const TABLE_BITS: u32 = 22;
const QUESTION: u64 = (1 << 52) - 1;
const YES: u64 = 1 << 52;
const FILLED: u64 = 1 << 53;

impl Table {
    fn new() -> Self {
        Self { words: vec![Cell::new(0); 1 << TABLE_BITS] }
    }

    fn question(position: Position, win: bool) -> u64 {
        u64::from(position.mine)
            | u64::from(position.theirs) << 25
            | u64::from(position.passed) << 50
            | u64::from(win) << 51
    }

    fn place(&self, question: u64) -> &Cell<u64> {
        let mixed = (question ^ question >> 29).wrapping_mul(0xD6E8_FEB8_6659_FD93);
        &self.words[usize::try_from(mixed >> (64 - TABLE_BITS)).unwrap_or(0)]
    }

    fn find(&self, question: u64) -> Option<bool> {
        let word = self.place(question).get();
        (word & FILLED != 0 && word & QUESTION == question).then_some(word & YES != 0)
    }

    fn keep(&self, question: u64, yes: bool) {
        self.place(question).set(question | FILLED | if yes { YES } else { 0 });
    }
}

/// With at least this many empty points, the search uses the table and orders placements.
const ORDERED_FROM: u32 = 4;

/// Whether the side to move wins, or at least draws. Tries all moves.
fn reaches(table: &Table, position: Position, win: bool) -> bool {
    let lead = position.mine.count_ones().cast_signed() - position.theirs.count_ones().cast_signed();
    let ahead = lead >= i32::from(win);
    if position.passed && ahead {
        return true; // Another pass ends the game.
    }
    if position.empty().count_ones() < ORDERED_FROM {
        return position.placements().any(|(_, next)| !reaches(table, next, !win))
            || !position.passed && ahead && !reaches(table, position.pass(), !win);
    }
    let question = Table::question(position, win);
    if let Some(yes) = table.find(question) {
        return yes;
    }
    let mut moves = [(0, 0, position); POINTS];
    let mut count = 0;
    for (at, next) in position.placements() {
        if table.find(Table::question(next, !win)) == Some(false) {
            table.keep(question, true);
            return true;
        }
        moves[count] = (promise(next), at, next);
        count += 1;
    }
    moves[..count].sort_unstable_by_key(|&(score, at, _)| (-score, at));
    // A pass helps only if the other side cannot answer it by ending the game.
    let yes = moves[..count].iter().any(|&(_, _, next)| !reaches(table, next, !win))
        || !position.passed && ahead && !reaches(table, position.pass(), !win);
    table.keep(question, yes);
    yes
}

/// How good a position looks for the side that has just moved.
fn promise(next: Position) -> i32 {
    let empty = next.empty();
    let mut score = 0;
    for (own, sign) in [(next.theirs, 1), (next.mine, -1)] {
        let eyes = eyes(own, empty);
        let mut rest = own;
        while rest != 0 {
            let (members, around) = group(lowest(rest), own);
            rest &= !members;
            let liberties = (around & empty).count_ones();
            let stones = members.count_ones().cast_signed();
            let worth = match (around & eyes, liberties) {
                (1.., _) => 4,
                // The group can be taken immediately if the other side is to move; otherwise, it may still be saved.
                (0, 1) if sign > 0 => -3,
                (0, 1) => 0,
                (0, 2) => 1,
                (0, _) => 2,
            };
            score += sign * (stones * worth + liberties.cast_signed());
        }
    }
    score
}

/// The empty points all of whose neighbours are stones of one side, where the other side can never place a stone.
fn eyes(own: u32, empty: u32) -> u32 {
    each(empty).filter(|&at| BESIDE[at] & !own == 0).fold(0, |all, at| all | 1 << at)
}

/// The parsed command line.
struct Args {
    file: String,
    from: Position,
    black: bool,
    live: u32,
    sample: usize,
    seed: u64,
    threads: usize,
    all: bool,
    checkpoint: Option<String>,
}

const USAGE: &str = "usage: check_proof [FILE] [--from BOARD] [--to-move SIDE] [--live N] [--threads N]\n\
                     \x20                  [--sample N] [--seed S] | [--all] [--checkpoint FILE]";

impl Args {
    fn parse(mut words: impl Iterator<Item = String>) -> Option<Self> {
        let mut args = Self {
            file: "crates/games/src/exact/book/opening.txt".to_owned(),
            from: Position { mine: 0, theirs: 0, passed: false },
            black: true,
            live: 18,
            sample: 200,
            seed: 1,
            threads: 1,
            all: false,
            checkpoint: None,
        };
        while let Some(word) = words.next() {
            match word.as_str() {
                "--from" => args.from = board(&words.next()?.split_whitespace().collect::<Vec<_>>())?,
                "--to-move" => {
                    let side = words.next()?;
                    args.black = ["white", "black"].iter().position(|&name| name == side)? == 1;
                }
                "--live" => args.live = words.next()?.parse().ok()?,
                "--sample" => args.sample = words.next()?.parse().ok()?,
                "--seed" => args.seed = words.next()?.parse().ok()?,
                "--threads" => args.threads = words.next()?.parse().ok()?,
                "--all" => args.all = true,
                "--checkpoint" => args.checkpoint = Some(words.next()?),
                file if !file.starts_with('-') => args.file = word,
                _ => return None,
            }
        }
        if !args.black {
            (args.from.mine, args.from.theirs) = (args.from.theirs, args.from.mine);
        }
        Some(args)
    }
}

/// The answers so far: for each leaf and promise, whether the promise is kept. They are stored in a file if there is
/// one.
struct Answers {
    known: HashMap<(Position, i32), bool>,
    file: Option<File>,
}

impl Answers {
    /// Reads the file, if it exists. An incomplete last line was cut off by a crash, and is solved again.
    fn open(path: Option<&str>) -> Result<Self, String> {
        let Some(path) = path else { return Ok(Self { known: HashMap::new(), file: None }) };
        let text = match std::fs::read_to_string(path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error.to_string()),
            text => text.unwrap_or_default(),
        };
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        let mut known = HashMap::new();
        for (number, line) in text[..whole].lines().enumerate() {
            let (leaf, kept) = Self::answer(line)
                .ok_or_else(|| format!("line {} was not written by this program: {line}", number + 1))?;
            known.insert(leaf, kept);
        }
        let file = File::options().create(true).append(true).open(path).map_err(|error| error.to_string())?;
        file.set_len(whole as u64).map_err(|error| error.to_string())?;
        Ok(Self { known, file: Some(file) })
    }

    /// The answer in a line such as `1c0 2203 0 win true`: the stones of both sides, whether the last move was a pass,
    /// the promised result, and whether the promise is kept.
    fn answer(line: &str) -> Option<((Position, i32), bool)> {
        let words: Vec<&str> = line.split(' ').collect();
        let [mine, theirs, passed, promised, kept] = words[..] else { return None };
        let stones = |text| u32::from_str_radix(text, 16).ok();
        let position = Position { mine: stones(mine)?, theirs: stones(theirs)?, passed: passed == "1" };
        let promised = ["draw", "win"].iter().position(|word| *word == promised)?;
        Some(((position, i32::try_from(promised).ok()?), kept.parse().ok()?))
    }

    fn keep(&mut self, (position, promised): (Position, i32), kept: bool) {
        self.known.insert((position, promised), kept);
        let Position { mine, theirs, passed } = position;
        let line = format!("{mine:x} {theirs:x} {} {} {kept}\n", u8::from(passed), word(promised));
        if let Some(file) = &mut self.file
            && let Err(error) = file.write_all(line.as_bytes())
        {
            eprintln!("the checkpoint cannot be written any more: {error}");
            self.file = None;
        }
    }
}

/// Solves the leaves that `answers` does not have, and reports its progress about once a minute.
fn solve(leaves: &[(Position, i32)], threads: usize, answers: &Mutex<Answers>) {
    let answers = || answers.lock().unwrap_or_else(PoisonError::into_inner);
    let todo: Vec<(Position, i32)> =
        leaves.iter().copied().filter(|leaf| !answers().known.contains_key(leaf)).collect();
    let next = AtomicUsize::new(0);
    let (begun, told) = (Instant::now(), Mutex::new(Instant::now()));
    std::thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            scope.spawn(|| {
                let table = Table::new();
                while let Some(&(position, promised)) = todo.get(next.fetch_add(1, Ordering::Relaxed)) {
                    answers().keep((position, promised), reaches(&table, position, promised > 0));
                    let mut told = told.lock().unwrap_or_else(PoisonError::into_inner);
                    if told.elapsed() > Duration::from_mins(1) {
                        *told = Instant::now();
                        let done = leaves.len() - todo.len() + next.load(Ordering::Relaxed).min(todo.len());
                        eprintln!("  {done} of {} leaves, {} s", leaves.len(), begun.elapsed().as_secs());
                    }
                }
            });
        }
    });
}

/// How many mistakes to show.
const SHOWN: usize = 20;

/// Checks the tree of one side, prints the result, and returns how many mistakes there were.
fn check(book: &Book, args: &Args, answers: &Mutex<Answers>, black: bool) -> usize {
    let begun = Instant::now();
    let mut tree =
        Tree { book, live: args.live, black, turns: HashSet::new(), leaves: BTreeMap::new(), wrong: Vec::new() };
    let start = args.from;
    let first = if black == args.black {
        vec![(start, -1)]
    } else {
        start.placements().map(|(_, next)| next).chain([start.pass()]).map(|next| (next, -1)).collect()
    };
    tree.grow(first);
    let every = tree.promised_leaves();
    let total = every.len();
    let leaves = if args.all { every } else { sample(every, args.sample, args.seed) };
    let side = if black { "black" } else { "white" };
    println!(
        "{side}: a move for each of {} positions, against every answer; {} leaves of up to {} empty points, {total} of them with a promise",
        tree.turns.len(),
        tree.leaves.len(),
        args.live,
    );
    solve(&leaves, args.threads, answers);
    let answers = answers.lock().unwrap_or_else(PoisonError::into_inner);
    let broken = leaves.iter().filter(|leaf| answers.known.get(*leaf) != Some(&true)).map(|(position, promised)| {
        format!("{}: a {} was promised, but this is not one", position.shown(black), word(*promised))
    });
    // Print these first, since an unfinished book lacks thousands of positions.
    let wrong: Vec<String> = broken.chain(tree.wrong).collect();
    println!(
        "{side}: {} leaves solved again ({}.{:02} % of those with a promise){}; {} wrong; {:.1} s",
        leaves.len(),
        leaves.len() * 100 / total.max(1),
        leaves.len() * 10_000 / total.max(1) % 100,
        if args.all { String::new() } else { format!(", seed {}", args.seed) },
        wrong.len(),
        begun.elapsed().as_secs_f64(),
    );
    for wrong in wrong.iter().take(SHOWN) {
        eprintln!("{side}: {wrong}");
    }
    wrong.len()
}

fn main() -> ExitCode {
    let Some(args) = Args::parse(std::env::args().skip(1)) else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    let read = std::fs::read_to_string(&args.file).map_err(|error| error.to_string());
    let book = match read.and_then(|text| Book::read(&text)) {
        Ok(book) => book,
        Err(error) => {
            eprintln!("{}: {error}", args.file);
            return ExitCode::FAILURE;
        }
    };
    let side = if args.black { "black" } else { "white" };
    let said = book.look(args.from).map_or("not in the book", |(outcome, _)| word(outcome));
    println!("{} entries; the start, {side} to move: {said}", book.entries.len());
    let answers = match Answers::open(args.checkpoint.as_deref()) {
        Ok(answers) => Mutex::new(answers),
        Err(error) => {
            eprintln!("{}: {error}", args.checkpoint.unwrap_or_default());
            return ExitCode::FAILURE;
        }
    };
    let wrong = check(&book, &args, &answers, true) + check(&book, &args, &answers, false);
    if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
