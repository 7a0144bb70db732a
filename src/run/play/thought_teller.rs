//! Reports to a listener what the players of a game are thinking.

use super::seated_players::SeatedPlayers;
use super::turn::OnMove;
use crate::game::{BySeat, Seat};
use crate::referee::thought::Thought;

/// The thoughts that have been reported to a listener.
#[derive(Debug)]
pub(super) struct ThoughtTeller<'a> {
    /// The listener, if there is one that wants thoughts.
    listener: Option<&'a dyn OnMove>,
    /// The last thought of each seat, with its ply.
    told: BySeat<Option<(usize, Thought)>>,
}

impl<'a> ThoughtTeller<'a> {
    /// Creates the state before anything has been reported about the players of a game with `seats` seats.
    pub(super) fn new(moves: Option<&'a dyn OnMove>, seats: u8) -> Self {
        let listener = moves.filter(|listener| listener.hears_thoughts());
        Self { listener, told: BySeat::from_fn(seats, |_| None) }
    }

    /// Reports new thoughts. This is called while the game waits for a player.
    pub(super) fn look(&mut self, players: &SeatedPlayers) {
        let Some(listener) = self.listener else { return };
        for (seat, player) in players.iter() {
            let latest = player.latest_thought();
            if latest != self.told[seat] {
                self.tell(listener, seat, latest);
            }
        }
    }

    fn tell(&mut self, listener: &dyn OnMove, seat: Seat, latest: Option<(usize, Thought)>) {
        if let Some((ply, thought)) = &latest {
            listener.told(seat, *ply, thought);
        }
        self.told[seat] = latest;
    }
}
