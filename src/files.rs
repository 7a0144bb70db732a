//! Files that are there whole or not at all.

use std::fs::{self, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use tempfile::NamedTempFile;

/// How the names of temporary files begin and end.
const PREFIX: &str = ".arena-";
const SUFFIX: &str = ".tmp";

/// Whether a file of this name is one of [`temporary_in`].
pub fn is_temporary(name: &str) -> bool {
    name.starts_with(PREFIX) && name.ends_with(SUFFIX)
}

/// Removes the temporary files in `dir` that a killed program has left. Nobody may be writing there.
///
/// # Errors
/// When the directory can't be read, or such a file not removed.
pub fn remove_temporary(dir: &Path) -> io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        if entry.file_name().to_str().is_some_and(is_temporary) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// An unnamed-to-be file in `dir`, with the permissions that a new file gets.
///
/// # Errors
/// When it can't be made.
pub fn temporary_in(dir: &Path) -> io::Result<NamedTempFile> {
    tempfile::Builder::new().prefix(PREFIX).suffix(SUFFIX).permissions(Permissions::from_mode(0o666)).tempfile_in(dir)
}

/// Writes the file `path` anew, in one step.
///
/// # Errors
/// When it can't be written; what was there before is then unchanged.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = temporary_in(dir)?;
    file.write_all(bytes)?;
    file.persist(path)?;
    Ok(())
}
