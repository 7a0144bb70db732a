//! The values of all positions of the move phase, determined backwards from the end of the game.
//!
//! A position is lost in 0 plies if the side to move has too few stones. Starting with these positions, the build
//! proceeds depth by depth, from the newly decided positions to their predecessors: a position from which a turn leads
//! to a lost position is won, and a position from which all turns lead to won positions is lost. If nothing is decided
//! at two consecutive depths, the remaining positions are draws.

use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64};

use thiserror::Error;

use super::place::{PLACES, TablePlace};
use super::table::Tablebase;
use super::worth::Worth;
use crate::game::seegover::{BackRule, CaptureRule, MOST_OF_A_LOSER, MoveRules};

/// How many consecutive depths without decisions imply that there are none at later depths either: a win depends on a
/// loss one ply shallower, and a loss depends on a win one ply shallower.
const EMPTY_DEPTHS: u32 = 2;

/// The number of bits in a word of the marks.
const WORD: usize = u64::BITS as usize;

/// A pass over all places, which is completed before the next one begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sweep {
    /// Decides the positions in which the game is over.
    Ended,
    /// Decides the positions from which a turn leads to a position that has just been found to be lost.
    Wins,
    /// Marks the positions from which a turn leads to a position that has just been found to be won.
    Marks,
    /// Decides the marked positions whose turns all lead to won positions.
    Losses,
}

/// A table that is being built.
///
/// The work consists of sweeps, and each sweep consists of [`Retrograde::PARCELS`] parcels. Several threads can process
/// parcels at the same time and in any order: [`Retrograde::work`] processes one parcel. Between two sweeps,
/// [`Retrograde::advance`] must be called.
#[derive(Debug)]
pub struct Retrograde {
    rules: MoveRules,
    codes: Vec<AtomicU8>,
    marks: Vec<AtomicU64>,
    sweep: Sweep,
    /// The depth whose positions are being determined.
    depth: u8,
    /// Whether there are positions of this depth.
    has_found: AtomicBool,
    empty_depths: u32,
}

/// The error if a depth does not fit into the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a win takes more than {} plies, which a table cannot encode", Worth::MOST_PLIES)]
pub struct TooDeep;

/// The number of sweeps until all positions of `depth` are decided: one for each odd depth, and two for each even one.
const fn sweeps_until(depth: u64) -> u64 {
    1 + depth + depth / 2
}

impl Retrograde {
    /// The number of parcels in a sweep.
    pub const PARCELS: usize = PLACES / Self::PARCEL;

    /// The number of places in a parcel, large enough that threads rarely ask for another one.
    const PARCEL: usize = 1 << 16;

    /// Begins to build the table for `rules`.
    pub fn new(rules: MoveRules) -> Self {
        Self {
            rules,
            codes: std::iter::repeat_with(|| AtomicU8::new(Worth::UNDECIDED)).take(PLACES).collect(),
            marks: std::iter::repeat_with(AtomicU64::default).take(PLACES / WORD).collect(),
            sweep: Sweep::Ended,
            depth: 0,
            has_found: AtomicBool::new(false),
            empty_depths: 0,
        }
    }

    /// How many sweeps have been completed.
    pub const fn sweeps_done(&self) -> u64 {
        let before = match self.sweep {
            Sweep::Ended => return 0,
            Sweep::Wins | Sweep::Marks => 0,
            Sweep::Losses => 1,
        };
        sweeps_until(self.depth as u64 - 1) + before
    }

    /// How many sweeps the table will take, judging by the longest win that an earlier build of the same table found.
    pub const fn sweeps_expected(&self) -> u64 {
        let longest = match (self.rules.capture, self.rules.back) {
            (CaptureRule::Line, BackRule::Free) => 131,
            (CaptureRule::Line, BackRule::Capture) => 151,
            (CaptureRule::Single, BackRule::Free) => 146,
            (CaptureRule::Single, BackRule::Capture) => 156,
        };
        sweeps_until(longest + EMPTY_DEPTHS as u64)
    }

    /// The depth in plies whose positions are being determined.
    pub const fn depth(&self) -> u8 {
        self.depth
    }

    /// Processes one parcel of the current sweep.
    pub fn work(&self, parcel: usize) {
        let places = parcel * Self::PARCEL..(parcel + 1) * Self::PARCEL;
        match self.sweep {
            Sweep::Ended => self.decide_ended(places),
            Sweep::Wins => self.decide_wins(places),
            Sweep::Marks => self.mark(places),
            Sweep::Losses => self.decide_losses(places),
        }
    }

