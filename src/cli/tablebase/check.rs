//! `gothello-arena tablebase check`.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use anyhow::anyhow;

use super::margin_check::MarginCheck;
use super::tabled;
use crate::base::time;
use crate::cli::interrupt::Flag;
use crate::cli::progress::Progress;
use crate::cli::{CommandResult, Exit, Failure, HELP, print, settings};
use crate::exact::seegover::verification::{PARCELS, WrongWorth, verify};
use crate::exact::seegover::{Census, Tablebase, Worth};
use crate::exact::tablebase::{SeegoverTableHeader, read_named};
use crate::exact::threads::{Sharers, threads_or_two};
use crate::game::Ruleset;
use crate::game::seegover::MoveRules;

/// Check a table: its digest, its counts, and every position
#[derive(Debug, clap::Args)]
#[command(help_template = HELP, after_help = "\
Compares every position with the positions that its moves lead to, using only
the rules; this takes a few minutes. In a table for gothello, moves from the
positions with the most stones lead out of the table; some of these positions
are compared with a search.
Examples:
  gothello-arena tablebase check seegover
  gothello-arena tablebase check gothello")]
pub(super) struct Args {
    /// Rules of the table to check, such as gothello or seegover
    #[arg(value_name = "RULES")]
    rules: Ruleset,
    /// Check FILE [default: in the user's cache]
    #[arg(long, value_name = "FILE")]
    table: Option<PathBuf>,
    #[command(flatten)]
    margins: MarginCheck,
    /// Use N threads [default: 2, or 1 if there is one core]
    #[arg(long, short = 'j', value_name = "N", value_parser = crate::cli::threads)]
    threads: Option<NonZeroUsize>,
}

impl Args {
    pub(super) fn run(self) -> CommandResult {
        if self.rules == Ruleset::Gothello {
            return self.margins.run(self.table, threads_or_two(settings::threads(self.threads)));
        }
        let rules = tabled(self.rules)?.move_rules();
        self.margins.refuse()?;
        self.check_seegover(rules)
    }

    fn check_seegover(&self, rules: MoveRules) -> CommandResult {
        let (begun, interrupt) = (time::now(), Flag::watch()?);
        let (header, table) = read_named(self.table.clone(), Some(rules))?;
        if SeegoverTableHeader::of(&table) != header {
            let what = "the table is damaged: the digest or the counts of its contents do not match its header";
            return Err(Failure::does_not_hold(anyhow!(what)));
        }
        let Some(census) = self.verify(&table, &interrupt)? else {
            return Ok(interrupt.exit());
        };
        if census != *header.census() {
            return Err(Failure::does_not_hold(anyhow!("the header's counts differ from those of all positions")));
        }
        print(summary(&header) + &format!("checked against the rules in {:.1} s\n", begun.elapsed().as_secs_f64()))?;
        Ok(Exit::Success)
    }

    /// Verifies all positions and counts them by value; returns `None` if a signal arrived first.
    fn verify(&self, table: &Tablebase, interrupt: &Flag) -> Result<Option<Census>, Failure> {
        let counted = Mutex::new(Ok(Census::default()));
        let has_failed = AtomicBool::new(false);
        let work = |parcel| {
            if has_failed.load(Ordering::Relaxed) {
                return;
            }
            let found = verify(table, parcel);
            has_failed.fetch_or(found.is_err(), Ordering::Relaxed);
            let mut counted = counted.lock().unwrap_or_else(PoisonError::into_inner);
            *counted = joined(&counted, found);
        };
        let mut progress = Progress::new();
        let tick = |parcels| progress.count(parcels as u64, PARCELS as u64, "parcels of positions checked");
        let sharers = Sharers { threads: threads_or_two(settings::threads(self.threads)), stop: interrupt.raised() };
        let is_complete = sharers.share_out(PARCELS, tick, work);
        let counted = counted.into_inner().unwrap_or_else(PoisonError::into_inner);
        let census = counted.map_err(|wrong| Failure::does_not_hold(anyhow!("the table is wrong: {wrong}")))?;
        Ok(is_complete.then_some(census))
    }
}

/// The combined counts of two parts of the positions, or the first contradiction.
fn joined(one: &Result<Census, WrongWorth>, other: Result<Census, WrongWorth>) -> Result<Census, WrongWorth> {
    Ok(one.as_ref().map_err(|wrong| *wrong)?.plus(&other?))
}

/// A summary of a table in a few lines.
fn summary(header: &SeegoverTableHeader) -> String {
    let (mut won, mut drawn, mut lost, mut over, mut longest) = (0, 0, 0, 0, 0);
    for (worth, count) in header.census().counts() {
        match worth {
            Worth::Won(0) | Worth::Lost(0) => over += count,
            Worth::Won(_) => won += count,
            Worth::Lost(_) => lost += count,
            Worth::Drawn => drawn += count,
        }
        longest = longest.max(worth.plies().unwrap_or_default());
    }
    format!(
        "{won} positions won, {lost} lost, {drawn} drawn, {over} over\nthe longest win takes {longest} plies\nsha256 {}\n",
        header.digest()
    )
}
