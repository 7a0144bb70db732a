//! Code that the benches share: a table with two players over loopback TCP, and statistics.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use gothello_arena::base::random::SplitMix64;
use gothello_arena::base::stop;
use gothello_arena::base::time::{SleepWatch, suspended};
use gothello_arena::game::gothello::Game;
use gothello_arena::game::{BySide, Position};
use gothello_arena::host::line::{Connection, Stream};
use gothello_arena::referee::sans_io::{Referee, Terms};
use gothello_arena::run::play::{Lateness, Observers, SeatedPlayer, SeatedPlayers, Surroundings, take_turns};

/// Returns both ends of a connection over loopback, the server's first.
pub(crate) fn pair() -> (TcpStream, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let client = TcpStream::connect(listener.local_addr().expect("bound")).expect("it listens");
    let (server, _) = listener.accept().expect("it connects");
    client.set_nodelay(true).expect("an option");
    server.set_nodelay(true).expect("an option");
    (server, client)
}

/// A whole random game: the line of each move, and the referee's answers to the mover and to the other player.
pub(crate) struct Script {
    pub(crate) plies: Vec<Line>,
}

/// One move of a [`Script`].
pub(crate) struct Line {
    pub(crate) request: Vec<u8>,
    pub(crate) to_mover: Vec<u8>,
    pub(crate) to_other: Vec<u8>,
}

impl Script {
    /// Creates the game that `seed` determines, with the answers that the referee itself would send.
    pub(crate) fn new(seed: u64) -> Self {
        let mut random = SplitMix64::new(seed);
        let mut game = Game::default();
        let mut referee = Referee::new(terms());
        let mut plies = Vec::new();
        while !game.is_over() {
            let moves = game.legal_moves();
            // Do not pass while a stone can be placed.
            let choices = if moves.len() > 1 { &moves[..moves.len() - 1] } else { &moves[..] };
            let chosen = choices[usize::try_from(random.below(choices.len() as u64)).expect("a few")];
            let side = game.side();
            let dots = if side == gothello_arena::game::Side::White { "... " } else { "" };
            let request = format!("{} {dots}{chosen}", referee.number());
            let line = gothello_arena::referee::wire::Line::Text(request.clone());
            let say = referee.receive(side, line, gothello_arena::referee::sans_io::Arrival::default());
            let bytes = |responses: &[_]| {
                let mut text = String::new();
                gothello_arena::referee::sans_io::Sayings::append(
                    responses,
                    gothello_arena::referee::wire::Dialect::default(),
                    &mut text,
                );
                text.into_bytes()
            };
            let (to_mover, to_other) = (bytes(&say.players[side]), bytes(&say.players[side.opponent()]));
            plies.push(Line { request: format!("{request}\r").into_bytes(), to_mover, to_other });
            game.play(chosen.as_str()).expect("it is legal");
        }
        Self { plies }
    }
}

/// Returns the terms of all games in the benches.
pub(crate) fn terms() -> Terms {
    let minute = Duration::from_mins(1);
    let time_control =
        gothello_arena::referee::time_control::TimeControl::sudden_death(BySide { black: minute, white: minute });
    Terms { time_control, illegal_tries: Some(3), garbled_tries: Some(10), ..Terms::default() }
}

/// Referees one game between the server's ends of two connections, as a tournament does.
pub(crate) async fn referee(black: TcpStream, white: TcpStream) {
    let seat = |stream: TcpStream| {
        stream.set_nonblocking(true).expect("an option");
        let stream = tokio::net::TcpStream::from_std(stream).expect("a runtime");
        SeatedPlayer { connection: Connection::new(Stream::Tcp(stream)), child: None }
    };
    let players = BySide { black: seat(black), white: seat(white) };
    let mut seats = SeatedPlayers::new(players, Duration::from_secs(5));
    let (_sender, mut signal) = stop::channel();
    let mut observers = Observers::closed();
    let sleep = SleepWatch::new(&suspended);
    let mut lateness = Lateness::default();
    let around = Surroundings::new(&mut observers, &mut signal, &mut lateness, sleep);
    let finished = take_turns(Referee::new(terms()).unobserved(), &mut seats, around).await;
    assert!(finished.is_some_and(|finished| finished.result.is_ok()));
}

/// The floor: relays the same lines, one read at a time, without rules or clocks.
pub(crate) fn relay(black: &mut TcpStream, white: &mut TcpStream, script: &Script) {
    let mut buffer = [0; 2048];
    black.write_all(b"352 You will play black\r\n").expect("sent");
    white.write_all(b"351 You will play white\r\n").expect("sent");
    for (ply, line) in script.plies.iter().enumerate() {
        let (mover, other) = if ply % 2 == 0 { (&mut *black, &mut *white) } else { (&mut *white, &mut *black) };
        let mut read = 0;
        while read < line.request.len() {
            // Wait for a line from either player, as a referee must.
            let mut fds = [
                rustix::event::PollFd::new(&*mover, rustix::event::PollFlags::IN),
                rustix::event::PollFd::new(&*other, rustix::event::PollFlags::IN),
            ];
            rustix::event::poll(&mut fds, None).expect("polled");
            read += mover.read(&mut buffer).expect("read");
        }
        mover.write_all(&line.to_mover).expect("sent");
        other.write_all(&line.to_other).expect("sent");
    }
}

/// Plays the players' part of `script`. After each move's line, calls `each` with the time until both players have
/// their answers.
pub(crate) fn drive(black: &mut TcpStream, white: &mut TcpStream, script: &Script, mut each: impl FnMut(Duration)) {
    let mut buffer = [0; 2048];
    let mut hear = |stream: &mut TcpStream, length: usize| {
        let mut heard = 0;
        while heard < length {
            let read = stream.read(&mut buffer).expect("read");
            assert!(read > 0, "the referee is gone");
            heard += read;
        }
    };
    let start = "352 You will play black\r\n".len();
    hear(black, start);
    hear(white, start);
    for (ply, line) in script.plies.iter().enumerate() {
        let (mover, other) = if ply % 2 == 0 { (&mut *black, &mut *white) } else { (&mut *white, &mut *black) };
        let asked = std::time::Instant::now();
        mover.write_all(&line.request).expect("sent");
        // In games as short as these, a different time in an answer can change a digit, but never the length of the
        // answer.
        hear(mover, line.to_mover.len());
        hear(other, line.to_other.len());
        each(asked.elapsed());
    }
}
