//! Proof-number search, for positions with many empty points: it always continues with the open position that seems
//! cheapest to prove. Positions with few empty points are left to the depth-first search, which is faster there.
//!
//! A question asks whether the value of a position reaches a bound. Each question has two numbers: how hard it seems to
//! prove that the value reaches the bound, and how hard it seems to prove that it does not. To prove a question, one
//! move must be proven; to disprove it, all moves must be disproven.
//!
//! Sources: L. Victor Allis, "Searching for Solutions in Games and Artificial Intelligence" (1994), for the numbers;
//! Ayumu Nagai, "Df-pn Algorithm for Searching AND/OR Trees and Its Applications" (2002), for the depth-first search
//! with two limits; Jakub Pawlewicz and Łukasz Lew, "Improving Depth-First PN-Search: 1+ε Trick" (2007).

#[cfg(test)]
mod tests;

use super::move_order::{closer, glance};
use super::search::{Search, judge_well};
use super::stones::{SearchPosition, Stones};
use super::task::{Bounds, MAX_PLACEMENTS, MOST, Task};
use super::transposition_table::{Key, KnownBounds, TranspositionTable};
use crate::game::gothello::Points;

/// Positions with this many empty points or more are proven by proof-number search.
const PROVEN_FROM: u32 = 18;

/// Positions with this many empty points or fewer are solved as a whole when their turn comes.
const WHOLE_TO: u32 = 12;

/// How many points in the score from [`glance`] and [`closer`] make a proof seem twice as hard.
const DOUBLING: i32 = 60;

/// The maximum number of doublings; higher scores count as this number.
const MOST_DOUBLINGS: i32 = 40;

/// How much harder a move may become than the next best move before the search turns to the latter.
const PERSISTENCE: f32 = 1.25;

/// How much harder a move seems while another thread is working on it.
const BUSY: f32 = 4.0;

/// Limits are slightly larger than their nominal values, so that rounding cannot keep a search from making progress.
const HEADWAY: f32 = 1.0001;

/// How hard the two proofs seem: 0 means proven, and infinity means disproven.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Effort {
    /// The proof that the value reaches the bound.
    reach: f32,
    /// The proof that the value does not reach the bound.
    miss: f32,
}

impl Effort {
    const REACHED: Self = Self { reach: 0.0, miss: f32::INFINITY };
    const MISSED: Self = Self { reach: f32::INFINITY, miss: 0.0 };

    const fn of(reached: bool) -> Self {
        if reached { Self::REACHED } else { Self::MISSED }
    }

    /// Guesses how hard the proofs are from `score`, which is how good the position looks for the side that has just
    /// moved.
    fn guess(score: i32) -> Self {
        Self { reach: doubled(score), miss: doubled(-score) }
    }

    fn is_settled(self) -> bool {
        self.reach == 0.0 || self.miss == 0.0
    }
}

/// Returns 1, doubled once for each [`DOUBLING`] points, with linear interpolation between the powers of two. This does
/// not use functions of the system's library, because libraries differ in the last digit, and the number of nodes of a
/// proof must not depend on the machine.
fn doubled(points: i32) -> f32 {
    let points = points.clamp(-MOST_DOUBLINGS * DOUBLING, MOST_DOUBLINGS * DOUBLING);
    let power = f32::from_bits((127 + points.div_euclid(DOUBLING)).cast_unsigned() << 23);
    #[expect(clippy::cast_precision_loss, reason = "small numbers, which are exact")]
    let [part, whole] = [DOUBLING + points.rem_euclid(DOUBLING), DOUBLING].map(|number| number as f32);
    power * (part / whole)
}

/// The known efforts for questions that are still open.
#[derive(Debug, Default)]
struct Efforts {
    /// The questions, each with the two numbers of its effort; initially empty. Empty places are all zeros, so that the
    /// system provides memory only for the part that is used.
    places: Vec<[(u64, f32, f32); WAYS]>,
}

const WAYS: usize = 4;
const PLACES: usize = 1 << 18;

impl Efforts {
    /// Creates space for four times `count` efforts.
    fn with_places(count: usize) -> Self {
        Self { places: vec![[(0, 0.0, 0.0); WAYS]; count] }
    }

    const fn place(&self, question: u64) -> usize {
        (question.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (u64::BITS / 2)) as usize % self.places.len()
    }

    fn get(&self, question: u64) -> Option<Effort> {
        let found = self.places[self.place(question)].iter().find(|(of, ..)| *of == question);
        found.map(|&(_, reach, miss)| Effort { reach, miss })
    }

    /// Stores an effort in place of the smallest one of its bucket.
    fn put(&mut self, question: u64, effort: Effort) {
        let place = self.place(question);
        let bucket = &mut self.places[place];
        let mut smallest = (f32::INFINITY, 0);
        for (way, &(of, reach, miss)) in bucket.iter().enumerate() {
            let size = if of == question { -1.0 } else { reach.min(miss) };
            if size < smallest.0 {
                smallest = (size, way);
            }
        }
        bucket[smallest.1] = (question, effort.reach, effort.miss);
    }
}

