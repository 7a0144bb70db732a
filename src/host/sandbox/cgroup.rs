//! Memory control groups, one for each bot of each game. The kernel accounts for and limits all memory that it
//! allocates for the bot's processes, whether or not the memory is attributed to a process.
//!
//! The arena creates its own directory below a group that it may divide, and in that directory one group for each bot.
//! The stage that starts the bot moves into the group before it prepares the scratch space, and out again once the bot
//! runs. The group therefore counts the bot and its scratch space, but not the stage.

mod inside_group;
mod memory_meter;

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::base::machine::{Hierarchy, Place};
use crate::base::sanitise::Shown as _;
use crate::host::dir_lock::{DirLock, DirLockError, DirUse};
use crate::host::starvation::is_measurable_by_group;
use crate::tournament::Resources;

pub(super) use inside_group::Inside;
pub(super) use memory_meter::MemoryMeter;

/// The prefix of the names of arenas' directories.
const PREFIX: &str = "gothello-";

/// The name of the group into which the arena itself moves if it has to make way for its bots' groups.
const ARENA: &str = "arena";

/// How many bytes a group may use beyond the limits, so that the watch notices a bot that exceeds them before the
/// kernel does. The stage that starts the bot uses part of this margin.
const MARGIN: u64 = 16 << 20;

/// How long to wait for the last groups to become empty, so that they can be removed.
const TIMEOUT: Duration = Duration::from_secs(1);

/// How long to pause between attempts to remove the groups.
const PAUSE: Duration = Duration::from_millis(5);

/// The version of the cgroup interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum CgroupVersion {
    /// A hierarchy for each controller.
    One,
    /// One hierarchy for all controllers.
    Two,
}

impl CgroupVersion {
    /// The tree of groups in which memory is counted.
    pub(super) const fn hierarchy(self) -> Hierarchy {
        match self {
            Self::One => Hierarchy::Of("memory"),
            Self::Two => Hierarchy::Unified,
        }
    }
}

impl fmt::Display for CgroupVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::One => "cgroup v1",
            Self::Two => "cgroup v2",
        })
    }
}

/// How the memory of bots is counted and limited.
#[derive(Clone, Debug)]
pub enum Accounting {
    /// Memory is counted by the kernel, which counts everything that it allocates for a bot.
    Groups(Arc<MemoryGroups>),
    /// Memory is counted by the watch, process by process, every 20 ms. Memory that would not be attributed to a
    /// process is refused.
    Watch {
        /// The reason why the kernel cannot count memory.
        why: String,
    },
}

impl Accounting {
    /// Returns the best kind of accounting that works on this machine. Removes groups that were left behind by killed
    /// arenas.
    pub fn best() -> Self {
        MemoryGroups::claim().map_or_else(|why| Self::Watch { why }, Self::Groups)
    }

    /// Creates a group for a bot that may use `resources`, if groups are in use.
    pub(super) fn lease(&self, resources: &Resources) -> io::Result<Option<GroupLease>> {
        match self {
            Self::Groups(groups) => groups.make(resources).map(Some),
            Self::Watch { .. } => Ok(None),
        }
    }
}

impl Accounting {
    /// Whether the kernel reports how long each bot is starved.
    pub(super) fn tells_starvation(&self) -> bool {
        match self {
            Self::Groups(groups) => groups.version == CgroupVersion::Two && is_measurable_by_group(&groups.dir),
            Self::Watch { .. } => false,
        }
    }
}

impl fmt::Display for Accounting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Groups(groups) => write!(f, "memory is limited by {}", groups.version),
            Self::Watch { why } => write!(f, "memory is limited by the watch rather than by a cgroup ({why})"),
        }
    }
}

/// The group of one bot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryGroup {
    version: CgroupVersion,
    dir: PathBuf,
    /// The group of the arena and of the stages that it starts.
    origin: PathBuf,
    /// How many bytes the group may use.
    most: u64,
}

impl MemoryGroup {
    /// The group's directory, if the kernel reports there how long the bot is starved, as in version 2 of the
    /// interface.
    pub(super) fn unified_dir(&self) -> Option<&Path> {
        (self.version == CgroupVersion::Two).then_some(self.dir.as_path())
    }
}

/// The groups below which to try to create the arena's directory, best first.
fn bases(place: &Place, version: CgroupVersion) -> Vec<PathBuf> {
    if version == CgroupVersion::One {
        return vec![place.own.clone()];
    }
    // In version 2, a group that contains processes cannot pass the memory controller on to its children. The arena can
    // move itself out of the way, but not other processes.
    let divides = |dir: &Path| lists_memory(&dir.join("cgroup.subtree_control"));
    let above = place.groups().filter(|&dir| divides(dir));
    let own = (!divides(&place.own) && lists_memory(&place.own.join("cgroup.controllers")) && is_alone(&place.own))
        .then_some(place.own.as_path());
    own.into_iter().chain(above).map(Path::to_owned).collect()
}

/// Whether `file`, a list of controllers, contains the memory controller.
fn lists_memory(file: &Path) -> bool {
    fs::read_to_string(file).is_ok_and(|list| list.split_whitespace().any(|name| name == "memory"))
}

