//! Which wrong model of the board explains a bot's decisions in all its games.

use super::decisions::{BoardDecision, DecidedMove, decisions};
use super::wrong_boards::Belief;
use crate::drill::readiness::Trial;
use crate::game::gothello::{ALL, Points};

/// The evidence in the moves, refused moves and passes of all games.
#[derive(Debug)]
pub(in crate::drill::diagnosis) struct BoardEvidence {
    pub(super) decisions: Vec<BoardDecision>,
    pub(super) fault: Option<BoardFault>,
}

/// A fault that explains a bot's decisions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BoardFault {
    /// The bot's board follows the wrong rules about captures.
    Captures(Belief),
    /// The bot captures before it looks for a liberty.
    CapturesFirst,
    /// The bot's points are transformed by a symmetry.
    Turned(Belief),
    /// The bot tries points without knowing which are legal. If `occupied`, it does not even know which are empty.
    TriesPoints { occupied: bool },
}

/// The significance level for most faults: the maximum probability that a bot without a fault passes in the same turns,
/// or that a bot with another fault has at least as many refused moves.
const CHANCE: f64 = 0.01;

/// A stricter significance level: the maximum probability that a bot with another fault has at least as many refused
/// moves.
const CHANCE_OF_MANY: f64 = 0.001;

/// The maximum probability that a bot that knows the rules has as many refused moves as a bot that does not know them.
/// Two simultaneous faults in a bot's board can cause nearly as many refusals in a dozen games; a bot that does not
/// know the rules is far beyond this limit in the games of a check.
const CHANCE_OF_KNOWING: f64 = 1e-6;

/// An upper bound on the probability that a bot passes by choice in a turn in which it has few other moves.
const CHOSEN_PASS: f64 = 0.1;

/// The minimum number of passes that a wrong model of captures must explain.
const FEWEST_PASSES: u32 = 2;

/// The minimum number of refused moves that a wrong board must explain if there is no other sign of that board.
const FEWEST_REFUSED: usize = 3;

impl BoardEvidence {
    pub(in crate::drill::diagnosis) fn of(trials: &[Trial]) -> Self {
        let decisions = decisions(trials);
        let fault = captures(&decisions)
            .or_else(|| captures_first(&decisions))
            .or_else(|| turned(&decisions))
            .or_else(|| tries_points(&decisions));
        Self { decisions, fault }
    }

    /// The decisions in the trial at `index`.
    pub(super) fn within(&self, index: usize) -> impl Iterator<Item = &BoardDecision> {
        self.decisions.iter().filter(move |decision| decision.trial == index)
    }
}

/// The decisions that precede the first refusal in their game. Later decisions may be based on a move that was never
/// made.
pub(super) fn clean(decisions: &[BoardDecision]) -> impl Iterator<Item = &BoardDecision> + Clone {
    decisions.iter().filter(|decision| decision.is_clean)
}

/// The number of points in `set`, as a float.
fn count(set: Points) -> f64 {
    f64::from(set.count_ones())
}

/// Whether `decision` is a pass that `belief` explains: placements are legal, but none of them is legal on the board
/// that `belief` leads to.
pub(super) fn is_forced_by(decision: &BoardDecision, belief: Belief) -> bool {
    decision.decided == DecidedMove::Pass
        && !decision.answers_pass
        && decision.legal != 0
        && decision.legal_by(belief) == 0
}

/// Returns the wrong model of captures, if there is one, that explains every placement, every refusal and every pass of
/// a bot that passed at least twice. A single pass that a model does not explain shows that the bot passes by choice.
fn captures(decisions: &[BoardDecision]) -> Option<BoardFault> {
    let fits = |belief: &Belief| {
        let mut chance = of_tried(Belief::OF_CAPTURES.len());
        let mut passes = 0;
        for decision in clean(decisions) {
            let believed = decision.legal_by(*belief);
            match decision.decided {
                DecidedMove::Placed(point) | DecidedMove::Refused(point) if believed & point == 0 => return false,
                DecidedMove::Placed(_) if decision.legal & !believed != 0 => {
                    chance *= count(decision.legal & believed) / count(decision.legal);
                }
                DecidedMove::Pass if is_forced_by(decision, *belief) => passes += 1,
                DecidedMove::Pass if is_chosen(decision) => return false,
                _ => {}
            }
        }
        passes >= FEWEST_PASSES && chance * chance_of_passes(decisions, *belief, passes) < CHANCE
    };
    // A bot that removes captured stones has no reason to pass, but plays on occupied points.
    let removes = || explains_refusals(decisions, Belief::Removes, 1).then_some(Belief::Removes);
    Belief::OF_CAPTURES.into_iter().find(fits).or_else(removes).map(BoardFault::Captures)
}

/// The factor that allows for testing `tried` beliefs: the probability that at least one of them fits by chance is up
/// to `tried` times as high as for one belief.
fn of_tried(tried: usize) -> f64 {
    u32::try_from(tried).map_or(f64::INFINITY, f64::from)
}

