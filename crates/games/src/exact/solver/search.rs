//! The depth-first search: whether a position's value reaches a given margin.

use std::sync::atomic::{AtomicBool, Ordering};

use super::between_threads::Crew;
use super::good_points::GoodPoints;
use super::move_order::{closer, glance};
use super::safe_stones::{assured, eyed};
use super::stones::{Groups, SearchPosition, Stones};
use super::symmetry::{Symmetry, folded};
use super::task::{Bounds, MAX_PLACEMENTS, MOST, Task};
use super::transposition_table::{Key, KnownBounds, TranspositionTable};
use crate::game::gothello::{Point, Points, points};

/// A position with this many empty points or more has an entry in the table. With fewer, solving it again is as fast as
/// looking it up.
const TABLE_FROM: u32 = 5;

/// With this many empty points or more, the entries of the positions after each placement are looked up before any
/// placement is searched.
const LOOK_AHEAD_FROM: u32 = 6;

/// With this many empty points or more, safe stones are counted after each placement before any placement is searched.
const JUDGED_FROM: u32 = 8;

/// With this many empty points or more, threads notify each other of the positions that they are searching.
const SHARED_FROM: u32 = 10;

/// With this many empty points or more, all eight images of a position share an entry, in searches that begin with
/// [`FOLDED_ROOT`] empty points or more. In other searches, different images of the same position hardly ever arise.
const FOLDED_FROM: u32 = 11;
const FOLDED_ROOT: u32 = 20;

/// Safe stones are counted only if they could settle the task, on the assumption that a side is certain of at most this
/// many more points than it would have if it got none of the empty points. More is possible, but rare.
const HOPE: i32 = 2;

/// How much better a placement looks if it has just refuted another move at the same depth.
const REFUTER: i32 = 40;

/// The number of nodes after which the flags that can stop a search are read again; a power of two.
const TIMEOUT: u64 = 1 << 10;

/// A placement to search.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    point: Points,
    score: i32,
    /// The bounds on the value after the placement, for the other side.
    bounds: Bounds,
}

const NO_CANDIDATE: Candidate = Candidate { point: 0, score: 0, bounds: Bounds::OPEN };

/// A search with its limits. All values are from the perspective of the side to move.
#[derive(Debug)]
pub(super) struct Search<'a> {
    pub(super) table: &'a TranspositionTable,
    /// The crew of threads to which this search belongs, if any.
    pub(super) crew: Option<&'a Crew>,
    /// The flag that ends the search once it is raised.
    pub(super) stop: Option<&'a AtomicBool>,
    /// How many nodes have been searched.
    pub(super) nodes: u64,
    /// The limit on the number of nodes.
    pub(super) most_nodes: u64,
    folded_from: u32,
    /// For each number of empty points, the last placement that reached its bound.
    refuters: [Points; 26],
    /// Which placements have reached their bounds so far, if the order of placements should take this into account.
    pub(super) good_points: Option<Box<GoodPoints>>,
    /// For each number of empty points, the placements of the position that is being searched at that depth.
    lists: Box<[[Candidate; MAX_PLACEMENTS]; 26]>,
}

impl<'a> Search<'a> {
    pub(super) fn new(table: &'a TranspositionTable) -> Self {
        let lists = Box::new([[NO_CANDIDATE; MAX_PLACEMENTS]; 26]);
        Self {
            table,
            crew: None,
            stop: None,
            nodes: 0,
            most_nodes: u64::MAX,
            folded_from: u32::MAX,
            refuters: [0; 26],
            good_points: None,
            lists,
        }
    }

    /// Prepares for questions about `stones`, and returns the first question: does the value reach `least`?
    pub(super) fn begin(&mut self, stones: Stones, least: i32) -> Task {
        let task = Task { empty: stones.empty().count_ones(), lead: stones.lead(), least };
        self.folded_from = if task.empty >= FOLDED_ROOT { FOLDED_FROM } else { u32::MAX };
        task
    }

    /// Returns the placement stored in the table for `stones`: the placement that produced the lower bound or, failing
    /// that, the best placement found by an earlier search. Returns `None` if there is neither.
    pub(super) fn known_best(&self, stones: Stones) -> Option<Point> {
        let (key, symmetry) = self.key(stones, stones.empty().count_ones());
        let known = self.table.get(key).filter(|known| known.best != KnownBounds::NO_MOVE)?;
        points(1 << symmetry.inverse().image_of_bit(known.best)).next()
    }

