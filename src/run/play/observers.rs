//! The observers of one game. They cannot slow it down: each has a separate task, and an observer that falls behind is
//! dropped.

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::base::time::{now, timeout_at};
use crate::game::{BySeat, Seat};
use crate::host::line::{Connection, Input};
use crate::referee::sans_io::{Referee, Sayings};
use crate::referee::wire::{Dialect, EntityName, Response};

/// The maximum number of simultaneous observers: more than any class needs. Each observer takes up a file descriptor,
/// and memory for the output that it has not read yet.
pub(crate) const MAX_OBSERVERS: usize = 256;

/// How many messages may be queued for an observer's task.
const BACKLOG: usize = 256;

/// How many bytes may be buffered for an observer to read: more than a whole game on the 5x5 board, and about three
/// hundred plies on the largest boards.
const MAX_BEHIND: usize = 256 * 1024;

/// How many lines to read from an observer. An observer has nothing to send, and is read only to detect when it leaves.
/// If it sends lines anyway, the arena stops reading before this costs the players time.
const MAX_HEARD: u32 = 16;

/// How much time an observer has to read the end of the game.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// An observer that has been accepted.
#[derive(Debug)]
pub struct Observer {
    /// The observer's connection.
    pub connection: Connection,
    /// The observer's number, from 0.
    pub number: u32,
    /// The name that the observer gave itself, if any.
    pub name: Option<EntityName>,
    /// A reference held for as long as the connection is open. The number of these references is the number of
    /// observers.
    pub place: Arc<()>,
}

/// An observer that has been admitted to the game.
#[derive(Debug)]
struct Watcher {
    number: u32,
    name: Option<EntityName>,
    dialect: Dialect,
    messages: mpsc::Sender<String>,
}

/// The observers of one game, and those that arrive during it.
#[derive(Debug, Default)]
pub struct Observers {
    arriving: Option<mpsc::UnboundedReceiver<Observer>>,
    /// How many seats the game has.
    seats: u8,
    /// The names that players gave themselves, with their seats.
    players: Vec<(Seat, EntityName)>,
    watchers: Vec<Watcher>,
    tasks: JoinSet<()>,
}

impl Observers {
    /// No observers, now or later.
    pub fn closed() -> Self {
        Self::default()
    }

    /// The observers that arrive through `arriving`, in a game between players with these names.
    pub fn open(arriving: mpsc::UnboundedReceiver<Observer>, players: BySeat<Option<EntityName>>) -> Self {
        let seats = players.seats();
        let players = players.into_iter().filter_map(|(seat, name)| Some((seat, name?))).collect();
        Self { arriving: Some(arriving), seats, players, ..Self::default() }
    }

    /// Admits the observers that arrived before the game, which receive the start of the game at the same time as the
    /// players.
    pub fn admit_waiting(&mut self) {
        while let Some(observer) = self.arriving.as_mut().and_then(|arriving| arriving.try_recv().ok()) {
            self.seat(observer);
        }
        self.tell(&self.cast());
    }

    /// Waits for the next observer and shows it the game's current state.
    pub async fn admit(&mut self, referee: &Referee) {
        let next = match &mut self.arriving {
            Some(arriving) => arriving.recv().await,
            None => None,
        };
        // If no more observers can arrive, there is nothing to wait for.
        let Some(observer) = next else { return pending().await };
        self.seat(observer);
        let mut welcome = self.cast();
        welcome.extend(referee.welcome_observer());
        let Some(newest) = self.watchers.last() else { return };
        // The queue of the newest observer is still empty.
        let _ = newest.messages.try_send(text(&welcome, newest.dialect));
    }

    /// Sends the responses to every observer.
    pub fn tell(&mut self, responses: &[Response]) {
        if self.watchers.is_empty() || responses.is_empty() {
            return;
        }
        // Most observers use the same dialect.
        let mut texts: Vec<(Dialect, String)> = Vec::new();
        let mut said = |dialect| match texts.iter().find(|(known, _)| *known == dialect) {
            Some((_, text)) => text.clone(),
            None => {
                let text = text(responses, dialect);
                texts.push((dialect, text.clone()));
                text
            }
        };
        // An observer whose queue is full does not keep up; an observer whose queue is closed has left.
        self.watchers.retain(|watcher| watcher.messages.try_send(said(watcher.dialect)).is_ok());
    }

