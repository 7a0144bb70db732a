//! Perfect matchings: pairing off all players when some pairs of players are not allowed.

use std::collections::VecDeque;

/// Pairs of vertices of a graph, which has an edge wherever `allowed` returns `true`. `allowed` must be symmetric, and
/// must never allow a vertex with itself.
///
/// The matching grows by augmenting paths (Jack Edmonds, "Paths, trees, and flowers", 1965), so that it has as many
/// pairs as possible.
pub(super) struct Matching<Allowed> {
    allowed: Allowed,
    mates: Vec<Option<usize>>,
    /// Which vertices are settled with their mates, and treated as absent.
    settled: Vec<bool>,
}

impl<Allowed: Fn(usize, usize) -> bool> Matching<Allowed> {
    /// Returns a matching in which each of `vertices` vertices has a mate, or `None` if there is no such matching.
    pub(super) fn perfect(vertices: usize, allowed: Allowed) -> Option<Self> {
        let mut matching = Self { allowed, mates: vec![None; vertices], settled: vec![false; vertices] };
        for vertex in 0..vertices {
            let free = |&other: &usize| matching.mates[other].is_none() && (matching.allowed)(vertex, other);
            if matching.mates[vertex].is_none()
                && let Some(mate) = (vertex + 1..vertices).find(free)
            {
                matching.join(vertex, mate);
            }
        }
        let complete = (0..vertices).all(|vertex| matching.mates[vertex].is_some() || matching.augment(vertex));
        complete.then_some(matching)
    }

    pub(super) fn is_settled(&self, vertex: usize) -> bool {
        self.settled[vertex]
    }

    /// Settles `vertex`, which must not be settled, with the first of `candidates` that leaves a perfect matching of
    /// all other vertices. Returns that candidate; `None` if there is none.
    pub(super) fn settle(&mut self, vertex: usize, candidates: impl IntoIterator<Item = usize>) -> Option<usize> {
        candidates.into_iter().find(|&candidate| self.try_settle(vertex, candidate))
    }

    fn try_settle(&mut self, vertex: usize, candidate: usize) -> bool {
        if vertex == candidate || self.settled[candidate] || !(self.allowed)(vertex, candidate) {
            return false;
        }
        let left = [vertex, candidate].map(|one| self.mates[one]);
        self.settled[vertex] = true;
        self.settled[candidate] = true;
        if left[0] == Some(candidate) {
            return true;
        }
        let [Some(one), Some(other)] = left else { return false };
        self.mates[one] = None;
        self.mates[other] = None;
        if self.augment(one) {
            self.join(vertex, candidate);
            return true;
        }
        self.join(vertex, one);
        self.join(candidate, other);
        self.settled[vertex] = false;
        self.settled[candidate] = false;
        false
    }

    fn join(&mut self, one: usize, other: usize) {
        self.mates[one] = Some(other);
        self.mates[other] = Some(one);
    }

    /// Finds a mate for `root`, which has none, by changing the mates of others. Returns whether that was possible; if
    /// not, nothing has changed.
    fn augment(&mut self, root: usize) -> bool {
        let mut tree = Tree::new(root, self.mates.len());
        while let Some(vertex) = tree.queue.pop_front() {
            for next in 0..self.mates.len() {
                let inside = tree.base[vertex] == tree.base[next] || self.mates[vertex] == Some(next);
                if inside || self.settled[next] || !(self.allowed)(vertex, next) {
                    continue;
                }
                if tree.is_outer(next) {
                    tree.contract(vertex, next, &self.mates);
                } else if tree.reached_from[next].is_none() {
                    tree.reached_from[next] = Some(vertex);
                    match self.mates[next] {
                        Some(mate) => tree.grow(mate),
                        None => {
                            self.switch(next, &tree);
                            return true;
                        }
                    }
                }
            }
        }
        false
    }

    /// Switches pairs along the path by which `tree` reached `end`.
    fn switch(&mut self, end: usize, tree: &Tree) {
        let mut end = Some(end);
        while let Some(vertex) = end {
            let Some(mate) = tree.reached_from[vertex] else { return };
            end = self.mates[mate];
            self.join(vertex, mate);
        }
    }
}

/// The alternating paths from a root, which reach inner vertices over any edge and outer vertices over the edge of a
/// pair. Outer and inner vertices on an odd cycle form a blossom, in which every vertex is outer.
struct Tree {
    /// Outer vertices whose edges have not been examined yet.
    queue: VecDeque<usize>,
    outer: Vec<bool>,
    /// For each vertex, the outer vertex from which it was reached over an edge that is not a pair.
    reached_from: Vec<Option<usize>>,
    /// The vertex at which the path from the root enters the blossom; a vertex outside every blossom is its own base.
    base: Vec<usize>,
}

/// A blossom under construction.
struct Blossom<'m> {
    /// The vertex by which it is attached to the tree.
    base: usize,
    mates: &'m [Option<usize>],
    /// For each vertex, whether it is the base of a blossom that becomes part of this one.
    bases: Vec<bool>,
}

