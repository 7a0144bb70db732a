//! Where a build works: a copy of its directory that outlives its confinement.

use std::fs;
use std::io;
use std::os::unix::fs::lchown;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{scratch, warden};
use crate::base::time::{Instant, now};

/// What is different for a build.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Workplace {
    /// The copy of its directory, on the host's disk. Where it has a file system of its own, the copy lies where the directory
    /// does; elsewhere it works in the copy.
    pub copy: PathBuf,
    /// Whether it may use the host's network.
    pub network: bool,
    /// How many bytes the copy may hold.
    pub most: u64,
}

impl Workplace {
    /// Gives the copy to the user and the group `uid`, if there is one.
    pub(super) fn give_to(&self, uid: Option<u32>) -> io::Result<()> {
        if uid.is_some() { give_tree(&self.copy, uid) } else { Ok(()) }
    }
}

/// Nobody else works there yet, and no link is followed.
fn give_tree(dir: &Path, uid: Option<u32>) -> io::Result<()> {
    lchown(dir, uid, uid)?;
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            give_tree(&entry.path(), uid)?;
        } else {
            lchown(entry.path(), uid, uid)?;
        }
    }
    Ok(())
}

/// A look now and then at how full a copy is. A look at many files takes long, so the next one is put off in proportion.
#[derive(Debug)]
pub(super) struct Filling {
    dir: PathBuf,
    most: u64,
    is_in_memory: bool,
    last: Mutex<Look>,
}

#[derive(Debug)]
struct Look {
    next: Instant,
    bytes: u64,
    is_full: bool,
}

/// How many times as long as a look the pause after it is.
const PAUSES: u32 = 10;
const SHORTEST_PAUSE: Duration = Duration::from_millis(50);

impl Filling {
    /// The copy of `workplace`, which the build sees at `dir`.
    pub(super) fn new(workplace: &Workplace, dir: PathBuf) -> Self {
        let last = Mutex::new(Look { next: now(), bytes: 0, is_full: false });
        let is_in_memory = warden::is_in_memory(&dir);
        Self { dir, most: workplace.most, is_in_memory, last }
    }

    /// The bytes in the copy, and whether they, or its files, are too many.
    pub(super) fn look(&self) -> (u64, bool) {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let begun = now();
        if begun >= last.next {
            let held = scratch::held(&self.dir);
            (last.bytes, last.is_full) = (held.bytes, held.bytes > self.most || held.unmanageable);
            last.next = now() + ((now() - begun) * PAUSES).max(SHORTEST_PAUSE);
        }
        (last.bytes, last.is_full)
    }

    /// The bytes in the copy at the last look, if it lies in memory.
    pub(super) fn in_memory(&self) -> u64 {
        if self.is_in_memory { self.last.lock().unwrap_or_else(PoisonError::into_inner).bytes } else { 0 }
    }
}
