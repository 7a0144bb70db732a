//! Who can be compared with whom: the strongly connected components of the win graph.

use super::mean;
use super::results::Cell;

/// The pools of a field. An edge leads from each winner to the loser, and both ways between players who drew; a pool is
/// a strongly connected component. Ratings within a pool have a finite best fit (Ford 1957), those across do not.
pub(super) struct Pools {
    /// Each player's pool.
    pub(super) of_player: Vec<usize>,
    /// How many pools there are.
    pub(super) count: usize,
    /// For each player, those whose mean is its zero without a prior: the largest pool, if it has two players, among all
    /// that games connect with the player in any direction, otherwise all of these.
    zero_sets: Vec<usize>,
    sets: Vec<Vec<usize>>,
}

impl Pools {
    /// The pools of `players` players with these results.
    pub(super) fn of(players: usize, cells: &[Cell]) -> Self {
        let mut beaten = vec![Vec::new(); players];
        let mut met = vec![Vec::new(); players];
        for cell in cells.iter().filter(|cell| cell.black != cell.white) {
            let games = cell.games;
            if games.wins + games.draws > 0 {
                beaten[cell.black].push(cell.white);
            }
            if games.losses + games.draws > 0 {
                beaten[cell.white].push(cell.black);
            }
            met[cell.black].push(cell.white);
            met[cell.white].push(cell.black);
        }
        let (of_player, count) = strongly_connected(&beaten);
        // Where every edge has its opposite, strongly connected and connected are the same.
        let (land_of_player, lands) = strongly_connected(&met);
        let mut pools = vec![Vec::new(); count];
        for (player, &pool) in of_player.iter().enumerate() {
            pools[pool].push(player);
        }
        let mut sets: Vec<Vec<usize>> = vec![Vec::new(); lands];
        for pool in pools.into_iter().filter(|pool| pool.len() > 1) {
            let set = &mut sets[land_of_player[pool[0]]];
            // Of two equally large ones the one with the first name, as pools are numbered by their first players.
            if pool.len() > set.len() {
                *set = pool;
            }
        }
        let whole: Vec<bool> = sets.iter().map(Vec::is_empty).collect();
        for (player, &land) in land_of_player.iter().enumerate() {
            if whole[land] {
                sets[land].push(player);
            }
        }
        Self { of_player, count, zero_sets: land_of_player, sets }
    }

    /// The players of each pool.
    pub(super) fn members(&self) -> Vec<Vec<usize>> {
        let mut members = vec![Vec::new(); self.count];
        for (player, &pool) in self.of_player.iter().enumerate() {
            members[pool].push(player);
        }
        members
    }

    /// Each player's zero, given everybody's rating.
    pub(super) fn zeros(&self, ratings: &[f64]) -> Vec<f64> {
        let means: Vec<f64> = self.sets.iter().map(|set| mean(ratings, set.iter().copied())).collect();
        self.zero_sets.iter().map(|&set| means[set]).collect()
    }
}

/// The strongly connected component of each node, numbered by their first nodes, and their number (Kosaraju's method,
/// without recursion).
fn strongly_connected(edges: &[Vec<usize>]) -> (Vec<usize>, usize) {
    let mut reverse = vec![Vec::new(); edges.len()];
    for (from, targets) in edges.iter().enumerate() {
        for &to in targets {
            reverse[to].push(from);
        }
    }
    let mut finished = Vec::with_capacity(edges.len());
    let mut seen = vec![false; edges.len()];
    for root in 0..edges.len() {
        depth_first(edges, root, &mut seen, &mut finished);
    }
    seen.fill(false);
    let mut component = vec![usize::MAX; edges.len()];
    let mut members = Vec::new();
    for &root in finished.iter().rev() {
        depth_first(&reverse, root, &mut seen, &mut members);
        for member in members.drain(..) {
            component[member] = root;
        }
    }
    let mut number_of_root = vec![usize::MAX; edges.len()];
    let mut count = 0;
    for component in &mut component {
        let number = &mut number_of_root[*component];
        if *number == usize::MAX {
            *number = count;
            count += 1;
        }
        *component = *number;
    }
    (component, count)
}

/// Appends what can be reached from `root` and was not `seen` to `finished`, each node after those that it leads to.
fn depth_first(edges: &[Vec<usize>], root: usize, seen: &mut [bool], finished: &mut Vec<usize>) {
    if std::mem::replace(&mut seen[root], true) {
        return;
    }
    let mut path = vec![(root, edges[root].iter())];
    while let Some((node, targets)) = path.last_mut() {
        match targets.next() {
            Some(&next) if !std::mem::replace(&mut seen[next], true) => path.push((next, edges[next].iter())),
            Some(_) => {}
            None => {
                finished.push(*node);
                path.pop();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::rating::Wdl;

    fn cell(black: usize, white: usize, wins: u64, draws: u64, losses: u64) -> Cell {
        Cell { black, white, games: Wdl { wins, draws, losses } }
    }

    #[test]
    fn wins_in_a_circle_make_one_pool_and_a_chain_makes_none() {
        let circle = [cell(0, 1, 1, 0, 0), cell(1, 2, 1, 0, 0), cell(0, 2, 0, 0, 1)];
        assert_eq!(Pools::of(3, &circle).of_player, [0, 0, 0]);
        let chain = [cell(0, 1, 1, 0, 0), cell(1, 2, 1, 0, 0), cell(0, 2, 1, 0, 0)];
        assert_eq!(Pools::of(3, &chain).of_player, [0, 1, 2]);
    }

    #[test]
    fn a_draw_connects_both_ways() {
        assert_eq!(Pools::of(3, &[cell(2, 1, 0, 1, 0)]).of_player, [0, 1, 1]);
    }

    #[test]
    fn the_zero_is_the_mean_of_the_largest_pool_within_reach() {
        // 0 beat 1; 1 and 2 drew; 3 and 4 never met the others, and 3 won.
        let pools = Pools::of(5, &[cell(0, 1, 1, 0, 0), cell(1, 2, 0, 1, 0), cell(3, 4, 1, 0, 0)]);
        assert_eq!(pools.zeros(&[100.0, 4.0, 6.0, 20.0, 10.0]), [5.0, 5.0, 5.0, 15.0, 15.0]);
    }
}
