//! The tournament file that a user names.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::base::console;
use crate::base::exit::{CommandError, ErrorExit, Exit};
use crate::base::sanitise::{Shown as _, beneath};
use crate::base::suggestion::nearest;
use crate::host::program::resolved;
use crate::tournament::Tournament;
use crate::tournament::file::{CLASS_TOML, FileProblems, Site};

/// A tournament, with information about its file.
#[derive(Clone, Debug)]
pub(crate) struct LoadedTournament {
    /// The tournament.
    pub(crate) tournament: Tournament,
    /// The directory to which the tournament's paths are relative: the directory of the file, or the current one. Never
    /// empty.
    pub(crate) base: PathBuf,
    /// The stem of the file's name, which is the default name of the results.
    pub(crate) stem: String,
    /// The name of the file in messages.
    pub(crate) shown: PathBuf,
    /// The text of the file.
    #[cfg(feature = "nats")]
    pub(crate) text: String,
}

impl LoadedTournament {
    /// Checks that each directory named in the file for a player's program exists. Otherwise, a player would lose all
    /// its games because of a typo.
    ///
    /// # Errors
    /// Returns an error naming the players whose directories do not exist.
    pub(crate) fn must_have_directories(&self) -> Result<(), TournamentFileError> {
        let players = self.tournament.players.iter();
        let programs = players.flat_map(|player| player.programs().map(move |(_, program)| (player, program)));
        let lost = programs.filter_map(|(player, program)| {
            let dir = program.working_dir(&self.base);
            let is_lost = program.dir.is_some() && !dir.is_dir();
            is_lost.then(|| format!("player `{}`: directory `{}` not found", player.name, dir.shown()))
        });
        let lost: Vec<String> = lost.collect();
        if lost.is_empty() {
            return Ok(());
        }
        Err(TournamentFileError::NoDirectories { shown: self.shown.clone(), lost })
    }
}

/// Why a tournament could not be loaded.
#[derive(Debug, Error)]
pub(crate) enum TournamentFileError {
    /// The file cannot be read.
    #[error("cannot read `{}`{}", shown.shown(), file_inside(shown, source))]
    Unreadable {
        /// The name of the file in messages.
        shown: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// The file has mistakes.
    #[error("{}", problems.display(shown))]
    Wrong {
        /// The name of the file in messages.
        shown: PathBuf,
        /// The mistakes.
        problems: FileProblems,
    },
    /// The file names directories that do not exist.
    #[error(
        "nothing was played, because directories named by the key `dir` in `{}` do not exist:{}",
        shown.shown(), beneath(lost.iter())
    )]
    NoDirectories {
        /// The name of the file in messages.
        shown: PathBuf,
        /// The players and their directories, one per line.
        lost: Vec<String>,
    },
}

impl CommandError for TournamentFileError {
    fn error_exit(&self) -> ErrorExit {
        match self {
            Self::Unreadable { shown, source } if source.kind() == io::ErrorKind::NotFound => {
                Exit::Usage.hint(other_file(shown))
            }
            Self::Unreadable { .. } | Self::Wrong { .. } | Self::NoDirectories { .. } => Exit::Usage.alone(),
        }
    }
}

/// Advice for when the file `shown` does not exist: name the file that was probably meant, or write one.
fn other_file(shown: &Path) -> String {
    let dir = shown.parent().filter(|parent| !parent.as_os_str().is_empty());
    let files = dir.unwrap_or(Path::new(".")).read_dir().into_iter().flatten().flatten();
    let names: Vec<String> = files.filter_map(|file| file.file_name().into_string().ok()).collect();
    let known = names.iter().map(String::as_str).filter(|name| Path::new(name).extension() == Some("toml".as_ref()));
    let meant = shown.file_name().and_then(|name| nearest(name.to_str()?, known));
    match meant {
        Some(name) => format!("there is a file `{}`", shown.with_file_name(name).shown()),
        None => "`gothello-arena init tournament` writes a class.toml to start from, and `gothello-arena run` without \
                 a file plays an example"
            .to_owned(),
    }
}

/// Advice to name a file in `shown`, if `shown` cannot be read because it is a directory; otherwise empty.
fn file_inside(shown: &Path, error: &io::Error) -> String {
    if error.kind() != io::ErrorKind::IsADirectory {
        return String::new();
    }
    format!("; name the file in it, such as `{}`", shown.join("class.toml").shown())
}

/// The name of the embedded tournament file in messages.
const EMBEDDED: &str = "the embedded class.toml";

/// Reads the tournament in `file`: `-` is stdin, and `None` is the embedded class.toml.
///
/// # Errors
/// Fails if the file cannot be read, or has mistakes.
pub(crate) fn load(file: Option<&Path>) -> Result<LoadedTournament, TournamentFileError> {
    let (read, base, stem, shown) = match file {
        None => (Ok(CLASS_TOML.as_bytes().to_vec()), PathBuf::from("."), "class".to_owned(), PathBuf::from(EMBEDDED)),
        Some(file) if file == Path::new("-") => {
            (read_bounded(io::stdin().lock()), PathBuf::from("."), "stdin".to_owned(), PathBuf::from("stdin"))
        }
        Some(file) => {
            let parent = file.parent().filter(|parent| !parent.as_os_str().is_empty());
            let base = parent.unwrap_or(Path::new(".")).to_owned();
            let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            (File::open(file).and_then(read_bounded), base, stem, file.to_owned())
        }
    };
    match file {
        Some(file) => console::detail_of(file, format_args!("reading the tournament from `{}`", shown.shown())),
        None => console::detail(format_args!("the tournament is {EMBEDDED}")),
    }
    let bytes = match read {
        Ok(bytes) => bytes,
        Err(source) => return Err(TournamentFileError::Unreadable { shown, source }),
    };
    let own = file.filter(|file| *file != Path::new("-"));
    match Tournament::parse_at(&bytes, &stem, &Site::new(&base, own, &resolved)) {
        Ok(tournament) => Ok(LoadedTournament {
            tournament,
            base,
            stem,
            shown,
            // A tournament file is UTF-8.
            #[cfg(feature = "nats")]
            text: String::from_utf8_lossy(&bytes).into_owned(),
        }),
        Err(problems) => Err(TournamentFileError::Wrong { shown, problems }),
    }
}

/// The maximum size of a tournament file or rubric. A larger file must be something else, such as an endless device.
const MOST_MEBIBYTES: u64 = 64;

/// Reads the contents of `file`.
///
/// # Errors
/// Fails if the file cannot be read, or is too large.
pub(crate) fn read_bounded(file: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = file.take((MOST_MEBIBYTES << 20) + 1).read_to_end(&mut bytes)?;
    if read as u64 > MOST_MEBIBYTES << 20 {
        let what = format!("it is larger than {MOST_MEBIBYTES} MiB, the limit for such a file");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, what));
    }
    Ok(bytes)
}
