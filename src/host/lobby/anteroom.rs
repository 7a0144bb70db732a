//! A public port, and those who have come to it and not said yet who they are.

use std::time::Duration;

use rustix::net::sockopt;
use tokio::net::{TcpListener, TcpStream};

use super::crowd::{Crowd, Host};
use super::{ACCEPT_PAUSE, Greeted, Heard, hear};
use crate::base::machine;
use crate::base::machine::is_shortage;
use crate::base::time::{now, sleep_until};
use crate::host::line::Stream;

/// How many connections may be without a hello at a time, where there are descriptors for so many: a few megabytes.
const MAX_UNGREETED: usize = 4096;

/// How many refused clients may be given time to read why.
const MAX_REFUSED: usize = 1024;

/// How long a connection is spared that is without a hello, though others want its place, for each place that there is:
/// half a second where there are as many as can be. A client that means it answers the greeting at once, as soon as its
/// machine lets it. And of those who say nothing still eight thousand a second get their turn and go, so that nobody waits
/// long at the port behind them.
const GRACE_A_PLACE: Duration = Duration::from_micros(125);

/// The port, and who waits there.
#[derive(Debug)]
pub struct Anteroom {
    listener: TcpListener,
    hello_timeout: Duration,
    strangers: Crowd<(Host, Option<Heard>)>,
    /// How long each of them is spared.
    grace: Duration,
}

impl Anteroom {
    /// Opens the anteroom behind `listener`; each client has `hello_timeout` for its hello, whatever else it says.
    pub fn new(listener: TcpListener, hello_timeout: Duration) -> Self {
        let places = share_of_descriptors(MAX_UNGREETED, 4);
        let grace = GRACE_A_PLACE * u32::try_from(places).unwrap_or(u32::MAX);
        Self { listener, hello_timeout, strangers: Crowd::new(places), grace }
    }

    /// The next client that says something, and where it comes from. Each is heard beside the others, so that a silent one
    /// holds up nobody. Cancelling loses nobody.
    pub async fn next(&mut self) -> (Host, Heard) {
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
        let deadline = now() + self.hello_timeout;
        self.strangers.admit(host, async move { (host, hear(Stream::Tcp(stream), deadline).await) });
    }
}

/// A crowd for those who have been refused at a public port.
pub fn refused() -> Crowd<()> {
    Crowd::new(share_of_descriptors(MAX_REFUSED, 8))
}

/// How many hellos may wait because their hosts gave wrong tokens.
const MAX_HELD: usize = 256;

/// A crowd for hellos whose hosts gave wrong tokens, until they are looked at.
pub fn held() -> Crowd<(Host, Greeted)> {
    Crowd::new(share_of_descriptors(MAX_HELD, 8))
}

/// So many, but not more than this part of all descriptors.
fn share_of_descriptors(most: usize, part: u64) -> usize {
    usize::try_from(machine::open_files() / part).map_or(most, |share| share.min(most))
}

/// Lets the system find out when the other machine or the way to it is no more, which nothing else would tell of a client
/// that has nothing to say: within a minute.
fn notice_when_gone(stream: &TcpStream) {
    const SILENCE: Duration = Duration::from_secs(30);
    const BETWEEN: Duration = Duration::from_secs(10);
    const TRIES: u32 = 3;
    // Where the system refuses, the clocks have to do.
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

    async fn anteroom(hello_timeout: Duration) -> (Anteroom, std::net::SocketAddr) {
        let listener = crate::host::lobby::listener("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("bound");
        (Anteroom::new(listener, hello_timeout), address)
    }

    #[tokio::test]
    async fn who_comes_into_a_full_anteroom_is_heard_and_who_is_silent_makes_room() {
        let (mut anteroom, address) = anteroom(Duration::from_hours(1)).await;
        anteroom.strangers = Crowd::new(3);
        let mut silent = Vec::new();
        for _ in 0..10 {
            silent.push(TcpStream::connect(address).await.expect("it listens"));
        }
        let mut player = TcpStream::connect(address).await.expect("it listens");
        player.write_all(b"0.9.1 player black\r").await.expect("sent");
        let (_, heard) = anteroom.next().await;
        assert!(matches!(heard, Heard::Hello(_)));
        let mut greeting = Vec::new();
        silent.remove(0).read_to_end(&mut greeting).await.expect("no reset");
        assert!(greeting.starts_with(b"000 "), "it had been greeted");
    }

    #[tokio::test]
    async fn a_client_that_says_a_lot_and_no_line_is_refused() {
        for flood in [&b"x"[..], b"\0", b"\r\n", b" \r"] {
            let (mut anteroom, address) = anteroom(Duration::from_hours(1)).await;
            let mut client = TcpStream::connect(address).await.expect("it listens");
            client.write_all(&flood.repeat(20_000)).await.expect("it fits");
            let (_, heard) = anteroom.next().await;
            assert!(matches!(heard, Heard::Nonsense(_, Response::BadHello(_))), "{flood:?}: {heard:?}");
        }
    }

    #[tokio::test]
    async fn bytes_one_by_one_do_not_move_the_deadline() {
        let timeout = Duration::from_millis(200);
        let (mut anteroom, address) = anteroom(timeout).await;
        let mut client = TcpStream::connect(address).await.expect("it listens");
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
                    // It may have been cut off.
                    _ = dripping.tick() => drop(writing.write_all(b"0").await),
                }
            }
        };
        let ended = tokio::select! {
            _ = anteroom.next() => panic!("it said no line"),
            ended = slow => ended,
        };
        assert!(ended - start >= timeout);
    }
}
