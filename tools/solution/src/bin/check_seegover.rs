//! Checks the solution of Seegover. It does not use the library, but has its own rules, table reader and search.
//!
//! ```text
//! cargo run --release -p solution --bin check_seegover -- table ~/.cache/gothello-arena/seegover.table --sample 1000000 --seed 1
//! cargo run --release -p solution --bin check_seegover -- drops ~/.cache/gothello-arena/seegover.table crates/games/src/exact/seegover/opening/one.txt
//! ```
//!
//! `table` draws positions of the move phase at random, makes every turn, and compares the table's value of the
//! position with its values after the turns; with `--all`, it checks every position.
//!
//! `drops` finds out who wins from the empty board. If the opening contains a turn for a board, black plays that turn,
//! which has to win; otherwise, black tries all turns. White always tries all turns. At the end of the drops, the table
//! shows who wins. `--drop 2` drops two stones per turn. `--first b1`, or `--first b1+c1` with two stones, makes black
//! start there instead of with the opening. `--first each` does this for every first turn, except that turns that are
//! images of each other are tried only once. The exit code is 1 if anything is wrong.
//!
//! The second line of a table's header contains the options `capture` and `back`, and the rules here follow them.
//!
//! Squares are numbered in the order a1, b1 .. e1, a2 .. e5, from 0. A set of squares is a number with one bit for
//! each.

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "squares are small numbers"
)]

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::Read as _;
use std::process::ExitCode;

const SQUARES: usize = 25;
const CENTRE: usize = 12;

/// A position of the move phase: the stones of the side to move and of the other side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Position {
    mine: u32,
    theirs: u32,
}

fn file(square: usize) -> i32 {
    (square % 5) as i32
}

fn rank(square: usize) -> i32 {
    (square / 5) as i32
}

fn square(file: i32, rank: i32) -> Option<usize> {
    ((0..5).contains(&file) && (0..5).contains(&rank)).then_some((rank * 5 + file) as usize)
}

const fn has(set: u32, square: usize) -> bool {
    set >> square & 1 == 1
}

const WAYS: [(i32, i32); 4] = [(1, 0), (-1, 0), (0, 1), (0, -1)];

/// The options of the rules that affect the turns of the move phase.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Rules {
    /// Whether only a stone that is enclosed alone changes colour.
    single: bool,
    /// Whether a stone may return only if the return captures.
    back_captures: bool,
}

impl Rules {
    /// Reads a line such as `rules cycle=draw capture=line back=free`.
    fn read(line: &str) -> Option<Self> {
        let words = line.strip_prefix("rules cycle=draw capture=")?;
        let (capture, back) = words.split_once(" back=")?;
        let choice =
            |word: &str, [no, yes]: [&str; 2]| if word == no { Some(false) } else { (word == yes).then_some(true) };
        Some(Self { single: choice(capture, ["line", "single"])?, back_captures: choice(back, ["free", "capture"])? })
    }
}

/// The stones that change colour when a stone of `mine` lands on `at`.
fn captured(at: usize, mine: u32, theirs: u32, rules: Rules) -> u32 {
    let mut all = 0;
    for (east, north) in WAYS {
        let mut run = 0;
        let mut steps = 1;
        while let Some(next) = square(file(at) + east * steps, rank(at) + north * steps) {
            if has(theirs, next) {
                run |= 1 << next;
            } else {
                if has(mine, next) && (steps <= 2 || !rules.single) {
                    all |= run;
                }
                break;
            }
            steps += 1;
        }
    }
    all
}

impl Position {
    fn hole(self) -> usize {
        (0..SQUARES).find(|&at| !has(self.mine | self.theirs, at)).expect("a square is empty")
    }

    /// The position, as seen by the other side, after a stone has moved from `from` to the empty square `to`; and
    /// whether the move captured.
    fn moved(self, from: usize, to: usize, rules: Rules) -> (Self, bool) {
        let mine = self.mine & !(1 << from);
        let flips = captured(to, mine, self.theirs, rules);
        (Self { mine: self.theirs & !flips, theirs: mine | 1 << to | flips }, flips != 0)
    }

