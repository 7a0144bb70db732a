//! The remote players: which of them are waiting for a game, which are in one, and how many games each has left.

use std::collections::{BTreeMap, VecDeque};
use std::future::poll_fn;
use std::task::Poll;

use crate::game::{BySeat, Seat};
use crate::host::line::Connection;
use crate::host::lobby::{self, remote_players::RemotePlayer};
use crate::referee::wire::{Response, SeatWish};
use crate::tournament::schedule::{GameSpec, PlayerIndex, Results, Schedule};
use crate::tournament::{PlayerKind, Tournament};

/// How many connections of one player may wait. If there are more, the oldest connection is dropped, since it may have
/// been lost long ago.
const MAX_WAITING: usize = 8;

/// All remote players of a run.
#[derive(Debug)]
pub(super) struct Waitlist {
    players: BTreeMap<PlayerIndex, RemoteState>,
    /// Whether the schedule may still yield games that have not been counted.
    more_may_come: bool,
}

/// What is known about one remote player.
#[derive(Debug)]
struct RemoteState {
    /// Whether the player is in a game. It plays one game at a time.
    busy: bool,
    /// The connections that are waiting for a game, oldest first.
    waiting: VecDeque<Waiting>,
    /// How many known games the player still has to play in each seat.
    unplayed: BySeat<u64>,
}

/// A connection that is waiting for a game.
#[derive(Debug)]
struct Waiting {
    connection: Connection,
    /// The seat that the player requests.
    wish: SeatWish,
}

impl RemoteState {
    /// A player of games with this many `seats`, before any of its games are known.
    fn new(seats: u8) -> Self {
        Self { busy: false, waiting: VecDeque::new(), unplayed: BySeat::from_fn(seats, |_| 0) }
    }

    fn has_a_game_for(&self, wish: SeatWish) -> bool {
        self.unplayed.iter().any(|(seat, &games)| wish.takes(seat) && games > 0)
    }
}

impl Waitlist {
    /// The remote players of `tournament`, which still have to play all games of `schedule` that have no result.
    pub(super) fn new(tournament: &Tournament, schedule: &Schedule, results: &Results) -> Self {
        let is_remote = |index: &PlayerIndex| matches!(tournament.players[*index].kind, PlayerKind::Remote(_));
        let state = || RemoteState::new(tournament.ruleset.seats());
        let players: BTreeMap<_, RemoteState> =
            (0..tournament.players.len()).filter(is_remote).map(|index| (index, state())).collect();
        let mut waitlist = Self { players, more_may_come: schedule.needs_results() };
        if !waitlist.players.is_empty() {
            for spec in schedule.games().filter(|spec| results.get(spec.id.as_str()).is_none()) {
                waitlist.count_game(&spec);
            }
        }
        waitlist
    }

    /// Counts a game that its remote players still have to play.
    pub(super) fn count_game(&mut self, spec: &GameSpec) {
        for (seat, player) in spec.players.iter() {
            if let Some(state) = self.players.get_mut(player) {
                state.unplayed[seat] += 1;
            }
        }
    }

    /// Uncounts a game that will not be played.
    pub(super) fn uncount_game(&mut self, spec: &GameSpec) {
        for (seat, player) in spec.players.iter() {
            if let Some(state) = self.players.get_mut(player) {
                state.unplayed[seat] = state.unplayed[seat].saturating_sub(1);
            }
        }
    }

    /// Records that the schedule has no further games, and turns away the players that have no games left.
    pub(super) fn no_more_games(&mut self) {
        if std::mem::replace(&mut self.more_may_come, false) {
            let players: Vec<PlayerIndex> = self.players.keys().copied().collect();
            for player in players {
                self.turn_away_spare(player);
            }
        }
    }

    /// Turns away the waiting connections of `player` for which there is no game left.
    fn turn_away_spare(&mut self, player: PlayerIndex) {
        let more_may_come = self.more_may_come;
        let Some(state) = self.players.get_mut(&player) else { return };
        for waiting in std::mem::take(&mut state.waiting) {
            if more_may_come || state.has_a_game_for(waiting.wish) {
                state.waiting.push_back(waiting);
            } else {
                turn_away(waiting.connection);
            }
        }
    }

