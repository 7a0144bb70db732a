//! How a run's bots are confined, and the check that none of them can read the tournament or its results.

use super::errors::CampaignError;
use super::warning::Warning;
use super::{CampaignPlan, Tell};
use crate::host::program::{resolved, system_dir_of};
use crate::host::sandbox::{Cage, Detected, Tier, detect};
use crate::tournament::{Isolation, Player};

/// Checks that no bot could read the tournament or its results where they are.
///
/// # Errors
/// Fails if a bot could read either of them.
pub(crate) fn nothing_is_shown(plan: &CampaignPlan) -> Result<(), CampaignError> {
    let (base, results) = (resolved(&plan.base), resolved(&plan.dir));
    let programs =
        plan.tournament.players.iter().flat_map(|player| player.programs().map(move |(_, program)| (player, program)));
    for (player, program) in programs {
        if let Some(system) = system_dir_of(&base).or_else(|| system_dir_of(&results)) {
            return Err(CampaignError::InSystemDir { system: system.to_string() });
        }
        let dir = program.dir.iter().map(|dir| ("dir", dir));
        let readable = program.readable.iter().map(|path| ("readable", path));
        let mut shown = dir.chain(readable);
        if let Some((key, path)) = shown.find(|(_, path)| results.starts_with(resolved(&plan.base.join(path)))) {
            return Err(CampaignError::ResultsShown {
                player: player.name.to_string(),
                key,
                path: path.clone(),
                results: plan.dir.clone(),
            });
        }
    }
    Ok(())
}

/// The tier at which the bots of `plan` will be confined.
///
/// # Errors
/// Fails if the arena cannot find out how bots can be confined.
pub(crate) async fn tier(plan: &CampaignPlan) -> Result<Tier, CampaignError> {
    match plan.options.isolation.unwrap_or(plan.tournament.isolation) {
        Isolation::Off => Ok(Tier::D),
        Isolation::Auto | Isolation::Require => Ok(detect(&plan.base).await?.tier),
    }
}

/// How the bots of `plan` are confined; `None` if there are none to confine.
///
/// # Errors
/// Fails if bots must be confined but cannot be, or if the arena cannot find out whether they can be.
pub(crate) async fn confinement(plan: &CampaignPlan, tell: &Tell) -> Result<Option<Cage>, CampaignError> {
    let tournament = &plan.tournament;
    let isolation = plan.options.isolation.unwrap_or(tournament.isolation);
    let is_program = |player: &Player| player.programs().next().is_some();
    // A ladder's versions are programs, and may arrive at any time.
    if !tournament.players.iter().any(is_program) && tournament.ladder.is_none() {
        return Ok(None);
    }
    let tell_of_idle_hosts = |tier| {
        for warning in Warning::of_idle_hosts(tournament, tier) {
            tell(warning);
        }
    };
    if isolation == Isolation::Off {
        tell(Warning::IsolationOff);
        tell_of_idle_hosts(None);
        return Ok(None);
    }
    let Detected { tier, accounting, shown, failures } = detect(&plan.base).await?;
    let why: Vec<String> = failures.iter().map(|(tier, error)| format!("tier {tier}: {error}")).collect();
    let why = why.join("; ");
    if isolation == Isolation::Require && !tier.has_namespaces() {
        return Err(CampaignError::Unconfinable { tier, why });
    }
    // Every tier except D has a self-test.
    let Some(shown) = shown else {
        tell(Warning::Unconfined { why });
        tell_of_idle_hosts(None);
        return Ok(None);
    };
    tell(Warning::Confined { tier, why, accounting: accounting.clone(), shown });
    if !tier.has_namespaces() {
        tell_of_idle_hosts(Some(tier));
    }
    Cage::new(tier, accounting).map(Some).map_err(CampaignError::Cage)
}
