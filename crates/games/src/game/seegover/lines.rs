//! The stones that a stone captures along a rank or a file, looked up in tables.

use super::options::CaptureRule;
use super::squares::{FILE_A, SIZE, Squares};

/// The stones that a newly arrived stone captures on a line of five squares. The indices are the stone's place, its
/// side's stones and the enemy's stones. Stones are bits of the line.
type LineTable = [[[u8; 32]; 32]; 5];

/// The table for [`CaptureRule::Line`].
static RUNS: LineTable = table(false);

/// The table for [`CaptureRule::Single`].
static SINGLES: LineTable = table(true);

/// The five squares of a file, at bits 0, 5, .., 20, for each set of bits 0 to 4.
static FILES: [Squares; 32] = files();

const fn table(single: bool) -> LineTable {
    let mut table = [[[0; 32]; 32]; 5];
    let mut at = 0;
    while at < 5 {
        let mut own = 0;
        while own < 32 {
            let mut enemy = 0;
            while enemy < 32 {
                if own & enemy == 0 {
                    table[at][own][enemy] =
                        captured(at, own, enemy, true, single) | captured(at, own, enemy, false, single);
                }
                enemy += 1;
            }
            own += 1;
        }
        at += 1;
    }
    table
}

/// The run of enemy stones from `at` upwards or downwards, if it ends at one of the side's own stones.
const fn captured(at: usize, own: usize, enemy: usize, upwards: bool, single: bool) -> u8 {
    let (mut run, mut length, mut place) = (0, 0, at);
    loop {
        if (upwards && place == 4) || (!upwards && place == 0) {
            return 0;
        }
        place = if upwards { place + 1 } else { place - 1 };
        if enemy >> place & 1 == 0 {
            break;
        }
        run |= 1 << place;
        length += 1;
    }
    let is_enclosed = own >> place & 1 != 0;
    if is_enclosed && (length == 1 || !single) { run } else { 0 }
}

const fn files() -> [Squares; 32] {
    let mut files = [0; 32];
    let mut bits: Squares = 0;
    while bits < 32 {
        let mut rank = 0;
        while rank < 5 {
            files[bits as usize] |= (bits >> rank & 1) << (5 * rank);
            rank += 1;
        }
        bits += 1;
    }
    files
}

/// The stones of `set` on `file`, gathered into bits 0 to 4.
#[inline]
const fn gathered(set: Squares, file: u8) -> usize {
    /// Moves bit `5 * i` to bit `20 + i`. The partial products do not overlap, so there are no carries.
    const GATHER: u64 = 1 << 20 | 1 << 16 | 1 << 12 | 1 << 8 | 1 << 4;
    let column = (set >> file & FILE_A) as u64;
    ((column * GATHER) >> 20 & 31) as usize
}

/// The squares of the rank and the file through the square with the index `at`.
#[inline]
pub(super) const fn through(at: u8) -> Squares {
    (31 << (at / SIZE * SIZE)) | FILE_A << (at % SIZE)
}

/// The stones of `enemy` captured by a stone that has just arrived on the square with the index `at`.
#[inline]
pub(super) fn captures(at: u8, own: Squares, enemy: Squares, rule: CaptureRule) -> Squares {
    let table = match rule {
        CaptureRule::Line => &RUNS,
        CaptureRule::Single => &SINGLES,
    };
    let (file, rank) = (at % SIZE, at / SIZE);
    let shift = rank * SIZE;
    let along_rank = table[usize::from(file)][(own >> shift & 31) as usize][(enemy >> shift & 31) as usize];
    let along_file = table[usize::from(rank)][gathered(own, file)][gathered(enemy, file)];
    Squares::from(along_rank) << shift | FILES[usize::from(along_file) & 31] << file
}
