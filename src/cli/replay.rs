//! `gothello-arena replay`: checks game logs and shows a game board by board.

mod export;
mod interactive;

use std::io::{StdoutLock, Write as _};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, anyhow};

use super::colour::style_for;
use super::{CommandResult, Exit, Failure, UNPRINTED, pager, print, warn};
use crate::base::console;
use crate::base::exit::with_causes;
use crate::base::sanitise::{Shown as _, sanitised};
use crate::exact::tablebase::build_command;
use crate::referee::record::{CheckedGame, GameRecord, GroupRecord, LoggedGame, RepeatedProof, check_with, verdict};
use crate::results::replay::{Frames, GroupReplay, heading};
use crate::run::bot_stderr::StderrOfGame;
use crate::run::campaign::seegover_table::for_check;
use crate::run::game_files::{GameFilesError, LogFile, logs_of};
use export::{ExportForm, write_all};

const AFTER_HELP: &str = "\
The log is checked before it is shown; the exit code is 3 if anything is wrong.

Examples:
  gothello-arena replay -i results/class
  gothello-arena replay --final results/class/games/r1-greedy-random.log";

/// Show a game log board by board, or check game logs
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a command-line flag")]
#[command(after_help = AFTER_HELP)]
pub(super) struct Args {
    /// Game logs, or `-` for stdin, or directories of logs
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Step through the games on the whole screen
    #[arg(long, short, conflicts_with_all = ["ply", "last", "delay", "check", "export"])]
    interactive: bool,
    /// Show only the position after N plies
    #[arg(long, value_name = "N", conflicts_with_all = ["last", "delay", "check", "sgf", "ggf"])]
    ply: Option<usize>,
    /// Show only the last position
    #[arg(long = "final", conflicts_with_all = ["delay", "check", "sgf", "ggf"])]
    last: bool,
    /// Wait for TIME between boards, e.g. 300ms [default: none]
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration, conflicts_with_all = ["check", "export"])]
    delay: Option<Duration>,
    /// Show the bots' stderr, at the ply at which they wrote it
    #[arg(long, conflicts_with_all = ["check", "export"])]
    stderr: bool,
    /// Only check the logs, and print one line for each
    #[arg(long)]
    check: bool,
    /// Write each log to DIR in SGF, which Go viewers read
    #[arg(long, value_name = "DIR", conflicts_with = "check", group = "export")]
    sgf: Option<PathBuf>,
    /// Write each log to DIR in GGF, which Othello programs read
    #[arg(long, value_name = "DIR", conflicts_with = "check", group = "export")]
    ggf: Option<PathBuf>,
    /// Write animated pictures to DIR; with --ply, still pictures
    #[arg(long, value_name = "DIR", conflicts_with = "check", group = "export")]
    svg: Option<PathBuf>,
}

impl Args {
    pub(super) fn run(self) -> CommandResult {
        match self.export() {
            Some((form, dir)) => write_all(&self.files, form, dir),
            None if self.interactive => interactive::browse(&self.files, self.stderr),
            None if self.check => check_all(&self.files),
            None => self.show(),
        }
    }

    /// How to write the games, and the directory to write them to.
    fn export(&self) -> Option<(ExportForm, &Path)> {
        let picture = match self.ply {
            Some(ply) => ExportForm::Still(Some(ply)),
            None if self.last => ExportForm::Still(None),
            None => ExportForm::Film,
        };
        let all = [(ExportForm::Sgf, &self.sgf), (ExportForm::Ggf, &self.ggf), (picture, &self.svg)];
        all.into_iter().find_map(|(form, dir)| Some((form, dir.as_deref()?)))
    }

    /// Shows one game.
    fn show(&self) -> CommandResult {
        let [file] = self.files.as_slice() else {
            let error = anyhow!("`replay` shows only one game (to check several logs, use `replay --check FILE...`)");
            return Err(Failure::usage(error));
        };
        if file.is_dir() {
            let shown = file.shown();
            let hint = "to look at its games, use `replay -i`; to check its logs, `replay --check`";
            return Err(Failure::usage(anyhow!("`{shown}` is a directory ({hint})")));
        }
        let log = LogFile::Named(file.clone());
        match log.logged_game()? {
            LoggedGame::Two(record) => self.show_game(&log, &record),
            LoggedGame::Group(record) => self.show_group(&log, &record),
        }
    }

    fn show_game(&self, log: &LogFile, record: &GameRecord) -> CommandResult {
        let game = log.check(record)?;
        if let Some(why) = unchecked(&game) {
            warn(why);
        }
        let shown = self.shown(record.plies.len())?;
        let stderr = self.stderr.then(|| StderrOfGame::beside(log.path(), record, warn));
        let (frames, style) = (Frames::new(&game), style_for(&console::stream()));
        let frame = |plies| {
            let said = stderr.as_ref().map(|stderr| stderr.at(plies)).unwrap_or_default();
            frames.at(plies).map(|frame| frame.render(style) + &said)
        };
        let ending = || frames.ending(style) + &stderr.as_ref().map(StderrOfGame::at_end).unwrap_or_default();
        self.print(&heading(record, style), shown, frame, ending)
    }

