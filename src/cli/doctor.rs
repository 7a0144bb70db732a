//! `gothello-arena doctor`.

use super::{CommandResult, Exit, print};
use crate::sandbox::{Tier, detect};

/// Say how well this machine can confine bots, and what is in the way
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  gothello-arena doctor")]
pub(super) struct Args {}

impl Args {
    pub(super) fn run(self) -> CommandResult {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let (tier, failures) = runtime.block_on(detect());
        let mut text = String::new();
        for (tried, error) in failures {
            text.push_str(&format!("tier {tried} ({}): no: {error}\n", tried.words()));
        }
        text.push_str(&format!("tier {tier} ({}): works\n", tier.words()));
        print(text)?;
        Ok(if tier == Tier::D { Exit::DoesNotHold } else { Exit::Success })
    }
}
