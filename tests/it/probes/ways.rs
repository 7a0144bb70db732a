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

/// A tier of confinement, and who runs the arena in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Way {
    /// The tier, as game logs name it.
    pub(crate) tier: &'static str,
    pub(crate) user: User,
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
        let ways: Vec<Self> = users.iter().map(|&user| Self { tier, user }).filter(Self::is_there).collect();
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

    /// Does something with the arena's command.
    pub(crate) fn act<T: Send>(&self, command: &mut Command, action: impl FnOnce(&mut Command) -> T + Send) -> T {
        let command = self.user.run(command);
        if self.tier == "C" { without_namespaces(|| action(command)) } else { action(command) }
    }

    /// Whether this machine has it, as the arena says itself; where not, that is said.
    fn is_there(&self) -> bool {
        if self.tier == "D" {
            return true;
        }
        let mut doctor = Command::new(env!("CARGO_BIN_EXE_gothello-arena"));
        doctor.arg("doctor").current_dir("/");
        // The program may lie where an ordinary user can't come.
        let said = self.act(&mut doctor, Command::output).map_or_else(|error| error.to_string(), |o| text(&o.stdout));
        let is_there = said.contains(&format!("bots are confined by tier {}", self.tier));
        if !is_there {
            println!("skipped, as this machine has no tier {} for {:?} user: {said}", self.tier, self.user);
        }
        is_there
    }
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
    std::thread::scope(|scope| scope.spawn(confined).join()).unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}
