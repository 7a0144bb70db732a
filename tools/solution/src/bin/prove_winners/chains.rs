//! Chains of stones without liberties, in all colourings at once.
//!
//! A set of stones that is connected and has no empty neighbour is captured in exactly those colourings in which it has
//! one colour, and all stones next to it have the other.

use super::board::{Board, members};
use super::index::{CLEAR, LANE_BITS, SET};

/// Occupied points, which are numbered in the order in which they were given. A set of them has one bit for each.
pub(crate) struct Graph {
    neighbours: Vec<u32>,
    /// The points without an empty neighbour.
    pub(crate) enclosed: u32,
}

impl Graph {
    pub(crate) fn new(board: &Board, points: &[usize]) -> Self {
        let mut numbers = [None; 25];
        for (number, &point) in points.iter().enumerate() {
            numbers[point] = Some(number);
        }
        let mut graph = Self { neighbours: Vec::with_capacity(points.len()), enclosed: 0 };
        for (number, &point) in points.iter().enumerate() {
            let (mut neighbours, mut is_enclosed) = (0, true);
            for near in members(board.neighbours(point)) {
                match numbers[near] {
                    Some(near) => neighbours |= 1 << near,
                    None => is_enclosed = false,
                }
            }
            graph.neighbours.push(neighbours);
            graph.enclosed |= u32::from(is_enclosed) << number;
        }
        graph
    }

    pub(crate) fn neighbours(&self, number: usize) -> u32 {
        self.neighbours[number]
    }

    /// Calls `visit` once for each connected set of points in `within` that contains one of `roots`, with the set and
    /// its neighbours.
    pub(crate) fn for_each_chain(&self, within: u32, roots: u32, visit: &mut impl FnMut(u32, u32)) {
        let mut allowed = within;
        for root in members(roots & within) {
            // The sets that contain an earlier root were visited with it.
            allowed &= !(1 << root);
            self.grow(1 << root, self.neighbours[root], allowed, visit);
        }
    }

    fn grow(&self, chain: u32, border: u32, mut allowed: u32, visit: &mut impl FnMut(u32, u32)) {
        visit(chain, border);
        let mut rest = border & allowed;
        while rest != 0 {
            let next = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            allowed &= !(1 << next);
            let grown = chain | 1 << next;
            self.grow(grown, (border | self.neighbours[next]) & !grown, allowed, visit);
        }
    }
}

/// The colourings in which some stones are black, and some are white.
pub(crate) struct Pattern {
    /// The lanes of these colourings; their words are those of [`Pattern::words`].
    pub(crate) lanes: u64,
    black: u32,
    free: u32,
}

impl Pattern {
    /// The colourings of `stones` stones in which those of `black` are black, and those of `white` are white.
    pub(crate) fn new(stones: usize, black: u32, white: u32) -> Self {
        let lane = (1 << LANE_BITS) - 1;
        let words = ((1_u32 << stones) - 1) >> LANE_BITS;
        Self {
            lanes: SET[(black & lane) as usize] & CLEAR[(white & lane) as usize],
            black: black >> LANE_BITS,
            free: words & !((black | white) >> LANE_BITS),
        }
    }

    /// The numbers of the words.
    pub(crate) fn words(&self) -> impl Iterator<Item = usize> {
        let (black, free) = (self.black, self.free);
        let mut next = Some(0_u32);
        std::iter::from_fn(move || {
            let part = next?;
            // The next subset of `free`, or the empty set after the last one.
            let after = part.wrapping_sub(free) & free;
            next = (after != 0).then_some(after);
            Some((black | part) as usize)
        })
    }
}
