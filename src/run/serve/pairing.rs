//! Pairs the waiting players: decides which of them gets which side.

use std::future::pending;
use std::hash::{BuildHasher, RandomState};

use super::acceptor::{Acceptor, Caller};
use super::event::{Client, ServeEvent};
use crate::game::{BySide, Side};
use crate::host::line::Connection;
use crate::host::lobby::Greeted;
use crate::referee::time_control::TimeControl;
use crate::referee::wire::{EntityName, Response, SeatWish};

/// A player with a side.
#[derive(Debug)]
pub(super) struct Seated {
    pub(super) connection: Connection,
    pub(super) name: Option<EntityName>,
}

/// A waiting player.
struct WaitingPlayer {
    connection: Connection,
    name: Option<EntityName>,
    wish: SeatWish,
    /// Whether the player has been sent its 100 or 101.
    granted: bool,
}

/// The waiting players, at most two. Their requests can always be granted together.
pub(super) struct SideChoice {
    time_control: TimeControl,
    waiting: Vec<WaitingPlayer>,
}

impl SideChoice {
    pub(super) const fn new(time_control: TimeControl) -> Self {
        Self { time_control, waiting: Vec::new() }
    }

    /// Admits a player, or turns it away if another player has the side that it requests.
    pub(super) async fn come(
        &mut self,
        Caller { greeted: Greeted { mut connection, hello }, host }: Caller,
        wish: SeatWish,
        acceptor: &mut Acceptor,
    ) {
        if self.waiting.len() >= 2 {
            return acceptor.turn_away(host, connection, Response::Full);
        }
        if wish != SeatWish::Any && self.waiting.iter().any(|other| other.wish == wish) {
            return acceptor.turn_away(host, connection, Response::Taken);
        }
        // With equal clocks, the answer is the same for both sides; otherwise it can only be sent when the side is
        // known.
        let answers = Side::BOTH.map(|side| Response::granted(self.time_control, side));
        let answer = match wish {
            SeatWish::Only(seat) => Some(Response::granted(self.time_control, seat.side())),
            SeatWish::Any => (answers[0] == answers[1]).then(|| answers[0].clone()),
        };
        let was_granted = answer.is_some();
        connection.say(answer.as_slice()).await;
        if let SeatWish::Only(seat) = wish {
            acceptor.tell(ServeEvent::Connected(Client::Player(seat.side())));
        }
        self.waiting.push(WaitingPlayer { connection, name: hello.name, wish, granted: was_granted });
    }

    /// Waits until one of the players leaves, and removes that player.
    pub(super) async fn somebody_leaves(&mut self) {
        let gone = match self.waiting.as_mut_slice() {
            [] => pending().await,
            [one] => {
                one.connection.closed().await;
                0
            }
            [one, two, ..] => tokio::select! {
                () = one.connection.closed() => 0,
                () = two.connection.closed() => 1,
            },
        };
        self.waiting.remove(gone);
    }

    /// Seats the players when there are two, and informs those that accept either side of their side.
    pub(super) async fn both(&mut self, acceptor: &Acceptor) -> Option<BySide<Seated>> {
        if self.waiting.len() < 2 {
            return None;
        }
        let (mut second, mut first) = (self.waiting.pop()?, self.waiting.pop()?);
        let side = match (first.wish, second.wish) {
            (SeatWish::Only(seat), _) => seat.side(),
            (SeatWish::Any, SeatWish::Only(seat)) => seat.side().opponent(),
            (SeatWish::Any, SeatWish::Any) => toss(),
        };
        for (player, side) in [(&mut first, side), (&mut second, side.opponent())] {
            if player.wish == SeatWish::Any {
                acceptor.tell(ServeEvent::Connected(Client::Player(side)));
            }
            if !player.granted {
                player.connection.say(&[Response::granted(self.time_control, side)]).await;
            }
        }
        let [first, second] = [first, second].map(|WaitingPlayer { connection, name, .. }| Seated { connection, name });
        Some(match side {
            Side::Black => BySide { black: first, white: second },
            Side::White => BySide { black: second, white: first },
        })
    }
}

/// A random side.
fn toss() -> Side {
    // Each `RandomState` of the standard library has random keys.
    if RandomState::new().hash_one(()).is_multiple_of(2) { Side::Black } else { Side::White }
}
