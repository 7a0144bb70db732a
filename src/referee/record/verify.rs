//! Checks whether a record describes a game that could have been played: moves, clocks, refused lines, and the result.

use std::cell::OnceCell;
use std::sync::Arc;

use super::adjudicated::{RepeatedProof, check_proof};
use super::check_errors::{CheckError, Contradiction};
use super::checked_clocks::Clocks;
use super::checked_tries::{TriedTurn, check_tries};
use super::cursor::excerpt;
use super::{GameRecord, Ply, verdict};
use crate::base::sanitise::sanitised;
use crate::exact::seegover::Tablebase;
use crate::game::{Outcome, Position, Side};
use crate::referee::clock::Meter;
use crate::referee::pace::TimeScale;
use crate::referee::result::{GameResult, Termination};
use crate::referee::time_control::TimeControl;
use crate::referee::times::whole_micros;

/// A record that has passed the check, with values derived from it.
#[derive(Clone, Debug)]
pub struct CheckedGame<'a> {
    record: &'a GameRecord,
    /// The boards, which are computed on first use.
    boards: OnceCell<Vec<String>>,
    outcome: Option<Outcome>,
    proof: RepeatedProof,
}

impl<'a> CheckedGame<'a> {
    /// The record.
    pub const fn record(&self) -> &'a GameRecord {
        self.record
    }

    /// The boards as displayed by [`Position`]: one before the first ply, then one after each ply.
    pub fn boards(&self) -> &[String] {
        self.boards.get_or_init(|| {
            let mut position = self.record.ruleset.start();
            let mut boards = vec![position.to_string()];
            for ply in &self.record.plies {
                // The check has already played this ply.
                let _ = position.play(ply.played.as_str());
                boards.push(position.to_string());
            }
            boards
        })
    }

    /// The outcome of repeating the proof that ended the game, if a proof ended it.
    pub const fn proof(&self) -> RepeatedProof {
        self.proof
    }

    /// The outcome by the rules, if the rules have ended the game.
    pub const fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }
}

/// Checks the whole record: every ply against the rules, every clock to the microsecond, refused lines, and the result.
/// The plies of an opening must be legal, have no times, and not end the game.
///
/// A record need not contain times, clocks or a margin, since other tools do not write them, but any that it contains
/// must be correct. The time spent in a turn that did not end by flag fall can exceed the clock, because it can include
/// the arena's own lateness.
///
/// This repeats the proof that ended an adjudicated game, which can take seconds if the proof needed many nodes. A
/// proof by the Seegover table is repeated only by [`check_with`].
///
/// # Errors
/// Returns the first error.
pub fn check(record: &GameRecord) -> Result<CheckedGame<'_>, CheckError> {
    check_with(record, None)
}

/// Like [`check`], but also repeats a proof by `table`, if given.
///
/// # Errors
/// Returns the first error.
pub fn check_with<'a>(record: &'a GameRecord, table: Option<&Arc<Tablebase>>) -> Result<CheckedGame<'a>, CheckError> {
    let evidence = Evidence { start: record.ruleset.start(), table };
    check_from(record, evidence)
}

/// The data against which a record is checked.
pub(super) struct Evidence<'t> {
    /// The position in which the game starts.
    pub(super) start: Box<dyn Position>,
    /// The Seegover table.
    pub(super) table: Option<&'t Arc<Tablebase>>,
}

/// Checks a record against `evidence`.
pub(super) fn check_from<'a>(record: &'a GameRecord, evidence: Evidence<'_>) -> Result<CheckedGame<'a>, CheckError> {
    let Evidence { start: mut position, table } = evidence;
    if record.time_scale != TimeScale::ONE && !matches!(record.time_control, Some(TimeControl::Clocks(_))) {
        return Err(CheckError { ply: 0, played: None, reason: Contradiction::ScaleWithoutClocks });
    }
    let first = record.plies.get(record.opening_plies);
    let mut clocks = Clocks::new(2, record.clocks(), first);
    if record.opening_plies > record.plies.len() {
        return Err(CheckError {
            ply: record.plies.len(),
            played: None,
            reason: Contradiction::OpeningTooLong(record.opening_plies),
        });
    }
    let mut last_mode = None;
    for (index, ply) in record.plies.iter().enumerate() {
        last_mode = position.mode();
        let at = |reason| CheckError { ply: index + 1, played: Some(record.numbered(index)), reason };
        check_turn(ply.side(), &*position).map_err(at)?;
        if !ply.tries.is_empty() {
            check_tries(&ply.tries, &TriedTurn::of(record.numbered(index).number, &*position)).map_err(at)?;
        }
        let played = position.play(ply.played.as_str()).map_err(|error| at(error.into()))?;
        if played != ply.played {
            return Err(at(Contradiction::Spelling(played)));
        }
        if index < record.opening_plies {
            check_given(ply, &*position).map_err(at)?;
        } else {
            clocks.press(ply).map_err(at)?;
        }
    }
    let outcome = position.outcome();
    let begins_mode = last_mode.is_some() && position.mode() != last_mode;
    let last = LastPosition { position: &*position, clocks: &clocks, table, begins_mode };
    let proof =
        check_end(record, &last).map_err(|reason| CheckError { ply: record.plies.len(), played: None, reason })?;
    Ok(CheckedGame { record, boards: OnceCell::new(), outcome, proof })
}

/// Checks that a ply of the opening has no time and does not end the game.
fn check_given(ply: &Ply, after: &dyn Position) -> Result<(), Contradiction> {
    if ply.elapsed.is_some() || ply.left.is_some() || ply.late_credit || !ply.tries.is_empty() {
        return Err(Contradiction::OpeningTimed);
    }
    if after.outcome().is_some() { Err(Contradiction::OverInOpening) } else { Ok(()) }
}

