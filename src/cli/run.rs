//! `gothello-arena run`.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, anyhow};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use super::interrupt::{self, Interrupted};
use super::load::{Loaded, load};
use super::{CommandResult, Exit, Failure, print};
use crate::collector::Collector;
use crate::entrants::prepare;
use crate::executor::Run;
use crate::lobby::reception::{self, Reception};
use crate::machine;
use crate::play::Arena;
use crate::report::final_report;
use crate::reporter::{Reporter, Verbosity};
use crate::schedule::{Decided, GameId, Schedule};
use crate::seat::address::Addresses;
use crate::standings::GameSummary;
use crate::stop::Stop;
use crate::tournament::Tournament;

/// Play a tournament, log its games, and print the standings
#[derive(Debug, clap::Args)]
#[command(after_help = "Ctrl-C once lets the running games finish, twice ends them; what was played is
kept. Standings go to stdout, all else to stderr.

Example:
  gothello-arena run tournaments/class.toml --out results/monday")]
pub(super) struct Args {
    /// The tournament file, `-` for stdin; the embedded class.toml if left out
    file: Option<PathBuf>,
    /// Where the results go [default: results/ and the name of the file]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Games at a time, instead of what the file says
    #[arg(long, value_name = "GAMES")]
    concurrency: Option<NonZeroUsize>,
    /// Exit with 4 if a player forfeited a game
    #[arg(long)]
    strict: bool,
    /// No progress on stderr
    #[arg(long, short)]
    quiet: bool,
}

impl Args {
    pub(super) fn run(self) -> CommandResult {
        let loaded = match load(self.file.as_deref()) {
            Ok(loaded) => loaded,
            Err(error) => return error.report(),
        };
        let out = self.out.clone().unwrap_or_else(|| Path::new("results").join(&loaded.stem));
        refuse_used(&out)?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(self.play(loaded, out))
    }

    async fn play(self, loaded: Loaded, out: PathBuf) -> CommandResult {
        let Loaded { tournament, base, .. } = loaded;
        let tournament = Arc::new(tournament);
        let concurrency = self.concurrency.or(tournament.concurrency).unwrap_or_else(machine::default_concurrency);
        let verbosity = if self.quiet { Verbosity::Quiet } else { Verbosity::Normal };

        let receptions = reception::open(&tournament).await.map_err(|(address, error)| {
            Failure::from(anyhow::Error::new(error).context(format!("could not listen on {address}")))
        })?;
        let mut collector = Collector::new(out.clone())?;
        let mut reporter = Reporter::new(Schedule::new(&tournament).at_most(), verbosity);
        let interrupt = interrupt::watch()?;
        let (events, mut told) = mpsc::unbounded_channel();

        let playing = async {
            let mut stop = interrupt.signal();
            let entrants = tokio::select! {
                entrants = prepare(&tournament, &base, &events) => entrants,
                () = stop.reached(Stop::Drain) => return Ok(()),
            };
            let site = machine::name();
            let mut desks = JoinSet::new();
            let (receptions, arrivals) = open(receptions, &tournament, &mut desks);
            let tournament = Arc::clone(&tournament);
            let arena = Arc::new(Arena { tournament, entrants, addresses: Addresses::default(), site });
            let run = Run { arena, concurrency, events, receptions, arrivals };
            run.play(stop).await
        };
        {
            let collecting = collector.collect(&mut told, &mut reporter);
            tokio::pin!(playing, collecting);
            tokio::select! {
                played = &mut playing => {
                    played?;
                    collecting.await?;
                }
                // Without a place for results there is no use in going on.
                collected = &mut collecting => {
                    interrupt.stop_now();
                    playing.await?;
                    collected?;
                }
            }
        }
        reporter.close();
        let standings = collector.finish()?;
        print(final_report(&standings))?;
        Ok(interrupt.which().map_or_else(|| self.verdict(&tournament, &collector), Interrupted::exit))
    }

    /// The exit code of a run that nobody interrupted.
    fn verdict(&self, tournament: &Tournament, collector: &Collector) -> Exit {
        let forfeited =
            |game: &GameSummary| game.result.as_ref().is_some_and(|result| result.termination().is_forfeit());
        let ended = |game: &GameSummary| Some((GameId::from_text(&*game.game), Decided::from(game.result.as_ref()?)));
        let results = collector.games().filter_map(ended).collect();
        if Schedule::new(tournament).missing(&results).next().is_some() {
            Exit::Incomplete
        } else if self.strict && collector.games().any(forfeited) {
            Exit::Forfeits
        } else {
            Exit::Success
        }
    }
}

/// Opens the remote players' addresses to them.
fn open(
    receptions: Vec<Reception>,
    tournament: &Arc<Tournament>,
    desks: &mut JoinSet<()>,
) -> (crate::executor::Receptions, mpsc::UnboundedReceiver<reception::Arrival>) {
    let (arrivals, received) = mpsc::unbounded_channel();
    let mut addresses = BTreeMap::new();
    for reception in receptions {
        addresses.extend(reception.address().map(|address| (reception.player(), address)));
        desks.spawn(reception.receive(Arc::clone(tournament), arrivals.clone()));
    }
    (addresses, received)
}

/// Refuses a directory in which something is already.
fn refuse_used(out: &Path) -> Result<(), Failure> {
    let mut entries = match fs::read_dir(out) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => {
            entries.with_context(|| format!("`{}` can't be used for results", out.display())).map_err(Failure::usage)?
        }
    };
    if entries.next().is_none() {
        return Ok(());
    }
    Err(Failure::usage(anyhow!(
        "`{}` is not empty, and results are never written over others: name another directory with `--out DIR`, or \
         move this one away",
        out.display()
    )))
}
