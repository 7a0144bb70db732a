//! The files of one submission as they were handed in.

use super::refusal::{UnpackError, UnpackRefusal};
use super::tree_writer::{SourceEntry, TreeWriter};
use crate::course::roster::SubmissionLayout;
use crate::course::submissions::{EntryPath, PlatformName};

/// The files of one submission, in a separate directory.
#[derive(Debug)]
pub(crate) struct SubmissionGroup<'a> {
    /// The information in the name of the submission's folder, or in the names of its files.
    pub(crate) name: PlatformName,
    /// The name of the source that the submission came from.
    pub(crate) source: String,
    /// The writer of the submission's files.
    pub(crate) writer: TreeWriter<'a>,
    /// The reason why the submission is not imported; `None` if it is imported.
    pub(crate) refusal: Option<UnpackRefusal>,
}

impl SubmissionGroup<'_> {
    /// Puts `entry` at `path`. A submission that exceeds its limits is refused as a whole, and nothing more of it is
    /// written.
    ///
    /// # Errors
    /// Returns an error if a file cannot be written.
    pub(crate) fn put(&mut self, path: &EntryPath, entry: &mut SourceEntry<'_>) -> Result<(), UnpackError> {
        if self.refusal.is_some() {
            return Ok(());
        }
        match self.writer.put(path, entry) {
            Err(UnpackError::Refused(refusal)) => {
                self.refusal = Some(refusal);
                Ok(())
            }
            put => put,
        }
    }

    /// A key that the submission shares with earlier and later submissions by the same student.
    pub(crate) fn key(&self) -> String {
        let family = match self.name.layout {
            SubmissionLayout::MoodleFolders | SubmissionLayout::MoodleFiles => "moodle",
            SubmissionLayout::Canvas => "canvas",
            SubmissionLayout::Gradescope => "gradescope",
            SubmissionLayout::Plain => "plain",
        };
        format!("{family} {}", self.name.participant.as_ref().unwrap_or(&self.name.full_name))
    }

    /// The time of the last change to any of the submission's files; `i64::MIN` if there are no files.
    pub(crate) fn modified(&self) -> i64 {
        self.writer.written.values().map(|written| written.modified).max().unwrap_or(i64::MIN)
    }
}
