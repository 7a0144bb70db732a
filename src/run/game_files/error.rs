//! Why the games that a user names cannot be read.

use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::base::exit::{CommandError, ErrorExit, Exit};
use crate::base::facts::with_facts;
use crate::base::sanitise::{Shown as _, sanitised};
use crate::results::report::{RowError, SCORE_COLUMNS};
use crate::run::campaign::CampaignError;
use crate::run::results_dir::{LogError, LogErrors};

/// The maximum number of bad lines of a CSV file that are shown. Further bad lines are only counted.
const MOST_SHOWN: usize = 20;

with_facts! {
    /// Why the games that a user names cannot be read.
    #[derive(Debug, Error)]
    pub(crate) enum GameFilesError {
        /// The directory of runs cannot be read.
        #[error("cannot read `{}`", dir.shown())]
        UnreadableDir {
            /// The directory.
            dir: PathBuf,
            /// Why not.
            source: io::Error,
        } => Exit::ArenaFailed.alone();
        /// There is no run in the directory.
        #[error("there is no run in `{}` ({})", dir.shown(), where_else(around.as_deref()))]
        NoRun {
            /// The directory.
            dir: PathBuf,
            /// The run that the directory is in, if there is one.
            around: Option<PathBuf>,
        } => match around {
            Some(_) => Exit::Usage.alone(),
            None => Exit::Usage.hint("`gothello-arena run FILE` plays a tournament, and `gothello-arena run` an example"),
        };
        /// There are several runs in the directory.
        #[error("there are {} runs in `{}`; name one of them:{}", runs.len(), dir.shown(), on_lines(runs))]
        SeveralRuns {
            /// The directory.
            dir: PathBuf,
            /// The runs.
            runs: Vec<PathBuf>,
        } => Exit::Usage.alone();
        /// The journal of a run cannot be used.
        #[error(transparent)]
        Campaign(#[from] error: CampaignError) => error.error_exit();
        /// The logs of a run cannot be used.
        #[error(transparent)]
        Logs(#[from] error: LogErrors) => Exit::DoesNotHold.alone();
        /// A log of a run cannot be used.
        #[error(transparent)]
        Log(#[from] error: LogError) => Exit::DoesNotHold.alone();
        /// A file or directory cannot be read.
        #[error("cannot read `{}`", path.shown())]
        Unreadable {
            /// The file or directory.
            path: PathBuf,
            /// Why not.
            source: io::Error,
        } => match source.kind() {
            io::ErrorKind::NotFound => Exit::Usage.hint(
                "name a run's directory, such as `results/class`, or a log in its `games` folder; `gothello-arena run` without \
                 a file plays an example",
            ),
            _ => Exit::Usage.alone(),
        };
        /// Standard input cannot be read.
        #[error("cannot read standard input")]
        UnreadableInput(#[source] source: io::Error) => Exit::Usage.alone();
        /// The columns of a CSV file are neither those of a score list nor those of results.csv.
        #[error(
            "{}:1: expected a CSV file with the columns `{}`, or a run's results.csv", path.shown(), SCORE_COLUMNS.join(",")
        )]
        OtherColumns {
            /// The file.
            path: PathBuf,
        } => Exit::Usage.alone();
        /// Lines of a CSV file are wrong.
        #[error("{}", first_rows(path, rows))]
        WrongRows {
            /// The file.
            path: PathBuf,
            /// What is wrong with the lines.
            rows: Vec<RowError>,
        } => Exit::DoesNotHold.alone();
        /// A CSV file is named in place of a game log.
        #[error(
            "`{}` is not a game log (a CSV file contains no moves: name a run's directory, or logs in its `games` folder)",
            path.shown()
        )]
        CsvForLog {
            /// The file.
            path: PathBuf,
        } => Exit::Usage.alone();
        /// A CSV file is named where moves are needed.
        #[error("`{}` contains no moves ({option} needs the games themselves: name a run's directory)", path.shown())]
        NoMoves {
            /// The file.
            path: PathBuf,
            /// The option that needs moves.
            option: &'static str,
        } => Exit::Usage.alone();
        /// A CSV file is named where the machines that played the games are needed.
        #[error(
            "`{}` does not name machines (only the logs say which machine played a game: name a run's directory)", path.shown()
        )]
        NoMachines {
            /// The file.
            path: PathBuf,
        } => Exit::Usage.alone();
        /// There is no log in the directory.
        #[error("no `*.log` in `{}` or in its `games` folder", dir.shown())]
        NoLogs {
            /// The directory.
            dir: PathBuf,
        } => Exit::Usage.alone();
        /// A log is wrong.
        #[error("{}", sanitised(why))]
        WrongLog {
            /// The place in the log, and the reason, as untrusted text.
            why: String,
        } => Exit::DoesNotHold.alone();
    }

    fn exit_and_hint() -> ErrorExit;
}

impl CommandError for GameFilesError {
    fn error_exit(&self) -> ErrorExit {
        self.exit_and_hint()
    }
}

/// Suggests what to name instead of a directory without a run.
fn where_else(around: Option<&Path>) -> String {
    around.map_or_else(
        || "name a run's directory or a CSV file".to_owned(),
        |run| format!("its logs belong to the run in `{run}`: name that directory", run = run.shown()),
    )
}

/// Each of `runs` on a separate line.
fn on_lines(runs: &[PathBuf]) -> String {
    runs.iter().fold(String::new(), |text, run| text + "\n  " + &run.shown())
}

/// The first of the wrong `rows` of the CSV file `path`, and the number of further wrong rows.
fn first_rows(path: &Path, rows: &[RowError]) -> String {
    let shown = path.shown();
    let lines: Vec<String> = rows.iter().take(MOST_SHOWN).map(|error| format!("{shown}:{error}")).collect();
    let mut text = lines.join("\n");
    let more = rows.len() - lines.len();
    if more > 0 {
        // Writing to a string cannot fail.
        let _ = write!(text, "\n{shown}: and {more} more {}", if more == 1 { "problem" } else { "problems" });
    }
    text
}
