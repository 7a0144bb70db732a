//! The stones from the perspective of the side to move, and the turns of the move phase.

use super::lines;
use super::options::{BackRule, CaptureRule, Options};
use super::play::Play;
use super::squares::{ALL, Square, Squares, neighbours};

/// The stones on the board in the move phase.
pub const FULL: u32 = 24;

/// The maximum number of stones of a side that has lost.
pub const MOST_OF_A_LOSER: u32 = 4;

/// The stones of the side to move and those of its opponent, without history.
///
/// Invariant: the two are disjoint subsets of [`ALL`] that leave a square empty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct View {
    own: Squares,
    enemy: Squares,
}

impl View {
    /// Creates the view of these stones, or returns `None` if they break the invariant.
    pub const fn new(own: Squares, enemy: Squares) -> Option<Self> {
        let both = own | enemy;
        if own & enemy != 0 || both & !ALL != 0 || both == ALL { None } else { Some(Self { own, enemy }) }
    }

    /// Creates the view of stones that satisfy the invariant.
    #[inline]
    pub(crate) const fn of_valid(own: Squares, enemy: Squares) -> Self {
        Self { own, enemy }
    }

    /// The stones of the side to move.
    #[inline]
    pub const fn own(self) -> Squares {
        self.own
    }

    /// The stones of the opponent.
    #[inline]
    pub const fn enemy(self) -> Squares {
        self.enemy
    }

    /// The squares without a stone.
    #[inline]
    pub const fn empty(self) -> Squares {
        ALL & !(self.own | self.enemy)
    }

    /// The only empty square of the move phase; `None` in the drop phase.
    #[inline]
    pub const fn hole(self) -> Option<Square> {
        match Square::pop(self.empty()) {
            Some((hole, 0)) => Some(hole),
            _ => None,
        }
    }

    /// The same stones from the opponent's perspective.
    #[inline]
    #[must_use]
    pub const fn swapped(self) -> Self {
        Self { own: self.enemy, enemy: self.own }
    }

    /// Whether the side to move has so few stones that, in the move phase, it has lost.
    #[inline]
    pub const fn is_lost(self) -> bool {
        self.own.count_ones() <= MOST_OF_A_LOSER
    }

    /// The enemy stones that one of the side's stones captures by arriving on `at`. It does not matter whether `at` is
    /// already among the side's stones.
    #[inline]
    pub fn captures(self, at: Square, rule: CaptureRule) -> Squares {
        lines::captures(at.index(), self.own, self.enemy, rule)
    }

    /// The stones of the side to move that can step into `hole`.
    #[inline]
    pub const fn steppers(self, hole: Square) -> Squares {
        neighbours(hole.bit()) & self.own
    }

    /// Moves a stone of the side to move from `from` to `to`, which is empty, and captures. Returns the resulting
    /// stones, still from the perspective of the same side, and those that were captured.
    #[inline]
    pub fn carry(self, from: Square, to: Square, rule: CaptureRule) -> (Self, Squares) {
        let arrived = Self { own: self.own & !from.bit() | to.bit(), enemy: self.enemy };
        let captured = arrived.captures(to, rule);
        (Self { own: arrived.own | captured, enemy: arrived.enemy & !captured }, captured)
    }

    /// Calls `visit` with every step into `hole`, and then with the step and return if the stone may return. The second
    /// argument is the stones after the turn, still from the perspective of the same side.
    #[inline]
    pub fn each_step(self, hole: Square, rules: Options, mut visit: impl FnMut(Play, Self)) {
        // The captures of a step do not depend on which stone steps: there is nothing to capture in the direction from
        // which it comes, and it does not affect the other directions.
        let captured = self.captures(hole, rules.capture);
        let taken = Self { own: self.own | captured, enemy: self.enemy & !captured };
        let mut steppers = self.steppers(hole);
        while let Some((from, rest)) = Square::pop(steppers) {
            steppers = rest;
            let stepped = Self { own: taken.own & !from.bit() | hole.bit(), enemy: taken.enemy };
            visit(Play::Move { from, to: hole }, stepped);
            if captured != 0 {
                let more = taken.captures(from, rules.capture);
                if more != 0 || rules.back == BackRule::Free {
                    let returned = Self { own: taken.own | more, enemy: taken.enemy & !more };
                    visit(Play::Return { from, to: hole }, returned);
                }
            }
        }
    }

    /// Calls `visit` with every lift of a stone of the side to move to `hole`, and with the stones after the turn,
    /// still from the perspective of the same side. The caller must ensure that there is no step.
    #[inline]
    pub fn each_lift(self, hole: Square, rules: Options, mut visit: impl FnMut(Play, Self)) {
        // Lifting a stone from elsewhere does not affect any run on the rank and the file of `hole`.
        let captured = self.captures(hole, rules.capture);
        let taken = Self { own: self.own | captured | hole.bit(), enemy: self.enemy & !captured };
        let lines = lines::through(hole.index());
        let mut stones = self.own;
        while let Some((from, rest)) = Square::pop(stones) {
            stones = rest;
            let after = if from.bit() & lines == 0 {
                Self { own: taken.own & !from.bit(), enemy: taken.enemy }
            } else {
                self.carry(from, hole, rules.capture).0
            };
            visit(Play::Move { from, to: hole }, after);
        }
    }

    /// Calls `visit` with every turn of the move phase and the stones after it, still from the perspective of the same
    /// side. In the drop phase, does nothing. The end of the game and the rule against cycles, which needs a history,
    /// are not taken into account.
    #[inline]
    pub fn each_turn(self, rules: Options, visit: impl FnMut(Play, Self)) {
        let Some(hole) = self.hole() else { return };
        if self.steppers(hole) == 0 {
            self.each_lift(hole, rules, visit);
        } else {
            self.each_step(hole, rules, visit);
        }
    }

    /// The stones after a turn of the move phase that [`View::each_turn`] has produced, still from the perspective of
    /// the same side.
    #[must_use]
    pub fn after(self, play: Play, rules: Options) -> Self {
        match play {
            Play::Drop(at) => Self { own: self.own | at.bit(), ..self },
            Play::Pair(first, second) => Self { own: self.own | first.bit() | second.bit(), ..self },
            Play::Move { from, to } => self.carry(from, to, rules.capture).0,
            Play::Return { from, to } => {
                let (stepped, _) = self.carry(from, to, rules.capture);
                stepped.carry(to, from, rules.capture).0
            }
        }
    }

    /// The number of move-phase sequences with `plies` turns from here, without the rule against cycles. Sequences that
    /// are shorter because of a win are not counted.
    pub fn perft(self, rules: Options, plies: u32) -> u64 {
        if plies == 0 {
            return 1;
        }
        if self.is_lost() {
            return 0;
        }
        let mut sequences = 0;
        self.each_turn(rules, |_, after| sequences += after.swapped().perft(rules, plies - 1));
        sequences
    }
}
