//! `gothello-arena doctor`.

use std::fmt::Write as _;
use std::path::Path;

use super::{CommandResult, Exit, print};
use crate::sandbox::{Tier, detect};

/// Say how well this machine can confine bots, and what is in the way
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  gothello-arena doctor")]
pub(super) struct Args {}

/// What can be done for a tier that does not work.
const fn remedy(tier: Tier) -> &'static str {
    match tier {
        Tier::A => "it takes root with CAP_SYS_ADMIN, which containers give by `--privileged`",
        Tier::B => {
            "it takes user namespaces: `sysctl user.max_user_namespaces` above 0, and where these exist \
             `kernel.unprivileged_userns_clone=1` and `kernel.apparmor_restrict_unprivileged_userns=0`; in containers \
             `--security-opt seccomp=unconfined` as well"
        }
        Tier::C => {
            "it takes Landlock with rules for TCP (Linux 6.7; for an ordinary user 6.12, which has rules for signals) among \
             `lsm=` of the kernel's command line, and netlink's sock_diag; a container must allow `landlock_*` and `seccomp`; \
             and as root, directories of the tournament that other users may enter (`chmod o+x`)"
        }
        Tier::D => "it takes nothing",
    }
}

pub(super) fn run() -> CommandResult {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let (tier, failures) = runtime.block_on(detect(Path::new(".")));
    let mut text = String::new();
    for (tried, error) in failures {
        // Writing to a string can't fail.
        let _ = writeln!(text, "tier {tried} ({}): no: {error}\n  {}", tried.words(), remedy(tried));
    }
    let _ = writeln!(text, "tier {tier} ({}): works", tier.words());
    print(text)?;
    Ok(if tier == Tier::D { Exit::DoesNotHold } else { Exit::Success })
}
