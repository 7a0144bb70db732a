//! Lines of limited length over any byte stream, and writes that never wait for the reader.

mod line_cutter;
mod reading;
mod recorder;
mod sending;
mod stamped;
mod stream;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::future::poll_fn;
use std::io;
use std::task::{Context, Poll};

use tokio::net::TcpStream;

pub use self::line_cutter::LineCutter;
pub use self::recorder::{RecordedSoFar, Recorder};
use self::stamped::Stamped;
pub use self::stream::Stream;
use crate::base::time::{Instant, now};
use crate::referee::gtp::{EngineStage, Translator};
use crate::referee::thought::Thought;
use crate::referee::wire::{Dialect, Line, Speech};

/// The next input from a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A line, with the time at which its last byte arrived: when the system received it or, if the system does not
    /// report that, when the arena read it.
    Line(Line, Instant),
    /// The client has closed its end, or the connection is broken.
    Closed,
}

/// The protocol that a client uses: how its bytes become lines, and how responses are translated.
#[derive(Debug)]
enum Tongue {
    /// The client uses the referee's own protocol.
    Wire(LineCutter),
    /// The client is an engine that uses the Go Text Protocol.
    Gtp(Box<Translator>),
}

/// The outcome of preparing an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Preparation {
    /// The engine is ready to play.
    Ready,
    /// The engine cannot play this game, for the reason given.
    Unfit(String),
    /// The engine has closed its end.
    Closed,
}

/// A client's connection: lines in, bytes out.
///
/// Writing never waits. Bytes that the client does not accept immediately are buffered, and sent while the connection
/// is being read.
#[derive(Debug)]
pub struct Connection {
    stream: Stream,
    stamped: Stamped,
    tongue: Tongue,
    lines: VecDeque<Line>,
    arrived: Instant,
    closed: bool,
    /// How many bytes have been read.
    read: u64,
    unsent: VecDeque<u8>,
    broken: bool,
    /// Whether to request quick acknowledgements again: the system resets this setting after a while.
    to_acknowledge: bool,
    /// Records every byte, if present.
    recorder: Option<Recorder>,
    /// How to address the client.
    speech: Speech,
}

/// How many times to read, before yielding, from a client that does not complete a line. Tokio's own budget for a task
/// is far larger and would starve the task's timers.
const READS_A_TURN: usize = 8;

/// How many bytes to read from a client while its connection is being closed. A client that has sent a reasonable
/// amount of input still receives the last lines; a flood is cut off.
const MAX_DRAINED: u64 = 1 << 20;

impl Connection {
    /// Creates a connection over `stream`.
    pub fn new(stream: Stream) -> Self {
        let mut stamped = Stamped::default();
        if let Stream::Tcp(socket) = &stream {
            stamped = Stamped::new(socket);
            // This affects only speed: the 2xx and the 31x responses to one action are sent in a single write anyway.
            let _ = socket.set_nodelay(true);
        }
        stream.acknowledge_quickly();
        Self {
            stream,
            stamped,
            tongue: Tongue::Wire(LineCutter::default()),
            lines: VecDeque::new(),
            arrived: now(),
            closed: false,
            read: 0,
            unsent: VecDeque::new(),
            broken: false,
            to_acknowledge: false,
            recorder: None,
            speech: Speech::default(),
        }
    }

    /// Returns the connection, with all further bytes recorded by `recorder`.
    #[must_use]
    pub fn recorded(self, recorder: Option<Recorder>) -> Self {
        Self { recorder, ..self }
    }

    /// Returns the connection, whose client is now known to understand `dialect`.
    #[must_use]
    pub fn speaking(self, dialect: Dialect) -> Self {
        Self { speech: Speech { dialect, ..self.speech }, ..self }
    }

    /// Returns the connection, whose client is informed of the clocks if `is_told_clock`.
    #[must_use]
    pub fn telling_clock(self, is_told_clock: bool) -> Self {
        Self { speech: Speech { is_told_clock, ..self.speech }, ..self }
    }

    /// How to address the client. Before its hello, it receives only lines that the oldest clients understand.
    pub const fn speech(&self) -> Speech {
        self.speech
    }

    /// Returns the connection to an engine, which is now translated by `translator`. Call [`Connection::prepare`] next.
    #[must_use]
    pub fn translated(self, translator: Translator) -> Self {
        Self { tongue: Tongue::Gtp(Box::new(translator)), ..self }
    }