    /// The positions after each possible turn, as seen by the other side.
    fn after_turns(self, rules: Rules) -> Vec<Self> {
        let hole = self.hole();
        let beside = |at: usize| (file(at) - file(hole)).abs() + (rank(at) - rank(hole)).abs() == 1;
        let own: Vec<usize> = (0..SQUARES).filter(|&at| has(self.mine, at)).collect();
        if !own.iter().any(|&at| beside(at)) {
            return own.into_iter().map(|from| self.moved(from, hole, rules).0).collect();
        }
        let mut found = Vec::new();
        for from in own.into_iter().filter(|&at| beside(at)) {
            let (after, has_captured) = self.moved(from, hole, rules);
            found.push(after);
            if has_captured {
                let still_mine = Self { mine: after.theirs, theirs: after.mine };
                let (returned, captures_more) = still_mine.moved(hole, from, rules);
                if captures_more || !rules.back_captures {
                    found.push(returned);
                }
            }
        }
        found
    }
}

/// The image of a square under one of eight symmetries.
fn image(symmetry: usize, at: usize) -> usize {
    let (mut east, mut north) = (file(at), rank(at));
    for _ in 0..symmetry % 4 {
        (east, north) = (north, 4 - east);
    }
    if symmetry >= 4 {
        east = 4 - east;
    }
    square(east, north).expect("on the board")
}

fn image_of(symmetry: usize, set: u32) -> u32 {
    (0..SQUARES).filter(|&at| has(set, at)).fold(0, |images, at| images | 1 << image(symmetry, at))
}

/// The bytes of the table, after its header of 4096 bytes: for the empty squares a1, b1, c1, b2, c2 and c3 in turn, one
/// byte for each set of stones of the side to move. The bits of such a set are the other 24 squares, in order.
struct Table {
    rules: Rules,
    bytes: Vec<u8>,
    /// For each square, a symmetry that maps it to one of the six empty squares, and the index of that empty square.
    ways: Vec<(usize, usize)>,
}

const SIX: [usize; 6] = [0, 1, 2, 6, 7, 12];

/// The meaning of a byte: 0 for a draw; otherwise, the number of plies to the end plus 1; 255 if the side to move has
/// already won.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Meaning {
    Lost(u32),
    Draw,
    Won(u32),
}

impl Table {
    fn read(path: &str) -> Result<Self, String> {
        let mut bytes = Vec::new();
        File::open(path)
            .and_then(|mut file| file.read_to_end(&mut bytes))
            .map_err(|error| format!("{path}: {error}"))?;
        if bytes.len() != 4096 + 6 * (1 << 24) || !bytes.starts_with(b"gothello-arena table of seegover, format 1\n") {
            return Err(format!("{path} is not a table of format 1"));
        }
        let header = String::from_utf8(bytes.drain(..4096).collect()).unwrap_or_default();
        let rules = header.lines().nth(1).and_then(Rules::read).ok_or_else(|| format!("{path}: unknown rules"))?;
        let way = |at: usize| {
            let ways =
                (0..8).filter_map(|symmetry| Some((symmetry, SIX.iter().position(|&to| to == image(symmetry, at))?)));
            ways.min().expect("every square has an image among the six")
        };
        Ok(Self { rules, bytes, ways: (0..SQUARES).map(way).collect() })
    }

    fn meaning(&self, position: Position) -> Meaning {
        let (symmetry, class) = self.ways[position.hole()];
        let mine = image_of(symmetry, position.mine);
        let others = (0..SQUARES).filter(|&at| at != SIX[class]);
        let index = others.enumerate().fold(0, |index, (bit, at)| index | usize::from(has(mine, at)) << bit);
        match u32::from(self.bytes[class << 24 | index]) {
            0 => Meaning::Draw,
            255 => Meaning::Won(0),
            byte if byte % 2 == 1 => Meaning::Lost(byte - 1),
            byte => Meaning::Won(byte - 1),
        }
    }

    /// The value that the table should contain for a position, according to the table's values after each turn.
    fn expected(&self, position: Position) -> Meaning {
        if position.mine.count_ones() <= 4 {
            return Meaning::Lost(0);
        }
        if position.theirs.count_ones() <= 4 {
            return Meaning::Won(0);
        }
        let after: Vec<Meaning> = position.after_turns(self.rules).into_iter().map(|next| self.meaning(next)).collect();
        let lost = after.iter().filter_map(|next| if let Meaning::Lost(plies) = next { Some(plies + 1) } else { None });
        if let Some(plies) = lost.min() {
            return Meaning::Won(plies);
        }
        let won = |next: &Meaning| if let Meaning::Won(plies) = next { Some(plies + 1) } else { None };
        let all: Option<Vec<u32>> = after.iter().map(won).collect();
        all.and_then(|plies| plies.into_iter().max()).map_or(Meaning::Draw, Meaning::Lost)
    }
}

/// Random numbers, by xorshift.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}

