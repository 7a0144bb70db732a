//! What the messages are about: games, parts of a tournament, the uses of a table, and causes.

use std::error::Error as _;
use std::fmt;
use std::path::PathBuf;

use crate::base::sanitise::{Shown as _, sanitised};
use crate::run::collector::CollectError;
use crate::tournament::shard::Shard;

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
pub(super) fn part(shard: Option<Shard>) -> String {
    shard.map_or_else(|| "the whole tournament".to_owned(), |shard| format!("shard {shard}"))
}

/// The purpose for which a tournament needs the Seegover table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SeegoverTableUse {
    /// A player with this name plays according to the table.
    Perfect(String),
    /// Games are adjudicated by the table.
    Adjudication,
}

/// `player `p`, whose `builtin` is `perfect`,`.
impl fmt::Display for SeegoverTableUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Perfect(player) => write!(f, "player `{player}`, whose `builtin` is `perfect`,"),
            Self::Adjudication => f.write_str("`adjudicate`"),
        }
    }
}

/// An error and all its causes, as text.
pub(super) fn chain(error: &CollectError) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}
