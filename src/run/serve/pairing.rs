//! Seats the waiting players: decides which of them gets which seat.

use std::future::poll_fn;
use std::hash::{BuildHasher, RandomState};
use std::task::Poll;

use super::acceptor::{Acceptor, Caller};
use super::event::{Client, ServeEvent};
use crate::game::{BySeat, Seat};
use crate::host::line::Connection;
use crate::host::lobby::Greeted;
use crate::referee::time_control::TimeControl;
use crate::referee::wire::{EntityName, Response, SeatWish};

/// A player with a seat.
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
    /// Whether the player has been sent its response 100, 101 or 102.
    granted: bool,
}

/// The waiting players, at most as many as there are seats. Their requests can always be granted together.
pub(super) struct SeatChoice {
    seats: u8,
    time_control: TimeControl,
    waiting: Vec<WaitingPlayer>,
}

impl SeatChoice {
    pub(super) const fn new(seats: u8, time_control: TimeControl) -> Self {
        Self { seats, time_control, waiting: Vec::new() }
    }

    /// Admits a player, or turns it away if another player has the seat that it requests.
    pub(super) async fn come(
        &mut self,
        Caller { greeted: Greeted { mut connection, hello }, host }: Caller,
        wish: SeatWish,
        acceptor: &mut Acceptor,
    ) {
        if self.is_full() {
            return acceptor.turn_away(host, connection, acceptor.full());
        }
        if wish != SeatWish::Any && self.waiting.iter().any(|other| other.wish == wish) {
            return acceptor.turn_away(host, connection, Response::Taken);
        }
        // With equal clocks, the answer is the same for all seats; otherwise it can only be sent when the seat is
        // known.
        let answer = match wish {
            SeatWish::Only(seat) => Some(self.granted(seat)),
            SeatWish::Any => {
                let first = self.granted(Seat::FIRST);
                Seat::all(self.seats).all(|seat| self.granted(seat) == first).then_some(first)
            }
        };
        let was_granted = answer.is_some();
        connection.say(answer.as_slice()).await;
        if let SeatWish::Only(seat) = wish {
            acceptor.tell(ServeEvent::Connected(Client::Player(seat)));
        }
        self.waiting.push(WaitingPlayer { connection, name: hello.name, wish, granted: was_granted });
    }

    fn is_full(&self) -> bool {
        self.waiting.len() >= usize::from(self.seats)
    }

    fn granted(&self, seat: Seat) -> Response {
        Response::granted_in(self.seats, self.time_control, seat)
    }

    /// Waits until players leave, and removes them.
    pub(super) async fn somebody_leaves(&mut self) {
        poll_fn(|cx| {
            let before = self.waiting.len();
            self.waiting.retain_mut(|waiting| waiting.connection.poll_closed(cx).is_pending());
            if self.waiting.len() < before { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
    }

    /// Seats the players when there are enough, and tells the players that accept any seat which seat they have.
    pub(super) async fn all_seated(&mut self, acceptor: &Acceptor) -> Option<BySeat<Seated>> {
        if !self.is_full() {
            return None;
        }
        let mut open: Vec<Seat> = Seat::all(self.seats).collect();
        open.retain(|&seat| self.waiting.iter().all(|waiting| waiting.wish != SeatWish::Only(seat)));
        let mut seated = BySeat::from_fn(self.seats, |_| None);
        for mut player in std::mem::take(&mut self.waiting) {
            let seat = match player.wish {
                SeatWish::Only(seat) => seat,
                SeatWish::Any => {
                    let seat = open.swap_remove(draw(open.len()));
                    acceptor.tell(ServeEvent::Connected(Client::Player(seat)));
                    seat
                }
            };
            if !player.granted {
                player.connection.say(&[self.granted(seat)]).await;
            }
            seated[seat] = Some(Seated { connection: player.connection, name: player.name });
        }
        seated.all()
    }
}

/// A random index below `many`.
fn draw(many: usize) -> usize {
    // Each `RandomState` of the standard library has random keys.
    let number = RandomState::new().hash_one(()) % u64::try_from(many).unwrap_or(1).max(1);
    usize::try_from(number).unwrap_or_default()
}
