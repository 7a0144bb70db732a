//! `gothello-arena rebuild`.

use std::path::PathBuf;
use std::sync::Arc;

use super::final_standings::{GamesPlace, print_standings};
use super::progress::watch_work;
use super::telling::tell;
use super::{CommandResult, Exit, print};
use crate::base::sanitise::Shown as _;
use crate::results::report::{Extras, ReportFormat};
use crate::run::campaign::{self, Checked, Repairs, Tell};

/// Rebuild a run's game logs and tables from its journal
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a command-line flag")]
#[command(after_help = "Every ply of every game is checked first. If a game is invalid, nothing is
changed and the exit code is 3. Up to five logs of games that are not in the
journal are set aside. Bots' output on stdout and stderr is not changed.

Example:
  gothello-arena rebuild results/class")]
pub(super) struct Args {
    /// Directory of the run
    dir: PathBuf,
    /// Only check, and report what `rebuild` would change
    #[arg(long, conflicts_with_all = ["salvage", "from_logs", "force"])]
    check: bool,
    /// Drop the damaged parts of the journal; the old journal is kept next to the new one
    #[arg(long)]
    salvage: bool,
    /// First add the games that are only in the game logs
    #[arg(long)]
    from_logs: bool,
    /// Set aside any number of logs of games not in the journal
    #[arg(long)]
    force: bool,
    /// Do not print the standings
    #[arg(long, short)]
    quiet: bool,
    /// Print the standings as JSON, like `standings --json`
    #[arg(long, conflicts_with_all = ["quiet", "check"])]
    json: bool,
}

impl Args {
    pub(super) fn run(self) -> CommandResult {
        if self.check {
            return self.check_only();
        }
        let repairs = Repairs { salvage: self.salvage, from_logs: self.from_logs, force: self.force };
        let tell: Tell = Arc::new(tell);
        let standings = watch_work(|work| campaign::rebuild(&self.dir, repairs, &tell, work))?;
        if !self.quiet {
            let format = self.json.then_some(ReportFormat::Json);
            print_standings(&standings, format, Extras::default(), GamesPlace::Run(&self.dir))?;
        }
        Ok(Exit::Success)
    }

    /// Reports whether the files are valid, and changes nothing.
    fn check_only(&self) -> CommandResult {
        let shown = self.dir.shown();
        let tell: Tell = Arc::new(tell);
        print(match watch_work(|work| campaign::check(&self.dir, &tell, work))? {
            Checked::All { lines } => {
                format!("{shown}: the journal's {lines} lines are correct, and so are all logs and tables\n")
            }
            Checked::SoFar { lines } => format!(
                "{shown}: a run is in progress; the {lines} lines so far and their logs are correct, and the tables will be written when the run ends\n"
            ),
        })?;
        Ok(Exit::Success)
    }
}
