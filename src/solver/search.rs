//! The null-window search.

use std::sync::atomic::{AtomicBool, Ordering};

use super::safe::assured;
use super::stones::{Groups, Position, Stones, difference};
use super::table::{Key, Known, Table};
use crate::rules::gothello::{Points, neighbours};

/// The most that a side can be ahead: the last empty point is never filled.
pub(super) const MOST: i32 = 24;

const TABLE_FROM: u32 = 5;
const JUDGED_FROM: u32 = 7;
const ETC_FROM: u32 = 7;

pub(super) struct Search<'a> {
    pub(super) table: &'a Table,
    pub(super) nodes: u64,
    pub(super) limit: u64,
    pub(super) stat: [[u64; 6]; 26],
    lists: [List; 26],
    pub(super) stop: Option<&'a AtomicBool>,
}

#[derive(Clone, Copy)]
struct Bounds {
    lower: i32,
    upper: i32,
}

#[derive(Clone, Copy)]
struct Child {
    point: Points,
    score: i32,
    bounds: Bounds,
}

const OPEN: Bounds = Bounds { lower: -MOST, upper: MOST };

fn compress(stones: Stones) -> Key {
    let both = u64::from(stones.own) | u64::from(stones.theirs) << 32;
    const R: u64 = 0x1F_0000_001F;
    let c = (both & R) | (both >> 1 & R << 5) | (both >> 2 & R << 10) | (both >> 3 & R << 15) | (both >> 4 & R << 20);
    Key::new((c & 0x1FF_FFFF) | (c >> 7 & 0x1FF_FFFF << 25))
}


#[derive(Clone, Copy)]
struct At {
    n: u32,
    lead: i32,
    least: i32,
}

const NO_CHILD: Child = Child { point: 0, score: 0, bounds: OPEN };
type List = [Child; 25];

impl<'a> Search<'a> {
    pub(super) fn new(table: &'a Table) -> Self {
        Self { table, nodes: 0, limit: u64::MAX, stat: [[0; 6]; 26], stop: None, lists: [[NO_CHILD; 25]; 26] }
    }

    pub(super) fn value(&mut self, stones: Stones, least: i32) -> Option<i32> {
        let at = At { n: stones.empty().count_ones(), lead: difference(stones.own, stones.theirs), least };
        self.search(&Position::of(stones), at, None)
    }

    /// fail-soft
    fn search(&mut self, position: &Position, at: At, bounds: Option<Bounds>) -> Option<i32> {
        self.nodes += 1;
        let At { n, lead, least } = at;
        if n <= 2 {
            return Some(if n < 2 { lead } else { last_two(position, lead) });
        }
        if self.nodes >= self.limit || self.nodes & 0xFFF == 0 && self.stop.is_some_and(|s| s.load(Ordering::Relaxed)) {
            return None;
        }
        let mut bounds = match bounds {
            Some(bounds) => bounds,
            None => judge(position, at),
        };
        if bounds.lower >= least {
            return Some(bounds.lower);
        }
        if bounds.upper < least {
            return Some(bounds.upper);
        }
        if n < TABLE_FROM {
            return self.last_few(position, at);
        }
        let key = compress(position.stones());
        let mut best_move = Known::NO_MOVE;
        if let Some(known) = self.table.get(key) {
            if known.lower >= least {
                return Some(known.lower);
            }
            if known.upper < least {
                return Some(known.upper);
            }
            bounds.lower = bounds.lower.max(known.lower);
            bounds.upper = bounds.upper.min(known.upper);
            best_move = known.best;
        }
        let before = self.nodes;
        self.stat[n as usize][0] += 1;
        let (value, best) = self.expand(position, at, best_move)?;
        let value = value.clamp(bounds.lower, bounds.upper);
        let known = if value >= least {
            Known { lower: value, upper: bounds.upper, best }
        } else {
            Known { lower: bounds.lower, upper: value, best: Known::NO_MOVE }
        };
        self.table.put(key, known, self.nodes - before);
        Some(value)
    }

    fn last_few(&mut self, position: &Position, at: At) -> Option<i32> {
        let At { n, lead, least } = at;
        let mut best = if lead < least { lead } else { -MOST };
        let legal = position.legal();
        let atari = legal & position.theirs.last_liberties;
        for mut rest in [atari, legal & !atari] {
            while rest != 0 {
                let point = rest & rest.wrapping_neg();
                rest &= rest - 1;
                let captured = position.theirs.captured_at(point);
                let child_lead = -lead - 1 - 2 * captured.count_ones().cast_signed();
                let value = -self.search(&position.place(point), At { n: n - 1, lead: child_lead, least: 1 - least }, None)?;
                if value >= least {
                    return Some(value);
                }
                best = best.max(value);
            }
        }
        if lead >= least {
            let reply = self.search(&position.swapped(), At { n, lead: -lead, least: 1 - least }, None)?;
            best = best.max(lead.min(-reply));
        }
        Some(best)
    }

