//! The address at which a started bot's seat listens. The address depends on the placeholders in the bot's command.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use tokio::net::{TcpListener, TcpSocket};
use tokio::sync::{Notify, OwnedMutexGuard};

use crate::base::machine::{explained, taken};
use crate::base::time::{now, sleep_until};
use crate::host::confinement::Confinement;
use crate::host::listen;
use crate::referee::result::Void;
use crate::referee::wire::{BASE_PORT, MAX_SERVER};
use crate::tournament::{Placeholder, Program};

/// The parts of the referee's address that can be passed to a bot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reach {
    /// The ports to which the bot can be made to connect.
    ports: Ports,
    /// Whether the bot can be given its own host, 127.x.y.z. Otherwise, it connects to localhost.
    any_host: bool,
}

/// The ports to which a bot can be made to connect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ports {
    /// Every port.
    Any,
    /// The ports that correspond to server numbers.
    Servers,
    /// Only 29068, since neither a port nor a server number is passed to the bot.
    Original,
}

/// How a seat depends on port 29068, which another program may be using.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OriginalPort {
    /// The seat listens elsewhere, or on its bot's own loopback.
    Unneeded,
    /// The seat listens on port 29068 of its own host.
    OwnHost,
    /// The seat listens on 127.0.0.1:29068, which only one game can use at any time.
    Localhost,
}

impl Reach {
    /// Determines which parts of an address the command and the environment of `program` can pass to the bot, given its
    /// `confinement`. Returns `None` if the bot needs no address because it uses its pipes or has its own loopback.
    pub fn of(program: &Program, confinement: Option<&Confinement>) -> Option<Self> {
        if program.transport.is_piped() || confinement.is_some_and(Confinement::has_own_loopback) {
            return None;
        }
        let ports = if program.mentions(Placeholder::Port) {
            Ports::Any
        } else if program.mentions(Placeholder::Server) {
            Ports::Servers
        } else {
            Ports::Original
        };
        // Landlock distinguishes ports, but not hosts.
        Some(Self { ports, any_host: confinement.is_none() && program.mentions(Placeholder::Host) })
    }

    /// How the seat depends on port 29068.
    pub const fn original_port(self) -> OriginalPort {
        match (self.ports, self.any_host) {
            (Ports::Any | Ports::Servers, _) => OriginalPort::Unneeded,
            (Ports::Original, true) => OriginalPort::OwnHost,
            (Ports::Original, false) => OriginalPort::Localhost,
        }
    }
}

/// The addresses of this machine's loopback network. They are assigned so that no two games share an address.
#[derive(Clone, Debug, Default)]
pub struct Addresses(Arc<AddressPool>);

#[derive(Debug, Default)]
struct AddressPool {
    next_host: AtomicU32,
    /// Whether every address in 127.0.0.0/8 works on this machine, once this is known. Not every system supports this.
    has_own_hosts: OnceLock<bool>,
    /// The server numbers in use, with one bit for each number.
    servers: Mutex<u32>,
    returned: Notify,
    /// The lock for 127.0.0.1:29068.
    original: Arc<tokio::sync::Mutex<()>>,
    /// Notified when a seat gets an address after waiting for another program to release it.
    freed: Notify,
    /// Whether a seat has timed out while another program was using port 29068. Later seats try only once, until one of
    /// them gets its address. Without this, if a program kept the port, each of a hundred games would wait for the
    /// whole timeout.
    waited_in_vain: AtomicBool,
}

/// A listening socket and the right to its address.
#[derive(Debug)]
pub struct SeatAddress {
    /// The socket.
    pub listener: TcpListener,
    /// The host to pass to the bot.
    pub host: Ipv4Addr,
    /// The port to pass to the bot.
    pub port: u16,
    /// Reserves this address for the game.
    pub lease: AddressLease,
}

