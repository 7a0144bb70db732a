//! The proof that ends a game early: who wins a position with best play by both sides, and by how much.
//!
//! A proof is the same on every machine. In Seegover, the table contains the answer. In Gothello, a proof uses one
//! thread, an empty table whose size depends only on the number of nodes, and a limit that counts nodes rather than
//! time. So the arena can end a game by proof, and `replay` can repeat it.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::{Deserialize, Serialize};

use crate::exact::seegover::{Expert, Tablebase};
use crate::exact::solvable::{Solvable, position};
use crate::exact::solver::{Solver, TranspositionTable};
use crate::game::seegover::{self, MoveRules};
use crate::game::{Feature, MissingFeature, Move, Outcome, Position, Ruleset};

/// How a proof is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ProofBy {
    /// By a search of at most this number of nodes.
    Nodes(u64),
    /// By the Seegover table.
    SeegoverTable,
}

/// Writes `200000 nodes` or `the table`.
impl fmt::Display for ProofBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nodes(nodes) => write!(f, "{nodes} nodes"),
            Self::SeegoverTable => f.write_str("the table"),
        }
    }
}

/// When the arena tries to end a game by proof.
///
/// Invariant: the node limit is in [`Adjudication::NODES`] and `after_ply` is in [`Adjudication::AFTER_PLY`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Adjudication {
    by: ProofBy,
    after_ply: u32,
}

/// By default, a failed attempt takes at most a tenth of a second. Proofs begin late enough that they change the
/// results of only about one game in a hundred between bots that do not play perfectly; see the figures in
/// docs/reference/tournament-file.md.
impl Default for Adjudication {
    fn default() -> Self {
        Self { by: ProofBy::Nodes(Self::DEFAULT_NODES), after_ply: Self::DEFAULT_AFTER_PLY }
    }
}

impl Adjudication {
    /// The default node limit.
    pub const DEFAULT_NODES: u64 = 200_000;

    /// The default number of plies to wait for.
    pub const DEFAULT_AFTER_PLY: u32 = 22;

    /// The range of the node limit. With a higher limit, players would wait for seconds after every move.
    pub const NODES: std::ops::RangeInclusive<u64> = 1_000..=10_000_000;

    /// The range of plies to wait for. No game of Gothello is longer than 50 plies: at most 24 placements, a pass
    /// before each of them, and two passes at the end.
    pub const AFTER_PLY: std::ops::RangeInclusive<u32> = 0..=49;

    /// Allows attempts of `nodes` nodes each, once `after_ply` plies have been played; `None` if either is out of
    /// range.
    pub fn new(nodes: u64, after_ply: u32) -> Option<Self> {
        let fits = Self::NODES.contains(&nodes) && Self::AFTER_PLY.contains(&after_ply);
        fits.then_some(Self { by: ProofBy::Nodes(nodes), after_ply })
    }

    /// Allows looking up positions in the Seegover table, once `after_ply` plies have been played; `None` if that is
    /// out of range.
    pub fn by_table(after_ply: u32) -> Option<Self> {
        Self::AFTER_PLY.contains(&after_ply).then_some(Self { by: ProofBy::SeegoverTable, after_ply })
    }

    /// Returns how an attempt is made.
    pub const fn by(self) -> ProofBy {
        self.by
    }

    /// Returns how many plies must be played before the first attempt, including those of an opening.
    pub const fn after_ply(self) -> u32 {
        self.after_ply
    }

    /// Returns whether an attempt is due after `plies` plies, the last of which must not belong to an opening.
    pub fn is_due(self, plies: usize) -> bool {
        plies >= self.after_ply as usize
    }

    /// Returns the position after `moves` as a case to prove. The moves must be legal and must not end the game.
    ///
    /// # Errors
    /// Returns an error if the rule set does not support adjudication of this kind.
    pub fn case(self, ruleset: Ruleset, moves: impl IntoIterator<Item = Move>) -> Result<Case, MissingFeature> {
        ruleset.require(Feature::Adjudication)?;
        Ok(match (self.by, ruleset) {
            (ProofBy::SeegoverTable, Ruleset::Seegover(options)) => {
                let mut game = seegover::Game::new(options);
                for played in moves {
                    // Legal moves are never refused.
                    let _ = game.play(played.as_str());
                }
                Case::Lookup(Box::new(game))
            }
            (ProofBy::Nodes(nodes), Ruleset::Gothello) => Case::Search { nodes, position: position(ruleset, moves)? },
            (ProofBy::SeegoverTable, Ruleset::Gothello)
            | (ProofBy::Nodes(_), Ruleset::Seegover(_))
            | (_, Ruleset::Quantum(_)) => {
                return Err(MissingFeature { ruleset: ruleset.name(), feature: Feature::Adjudication, option: None });
            }
        })
    }
}