    pub(super) fn is_stopped(&self) -> bool {
        if self.nodes.is_multiple_of(TIMEOUT) {
            let is_raised = self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed));
            let is_dismissed = self.crew.is_some_and(|crew| crew.report(TIMEOUT));
            if is_raised || is_dismissed {
                return true;
            }
        }
        self.nodes > self.most_nodes
    }

    /// Returns the key of a position, and the symmetry that leads from the position to its image in the table.
    pub(super) fn key(&self, stones: Stones, empty: u32) -> (Key, Symmetry) {
        if empty < self.folded_from {
            return (Key::of(stones), Symmetry::IDENTITY);
        }
        let (image, symmetry) = folded(stones);
        (Key::of(image), symmetry)
    }

    /// Returns a bound on the value of `position`, which does not follow a pass: a lower bound if the value is
    /// `task.least` or more, and otherwise an upper bound. Returns `None` if a limit is reached. `bounds` are the
    /// bounds from safe stones, if known.
    pub(super) fn search(&mut self, position: &SearchPosition, task: Task, bounds: Option<Bounds>) -> Option<i32> {
        self.nodes += 1;
        if task.empty <= 2 {
            return Some(if task.empty < 2 { task.lead } else { last_two(position, task.lead) });
        }
        if self.is_stopped() {
            return None;
        }
        let mut bounds = if task.empty <= 3 { Bounds::OPEN } else { bounds.unwrap_or_else(|| judge(position, task)) };
        if bounds.lower >= task.least {
            return Some(bounds.lower);
        }
        if bounds.upper < task.least {
            return Some(bounds.upper);
        }
        if task.empty < TABLE_FROM {
            return self.last_few(position, task);
        }
        let (key, symmetry) = self.key(position.stones(), task.empty);
        let mut best = 0;
        if let Some(known) = self.table.get(key) {
            if known.lower >= task.least {
                return Some(known.lower);
            }
            if known.upper < task.least {
                return Some(known.upper);
            }
            bounds.lower = bounds.lower.max(known.lower);
            bounds.upper = bounds.upper.min(known.upper);
            if known.best != KnownBounds::NO_MOVE {
                best = 1 << symmetry.inverse().image_of_bit(known.best);
            }
        }
        let before = self.nodes;
        let crew = self.crew.filter(|_| task.empty >= SHARED_FROM);
        if let Some(crew) = crew {
            crew.begin(key);
        }
        let found = self.expand(position, task, best);
        if let Some(crew) = crew {
            crew.end(key);
        }
        let (value, point) = found?;
        let value = value.clamp(bounds.lower, bounds.upper);
        let best = if point == 0 { KnownBounds::NO_MOVE } else { symmetry.image_of_bit(point.trailing_zeros()) };
        if value >= task.least {
            bounds.lower = value;
        } else {
            bounds.upper = value;
        }
        self.table.put(key, KnownBounds { lower: bounds.lower, upper: bounds.upper, best }, self.nodes - before);
        Some(value)
    }

    /// Returns the value of a position that has too few empty points for the table to help. Captures are tried first.
    fn last_few(&mut self, position: &SearchPosition, task: Task) -> Option<i32> {
        let mut best = if task.lead < task.least { task.lead } else { -MOST };
        let legal = position.legal();
        let captures = legal & position.theirs.last_liberties;
        let mut child = SearchPosition::default();
        for mut rest in [captures, legal & !captures] {
            while rest != 0 {
                let point = rest & rest.wrapping_neg();
                rest &= rest - 1;
                let next = task.after(position.theirs.captured_at(point));
                position.place(point, &mut child);
                best = best.max(-self.search(&child, next, None)?);
                if best >= task.least {
                    return Some(best);
                }
            }
        }
        if task.lead >= task.least {
            best = best.max(-self.search(&position.swapped(), task.passed(), None)?);
        }
        Some(best)
    }

    /// Searches the moves. Returns the value, and the placement that reaches `least`, if there is one.
    fn expand(&mut self, position: &SearchPosition, task: Task, hint: Points) -> Option<(i32, Points)> {
        let mut best = -MOST;
        let mut may_pass = task.lead >= task.least;
        if !may_pass {
            best = task.lead;
        }
        // Use what is already known about the position with the other side to move.
        let (swapped, _) = self.key(position.stones().swapped(), task.empty);
        if let Some(known) = self.table.get(swapped) {
            if -known.upper >= task.least {
                return Some((-known.upper, 0));
            }
            if may_pass && -known.lower < task.least {
                (may_pass, best) = (false, -known.lower);
            }
        }
        let count = match self.candidates(position, task, hint, &mut best) {
            Candidates::Settled(value, point) => return Some((value, point)),
            Candidates::Open(count) => count,
        };
        let mut postponed: Points = 0;
        let mut child = SearchPosition::default();
        for round in 0..2 {
            for i in 0..count {
                let Candidate { point, bounds, .. } = self.lists[task.empty as usize][i];
                if round == 1 && postponed & point == 0 {
                    continue;
                }
                let next = task.after(position.theirs.captured_at(point));
                position.place(point, &mut child);
                if round == 0 && i > 0 && self.is_busy(&child, next.empty) {
                    postponed |= point;
                    continue;
                }
                let value = -self.search(&child, next, (task.empty >= JUDGED_FROM).then_some(bounds))?;
                if value >= task.least {
                    self.refuters[task.empty as usize] = point;
                    if let Some(good_points) = &mut self.good_points {
                        good_points.reached(task.empty, point);
                    }
                    return Some((value, point));
                }
                best = best.max(value);
            }
            if postponed == 0 {
                break;
            }
        }
        if may_pass {
            best = best.max(-self.search(&position.swapped(), task.passed(), None)?);
        }
        Some((best, 0))
    }

    /// Returns whether another thread is searching the position.
    fn is_busy(&self, position: &SearchPosition, empty: u32) -> bool {
        empty >= SHARED_FROM && self.crew.is_some_and(|crew| crew.is_busy(self.key(position.stones(), empty).0))
    }

    /// Lists the placements that have to be searched, most promising first. Placements that are known to fall short
    /// raise `best` instead.
    fn candidates(&mut self, position: &SearchPosition, task: Task, hint: Points, best: &mut i32) -> Candidates {
        let stones = position.stones();
        let child = |point| {
            let captured = position.theirs.captured_at(point);
            (Stones { own: stones.theirs & !captured, theirs: stones.own | point | captured }, task.after(captured))
        };
        let mut rest = position.legal();
        if task.empty >= LOOK_AHEAD_FROM {
            // Look up the entries of all placements before anything else, so that many entries are requested from
            // memory at the same time.
            let mut unsettled = 0;
            while rest != 0 {
                let point = rest & rest.wrapping_neg();
                rest &= rest - 1;
                let (stones, next) = child(point);
                let Some(known) = self.table.get(self.key(stones, next.empty).0) else {
                    unsettled |= point;
                    continue;
                };
                if -known.upper >= task.least {
                    return Candidates::Settled(-known.upper, point);
                }
                if -known.lower < task.least {
                    *best = (*best).max(-known.lower);
                } else {
                    unsettled |= point;
                }
            }
            rest = unsettled;
        }
        let mut after = SearchPosition::default();
        let mut count = 0;
        while rest != 0 {
            let point = rest & rest.wrapping_neg();
            rest &= rest - 1;
            let (child, next) = child(point);
            let mut candidate = Candidate { point, score: glance(child), bounds: Bounds::OPEN };
            if task.empty >= JUDGED_FROM {
                position.place(point, &mut after);
                candidate.bounds = judge_well(&after, next);
                if -candidate.bounds.upper >= task.least {
                    return Candidates::Settled(-candidate.bounds.upper, point);
                }
                if -candidate.bounds.lower < task.least {
                    *best = (*best).max(-candidate.bounds.lower);
                    continue;
                }
                candidate.score += closer(&after, candidate.bounds);
            }
            if point == self.refuters[task.empty as usize] {
                candidate.score += REFUTER;
            }
            if let Some(good_points) = &self.good_points {
                candidate.score += good_points.score(task.empty, point);
            }
            if point == hint {
                candidate.score = i32::MAX;
            }
            // Insertion sort, because there are few placements, and they are already partly sorted.
            let list = &mut self.lists[task.empty as usize];
            let mut place = count;
            while place > 0 && list[place - 1].score < candidate.score {
                list[place] = list[place - 1];
                place -= 1;
            }
            list[place] = candidate;
            count += 1;
        }
        Candidates::Open(count)
    }
}

