//! Prints the messages of a run: those that require action as warnings, and all others as notes.

use std::path::Path;

use crate::base::console::{detail, note, note_of, warn, warn_of};
use crate::run::campaign::Warning;

/// Prints `warning`, with all its details if the user wants them.
pub(super) fn tell(warning: Warning) {
    let details = warning.details();
    match (warning.place().map(Path::to_owned), warning.is_urgent()) {
        (Some(place), true) => warn_of(&place, warning),
        (Some(place), false) => note_of(&place, warning),
        (None, true) => warn(warning),
        (None, false) => note(warning),
    }
    if let Some(details) = details {
        detail(details.trim());
    }
}

/// Prints `warning`, unless `is_quiet` is true and the warning requires no action.
pub(super) fn tell_if(is_quiet: bool, warning: Warning) {
    if warning.is_urgent() || !is_quiet {
        tell(warning);
    }
}
