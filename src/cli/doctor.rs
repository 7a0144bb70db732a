//! `gothello-arena doctor`.

use std::fmt::Write as _;
use std::path::Path;

use super::{CommandResult, Exit, print};
use crate::host::sandbox::{Accounting, Tier, has_mounted_root, try_out};

/// Report how well this machine can confine bots, and what it lacks
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  gothello-arena doctor")]
pub(super) struct Args {}

/// The requirements of a tier. `is_root_mounted` says whether `/` is a mount point.
const fn remedy(tier: Tier, is_root_mounted: bool) -> &'static str {
    match tier {
        Tier::A if !is_root_mounted => {
            "it needs root, and `/` must be a mount point, which it is not in a plain chroot: enter the directory DIR with \
             `unshare --mount sh -c 'mount --rbind DIR DIR && exec chroot DIR'`"
        }
        Tier::B if !is_root_mounted => {
            "`/` must be a mount point, which it is not in a plain chroot, where the system creates no user namespaces \
             either: enter the directory with bubblewrap or `systemd-nspawn`"
        }
        Tier::A => "it needs root with CAP_SYS_ADMIN, which `--privileged` gives to a container",
        Tier::B => {
            "it needs user namespaces: `sysctl user.max_user_namespaces` above 0, and, if they exist, \
             `kernel.unprivileged_userns_clone=1` and `kernel.apparmor_restrict_unprivileged_userns=0`; a container \
             also needs `--security-opt seccomp=unconfined`"
        }
        Tier::C => {
            "it needs Landlock with rules for TCP (Linux 6.7; for an ordinary user 6.12, which has rules for signals) in \
             `lsm=` on the kernel's command line, and netlink's sock_diag; a container must allow `landlock_*` and `seccomp`; \
             root also needs tournament directories that other users may enter (`chmod o+x`)"
        }
        Tier::D => "it needs nothing",
    }
}

/// The requirement for limiting memory with a control group.
const REMEDY_FOR_MEMORY: &str = "  it needs a cgroup that the arena may divide: as root, a writable `/sys/fs/cgroup`; as an ordinary user, \
     `systemd-run --user --scope -p Delegate=yes gothello-arena run ...`\n";

/// The features that bots lack without namespaces, besides confinement.
const NO_HOSTS: &str = "  a player's `hosts` has no effect: it needs tier A or B\n";

pub(super) fn run() -> CommandResult {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let (mut text, mut best) = (String::new(), Tier::D);
    let mut is_known = true;
    let mut accounting = Accounting::best();
    for tier in [Tier::A, Tier::B, Tier::C] {
        // Writing to a string cannot fail.
        let _ = match runtime.block_on(try_out(tier, &mut accounting, Path::new("."))) {
            Ok(()) => {
                best = best.min(tier);
                writeln!(text, "tier {tier} ({}): works", tier.words())
            }
            Err(error) if error.is_inability() => {
                writeln!(text, "tier {tier} ({}): no: {error}\n  {}", tier.words(), remedy(tier, has_mounted_root()))
            }
            Err(error) => {
                is_known = false;
                writeln!(text, "tier {tier} ({}): cannot be tried: {error}", tier.words())
            }
        };
    }
    if !is_known {
        print(text)?;
        return Ok(Exit::ArenaFailed);
    }
    let _ = writeln!(text, "bots are confined by tier {best} here: {}", best.words());
    if !best.has_namespaces() {
        text.push_str(NO_HOSTS);
    }
    if best != Tier::D {
        let _ = writeln!(text, "{accounting}");
    }
    if let (true, Accounting::Watch { .. }) = (best != Tier::D, &accounting) {
        text.push_str(REMEDY_FOR_MEMORY);
    }
    print(text)?;
    Ok(if best == Tier::D { Exit::DoesNotHold } else { Exit::Success })
}
