//! `gothello-arena doctor`.

use std::fmt::Write as _;

use super::{CommandResult, Exit, print};
use crate::sandbox::{Tier, detect};

/// Say how well this machine can confine bots, and what is in the way
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  gothello-arena doctor")]
pub(super) struct Args {}

pub(super) fn run() -> CommandResult {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let (tier, failures) = runtime.block_on(detect());
    let mut text = String::new();
    for (tried, error) in failures {
        // Writing to a string can't fail.
        let _ = writeln!(text, "tier {tried} ({}): no: {error}", tried.words());
    }
    let _ = writeln!(text, "tier {tier} ({}): works", tier.words());
    print(text)?;
    Ok(if tier == Tier::D { Exit::DoesNotHold } else { Exit::Success })
}
