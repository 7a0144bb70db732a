//! The listener that passes what has happened in a run on to the keeper of its ladder.

use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};

use crate::referee::record::LoggedGame;
use crate::run::event::{Ended, Event};
use crate::run::journal::{GameOutcome, JournalEntry};
use crate::run::listener::Listener;

/// Something that has happened and is in the journal.
#[derive(Debug)]
pub(super) enum LadderFact {
    /// A game has ended.
    Ended {
        /// The game's number.
        number: u64,
        /// The outcome; `None` if the game is void.
        outcome: Option<GameOutcome>,
        /// Whether a void game is not tried again in this run.
        is_final: bool,
    },
    /// An entry about the ladder is in the journal.
    Entered(Box<JournalEntry>),
}

/// Passes events on.
#[derive(Debug)]
pub(super) struct LadderFollower(UnboundedSender<LadderFact>);

impl LadderFollower {
    /// A follower, and the channel to which it passes events.
    pub(super) fn new() -> (Self, UnboundedReceiver<LadderFact>) {
        let (sender, followed) = mpsc::unbounded_channel();
        (Self(sender), followed)
    }
}

impl Listener for LadderFollower {
    fn tell(&mut self, event: &Event) {
        let followed = match event {
            Event::Entered(entry) => LadderFact::Entered(entry.clone()),
            Event::Ended(Ended { number, record, again, .. }) => {
                let outcome = match &**record {
                    LoggedGame::Two(record) => record.result.as_ref().ok().map(GameOutcome::from),
                    LoggedGame::Group(_) => None,
                };
                LadderFact::Ended { number: *number, outcome, is_final: again.is_none() }
            }
            _ => return,
        };
        // Once the keeper is gone, the run only finishes what it has begun.
        let _ = self.0.send(followed);
    }
}
