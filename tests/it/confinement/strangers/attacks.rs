//! Attacks by strangers on a public port. All of their connections come from loopback addresses that no player uses.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

use rustix::net::{AddressFamily, SocketFlags, SocketType, bind, connect, ipproto, socket_with, sockopt};
use rustix::process::{Resource, getrlimit};

use crate::harness::arena::TIMEOUT;
use crate::harness::waiting::LIMIT;

/// An attack.
#[derive(Clone, Copy)]
pub(super) struct Attack {
    /// A description of the attack.
    pub(super) words: &'static str,
    /// Carries out the attack until it is finished or `over` is set. Returns the connections that the attack still
    /// holds.
    pub(super) run: fn(&Scene<'_>) -> Vec<TcpStream>,
}

/// The setting of an attack.
pub(super) struct Scene<'a> {
    /// The port under attack.
    pub(super) address: SocketAddr,
    /// Whether the port requires names and tokens.
    pub(super) has_tokens: bool,
    /// Receives a message once the attack has begun.
    pub(super) begun: Sender<()>,
    /// Set when the attack may stop.
    pub(super) over: &'a AtomicBool,
}

/// All attacks; the target must withstand each one on its own.
pub(super) const ATTACKS: [Attack; 5] = [
    Attack { words: "ten thousand silent connections", run: |scene| silence(10_000, scene) },
    Attack { words: "a port scan", run: scan },
    Attack { words: "slow bytes", run: drip },
    Attack { words: "floods before the hello", run: flood },
    Attack { words: "wrong names and tokens", run: guess },
];

impl Scene<'_> {
    fn begin(&self) {
        self.begun.send(()).expect("the test is waiting");
    }

    /// Connects from one of the hosts 127.0.0.2 to 127.0.0.5.
    fn connect(&self, number: usize) -> TcpStream {
        let host = u8::try_from(2 + number % 4).expect("a small number");
        let socket = socket_with(AddressFamily::INET, SocketType::STREAM, SocketFlags::CLOEXEC, Some(ipproto::TCP));
        let socket = socket.expect("a descriptor");
        bind(&socket, &SocketAddr::from(([127, 0, 0, host], 0))).expect("a loopback has them all");
        connect(&socket, &self.address).expect("connected");
        let stream = TcpStream::from(socket);
        stream
            .set_read_timeout(Some(TIMEOUT))
            .and_then(|()| stream.set_write_timeout(Some(TIMEOUT)))
            .expect("an option");
        stream
    }
}

/// Opens `connections` connections that send nothing, up to the number that this process may hold at a time.
pub(super) fn silence(connections: usize, scene: &Scene<'_>) -> Vec<TcpStream> {
    // Some descriptors are left for other tests that run at the same time.
    let limit = getrlimit(Resource::Nofile).current.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(usize::MAX);
    let wave = (limit / 4 * 3).min(connections);
    let mut held = Vec::new();
    for number in 0..connections {
        if held.len() == wave {
            held.clear();
        }
        held.push(scene.connect(number));
        if number == connections / 10 {
            scene.begin();
        }
    }
    held
}

/// Connections that are immediately closed, immediately reset, or half-closed.
fn scan(scene: &Scene<'_>) -> Vec<TcpStream> {
    let mut held = Vec::new();
    for number in 0..2_000 {
        let stream = scene.connect(number);
        match number % 5 {
            0 => drop(stream),
            1 => {
                sockopt::set_socket_linger(&stream, Some(Duration::ZERO)).expect("an option");
                drop(stream);
            }
            // It does not matter if the other side has closed first.
            2 => {
                let _ = stream.shutdown(Shutdown::Write);
                held.push(stream);
            }
            3 => {
                let _ = stream.shutdown(Shutdown::Read);
                held.push(stream);
            }
            _ => {
                let _ = stream.shutdown(Shutdown::Both);
                held.push(stream);
            }
        }
        if number == 200 {
            scene.begin();
        }
    }
    held
}

