//! Watches analyses of games: shows a progress line and warnings, and detects the signal that ends the analyses.

use std::io;
use std::sync::atomic::AtomicBool;

use super::interrupt::{Flag, Interrupted};
use super::progress::Progress;
use super::{Exit, note, warn};
use crate::run::cached_analyst::{AnalysisNews, AnalysisProgress};

/// Watches the analyses that a command runs.
#[derive(Debug)]
pub(super) struct AnalysisWatch(Flag);

impl AnalysisWatch {
    /// Starts watching for signals.
    pub(super) fn new() -> io::Result<Self> {
        Flag::watch().map(Self)
    }

    /// A flag that is true once the analyses have to end.
    pub(super) fn stop(&self) -> &AtomicBool {
        self.0.raised()
    }

    /// Returns a function that shows what is being analyzed.
    pub(super) fn tell() -> impl FnMut(AnalysisNews<'_>) {
        let mut line = Progress::new();
        move |news| match news {
            AnalysisNews::Searching { game, progress: AnalysisProgress { analyzed, games }, empty } => {
                line.count(analyzed as u64, games as u64, format_args!("{game}, {empty} empty points"));
            }
            AnalysisNews::Searched => line.clear(),
            AnalysisNews::Warning(warning) => warn(warning),
        }
    }

    /// The exit code after all analyses or a signal. After a signal, says how far the analyses got.
    pub(super) fn end(&self, AnalysisProgress { analyzed, games }: AnalysisProgress) -> Exit {
        if self.0.which().is_some() {
            match games {
                1 => note("interrupted: only the moves solved so far are judged"),
                games => note(format_args!("interrupted: {analyzed} of {games} games were judged")),
            }
        }
        self.exit()
    }

    /// The exit code after all analyses or a signal.
    pub(super) fn exit(&self) -> Exit {
        self.0.which().map_or(Exit::Success, Interrupted::exit)
    }
}
