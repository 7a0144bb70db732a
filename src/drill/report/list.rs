//! All scenarios, for users.

use crate::drill::script::{Level, NeededClocks, NeededRules, Scenario};
use crate::results::quoting::wrapped;

/// An explanation of the levels, shown before the list.
const LEVELS: &str = "MUST: a bot that fails the check loses games in a tournament. SHOULD: a failure does not affect \
                      results, but is worth fixing. INFO: goes beyond the specification and is never a failure. Every scenario is played \
                      as black and as white, or in every seat if there are more than two.";

/// Lists `scenarios`, each with its level and what the bot has to do.
pub fn list(scenarios: &[&Scenario]) -> String {
    let width = scenarios.iter().map(|scenario| scenario.id.len()).max().unwrap_or_default();
    let levels = Level::ALL.iter().map(|level| level.name().len()).max().unwrap_or_default();
    let lines = scenarios.iter().map(|scenario| {
        let only = match (scenario.rules, scenario.clocks) {
            (NeededRules::TwoSeats, NeededClocks::MainTime) => " (only with two seats and a main time)",
            (NeededRules::TwoSeats, _) => " (only with two seats)",
            (NeededRules::MoreSeats, _) => " (only with more than two seats)",
            (NeededRules::Gothello, _) => " (Gothello only)",
            (_, NeededClocks::Any) => "",
            (_, NeededClocks::MainTime) => " (only with a main time)",
            (_, NeededClocks::Increment) => " (only with an increment)",
            (_, NeededClocks::Periods) => " (only with byo-yomi)",
            (_, NeededClocks::MoveTime) => " (only with a time for each move)",
            (_, NeededClocks::Bank) => " (only with a bank)",
        };
        wrapped(&format!("{:width$}  {:levels$}  ", scenario.id, scenario.level), &format!("{}{only}", scenario.about))
    });
    wrapped("", LEVELS) + "\n" + &lines.collect::<String>()
}
