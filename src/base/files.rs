//! Files that are either complete or absent.

mod scratch_dirs;

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, FileTimes, OpenOptions, Permissions};
use std::io::ErrorKind::{NotFound, PermissionDenied};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, lchown, symlink};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use rustix::io::Errno;
use tempfile::NamedTempFile;

pub(crate) use scratch_dirs::Scratch;

/// The prefix of every temporary file's name, and its suffix below.
const PREFIX: &str = ".arena-";
const SUFFIX: &str = ".tmp";

/// Returns whether `name` is the name of a temporary file, as [`temporary_in`] makes them.
pub(crate) fn is_temporary(name: &str) -> bool {
    name.starts_with(PREFIX) && name.ends_with(SUFFIX)
}

/// A name for a temporary file that tells which process made the file.
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

    /// Parses a name that was written by the conversion below; `None` if `name` is anything else.
    pub fn parse(name: &OsStr) -> Option<Self> {
        let (process, number) = name.to_str()?.strip_prefix(PREFIX)?.strip_suffix(SUFFIX)?.split_once('-')?;
        Some(Self { process: process.parse().ok()?, number: number.parse().ok()? })
    }

    /// Returns whether the process that made the file is gone.
    pub fn is_abandoned(self) -> bool {
        !Path::new("/proc").join(self.process.to_string()).exists()
    }
}

impl From<TemporaryName> for OsString {
    fn from(TemporaryName { process, number }: TemporaryName) -> Self {
        format!("{PREFIX}{process}-{number}{SUFFIX}").into()
    }
}

/// Removes the temporary files that a killed program has left in `dir`. Nobody else may be writing there.
///
/// # Errors
/// Returns an error if the directory cannot be read, or if a temporary file cannot be removed.
pub(crate) fn remove_temporary(dir: &Path) -> io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        if entry.file_name().to_str().is_some_and(is_temporary) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// Makes a temporary file in `dir`, to be renamed into place, with the permissions that a new file gets. If there is no
/// file descriptor left, the call waits a while: games hold descriptors, and give them back.
///
/// # Errors
/// Returns an error if the file cannot be created.
pub(crate) fn temporary_in(dir: &Path) -> io::Result<NamedTempFile> {
    tempfile::Builder::new().prefix(PREFIX).suffix(SUFFIX).make_in(dir, |path| patiently(|| create(path)))
}

fn create(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create_new(true).mode(0o666).open(path)
}

/// A directory that is to be copied, and how.
pub(crate) struct Copying<'a> {
    /// The directory to copy.
    pub from: &'a Path,
    /// The path of the copy, which must not exist yet.
    pub to: &'a Path,
    /// A directory that is left out. `to` may lie in it, so `from` may contain it.
    pub except: &'a Path,
    /// The user and the group that the copy will belong to; with `None` it belongs to the arena's own user.
    pub owner: Option<u32>,
    /// Returns whether an entry is left out as well, given its path relative to `from`.
    pub without: &'a dyn Fn(&Path) -> bool,
    /// The maximum number of bytes, and the maximum number of entries.
    pub most: (u64, usize),
}

impl Copying<'_> {
    /// Makes the copy: directories, files with their permissions and times, and symbolic links as they are. Everything
    /// else is skipped, and so is an entry that disappears before it is copied. The owner of the copy can write to all
    /// of it.
    ///
    /// # Errors
    /// Returns an error if an entry cannot be read or written, and `EFBIG` if there is more than `most` allows. In both
    /// cases a part of the copy is left behind.
    pub(crate) fn run(mut self) -> io::Result<()> {
        let except = fs::metadata(self.except)?;
        self.copy_directory(Path::new(""), (except.dev(), except.ino()))
    }

    fn copy_directory(&mut self, relative: &Path, except: (u64, u64)) -> io::Result<()> {
        let (from, to) = (self.from.join(relative), self.to.join(relative));
        let entries = fs::read_dir(&from)?;
        fs::create_dir(&to)?;
        for entry in entries {
            let entry = entry?;
            match self.copy_entry(&entry, &relative.join(entry.file_name()), except) {
                Err(error) if error.kind() == NotFound && fs::symlink_metadata(entry.path()).is_err() => {}
                copied => copied?,
            }
        }
        let metadata = fs::metadata(&from)?;
        fs::set_permissions(&to, Permissions::from_mode(metadata.mode() & 0o777 | 0o700))?;
        keep_times(&File::open(&to)?, &metadata)?;
        self.give_away(&to)
    }

    fn copy_entry(&mut self, entry: &fs::DirEntry, relative: &Path, except: (u64, u64)) -> io::Result<()> {
        let (metadata, target) = (entry.metadata()?, self.to.join(relative));
        let kind = metadata.file_type();
        if (self.without)(relative) || (metadata.dev(), metadata.ino()) == except {
            return Ok(());
        }
        self.count(if kind.is_file() { metadata.len() } else { 0 })?;
        if kind.is_dir() {
            return self.copy_directory(relative, except);
        } else if kind.is_symlink() {
            symlink(fs::read_link(entry.path())?, &target)?;
        } else if kind.is_file() {
            fs::copy(entry.path(), &target)?;
            fs::set_permissions(&target, Permissions::from_mode(metadata.mode() & 0o777 | 0o600))?;
            keep_times(&File::options().write(true).open(&target)?, &metadata)?;
        } else {
            return Ok(());
        }
        self.give_away(&target)
    }

    fn count(&mut self, bytes: u64) -> io::Result<()> {
        let (bytes_left, entries_left) = self.most;
        match (bytes_left.checked_sub(bytes), entries_left.checked_sub(1)) {
            (Some(bytes), Some(entries)) => self.most = (bytes, entries),
            _ => return Err(Errno::FBIG.into()),
        }
        Ok(())
    }

    fn give_away(&self, copied: &Path) -> io::Result<()> {
        if self.owner.is_some() { lchown(copied, self.owner, self.owner) } else { Ok(()) }
    }
}