/// The position with the empty square `hole`, in which the bits of `number` are the stones of the side to move.
fn numbered(hole: usize, number: u32) -> Position {
    let low = (1 << hole) - 1;
    let mine = (number & low) | (number & !low) << 1;
    Position { mine, theirs: ((1 << SQUARES) - 1) & !mine & !(1 << hole) }
}

fn check_table(table: &Table, sample: Option<u64>, seed: u64) -> Result<String, String> {
    let compare = |position: Position| {
        let (said, expected) = (table.meaning(position), table.expected(position));
        if said == expected { Ok(()) } else { Err(format!("{position:?}: {said:?}, but its turns give {expected:?}")) }
    };
    let Some(count) = sample else {
        for hole in 0..SQUARES {
            (0..1 << 24).try_for_each(|number| compare(numbered(hole, number)))?;
            eprintln!("empty square {} of {SQUARES}", hole + 1);
        }
        return Ok(format!("all {} positions agree with their turns", 25_u64 << 24));
    };
    let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    for _ in 0..count {
        let hole = random.below(25) as usize;
        // The sides can have the same number of stones, or one side can have few: all ratios are equally likely.
        let share = random.below(25);
        let number = (0..24).fold(0, |number, bit| number | u32::from(random.below(24) < share) << bit);
        compare(numbered(hole, number))?;
    }
    Ok(format!("{count} positions agree with their turns"))
}

/// A board of the drop phase, with a number for each of its eight images: black's stones, and white's stones shifted by
/// 25 bits.
#[derive(Clone, Copy)]
struct Drops {
    black: u32,
    white: u32,
    images: [u64; 8],
}

impl Drops {
    const EMPTY: Self = Self { black: 0, white: 0, images: [0; 8] };

    fn with(self, at: usize, black: bool, images_of: &[[u64; 8]; SQUARES]) -> Self {
        let (stone, shift) = (1 << at, if black { 0 } else { 25 });
        let images = std::array::from_fn(|symmetry| self.images[symmetry] | images_of[at][symmetry] << shift);
        if black {
            Self { black: self.black | stone, images, ..self }
        } else {
            Self { white: self.white | stone, images, ..self }
        }
    }

    /// The least of the images, and the symmetry that maps the board to it.
    fn least(&self) -> (u64, usize) {
        (0..8).map(|symmetry| (self.images[symmetry], symmetry)).min().expect("eight images")
    }

    const fn free(&self) -> u32 {
        ((1 << SQUARES) - 1) & !(self.black | self.white | 1 << CENTRE)
    }
}

/// The result that black tries to reach.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Goal {
    Draw,
    Win,
}

/// The proof that black reaches a goal, or that it does not.
struct Proof {
    goal: Goal,
    /// For each [`Goal`], one bit for each set of black's stones after the drops: whether black, to move, reaches the
    /// goal.
    ends: [Vec<u64>; 2],
    /// Black's turns, by the least image of the board.
    opening: HashMap<u64, Vec<usize>>,
    /// The number of stones that a turn drops.
    drop: usize,
    known: HashMap<u64, bool>,
    /// How many times a stone on each square was the right choice, for white and for black.
    right: [[u64; SQUARES]; 2],
    followed: usize,
    images_of: [[u64; 8]; SQUARES],
}

impl Proof {
    fn new(table: &Table, opening: &str, drop: usize) -> Result<Self, String> {
        let mut ends = [vec![0; 1 << 19], vec![0; 1 << 19]];
        for number in (0..1_u32 << 24).filter(|number| number.count_ones() == 12) {
            let position = numbered(CENTRE, number);
            let reached: &[Goal] = match table.meaning(position) {
                Meaning::Lost(_) => &[],
                Meaning::Draw => &[Goal::Draw],
                Meaning::Won(_) => &[Goal::Draw, Goal::Win],
            };
            for &goal in reached {
                ends[goal as usize][position.mine as usize / 64] |= 1 << (position.mine % 64);
            }
        }
        let images_of = std::array::from_fn(|at| std::array::from_fn(|symmetry| 1 << image(symmetry, at)));
        let mut turns = HashMap::new();
        for line in opening.lines().filter(|line| !line.starts_with('#')) {
            let (board, turn) =
                entry(line, &images_of).ok_or_else(|| format!("`{line}` is not a line of an opening"))?;
            let (least, symmetry) = board.least();
            turns.insert(least, turn.into_iter().map(|at| image(symmetry, at)).collect());
        }
        let (known, right) = (HashMap::new(), [[0; SQUARES]; 2]);
        Ok(Self { goal: Goal::Win, ends, opening: turns, drop, known, right, followed: 0, images_of })
    }

