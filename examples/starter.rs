//! A Gothello player to start from, in Rust with only the standard library. Copy the file, or run it as it is:
//!
//!     cargo run --example starter -- SIDE HOST SERVER     for example: ... -- black localhost 0
//!
//! It captures as many stones as it can, and otherwise plays anywhere. Improve `choose`; the rest may stay as it is.

use std::error::Error;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;

/// 25 points, `rank * 5 + file`, each `b'.'`, `b'b'` (black) or `b'w'` (white).
type Board = [u8; 25];

// --- The rules. ---

fn opponent(stone: u8) -> u8 {
    if stone == b'b' { b'w' } else { b'b' }
}

/// The two to four points next to `point`.
fn neighbours(point: usize) -> impl Iterator<Item = usize> {
    let (file, rank) = (point % 5, point / 5);
    let left = (file > 0).then(|| point - 1);
    let right = (file < 4).then(|| point + 1);
    let below = (rank > 0).then(|| point - 5);
    let above = (rank < 4).then(|| point + 5);
    [left, right, below, above].into_iter().flatten()
}

/// The group of stones at `point`, and whether the group touches an empty point (a liberty).
fn group(board: &Board, point: usize) -> (Vec<usize>, bool) {
    let (mut group, mut free, mut next) = (vec![point], false, 0);
    while next < group.len() {
        for beside in neighbours(group[next]) {
            free |= board[beside] == b'.';
            if board[beside] == board[point] && !group.contains(&beside) {
                group.push(beside);
            }
        }
        next += 1;
    }
    (group, free)
}

/// Whether `side` may play on `point`: it must be empty, and the new stone's group must have a liberty before captures.
fn is_legal(board: &Board, stone: u8, point: usize) -> bool {
    let mut after = *board;
    after[point] = stone;
    board[point] == b'.' && group(&after, point).1
}

/// The board after a legal placement. Groups next to the new stone change colour if they have lost their last liberty.
fn place(board: &Board, stone: u8, point: usize) -> Board {
    let mut placed = *board;
    placed[point] = stone;
    let mut after = placed;
    for beside in neighbours(point).filter(|&beside| placed[beside] == opponent(stone)) {
        let (captured, free) = group(&placed, beside);
        if !free {
            for point in captured {
                after[point] = stone;
            }
        }
    }
    after
}

fn count(board: &Board, stone: u8) -> usize {
    board.iter().map(|&other| usize::from(other == stone)).sum()
}

// --- The thinking. ---

/// A number that decides between equally good points: as good as random, and always the same for the same seed.
fn lot(seed: &str, board: &Board, point: usize) -> u64 {
    let mut hasher = DefaultHasher::new();
    (seed, board, point).hash(&mut hasher);
    hasher.finish()
}

/// The point to play on, or `None` to pass. You may pass at any time; two passes in a row end the game.
fn choose(board: &Board, me: u8, opponent_passed: bool, seed: &str) -> Option<usize> {
    if opponent_passed && count(board, me) > count(board, opponent(me)) {
        return None; // the game ends, and we have won it
    }
    // YOUR IDEA GOES HERE. This one looks one move ahead and counts its stones. What will the opponent answer? Which
    // groups have an eye (an empty point on which the opponent may never play) and so are safe? Would a pass be better?
    let legal = (0..25).filter(|&point| is_legal(board, me, point));
    legal.max_by_key(|&point| (count(&place(board, me, point), me), lot(seed, board, point)))
}

// --- The protocol: lines that begin with a three-digit code. ---

fn point_named(name: &str) -> Option<usize> {
    match name.as_bytes() {
        [file @ b'a'..=b'e', rank @ b'1'..=b'5'] => Some(usize::from(rank - b'1') * 5 + usize::from(file - b'a')),
        _ => None,
    }
}

fn name(point: usize) -> String {
    format!("{}{}", ["a", "b", "c", "d", "e"][point % 5], point / 5 + 1)
}

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [side, host, server] = &args[..] else { return Err("usage: starter SIDE HOST SERVER".into()) };
    let mut connection = TcpStream::connect((host.as_str(), 29068 + server.parse::<u16>()?))?;
    connection.set_nodelay(true)?; // our clock runs until the line arrives
    let lines = BufReader::new(connection.try_clone()?).lines();

    // The arena sets the seed, so that games can be repeated.
    let seed = std::env::var("GOTHELLO_SEED").unwrap_or_else(|_| std::process::id().to_string());
    let (mut board, mut me, mut plies, mut passed) = ([b'.'; 25], b'.', 0, false);
    for line in lines {
        let line = line?;
        let words: Vec<&str> = line.split_whitespace().collect();
        let code: u32 = words.first().ok_or("an empty line")?.parse()?;
        let mut our_turn = false;
        match code {
            0 => connection.write_all(format!("0.9.1 player {side}\r").as_bytes())?, // greeting
            351 => me = b'w',
            352 => (me, our_turn) = (b'b', true), // the game begins; black moves first
            // A move was made, by black if the code is odd: "311 1 c3" or "312 1 ... d4".
            311..=318 => {
                let (mover, word) = if code % 2 == 1 { (b'b', 2) } else { (b'w', 3) };
                // Anything but a point is a pass.
                let point = words.get(word).and_then(|word| point_named(word));
                board = point.map_or(board, |point| place(&board, mover, point));
                (plies, passed, our_turn) = (plies + 1, point.is_none(), mover != me);
            }
            201..=204 | 320..=329 | 360..=369 | 390..=399 => return Ok(()), // the result
            190..=199 | 290..=299 => return Err(format!("the referee says: {line}").into()),
            _ => {} // 100, 101: seated; 200, 207: our move is accepted
        }
        if our_turn {
            let played = choose(&board, me, passed, &seed).map_or("pass".to_owned(), name);
            let dots = if me == b'w' { "... " } else { "" };
            connection.write_all(format!("{} {dots}{played}\r", plies / 2 + 1).as_bytes())?;
        }
    }
    Err("the referee closed the connection in the middle of the game".into())
}
