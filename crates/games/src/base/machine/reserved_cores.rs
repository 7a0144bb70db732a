//! Cores, each reserved for the bots of a single game.

use std::fmt;
use std::fs::File;
use std::io;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, Once, PoisonError};

use super::core_locks::CoreLocks;
use super::cores::{PhysicalCore, cores_of_this_process, physical_cores};
use crate::base::sanitise::Shown as _;

/// The cores of this machine that bots of this arena can use. Each is claimed only while a game uses it, by a lock that
/// is visible to every arena on the machine.
pub struct Cores {
    /// The cores that no game of this arena is using, by name.
    free: Mutex<Vec<PhysicalCore>>,
    locks: Option<CoreLocks>,
    said: Once,
    tell: Box<dyn Fn(CoreLack) + Send + Sync>,
}

/// The reason why the bots of a game do not have their own cores.
#[derive(Debug)]
pub enum CoreLack {
    /// Other arenas have claimed too many of the cores.
    Claimed,
    /// A core cannot be claimed.
    Unlockable {
        /// The file to lock.
        path: PathBuf,
        /// The reason why it cannot be locked.
        source: io::Error,
    },
    /// There is no directory for the locks of all users.
    NoPlace,
}

/// Writes a clause such as `other arenas on this machine have claimed them`.
impl fmt::Display for CoreLack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Claimed => f.write_str("other arenas on this machine have claimed them"),
            Self::Unlockable { path, source } => write!(f, "`{}` cannot be locked: {source}", path.shown()),
            Self::NoPlace => {
                f.write_str("none of /run/lock, /dev/shm and /tmp is a directory where every user may create files")
            }
        }
    }
}

impl Cores {
    /// Returns the cores if there is one for each of the `wanted` bots that run at the same time; otherwise `None`. The
    /// first time that a game does not get its cores, because other arenas have claimed them or claiming is impossible,
    /// `tell` is called with the reason.
    pub fn for_bots(wanted: NonZeroUsize, tell: impl Fn(CoreLack) + Send + Sync + 'static) -> Option<Arc<Self>> {
        let cores = cores_of_this_process()?;
        // If this process may not use all of its cores at the same time, pinning a bot to one of them is useless.
        let enough = cores.len() >= wanted.get() && physical_cores() >= wanted;
        enough.then(|| Arc::new(Self::new(cores, CoreLocks::shared(), tell)))
    }

    fn new(
        cores: Vec<PhysicalCore>,
        locks: Option<CoreLocks>,
        tell: impl Fn(CoreLack) + Send + Sync + 'static,
    ) -> Self {
        Self { free: Mutex::new(cores), locks, said: Once::new(), tell: Box::new(tell) }
    }

    /// Returns the CPUs of the cores that this arena leaves free as long as it uses at most `wanted` cores at the same
    /// time and no other arena has claimed any.
    pub fn spare_cpus(&self, wanted: NonZeroUsize) -> Vec<u32> {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        // The last cores are taken first.
        free.iter().take(free.len().saturating_sub(wanted.get())).flat_map(|core| &core.cpus).copied().collect()
    }

    /// Takes `number` cores for the bots of a game. Returns either all of them or none, because the game would be
    /// unfair with a core for only one side.
    pub fn take(self: &Arc<Self>, number: NonZeroUsize) -> Vec<Core> {
        match self.claimed(number.get()) {
            Ok(cores) => cores,
            Err(lack) => {
                self.said.call_once(|| (self.tell)(lack));
                Vec::new()
            }
        }
    }

    fn claimed(self: &Arc<Self>, number: usize) -> Result<Vec<Core>, CoreLack> {
        let locks = self.locks.as_ref().ok_or(CoreLack::NoPlace)?;
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut claims, mut lack) = (Vec::new(), CoreLack::Claimed);
        // Take the last cores first: the system usually puts the most work on the first ones.
        for (index, core) in free.iter().enumerate().rev() {
            match locks.claim(&core.name) {
                Ok(Some(claim)) => claims.push((index, claim)),
                Ok(None) => {}
                Err(source) => lack = CoreLack::Unlockable { path: locks.path(&core.name), source },
            }
            if claims.len() == number {
                // Each index is lower than the previous one, so a removal does not shift the cores still to be tried.
                let core =
                    |(index, claim)| Core { physical: free.remove(index), claim: Some(claim), of: Arc::clone(self) };
                return Ok(claims.into_iter().map(core).collect());
            }
        }
        Err(lack)
    }
}

impl fmt::Debug for Cores {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cores").field("free", &self.free).field("locks", &self.locks).finish_non_exhaustive()
    }
}

/// A core that has been taken. Dropping it releases the core.
#[derive(Debug)]
pub struct Core {
    physical: PhysicalCore,
    /// `None` only while the value is being dropped.
    claim: Option<File>,
    of: Arc<Cores>,
}

impl Core {
    /// Returns the CPUs of this core.
    pub fn cpus(&self) -> &[u32] {
        &self.physical.cpus
    }
}

