//! Where remote players arrive: public addresses, on which a hello tells who it is.

use std::net::SocketAddr;
use std::sync::Arc;

use tokio::net::TcpListener;
use tokio::sync::mpsc::UnboundedSender;

use super::anteroom::{self, Anteroom};
use super::{Greeted, Heard, refuse};
use crate::line::Connection;
use crate::schedule::PlayerIndex;
use crate::tournament::{PlayerKind, Tournament};
use crate::wire::{EntityName, Hello, Response, Role, SideWish, Words};

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
    let public = |player: &crate::tournament::Player| matches!(&player.kind, PlayerKind::Remote(remote) if remote.listen.is_none());
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

    /// Receives for ever.
    pub async fn receive(self, tournament: Arc<Tournament>, arrivals: UnboundedSender<Arrival>) {
        let mut anteroom = Anteroom::new(self.listener, tournament.limits.hello_timeout);
        let mut refused = anteroom::refused();
        loop {
            let (host, heard) = anteroom.next().await;
            refused.forget_gone();
            let (connection, refusal) = match heard {
                Heard::Hello(Greeted { connection, hello }) => match self.whose.admit(&tournament, &hello) {
                    Ok((player, wish)) => {
                        // When nobody receives any more, the run is over.
                        let _ = arrivals.send(Arrival { player, connection, wish });
                        continue;
                    }
                    Err(refusal) => (connection, refusal),
                },
                Heard::Nonsense(connection, refusal) => (connection, refusal),
            };
            refused.admit(host, refuse(connection, refusal));
        }
    }
}

impl Whose {
    /// Who says this hello here, and for which side; or how to refuse it.
    fn admit(self, tournament: &Tournament, hello: &Hello) -> Result<(PlayerIndex, SideWish), Response> {
        let Role::Player(wish) = hello.role else { return Err(Response::Private) };
        let player = match self {
            Self::Player(player) => Some(player),
            Self::Everybody => hello.name.as_ref().and_then(|name| identify(tournament, name)),
        };
        // One answer for a wrong name and for a wrong token: a guesser learns nothing.
        let unknown = || Response::BadHello(Words::new("say your name and token, as in player black \"name:token\""));
        Ok((player.ok_or_else(unknown)?, wish))
    }
}

/// The player whose name and token these are.
fn identify(tournament: &Tournament, name: &EntityName) -> Option<PlayerIndex> {
    let (name, token) = name.as_str().split_once(':')?;
    let index = tournament.players.iter().position(|player| player.name.as_str() == name)?;
    match &tournament.players[index].kind {
        PlayerKind::Remote(remote) => remote.token.as_ref().is_some_and(|own| own.matches(token)).then_some(index),
        PlayerKind::Program(_) | PlayerKind::Builtin(_) => None,
    }
}
