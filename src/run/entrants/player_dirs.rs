//! The locks on the players' directories, which prevent builds in a directory from which another arena starts bots.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::build_products::needs_build;
use super::{PlayerPart, Preparer};
use crate::base::machine::LockHolders;
use crate::base::sanitise::Shown as _;
use crate::base::time::{Instant, now, sleep_until};
use crate::host::dir_lock::{DirId, DirLock, DirLockError, DirUse, dir_id};
use crate::host::program::{Inventory, find_player};

/// The pause between two attempts to take a lock.
const PAUSE: Duration = Duration::from_millis(50);

/// How long to wait for a lock before reporting the wait. A child that a killed arena has just forked still holds the
/// lock until it executes another program.
const MOMENT: Duration = Duration::from_secs(1);

/// How many times to start over if a directory was replaced before it was locked.
const TRIES: u32 = 16;

/// How long to wait in total for other processes to stop using players' directories. Every user who can read a
/// directory can lock it, so the wait must be limited.
#[derive(Clone, Copy, Debug)]
struct DirLockTimeout {
    /// The longest wait while other processes change players' files.
    play: Duration,
    /// The longest wait while other processes start bots from a directory in which something has to be built.
    build: Duration,
}

impl DirLockTimeout {
    /// Another arena's builds take minutes, and its games take hours.
    const USUAL: Self = Self { play: Duration::from_mins(10), build: Duration::from_hours(1) };
}

/// News for the user about a player's directory; displayed as one or two sentences.
#[derive(Debug)]
pub enum DirNews {
    /// The arena is waiting for other processes to stop using the directory.
    Waits {
        /// The directory.
        dir: PathBuf,
        /// The processes that use the directory.
        holders: LockHolders,
        /// Whether the arena has to build in the directory.
        builds: bool,
    },
    /// Other processes still use the directory, and the arena starts bots from it without a lock.
    PlaysUnlocked {
        /// The directory.
        dir: PathBuf,
        /// The processes that use the directory.
        holders: LockHolders,
    },
    /// Directories cannot be locked.
    Unlockable {
        /// The first of these directories.
        dir: PathBuf,
        /// How many other directories cannot be locked.
        others: usize,
        /// Why the first directory cannot be locked.
        source: io::Error,
    },
}

impl fmt::Display for DirNews {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Waits { dir, holders, builds: true } => write!(
                f,
                "waiting for {holders} to end: it uses `{dir}`, and a build there would change the files that it is using; to play now, press \
                 Ctrl-C and use a copy of the directory",
                dir = dir.shown()
            ),
            Self::Waits { dir, holders, builds: false } => {
                write!(f, "waiting for {holders}, which changes `{}`", dir.shown())
            }
            Self::PlaysUnlocked { dir, holders } => write!(
                f,
                "`{dir}` is still in use by {holders}, and bots are started from it without a lock: if a file there changes during a game, \
                 the directory's players play no further games; end that process, or use a copy of the directory",
                dir = dir.shown()
            ),
            Self::Unlockable { dir, others, source } => {
                let others = if *others == 0 { String::new() } else { format!(" nor can {others} more,") };
                write!(
                    f,
                    "`{}` cannot be locked ({source}),{others} so nothing prevents another arena from building there while this one \
                     plays: make sure that no other run, grading run or import uses the same files in the meantime",
                    dir.shown()
                )
            }
        }
    }
}

/// The locked directories of a tournament's players.
#[derive(Debug, Default)]
pub(super) struct PlayerDirs {
    dirs: BTreeMap<DirId, LockedDir>,
    /// The inventories of the directories in which nothing has to be built, by the key of the program.
    pub(super) inventories: BTreeMap<String, Inventory>,
}

#[derive(Debug)]
struct LockedDir {
    /// `None` if the directory cannot be locked, or if other processes do not release it.
    lock: Option<Arc<DirLock>>,
    /// The keys of the programs that still have to be built in the directory.
    builds: BTreeSet<String>,
    /// The processes that start bots from the directory, if they prevent builds.
    in_use_by: Option<LockHolders>,
}

