//! The interface between the executor and other machines: the executor sends the specs of games, and receives records.
//!
//! The executor sends a game to any machine that can accept another one. It does not depend on how games and records
//! are transported; with a broker, `machines/coordinator` does this.

use std::collections::BTreeSet;
use std::error::Error as StdError;
use std::fmt;
use std::num::NonZeroUsize;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;

use thiserror::Error;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::referee::pace::Speed;
use crate::referee::record::LoggedGame;
use crate::run::addition::Addition;
use crate::run::journal::Ledger;
use crate::run::listener::Listener;
use crate::run::play::Arena;
use crate::run::play::PlayedGame;
use crate::tournament::Isolation;
use crate::tournament::schedule::{GameSpec, PlayerIndex};

/// The connection to other machines. A run opens the connection after preparing its players.
pub trait OtherMachines: fmt::Debug + Send + Sync {
    /// The speed of this machine, used by other machines to scale their clocks; `None` if it cannot be measured.
    fn speed_here(&self) -> Option<Speed>;

    /// Starts sharing games with the other machines, and continues in the background.
    ///
    /// # Errors
    /// Fails if nothing can be shared.
    fn share<'a>(
        &'a self,
        context: SharingContext<'a>,
    ) -> Pin<Box<dyn Future<Output = Result<Sharing, CannotShare>> + 'a>>;
}

/// The context in which sharing starts.
pub struct SharingContext<'a> {
    /// How this machine can start the players.
    pub arena: &'a Arc<Arena>,
    /// The state of the journal.
    pub ledger: &'a Ledger,
    /// The directory of the tournament file.
    pub base: &'a Path,
    /// The results directory.
    pub dir: &'a Path,
    /// How bots are confined, if the user has overridden the file.
    pub isolation: Option<Isolation>,
    /// How many games this machine plays at a time, unless the settings of the connection say otherwise.
    pub concurrency: NonZeroUsize,
    /// Checks that a game could have been played according to its record; otherwise returns what is wrong.
    pub verify: fn(&LoggedGame) -> Result<(), String>,
    /// A function that receives lines to show to the user.
    pub say: Arc<dyn Fn(String) + Send + Sync>,
}

/// The parts of a connection over which games are being shared.
pub struct Sharing {
    /// The other side, which takes games and returns them.
    pub elsewhere: Elsewhere,
    /// The receiver of the games that have been saved.
    pub keeper: Box<dyn Listener>,
    /// The background task, which ends after `elsewhere` and `keeper` have been dropped.
    pub task: JoinHandle<()>,
}

/// Why games cannot be shared with other machines.
#[derive(Debug, Error)]
pub enum CannotShare {
    /// The user requested something impossible.
    #[error(transparent)]
    Misused(Box<dyn StdError + Send + Sync>),
    /// The connection to the other machines does not work.
    #[error(transparent)]
    Failed(Box<dyn StdError + Send + Sync>),
}

/// Other machines that play games of a run.
#[derive(Debug)]
pub struct Elsewhere {
    /// How many games this machine plays at a time, alongside the other machines.
    pub local_slots: usize,
    /// How many games may be away, that is, sent to other machines and not returned yet.
    pub room: watch::Receiver<Room>,
    /// The channel to which games are sent, each preceded by the additions to the run that concern it.
    pub jobs: UnboundedSender<Addition>,
    /// The channel on which each of these games is returned exactly once.
    pub back: UnboundedReceiver<FromElsewhere>,
}

impl Elsewhere {
    /// How many games all machines together play at a time.
    pub fn slots(&self) -> RunSlots {
        RunSlots { here: self.local_slots, room: Some(self.room.clone()) }
    }
}

/// How many games of a run are played at a time. This changes as other machines come and go.
#[derive(Clone, Debug)]
pub struct RunSlots {
    here: usize,
    room: Option<watch::Receiver<Room>>,
}

impl RunSlots {
    /// The slots of a run that only this machine plays.
    pub const fn of_this_machine(slots: usize) -> Self {
        Self { here: slots, room: None }
    }

    /// How many games are currently played at a time.
    pub fn now(&self) -> usize {
        self.here + self.room.as_ref().map_or(0, |room| room.borrow().slots)
    }
}

/// How many games other machines can accept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Room {
    /// How many games the other machines play at a time.
    pub slots: usize,
    /// How many games may be away at a time.
    pub games: usize,
    /// The machines, grouped by what they can play. Games that no machine can play may be sent away if there are no
    /// groups, or if this machine does not play.
    pub crews: Vec<CrewRoom>,
}

/// Machines that can play the same games.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CrewRoom {
    /// The players that these machines cannot start, or have not prepared yet.
    pub cannot: BTreeSet<PlayerIndex>,
    /// Whether one of these machines can accept another game now.
    pub is_free: bool,
}

impl CrewRoom {
    fn can_play(&self, spec: &GameSpec) -> bool {
        spec.players.values().all(|player| !self.cannot.contains(player))
    }
}

