//! The locks on the players' directories: nobody builds where another arena plays.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::build_products::needs_build;
use super::{Known, Preparer};
use crate::base::machine::LockHolders;
use crate::base::printable::Shown as _;
use crate::base::time::{Instant, now, sleep_until};
use crate::host::dir_lock::{DirId, DirLock, DirLockError, DirUse, dir_id};
use crate::host::program::{Inventory, find_player};
use crate::tournament::file::{Player, PlayerKind, Program};

/// How long to pause between two tries at a lock.
const PAUSE: Duration = Duration::from_millis(50);

/// How long to wait before saying so. A child that a killed arena has just forked still holds the lock until it executes
/// another program.
const MOMENT: Duration = Duration::from_secs(1);

/// How often to begin again because a directory has been replaced meanwhile.
const TRIES: u32 = 16;

/// Something that a user should know about the directory of a player; its `Display` says it in a sentence or two.
#[derive(Debug)]
pub enum DirNews {
    /// The arena waits until others no longer use the directory.
    Waits {
        /// The directory.
        dir: PathBuf,
        /// Who uses it.
        holders: LockHolders,
        /// Whether the arena has to build there.
        builds: bool,
    },
    /// Directories cannot be locked.
    Unlockable {
        /// The first of them.
        dir: PathBuf,
        /// How many others there are.
        others: usize,
        /// Why it cannot be locked.
        source: io::Error,
    },
}

impl fmt::Display for DirNews {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Waits { dir, holders, builds: true } => write!(
                f,
                "waiting for {holders} to end: it uses `{dir}`, and a build there would change what it plays; to play now, press \
                 Ctrl-C and play a copy of the directory",
                dir = dir.shown()
            ),
            Self::Waits { dir, holders, builds: false } => {
                write!(f, "waiting for {holders}, which changes `{}`", dir.shown())
            }
            Self::Unlockable { dir, others, source } => {
                let others = if *others == 0 { String::new() } else { format!(" nor can {others} others") };
                write!(
                    f,
                    "`{}` cannot be locked ({source}),{others} so nothing keeps another arena from building there while this one \
                     plays: let no other run, grading or import use the same files meanwhile",
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
    /// What was found in the directories in which nothing has to be built, by the player's name.
    pub(super) inventories: BTreeMap<String, Inventory>,
}

#[derive(Debug)]
struct LockedDir {
    /// `None` if the directory cannot be locked.
    lock: Option<Arc<DirLock>>,
    /// The players that still have to be built there.
    builds: BTreeSet<String>,
}

/// A directory of players that is to be locked.
struct WantedDir<'a> {
    path: PathBuf,
    /// The players with a build.
    built: Vec<(&'a Player, &'a Program)>,
}

impl PlayerDirs {
    /// The lock on `dir`, to be kept for as long as anything is played from there.
    pub(super) fn lock(&self, dir: &Path) -> Option<Arc<DirLock>> {
        self.dirs.get(&dir_id(dir).ok()?)?.lock.clone()
    }

    /// Takes note that nothing is left to be built in `dir` for `player`. After the last one, others may play from there.
    pub(super) fn end_build(&mut self, player: &Player, dir: &Path, tell: &dyn Fn(DirNews)) {
        let Some(locked) = dir_id(dir).ok().and_then(|id| self.dirs.get_mut(&id)) else { return };
        if locked.builds.remove(player.name.as_str())
            && locked.builds.is_empty()
            && let Some(Err(source)) = locked.lock.as_ref().map(|lock| lock.share())
        {
            locked.lock = None;
            tell(DirNews::Unlockable { dir: dir.to_owned(), others: 0, source });
        }
    }
}

impl Preparer<'_> {
    /// Locks the directories of all players: alone where something has to be built, else together with others. Waits for
    /// whoever stands in the way.
    ///
    /// All arenas lock in the same order, and nobody waits for one directory while holding a later one. So no two wait for
    /// each other.
    pub(super) async fn lock_dirs(&self) -> PlayerDirs {
        for _ in 0..TRIES {
            if let Some(dirs) = self.try_to_lock_dirs().await {
                return dirs;
            }
        }
        PlayerDirs::default()
    }

