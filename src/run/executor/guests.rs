//! The remote players: which are connected, which are playing, and how many games each has left.

use std::collections::{BTreeMap, VecDeque};
use std::future::poll_fn;
use std::task::Poll;

use crate::game::rules::{BySide, Side};
use crate::host::line::Connection;
use crate::host::lobby::{self, remote_players::RemotePlayer};
use crate::referee::wire::{Response, SideWish};
use crate::tournament::file::{PlayerKind, Tournament};
use crate::tournament::schedule::{GameSpec, PlayerIndex, Results, Schedule};

/// How many connections of one player may wait. If there are more, the oldest is dropped, since it may be long dead.
const MAX_WAITING: usize = 8;

/// All remote players of a run.
#[derive(Debug)]
pub(super) struct Guests {
    guests: BTreeMap<PlayerIndex, Guest>,
    /// Whether more games may come up than are counted as unplayed.
    more_may_come: bool,
}

#[derive(Debug, Default)]
struct Guest {
    /// Whether the player is in a game: it plays one at a time.
    busy: bool,
    /// The connections that wait for a game, the oldest first.
    waiting: VecDeque<Waiting>,
    /// How many known games the player still has to play with each side.
    unplayed: BySide<u64>,
}

#[derive(Debug)]
struct Waiting {
    connection: Connection,
    wish: SideWish,
}

impl Guest {
    fn has_a_game_for(&self, wish: SideWish) -> bool {
        Side::BOTH.iter().any(|&side| wish.takes(side) && self.unplayed[side] > 0)
    }
}

impl Guests {
    /// The remote players of `tournament`, with all games of `schedule` that have no result still to play.
    pub(super) fn new(tournament: &Tournament, schedule: &Schedule, results: &Results) -> Self {
        let is_remote = |index: &PlayerIndex| matches!(tournament.players[*index].kind, PlayerKind::Remote(_));
        let guests: BTreeMap<_, Guest> =
            (0..tournament.players.len()).filter(is_remote).map(|index| (index, Guest::default())).collect();
        let mut guests = Self { guests, more_may_come: schedule.needs_results() };
        if !guests.guests.is_empty() {
            for spec in schedule.games().filter(|spec| results.get(spec.id.as_str()).is_none()) {
                guests.expect(&spec);
            }
        }
        guests
    }

    /// Counts a game that has come up.
    pub(super) fn expect(&mut self, spec: &GameSpec) {
        for side in Side::BOTH {
            if let Some(guest) = self.guests.get_mut(&spec.players[side]) {
                guest.unplayed[side] += 1;
            }
        }
    }

    /// Takes back a game that had come up and will not be played.
    pub(super) fn call_off(&mut self, spec: &GameSpec) {
        for side in Side::BOTH {
            if let Some(guest) = self.guests.get_mut(&spec.players[side]) {
                guest.unplayed[side] = guest.unplayed[side].saturating_sub(1);
            }
        }
    }

    /// Notes that no more games will come up, and turns away the players that have none left.
    pub(super) fn no_more_come(&mut self) {
        if std::mem::replace(&mut self.more_may_come, false) {
            let players: Vec<PlayerIndex> = self.guests.keys().copied().collect();
            for player in players {
                self.keep_who_has_a_game(player);
            }
        }
    }

    /// Turns away the waiting connections of `player` that have no game left.
    fn keep_who_has_a_game(&mut self, player: PlayerIndex) {
        let more_may_come = self.more_may_come;
        let Some(guest) = self.guests.get_mut(&player) else { return };
        for waiting in std::mem::take(&mut guest.waiting) {
            if more_may_come || guest.has_a_game_for(waiting.wish) {
                guest.waiting.push_back(waiting);
            } else {
                turn_away(waiting.connection);
            }
        }
    }

    /// Whether `player` connects by itself.
    pub(super) fn is_remote(&self, player: PlayerIndex) -> bool {
        self.guests.contains_key(&player)
    }

