//! The clients at a seat's own listener: what each client asks for, and the clients that connect when the seat already
//! has its player.

use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use crate::base::time::{Instant, now, sleep_until, timeout_at};
use crate::game::{Ruleset, Seat};
use crate::host::line::{Connection, Recorder, Stream};
use crate::host::listen::ACCEPT_PAUSE;
use crate::host::lobby::{self, Greeted};
use crate::referee::wire::{Response, Role, SeatWish};

/// How many connections to a seat may wait for a hello at the same time.
const MAX_UNGREETED: usize = 64;

/// How long a single client may take to send its hello. The wait for the seat's player ends long before that.
const NO_HURRY: Duration = Duration::from_hours(24);

/// A client at a private seat, classified by its hello.
#[derive(Debug)]
pub(super) enum Visitor {
    /// The seat's player, which asks for its own seat.
    Player(Box<Connection>),
    /// A player that asks only for other seats.
    WrongSeat,
    /// Any other client, which has already been refused.
    Nobody,
}

impl Visitor {
    /// Waits for a client's hello, and refuses every client except the player of `seat`.
    pub(super) async fn hear(stream: Stream, seat: Seat, ruleset: Ruleset, recorder: Option<Recorder>) -> Self {
        let connection = Connection::new(stream).recorded(recorder);
        let Some(Greeted { connection, hello }) = lobby::greet(connection, ruleset, now() + NO_HURRY).await else {
            return Self::Nobody;
        };
        match hello.role {
            Role::Player(wish) if wish.takes(seat) => Self::Player(Box::new(connection)),
            Role::Player(SeatWish::Only(_) | SeatWish::Any) => {
                lobby::refuse(connection, Response::Taken).await;
                Self::WrongSeat
            }
            Role::Observer => {
                lobby::refuse(connection, Response::Private).await;
                Self::Nobody
            }
        }
    }
}

/// The clients at the listener of `seat` that have not sent a hello yet.
#[derive(Debug)]
pub(super) struct Visitors {
    seat: Seat,
    ruleset: Ruleset,
    recorder: Option<Recorder>,
    visits: JoinSet<Visitor>,
}

impl Visitors {
    pub(super) fn new(seat: Seat, ruleset: Ruleset, recorder: Option<Recorder>) -> Self {
        Self { seat, ruleset, recorder, visits: JoinSet::new() }
    }

    pub(super) fn have_room(&self) -> bool {
        self.visits.len() < MAX_UNGREETED
    }

    pub(super) fn is_empty(&self) -> bool {
        self.visits.is_empty()
    }

    /// Begins to wait for a client's hello.
    pub(super) fn meet(&mut self, stream: TcpStream) {
        self.visits.spawn(Visitor::hear(Stream::Tcp(stream), self.seat, self.ruleset, self.recorder.clone()));
    }

    /// Returns the next client that has sent its hello; `None` if there are no clients. This is cancel safe.
    pub(super) async fn next(&mut self) -> Option<Visitor> {
        let visitor = self.visits.join_next().await?;
        Some(visitor.unwrap_or(Visitor::Nobody))
    }
}

/// The door of a seat that already has its player. Clients that still connect are refused with 191.
#[derive(Debug)]
pub struct Door {
    listener: TcpListener,
    visitors: Visitors,
}

impl Door {
    /// Creates the door at `listener`, where `visitors` are already waiting.
    pub(super) const fn new(listener: TcpListener, visitors: Visitors) -> Self {
        Self { listener, visitors }
    }

    /// Returns the next client that connects, which the caller may let in. This is cancel safe.
    pub async fn next(&mut self) -> TcpStream {
        loop {
            tokio::select! {
                biased;
                Some(visitor) = self.visitors.next() => self.dismiss(visitor),
                accepted = self.listener.accept(), if self.visitors.have_room() => match accepted {
                    Ok((stream, _)) => return stream,
                    Err(_) => sleep_until(now() + ACCEPT_PAUSE).await,
                },
            }
        }
    }

    /// Waits for the hello of the client on `stream`, and refuses the client.
    pub fn let_in(&mut self, stream: TcpStream) {
        self.visitors.meet(stream);
    }

    /// Refuses all remaining clients, but does not wait for them after `deadline`, and closes the door.
    pub async fn close(mut self, deadline: Instant) {
        while let Ok(Some(visitor)) = timeout_at(deadline, self.visitors.next()).await {
            self.dismiss(visitor);
        }
    }

    fn dismiss(&mut self, visitor: Visitor) {
        if let Visitor::Player(connection) = visitor {
            self.visitors.visits.spawn(async move {
                lobby::refuse(*connection, Response::Taken).await;
                Visitor::Nobody
            });
        }
    }
}
