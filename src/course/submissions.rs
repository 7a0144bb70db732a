//! What a class handed in, before any game: how the platforms of courses name submissions, which names in an archive are safe,
//! which player a submission becomes, and how its bot is built and started.
//!
//! Everything here is decided from names and texts alone. Both come from students, so nothing is trusted: a name leads nowhere
//! before it is an [`EntryPath`], and no file is run to find out what it does.

pub mod class_file;
mod entry_path;
mod findings;
pub mod gradescope;
pub mod import_page;
mod platform_names;
mod player_names;
pub mod recipe;
mod toml_text;
pub mod update_notes;
pub mod worksheet;

pub use entry_path::{Conflict, EntryPath, SeenPaths, UnsafePath, left_out};
pub use findings::reason;
pub use platform_names::{PlatformName, is_called_like_team, platform_name, recognise};
pub use player_names::PlayerNames;

use crate::course::roster::RosterEntry;
use recipe::Recognition;

/// A submission as `import` has found it.
#[derive(Clone, Debug)]
pub struct Imported {
    /// What import.json keeps.
    pub entry: RosterEntry,
    /// How its bot is started.
    pub recognition: Recognition,
    /// Why it was not unpacked, if it was refused.
    pub refusal: Option<String>,
    /// What the teacher should know about its files, in whole clauses. The texts are hostile.
    pub warnings: Vec<String>,
    /// The files that nobody needs and that were left out, as a clause such as `left out: 3 *.class`; empty if there were none.
    pub left_out: String,
    /// What has happened to it in this call.
    pub change: ImportChange,
}

/// What a call of `import` has done about a submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImportChange {
    /// It is new.
    Added,
    /// It replaces an earlier submission.
    Replaced,
    /// It is the same as before.
    Unchanged,
    /// It differs from before, but the teacher has edited the files of the earlier one, which therefore stay.
    Edited,
    /// It differs from before, but others use the files of the earlier one, which therefore stay.
    InUse,
}
