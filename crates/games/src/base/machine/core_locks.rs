//! Locks on the cores of this machine, shared by the arenas of all users.
//!
//! Each core has its own file in a directory in which every user may create files but not remove those of others. The
//! arena that locks the file owns the core. The lock belongs to the open file and is released when its holder exits,
//! however it exits. Locking a file requires only read permission, which every user has. Any user can therefore hold
//! all locks, and can put anything in place of a file that does not exist yet. Doing so prevents arenas from pinning
//! bots to cores, but has no other effect.

use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{
    AtFlags, FlockOperation, Mode, OFlags, ResolveFlags, StatVfsMountFlags, fchmod, flock, fstatvfs, open, openat,
    openat2, statat,
};
use rustix::io::Errno;
use rustix::process::geteuid;

/// The directories that can contain the lock files. The first one that every user can write to is used. All of them are
/// local to the machine, and a container can have its own.
const PLACES: [&str; 3] = ["/run/lock", "/dev/shm", "/tmp"];

/// The prefix of the name of each file. The rest names the core by its CPUs.
const PREFIX: &str = "gothello-arena-core-";

/// Every user may read the files, and can thus lock them. Write permission is never needed.
const MODE: u32 = 0o444;

/// How many times to open a file that keeps being replaced.
const TRIES: u32 = 3;

/// The directory with the lock files.
#[derive(Debug)]
pub(super) struct CoreLocks {
    dir: File,
    path: PathBuf,
}

impl CoreLocks {
    /// Finds the directory shared by the arenas of all users; `None` if there is none.
    pub(super) fn shared() -> Option<Self> {
        PLACES.into_iter().find_map(|place| Self::within(Path::new(place)).ok().filter(Self::is_for_all))
    }

    /// Opens the directory `place`, which contains the lock files.
    pub(super) fn within(place: &Path) -> io::Result<Self> {
        let dir = open(place, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
        Ok(Self { dir: dir.into(), path: place.to_owned() })
    }

    /// Whether every user may create files here, but not remove those of others. The result must not depend on the
    /// current user, because arenas of different users have to agree on one directory.
    fn is_for_all(&self) -> bool {
        const FOR_ALL: u32 = 0o1002;
        let may_write = self.dir.metadata().is_ok_and(|metadata| metadata.mode() & FOR_ALL == FOR_ALL);
        may_write && fstatvfs(&self.dir).is_ok_and(|figures| !figures.f_flag.contains(StatVfsMountFlags::RDONLY))
    }

    /// The path of the file for `core`, as shown in messages.
    pub(super) fn path(&self, core: &str) -> PathBuf {
        self.path.join(name(core))
    }

    /// Claims `core` for as long as the returned file is open; `None` if another arena has claimed it.
    ///
    /// # Errors
    /// Fails if no file can be locked. The call never waits, and never follows a link.
    pub(super) fn claim(&self, core: &str) -> io::Result<Option<File>> {
        for _ in 0..TRIES {
            let file = self.open(&name(core))?;
            match flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Err(Errno::WOULDBLOCK) => return Ok(None),
                locked => locked?,
            }
            if self.is_still_at(&name(core), &file)? {
                return Ok(Some(file));
            }
        }
        Ok(None)
    }

    /// Opens the file `name`, and creates it if it is missing.
    fn open(&self, name: &str) -> io::Result<File> {
        let file = match self.open_with(name, OFlags::empty()) {
            Err(Errno::NOENT) => match self.open_with(name, OFlags::CREATE | OFlags::EXCL) {
                // Another arena has created it first.
                Err(Errno::EXIST) => self.open_with(name, OFlags::empty()),
                created => created,
            },
            opened => opened,
        }?;
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
        }
        // The creator's umask may have removed permissions. If the file has a second name, it may be an unrelated file
        // that only looks like a lock.
        let is_own = metadata.uid() == geteuid().as_raw() && metadata.nlink() == 1;
        if is_own && metadata.mode() & MODE != MODE {
            fchmod(&file, Mode::from_raw_mode(MODE))?;
        }
        Ok(file)
    }

    /// Opens `name` without following a link, entering a mount, or waiting for the other end of a pipe.
    fn open_with(&self, name: &str, more: OFlags) -> rustix::io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC | more;
        let rights = if more.is_empty() { Mode::empty() } else { Mode::from_raw_mode(MODE) };
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_XDEV | ResolveFlags::NO_SYMLINKS;
        let opened = match openat2(self.dir.as_fd(), name, flags, rights, resolve) {
            // The kernel is older than 5.6, or a container does not support the call.
            Err(Errno::NOSYS | Errno::PERM) => openat(self.dir.as_fd(), name, flags, rights),
            opened => opened,
        };
        opened.map(File::from)
    }

    /// Whether `file` still has the name `name`. If it does not, another arena could claim the same core by locking a
    /// different file.
    fn is_still_at(&self, name: &str, file: &File) -> io::Result<bool> {
        let own = file.metadata()?;
        match statat(self.dir.as_fd(), name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(there) => Ok((there.st_dev, there.st_ino) == (own.dev(), own.ino())),
            Err(Errno::NOENT) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }
}