    /// Closes all connections after everything that was sent has been delivered.
    pub async fn close(mut self) {
        self.watchers.clear();
        self.tasks.join_all().await;
    }

    /// The responses with the names of all named participants (341, 342 or 348, and 343), and with the number of
    /// observers (344).
    fn cast(&self) -> Vec<Response> {
        let mut cast = Vec::new();
        let names = self.players.clone().into_iter();
        if self.seats > 2 {
            cast.extend(names.map(|(seat, name)| Response::SeatName(seat, name)));
        } else {
            cast.extend(names.rev().map(|(seat, name)| Response::PlayerName(seat.side(), name)));
        }
        for Watcher { number, name, .. } in &self.watchers {
            cast.extend(name.clone().map(|name| Response::ObserverName(*number, name)));
        }
        cast.push(Response::Observers(u32::try_from(self.watchers.len()).unwrap_or(u32::MAX)));
        cast
    }

    fn seat(&mut self, observer: Observer) {
        // Observers that have gone are neither counted nor kept.
        self.watchers.retain(|watcher| !watcher.messages.is_closed());
        while self.tasks.try_join_next().is_some() {}
        let Observer { connection, number, name, place } = observer;
        let (messages, to_tell) = mpsc::channel(BACKLOG);
        self.watchers.push(Watcher { number, name, dialect: connection.speech().dialect, messages });
        self.tasks.spawn(async move {
            attend(connection, to_tell).await;
            drop(place);
        });
    }
}

fn text(responses: &[Response], dialect: Dialect) -> String {
    let mut text = String::with_capacity(256);
    Sayings::append(responses, dialect, &mut text);
    text
}

/// Sends one observer its messages until there are no more, or until it is unreachable or falls behind.
async fn attend(mut connection: Connection, mut messages: mpsc::Receiver<String>) {
    let mut left_to_hear = MAX_HEARD;
    while connection.unsent().is_some_and(|behind| behind <= MAX_BEHIND) {
        tokio::select! {
            message = messages.recv() => match message {
                Some(text) => connection.send(text.as_bytes()).await,
                None => {
                    let _ = timeout_at(now() + LAST_WORDS, connection.close()).await;
                    return;
                }
            },
            input = overhear(&mut connection, left_to_hear > 0) => match input {
                Some(Input::Line(..)) => left_to_hear -= 1,
                // The observer has closed its sending half (`printf ... | nc`), and may still be reading.
                Some(Input::Closed) => left_to_hear = 0,
                None => {}
            },
        }
    }
}

