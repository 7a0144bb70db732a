//! A public port, and its clients that have not sent a hello yet.

use std::time::Duration;

use rustix::net::sockopt;
use tokio::net::{TcpListener, TcpStream};

use super::bounded_tasks::BoundedTasks;
use super::source_host::Host;
use super::{FirstLine, Greeted, hear};
use crate::base::machine;
use crate::base::machine::is_shortage;
use crate::base::time::{now, sleep_until};
use crate::game::Ruleset;
use crate::host::line::{Connection, Stream};
use crate::host::listen::ACCEPT_PAUSE;

/// How many connections may be waiting for a hello at the same time, if there are enough descriptors. This many
/// connections take up a few megabytes.
const MAX_UNGREETED: usize = 4096;

/// How many refused clients may be reading the reason for the refusal at the same time.
const MAX_REFUSED: usize = 1024;

/// This time, multiplied by the number of places, is how long a connection without a hello keeps its place when others
/// need it: half a second at the maximum number of places. An honest client answers the greeting as soon as its machine
/// allows. Silent clients are evicted at up to eight thousand a second, so no client waits long in the port's queue.
const GRACE_A_PLACE: Duration = Duration::from_micros(125);

/// A public port, and the clients that are waiting there.
#[derive(Debug)]
pub(crate) struct PendingClients {
    listener: TcpListener,
    ruleset: Ruleset,
    hello_timeout: Duration,
    strangers: BoundedTasks<(Host, Option<FirstLine>)>,
    /// How long a client keeps its place when others need it.
    grace: Duration,
}

impl PendingClients {
    /// Accepts clients from `listener`, for games of `ruleset`. Each client has `hello_timeout` to send its hello,
    /// whatever else it sends.
    pub(crate) fn new(listener: TcpListener, ruleset: Ruleset, hello_timeout: Duration) -> Self {
        let places = share_of_descriptors(MAX_UNGREETED, 4);
        let grace = GRACE_A_PLACE * u32::try_from(places).unwrap_or(u32::MAX);
        Self { listener, ruleset, hello_timeout, strangers: BoundedTasks::new(places), grace }
    }

    /// Returns the next client that sends something, and its host. All clients are read at the same time, so a silent
    /// client does not hold up the others. This is cancel safe.
    pub(crate) async fn next(&mut self) -> (Host, FirstLine) {
        loop {
            let room_at = self.strangers.room_at(self.grace);
            let has_room = room_at.is_none_or(|at| at <= now());
            tokio::select! {
                biased;
                (host, heard) = self.strangers.next() => if let Some(heard) = heard {
                    return (host, heard);
                },
                accepted = self.listener.accept(), if has_room => match accepted {
                    Ok((stream, address)) => self.let_in(stream, address.ip().into()),
                    Err(error) => {
                        if is_shortage(&error) {
                            self.strangers.evict();
                        }
                        sleep_until(now() + ACCEPT_PAUSE).await;
                    }
                },
                () = sleep_until(room_at.unwrap_or_else(now)), if !has_room => {}
            }
        }
    }

    fn let_in(&mut self, stream: TcpStream, host: Host) {
        notice_when_gone(&stream);
        let (ruleset, deadline) = (self.ruleset, now() + self.hello_timeout);
        let heard = async move { hear(Connection::new(Stream::Tcp(stream)), ruleset, deadline).await };
        self.strangers.admit(host, async move { (host, heard.await) });
    }
}

/// Tasks for clients that have been refused at a public port.
pub(crate) fn refused() -> BoundedTasks<()> {
    BoundedTasks::new(share_of_descriptors(MAX_REFUSED, 8))
}

/// How many hellos may be delayed at the same time because their hosts sent wrong tokens.
const MAX_HELD: usize = 256;

/// Tasks for hellos that are delayed because their hosts sent wrong tokens.
pub(crate) fn held() -> BoundedTasks<(Host, Greeted)> {
    BoundedTasks::new(share_of_descriptors(MAX_HELD, 8))
}

/// Returns `most`, or one `part`th of all descriptors if that is less.
fn share_of_descriptors(most: usize, part: u64) -> usize {
    usize::try_from(machine::open_files() / part).map_or(most, |share| share.min(most))
}

/// Enables keepalive, so that the system notices within a minute if the other machine or the route to it is gone.
/// Without keepalive, this would go unnoticed while neither side sends anything.
fn notice_when_gone(stream: &TcpStream) {
    const SILENCE: Duration = Duration::from_secs(30);
    const BETWEEN: Duration = Duration::from_secs(10);
    const TRIES: u32 = 3;
    // If the system refuses, the clocks still end the game.
    let _ = sockopt::set_socket_keepalive(stream, true)
        .and_then(|()| sockopt::set_tcp_keepidle(stream, SILENCE))
        .and_then(|()| sockopt::set_tcp_keepintvl(stream, BETWEEN))
        .and_then(|()| sockopt::set_tcp_keepcnt(stream, TRIES));
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;
    use crate::referee::wire::Response;

    async fn clients(hello_timeout: Duration) -> (PendingClients, std::net::SocketAddr) {
        let listener = crate::host::listen::listener("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("bound");
        (PendingClients::new(listener, Ruleset::Gothello, hello_timeout), address)
    }

    #[tokio::test]
    async fn a_client_that_finds_all_places_taken_is_admitted_and_a_silent_one_makes_room() {
        let (mut pending, address) = clients(Duration::from_hours(1)).await;
        pending.strangers = BoundedTasks::new(3);
        let mut silent = Vec::new();
        for _ in 0..10 {
            silent.push(TcpStream::connect(address).await.expect("connected"));
        }
        let mut player = TcpStream::connect(address).await.expect("connected");
        player.write_all(b"0.9.1 player black\r").await.expect("sent");
        let (_, heard) = pending.next().await;
        assert!(matches!(heard, FirstLine::Hello(_)));
        let mut greeting = Vec::new();
        silent.remove(0).read_to_end(&mut greeting).await.expect("no reset");
        assert!(greeting.starts_with(b"000 "), "the client was greeted before");
    }

    #[tokio::test]
    async fn a_client_that_says_a_lot_and_no_line_is_refused() {
        for flood in [&b"x"[..], b"\0", b"\r\n", b" \r"] {
            let (mut pending, address) = clients(Duration::from_hours(1)).await;
            let mut client = TcpStream::connect(address).await.expect("connected");
            client.write_all(&flood.repeat(20_000)).await.expect("sent");
            let (_, heard) = pending.next().await;
            assert!(matches!(heard, FirstLine::Nonsense(_, Response::BadHello(_))), "{flood:?}: {heard:?}");
        }
    }

    #[tokio::test]
    async fn bytes_one_by_one_do_not_move_the_deadline() {
        let timeout = Duration::from_millis(200);
        let (mut pending, address) = clients(timeout).await;
        let mut client = TcpStream::connect(address).await.expect("connected");
        let start = now();
        let slow = async {
            let (mut reading, mut writing) = client.split();
            let mut heard = Vec::new();
            let mut dripping = tokio::time::interval(Duration::from_millis(10));
            let end = reading.read_to_end(&mut heard);
            tokio::pin!(end);
            loop {
                tokio::select! {
                    _ = &mut end => return now(),
                    // The client may already have been cut off.
                    _ = dripping.tick() => drop(writing.write_all(b"0").await),
                }
            }
        };
        let ended = tokio::select! {
            _ = pending.next() => panic!("the client sent no line"),
            ended = slow => ended,
        };
        assert!(ended - start >= timeout);
    }
}