    /// Prepares an engine for its game. This is cancel safe.
    ///
    /// # Panics
    /// Panics if the client has no translator.
    pub async fn prepare(&mut self) -> Preparation {
        let Tongue::Gtp(translator) = &mut self.tongue else { panic!("only an engine is prepared") };
        let begun = translator.begin();
        self.put(&begun).await;
        poll_fn(|cx| self.poll_prepared(cx)).await
    }

    fn poll_prepared(&mut self, cx: &mut Context<'_>) -> Poll<Preparation> {
        let _ = self.poll_send(cx);
        for _ in 0..READS_A_TURN {
            match &self.tongue {
                Tongue::Gtp(translator) => match translator.stage() {
                    EngineStage::Unfit(why) => return Poll::Ready(Preparation::Unfit(why.clone())),
                    EngineStage::Ready | EngineStage::Over => return Poll::Ready(Preparation::Ready),
                    EngineStage::SettingUp => {}
                },
                Tongue::Wire(_) => return Poll::Ready(Preparation::Ready),
            }
            if self.closed {
                return Poll::Ready(Preparation::Closed);
            }
            std::task::ready!(self.poll_read(cx));
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    }

    /// The command that an engine has not answered yet.
    pub fn unanswered(&self) -> Option<String> {
        match &self.tongue {
            Tongue::Gtp(translator) => translator.unanswered(),
            Tongue::Wire(_) => None,
        }
    }

    /// An engine's claims before each of its moves, with the plies of these moves.
    pub fn take_thoughts(&mut self) -> Vec<(usize, Thought)> {
        match &mut self.tongue {
            Tongue::Gtp(translator) => translator.take_thoughts(),
            Tongue::Wire(_) => Vec::new(),
        }
    }

    /// An engine's latest claim, with the ply of its move.
    pub fn latest_thought(&self) -> Option<(usize, Thought)> {
        match &self.tongue {
            Tongue::Gtp(translator) => translator.latest_thought().cloned(),
            Tongue::Wire(_) => None,
        }
    }

    /// Whether the system timestamps each line on arrival, however long the arena takes to read it.
    pub const fn is_stamped(&self) -> bool {
        matches!(self.stream, Stream::Tcp(_)) && self.stamped.has_stamps()
    }

    /// Whether the connection is known to be broken: the client is gone, and has not merely closed its sending half.
    /// The system reports this when the arena sends something.
    pub fn is_broken(&mut self) -> bool {
        if let Stream::Tcp(socket) = &self.stream {
            self.broken |= !matches!(socket.take_error(), Ok(None));
        }
        self.broken
    }

    /// Whether the client has closed its end and everything that it sent before has been read. This asks the system
    /// directly, since the end is visible there before any task is woken.
    pub fn is_gone(&self) -> bool {
        use rustix::net::{RecvFlags, recv};
        let Stream::Tcp(socket) = &self.stream else { return self.closed && self.lines.is_empty() };
        let mut byte = [0_u8; 1];
        let mut is_at_its_end = || matches!(recv(socket, &mut byte, RecvFlags::PEEK | RecvFlags::DONTWAIT), Ok((_, 0)));
        self.lines.is_empty() && (self.closed || is_at_its_end())
    }

    /// Sends the remaining bytes and the end of the stream, then waits for the client to close its end, and drains up
    /// to a megabyte of its input. If a socket is closed with unread input, the system resets it, and the last line
    /// would be lost.
    ///
    /// If this is cancelled, the connection remains in the state that it has reached.
    pub async fn close(&mut self) {
        self.flush().await;
        if !self.broken {
            self.broken = poll_fn(|cx| self.stream.poll_shutdown(cx)).await.is_err();
        }
        self.drain().await;
    }

    /// The recorder of this connection, if it has one.
    pub fn recorder(&self) -> Option<Recorder> {
        self.recorder.clone()
    }

    async fn drain(&mut self) {
        let most = self.read.saturating_add(MAX_DRAINED);
        while self.read <= most {
            self.lines.clear();
            if !matches!(self.next_within(most).await, Some(Input::Line(..))) {
                return;
            }
        }
    }

    /// Returns the connection, registered with the current runtime, which must be the runtime of its game.
    ///
    /// # Errors
    /// Fails if the connection cannot be registered. It is then closed.
    pub fn settled(self) -> io::Result<Self> {
        let stream = match self.stream {
            Stream::Tcp(stream) => Stream::Tcp(TcpStream::from_std(stream.into_std()?)?),
            other => other,
        };
        Ok(Self { stream, ..self })
    }
}
