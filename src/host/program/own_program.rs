//! This program's own file, which plays as every built-in bot.

use std::env;
use std::fs::File;
use std::path::{Path, PathBuf};

use object::read::elf::{FileHeader, ProgramHeader};
use object::{Endianness, ReadCache, elf};
use sha2::{Digest as _, Sha256};

use super::{Inventory, ProgramFiles};
use crate::base::hex::hex;

/// The path of this program; on Linux, a path that is still valid after a new version has been installed.
pub fn own_executable() -> PathBuf {
    let own = PathBuf::from("/proc/self/exe");
    if own.exists() { own } else { env::current_exe().unwrap_or(own) }
}

/// Identifies the code of this program, as a SHA-256 in hexadecimal; `None` if the program cannot read its own file.
///
/// It is the SHA-256 of the build ID, for which the linker has already digested the whole program. Only a program without
/// a build ID is read as a whole, which would cost every run as much as it takes to play several games.
pub fn own_digest() -> Option<String> {
    let own = own_executable();
    if let Some(id) = build_id(&own) {
        return Some(hex(&Sha256::digest(id)));
    }
    Some(Inventory::take(Some(&own), &ProgramFiles::Files(Vec::new()), &|_| true).ok()?.digest())
}

/// The GNU build ID of a 64-bit ELF program.
fn build_id(program: &Path) -> Option<Vec<u8>> {
    let file = ReadCache::new(File::open(program).ok()?);
    let header = elf::FileHeader64::<Endianness>::parse(&file).ok()?;
    let endian = header.endian().ok()?;
    for segment in header.program_headers(endian, &file).ok()? {
        let Some(mut notes) = segment.notes(endian, &file).ok()? else { continue };
        while let Some(note) = notes.next().ok()? {
            if note.name() == elf::ELF_NOTE_GNU && note.n_type(endian) == elf::NT_GNU_BUILD_ID {
                return Some(note.desc().to_vec());
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::process::Command;

    use super::*;

    #[test]
    fn another_file_of_the_same_code_has_the_same_identity() {
        let dir = tempfile::tempdir().unwrap();
        let own = own_executable();
        let Some(id) = build_id(&own) else {
            // Some linkers write no build ID. Then the digest is that of the whole file.
            return assert_eq!(own_digest().unwrap().len(), 64);
        };
        assert!((8..=64).contains(&id.len()), "{id:?}");
        assert_eq!(own_digest(), Some(hex(&Sha256::digest(&id))));
        // `strip` changes the file, but not the code.
        let stripped = dir.path().join("stripped");
        let strip = Command::new("strip").arg("-o").args([&stripped, &fs::canonicalize(&own).unwrap()]).status();
        if strip.is_ok_and(|status| status.success()) {
            assert_eq!(build_id(&stripped), Some(id));
        }
    }

    #[test]
    fn a_file_that_is_no_program_or_a_cut_one_has_no_build_id() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        assert_eq!(build_id(&path), None);
        for content in [&b""[..], b"#!/bin/sh\n", b"\x7fELF"] {
            fs::write(&path, content).unwrap();
            assert_eq!(build_id(&path), None, "{content:?}");
        }
        let own = fs::read(own_executable()).unwrap();
        for length in [16, 63, 64, 100] {
            fs::write(&path, &own[..length]).unwrap();
            assert_eq!(build_id(&path), None, "{length} bytes");
        }
    }
}
