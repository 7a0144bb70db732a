//! Which wrong idea of the board explains what a bot did in all its games.

use super::decisions::{BoardDecision, DecidedMove, decisions};
use super::wrong_boards::Belief;
use crate::drill::readiness::Trial;
use crate::game::gothello::{ALL, Points};

/// What the moves, refused moves and passes of all games show.
#[derive(Debug)]
pub(in crate::drill::diagnosis) struct BoardEvidence {
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
    /// It tries points without knowing which are legal. If `occupied`, it does not even know which are empty.
    TriesPoints { occupied: bool },
}

/// How improbable it must be that a bot without a fault passes as this one does, or that one with another fault is refused as often.
const CHANCE: f64 = 0.01;

/// How improbable it must be that a bot with another fault has its moves refused as this one has.
const CHANCE_OF_MANY: f64 = 0.001;

/// How improbable it must be that a bot that knows the rules is refused as often as one that does not. Two faults of its board at once
/// can have its moves refused nearly as often in a dozen games; a bot that knows no rules is far beyond this in the games of a check.
const CHANCE_OF_KNOWING: f64 = 1e-6;

/// How likely it is at most that a bot passes by choice in one of the turns in which it has few other moves.
const CHOSEN_PASS: f64 = 0.1;

/// How many passes a wrong idea of captures must explain.
const FEWEST_PASSES: u32 = 2;

/// How many refused moves a wrong board must explain if there is no other sign of it.
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

/// The wrong idea of captures that explains all placements, all refusals and all passes, of which there are at least two, if there is
/// one. A single pass that it does not explain shows that the bot passes by choice.
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
    // A bot that takes captured stones off the board has no reason to pass, but plays on points that are occupied.
    let removes = || explains_refusals(decisions, Belief::Removes, 1).then_some(Belief::Removes);
    Belief::OF_CAPTURES.into_iter().find(fits).or_else(removes).map(BoardFault::Captures)
}

/// How many beliefs were tried: the chance that one of several fits is that many times as high.
fn of_tried(tried: usize) -> f64 {
    u32::try_from(tried).map_or(f64::INFINITY, f64::from)
}

/// Whether the bot passes although it could place a stone, and not because its opponent has passed.
fn is_chosen(decision: &BoardDecision) -> bool {
    decision.decided == DecidedMove::Pass && !decision.answers_pass && decision.legal != 0
}

/// How likely it is that a bot that passes by choice passes in exactly those `passes` turns in which `belief` leaves it nothing else.
/// Such a bot passes where few moves are left; among these turns, it would as soon pass in any others.
fn chance_of_passes(decisions: &[BoardDecision], belief: Belief, passes: u32) -> f64 {
    let forced = || clean(decisions).filter(|decision| is_forced_by(decision, belief));
    let most = forced().map(|decision| decision.legal.count_ones()).max().unwrap_or_default();
    let is_alike = |decision: &&BoardDecision| {
        let has_moves = (1..=most).contains(&decision.legal.count_ones());
        has_moves && !decision.answers_pass && !matches!(decision.decided, DecidedMove::Refused(_))
    };
    let turns = clean(decisions).filter(is_alike).count();
    // One in as many as there are ways to choose the passes.
    let ways = (0..passes).fold(1.0, |ways, pass| {
        let left = u32::try_from(turns).unwrap_or(u32::MAX).saturating_sub(pass);
        ways * f64::from(left) / f64::from(pass + 1)
    });
    let chosen = (0..passes).fold(1.0, |chance, _| chance * CHOSEN_PASS);
    chosen.max(1.0 / ways.max(1.0))
}

/// Whether all moves, refused ones and others, are legal by `belief`, one of `tried`, far beyond what chance would have.
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

/// Whether all moves, refused ones and others, are legal if captures come first, far beyond what a bot has that picks among all empty
/// points, and as many are refused as a bot has that captures first; and a wrong idea of captures does not explain all of them.
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

/// The way in which the bot's board is turned, if one explains all refused moves.
fn turned(decisions: &[BoardDecision]) -> Option<BoardFault> {
    let ways = Belief::of_turned_boards();
    let tried = ways.len();
    ways.into_iter().find(|belief| explains_refusals(decisions, *belief, tried)).map(BoardFault::Turned)
}

/// Whether the bot tries points without knowing which are legal: as many of its moves are refused as of a bot that picks among all
/// empty points, or among all points, and it never passes where nothing else is legal before it has tried something.
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

/// How many standard deviations beyond chance a board must explain the moves of a bot.
const BEYOND_CHANCE: f64 = 3.5;

/// Whether `belief` makes far more moves legal than those of a bot that picks among `choices` by chance would be. Such a bot knows
/// the rules, whatever else goes wrong with its board.
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

/// In how many turns with nothing but the pass a bot must have tried a point, to show that it does not know what is legal whichever
/// points it prefers.
const FORCED_TRIES: usize = 5;

/// How many moves of a bot were refused, and what that says of how it chooses its points.
#[derive(Clone, Copy, Debug)]
struct PointTries {
    refused: f64,
    /// How many would be refused if the bot picked among certain points by chance.
    expected: f64,
    /// How much likelier the refusals are for a bot that picks among these points by chance than for one that does so in one of
    /// [`PointTries::KNOWING`] turns, and knows better in the others.
    likelihood_ratio: f64,
}

impl PointTries {
    /// How many times as seldom a bot with another fault is refused, at the most. Those of the wrong boards are refused far less
    /// often where no stone has turned.
    const KNOWING: f64 = 3.0;

    /// Counts in `decisions`, for each of which `choices` gives the points to choose from and those of them that are illegal.
    fn of(decisions: &[BoardDecision], choices: impl Fn(&BoardDecision) -> (Points, Points)) -> Self {
        let mut tries = Self { refused: 0.0, expected: 0.0, likelihood_ratio: 1.0 };
        for decision in clean(decisions) {
            let (all, illegal) = choices(decision);
            // A pass by choice says nothing about the points, but with no legal move, it is a point that was not tried.
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

    /// Whether too many moves were refused for a bot with another fault. Such a bot is taken for one that picks by chance with a
    /// probability of at most `chance`, by Ville's inequality: for it, the expectation of the ratio is 1, however long the games
    /// are and although each counts up to its first refused move alone. A bot that picks by chance is found in nearly every check
    /// (`as_many_refused_moves_as_expected_are_told_from_a_third`); a few games are too little to tell.
    fn are_as_many_as_expected(self, chance: f64) -> bool {
        self.likelihood_ratio * chance >= 1.0
    }
}
