//! Cause D07: the bot answers its opponent's passes with passes, even if that loses the game.

use super::decisions::{BoardDecision, DecidedMove};
use super::evidence::BoardFault;
use super::{in_game, list};
use crate::drill::diagnosis::inquiry::{Subject, finding};
use crate::drill::diagnosis::language::Language;
use crate::drill::readiness::{Cause, Diagnosis};

/// The significance level for answering passes with passes: the maximum probability that a bot that occasionally passes
/// by choice answers this many passes with a pass.
const CHANCE_OF_ANSWERS: f64 = 0.05;

/// The share of its opponent's passes that a bot with fault D07 answers with a pass.
const PASSED_BACK: f64 = 0.8;

/// Returns the cause if the bot answers passes with passes, even if that loses the game.
pub(super) fn find(subject: &Subject<'_>) -> Option<Diagnosis> {
    let board = &subject.inquiry.board;
    let believes = |decision: &BoardDecision| match board.fault {
        Some(BoardFault::Captures(belief)) => decision.legal_by(belief) != 0,
        _ => true,
    };
    let answers =
        || board.decisions.iter().filter(|decision| decision.answers_pass && decision.legal != 0 && believes(decision));
    let answered = || answers().filter(|decision| !matches!(decision.decided, DecidedMove::Refused(_)));
    let (all, passed) =
        (answered().count(), answered().filter(|decision| decision.decided == DecidedMove::Pass).count());
    let loss = in_game(subject).find(|decision| {
        decision.answers_pass && decision.legal != 0 && decision.decided == DecidedMove::Pass && decision.lead < 0
    })?;
    let other = || board.decisions.iter().filter(|decision| !decision.answers_pass && decision.legal != 0);
    let chosen = other().filter(|decision| decision.decided == DecidedMove::Pass && believes(decision)).count();
    let counted = |count: usize| u32::try_from(count).map_or(f64::INFINITY, f64::from);
    let is_habit = all >= 2 && counted(passed) >= PASSED_BACK * counted(all);
    let usual: f64 = (counted(chosen) + 1.0) / (counted(other().count()) + 2.0);
    if !is_habit || usual.powf(counted(passed)) >= CHANCE_OF_ANSWERS {
        return None;
    }
    let text = format!(
        "Your bot answered {passed} of {all} passes with a pass, even when it was {} behind and could have played {}. Two passes end the game, so it lost a game that it could have continued.",
        if loss.lead == -1 { "a stone".to_owned() } else { format!("{} stones", -loss.lead) },
        list(loss.legal)
    );
    let form = match subject.inquiry.code.language {
        Language::Python => "`if opponent_passed and my_stones > their_stones: make_pass()`",
        Language::Java => "`if (opponentPassed && myStones > theirStones) return Move.PASS;`",
        _ => "pass when your opponent has passed and you have more stones",
    };
    let fix = format!(
        "Do not pass just because your opponent did: {form}, and otherwise play on as long as there is a legal move."
    );
    let fix = fix.replace(": pass when", ": only pass when");
    let place = subject.inquiry.code.find_any(&["pass to end game", "to end game", "to end the game"]);
    Some(finding(Cause::PassBack, text, fix).showing(loss.evidence()).at(place))
}
