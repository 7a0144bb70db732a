//! The directory in which submissions are unpacked before they are put in place.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::base::files::{TemporaryName, is_temporary, remove_tree};

/// Which leftovers of killed programs in a directory may be removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Leftovers {
    /// Everything temporary. The caller must make sure that no other process is writing there.
    All,
    /// The directories of processes that no longer exist. Other processes may be working there.
    OfTheDead,
}

/// A directory next to the final place of its contents, so that they can be renamed into place. It is removed when the
/// value is dropped; leftovers of killed programs are removed when another `Staging` is created.
#[derive(Debug)]
pub(crate) struct Staging {
    path: PathBuf,
}

impl Staging {
    /// Creates a directory in `parent`, and removes `leftovers` there.
    ///
    /// # Errors
    /// Returns an error if the directory cannot be created.
    pub(crate) fn in_dir(parent: &Path, leftovers: Leftovers) -> io::Result<Self> {
        for entry in fs::read_dir(parent)?.flatten() {
            let (name, path) = (entry.file_name(), entry.path());
            let is_left = match leftovers {
                Leftovers::All => name.to_str().is_some_and(is_temporary),
                Leftovers::OfTheDead => TemporaryName::parse(&name).is_some_and(TemporaryName::is_abandoned),
            };
            let is_dir = entry.file_type().is_ok_and(|kind| kind.is_dir());
            // Leftovers that cannot be removed now are left for a later call.
            let _ = match leftovers {
                _ if is_left && is_dir => remove_tree(&path),
                Leftovers::All if is_left => fs::remove_file(&path),
                _ => Ok(()),
            };
        }
        let path = parent.join(OsString::from(TemporaryName::unused()));
        fs::create_dir(&path)?;
        Ok(Self { path })
    }

    /// The path of the directory.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        let _ = remove_tree(&self.path);
    }
}
