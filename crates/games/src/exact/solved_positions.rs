//! Files of solved positions, from which a long search continues after a restart.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use thiserror::Error;

use crate::base::exit::{CommandError, ErrorExit, Exit};
use crate::base::files::write_whole;
use crate::base::sanitise::Shown as _;
use crate::exact::solver::{TranspositionEntry, TranspositionTable};

/// The name of the file of solved positions in the checkpoint directory.
pub const FILE: &str = "positions.bin";

/// Positions that took fewer nodes than this are not kept: they are solved again after a restart.
const KEPT_FROM: u64 = 1 << 16;

/// The start of a file of positions. 16 bytes for each position follow, and finally a SHA-256 of everything before it.
const MAGIC: &[u8; 16] = b"gothello solved\n";
const ENTRY: usize = 16;
const DIGEST: usize = 32;

/// The reason why a file of solved positions cannot be used.
#[derive(Debug, Error)]
pub enum SolvedPositionsError {
    /// The file cannot be read.
    #[error("cannot read `{}`", file.shown())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The file is of another kind, or damaged.
    #[error("`{}` is not a complete file of solved positions (delete it to start over)", file.shown())]
    Wrong {
        /// The file.
        file: PathBuf,
    },
    /// The file's directory cannot be created.
    #[error("cannot create `{}`", dir.shown())]
    Unmade {
        /// The directory.
        dir: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The file cannot be written.
    #[error("cannot write `{}`", file.shown())]
    Unwritable {
        /// The file.
        file: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

impl CommandError for SolvedPositionsError {
    fn error_exit(&self) -> ErrorExit {
        match self {
            Self::Unreadable { .. } | Self::Wrong { .. } => Exit::Usage.alone(),
            Self::Unmade { .. } | Self::Unwritable { .. } => Exit::ArenaFailed.alone(),
        }
    }
}

fn encoded(entries: &[TranspositionEntry]) -> Vec<u8> {
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
///
/// # Errors
/// Fails if the file cannot be read, or is not a complete file of solved positions.
pub fn restore(table: &TranspositionTable, file: &Path) -> Result<usize, SolvedPositionsError> {
    let bytes = match fs::read(file) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        Err(source) => return Err(SolvedPositionsError::Unreadable { file: file.to_owned(), source }),
    };
    let wrong = || SolvedPositionsError::Wrong { file: file.to_owned() };
    let (body, digest) = bytes.split_last_chunk::<DIGEST>().ok_or_else(wrong)?;
    let entries = body.strip_prefix(MAGIC).ok_or_else(wrong)?;
    if Sha256::digest(body).as_slice() != digest || entries.len() % ENTRY != 0 {
        return Err(wrong());
    }
    for entry in entries.chunks_exact(ENTRY) {
        let word = |half: &[u8]| half.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
        if !table.restore(TranspositionEntry { key: word(&entry[..8]), known: word(&entry[8..]) }) {
            return Err(wrong());
        }
    }
    Ok(entries.len() / ENTRY)
}

/// Writes those positions of `table` that took long to solve to `file`.
///
/// # Errors
/// Fails if the file cannot be written.
pub fn keep(table: &TranspositionTable, file: &Path) -> Result<(), SolvedPositionsError> {
    let dir = file.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(dir).map_err(|source| SolvedPositionsError::Unmade { dir: dir.to_owned(), source })?;
    write_whole(file, &encoded(&table.costly(KEPT_FROM)))
        .map_err(|source| SolvedPositionsError::Unwritable { file: file.to_owned(), source })
}
