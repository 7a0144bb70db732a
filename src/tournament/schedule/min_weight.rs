//! Minimum-weight perfect matchings: pairing off all players so that the total cost of the pairs is as low as possible.

mod blossoms;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;

/// The cost of a pair. Costs are exact, so that rounding never decides between two matchings.
pub(super) type Cost = i128;

/// The maximum cost of a pair. The duals are sums and differences of costs along paths, and must not overflow.
pub(super) const LARGEST: Cost = 1 << 110;

/// Represents the absence of a vertex or node.
const NONE: u32 = u32::MAX;

/// Returns the mate of each of `vertices` vertices in a perfect matching of the complete graph with the lowest total
/// cost. `vertices` must be even, and `cost` symmetric with values from 0 to [`LARGEST`].
///
/// If several matchings have this cost, the same arguments always lead to the same matching.
///
/// This is the primal-dual method of Jack Edmonds ("Maximum matching and a polyhedron with 0,1-vertices", 1965) in
/// O(n³) steps, as Zvi Galil describes it ("Efficient algorithms for finding maximum matching in graphs", 1986). All
/// free vertices grow their trees at the same time, and a greedy start leaves few vertices free.
pub(super) fn mates(vertices: usize, cost: impl Fn(usize, usize) -> Cost) -> Vec<usize> {
    debug_assert!(vertices.is_multiple_of(2), "a perfect matching");
    let mut search = MateSearch::new(vertices, cost);
    search.begin();
    while search.free().next().is_some() {
        search.phase();
    }
    search.mate[..vertices].iter().map(|&mate| mate as usize).collect()
}

/// An edge between two vertices, directed from one node to another.
#[derive(Clone, Copy)]
struct Edge {
    from: u32,
    to: u32,
}

const NO_EDGE: Edge = Edge { from: NONE, to: NONE };

/// The place of a node in the forest of alternating trees.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Label {
    /// Outside every tree.
    Unreached,
    /// At an even distance from the root.
    Outer,
    /// At an odd distance from the root.
    Inner,
}

/// The state of a search. Nodes are the vertices, followed by slots for blossoms: odd cycles that are treated as one
/// node. A node that is not in a blossom is a *top* node.
struct MateSearch {
    vertices: usize,
    nodes: usize,
    /// Twice the negative cost of each pair of vertices. The factor of two makes halves of slacks whole numbers.
    gain: Vec<i128>,
    /// The variables of the dual problem. Every edge has `dual[u] + dual[v] >= 2 * gain`; the difference is its slack.
    /// An edge without slack is *tight*, and only tight edges can be part of the matching.
    dual: Vec<i128>,
    /// For each pair of nodes, the edge with the least slack between them among those found so far.
    best: Vec<Edge>,
    /// For each node, the vertex at the other end of its pair.
    mate: Vec<u32>,
    /// For each node, the outermost node that contains it. For an unused blossom slot, it is [`NONE`].
    top: Vec<u32>,
    label: Vec<Label>,
    /// For each labelled node, the vertex from which it was reached.
    parent: Vec<u32>,
    /// For each top node that is not an inner one, the outer vertex with the tightest edge to it.
    nearest: Vec<u32>,
    /// For each blossom, its cycle of nodes, beginning with its base.
    cycle: Vec<Vec<u32>>,
    /// For each blossom and vertex, the node of the cycle that contains the vertex.
    part: Vec<u32>,
    queue: VecDeque<u32>,
    /// For each node, the last search for a common ancestor that passed through it.
    seen: Vec<u32>,
    searches: u32,
}

