//! The table of Seegover, which a tournament may need.

use std::path::PathBuf;

use crate::exact::tablebase::{default_place, look};
use crate::game::rules::Ruleset;
use crate::players::bots::Engine;
use crate::run::campaign::errors::{CampaignError, TableUse};
use crate::tournament::file::{PlayerKind, Tournament};

/// What `tournament` needs the table for, if it needs it.
pub(crate) fn need(tournament: &Tournament) -> Option<TableUse> {
    if tournament.ruleset == Ruleset::Gothello {
        return None;
    }
    let is_perfect = |kind: &PlayerKind| matches!(kind, PlayerKind::Builtin(bot) if bot.engine == Engine::Perfect);
    let player = tournament.players.iter().find(|player| is_perfect(&player.kind));
    let perfect = player.map(|player| TableUse::Perfect(player.name.to_string()));
    perfect.or_else(|| tournament.adjudicate.map(|_| TableUse::Adjudication))
}

/// The file with the table that `tournament` needs, if it needs one.
///
/// # Errors
/// Fails if the table is not there or cannot be used.
pub(crate) fn find(tournament: &Tournament) -> Result<Option<PathBuf>, CampaignError> {
    let Some(need) = need(tournament) else { return Ok(None) };
    let Some(file) = default_place() else { return Err(CampaignError::NoPlaceForTable { need }) };
    match look(&file) {
        Ok(_) => Ok(Some(file)),
        Err(source) => Err(CampaignError::NoTable { need, file, source }),
    }
}