impl Tree {
    fn new(root: usize, vertices: usize) -> Self {
        let mut tree = Self {
            queue: VecDeque::new(),
            outer: vec![false; vertices],
            reached_from: vec![None; vertices],
            base: (0..vertices).collect(),
        };
        tree.grow(root);
        tree
    }

    fn is_outer(&self, vertex: usize) -> bool {
        self.outer[vertex]
    }

    fn grow(&mut self, outer: usize) {
        if !self.outer[outer] {
            self.outer[outer] = true;
            self.queue.push_back(outer);
        }
    }

    /// Creates a blossom from the odd cycle that is closed by the edge between these outer vertices.
    fn contract(&mut self, one: usize, other: usize, mates: &[Option<usize>]) {
        let base = self.common_base(one, other, mates);
        let mut blossom = Blossom { base, mates, bases: vec![false; self.base.len()] };
        for (from, across) in [(one, other), (other, one)] {
            self.mark(from, across, &mut blossom);
        }
        for vertex in 0..self.base.len() {
            if blossom.bases[self.base[vertex]] {
                self.base[vertex] = base;
                self.grow(vertex);
            }
        }
    }

    /// Returns the vertex where the paths from the root to these two vertices part.
    fn common_base(&self, one: usize, other: usize, mates: &[Option<usize>]) -> usize {
        let mut on_path = vec![false; self.base.len()];
        let mut at = self.base[one];
        loop {
            on_path[at] = true;
            match self.outer_before(at, mates) {
                Some(before) => at = self.base[before],
                None => break,
            }
        }
        let mut at = self.base[other];
        while !on_path[at] {
            match self.outer_before(at, mates) {
                Some(before) => at = self.base[before],
                None => break,
            }
        }
        at
    }

    /// Returns the outer vertex before `outer` on its path from the root; `None` for the root itself.
    fn outer_before(&self, outer: usize, mates: &[Option<usize>]) -> Option<usize> {
        self.reached_from[mates[outer]?]
    }

    /// Marks the blossoms between `vertex` and the base of `blossom`, and lets the paths through them also run in the other direction,
    /// over the edge to `across`.
    fn mark(&mut self, vertex: usize, across: usize, blossom: &mut Blossom<'_>) {
        let Blossom { base, mates, bases } = blossom;
        let (mut vertex, mut across) = (vertex, across);
        while self.base[vertex] != *base {
            let Some(mate) = mates[vertex] else { return };
            bases[self.base[vertex]] = true;
            bases[self.base[mate]] = true;
            self.reached_from[vertex] = Some(across);
            across = mate;
            match self.reached_from[mate] {
                Some(before) => vertex = before,
                None => return,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns whether the vertices in the bit set `left` can be paired off, by exhaustive search.
    fn can_be_paired(left: u32, allowed: &dyn Fn(usize, usize) -> bool) -> bool {
        let first = left.trailing_zeros() as usize;
        left == 0
            || (first + 1..32).any(|other| {
                left & 1 << other != 0
                    && allowed(first, other)
                    && can_be_paired(left & !(1 << first) & !(1 << other), allowed)
            })
    }

    proptest! {
        #[test]
        fn a_perfect_matching_is_found_if_and_only_if_there_is_one(half in 1_usize..6, edges in any::<[u64; 2]>(), density in 1_u32..4) {
            let vertices = 2 * half;
            let allowed = |one: usize, other: usize| {
                let bit = one.max(other) * 12 + one.min(other);
                one != other && edges[bit / 64 % 2].rotate_left(u32::try_from(bit).unwrap()) % 4 < u64::from(density)
            };
            let matching = Matching::perfect(vertices, allowed);
            prop_assert_eq!(matching.is_some(), can_be_paired((1 << vertices) - 1, &allowed));
            let Some(mut matching) = matching else { return Ok(()) };
            // Settling a vertex chooses the first candidate that leaves the others a matching.
            let mut left = (1_u32 << vertices) - 1;
            for vertex in 0..vertices {
                if matching.is_settled(vertex) {
                    continue;
                }
                let mate = matching.settle(vertex, (0..vertices).rev());
                left &= !(1 << vertex);
                let expected = (0..vertices).rev().find(|&other| {
                    left & 1 << other != 0 && allowed(vertex, other) && can_be_paired(left & !(1 << other), &allowed)
                });
                prop_assert_eq!(mate, expected);
                left &= !(1 << mate.unwrap());
            }
            prop_assert_eq!(left, 0);
        }
    }

    #[test]
    fn augmenting_paths_lead_through_odd_cycles() {
        // A triangle 1-2-3 between the two ends 0-1 and 3-4, closed by 2-5: only the pairs 0-1, 2-5 and 3-4 cover all
        // vertices.
        let edges = [(0, 1), (1, 2), (2, 3), (1, 3), (3, 4), (2, 5)];
        let allowed = |one: usize, other: usize| edges.contains(&(one.min(other), one.max(other)));
        let matching = Matching::perfect(6, allowed).unwrap();
        assert_eq!(matching.mates, [1, 0, 5, 4, 3, 2].map(Some));
    }
}
