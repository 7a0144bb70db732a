//! `gothello-arena tablebase build`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use anyhow::{Context as _, anyhow};

use super::margins::MarginBuild;
use super::tabled;
use crate::base::sanitise::Shown as _;
use crate::base::time;
use crate::cli::interrupt::Flag;
use crate::cli::progress::Progress;
use crate::cli::{CommandResult, Exit, Failure, HELP, note_of, print, settings};
use crate::exact::seegover::{Retrograde, TooDeep};
use crate::exact::tablebase::{SeegoverTableHeader, Unusable, look, table_place, try_place, write};
use crate::exact::threads::{Sharers, threads_or_two};
use crate::game::Ruleset;
use crate::game::seegover::MoveRules;

/// Compute the value of every position
#[derive(Debug, clap::Args)]
#[command(help_template = HELP, after_help = "\
For gothello, a build takes about an hour on two cores and needs 35 GB of disk,
of which 178 MB is kept. After Ctrl-C, the same command continues the build.
For seegover, it takes a minute and needs 101 MB for each choice of `capture`
and `back`; `cycle=superko` has no table: its values depend on the history.
Examples:
  gothello-arena tablebase build gothello --size 4
  gothello-arena tablebase build \"seegover capture=single back=capture\"")]
pub(super) struct Args {
    /// Rules of the table to build, such as gothello or seegover
    #[arg(value_name = "RULES")]
    rules: Ruleset,
    /// Write to FILE [default: in the user's cache]
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    margins: MarginBuild,
    /// Use N threads [default: 2, or 1 if there is one core]
    #[arg(long, short = 'j', value_name = "N", value_parser = crate::cli::threads)]
    threads: Option<NonZeroUsize>,
}

impl Args {
    pub(super) fn run(self) -> CommandResult {
        if self.rules == Ruleset::Gothello {
            return self.margins.run(self.out, self.threads);
        }
        let rules = tabled(self.rules)?.move_rules();
        self.margins.refuse()?;
        self.build_seegover(rules)
    }

    fn build_seegover(&self, rules: MoveRules) -> CommandResult {
        let file = table_place(self.out.clone(), rules, "--out")?;
        let unwritable = || format!("cannot write `{}`", file.shown());
        if let Err(unusable @ (Unusable::Foreign | Unusable::OtherRules { .. })) = look(&file, Some(rules)) {
            let kept = anyhow!("`{}` was not changed: name another file with --out", file.shown());
            return Err(Failure::usage(anyhow::Error::new(unusable).context(kept)));
        }
        try_place(&file).with_context(unwritable).map_err(Failure::usage)?;
        let (begun, interrupt) = (time::now(), Flag::watch()?);
        let Some(build) = self.built(rules, &interrupt)? else {
            return Ok(interrupt.exit());
        };
        let table = build.finish();
        let header = SeegoverTableHeader::of(&table);
        write(&file, &header, &table).with_context(unwritable)?;
        note_of(&file, format_args!("wrote `{}` after {:.1} s", file.shown(), begun.elapsed().as_secs_f64()));
        print(header.to_string().trim_end().to_owned() + "\n")?;
        Ok(Exit::Success)
    }

    /// The complete table, or `None` if a signal arrived first.
    fn built(&self, rules: MoveRules, interrupt: &Flag) -> Result<Option<Retrograde>, TooDeep> {
        let sharers = Sharers { threads: threads_or_two(settings::threads(self.threads)), stop: interrupt.raised() };
        let mut progress = Progress::new();
        let mut build = Retrograde::new(rules);
        loop {
            let (done, of) = (build.sweeps_done(), build.sweeps_expected());
            let tick = |_| progress.count(done, of, format_args!("positions decided after {} plies", build.depth()));
            if !sharers.share_out(Retrograde::PARCELS, tick, |parcel| build.work(parcel)) {
                return Ok(None);
            }
            if !build.advance()? {
                return Ok(Some(build));
            }
        }
    }
}
