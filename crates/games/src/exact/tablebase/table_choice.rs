//! The table that a user names, or else the one in the cache directory.

use std::path::PathBuf;

use thiserror::Error;

use super::{SeegoverTableHeader, Unusable, build_command, default_place, read};
use crate::base::exit::{CommandError, ErrorExit, Exit};
use crate::base::sanitise::Shown as _;
use crate::exact::seegover::Tablebase;
use crate::game::seegover::MoveRules;

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
        /// The rules whose table is needed.
        rules: MoveRules,
        /// The reason why the file cannot be used.
        source: Unusable,
    },
}

impl CommandError for SeegoverTableLack {
    fn error_exit(&self) -> ErrorExit {
        match self {
            Self::Nowhere { .. } | Self::Unusable { source: Unusable::Unreadable(_), .. } => Exit::Usage.alone(),
            Self::Unusable { source: Unusable::OtherRules { wanted, .. }, .. } => {
                let build = build_command(*wanted);
                Exit::Usage.hint(format!(
                    "name the file that contains its table, which takes about a minute to build: {build}"
                ))
            }
            Self::Unusable { file, is_named, rules, source } => {
                // A build does not replace a file that is not a table.
                let place = if *is_named && source.is_replaceable() {
                    format!(" --out '{}'", file.shown())
                } else {
                    String::new()
                };
                Exit::Usage.hint(format!("build it, which takes about a minute: {}{place}", build_command(*rules)))
            }
        }
    }
}

/// The file named by the user, or else the file for `rules` in the cache directory; `option` is the option for naming a
/// file.
///
/// # Errors
/// Fails if the user has not named a file, and there is no cache directory.
pub fn table_place(
    named: Option<PathBuf>,
    rules: MoveRules,
    option: &'static str,
) -> Result<PathBuf, SeegoverTableLack> {
    named.or_else(|| default_place(rules)).ok_or(SeegoverTableLack::Nowhere { option })
}

/// Reads the table of `rules` from the file named by the user with `--table`, or else from the cache directory. If the
/// rules are not known yet, any table in the named file will do.
///
/// # Errors
/// Fails if there is no such file, or if it cannot be used.
pub fn read_named(
    named: Option<PathBuf>,
    rules: Option<MoveRules>,
) -> Result<(SeegoverTableHeader, Tablebase), SeegoverTableLack> {
    let (is_named, wanted) = (named.is_some(), rules.unwrap_or_default());
    let file = table_place(named, wanted, "--table")?;
    read(&file, rules).map_err(|source| SeegoverTableLack::Unusable { file, is_named, rules: wanted, source })
}