/// Whether the bot passes although it could place a stone and its opponent has not just passed.
fn is_chosen(decision: &BoardDecision) -> bool {
    decision.decided == DecidedMove::Pass && !decision.answers_pass && decision.legal != 0
}

/// The probability that a bot that passes by choice does so in exactly the `passes` turns in which `belief` leaves it
/// no other move. Such a bot is assumed to pass when few moves are left, with equal probability in each of those turns.
fn chance_of_passes(decisions: &[BoardDecision], belief: Belief, passes: u32) -> f64 {
    let forced = || clean(decisions).filter(|decision| is_forced_by(decision, belief));
    let most = forced().map(|decision| decision.legal.count_ones()).max().unwrap_or_default();
    let is_alike = |decision: &&BoardDecision| {
        let has_moves = (1..=most).contains(&decision.legal.count_ones());
        has_moves && !decision.answers_pass && !matches!(decision.decided, DecidedMove::Refused(_))
    };
    let turns = clean(decisions).filter(is_alike).count();
    // One divided by the number of ways to choose the passes.
    let ways = (0..passes).fold(1.0, |ways, pass| {
        let left = u32::try_from(turns).unwrap_or(u32::MAX).saturating_sub(pass);
        ways * f64::from(left) / f64::from(pass + 1)
    });
    let chosen = (0..passes).fold(1.0, |chance, _| chance * CHOSEN_PASS);
    chosen.max(1.0 / ways.max(1.0))
}