/// A returned game.
#[derive(Debug)]
pub enum FromElsewhere {
    /// The game has been played, or is void.
    Played(Box<PlayedElsewhere>),
    /// No other machine can play the game.
    Unplayed(GameSpec),
}

/// A game that another machine has played, or that is void.
#[derive(Debug)]
pub struct PlayedElsewhere {
    /// The game.
    pub spec: GameSpec,
    /// The game's record, which is valid and belongs to the game, and the output of the game's bots.
    pub played: PlayedGame,
}

/// The games that are away, that is, sent to other machines and not returned yet.
#[derive(Debug)]
pub(crate) struct Away {
    elsewhere: Option<Elsewhere>,
    /// The number of games that are away.
    games: usize,
}

/// An event that concerns the games that are away.
#[derive(Debug)]
pub(crate) enum AwayEvent {
    /// A game has been returned.
    Back(FromElsewhere),
    /// The number of games that other machines can accept has changed.
    Room,
}

impl Away {
    /// Creates the state with no game away. Without `elsewhere`, no game can ever be away.
    pub(crate) const fn new(elsewhere: Option<Elsewhere>) -> Self {
        Self { elsewhere, games: 0 }
    }

    /// How many games this machine plays at a time, if that differs from the tournament file.
    pub(crate) fn local_slots(&self) -> Option<usize> {
        self.elsewhere.as_ref().map(|elsewhere| elsewhere.local_slots)
    }

    /// Whether another game may be sent away.
    pub(crate) fn has_room(&self) -> bool {
        self.elsewhere.as_ref().is_some_and(|elsewhere| self.games < elsewhere.room.borrow().games)
    }

    /// Whether the game `spec` may be sent away: a machine that can play it has a free slot, or no machine can play it
    /// and the other side must decide what happens to it.
    pub(crate) fn takes(&self, spec: &GameSpec) -> bool {
        let Some(elsewhere) = &self.elsewhere else { return false };
        let room = elsewhere.room.borrow();
        let mut able = room.crews.iter().filter(|crew| crew.can_play(spec)).peekable();
        match able.peek() {
            Some(_) => able.any(|crew| crew.is_free),
            None => room.crews.is_empty() || elsewhere.local_slots == 0,
        }
    }

    /// Whether no game is away.
    pub(crate) const fn is_empty(&self) -> bool {
        self.games == 0
    }

    /// Sends away a game.
    pub(crate) fn give(&mut self, spec: GameSpec) {
        if let Some(elsewhere) = &self.elsewhere {
            // If the receiver is gone, the run is about to end.
            let _ = elsewhere.jobs.send(Addition::Game(spec));
            self.games += 1;
        }
    }

    /// Passes `addition` on to the other machines, unless it is a game. A game is not sent before it may begin.
    pub(crate) fn tell(&self, addition: &Addition) {
        match (&self.elsewhere, addition) {
            // If the receiver is gone, the run is about to end.
            (Some(elsewhere), Addition::Arena(_) | Addition::Playing(_)) => {
                let _ = elsewhere.jobs.send(addition.clone());
            }
            (None, _) | (_, Addition::Game(_)) => {}
        }
    }

    /// The next event; waits forever if no game can be away.
    pub(crate) async fn next(&mut self) -> AwayEvent {
        let Some(elsewhere) = &mut self.elsewhere else { return std::future::pending().await };
        tokio::select! {
            Some(back) = elsewhere.back.recv() => {
                self.games -= 1;
                AwayEvent::Back(back)
            }
            Ok(()) = elsewhere.room.changed() => AwayEvent::Room,
            else => std::future::pending().await,
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::mpsc::unbounded_channel;

    use super::*;
    use crate::game::BySide;
    use crate::tournament::schedule::GameId;

    #[test]
    fn other_machines_learn_of_players_at_once_and_of_a_game_when_it_may_begin() {
        let (jobs, mut told) = unbounded_channel();
        let (offer, room) = watch::channel(Room { slots: 3, games: 9, crews: Vec::new() });
        let (_back, back) = unbounded_channel();
        let elsewhere = Elsewhere { local_slots: 2, room, jobs, back };
        let slots = elsewhere.slots();
        assert_eq!(slots.now(), 5);
        offer.send_replace(Room::default());
        assert_eq!((slots.now(), RunSlots::of_this_machine(4).now()), (2, 4), "the machines have left");
        let mut away = Away::new(Some(elsewhere));
        let players = BySide { black: 0, white: 1 }.into();
        let id = GameId::from_text("r1-a-b");
        let spec = GameSpec { id, number: 0, round: 1, players, seed: 0, opening: Vec::new() };
        for addition in [Addition::Playing([0, 1].into()), Addition::Game(spec.clone())] {
            away.tell(&addition);
        }
        assert!(matches!(told.try_recv(), Ok(Addition::Playing(players)) if players == [0, 1].into()));
        assert!(told.try_recv().is_err() && away.is_empty());
        away.give(spec.clone());
        assert!(matches!(told.try_recv(), Ok(Addition::Game(given)) if given == spec));
        assert!(!away.is_empty());
    }
}
