//! Files that are either complete or absent.

mod scratch_dirs;
mod tree_copy;

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::ErrorKind::PermissionDenied;
use std::io::{self, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use rustix::io::Errno;
use tempfile::NamedTempFile;

pub use scratch_dirs::Scratch;
pub use tree_copy::{Copying, copy_file};

/// The prefix of the name of every temporary file.
const PREFIX: &str = ".arena-";
const SUFFIX: &str = ".tmp";

/// Returns whether `name` is the name of a temporary file made by [`temporary_in`].
pub fn is_temporary(name: &str) -> bool {
    name.starts_with(PREFIX) && name.ends_with(SUFFIX)
}

/// A name for a temporary file, which identifies the process that created it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TemporaryName {
    process: u32,
    number: u64,
}

impl TemporaryName {
    /// Returns a name that this process has not used yet.
    pub fn unused() -> Self {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        Self { process: std::process::id(), number: NUMBER.fetch_add(1, Relaxed) }
    }

    /// Parses a name written by the conversion below; `None` if `name` is anything else.
    pub fn parse(name: &OsStr) -> Option<Self> {
        let (process, number) = name.to_str()?.strip_prefix(PREFIX)?.strip_suffix(SUFFIX)?.split_once('-')?;
        Some(Self { process: process.parse().ok()?, number: number.parse().ok()? })
    }

    /// Returns whether the process that created the file is gone.
    pub fn is_abandoned(self) -> bool {
        !Path::new("/proc").join(self.process.to_string()).exists()
    }
}

impl From<TemporaryName> for OsString {
    fn from(TemporaryName { process, number }: TemporaryName) -> Self {
        format!("{PREFIX}{process}-{number}{SUFFIX}").into()
    }
}

/// Removes the temporary files that a killed program left in `dir`. No other process may be writing there.
///
/// # Errors
/// Returns an error if the directory cannot be read, or if a temporary file cannot be removed.
pub fn remove_temporary(dir: &Path) -> io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        if entry.file_name().to_str().is_some_and(is_temporary) {
            // A process that is refused access to the directory may remove its own file in the meantime.
            match fs::remove_file(entry.path()) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
    }
    Ok(())
}

/// Creates a temporary file in `dir`, to be renamed into place, with the default permissions of a new file. If no file
/// descriptor is available, the call waits for a while, because games release descriptors when they end.
///
/// # Errors
/// Returns an error if the file cannot be created.
pub fn temporary_in(dir: &Path) -> io::Result<NamedTempFile> {
    tempfile::Builder::new().prefix(PREFIX).suffix(SUFFIX).make_in(dir, |path| patiently(|| create(path)))
}

fn create(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create_new(true).mode(0o666).open(path)
}

/// Removes the directory `dir` and everything in it, including directories of this user that the user cannot access
/// because of their permissions.
///
/// # Errors
/// Returns an error if anything in the directory cannot be removed.
pub fn remove_tree(dir: &Path) -> io::Result<()> {
    match fs::remove_dir_all(dir) {
        Err(error) if error.kind() == PermissionDenied => {}
        removed => return removed,
    }
    let mut left = vec![dir.to_owned()];
    while let Some(dir) = left.pop() {
        fs::set_permissions(&dir, Permissions::from_mode(0o700))?;
        for entry in fs::read_dir(&dir)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                left.push(entry.path());
            }
        }
    }
    fs::remove_dir_all(dir)
}

/// How long to wait between two attempts to get a file descriptor, and how many times to wait.
const PAUSE: Duration = Duration::from_millis(20);
const MOST_PAUSES: u32 = 500;

/// Opens a file with `open`, as soon as a file descriptor is available.
fn patiently(open: impl Fn() -> io::Result<File>) -> io::Result<File> {
    let mut pauses = 0;
    loop {
        match open() {
            Err(error) if lacks_descriptors(&error) && pauses < MOST_PAUSES => {
                pauses += 1;
                std::thread::sleep(PAUSE);
            }
            opened => return opened,
        }
    }
}

fn lacks_descriptors(error: &io::Error) -> bool {
    Errno::from_io_error(error).is_some_and(|errno| [Errno::MFILE, Errno::NFILE].contains(&errno))
}

/// Replaces the file `path` with `bytes`, in one step.
///
/// # Errors
/// Returns an error if the file cannot be written; the old file is then unchanged.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    write_parts(path, std::iter::once(bytes))
}

/// Replaces the file `path` with the concatenation of `parts`, in one step.
///
/// # Errors
/// Returns an error if the file cannot be written; the old file is then unchanged.
pub fn write_parts<P: AsRef<[u8]>>(path: &Path, mut parts: impl Iterator<Item = P>) -> io::Result<()> {
    let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = temporary_in(dir)?;
    parts.try_for_each(|part| file.write_all(part.as_ref()))?;
    file.persist(path)?;
    Ok(())
}

/// Ensures that the directory `dir` and everything in it survive a power failure: waits until its files and directories
/// are on disk. The entry of `dir` in its parent directory is not included.
///
/// # Errors
/// Returns an error if anything in the directory cannot be read, or if the disk fails.
pub fn sync_tree(dir: &Path) -> io::Result<()> {
    let mut left = vec![dir.to_owned()];
    while let Some(dir) = left.pop() {
        for entry in fs::read_dir(&dir)? {
            let entry = entry?;
            let kind = entry.file_type()?;
            if kind.is_dir() {
                left.push(entry.path());
            } else if kind.is_file() {
                File::open(entry.path())?.sync_all()?;
            }
        }
        File::open(&dir)?.sync_all()?;
    }
    Ok(())
}

/// Returns a path next to `path` at which nothing exists yet: `path.WORD-1`, `path.WORD-2` and so on.
pub fn free_name(path: &Path, word: &str) -> PathBuf {
    let mut number = 1_u64;
    loop {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".{word}-{number}"));
        let name = PathBuf::from(name);
        if fs::symlink_metadata(&name).is_err() {
            return name;
        }
        number += 1;
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn only_a_missing_descriptor_is_waited_for() {
        for (errno, tries) in [(Errno::MFILE, 3), (Errno::NFILE, 3), (Errno::NOSPC, 1), (Errno::ACCESS, 1)] {
            let tried = Cell::new(0);
            let opened = patiently(|| {
                tried.set(tried.get() + 1);
                if tried.get() < 3 { Err(errno.into()) } else { tempfile::tempfile() }
            });
            assert_eq!((tried.get(), opened.is_ok()), (tries, tries == 3), "{errno}");
        }
    }

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    /// Root can read inaccessible directories anyway, so this test proves less when it is run as root.
    #[test]
    fn hidden_directories_are_removed_and_link_targets_are_not() {
        let (dir, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let hidden = dir.path().join("a/b");
        fs::create_dir_all(hidden.join("c")).unwrap();
        fs::write(hidden.join("c/file"), "").unwrap();
        symlink(outside.path(), hidden.join("link")).unwrap();
        for path in [hidden.join("c"), hidden] {
            fs::set_permissions(path, Permissions::from_mode(0o100)).unwrap();
        }
        let before = mode(outside.path());
        remove_tree(dir.path()).unwrap();
        assert!(!dir.path().exists());
        assert_eq!(mode(outside.path()), before);
    }
}
