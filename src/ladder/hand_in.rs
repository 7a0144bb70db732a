//! The hand-ins that the doors deliver.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::PathBuf;

use crate::base::files::remove_tree;
use crate::base::time::WallTime;
use crate::base::word_enum::words;
use crate::course::unpacking::SubmissionBounds;
use crate::tournament::PlayerName;

/// How versions of a player's bot arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DoorKind {
    /// A directory that the arena watches.
    Folder,
    /// A Git repository that the arena polls.
    Git,
    /// An upload.
    Submit,
    /// The teacher's command `ladder add`.
    Teacher,
}

words! {
    pub(crate) DoorKind;
    Folder => "folder",
    Git => "git",
    Submit => "submit",
    Teacher => "teacher",
}

/// The limits on the sources of one version.
pub(crate) const VERSION_BOUNDS: SubmissionBounds = SubmissionBounds { bytes: 64 << 20, files: 4_096 };

/// Something that a player handed in.
///
/// Its files are in the inbox until [`HandIn::settle`]. A hand-in that was not settled when the arena ended is
/// delivered again by the next arena, with the original time of arrival.
#[derive(Debug)]
pub(crate) struct HandIn {
    pub(crate) player: PlayerName,
    pub(crate) door: DoorKind,
    /// When the hand-in arrived, which decides whether it met a deadline.
    pub(crate) arrived: WallTime,
    /// A printable description of where the hand-in came from: a directory, a commit, a sender's address, or the name
    /// of what the teacher added.
    pub(crate) origin: String,
    /// The digest that identifies the sources, as hexadecimal digits. The digest of refused sources only identifies the
    /// refusal.
    pub(crate) digest: String,
    /// The sources, or the reason why they are refused, as a printable clause for the player.
    pub(crate) sources: Result<HandedInSources, String>,
    /// The files and directories that belong to the hand-in, in the order in which they are removed.
    pub(in crate::ladder) entries: Vec<PathBuf>,
}

/// Sources, unpacked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HandedInSources {
    /// The directory with the sources, which contains only directories and regular files.
    pub(crate) dir: PathBuf,
    /// The paths of the files in `dir`, in the order of their bytes.
    pub(crate) files: Vec<String>,
    /// Printable clauses for the player about files that were left out or look odd.
    pub(crate) warnings: Vec<String>,
}

impl HandIn {
    /// Removes the hand-in from the inbox. Call this once the outcome of the hand-in is in the journal.
    ///
    /// # Errors
    /// Fails if a file or directory cannot be removed.
    pub(crate) fn settle(&self) -> io::Result<()> {
        // An upload is the last entry, so that the others can be made from it again after a crash. The teacher's
        // sources are also the last entry: by then, their request has been removed.
        self.entries.iter().try_for_each(|entry| removed(entry))
    }
}

/// Removes the file or directory `entry`, if it is there.
pub(super) fn removed(entry: &std::path::Path) -> io::Result<()> {
    match fs::symlink_metadata(entry) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
        Ok(found) if found.is_dir() => remove_tree(entry),
        Ok(_) => fs::remove_file(entry),
    }
}
