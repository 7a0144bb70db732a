//! A client: one end of a connection to the game, with its actions and the data that it receives.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use gothello_arena::base::time::{Instant, now, sleep_until};
use gothello_arena::game::{Position, Ruleset, Side};
use gothello_arena::host::line::{Connection, Stream};
use gothello_arena::referee::wire::Response;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, ReadHalf, WriteHalf};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::script::Act;

/// The kind of client at the end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Who {
    Player(Side),
    Observer,
}

/// The history of a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Heard {
    /// The client of the connection.
    pub(crate) who: Who,
    /// Everything that was received.
    pub(crate) bytes: Vec<u8>,
    /// Whether the client noticed that the arena had closed the connection.
    pub(crate) closed: bool,
    /// Whether the client closed the connection first.
    pub(crate) hung_up: bool,
    /// The time since which the client has been reading without interruption; `None` if it is not reading.
    pub(crate) listens_since: Option<Instant>,
    /// Whether the client ever stopped reading.
    pub(crate) was_deaf: bool,
}

/// A client's knowledge of the game.
struct Ear {
    heard: Heard,
    /// How many of the received bytes have been parsed.
    understood: usize,
    position: Box<dyn Position>,
    plies: usize,
    started: bool,
    /// How many 2xx lines have been received.
    answers: usize,
}

impl Ear {
    fn hear(&mut self, bytes: &[u8]) {
        let heard = &mut self.heard.bytes;
        heard.extend_from_slice(bytes);
        while let Some(length) = heard[self.understood..].iter().position(|&byte| byte == b'\n') {
            let line = String::from_utf8_lossy(&heard[self.understood..self.understood + length]);
            self.answers += usize::from(line.starts_with('2'));
            match line.trim_end().parse() {
                Ok(Response::YouPlay(_)) => self.started = true,
                Ok(Response::Moved { played, .. }) => {
                    // Whether the received moves are possible is checked later.
                    let _ = self.position.play(played.as_str());
                    self.plies += 1;
                }
                _ => {}
            }
            self.understood += length + 1;
        }
    }

    fn is_on_move(&self, side: Side) -> bool {
        self.started && self.position.to_move() == side && self.position.outcome().is_none()
    }

    /// The line of a move, usually a legal move, in the position that the client knows. On the opponent's turn, the
    /// line has the number and the dots of an opponent's line.
    fn move_line(&self, pick: u8) -> String {
        // A pass is always legal here: the last move of a game is announced differently, and is not played in this
        // position.
        let legal = self.position.legal_moves();
        let points = (0..25).map(|point| format!("{}{}", char::from(b'a' + point % 5), point / 5 + 1));
        let refused: Vec<String> = points.filter(|point| legal.iter().all(|legal| legal.as_str() != point)).collect();
        let chosen = match &refused[..] {
            [_, ..] if pick % 8 == 7 => refused[usize::from(pick) % refused.len()].clone(),
            _ => legal[usize::from(pick) % legal.len()].to_string(),
        };
        let dots = if self.position.to_move() == Side::White { "... " } else { "" };
        format!("{} {dots}{chosen}\r", self.plies / 2 + 1)
    }
}

/// A client that reads in the background.
pub(crate) struct Client {
    ear: Arc<Mutex<Ear>>,
    /// Changes whenever something has been received.
    news: watch::Receiver<()>,
    /// Whether the client is reading.
    listens: watch::Sender<bool>,
    reading: JoinHandle<()>,
    writing: Option<WriteHalf<DuplexStream>>,
}

impl Client {
    /// Creates a client, and the arena's end of its connection.
    pub(crate) fn new(who: Who, room: usize) -> (Self, Connection) {
        let (ours, theirs) = tokio::io::duplex(room);
        let (reading, writing) = tokio::io::split(theirs);
        let listens_since = Some(now());
        let heard = Heard { who, bytes: Vec::new(), closed: false, hung_up: false, listens_since, was_deaf: false };
        let position = Ruleset::Gothello.start();
        let ear = Ear { heard, understood: 0, position, plies: 0, started: false, answers: 0 };
        let ear = Arc::new(Mutex::new(ear));
        let (told, news) = watch::channel(());
        let (listens, listening) = watch::channel(true);
        let reading = tokio::spawn(read(reading, Arc::clone(&ear), told, listening));
        (Self { ear, news, listens, reading, writing: Some(writing) }, Connection::new(Stream::Duplex(ours)))
    }

