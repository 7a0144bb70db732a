//! Prints what a run has to say: what requires action as a warning, and everything else as a note.

use crate::base::console::{note, warn};
use crate::run::campaign::Warning;

/// Prints `warning`.
pub(super) fn tell(warning: Warning) {
    if warning.is_urgent() { warn(warning) } else { note(warning) }
}

/// Prints `warning`, unless it is only news and the user wants to be left in peace.
pub(super) fn tell_if(is_quiet: bool, warning: Warning) {
    if warning.is_urgent() || !is_quiet {
        tell(warning);
    }
}
