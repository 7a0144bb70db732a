//! How many ways a game can continue.

use super::game::{Game, LegalTurn};

/// Which passes count as moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CountedPasses {
    /// None: only placements count. A seat that cannot place a stone passes, and this pass does not count.
    None,
    /// All passes.
    All,
}

impl Game {
    /// The number of sequences of exactly `plies` moves from here, where moves are placements and the passes that
    /// count. Sequences that are shorter because the game ends are not counted.
    pub fn perft(&self, plies: u32, passes: CountedPasses) -> u64 {
        if plies == 0 {
            return 1;
        }
        let with_passes = passes == CountedPasses::All && self.may_pass();
        if plies == 1 {
            let moves = self.count_placements() + u64::from(with_passes);
            if moves > 0 {
                return moves;
            }
        }
        let placements = self.placements();
        if placements.is_empty() && !with_passes {
            return if self.is_over() { 0 } else { self.after(LegalTurn::Pass).perft(plies, passes) };
        }
        let turns = placements.into_iter().chain(with_passes.then_some(LegalTurn::Pass));
        turns.map(|turn| self.after(turn).perft(plies - 1, passes)).sum()
    }

    #[inline]
    fn after(&self, turn: LegalTurn) -> Self {
        let mut game = self.clone();
        game.advance(turn);
        game
    }
}
