//! How far long work has come.

use std::fmt::Display;
use std::time::Duration;

use crate::base::console;
use crate::base::time::{Instant, now};

/// How often a line on a terminal changes, and how often a line is written elsewhere.
const CHANGES_EVERY: Duration = Duration::from_millis(200);
const LINE_EVERY: Duration = Duration::from_mins(1);

/// One line on stderr that changes; where that is no terminal, a line a minute.
#[derive(Debug)]
pub(super) struct Progress {
    told: Instant,
    /// Whether a line stands on the terminal.
    stands: bool,
}

impl Progress {
    pub(super) fn new() -> Self {
        Self { told: now(), stands: false }
    }

    /// Tells how far things are, if it is time to.
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

    /// Makes room for other output.
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
