//! The decisions of a run: which journal it writes, whether that journal belongs to the same tournament, which games
//! are replayed, and which of the machine's resources it uses.
//!
//! Input: a tournament, a directory, and what the user wants ([`CampaignOptions`]). Output: a journal and its
//! [`Ledger`], ready for the next game; or a [`CampaignError`] with the reason. Nothing here prints: everything that a
//! user should know is passed on as a [`Warning`].
//!
//! | room | contents |
//! | --- | --- |
//! | `capacity` | concurrent games, cores, open files |
//! | `checked` | the check that a game could have been played as recorded |
//! | `confine` | how bots are confined, and the check that none can read the tournament or its results |
//! | `playing` | plays a campaign: opens addresses for remote players, prepares all players, and plays the games |
//! | `errors` | why a campaign cannot proceed |
//! | `ladder_field` | the players of a ladder: the players in the file, and the versions in the journal |
//! | `merge` | merges several runs |
//! | `mended_logs` | compares the game logs with the journal, and repairs them |
//! | `place` | the directory and the journal of a run |
//! | `rebuild` | rebuilds the files of a run from its journal, or checks them against it |
//! | `redo` | which games are replayed |
//! | `warning` | what a user should know |
//! | `enough_resources` | whether the machine has all the resources that builds and games may use |
//! | `same_tournament` | what counts as the same tournament and as the same players |
//! | `seegover_table` | the Seegover table, which a tournament may need |

pub(crate) mod capacity;
pub(crate) mod checked;
#[cfg(test)]
mod checkpoint_tests;
pub(crate) mod confine;
pub(crate) mod enough_resources;
pub(crate) mod errors;
#[cfg(test)]
mod group_tests;
pub(crate) mod ladder_field;
pub(crate) mod mended_logs;
pub(crate) mod merge;
#[cfg(test)]
mod model_tests;
pub(crate) mod place;
pub(crate) mod playing;
pub(crate) mod readied;
pub(crate) mod rebuild;
pub(crate) mod redo;
pub(crate) mod same_tournament;
pub(crate) mod seegover_table;
#[cfg(test)]
mod tests;
pub(crate) mod warning;

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub(crate) use capacity::games_at_a_time;
pub(crate) use errors::{CampaignError, redo_words};
pub(crate) use mended_logs::verified;
pub(crate) use merge::{Keep, Merge, merge};
pub(crate) use playing::{Concluded, unless_stopped};
pub(crate) use rebuild::{Checked, Repairs, check, rebuild};
pub(crate) use warning::Warning;

use crate::run::elsewhere::OtherMachines;
use crate::run::entrants::{Entrant, Known};
use crate::run::growth::GrowingField;
use crate::run::journal::{Durability, Journal, Ledger, PlayerEntry};
use crate::tournament::schedule::PlayerIndex;
use crate::tournament::shard::Shard;
use crate::tournament::{Isolation, Tournament};
use place::Origin;

/// Receives each warning as it arises.
pub(crate) type Tell = Arc<dyn Fn(Warning) + Send + Sync>;

/// What to do if the directory already contains a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Beginning {
    /// Continue that run.
    #[default]
    Resume,
    /// Continue that run, and also play new players and rounds.
    Extend,
    /// Start over in a new directory next to that of the run.
    Fresh,
}

/// The user's options for a run, in addition to the tournament file.
#[derive(Clone, Debug, Default)]
pub(crate) struct CampaignOptions {
    /// What to do if the directory already contains a run.
    pub beginning: Beginning,
    /// What to replay: names of players, ids of games, or names of endings.
    pub redo: Vec<String>,
    /// When a line of the journal counts as written.
    pub durability: Durability,
    /// How to confine bots; overrides the file.
    pub isolation: Option<Isolation>,
    /// How many games to play at a time; overrides the file.
    pub concurrency: Option<NonZeroUsize>,
    /// Whether a game is void if a player lost it on time while the machine had no core for it.
    pub excuses_starved: bool,
    /// The shard to play; `None` plays the whole tournament.
    pub shard: Option<Shard>,
    /// The players' files as they were before a new run began, so that build products are not mistaken for sources.
    pub former_players: Vec<PlayerEntry>,
    /// The connection to other machines that also play games.
    pub others: Option<Arc<dyn OtherMachines>>,
    /// The source of new players and games while a ladder is played; `None` plays only the games already decided on.
    pub growing: Option<Arc<dyn GrowingField>>,
}

