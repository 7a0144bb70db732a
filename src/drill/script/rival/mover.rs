//! The rivals that look only one move ahead and play any game.

use super::{FollowedPlies, Reply, Rival, RivalKind, SoFar, StartingPosition, next_number, position_after};
use crate::base::random::SplitMix64;
use crate::game::{Move, Position, Ruleset};
use crate::referee::record::Ply;

/// The maximum number of moves that a rival compares. Comparing a move takes time in proportion to the length of the
/// game so far.
const MOST_COMPARED: usize = 25;

/// The number of moves, chosen at random, that a rival compares if there are more than [`MOST_COMPARED`]: large boards
/// have hundreds of legal moves, and games on them are long.
const COMPARED_OF_MANY: usize = 8;

/// A rival that looks only one move ahead.
#[derive(Debug)]
pub(super) struct Mover {
    start: StartingPosition,
    kind: RivalKind,
    random: SplitMix64,
    /// The position after the plies in `known`; `None` before the rival's first turn.
    position: Option<Box<dyn Position>>,
    known: FollowedPlies,
}

impl Mover {
    pub(super) fn new(start: StartingPosition, kind: RivalKind, seed: u64) -> Self {
        Self { start, kind, random: SplitMix64::new(seed), position: None, known: FollowedPlies::default() }
    }

    /// The position after the game `so_far`, which must begin as it did in the previous turn.
    fn follow(&mut self, ruleset: Ruleset, so_far: &SoFar<'_>) -> &dyn Position {
        let position = self.position.get_or_insert_with(|| (self.start)(ruleset));
        so_far.play_rest(&mut **position, &mut self.known);
        &**position
    }

    /// Whether this rival passes now, although it may place a stone.
    fn passes(&self, number: u32, plies: &[Ply]) -> bool {
        match self.kind {
            RivalKind::Passer => true,
            RivalKind::PassesAt(at) => number == at,
            RivalKind::PassesBack => plies.last().is_some_and(|ply| ply.played.is_pass()),
            _ => false,
        }
    }

    /// The moves that the rival compares.
    fn compared(&mut self, mut moves: Vec<Move>) -> Vec<Move> {
        let is_many = moves.len() > MOST_COMPARED;
        while is_many && moves.len() > COMPARED_OF_MANY {
            let nth = usize::try_from(self.random.below(moves.len() as u64)).unwrap_or_default();
            moves.swap_remove(nth);
        }
        moves
    }

    /// The moves that leave the next seat the fewest legal moves.
    fn fewest_answers(&self, ruleset: Ruleset, so_far: &SoFar<'_>, moves: &[Move]) -> Vec<Move> {
        let answers = |played: &Move| {
            let mut after = position_after((self.start)(ruleset), so_far);
            after.play(played.as_str()).map_or(usize::MAX, |_| after.legal_moves().len())
        };
        let counted: Vec<(usize, Move)> = moves.iter().map(|played| (answers(played), *played)).collect();
        let fewest = counted.iter().map(|(count, _)| *count).min();
        counted.into_iter().filter(|(count, _)| Some(*count) == fewest).map(|(_, played)| played).collect()
    }
}

impl Rival for Mover {
    fn reply(&mut self, ruleset: Ruleset, so_far: &SoFar<'_>) -> Reply {
        let position = self.follow(ruleset, so_far);
        let (to_move, legal) = (position.seat_to_move(), position.legal_moves());
        let number = next_number(so_far.plies, to_move);
        match self.kind {
            RivalKind::ResignsAt(at) if number >= at => return Reply::Resign,
            RivalKind::LeavesAt(at) if number >= at => return Reply::Leave,
            RivalKind::FlagsAt(at) if number >= at => return Reply::FlagFalls,
            RivalKind::OneFailsAt(at) if number >= at && so_far.outs.is_empty() => return Reply::Resign,
            _ => {}
        }
        if legal.contains(&Move::PASS) && self.passes(number, so_far.plies) {
            return Reply::Play(Move::PASS);
        }
        let placements: Vec<Move> = legal.iter().copied().filter(|played| !played.is_pass()).collect();
        let choices = match self.kind {
            RivalKind::Strangler => {
                let compared = self.compared(placements);
                self.fewest_answers(ruleset, so_far, &compared)
            }
            _ => placements,
        };
        let choices = if choices.is_empty() { legal } else { choices };
        let nth = usize::try_from(self.random.below(choices.len() as u64)).unwrap_or_default();
        Reply::Play(choices[nth])
    }
}