    /// Whether black drops the next stone: black has the second-to-last turn, the fourth-to-last, and so on.
    const fn is_blacks(&self, left: usize) -> bool {
        left.div_ceil(self.drop).is_multiple_of(2)
    }

    /// Whether black reaches the goal.
    fn holds(&mut self, board: Drops) -> Result<bool, String> {
        let left = board.free().count_ones() as usize;
        if left < 8 {
            return Ok(self.end(board.black, board.free(), left));
        }
        let (least, symmetry) = board.least();
        if let Some(&known) = self.known.get(&least) {
            return Ok(known);
        }
        let answer = match self.opening.get(&least).cloned() {
            Some(turn) if self.is_blacks(left) => self.follow(board, symmetry, &turn)?,
            _ => self.search(board, left)?,
        };
        self.known.insert(least, answer);
        Ok(answer)
    }

    /// Whether black reaches the goal from a position in which few squares are free, without remembering positions.
    fn end(&self, black: u32, free: u32, left: usize) -> bool {
        if left == 0 {
            return self.ends[self.goal as usize][black as usize / 64] >> (black % 64) & 1 == 1;
        }
        let is_blacks = self.is_blacks(left);
        let mut rest = free;
        while rest != 0 {
            let stone = rest & rest.wrapping_neg();
            rest &= rest - 1;
            let black = if is_blacks { black | stone } else { black };
            if self.end(black, free & !stone, left - 1) == is_blacks {
                return is_blacks;
            }
        }
        !is_blacks
    }

    /// Plays the opening's turn, which must win.
    fn follow(&mut self, board: Drops, symmetry: usize, turn: &[usize]) -> Result<bool, String> {
        self.followed += 1;
        let mut after = board;
        for &to in turn {
            let at = (0..SQUARES).find(|&at| has(after.free(), at) && image(symmetry, at) == to);
            after = after.with(at.ok_or("the opening drops a stone on an occupied square")?, true, &self.images_of);
        }
        let wins = self.holds(after)?;
        if wins {
            Ok(true)
        } else {
            Err(format!("the opening's turn {turn:?} loses on {:?}", (board.black, board.white)))
        }
    }

    fn search(&mut self, board: Drops, left: usize) -> Result<bool, String> {
        let is_blacks = self.is_blacks(left);
        let mut free: Vec<usize> = (0..SQUARES).filter(|&at| has(board.free(), at)).collect();
        free.sort_by_key(|&at| std::cmp::Reverse(self.right[usize::from(is_blacks)][at]));
        // A position that is already known can decide the question immediately.
        for &at in &free {
            let (least, _) = board.with(at, is_blacks, &self.images_of).least();
            if self.known.get(&least) == Some(&is_blacks) {
                return Ok(is_blacks);
            }
        }
        for at in free {
            if self.holds(board.with(at, is_blacks, &self.images_of))? == is_blacks {
                self.right[usize::from(is_blacks)][at] += 1 << (left / 2);
                return Ok(is_blacks);
            }
        }
        Ok(!is_blacks)
    }
}

/// Parses a line such as `b.... ..... ..w.. ..... ..... e5`.
fn entry(line: &str, images_of: &[[u64; 8]; SQUARES]) -> Option<(Drops, Vec<usize>)> {
    let words: Vec<&str> = line.split(' ').collect();
    let (turn, ranks) = words.split_last()?;
    let mut board = Drops::EMPTY;
    for (north, rank) in (0..5).rev().zip(ranks) {
        for (east, letter) in rank.chars().enumerate() {
            let at = square(i32::try_from(east).ok()?, north)?;
            match letter {
                'b' | 'w' => board = board.with(at, letter == 'b', images_of),
                '.' => {}
                _ => return None,
            }
        }
    }
    let turn: Option<Vec<usize>> = turn.split('+').map(named).collect();
    (ranks.len() == 5).then_some((board, turn?))
}

/// The square with the name `name`.
fn named(name: &str) -> Option<usize> {
    let &[file @ b'a'..=b'e', rank @ b'1'..=b'5'] = name.as_bytes() else { return None };
    square(i32::from(file - b'a'), i32::from(rank - b'1'))
}

/// The first turn of black.
enum First {
    /// No given turn: black looks for a turn that wins.
    Any,
    /// The turn that drops the given stones.
    These(Vec<usize>),
    /// One turn after another, but only one of the turns that are images of each other.
    Each,
}

