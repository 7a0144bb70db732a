//! What a run decides: which journal it writes, whether that is of the same tournament, what is played again, and what the
//! machine gives it.
//!
//! In: a tournament, a directory, and what the user wants ([`Wishes`]). Out: a journal and its [`Ledger`], ready for the
//! next game; or a [`CampaignError`] whose variants say what stands in the way. Nothing here prints: what a user should know
//! goes out as a [`Remark`].
//!
//! | room | what it holds |
//! | --- | --- |
//! | [`confine`] | how bots are confined, and that none can read the tournament or its results |
//! | [`course`] | a campaign from its first address to its last game |
//! | [`errors`] | what stands in the way |
//! | [`logs`] | the game logs held against the journal, and mended |
//! | [`place`] | which directory and which journal |
//! | [`mod@rebuild`] | the files of a run made again from its journal, or checked against it |
//! | [`redo`] | which games are played again |
//! | [`remark`] | what a user should know |
//! | [`capacity`] | games at a time, cores, open files |
//! | [`same`] | what counts as the same tournament and as the same players |

pub(crate) mod capacity;
pub(crate) mod confine;
pub(crate) mod course;
pub(crate) mod errors;
pub(crate) mod logs;
pub(crate) mod place;
pub(crate) mod rebuild;
pub(crate) mod redo;
pub(crate) mod remark;
pub(crate) mod same;
#[cfg(test)]
mod tests;

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

pub use capacity::games_at_a_time;
pub use course::{Concluded, unless_stopped};
pub use errors::{CampaignError, Remedy};
pub use logs::verified;
pub use rebuild::{Checked, Repairs, check, rebuild};
pub use remark::Remark;

use crate::run::entrants::{Entrant, Known};
use crate::run::journal::{Durability, Journal, Ledger, PlayerEntry};
use crate::tournament::file::{Isolation, Tournament};
use place::Origin;

/// Takes in the remarks as they arise.
pub type Tell = Arc<dyn Fn(Remark) + Send + Sync>;

/// How a run begins where another one is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Beginning {
    /// It goes on with that run.
    #[default]
    Resume,
    /// It goes on with that run and plays the players and rounds that are new.
    Extend,
    /// It begins anew, in a directory beside that run's.
    Fresh,
}

/// What the user wants of a run besides what the tournament file says.
#[derive(Clone, Debug, Default)]
pub struct Wishes {
    /// How it begins.
    pub beginning: Beginning,
    /// What is to be played again: names of players, ids of games, words for endings.
    pub redo: Vec<String>,
    /// When a line of the journal counts as written.
    pub durability: Durability,
    /// How to confine bots, instead of what the file says.
    pub isolation: Option<Isolation>,
    /// Games at a time, instead of what the file says.
    pub concurrency: Option<NonZeroUsize>,
}

/// What is to be played, and where.
#[derive(Clone, Debug)]
pub struct Orders {
    /// The tournament.
    pub tournament: Arc<Tournament>,
    /// The directory to which the paths in its file are relative.
    pub base: PathBuf,
    /// The directory for the results.
    pub dir: PathBuf,
    /// What the user wants.
    pub wishes: Wishes,
}

/// A tournament that has found the directory, and perhaps the journal, with which it is played.
pub struct Campaign {
    orders: Orders,
    origin: Origin,
    tell: Tell,
}

impl Campaign {
    /// Finds out whether `orders` can be carried out, and with which journal. A run that is there already is locked from here
    /// on, but not changed.
    ///
    /// # Errors
    /// When the directory holds something else, or a run of another tournament, and when a bot could read the results.
    pub fn find(mut orders: Orders, tell: Tell) -> Result<Self, CampaignError> {
        if orders.wishes.beginning == Beginning::Fresh {
            orders.dir = place::fresh(&orders.dir)?;
        }
        confine::nothing_is_shown(&orders)?;
        let origin = Origin::find(&mut orders, &tell)?;
        if orders.wishes.beginning == Beginning::Fresh {
            tell(Remark::ResultsGoTo { dir: orders.dir.clone() });
        }
        Ok(Self { orders, origin, tell })
    }

    /// The tournament, as it will be played.
    pub fn tournament(&self) -> &Tournament {
        &self.orders.tournament
    }

    /// What the run knows of its players, where there is one.
    pub fn known(&self) -> Vec<Known> {
        let Origin::Run { ledger, redo, .. } = &self.origin else { return Vec::new() };
        let known = |entry: &PlayerEntry| Known {
            entry: entry.clone(),
            is_bound: !redo.players.contains(&entry.name) && redo.leaves_games_of(&entry.name, ledger),
        };
        ledger.players.iter().map(known).collect()
    }

    /// Makes the journal ready for the first game, or for the next one, and returns it with all that it says. `entrants` are
    /// the tournament's players as this machine can start them.
    ///
    /// # Errors
    /// When the logs disagree with the journal, when players are not those who have played, and when a file cannot be
    /// written. Until then nothing has been changed.
    pub fn begin(self, entrants: &[Entrant]) -> Result<(Journal, Ledger), CampaignError> {
        let (journal, ledger) = self.origin.begin(&self.orders, entrants, &self.tell)?;
        if let Some(state) = Remark::of_state(&ledger, &self.orders.dir) {
            (self.tell)(state);
        }
        Ok((journal, ledger))
    }
}
