//! How this machine starts the players of a ladder. Versions that have no games are not prepared.

use std::sync::Arc;

use super::naps::WhyAsleep;
use crate::host::confinement::Confinement;
use crate::ladder::checking::CheckSite;
use crate::run::entrants::{Entrant, Preparer, Unprepared};
use crate::run::play::Arena;
use crate::tournament::ladder::Ladder;
use crate::tournament::schedule::PlayerIndex;
use crate::tournament::{Player, Tournament};

/// A player with its prepared program, or the reason why the program could not be prepared.
#[derive(Debug)]
pub(super) struct WokenPlayer {
    pub(super) player: PlayerIndex,
    pub(super) entrant: Result<Entrant, NotPrepared>,
}

/// Why a program is not prepared. The reasons are hostile text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NotPrepared {
    /// The program cannot be started.
    Unstartable(String),
    /// The machine is at fault, and the program is tried again.
    Asleep(WhyAsleep),
}

impl From<Unprepared> for NotPrepared {
    fn from(unprepared: Unprepared) -> Self {
        match unprepared {
            Unprepared::Unstartable { reason, timed_out: true, .. } => Self::Asleep(WhyAsleep::Late(reason)),
            Unprepared::Unstartable { reason, .. } => Self::Unstartable(reason),
            Unprepared::Shortage(reason) => Self::Asleep(WhyAsleep::Shortage(reason)),
            Unprepared::Changed(what) => Self::Unstartable(format!("{what} has changed")),
        }
    }
}

/// A player without versions, with its program or the reason why it has none.
#[derive(Debug)]
pub(super) struct NewPlayer {
    /// The player.
    pub(super) player: Player,
    /// The player's program, or the reason why it has none.
    pub(super) entrant: Result<Entrant, NotPrepared>,
}

/// Prepares the programs of `players`, which have no versions.
pub(super) async fn prepare_new(players: Vec<Player>, site: CheckSite) -> Vec<NewPlayer> {
    let mut all = (*site.tournament).clone();
    all.players.extend(players.iter().cloned());
    let confinement = site.confined(&all);
    let tournament = Tournament { players: players.clone(), ..all };
    let entrants = prepared(&tournament, &site, confinement.as_deref()).await;
    players.into_iter().zip(entrants).map(|(player, entrant)| NewPlayer { player, entrant }).collect()
}

/// Prepares the programs of all players of `tournament`.
async fn prepared(
    tournament: &Tournament,
    site: &CheckSite,
    confinement: Option<&Confinement>,
) -> Vec<Result<Entrant, NotPrepared>> {
    let preparer =
        Preparer { tournament, base: &site.base, confinement, known: &[], events: &site.events, tell: &*site.tell };
    preparer.prepare_each().await.into_iter().map(|entrant| entrant.map_err(NotPrepared::from)).collect()
}

/// The players, with the arena in which they play.
#[derive(Debug)]
pub(super) struct PreparedPlayers {
    arena: Arc<Arena>,
}

impl PreparedPlayers {
    /// The players of `arena`.
    pub(super) fn of(arena: &Arc<Arena>) -> Self {
        Self { arena: Arc::clone(arena) }
    }

    /// Whether the program of `player` is prepared or can never be prepared.
    pub(super) fn is_prepared(&self, player: PlayerIndex) -> bool {
        let is_asleep = |entrant: &Arc<Entrant>| matches!(**entrant, Entrant::Resting | Entrant::Void(_));
        self.arena.entrants.get(player).is_some_and(|entrant| !is_asleep(entrant))
    }

    /// Whether the arena contains `player`, whose program could not be started.
    pub(super) fn is_unstartable(&self, player: PlayerIndex) -> bool {
        self.arena.entrants.get(player).is_some_and(|entrant| matches!(**entrant, Entrant::Unstartable(_)))
    }

    pub(super) fn len(&self) -> usize {
        self.arena.entrants.len()
    }

    /// Adds a player, and returns the arena with it.
    pub(super) fn add(&mut self, player: Player, entrant: Arc<Entrant>, site: &CheckSite) -> Arc<Arena> {
        let mut tournament = (*self.arena.tournament).clone();
        tournament.players.push(player);
        let entrants = self.arena.entrants.iter().cloned().chain([entrant]).collect();
        let confinement = site.confined(&tournament);
        self.arena = Arc::new(self.arena.with_players(Arc::new(tournament), entrants, confinement));
        Arc::clone(&self.arena)
    }

    /// Replaces the ladder's settings with those of the changed tournament file.
    pub(super) fn set_ladder(&mut self, ladder: &Ladder) {
        let tournament = Tournament { ladder: Some(ladder.clone()), ..(*self.arena.tournament).clone() };
        let arena = &self.arena;
        self.arena =
            Arc::new(arena.with_players(Arc::new(tournament), arena.entrants.clone(), arena.confinement.clone()));
    }

    /// Prepares the programs of `players`.
    pub(super) fn wake(
        &self,
        players: Vec<PlayerIndex>,
        site: &CheckSite,
    ) -> impl Future<Output = Vec<WokenPlayer>> + Send + 'static {
        let all = Arc::clone(&self.arena.tournament);
        let (site, confinement) = (site.clone(), self.arena.confinement.clone());
        async move {
            let wanted = players.iter().map(|&player| all.players[player].clone()).collect();
            let tournament = Tournament { players: wanted, ..(*all).clone() };
            let entrants = prepared(&tournament, &site, confinement.as_deref()).await;
            let woken = players.into_iter().zip(entrants).map(|(player, entrant)| WokenPlayer { player, entrant });
            woken.collect()
        }
    }

    /// Gives `player` another program, or another reason why it has none. Returns the arena with it.
    pub(super) fn set(&mut self, player: PlayerIndex, entrant: Entrant) -> Arc<Arena> {
        let mut entrants = self.arena.entrants.clone();
        entrants[player] = Arc::new(entrant);
        let arena = &self.arena;
        let arena = arena.with_players(Arc::clone(&arena.tournament), entrants, arena.confinement.clone());
        self.arena = Arc::new(arena);
        Arc::clone(&self.arena)
    }
}