/// Checks that it is the turn of `side` according to the rules.
fn check_turn(side: Side, position: &dyn Position) -> Result<(), Contradiction> {
    let to_move = position.to_move();
    // Once the game is over, neither side is to move. This is reported as a different error.
    if side == to_move || position.outcome().is_some() { Ok(()) } else { Err(Contradiction::WrongSide(to_move)) }
}

/// The position in which a game ended.
struct LastPosition<'a> {
    position: &'a dyn Position,
    clocks: &'a Clocks,
    /// The Seegover table.
    table: Option<&'a Arc<Tablebase>>,
    /// Whether the last ply began a mode, for which teams have to change programs.
    begins_mode: bool,
}

/// Checks the unfinished turn and the result.
fn check_end(record: &GameRecord, last: &LastPosition<'_>) -> Result<RepeatedProof, Contradiction> {
    let position = last.position;
    let outcome = position.outcome();
    if let Some(turn) = &record.unfinished {
        if outcome.is_some() {
            return Err(Contradiction::TurnAfterEnd);
        }
        if turn.elapsed.is_some_and(|elapsed| elapsed != whole_micros(elapsed)) {
            return Err(Contradiction::FractionOfMicrosecond);
        }
        check_turn(turn.side(), position)?;
        let made = record.plies.iter().filter(|ply| ply.seat == turn.seat).count();
        check_tries(&turn.tries, &TriedTurn::of(made + 1, position))?;
    }
    let result = match (&record.result, outcome) {
        (Err(_), None) => return Ok(RepeatedProof::Holds),
        (Err(void), Some(outcome)) => {
            let recorded = format!("`{}`", sanitised(&void.to_string()));
            return Err(Contradiction::Over { outcome, recorded });
        }
        (Ok(result), Some(outcome)) => {
            return check_outcome(result, outcome, position.reason()).map(|()| RepeatedProof::Holds);
        }
        (Ok(result), None) => result,
    };
    if result.termination() == Termination::Adjudicated {
        return check_proof(record, result, last.table);
    }
    check_ending(record, result, last).map(|()| RepeatedProof::Holds)
}

/// Checks the result of a game that the rules have ended. The record must say so, with `reason` if there is one, and
/// must agree with the board.
fn check_outcome(result: &GameResult, outcome: Outcome, reason: Option<&'static str>) -> Result<(), Contradiction> {
    if result.termination() != Termination::Normal {
        return Err(Contradiction::Over { outcome, recorded: format!("`{}`", result.termination()) });
    }
    let margin_differs = result.margin().is_some_and(|margin| outcome.margin != Some(margin));
    if result.winner() != outcome.winner || margin_differs {
        return Err(Contradiction::WrongOutcome { outcome, recorded: verdict(&Ok(result.clone())) });
    }
    match result.reason() {
        Some(recorded) if reason != Some(recorded) => {
            Err(Contradiction::WrongReason { reason, recorded: excerpt(recorded) })
        }
        _ => Ok(()),
    }
}

/// Checks the result of a game that the rules have not ended. The record must state another way to end that fits the
/// game.
fn check_ending(record: &GameRecord, result: &GameResult, last: &LastPosition<'_>) -> Result<(), Contradiction> {
    let (to_move, clocks) = (last.position.to_move(), last.clocks);
    let termination = result.termination();
    let played = record.unfinished.is_some() || record.plies_played() > 0 && !last.begins_mode;
    match termination {
        Termination::Normal => return Err(Contradiction::NotOver),
        Termination::NoShow | Termination::NotStarted | Termination::DoubleForfeit if played => {
            return Err(Contradiction::Started(termination));
        }
        _ => {}
    }
    let Some(loser) = result.winner().map(Side::opponent) else { return Ok(()) };
    let has_clocks = matches!(clocks.control, Some(TimeControl::Clocks(_)));
    let by_the_mover = match termination {
        Termination::Resignation | Termination::Illegal => true,
        Termination::Time => has_clocks,
        _ => false,
    };
    if by_the_mover && loser != to_move {
        return Err(Contradiction::WrongLoser { termination, to_move, loser });
    }
    if termination == Termination::Time { check_time_loss(record, loser, clocks) } else { Ok(()) }
}

/// Checks that the loser spent more than all of its time or, without clocks, at least as much as the other side. If the
/// clocks count CPU time, a game can also be lost because of wall time, which is not recorded.
fn check_time_loss(record: &GameRecord, loser: Side, clocks: &Clocks) -> Result<(), Contradiction> {
    let elapsed = record.unfinished.as_ref().and_then(|turn| turn.elapsed);
    match clocks.control {
        Some(TimeControl::Clocks(_)) if record.meter != Meter::Wall => Ok(()),
        Some(TimeControl::Clocks(_)) => match (elapsed, clocks.left[loser]) {
            (Some(elapsed), Some(left)) if elapsed <= left => Err(Contradiction::FlagStood { loser, elapsed, left }),
            (None, _) if clocks.are_timed() => Err(Contradiction::NoLastTurn(loser)),
            _ => Ok(()),
        },
        Some(TimeControl::Unlimited) if elapsed.is_some() => {
            let used_less = record.used(loser) < record.used(loser.opponent());
            if used_less { Err(Contradiction::UsedLess(loser)) } else { Ok(()) }
        }
        Some(TimeControl::Unlimited) | None => Ok(()),
    }
}
