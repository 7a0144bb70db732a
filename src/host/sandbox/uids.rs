//! User ids for bots. Each id belongs to a single bot of a single arena: the system limits the number of processes per
//! user id, so two bots with the same id would use up each other's allowance.
//!
//! Arenas claim ranges of ids through locks on the bytes of one file. A lock belongs to the open file, which the stages
//! of confinement inherit. The lock is released once the arena and its last stage have ended, for whatever reason.

use std::collections::{BTreeSet, VecDeque};
use std::fs::{self, File};
use std::io;
use std::ops::Range;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use nix::fcntl::{FcntlArg, fcntl};
use nix::libc;
use rustix::fs::{Mode, OFlags, open, openat};
use rustix::io::Errno;
use rustix::thread::{CapabilitySet, capabilities};

use super::Tier;
use super::control_messages::{Failed, InStep};
use super::procfs::users;

/// How many ids an arena claims at a time.
const RANGE: u32 = 64;

/// The ranges from which ids are taken: far from any ids that a distribution assigns or, in a container with few ids,
/// between the ids of users and the ids of services.
const REGIONS: [Range<u32>; 2] = [0x6774_0000..0x677c_0000, 57_344..61_184];

/// The possible directories for the lock file, in order of preference. All of them are local to the machine. If none can
/// be written to, as on a read-only system, `TMPDIR` takes their place.
const PLACES: [&str; 3] = ["/run", "/dev/shm", "/tmp"];

/// The name of the directory that contains the lock file. No other user may enter the directory.
const DIRECTORY: &str = "gothello-arena";

/// The ids that this arena has claimed.
#[derive(Debug)]
pub(super) struct Uids {
    region: Range<u32>,
    /// Each byte of this file represents one range.
    locks: File,
    free: Mutex<Free>,
}

#[derive(Debug, Default)]
struct Free {
    /// Claimed but unused ids, in the order in which they were returned.
    ids: VecDeque<u32>,
    /// The claimed ranges. A process's own locks do not prevent it from claiming a range again, so the ranges must be
    /// remembered.
    claimed: BTreeSet<u32>,
    /// The index of the next range to try.
    next: u32,
}

/// A user id that belongs to a single bot in a single game.
#[derive(Debug)]
pub(super) struct Slot {
    pub(super) uid: u32,
    uids: Arc<Uids>,
}

impl Slot {
    /// The descriptor that maintains the claim on the id as long as any process has it open.
    pub(super) fn claim(&self) -> BorrowedFd<'_> {
        self.uids.locks.as_fd()
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.uids.free.lock().unwrap_or_else(PoisonError::into_inner).ids.push_back(self.uid);
    }
}

impl Uids {
    /// Returns the ids for bots in `tier`; `None` if bots keep the arena's id.
    ///
    /// # Errors
    /// Fails if bots in `tier` need their own ids and there are none.
    pub(super) fn of(tier: Tier) -> Result<Option<Arc<Self>>, Failed> {
        let needed = CapabilitySet::SETUID | CapabilitySet::SETGID | CapabilitySet::CHOWN | CapabilitySet::KILL;
        let can_give_ids = || capabilities(None).is_ok_and(|sets| sets.effective.contains(needed));
        // Without these capabilities, tier A is not available either, which is detected later.
        if tier == Tier::B || !can_give_ids() {
            return Ok(None);
        }
        let Some(region) = REGIONS.into_iter().find(is_mapped) else {
            let none = || Failed::by_machine("claim user ids for bots: this container has none".to_owned());
            return if tier == Tier::A { Err(none()) } else { Ok(None) };
        };
        let mut failure = None;
        for place in PLACES.into_iter().map(PathBuf::from).chain([std::env::temp_dir()]) {
            match lock_file(&place.join(DIRECTORY)) {
                Ok(locks) => return Ok(Some(Self::within(region, locks))),
                Err(error) => failure = failure.or(Some(error)),
            }
        }
        let error = failure.unwrap_or_else(|| io::ErrorKind::NotFound.into());
        Err(error).step(&format!("create `{}/{DIRECTORY}` for claiming user ids", PLACES[0]))
    }

