//! A player's files as one archive, named by its SHA-256. The same files always result in the same archive.
//!
//! Archives come from another machine, so unpacking limits their size and the number, names and links of their entries,
//! and rejects archives with a wrong digest.

mod unpacking;

use std::collections::HashSet;
use std::io::{self, Read as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Component, Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest as _, Sha256};
use tar::{Builder, EntryType, Header};
use thiserror::Error;

use crate::base::held_dir::HeldDir;
use crate::base::hex::hex;
use crate::base::sanitise::{Shown as _, sanitised};
use crate::base::tree::{Kind, TreeError};
use crate::host::program::files_of_tree;
use crate::tournament::Program;
pub(crate) use unpacking::unpack;

/// The maximum total size of the files of a bundle, in bytes.
const MOST_BYTES: u64 = 512 << 20;

/// The maximum number of entries of a bundle.
const MOST_ENTRIES: usize = 65_536;

/// The maximum size of an archive in bytes: incompressible files, with headers and padding for each of them.
pub(crate) const MOST_ARCHIVE: u64 = MOST_BYTES + MOST_ENTRIES as u64 * 2048;

/// Why a bundle cannot be made or unpacked.
#[derive(Debug, Error)]
pub(crate) enum BundleError {
    /// The files cannot be read or written.
    #[error("`{}`: {source}", path.shown())]
    Io {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// The directory cannot be read.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// The archive is too large.
    #[error("its files exceed {} MiB in total, or there are more than {MOST_ENTRIES} of them", MOST_BYTES >> 20)]
    TooLarge,
    /// A link leads out of the bundle.
    #[error("the link `{}` points outside its directory", path.shown())]
    LinkOut {
        /// The link.
        path: PathBuf,
    },
    /// A file that the command names is a link, or is reached through one.
    #[error(
        "its command names `{}`, which is a link or is reached through one, but workers receive no files through \
         links: replace the link with the file, or set `dir` for the player",
        path.shown()
    )]
    NamedLink {
        /// The file.
        path: PathBuf,
    },
    /// An entry has a name that leads out of the bundle, or is not a file, a directory or a link.
    #[error("the entry `{}` does not belong in a bundle", path.shown())]
    Entry {
        /// The name of the entry.
        path: PathBuf,
    },
    /// The bytes are not those of the requested archive.
    #[error("their SHA-256 is not the expected one, so they were changed in transit")]
    Digest,
    /// The archive cannot be read.
    #[error("their archive is damaged or incomplete: {}", sanitised(&.0.to_string()))]
    Archive(io::Error),
}

/// An archive.
#[derive(Clone, Debug)]
pub(crate) struct Bundle {
    /// The SHA-256 of the bytes, in hexadecimal.
    pub digest: String,
    /// The archive.
    pub bytes: Vec<u8>,
}

/// An entry to be packed, with its names in the archive and in the packed directory.
struct Packed {
    name: PathBuf,
    kind: Kind,
    mode: u32,
}

/// Packs the files that `program` needs in addition to those installed on every machine: its `dir` or, without one, the
/// files under `base`, the tournament file's directory, that its command names. Returns `None` if the program needs no
/// files.
///
/// # Errors
/// Fails if a file cannot be read, if the files are too large, if a link leads out of the directory, or if a file
/// that the command names is a link.
pub(crate) fn pack(program: &Program, base: &Path) -> Result<Option<Bundle>, BundleError> {
    let root = program.working_dir(base);
    let held = HeldDir::open(&root).map_err(|source| BundleError::Io { path: root.clone(), source })?;
    let entries = match &program.dir {
        Some(_) => {
            let found = files_of_tree(&root)?.into_iter();
            let packed = found.map(|found| Packed {
                name: found.name,
                kind: found.kind,
                mode: if found.kind == Kind::File { found.mode } else { 0o755 },
            });
            packed.collect()
        }
        None => named_files(program, &root, &held)?,
    };
    if entries.is_empty() { Ok(None) } else { archived(entries, &root, &held).map(Some) }
}

