//! A player's files as one archive, which its SHA-256 names. The same files always make the same archive.
//!
//! An archive comes from another machine, so unpacking has bounds on its size and on the number, names and links of its
//! entries, and nothing is unpacked whose digest is wrong.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _, symlink};
use std::path::{Component, Path, PathBuf};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use sha2::{Digest as _, Sha256};
use tar::{Archive, Builder, EntryType, Header};
use thiserror::Error;

use crate::base::hex::hex;
use crate::base::printable::Shown as _;
use crate::base::tree::{Kind, TreeError};
use crate::host::program::files_of_tree;
use crate::tournament::file::Program;

/// The most bytes that the files of a bundle may have together.
const MOST_BYTES: u64 = 512 << 20;

/// The most entries of a bundle.
const MOST_ENTRIES: usize = 65_536;

/// Why there is no bundle, or why it is not unpacked.
#[derive(Debug, Error)]
pub(crate) enum BundleError {
    /// The files cannot be read or written.
    #[error("`{}`: {source}", path.shown())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The directory cannot be read.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// The archive is too large.
    #[error("its files have more than {} MiB, or are more than {MOST_ENTRIES}", MOST_BYTES >> 20)]
    TooLarge,
    /// A link leads out of the bundle.
    #[error("the link `{}` leads out of its directory", path.shown())]
    LinkOut {
        /// The link.
        path: PathBuf,
    },
    /// An entry has a name that leads elsewhere, or is neither file, directory nor link.
    #[error("the entry `{}` is not one of a bundle", path.shown())]
    Entry {
        /// Its name.
        path: PathBuf,
    },
    /// The bytes are not those that were asked for.
    #[error("its SHA-256 is not the expected one, so it was changed on the way")]
    Digest,
    /// The archive cannot be read.
    #[error("it is no archive: {0}")]
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

/// An entry to be packed, by its name in the archive.
struct Packed {
    name: PathBuf,
    path: PathBuf,
    kind: Kind,
    mode: u32,
}

/// Packs what `program` needs beside what is installed on every machine: its `dir`, or else those files under `base`, the
/// tournament file's directory, that its command names. Returns `None` if it needs nothing.
///
/// # Errors
/// Fails if a file cannot be read, if they are too large, or if a link leads out of the directory.
pub(crate) fn pack(program: &Program, base: &Path) -> Result<Option<Bundle>, BundleError> {
    let entries = match &program.dir {
        Some(dir) => {
            let root = base.join(dir);
            let found = files_of_tree(&root)?.into_iter();
            let packed = found.map(|found| Packed {
                path: root.join(&found.name),
                name: found.name,
                kind: found.kind,
                mode: if found.kind == Kind::File { found.mode } else { 0o755 },
            });
            packed.collect()
        }
        None => named_files(program, base),
    };
    if entries.is_empty() { Ok(None) } else { archived(entries).map(Some) }
}

/// The files under `base` that the command of `program` names.
fn named_files(program: &Program, base: &Path) -> Vec<Packed> {
    let literal = program.command.iter().filter(|word| word.is_literal());
    let names = literal.map(|word| PathBuf::from(word.fill(|_| String::new())));
    let names = names.map(|name| name.strip_prefix(".").map(Path::to_owned).unwrap_or(name));
    let mut entries: Vec<Packed> = Vec::new();
    for name in names.filter(|name| is_inside(name)) {
        let path = base.join(&name);
        let Ok(metadata) = fs::metadata(&path) else { continue };
        if metadata.is_file() && !entries.iter().any(|entry| entry.name == name) {
            let mode = metadata.permissions().mode() & 0o777;
            entries.push(Packed { name, path, kind: Kind::File, mode });
        }
    }
    entries
}

/// Whether a name stays below the directory it is relative to.
fn is_inside(name: &Path) -> bool {
    name.components().next().is_some() && name.components().all(|part| matches!(part, Component::Normal(_)))
}

/// Whether a link of this name, to this target, stays below the directory that its name is relative to.
fn links_inside(name: &Path, target: &Path) -> bool {
    let mut depth = name.components().count().saturating_sub(1);
    target.components().all(|part| match part {
        Component::Normal(_) => {
            depth += 1;
            true
        }
        Component::CurDir => true,
        Component::ParentDir => {
            let is_inside = depth > 0;
            depth = depth.saturating_sub(1);
            is_inside
        }
        Component::RootDir | Component::Prefix(_) => false,
    })
}

fn archived(mut entries: Vec<Packed>) -> Result<Bundle, BundleError> {
    entries.sort_by(|one, other| one.name.cmp(&other.name));
    if entries.len() > MOST_ENTRIES {
        return Err(BundleError::TooLarge);
    }
    let mut builder = Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    let mut total = 0;
    for Packed { name, path, kind, mode } in entries {
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
                let target = fs::read_link(&path).map_err(fail)?;
                if !links_inside(&name, &target) {
                    return Err(BundleError::LinkOut { path });
                }
                header.set_entry_type(EntryType::Symlink);
                builder.append_link(&mut header, &name, &target).map_err(fail)?;
            }
            Kind::File => {
                let mut bytes = Vec::new();
                let left = MOST_BYTES - total;
                File::open(&path).and_then(|file| file.take(left + 1).read_to_end(&mut bytes)).map_err(fail)?;
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

/// Unpacks `bytes`, the bundle with this `digest`, into the directory `dir`, which must be empty.
///
/// # Errors
/// Fails if the digest is another one, or if an entry breaks the bounds. Part of the files may then be there.
pub(crate) fn unpack(bytes: &[u8], digest: &str, dir: &Path) -> Result<(), BundleError> {
    if hex(&Sha256::digest(bytes)) != digest {
        return Err(BundleError::Digest);
    }
    // Beyond the bound the archive seems to end, and is then refused as cut off.
    let mut archive = Archive::new(GzDecoder::new(bytes).take(MOST_BYTES + (MOST_ENTRIES as u64) * 2048));
    let mut links = Vec::new();
    for (count, entry) in archive.entries().map_err(BundleError::Archive)?.enumerate() {
        let mut entry = entry.map_err(BundleError::Archive)?;
        if count >= MOST_ENTRIES {
            return Err(BundleError::TooLarge);
        }
        let name = entry.path().map_err(BundleError::Archive)?.into_owned();
        let wrong = || BundleError::Entry { path: name.clone() };
        let fail = |source| BundleError::Io { path: name.clone(), source };
        if !is_inside(&name) {
            return Err(wrong());
        }
        let path = dir.join(&name);
        match entry.header().entry_type() {
            EntryType::Directory => fs::create_dir_all(&path).map_err(fail)?,
            EntryType::Symlink => {
                let target = entry.link_name().map_err(BundleError::Archive)?.ok_or_else(wrong)?.into_owned();
                if !links_inside(&name, &target) {
                    return Err(BundleError::LinkOut { path: name });
                }
                links.push((path, target));
            }
            EntryType::Regular => {
                if let Some(parent) = path.parent() {
                    fs::create_dir_all(parent).map_err(fail)?;
                }
                let mode = entry.header().mode().map_err(BundleError::Archive)? & 0o777;
                let options = OpenOptions::new().write(true).create_new(true).mode(mode | 0o600).open(&path);
                let mut file = options.map_err(fail)?;
                io::copy(&mut entry, &mut file).and_then(|_| file.flush()).map_err(fail)?;
            }
            _ => return Err(wrong()),
        }
    }
    // Last, so that no entry is written through a link.
    for (path, target) in links {
        symlink(target, &path).map_err(|source| BundleError::Io { path, source })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tournament::file::{PlayerKind, Tournament};

    fn program(keys: &str) -> Program {
        let text = format!("[[player]]\nname = \"a\"\n{keys}\n[[player]]\nname = \"b\"\nbuiltin = \"random\"\n");
        let tournament = Tournament::parse(&text, "test").unwrap_or_else(|problems| panic!("{problems}"));
        let PlayerKind::Program(program) = &tournament.players[0].kind else { panic!("a program") };
        program.clone()
    }

    fn with_dir(base: &Path) -> Result<Option<Bundle>, BundleError> {
        pack(&program("dir = \"bot\"\ncommand = [\"./run\", \"{port}\"]"), base)
    }

    #[test]
    fn a_directory_comes_out_as_it_went_in_and_always_has_the_same_digest() {
        let base = tempfile::tempdir().expect("a directory");
        let bot = base.path().join("bot");
        fs::create_dir_all(bot.join("sub/empty")).expect("made");
        fs::write(bot.join("run"), "#!/bin/sh\n").expect("written");
        fs::set_permissions(bot.join("run"), fs::Permissions::from_mode(0o755)).expect("set");
        fs::write(bot.join("sub/data"), vec![7; 100_000]).expect("written");
        symlink("../run", bot.join("sub/link")).expect("linked");
        let bundle = with_dir(base.path()).expect("packed").expect("not empty");
        assert_eq!(with_dir(base.path()).expect("packed").expect("not empty").digest, bundle.digest);
        let out = tempfile::tempdir().expect("a directory");
        unpack(&bundle.bytes, &bundle.digest, out.path()).expect("unpacked");
        assert_eq!(fs::read(out.path().join("sub/data")).expect("read"), vec![7; 100_000]);
        assert_eq!(fs::read(out.path().join("sub/link")).expect("read"), b"#!/bin/sh\n");
        assert_eq!(fs::metadata(out.path().join("run")).expect("there").permissions().mode() & 0o777, 0o755);
        assert!(out.path().join("sub/empty").is_dir());
        let mut changed = bundle.bytes.clone();
        *changed.last_mut().expect("not empty") ^= 1;
        let refused = unpack(&changed, &bundle.digest, tempfile::tempdir().expect("a directory").path());
        assert!(matches!(refused, Err(BundleError::Digest)));
    }

    #[test]
    fn without_a_directory_only_files_that_the_command_names_are_packed() {
        let base = tempfile::tempdir().expect("a directory");
        fs::write(base.path().join("bot.py"), "print()").expect("written");
        fs::write(base.path().join("other"), "secret").expect("written");
        let bundle = pack(&program("command = [\"python3\", \"bot.py\", \"../other\", \"{port}\"]"), base.path());
        let bundle = bundle.expect("packed").expect("a file");
        let out = tempfile::tempdir().expect("a directory");
        unpack(&bundle.bytes, &bundle.digest, out.path()).expect("unpacked");
        let names: Vec<_> = fs::read_dir(out.path()).expect("there").flatten().map(|entry| entry.file_name()).collect();
        assert_eq!(names, ["bot.py"]);
        assert!(pack(&program("command = [\"python3\", \"-\", \"{port}\"]"), base.path()).expect("packed").is_none());
    }

    /// An archive of one entry, as a hostile coordinator might make it.
    fn hostile(name: &str, kind: EntryType, target: &str) -> Bundle {
        let mut builder = Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
        let mut header = Header::new_gnu();
        header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
        header.set_entry_type(kind);
        header.set_size(0);
        header.set_mode(0o4777);
        if !target.is_empty() {
            header.set_link_name_literal(target).expect("short");
        }
        header.set_cksum();
        builder.append(&header, io::empty()).expect("appended");
        let bytes = builder.into_inner().and_then(GzEncoder::finish).expect("packed");
        Bundle { digest: hex(&Sha256::digest(&bytes)), bytes }
    }

    #[test]
    fn nothing_leads_out_of_the_directory() {
        for (name, kind, target) in [
            ("../x", EntryType::Regular, ""),
            ("/tmp/x", EntryType::Regular, ""),
            ("a/../../x", EntryType::Regular, ""),
            ("x", EntryType::Symlink, "/etc"),
            ("a/x", EntryType::Symlink, "../../etc"),
            ("x", EntryType::Link, "/etc/passwd"),
            ("x", EntryType::Fifo, ""),
            ("x", EntryType::Char, ""),
        ] {
            let Bundle { digest, bytes } = hostile(name, kind, target);
            let dir = tempfile::tempdir().expect("a directory");
            assert!(unpack(&bytes, &digest, dir.path()).is_err(), "{name} {kind:?} {target}");
            assert_eq!(fs::read_dir(dir.path()).expect("there").count(), 0, "{name} {kind:?} {target}");
        }
        let base = tempfile::tempdir().expect("a directory");
        fs::create_dir(base.path().join("bot")).expect("made");
        symlink("/etc", base.path().join("bot/link")).expect("linked");
        assert!(matches!(with_dir(base.path()), Err(BundleError::LinkOut { .. })));
    }
}
