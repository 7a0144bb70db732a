//! The Seegover tables, which cover the move phase, as files: one for each of the four [`MoveRules`].
//!
//! A file consists of a header of `HEADER` bytes, which is text padded with empty lines, and then the bytes of the
//! table. The header contains the version of the format, the rules, the digest of the bytes, and the number of
//! positions of each worth.

mod header;
mod table_choice;
#[cfg(test)]
mod tests;

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use thiserror::Error;

use crate::base::console;
use crate::base::files::temporary_in;
use crate::base::machine;
use crate::base::sanitise::{Shown as _, sanitised};
use crate::exact::seegover::Tablebase;
use crate::game::Ruleset;
use crate::game::seegover::{DropRule, MoveRules};

pub use header::SeegoverTableHeader;
pub use table_choice::{SeegoverTableLack, read_named, table_place};

/// The length of the header in bytes.
const HEADER: usize = 4096;

/// The length of a file in bytes.
pub const LENGTH: u64 = (HEADER + Tablebase::BYTES) as u64;

/// The command that builds the table of `rules`.
pub fn build_command(rules: MoveRules) -> String {
    let ruleset = ruleset(rules).to_string();
    let quote = if ruleset.contains(' ') { "\"" } else { "" };
    format!("gothello-arena tablebase build {quote}{ruleset}{quote}")
}

/// The rule set with `rules`, for messages.
const fn ruleset(rules: MoveRules) -> Ruleset {
    Ruleset::Seegover(rules.with(DropRule::One))
}

