//! Odd cycles of a search: how they become blossoms and are dissolved again, and how pairs are switched within them.

use super::{Edge, Label, MateSearch, NO_EDGE, NONE, id};

impl MateSearch {
    /// Returns the index of `node` in the cycle of `blossom`, reversing the cycle if necessary so that the index is an
    /// even number of steps from the base.
    fn even_place(&mut self, blossom: usize, node: u32) -> usize {
        let cycle = &mut self.cycle[blossom];
        let place = cycle.iter().position(|&part| part == node).unwrap_or_default();
        if place.is_multiple_of(2) {
            return place;
        }
        cycle[1..].reverse();
        cycle.len() - place
    }

    /// Pairs `node` along its best edge to `other`, and the nodes within `node` accordingly.
    fn pair(&mut self, node: usize, other: usize) {
        let edge = self.best(node, other);
        self.mate[node] = edge.to;
        if node < self.vertices {
            return;
        }
        let inside = self.part[node * self.vertices + edge.from as usize];
        let place = self.even_place(node, inside);
        for step in 0..place {
            let (one, next) = (self.cycle[node][step], self.cycle[node][step ^ 1]);
            self.pair(one as usize, next as usize);
        }
        self.pair(inside as usize, other);
        self.cycle[node].rotate_left(place);
    }

    /// Switches the pairs on the path from `node`, which is paired with `other`, to the root of its tree.
    pub(super) fn augment(&mut self, mut node: usize, mut other: usize) {
        loop {
            let before = self.mate[node];
            self.pair(node, other);
            if before == NONE {
                return;
            }
            let inner = self.top_of(before);
            let next = self.top_of(self.parent[inner]);
            self.pair(inner, next);
            (node, other) = (next, inner);
        }
    }

    /// Returns the first node that lies on the paths from both nodes to their roots, if there is one.
    pub(super) fn common_ancestor(&mut self, one: usize, other: usize) -> Option<usize> {
        self.searches += 1;
        let mut paths = [Some(one), Some(other)];
        while paths != [None, None] {
            if let Some(node) = paths[0] {
                if self.seen[node] == self.searches {
                    return Some(node);
                }
                self.seen[node] = self.searches;
                paths[0] = (self.mate[node] != NONE).then(|| {
                    let inner = self.top_of(self.mate[node]);
                    self.top_of(self.parent[inner])
                });
            }
            paths.swap(0, 1);
        }
        None
    }

    /// Creates a blossom from the paths from `one` and `other`, which are joined by a tight edge, to their common
    /// ancestor.
    pub(super) fn contract(&mut self, one: usize, ancestor: usize, other: usize) {
        let unused = (self.vertices..self.nodes).find(|&node| self.top[node] == NONE);
        let blossom = unused.expect("no more blossoms than half the number of vertices exist at a time");
        let mut cycle = self.way_up(one, ancestor);
        cycle.push(id(ancestor));
        cycle.reverse();
        cycle.extend(self.way_up(other, ancestor));
        self.dual[blossom] = 0;
        self.label[blossom] = Label::Outer;
        self.mate[blossom] = self.mate[ancestor];
        self.parent[blossom] = self.parent[ancestor];
        self.cycle[blossom].clone_from(&cycle);
        self.set_top(blossom, blossom);
        for node in 0..self.nodes {
            self.best[blossom * self.nodes + node] = NO_EDGE;
            self.best[node * self.nodes + blossom] = NO_EDGE;
        }
        for part in cycle {
            self.take_in(blossom, part as usize);
        }
        self.find_nearest(blossom);
    }

    /// Returns the nodes on the path from `node` up to, but not including, `ancestor`. The inner ones become outer.
    fn way_up(&mut self, mut node: usize, ancestor: usize) -> Vec<u32> {
        let mut way = Vec::new();
        while node != ancestor {
            let inner = self.top_of(self.mate[node]);
            way.extend([id(node), id(inner)]);
            self.enqueue(inner);
            node = self.top_of(self.parent[inner]);
        }
        way
    }

    /// Merges the edges and the vertices of `part` into `blossom`.
    fn take_in(&mut self, blossom: usize, part: usize) {
        for node in 0..self.nodes {
            let edge = self.best(part, node);
            let known = self.best(blossom, node);
            if edge.from != NONE && (known.from == NONE || self.slack(edge) < self.slack(known)) {
                self.best[blossom * self.nodes + node] = edge;
                self.best[node * self.nodes + blossom] = Edge { from: edge.to, to: edge.from };
            }
        }
        for vertex in 0..self.vertices {
            if vertex == part || (part >= self.vertices && self.part[part * self.vertices + vertex] != NONE) {
                self.part[blossom * self.vertices + vertex] = id(part);
            }
        }
    }

    /// Dissolves an inner blossom whose dual is 0 into the nodes of its cycle.
    pub(super) fn expand(&mut self, blossom: usize) {
        let cycle = self.cycle[blossom].clone();
        for &part in &cycle {
            self.set_top(part as usize, part as usize);
        }
        let entry = self.best(blossom, self.parent[blossom] as usize).from;
        let entered = self.part[blossom * self.vertices + entry as usize];
        let place = self.even_place(blossom, entered);
        let cycle = std::mem::take(&mut self.cycle[blossom]);
        for step in (0..place).step_by(2) {
            let (inner, outer) = (cycle[step] as usize, cycle[step + 1] as usize);
            self.parent[inner] = self.best(outer, inner).from;
            self.label[inner] = Label::Inner;
            self.label[outer] = Label::Outer;
            self.nearest[inner] = NONE;
            self.find_nearest(outer);
            self.enqueue(outer);
        }
        self.label[entered as usize] = Label::Inner;
        self.parent[entered as usize] = self.parent[blossom];
        self.nearest[entered as usize] = NONE;
        for &part in &cycle[place + 1..] {
            self.label[part as usize] = Label::Unreached;
            self.find_nearest(part as usize);
        }
        self.top[blossom] = NONE;
        self.part[blossom * self.vertices..][..self.vertices].fill(NONE);
    }
}
