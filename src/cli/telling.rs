//! Prints the messages of a run: those that require action as warnings, and all others as notes.

use std::path::Path;

use crate::base::console::{note, note_of, warn, warn_of};
use crate::run::campaign::Warning;

/// Prints `warning`.
pub(super) fn tell(warning: Warning) {
    match (warning.place().map(Path::to_owned), warning.is_urgent()) {
        (Some(place), true) => warn_of(&place, warning),
        (Some(place), false) => note_of(&place, warning),
        (None, true) => warn(warning),
        (None, false) => note(warning),
    }
}

/// Prints `warning`, unless `is_quiet` is true and the warning requires no action.
pub(super) fn tell_if(is_quiet: bool, warning: Warning) {
    if warning.is_urgent() || !is_quiet {
        tell(warning);
    }
}
