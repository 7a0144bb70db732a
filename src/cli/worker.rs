//! `gothello-arena worker`.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context as _;

use super::broker::BrokerArgs;
use super::interrupt;
use super::telling::tell;
use super::{CommandResult, Exit, note};
use crate::base::machine::{self, default_concurrency};
use crate::base::sanitise::sanitised;
use crate::machines::broker::Say;
use crate::machines::cache::{BundleCache, CacheError, MOST_CACHED};
use crate::machines::worker::{WorkerOffice, WorkerOptions};
use crate::referee::pace::Speed;
use crate::run::campaign::Tell;

/// Play games for `run --nats` on another machine
#[derive(Debug, clap::Args)]
#[command(after_help = "Waits for runs at the broker, and plays games for one run at a time. It runs the
programs that the coordinator sends, confined as the tournament file specifies.
Press Ctrl-C once to let the running games finish, twice to return them.
See docs/reference/several-machines.md for the configuration of a broker.

Example:
  gothello-arena worker --nats nats://broker.example:4222 --slots 4")]
pub(super) struct Args {
    /// Address of the broker
    #[arg(long, value_name = "URL")]
    nats: String,
    /// Games to play at a time [default: as many as the cores allow]
    #[arg(long, value_name = "N", value_parser = super::at_least_one::<NonZeroUsize>)]
    slots: Option<NonZeroUsize>,
    /// Name of this worker [default: the machine's]
    #[arg(long)]
    name: Option<String>,
    /// Directory for the bots' files [default: ~/.cache/gothello-arena/bundles]
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,
    /// Speed of a core in nodes/s, for `scale_time` [default: measured]
    #[arg(long, value_name = "N")]
    speed: Option<Speed>,
    #[command(flatten)]
    broker: BrokerArgs,
}

impl Args {
    pub(super) fn run(self) -> CommandResult {
        machine::raise_open_files();
        let Self { nats, slots, name, cache, speed, broker } = self;
        let name = name.or_else(machine::name).unwrap_or_else(|| "worker".to_owned());
        let slots = slots.unwrap_or_else(|| default_concurrency(NonZeroUsize::MIN));
        let cache = cache.or_else(|| Some(machine::cache_dir()?.join("bundles"))).ok_or(CacheError::Nowhere)?;
        let cache = BundleCache::open(cache, MOST_CACHED)?;
        let options = WorkerOptions { access: broker.access(nats), slots, name: sanitised(&name), cache, speed };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.context("cannot start the async runtime")?;
        runtime.block_on(async move {
            let interrupt = interrupt::watch()?;
            let tell: Tell = Arc::new(tell);
            let say: Say = Arc::new(|text: String| note(text));
            let office = WorkerOffice::open(options, tell, say, interrupt.signal()).await?;
            note("waiting for a run at the broker");
            Box::pin(office.work()).await;
            Ok(if interrupt.which().is_some() { interrupt.exit() } else { Exit::Success })
        })
    }
}
