//! Which wrong idea of the board explains what a bot did in all its games.

use super::decisions::{BoardDecision, DecidedMove, decisions};
use super::wrong_boards::Belief;
use crate::game::rules::gothello::{ALL, Points};
use crate::results::readiness::Trial;

/// What the moves, refused moves and passes of all games show.
#[derive(Debug)]
pub(in crate::results::diagnosis) struct BoardEvidence {
    pub(super) decisions: Vec<BoardDecision>,
    pub(super) fault: Option<BoardFault>,
}

/// A fault that explains what a bot did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BoardFault {
    /// Its board follows the wrong rules about captures.
    Captures(Belief),
    /// It captures before it looks for a liberty.
    CapturesFirst,
    /// Its points are elsewhere.
    Turned(Belief),
}

/// How improbable it must be that a bot without a fault does what is seen.
const CHANCE: f64 = 0.05;

/// The same for a fault that is one of several that were tried.
const CHANCE_OF_MANY: f64 = 0.001;

/// How likely it is that a bot passes by choice although it has another move.
const CHOSEN_PASS: f64 = 0.1;

/// How many refused moves a wrong board must explain if there is no other sign of it.
const FEWEST_REFUSED: usize = 3;

impl BoardEvidence {
    pub(in crate::results::diagnosis) fn of(trials: &[Trial]) -> Self {
        let decisions = decisions(trials);
        let fault = captures(&decisions).or_else(|| captures_first(&decisions)).or_else(|| turned(&decisions));
        Self { decisions, fault }
    }

    /// The decisions in the trial at `index`.
    pub(super) fn within(&self, index: usize) -> impl Iterator<Item = &BoardDecision> {
        self.decisions.iter().filter(move |decision| decision.trial == index)
    }
}

/// The decisions that follow no refusal in the same game: later ones may rest on a move that was never made.
pub(super) fn clean(decisions: &[BoardDecision]) -> impl Iterator<Item = &BoardDecision> + Clone {
    decisions.iter().filter(|decision| decision.is_clean)
}

/// How many points there are in `set`, as a number to calculate with.
fn count(set: Points) -> f64 {
    f64::from(set.count_ones())
}

/// A pass although placements are legal, of which none is on the board that `belief` leads to.
pub(super) fn is_forced_by(decision: &BoardDecision, belief: Belief) -> bool {
    decision.decided == DecidedMove::Pass
        && !decision.answers_pass
        && decision.legal != 0
        && decision.legal_by(belief) == 0
}

/// The wrong idea of captures that explains all placements, at least one pass, and all refusals, if there is one.
fn captures(decisions: &[BoardDecision]) -> Option<BoardFault> {
    let fits = |belief: &Belief| {
        let mut chance = 1.0;
        let mut has_pass = false;
        for decision in clean(decisions) {
            let believed = decision.legal_by(*belief);
            match decision.decided {
                DecidedMove::Placed(point) if believed & point == 0 => return false,
                DecidedMove::Placed(_) if decision.legal & !believed != 0 => {
                    chance *= count(decision.legal & believed) / count(decision.legal);
                }
                DecidedMove::Refused(point) if believed & point == 0 => return false,
                DecidedMove::Pass if is_forced_by(decision, *belief) => {
                    has_pass = true;
                    chance *= CHOSEN_PASS;
                }
                _ => {}
            }
        }
        has_pass && chance < CHANCE
    };
    // A bot that takes captured stones off the board has no reason to pass, but plays on points that are occupied.
    let removes = || explains_refusals(decisions, Belief::Removes, 1).then_some(Belief::Removes);
    Belief::OF_CAPTURES.into_iter().find(fits).or_else(removes).map(BoardFault::Captures)
}

/// Whether all moves, refused ones and others, are legal by `belief`, one of `tried`, far beyond what chance would have.
fn explains_refusals(decisions: &[BoardDecision], belief: Belief, tried: u32) -> bool {
    let mut chance = f64::from(tried);
    let mut refused = 0;
    for decision in clean(decisions) {
        let believed = decision.legal_by(belief);
        match decision.decided {
            DecidedMove::Placed(point) if believed & point == 0 => return false,
            DecidedMove::Refused(point) if believed & point == 0 => return false,
            DecidedMove::Refused(_) => {
                refused += 1;
                chance *= count(believed & !decision.legal) / count(ALL & !decision.legal);
            }
            DecidedMove::Placed(_) => chance *= count(decision.legal & believed) / count(decision.legal),
            DecidedMove::Pass => {}
        }
    }
    refused >= FEWEST_REFUSED && chance < CHANCE_OF_MANY
}

/// Whether each refused move would capture, and a wrong idea of captures does not explain all of them.
fn captures_first(decisions: &[BoardDecision]) -> Option<BoardFault> {
    let refused = || clean(decisions).filter(|decision| matches!(decision.decided, DecidedMove::Refused(_)));
    let all_capture = refused().all(BoardDecision::would_capture);
    let plain = refused().any(|decision| match decision.decided {
        DecidedMove::Refused(point) => Belief::OF_CAPTURES.iter().all(|belief| decision.legal_by(*belief) & point == 0),
        DecidedMove::Placed(_) | DecidedMove::Pass => false,
    });
    (all_capture && plain).then_some(BoardFault::CapturesFirst)
}

/// The way in which the bot's board is turned, if one explains all refused moves.
fn turned(decisions: &[BoardDecision]) -> Option<BoardFault> {
    let ways = Belief::of_turned_boards();
    let tried = u32::try_from(ways.len()).unwrap_or(u32::MAX);
    ways.into_iter().find(|belief| explains_refusals(decisions, *belief, tried)).map(BoardFault::Turned)
}
