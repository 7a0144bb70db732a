//! A source that a teacher names on the command line: a directory, an archive or a single file, read entry by entry.

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use super::refusal::UnpackError;
use super::tar_archive;
use super::tree_writer::{EntryKind, SourceEntry, Visit};
use super::zip_archive;
use crate::base::held_dir::{HeldDir, open_named_file};

/// How the entries of a source are packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Packing {
    Directory,
    Zip,
    Tar,
    TarGz,
    /// A file that is not an archive.
    Single,
}

/// A source of entries.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    pub(crate) path: PathBuf,
    packing: Packing,
}

/// The extensions of archives that are unpacked.
const ARCHIVES: [(&str, Packing); 4] =
    [(".zip", Packing::Zip), (".tar.gz", Packing::TarGz), (".tgz", Packing::TarGz), (".tar", Packing::Tar)];

/// The extensions of archives that are not unpacked.
const FOREIGN: [&str; 8] = [".rar", ".7z", ".tar.bz2", ".tbz", ".tar.xz", ".txz", ".tar.zst", ".gz"];

/// `name` without its extension, if that is the extension of an archive.
pub(crate) fn archive_stem(name: &str) -> Option<&str> {
    let lower = name.to_ascii_lowercase();
    let ending = ARCHIVES.iter().map(|(ending, _)| ending).find(|ending| lower.ends_with(**ending))?;
    Some(&name[..name.len() - ending.len()])
}

/// Whether `name` is the name of an archive in a format that is not unpacked.
pub(crate) fn is_foreign_archive(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    archive_stem(name).is_none() && FOREIGN.iter().any(|ending| lower.ends_with(ending))
}

impl Source {
    /// Opens the source at `path`, according to its extension and its first bytes.
    ///
    /// # Errors
    /// Returns an error if there is nothing at `path`, or something that is neither a file nor a directory.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let path = path.to_owned();
        if fs::metadata(&path)?.is_dir() {
            return Ok(Self { path, packing: Packing::Directory });
        }
        let mut start = [0; 4];
        let file = open_named_file(&path)?;
        let read = file.take(4).read(&mut start)?;
        let name = path.to_string_lossy().to_ascii_lowercase();
        let named = ARCHIVES.iter().find(|(ending, _)| name.ends_with(ending)).map(|(_, packing)| *packing);
        let packing = match &start[..read] {
            [b'P', b'K', 3, 4] | [b'P', b'K', 5, 6] => Packing::Zip,
            [0x1f, 0x8b, ..] if named.is_some() => Packing::TarGz,
            _ => named.unwrap_or(Packing::Single),
        };
        Ok(Self { path, packing })
    }

    /// Whether the source is a single file, which is its only entry.
    pub(crate) fn is_single(&self) -> bool {
        self.packing == Packing::Single
    }

    /// The name of the source's file or directory.
    pub(crate) fn name(&self) -> String {
        let whole = std::path::absolute(&self.path).unwrap_or_else(|_| self.path.clone());
        whole.file_name().map_or_else(|| "class".to_owned(), |name| name.to_string_lossy().into_owned())
    }

    /// Calls `visit` for each entry.
    ///
    /// # Errors
    /// Returns the error of `visit` if it fails, and refuses an archive that cannot be read.
    pub(crate) fn each(&self, visit: &mut Visit<'_>) -> Result<(), UnpackError> {
        let file = || open_named_file(&self.path).map_err(UnpackError::at(&self.path));
        match self.packing {
            Packing::Directory => {
                let held = HeldDir::open(&self.path).map_err(UnpackError::at(&self.path))?;
                in_directory(&held, &self.path, Path::new(""), visit)
            }
            Packing::Zip => zip_archive::each(&file()?, visit),
            Packing::Tar => tar_archive::each(&file()?, false, visit),
            Packing::TarGz => tar_archive::each(&file()?, true, visit),
            Packing::Single => one_file(open_named_file(&self.path), &self.path, &self.name(), visit),
        }
    }
}

/// Visits everything in the directory `relative` of `root` and in its subdirectories, in the order of the names. `path`
/// is the path of `root`. Links are not followed.
fn in_directory(root: &HeldDir, path: &Path, relative: &Path, visit: &mut Visit<'_>) -> Result<(), UnpackError> {
    let entries = root.dir(relative).and_then(|dir| dir.names()?.collect::<io::Result<Vec<_>>>());
    let mut entries = entries.map_err(UnpackError::at(path.join(relative)))?;
    entries.sort();
    for entry in entries {
        let entry = relative.join(entry);
        let (name, at) = (entry.to_string_lossy(), path.join(&entry));
        let kind = root.metadata(&entry).map_err(UnpackError::at(&at))?.file_type();
        if kind.is_file() {
            one_file(root.file(&entry), &at, &name, visit)?;
            continue;
        }
        let kind = match kind {
            kind if kind.is_dir() => EntryKind::Directory,
            kind if kind.is_symlink() => EntryKind::Link,
            _ => EntryKind::Special,
        };
        // A link that has disappeared in the meantime has no target.
        let target = if kind == EntryKind::Link { root.link(&entry).unwrap_or_default() } else { PathBuf::new() };
        let mut own = SourceEntry {
            name: &name,
            kind,
            is_executable: false,
            modified: 0,
            packed: u64::MAX,
            content: &mut target.as_os_str().as_encoded_bytes(),
        };
        visit(&mut own)?;
        if kind == EntryKind::Directory {
            in_directory(root, path, &entry, visit)?;
        }
    }
    Ok(())
}

/// Visits the file `opened`, whose path is `path`, as the entry `name`.
fn one_file(opened: io::Result<File>, path: &Path, name: &str, visit: &mut Visit<'_>) -> Result<(), UnpackError> {
    let mut file = opened.map_err(UnpackError::at(path))?;
    let metadata = file.metadata().map_err(UnpackError::at(path))?;
    let mut entry = SourceEntry {
        name,
        kind: EntryKind::File,
        is_executable: metadata.permissions().mode() & 0o100 != 0,
        modified: metadata.mtime(),
        packed: u64::MAX,
        content: &mut file,
    };
    visit(&mut entry)
}
