//! `gothello-arena rebuild`.

mod from_logs;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow};

use self::from_logs::games_of_logs;
use super::run::{disagreement, unusable};
use super::{CommandResult, Exit, Failure, listed, note, print};
use crate::base::files::free_name;
use crate::base::printable::Shown as _;
use crate::referee::record::{GameRecord, check};
use crate::results::report::final_report;
use crate::run::derived::{Comparison, Derived};
use crate::run::journal::{self, Durability, Journal, Ledger, Salvaged, salvage};

/// How many logs that the journal does not have are set aside without `--force`. Where there are more, it is rather the
/// journal that is not the right one.
const FEW: usize = 5;

/// Make a run's game logs and tables again, from its journal
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
#[command(after_help = "Every ply of every game is checked first; a game that does not hold changes
nothing, and the exit code is 3. Up to five logs of games that the journal does
not have are set aside. What bots wrote to stdout and stderr stays as it is.

Example:
  gothello-arena rebuild results/class")]
pub(super) struct Args {
    /// The run's directory
    dir: PathBuf,
    /// Only check, and say what `rebuild` would change
    #[arg(long, conflicts_with_all = ["salvage", "from_logs", "force"])]
    check: bool,
    /// Drop what is damaged of the journal; the old one is kept beside it
    #[arg(long)]
    salvage: bool,
    /// First take the games from the logs that the journal lacks
    #[arg(long)]
    from_logs: bool,
    /// Set aside any number of logs that the journal does not have
    #[arg(long)]
    force: bool,
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
        let (mut journal, mut ledger, _) =
            Journal::resume_with(dir, Durability::Safe, |record| faults.extend(fault(record)))
                .map_err(|error| unusable(error, dir))?;
        refuse_faults(&faults, dir)?;
        let derived = Derived::in_dir(dir.clone());
        let logs = derived.logs()?;
        let taken = if self.from_logs { games_of_logs(&derived, &ledger, &logs) } else { Vec::new() };
        for entry in &taken {
            ledger.take(entry.clone())?;
        }
        let comparison = derived.compare(&ledger, &logs);
        let unknown: Vec<&PathBuf> = comparison.strange.iter().filter(|path| !is_known(path, &ledger)).collect();
        if unknown.len() > FEW && !self.force {
            return Err(too_many(&unknown, &self));
        }
        // From here on, things change.
        if journal.mend()? {
            note("the journal's last line was cut off when the run ended; it is dropped");
        }
        journal.append(&taken)?;
        if self.from_logs {
            note(format_args!("{} games were taken from logs that the journal lacked", taken.len()));
        }
        derived.prepare()?;
        for id in &comparison.superseded {
            derived.remove_log(id)?;
        }
        unknown.into_iter().try_for_each(|path| set_aside(path))?;
        derived.write_logs(&ledger, |_| true)?;
        let standings = derived.write_tables(&ledger)?;
        if !self.quiet {
            print(final_report(&standings))?;
        }
        Ok(Exit::Success)
    }
}

/// The refusal to set aside the `unknown` logs: the journal lacks so many games that it may be the wrong journal.
fn too_many(unknown: &[&PathBuf], args: &Args) -> Failure {
    let shown = args.dir.shown();
    let advice = if args.from_logs {
        "these can't be taken into it, as they do not hold, are of another tournament, or were played by other programs"
            .to_owned()
    } else {
        format!("`gothello-arena rebuild --from-logs {shown}` takes the games that the journal lacks from them")
    };
    Failure {
        exit: Exit::DoesNotHold,
        error: anyhow!(
            "the journal of `{shown}` has no game for {} game logs:{}\nno log was changed; {advice}; `--force` sets them \
             aside as `*.log.not-in-journal`. If the journal is an older copy, put the newer one back instead",
            unknown.len(),
            listed(unknown.iter().map(|path| path.shown())),
        ),
    }
}

/// Checks the journal and holds all that follows from it against what is there.
fn check_only(dir: &Path) -> CommandResult {
    let in_use = || journal::is_in_use(dir).map_err(|error| unusable(error, dir));
    let was_in_use = in_use()?;
    let derived = Derived::in_dir(dir.to_owned());
    // First the logs: while a run is on, their lines in the journal are older than they.
    let logs = derived.logs()?;
    let mut faults = Vec::new();
    let (ledger, extent) =
        journal::read(dir, |record| faults.extend(fault(record))).map_err(|error| unusable(error, dir))?;
    refuse_faults(&faults, dir)?;
    let Comparison { mut strange, behind, superseded } = derived.compare(&ledger, &logs);
    let games = extent.lines.saturating_sub(1);
    // A run may have begun meanwhile, and it changes what follows from the journal after that.
    if was_in_use || in_use()? {
        // A log is renewed after its line, so that what is there may still be of an earlier try.
        if !strange.is_empty() {
            return Err(disagreement(dir, &strange));
        }
        print(format!(
            "{}: a run is under way; the {games} lines so far and their logs hold, the tables come at its end\n",
            dir.shown()
        ))?;
        return Ok(Exit::Success);
    }
    strange.extend(behind.iter().chain(&superseded).map(|id| derived.log(id)));
    // A log with another text is both strange and behind.
    strange.sort();
    strange.dedup();
    strange.extend(derived.strange_tables(&ledger)?);
    if !strange.is_empty() {
        return Err(disagreement(dir, &strange));
    }
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

/// Whether the journal has a result of the game whose log is `path`.
fn is_known(path: &Path, ledger: &Ledger) -> bool {
    let game = path.file_stem().and_then(|id| id.to_str()).and_then(|id| ledger.game(id));
    game.is_some_and(|kept| kept.void.is_none())
}

/// Gives a log that the journal knows nothing of another name, so that it is no log of the run any more.
fn set_aside(path: &Path) -> Result<(), Failure> {
    let mut aside = path.as_os_str().to_owned();
    aside.push(".not-in-journal");
    let mut aside = PathBuf::from(aside);
    if aside.symlink_metadata().is_ok() {
        aside = free_name(path, "not-in-journal");
    }
    fs::rename(path, &aside).with_context(|| format!("could not rename `{}` to `{}`", path.shown(), aside.shown()))?;
    note(format_args!("the journal has no such game: `{}` is now `{}`", path.shown(), aside.shown()));
    Ok(())
}

fn tell_salvaged(salvaged: &Salvaged) {
    let Salvaged { aside, kept, damaged, superseded } = salvaged;
    let list = |lines: &[u64]| lines.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
    note(format_args!("{kept} whole lines were kept; the damaged journal is now `{}`", aside.shown()));
    if !damaged.is_empty() {
        note(format_args!(
            "dropped as damaged or foreign: line {}; games that stood there will be played again",
            list(damaged)
        ));
    }
    if !superseded.is_empty() {
        note(format_args!("dropped because a later line has the same game: line {}", list(superseded)));
    }
}
