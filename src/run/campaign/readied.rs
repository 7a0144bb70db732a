//! Players that are prepared as for a run, for games that do not belong to one.

use tokio::sync::mpsc;

use super::warning::Warning;
use super::{CampaignPlan, Tell};
use crate::host::confinement::Confinement;
use crate::host::program::VisiblePaths;
use crate::host::sandbox::Cage;
use crate::run::entrants::{Entrant, Preparer, Unprepared};

/// The players of a plan, located, built if necessary, and digested.
pub(crate) struct ReadiedPlayers {
    /// How their bots are confined; `None` if they are not.
    pub(crate) confinement: Option<Confinement>,
    /// Each player, in the order of the tournament.
    pub(crate) entrants: Vec<Result<Entrant, Unprepared>>,
}

/// Prepares all players of the tournament in `plan`, with their bots confined by `cage`.
pub(crate) async fn readied(plan: &CampaignPlan, cage: Option<Cage>, tell: &Tell) -> ReadiedPlayers {
    let confinement = cage
        .map(|cage| Confinement { cage, visible_paths: VisiblePaths::new(&plan.tournament, &plan.base, &plan.dir) });
    // Nothing listens to the progress of the preparations.
    let (events, _) = mpsc::unbounded_channel();
    let preparer = Preparer {
        tournament: &plan.tournament,
        base: &plan.base,
        confinement: confinement.as_ref(),
        known: &[],
        events: &events,
        tell: &|news| tell(Warning::PlayerDir(news)),
    };
    let entrants = preparer.prepare_each().await;
    ReadiedPlayers { confinement, entrants }
}