    fn expand(&mut self, position: &Position, at: At, best_move: u32) -> Option<(i32, u32)> {
        let At { n, lead, least } = at;
        let mut best = -MOST;
        let mut pass = lead >= least;
        let stones = position.stones();
        if !pass {
            best = lead;
        } else if let Some(known) = self.table.get(compress(stones.swapped())) {
            // Passing: what is known of it.
            if known.upper < 1 - least {
                return Some((lead.min(-known.upper), Known::NO_MOVE));
            }
            if known.lower >= 1 - least {
                pass = false;
                best = lead.min(-known.lower);
            }
        }
        // Children.
        let mut count = 0;
        let mut rest = position.legal();
        while rest != 0 {
            let point = rest & rest.wrapping_neg();
            rest &= rest - 1;
            let captured = position.theirs.captured_at(point);
            let child = Stones { own: stones.theirs & !captured, theirs: stones.own | point | captured };
            let bit = point.trailing_zeros();
            let child_lead = -lead - 1 - 2 * captured.count_ones().cast_signed();
            if n >= ETC_FROM {
                // Enhanced transposition cutoff.
                if let Some(known) = self.table.get(compress(child)) {
                    if -known.upper >= least {
                        return Some((-known.upper, bit));
                    }
                    if -known.lower < least {
                        best = best.max(-known.lower);
                        continue;
                    }
                }
            }
            let mut bounds = OPEN;
            let mut score = order(child, child_lead);
            if n >= JUDGED_FROM {
                let replies = position.place(point);
                bounds.upper = -assured(&replies.theirs, replies.empty);
                if -bounds.upper >= least {
                    return Some((-bounds.upper, bit));
                }
                bounds.lower = assured(&replies.own, replies.empty);
                if -bounds.lower < least {
                    best = best.max(-bounds.lower);
                    continue;
                }
                score += judged(&replies, bounds);
            }
            if bit == best_move {
                score += 10_000;
            }
            self.lists[n as usize][count] = Child { score, point, bounds };
            count += 1;
        }
        sort(&mut self.lists[n as usize][..count]);
        for i in 0..count {
            let Child { point, bounds, .. } = self.lists[n as usize][i];
            let captured = position.theirs.captured_at(point);
            let child_lead = -lead - 1 - 2 * captured.count_ones().cast_signed();
            let next = At { n: n - 1, lead: child_lead, least: 1 - least };
            let value = -self.search(&position.place(point), next, (n >= JUDGED_FROM).then_some(bounds))?;
            if value >= least {
                self.stat[n as usize][1] += 1; if i == 0 { self.stat[n as usize][2] += 1; } self.stat[n as usize][3] += i as u64;
                return Some((value, point.trailing_zeros()));
            }
            best = best.max(value);
        }
        if pass {
            let next = At { n, lead: -lead, least: 1 - least };
            let reply = self.search(&position.swapped(), next, None)?;
            best = best.max(lead.min(-reply));
        }
        Some((best, Known::NO_MOVE))
    }
}

fn judge(position: &Position, at: At) -> Bounds {
    let At { n, lead, least } = at;
    let n = n.cast_signed();
    let mut bounds = OPEN;
    if lead + 2 * n > least {
        bounds.lower = assured(&position.own, position.empty);
    }
    if bounds.lower < least && lead - 2 * n < least {
        bounds.upper = -assured(&position.theirs, position.empty);
    }
    bounds
}

/// dev
pub static W: [std::sync::atomic::AtomicI32; 32] = [const { std::sync::atomic::AtomicI32::new(0) }; 32];
/// How good a child looks for the one who moved there (its `theirs`).
fn order(child: Stones, lead: i32) -> i32 {
    let empty = child.empty();
    let w = |i: usize| W[i].load(Ordering::Relaxed);
    let nb_own = neighbours(child.own);
    let nb_th = neighbours(child.theirs);
    let eyes = |other: Points| empty & !neighbours(empty | other);
    -w(0) * lead + w(1) * difference(eyes(child.own), eyes(child.theirs)) + w(3) * difference(nb_th & empty, nb_own & empty)
}

fn judged(child: &Position, bounds: Bounds) -> i32 {
    let w = |i: usize| W[i].load(Ordering::Relaxed);
    let mut v = w(8) * difference(child.their_legal(), child.legal());
    // stones in atari
    v += w(10) * difference(child.own.stones & !child.own.solid, child.theirs.stones & !child.theirs.solid);
    v += w(12) * (24 - bounds.upper) - w(13) * (bounds.lower + 24);
    v -= w(14) * child.theirs.count() as i32 - w(15) * child.own.count() as i32;
    v
}

fn sort(list: &mut [Child]) {
    for i in 1..list.len() {
        let mut j = i;
        while j > 0 && list[j].score > list[j - 1].score {
            list.swap(j, j - 1);
            j -= 1;
        }
    }
}

/// The value with two empty points: whoever fills one of them makes the last move.
fn last_two(position: &Position, lead: i32) -> i32 {
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