impl MateSearch {
    fn new(vertices: usize, cost: impl Fn(usize, usize) -> Cost) -> Self {
        let nodes = vertices + vertices / 2;
        let mut gain = vec![0; vertices * vertices];
        let mut best = vec![NO_EDGE; nodes * nodes];
        for u in 0..vertices {
            for v in (0..vertices).filter(|&v| v != u) {
                let cost = cost(u, v);
                debug_assert!((0..=LARGEST).contains(&cost), "{cost}");
                gain[u * vertices + v] = -2 * cost;
                best[u * nodes + v] = Edge { from: id(u), to: id(v) };
            }
        }
        Self {
            vertices,
            nodes,
            gain,
            dual: vec![0; nodes],
            best,
            mate: vec![NONE; nodes],
            top: (0..nodes).map(|node| if node < vertices { id(node) } else { NONE }).collect(),
            label: vec![Label::Unreached; nodes],
            parent: vec![NONE; nodes],
            nearest: vec![NONE; nodes],
            cycle: vec![Vec::new(); nodes],
            part: vec![NONE; nodes * vertices],
            queue: VecDeque::new(),
            seen: vec![0; nodes],
            searches: 0,
        }
    }

    fn gain(&self, u: usize, v: usize) -> i128 {
        self.gain[u * self.vertices + v]
    }

    fn best(&self, one: usize, other: usize) -> Edge {
        self.best[one * self.nodes + other]
    }

    fn slack(&self, Edge { from, to }: Edge) -> i128 {
        let (from, to) = (from as usize, to as usize);
        self.dual[from] + self.dual[to] - 2 * self.gain(from, to)
    }

    /// The vertices without a mate.
    fn free(&self) -> impl Iterator<Item = usize> {
        (0..self.vertices).filter(|&vertex| self.mate[vertex] == NONE)
    }

    /// The nodes that are not in a blossom.
    fn tops(&self) -> impl Iterator<Item = usize> {
        (0..self.nodes).filter(|&node| self.top[node] == id(node))
    }

    fn top_of(&self, vertex: u32) -> usize {
        self.top[vertex as usize] as usize
    }

    /// Starts with duals that leave each vertex a tight edge, as far as possible, and pairs off vertices along tight
    /// edges.
    fn begin(&mut self) {
        for u in 0..self.vertices {
            let others = (0..self.vertices).filter(|&v| v != u);
            self.dual[u] = others.map(|v| self.gain(u, v)).max().unwrap_or_default();
        }
        for u in 0..self.vertices {
            if self.mate[u] != NONE {
                continue;
            }
            // The largest decrease that keeps all slacks non-negative.
            let others = (0..self.vertices).filter(|&v| v != u);
            self.dual[u] = others.map(|v| 2 * self.gain(u, v) - self.dual[v]).max().unwrap_or_default();
            let is_tight = |&v: &usize| v != u && self.mate[v] == NONE && self.slack(self.best(u, v)) == 0;
            if let Some(v) = (0..self.vertices).find(is_tight) {
                (self.mate[u], self.mate[v]) = (id(v), id(u));
            }
        }
    }

    /// Grows trees from all free vertices until two of them are paired.
    fn phase(&mut self) {
        self.label.fill(Label::Unreached);
        self.nearest.fill(NONE);
        self.queue.clear();
        for node in 0..self.nodes {
            if self.top[node] == id(node) && self.mate[node] == NONE {
                self.parent[node] = NONE;
                self.label[node] = Label::Outer;
                self.enqueue(node);
            }
        }
        while !self.grow() {
            self.change_duals();
            if self.use_tight() {
                return;
            }
            self.expand_empty();
        }
    }

    /// Examines all edges of the outer vertices in the queue. Returns whether a path between two free vertices was
    /// found and used.
    fn grow(&mut self) -> bool {
        while let Some(vertex) = self.queue.pop_front() {
            let u = vertex as usize;
            for v in 0..self.vertices {
                if self.top[u] == self.top[v] {
                    continue;
                }
                let edge = Edge { from: vertex, to: id(v) };
                if self.slack(edge) > 0 {
                    self.offer(u, self.top[v] as usize);
                } else if self.follow(edge) {
                    return true;
                }
            }
        }
        false
    }