/// Gives the copy the times of the original, because build tools compare them to find out which file is older.
fn keep_times(copy: &File, original: &fs::Metadata) -> io::Result<()> {
    copy.set_times(FileTimes::new().set_modified(original.modified()?).set_accessed(original.accessed()?))
}

/// Removes the directory `dir` and everything in it, including directories whose owner has taken away its own access.
/// That owner must be this user.
///
/// # Errors
/// Returns an error if anything in the directory cannot be removed.
pub(crate) fn remove_tree(dir: &Path) -> io::Result<()> {
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

/// How long to wait for a file descriptor before the next attempt, and how many times.
const PAUSE: Duration = Duration::from_millis(20);
const MOST_PAUSES: u32 = 500;

/// Opens a file with `open`, as soon as there is a file descriptor for it.
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
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = temporary_in(dir)?;
    file.write_all(bytes)?;
    file.persist(path)?;
    Ok(())
}

/// Returns a path beside `path` where nothing exists yet: `path.WORD-1`, `path.WORD-2` and so on.
pub(crate) fn free_name(path: &Path, word: &str) -> PathBuf {
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

    /// Copies `from` to `to`, with the parent directory of `to` left out.
    fn copied(from: &Path, to: &Path, most: u64) -> io::Result<()> {
        let except = to.parent().unwrap();
        Copying { from, to, except, owner: None, without: &|_| false, most: (most, 100) }.run()
    }

    #[test]
    fn a_copy_larger_than_its_limits_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let (from, around) = (dir.path().join("from"), dir.path().join("around"));
        for made in [&from, &around] {
            fs::create_dir(made).unwrap();
        }
        // A sparse file of several terabytes is refused before any of it is copied.
        File::create(from.join("model")).unwrap().set_len(4 << 40).unwrap();
        let error = copied(&from, &around.join("a"), 1 << 20).unwrap_err();
        assert_eq!(Errno::from_io_error(&error), Some(Errno::FBIG));
        fs::remove_file(from.join("model")).unwrap();
        for number in 0..101 {
            fs::write(from.join(number.to_string()), "").unwrap();
        }
        let error = copied(&from, &around.join("b"), 1 << 20).unwrap_err();
        assert_eq!(Errno::from_io_error(&error), Some(Errno::FBIG));
        fs::remove_file(from.join("0")).unwrap();
        copied(&from, &around.join("c"), 1 << 20).unwrap();
    }

    #[test]
    fn a_copy_can_be_written_to_and_is_never_a_copy_of_itself() {
        let dir = tempfile::tempdir().unwrap();
        let (from, around) = (dir.path().join("from"), dir.path().join("from/tmp/around"));
        for made in [&around, &from.join("data")] {
            fs::create_dir_all(made).unwrap();
        }
        for name in ["program", "data/model", "tmp/other"] {
            fs::write(from.join(name), name).unwrap();
            fs::set_permissions(from.join(name), Permissions::from_mode(0o544)).unwrap();
        }
        fs::set_permissions(from.join("data"), Permissions::from_mode(0o555)).unwrap();
        copied(&from, &around.join("dir"), u64::MAX).unwrap();
        let copy = around.join("dir");
        for name in ["program", "data/model", "tmp/other"] {
            assert_eq!(fs::read_to_string(copy.join(name)).unwrap(), name);
            assert_eq!(mode(&copy.join(name)), 0o744, "{name}");
        }
        assert_eq!(mode(&copy.join("data")), 0o755);
        assert!(!copy.join("tmp/around").exists());
        let modified = |path: &Path| fs::metadata(path).unwrap().modified().unwrap();
        assert_eq!(modified(&copy.join("data/model")), modified(&from.join("data/model")));
        assert!(copied(&from.join("nowhere"), &around.join("none"), u64::MAX).is_err());
        fs::set_permissions(from.join("data"), Permissions::from_mode(0o755)).unwrap();
    }

    /// Root can read hidden directories anyway, so this test shows less when it is run as root.
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
