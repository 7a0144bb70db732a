//! Copies directories.

use std::fs::{self, File, FileTimes, Permissions};
use std::io;
use std::io::ErrorKind::NotFound;
use std::os::unix::fs::{MetadataExt, PermissionsExt, lchown, symlink};
use std::path::Path;

use rustix::io::Errno;

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

#[cfg(test)]
mod tests {
    use super::*;

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
}