/// A position whose outcome should be proven, and the limits of the attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Case {
    /// A Gothello position is searched.
    Search {
        /// The maximum number of nodes.
        nodes: u64,
        /// The position.
        position: Solvable,
    },
    /// A Seegover position is looked up.
    Lookup(Box<seegover::Game>),
}

impl Case {
    /// The position.
    pub fn position(&self) -> &dyn Position {
        match self {
            Self::Search { position, .. } => position,
            Self::Lookup(game) => &**game,
        }
    }

    /// The rules of the Seegover table that the attempt needs, if any.
    pub const fn needed_table(&self) -> Option<MoveRules> {
        match self {
            Self::Search { .. } => None,
            Self::Lookup(game) => Some(game.rules().move_rules()),
        }
    }

    /// Tries to prove the outcome of the position. Returns `None` if the nodes do not suffice, or soon after `stop` is
    /// raised. An attempt that needs the table fails without it.
    pub fn prove(&self, table: Option<&Arc<Tablebase>>, stop: &AtomicBool) -> Option<Outcome> {
        match self {
            Self::Search { nodes, position } => search(*nodes, position, stop),
            Self::Lookup(game) => look_up(game, table?),
        }
    }
}

/// Looks up who wins. A table for other rules proves nothing. In the drop phase, there are no proofs; in the move
/// phase, a draw is always proven, and a win is proven if the positions that have already occurred cannot turn it into
/// a draw.
fn look_up(game: &seegover::Game, table: &Arc<Tablebase>) -> Option<Outcome> {
    if !game.board().is_full() || table.rules().with(game.rules().drop) != game.rules() {
        return None;
    }
    let mut expert = Expert::new(Arc::clone(table), game.rules().drop);
    let value = expert.value(game).ok()?;
    let margin = if value.winner.is_none() { Some(0) } else { None };
    expert.is_certain(game, value).then_some(Outcome { winner: value.winner, margin })
}

