//! Measures how fast this machine is.

use std::time::Duration;

use crate::base::time::thread_cpu;
use crate::exact::solver::{Question, Solver, TranspositionTable};
use crate::game::Side;
use crate::game::gothello::Game;
use crate::referee::pace::Speed;

/// The position that is searched: 17 empty points, far too many to solve with the number of nodes below.
const BOARD: &str = "..b.. .wb.. .wwb. ..b.w .....";

/// How many nodes one search visits. Five searches take about a third of a second on a machine from 2026. A debug
/// build, in which a node takes about twenty times as long, visits fewer nodes; its speed is not comparable with that
/// of other builds anyway.
const NODES: u64 = if cfg!(debug_assertions) { 3_000 } else { 400_000 };

/// The size of the search's table in bytes. The table fits into the innermost caches, so that programs on other cores
/// have little effect.
const TABLE: usize = 256 * 1024;

/// The number of searches. Only the median counts, so two searches may be disturbed.
const SEARCHES: usize = 5;

/// Measures the speed of one core of this machine: the median of five equal searches. The CPU time of the calling
/// thread is measured, so a busy machine counts as fast as an idle one. Returns `None` if the system does not report
/// that time.
pub(crate) fn measured() -> Option<Speed> {
    let game = Game::from_board(BOARD.parse().ok()?, Side::Black);
    let mut times: Vec<(Duration, u64)> = (0..SEARCHES).map(|_| searched(&game)).collect();
    times.sort_unstable();
    let (time, nodes) = times[SEARCHES / 2];
    Speed::of(nodes, time)
}

/// The CPU time that a search takes, and the number of its nodes, which is always the same.
fn searched(game: &Game) -> (Duration, u64) {
    // Every search starts with an empty table, so all searches are equal.
    let table = TranspositionTable::with_bytes(TABLE);
    let before = thread_cpu();
    let mut solver = Solver::new(&table).within(NODES);
    // The search is expected to reach its limit; only the time that this takes matters.
    let _ = solver.solve(game, Question::Margin);
    (thread_cpu().saturating_sub(before), solver.nodes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_search_visits_the_same_nodes_and_is_given_up() {
        let game = Game::from_board(BOARD.parse().expect("a board"), Side::Black);
        let nodes = [searched(&game).1, searched(&game).1];
        assert!(nodes[0] == nodes[1] && (NODES..NODES + NODES / 10).contains(&nodes[0]), "{nodes:?}");
        assert!(measured().is_some_and(|speed| speed.nodes_per_second() > 100));
    }
}
