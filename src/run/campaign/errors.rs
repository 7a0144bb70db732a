//! Why a campaign cannot go ahead.

use std::collections::BTreeSet;
use std::error::Error as _;
use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::base::machine::not_listening;
use crate::base::sanitise::{Shown as _, beneath, listed, sanitised};
use crate::exact::tablebase::Unusable;
use crate::host::sandbox::{CageError, Tier, Undecided};
use crate::run::collector::CollectError;
use crate::run::derived::DerivedError;
use crate::run::elsewhere::CannotShare;
use crate::run::entrants::Shortage;
use crate::run::journal::{JournalError, LedgerError};
use crate::tournament::definition::Change;
use crate::tournament::shard::Shard;

/// How a run can continue after its tournament file has changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Remedy {
    /// Replay all games of these players: the change concerns them alone.
    Redo(BTreeSet<String>),
    /// Extend the run: the change only adds players or rounds.
    Extend,
    /// Undo the change: it does more than extend the run, which is what the user asked for.
    NotByExtending,
    /// Undo the change: there is no other way.
    Undo,
}

/// A game with different records in two runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TwoRecords {
    /// The game's id.
    pub game: String,
    /// The directory of the run that was named first.
    pub first: PathBuf,
    /// The directory of the other run.
    pub other: PathBuf,
}

/// The game's id, a colon, and both directories.
impl fmt::Display for TwoRecords {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: `{}` and `{}`", sanitised(&self.game), self.first.shown(), self.other.shown())
    }
}

/// The part of a tournament that a run plays, in words.
fn part(shard: Option<Shard>) -> String {
    shard.map_or_else(|| "the whole tournament".to_owned(), |shard| format!("shard {shard}"))
}

