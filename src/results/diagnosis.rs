//! Why a bot failed a scenario, in words that its author understands.
//!
//! A diagnosis follows from the trials of a player and from its source files alone. Nothing is diagnosed on a scenario that
//! passes.

use crate::results::readiness::Trial;

pub use crate::results::readiness::{Cause, Diagnosis, SourcePlace};

/// A bot's source files, as far as they were read: bounded in number and size.
#[derive(Clone, Debug, Default)]
pub struct SourceFiles {
    /// Each file's name, relative to the bot's directory, and its text. Both are hostile text.
    pub files: Vec<(String, String)>,
    /// The words of the bot's command.
    pub command: Vec<String>,
}

/// The most causes that one trial is given.
pub const MAX_CAUSES: usize = 3;

/// Finds the causes of each trial that did not pass, at most [`MAX_CAUSES`] each. All trials of one player are given at once,
/// as some causes show only in comparison.
pub fn diagnose(trials: &mut [Trial], sources: &SourceFiles) {
    let _ = (trials, sources);
}