    /// Shows a game with more than two seats. The bots' stderr is not kept for these games.
    fn show_group(&self, log: &LogFile, record: &GroupRecord) -> CommandResult {
        log.check_group(record)?;
        let shown = self.shown(record.plies.len())?;
        let (game, style) = (GroupReplay::new(record), style_for(&console::stream()));
        self.print(&game.heading(style), shown, |plies| game.at(plies, style), || game.ending(style))
    }

    /// Which positions to show in a game of `plies` plies, each given by the number of plies before it.
    fn shown(&self, plies: usize) -> Result<RangeInclusive<usize>, Failure> {
        match self.ply {
            Some(ply) if ply > plies => {
                Err(Failure::usage(anyhow!("there is no position after ply {ply}: the game has {plies} plies")))
            }
            Some(ply) => Ok(ply..=ply),
            None if self.last => Ok(plies..=plies),
            None => Ok(0..=plies),
        }
    }

    /// Prints a game: its heading, a frame for each of the `shown` numbers of plies and, unless a ply was chosen, its
    /// ending. With `--delay`, the frames come one after another; otherwise, they come all at once, in a pager if
    /// necessary.
    fn print(
        &self,
        heading: &str,
        shown: RangeInclusive<usize>,
        frame: impl Fn(usize) -> Option<String>,
        ending: impl Fn() -> String,
    ) -> CommandResult {
        let (first, last) = (*shown.start(), *shown.end());
        let parts = shown.map(|plies| {
            let heading = if plies == first { heading } else { "" };
            let frame = frame(plies).map(|frame| format!("\n{frame}")).unwrap_or_default();
            let ending = if plies == last && self.ply.is_none() { format!("\n{}", ending()) } else { String::new() };
            [heading, &frame, &ending].concat()
        });
        let Some(delay) = self.delay else {
            pager::show(&parts.collect::<String>())?;
            return Ok(Exit::Success);
        };
        let print = |out: &mut StdoutLock<'_>| {
            for (index, part) in parts.enumerate() {
                if index > 0 {
                    std::thread::sleep(delay);
                }
                out.write_all(part.as_bytes())?;
                out.flush()?;
            }
            Ok(Exit::Success)
        };
        Ok(console::data_with(Exit::Success, print).context(UNPRINTED)?)
    }
}

/// Checks all logs, and prints one line for each. A file that cannot be read is reported on stderr, and takes
/// precedence over an invalid log for the exit code. The remaining logs are always checked, even if the lines are no
/// longer read, because the exit code covers all of them.
fn check_all(files: &[PathBuf]) -> CommandResult {
    let mut exit = Exit::Success;
    let mut missing: Option<GameFilesError> = None;
    for file in files {
        let logs = match logs_of(file) {
            Ok(logs) => logs,
            Err(error) => {
                keep_first(&mut missing, error);
                continue;
            }
        };
        for log in logs {
            match log.read() {
                Ok(bytes) => {
                    let line = check_line(log.path(), &bytes).unwrap_or_else(|line| {
                        exit = Exit::DoesNotHold;
                        line
                    });
                    print(line + "\n")?;
                }
                Err(error) => keep_first(&mut missing, error),
            }
        }
    }
    missing.map_or(Ok(exit), |error| Err(Failure::usage(error)))
}

/// Keeps the first error for the end, and reports the others immediately.
fn keep_first(first: &mut Option<GameFilesError>, error: GameFilesError) {
    match first {
        None => *first = Some(error),
        Some(_) => console::error(with_causes(&error), None),
    }
}

/// A note on the part of a valid game that could not be checked.
fn unchecked(game: &CheckedGame<'_>) -> Option<String> {
    match game.proof() {
        RepeatedProof::Holds => None,
        RepeatedProof::NoTable(rules) => {
            let build = build_command(rules);
            Some(format!("the winner was not checked, because the Seegover table is missing ({build})"))
        }
    }
}

/// The line for one log.
///
/// # Errors
/// Returns the line for an invalid log.
fn check_line(file: &Path, bytes: &[u8]) -> Result<String, String> {
    let file = file.shown();
    let line = match LoggedGame::from_bytes(bytes) {
        Err(error) => Err(format!("{file}:{error}")),
        Ok(LoggedGame::Group(record)) => match record.check() {
            Err(error) => Err(format!("{file}: {error}")),
            Ok(_) => Ok(format!("{file}: ok, {} plies, {}", record.plies.len(), GroupReplay::new(&record).verdict())),
        },
        Ok(LoggedGame::Two(record)) => match check_with(&record, for_check(&record).as_ref()) {
            Err(error) => Err(format!("{file}: {error}")),
            Ok(game) => {
                let unchecked = unchecked(&game).map(|why| format!("; {why}")).unwrap_or_default();
                Ok(format!("{file}: ok, {} plies, {}{unchecked}", record.plies.len(), verdict(&record.result)))
            }
        },
    };
    line.map(|line| sanitised(&line)).map_err(|line| sanitised(&line))
}
