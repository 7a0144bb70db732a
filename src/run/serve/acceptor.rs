//! Accepts clients at the public port, refuses them, and waits for them to leave.

use std::time::Duration;

use tokio::net::TcpListener;
use tokio::sync::mpsc::{self, Receiver, Sender, UnboundedSender};
use tokio::task::JoinSet;

use super::event::ServeEvent;
use crate::base::time::{Instant, now};
use crate::game::Ruleset;
use crate::host::line::Connection;
use crate::host::lobby::bounded_tasks::BoundedTasks;
use crate::host::lobby::pending_clients::{self, PendingClients};
use crate::host::lobby::source_host::Host;
use crate::host::lobby::{self, FirstLine, Greeted};
use crate::referee::wire::{Response, Role};

/// How many clients that have sent a first line may wait to be handled; while this many are waiting, no other clients
/// are accepted.
const MAX_WAITING: usize = 64;

/// The maximum number of refusals to report per second, in case of a flood.
const MAX_TOLD: u32 = 100;

/// The public port, which stays open from game to game.
#[derive(Debug)]
pub(super) struct Acceptor {
    /// The task that holds the port.
    port: JoinSet<()>,
    /// How many seats the games have.
    seats: u8,
    clients: Receiver<(Host, FirstLine)>,
    events: UnboundedSender<ServeEvent>,
    /// The clients that have been sent their last line and are given time to read it.
    leaving: JoinSet<()>,
    /// The clients that have been refused, and are given time to read the reason unless there are too many.
    refused: BoundedTasks<()>,
    /// The start of the second in which refusals are counted, and their number since then.
    told: (Instant, u32),
}

/// A client that has sent its hello.
#[derive(Debug)]
pub(super) struct Caller {
    /// The client's hello and its connection.
    pub(super) greeted: Greeted,
    /// The host that the client connects from.
    pub(super) host: Host,
}

impl Acceptor {
    /// Accepts clients from `listener`, for games of `ruleset`. Each client has `hello_timeout` to send its hello.
    pub(super) fn open(
        listener: TcpListener,
        ruleset: Ruleset,
        hello_timeout: Duration,
        events: UnboundedSender<ServeEvent>,
    ) -> Self {
        let (heard, clients) = mpsc::channel(MAX_WAITING);
        let mut port = JoinSet::new();
        port.spawn(hear_all(PendingClients::new(listener, ruleset, hello_timeout), heard));
        let (leaving, refused) = (JoinSet::new(), pending_clients::refused());
        let seats = ruleset.seats();
        Self { port, seats, clients, events, leaving, refused, told: (now(), 0) }
    }

    /// The refusal of a player that comes when all seats are taken.
    pub(super) const fn full(&self) -> Response {
        Response::Full { seats: self.seats }
    }

    /// The next client that sends a hello. Clients that send something else are turned away in the meantime. This is
    /// cancel-safe: no client is lost.
    pub(super) async fn next(&mut self) -> Caller {
        loop {
            match self.clients.recv().await {
                Some((host, FirstLine::Hello(greeted))) => return Caller { greeted, host },
                Some((host, FirstLine::Nonsense(connection, why))) => self.turn_away(host, connection, why),
                // The port receives clients for as long as the acceptor lives.
                None => std::future::pending().await,
            }
        }
    }

    /// Sends `event` to the listener. It is not a failure if there is no listener any more.
    pub(super) fn tell(&self, event: ServeEvent) {
        let _ = self.events.send(event);
    }

    /// The channel to which events are sent.
    pub(super) fn events(&self) -> UnboundedSender<ServeEvent> {
        self.events.clone()
    }

    /// Refuses a client, without waiting until it has left.
    pub(super) fn turn_away(&mut self, host: Host, connection: Connection, why: Response) {
        let time = now();
        if time - self.told.0 >= Duration::from_secs(1) {
            self.told = (time, 0);
        }
        self.told.1 = self.told.1.saturating_add(1);
        if self.told.1 <= MAX_TOLD {
            self.tell(ServeEvent::Refused);
        }
        self.refused.forget_gone();
        self.refused.admit(host, lobby::refuse(connection, why));
    }

    /// Runs `leaving` in the background; [`Acceptor::close`] waits for it.
    pub(super) fn see_off(&mut self, leaving: impl Future<Output = ()> + Send + 'static) {
        while self.leaving.try_join_next().is_some() {}
        self.leaving.spawn(leaving);
    }

    /// Closes the port, refuses the clients that arrived too late, and waits until all have left or been disconnected.
    pub(super) async fn close(mut self) {
        self.port.shutdown().await;
        while let Ok((host, client)) = self.clients.try_recv() {
            match client {
                FirstLine::Nonsense(connection, why) => self.turn_away(host, connection, why),
                FirstLine::Hello(Greeted { connection, hello }) => {
                    let why = match hello.role {
                        Role::Player(_) => self.full(),
                        Role::Observer => Response::Private,
                    };
                    self.turn_away(host, connection, why);
                }
            }
        }
        tokio::join!(self.leaving.join_all(), self.refused.all_gone());
    }
}

/// Passes each client to `heard` until the receiver is closed.
async fn hear_all(mut clients: PendingClients, heard: Sender<(Host, FirstLine)>) {
    loop {
        let client = clients.next().await;
        if heard.send(client).await.is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpStream;

    use super::*;
    use crate::host::line::Stream;

    #[tokio::test]
    async fn a_player_that_comes_too_late_is_told_so() {
        for (hello, answer) in
            [("0.9.1 player black\r", "192 "), ("0.9.1 observer\r", "193 "), ("0.9.1 player red\r", "199 ")]
        {
            let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
            let address = listener.local_addr().expect("bound");
            let (events, mut told) = mpsc::unbounded_channel();
            let acceptor = Acceptor::open(listener, Ruleset::Gothello, Duration::from_mins(1), events);
            let mut client = TcpStream::connect(address).await.expect("it listens");
            client.write_all(hello.as_bytes()).await.expect("sent");
            while acceptor.clients.is_empty() {
                tokio::task::yield_now().await;
            }
            let closing = tokio::spawn(acceptor.close());
            let mut heard = String::new();
            client.read_to_string(&mut heard).await.expect("no reset");
            assert!(heard.lines().nth(1).is_some_and(|line| line.starts_with(answer)), "{heard}");
            drop(client);
            closing.await.expect("closed");
            assert_eq!(told.recv().await, Some(ServeEvent::Refused));
            assert!(TcpStream::connect(address).await.is_err(), "the port is still open");
        }
    }

    #[tokio::test]
    async fn closing_waits_for_those_who_are_on_the_way_out() {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let (events, _told) = mpsc::unbounded_channel();
        let mut acceptor = Acceptor::open(listener, Ruleset::Gothello, Duration::from_mins(1), events);
        let (ours, mut theirs) = tokio::io::duplex(4);
        let mut connection = Connection::new(Stream::Duplex(ours));
        // This is more than the stream's capacity, so sending waits for the reader.
        connection.send(b"the last words").await;
        acceptor.see_off(async move {
            let () = connection.close().await;
        });
        let closing = tokio::spawn(acceptor.close());
        let mut heard = String::new();
        theirs.read_to_string(&mut heard).await.expect("read");
        assert_eq!(heard, "the last words");
        assert!(!closing.is_finished());
        drop(theirs);
        closing.await.expect("closed");
    }
}