/// The reason why a table cannot be used.
#[derive(Debug, Error)]
pub enum Unusable {
    /// There is no such file.
    #[error("there is no table")]
    Missing,
    /// The file cannot be opened or read.
    #[error("it cannot be read")]
    Unreadable(#[source] io::Error),
    /// The file is a directory, a pipe, or something similar.
    #[error("it is not a regular file")]
    NotAFile,
    /// The file does not begin with a header.
    #[error("it is not a Seegover table")]
    Foreign,
    /// The file was written by another version of this program.
    #[error("it uses a different version of the table format (`{}`)", sanitised(.0))]
    OtherVersion(String),
    /// The file's header cannot be understood.
    #[error("its header is damaged")]
    Header,
    /// The file contains the table for other rules.
    #[error("it is the table for `{}`, not for `{}`", ruleset(*.found), ruleset(*.wanted))]
    OtherRules {
        /// The rules of the table in the file.
        found: MoveRules,
        /// The rules of the table that is needed.
        wanted: MoveRules,
    },
    /// The file is too short or too long.
    #[error("it is {found} bytes long instead of {LENGTH}; it may have been truncated when it was copied")]
    Length {
        /// The length of the file.
        found: u64,
    },
}

/// The default location of the table of `rules`, in the user's cache directory. `None` if neither `XDG_CACHE_HOME` nor
/// `HOME` is set to an absolute path.
pub fn default_place(rules: MoveRules) -> Option<PathBuf> {
    Some(machine::cache_dir()?.join(file_name(rules)))
}

/// The name of the file with the table of `rules`: the rule set, in a form such as `seegover-capture-single.table`.
pub fn file_name(rules: MoveRules) -> String {
    format!("{}.table", ruleset(rules).to_string().replace([' ', '='], "-"))
}

/// Reads the table in `file`, which must be for the rules `wanted`, if given. The header and the length are checked,
/// but the bytes are not; to check them, compare [`SeegoverTableHeader::digest`].
///
/// # Errors
/// Returns an error that says why the table cannot be used.
pub fn read(file: &Path, wanted: Option<MoveRules>) -> Result<(SeegoverTableHeader, Tablebase), Unusable> {
    console::detail_of(file, format_args!("reading the table `{}`", file.shown()));
    let mut open = open(file)?;
    let header = header_of(&mut open, wanted)?;
    let mut bytes = Vec::with_capacity(Tablebase::BYTES);
    open.take(Tablebase::BYTES as u64).read_to_end(&mut bytes).map_err(Unusable::Unreadable)?;
    let found = (HEADER + bytes.len()) as u64;
    let table = Tablebase::from_bytes(header.rules(), bytes).ok_or(Unusable::Length { found })?;
    Ok((header, table))
}

/// The table of `rules` at its [`default_place`], read once per process; `None` if it cannot be used.
pub fn cached(rules: MoveRules) -> Option<Arc<Tablebase>> {
    static TABLES: [OnceLock<Option<Arc<Tablebase>>>; MoveRules::ALL.len()] =
        [const { OnceLock::new() }; MoveRules::ALL.len()];
    let table = &TABLES[MoveRules::ALL.iter().position(|known| *known == rules)?];
    table.get_or_init(|| Some(Arc::new(read(&default_place(rules)?, Some(rules)).ok()?.1))).clone()
}

/// Checks that `file` seems to contain a table, judging by its header and its length, and that the table is for the
/// rules `wanted`, if given.
///
/// # Errors
/// Returns an error that says why the table cannot be used.
pub fn look(file: &Path, wanted: Option<MoveRules>) -> Result<SeegoverTableHeader, Unusable> {
    header_of(&mut open(file)?, wanted)
}

impl Unusable {
    /// Whether a new table may replace the file, because there is no file or because the file is a table that cannot be
    /// used. The owner may want to keep any other file.
    pub const fn is_replaceable(&self) -> bool {
        match self {
            Self::Missing | Self::OtherVersion(_) | Self::Header | Self::Length { .. } => true,
            Self::Unreadable(_) | Self::NotAFile | Self::Foreign | Self::OtherRules { .. } => false,
        }
    }
}

/// Opens `file`, which must be a regular file: reading a pipe might never end.
fn open(file: &Path) -> Result<File, Unusable> {
    let nonblocking = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
    let open = OpenOptions::new().read(true).custom_flags(nonblocking).open(file).map_err(|error| {
        if error.kind() == io::ErrorKind::NotFound { Unusable::Missing } else { Unusable::Unreadable(error) }
    })?;
    let is_file = open.metadata().map_err(Unusable::Unreadable)?.is_file();
    if is_file { Ok(open) } else { Err(Unusable::NotAFile) }
}

/// Reads the header of `file`, and checks it and the length of the file.
fn header_of(file: &mut File, wanted: Option<MoveRules>) -> Result<SeegoverTableHeader, Unusable> {
    let mut text = Vec::with_capacity(HEADER);
    Read::by_ref(file).take(HEADER as u64).read_to_end(&mut text).map_err(Unusable::Unreadable)?;
    let header = SeegoverTableHeader::parse(&text)?;
    if let Some(wanted) = wanted.filter(|wanted| *wanted != header.rules()) {
        return Err(Unusable::OtherRules { found: header.rules(), wanted });
    }
    let found = file.metadata().map_err(Unusable::Unreadable)?.len();
    if found == LENGTH { Ok(header) } else { Err(Unusable::Length { found }) }
}

/// Checks that [`write()`] can create a file at the path `file`, so that no time is spent on a table that cannot be
/// stored. Missing directories are created.
///
/// # Errors
/// Returns an error if there is a directory at this path, or if a file cannot be created there.
pub fn try_place(file: &Path) -> io::Result<()> {
    if file.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    temporary_in(made_dir_of(file)?).map(drop)
}

/// The directory of `file`, which is created if it is missing.
fn made_dir_of(file: &Path) -> io::Result<&Path> {
    let dir = file.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::create_dir_all(dir)?;
    Ok(dir)
}

/// Writes a table to `file`, in one step: there is never a partial table at this path. Missing directories are created.
///
/// # Errors
/// Returns an error if a directory or the file cannot be written; an older file is then unchanged.
pub fn write(file: &Path, header: &SeegoverTableHeader, table: &Tablebase) -> io::Result<()> {
    let mut open = temporary_in(made_dir_of(file)?)?;
    open.write_all(&header.padded())?;
    open.write_all(table.bytes())?;
    open.persist(file)?;
    Ok(())
}