/// Whether all moves, including refused ones, are legal under `belief`, and whether this is far too improbable to be
/// chance, considering that `tried` beliefs are tested.
fn explains_refusals(decisions: &[BoardDecision], belief: Belief, tried: usize) -> bool {
    let mut chance = of_tried(tried);
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

/// Detects a bot that captures before it looks for a liberty. All its moves, including refused ones, are legal if
/// captures come first, which would be very improbable for a bot that picks empty points at random; the number of its
/// refused moves is as expected of a bot that captures first; and no wrong model of captures explains all its moves.
fn captures_first(decisions: &[BoardDecision]) -> Option<BoardFault> {
    let refused = || clean(decisions).filter(|decision| matches!(decision.decided, DecidedMove::Refused(_)));
    let all_capture = refused().all(BoardDecision::would_capture);
    let plain = refused().any(|decision| match decision.decided {
        DecidedMove::Refused(point) => Belief::OF_CAPTURES.iter().all(|belief| decision.legal_by(*belief) & point == 0),
        DecidedMove::Placed(_) | DecidedMove::Pass => false,
    });
    let made = || clean(decisions).filter(|decision| decision.decided != DecidedMove::Pass);
    let share = |decision: &BoardDecision| count(decision.legal | decision.capturing()) / count(decision.empty());
    let chance: f64 = made().map(share).product();
    let is_enough = refused().count() >= FEWEST_REFUSED && chance < CHANCE;
    let tried = PointTries::of(decisions, |decision| (decision.legal | decision.capturing(), decision.capturing()));
    (all_capture && plain && is_enough && tried.are_as_many_as_expected(CHANCE)).then_some(BoardFault::CapturesFirst)
}

/// The symmetry of the bot's board, if there is one that explains all refused moves.
fn turned(decisions: &[BoardDecision]) -> Option<BoardFault> {
    let ways = Belief::of_turned_boards();
    let tried = ways.len();
    ways.into_iter().find(|belief| explains_refusals(decisions, *belief, tried)).map(BoardFault::Turned)
}

/// Detects a bot that tries points without knowing which are legal. The number of its refused moves is as expected of a
/// bot that picks at random among all empty points, or among all points; and when only a pass is legal, it never passes
/// before it has tried a point.
fn tries_points(decisions: &[BoardDecision]) -> Option<BoardFault> {
    let refused = |decision: &&BoardDecision| matches!(decision.decided, DecidedMove::Refused(_));
    let is_on_stone = |decision: &BoardDecision| match decision.decided {
        DecidedMove::Refused(point) => decision.empty() & point == 0,
        DecidedMove::Placed(_) | DecidedMove::Pass => false,
    };
    let occupied = clean(decisions).any(is_on_stone);
    let choices = |decision: &BoardDecision| if occupied { ALL } else { decision.empty() };
    let is_forced = |decision: &&BoardDecision| decision.legal == 0 && choices(decision) != 0;
    let knows = clean(decisions).filter(is_forced).any(|decision| decision.decided == DecidedMove::Pass);
    let at_forced = clean(decisions).filter(is_forced).filter(refused).count();
    let tried = PointTries::of(decisions, |decision| (choices(decision), choices(decision) & !decision.legal));
    let is_surely_ignorant = at_forced >= FORCED_TRIES && tried.refused * 2.0 >= tried.expected;
    let is_ignorant = tried.are_as_many_as_expected(CHANCE_OF_KNOWING) || is_surely_ignorant;
    let knows =
        knows || Belief::of_turned_boards().into_iter().any(|belief| fits_beyond_chance(decisions, belief, choices));
    (!knows && is_ignorant).then_some(BoardFault::TriesPoints { occupied })
}

/// The number of standard deviations by which the number of moves that a board explains must exceed the number expected
/// by chance.
const BEYOND_CHANCE: f64 = 3.5;

/// Whether far more moves are legal under `belief` than would be expected of a bot that picks among `choices` at
/// random. If so, the bot knows the rules, whatever else is wrong with its board.
fn fits_beyond_chance(decisions: &[BoardDecision], belief: Belief, choices: impl Fn(&BoardDecision) -> Points) -> bool {
    let (mut legal, mut expected, mut variance) = (0.0, 0.0, 0.0);
    for decision in clean(decisions) {
        let (DecidedMove::Placed(point) | DecidedMove::Refused(point)) = decision.decided else { continue };
        let (all, believed) = (choices(decision), decision.legal_by(belief));
        let share = count(believed & all) / count(all).max(1.0);
        expected += share;
        variance += share * (1.0 - share);
        legal += if believed & point == 0 { 0.0 } else { 1.0 };
    }
    legal > expected + BEYOND_CHANCE * f64::sqrt(variance)
}

/// The number of turns in which a bot must have tried a point although only a pass was legal, to prove that it does not
/// know which points are legal, whichever points it prefers.
const FORCED_TRIES: usize = 5;

/// How many of a bot's moves were refused, and how likely that is for different ways of choosing points.
#[derive(Clone, Copy, Debug)]
struct PointTries {
    refused: f64,
    /// The expected number of refusals if the bot picked at random among the points to choose from.
    expected: f64,
    /// The likelihood ratio of the refusals between a bot that always picks among those points at random and one that
    /// does so in one out of [`PointTries::KNOWING`] turns and plays legal moves in all other turns.
    likelihood_ratio: f64,
}

impl PointTries {
    /// The moves of a bot with another fault are refused less often, by at least this factor, than if the bot picked at
    /// random. Before any stone has turned, moves of bots with wrong boards are refused even less often.
    const KNOWING: f64 = 3.0;

    /// Counts the refusals in `decisions`. For each decision, `choices` returns the points to choose from and the
    /// illegal ones among them.
    fn of(decisions: &[BoardDecision], choices: impl Fn(&BoardDecision) -> (Points, Points)) -> Self {
        let mut tries = Self { refused: 0.0, expected: 0.0, likelihood_ratio: 1.0 };
        for decision in clean(decisions) {
            let (all, illegal) = choices(decision);
            // A pass by choice reveals nothing about the points, but a pass without another legal move means that the
            // bot did not try a point.
            let is_untried = decision.legal == 0 && all != 0 && !decision.answers_pass;
            if decision.decided == DecidedMove::Pass && !is_untried {
                continue;
            }
            let share = count(illegal) / count(all).max(1.0);
            tries.expected += share;
            if matches!(decision.decided, DecidedMove::Refused(_)) {
                tries.refused += 1.0;
                tries.likelihood_ratio *= Self::KNOWING;
            } else {
                tries.likelihood_ratio *= (1.0 - share) / (1.0 - share / Self::KNOWING);
            }
        }
        tries
    }

    /// Whether more moves were refused than a bot with another fault would cause. By Ville's inequality, a bot with
    /// another fault is mistaken for one that picks at random with a probability of at most `chance`: the expected
    /// value of its ratio is 1, however long the games are, even though each game counts only up to its first refused
    /// move. A bot that picks at random is detected in nearly every check
    /// (`as_many_refused_moves_as_expected_are_distinguished_from_a_third`); a few games are not enough.
    fn are_as_many_as_expected(self, chance: f64) -> bool {
        self.likelihood_ratio * chance >= 1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drill::diagnosis::trials_for_tests::{facts, trial};
    use crate::drill::readiness::TrialStatus;
    use crate::drill::script::Refusal;
    use crate::game::Side;
    use crate::referee::record::TryKind;

    /// Twelve refused first moves on c3, where only the points in `legal` are legal.
    fn refused(legal: Points) -> Vec<BoardDecision> {
        let mut game = facts(Side::Black);
        let (text, why, kind) = ("1 c3".to_owned(), "no".to_owned(), TryKind::Illegal);
        game.refusals = vec![Refusal { ply: 0, text, why, kind, forged: false }; 12];
        let mut found = decisions(&[trial("plain", Side::Black, TrialStatus::Fail, vec![game])]);
        for decision in &mut found {
            (decision.is_clean, decision.legal) = (true, legal);
        }
        found
    }

    #[test]
    fn a_belief_that_forbids_nothing_explains_no_refusals() {
        // Every point of the empty board is legal under every belief.
        for legal in [0, 1, 0b111, ALL >> 1] {
            let decisions = refused(legal);
            assert_eq!(decisions.len(), 12);
            assert!(!explains_refusals(&decisions, Belief::NothingTurns, 1), "{legal:b}");
        }
    }
}
