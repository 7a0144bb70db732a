//! Sets of squares as the table sees them, and the captures of one stone.
//!
//! The table has a layout and a capture of its own, apart from those of the rules: the check of a table goes by the rules
//! alone, so a mistake would have to be made twice.

/// A set of squares; bit `rank * 5 + file`, both from zero, a1 being bit 0.
pub(crate) type SquareBits = u32;

/// The number of squares.
pub(super) const COUNT: usize = 25;

/// All squares.
pub(super) const WHOLE: SquareBits = (1 << COUNT) - 1;

/// The number of squares in a rank or file.
const SIDE: usize = 5;

/// All sets of squares in one rank or file.
const LINES: usize = 1 << SIDE;

/// The squares next to each square.
pub(super) static BESIDE: [SquareBits; COUNT] = {
    let mut table = [0; COUNT];
    let mut square = 0;
    while square < COUNT {
        let mut way = 0;
        while way < 4 {
            table[square] |= RAYS[square][way][0];
            way += 1;
        }
        square += 1;
    }
    table
};

/// For each square and direction, the squares in order up to the edge; zeros follow.
pub(super) static RAYS: [[[SquareBits; SIDE]; 4]; COUNT] = {
    let mut table = [[[0; SIDE]; 4]; COUNT];
    let mut square = 0;
    while square < COUNT {
        let (rank, file) = (square / SIDE, square % SIDE);
        let mut steps = 1;
        while steps < SIDE {
            if file + steps < SIDE {
                table[square][0][steps - 1] = 1 << (square + steps);
            }
            if file >= steps {
                table[square][1][steps - 1] = 1 << (square - steps);
            }
            if rank + steps < SIDE {
                table[square][2][steps - 1] = 1 << (square + SIDE * steps);
            }
            if rank >= steps {
                table[square][3][steps - 1] = 1 << (square - SIDE * steps);
            }
            steps += 1;
        }
        square += 1;
    }
    table
};

/// What a stone at each place of a line captures in that line, by own stones, and opposing stones times 32.
static CAPTURES_IN_LINE: [[u8; LINES * LINES]; SIDE] = {
    let mut table = [[0; LINES * LINES]; SIDE];
    let mut place = 0;
    while place < SIDE {
        let mut stones = 0;
        while stones < LINES * LINES {
            table[place][stones] = captures_in_line(place, stones % LINES, stones / LINES);
            stones += 1;
        }
        place += 1;
    }
    table
};

/// What a stone at `place` of a line captures in both directions of the line.
#[expect(clippy::cast_possible_truncation, reason = "a line has five bits")]
const fn captures_in_line(place: usize, own: usize, other: usize) -> u8 {
    let mut captured = 0;
    let (mut at, mut run) = (place + 1, 0);
    while at < SIDE && other >> at & 1 == 1 {
        run |= 1 << at;
        at += 1;
    }
    if at < SIDE && own >> at & 1 == 1 {
        captured |= run;
    }
    (at, run) = (place, 0);
    while at > 0 && other >> (at - 1) & 1 == 1 {
        at -= 1;
        run |= 1 << at;
    }
    if at > 0 && own >> (at - 1) & 1 == 1 {
        captured |= run;
    }
    captured
}

/// The squares of file a whose ranks are the bits of the index.
static FILE_A: [SquareBits; LINES] = {
    let mut table = [0; LINES];
    let mut line = 0;
    while line < LINES {
        let mut rank = 0;
        while rank < SIDE {
            if line >> rank & 1 == 1 {
                table[line] |= 1 << (SIDE * rank);
            }
            rank += 1;
        }
        line += 1;
    }
    table
};

/// The ranks in which file a has a square of `set`.
const fn ranks_in_file_a(set: SquareBits) -> usize {
    // Multiplying moves the bits 0, 5, 10, 15 and 20 to 20, 21, 22, 23 and 24, and no two bits of the product meet.
    const FILE: SquareBits = 0x0010_8421;
    const GATHER: u64 = 0x0011_1110;
    (((set & FILE) as u64 * GATHER) >> 20) as usize % LINES
}

/// The stones of `other` that a stone captures that has just arrived on `at`. It matters neither whether `own` has that
/// stone nor whether either set has other stones on `at`.
pub(super) fn captures(at: usize, own: SquareBits, other: SquareBits) -> SquareBits {
    let (rank, file) = (at / SIDE, at % SIDE);
    let of_rank = |set: SquareBits| (set >> (SIDE * rank)) as usize % LINES;
    let of_file = |set: SquareBits| ranks_in_file_a(set >> file);
    let along_rank = CAPTURES_IN_LINE[file][of_rank(own) | of_rank(other) * LINES];
    let along_file = CAPTURES_IN_LINE[rank][of_file(own) | of_file(other) * LINES];
    SquareBits::from(along_rank) << (SIDE * rank) | FILE_A[along_file as usize] << file
}

/// The squares of `set`, lowest first.
pub(super) fn squares(mut set: SquareBits) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let square = (set != 0).then(|| set.trailing_zeros() as usize)?;
        set &= set - 1;
        Some(square)
    })
}
