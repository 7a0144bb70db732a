//! The files of a directory, counted before anything reads or copies them.
//!
//! A player's directory is untrusted: it can contain a sparse file of terabytes, a million empty files, pipes and
//! devices. A [`survey`] reads only names and sizes, opens only directories, does not follow links, and stops at a
//! limit.

use std::ffi::OsStr;
use std::fs::Metadata;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::base::files::is_temporary;
use crate::base::held_dir::HeldDir;
use crate::base::sanitise::Shown as _;
use crate::base::units::bytes;

/// The maximum total size in bytes of a player's files, including the holes in sparse files.
pub const MOST_BYTES: u64 = 4 << 30;

/// The maximum number of files, links and directories that a player may have: as many as fit into the scratch space of
/// a confined bot.
pub const MOST_ENTRIES: usize = 65_536;

/// An entry of a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The entry's path, relative to the directory that was surveyed.
    pub name: PathBuf,
    /// The kind of entry.
    pub kind: Kind,
    /// The metadata that changes when the entry is written.
    pub stamp: Stamp,
    /// The permission bits, without set-user-id, set-group-id and sticky.
    pub mode: u32,
}

/// The kinds of directory entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A directory, whose entries follow it in the survey.
    Directory,
    /// A regular file.
    File,
    /// A symbolic link.
    Link,
}

/// The metadata that usually changes when a file does. Only the contents are conclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    place: FilePlace,
    /// The size in bytes.
    pub size: u64,
    /// The time at which the contents were last written, in seconds and nanoseconds since 1970.
    pub modified: (i64, i64),
    changed: (i64, i64),
}

/// The device and the inode of a file or directory, which identify it regardless of its name.
pub type FilePlace = (u64, u64);

impl Stamp {
    /// The place of the file.
    pub const fn place(&self) -> FilePlace {
        self.place
    }

    /// Returns whether `self` and `other` are the same file with the same size and modification time. The owner is
    /// ignored.
    pub fn is_as_written(&self, other: &Self) -> bool {
        (self.place, self.size, self.modified) == (other.place, other.size, other.modified)
    }
}

impl From<&Metadata> for Stamp {
    fn from(metadata: &Metadata) -> Self {
        Self {
            place: (metadata.dev(), metadata.ino()),
            size: metadata.size(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }
}

/// The reason why a directory cannot be surveyed, or one of its files cannot be read.
#[derive(Debug, Error)]
pub enum TreeError {
    /// The system refused access.
    #[error("`{}`: {source}", path.shown())]
    Unreadable {
        /// The path that could not be read.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The files are too large.
    #[error(
        "its files are too large: `{}` is {}, and a player may have {} of files in total; move large files elsewhere \
         and add their paths to `readable`",
        largest.shown(), bytes(*size), bytes(MOST_BYTES)
    )]
    TooLarge {
        /// The largest file seen so far.
        largest: PathBuf,
        /// The size of that file in bytes.
        size: u64,
    },
    /// There are too many files.
    #[error(
        "there are too many files: a player may have {MOST_ENTRIES}, and `{}` exceeds this limit; move some of them \
         elsewhere and add their paths to `readable`",
        last.shown()
    )]
    TooMany {
        /// The entry at which the count ended.
        last: PathBuf,
    },
    /// The caller no longer wants the result.
    #[error("interrupted")]
    Stopped,
}

/// How much of a player's allowance is used up.
#[derive(Debug, Default)]
pub struct Account {
    entries: usize,
    bytes: u64,
    largest: Option<(u64, PathBuf)>,
}

impl Account {
    /// Adds an entry with this `path` and, if it is a file, this `size` in bytes.
    ///
    /// # Errors
    /// Returns [`TreeError::TooLarge`] or [`TreeError::TooMany`] if this is more than a player may have.
    pub fn add(&mut self, path: &Path, size: u64) -> Result<(), TreeError> {
        self.entries += 1;
        self.bytes = self.bytes.saturating_add(size);
        if self.largest.as_ref().is_none_or(|(largest, _)| size > *largest) {
            self.largest = Some((size, path.to_owned()));
        }
        if self.bytes > MOST_BYTES {
            let (size, largest) = self.largest.take().unwrap_or_default();
            return Err(TreeError::TooLarge { largest, size });
        }
        if self.entries > MOST_ENTRIES {
            return Err(TreeError::TooMany { last: path.to_owned() });
        }
        Ok(())
    }
}

/// Returns everything in the directory `root` and below, with each directory's entries ordered by the bytes of their
/// names. It leaves out the arena's own temporary files and anything that is not a file, directory or link. It also
/// leaves out each entry for which `is_left_out` returns true, given the entry's name and whether it is a directory.
///
/// # Errors
/// Returns an error if a directory cannot be read, or if there is more than a player may have.
pub fn survey(root: &Path, is_left_out: impl Fn(&[u8], bool) -> bool) -> Result<Vec<Found>, TreeError> {
    survey_except(root, &[], is_left_out)
}

/// Like [`survey`], but also leaves out the files and directories at the places `except`, whatever their names are.
/// Nothing below them is read or counted.
///
/// # Errors
/// Returns an error in the same cases as [`survey`].
pub fn survey_except(
    root: &Path,
    except: &[FilePlace],
    is_left_out: impl Fn(&[u8], bool) -> bool,
) -> Result<Vec<Found>, TreeError> {
    let held = HeldDir::open(root).map_err(|error| naming(root, error))?;
    let mut surveyor = Surveyor { root, held, except, is_left_out, account: Account::default(), found: Vec::new() };
    surveyor.add_directory(Path::new(""))?;
    Ok(surveyor.found)
}