    /// The ids of `region`, which arenas claim through locks on `locks`.
    fn within(region: Range<u32>, locks: File) -> Arc<Self> {
        let free = Mutex::new(Free { next: first_range(), ..Free::default() });
        Arc::new(Self { region, locks, free })
    }

    /// Returns an id that no other bot uses.
    ///
    /// # Errors
    /// Fails if no id is left.
    pub(super) fn take(self: &Arc<Self>) -> Result<Slot, Failed> {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        if free.ids.is_empty() {
            let ids = self.claim(&mut free)?;
            free.ids.extend(ids);
        }
        let all_in_use = || Failed::by_machine("claim a user id for a bot: all are in use".to_owned());
        let uid = free.ids.pop_front().ok_or_else(all_in_use)?;
        drop(free);
        Ok(Slot { uid, uids: Arc::clone(self) })
    }

    /// Claims a free range of ids under which no process runs. A process left behind by a killed arena may still be
    /// running under an id in a free range.
    fn claim(&self, free: &mut Free) -> Result<Range<u32>, Failed> {
        let ranges = (self.region.end - self.region.start) / RANGE;
        let mut in_use = None;
        for _ in 0..ranges {
            let range = free.next % ranges;
            free.next = range + 1;
            if free.claimed.contains(&range) || !lock(&self.locks, range, libc::F_WRLCK).step("claim user ids")? {
                continue;
            }
            let first = self.region.start + range * RANGE;
            let ids = first..first + RANGE;
            if !in_use.get_or_insert_with(users).iter().any(|user| ids.contains(user)) {
                free.claimed.insert(range);
                return Ok(ids);
            }
            lock(&self.locks, range, libc::F_UNLCK).step("release user ids")?;
        }
        Ok(0..0)
    }
}

/// The range to try first. Containers may share the machine's user ids but not its lock files, as may arenas with
/// different `TMPDIR`s, so each container and each arena begins at a different place.
fn first_range() -> u32 {
    let files = fs::metadata("/proc/self/ns/mnt").map_or(0, |namespace| namespace.ino());
    let own = files.wrapping_add(std::process::id().into());
    // The inode numbers of namespaces are close together, and so are the ids of processes. The multiplication spreads
    // them.
    u32::try_from(own.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40).unwrap_or_default()
}

/// Whether this process's user namespace maps all of `ids`, both as user ids and as group ids.
fn is_mapped(ids: &Range<u32>) -> bool {
    ["/proc/self/uid_map", "/proc/self/gid_map"].into_iter().all(|map| {
        fs::read_to_string(map).unwrap_or_default().lines().any(|line| {
            let numbers: Vec<u32> = line.split_whitespace().filter_map(|number| number.parse().ok()).collect();
            matches!(*numbers, [first, _, number] if ids.start >= first && ids.end - first <= number)
        })
    })
}

/// Opens the lock file in `dir`, and creates the directory and the file if they are missing. Both must belong to this
/// user and be inaccessible to all others: another user who held locks on the file could prevent arenas from playing.
fn lock_file(dir: &Path) -> io::Result<File> {
    match fs::DirBuilder::new().mode(0o700).create(dir) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    let flags = OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let dir = private(open(dir, OFlags::DIRECTORY | OFlags::RDONLY | flags, Mode::empty())?.into())?;
    private(openat(&dir, "users", OFlags::CREATE | OFlags::RDWR | flags, Mode::RUSR | Mode::WUSR)?.into())
}

/// Returns `file`, a file or directory, if no other user has access to it.
fn private(file: File) -> io::Result<File> {
    let metadata = file.metadata()?;
    let is_private =
        metadata.uid() == rustix::process::geteuid().as_raw() && [0o700, 0o600].contains(&(metadata.mode() & 0o777));
    if is_private { Ok(file) } else { Err(Errno::PERM.into()) }
}