    fn ear(&self) -> MutexGuard<'_, Ear> {
        self.ear.lock().expect("no panic while it is locked")
    }

    /// Performs `act`, if the connection still allows it.
    pub(crate) async fn act(&mut self, act: &Act) {
        match act {
            Act::Play { pick, dawdle } => self.play(*pick, *dawdle).await,
            Act::Rush { pick } => {
                let line = self.ear().move_line(*pick);
                self.send(line.as_bytes()).await;
            }
            Act::Lines { line, times, end } => self.send(&[*line, *end].concat().repeat(*times)).await,
            Act::Bytes(bytes) => self.send(bytes).await,
            Act::Long(length) => self.send(&vec![b'x'; *length]).await,
            Act::Pause(time) => sleep_until(now() + *time).await,
            Act::Deaf => self.listen(false),
            Act::Listen => self.listen(true),
            Act::LastWord => {
                if let Some(writing) = &mut self.writing {
                    let _ = writing.shutdown().await;
                }
            }
            Act::HangUp => self.hang_up().await,
            Act::Come => {}
        }
    }

    async fn play(&mut self, pick: u8, dawdle: Duration) {
        let Who::Player(side) = self.ear().heard.who else { return };
        while !self.ear().is_on_move(side) {
            if self.news.changed().await.is_err() {
                return;
            }
        }
        let line = self.ear().move_line(pick);
        let answers = self.ear().answers;
        let (head, tail) = line.as_bytes().split_at(line.len() / 2);
        self.send(head).await;
        sleep_until(now() + dawdle).await;
        self.send(tail).await;
        // A player waits for the answer to its move.
        while self.ear().answers == answers {
            if self.news.changed().await.is_err() {
                return;
            }
        }
    }

    async fn send(&mut self, bytes: &[u8]) {
        if let Some(writing) = &mut self.writing {
            // Writing to a closed connection fails, which is allowed.
            let _ = writing.write_all(bytes).await;
        }
    }

    fn listen(&self, listens: bool) {
        if self.listens.send_replace(listens) != listens {
            let heard = &mut self.ear().heard;
            heard.listens_since = listens.then(now);
            heard.was_deaf = true;
        }
    }

    async fn hang_up(&mut self) {
        if self.writing.take().is_some() {
            self.ear().heard.hung_up = true;
            self.reading.abort();
            let _ = (&mut self.reading).await;
        }
    }

    /// Keeps reading until the arena closes the connection, and then closes this end, too.
    pub(crate) async fn stay(&mut self) {
        while self.news.changed().await.is_ok() {}
        self.writing = None;
    }

    /// Everything that the client received. If the client has stopped reading, it first resumes reading for a moment.
    pub(crate) async fn heard(mut self) -> Heard {
        if !self.ear().heard.hung_up {
            self.listens.send_replace(true);
            let _ = tokio::time::timeout(Duration::from_secs(1), &mut self.reading).await;
        }
        self.ear().heard.clone()
    }
}

/// Reads to the end of the stream, while `listening` is true.
async fn read(
    mut stream: ReadHalf<DuplexStream>,
    ear: Arc<Mutex<Ear>>,
    told: watch::Sender<()>,
    mut listening: watch::Receiver<bool>,
) {
    let mut buffer = [0; 1024];
    loop {
        if listening.wait_for(|listens| *listens).await.is_err() {
            return;
        }
        match stream.read(&mut buffer).await {
            Ok(read @ 1..) => ear.lock().expect("no panic while it is locked").hear(&buffer[..read]),
            Ok(0) | Err(_) => {
                ear.lock().expect("no panic while it is locked").heard.closed = true;
                return;
            }
        }
        told.send_replace(());
    }
}
