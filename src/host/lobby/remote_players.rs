//! The public addresses to which remote players connect. Each client identifies its player in its hello.

use std::net::SocketAddr;
use std::sync::{Arc, PoisonError};

use tokio::net::TcpListener;
use tokio::sync::mpsc::UnboundedSender;

use super::pending_clients::{self, PendingClients};
use super::source_host::Host;
use super::wrong_tokens::SharedWrongTokens;
use super::{FirstLine, refuse};
use crate::base::time::{Instant, now, sleep_until};
use crate::host::line::Connection;
use crate::referee::wire::{Hello, Response, Role, SeatWish, Words};
use crate::tournament::schedule::PlayerIndex;
use crate::tournament::{Player, PlayerKind, Tournament};

/// A remote player that has sent its hello.
#[derive(Debug)]
pub struct RemotePlayer {
    /// The player.
    pub player: PlayerIndex,
    /// The player's connection. The player has been greeted, but has not been assigned a side.
    pub connection: Connection,
    /// The side that the player asks for.
    pub wish: SeatWish,
}

/// An address of the arena, and the players that may connect to it.
#[derive(Debug)]
pub(crate) struct RemoteListener {
    listener: TcpListener,
    whose: Whose,
}

/// Which players may connect to an address.
#[derive(Clone, Copy, Debug)]
enum Whose {
    /// The player to which the address belongs.
    Player(PlayerIndex),
    /// Any player that sends its name and token.
    Everybody,
}

/// Listens at every address that the remote players of `tournament` need.
///
/// # Errors
/// Returns the first address that is not available, with the reason.
pub(crate) async fn open(tournament: &Tournament) -> Result<Vec<RemoteListener>, (SocketAddr, std::io::Error)> {
    let mut addresses = Vec::new();
    for (index, player) in tournament.players.iter().enumerate() {
        if let PlayerKind::Remote(remote) = &player.kind
            && let Some(own) = remote.listen
        {
            addresses.push((own, Whose::Player(index)));
        }
    }
    let public = |player: &Player| matches!(&player.kind, PlayerKind::Remote(remote) if remote.listen.is_none());
    if let Some(address) = tournament.listen.filter(|_| tournament.players.iter().any(public)) {
        addresses.push((address, Whose::Everybody));
    }
    let mut listeners = Vec::new();
    for (address, whose) in addresses {
        let listener = crate::host::listen::listener(address).await.map_err(|error| (address, error))?;
        listeners.push(RemoteListener { listener, whose });
    }
    Ok(listeners)
}

impl RemoteListener {
    /// The address of the listener, with the actual port if the tournament file leaves the choice to the system.
    pub(crate) fn address(&self) -> Option<SocketAddr> {
        self.listener.local_addr().ok()
    }

    /// The only player that may connect here; `None` if players identify themselves by name and token.
    pub(crate) const fn player(&self) -> Option<PlayerIndex> {
        match self.whose {
            Whose::Player(player) => Some(player),
            Whose::Everybody => None,
        }
    }

    /// Receives players forever, and passes them on to `arrivals`. Counts wrong tokens in `wrong`, and makes the hosts
    /// that sent them wait longer the next time.
    pub(crate) async fn receive(
        self,
        tournament: Arc<Tournament>,
        wrong: SharedWrongTokens,
        arrivals: UnboundedSender<RemotePlayer>,
    ) {
        let Self { listener, whose } = self;
        let mut clients = PendingClients::new(listener, tournament.ruleset, tournament.limits.hello_timeout);
        let (mut refused, mut held) = (pending_clients::refused(), pending_clients::held());
        loop {
            let (host, greeted) = tokio::select! {
                biased;
                greeted = held.next() => greeted,
                (host, heard) = clients.next() => match heard {
                    FirstLine::Hello(greeted) => (host, greeted),
                    FirstLine::Nonsense(connection, refusal) => {
                        refused.forget_gone();
                        refused.admit(host, refuse(connection, refusal));
                        continue;
                    }
                },
            };
            match whose.admit(&tournament, &greeted.hello, host, &wrong) {
                Admission::Player(player, wish) => {
                    // An error means that the run is over.
                    let _ = arrivals.send(RemotePlayer { player, connection: greeted.connection, wish });
                }
                Admission::Later(until) => held.admit(host, async move {
                    sleep_until(until).await;
                    (host, greeted)
                }),
                Admission::Refused(refusal) => {
                    refused.forget_gone();
                    refused.admit(host, refuse(greeted.connection, refusal));
                }
            }
        }
    }
}

/// How to respond to a hello.
enum Admission {
    /// Admit this player, which asks for this side.
    Player(PlayerIndex, SeatWish),
    /// Reconsider the hello at this time, because its host has sent wrong tokens.
    Later(Instant),
    /// Refuse the hello with this response.
    Refused(Response),
}

impl Whose {
    /// Decides how to respond to `hello` from `host`.
    fn admit(self, tournament: &Tournament, hello: &Hello, host: Host, wrong: &SharedWrongTokens) -> Admission {
        let Role::Player(wish) = hello.role else { return Admission::Refused(Response::Private) };
        // A wrong name and a wrong token get the same answer, so that a guess does not reveal anything.
        let unknown = || {
            Admission::Refused(Response::BadHello(Words::new(
                "send your name and token, as in player black \"name:token\"",
            )))
        };
        let (name, token) = match (self, hello.name.as_ref().and_then(|name| name.as_str().split_once(':'))) {
            (Self::Player(player), _) => return Admission::Player(player, wish),
            (Self::Everybody, Some(said)) => said,
            // A hello without a token is not a guess.
            (Self::Everybody, None) => return unknown(),
        };
        let mut wrong = wrong.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(until) = wrong.held_until(host, name, now()) {
            return Admission::Later(until);
        }
        match identify(tournament, name, token) {
            Some(player) => Admission::Player(player, wish),
            None => {
                wrong.wrong(host, name, now());
                unknown()
            }
        }
    }
}

/// The player with the given `name` and `token`, if there is one.
fn identify(tournament: &Tournament, name: &str, token: &str) -> Option<PlayerIndex> {
    let index = tournament.players.iter().position(|player| player.name.as_str() == name)?;
    match &tournament.players[index].kind {
        PlayerKind::Remote(remote) => remote.token.as_ref().is_some_and(|own| own.matches(token)).then_some(index),
        PlayerKind::Program(_) | PlayerKind::Builtin(_) | PlayerKind::Team(_) => None,
    }
}
