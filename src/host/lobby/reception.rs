//! Where remote players arrive: public addresses, on which a hello tells who it is.

use std::net::SocketAddr;
use std::sync::{Arc, PoisonError};

use tokio::net::TcpListener;
use tokio::sync::mpsc::UnboundedSender;

use super::anteroom::{self, Anteroom};
use super::crowd::Host;
use super::guesses::SharedGuesses;
use super::{Heard, refuse};
use crate::base::time::{Instant, now, sleep_until};
use crate::host::line::Connection;
use crate::referee::wire::{Hello, Response, Role, SideWish, Words};
use crate::tournament::file::{PlayerKind, Tournament};
use crate::tournament::schedule::PlayerIndex;

/// A remote player that has said hello.
#[derive(Debug)]
pub struct Arrival {
    /// Who it is.
    pub player: PlayerIndex,
    /// Its connection, greeted but not granted anything.
    pub connection: Connection,
    /// The side that it asks for.
    pub wish: SideWish,
}

/// An address of the arena, and who comes there.
#[derive(Debug)]
pub struct Reception {
    listener: TcpListener,
    whose: Whose,
}

/// Who may come to an address.
#[derive(Clone, Copy, Debug)]
enum Whose {
    /// The one player that it belongs to.
    Player(PlayerIndex),
    /// Whoever gives name and token.
    Everybody,
}

/// Listens on every address that the remote players of `tournament` need.
///
/// # Errors
/// The first address that can't be had, with the reason.
pub async fn open(tournament: &Tournament) -> Result<Vec<Reception>, (SocketAddr, std::io::Error)> {
    let mut addresses = Vec::new();
    for (index, player) in tournament.players.iter().enumerate() {
        if let PlayerKind::Remote(remote) = &player.kind
            && let Some(own) = remote.listen
        {
            addresses.push((own, Whose::Player(index)));
        }
    }
    let public = |player: &crate::tournament::file::Player| matches!(&player.kind, PlayerKind::Remote(remote) if remote.listen.is_none());
    if let Some(address) = tournament.listen.filter(|_| tournament.players.iter().any(public)) {
        addresses.push((address, Whose::Everybody));
    }
    let mut receptions = Vec::new();
    for (address, whose) in addresses {
        let listener = super::listener(address).await.map_err(|error| (address, error))?;
        receptions.push(Reception { listener, whose });
    }
    Ok(receptions)
}

impl Reception {
    /// The address that was bound; where the file leaves the port open, it is in here.
    pub fn address(&self) -> Option<SocketAddr> {
        self.listener.local_addr().ok()
    }

    /// The one player that may come here, or `None` where everybody gives name and token.
    pub const fn player(&self) -> Option<PlayerIndex> {
        match self.whose {
            Whose::Player(player) => Some(player),
            Whose::Everybody => None,
        }
    }

    /// Receives for ever. Whoever gives a wrong token is counted in `guesses`, and is heard later the next time.
    pub async fn receive(
        self,
        tournament: Arc<Tournament>,
        guesses: SharedGuesses,
        arrivals: UnboundedSender<Arrival>,
    ) {
        let Self { listener, whose } = self;
        let mut anteroom = Anteroom::new(listener, tournament.limits.hello_timeout);
        let (mut refused, mut held) = (anteroom::refused(), anteroom::held());
        loop {
            let (host, greeted) = tokio::select! {
                biased;
                greeted = held.next() => greeted,
                (host, heard) = anteroom.next() => match heard {
                    Heard::Hello(greeted) => (host, greeted),
                    Heard::Nonsense(connection, refusal) => {
                        refused.forget_gone();
                        refused.admit(host, refuse(connection, refusal));
                        continue;
                    }
                },
            };
            match whose.admit(&tournament, &greeted.hello, host, &guesses) {
                Verdict::Player(player, wish) => {
                    // When nobody receives any more, the run is over.
                    let _ = arrivals.send(Arrival { player, connection: greeted.connection, wish });
                }
                Verdict::Later(until) => held.admit(host, async move {
                    sleep_until(until).await;
                    (host, greeted)
                }),
                Verdict::Refused(refusal) => {
                    refused.forget_gone();
                    refused.admit(host, refuse(greeted.connection, refusal));
                }
            }
        }
    }
}

/// What becomes of a hello.
enum Verdict {
    /// It is this player's, for this side.
    Player(PlayerIndex, SideWish),
    /// The host has given wrong tokens; judge this hello again at the given time.
    Later(Instant),
    /// It is refused so.
    Refused(Response),
}

impl Whose {
    /// Who says this hello here, and for which side.
    fn admit(self, tournament: &Tournament, hello: &Hello, host: Host, guesses: &SharedGuesses) -> Verdict {
        let Role::Player(wish) = hello.role else { return Verdict::Refused(Response::Private) };
        // One answer for a wrong name and for a wrong token: a guesser learns nothing.
        let unknown = || {
            Verdict::Refused(Response::BadHello(Words::new(
                "say your name and token, as in player black \"name:token\"",
            )))
        };
        let (name, token) = match (self, hello.name.as_ref().and_then(|name| name.as_str().split_once(':'))) {
            (Self::Player(player), _) => return Verdict::Player(player, wish),
            (Self::Everybody, Some(said)) => said,
            // This is no guess.
            (Self::Everybody, None) => return unknown(),
        };
        let mut guesses = guesses.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(until) = guesses.held_until(host, name, now()) {
            return Verdict::Later(until);
        }
        match identify(tournament, name, token) {
            Some(player) => Verdict::Player(player, wish),
            None => {
                guesses.wrong(host, name, now());
                unknown()
            }
        }
    }
}

/// The player whose name and token these are.
fn identify(tournament: &Tournament, name: &str, token: &str) -> Option<PlayerIndex> {
    let index = tournament.players.iter().position(|player| player.name.as_str() == name)?;
    match &tournament.players[index].kind {
        PlayerKind::Remote(remote) => remote.token.as_ref().is_some_and(|own| own.matches(token)).then_some(index),
        PlayerKind::Program(_) | PlayerKind::Builtin(_) => None,
    }
}
