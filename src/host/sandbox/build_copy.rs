//! The copy in which a build works, as seen from its confinement.

use std::fs;
use std::io;
use std::os::unix::fs::lchown;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::Policy;
use super::scratch_fill::{self, Fill};
use crate::base::time::{Instant, now};
use crate::host::start::BuildCopy;

/// Changes the owner of `copy` to the user and the group `uid`, if given.
pub(super) fn give_to(copy: &BuildCopy, uid: Option<u32>) -> io::Result<()> {
    if uid.is_some() { give_tree(&copy.path, uid) } else { Ok(()) }
}

/// Changes the owner of `dir` and everything below it. No other process may be working there yet. Links are not
/// followed.
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

/// Periodically checks how full a copy is. The longer a check takes, the longer the pause before the next one.
#[derive(Debug)]
pub(super) struct CopyWatch {
    dir: PathBuf,
    most: u64,
    is_in_memory: bool,
    last: Mutex<LastLook>,
}

#[derive(Debug)]
struct LastLook {
    /// When to check again.
    next: Instant,
    fill: Fill,
}

/// The pause after a check, as a multiple of the time that the check took.
const PAUSES: u32 = 10;
/// The pause after a check that took no time.
const SHORTEST_PAUSE: Duration = Duration::from_millis(50);

impl CopyWatch {
    /// Returns a watch over the copy in which the build of `policy` works; `None` if `policy` is not for a build.
    pub(super) fn of(policy: &Policy) -> Option<Self> {
        let most = policy.start.build_copy()?.max_bytes;
        let dir = policy.workdir();
        let last = Mutex::new(LastLook { next: now(), fill: Fill { bytes: 0, is_full: false } });
        Some(Self { is_in_memory: scratch_fill::is_in_memory(&dir), dir, most, last })
    }

    /// Returns how full the copy is.
    pub(super) fn look(&self) -> Fill {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let begun = now();
        if begun >= last.next {
            last.fill = scratch_fill::held(&self.dir).of(self.most);
            last.next = now() + ((now() - begun) * PAUSES).max(SHORTEST_PAUSE);
        }
        last.fill
    }

    /// The number of bytes in the copy as of the last check, if the copy is in memory.
    pub(super) fn in_memory(&self) -> u64 {
        if self.is_in_memory { self.last.lock().unwrap_or_else(PoisonError::into_inner).fill.bytes } else { 0 }
    }
}
