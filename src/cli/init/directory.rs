//! The directory that a user begins with.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::base::files::write_whole;
use crate::base::sanitise::{Shown as _, quoted};
use crate::cli::starters::TextFile;
use crate::cli::{Exit, Failure};

/// Why the files were not written.
#[derive(Debug, Error)]
enum NotWritten {
    #[error("`{}` is not empty (name a directory that is empty or does not exist yet)", .0.shown())]
    NotEmpty(PathBuf),
    #[error("`{}` is not a directory", .0.shown())]
    NotADirectory(PathBuf),
    #[error("`{}` cannot be used (name a directory that you may write to)", path.shown())]
    Unusable { path: PathBuf, source: io::Error },
    #[error("cannot write `{}`", path.shown())]
    Failed { path: PathBuf, source: io::Error },
}

impl From<NotWritten> for Failure {
    fn from(error: NotWritten) -> Self {
        let exit = match error {
            NotWritten::NotEmpty(_) | NotWritten::NotADirectory(_) | NotWritten::Unusable { .. } => Exit::Usage,
            NotWritten::Failed { .. } => Exit::ArenaFailed,
        };
        Self::of(exit, error)
    }
}

/// The user has named a directory that cannot be read or created.
fn unusable(dir: &Path, source: io::Error) -> NotWritten {
    NotWritten::Unusable { path: dir.to_owned(), source }
}

/// Writes `files` into the directory `dir`, which must be empty or not exist yet.
///
/// An otherwise empty git repository counts as empty: a student may have cloned it to work there.
pub(super) fn write(dir: &Path, files: &[TextFile]) -> Result<(), Failure> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        |source| NotWritten::Failed { path, source }
    };
    match fs::read_dir(dir) {
        Ok(entries) => {
            let names: io::Result<Vec<_>> = entries.map(|entry| entry.map(|entry| entry.file_name())).collect();
            if names.map_err(failed(dir))?.iter().any(|name| name != OsStr::new(".git")) {
                return Err(NotWritten::NotEmpty(dir.to_owned()).into());
            }
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) if error.kind() == ErrorKind::NotADirectory => {
            return Err(NotWritten::NotADirectory(dir.to_owned()).into());
        }
        Err(source) => return Err(unusable(dir, source).into()),
    }
    fs::create_dir_all(dir).map_err(|source| unusable(dir, source))?;
    for file in files {
        let path = dir.join(file.path);
        let parent = path.parent().unwrap_or(dir);
        fs::create_dir_all(parent).map_err(failed(parent))?;
        write_whole(&path, file.text.as_bytes()).map_err(failed(&path))?;
    }
    Ok(())
}

/// The line that tells the user to enter `dir`; empty if the user is already there.
pub(super) fn enter(dir: &Path) -> String {
    if dir == Path::new(".") { String::new() } else { format!("  cd {}\n", quoted(&dir.shown())) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_a_shell_would_split_or_fill_in_is_quoted() {
        for (path, line) in [
            (".", ""),
            ("bots/my-bot_2", "  cd bots/my-bot_2\n"),
            ("../odd dir", "  cd '../odd dir'\n"),
            ("~", "  cd '~'\n"),
            ("$HOME", "  cd '$HOME'\n"),
            ("Ann's", "  cd 'Ann'\\''s'\n"),
        ] {
            assert_eq!(enter(Path::new(path)), line);
        }
    }
}