/// Locks or unlocks the byte for `range`. Returns whether that was possible.
fn lock(file: &File, range: u32, kind: i32) -> io::Result<bool> {
    let lock = libc::flock {
        l_type: i16::try_from(kind).unwrap_or_default(),
        l_whence: i16::try_from(libc::SEEK_SET).unwrap_or_default(),
        l_start: range.into(),
        l_len: 1,
        l_pid: 0,
    };
    match fcntl(file, FcntlArg::F_OFD_SETLK(&lock)) {
        Ok(_) => Ok(true),
        Err(nix::Error::EAGAIN | nix::Error::EACCES) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::time::Duration;

    use super::*;
    use crate::base::time::now;

    /// Two ranges of ids that are not in use.
    const SOME: Range<u32> = 0x7000_0000..0x7000_0000 + 2 * RANGE;

    fn within(dir: &Path, region: Range<u32>) -> Arc<Uids> {
        Uids::within(region, lock_file(&dir.join("locks")).expect("a file"))
    }

    fn take(uids: &Arc<Uids>, number: u32) -> Vec<Slot> {
        (0..number).map(|_| uids.take().expect("one is left")).collect()
    }

    #[test]
    fn no_two_arenas_have_the_same_ids() {
        let dir = tempfile::tempdir().expect("a directory");
        let (one, other) = (within(dir.path(), SOME), within(dir.path(), SOME));
        let (ones, others) = (take(&one, RANGE), take(&other, RANGE));
        let all: BTreeSet<u32> = ones.iter().chain(&others).map(|slot| slot.uid).collect();
        assert_eq!(all, SOME.collect());
        assert!(one.take().is_err(), "the other ids belong to the other arena");
        drop((other, others));
        // A process that another test starts keeps a copy of the dropped claim until that process executes its program.
        let (begun, mut rest) = (now(), Vec::new());
        while rest.len() < RANGE as usize {
            match one.take() {
                Ok(slot) => rest.push(slot),
                Err(error) => assert!(begun.elapsed() < Duration::from_mins(1), "{error:?}"),
            }
        }
    }

    #[test]
    fn a_claim_lasts_as_long_as_anybody_holds_it() {
        let dir = tempfile::tempdir().expect("a directory");
        let one = within(dir.path(), 0x7000_0000..0x7000_0000 + RANGE);
        let slot = one.take().expect("an id");
        let held_by_a_stage = slot.claim().try_clone_to_owned().expect("a copy");
        drop((one, slot));
        let other = within(dir.path(), 0x7000_0000..0x7000_0000 + RANGE);
        assert!(other.take().is_err());
        drop(held_by_a_stage);
        assert!(other.take().is_ok());
    }

    #[test]
    fn an_id_that_was_given_back_is_given_out_last() {
        let dir = tempfile::tempdir().expect("a directory");
        let uids = within(dir.path(), SOME);
        let first = uids.take().expect("an id").uid;
        let next = take(&uids, RANGE - 1);
        assert!(next.iter().all(|slot| slot.uid != first));
        assert_eq!(uids.take().expect("the first again").uid, first);
    }

    #[test]
    fn ids_under_which_something_runs_are_not_given_out() {
        let dir = tempfile::tempdir().expect("a directory");
        let own = rustix::process::geteuid().as_raw();
        let uids = within(dir.path(), own..own + 2 * RANGE);
        // Other processes may be running under the other ids.
        let slots: Vec<Slot> = std::iter::from_fn(|| uids.take().ok()).collect();
        assert!(slots.iter().all(|slot| slot.uid >= own + RANGE), "this test runs under {own}");
    }

    #[test]
    fn a_place_that_is_not_its_own_is_not_used() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = |name: &str| dir.path().join(name);
        for (name, mode) in [("open", 0o777), ("own", 0o700)] {
            fs::create_dir(path(name)).expect("made");
            fs::set_permissions(path(name), Permissions::from_mode(mode)).expect("set");
        }
        symlink(path("own"), path("link")).expect("made");
        assert!(lock_file(&path("own")).is_ok());
        for name in ["open", "link", "own/users"] {
            assert!(lock_file(&path(name)).is_err(), "{name}");
        }
    }
}
