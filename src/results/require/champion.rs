//! Whether a player won the knockout.

use super::comparing::JudgedFigure;
use super::figure::known_row;
use super::problem::no_result;
use super::{RatedField, RequirementError, RequirementProblem, Word};
use crate::base::sanitise::sanitised;
use crate::results::format_result::FormatResult;

/// Judges whether the player `name` won the knockout.
pub(super) fn judge(name: &Word, standings: RatedField<'_>) -> Result<JudgedFigure, RequirementError> {
    let knockout = match standings.run().result.as_ref() {
        Some(FormatResult::Knockout(knockout)) => knockout,
        Some(FormatResult::Swiss(_)) => return Err(RequirementProblem::NoChampion.at(1)),
        None => return Err(no_result("champion", 1)),
    };
    known_row(name, standings)?;
    Ok(match &knockout.champion {
        Some(champion) => {
            JudgedFigure::certain(*champion == name.text, format!("the champion is `{}`", sanitised(champion)))
        }
        None => JudgedFigure::certain(false, "there is no champion yet"),
    })
}
