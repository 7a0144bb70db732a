//! Which games of a run are replayed.

use std::collections::BTreeSet;

use super::Tell;
use super::errors::CampaignError;
use super::warning::Warning;
use crate::base::suggestion::nearest;
use crate::referee::result::Termination;
use crate::run::journal::{JournalEntry, Ledger};

/// The maximum number of ids in one line of a journal, so that no line becomes too long to read.
const IDS_A_LINE: usize = 10_000;

/// What to replay.
#[derive(Clone, Debug, Default)]
pub(crate) struct Redo {
    /// Players whose games are all replayed.
    pub players: Vec<String>,
    /// Individual games that have a result.
    games: BTreeSet<String>,
}

impl Redo {
    /// The players and games of the run of `ledger` that `words` refer to. Each word is a player's name, a game's id,
    /// or the name of an ending, tried in this order.
    ///
    /// # Errors
    /// Fails if a word is none of these. The error suggests the most similar name that exists.
    pub(crate) fn of(words: &[String], ledger: &Ledger, tell: &Tell) -> Result<Self, CampaignError> {
        let mut redo = Self::default();
        for word in words {
            if ledger.definition.player(word).is_some() {
                redo.players.push(word.clone());
            } else if let Some(kept) = ledger.game(word) {
                if kept.void.is_some() {
                    tell(Warning::VoidAnyway { game: word.clone() });
                } else {
                    redo.games.insert(word.clone());
                }
            } else if let Some(ending) = ending(word) {
                let ended = ledger.ids().filter(|id| is_ended_by(ledger, id, ending));
                let before = redo.games.len();
                redo.games.extend(ended.map(str::to_owned));
                if redo.games.len() == before {
                    tell(Warning::NoneEnded { ending });
                }
            } else {
                let meant = nearest_of(word, ledger);
                return Err(CampaignError::UnknownWord { word: word.clone(), meant });
            }
        }
        Ok(redo)
    }

    /// Whether any game of `player` still counts once the games named by id or ending are replayed.
    pub(crate) fn leaves_games_of(&self, player: &str, ledger: &Ledger) -> bool {
        if self.games.is_empty() {
            return ledger.has_game_of(player);
        }
        ledger
            .ids()
            .filter(|id| !self.games.contains(*id))
            .any(|id| ledger.game(id).is_some_and(|kept| kept.is_of(player)))
    }

    /// The journal's entries for the individual games; `depends` says whether games of later rounds depend on them.
    pub(crate) fn entries(&self, ledger: &Ledger, depends: bool) -> Vec<JournalEntry> {
        let games: Vec<String> = self.games.iter().cloned().collect();
        let first = games.iter().filter_map(|id| ledger.game(id)?.round()).min();
        let kept_to = first.filter(|_| depends);
        games.chunks(IDS_A_LINE).map(|games| JournalEntry::Again { games: games.to_vec(), kept_to }).collect()
    }
}

/// The ending named `word`; spaces, `-` and `_` are equivalent.
fn ending(word: &str) -> Option<Termination> {
    word.to_lowercase().replace(['-', '_'], " ").parse().ok()
}

fn is_ended_by(ledger: &Ledger, id: &str, ending: Termination) -> bool {
    ledger.game(id).is_some_and(|kept| kept.is_ended_by(ending))
}

/// The player, game or ending of the run whose spelling is closest to `word`.
fn nearest_of(word: &str, ledger: &Ledger) -> Option<String> {
    let players = ledger.names();
    let endings = Termination::ALL.map(Termination::name);
    // The ids are sorted, so that the choice among equally close ids is always the same.
    let ids: BTreeSet<&str> = ledger.ids().collect();
    nearest(word, players.chain(endings).chain(ids)).map(str::to_owned)
}
