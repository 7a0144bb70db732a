//! Locks on the directories that contain players' files. The locks prevent changes to files that an arena is using.
//!
//! Arenas that play from a directory hold a shared lock on it. A build or an import holds an exclusive lock. The lock
//! is a flock(2) on the directory itself: it leaves no file behind, requires only read permission, works under every
//! path to the directory on this machine, and is released when its holder exits.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::Duration;

use rustix::fs::{FlockOperation, Mode, OFlags, flock, open};
use rustix::io::Errno;

use crate::base::machine::LockHolders;

/// How a directory is locked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DirUse {
    /// The contents of the directory are used, but not changed. The lock is shared.
    Play,
    /// The contents of the directory are changed. The lock is exclusive.
    Change,
}

/// The identity of a directory: its device number and its inode number.
pub(crate) type DirId = (u64, u64);

/// A lock on a directory, released on drop.
#[derive(Debug)]
pub struct DirLock {
    dir: File,
}

/// The reason why a directory could not be locked.
#[derive(Debug)]
pub(crate) enum DirLockError {
    /// Other processes hold a conflicting lock.
    Held(LockHolders),
    /// The directory cannot be locked. Some network file systems do not support such locks.
    Unlockable(io::Error),
}

/// How long to pause between two attempts to lock, and how many attempts to make.
const PAUSE: Duration = Duration::from_millis(20);
const LOOKS: u32 = 50;

/// Returns the identity of `dir`.
///
/// # Errors
/// Fails if there is no such directory.
pub(crate) fn dir_id(dir: &Path) -> io::Result<DirId> {
    fs::metadata(dir).map(|metadata| (metadata.dev(), metadata.ino()))
}

impl DirLock {
    /// Locks the directory `dir` without waiting.
    ///
    /// # Errors
    /// Fails if another process holds a conflicting lock, or if the directory cannot be locked.
    pub(crate) fn take(dir: &Path, purpose: DirUse) -> Result<Self, DirLockError> {
        let unlockable = DirLockError::Unlockable;
        loop {
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
            let file: File = open(dir, flags, Mode::empty()).map_err(|error| unlockable(error.into()))?.into();
            let operation = match purpose {
                DirUse::Play => FlockOperation::NonBlockingLockShared,
                DirUse::Change => FlockOperation::NonBlockingLockExclusive,
            };
            match flock(&file, operation) {
                Ok(()) => {}
                Err(Errno::WOULDBLOCK) => return Err(DirLockError::Held(LockHolders::of(&file).unwrap_or_default())),
                Err(error) => return Err(unlockable(error.into())),
            }
            let locked = Self { dir: file };
            // The previous holder may have replaced the directory with another one.
            if locked.id().map_err(unlockable)? == dir_id(dir).map_err(unlockable)? {
                return Ok(locked);
            }
        }
    }

    /// Like [`DirLock::take`], but waits up to a second: a child that a killed arena has just forked still holds the
    /// lock until it executes another program.
    ///
    /// # Errors
    /// Fails for the same reasons as [`DirLock::take`].
    pub(crate) fn take_soon(dir: &Path, purpose: DirUse) -> Result<Self, DirLockError> {
        for _ in 1..LOOKS {
            match Self::take(dir, purpose) {
                Err(DirLockError::Held(_)) => std::thread::sleep(PAUSE),
                taken => return taken,
            }
        }
        Self::take(dir, purpose)
    }

    /// Returns the identity of the directory.
    ///
    /// # Errors
    /// Fails if the directory cannot be examined.
    pub(crate) fn id(&self) -> io::Result<DirId> {
        self.dir.metadata().map(|metadata| (metadata.dev(), metadata.ino()))
    }

    /// Downgrades to a shared lock, so that other arenas can play from the directory as well. On Linux, no other
    /// process can acquire an exclusive lock before the shared one is held.
    ///
    /// # Errors
    /// Fails if the file system loses the lock. The directory is then not locked.
    pub(crate) fn share(&self) -> io::Result<()> {
        Ok(flock(&self.dir, FlockOperation::NonBlockingLockShared)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_held(taken: Result<DirLock, DirLockError>) -> bool {
        match taken {
            Ok(_) => false,
            Err(DirLockError::Held(_)) => true,
            Err(DirLockError::Unlockable(error)) => panic!("{error}"),
        }
    }

    #[test]
    fn many_play_from_a_directory_and_one_alone_changes_it() {
        let dir = tempfile::tempdir().expect("a directory");
        let take = |purpose| DirLock::take(dir.path(), purpose);
        let playing = [take(DirUse::Play).expect("free"), take(DirUse::Play).expect("shared")];
        assert!(is_held(take(DirUse::Change)));
        drop(playing);
        let changing = take(DirUse::Change).expect("free");
        assert!(is_held(take(DirUse::Play)) && is_held(take(DirUse::Change)));
        changing.share().expect("still locked");
        assert!(!is_held(take(DirUse::Play)));
        assert!(is_held(take(DirUse::Change)));
        drop(changing);
        assert!(!is_held(take(DirUse::Change)));
    }

    #[test]
    fn what_is_not_a_directory_that_one_may_read_cannot_be_locked() {
        let dir = tempfile::tempdir().expect("a directory");
        fs::write(dir.path().join("file"), "").expect("written");
        for name in ["file", "missing"] {
            let taken = DirLock::take(&dir.path().join(name), DirUse::Play);
            assert!(matches!(taken, Err(DirLockError::Unlockable(_))), "{name}");
        }
    }
}