impl Drop for Core {
    fn drop(&mut self) {
        let mut free = self.of.free.lock().unwrap_or_else(PoisonError::into_inner);
        // Release the claim first: a free core of this arena must not look as if another arena had claimed it.
        drop(self.claim.take());
        let PhysicalCore { name, cpus } = &mut self.physical;
        let core = PhysicalCore { name: std::mem::take(name), cpus: std::mem::take(cpus) };
        let place = free.partition_point(|other| other.name < core.name);
        free.insert(place, core);
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    use super::*;

    /// An arena on a machine with four cores, whose locks are in `dir`, and the number of times that it has reported a
    /// lack of cores.
    fn arena(dir: &tempfile::TempDir) -> (Arc<Cores>, Arc<AtomicUsize>) {
        let core = |name: &str, cpus: &[u32]| PhysicalCore { name: name.to_owned(), cpus: cpus.to_owned() };
        let cores = vec![core("0,4", &[0, 4]), core("1,5", &[1, 5]), core("2", &[2]), core("3", &[3])];
        let told = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&told);
        let tell = move |_| {
            count.fetch_add(1, Relaxed);
        };
        (Arc::new(Cores::new(cores, CoreLocks::within(dir.path()).ok(), tell)), told)
    }

    fn number(number: usize) -> NonZeroUsize {
        NonZeroUsize::new(number).expect("some")
    }

    fn cpus(cores: &[Core]) -> Vec<&[u32]> {
        cores.iter().map(Core::cpus).collect()
    }

    #[test]
    fn no_core_is_shared_and_every_core_comes_back() {
        let dir = tempfile::tempdir().expect("a directory");
        let (cores, told) = arena(&dir);
        let taken: Vec<Core> = (0..4).flat_map(|_| cores.take(number(1))).collect();
        assert_eq!(cpus(&taken), [&[3][..], &[2], &[1, 5], &[0, 4]]);
        assert_eq!(told.load(Relaxed), 0);
        assert!(cores.take(number(1)).is_empty());
        drop(taken);
        assert_eq!(cores.take(number(4)).len(), 4);
        let most = cores_of_this_process().map_or(0, |cores| cores.len());
        assert!(Cores::for_bots(number(most + 1), |_| ()).is_none());
    }

    #[test]
    fn what_is_spare_is_never_taken() {
        let dir = tempfile::tempdir().expect("a directory");
        let (cores, _) = arena(&dir);
        assert_eq!(cores.spare_cpus(number(2)), [0, 4, 1, 5]);
        let (first, second) = (cores.take(number(1)), cores.take(number(1)));
        assert_eq!((cpus(&first), cpus(&second)), (vec![&[3][..]], vec![&[2][..]]));
        drop(first);
        drop(second);
        assert_eq!(cores.spare_cpus(number(2)), [0, 4, 1, 5], "regardless of the order in which they are released");
        assert_eq!(cores.spare_cpus(number(9)), [0; 0]);
    }

    #[test]
    fn two_arenas_have_different_cores_and_each_gets_what_the_other_gives_back() {
        let dir = tempfile::tempdir().expect("a directory");
        let ((one, told_one), (other, told_other)) = (arena(&dir), arena(&dir));
        let (first, second) = (one.take(number(2)), other.take(number(2)));
        assert_eq!((cpus(&first), cpus(&second)), (vec![&[3][..], &[2]], vec![&[1, 5][..], &[0, 4]]));
        // The lack is reported only once.
        assert!(one.take(number(1)).is_empty() && one.take(number(2)).is_empty());
        assert_eq!((told_one.load(Relaxed), told_other.load(Relaxed)), (1, 0));
        drop(second);
        assert_eq!(cpus(&one.take(number(2))), [&[1, 5][..], &[0, 4]]);
    }

    #[test]
    fn a_game_gets_a_core_for_each_bot_or_for_none() {
        let dir = tempfile::tempdir().expect("a directory");
        let ((one, _), (other, _)) = (arena(&dir), arena(&dir));
        let taken = one.take(number(3));
        assert!(other.take(number(2)).is_empty());
        assert_eq!(cpus(&other.take(number(1))), [&[0, 4][..]], "the core that was not enough is free again");
        drop(taken);
    }

    #[test]
    fn a_core_that_cannot_be_claimed_is_left_out_and_named_if_it_is_missed() {
        let dir = tempfile::tempdir().expect("a directory");
        let (cores, _) = arena(&dir);
        let locks = CoreLocks::within(dir.path()).expect("opened");
        fs::create_dir(locks.path("3")).expect("made");
        assert_eq!(cpus(&cores.take(number(3))), [&[2][..], &[1, 5], &[0, 4]]);
        let lack = cores.claimed(4).expect_err("one is missing").to_string();
        assert!(lack.contains("core-3` cannot be locked: it is not a regular file"), "{lack}");
    }

    #[test]
    fn without_a_place_for_locks_no_core_is_taken() {
        let cores = Arc::new(Cores::new(Vec::new(), None, |_| ()));
        assert!(matches!(cores.claimed(1), Err(CoreLack::NoPlace)));
    }
}