/// Hundreds of hellos that arrive byte by byte and never end.
fn drip(scene: &Scene<'_>) -> Vec<TcpStream> {
    let mut held: Vec<_> = (0..500).map(|number| scene.connect(number)).collect();
    scene.begin();
    let hello = b"0.9.1 player black \"carol:a word of her";
    for byte in hello.iter().chain(std::iter::repeat_n(&b' ', 300)) {
        for stream in &mut held {
            // The server may have closed the connection.
            let _ = stream.write_all(&[*byte]);
        }
        if scene.over.load(Ordering::Relaxed) {
            break;
        }
    }
    held
}

/// Garbage with and without line endings, on many connections at a time and without ever reading, until the other side
/// closes the connection.
fn flood(scene: &Scene<'_>) -> Vec<TcpStream> {
    let kinds: [&'static [u8]; 6] =
        [b"GET / HTTP/1.1\r\n", b"x", b"\0", b"\r\n", b"\xff\xfe\r", b"0.9.1 player                "];
    let floods: Vec<_> = (0..24)
        .map(|number| {
            let mut stream = scene.connect(number);
            std::thread::spawn(move || {
                write_until_cut_off(&mut stream, kinds[number % kinds.len()]);
                stream
            })
        })
        .collect();
    scene.begin();
    floods.into_iter().map(|flood| flood.join().expect("no panic")).collect()
}

/// Wrong names, tokens, versions and words, all of which are refused. The host that sends a wrong token has to wait for
/// up to a second.
fn guess(scene: &Scene<'_>) -> Vec<TcpStream> {
    let hellos = [
        ("9.9.9 player black \"carol:a word of hers\"", "198"),
        ("SSH-2.0-OpenSSH_9.9", "198"),
        ("0.9.1 admin", "199"),
        // If no tokens are required, any name is allowed.
        ("0.9.1 player ? \"carol:a word of her\"", "199"),
        ("0.9.1 player black \"mallory:a word of hers\"", "199"),
        ("0.9.1 player white \"carol\"", "199"),
    ];
    let hellos = if scene.has_tokens { &hellos[..] } else { &hellos[..3] };
    scene.begin();
    for number in 0..150 {
        let (hello, code) = hellos[number % hellos.len()];
        let mut stream = scene.connect(number);
        stream.write_all(format!("{hello}\r\n").as_bytes()).expect("sent");
        let mut heard = String::new();
        stream.read_to_string(&mut heard).expect("no reset");
        assert!(heard.lines().nth(1).is_some_and(|line| line.starts_with(code)), "`{hello}` hears `{heard}`");
    }
    Vec::new()
}

/// Writes `what` again and again without reading, until writing fails.
pub(super) fn write_until_cut_off(stream: &mut TcpStream, what: &[u8]) {
    let much = what.repeat(4096 / what.len());
    stream.set_write_timeout(Some(TIMEOUT)).expect("an option");
    let cut_off = std::iter::repeat_with(|| stream.write_all(&much)).find_map(Result::err).expect("it ends");
    assert!(!is_late(&cut_off), "a client that reads nothing was not cut off");
}

/// Writes a byte from time to time, until the other side is gone.
pub(super) fn drip_until_cut_off(stream: &mut TcpStream) {
    stream.set_read_timeout(Some(Duration::from_millis(10))).expect("an option");
    let mut heard = [0; 1024];
    let deadline = Instant::now() + LIMIT;
    while stream.write_all(b"1").is_ok() {
        match stream.read(&mut heard) {
            Ok(0) => return,
            Err(error) if !is_late(&error) => return,
            _ => assert!(Instant::now() < deadline, "a client that writes a byte now and then was not cut off"),
        }
    }
}

/// Whether nothing arrived, or nothing could be sent, within the stream's timeout.
fn is_late(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut)
}
