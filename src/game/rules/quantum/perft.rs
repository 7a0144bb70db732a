//! The number of ways in which a game can go on.

use super::game::{Game, LegalTurn};

/// Which passes count as moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CountedPasses {
    /// None. A seat that can only pass does so, which counts as nothing.
    None,
    /// All.
    All,
}

impl Game {
    /// The number of sequences of `plies` moves from here: placements, and passes if they count. Sequences that end
    /// earlier, because the game is over, are not counted.
    pub fn perft(&self, plies: u32, passes: CountedPasses) -> u64 {
        if plies == 0 {
            return 1;
        }
        if self.is_over() {
            return 0;
        }
        let turns = self.turns();
        if passes == CountedPasses::None && turns == [LegalTurn::Pass] {
            return self.after(LegalTurn::Pass).perft(plies, passes);
        }
        if plies == 1 {
            return turns.len() as u64;
        }
        turns.into_iter().map(|turning| self.after(turning).perft(plies - 1, passes)).sum()
    }

    fn after(&self, turning: LegalTurn) -> Self {
        let mut game = self.clone();
        game.advance(turning);
        game
    }
}
