//! The table that a user names, or else the one in the cache directory.

use std::path::PathBuf;

use thiserror::Error;

use super::{BUILD, SeegoverTableHeader, Unusable, default_place, read};
use crate::base::exit::{CommandError, ErrorExit, Exit};
use crate::base::sanitise::Shown as _;
use crate::exact::seegover::Tablebase;

/// The reason why no Seegover table is available.
#[derive(Debug, Error)]
pub enum SeegoverTableLack {
    /// The location of the table is unknown.
    #[error("neither XDG_CACHE_HOME nor HOME is set, so the table cannot be found; name a file with {option}")]
    Nowhere {
        /// The option that names a file.
        option: &'static str,
    },
    /// The file cannot be used.
    #[error("cannot use the Seegover table in `{}`", file.shown())]
    Unusable {
        /// The file.
        file: PathBuf,
        /// Whether the user named the file.
        is_named: bool,
        /// The reason why the file cannot be used.
        source: Unusable,
    },
}

impl CommandError for SeegoverTableLack {
    fn error_exit(&self) -> ErrorExit {
        match self {
            Self::Nowhere { .. } | Self::Unusable { source: Unusable::Unreadable(_), .. } => Exit::Usage.alone(),
            Self::Unusable { file, is_named, source } => {
                // A build does not replace a file that is not a table.
                let place = if *is_named && source.is_replaceable() {
                    format!(" --out '{}'", file.shown())
                } else {
                    String::new()
                };
                Exit::Usage.hint(format!("build it, which takes about a minute: {BUILD}{place}"))
            }
        }
    }
}

/// The file named by the user, or else the one in the cache directory; `option` is the option for naming one.
///
/// # Errors
/// Fails if the user has named no file, and there is no cache directory.
pub fn table_place(named: Option<PathBuf>, option: &'static str) -> Result<PathBuf, SeegoverTableLack> {
    named.or_else(default_place).ok_or(SeegoverTableLack::Nowhere { option })
}

/// Reads the table from the file named by the user with `--table`, or else from the cache directory.
///
/// # Errors
/// Fails if there is no such file, or if it cannot be used.
pub fn read_named(named: Option<PathBuf>) -> Result<(SeegoverTableHeader, Tablebase), SeegoverTableLack> {
    let is_named = named.is_some();
    let file = table_place(named, "--table")?;
    read(&file).map_err(|source| SeegoverTableLack::Unusable { file, is_named, source })
}
