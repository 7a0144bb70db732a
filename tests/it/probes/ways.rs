//! As whom and where the arena is run, so that each tier of confinement that this machine has is put to the test.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, apply_filter};

use crate::arena::text;

/// A user id that nobody has.
const ORDINARY: u32 = 0x6773_0000;

/// Who runs the arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum User {
    /// Who runs the tests.
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

    /// Gives a file or directory to the arena, and lets everybody look at it: as root, a bot is another user.
    pub(crate) fn give(self, path: &Path) {
        if let Self::Ordinary = self {
            chown(path, Some(ORDINARY), Some(ORDINARY)).expect("given");
        }
        let mode = fs::metadata(path).expect("there").permissions().mode();
        fs::set_permissions(path, Permissions::from_mode(mode | 0o444 | (mode & 0o100) >> 3 | (mode & 0o100) >> 6))
            .expect("set");
    }
}

/// How the arena bounds memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Memory {
    /// By control groups.
    Counted,
    /// By a look at all processes.
    Watched,
}

/// A tier of confinement, and who runs the arena in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Way {
    /// The tier, as game logs name it.
    pub(crate) tier: &'static str,
    pub(crate) user: User,
    /// How memory is bounded there.
    pub(crate) memory: Memory,
    /// Whether the machine's control groups are hidden from the arena.
    hides_groups: bool,
}

impl Way {
    /// The tiers that a machine may have. Root can be anybody; an ordinary user has no tier A.
    pub(crate) fn all(tier: &'static str) -> Vec<Self> {
        let is_root = rustix::process::geteuid().is_root();
        let users: &[User] = match tier {
            "A" if !is_root => &[],
            "B" if is_root => &[User::Ordinary],
            "C" if is_root => &[User::Same, User::Ordinary],
            _ => &[User::Same],
        };
        let way = |&user| Self { tier, user, memory: Memory::Watched, hides_groups: false };
        let ways: Vec<Self> = users.iter().map(way).filter_map(Self::found).collect();
        if ways.is_empty() {
            println!("skipped: who runs the tests can't have tier {tier} here");
        }
        ways
    }

    /// What the tournament file has to say for it.
    pub(crate) const fn isolation(&self) -> &'static str {
        match self.tier.as_bytes() {
            b"A" | b"B" => "require",
            b"C" => "auto",
            _ => "off",
        }
    }

    /// The same without control groups, if they are what it has; where there are none to hide, that is said.
    pub(crate) fn watched(self) -> Option<Self> {
        if self.memory == Memory::Watched {
            println!("skipped: {self:?} has no control groups in any case");
            return None;
        }
        Self { hides_groups: true, ..self }.found()
    }

    /// Does something with the arena's command.
    pub(crate) fn act<T: Send>(&self, command: &mut Command, action: impl FnOnce(&mut Command) -> T + Send) -> T {
        let command = self.user.run(command);
        let there = || if self.tier == "C" { without_namespaces(|| action(command)) } else { action(command) };
        if !self.hides_groups {
            return there();
        }
        in_a_thread(|| {
            hide_groups();
            there()
        })
    }

    /// It as this machine has it, by what the arena says itself; where it does not, that is said.
    fn found(self) -> Option<Self> {
        if self.tier == "D" {
            return Some(self);
        }
        let mut doctor = Command::new(env!("CARGO_BIN_EXE_gothello-arena"));
        doctor.arg("doctor").current_dir("/");
        // The program may lie where an ordinary user can't come.
        let said = self.act(&mut doctor, Command::output).map_or_else(|error| error.to_string(), |o| text(&o.stdout));
        if !said.contains(&format!("bots are confined by tier {}", self.tier)) {
            println!("skipped, as this machine has no tier {} for {:?} user: {said}", self.tier, self.user);
            return None;
        }
        let is_counted = said.contains("memory is bounded by cgroup v");
        assert_ne!(is_counted, said.contains("memory is bounded by the watch"), "{said}");
        assert!(!(is_counted && self.hides_groups), "{said}");
        Some(Self { memory: if is_counted { Memory::Counted } else { Memory::Watched }, ..self })
    }
}

/// Hides the machine's control groups from this thread and what it starts.
fn hide_groups() {
    use nix::mount::{MsFlags, mount};
    use nix::sched::{CloneFlags, unshare};
    unshare(CloneFlags::CLONE_FS | CloneFlags::CLONE_NEWNS).expect("root may");
    let none = None::<&str>;
    mount(none, "/", none, MsFlags::MS_REC | MsFlags::MS_PRIVATE, none).expect("root may");
    mount(Some("none"), "/sys/fs/cgroup", Some("tmpfs"), MsFlags::MS_RDONLY, none).expect("root may");
}

/// Does something in a thread of its own.
fn in_a_thread<T: Send>(action: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| scope.spawn(action).join()).unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// Does something in a thread whose children can't make namespaces, as in many containers.
pub(crate) fn without_namespaces<T: Send>(action: impl FnOnce() -> T + Send) -> T {
    let confined = || {
        static FILTER: OnceLock<BpfProgram> = OnceLock::new();
        let filter = FILTER.get_or_init(|| {
            let rules = [(nix::libc::SYS_unshare, Vec::new())].into();
            let refuse = SeccompAction::Errno(nix::libc::EPERM.cast_unsigned());
            let arch = std::env::consts::ARCH.try_into().expect("known");
            let filter = SeccompFilter::new(rules, SeccompAction::Allow, refuse, arch).expect("a filter");
            filter.try_into().expect("a program")
        });
        apply_filter(filter).expect("applied");
        action()
    };
    in_a_thread(confined)
}
