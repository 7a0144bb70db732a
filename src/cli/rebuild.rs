//! `gothello-arena rebuild`.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow};

use super::run::{disagreement, unusable};
use super::{CommandResult, Exit, Failure, listed, note, print};
use crate::derived::{Comparison, Derived};
use crate::journal::{self, Durability, Journal, Ledger, Salvaged, salvage};
use crate::printable::Shown as _;
use crate::record::{GameRecord, check};
use crate::report::final_report;

/// Make a run's game logs and tables again, from its journal
#[derive(Debug, clap::Args)]
#[command(after_help = "Every ply of every game is checked first; a game that does not hold changes
nothing, and the exit code is 3. Logs of games that the journal does not have
are set aside. What bots wrote to stdout and stderr stays as it is.

Example:
  gothello-arena rebuild results/class")]
pub(super) struct Args {
    /// The run's directory
    dir: PathBuf,
    /// Only check, and say what `rebuild` would change
    #[arg(long, conflicts_with = "salvage")]
    check: bool,
    /// Go on with what is whole of a damaged journal; the old one is kept beside it
    #[arg(long)]
    salvage: bool,
    /// Do not print the standings
    #[arg(long, short)]
    quiet: bool,
}

impl Args {
    pub(super) fn run(self) -> CommandResult {
        let dir = &self.dir;
        if !journal::is_in(dir) {
            return Err(Failure::usage(anyhow!("`{}` holds no journal, from which to rebuild anything", dir.shown())));
        }
        if self.check {
            return check_only(dir);
        }
        if self.salvage {
            tell_salvaged(&salvage(dir).map_err(|error| unusable(error, dir))?);
        }
        let mut faults = Vec::new();
        // The journal stays locked while this lives: a run would write the same files.
        let (_journal, ledger, extent) =
            Journal::resume_with(dir, Durability::Safe, |record| faults.extend(fault(record)))
                .map_err(|error| unusable(error, dir))?;
        refuse_faults(&faults, dir)?;
        if extent.torn > 0 {
            note("the journal's last line was cut off when the run ended; it is dropped");
        }
        let derived = Derived::in_dir(dir.clone());
        derived.prepare()?;
        let comparison = derived.compare(&ledger, &derived.logs()?);
        for id in &comparison.superseded {
            derived.remove_log(id)?;
        }
        for path in comparison.strange.iter().filter(|path| !is_known(path, &ledger)) {
            set_aside(path)?;
        }
        derived.write_logs(&ledger, |_| true)?;
        let standings = derived.write_tables(&ledger)?;
        if !self.quiet {
            print(final_report(&standings))?;
        }
        Ok(Exit::Success)
    }
}

/// Checks the journal and holds all that follows from it against what is there.
fn check_only(dir: &Path) -> CommandResult {
    let derived = Derived::in_dir(dir.to_owned());
    // First the logs: while a run is on, their lines in the journal are older than they.
    let logs = derived.logs()?;
    let mut faults = Vec::new();
    let (ledger, extent) =
        journal::read(dir, |record| faults.extend(fault(record))).map_err(|error| unusable(error, dir))?;
    refuse_faults(&faults, dir)?;
    let Comparison { mut strange, behind, superseded } = derived.compare(&ledger, &logs);
    strange.extend(behind.iter().chain(&superseded).map(|id| derived.log(id)));
    // A log with another text is both strange and behind.
    strange.sort();
    strange.dedup();
    strange.extend(derived.strange_tables(&ledger)?);
    if !strange.is_empty() {
        return Err(disagreement(dir, &strange));
    }
    let games = extent.lines.saturating_sub(1);
    print(format!("{}: {games} lines and all that follows from them hold\n", dir.shown()))?;
    Ok(Exit::Success)
}

/// What is wrong with a record, if anything is.
fn fault(record: &GameRecord) -> Option<String> {
    let error = check(record).err()?;
    Some(format!("{}: {error}", record.game.as_deref().unwrap_or_default()))
}

fn refuse_faults(faults: &[String], dir: &Path) -> Result<(), Failure> {
    if faults.is_empty() {
        return Ok(());
    }
    Err(Failure {
        exit: Exit::DoesNotHold,
        error: anyhow!(
            "the journal of `{}` has games that can't have been played so:{}\nnothing was changed",
            dir.shown(),
            listed(faults.iter())
        ),
    })
}

fn is_known(path: &Path, ledger: &Ledger) -> bool {
    path.file_stem().and_then(|id| id.to_str()).is_some_and(|id| ledger.game(id).is_some())
}

/// Gives a log that the journal knows nothing of another name, so that it is no log of the run any more.
fn set_aside(path: &Path) -> Result<(), Failure> {
    let mut name = path.as_os_str().to_owned();
    name.push(".not-in-journal");
    let aside = PathBuf::from(name);
    fs::rename(path, &aside).with_context(|| format!("could not rename `{}` to `{}`", path.shown(), aside.shown()))?;
    note(format_args!("the journal has no such game: `{}` is now `{}`", path.shown(), aside.shown()));
    Ok(())
}

fn tell_salvaged(salvaged: &Salvaged) {
    let Salvaged { aside, kept, damaged, superseded } = salvaged;
    let list = |lines: &[u64]| lines.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
    note(format_args!("{kept} whole lines were kept; the damaged journal is now `{}`", aside.shown()));
    if !damaged.is_empty() {
        note(format_args!("dropped as damaged: line {}; games that stood there will be played again", list(damaged)));
    }
    if !superseded.is_empty() {
        note(format_args!("dropped because a later line has the same game: line {}", list(superseded)));
    }
}
