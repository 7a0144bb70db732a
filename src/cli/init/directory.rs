//! The directory that a user begins with.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::base::files::write_whole;
use crate::base::printable::Shown as _;
use crate::cli::Failure;
use crate::tournament::starters::TextFile;

/// Why the files are not there.
#[derive(Debug, Error)]
enum NotWritten {
    #[error("`{}` is not empty (name a directory that is empty or does not exist yet)", .0.shown())]
    NotEmpty(PathBuf),
    #[error("`{}` is not a directory", .0.shown())]
    NotADirectory(PathBuf),
    #[error("cannot write `{}`", path.shown())]
    Failed { path: PathBuf, source: io::Error },
}

/// Writes `files` into the directory `dir`, which must be empty or not exist yet.
///
/// An otherwise empty git repository counts as empty: a student may have cloned it to work there.
pub(super) fn write(dir: &Path, files: &[TextFile]) -> Result<(), Failure> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        |source| Failure::from(NotWritten::Failed { path, source })
    };
    match fs::read_dir(dir) {
        Ok(entries) => {
            let names: io::Result<Vec<_>> = entries.map(|entry| entry.map(|entry| entry.file_name())).collect();
            if names.map_err(failed(dir))?.iter().any(|name| name != OsStr::new(".git")) {
                return Err(Failure::usage(NotWritten::NotEmpty(dir.to_owned())));
            }
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) if error.kind() == ErrorKind::NotADirectory => {
            return Err(Failure::usage(NotWritten::NotADirectory(dir.to_owned())));
        }
        Err(error) => return Err(failed(dir)(error)),
    }
    for file in files {
        let path = dir.join(file.path);
        let parent = path.parent().unwrap_or(dir);
        fs::create_dir_all(parent).map_err(failed(parent))?;
        write_whole(&path, file.text.as_bytes()).map_err(failed(&path))?;
    }
    Ok(())
}

/// The line that tells the user to enter `dir`; nothing if the user is already there.
pub(super) fn enter(dir: &Path) -> String {
    if dir == Path::new(".") { String::new() } else { format!("  cd {}\n", dir.shown()) }
}
