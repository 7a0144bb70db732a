//! Reads the tournament file that a command names.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};

use super::{Failure, note};
use crate::base::sanitise::{Shown as _, beneath};
use crate::exact::adjudication::{Adjudication, ProofBy};
use crate::exact::balanced_openings::{Balanced, balanced};
use crate::host::program::resolved;
use crate::tournament::file::{CLASS_TOML, FileProblems, Site};
use crate::tournament::{Format, PlayerKind, Tournament};

/// A tournament, and where it came from.
#[derive(Clone, Debug)]
pub(super) struct Loaded {
    pub(super) tournament: Tournament,
    /// The directory that its relative paths start from: that of the file, or the current one. Never empty.
    pub(super) base: PathBuf,
    /// The stem of the file's name, which is the default name of the results.
    pub(super) stem: String,
    /// How messages name the file.
    pub(super) shown: PathBuf,
    /// The text of the file.
    #[cfg(feature = "nats")]
    pub(super) text: String,
}

impl Loaded {
    /// Checks that each directory named in the file for a player's program exists. Otherwise the player would lose all its games
    /// because of a typo.
    ///
    /// # Errors
    /// Returns an error naming the players whose directories do not exist.
    pub(super) fn must_have_directories(&self) -> Result<(), Failure> {
        let lost = self.tournament.players.iter().filter_map(|player| {
            let PlayerKind::Program(program) = &player.kind else { return None };
            let dir = program.working_dir(&self.base);
            let is_lost = program.dir.is_some() && !dir.is_dir();
            is_lost.then(|| format!("player `{}`: directory `{}` not found", player.name, dir.shown()))
        });
        let lost: Vec<String> = lost.collect();
        if lost.is_empty() {
            return Ok(());
        }
        Err(Failure::usage(anyhow!(
            "nothing was played, because directories named by the key `dir` in `{}` do not exist:{}",
            self.shown.shown(),
            beneath(lost)
        )))
    }
}

/// Why there is no tournament.
#[derive(Debug)]
pub(super) enum LoadError {
    /// The file cannot be read.
    Unreadable(Failure),
    /// The file has mistakes.
    Wrong { shown: PathBuf, problems: FileProblems },
}

impl From<LoadError> for Failure {
    fn from(error: LoadError) -> Self {
        match error {
            LoadError::Unreadable(failure) => failure,
            LoadError::Wrong { shown, problems } => Self::wrong_file(problems.display(&shown)),
        }
    }
}

/// The tournament in `file`: `-` is stdin, and `None` is the embedded class.toml.
pub(super) fn load(file: Option<&Path>) -> Result<Loaded, LoadError> {
    let (read, base, stem, shown) = match file {
        None => {
            (Ok(CLASS_TOML.as_bytes().to_vec()), PathBuf::from("."), "class".to_owned(), PathBuf::from("class.toml"))
        }
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
    let is_directory = read.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::IsADirectory);
    let inside = is_directory.then(|| format!("; name the file in it, such as `{}`", shown.join("class.toml").shown()));
    let read = read.with_context(|| format!("cannot read `{}`{}", shown.shown(), inside.unwrap_or_default()));
    let bytes = read.map_err(|error| LoadError::Unreadable(Failure::usage(error)))?;
    let own = file.filter(|file| *file != Path::new("-"));
    match Tournament::parse_at(&bytes, &stem, &Site::new(&base, own, &resolved)) {
        Ok(tournament) => Ok(Loaded {
            tournament,
            base,
            stem,
            shown,
            // A tournament file is UTF-8.
            #[cfg(feature = "nats")]
            text: String::from_utf8_lossy(&bytes).into_owned(),
        }),
        Err(problems) => Err(LoadError::Wrong { shown, problems }),
    }
}

/// The maximum size of a tournament file or rubric. A larger one must be something else, such as an endless device.
const MOST_MEBIBYTES: u64 = 64;

/// The contents of `file`, or an error if it is too large.
pub(super) fn read_bounded(file: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = file.take((MOST_MEBIBYTES << 20) + 1).read_to_end(&mut bytes)?;
    if read as u64 > MOST_MEBIBYTES << 20 {
        let what = format!("it is larger than {MOST_MEBIBYTES} MiB, the limit for such a file");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, what));
    }
    Ok(bytes)
}

/// The openings of the tournament's games, if it only uses those nearest to a draw.
pub(super) fn balanced_openings(tournament: &Tournament) -> Option<&'static Balanced> {
    tournament.balanced.then(|| balanced(tournament.opening_plies).ok())?
}

/// Warns if proofs start so early that they change results.
pub(super) fn warn_of_early_proofs(tournament: &Tournament) {
    let early = tournament.adjudicate.filter(|adjudicate| {
        matches!(adjudicate.by(), ProofBy::Nodes(_)) && adjudicate.after_ply() < Adjudication::DEFAULT_AFTER_PLY
    });
    if let Some(after) = early.map(Adjudication::after_ply) {
        // Measured: docs/reference/tournament-file.md.
        let (measured, share) = match after {
            20.. => (20, 2),
            18.. => (18, 5),
            16.. => (16, 12),
            14.. => (14, 17),
            _ => (10, 32),
        };
        note(format_args!(
            "`adjudicate.after_ply = {after}`: a proof ends a game as perfect players would, which bots are not; of 270 games \
             between the built-in bots, {share} % ended otherwise with `after_ply = {measured}`, and 1 % with the default of {}",
            Adjudication::DEFAULT_AFTER_PLY
        ));
    }
}

/// Warns if those openings are not what a user would expect of openings nearest to a draw, and if a sequential test has no
/// openings at all.
pub(super) fn warn_of_openings(tournament: &Tournament) {
    if matches!(tournament.format, Format::Sprt { .. }) && tournament.opening_plies == 0 {
        note(
            "without `openings`, bots that do not vary their play repeat the same two games, and the test counts a repeated \
             pair only once; `openings = { plies = 2 }` starts every pair from another position",
        );
    }
    for warning in balanced_openings(tournament).into_iter().flat_map(Balanced::warnings) {
        note(format_args!("{warning}"));
    }
}
