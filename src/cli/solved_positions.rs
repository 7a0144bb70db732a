//! Files of solved positions, from which a long search continues after a restart.

use std::fs;
use std::io;
use std::path::Path;

use anyhow::{Context as _, bail};
use sha2::{Digest, Sha256};

use crate::base::files::write_whole;
use crate::base::sanitise::Shown as _;
use crate::exact::solver::{Table, TableEntry};

/// The name of such a file in the directory of checkpoints.
pub(super) const FILE: &str = "positions.bin";

/// Positions that took fewer nodes than this are not kept: they are solved again after a restart.
const KEPT_FROM: u64 = 1 << 16;

/// The start of a file of positions. 16 bytes for each position follow, and finally a SHA-256 of everything before it.
const MAGIC: &[u8; 16] = b"gothello solved\n";
const ENTRY: usize = 16;
const DIGEST: usize = 32;

fn encoded(entries: &[TableEntry]) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    for entry in entries {
        bytes.extend(entry.key.to_le_bytes());
        bytes.extend(entry.known.to_le_bytes());
    }
    let digest = Sha256::digest(&bytes);
    bytes.extend(digest);
    bytes
}

/// Loads the positions of `file` into `table`, and returns their number: 0 if there is no such file.
pub(super) fn restore(table: &Table, file: &Path) -> anyhow::Result<usize> {
    let bytes = match fs::read(file) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        Err(error) => return Err(error).with_context(|| format!("cannot read `{}`", file.shown())),
    };
    let wrong = || format!("`{}` is not a whole file of solved positions (delete it to start over)", file.shown());
    let Some((body, digest)) = bytes.split_last_chunk::<DIGEST>() else { bail!(wrong()) };
    let Some(entries) = body.strip_prefix(MAGIC) else { bail!(wrong()) };
    if Sha256::digest(body).as_slice() != digest || entries.len() % ENTRY != 0 {
        bail!(wrong());
    }
    for entry in entries.chunks_exact(ENTRY) {
        let word = |half: &[u8]| half.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
        if !table.restore(TableEntry { key: word(&entry[..8]), known: word(&entry[8..]) }) {
            bail!(wrong());
        }
    }
    Ok(entries.len() / ENTRY)
}

/// Writes those positions of `table` that took long to solve to `file`.
pub(super) fn keep(table: &Table, file: &Path) -> anyhow::Result<()> {
    let dir = file.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(dir).with_context(|| format!("cannot create `{}`", dir.shown()))?;
    write_whole(file, &encoded(&table.costly(KEPT_FROM))).with_context(|| format!("cannot write `{}`", file.shown()))
}