    /// Locks all directories; `None` if one has been replaced by another meanwhile.
    async fn try_to_lock_dirs(&self) -> Option<PlayerDirs> {
        let (mut locked, mut unlockable) = (PlayerDirs::default(), Vec::new());
        for (id, WantedDir { path, built }) in self.wanted_dirs() {
            let (mut builds, mut lock) = (BTreeSet::new(), None);
            if built.iter().all(|(player, _)| self.bound(player).is_some()) {
                lock = Some(self.wait_for(&path, DirUse::Play).await);
                match self.built_inventories(&built).await {
                    Some(found) => locked.inventories.extend(found),
                    // Two that hold the lock together would wait for each other.
                    None => lock = None,
                }
            }
            let lock = match lock {
                Some(lock) => lock,
                None => {
                    builds.extend(built.iter().map(|(player, _)| player.name.to_string()));
                    self.wait_for(&path, DirUse::Change).await
                }
            };
            let lock = match lock {
                Ok(lock) if lock.id().is_ok_and(|now| now == id) => Some(Arc::new(lock)),
                Ok(_) => return None,
                Err(source) => {
                    unlockable.push((path, source));
                    None
                }
            };
            locked.dirs.insert(id, LockedDir { lock, builds });
        }
        let others = unlockable.len().saturating_sub(1);
        if let Some((dir, source)) = unlockable.into_iter().next() {
            (self.tell)(DirNews::Unlockable { dir, others, source });
        }
        Some(locked)
    }

    /// The directories of the players, in the order in which they are locked.
    fn wanted_dirs(&self) -> BTreeMap<DirId, WantedDir<'_>> {
        let mut wanted: BTreeMap<DirId, WantedDir<'_>> = BTreeMap::new();
        for player in &self.tournament.players {
            let PlayerKind::Program(program) = &player.kind else { continue };
            let path = program.working_dir(self.base);
            // What is missing is reported when the player is prepared.
            let Ok(id) = dir_id(&path) else { continue };
            let dir = wanted.entry(id).or_insert_with(|| WantedDir { path, built: Vec::new() });
            if program.build.is_some() {
                dir.built.push((player, program));
            }
        }
        wanted
    }

    /// What each of these programs consists of, by the player's name; `None` if any of them is not as its build left it.
    async fn built_inventories(&self, built: &[(&Player, &Program)]) -> Option<BTreeMap<String, Inventory>> {
        let mut found = BTreeMap::new();
        for (player, program) in built {
            let Known { entry, .. } = self.bound(player)?;
            let executable = find_player(program, self.base).ok();
            let now = self.inventory(player, program, executable.as_deref()).await.ok()?;
            if needs_build(entry, &now, &program.working_dir(self.base)) {
                return None;
            }
            found.insert(player.name.to_string(), now);
        }
        Some(found)
    }

    /// Locks `dir`, and waits for as long as others stand in the way.
    async fn wait_for(&self, dir: &Path, purpose: DirUse) -> io::Result<DirLock> {
        let (begun, mut has_said) = (now(), false);
        loop {
            match DirLock::take(dir, purpose) {
                Ok(lock) => return Ok(lock),
                Err(DirLockError::Unlockable(source)) => return Err(source),
                Err(DirLockError::Held(holders)) => {
                    if is_long_since(begun) && !std::mem::replace(&mut has_said, true) {
                        let builds = purpose == DirUse::Change;
                        (self.tell)(DirNews::Waits { dir: dir.to_owned(), holders, builds });
                    }
                    sleep_until(now() + PAUSE).await;
                }
            }
        }
    }
}

fn is_long_since(begun: Instant) -> bool {
    now() - begun >= MOMENT
}
