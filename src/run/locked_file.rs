//! Opens files that only one process at a time may write, and that may be replaced as a whole by a new file.

use std::fs::{File, Metadata, TryLockError, symlink_metadata};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::Duration;

/// How a lock is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LockHold {
    /// One process holds it exclusively, in order to write.
    Alone,
    /// All processes that read share it.
    Shared,
}

/// Why a file could not be opened and locked.
#[derive(Debug)]
pub(crate) enum LockError {
    /// Another process holds the lock.
    Held,
    /// The file cannot be opened or locked.
    Io {
        /// What failed: `open` or `lock`.
        action: &'static str,
        /// Why it failed.
        source: io::Error,
    },
}

/// The pause between two attempts to take a lock, and the number of attempts. A child that a killed run has just forked
/// still holds the lock until it executes another program.
const LOCK_PAUSE: Duration = Duration::from_millis(20);
const LOCK_LOOKS: u32 = 50;

/// Opens the file at `path` using `open`, and takes its lock, which is released when the file is closed.
///
/// # Errors
/// Fails if the file cannot be opened, or if another process holds the lock for longer than a second.
pub(crate) fn open(path: &Path, hold: LockHold, mut open: impl FnMut() -> io::Result<File>) -> Result<File, LockError> {
    let fail = |source| LockError::Io { action: "open", source };
    loop {
        let file = open().map_err(fail)?;
        lock(&file, hold)?;
        // The previous holder of the lock may have replaced the file.
        match symlink_metadata(path) {
            Ok(there) if is_same(&file.metadata().map_err(fail)?, &there) => return Ok(file),
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(fail(error)),
            _ => {}
        }
    }
}

/// Whether both describe the same file.
pub(crate) fn is_same(one: &Metadata, other: &Metadata) -> bool {
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

fn lock(file: &File, hold: LockHold) -> Result<(), LockError> {
    for look in 1..=LOCK_LOOKS {
        let tried = match hold {
            LockHold::Alone => file.try_lock(),
            LockHold::Shared => file.try_lock_shared(),
        };
        match tried {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) if look < LOCK_LOOKS => std::thread::sleep(LOCK_PAUSE),
            Err(TryLockError::WouldBlock) => break,
            Err(TryLockError::Error(source)) => return Err(LockError::Io { action: "lock", source }),
        }
    }
    Err(LockError::Held)
}
