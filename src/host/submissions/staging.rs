//! The directory in which submissions are unpacked before they are put in place.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::base::files::{TemporaryName, remove_tree};

/// A directory beside the place for which its contents are meant, so that they can be renamed into it. It is removed when the value
/// is dropped; what killed programs have left is removed when another is made.
#[derive(Debug)]
pub(crate) struct Staging {
    path: PathBuf,
}

impl Staging {
    /// Makes a directory in `parent`.
    ///
    /// # Errors
    /// Fails if the directory cannot be made.
    pub(crate) fn in_dir(parent: &Path) -> io::Result<Self> {
        for entry in fs::read_dir(parent)?.flatten() {
            if TemporaryName::parse(&entry.file_name()).is_some_and(TemporaryName::is_abandoned)
                && entry.path().is_dir()
            {
                // Whatever cannot be removed now is left to a later call.
                let _ = remove_tree(&entry.path());
            }
        }
        let path = parent.join(OsString::from(TemporaryName::unused()));
        fs::create_dir(&path)?;
        Ok(Self { path })
    }

    /// The directory.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        let _ = remove_tree(&self.path);
    }
}
