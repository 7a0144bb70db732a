//! Facts that a user should know about a tournament before it is played.

use std::num::NonZeroU32;

use super::schedule::{Evenness, Schedule};
use super::{Format, Tournament};
use crate::base::units::counted;
use crate::exact::adjudication::{Adjudication, ProofBy};
use crate::exact::balanced_openings::{Balanced, balanced};

/// The openings of the tournament's games, if it only uses the openings nearest to a draw.
pub(crate) fn balanced_openings(tournament: &Tournament) -> Option<&'static Balanced> {
    tournament.balanced.then(|| balanced(tournament.opening_plies))?
}

/// How many rounds are drawn up to find out how evenly the players meet.
const ROUNDS_DRAWN: NonZeroU32 = NonZeroU32::MIN.saturating_add(9);

/// The tables of a tournament with the format `group`, and at how many of these tables any two players meet; `None` for
/// other formats.
pub(crate) fn tables(tournament: &Tournament) -> Option<String> {
    let Format::Group { rounds, .. } = tournament.format else { return None };
    let (schedule, seats) = (Schedule::new(tournament), tournament.ruleset.seats());
    let tables = counted(schedule.tables_a_round()?, "table");
    let Evenness { rounds: drawn, least, most } = schedule.evenness(ROUNDS_DRAWN)?;
    let met = match most - least {
        0 => format!("any two players meet at {}", counted(least, "table")),
        1 => format!("any two players meet at {least} or {}", counted(most, "table")),
        _ => format!("any two players meet at {least} to {}", counted(most, "table")),
    };
    let counted_rounds = match drawn {
        _ if drawn < rounds.get() => format!(" in the first {drawn} rounds"),
        1 => String::new(),
        _ => format!(" in {drawn} rounds"),
    };
    Some(format!("{tables} of {seats} players per round, with {seats} games at each: {met}{counted_rounds}"))
}

/// Warns if proofs start so early that they change results.
pub(crate) fn early_proof_warning(tournament: &Tournament) -> Option<String> {
    let early = tournament.adjudicate.filter(|adjudicate| {
        matches!(adjudicate.by(), ProofBy::Nodes(_)) && adjudicate.after_ply() < Adjudication::DEFAULT_AFTER_PLY
    });
    let after = early.map(Adjudication::after_ply)?;
    // Measured: docs/reference/tournament-file.md.
    let (measured, share) = match after {
        20.. => (20, 2),
        18.. => (18, 5),
        16.. => (16, 12),
        14.. => (14, 17),
        _ => (10, 32),
    };
    Some(format!(
        "`adjudicate.after_ply = {after}`: a proof scores a game as if both sides played perfectly, but bots do not \
         play perfectly; of 270 games between the built-in bots, {share}% had a different result with \
         `after_ply = {measured}`, and 1% with the default of {}",
        Adjudication::DEFAULT_AFTER_PLY
    ))
}

/// Warns if a sequential test has no openings.
pub(crate) fn opening_warnings(tournament: &Tournament) -> Vec<String> {
    let mut warnings = Vec::new();
    if matches!(tournament.format, Format::Sprt { .. }) && tournament.opening_plies == 0 {
        warnings.push(
            "without `openings`, bots that do not vary their play repeat the same two games, and the test counts a repeated \
             pair only once; `openings = { plies = 2 }` starts every pair from a different position"
                .to_owned(),
        );
    }
    warnings
}