/// A move, and the question that it leaves to the other side.
#[derive(Clone, Copy, Debug)]
struct Child {
    /// The point of the placement; 0 for a pass.
    point: Points,
    keys: BothKeys,
    task: Task,
    effort: Effort,
}

/// The keys of a position, and of the same stones with the other side to move. They are kept because finding the image
/// that represents all eight images takes longer than the lookup.
#[derive(Clone, Copy, Debug)]
struct BothKeys {
    key: Key,
    swapped: Key,
}

/// The combined result of all moves.
struct Sum {
    effort: Effort,
    /// The move to continue with.
    best: usize,
    /// How hard the second-best move seems.
    second: f32,
}

/// Answers questions with the search that is faster for the number of empty points.
#[derive(Debug)]
pub(super) struct ProofSearch<'a> {
    /// The depth-first search, which also holds the limits for both searches.
    pub(super) search: Search<'a>,
    /// How hard it seems to prove positions with many empty points.
    efforts: Efforts,
    /// Positions with this many empty points or fewer are left to the depth-first search.
    whole_to: u32,
}

impl<'a> ProofSearch<'a> {
    /// Creates a prover without limits.
    pub(super) fn new(table: &'a TranspositionTable) -> Self {
        Self { search: Search::new(table), efforts: Efforts::default(), whole_to: WHOLE_TO }
    }

    /// Returns a bound on the value of `stones` in a position that does not follow a pass: a lower bound if the value
    /// is `least` or more, and otherwise an upper bound. Returns `None` if a limit is reached.
    pub(super) fn value(&mut self, stones: Stones, least: i32) -> Option<i32> {
        let task = self.search.begin(stones, least);
        let position = SearchPosition::of(stones);
        if task.empty < PROVEN_FROM {
            return self.search.search(&position, task, None);
        }
        self.prove(&position, task).map(|reached| if reached { least } else { least - 1 })
    }

    /// Returns whether the value of a position reaches `task.least`; `None` if a limit is reached.
    fn prove(&mut self, position: &SearchPosition, task: Task) -> Option<bool> {
        if self.efforts.places.is_empty() {
            self.efforts = Efforts::with_places(PLACES);
        }
        let no_limit = Effort { reach: f32::INFINITY, miss: f32::INFINITY };
        self.work_on(position, task, no_limit).map(|effort| effort == Effort::REACHED)
    }

    /// Works on a question until it is settled, or until one of its numbers reaches its limit.
    fn work_on(&mut self, position: &SearchPosition, task: Task, limit: Effort) -> Option<Effort> {
        if task.empty <= self.whole_to {
            let value = self.search.search(position, task, None)?;
            return Some(Effort::of(value >= task.least));
        }
        self.search.nodes += 1;
        if self.search.is_stopped() {
            return None;
        }
        let before = self.search.nodes;
        let stones = position.stones();
        let (key, _) = self.search.key(stones, task.empty);
        if let Some(crew) = self.search.crew {
            crew.begin(key);
        }
        let mut children = self.children(position, task);
        let found = self.work_on_children(position, &mut children, limit);
        if let Some(crew) = self.search.crew {
            crew.end(key);
        }
        let sum = found?;
        if sum.effort.is_settled() {
            let point = children.get(sum.best).map_or(0, |child| child.point);
            self.keep(stones, task, (sum.effort == Effort::REACHED).then_some(point), self.search.nodes - before);
        }
        self.efforts.put(question(key, task), sum.effort);
        Some(sum.effort)
    }

    fn work_on_children(&mut self, position: &SearchPosition, children: &mut [Child], limit: Effort) -> Option<Sum> {
        let mut after = SearchPosition::default();
        loop {
            let sum = self.sum(children);
            let Effort { reach, miss } = sum.effort;
            if sum.effort.is_settled() || reach >= limit.reach || miss >= limit.miss {
                return Some(sum);
            }
            let child = children[sum.best];
            if let Some(reached) = self.settled_by_others(&child) {
                children[sum.best].effort = Effort::of(reached);
                continue;
            }
            // The effort that may be spent on this move before the limit for all moves is reached, with the sides
            // swapped.
            let limit = Effort {
                reach: (limit.miss - (miss - child.effort.reach)).max(child.effort.reach) * HEADWAY,
                miss: limit.reach.min(sum.second * PERSISTENCE).max(child.effort.miss) * HEADWAY,
            };
            if child.point == 0 {
                after = position.swapped();
            } else {
                position.place(child.point, &mut after);
            }
            children[sum.best].effort = self.work_on(&after, child.task, limit)?;
        }
    }