/// The next input of an observer if the arena still `listens`; otherwise `None`, as soon as the observer is
/// unreachable.
async fn overhear(connection: &mut Connection, listens: bool) -> Option<Input> {
    if listens {
        return Some(connection.next().await);
    }
    connection.flush().await;
    if connection.unsent().is_some() {
        return pending().await;
    }
    None
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};

    use super::*;
    use crate::host::line::Stream;
    use crate::referee::sans_io::Terms;

    /// Creates `observers` observers, and returns the far ends of their streams, too; each stream has a capacity of
    /// `size` bytes.
    fn observers(observers: u32, size: usize) -> (Observers, mpsc::UnboundedSender<Observer>, Vec<DuplexStream>) {
        let (sender, arriving) = mpsc::unbounded_channel();
        let ends = (0..observers).map(|number| arrive(&sender, number, size)).collect();
        (Observers::open(arriving, BySeat::from_fn(2, |_| None)), sender, ends)
    }

    fn arrive(sender: &mpsc::UnboundedSender<Observer>, number: u32, size: usize) -> DuplexStream {
        let (ours, theirs) = tokio::io::duplex(size);
        let name = EntityName::new(&format!("n{number}"));
        sender
            .send(Observer { connection: Connection::new(Stream::Duplex(ours)), number, name, place: Arc::default() })
            .expect("open");
        theirs
    }

    /// Reads up to the end of `what`, and returns everything read.
    async fn hear(end: &mut DuplexStream, what: &str) -> String {
        let mut heard = String::new();
        while !heard.ends_with(what) {
            let byte = end.read_u8().await.unwrap_or_else(|error| panic!("{error} after `{heard}`"));
            heard.push(char::from(byte));
        }
        heard
    }

    fn move_number(number: u32) -> Response {
        Response::Observers(number)
    }

    #[tokio::test]
    async fn an_observer_that_has_left_is_neither_named_nor_counted() {
        let (mut observers, sender, mut ends) = observers(3, 4096);
        observers.admit_waiting();
        for end in &mut ends {
            hear(
                end,
                "343 0 \"n0\" is an observer\r\n343 1 \"n1\" is an observer\r\n343 2 \"n2\" is an observer\r\n344 3",
            )
            .await;
        }
        drop(ends.remove(1));
        while observers.watchers.iter().filter(|watcher| watcher.messages.is_closed()).count() == 0 {
            observers.tell(&[move_number(7)]);
            tokio::task::yield_now().await;
        }
        let mut late = arrive(&sender, 3, 4096);
        observers.admit(&Referee::new(Terms::default())).await;
        let heard = hear(&mut late, "382").await;
        let names = "343 0 \"n0\" is an observer\r\n343 2 \"n2\" is an observer\r\n343 3 \"n3\" is an observer\r\n";
        assert!(
            heard.starts_with(&format!("{names}344 3 observers\r\n353 You will observe\r\n380 1 b\r\n")),
            "{heard}"
        );
    }

    #[tokio::test]
    async fn an_observer_that_does_not_read_is_dropped_and_the_others_miss_nothing() {
        let (mut observers, _sender, mut ends) = observers(2, 64);
        observers.admit_waiting();
        let reader = &mut ends[0];
        hear(reader, "344 2 observers\r\n").await;
        let mut number = 0;
        while observers.watchers.len() == 2 {
            number += 1;
            assert!(number < 100_000, "an observer that never reads is kept forever");
            observers.tell(&[move_number(number)]);
            assert_eq!(hear(reader, "\r\n").await, format!("{}\r\n", move_number(number)));
        }
        assert_eq!(observers.watchers[0].number, 0);
    }

    #[tokio::test]
    async fn observers_are_not_read_after_a_few_lines() {
        let (mut observers, _sender, mut ends) = observers(1, 1024);
        observers.admit_waiting();
        let end = &mut ends[0];
        hear(end, "344 1 observers\r\n").await;
        let flood = "x\r".repeat(4096);
        tokio::select! {
            // This is more than the stream's capacity, and there is no reader.
            _ = end.write_all(flood.as_bytes()) => panic!("all of it was read"),
            () = async { for _ in 0..1_000 { tokio::task::yield_now().await } } => {}
        }
        observers.tell(&[move_number(5)]);
        assert_eq!(hear(end, "\r\n").await, format!("{}\r\n", move_number(5)));
    }

    #[tokio::test]
    async fn an_observer_that_closed_its_sending_half_still_hears_and_is_closed_with_the_others() {
        let (mut observers, _sender, mut ends) = observers(1, 1024);
        observers.admit_waiting();
        let end = &mut ends[0];
        end.shutdown().await.expect("shut down");
        hear(end, "344 1 observers\r\n").await;
        for number in 0..10 {
            observers.tell(&[move_number(number)]);
            hear(end, &format!("{}\r\n", move_number(number))).await;
        }
        let mut rest = String::new();
        let (read, ()) = tokio::join!(end.read_to_string(&mut rest), observers.close());
        assert_eq!((read.expect("read"), rest.as_str()), (0, ""));
    }

    #[tokio::test(start_paused = true)]
    async fn closing_waits_only_a_while_for_an_observer_that_does_not_leave() {
        let (mut observers, _sender, mut ends) = observers(1, 1024);
        observers.admit_waiting();
        hear(&mut ends[0], "344 1 observers\r\n").await;
        let start = now();
        observers.close().await;
        assert_eq!(now() - start, LAST_WORDS);
    }
}