/// The tournament to play, and the directories to use.
#[derive(Clone, Debug)]
pub(crate) struct CampaignPlan {
    /// The tournament.
    pub tournament: Arc<Tournament>,
    /// The directory that paths in the tournament file are relative to.
    pub base: PathBuf,
    /// The directory for the results.
    pub dir: PathBuf,
    /// The user's options.
    pub options: CampaignOptions,
}

/// A tournament together with the directory it will be played in and, if the directory contains one, its journal.
pub(crate) struct Campaign {
    plan: CampaignPlan,
    origin: Origin,
    /// A ladder's players that appear only in its journal and no longer play.
    absent: BTreeSet<PlayerIndex>,
    tell: Tell,
}

impl Campaign {
    /// Finds out whether `plan` can be carried out, and with which journal. An existing run is locked from then on, but
    /// not changed.
    ///
    /// # Errors
    /// Fails if the directory contains a run of another tournament or something other than a run, if a bot could read
    /// the results, or if the tournament needs a table that does not exist.
    pub(crate) fn find(mut plan: CampaignPlan, tell: Tell) -> Result<Self, CampaignError> {
        if plan.options.beginning == Beginning::Fresh {
            plan.dir = place::fresh(&plan.dir)?;
        }
        confine::nothing_is_shown(&plan)?;
        // A player that lacks the table would lose every game.
        seegover_table::find(&plan.tournament)?;
        let origin = Origin::find(&plan, &tell)?;
        if plan.options.beginning == Beginning::Fresh {
            tell(Warning::ResultsGoTo { dir: plan.dir.clone() });
        }
        let mut absent = BTreeSet::new();
        if let Origin::Run { ledger, .. } = &origin
            && plan.tournament.ladder.is_some()
        {
            absent = ladder_field::absent(&plan.tournament, ledger);
            let field = ladder_field::field(&plan.tournament, ledger, &absent, &plan.dir);
            let field = field.map_err(|player| CampaignError::NoSuchLadderPlayer { dir: plan.dir.clone(), player })?;
            plan.tournament = Arc::new(field);
        }
        Ok(Self { plan, origin, absent, tell })
    }

    /// The tournament that will be played.
    pub(crate) fn tournament(&self) -> &Tournament {
        &self.plan.tournament
    }

    /// The tournament, for owners that outlive the campaign.
    pub(crate) fn shared_tournament(&self) -> Arc<Tournament> {
        Arc::clone(&self.plan.tournament)
    }

    /// The results directory.
    pub(crate) fn dir(&self) -> &Path {
        &self.plan.dir
    }

    /// Whether an existing run already has all of its results, and the user has not requested more.
    fn is_complete(&self) -> bool {
        let CampaignOptions { beginning, redo, .. } = &self.plan.options;
        let asks_for_more = *beginning != Beginning::Resume || !redo.is_empty();
        matches!(&self.origin, Origin::Run { ledger, .. } if !asks_for_more && ledger.state().missing.games() == 0)
    }

    /// The players of a ladder that must be prepared before its next game; `None` means all players.
    fn needed(&self) -> Option<BTreeSet<PlayerIndex>> {
        let (Origin::Run { ledger, .. }, Some(ladder)) = (&self.origin, &self.plan.tournament.ladder) else {
            return None;
        };
        Some(ladder_field::needed(ladder, ledger).difference(&self.absent).copied().collect())
    }

    /// Returns what is known about the players of an existing run or, for a new run, what `plan` says about them.
    pub(crate) fn known(&self) -> Vec<Known> {
        let Origin::Run { ledger, redo, .. } = &self.origin else {
            let former = self.plan.options.former_players.iter().cloned();
            return former.map(|entry| Known { entry, is_bound: false }).collect();
        };
        let known = |entry: &PlayerEntry| Known {
            entry: entry.clone(),
            is_bound: !redo.players.contains(&entry.name) && redo.leaves_games_of(&entry.name, ledger),
        };
        ledger.players.iter().map(known).collect()
    }

    /// Prepares the journal for the first or the next game, and returns it with its contents. `entrants` say how
    /// this machine can start the tournament's players.
    ///
    /// # Errors
    /// Fails if the logs disagree with the journal, if the players differ from those that have played, or if a file
    /// cannot be written. In the first two cases, nothing has been changed.
    pub(crate) fn begin(self, entrants: &[Entrant]) -> Result<(Journal, Ledger), CampaignError> {
        let (journal, ledger) = self.origin.begin(&self.plan, entrants, &self.tell)?;
        if let Some(state) = Warning::of_state(&ledger, &self.plan.dir) {
            (self.tell)(state);
        }
        Ok((journal, ledger))
    }
}
