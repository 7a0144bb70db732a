//! The results of all colourings of one set of stones, from those of the sets with one more stone.
//!
//! If the number of stones is even, black is to move, and white otherwise, so that a placement does not change the
//! colours of the other stones; a bit that is set is a black stone. The results of a position with the other side to
//! move are those of the position with all colours exchanged.

use super::board::{Board, members};
use super::chains::{Graph, Pattern};
use super::index::{LANE_BITS, Rearranged, Results, to_bytes, used_lanes, words};

/// For each number of stones, the lanes with at least as many set bits.
static AT_LEAST: [u64; LANE_BITS + 2] = {
    let mut table = [0; LANE_BITS + 2];
    let mut lane = 0_u32;
    while lane < 64 {
        let mut count = 0;
        while count <= lane.count_ones() as usize {
            table[count] |= 1 << lane;
            count += 1;
        }
        lane += 1;
    }
    table
};

/// Computes one set of stones at a time.
pub(crate) struct Solver<'a> {
    board: &'a Board,
    /// The number of stones of each set.
    stones: usize,
    /// The results of a set with one more stone, as they are in a file.
    bytes: Vec<u8>,
    child: Rearranged,
    /// The colourings that are positions.
    legal: Vec<u64>,
    /// The positions in which a placement at least draws, and those in which one wins.
    best: Vec<Results>,
}

impl<'a> Solver<'a> {
    pub(crate) fn new(board: &'a Board, stones: usize) -> Self {
        let (legal, best) = (vec![0; words(stones)], vec![[0; 2]; words(stones)]);
        Self { board, stones, bytes: Vec::new(), child: Rearranged::default(), legal, best }
    }

    /// The colour of the side to move: 1 for black.
    const fn mover(&self) -> usize {
        (self.stones + 1) % 2
    }

    /// The colourings in which the stones of `mine` belong to the side to move, and those of `theirs` to the other.
    fn pattern(&self, mine: u32, theirs: u32) -> Pattern {
        let (black, white) = if self.mover() == 1 { (mine, theirs) } else { (theirs, mine) };
        Pattern::new(self.stones, black, white)
    }

    /// Appends the results of the colourings of `set` to `results`. `read` replaces the contents of a buffer by the
    /// results of a set with one more stone, which is the lowest of its images.
    ///
    /// # Errors
    /// Fails if `read` does.
    pub(crate) fn solve<E>(
        &mut self,
        set: u32,
        mut read: impl FnMut(u32, &mut Vec<u8>) -> Result<(), E>,
        results: &mut Vec<u8>,
    ) -> Result<(), E> {
        let stones: Vec<usize> = members(set).collect();
        self.find_positions(&stones);
        self.best.fill([0; 2]);
        // On a full board, no group has a liberty, so nobody can take the last empty point.
        if self.stones + 1 < self.board.points() {
            for point in members(self.board.all() & !set) {
                let (image, symmetry) = self.board.lowest(set | 1 << point);
                read(image, &mut self.bytes)?;
                let points: Vec<usize> = stones.iter().copied().chain([point]).collect();
                let places = self.board.numbers(symmetry, image, &points);
                self.child.arrange(&self.bytes, &places, self.mover());
                self.place(&Graph::new(self.board, &points));
            }
        }
        self.decide(results);
        Ok(())
    }

    /// Finds the colourings in which every chain has a liberty.
    fn find_positions(&mut self, stones: &[usize]) {
        self.legal.fill(used_lanes(self.stones));
        let (count, legal, graph) = (self.stones, &mut self.legal, Graph::new(self.board, stones));
        graph.for_each_chain(graph.enclosed, graph.enclosed, &mut |chain, border| {
            for (black, white) in [(chain, border), (border, chain)] {
                let pattern = Pattern::new(count, black, white);
                pattern.words().for_each(|word| legal[word] &= !pattern.lanes);
            }
        });
    }

    /// Adds the placements on one point. `graph` contains the stones and, as its last point, this one; `self.child`
    /// contains the results of the colourings with a stone there.
    fn place(&mut self, graph: &Graph) {
        let (placed, stones) = (1 << self.stones, (1 << self.stones) - 1);
        let mut table = std::mem::take(&mut self.child.table);
        // A position after a capture has the results of the colouring with the chain in the captor's colour. If several
        // chains are captured, the last of them finds the others done.
        graph.for_each_chain(graph.enclosed & stones, graph.neighbours(self.stones), &mut |chain, border| {
            let (pattern, lane_bits) = (self.pattern(border & stones, chain), chain & ((1 << LANE_BITS) - 1));
            let others = (chain >> LANE_BITS) as usize;
            for word in pattern.words() {
                let captured = table[word ^ others]
                    .map(|lanes| if self.mover() == 1 { lanes >> lane_bits } else { lanes << lane_bits });
                for (lanes, captured) in table[word].iter_mut().zip(captured) {
                    *lanes = *lanes & !pattern.lanes | captured & pattern.lanes;
                }
            }
        });
        // A placement is not allowed if its chain has no liberty before it captures.
        graph.for_each_chain(graph.enclosed, placed, &mut |chain, border| {
            let pattern = self.pattern(chain & stones, border);
            for word in pattern.words() {
                table[word] = table[word].map(|lanes| lanes & !pattern.lanes);
            }
        });
        for (best, [at_least_draws, at_most_draws]) in self.best.iter_mut().zip(&table) {
            best[0] |= at_most_draws;
            best[1] |= at_most_draws & !at_least_draws;
        }
        self.child.table = table;
    }

    /// Appends the results of all colourings: the side to move places a stone, or it passes, and the other side then
    /// ends the game or places one.
    fn decide(&self, results: &mut Vec<u8>) {
        let last = words(self.stones) - 1;
        let unused = 64 - used_lanes(self.stones).count_ones();
        // The lanes with at least as many black stones.
        let with_black =
            |word: usize, black: usize| AT_LEAST[black.saturating_sub(word.count_ones() as usize).min(LANE_BITS + 1)];
        for (word, (&legal, best)) in self.legal.iter().zip(&self.best).enumerate() {
            let theirs = self.best[last - word].map(|lanes| lanes.reverse_bits() >> unused);
            let (half, more) = (with_black(word, self.stones.div_ceil(2)), with_black(word, self.stones / 2 + 1));
            let (tied_or_ahead, ahead) = if self.mover() == 1 { (half, more) } else { (!more, !half) };
            let at_least_draws = best[0] | !theirs[1] & tied_or_ahead;
            let wins = best[1] | !theirs[0] & ahead;
            results.extend(to_bytes([legal & at_least_draws, legal & !wins]));
        }
    }
}