    /// Looks up whether another thread has settled a move in the meantime.
    fn settled_by_others(&self, child: &Child) -> Option<bool> {
        self.search.crew.filter(|_| !child.effort.is_settled()).and_then(|_| self.looked_up(child.keys, child.task))
    }

    fn sum(&self, children: &[Child]) -> Sum {
        let mut sum = Sum { effort: Effort::MISSED, best: usize::MAX, second: f32::INFINITY };
        let mut least = f32::INFINITY;
        for (index, child) in children.iter().enumerate() {
            sum.effort.reach = sum.effort.reach.min(child.effort.miss);
            sum.effort.miss += child.effort.reach;
            let mut seems = child.effort.miss;
            // The threads write marks so often that reading one is slow, so a mark is read only if it makes a
            // difference.
            if seems < sum.second && !child.effort.is_settled() && self.is_busy(child) {
                seems *= BUSY;
            }
            if seems < least || sum.best == usize::MAX {
                (sum.second, least, sum.best) = (least, seems, index);
            } else {
                sum.second = sum.second.min(seems);
            }
        }
        sum
    }

    /// Returns whether another thread is working on a move.
    fn is_busy(&self, child: &Child) -> bool {
        self.search.crew.is_some_and(|crew| crew.is_busy(child.keys.key))
    }

    /// Returns the moves of a position, with what is known or guessed about them.
    fn children(&self, position: &SearchPosition, task: Task) -> Vec<Child> {
        let stones = position.stones();
        let mut children = Vec::with_capacity(MAX_PLACEMENTS + 1);
        let mut after = SearchPosition::default();
        let mut rest = position.legal();
        while rest != 0 {
            let point = rest & rest.wrapping_neg();
            rest &= rest - 1;
            let captured = position.theirs.captured_at(point);
            let next = Stones { own: stones.theirs & !captured, theirs: stones.own | point | captured };
            let child = self.child(point, next, task.after(captured), || {
                position.place(point, &mut after);
                &after
            });
            children.push(child);
        }
        if task.lead >= task.least {
            let swapped = stones.swapped();
            children.push(self.child(0, swapped, task.passed(), || {
                after = SearchPosition::of(swapped);
                &after
            }));
        }
        children
    }

    /// Returns a move with what is known or guessed about it. `after` creates the position to which the move leads,
    /// which takes most of the time and is needed only for a guess, since a stored effort belongs to a question that
    /// safe stones did not settle.
    fn child<'p>(
        &self,
        point: Points,
        stones: Stones,
        task: Task,
        after: impl FnOnce() -> &'p SearchPosition,
    ) -> Child {
        let keys = self.keys(stones, task.empty);
        let effort = self
            .looked_up(keys, task)
            .map(Effort::of)
            .or_else(|| self.efforts.get(question(keys.key, task)).filter(|effort| !effort.is_settled()))
            .unwrap_or_else(|| {
                let after = after();
                let bounds = judge_well(after, task);
                settled(bounds, task).map_or_else(|| Effort::guess(glance(stones) + closer(after, bounds)), Effort::of)
            });
        Child { point, keys, task, effort }
    }

    fn keys(&self, stones: Stones, empty: u32) -> BothKeys {
        BothKeys { key: self.search.key(stones, empty).0, swapped: self.search.key(stones.swapped(), empty).0 }
    }

    /// Looks up a question in the table.
    fn looked_up(&self, keys: BothKeys, task: Task) -> Option<bool> {
        let known = self.search.table.get(keys.key);
        let found = known.and_then(|known| settled(Bounds { lower: known.lower, upper: known.upper }, task));
        // Having the move is never a disadvantage.
        found.or_else(|| {
            let swapped = self.search.table.get(keys.swapped)?;
            (-swapped.upper >= task.least).then_some(true)
        })
    }

    /// Stores in the table that the move `by` makes the value reach the bound or, if `by` is `None`, that no move does.
    fn keep(&self, stones: Stones, task: Task, by: Option<Points>, nodes: u64) {
        let (key, symmetry) = self.search.key(stones, task.empty);
        let known = match by {
            None => KnownBounds { lower: -MOST, upper: task.least - 1, best: KnownBounds::NO_MOVE },
            Some(0) => KnownBounds { lower: task.least, upper: MOST, best: KnownBounds::NO_MOVE },
            Some(point) => {
                KnownBounds { lower: task.least, upper: MOST, best: symmetry.image_of_bit(point.trailing_zeros()) }
            }
        };
        self.search.table.put(key, known, nodes);
    }
}

/// Returns the number of a question, which identifies a position and the bound in question.
fn question(key: Key, task: Task) -> u64 {
    key.bits() << 6 | u64::from((task.least + MOST + 1).cast_unsigned())
}

/// Returns the answer to a question, if the bounds settle it.
const fn settled(bounds: Bounds, task: Task) -> Option<bool> {
    if bounds.lower >= task.least {
        Some(true)
    } else if bounds.upper < task.least {
        Some(false)
    } else {
        None
    }
}