    /// Whether the remote player `player` is in a game.
    pub(super) fn is_busy(&self, player: PlayerIndex) -> bool {
        self.guests.get(&player).is_some_and(|guest| guest.busy)
    }

    /// Takes in a player that has said hello, unless no game is left for it.
    pub(super) fn receive(&mut self, arrival: RemotePlayer) {
        let RemotePlayer { player, connection, wish } = arrival;
        match self.guests.get_mut(&player) {
            Some(guest) if self.more_may_come || guest.has_a_game_for(wish) => {
                guest.waiting.push_back(Waiting { connection, wish });
                if guest.waiting.len() > MAX_WAITING {
                    guest.waiting.pop_front();
                }
            }
            _ => turn_away(connection),
        }
    }

    /// Forgets the waiting connections that `players` have closed. Returns whether there were any.
    pub(super) fn forget_gone(&mut self, players: BySide<PlayerIndex>) -> bool {
        let mut forgotten = false;
        for side in Side::BOTH {
            if let Some(guest) = self.guests.get_mut(&players[side]) {
                let before = guest.waiting.len();
                guest.waiting.retain(|waiting| !waiting.connection.is_gone());
                forgotten |= guest.waiting.len() < before;
            }
        }
        forgotten
    }

    /// Whether any waiting player could begin a game now.
    pub(super) fn somebody_waits(&self) -> bool {
        self.guests.values().any(|guest| !guest.busy && !guest.waiting.is_empty())
    }

    /// Whether `player` could begin a game as `side` now; local players always can.
    pub(super) fn can_begin(&self, player: PlayerIndex, side: Side) -> bool {
        self.guests
            .get(&player)
            .is_none_or(|guest| !guest.busy && guest.waiting.iter().any(|waiting| waiting.wish.takes(side)))
    }

    /// The oldest connection of `player` that wants `side`.
    pub(super) fn take_connection(&mut self, player: PlayerIndex, side: Side) -> Option<Connection> {
        let waiting = &mut self.guests.get_mut(&player)?.waiting;
        let index = waiting.iter().position(|waiting| waiting.wish.takes(side))?;
        waiting.remove(index).map(|waiting| waiting.connection)
    }

    /// Begins a game: its remote players are now busy, and have one game fewer to play. Turns away connections that have no
    /// game left.
    pub(super) fn begin(&mut self, spec: &GameSpec) {
        for side in Side::BOTH {
            let player = spec.players[side];
            let Some(guest) = self.guests.get_mut(&player) else { continue };
            guest.busy = true;
            guest.unplayed[side] = guest.unplayed[side].saturating_sub(1);
            self.keep_who_has_a_game(player);
        }
    }

    /// Notes that the game of `players` is over.
    pub(super) fn end(&mut self, players: BySide<PlayerIndex>) {
        for side in Side::BOTH {
            if let Some(guest) = self.guests.get_mut(&players[side]) {
                guest.busy = false;
            }
        }
    }

    /// Waits until a player closes one of the waiting connections, and forgets that connection.
    pub(super) async fn somebody_leaves(&mut self) {
        poll_fn(|cx| {
            for guest in self.guests.values_mut() {
                let before = guest.waiting.len();
                guest.waiting.retain_mut(|waiting| waiting.connection.poll_closed(cx).is_pending());
                if guest.waiting.len() < before {
                    return Poll::Ready(());
                }
            }
            Poll::Pending
        })
        .await;
    }

    /// Turns away every player that still waits.
    pub(super) async fn dismiss(self) {
        let mut refusals = tokio::task::JoinSet::new();
        for waiting in self.guests.into_values().flat_map(|guest| guest.waiting) {
            refusals.spawn(lobby::refuse(waiting.connection, Response::Taken));
        }
        refusals.join_all().await;
    }
}

/// Refuses a connection in the background, without waiting until the client has gone.
fn turn_away(connection: Connection) {
    tokio::spawn(lobby::refuse(connection, Response::Taken));
}
