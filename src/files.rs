//! Files that are there whole or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{OpenOptionsExt, lchown, symlink};
use std::path::Path;
use std::time::Duration;

use rustix::io::Errno;
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

/// An unnamed-to-be file in `dir`, with the permissions that a new file gets. Waits a while where there is no file
/// descriptor left: games have them, and give them back.
///
/// # Errors
/// When it can't be made.
pub fn temporary_in(dir: &Path) -> io::Result<NamedTempFile> {
    tempfile::Builder::new().prefix(PREFIX).suffix(SUFFIX).make_in(dir, |path| patiently(|| create(path)))
}

fn create(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create_new(true).mode(0o666).open(path)
}

/// Copies what is in the directory `from` into the directory `to`, which is made: files with their permissions, directories,
/// and symbolic links as they are; nothing else. All of it belongs to the user and the group `owner`, if there is one.
///
/// # Errors
/// When anything of it can't be read or written.
pub fn copy_tree(from: &Path, to: &Path, owner: Option<u32>) -> io::Result<()> {
    fs::create_dir(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (kind, target) = (entry.file_type()?, to.join(entry.file_name()));
        if kind.is_dir() {
            copy_tree(&entry.path(), &target, owner)?;
            continue;
        } else if kind.is_symlink() {
            symlink(fs::read_link(entry.path())?, &target)?;
        } else if kind.is_file() {
            fs::copy(entry.path(), &target)?;
        } else {
            continue;
        }
        if owner.is_some() {
            lchown(&target, owner, owner)?;
        }
    }
    fs::set_permissions(to, fs::metadata(from)?.permissions())?;
    if owner.is_some() { lchown(to, owner, owner) } else { Ok(()) }
}

/// How long to wait for a file descriptor, and how often.
const PAUSE: Duration = Duration::from_millis(20);
const MOST_PAUSES: u32 = 500;

/// Opens a file, as soon as there is a descriptor for it.
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

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn a_missing_descriptor_is_waited_for_and_nothing_else_is() {
        for (errno, tries) in [(Errno::MFILE, 3), (Errno::NFILE, 3), (Errno::NOSPC, 1), (Errno::ACCESS, 1)] {
            let tried = Cell::new(0);
            let opened = patiently(|| {
                tried.set(tried.get() + 1);
                if tried.get() < 3 { Err(errno.into()) } else { tempfile::tempfile() }
            });
            assert_eq!((tried.get(), opened.is_ok()), (tries, tries == 3), "{errno}");
        }
    }
}