/// Why a run cannot begin, continue, be rebuilt, or be merged.
#[derive(Debug, Error)]
pub(crate) enum CampaignError {
    /// The directory for the results holds something other than a run.
    #[error("`{}` is not empty and holds no run to continue", dir.shown())]
    Occupied {
        /// The directory.
        dir: PathBuf,
    },
    /// The directory for the results cannot be read.
    #[error("`{}` cannot be used for results", dir.shown())]
    Unreadable {
        /// The directory.
        dir: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The directory for the results, or the journal in it, cannot be made.
    #[error("could not create the directory `{}`", dir.shown())]
    Unmade {
        /// The directory.
        dir: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The journal of a new run cannot be written.
    #[error(transparent)]
    Unbegun(JournalError),
    /// The tournament needs the table of Seegover, and it cannot be used.
    #[error("{need} needs the table of Seegover, and `{}` cannot be used", file.shown())]
    NoTable {
        /// What needs the table.
        need: TableUse,
        /// Where it should be.
        file: PathBuf,
        /// Why it cannot be used.
        source: Unusable,
    },
    /// The tournament needs the table of Seegover, and nothing says where it lies.
    #[error("{need} needs the table of Seegover, and neither XDG_CACHE_HOME nor HOME says where it is")]
    NoPlaceForTable {
        /// What needs the table.
        need: TableUse,
    },
    /// A shard is asked for of a tournament whose games depend on results.
    #[error("--shard {shard}: which games a tournament of this `format` has depends on results, so it has no shards")]
    Unsplittable {
        /// The shard.
        shard: Shard,
    },
    /// The run plays another part of the tournament.
    #[error("the run in `{}` plays {}, not {}", dir.shown(), part(*begun), part(*asked))]
    OtherShard {
        /// The run's directory.
        dir: PathBuf,
        /// The shard that the run plays.
        begun: Option<Shard>,
        /// The shard that the user wants.
        asked: Option<Shard>,
    },
    /// The directory for the results holds only shards, which have not been merged.
    #[error("`{}` holds shards that have not been merged", dir.shown())]
    Unmerged {
        /// The directory.
        dir: PathBuf,
    },
    /// Runs that are to be merged are of different tournaments.
    #[error("the runs in `{}` and `{}` belong to different tournaments:{}", first.shown(), other.shown(), beneath(changes.iter().map(Change::side_by_side)))]
    Unlike {
        /// The directory of the one run.
        first: PathBuf,
        /// The directory of the other run.
        other: PathBuf,
        /// Every difference from the one to the other.
        changes: Vec<Change>,
    },
    /// Runs that are to be merged were extended at different times.
    #[error(
        "the runs in `{}` and `{}` were extended differently, so their games are in different orders",
        first.shown(),
        other.shown()
    )]
    ExtendedDifferently {
        /// The directory of the one run.
        first: PathBuf,
        /// The directory of the other run.
        other: PathBuf,
    },
    /// Players ran different programs in runs that are to be merged.
    #[error(
        "players differ between the runs in `{}` and `{}`:{}",
        first.shown(),
        other.shown(),
        beneath(players.iter().map(|(name, what)| sanitised(&format!("{name}: {what}"))))
    )]
    UnlikePlayers {
        /// The directory of the one run.
        first: PathBuf,
        /// The directory of the other run.
        other: PathBuf,
        /// Their names, each with what differs.
        players: Vec<(String, String)>,
    },
    /// Games have different records in runs that are to be merged.
    #[error("these games were played twice, with different records:{}", listed(games.iter()))]
    Conflicts {
        /// The games, each with both runs.
        games: Vec<TwoRecords>,
    },
    /// The games of a run depend on results.
    #[error("`{}`: which games a tournament of this `format` has depends on results, so its runs cannot be merged", dir.shown())]
    Unmergeable {
        /// The run's directory.
        dir: PathBuf,
    },
    /// A run is to be merged into itself.
    #[error("`{}` is the directory to merge into, and cannot be one of those that are merged", dir.shown())]
    MergedIntoItself {
        /// The directory.
        dir: PathBuf,
    },
    /// The user wants something replayed, but there is no run.
    #[error("--redo {word}: there is no run in `{}`", dir.shown())]
    NothingPlayed {
        /// The first word for what to replay.
        word: String,
        /// The directory.
        dir: PathBuf,
    },
    /// The word for what to replay names no player, game or ending.
    #[error(
        "--redo {word}: no player has this name, no game with this id has a result, and no ending is called this{}",
        meant.as_ref().map(|meant| format!(" (did you mean `{}`?)", sanitised(meant))).unwrap_or_default()
    )]
    UnknownWord {
        /// The word.
        word: String,
        /// The closest name that exists.
        meant: Option<String>,
    },
    /// Another process writes the journal.
    #[error("another run is in progress in `{}`", dir.shown())]
    InUse {
        /// The run's directory.
        dir: PathBuf,
    },
    /// The journal is damaged.
    #[error("{error}")]
    Damaged {
        /// The run's directory.
        dir: PathBuf,
        /// The place of the damage, and its kind.
        error: JournalError,
    },
    /// The journal cannot be read or written.
    #[error(transparent)]
    Journal(JournalError),
    /// There is no journal to read.
    #[error("`{}` holds no journal of a run", dir.shown())]
    NoJournal {
        /// The directory.
        dir: PathBuf,
    },
    /// The existing run belongs to another tournament.
    #[error("the run in `{}` belongs to another tournament:{}", dir.shown(), beneath(changes))]
    OtherTournament {
        /// The run's directory.
        dir: PathBuf,
        /// Every difference between the two tournaments.
        changes: Vec<Change>,
        /// What would let the run continue.
        remedy: Remedy,
    },
    /// Some players run a different program than in the games that count.
    #[error(
        "players have changed since the run began:{}",
        beneath(players.iter().map(|(name, what)| sanitised(&format!("{name}: {what}"))))
    )]
    OtherPlayers {
        /// Their names, each with what has changed.
        players: Vec<(String, String)>,
    },
    /// Game logs disagree with the journal.
    #[error("these game logs differ from the journal:{}", listed(logs.iter().map(|path| path.shown())))]
    OtherLogs {
        /// The run's directory.
        dir: PathBuf,
        /// The logs.
        logs: Vec<PathBuf>,
    },
    /// The journal holds records of games that cannot have been played.
    #[error("the journal of `{}` has games that cannot have been played as recorded:{}", dir.shown(), listed(faults.iter()))]
    Faults {
        /// The run's directory.
        dir: PathBuf,
        /// What is wrong with each.
        faults: Vec<String>,
    },
    /// More than a few logs are of games that the journal lacks, so the journal may be the wrong one.
    #[error(
        "the journal of `{}` has no game for {} game logs:{}",
        dir.shown(),
        logs.len(),
        listed(logs.iter().map(|path| path.shown()))
    )]
    ManyUnknownLogs {
        /// The run's directory.
        dir: PathBuf,
        /// Their logs.
        logs: Vec<PathBuf>,
        /// Whether the games in them have already been offered to the journal.
        were_offered: bool,
    },
    /// A log cannot be renamed.
    #[error("could not rename `{}` to `{}`", from.shown(), to.shown())]
    NotSetAside {
        /// Its current name.
        from: PathBuf,
        /// The new name.
        to: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The tournament file or its results are in a directory that every bot may read.
    #[error("every bot may read `{system}`, so neither the tournament file nor the results can be there")]
    InSystemDir {
        /// That directory, which belongs to the system.
        system: String,
    },
    /// A player could read the results.
    #[error("player `{player}` could read the results: `{}` is in its `{key}`, `{}`", results.shown(), path.shown())]
    ResultsShown {
        /// The player.
        player: String,
        /// The key of the tournament file that exposes them.
        key: &'static str,
        /// The path that this key names.
        path: PathBuf,
        /// The directory of the results.
        results: PathBuf,
    },
    /// The tournament demands confinement in namespaces, which this machine does not support.
    #[error("this machine cannot confine bots in namespaces, as isolation = \"require\" demands ({why})")]
    Unconfinable {
        /// The best tier that this machine supports.
        tier: Tier,
        /// Why it supports no better one.
        why: String,
    },
    /// The arena could not find out whether it can confine bots.
    #[error(transparent)]
    Undecided(#[from] Undecided),
    /// The confinement of bots could not be prepared.
    #[error("could not prepare the confinement of bots")]
    Cage(#[source] CageError),
    /// The arena cannot listen for remote players.
    #[error("{}", not_listening(*address, source))]
    NotListening {
        /// The address.
        address: SocketAddr,
        /// Why the arena cannot listen there.
        source: io::Error,
    },
    /// Games cannot go to other machines.
    #[error(transparent)]
    Unshared(#[from] CannotShare),
    /// The coordinator's work at the broker has ended with a bug. Every game reported as finished is safe.
    #[error("the work at the broker has ended with a bug of the arena: {why}")]
    CoordinatorFailed {
        /// The directory of the run.
        dir: PathBuf,
        /// What the work said last, fit to be printed.
        why: String,
    },
    /// Players could not be prepared, through no fault of their own.
    #[error(transparent)]
    Unprepared(#[from] Shortage),
    /// The machine has no thread left for the results.
    #[error("could not start a thread for the results")]
    NoThread(#[source] io::Error),
    /// The machine has no threads left for the games.
    #[error("could not start the threads that games are played on")]
    NoGameThreads(#[source] io::Error),
    /// A file derived from the journal could not be written.
    #[error(transparent)]
    Derived(#[from] DerivedError),
    /// The journal contradicts itself.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// Results could not be saved. Every game reported as finished is safe.
    #[error("{}", chain(error))]
    Unwritten {
        /// The run's directory.
        dir: PathBuf,
        /// Why not.
        error: CollectError,
    },
}

impl CampaignError {
    /// Why `dir` does not get a journal.
    pub(crate) fn of_new_journal(error: JournalError, dir: &Path) -> Self {
        match error {
            JournalError::Locked { .. } => Self::InUse { dir: dir.to_owned() },
            error => Self::Unbegun(error),
        }
    }

    /// Why the journal of `dir` cannot be used.
    pub(crate) fn of_journal(error: JournalError, dir: &Path) -> Self {
        let dir = dir.to_owned();
        match error {
            JournalError::Locked { .. } => Self::InUse { dir },
            JournalError::Damaged { .. }
            | JournalError::Inconsistent { .. }
            | JournalError::NoHeader { .. }
            | JournalError::Development { .. } => Self::Damaged { dir, error },
            JournalError::Io { .. } | JournalError::Disturbed { .. } => Self::Journal(error),
        }
    }
}

/// An error with all its causes.
fn chain(error: &CollectError) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}

/// What a tournament needs the table for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TableUse {
    /// The player of this name plays by it.
    Perfect(String),
    /// Games end by it.
    Adjudication,
}

/// `player `p`, whose `builtin` is `perfect`,`.
impl fmt::Display for TableUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Perfect(player) => write!(f, "player `{player}`, whose `builtin` is `perfect`,"),
            Self::Adjudication => f.write_str("`adjudicate`"),
        }
    }
}