    /// Follows a tight edge that leads from an outer vertex to another top node. Returns whether a path between two
    /// free vertices was found and used.
    fn follow(&mut self, edge: Edge) -> bool {
        let (from, to) = (self.top_of(edge.from), self.top_of(edge.to));
        match self.label[to] {
            Label::Inner => false,
            Label::Unreached => {
                self.parent[to] = edge.from;
                self.label[to] = Label::Inner;
                self.nearest[to] = NONE;
                let next = self.top_of(self.mate[to]);
                self.nearest[next] = NONE;
                self.label[next] = Label::Outer;
                self.enqueue(next);
                false
            }
            Label::Outer => match self.common_ancestor(from, to) {
                Some(ancestor) => {
                    self.contract(from, ancestor, to);
                    false
                }
                None => {
                    self.augment(from, to);
                    self.augment(to, from);
                    true
                }
            },
        }
    }

    /// Changes the duals by as much as all slacks and the duals of inner blossoms allow, so that an edge becomes tight
    /// or a blossom can be expanded.
    fn change_duals(&mut self) {
        let mut least = i128::MAX;
        for node in self.tops() {
            if node >= self.vertices && self.label[node] == Label::Inner {
                least = least.min(self.dual[node] / 2);
            }
            if self.nearest[node] != NONE {
                let slack = self.slack(self.best(self.nearest[node] as usize, node));
                match self.label[node] {
                    Label::Unreached => least = least.min(slack),
                    Label::Outer => least = least.min(slack / 2),
                    Label::Inner => {}
                }
            }
        }
        for vertex in 0..self.vertices {
            match self.label[self.top[vertex] as usize] {
                Label::Outer => self.dual[vertex] -= least,
                Label::Inner => self.dual[vertex] += least,
                Label::Unreached => {}
            }
        }
        for blossom in self.vertices..self.nodes {
            if self.top[blossom] == id(blossom) {
                match self.label[blossom] {
                    Label::Outer => self.dual[blossom] += 2 * least,
                    Label::Inner => self.dual[blossom] -= 2 * least,
                    Label::Unreached => {}
                }
            }
        }
    }

    /// Follows the edges that have become tight. Returns whether a path between two free vertices was found and used.
    fn use_tight(&mut self) -> bool {
        for node in 0..self.nodes {
            let nearest = self.nearest[node];
            if self.top[node] != id(node) || nearest == NONE || self.top_of(nearest) == node {
                continue;
            }
            let edge = self.best(nearest as usize, node);
            if self.slack(edge) == 0 && self.follow(edge) {
                return true;
            }
        }
        false
    }

    fn expand_empty(&mut self) {
        for blossom in self.vertices..self.nodes {
            if self.top[blossom] == id(blossom) && self.label[blossom] == Label::Inner && self.dual[blossom] == 0 {
                self.expand(blossom);
            }
        }
    }

    /// Puts all vertices of `node` into the queue.
    fn enqueue(&mut self, node: usize) {
        if node < self.vertices {
            self.queue.push_back(id(node));
        } else {
            for place in 0..self.cycle[node].len() {
                self.enqueue(self.cycle[node][place] as usize);
            }
        }
    }

    fn set_top(&mut self, node: usize, top: usize) {
        self.top[node] = id(top);
        for place in 0..self.cycle[node].len() {
            self.set_top(self.cycle[node][place] as usize, top);
        }
    }

    /// Records the outer vertex `vertex` as the nearest to `node`, unless a nearer one is known.
    fn offer(&mut self, vertex: usize, node: usize) {
        let nearest = self.nearest[node];
        let is_nearer = |to: u32| self.slack(self.best(vertex, node)) < self.slack(self.best(to as usize, node));
        if nearest == NONE || is_nearer(nearest) {
            self.nearest[node] = id(vertex);
        }
    }

    fn find_nearest(&mut self, node: usize) {
        self.nearest[node] = NONE;
        for vertex in 0..self.vertices {
            let top = self.top[vertex] as usize;
            if top != node && self.label[top] == Label::Outer {
                self.offer(vertex, node);
            }
        }
    }
}

/// The stored number of a vertex or a node.
fn id(node: usize) -> u32 {
    u32::try_from(node).expect("a tournament has far fewer players")
}
