//! Adjudicated games: repeating the proof that ended one.

use std::sync::atomic::AtomicBool;

use super::{Contradiction, GameRecord, verdict};
use crate::referee::result::GameResult;

/// Checks that the last move was made when proofs were tried, and that a proof by the same solver within the same nodes gives
/// `result`. The margin may be missing; if it is there, the proof must give it.
pub(super) fn check_proof(record: &GameRecord, result: &GameResult) -> Result<(), Contradiction> {
    let Some(terms) = record.adjudicate else { return Err(Contradiction::NoProof) };
    if record.unfinished.is_some() {
        return Err(Contradiction::TurnAfterEnd);
    }
    if record.plies_played() == 0 || !terms.is_due(record.plies.len()) {
        return Err(Contradiction::NothingTried(record.plies.len()));
    }
    let moves = record.plies.iter().map(|ply| ply.played);
    let proven = terms.case(record.ruleset, moves)?.prove(&AtomicBool::new(false));
    let recorded = || verdict(&Ok(result.clone()));
    let Some(proven) = proven else {
        return Err(Contradiction::Unproven { nodes: terms.nodes(), recorded: recorded() });
    };
    let margin_differs = result.margin().is_some_and(|margin| proven.margin != Some(margin));
    if proven.winner != result.winner() || margin_differs {
        let proven = verdict(&Ok(GameResult::adjudicated(proven)));
        return Err(Contradiction::WrongProof { nodes: terms.nodes(), proven, recorded: recorded() });
    }
    Ok(())
}
