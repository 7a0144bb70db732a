//! A position of the move phase as the side to move sees it, with the turns forward and back.

use super::squares::{BESIDE, COUNT, RAYS, SquareBits, WHOLE, captures, squares};

/// The fewest stones with which a side has not lost.
pub(super) const FEWEST: u32 = 5;

/// A full board: which of the 24 stones belong to the side to move, and which square is empty.
///
/// Invariant: `empty` is a square, and `own` does not have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct View {
    own: SquareBits,
    empty: usize,
}

impl View {
    /// The position in which the side to move has the stones `own` and the square `empty` is empty, or `None` if the two
    /// contradict each other or lie off the board. Bit `rank * 5 + file` is a square, both from zero, a1 being bit 0.
    pub const fn new(own: u32, empty: usize) -> Option<Self> {
        if empty < COUNT && own & !WHOLE == 0 && own >> empty & 1 == 0 { Some(Self { own, empty }) } else { None }
    }

    /// The same without a check, for code that upholds the invariant.
    pub(super) const fn of(own: SquareBits, empty: usize) -> Self {
        debug_assert!(Self::new(own, empty).is_some());
        Self { own, empty }
    }

    /// The stones of the side to move.
    pub const fn own(self) -> u32 {
        self.own
    }

    /// The empty square.
    pub const fn empty(self) -> usize {
        self.empty
    }

    /// The stones of the other side.
    const fn other(self) -> SquareBits {
        WHOLE ^ self.own ^ self.hole()
    }

    const fn hole(self) -> SquareBits {
        1 << self.empty
    }

    /// Whether both sides have stones enough for the game to go on.
    pub const fn is_in_play(self) -> bool {
        self.own.count_ones() >= FEWEST && self.other().count_ones() >= FEWEST
    }

    /// Calls `visit` with the position after each turn of a position in play, once for each turn, until it returns `false`.
    /// Returns whether it never did.
    pub(super) fn all_after(self, mut visit: impl FnMut(Self) -> bool) -> bool {
        let steps = BESIDE[self.empty] & self.own;
        if steps == 0 {
            return squares(self.own).all(|from| visit(self.moved(from).0));
        }
        squares(steps).all(|from| {
            let (after, has_captured) = self.moved(from);
            visit(after) && (!has_captured || visit(after.returned(self.empty)))
        })
    }

    /// The position after the stone on `from` has gone to the empty square, and whether it has captured.
    fn moved(self, from: usize) -> (Self, bool) {
        let captured = captures(self.empty, self.own & !(1 << from), self.other());
        (Self::of(self.other() ^ captured, from), captured != 0)
    }

    /// The position after the stone on `at`, which has just stepped there, has gone back to the empty square. The side to
    /// move is already the other one.
    fn returned(self, at: usize) -> Self {
        let captured = captures(self.empty, self.other() & !(1 << at), self.own);
        Self::of(self.own ^ captured, at)
    }

    /// Calls `visit` with the position before each turn that leads to this one, once for each turn. Positions that are not
    /// in play are among them.
    pub(super) fn each_before(self, mut visit: impl FnMut(Self)) {
        // `moved` is the side that has just had its turn.
        let (moved, own, hole) = (self.other(), self.own, self.hole());
        for at in squares(moved) {
            let stone = 1 << at;
            // What the stone could still capture, it would have captured.
            if captures(at, moved, own) != 0 {
                continue;
            }
            if BESIDE[self.empty] & stone == 0 {
                for &flipped in Reversals::of(at, moved, Least::One).all() {
                    visit(Self::of(moved ^ stone ^ flipped | hole, at));
                }
                continue;
            }
            for &flipped in Reversals::of(at, moved, Least::None).all() {
                let before = Self::of(moved ^ stone ^ flipped | hole, at);
                visit(before);
                before.each_before_step_to(self.empty, &mut visit);
            }
        }
    }

    /// Calls `visit` with each position from which the stone that is now on `at` has stepped there from the empty square, and
    /// has captured. The side to move is already the one that has stepped and is about to return.
    fn each_before_step_to(self, at: usize, visit: &mut impl FnMut(Self)) {
        if captures(at, self.own, self.other()) != 0 {
            return;
        }
        // The first reversal flips nothing.
        for &flipped in &Reversals::of(at, self.own, Least::None).all()[1..] {
            visit(Self::of(self.own ^ 1 << at ^ flipped | self.hole(), at));
        }
    }
}

/// How many stones must have been captured in a direction in which the next stone now has the capturer's colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Least {
    /// None: that stone may have had its colour before.
    None,
    /// One, since a stone is lifted only if no own stone is beside the empty square.
    One,
}

/// All sets of stones that a stone may have captured on its arrival.
struct Reversals {
    sets: [SquareBits; Self::MOST],
    count: usize,
}

impl Reversals {
    /// In each direction, all stones of a run but the last may have been captured, nearest first. A corner with two runs of
    /// four stones and a square in the middle of an edge have sixteen ways, and no square has more.
    const MOST: usize = 16;

    /// The sets for a stone on `at`, of the stones `own` that now have its colour. The empty set comes first, if it is one.
    fn of(at: usize, own: SquareBits, least: Least) -> Self {
        let mut found = Self { sets: [0; Self::MOST], count: 1 };
        for ray in &RAYS[at] {
            let run = ray.iter().take_while(|&&square| own & square != 0).count();
            if run > 0 {
                found.extend(&ray[..run - 1], least);
            }
        }
        found
    }

    /// Combines each set with the possible captures in one more direction: `run` is what may have been captured there.
    fn extend(&mut self, run: &[SquareBits], least: Least) {
        let before = self.count;
        let mut prefix = 0;
        for &square in run {
            prefix |= square;
            for index in 0..before {
                self.sets[self.count] = self.sets[index] | prefix;
                self.count += 1;
            }
        }
        if least == Least::One {
            self.sets.copy_within(before..self.count, 0);
            self.count -= before;
        }
    }

    fn all(&self) -> &[SquareBits] {
        &self.sets[..self.count]
    }
}