struct Surveyor<'a, F> {
    root: &'a Path,
    /// The open directory `root`.
    held: HeldDir,
    except: &'a [FilePlace],
    is_left_out: F,
    account: Account,
    found: Vec<Found>,
}

impl<F: Fn(&[u8], bool) -> bool> Surveyor<'_, F> {
    /// Adds everything in and below the directory `relative`. Only one directory below the root is open at a time,
    /// however deeply directories are nested.
    fn add_directory(&mut self, relative: &Path) -> Result<(), TreeError> {
        let path = self.root.join(relative);
        let failed = |error| naming(&path, error);
        let mut entries = Vec::new();
        let directory = self.held.dir(relative).map_err(failed)?;
        for name in directory.names().map_err(failed)? {
            if let Some(found) = self.look_at(&directory, &name.map_err(failed)?, relative)? {
                self.account.add(&found.name, if found.kind == Kind::File { found.stamp.size } else { 0 })?;
                entries.push(found);
            }
        }
        drop(directory);
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        for found in entries {
            let below = (found.kind == Kind::Directory).then(|| found.name.clone());
            self.found.push(found);
            if let Some(below) = below {
                self.add_directory(&below)?;
            }
        }
        Ok(())
    }

    /// Examines the entry `name` of `directory`, whose relative path is `relative`. Returns `None` if it is left out or
    /// has disappeared.
    fn look_at(&self, directory: &HeldDir, name: &OsStr, relative: &Path) -> Result<Option<Found>, TreeError> {
        let metadata = match directory.metadata(Path::new(name)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            metadata => metadata.map_err(|error| naming(&self.root.join(relative).join(name), error))?,
        };
        let kind = metadata.file_type();
        let is_excepted = self.except.contains(&(metadata.dev(), metadata.ino()));
        if is_excepted || (self.is_left_out)(name.as_bytes(), kind.is_dir()) || name.to_str().is_some_and(is_temporary)
        {
            return Ok(None);
        }
        let kind = match kind {
            kind if kind.is_dir() => Kind::Directory,
            kind if kind.is_file() => Kind::File,
            kind if kind.is_symlink() => Kind::Link,
            _ => return Ok(None),
        };
        let (stamp, mode) = (Stamp::from(&metadata), metadata.mode() & 0o777);
        Ok(Some(Found { name: relative.join(name), kind, stamp, mode }))
    }
}

/// Returns the error `source`, with the file or directory `path` that it concerns.
pub fn naming(path: &Path, source: io::Error) -> TreeError {
    TreeError::Unreadable { path: path.to_owned(), source }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;

    use super::*;

    fn everything(dir: &Path) -> Result<Vec<Found>, TreeError> {
        survey(dir, |_, _| false)
    }

    #[test]
    fn a_survey_finds_files_directories_and_links_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("b")).unwrap();
        for name in ["a", "b/x", "c", ".arena-1.tmp"] {
            fs::write(dir.path().join(name), name).unwrap();
        }
        symlink("/", dir.path().join("root")).unwrap();
        let _socket = UnixListener::bind(dir.path().join("socket")).unwrap();
        nix::unistd::mkfifo(&dir.path().join("fifo"), nix::sys::stat::Mode::S_IRWXU).unwrap();
        let found: Vec<(PathBuf, Kind)> =
            everything(dir.path()).unwrap().into_iter().map(|found| (found.name, found.kind)).collect();
        let expected =
            [("a", Kind::File), ("b", Kind::Directory), ("b/x", Kind::File), ("c", Kind::File), ("root", Kind::Link)];
        assert_eq!(found, expected.map(|(name, kind)| (PathBuf::from(name), kind)));
    }

    #[test]
    fn what_is_at_an_excepted_place_is_neither_read_nor_counted() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("out")).unwrap();
        let large = File::create(dir.path().join("out/large")).unwrap();
        large.set_len(4 << 40).unwrap();
        fs::write(dir.path().join("a"), "a").unwrap();
        assert!(everything(dir.path()).is_err());
        let out = Stamp::from(&fs::metadata(dir.path().join("out")).unwrap()).place();
        let found = survey_except(dir.path(), &[out], |_, _| false).unwrap();
        assert_eq!(found.iter().map(|found| found.name.as_path()).collect::<Vec<_>>(), [Path::new("a")]);
    }

    #[test]
    fn a_sparse_file_of_terabytes_is_reported_with_its_size_and_never_read() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("data")).unwrap();
        fs::write(dir.path().join("bot.py"), "print()").unwrap();
        let model = File::create(dir.path().join("data/model")).unwrap();
        model.set_len(4 << 40).unwrap();
        let error = everything(dir.path()).unwrap_err().to_string();
        for words in ["`data/model` is 4.0 TiB", "4.0 GiB of files in total", "`readable`"] {
            assert!(error.contains(words), "{error}");
        }
        model.set_len(MOST_BYTES - 7).unwrap();
        assert_eq!(everything(dir.path()).unwrap().len(), 3);
    }
}
