//! Tracks which games can currently use port 29068.

use crate::host::seat::address::{Addresses, OriginalPort};
use crate::run::play::Arena;
use crate::tournament::schedule::{GameSpec, PlayerIndex};

/// The games that use port 29068. A game that cannot get the port must not begin, since it would only wait in a slot
/// that another game could use.
#[derive(Debug)]
pub(super) struct OriginalPortUse {
    /// How each player's seat depends on the port.
    seats: Vec<OriginalPort>,
    addresses: Addresses,
    /// How many games use 127.0.0.1:29068, or are waiting for it.
    on_localhost: usize,
    /// The game that found the port in use by another program and is waiting for it. All other games wait until this
    /// game has the port.
    waiting: Option<(u64, OriginalPort)>,
    /// Whether games on separate hosts would also have to wait.
    is_every_host_taken: bool,
}

impl OriginalPortUse {
    pub(super) fn new(arena: &Arena) -> Self {
        let seat = |player: PlayerIndex| arena.original_port(player);
        Self {
            seats: (0..arena.entrants.len()).map(seat).collect(),
            addresses: arena.addresses.clone(),
            on_localhost: 0,
            waiting: None,
            is_every_host_taken: false,
        }
    }

    /// Adds the players of `arena` that are new.
    pub(super) fn add_players(&mut self, arena: &Arena) {
        self.seats.extend((self.seats.len()..arena.entrants.len()).map(|player| arena.original_port(player)));
    }

    /// Checks whether another program still holds the port that a game is waiting for.
    pub(super) fn look(&mut self) {
        self.waiting.take_if(|(_, port)| !self.addresses.is_taken(*port));
        self.is_every_host_taken = self.waiting.is_some() && self.addresses.is_taken(OriginalPort::OwnHost);
    }

    /// Whether the game `spec` can begin without waiting for another game.
    pub(super) fn has_room(&self, spec: &GameSpec) -> bool {
        match self.need(spec) {
            OriginalPort::Unneeded => true,
            OriginalPort::OwnHost => !self.is_every_host_taken,
            OriginalPort::Localhost => self.on_localhost == 0 && self.waiting.is_none(),
        }
    }

    /// Records that the game `spec` begins here.
    pub(super) fn begin(&mut self, spec: &GameSpec) {
        let port = self.need(spec);
        self.on_localhost += usize::from(port == OriginalPort::Localhost);
        let is_ours = port == OriginalPort::Localhost && self.on_localhost > 1;
        if self.waiting.is_none() && !is_ours && self.addresses.is_taken(port) {
            self.waiting = Some((spec.number, port));
            self.look();
        }
    }

    /// Records that the game `spec`, which began here, is over.
    pub(super) fn end(&mut self, spec: &GameSpec) {
        self.on_localhost -= usize::from(self.need(spec) == OriginalPort::Localhost);
        self.waiting.take_if(|(number, _)| *number == spec.number);
        self.is_every_host_taken &= self.waiting.is_some();
    }

    /// How the game `spec` depends on the port: in the same way as the player that may have to wait longest.
    fn need(&self, spec: &GameSpec) -> OriginalPort {
        let any = |port| spec.players.values().any(|&player| self.seats[player] == port).then_some(port);
        any(OriginalPort::Localhost).or_else(|| any(OriginalPort::OwnHost)).unwrap_or(OriginalPort::Unneeded)
    }
}