/// First finds the winner, and then the margin within the remaining nodes.
fn search(nodes: u64, game: &Solvable, stop: &AtomicBool) -> Option<Outcome> {
    /// The size of a table entry in bytes. A search never makes more entries than it visits nodes, and in practice
    /// makes far fewer.
    const ENTRY: u64 = 8;
    const MOST_BYTES: usize = 64 << 20;
    let bytes = usize::try_from(nodes * ENTRY).unwrap_or(MOST_BYTES).min(MOST_BYTES);
    let table = TranspositionTable::with_bytes(bytes);
    let mut solver = Solver::new(&table).within(nodes).until(stop);
    let winner = solver.winner(game).ok()?;
    let margin = if winner.is_none() { Some(0) } else { solver.margin(game).ok() };
    // After an interruption, it is unknown whether the node limit would have sufficed.
    (!stop.load(Ordering::Relaxed)).then_some(Outcome { winner, margin })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::exact::seegover::Worth;
    use crate::game::Side;
    use crate::game::gothello::Game;
    use crate::game::seegover::DropRule;

    static NEVER: AtomicBool = AtomicBool::new(false);

    /// Plays the moves that `choices` select, as far as the game allows; one choice in eight is a pass.
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

        /// Tests that a proven value is always the true value, and that a missing margin would have needed more nodes.
        #[test]
        fn proofs_are_true_and_repeatable(
            choices in proptest::collection::vec(any::<usize>(), 16..26), nodes in prop_oneof![1_000..3_000_u64, 3_000..30_000_u64],
        ) {
            let game = played(&choices);
            prop_assume!(!game.is_over());
            let case = Case::Search { nodes, position: game };
            let found = case.prove(None, &NEVER);
            prop_assert_eq!(found, case.prove(None, &NEVER));
            let Some(found) = found else { return Ok(()) };
            let table = TranspositionTable::for_game(&game);
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
            let found = Case::Search { nodes: 3_000, position: played(&choices) }.prove(None, &NEVER);
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
        let case = Case::Search { nodes: 200_000, position: played(&[1; 22]) };
        assert!(case.prove(None, &NEVER).is_some());
        assert_eq!(case.prove(None, &AtomicBool::new(true)), None);
    }

    #[test]
    fn limits_outside_their_ranges_are_refused() {
        assert_eq!(Adjudication::new(200_000, 22), Some(Adjudication::default()));
        for (nodes, after_ply) in [(999, 0), (10_000_001, 0), (1_000, 50)] {
            assert_eq!(Adjudication::new(nodes, after_ply), None);
        }
    }

    /// A position in which black has turns that win, and the positions after them.
    fn nearly_won() -> (seegover::Game, Vec<seegover::View>) {
        let board = "wwbwb/bbwww/w.www/wwbww/wwbww".parse().expect("a board");
        let game = seegover::Game::from_board(seegover::Options::DEFAULT, board, Side::White).expect("a position");
        let mut won = Vec::new();
        game.view().each_turn(game.rules(), |_, after| won.extend(after.swapped().is_lost().then(|| after.swapped())));
        (game, won)
    }

    #[test]
    fn a_table_proves_what_no_history_can_change() {
        let (game, won) = nearly_won();
        assert!(!won.is_empty());
        let lost = || won.iter().map(|&after| (after, Worth::Lost(0)));
        let prove =
            |game: &seegover::Game, table| Case::Lookup(Box::new(game.clone())).prove(Some(&Arc::new(table)), &NEVER);
        let wins = Some(Outcome { winner: Some(Side::White), margin: None });
        assert_eq!(prove(&game, Tablebase::drawn_but(lost())), wins);
        assert_eq!(prove(&game, Tablebase::drawn_but([])), Some(Outcome { winner: None, margin: Some(0) }));
        assert_eq!(Case::Lookup(Box::new(game.clone())).prove(None, &NEVER), None, "there is no table");
        assert_eq!(
            prove(&game, Tablebase::drawn_under(MoveRules::ALL[1], lost())),
            None,
            "the table is for other rules"
        );
        assert_eq!(
            prove(&seegover::Game::new(seegover::Options::DEFAULT), Tablebase::drawn_but([])),
            None,
            "stones are still dropped"
        );

        // The same win two plies later is uncertain if the first position was won in fewer plies, and certain
        // otherwise.
        let plays = game.plays();
        let later = plays.iter().map(|&play| game.after(play)).find(|after| after.ending().is_none()).expect("a turn");
        let later = later.after(later.plays()[0]);
        assert!(later.ending().is_none() && later.side() == Side::White);
        let mut ways = Vec::new();
        later.view().each_turn(later.rules(), |_, after| ways.push((after.swapped(), Worth::Lost(4))));
        let table = |first| Tablebase::drawn_but(ways.iter().copied().chain([(game.view(), first)]));
        assert_eq!(prove(&later, table(Worth::Won(3))), None);
        assert_eq!(prove(&later, table(Worth::Won(5))), wins);
        assert_eq!(prove(&later, table(Worth::Lost(2))), wins, "the other side's wins do not matter");
    }

    #[test]
    fn each_rule_set_has_its_own_proofs() {
        let [gothello, seegover, ..] = Ruleset::ALL;
        let table = Adjudication::by_table(0).expect("a ply");
        assert!(Adjudication::default().case(gothello, []).is_ok_and(|case| case.needed_table().is_none()));
        assert!(table.case(seegover, []).is_ok_and(|case| case.needed_table() == Some(MoveRules::DEFAULT)));
        assert!(table.case(gothello, []).is_err() && Adjudication::default().case(seegover, []).is_err());
        for rules in MoveRules::ALL {
            let case = table.case(Ruleset::Seegover(rules.with(DropRule::Two)), []).expect("a case");
            assert_eq!(case.needed_table(), Some(rules));
        }
        let superko: Ruleset = "seegover cycle=superko".parse().expect("a rule set");
        assert!(table.case(superko, []).is_err(), "its positions have no values");
    }
}
