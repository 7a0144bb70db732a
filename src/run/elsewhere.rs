//! The seam between the executor and other machines: specs of games out, records in.
//!
//! The executor gives a game to whoever has room for it. What carries it there and back is not its business; over a broker,
//! it is `run/nats/coordinator`.

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};
use tokio::sync::watch;

use crate::game::rules::BySide;
use crate::referee::record::GameRecord;
use crate::run::event::Outputs;
use crate::tournament::schedule::GameSpec;

/// Other machines that play games of a run.
#[derive(Debug)]
pub struct Elsewhere {
    /// How many games this machine plays at a time, beside the others.
    pub local_slots: usize,
    /// How many games may be away at a time.
    pub room: watch::Receiver<usize>,
    /// Takes the games.
    pub jobs: UnboundedSender<GameSpec>,
    /// Brings back each of them once.
    pub played: UnboundedReceiver<PlayedElsewhere>,
}

/// A game that another machine has played, or that is void.
#[derive(Debug)]
pub struct PlayedElsewhere {
    /// The game.
    pub spec: GameSpec,
    /// Its record, which belongs to the game and holds.
    pub record: GameRecord,
    /// What its bots wrote.
    pub outputs: BySide<Outputs>,
}

/// The games that are away.
#[derive(Debug)]
pub(crate) struct Away {
    elsewhere: Option<Elsewhere>,
    /// How many there are.
    games: usize,
}

/// What happens to the games that are away.
#[derive(Debug)]
pub(crate) enum AwayEvent {
    /// A game has come back.
    Back(Box<PlayedElsewhere>),
    /// There is room for more games, or for fewer.
    Room,
}

impl Away {
    /// No game is away. Without `elsewhere`, none ever will be.
    pub(crate) const fn new(elsewhere: Option<Elsewhere>) -> Self {
        Self { elsewhere, games: 0 }
    }

    /// How many games this machine plays at a time, if that is not what the tournament says.
    pub(crate) fn local_slots(&self) -> Option<usize> {
        self.elsewhere.as_ref().map(|elsewhere| elsewhere.local_slots)
    }

    /// Whether another game may go away.
    pub(crate) fn has_room(&self) -> bool {
        self.elsewhere.as_ref().is_some_and(|elsewhere| self.games < *elsewhere.room.borrow())
    }

    /// Whether no game is away.
    pub(crate) const fn is_empty(&self) -> bool {
        self.games == 0
    }

    /// Gives a game away.
    pub(crate) fn give(&mut self, spec: GameSpec) {
        if let Some(elsewhere) = &self.elsewhere {
            // If nobody takes it any more, the run is about to end.
            let _ = elsewhere.jobs.send(spec);
            self.games += 1;
        }
    }

    /// The next thing that happens; never, if no game can be away.
    pub(crate) async fn next(&mut self) -> AwayEvent {
        let Some(elsewhere) = &mut self.elsewhere else { return std::future::pending().await };
        tokio::select! {
            Some(played) = elsewhere.played.recv() => {
                self.games -= 1;
                AwayEvent::Back(Box::new(played))
            }
            Ok(()) = elsewhere.room.changed() => AwayEvent::Room,
            else => std::future::pending().await,
        }
    }
}
