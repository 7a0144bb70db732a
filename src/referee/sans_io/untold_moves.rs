//! Moves that may decide the game: the arena tries to prove the outcome before it announces them.

use super::{Referee, Sayings};
use crate::exact::adjudication::Case;
use crate::game::{Move, Outcome, Seat};
use crate::referee::result::{GameEnd, GameResult};

/// A move that has been made and charged, with the values announced to all clients.
#[derive(Clone, Copy, Debug)]
pub(super) struct Made {
    pub(super) seat: Seat,
    pub(super) number: u32,
    pub(super) played: Move,
    /// The whole seconds left on the mover's clock.
    pub(super) left: Option<u64>,
}

/// A move that is not announced before the attempt to prove the outcome has ended.
#[derive(Clone, Debug)]
pub(super) struct Untold {
    pub(super) made: Made,
    pub(super) case: Case,
}

impl Referee {
    /// The proof that is due after the last move, if there is one.
    pub(super) fn case(&self) -> Option<Case> {
        let terms = self.terms.adjudicate.filter(|terms| terms.is_due(self.plies.len()))?;
        // If there are no proofs for this rule set, its games are played to their end.
        terms.case(self.terms.ruleset, self.plies.iter().map(|ply| ply.played)).ok()
    }

    /// The proof that has to be tried before the game goes on. Until [`Referee::proven`] has been called with the
    /// outcome of the attempt, the last move is not announced and no time is charged.
    pub fn to_prove(&self) -> Option<Case> {
        self.untold.as_ref().map(|untold| untold.case.clone())
    }

    /// Handles the end of the attempt at the proof from [`Referee::to_prove`]; `found` is the proven outcome; `None` if
    /// nothing was proven. Either the game ends with the last move, or it goes on and the lines that arrived early are
    /// judged.
    pub fn proven(&mut self, found: Option<Outcome>) -> Sayings {
        let mut say = self.nothing();
        if self.untold.is_some() {
            self.result = found.map(|proven| Ok(GameEnd::Two(GameResult::adjudicated(proven))));
            self.tell_untold(&mut say);
            self.judge_kept(&mut say);
        }
        say
    }

    /// Gives up all proofs because a player has left. The lines that the player sent before it left are judged first.
    pub(super) fn unproven_for_good(&mut self) -> Sayings {
        if self.untold.is_some() {
            self.terms.adjudicate = None;
        }
        self.proven(None)
    }

    /// Announces the last move, unless it has been announced.
    pub(super) fn tell_untold(&mut self, say: &mut Sayings) {
        if let Some(Untold { made, .. }) = self.untold.take() {
            self.tell_move(made, say);
        }
    }
}
