//! A position of the move phase from the perspective of the side to move, and the turns that lead to it.

use crate::game::seegover::{
    ALL, BackRule, CaptureRule, DropRule, MoveRules, Square, Squares, View, neighbours, squares,
};

/// A full board: which of the 24 stones belong to the side to move, and which square is empty.
///
/// Invariant: `own` does not contain `hole`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Full {
    own: Squares,
    hole: Square,
}

impl Full {
    /// The position in which the side to move has the stones `own`, which must not be on `hole`.
    pub(super) const fn of(own: Squares, hole: Square) -> Self {
        debug_assert!(own & (hole.bit() | !ALL) == 0);
        Self { own, hole }
    }

    /// The position that the side to move sees as `view`; `None` in the drop phase.
    pub(super) const fn seen(view: View) -> Option<Self> {
        match view.hole() {
            Some(hole) => Some(Self::of(view.own(), hole)),
            None => None,
        }
    }

    /// The stones of the side to move.
    pub(super) const fn own(self) -> Squares {
        self.own
    }

    /// The empty square.
    pub(super) const fn hole(self) -> Square {
        self.hole
    }

    /// The stones of the other side.
    const fn enemy(self) -> Squares {
        ALL ^ self.own ^ self.hole.bit()
    }

    /// The same position, in the form that the rules use.
    pub(super) const fn view(self) -> View {
        View::of_valid(self.own, self.enemy())
    }

    /// Calls `visit` with the position after each turn of a position in play, from the other side's perspective.
    pub(super) fn each_after(self, rules: MoveRules, mut visit: impl FnMut(Self)) {
        self.view().each_turn(rules.with(DropRule::One), |_, after| visit(Self::seen(after.swapped()).unwrap_or(self)));
    }

    /// Calls `visit` with the position before each turn that leads to this one, once for each turn. Some of these
    /// positions are not in play.
    pub(super) fn each_before(self, rules: MoveRules, mut visit: impl FnMut(Self)) {
        // `moved` contains the stones of the side that has just had its turn.
        let (moved, own, hole) = (self.enemy(), self.own, self.hole.bit());
        for at in squares(moved) {
            // On its arrival, the stone would already have captured anything that it can capture now.
            if captures(at, moved, own, rules.capture) != 0 {
                continue;
            }
            if neighbours(hole) & at.bit() == 0 {
                for &flipped in Reversals::of(at, moved, rules.capture, Least::One).all() {
                    visit(Self::of((moved ^ at.bit() ^ flipped) | hole, at));
                }
                continue;
            }
            for &flipped in Reversals::of(at, moved, rules.capture, Least::None).all() {
                let before = Self::of((moved ^ at.bit() ^ flipped) | hole, at);
                visit(before);
                if flipped != 0 || rules.back == BackRule::Free {
                    before.each_before_step_to(self.hole, rules.capture, &mut visit);
                }
            }
        }
    }

    /// Calls `visit` with each position in which the stone now on `at` was on the square that is now empty, before it
    /// stepped to `at` and captured. In `self`, the side to move is the side that has stepped and is about to return.
    fn each_before_step_to(self, at: Square, rule: CaptureRule, visit: &mut impl FnMut(Self)) {
        if captures(at, self.own, self.enemy(), rule) != 0 {
            return;
        }
        // The first of the sets is empty.
        for &flipped in &Reversals::of(at, self.own, rule, Least::None).all()[1..] {
            visit(Self::of((self.own ^ at.bit() ^ flipped) | self.hole.bit(), at));
        }
    }
}

/// The stones of `enemy` that a stone of `own` on `at` encloses.
fn captures(at: Square, own: Squares, enemy: Squares, rule: CaptureRule) -> Squares {
    View::of_valid(own, enemy).captures(at, rule)
}

/// How many stones must have been captured in a direction in which the next stone now has the capturer's colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Least {
    /// None: that stone may have had its colour before.
    None,
    /// One, since a stone is lifted only if none of the side's stones is next to the empty square.
    One,
}

/// All sets of stones that a stone may have captured on its arrival.
struct Reversals {
    sets: [Squares; Self::MOST],
    count: usize,
}

impl Reversals {
    /// In each direction, all stones of a run except the last can have been captured, nearest first; with
    /// [`CaptureRule::Single`], only the nearest one can. There are at most sixteen sets, a number that occurs in a
    /// corner with two runs of four stones, in the middle of an edge, and in the centre.
    const MOST: usize = 16;

    /// The sets for a stone on `at`, where the stones `own` now have its colour. The empty set, if it is one of them,
    /// comes first.
    fn of(at: Square, own: Squares, rule: CaptureRule, least: Least) -> Self {
        let most = match rule {
            CaptureRule::Line => usize::MAX,
            CaptureRule::Single => 1,
        };
        let mut found = Self { sets: [0; Self::MOST], count: 1 };
        for ray in &RAYS[usize::from(at.index())] {
            let run = ray.iter().take_while(|&&square| own & square != 0).count();
            if run > 0 {
                found.extend(&ray[..most.min(run - 1)], least);
            }
        }
        found
    }

    /// Combines each set with the possible captures in one more direction, where the stones `run` can have been
    /// captured.
    fn extend(&mut self, run: &[Squares], least: Least) {
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

    fn all(&self) -> &[Squares] {
        &self.sets[..self.count]
    }
}

/// For each square and direction, the squares in order up to the edge, followed by zeros.
static RAYS: [[[Squares; 4]; 4]; 25] = {
    let mut table = [[[0; 4]; 4]; 25];
    let mut at = 0;
    while at < 25 * 4 {
        let (square, steps) = (at / 4, at % 4 + 1);
        let (rank, file) = (square / 5, square % 5);
        if file + steps < 5 {
            table[square][0][steps - 1] = 1 << (square + steps);
        }
        if file >= steps {
            table[square][1][steps - 1] = 1 << (square - steps);
        }
        if rank + steps < 5 {
            table[square][2][steps - 1] = 1 << (square + 5 * steps);
        }
        if rank >= steps {
            table[square][3][steps - 1] = 1 << (square - 5 * steps);
        }
        at += 1;
    }
    table
};
