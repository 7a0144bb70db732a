//! What a teacher names on the command line: a directory, an archive or a single file, read entry by entry.

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use super::refusal::UnpackError;
use super::tar_archive;
use super::tree_writer::{EntryKind, SourceEntry, Visit};
use super::zip_archive;
use crate::base::tree::{TreeError, open_file};

/// How the entries of a source are packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Packing {
    Directory,
    Zip,
    Tar,
    TarGz,
    /// A file that is no archive.
    Single,
}

/// Something with entries.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    pub(crate) path: PathBuf,
    packing: Packing,
}

/// The endings of archives that are unpacked.
const ARCHIVES: [(&str, Packing); 4] =
    [(".zip", Packing::Zip), (".tar.gz", Packing::TarGz), (".tgz", Packing::TarGz), (".tar", Packing::Tar)];

/// The endings of archives that are not.
const FOREIGN: [&str; 8] = [".rar", ".7z", ".tar.bz2", ".tbz", ".tar.xz", ".txz", ".tar.zst", ".gz"];

/// The name of a file without the ending of an archive, if `name` has one.
pub(crate) fn archive_stem(name: &str) -> Option<&str> {
    let lower = name.to_ascii_lowercase();
    let ending = ARCHIVES.iter().map(|(ending, _)| ending).find(|ending| lower.ends_with(**ending))?;
    Some(&name[..name.len() - ending.len()])
}

/// Whether `name` is that of an archive that is not unpacked.
pub(crate) fn is_foreign_archive(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    archive_stem(name).is_none() && FOREIGN.iter().any(|ending| lower.ends_with(ending))
}

impl Source {
    /// The source at `path`, by its ending and its first bytes.
    ///
    /// # Errors
    /// Fails if there is nothing at `path`, or something that is neither a file nor a directory.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let path = path.to_owned();
        if fs::metadata(&path)?.is_dir() {
            return Ok(Self { path, packing: Packing::Directory });
        }
        let mut start = [0; 4];
        let file = open(&path)?;
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

    /// Whether the source has other entries than itself.
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
    /// Returns what `visit` returns, and refuses an archive that cannot be read.
    pub(crate) fn each(&self, visit: &mut Visit<'_>) -> Result<(), UnpackError> {
        let file = || open(&self.path).map_err(UnpackError::at(&self.path));
        match self.packing {
            Packing::Directory => in_directory(&self.path, "", visit),
            Packing::Zip => zip_archive::each(&file()?, visit),
            Packing::Tar => tar_archive::each(&file()?, false, visit),
            Packing::TarGz => tar_archive::each(&file()?, true, visit),
            Packing::Single => one_file(&self.path, &self.name(), visit),
        }
    }
}

/// Opens the regular file `path`, which may be a link: the teacher or this program has named it.
fn open(path: &Path) -> io::Result<File> {
    open_file(path, true).map_err(|error| match error {
        TreeError::Unreadable { source, .. } => source,
        other => io::Error::other(other.to_string()),
    })
}

/// Visits everything in the directory `path` and below, in the order of the names. No link is followed.
fn in_directory(path: &Path, before: &str, visit: &mut Visit<'_>) -> Result<(), UnpackError> {
    let entries = fs::read_dir(path).and_then(Iterator::collect::<io::Result<Vec<_>>>);
    let mut entries = entries.map_err(UnpackError::at(path))?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let name = format!("{before}{}", entry.file_name().to_string_lossy());
        let kind = entry.file_type().map_err(UnpackError::at(entry.path()))?;
        if kind.is_dir() {
            let mut own = SourceEntry {
                name: &name,
                kind: EntryKind::Directory,
                is_executable: false,
                modified: 0,
                packed: u64::MAX,
                content: &mut io::empty(),
            };
            visit(&mut own)?;
            in_directory(&entry.path(), &format!("{name}/"), visit)?;
        } else if kind.is_file() {
            one_file(&entry.path(), &name, visit)?;
        } else {
            let kind = if kind.is_symlink() { EntryKind::Link } else { EntryKind::Special };
            // A link that is gone meanwhile leads nowhere.
            let target = fs::read_link(entry.path()).unwrap_or_default();
            let mut entry = SourceEntry {
                name: &name,
                kind,
                is_executable: false,
                modified: 0,
                packed: u64::MAX,
                content: &mut target.as_os_str().as_encoded_bytes(),
            };
            visit(&mut entry)?;
        }
    }
    Ok(())
}

/// Visits the file `path` as the entry `name`.
fn one_file(path: &Path, name: &str, visit: &mut Visit<'_>) -> Result<(), UnpackError> {
    let mut file = open(path).map_err(UnpackError::at(path))?;
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