/// The right to an address. Dropping it returns the address.
#[derive(Debug)]
pub enum AddressLease {
    /// An address that is never assigned to another game.
    Own,
    /// A server number.
    Server {
        /// The addresses to which the number is returned.
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

/// The reason why a seat cannot listen at an address.
#[derive(Debug)]
struct NotListening {
    address: SocketAddr,
    error: io::Error,
}

impl NotListening {
    fn is_taken(&self) -> bool {
        self.error.kind() == io::ErrorKind::AddrInUse
    }
}

/// How long a seat waits before it tries again to listen at an address that another program is using.
const NEXT_TRY: Duration = Duration::from_millis(50);

impl Addresses {
    /// Listens for `program`, given its `confinement`. `held` is the game's lease of the address that the seat needs,
    /// if the game already has one. Returns `None` for a bot that needs no address; see [`Reach::of`].
    ///
    /// # Errors
    /// Fails for the same reasons as [`Addresses::listen`].
    pub async fn listen_for(
        &self,
        program: &Program,
        confinement: Option<&Confinement>,
        held: Option<AddressLease>,
        timeout: Duration,
    ) -> Result<Option<SeatAddress>, Void> {
        let Some(reach) = Reach::of(program, confinement) else { return Ok(None) };
        self.listen(reach, held, timeout).await.map(Some)
    }

    /// Listens for a bot with this `reach`. `held` is the game's lease of the address that the seat needs, if the game
    /// already has one. Waits as long as other games use the address. If other programs use it, waits for at most
    /// `timeout`, and does not wait if the previous seat has timed out.
    ///
    /// # Errors
    /// Fails if there is no address for the seat. The reason names the address, the program that uses it, and what to
    /// do about it.
    pub async fn listen(
        &self,
        reach: Reach,
        held: Option<AddressLease>,
        timeout: Duration,
    ) -> Result<SeatAddress, Void> {
        let reach = Reach { any_host: reach.any_host && self.has_own_hosts().await, ..reach };
        let original = match (reach.original_port(), held) {
            (OriginalPort::Localhost, Some(lease @ AddressLease::Original(_))) => Some(lease),
            (OriginalPort::Localhost, _) => {
                Some(AddressLease::Original(Arc::clone(&self.0.original).lock_owned().await))
            }
            (OriginalPort::Unneeded | OriginalPort::OwnHost, _) => None,
        };
        let is_original = reach.original_port() != OriginalPort::Unneeded;
        let is_hopeless = is_original && self.0.waited_in_vain.load(Ordering::Relaxed);
        let deadline = if is_hopeless { now() } else { now() + timeout };
        let mut has_waited = false;
        loop {
            match self.try_to_listen(reach).await {
                Ok(seat) => {
                    if has_waited {
                        self.0.freed.notify_one();
                    }
                    if is_original {
                        self.0.waited_in_vain.store(false, Ordering::Relaxed);
                    }
                    return Ok(SeatAddress { lease: original.unwrap_or(seat.lease), ..seat });
                }
                Err(failure) if !failure.is_taken() || now() >= deadline => {
                    self.0.waited_in_vain.fetch_or(is_original && failure.is_taken(), Ordering::Relaxed);
                    return Err(no_address(reach, &failure, timeout));
                }
                Err(_) => {}
            }
            has_waited = true;
            sleep_until(deadline.min(now() + NEXT_TRY)).await;
        }
    }

    /// Whether another program is listening on port 29068, so that a seat that depends on that port as `port` specifies
    /// cannot listen now.
    pub fn is_taken(&self, port: OriginalPort) -> bool {
        let host = match port {
            OriginalPort::Unneeded => return false,
            OriginalPort::OwnHost => self.next_host(),
            OriginalPort::Localhost => Ipv4Addr::LOCALHOST,
        };
        // This socket never listens, so it does not interfere with other programs.
        let tried = TcpSocket::new_v4().and_then(|socket| {
            socket.set_reuseaddr(true)?;
            socket.bind((host, BASE_PORT).into())
        });
        tried.is_err_and(|error| error.kind() == io::ErrorKind::AddrInUse)
    }

    /// Waits until a seat gets an address after waiting for another program to release it.
    pub async fn freed(&self) {
        self.0.freed.notified().await;
    }

    async fn try_to_listen(&self, reach: Reach) -> Result<SeatAddress, NotListening> {
        let host = if reach.any_host { self.next_host() } else { Ipv4Addr::LOCALHOST };
        match reach.ports {
            Ports::Any => listen(host, 0, AddressLease::Own).await,
            Ports::Original => listen(host, BASE_PORT, AddressLease::Own).await,
            Ports::Servers if reach.any_host => {
                for number in server_numbers() {
                    match listen(host, BASE_PORT + number, AddressLease::Own).await {
                        // Another program uses the port on all hosts.
                        Err(failure) if failure.is_taken() => {}
                        place => return place,
                    }
                }
                listen(host, BASE_PORT + MAX_SERVER, AddressLease::Own).await
            }
            Ports::Servers => self.try_servers_of_localhost().await,
        }
    }

    /// Returns the next host of the loopback network. Different arenas on one machine start at different hosts.
    fn next_host(&self) -> Ipv4Addr {
        let first = std::process::id().wrapping_mul(2_654_435_761);
        loopback_host(first, self.0.next_host.fetch_add(1, Ordering::Relaxed))
    }

    async fn has_own_hosts(&self) -> bool {
        if let Some(&has) = self.0.has_own_hosts.get() {
            return has;
        }
        let tried = listen(self.next_host(), 0, AddressLease::Own).await;
        let has = !tried.is_err_and(|failure| failure.error.kind() == io::ErrorKind::AddrNotAvailable);
        *self.0.has_own_hosts.get_or_init(|| has)
    }

    async fn try_servers_of_localhost(&self) -> Result<SeatAddress, NotListening> {
        loop {
            let returned = self.0.returned.notified();
            let mut failed = None;
            for number in server_numbers() {
                let Some(lease) = self.lease_server(number) else { continue };
                match listen(Ipv4Addr::LOCALHOST, BASE_PORT + number, lease).await {
                    Err(failure) if failure.is_taken() => failed = Some(failure),
                    place => return place,
                }
            }
            let has_some = *self.0.servers.lock().unwrap_or_else(PoisonError::into_inner) != 0;
            match failed {
                None => returned.await,
                // A number that this seat itself has returned must not wake the seat.
                Some(_) if has_some => sleep_until(now() + NEXT_TRY).await,
                Some(failure) => return Err(failure),
            }
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

/// The loopback host `n` positions after `first`, the position at which an arena starts. Consecutive positions have
/// different hosts, until all hosts have been used.
fn loopback_host(first: u32, n: u32) -> Ipv4Addr {
    // Low hosts are left to programs that use them explicitly. A last byte of 0 or 255 has a special meaning.
    const EDGED: u32 = 254;
    const WHOLE: u32 = 256;
    const HOSTS: u32 = EDGED * WHOLE * EDGED;
    let place = (first % HOSTS + n % HOSTS) % HOSTS;
    let octet = |value: u32| u8::try_from(value).unwrap_or(u8::MAX);
    let [b, c, d] = [1 + place / (EDGED * WHOLE), place / EDGED % WHOLE, 1 + place % EDGED].map(octet);
    Ipv4Addr::new(127, b, c, d)
}

/// The server numbers for seats, in the order in which they are tried. Low numbers come last, since users choose them
/// for servers that they start by hand. Number 0 is reserved for bots to which no number can be passed.
fn server_numbers() -> impl Iterator<Item = u16> {
    (1..=MAX_SERVER).rev()
}

/// Describes the void game that results from a `failure` to listen for a bot with this `reach` within `timeout`.
fn no_address(reach: Reach, failure: &NotListening, timeout: Duration) -> Void {
    let NotListening { address, error } = failure;
    if !failure.is_taken() {
        return Void { reason: format!("no address for a seat: {address}: {}", explained(error)) };
    }
    let (place, timeout) = (taken(*address), humantime::format_duration(timeout));
    let (why, remedy) = match reach.ports {
        Ports::Servers => ("and neither was the port of any other server number", "name `{port}` in the bot's command"),
        Ports::Any | Ports::Original => {
            ("and the bot's command names neither `{port}` nor `{server}`", "name one of them in the command")
        }
    };
    Void {
        reason: format!(
            "no address for a seat: {place} was not free within {timeout} (key `hello_timeout`), {why}; end the \
             program that is using it, or {remedy}"
        ),
    }
}

async fn listen(host: Ipv4Addr, port: u16, lease: AddressLease) -> Result<SeatAddress, NotListening> {
    let failed = |error| NotListening { address: (host, port).into(), error };
    let listener = listen::listener((host, port)).await.map_err(failed)?;
    let port = listener.local_addr().map_err(failed)?.port();
    Ok(SeatAddress { listener, host, port, lease })
}

#[cfg(test)]
mod tests;
