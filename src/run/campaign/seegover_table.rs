//! Finds the Seegover table that a tournament may need for its rules.

use std::path::PathBuf;
use std::sync::Arc;

use crate::exact::adjudication::{Adjudication, ProofBy};
use crate::exact::seegover::Tablebase;
use crate::exact::tablebase::{cached, default_place, look};
use crate::game::Ruleset;
use crate::players::bots::Thinker;
use crate::referee::record::GameRecord;
use crate::referee::result::Termination;
use crate::run::campaign::errors::{CampaignError, SeegoverTableUse};
use crate::tournament::{PlayerKind, Tournament};

/// The purpose for which `tournament` needs the table, if any.
pub(crate) fn need(tournament: &Tournament) -> Option<SeegoverTableUse> {
    if tournament.ruleset == Ruleset::Gothello {
        return None;
    }
    let is_perfect = |kind: &PlayerKind| matches!(kind, PlayerKind::Builtin(bot) if bot.thinker == Thinker::Perfect);
    let player = tournament.players.iter().find(|player| is_perfect(&player.kind));
    let perfect = player.map(|player| SeegoverTableUse::Perfect(player.name.to_string()));
    perfect.or_else(|| tournament.adjudicate.map(|_| SeegoverTableUse::Adjudication))
}

/// The table for repeating the proof that ended the game of `record`, if the proof needs the table and the table
/// exists.
pub(crate) fn for_check(record: &GameRecord) -> Option<Arc<Tablebase>> {
    let is_adjudicated = record.result.as_ref().is_ok_and(|result| result.termination() == Termination::Adjudicated);
    let by = record.adjudicate.filter(|_| is_adjudicated).map(Adjudication::by);
    match record.ruleset {
        Ruleset::Seegover(options) if by == Some(ProofBy::SeegoverTable) => cached(options.move_rules()),
        _ => None,
    }
}

/// The file that contains the table, if `tournament` needs the table.
///
/// # Errors
/// Fails if the table does not exist or cannot be used.
pub(crate) fn find(tournament: &Tournament) -> Result<Option<PathBuf>, CampaignError> {
    let (Ruleset::Seegover(options), Some(need)) = (tournament.ruleset, need(tournament)) else { return Ok(None) };
    let rules = options.move_rules();
    let Some(file) = default_place(rules) else { return Err(CampaignError::NoPlaceForTable { need }) };
    match look(&file, Some(rules)) {
        Ok(_) => Ok(Some(file)),
        Err(source) => Err(CampaignError::NoTable { need, rules, file, source }),
    }
}
