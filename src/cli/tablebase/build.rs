//! `gothello-arena tablebase build`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use anyhow::{Context as _, anyhow};

use super::Tabled;
use crate::base::sanitise::Shown as _;
use crate::base::time;
use crate::cli::interrupt::Flag;
use crate::cli::progress::Progress;
use crate::cli::seegover_table::place;
use crate::cli::{CommandResult, Exit, Failure, HELP, note, print};
use crate::exact::seegover::{Retrograde, TooDeep};
use crate::exact::tablebase::{TableHeader, Unusable, look, try_place, write};
use crate::exact::team::Sharers;

/// Compute the value of every position of the move phase
#[derive(Debug, clap::Args)]
#[command(help_template = HELP, after_help = "\
Takes about a minute and 120 MB of memory; the file has 101 MB. The file is
written at the end, in one step: Ctrl-C leaves nothing behind.
Example:
  gothello-arena tablebase build seegover")]
pub(super) struct Args {
    /// Game whose table to build
    #[arg(value_name = "GAME")]
    game: Tabled,
    /// Write FILE [default: seegover.table in the user's cache directory]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Use N threads [default: 2, or 1 if there is one core]
    #[arg(long, value_name = "N", value_parser = crate::cli::threads)]
    threads: Option<NonZeroUsize>,
}

impl Args {
    pub(super) fn run(self) -> CommandResult {
        let Tabled::Seegover = self.game;
        let file = place(self.out.clone(), "--out")?;
        let unwritable = || format!("cannot write `{}`", file.shown());
        if let Err(unusable @ Unusable::Foreign) = look(&file) {
            let kept = anyhow!("`{}` is not changed: name another file with --out", file.shown());
            return Err(Failure::usage(anyhow::Error::new(unusable).context(kept)));
        }
        try_place(&file).with_context(unwritable).map_err(Failure::usage)?;
        let (begun, interrupt) = (time::now(), Flag::watch()?);
        let Some(build) = self.built(&interrupt)? else {
            return Ok(interrupt.exit());
        };
        let table = build.finish();
        let header = TableHeader::of(&table);
        write(&file, &header, &table).with_context(unwritable)?;
        note(format_args!("`{}` written after {:.1} s", file.shown(), begun.elapsed().as_secs_f64()));
        print(header.to_string().trim_end().to_owned() + "\n")?;
        Ok(Exit::Success)
    }

    /// The complete table, or `None` if a signal arrived first.
    fn built(&self, interrupt: &Flag) -> Result<Option<Retrograde>, TooDeep> {
        let sharers = Sharers { threads: crate::cli::threads_or_two(self.threads), stop: interrupt.raised() };
        let mut progress = Progress::new();
        let mut build = Retrograde::default();
        loop {
            let tick = |_| progress.tell(format_args!("positions decided after {} plies", build.depth()));
            if !sharers.share_out(Retrograde::PARCELS, tick, |parcel| build.work(parcel)) {
                return Ok(None);
            }
            if !build.advance()? {
                return Ok(Some(build));
            }
        }
    }
}