/// The files that the command of `program` names in the directory `base`, which `held` keeps open.
fn named_files(program: &Program, base: &Path, held: &HeldDir) -> Result<Vec<Packed>, BundleError> {
    let literal = program.command.iter().filter(|word| word.is_literal());
    let names = literal.map(|word| PathBuf::from(word.fill(|_| String::new())));
    let names = names.map(|name| name.strip_prefix(".").map(Path::to_owned).unwrap_or(name));
    let mut entries: Vec<Packed> = Vec::new();
    let mut seen = HashSet::new();
    for name in names.filter(|name| is_inside(name) && seen.insert(name.clone())) {
        let path = base.join(&name);
        match held.metadata(&name) {
            Ok(metadata) if metadata.is_file() => {
                let mode = metadata.permissions().mode() & 0o777;
                entries.push(Packed { name, kind: Kind::File, mode });
            }
            _ if path.is_file() => return Err(BundleError::NamedLink { path }),
            _ => {}
        }
    }
    Ok(entries)
}

/// Whether `name` stays below the directory to which it is relative.
fn is_inside(name: &Path) -> bool {
    name.components().next().is_some() && name.components().all(|part| matches!(part, Component::Normal(_)))
}

/// Whether the link `name` to `target` stays below the directory to which its name is relative. `links` are the names
/// of all links in that directory.
///
/// A target that leads through another link stays inside if that link does. However, `..` must not follow a link, since
/// the names do not show where the path then leads. For the same reason, no link may be reached through another link.
fn links_inside(name: &Path, target: &Path, links: &HashSet<PathBuf>) -> bool {
    let mut at = name.to_owned();
    at.pop();
    let mut is_behind_link = at.ancestors().any(|above| links.contains(above));
    !is_behind_link
        && target.components().all(|part| match part {
            Component::Normal(part) => {
                at.push(part);
                is_behind_link |= links.contains(&at);
                true
            }
            Component::CurDir => true,
            Component::ParentDir => !is_behind_link && at.pop(),
            Component::RootDir | Component::Prefix(_) => false,
        })
}

/// The archive of `entries` in the directory `root`, which `held` keeps open.
fn archived(mut entries: Vec<Packed>, root: &Path, held: &HeldDir) -> Result<Bundle, BundleError> {
    entries.sort_by(|one, other| one.name.cmp(&other.name));
    if entries.len() > MOST_ENTRIES {
        return Err(BundleError::TooLarge);
    }
    let mut builder = Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    let mut total = 0;
    let links = entries.iter().filter(|entry| entry.kind == Kind::Link).map(|entry| entry.name.clone()).collect();
    for Packed { name, kind, mode } in entries {
        let path = root.join(&name);
        let fail = |source| BundleError::Io { path: path.clone(), source };
        let mut header = Header::new_gnu();
        header.set_mode(mode);
        header.set_size(0);
        match kind {
            Kind::Directory => {
                header.set_entry_type(EntryType::Directory);
                builder.append_data(&mut header, &name, io::empty()).map_err(fail)?;
            }
            Kind::Link => {
                let target = held.link(&name).map_err(fail)?;
                if !links_inside(&name, &target, &links) {
                    return Err(BundleError::LinkOut { path });
                }
                header.set_entry_type(EntryType::Symlink);
                builder.append_link(&mut header, &name, &target).map_err(fail)?;
            }
            Kind::File => {
                let mut bytes = Vec::new();
                let left = MOST_BYTES - total;
                held.file(&name).and_then(|file| file.take(left + 1).read_to_end(&mut bytes)).map_err(fail)?;
                total += bytes.len() as u64;
                if total > MOST_BYTES {
                    return Err(BundleError::TooLarge);
                }
                header.set_entry_type(EntryType::Regular);
                header.set_size(bytes.len() as u64);
                builder.append_data(&mut header, &name, bytes.as_slice()).map_err(fail)?;
            }
        }
    }
    let bytes = builder.into_inner().and_then(GzEncoder::finish).map_err(BundleError::Archive)?;
    Ok(Bundle { digest: hex(&Sha256::digest(&bytes)), bytes })
}

#[cfg(test)]
mod tests;