/// A directory of players to be locked.
struct WantedDir<'a> {
    path: PathBuf,
    /// The number of players that are started in the directory.
    players: usize,
    /// The programs with a build.
    built: Vec<PlayerPart<'a>>,
}

impl PlayerDirs {
    /// The lock on `dir`, which must be kept while any bot runs from this directory.
    pub(super) fn lock(&self, dir: &Path) -> Option<Arc<DirLock>> {
        self.dirs.get(&dir_id(dir).ok()?)?.lock.clone()
    }

    /// Why nothing can be built in `dir` for `part`, if other processes still start bots from `dir`.
    pub(super) fn why_unbuildable(&self, part: PlayerPart<'_>, dir: &Path) -> Option<String> {
        let locked = self.dirs.get(&dir_id(dir).ok()?)?;
        let holders = locked.in_use_by.as_ref().filter(|_| locked.builds.contains(&part.key()))?;
        Some(format!(
            "`{}` is still in use by {holders}, and a build there would change the files that it is using: repeat the command when that \
             process has ended, or use a copy of the directory",
            dir.shown()
        ))
    }

    /// Records that `part` needs no further build in `dir`. After the last program that needs a build there, other
    /// processes may start bots from `dir`, too.
    pub(super) fn end_build(&mut self, part: PlayerPart<'_>, dir: &Path, tell: &dyn Fn(DirNews)) {
        let Some(locked) = dir_id(dir).ok().and_then(|id| self.dirs.get_mut(&id)) else { return };
        if locked.builds.remove(&part.key())
            && locked.builds.is_empty()
            && let Some(Err(source)) = locked.lock.as_ref().map(|lock| lock.share())
        {
            locked.lock = None;
            tell(DirNews::Unlockable { dir: dir.to_owned(), others: 0, source });
        }
    }
}

