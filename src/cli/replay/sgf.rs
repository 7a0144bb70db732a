//! `gothello-arena replay --sgf`.

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
use crate::results::replay::{NoSgf, sgf};
use crate::run::game_files::{LogFile, logs_of};

/// Writes each log of `files` to `dir`. A log that cannot be written is reported, and the others are written all the same.
/// The first failure decides the exit code.
pub(super) fn write_all(files: &[PathBuf], dir: &Path) -> CommandResult {
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
            match write_one(&log, dir) {
                Ok(()) => written += 1,
                Err(failure) => keep(failure),
            }
        }
    }
    print(linking(&format!("{} in `{}`\n", counted(written, "SGF file"), dir.shown()), dir))?;
    first.map_or(Ok(Exit::Success), Err)
}

fn write_one(log: &LogFile, dir: &Path) -> Result<(), Failure> {
    let game = log.logged_game()?;
    let refused = |reason: NoSgf| Failure::usage(anyhow!("`{}` is not written: {reason}", log.path().shown()));
    let record = match &game {
        LoggedGame::Two(record) => record,
        LoggedGame::Group(record) => return Err(refused(NoSgf::Seats(record.ruleset.name()))),
    };
    // Refuse the rule set before checking what may be a long game.
    if let Some(reason) = NoSgf::of(record.ruleset) {
        return Err(refused(reason));
    }
    let text = sgf(&log.check(record)?).map_err(refused)?;
    let file = place(log.path(), dir);
    write_new(&file, text.as_bytes()).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => Failure::usage(anyhow!(
            "`{}` exists with other contents, and is not changed: delete it, or name another directory",
            file.shown()
        )),
        _ => anyhow::Error::new(error).context(format!("cannot write `{}`", file.shown())).into(),
    })
}

/// The file of a log: its name with a different extension.
fn place(log: &Path, dir: &Path) -> PathBuf {
    let stem = if log == Path::new("-") { None } else { log.file_stem() };
    let mut name: OsString = stem.unwrap_or("stdin".as_ref()).to_owned();
    name.push(".sgf");
    dir.join(name)
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
