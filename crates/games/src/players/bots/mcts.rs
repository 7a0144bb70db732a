//! Monte Carlo tree search: UCT with a fixed number of random playouts for each move.
//!
//! Whatever the number of seats, each seat has its own value in every position of the tree, and its turns are chosen by
//! this value.
//!
//! Source: Levente Kocsis and Csaba Szepesvári, "Bandit based Monte-Carlo Planning", ECML 2006.

use crate::base::random::SplitMix64;
use crate::game::quantum::PerSeat;
use crate::game::{Seat, Side};

/// How much the search prefers moves that it has rarely tried. This was the best of 0.35, 0.5, 0.7, 1 and 1.4, with 276
/// of 480 points in games between these values at 300 playouts per move.
const EXPLORATION: f64 = 0.35;

/// The points that a seat gets for winning its game. In a draw between two seats, each gets half of these points.
pub(super) const WHOLE: u32 = 10_000;

/// A position from which the search can grow its tree.
pub(super) trait TreePosition: Clone {
    /// The step from one position to the next.
    type Turn: Copy;

    /// Returns the seat to move.
    fn mover(&self) -> Seat;

    /// Returns whether the game is over.
    fn has_ended(&self) -> bool;

    /// Calls `add` with every turn, in a fixed order. There is at least one, unless the game is over.
    fn each_turn(&self, add: impl FnMut(Self::Turn));

    /// Makes this turn, which must be one from [`TreePosition::each_turn`].
    fn play(&mut self, turn: Self::Turn);

    /// Plays random turns to the end, and returns how many of [`WHOLE`] points each seat gets.
    fn playout(self, random: &mut SplitMix64) -> PerSeat<u32>;
}

/// Returns how many of [`WHOLE`] points each of two seats gets if `winner` wins; `None` means a draw.
pub(super) fn shares(winner: Option<Side>) -> PerSeat<u32> {
    let share = |seat: Seat| winner.map_or(WHOLE / 2, |winner| if winner == seat.side() { WHOLE } else { 0 });
    PerSeat::from_fn(2, share)
}

/// A position in the tree, one turn after its parent's position.
struct Node<T> {
    /// The turn that leads to this position, and the seat whose turn it is; `None` at the root.
    played: Option<(Seat, T)>,
    visits: u32,
    /// The sum of the points of the seat that moved to this position, [`WHOLE`] for each win.
    score: u64,
    /// The first child and the number of children; `None` before the node has been visited.
    children: Option<(usize, usize)>,
}

impl<T> Node<T> {
    const fn new(played: Option<(Seat, T)>) -> Self {
        Self { played, visits: 0, score: 0, children: None }
    }
}

/// Returns the turn that was tried most often in `playouts` playouts from `root`, which must not be over. `go_on` is
/// called before each playout; when it returns `false`, there are no more playouts.
pub(super) fn best<P: TreePosition>(
    root: &P,
    playouts: u32,
    mut go_on: impl FnMut() -> bool,
    random: &mut SplitMix64,
) -> P::Turn {
    let mut tree = vec![Node::new(None)];
    let mut path = Vec::new();
    for _ in 0..playouts {
        if !go_on() {
            break;
        }
        path.clear();
        path.push(0);
        // The tree contains only turns, because positions can be large.
        let mut position = root.clone();
        let mut at = 0;
        while let Some((first, count)) = tree[at].children {
            at = select(&tree, at, first, count);
            descend(&tree[at], &mut position);
            path.push(at);
        }
        if tree[at].visits > 0 && !position.has_ended() {
            at = grow(&mut tree, at, &position, random).0;
            descend(&tree[at], &mut position);
            path.push(at);
        }
        let points = position.playout(random);
        for &node in &path {
            let node = &mut tree[node];
            node.visits += 1;
            node.score += node.played.as_ref().map_or(0, |(seat, _)| u64::from(points[*seat]));
        }
    }
    // If there were too few playouts to visit any child, take the first child that would have been tried.
    let (first, count) = tree[0].children.unwrap_or_else(|| grow(&mut tree, 0, root, random));
    // The first of the children that were tried most often. Children are in random order.
    let mut best = first;
    for child in first + 1..first + count {
        if tree[child].visits > tree[best].visits {
            best = child;
        }
    }
    tree[best].played.expect("only the root has no turn").1
}