/// Whether this process is the only one in the group `dir`.
fn is_alone(dir: &Path) -> bool {
    let own = std::process::id().to_string();
    fs::read_to_string(dir.join("cgroup.procs")).is_ok_and(|processes| processes.split_whitespace().eq([&*own]))
}

/// Moves this thread into the group `dir`, and with it the whole process if the process has no other threads or the
/// interface has version 2.
fn move_into(dir: &Path, version: CgroupVersion) -> io::Result<()> {
    members(dir, version)?.write_all(b"0")
}

/// Opens the file to which a process writes `0` to move into the group `dir`.
///
/// In version 1, `tasks` moves a single thread. Before the kernel moves a whole process through `cgroup.procs`, it waits
/// until no process of the machine is being started or ended, which takes some milliseconds.
fn members(dir: &Path, version: CgroupVersion) -> io::Result<File> {
    let open = |name: &str| File::options().write(true).open(dir.join(name));
    match version {
        // A user to whom a group has been delegated may have only `cgroup.procs`.
        CgroupVersion::One => open("tasks").or_else(|_| open("cgroup.procs")),
        CgroupVersion::Two => open("cgroup.procs"),
    }
}

/// The directory in which an arena creates its bots' groups. The directory is removed on drop.
#[derive(Debug)]
pub struct MemoryGroups {
    version: CgroupVersion,
    dir: PathBuf,
    /// The group of this process.
    own: PathBuf,
    /// The group that this process left so that the group could be divided, if that was necessary.
    left: Option<PathBuf>,
    /// Shows other arenas that the directory is in use, for as long as this process lives.
    _lock: DirLock,
    next: AtomicU64,
    /// Groups of bots whose last processes are not gone yet.
    emptying: Mutex<Vec<PathBuf>>,
}

impl MemoryGroups {
    /// Creates the arena's directory, checks that it works, and removes any directories that killed arenas have left
    /// next to it.
    ///
    /// # Errors
    /// Returns the reason why groups cannot limit memory.
    pub fn claim() -> Result<Arc<Self>, String> {
        let mut why = None;
        for version in [CgroupVersion::One, CgroupVersion::Two] {
            let Some(place) = Place::here(version.hierarchy()) else { continue };
            let bases = bases(&place, version);
            if bases.is_empty() && lists_memory(&place.own.join("cgroup.controllers")) {
                why = Some(format!("`{}` contains processes other than the arena", place.own.shown()));
            }
            for base in bases {
                match Self::claim_below(version, &base, &place) {
                    Ok(groups) => return Ok(Arc::new(groups)),
                    Err(error) => why = Some(format!("`{}` cannot be divided: {error}", base.shown())),
                }
            }
        }
        Err(why.unwrap_or_else(|| "there is no memory controller".to_owned()))
    }

    fn claim_below(version: CgroupVersion, base: &Path, place: &Place) -> io::Result<Self> {
        sweep(base);
        let (dir, lock) = make_dir(base)?;
        let mut groups = Self {
            version,
            dir,
            own: place.own.clone(),
            left: None,
            _lock: lock,
            next: AtomicU64::new(0),
            emptying: Mutex::default(),
        };
        if version == CgroupVersion::Two {
            if base == place.own && !lists_memory(&base.join("cgroup.subtree_control")) {
                groups.make_way(base)?;
            }
            pass_memory_on(&groups.dir, '+')?;
        }
        groups.try_out()?;
        Ok(groups)
    }

    /// Moves from `base` into a group below it, so that `base` can be divided.
    fn make_way(&mut self, base: &Path) -> io::Result<()> {
        self.own = self.dir.join(ARENA);
        fs::create_dir(&self.own)?;
        move_into(&self.own, self.version)?;
        self.left = Some(base.to_owned());
        pass_memory_on(base, '+')
    }

    /// Tries everything that a bot needs: creates a group, moves into it, reads it, and moves out.
    fn try_out(&self) -> io::Result<()> {
        let group = self.make_group(&Resources::default())?;
        let tried = move_into(&group.dir, self.version)
            .and_then(|()| MemoryMeter::open(&group))
            .and_then(|account| account.used());
        move_into(&self.own, self.version)?;
        fs::remove_dir(&group.dir)?;
        tried.map(|_| ())
    }

    /// Creates the group of one bot.
    ///
    /// # Errors
    /// Returns the system's error.
    pub fn make(self: &Arc<Self>, resources: &Resources) -> io::Result<GroupLease> {
        self.remove_emptied();
        Ok(GroupLease { group: Box::new(self.make_group(resources)?), groups: Arc::clone(self) })
    }

