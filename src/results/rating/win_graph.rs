//! Which players can be compared with each other: the strongly connected components of the win graph.

use super::anchors::Tie;
use super::pair_results::Field;
use super::{PlayerGroups, Prior, mean};

/// The pools of a field. An edge leads from each winner to the loser, and in both directions between players who drew
/// and between anchors; a pool is a strongly connected component. The differences between ratings in the same pool have
/// a finite best fit (Ford 1957); those between ratings in different pools do not.
pub(super) struct Pools {
    /// The pool of each player.
    pub(super) of_player: Vec<usize>,
    /// The number of pools.
    pub(super) count: usize,
    /// The group of each player. Games or anchors connect all players of a group, whoever won.
    group_of_player: Vec<usize>,
    /// For each group, the players whose mean rating is the zero point if there is no prior: the pool of the anchors if
    /// there are several anchors, or else the largest pool if it has at least two players, or else the whole group.
    sets: Vec<Vec<usize>>,
    /// For each group, whether its set in `sets` is a pool.
    has_pool: Vec<bool>,
}

impl Pools {
    pub(super) fn of(field: &Field) -> Self {
        let players = field.names.len();
        let mut beaten = vec![Vec::new(); players];
        let mut met = vec![Vec::new(); players];
        for cell in field.cells.iter().filter(|cell| cell.black != cell.white) {
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
        for pair in field.ties.windows(2) {
            for edges in [&mut beaten, &mut met] {
                edges[pair[0].player].push(pair[1].player);
                edges[pair[1].player].push(pair[0].player);
            }
        }
        let (of_player, count) = strongly_connected(&beaten);
        // If every edge has its opposite, strongly connected is the same as connected.
        let (group_of_player, groups) = strongly_connected(&met);
        let mut pools = vec![Vec::new(); count];
        for (player, &pool) in of_player.iter().enumerate() {
            pools[pool].push(player);
        }
        let anchored = field.ties.get(1).map(|tie| of_player[tie.player]);
        let mut sets: Vec<Vec<usize>> = vec![Vec::new(); groups];
        for pool in pools.into_iter().filter(|pool| pool.len() > 1) {
            let set = &mut sets[group_of_player[pool[0]]];
            // Pools are numbered in the order of their first players, so of two equally large pools, the one with the
            // alphabetically first player is chosen.
            let holds_anchors = |pool: &[usize]| pool.first().map(|&player| of_player[player]) == anchored;
            if anchored.is_some() && holds_anchors(&pool)
                || pool.len() > set.len() && !(anchored.is_some() && holds_anchors(set))
            {
                *set = pool;
            }
        }
        let has_pool: Vec<bool> = sets.iter().map(|set| !set.is_empty()).collect();
        for (player, &group) in group_of_player.iter().enumerate() {
            if !has_pool[group] {
                sets[group].push(player);
            }
        }
        Self { of_player, count, group_of_player, sets, has_pool }
    }

    /// Returns how the games connect the players.
    pub(super) fn groups(&self) -> PlayerGroups {
        PlayerGroups { count: self.sets.len(), have_pools: self.has_pool.contains(&true) }
    }

    /// Returns whether games connect the players `one` and `other`, whoever won.
    pub(super) fn are_near(&self, one: usize, other: usize) -> bool {
        self.group_of_player[one] == self.group_of_player[other]
    }

    /// Returns, for each player, whether the games determine its difference from the players that define the zero
    /// point. This is true for the players in a pool with an anchor; without anchors, for those in the largest pool if
    /// there is only one or, without a prior, for those in the pool whose mean rating is their zero point.
    pub(super) fn determined(&self, prior: Prior, ties: &[Tie]) -> Vec<bool> {
        let mut is_known = vec![false; self.count];
        for tie in ties {
            is_known[self.of_player[tie.player]] = true;
        }
        match prior {
            _ if !ties.is_empty() => {}
            Prior::Weak => {
                let sizes: Vec<usize> = self.members().iter().map(Vec::len).collect();
                let most = sizes.iter().copied().max().unwrap_or(0);
                let is_only = sizes.iter().filter(|&&size| size == most).count() == 1;
                for (is_known, size) in is_known.iter_mut().zip(sizes) {
                    *is_known = size == most && is_only && (most > 1 || self.count == 1);
                }
            }
            Prior::None => {
                for (set, _) in self.sets.iter().zip(&self.has_pool).filter(|(_, has_pool)| **has_pool) {
                    is_known[self.of_player[set[0]]] = true;
                }
            }
        }
        self.of_player.iter().map(|&pool| is_known[pool]).collect()
    }

    /// Returns the players of each pool.
    pub(super) fn members(&self) -> Vec<Vec<usize>> {
        let mut members = vec![Vec::new(); self.count];
        for (player, &pool) in self.of_player.iter().enumerate() {
            members[pool].push(player);
        }
        members
    }

    /// Returns each player's zero point, given the ratings of all players.
    pub(super) fn zeros(&self, ratings: &[f64]) -> Vec<f64> {
        let means: Vec<f64> = self.sets.iter().map(|set| mean(ratings, set.iter().copied())).collect();
        self.group_of_player.iter().map(|&group| means[group]).collect()
    }
}

/// Returns the strongly connected component of each node, with the components numbered in the order of their first
/// nodes, and the number of components (Kosaraju's method, without recursion).
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

/// Appends to `finished` every node that is reachable from `root` and not yet `seen`, each after the nodes that it
/// leads to.
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
    use crate::results::rating::pair_results::Cell;

    fn pools(players: usize, cells: &[Cell]) -> Pools {
        let names = (0..players).map(|player| player.to_string()).collect();
        Pools::of(&Field { names, cells: cells.to_vec(), ties: Vec::new(), centres: None, successions: Vec::new() })
    }

    fn cell(black: usize, white: usize, wins: u64, draws: u64, losses: u64) -> Cell {
        Cell { black, white, games: Wdl { wins, draws, losses } }
    }

    #[test]
    fn a_circle_of_wins_is_one_pool_and_a_chain_is_not() {
        let circle = [cell(0, 1, 1, 0, 0), cell(1, 2, 1, 0, 0), cell(0, 2, 0, 0, 1)];
        assert_eq!(pools(3, &circle).of_player, [0, 0, 0]);
        let chain = [cell(0, 1, 1, 0, 0), cell(1, 2, 1, 0, 0), cell(0, 2, 1, 0, 0)];
        assert_eq!(pools(3, &chain).of_player, [0, 1, 2]);
    }

    #[test]
    fn a_draw_connects_in_both_directions() {
        assert_eq!(pools(3, &[cell(2, 1, 0, 1, 0)]).of_player, [0, 1, 1]);
    }

    #[test]
    fn the_zero_is_the_mean_of_the_largest_pool_within_reach() {
        // Player 0 beat 1; 1 and 2 drew; 3 beat 4, and neither of these two met the other players.
        let pools = pools(5, &[cell(0, 1, 1, 0, 0), cell(1, 2, 0, 1, 0), cell(3, 4, 1, 0, 0)]);
        assert_eq!(pools.zeros(&[100.0, 4.0, 6.0, 20.0, 10.0]), [5.0, 5.0, 5.0, 15.0, 15.0]);
    }
}
