//! Reading the tournament file that a command names.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::{fs, io};

use anyhow::{Context, anyhow};

use super::{CommandResult, Exit, Failure};
use crate::tournament::{CLASS_TOML, Problems, Tournament};

/// A tournament with where it came from.
#[derive(Clone, Debug)]
pub(super) struct Loaded {
    pub(super) tournament: Tournament,
    /// What its relative paths are relative to: the directory of the file, or the current one. Never empty.
    pub(super) base: PathBuf,
    /// The stem of the file's name, after which results are named by default.
    #[expect(dead_code, reason = "for `run`, which names its results after it")]
    pub(super) stem: String,
    /// How messages name the file.
    pub(super) shown: PathBuf,
}

/// Why there is no tournament.
#[derive(Debug)]
pub(super) enum LoadError {
    /// The file can't be read.
    Unreadable(Failure),
    /// The file is wrong.
    Wrong { shown: PathBuf, problems: Problems },
}

impl LoadError {
    /// Says on stderr what is wrong with the file, or leaves that to the program's end.
    pub(super) fn report(self) -> CommandResult {
        match self {
            Self::Unreadable(failure) => Err(failure),
            Self::Wrong { shown, problems } => {
                eprintln!("{}", problems.display(&shown));
                Ok(Exit::Usage)
            }
        }
    }
}

/// The tournament in `file`: `-` is stdin, and none at all the embedded class.toml.
pub(super) fn load(file: Option<&Path>) -> Result<Loaded, LoadError> {
    let (text, base, stem, shown) = match file {
        None => (CLASS_TOML.to_owned(), PathBuf::from("."), "class".to_owned(), PathBuf::from("class.toml")),
        Some(file) if file == Path::new("-") => {
            let mut bytes = Vec::new();
            let read = io::stdin().lock().read_to_end(&mut bytes).context("stdin can't be read");
            let shown = PathBuf::from("stdin");
            (utf8(read.map(|_| bytes), &shown)?, PathBuf::from("."), "stdin".to_owned(), shown)
        }
        Some(file) => {
            let read = fs::read(file).with_context(|| format!("`{}` can't be read", file.display()));
            let parent = file.parent().filter(|parent| !parent.as_os_str().is_empty());
            let base = parent.unwrap_or(Path::new(".")).to_owned();
            let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            (utf8(read, file)?, base, stem, file.to_owned())
        }
    };
    match Tournament::parse(&text, &stem) {
        Ok(tournament) => Ok(Loaded { tournament, base, stem, shown }),
        Err(problems) => Err(LoadError::Wrong { shown, problems }),
    }
}

/// The text that was read, if it is any.
fn utf8(read: anyhow::Result<Vec<u8>>, shown: &Path) -> Result<String, LoadError> {
    let bytes = read.map_err(|error| LoadError::Unreadable(Failure::usage(error)))?;
    String::from_utf8(bytes).map_err(|error| {
        let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = valid.iter().filter(|&&byte| byte == b'\n').count() + 1;
        LoadError::Unreadable(Failure::usage(anyhow!("{}:{line}: this line is not UTF-8", shown.display())))
    })
}
