//! The Seegover table that a command needs.

use std::path::PathBuf;

use anyhow::anyhow;

use super::Failure;
use crate::base::sanitise::Shown as _;
use crate::exact::seegover::Tablebase;
use crate::exact::tablebase::{BUILD, TableHeader, Unusable, default_place, read};

/// The file named by the user, or else the one in the cache directory; `option` is the option for naming one.
pub(super) fn place(named: Option<PathBuf>, option: &str) -> Result<PathBuf, Failure> {
    let nowhere =
        || anyhow!("neither XDG_CACHE_HOME nor HOME is set, so the table cannot be found; name a file with {option}");
    named.or_else(default_place).ok_or_else(|| Failure::usage(nowhere()))
}

/// Reads the table from the file named by the user, or else from the cache directory.
pub(super) fn load(named: Option<PathBuf>) -> Result<(TableHeader, Tablebase), Failure> {
    let is_named = named.is_some();
    let file = place(named, "--table")?;
    read(&file).map_err(|unusable| {
        // A build does not replace a file that is not a table.
        let place =
            if is_named && unusable.is_replaceable() { format!(" --out '{}'", file.shown()) } else { String::new() };
        let hint = format!("build it, which takes about a minute: {BUILD}{place}");
        let what = anyhow!("cannot use the table of Seegover in `{}`", file.shown());
        let hint = (!matches!(unusable, Unusable::Unreadable(_))).then_some(hint);
        Failure::usage(anyhow::Error::new(unusable).context(what)).with_hint(hint)
    })
}