/// The name of the file for `core`.
fn name(core: &str) -> String {
    format!("{PREFIX}{core}")
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    use std::os::unix::net::UnixListener;

    use super::*;

    fn locks() -> (tempfile::TempDir, CoreLocks) {
        let dir = tempfile::tempdir().expect("a directory");
        let locks = CoreLocks::within(dir.path()).expect("opened");
        (dir, locks)
    }

    fn mode(path: &Path) -> u32 {
        fs::symlink_metadata(path).expect("there").mode() & 0o7777
    }

    #[test]
    fn a_core_belongs_to_one_claim_until_that_ends() {
        let (_dir, locks) = locks();
        let first = locks.claim("0-1").expect("a file").expect("free");
        assert!(locks.claim("0-1").expect("a file").is_none());
        assert!(locks.claim("2").expect("a file").is_some(), "another core");
        drop(first);
        assert!(locks.claim("0-1").expect("a file").is_some());
    }

    #[test]
    fn everybody_may_lock_the_files_and_nobody_may_write_to_them() {
        let (_dir, locks) = locks();
        drop(locks.claim("1").expect("a file"));
        assert_eq!(mode(&locks.path("1")), MODE);
        // The umask of another arena may leave the file with these permissions.
        fs::set_permissions(locks.path("1"), Permissions::from_mode(0o400)).expect("set");
        drop(locks.claim("1").expect("a file"));
        assert_eq!(mode(&locks.path("1")), MODE);
    }

    #[test]
    fn whatever_somebody_puts_in_the_place_of_a_file_is_neither_followed_nor_changed_nor_waited_for() {
        let (dir, locks) = locks();
        let victim = dir.path().join("victim");
        fs::write(&victim, "secret").expect("written");
        fs::set_permissions(&victim, Permissions::from_mode(0o600)).expect("set");
        symlink(&victim, locks.path("link")).expect("linked");
        symlink("nowhere", locks.path("dangling")).expect("linked");
        fs::create_dir(locks.path("directory")).expect("made");
        let _socket = UnixListener::bind(locks.path("socket")).expect("bound");
        rustix::fs::mknodat(&locks.dir, name("pipe"), rustix::fs::FileType::Fifo, Mode::RUSR, 0).expect("made");
        for core in ["link", "dangling", "directory", "socket", "pipe"] {
            assert!(locks.claim(core).is_err(), "{core}");
        }
        assert!(!dir.path().join("nowhere").exists());
        fs::hard_link(&victim, locks.path("hard")).expect("linked");
        assert!(locks.claim("hard").expect("a file").is_some());
        assert_eq!(mode(&victim), 0o600);
    }

    #[test]
    fn a_removed_file_is_not_a_claim() {
        let (_dir, locks) = locks();
        let gone = locks.claim("3").expect("a file").expect("free");
        fs::remove_file(locks.path("3")).expect("removed");
        let new = locks.claim("3").expect("a file").expect("free");
        assert!(!locks.is_still_at(&name("3"), &gone).expect("asked"));
        assert!(locks.is_still_at(&name("3"), &new).expect("asked"));
    }

    #[test]
    fn a_directory_of_one_user_is_not_shared() {
        let (dir, locks) = locks();
        for (mode, is_for_all) in [(0o755, false), (0o777, false), (0o1770, false), (0o1777, true)] {
            fs::set_permissions(dir.path(), Permissions::from_mode(mode)).expect("set");
            assert_eq!(locks.is_for_all(), is_for_all, "{mode:o}");
        }
    }
}