impl Preparer<'_> {
    /// Locks the directories of all players, with an exclusive lock if something has to be built there, and with a
    /// shared lock otherwise. Waits for other processes that hold these locks, but not forever.
    ///
    /// All arenas lock in the same order, and do not wait for a directory while holding a later one. This avoids
    /// deadlocks.
    pub(super) async fn lock_dirs(&self) -> PlayerDirs {
        self.lock_dirs_within(DirLockTimeout::USUAL, || self.wanted_dirs()).await
    }

    /// Like [`Preparer::lock_dirs`], with this `timeout` and with the directories found by `wanted`.
    async fn lock_dirs_within<'w>(
        &self,
        mut timeout: DirLockTimeout,
        wanted: impl Fn() -> BTreeMap<DirId, WantedDir<'w>>,
    ) -> PlayerDirs {
        let mut tries = 0;
        loop {
            tries += 1;
            if let Some(dirs) = self.try_to_lock_dirs(wanted(), &mut timeout, tries == TRIES).await {
                return dirs;
            }
        }
    }

    /// Locks the `wanted` directories; returns `None` if one of them has been replaced in the meantime, unless this is
    /// the last attempt. Deducts the time spent waiting from `timeout`.
    async fn try_to_lock_dirs(
        &self,
        wanted: BTreeMap<DirId, WantedDir<'_>>,
        timeout: &mut DirLockTimeout,
        is_last: bool,
    ) -> Option<PlayerDirs> {
        let (mut locked, mut unlockable, mut unlocked) = (PlayerDirs::default(), Vec::new(), Vec::new());
        for (id, WantedDir { path, players, built }) in wanted {
            let (mut builds, mut lock, mut in_use_by) = (BTreeSet::new(), None, None);
            if built.iter().all(|&part| self.bound(part).is_some()) {
                lock = Some(self.wait_for(&path, DirUse::Play, &mut timeout.play).await);
                match self.built_inventories(&built).await {
                    Some(found) => locked.inventories.extend(found),
                    // Release the shared lock: two processes that hold it would wait for each other to build.
                    None => lock = None,
                }
            }
            let lock = match lock {
                Some(lock) => lock,
                None => {
                    builds.extend(built.iter().map(|part| part.key()));
                    self.wait_for(&path, DirUse::Change, &mut timeout.build).await
                }
            };
            let lock = match lock {
                Ok(lock) if lock.id().is_ok_and(|now| now == id) => Some(Arc::new(lock)),
                Ok(_) if is_last => {
                    unlockable.push((path, io::Error::other("it keeps being replaced by another directory")));
                    None
                }
                Ok(_) => return None,
                Err(DirLockError::Unlockable(source)) => {
                    unlockable.push((path, source));
                    None
                }
                Err(DirLockError::Held(holders)) => {
                    if players > builds.len() {
                        unlocked.push(DirNews::PlaysUnlocked { dir: path, holders: holders.clone() });
                    }
                    in_use_by = Some(holders);
                    None
                }
            };
            locked.dirs.insert(id, LockedDir { lock, builds, in_use_by });
        }
        let others = unlockable.len().saturating_sub(1);
        let unlockable = unlockable.into_iter().next();
        let unlockable = unlockable.map(|(dir, source)| DirNews::Unlockable { dir, others, source });
        unlocked.into_iter().chain(unlockable).for_each(self.tell);
        Some(locked)
    }

    /// The directories of the players, in the order in which they are locked.
    fn wanted_dirs(&self) -> BTreeMap<DirId, WantedDir<'_>> {
        let mut wanted: BTreeMap<DirId, WantedDir<'_>> = BTreeMap::new();
        for part in self.tournament.players.iter().flat_map(PlayerPart::all) {
            let path = part.program.working_dir(self.base);
            // A missing directory is reported when the player is prepared.
            let Ok(id) = dir_id(&path) else { continue };
            let dir = wanted.entry(id).or_insert_with(|| WantedDir { path, players: 0, built: Vec::new() });
            dir.players += 1;
            if part.program.build.is_some() {
                dir.built.push(part);
            }
        }
        wanted
    }

    /// The inventories of the programs in `built`, by their keys; `None` if any program has changed since its build.
    async fn built_inventories(&self, built: &[PlayerPart<'_>]) -> Option<BTreeMap<String, Inventory>> {
        let mut found = BTreeMap::new();
        for &part in built {
            let known = self.bound(part)?;
            let executable = find_player(part.program, self.base).ok();
            let now = self.inventory(part, executable.as_deref()).await.ok()?;
            if needs_build(&known.entry, &now, &part.program.working_dir(self.base)) {
                return None;
            }
            found.insert(part.key(), now);
        }
        Some(found)
    }

    /// Locks `dir`, waiting while other processes hold the lock. The wait is deducted from `left`; when no time is
    /// left, waits only as long as a killed arena may still appear to hold a lock.
    async fn wait_for(&self, dir: &Path, purpose: DirUse, left: &mut Duration) -> Result<DirLock, DirLockError> {
        let (begun, mut has_said) = (now(), false);
        let until = begun + (*left).max(MOMENT);
        let taken = loop {
            match DirLock::take(dir, purpose) {
                Err(DirLockError::Held(holders)) if now() < until => {
                    if is_long_since(begun) && !std::mem::replace(&mut has_said, true) {
                        let builds = purpose == DirUse::Change;
                        (self.tell)(DirNews::Waits { dir: dir.to_owned(), holders, builds });
                    }
                    sleep_until(now() + PAUSE).await;
                }
                taken => break taken,
            }
        };
        *left = left.saturating_sub(now() - begun);
        taken
    }
}

fn is_long_since(begun: Instant) -> bool {
    now() - begun >= MOMENT
}

#[cfg(test)]
mod tests;