    fn make_group(&self, resources: &Resources) -> io::Result<MemoryGroup> {
        let dir = self.dir.join(self.next.fetch_add(1, Relaxed).to_string());
        // The contents of the scratch space are counted as well, and have their own limit.
        let most = resources.memory.saturating_add(resources.scratch).saturating_add(MARGIN);
        fs::create_dir(&dir)?;
        let set = |file: &str, value: u64| fs::write(dir.join(file), value.to_string());
        // Not every kernel has these limits.
        let set_if_there = |file: &str, value| if dir.join(file).exists() { set(file, value) } else { Ok(()) };
        let limited = match self.version {
            CgroupVersion::One => set("memory.limit_in_bytes", most)
                .and_then(|()| set_if_there("memory.memsw.limit_in_bytes", most))
                // Sockets are counted only if they have their own limit.
                .and_then(|()| set_if_there("memory.kmem.tcp.limit_in_bytes", resources.memory)),
            CgroupVersion::Two => set("memory.max", most)
                .and_then(|()| set_if_there("memory.swap.max", 0))
                .and_then(|()| set_if_there("memory.oom.group", 1)),
        };
        let group = MemoryGroup { version: self.version, dir, origin: self.own.clone(), most };
        match limited {
            Ok(()) => Ok(group),
            Err(error) => {
                // The group is empty, so it can be removed.
                let _ = fs::remove_dir(&group.dir);
                Err(error)
            }
        }
    }

    /// Removes the groups that have become empty in the meantime. Returns whether none is left.
    fn remove_emptied(&self) -> bool {
        let mut emptying = self.emptying.lock().unwrap_or_else(PoisonError::into_inner);
        emptying.retain(|dir| !is_removed(dir));
        emptying.is_empty()
    }
}

impl Drop for MemoryGroups {
    fn drop(&mut self) {
        let mut waited = Duration::ZERO;
        while !self.remove_emptied() && waited < TIMEOUT {
            std::thread::sleep(PAUSE);
            waited += PAUSE;
        }
        if let Some(base) = &self.left {
            // If this fails, the next arena cleans up, or the groups disappear with `base`.
            let _ = pass_memory_on(&self.dir, '-');
            let _ = pass_memory_on(base, '-');
            let _ = move_into(base, self.version);
            let _ = fs::remove_dir(self.dir.join(ARENA));
        }
        let _ = fs::remove_dir(&self.dir);
    }
}

/// The group of a bot, for as long as the bot needs it.
#[derive(Debug)]
pub struct GroupLease {
    /// On the heap, since the futures of games are large enough without it.
    group: Box<MemoryGroup>,
    groups: Arc<MemoryGroups>,
}

impl GroupLease {
    /// The group.
    pub fn group(&self) -> &MemoryGroup {
        &self.group
    }
}

impl Drop for GroupLease {
    fn drop(&mut self) {
        if !is_removed(&self.group.dir) {
            // The bot's last process is not gone yet.
            let mut emptying = self.groups.emptying.lock().unwrap_or_else(PoisonError::into_inner);
            emptying.push(std::mem::take(&mut self.group.dir));
        }
    }
}

/// Removes the group `dir` if it is empty. Returns whether the group is gone.
fn is_removed(dir: &Path) -> bool {
    fs::remove_dir(dir).map_or_else(|error| error.kind() == io::ErrorKind::NotFound, |()| true)
}

/// Enables (`+`) or disables (`-`) the memory controller for the groups below `dir`.
fn pass_memory_on(dir: &Path, sign: char) -> io::Result<()> {
    fs::write(dir.join("cgroup.subtree_control"), format!("{sign}memory"))
}

/// Creates a directory below `base` that no other arena uses, and locks it.
fn make_dir(base: &Path) -> io::Result<(PathBuf, DirLock)> {
    let mut number = 0_u32;
    loop {
        let dir = base.join(format!("{PREFIX}{number}"));
        match fs::create_dir(&dir).and_then(|()| lock(&dir)) {
            Ok(lock) => return Ok((dir, lock)),
            // Another arena has created the directory, or removed it before it was locked.
            Err(error) if [io::ErrorKind::AlreadyExists, io::ErrorKind::WouldBlock].contains(&error.kind()) => {
                number += 1;
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound && base.exists() => number += 1,
            Err(error) => return Err(error),
        }
    }
}

/// Locks `dir` for this process. The lock is released when the process ends, for whatever reason.
///
/// # Errors
/// Returns `WouldBlock` if another arena has locked the directory.
fn lock(dir: &Path) -> io::Result<DirLock> {
    DirLock::take(dir, DirUse::Change).map_err(|error| match error {
        DirLockError::Held(_) => io::ErrorKind::WouldBlock.into(),
        DirLockError::Unlockable(error) => error,
    })
}

/// Removes the empty groups below `base` whose arenas are gone.
fn sweep(base: &Path) {
    for dir in directories(base) {
        let is_arena_s = dir.file_name().is_some_and(|name| name.to_string_lossy().starts_with(PREFIX));
        if !is_arena_s {
            continue;
        }
        if let Ok(_lock) = lock(&dir) {
            for group in directories(&dir) {
                // A group that is not empty cannot be removed, so its directory also stays.
                let _ = fs::remove_dir(group);
            }
            let _ = fs::remove_dir(&dir);
        }
    }
}

/// The subdirectories of `dir`.
fn directories(dir: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter(|path| path.is_dir())
}

#[cfg(test)]
mod tests;
