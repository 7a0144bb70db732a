//! The proof that ends a game early: who wins the position with best play by both sides, and by how much.
//!
//! A proof is the same wherever it is made: one thread, an empty table whose size follows from the number of nodes alone, and
//! a bound that counts nodes and not time. So the arena can end a game by it, and `replay` can make it again.

use std::sync::atomic::{AtomicBool, Ordering};

use serde::{Deserialize, Serialize};

use crate::exact::solvable::{Solvable, position};
use crate::exact::solver::{Solver, Table};
use crate::game::rules::{Feature, MissingFeature, Move, Outcome, Ruleset};

/// When a game is ended by proof.
///
/// Invariant: `nodes` lies in [`Adjudication::NODES`] and `after_ply` in [`Adjudication::AFTER_PLY`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Adjudication {
    nodes: u64,
    after_ply: u32,
}

/// A tenth of a second or less for an attempt that fails, and enough for most positions with half of the board empty.
impl Default for Adjudication {
    fn default() -> Self {
        Self { nodes: 200_000, after_ply: 10 }
    }
}

impl Adjudication {
    /// How many nodes an attempt may have. With more than the most, players would wait for seconds after every move.
    pub const NODES: std::ops::RangeInclusive<u64> = 1_000..=10_000_000;

    /// How many plies can be waited for. No game is longer than 50: there are at most 24 placements, one pass before each
    /// of them, and two passes at the end.
    pub const AFTER_PLY: std::ops::RangeInclusive<u32> = 0..=49;

    /// Attempts of `nodes` nodes each, once `after_ply` plies have been played; `None` outside the ranges.
    pub fn new(nodes: u64, after_ply: u32) -> Option<Self> {
        (Self::NODES.contains(&nodes) && Self::AFTER_PLY.contains(&after_ply)).then_some(Self { nodes, after_ply })
    }

    /// How many nodes an attempt may have.
    pub const fn nodes(self) -> u64 {
        self.nodes
    }

    /// How many plies have to be played, those of an opening included.
    pub const fn after_ply(self) -> u32 {
        self.after_ply
    }

    /// Whether an attempt is due after `plies` plies, the last of them played and not given.
    pub fn is_due(self, plies: usize) -> bool {
        plies >= self.after_ply as usize
    }

    /// The attempt at the position after these moves, which must be legal and must not end the game.
    ///
    /// # Errors
    /// When the rule set has no adjudication.
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
        /// What an entry of the table takes. More entries than nodes are never made, and in truth far fewer.
        const ENTRY: u64 = 8;
        const MOST_BYTES: usize = 64 << 20;
        let (game, nodes) = (&self.position, self.terms.nodes);
        let bytes = usize::try_from(nodes * ENTRY).unwrap_or(MOST_BYTES).min(MOST_BYTES);
        let table = Table::with_bytes(bytes);
        let mut solver = Solver::new(&table).within(nodes).until(stop);
        let winner = solver.winner(game).ok()?;
        let margin = if winner.is_none() { Some(0) } else { solver.margin(game).ok() };
        // What was broken off says nothing of how far the nodes would have gone.
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

    /// A game after as many of these placements and passes as it can take; a pass is one choice in eight.
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

        /// Whatever is proven is the value, and a margin that is missing would have taken more nodes.
        #[test]
        fn what_is_proven_is_true_and_the_same_again(
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
    fn who_wins_comes_before_by_how_much() {
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
    fn a_proof_that_is_given_up_proves_nothing() {
        let case = Case { terms: Adjudication::default(), position: played(&[1; 22]) };
        assert!(case.prove(&NEVER).is_some());
        assert_eq!(case.prove(&AtomicBool::new(true)), None);
    }

    #[test]
    fn ranges_are_kept() {
        assert_eq!(Adjudication::new(200_000, 10), Some(Adjudication::default()));
        for (nodes, after_ply) in [(999, 0), (10_000_001, 0), (1_000, 50)] {
            assert_eq!(Adjudication::new(nodes, after_ply), None);
        }
    }
}
