//! Repeats the proofs that ended adjudicated games.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::{Contradiction, GameRecord, verdict};
use crate::exact::seegover::Tablebase;
use crate::game::seegover::MoveRules;
use crate::referee::result::GameResult;

/// The outcome of repeating the proof that ended a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RepeatedProof {
    /// The game did not end by proof, or the proof is confirmed.
    Holds,
    /// Without the Seegover table of these rules, the proof could not be repeated.
    NoTable(MoveRules),
}

/// Checks that proofs were due after the last move, and that a proof by the same method confirms `result`. The margin
/// may be missing; if it is present, it must be the proven margin. A proof that needs a table is repeated only if
/// `table` is for the rules of the game.
pub(super) fn check_proof(
    record: &GameRecord,
    result: &GameResult,
    table: Option<&Arc<Tablebase>>,
) -> Result<RepeatedProof, Contradiction> {
    let Some(terms) = record.adjudicate else { return Err(Contradiction::NoProof) };
    if record.unfinished.is_some() {
        return Err(Contradiction::TurnAfterEnd);
    }
    if record.plies_played() == 0 || !terms.is_due(record.plies.len()) {
        return Err(Contradiction::NothingTried(record.plies.len()));
    }
    let case = terms.case(record.ruleset, record.plies.iter().map(|ply| ply.played))?;
    let table = table.filter(|table| case.needed_table() == Some(table.rules()));
    if let (Some(rules), None) = (case.needed_table(), table) {
        return Ok(RepeatedProof::NoTable(rules));
    }
    let recorded = || verdict(&Ok(result.clone()));
    let Some(proven) = case.prove(table, &AtomicBool::new(false)) else {
        return Err(Contradiction::Unproven { by: terms.by(), recorded: recorded() });
    };
    let margin_differs = result.margin().is_some_and(|margin| proven.margin != Some(margin));
    if proven.winner != result.winner() || margin_differs {
        let proven = verdict(&Ok(GameResult::adjudicated(proven)));
        return Err(Contradiction::WrongProof { by: terms.by(), proven, recorded: recorded() });
    }
    Ok(RepeatedProof::Holds)
}
