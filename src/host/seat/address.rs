//! The address at which a started bot's seat listens. It depends on the placeholders in the bot's command.

use std::io;
use std::net::Ipv4Addr;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::net::TcpListener;
use tokio::sync::{Notify, OwnedMutexGuard};

use crate::base::machine::{explained, taken};
use crate::host::confinement::Confinement;
use crate::host::lobby;
use crate::referee::result::Void;
use crate::referee::wire::{BASE_PORT, MAX_SERVER};
use crate::tournament::file::{Placeholder, Program};

/// What a bot can be told about the referee's address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// No address: the bot speaks on stdin and stdout.
    Pipes,
    /// Any host, so the bot gets a host of its own, 127.x.y.z.
    Host,
    /// Any port of localhost.
    Port,
    /// Any server number of localhost.
    Server,
    /// Nothing: the bot tries localhost, server 0.
    Nothing,
}

impl Reach {
    /// What `program`'s command and environment leave open.
    pub fn of(program: &Program) -> Self {
        if program.transport.is_piped() {
            Self::Pipes
        } else if program.mentions(Placeholder::Host) {
            Self::Host
        } else if program.mentions(Placeholder::Port) {
            Self::Port
        } else if program.mentions(Placeholder::Server) {
            Self::Server
        } else {
            Self::Nothing
        }
    }
}

/// The addresses of this machine's loopback network, given out so that no two games share one.
#[derive(Clone, Debug, Default)]
pub struct Addresses(Arc<AddressPool>);

#[derive(Debug, Default)]
struct AddressPool {
    next_host: AtomicU32,
    /// The server numbers in use, one bit for each.
    servers: Mutex<u32>,
    returned: Notify,
    /// 127.0.0.1:29068 itself.
    original: Arc<tokio::sync::Mutex<()>>,
}

/// A listening socket and the right to its address.
#[derive(Debug)]
pub struct SeatAddress {
    /// The socket.
    pub listener: TcpListener,
    /// The host to tell the bot.
    pub host: Ipv4Addr,
    /// The port to tell the bot.
    pub port: u16,
    /// Keeps other games off this address.
    pub lease: AddressLease,
}

/// The right to an address. Dropping it gives the address back.
#[derive(Debug)]
pub enum AddressLease {
    /// An address that no other game is ever given.
    Own,
    /// A server number.
    Server {
        /// Where the number goes back to.
        addresses: Addresses,
        /// The number.
        number: u16,
    },
    /// 127.0.0.1:29068.
    Original(OwnedMutexGuard<()>),
}

impl Drop for AddressLease {
    fn drop(&mut self) {
        if let Self::Server { addresses, number } = self {
            let mut used = addresses.0.servers.lock().unwrap_or_else(PoisonError::into_inner);
            *used &= !(1 << *number);
            drop(used);
            addresses.0.returned.notify_one();
        }
    }
}

impl Addresses {
    /// Listens for a bot that can be told what `reach` says. Waits while other games hold the address that it needs; `held`
    /// is the right that this game holds already.
    ///
    /// # Errors
    /// When the machine has no address of the kind.
    pub async fn listen(&self, reach: Reach, held: Option<AddressLease>) -> io::Result<SeatAddress> {
        match reach {
            Reach::Host => match self.own_host().await {
                // Not every system has all of 127.0.0.0/8.
                Err(error) if error.kind() == io::ErrorKind::AddrNotAvailable => Self::any_port().await,
                place => place,
            },
            Reach::Port | Reach::Pipes => Self::any_port().await,
            Reach::Server => self.server().await,
            Reach::Nothing => {
                let lease = match held {
                    Some(lease @ AddressLease::Original(_)) => lease,
                    _ => AddressLease::Original(Arc::clone(&self.0.original).lock_owned().await),
                };
                let place = listen(Ipv4Addr::LOCALHOST, BASE_PORT, lease).await;
                place.map_err(|error| in_use(error, BASE_PORT, "a command without {host}, {port} or {server} needs"))
            }
        }
    }

    /// Listens for `program`, confined by `confinement` or not. `held` is the game's lease of the address that the seat needs,
    /// if it has one already. Returns `None` for pipes, and for a bot that has a loopback of its own.
    ///
    /// # Errors
    /// When the machine has no address of the kind.
    pub async fn listen_for(
        &self,
        program: &Program,
        confinement: Option<&Confinement>,
        held: Option<AddressLease>,
    ) -> Result<Option<SeatAddress>, Void> {
        let reach = Reach::of(program);
        if reach == Reach::Pipes || confinement.is_some_and(Confinement::has_own_loopback) {
            return Ok(None);
        }
        // Landlock distinguishes ports, but not hosts.
        let reach = if confinement.is_some() && reach == Reach::Host { Reach::Port } else { reach };
        let no_address = |error| Void { reason: format!("no address for a seat: {}", explained(&error)) };
        self.listen(reach, held).await.map(Some).map_err(no_address)
    }

