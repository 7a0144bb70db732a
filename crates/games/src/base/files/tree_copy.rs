//! Copies directories.

use std::fs::{self, File, FileTimes, Permissions};
use std::io::ErrorKind::NotFound;
use std::io::{self, Read as _};
use std::os::unix::fs::{MetadataExt, PermissionsExt, lchown, symlink};
use std::path::{Path, PathBuf};

use rustix::io::Errno;

use crate::base::held_dir::HeldDir;

/// A directory to copy, and how to copy it.
pub struct Copying<'a> {
    /// The directory to copy.
    pub from: &'a Path,
    /// The path of the copy, which must not exist yet.
    pub to: &'a Path,
    /// A directory that is left out. `to` can be in it, so `from` can contain `to`.
    pub except: &'a Path,
    /// The user and the group that will own the copy; with `None`, the arena's user owns it.
    pub owner: Option<u32>,
    /// Returns whether an entry is also left out, given its path relative to `from`.
    pub without: &'a dyn Fn(&Path) -> bool,
    /// The maximum number of bytes, and the maximum number of entries.
    pub most: (u64, usize),
}

impl Copying<'_> {
    /// Makes the copy: directories, files with their permissions and times, and symbolic links as they are. Everything
    /// else is skipped, as is an entry that disappears before it is copied. The owner of the copy can write to all of
    /// it. Links in `from` are not followed, even if the directory is changed in the meantime.
    ///
    /// # Errors
    /// Returns an error if an entry cannot be read or written, and `EFBIG` if there is more than `most` allows. In both
    /// cases, part of the copy is left behind.
    pub fn run(mut self) -> io::Result<()> {
        let except = fs::metadata(self.except)?;
        let from = HeldDir::open(self.from)?;
        self.copy_directory(&from, Path::new(""), (except.dev(), except.ino()))
    }

    /// Copies the directory `relative` of `root`. Only one directory below the root is open at a time, however deeply
    /// directories are nested.
    fn copy_directory(&mut self, root: &HeldDir, relative: &Path, except: (u64, u64)) -> io::Result<()> {
        let (held, to) = (root.dir(relative)?, self.to.join(relative));
        fs::create_dir(&to)?;
        let mut below = Vec::new();
        for name in held.names()? {
            let name = PathBuf::from(name?);
            let path = relative.join(&name);
            match self.copy_entry(&held, &name, &path, except) {
                Ok(true) => below.push(path),
                Ok(false) => {}
                Err(error) if is_gone(&error, &held, &name) => {}
                Err(error) => return Err(error),
            }
        }
        let metadata = held.metadata(Path::new(""))?;
        drop(held);
        for path in below {
            match self.copy_directory(root, &path, except) {
                Err(error) if is_gone(&error, root, &path) => {}
                copied => copied?,
            }
        }
        fs::set_permissions(&to, Permissions::from_mode(metadata.mode() & 0o777 | 0o700))?;
        keep_times(&File::open(&to)?, &metadata)?;
        self.give_away(&to)
    }

    /// Copies the entry `name` of the directory `held`, whose path relative to the whole copy is `relative`. Returns
    /// true if it is a directory, in which case its contents have not been copied yet.
    fn copy_entry(&mut self, held: &HeldDir, name: &Path, relative: &Path, except: (u64, u64)) -> io::Result<bool> {
        let (metadata, target) = (held.metadata(name)?, self.to.join(relative));
        let kind = metadata.file_type();
        if (self.without)(relative) || (metadata.dev(), metadata.ino()) == except {
            return Ok(false);
        }
        self.count(if kind.is_file() { metadata.len() } else { 0 })?;
        if kind.is_dir() {
            return Ok(true);
        } else if kind.is_symlink() {
            symlink(held.link(name)?, &target)?;
        } else if kind.is_file() {
            copy_file(held, name, &target)?;
        } else {
            return Ok(false);
        }
        self.give_away(&target).map(|()| false)
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

/// Whether `error` occurred because `name` has disappeared from `dir`.
fn is_gone(error: &io::Error, dir: &HeldDir, name: &Path) -> bool {
    error.kind() == NotFound && dir.metadata(name).is_err()
}

/// Copies the regular file `name` of the directory `from` to `to`, with its permissions and times. The copy's owner can
/// write to it. Copies no more than the initial size of the file, since a file that grows in the meantime might never
/// end.
///
/// # Errors
/// Returns an error if the file cannot be read or written, or if the path contains a link.
pub fn copy_file(from: &HeldDir, name: &Path, to: &Path) -> io::Result<()> {
    let file = from.file(name)?;
    let metadata = file.metadata()?;
    let mut copy = File::options().write(true).create_new(true).open(to)?;
    io::copy(&mut file.take(metadata.len()), &mut copy)?;
    copy.set_permissions(Permissions::from_mode(metadata.mode() & 0o777 | 0o600))?;
    keep_times(&copy, &metadata)
}

/// Copies the times of the original, because build tools compare them to find out which file is older.
fn keep_times(copy: &File, original: &fs::Metadata) -> io::Result<()> {
    copy.set_times(FileTimes::new().set_modified(original.modified()?).set_accessed(original.accessed()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    /// Copies `from` to `to`, leaving out the parent directory of `to`.
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
}
