//! `--redo`: which games of a run are to be played again.

use std::collections::BTreeSet;

use anyhow::anyhow;

use crate::base::near::nearest;
use crate::cli::{Failure, note};
use crate::referee::result::Termination;
use crate::run::journal::{Entry, Ledger};

/// How many ids one line of a journal has at the most, so that no line becomes too long to be read.
const IDS_A_LINE: usize = 10_000;

/// What is to be played again.
#[derive(Clone, Debug, Default)]
pub(super) struct Redo {
    /// Players with all their games.
    pub(super) players: Vec<String>,
    /// Single games that have a result.
    games: BTreeSet<String>,
}

impl Redo {
    /// What `words` mean in the run that `ledger` tells of: each is a player's name, a game's id, or the name of an ending. A
    /// player goes before a game, and a game before an ending.
    ///
    /// # Errors
    /// Where a word is none of them, with the nearest that is.
    pub(super) fn of(words: &[String], ledger: &Ledger) -> Result<Self, Failure> {
        let mut redo = Self::default();
        for word in words {
            if ledger.definition.player(word).is_some() {
                redo.players.push(word.clone());
            } else if let Some(kept) = ledger.game(word) {
                if kept.void.is_some() {
                    note(format_args!("--redo {word}: that game is void, and is played again anyway"));
                } else {
                    redo.games.insert(word.clone());
                }
            } else if let Some(ending) = ending(word) {
                let ended = ledger.ids().filter(|id| is_ended_by(ledger, id, ending));
                let before = redo.games.len();
                redo.games.extend(ended.map(str::to_owned));
                if redo.games.len() == before {
                    note(format_args!("--redo \"{ending}\": no other game has ended so"));
                }
            } else {
                return Err(Failure::usage(unknown(word, ledger)));
            }
        }
        Ok(redo)
    }

    /// Whether any game of `player` counts that is not played again by its id or its ending.
    pub(super) fn leaves_games_of(&self, player: &str, ledger: &Ledger) -> bool {
        ledger.ids().filter(|id| !self.games.contains(*id)).any(|id| {
            let players = ledger.game(id).map(|kept| &kept.summary.players);
            players.is_some_and(|players| players.black == player || players.white == player)
        })
    }

    /// The journal's lines for the single games. `depends` says that games of later rounds depend on them.
    pub(super) fn entries(&self, ledger: &Ledger, depends: bool) -> Vec<Entry> {
        let games: Vec<String> = self.games.iter().cloned().collect();
        let first = games.iter().filter_map(|id| ledger.game(id)?.summary.round).min();
        let kept_to = first.filter(|_| depends);
        games.chunks(IDS_A_LINE).map(|games| Entry::Again { games: games.to_vec(), kept_to }).collect()
    }
}

/// The ending of this name, whose words may be joined by anything usual.
fn ending(word: &str) -> Option<Termination> {
    word.to_lowercase().replace(['-', '_'], " ").parse().ok()
}

fn is_ended_by(ledger: &Ledger, id: &str, ending: Termination) -> bool {
    let result = ledger.game(id).and_then(|kept| kept.summary.result.as_ref());
    result.is_some_and(|result| result.termination() == ending)
}

fn unknown(word: &str, ledger: &Ledger) -> anyhow::Error {
    let players = ledger.definition.players.iter().map(|player| player.name.as_str());
    let endings = Termination::ALL.map(Termination::name);
    // The ids in an order of their own, so that of equally near ones it is always the same.
    let ids: BTreeSet<&str> = ledger.ids().collect();
    let hint = nearest(word, players.chain(endings).chain(ids));
    let hint = hint.map(|meant| format!(" (did you mean `{meant}`?)")).unwrap_or_default();
    anyhow!("--redo {word}: there is no such player, no game with that id has a result, and no game ends so{hint}")
}