/// The result of examining all placements.
enum Candidates {
    /// The value reaches the bound, by this placement.
    Settled(i32, Points),
    /// This number of placements has to be searched.
    Open(usize),
}

/// Returns the bounds on the value that follow from safe stones, as far as they can settle the task.
fn judge(position: &SearchPosition, task: Task) -> Bounds {
    let mut bounds = Bounds::OPEN;
    let empty = task.empty.cast_signed();
    if task.lead - empty + HOPE >= task.least {
        bounds.lower = assured(&position.own, position.empty);
    }
    if bounds.lower < task.least && task.lead + empty - HOPE < task.least {
        bounds.upper = -assured(&position.theirs, position.empty);
    }
    bounds
}

/// Like [`judge`], but always returns an upper bound, because the order of placements depends on it.
pub(super) fn judge_well(position: &SearchPosition, task: Task) -> Bounds {
    let empty = task.empty.cast_signed();
    let mut bounds = Bounds::OPEN;
    bounds.upper = if task.lead + empty - HOPE < task.least {
        -assured(&position.theirs, position.empty)
    } else {
        -eyed(&position.theirs, position.empty, position.own.stones)
    };
    if bounds.upper >= task.least && task.lead - empty + HOPE >= task.least {
        bounds.lower = assured(&position.own, position.empty);
    }
    bounds
}

/// Returns the value of a position with two empty points: the last stone is placed by the side to move if it can fill a
/// point, and otherwise by the other side if that side can.
fn last_two(position: &SearchPosition, lead: i32) -> i32 {
    let gain = |mut legal: Points, theirs: &Groups| {
        let mut best = 0;
        while legal != 0 {
            let point = legal & legal.wrapping_neg();
            legal &= legal - 1;
            best = best.max(1 + 2 * theirs.captured_at(point).count_ones().cast_signed());
        }
        best
    };
    let legal = position.legal();
    if legal != 0 {
        return lead + gain(legal, &position.theirs);
    }
    lead - gain(position.their_legal(), &position.own)
}