/// Makes the turn that leads to `node`.
fn descend<P: TreePosition>(node: &Node<P::Turn>, position: &mut P) {
    position.play(node.played.expect("only the root has no turn").1);
}

/// Appends the children of a node with this `position` in random order. Returns the index of the first one and their
/// number.
fn grow<P: TreePosition>(
    tree: &mut Vec<Node<P::Turn>>,
    at: usize,
    position: &P,
    random: &mut SplitMix64,
) -> (usize, usize) {
    let first = tree.len();
    let seat = position.mover();
    position.each_turn(|turn| tree.push(Node::new(Some((seat, turn)))));
    // A Fisher-Yates shuffle.
    for last in (first + 1..tree.len()).rev() {
        let other = first + usize::try_from(random.below((last - first + 1) as u64)).unwrap_or(0);
        tree.swap(last, other);
    }
    let children = (first, tree.len() - first);
    tree[at].children = Some(children);
    children
}

/// Returns the child with the highest upper confidence bound. A child that has not been tried takes precedence.
fn select<T>(tree: &[Node<T>], parent: usize, first: usize, count: usize) -> usize {
    let log = f64::from(tree[parent].visits.max(1)).ln();
    let mut best = (first, f64::NEG_INFINITY);
    for (child, node) in tree.iter().enumerate().skip(first).take(count) {
        if node.visits == 0 {
            return child;
        }
        let visits = f64::from(node.visits);
        let bound = mean(node.score, visits) + EXPLORATION * (log / visits).sqrt();
        if bound > best.1 {
            best = (child, bound);
        }
    }
    best.0
}

/// Returns the average points as a fraction of [`WHOLE`].
#[expect(clippy::cast_precision_loss, reason = "below 2^53: there are far fewer visits than 2^32")]
fn mean(score: u64, visits: f64) -> f64 {
    score as f64 / (f64::from(WHOLE) * visits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::gothello::{Board, Game, points};

    fn game(board: &str, side: Side) -> Game {
        Game::from_board(board.parse::<Board>().expect("a board"), side)
    }

    #[test]
    fn with_more_playouts_than_moves_an_immediate_win_is_found() {
        // White has passed and black leads, so passing wins, and any other move only prolongs the game.
        let game = game("bb... b.... ..... ....w .....", Side::White).pass();
        let wins = (0..20).filter(|&seed| best(&game, 400, || true, &mut SplitMix64::new(seed)).is_none()).count();
        assert!(wins >= 15, "{wins} of 20");
    }

    #[test]
    fn any_number_of_playouts_gives_a_legal_move() {
        for playouts in [0, 1, 2, 3, 30] {
            let mut random = SplitMix64::new(u64::from(playouts));
            let mut game = Game::default();
            while !game.is_over() {
                let placement = best(&game, playouts, || true, &mut random);
                game = match placement {
                    Some(point) => {
                        assert!(points(game.placements()).any(|legal| legal == point));
                        game.place(point)
                    }
                    None => game.pass(),
                };
            }
        }
    }
    #[test]
    fn a_search_stopped_after_some_playouts_plays_as_if_it_had_that_many() {
        for playouts in [0, 1, 7, 90] {
            let mut asked = 0;
            let go_on = || {
                asked += 1;
                asked <= playouts
            };
            let game = Game::default();
            let stopped = best(&game, 1000, go_on, &mut SplitMix64::new(5));
            assert_eq!(stopped, best(&game, playouts, || true, &mut SplitMix64::new(5)), "{playouts}");
        }
    }
}
