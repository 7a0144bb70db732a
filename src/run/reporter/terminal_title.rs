//! The title of the terminal's window, which shows the progress of a run.

use crate::base::console;

/// The title while a run is in progress. The previous title is restored at the end.
#[derive(Debug)]
pub(super) struct TerminalTitle {
    shown: String,
}

impl TerminalTitle {
    /// Takes over the title; `None` if the terminal has none.
    pub(super) fn take_over() -> Option<Self> {
        let kind = std::env::var("TERM").unwrap_or_default();
        // The console of Linux has no window.
        let has_title = console::has_terminal() && !["", "dumb", "linux"].contains(&kind.as_str());
        has_title.then(|| {
            console::save_title();
            Self { shown: String::new() }
        })
    }

    /// Shows `title`.
    pub(super) fn show(&mut self, title: String) {
        if title != self.shown {
            console::set_title(&title);
            self.shown = title;
        }
    }
}

impl Drop for TerminalTitle {
    fn drop(&mut self) {
        console::restore_title();
    }
}
