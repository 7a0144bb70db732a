//! The submissions of a class, before any game: how course platforms name submissions, which names in an archive are
//! safe, which player a submission becomes, and how its bot is built and started.
//!
//! All decisions here are based only on the names and texts of files. Both come from students, so nothing is trusted: a
//! name must become an [`EntryPath`] before it is used as a path, and no file is run to find out what it does.

pub mod class_file;
mod entry_path;
mod findings;
pub mod gradescope;
pub mod import_page;
#[cfg(test)]
pub(in crate::course) mod imported_for_tests;
mod platform_names;
mod player_names;
pub mod recipe;
mod toml_text;
pub mod update_notes;
pub mod worksheet;

pub use entry_path::{Conflict, EntryPath, SeenPaths, UnsafePath, is_left_out, left_out};
pub use findings::reason;
pub use platform_names::{PlatformName, is_called_like_team, platform_name, recognise};
pub use player_names::PlayerNames;

use crate::course::roster::RosterEntry;
use recipe::Recognition;

/// A submission as `import` found it.
#[derive(Clone, Debug)]
pub struct Imported {
    /// The entry in import.json.
    pub entry: RosterEntry,
    /// How the submission's bot is started.
    pub recognition: Recognition,
    /// The reason why the submission was not unpacked; `None` if it was.
    pub refusal: Option<String>,
    /// Warnings for the teacher about the submission's files, as complete clauses, which may contain untrusted text.
    pub warnings: Vec<String>,
    /// The unneeded files that were left out, as a clause such as `left out: 3 *.class`; empty if there were none.
    pub left_out: String,
    /// What this call of `import` did with the submission.
    pub change: ImportChange,
}

/// What one call of `import` did with a submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImportChange {
    /// The submission is new.
    Added,
    /// The submission replaces an earlier one.
    Replaced,
    /// The submission is the same as before.
    Unchanged,
    /// The submission has changed, but the teacher edited the earlier files, which are therefore kept.
    Edited,
    /// The submission has changed, but the earlier files are in use, and are therefore kept.
    InUse,
}