    /// Whether `player` connects on its own.
    pub(super) fn is_remote(&self, player: PlayerIndex) -> bool {
        self.players.contains_key(&player)
    }

    /// Whether the remote player `player` is in a game.
    pub(super) fn is_busy(&self, player: PlayerIndex) -> bool {
        self.players.get(&player).is_some_and(|state| state.busy)
    }

    /// Admits a player that has said hello, unless it has no games left.
    pub(super) fn receive(&mut self, arrival: RemotePlayer) {
        let RemotePlayer { player, connection, wish } = arrival;
        match self.players.get_mut(&player) {
            Some(state) if self.more_may_come || state.has_a_game_for(wish) => {
                state.waiting.push_back(Waiting { connection, wish });
                if state.waiting.len() > MAX_WAITING {
                    state.waiting.pop_front();
                }
            }
            _ => turn_away(connection),
        }
    }

    /// Drops the waiting connections that `players` have closed. Returns whether any connection was dropped.
    pub(super) fn forget_gone(&mut self, players: &BySeat<PlayerIndex>) -> bool {
        let mut forgotten = false;
        for player in players.values() {
            if let Some(state) = self.players.get_mut(player) {
                let before = state.waiting.len();
                state.waiting.retain(|waiting| !waiting.connection.is_gone());
                forgotten |= state.waiting.len() < before;
            }
        }
        forgotten
    }

    /// Whether any waiting player could begin a game now.
    pub(super) fn somebody_waits(&self) -> bool {
        self.players.values().any(|state| !state.busy && !state.waiting.is_empty())
    }

    /// Whether `player` could begin a game in `seat` now; local players always can.
    pub(super) fn can_begin(&self, player: PlayerIndex, seat: Seat) -> bool {
        self.players
            .get(&player)
            .is_none_or(|state| !state.busy && state.waiting.iter().any(|waiting| waiting.wish.takes(seat)))
    }

    /// Removes and returns the oldest connection of `player` that accepts `seat`.
    pub(super) fn take_connection(&mut self, player: PlayerIndex, seat: Seat) -> Option<Connection> {
        let waiting = &mut self.players.get_mut(&player)?.waiting;
        let index = waiting.iter().position(|waiting| waiting.wish.takes(seat))?;
        waiting.remove(index).map(|waiting| waiting.connection)
    }

    /// Begins a game: its remote players are now busy, and have one game fewer to play. Turns away connections for
    /// which there is no game left.
    pub(super) fn begin_game(&mut self, spec: &GameSpec) {
        for (seat, &player) in spec.players.iter() {
            let Some(state) = self.players.get_mut(&player) else { continue };
            state.busy = true;
            state.unplayed[seat] = state.unplayed[seat].saturating_sub(1);
            self.turn_away_spare(player);
        }
    }

    /// Ends the game of `players`: its remote players are free for their next games.
    pub(super) fn end_game(&mut self, players: &BySeat<PlayerIndex>) {
        for player in players.values() {
            if let Some(state) = self.players.get_mut(player) {
                state.busy = false;
            }
        }
    }

    /// Waits until a player closes one of the waiting connections, and drops that connection.
    pub(super) async fn somebody_leaves(&mut self) {
        poll_fn(|cx| {
            for state in self.players.values_mut() {
                let before = state.waiting.len();
                state.waiting.retain_mut(|waiting| waiting.connection.poll_closed(cx).is_pending());
                if state.waiting.len() < before {
                    return Poll::Ready(());
                }
            }
            Poll::Pending
        })
        .await;
    }

    /// Turns away every player that is still waiting.
    pub(super) async fn dismiss(self) {
        let mut refusals = tokio::task::JoinSet::new();
        for waiting in self.players.into_values().flat_map(|state| state.waiting) {
            refusals.spawn(lobby::refuse(waiting.connection, Response::Taken));
        }
        refusals.join_all().await;
    }
}

/// Refuses a connection in the background, without waiting until the client has gone.
fn turn_away(connection: Connection) {
    tokio::spawn(lobby::refuse(connection, Response::Taken));
}
