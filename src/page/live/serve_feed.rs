//! The events of `serve` for a live page: games one at a time, between players that are not known in advance.

use std::collections::BTreeSet;
use std::time::Duration;

use tokio::sync::mpsc::error::TryRecvError;
use tokio::sync::mpsc::{self, Receiver, Sender};

use super::delay_line::DelayLine;
use super::feed::Feed;
use super::state::{DropOutNews, EndedGame, LiveState, Premise, RulesAndClocks, ShownPlayers};
use crate::base::time::today;
use crate::game::BySeat;
use crate::referee::record::LoggedGame;
use crate::referee::sans_io::Terms;
use crate::run::serve::{Client, ServeEvent};

/// The maximum number of events that may be queued for the page's thread.
const CAPACITY: usize = 1024;

/// The number of events that may wait for a page that is behind the games. Further events are dropped.
const MOST_HELD: usize = 20_000;

/// The number of games to keep with their moves. `serve` may play indefinitely.
const KEPT: usize = 200;

/// The initial information for the page of `serve`: `total` games under `terms`.
pub(crate) fn premise_of_serve(terms: &Terms, total: Option<u64>, address: Option<String>) -> Premise {
    Premise {
        title: "gothello-arena serve".to_owned(),
        date: Some(today().replace('.', "-")),
        table: RulesAndClocks { ruleset: terms.ruleset, clocks: terms.time_control, meter: terms.meter },
        opening_plies: 0,
        total,
        is_most: false,
        roster: ShownPlayers::new(Vec::new()),
        keeps: KEPT,
        address,
        history: None,
        test: None,
        upcoming: None,
    }
}

/// Passes the events of `serve` on to its page, and drops them if the page cannot keep up.
#[derive(Clone, Debug)]
pub(crate) struct ServeTeller(Sender<ServeEvent>);

impl ServeTeller {
    /// Passes `event` on, or drops it; never waits.
    pub(crate) fn tell(&self, event: &ServeEvent) {
        let _ = self.0.try_send(event.clone());
    }
}

/// The events of `serve`.
#[derive(Debug)]
pub(crate) struct ServeFeed {
    events: Receiver<ServeEvent>,
    /// The waiting events, followed by `None` after the last event.
    line: DelayLine<Option<ServeEvent>>,
    /// Whether the last event has arrived.
    is_closed: bool,
    /// The number of games that have begun.
    begun: u64,
    /// How many seats a game has.
    seats: u8,
}

/// Creates both ends of the channel from `serve` to its page, which is behind the games by `delay`. The games have the
/// given number of `seats`.
pub(crate) fn of_serve(seats: u8, delay: Duration) -> (ServeTeller, ServeFeed) {
    let (sender, events) = mpsc::channel(CAPACITY);
    (ServeTeller(sender), ServeFeed { events, line: DelayLine::new(delay), is_closed: false, begun: 0, seats })
}

impl Feed for ServeFeed {
    fn drain(&mut self, state: &mut LiveState, at: Duration) -> bool {
        self.receive(at);
        while let Some(event) = self.line.due(at) {
            match event {
                Some(event) => self.take(event, state, at),
                None => return false,
            }
        }
        true
    }
}

impl ServeFeed {
    /// Puts all events up to now, the time `at`, into the line.
    fn receive(&mut self, at: Duration) {
        while !self.is_closed {
            match self.events.try_recv() {
                Ok(event) if self.line.is_delayed() && self.line.len() >= MOST_HELD => drop(event),
                Ok(event) => self.line.put(at, Some(event)),
                Err(TryRecvError::Empty) => break,
                Err(TryRecvError::Disconnected) => {
                    self.is_closed = true;
                    self.line.put(at, None);
                }
            }
        }
    }

    fn take(&mut self, event: ServeEvent, state: &mut LiveState, at: Duration) {
        match event {
            ServeEvent::Started { players } => {
                // The last game may have been broken off.
                state.broken_off(&self.game());
                self.begun += 1;
                state.started((at, &self.game()), &distinct(players), &[]);
            }
            ServeEvent::Moved { number, played, left } => state.moved((at, &self.game()), number, played, left),
            ServeEvent::Ended(mut record) => {
                match &mut *record {
                    LoggedGame::Two(record) => {
                        let players = distinct(record.players.clone().into());
                        record.players = players.by_side().unwrap_or_else(|_| unreachable!("two seats"));
                    }
                    LoggedGame::Group(record) => record.players = distinct(record.players.clone()),
                }
                let (id, number) = (self.game(), self.begun);
                state.ended(at, EndedGame { id: &id, number, record: &record });
            }
            ServeEvent::DroppedOut { seat, why } => {
                state.dropped_out((at, &self.game()), DropOutNews { seat, after_plies: None, why });
            }
            ServeEvent::Connected(Client::Player(seat)) => {
                let seat = seat.name(self.seats);
                state.note(None, &format!("a player for {seat} has connected"));
            }
            ServeEvent::Connected(Client::Observer(_)) | ServeEvent::Refused => {}
        }
    }

    /// The id of the latest game.
    fn game(&self) -> String {
        format!("game-{}", self.begun)
    }
}

/// The names of the players. If some of the names are equal, every name is followed by its side or seat.
fn distinct(players: BySeat<String>) -> BySeat<String> {
    let seats = players.seats();
    if players.values().collect::<BTreeSet<_>>().len() == usize::from(seats) {
        return players;
    }
    BySeat::from_fn(seats, |seat| format!("{} ({})", players[seat], seat.name(seats)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_of_serve_may_run_on_every_cpu_and_analyzes_no_game() {
        let (_teller, mut feed) = of_serve(2, Duration::ZERO);
        assert_eq!(feed.cpus(), None);
        assert!(feed.idle_analysis().is_none() && feed.archive()("game-1").is_none());
    }
}
