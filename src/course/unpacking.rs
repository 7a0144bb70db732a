//! The submissions of a class: read from the platform's download, unpacked, and put in place as players.
//!
//! Archives are treated as hostile. Every name in them is checked before it is used as a path, every byte is counted as
//! it is inflated, only regular files are written, and nothing is run. A refusal is reported, and does not affect other
//! submissions.

mod archive;
mod arrival;
mod class_dir;
mod entry_link;
mod gather;
mod given;
mod group;
mod importing;
mod link_copies;
mod one_submission;
mod refusal;
mod staging;
mod tar_archive;
mod tree_writer;
mod unfold;
mod zip_archive;

use std::cell::Cell;

pub(crate) use archive::Source;
pub(crate) use gather::LayoutWish;
pub(crate) use importing::{ClassImport, ImportError, ImportOutcome};
pub(crate) use one_submission::unpack_one;
pub(crate) use refusal::{UnpackError, UnpackRefusal};
pub(crate) use staging::{Leftovers, Staging};
pub(crate) use tree_writer::{EntryKind, SourceEntry, Visit};
pub(crate) use unfold::{HandedIn, files_of};

/// The limits of one submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SubmissionBounds {
    /// The maximum total size of the submission's files in bytes.
    pub(crate) bytes: u64,
    /// The maximum number of the submission's files.
    pub(crate) files: usize,
}

/// The maximum total size of all submissions of a class, in bytes.
const MOST_CLASS_BYTES: u64 = 4 << 30;

/// The number of bytes that the submissions of a class may still use.
#[derive(Debug)]
pub(crate) struct ClassAccount {
    left: Cell<u64>,
}

impl Default for ClassAccount {
    fn default() -> Self {
        Self { left: Cell::new(MOST_CLASS_BYTES) }
    }
}

impl ClassAccount {
    /// Subtracts `bytes` from the account.
    ///
    /// # Errors
    /// Refuses if fewer bytes are left.
    fn take(&self, bytes: u64) -> Result<(), UnpackRefusal> {
        let left = self.left.get().checked_sub(bytes).ok_or(UnpackRefusal::ClassTooLarge { most: MOST_CLASS_BYTES })?;
        self.left.set(left);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
