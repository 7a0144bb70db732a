//! The proof that ends a game early: who wins a position with best play by both sides, and by how much.
//!
//! A proof is the same on every machine. It uses one thread, an empty table whose size follows from the number of nodes
//! alone, and a limit that counts nodes rather than time. The arena can therefore end a game by a proof, and `replay`
//! can repeat it.

use std::sync::atomic::{AtomicBool, Ordering};

use serde::{Deserialize, Serialize};

use crate::exact::solvable::{Solvable, position};
use crate::exact::solver::{Solver, Table};
use crate::game::rules::{Feature, MissingFeature, Move, Outcome, Ruleset};

/// When the arena tries to end a game by proof.
///
/// Invariant: `nodes` lies in [`Adjudication::NODES`] and `after_ply` in [`Adjudication::AFTER_PLY`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Adjudication {
    nodes: u64,
    after_ply: u32,
}

/// By default, an attempt that fails takes a tenth of a second or less, and most positions with half of the board empty
/// can be proven.
impl Default for Adjudication {
    fn default() -> Self {
        Self { nodes: 200_000, after_ply: 10 }
    }
}

impl Adjudication {
    /// The range of the node limit. With a higher limit, players would wait for seconds after every move.
    pub const NODES: std::ops::RangeInclusive<u64> = 1_000..=10_000_000;

    /// The range of plies to wait for. No game is longer than 50 plies: at most 24 placements, a pass before each of
    /// them, and two passes at the end.
    pub const AFTER_PLY: std::ops::RangeInclusive<u32> = 0..=49;

    /// Allows attempts of `nodes` nodes each, once `after_ply` plies have been played; `None` if either is out of
    /// range.
    pub fn new(nodes: u64, after_ply: u32) -> Option<Self> {
        (Self::NODES.contains(&nodes) && Self::AFTER_PLY.contains(&after_ply)).then_some(Self { nodes, after_ply })
    }

    /// Returns the node limit of an attempt.
    pub const fn nodes(self) -> u64 {
        self.nodes
    }

    /// Returns how many plies must be played before the first attempt, including those of an opening.
    pub const fn after_ply(self) -> u32 {
        self.after_ply
    }

    /// Returns whether an attempt is due after `plies` plies, the last of which was played and did not belong to an
    /// opening.
    pub fn is_due(self, plies: usize) -> bool {
        plies >= self.after_ply as usize
    }

    /// Returns the attempt at the position after `moves`, which must be legal and must not end the game.
    ///
    /// # Errors
    /// Returns an error if the rule set has no adjudication.
    pub fn case(self, ruleset: Ruleset, moves: impl IntoIterator<Item = Move>) -> Result<Case, MissingFeature> {
        ruleset.require(Feature::Adjudication)?;
        Ok(Case { terms: self, position: position(ruleset, moves)? })
    }
}

/// A position whose outcome is to be proven, and the bounds of the attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Case {
    terms: Adjudication,
    position: Solvable,
}

impl Case {
    /// The position.
    pub const fn position(&self) -> &Solvable {
        &self.position
    }

    /// Tries to prove the outcome of the position. Returns `None` if the nodes do not suffice, or soon after `stop` is
    /// raised. The attempt first asks who wins, and then for the margin within the nodes that are left.
    pub fn prove(&self, stop: &AtomicBool) -> Option<Outcome> {
        /// The size of a table entry in bytes. A search never makes more entries than nodes, and in practice far fewer.
        const ENTRY: u64 = 8;
        const MOST_BYTES: usize = 64 << 20;
        let (game, nodes) = (&self.position, self.terms.nodes);
        let bytes = usize::try_from(nodes * ENTRY).unwrap_or(MOST_BYTES).min(MOST_BYTES);
        let table = Table::with_bytes(bytes);
        let mut solver = Solver::new(&table).within(nodes).until(stop);
        let winner = solver.winner(game).ok()?;
        let margin = if winner.is_none() { Some(0) } else { solver.margin(game).ok() };
        // After an interruption, nobody can say how far the nodes would have gone.
        (!stop.load(Ordering::Relaxed)).then_some(Outcome { winner, margin })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::game::rules::Position as _;
    use crate::game::rules::gothello::Game;

    static NEVER: AtomicBool = AtomicBool::new(false);

    /// Plays as many of these placements and passes as the game allows; one choice in eight is a pass.
    fn played(choices: &[usize]) -> Game {
        let mut game = Game::default();
        for &choice in choices {
            let legal = game.legal_moves();
            let (pass, placements) = legal.split_last().expect("a game that goes on has moves");
            let chosen = match placements.len() {
                0 => *pass,
                _ if choice.is_multiple_of(8) => *pass,
                count => placements[choice / 8 % count],
            };
            if chosen.is_pass() && game.passed() {
                break;
            }
            game.play(chosen.as_str()).expect("it is legal");
        }
        game
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        /// Whatever is proven is the true value, and a missing margin would have needed more nodes.
        #[test]
        fn proofs_are_true_and_repeatable(
            choices in proptest::collection::vec(any::<usize>(), 16..26), nodes in prop_oneof![1_000..3_000_u64, 3_000..30_000_u64],
        ) {
            let game = played(&choices);
            prop_assume!(!game.is_over());
            let adjudication = Adjudication::new(nodes, 0).expect("within the ranges");
            let case = Case { terms: adjudication, position: game };
            let found = case.prove(&NEVER);
            prop_assert_eq!(found, case.prove(&NEVER));
            let Some(found) = found else { return Ok(()) };
            let table = Table::for_game(&game);
            let mut solver = Solver::new(&table);
            prop_assert_eq!(Ok(found.winner), solver.winner(&game));
            if found.margin.is_some() {
                prop_assert_eq!(found.margin, solver.margin(&game).ok());
            }
        }
    }

    #[test]
    fn the_winner_is_proven_before_the_margin() {
        let mut kinds = [0; 3];
        for seed in 0..40_usize {
            let choices: Vec<usize> = (0..13).map(|ply| 1 + 8 * (seed * 31 + ply * 17)).collect();
            let terms = Adjudication { nodes: 3_000, after_ply: 0 };
            let found = Case { terms, position: played(&choices) }.prove(&NEVER);
            kinds[match found {
                None => 0,
                Some(Outcome { margin: None, .. }) => 1,
                Some(Outcome { margin: Some(_), .. }) => 2,
            }] += 1;
        }
        assert!(kinds.iter().all(|&kind| kind > 0), "unsolved, without and with margin: {kinds:?}");
    }

    #[test]
    fn an_interrupted_proof_proves_nothing() {
        let case = Case { terms: Adjudication::default(), position: played(&[1; 22]) };
        assert!(case.prove(&NEVER).is_some());
        assert_eq!(case.prove(&AtomicBool::new(true)), None);
    }

    #[test]
    fn limits_outside_their_ranges_are_refused() {
        assert_eq!(Adjudication::new(200_000, 10), Some(Adjudication::default()));
        for (nodes, after_ply) in [(999, 0), (10_000_001, 0), (1_000, 50)] {
            assert_eq!(Adjudication::new(nodes, after_ply), None);
        }
    }
}
