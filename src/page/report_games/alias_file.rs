//! The file of players' aliases next to a run's games.

use std::io;
use std::path::Path;

use super::ReportError;
use crate::page::shown::aliases::Aliases;
use crate::run::results_dir::read_at_most;

/// The maximum size of the file to read, in bytes; enough for a hundred thousand players.
const MOST: u64 = 16 << 20;

/// The aliases in `file`; empty if the file is missing.
///
/// # Errors
/// Fails if the file cannot be read, or is not a file of aliases.
pub(crate) fn read_aliases(file: &Path) -> Result<Aliases, ReportError> {
    let text = match read_at_most(file, MOST) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Aliases::default()),
        text => text.map_err(|source| ReportError::UnreadableAliases { file: file.to_owned(), source })?,
    };
    Aliases::parse(&text).map_err(|error| ReportError::WrongAliases { file: file.to_owned(), error })
}