    async fn own_host(&self) -> io::Result<SeatAddress> {
        // Two arenas on one machine start at different hosts. If a host is taken nevertheless, the next one is tried.
        let first = std::process::id().wrapping_mul(2_654_435_761);
        let mut result = Err(io::ErrorKind::AddrInUse.into());
        for _ in 0..1_000 {
            let n = first.wrapping_add(self.0.next_host.fetch_add(1, Ordering::Relaxed));
            // Low hosts are left to programs that are written for them. 0 and 255 at the end have other meanings.
            let [_, b, c, d] = n.to_be_bytes();
            let host = Ipv4Addr::new(127, b.clamp(1, 254), c, d.clamp(1, 254));
            result = listen(host, BASE_PORT, AddressLease::Own).await;
            match &result {
                Err(error) if error.kind() == io::ErrorKind::AddrInUse => {}
                _ => return result,
            }
        }
        result
    }

    async fn any_port() -> io::Result<SeatAddress> {
        listen(Ipv4Addr::LOCALHOST, 0, AddressLease::Own).await
    }

    async fn server(&self) -> io::Result<SeatAddress> {
        loop {
            let returned = self.0.returned.notified();
            // Number 0 is for bots that cannot be told any number.
            for number in 1..=MAX_SERVER {
                let Some(lease) = self.lease_server(number) else { continue };
                match listen(Ipv4Addr::LOCALHOST, BASE_PORT + number, lease).await {
                    // Another program has it.
                    Err(error) if error.kind() == io::ErrorKind::AddrInUse => {}
                    place => return place,
                }
            }
            if *self.0.servers.lock().unwrap_or_else(PoisonError::into_inner) == 0 {
                let error = io::ErrorKind::AddrInUse.into();
                return Err(in_use(error, BASE_PORT + 1, "no server number is free for a {server}; the first is"));
            }
            returned.await;
        }
    }

    fn lease_server(&self, number: u16) -> Option<AddressLease> {
        let mut used = self.0.servers.lock().unwrap_or_else(PoisonError::into_inner);
        if *used & 1 << number != 0 {
            return None;
        }
        *used |= 1 << number;
        Some(AddressLease::Server { addresses: self.clone(), number })
    }
}

/// Returns `error`. If `port` is taken, the message says by whom, after `why` no other address will do.
fn in_use(error: io::Error, port: u16, why: &str) -> io::Error {
    if error.kind() != io::ErrorKind::AddrInUse {
        return error;
    }
    io::Error::new(error.kind(), format!("{why} {}", taken((Ipv4Addr::LOCALHOST, port).into())))
}

async fn listen(host: Ipv4Addr, port: u16, lease: AddressLease) -> io::Result<SeatAddress> {
    let listener = lobby::listener((host, port)).await?;
    let port = listener.local_addr()?.port();
    Ok(SeatAddress { listener, host, port, lease })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn server_numbers_come_back_and_are_waited_for() {
        let addresses = Addresses::default();
        let mut places = Vec::new();
        while let Some(number) = (1..=MAX_SERVER).find(|&number| {
            let used = addresses.0.servers.lock().expect("not poisoned");
            *used & 1 << number == 0
        }) {
            places.push(addresses.lease_server(number).expect("free"));
        }
        let waiting = addresses.listen(Reach::Server, None);
        tokio::pin!(waiting);
        assert!(tokio::time::timeout(std::time::Duration::ZERO, &mut waiting).await.is_err());
        places.clear();
        let place = waiting.await.expect("an address");
        assert!((BASE_PORT + 1..=BASE_PORT + MAX_SERVER).contains(&place.port));
    }

    #[tokio::test]
    async fn each_seat_with_a_host_gets_one_of_its_own_on_the_original_port() {
        let addresses = Addresses::default();
        let (one, two) = (addresses.listen(Reach::Host, None).await, addresses.listen(Reach::Host, None).await);
        let (one, two) = (one.expect("an address"), two.expect("an address"));
        assert_eq!((one.port, two.port), (BASE_PORT, BASE_PORT));
        assert!(one.host != two.host && one.host.is_loopback() && two.host.is_loopback());
    }
}