    /// Moves on to the next sweep, after all parcels of the current one have been processed. Returns `false` if the
    /// table is complete.
    ///
    /// # Errors
    /// Returns an error if the depth no longer fits into the table.
    pub fn advance(&mut self) -> Result<bool, TooDeep> {
        if self.sweep == Sweep::Marks {
            self.sweep = Sweep::Losses;
            return Ok(true);
        }
        self.empty_depths = if *self.has_found.get_mut() { 0 } else { self.empty_depths + 1 };
        if self.empty_depths == EMPTY_DEPTHS {
            return Ok(false);
        }
        self.depth = self.depth.checked_add(1).filter(|&depth| depth <= Worth::MOST_PLIES).ok_or(TooDeep)?;
        self.sweep = if self.depth % 2 == 1 { Sweep::Wins } else { Sweep::Marks };
        *self.has_found.get_mut() = false;
        Ok(true)
    }

    /// The table, once it is complete.
    pub fn finish(self) -> Tablebase {
        Tablebase::of_codes(self.rules, self.codes.into_iter().map(AtomicU8::into_inner).collect())
    }

    fn decide_ended(&self, places: Range<usize>) {
        for place in places.map(TablePlace::at) {
            if place.own_stones() <= MOST_OF_A_LOSER {
                self.decide(place, Worth::Lost(0));
            } else if place.other_stones() <= MOST_OF_A_LOSER {
                self.decide(place, Worth::Won(0));
            }
        }
    }

    fn decide_wins(&self, places: Range<usize>) {
        let won = Worth::Won(self.depth);
        self.each_before_last(places, Worth::Lost(self.depth - 1), |before| self.decide(before, won));
    }

    fn mark(&self, places: Range<usize>) {
        self.each_before_last(places, Worth::Won(self.depth - 1), |before| {
            let (word, bit) = (&self.marks[before.index() / WORD], 1 << (before.index() % WORD));
            // Most positions come up several times, and reading a word is cheaper than changing it.
            if word.load(Relaxed) & bit == 0 {
                word.fetch_or(bit, Relaxed);
            }
        });
    }

    fn decide_losses(&self, places: Range<usize>) {
        for word in places.step_by(WORD) {
            let mut marked = self.marks[word / WORD].swap(0, Relaxed);
            while marked != 0 {
                let place = TablePlace::at(word + marked.trailing_zeros() as usize);
                marked &= marked - 1;
                if self.is_undecided(place) && self.has_won_turns_only(place) {
                    self.decide(place, Worth::Lost(self.depth));
                }
            }
        }
    }

    /// Whether every turn leads to a position that is won for the other side.
    fn has_won_turns_only(&self, place: TablePlace) -> bool {
        let mut all = true;
        place.full().each_after(self.rules, |after| {
            // Lookups take most of the time, so they stop at the first position that is not won.
            all = all && matches!(Worth::of_code(self.code(TablePlace::of(after))), Worth::Won(_));
        });
        all
    }

    /// Calls `visit` with the undecided predecessors of those `places` that have the worth `last`, leaving out twins.
    fn each_before_last(&self, places: Range<usize>, last: Worth, visit: impl Fn(TablePlace)) {
        for place in places.map(TablePlace::at) {
            // The predecessors of a twin are twins of the predecessors.
            if self.code(place) == last.code() && place.twins().all(|twin| twin >= place) {
                place.full().each_before(self.rules, |before| {
                    let before = TablePlace::of(before);
                    if self.is_undecided(before) {
                        visit(before);
                    }
                });
            }
        }
    }

    fn code(&self, place: TablePlace) -> u8 {
        self.codes[place.index()].load(Relaxed)
    }

    fn is_undecided(&self, place: TablePlace) -> bool {
        self.code(place) == Worth::UNDECIDED
    }

    /// Sets the worth of `place` and its twins. Several threads can do so at the same time, because they all set the
    /// same worth within a sweep.
    fn decide(&self, place: TablePlace, worth: Worth) {
        for place in std::iter::once(place).chain(place.twins()) {
            self.codes[place.index()].store(worth.code(), Relaxed);
        }
        if !self.has_found.load(Relaxed) {
            self.has_found.store(true, Relaxed);
        }
    }
}
