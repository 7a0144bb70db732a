//! Progress of long work on stderr.

use std::fmt::Display;
use std::time::Duration;

use crate::base::console;
use crate::base::time::{Instant, now};

/// How often the line is updated on a terminal, and how often a line is written elsewhere.
const CHANGES_EVERY: Duration = Duration::from_millis(200);
const LINE_EVERY: Duration = Duration::from_mins(1);

/// A line on stderr that is updated in place, or one line per minute if stderr is not a terminal.
#[derive(Debug)]
pub(super) struct Progress {
    told: Instant,
    /// Whether the terminal currently shows a line.
    stands: bool,
}

impl Progress {
    pub(super) fn new() -> Self {
        Self { told: now(), stands: false }
    }

    /// Shows `line`, unless the previous line is too recent.
    pub(super) fn tell(&mut self, line: impl Display) {
        let terminal = console::has_terminal();
        if self.told.elapsed() < if terminal { CHANGES_EVERY } else { LINE_EVERY } {
            return;
        }
        self.told = now();
        if terminal {
            self.stands = true;
            console::status(line);
        } else {
            console::note(line);
        }
    }

    /// Removes the line from the terminal, to make room for other output.
    pub(super) fn clear(&mut self) {
        if self.stands {
            console::clear_status();
            self.stands = false;
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.clear();
    }
}
