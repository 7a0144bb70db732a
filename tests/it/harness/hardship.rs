//! Machines that are short of disk space, memory or processes. Simulating one requires root, and a system that allows
//! it.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::confinement::probes::{Memory, User, Way};
use crate::harness::arena::TIMEOUT;
use crate::harness::skipping::{Need, skipped};
use crate::harness::waiting::InTime as _;

/// A separate small file system, which is unmounted on drop.
pub(crate) struct SmallDisk(tempfile::TempDir);

impl SmallDisk {
    /// A file system of this size, such as `5m`; `None` if the tests cannot mount one.
    pub(crate) fn new(size: &str) -> Option<Self> {
        let dir = tempfile::tempdir().expect("a directory");
        let options = format!("size={size},mode=1777");
        let mounted =
            Command::new("mount").args(["-t", "tmpfs", "-o", &options, "short"]).arg(dir.path()).output_in_time();
        let is_mounted = mounted.is_ok_and(|mounted| mounted.status.success());
        if !is_mounted {
            skipped(Need::Mounts, "no file system can be mounted");
        }
        is_mounted.then_some(Self(dir))
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// Fills the file system to its last byte, until the returned value is dropped.
    pub(crate) fn filled(&self) -> tempfile::NamedTempFile {
        let mut filling = tempfile::NamedTempFile::new_in(self.path()).expect("a file");
        while filling.write_all(&[0; 4096]).is_ok() {}
        filling
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.path()).status_in_time();
    }
}

/// Held while the kernel may kill processes for lack of memory, since the kernel counts these kills in the parent
/// groups, too.
static KILLS: Mutex<()> = Mutex::new(());

/// Prevents other tests from making the kernel kill processes for lack of memory.
pub(crate) fn without_kills() -> MutexGuard<'static, ()> {
    KILLS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A control group below the tests' own. It is removed on drop.
pub(crate) struct ShortGroup {
    path: PathBuf,
    /// Held for as long as a group that is short of memory exists.
    _turn: Option<MutexGuard<'static, ()>>,
}

impl ShortGroup {
    /// A group that may hold `processes` processes and threads; `None` if the tests cannot create one.
    pub(crate) fn of_processes(processes: u32) -> Option<Self> {
        Self::new("pids", &[&[("pids.max", &processes.to_string())]], None)
    }

    /// A group whose memory is limited to `bytes`, without swap; `None` if the tests cannot create one.
    pub(crate) fn of_memory(bytes: u64) -> Option<Self> {
        let bytes = bytes.to_string();
        let (first, second) =
            ([("memory.limit_in_bytes", &*bytes)], [("memory.max", &*bytes), ("memory.swap.max", "0")]);
        Self::new("memory", &[&first, &second], Some(without_kills()))
    }

    /// A group with the first of these sets of `limits` that the system supports.
    fn new(controller: &str, limits: &[&[(&str, &str)]], turn: Option<MutexGuard<'static, ()>>) -> Option<Self> {
        let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
        let path = |controllers: &str| {
            let line = groups.lines().find_map(|line| line.split_once(':')?.1.strip_prefix(controllers))?;
            Some(line.strip_prefix(":/")?.to_owned())
        };
        let bases = [
            path(controller).map(|own| Path::new("/sys/fs/cgroup").join(controller).join(own)),
            path("").map(|own| Path::new("/sys/fs/cgroup").join(own)),
        ];
        // Tests run at the same time, as threads of one process or as separate processes, so each needs its own name.
        let name = tempfile::Builder::new().prefix("short-").tempdir().expect("a name");
        let name = name.path().file_name().expect("a name").to_owned();
        let mut places = bases.into_iter().flatten().map(|base| base.join(&name));
        let found = places.find(|path| {
            let is_set = |limits: &&[(&str, &str)]| {
                limits.iter().all(|(file, value)| path.join(file).exists() && fs::write(path.join(file), value).is_ok())
            };
            let is_short = fs::create_dir(path).is_ok() && limits.iter().any(is_set);
            if !is_short {
                // An error means that the group was not created.
                let _ = fs::remove_dir(path);
            }
            is_short
        });
        if found.is_none() {
            skipped(Need::Groups, format_args!("no control group for {controller} is available"));
        }
        Some(Self { path: found?, _turn: turn })
    }

    /// The directory of the group.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Runs the arena's command in this group under `way`; `None` if the system cannot combine the two.
    pub(crate) fn output(&self, way: Way, command: &mut Command) -> Option<Output> {
        let tasks = self.path.join("tasks");
        if tasks.exists() {
            // In version 1 of the interface, a single thread can be in a group, and the processes that it starts begin
            // in the same group.
            let within = || {
                fs::write(&tasks, "0").expect("the group takes a thread");
                way.act(command, |command| command.output_in_time().expect("the program starts"))
            };
            let ended = std::thread::scope(|scope| scope.spawn(within).join());
            return Some(ended.unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        if way.user == User::Ordinary || way.memory == Memory::Watched && way.tier != "D" {
            skipped(Need::Groups, format_args!("{way:?} cannot enter a control group of version 2"));
            return None;
        }
        Some(way.act(&mut self.holding(command), |command| command.output_in_time().expect("the program starts")))
    }

    /// `command`, with the same program, arguments, directory and environment, run in this group.
    pub(crate) fn holding(&self, command: &Command) -> Command {
        let join = format!("echo 0 > '{}/cgroup.procs' && exec \"$0\" \"$@\"", self.path.display());
        let mut joined = Command::new("sh");
        joined.args(["-c", &join]).arg(command.get_program()).args(command.get_args());
        if let Some(dir) = command.get_current_dir() {
            joined.current_dir(dir);
        }
        for (name, value) in command.get_envs() {
            match value {
                Some(value) => joined.env(name, value),
                None => joined.env_remove(name),
            };
        }
        joined.stdin(File::open("/dev/null").expect("/dev/null"));
        joined
    }
}

impl Drop for ShortGroup {
    fn drop(&mut self) {
        // The group's killed processes may still exist.
        let deadline = Instant::now() + TIMEOUT;
        while fs::remove_dir(&self.path).is_err() && self.path.exists() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}
