//! The users and environments with which the tests run the arena, so that the tests cover every tier of confinement
//! that this machine supports.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use crate::harness::arena::{program, text};
use crate::harness::restricted::{with_own_mounts, without_landlock, without_namespaces};
use crate::harness::skipping::{Need, skipped};

/// A user id that no real user has.
const ORDINARY: u32 = 0x6773_0000;

/// The user that runs the arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum User {
    /// The user that runs the tests.
    Same,
    /// An ordinary user.
    Ordinary,
}

impl User {
    pub(crate) fn run(self, command: &mut Command) -> &mut Command {
        match self {
            Self::Same => command,
            Self::Ordinary => command.uid(ORDINARY).gid(ORDINARY),
        }
    }

    /// Gives a file or directory to the arena's user and makes it readable by all users, because root's bots run as
    /// another user.
    pub(crate) fn give(self, path: &Path) {
        if let Self::Ordinary = self {
            chown(path, Some(ORDINARY), Some(ORDINARY)).expect("given");
        }
        let mode = fs::metadata(path).expect("there").permissions().mode();
        fs::set_permissions(path, Permissions::from_mode(mode | 0o444 | (mode & 0o100) >> 3 | (mode & 0o100) >> 6))
            .expect("set");
    }
}

/// How the arena limits memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Memory {
    /// With control groups.
    Counted,
    /// By inspecting all processes.
    Watched,
}

/// A tier of confinement, and the user who runs the arena in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Way {
    /// The tier, as game logs name it.
    pub(crate) tier: &'static str,
    pub(crate) user: User,
    /// How the arena limits memory in this tier and for this user.
    pub(crate) memory: Memory,
    /// Whether the machine's control groups are hidden from the arena.
    hides_groups: bool,
    /// Whether the kernel's Landlock is hidden from the arena.
    hides_landlock: bool,
}

impl Way {
    /// The ways to run the arena in `tier` on this machine. Root can act as any user; tier A is not available to an
    /// ordinary user.
    pub(crate) fn all(tier: &'static str) -> Vec<Self> {
        let is_root = rustix::process::geteuid().is_root();
        let users: &[User] = match tier {
            "A" if !is_root => &[],
            "B" if is_root => &[User::Ordinary],
            "C" if is_root => &[User::Same, User::Ordinary],
            _ => &[User::Same],
        };
        let way = |&user| Self { tier, user, memory: Memory::Watched, hides_groups: false, hides_landlock: false };
        let ways: Vec<Self> = users.iter().map(way).filter_map(Self::found).collect();
        if users.is_empty() {
            skipped(Need::Root, format_args!("tier {tier} is not available to this user"));
        }
        ways
    }

    /// The value of `isolation` in the tournament file.
    pub(crate) const fn isolation(&self) -> &'static str {
        match self.tier.as_bytes() {
            b"A" | b"B" => "require",
            b"C" => "auto",
            _ => "off",
        }
    }

    /// This way with the control groups hidden. If there are none to hide, reports that the test is skipped and returns
    /// `None`.
    pub(crate) fn watched(self) -> Option<Self> {
        if self.memory == Memory::Watched {
            skipped(Need::Groups, format_args!("{self:?} has no control groups in any case"));
            return None;
        }
        Self { hides_groups: true, ..self }.found()
    }

    /// This way on a kernel without Landlock.
    pub(crate) fn without_landlock(self) -> Option<Self> {
        Self { hides_landlock: true, ..self }.found()
    }

    /// Whether each bot has its own user id.
    pub(crate) fn gives_users(self) -> bool {
        let is_root = rustix::process::geteuid().is_root() && self.user == User::Same;
        is_root && ["A", "C"].contains(&self.tier)
    }

    /// Calls `action` with the arena's command, set up for this way.
    pub(crate) fn act<T: Send>(&self, command: &mut Command, action: impl FnOnce(&mut Command) -> T + Send) -> T {
        let command = self.user.run(command);
        let there = || if self.tier == "C" { without_namespaces(|| action(command)) } else { action(command) };
        let there = || if self.hides_landlock { without_landlock(there) } else { there() };
        if !self.hides_groups {
            return there();
        }
        with_own_mounts(|| {
            hide_groups();
            there()
        })
    }

    /// This way, as described by the arena on this machine. If the machine does not support it, reports that the test
    /// is skipped and returns `None`.
    fn found(self) -> Option<Self> {
        if self.tier == "D" {
            return Some(self);
        }
        let mut doctor = Command::new(program());
        doctor.arg("doctor").current_dir("/");
        // An ordinary user may have no access to the program.
        let said = self.act(&mut doctor, Command::output).map_or_else(|error| error.to_string(), |o| text(&o.stdout));
        if !said.contains(&format!("bots are confined by tier {}", self.tier)) {
            let need = if self.tier == "C" { Need::Landlock } else { Need::Namespaces };
            skipped(need, format_args!("this machine has no tier {} for {:?} user: {said}", self.tier, self.user));
            return None;
        }
        let is_counted = said.contains("memory is limited by cgroup v");
        assert_ne!(is_counted, said.contains("memory is limited by the watch"), "{said}");
        assert!(!(is_counted && self.hides_groups), "{said}");
        Some(Self { memory: if is_counted { Memory::Counted } else { Memory::Watched }, ..self })
    }
}

/// Hides the machine's control groups from this thread, which has its own mounts, and from the processes that it starts.
fn hide_groups() {
    use nix::mount::{MsFlags, mount};
    mount(Some("none"), "/sys/fs/cgroup", Some("tmpfs"), MsFlags::MS_RDONLY, None::<&str>).expect("root may");
}

/// Calls `action` in a thread where a separate file system is mounted at each of `dirs`. Each contains a file `there`,
/// and all users may write to it. An ordinary user cannot mount anything; `action` is then called without the mounts.
pub(crate) fn mounting<T: Send>(dirs: &[&Path], action: impl FnOnce() -> T + Send) -> T {
    use nix::mount::{MsFlags, mount};
    if !rustix::process::geteuid().is_root() {
        skipped(Need::Mounts, "an ordinary user cannot mount a file system below a bot's directory");
        return action();
    }
    with_own_mounts(|| {
        for dir in dirs {
            mount(Some("none"), *dir, Some("tmpfs"), MsFlags::empty(), Some("mode=777")).expect("root may");
            fs::write(dir.join("there"), "").expect("written");
            fs::set_permissions(dir.join("there"), Permissions::from_mode(0o666)).expect("set");
        }
        action()
    })
}
