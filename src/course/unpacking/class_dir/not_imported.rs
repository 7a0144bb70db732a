//! Why a class was not imported.

use std::path::PathBuf;

use thiserror::Error;

use super::ROSTER;
use crate::base::exit::{CommandError, ErrorExit, Exit};
use crate::base::machine::LockHolders;
use crate::base::sanitise::Shown as _;
use crate::course::roster::BadRoster;
use crate::course::unpacking::refusal::UnpackError;
use crate::tournament::file::FileProblems;

/// Why a class was not imported.
#[derive(Debug, Error)]
pub(crate) enum NotImported {
    /// The directory already contains an import.
    #[error("`{}` already contains an import: add `--update` to import new submissions, or name another directory with `--out`", .0.shown())]
    Exists(PathBuf),
    /// The directory contains something else.
    #[error("`{}` is not empty, and does not contain an import (with `--out`, name a directory that is empty or does not exist yet)", .0.shown())]
    NotEmpty(PathBuf),
    /// The directory does not contain an import to update.
    #[error("`{}` does not contain a {ROSTER} to update: leave out `--update`", .0.shown())]
    Nothing(PathBuf),
    /// import.json is not a valid roster.
    #[error("cannot read `{}`: {source}", path.shown())]
    Roster { path: PathBuf, source: BadRoster },
    /// The teacher's class.toml has mistakes.
    #[error("nothing was changed, because `{}` has mistakes:\n{}", path.shown(), problems.display(path))]
    ClassFile { path: PathBuf, problems: FileProblems },
    /// Other processes are importing into the directory, or playing from it.
    #[error("nothing was changed, because `{}` is in use by {holders}: repeat the command once it is free", dir.shown())]
    InUse { dir: PathBuf, holders: LockHolders },
    /// A file or directory cannot be read or written.
    #[error(transparent)]
    Io(#[from] UnpackError),
}

impl CommandError for NotImported {
    fn error_exit(&self) -> ErrorExit {
        match self {
            Self::Io(_) => Exit::ArenaFailed.alone(),
            Self::Exists(_)
            | Self::NotEmpty(_)
            | Self::Nothing(_)
            | Self::Roster { .. }
            | Self::ClassFile { .. }
            | Self::InUse { .. } => Exit::Usage.alone(),
        }
    }
}