impl First {
    fn read(word: Option<&str>, drop: usize) -> Result<Self, String> {
        match word {
            None => Ok(Self::Any),
            Some("each") => Ok(Self::Each),
            Some(word) => {
                let stones: Option<Vec<usize>> = word.split('+').map(named).collect();
                stones.filter(|stones| stones.len() == drop).map(Self::These).ok_or_else(|| format!("--first {word}?"))
            }
        }
    }
}

/// The first turns that drop `drop` stones. Of turns that are images of each other, only one is included.
fn first_turns(drop: usize, images_of: &[[u64; 8]; SQUARES]) -> Vec<Vec<usize>> {
    let mut least_images = HashSet::new();
    let squares = || (0..SQUARES).filter(|&at| at != CENTRE);
    let turns = squares().flat_map(|one| {
        let others = squares().filter(move |&other| other > one).map(move |other| vec![one, other]);
        if drop == 1 { vec![vec![one]] } else { others.collect() }
    });
    turns.filter(|turn| least_images.insert(board_after(turn, images_of).least().0)).collect()
}

/// The name of a square.
fn name(at: usize) -> String {
    let letter = char::from(b"abcde"[at % 5]);
    format!("{letter}{}", at / 5 + 1)
}

/// The board after black's first turn.
fn board_after(stones: &[usize], images_of: &[[u64; 8]; SQUARES]) -> Drops {
    stones.iter().fold(Drops::EMPTY, |board, &at| board.with(at, true, images_of))
}

fn check_drops(table: &Table, opening: &str, drop: usize, first: &First) -> Result<String, String> {
    let mut proof = Proof::new(table, opening, drop)?;
    let turns = match first {
        First::Any => vec![Vec::new()],
        First::These(stones) => vec![stones.clone()],
        First::Each => first_turns(drop, &proof.images_of),
    };
    let last = turns.len() - 1;
    for turn in &turns[..last] {
        println!("{}", prove(&mut proof, turn)?);
    }
    prove(&mut proof, &turns[last])
}

/// Finds out who wins after the first turn `turn`, or from the empty board if `turn` has no stone.
fn prove(proof: &mut Proof, turn: &[usize]) -> Result<String, String> {
    let board = board_after(turn, &proof.images_of);
    let names: Vec<String> = turn.iter().map(|&at| name(at)).collect();
    let after = if turn.is_empty() { String::new() } else { format!("{}: ", names.join("+")) };
    let (mut followed, mut searched) = (0, 0);
    let mut reaches = |proof: &mut Proof, goal| {
        // Each proof starts from scratch, so that the memory of the previous proof is free again.
        (proof.goal, proof.known, proof.followed) = (goal, HashMap::new(), 0);
        let holds = proof.holds(board);
        (followed, searched) = (followed + proof.followed, searched + proof.known.len());
        holds
    };
    let result = if reaches(proof, Goal::Win)? {
        "black wins against every defence"
    } else if reaches(proof, Goal::Draw)? {
        "a draw: each side has a defence against every attack"
    } else {
        "white wins against every defence"
    };
    Ok(format!("{after}{result}; {followed} turns of the opening followed, {searched} positions searched"))
}

fn run(words: &[String]) -> Result<String, String> {
    let value = |name: &str| {
        let at = words.iter().position(|word| word == name)?;
        words.get(at + 1).map(String::as_str)
    };
    let number =
        |name: &str, default: u64| value(name).map_or(Ok(default), |text| text.parse().map_err(|_| format!("{name}?")));
    match words {
        [what, table, ..] if what == "table" => {
            let sample =
                if words.iter().any(|word| word == "--all") { None } else { Some(number("--sample", 1_000_000)?) };
            check_table(&Table::read(table)?, sample, number("--seed", 1)?)
        }
        [what, table, opening, ..] if what == "drops" => {
            let text = std::fs::read_to_string(opening).map_err(|error| format!("{opening}: {error}"))?;
            let drop = number("--drop", 1)?.clamp(1, 2) as usize;
            check_drops(&Table::read(table)?, &text, drop, &First::read(value("--first"), drop)?)
        }
        _ => {
            Err("usage: check_seegover table TABLE [--sample N --seed N | --all] | check_seegover drops TABLE OPENING [--drop 2] [--first TURN|each]".to_owned())
        }
    }
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match run(&words) {
        Ok(found) => {
            println!("{found}");
            ExitCode::SUCCESS
        }
        Err(wrong) => {
            eprintln!("check_seegover: {wrong}");
            ExitCode::FAILURE
        }
    }
}
