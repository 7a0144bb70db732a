//! What a journal's entries come to.

use std::collections::HashMap;

use thiserror::Error;

use super::{Entry, Header, PlayerEntry};
use crate::definition::Definition;
use crate::record::{GameRecord, ParseError};
use crate::standings::GameSummary;

/// Why an entry can't follow those before it.
#[derive(Debug, Error)]
pub enum LedgerError {
    /// The first entry is no header, or another one is.
    #[error("a journal has one header, in its first line")]
    Header,
    /// The header is of a format that this version does not know.
    #[error("format {0} is not known to this version")]
    Format(u32),
    /// A record can't be read.
    #[error("the record of game `{id}`: {source}")]
    Record {
        /// The game.
        id: String,
        /// What is wrong with the record.
        source: ParseError,
    },
    /// A record is of another game than its line says.
    #[error("the record of game `{id}` says that it is of another game")]
    OtherGame {
        /// The game of the line.
        id: String,
    },
    /// A game has a second result, without its first being superseded.
    #[error("game `{id}` has a result already")]
    Twice {
        /// The game.
        id: String,
    },
}

/// The state of a run, as its journal tells it.
#[derive(Clone, Debug)]
pub struct Ledger {
    /// What is played.
    pub definition: Definition,
    /// What was played before each extension, the oldest first.
    pub earlier: Vec<Definition>,
    /// What each player runs.
    pub players: Vec<PlayerEntry>,
    /// The games that have a result, by id.
    pub finished: HashMap<String, GameSummary>,
    /// The reasons for which games without a result came to nothing, by id.
    pub voids: HashMap<String, Vec<String>>,
}

impl Ledger {
    /// The state after a header.
    ///
    /// # Errors
    /// When its format is not known.
    pub fn new(header: Header) -> Result<Self, LedgerError> {
        if header.format != super::FORMAT {
            return Err(LedgerError::Format(header.format));
        }
        Ok(Self {
            definition: header.definition,
            earlier: Vec::new(),
            players: header.players,
            finished: HashMap::new(),
            voids: HashMap::new(),
        })
    }

    /// Takes in the next entry. Returns the record that it brought, if it did.
    ///
    /// # Errors
    /// When the entry can't follow those before it.
    pub fn take(&mut self, entry: Entry) -> Result<Option<GameRecord>, LedgerError> {
        match entry {
            Entry::Header(_) => return Err(LedgerError::Header),
            Entry::Game { id, record } => {
                let record: GameRecord =
                    record.parse().map_err(|source| LedgerError::Record { id: id.clone(), source })?;
                if record.game.as_deref() != Some(&id) {
                    return Err(LedgerError::OtherGame { id });
                }
                if self.finished.insert(id.clone(), GameSummary::from(&record)).is_some() {
                    return Err(LedgerError::Twice { id });
                }
                self.voids.remove(&id);
                return Ok(Some(record));
            }
            Entry::Void { id, reason } => self.voids.entry(id).or_default().push(reason),
            Entry::Redo { player, digest } => {
                self.finished.retain(|_, game| game.players.black != player && game.players.white != player);
                if let Some(entry) = self.players.iter_mut().find(|entry| entry.name == player) {
                    entry.digest = digest;
                }
            }
            Entry::Extend { definition, players } => {
                self.earlier.push(std::mem::replace(&mut self.definition, definition));
                self.players = players;
            }
        }
        Ok(None)
    }
}
