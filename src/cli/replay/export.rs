//! `gothello-arena replay --sgf`, `--ggf` and `--svg`.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow};

use crate::base::files::temporary_in;
use crate::base::sanitise::Shown as _;
use crate::base::units::counted;
use crate::cli::{CommandResult, Exit, Failure, linking, print};
use crate::referee::record::LoggedGame;
use crate::results::replay::{NoGgf, NoSgf, PicturedGame, ggf, sgf};
use crate::run::game_files::{LogFile, logs_of};

/// How a game is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ExportForm {
    /// The game in SGF.
    Sgf,
    /// The game in GGF.
    Ggf,
    /// The game as an animation.
    Film,
    /// The position after this number of plies as a picture; `None` for the last position.
    Still(Option<usize>),
}

impl ExportForm {
    const fn name(self) -> &'static str {
        match self {
            Self::Sgf => "SGF",
            Self::Ggf => "GGF",
            Self::Film | Self::Still(_) => "SVG",
        }
    }

    /// The file for a log: its name with a different extension, and with the ply of the position if a ply was chosen.
    fn place(self, log: &Path, dir: &Path) -> PathBuf {
        let stem = if log == Path::new("-") { None } else { log.file_stem() };
        let mut name: OsString = stem.unwrap_or("stdin".as_ref()).to_owned();
        match self {
            Self::Still(Some(ply)) => name.push(format!("-{ply}")),
            Self::Still(None) => name.push("-final"),
            Self::Sgf | Self::Ggf | Self::Film => {}
        }
        name.push(format!(".{}", self.name().to_lowercase()));
        dir.join(name)
    }

    /// The contents of the file for `game`, the game in `log`.
    fn text(self, game: &LoggedGame, log: &LogFile) -> Result<String, Failure> {
        let refused = |reason: String| Failure::usage(anyhow!("`{}` cannot be exported: {reason}", log.path().shown()));
        let ruleset = game.ruleset();
        // Reject an unsupported rule set before checking the game, which may be long.
        let reason = match (self, game) {
            (Self::Sgf, LoggedGame::Group(_)) => Some(NoSgf::Seats(ruleset.name()).to_string()),
            (Self::Sgf, LoggedGame::Two(_)) => NoSgf::of(ruleset).map(|reason| reason.to_string()),
            (Self::Ggf, _) => NoGgf::of(ruleset).map(|reason| reason.to_string()),
            (Self::Film | Self::Still(_), _) => None,
        };
        if let Some(reason) = reason {
            return Err(refused(reason));
        }
        let checked = match game {
            LoggedGame::Two(record) => Some(log.check(record)?),
            LoggedGame::Group(record) => log.check_group(record).map(|()| None)?,
        };
        match (self, checked) {
            (Self::Sgf, Some(checked)) => sgf(&checked).map_err(|reason| refused(reason.to_string())),
            (Self::Ggf, Some(checked)) => ggf(&checked).map_err(|reason| refused(reason.to_string())),
            (Self::Still(ply), _) => {
                let picture = PicturedGame::of(game);
                let last = picture.plies();
                let ply = ply.unwrap_or(last);
                picture
                    .still(ply)
                    .ok_or_else(|| refused(format!("there is no position after ply {ply}: the game has {last} plies")))
            }
            _ => Ok(PicturedGame::of(game).film()),
        }
    }
}

/// Writes each log in `files` to `dir`. A log that cannot be written is reported, and the others are still written. The
/// first failure determines the exit code.
pub(super) fn write_all(files: &[PathBuf], form: ExportForm, dir: &Path) -> CommandResult {
    fs::create_dir_all(dir).with_context(|| format!("cannot create `{}`", dir.shown())).map_err(Failure::usage)?;
    let (mut written, mut first) = (0_u64, None);
    let mut keep = |failure: Failure| match first {
        None => first = Some(failure),
        Some(_) => {
            failure.report();
        }
    };
    for file in files {
        let logs = match logs_of(file) {
            Ok(logs) => logs,
            Err(error) => {
                keep(error.into());
                continue;
            }
        };
        for log in logs {
            match write_one(&log, form, dir) {
                Ok(()) => written += 1,
                Err(failure) => keep(failure),
            }
        }
    }
    let what = format!("{} file", form.name());
    print(linking(&format!("{} in `{}`\n", counted(written, &what), dir.shown()), dir))?;
    first.map_or(Ok(Exit::Success), Err)
}

fn write_one(log: &LogFile, form: ExportForm, dir: &Path) -> Result<(), Failure> {
    let text = form.text(&log.logged_game()?, log)?;
    let file = form.place(log.path(), dir);
    write_new(&file, text.as_bytes()).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => Failure::usage(anyhow!(
            "`{}` already exists with different contents: delete it, or name another directory",
            file.shown()
        )),
        _ => anyhow::Error::new(error).context(format!("cannot write `{}`", file.shown())).into(),
    })
}

/// Writes `file` in one step. Fails if it exists with different contents.
fn write_new(file: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut written = temporary_in(file.parent().unwrap_or(Path::new(".")))?;
    written.write_all(bytes)?;
    match written.persist_noclobber(file) {
        Ok(_) => Ok(()),
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists && fs::read(file)? == bytes => Ok(()),
        Err(error) => Err(error.error),
    }
}
