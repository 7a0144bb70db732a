//! Moves that may decide the game: it is tried to prove what they come to before anybody is told of them.

use super::{Referee, Sayings};
use crate::exact::adjudication::{Adjudication, position};
use crate::exact::solver::Value;
use crate::game::rules::gothello::Game;
use crate::game::rules::{Move, Side};
use crate::referee::result::GameResult;

/// A move that has been made and is charged, as it is to be told.
#[derive(Clone, Copy, Debug)]
pub(super) struct Untold {
    pub(super) side: Side,
    pub(super) number: u32,
    pub(super) played: Move,
    /// Whole seconds left on the mover's clock.
    pub(super) left: Option<u64>,
}

impl Referee {
    /// What has to be tried before the game goes on: a proof for this position. [`Referee::proven`] is to be told how the
    /// attempt went; until then nobody is told of the move that led here, and no time counts.
    pub fn to_prove(&self) -> Option<(Adjudication, Game)> {
        self.untold?;
        let game = position(self.terms.ruleset, self.plies.iter().map(|ply| ply.played))?;
        self.terms.adjudicate.map(|terms| (terms, game))
    }

    /// How the attempt at [`Referee::to_prove`] went: the game ends on the move just made, or goes on, and then the lines
    /// that came early are judged.
    pub fn proven(&mut self, found: Option<Value>) -> Sayings {
        let mut say = Sayings::default();
        if self.untold.is_some() {
            self.result = found.map(|proven| Ok(GameResult::adjudicated(proven)));
            self.tell_untold(&mut say);
            self.judge_kept(&mut say);
        }
        say
    }

    /// Nothing is left to be proven: somebody has gone. What was said before that is judged first.
    pub(super) fn unproven_for_good(&mut self) -> Sayings {
        if self.untold.is_some() {
            self.terms.adjudicate = None;
        }
        self.proven(None)
    }

    /// Tells of the last move, if that has not been done.
    pub(super) fn tell_untold(&mut self, say: &mut Sayings) {
        if let Some(made) = self.untold.take() {
            self.tell_move(made, say);
        }
    }
}
