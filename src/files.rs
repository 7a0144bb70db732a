//! Files that are there whole or not at all.

use std::fs::Permissions;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use tempfile::NamedTempFile;

/// An unnamed-to-be file in `dir`, with the permissions that a new file gets.
///
/// # Errors
/// When it can't be made.
pub fn temporary_in(dir: &Path) -> io::Result<NamedTempFile> {
    tempfile::Builder::new().prefix(".").suffix(".tmp").permissions(Permissions::from_mode(0o666)).tempfile_in(dir)
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
