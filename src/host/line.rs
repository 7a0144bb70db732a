//! Lines of limited length over any byte stream, and writes that never wait for the reader.

mod recorder;
mod stamped;
mod stream;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::future::poll_fn;
use std::io;
use std::task::{Context, Poll};

use tokio::net::TcpStream;

pub use self::recorder::{RecordedSoFar, Recorder};
use self::stamped::Stamped;
pub use self::stream::Stream;
use crate::base::time::{Instant, now};
use crate::referee::gtp::{EngineStage, Translator};
use crate::referee::sans_io::Sayings;
use crate::referee::thought::Thought;
use crate::referee::wire::{BLANKS, Dialect, Line, MAX_LINE, Response, Speech};

/// Cuts bytes into lines. CR, LF and CR LF each end a line. Blank lines are skipped, and a line longer than
/// [`MAX_LINE`] is discarded.
#[derive(Debug, Default)]
pub struct LineCutter {
    partial: Vec<u8>,
    too_long: bool,
}

impl LineCutter {
    /// Consumes `bytes`, and appends the lines that they complete to `lines`.
    pub fn push(&mut self, mut bytes: &[u8], lines: &mut VecDeque<Line>) {
        while let Some(end) = bytes.iter().position(|byte| matches!(byte, b'\r' | b'\n')) {
            self.extend(&bytes[..end]);
            lines.extend(self.end_line());
            bytes = &bytes[end + 1..];
        }
        self.extend(bytes);
    }

    /// Handles the end of the stream, which terminates the last line.
    pub fn finish(&mut self, lines: &mut VecDeque<Line>) {
        lines.extend(self.end_line());
    }

    fn extend(&mut self, bytes: &[u8]) {
        self.too_long |= self.partial.len() + bytes.len() > MAX_LINE;
        if self.too_long {
            self.partial.clear();
        } else {
            self.partial.extend_from_slice(bytes);
        }
    }

    fn end_line(&mut self) -> Option<Line> {
        if std::mem::take(&mut self.too_long) {
            self.partial.clear();
            return Some(Line::TooLong);
        }
        let text = String::from_utf8_lossy(&self.partial);
        let blank = text.trim_matches(BLANKS).is_empty();
        let line = (!blank).then(|| Line::Text(text.into_owned()));
        self.partial.clear();
        line
    }
}

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

/// A client's lines are not read while more than this number of bytes are unsent. Otherwise, a client that floods the
/// arena and never reads could make the arena buffer an unlimited number of answers.
const MAX_UNSENT: usize = 64 * 1024;

/// How many times to read, before yielding, from a client that does not complete a line. Tokio's own budget for a task
/// is far larger and would starve the task's timers.
const READS_A_TURN: usize = 8;

/// How many bytes to read from a client while its connection is being closed. A client that has sent a reasonable
/// amount of input still receives the last lines; a flood is cut off.
const MAX_DRAINED: u64 = 1 << 20;

/// How many lines to read from a client that is waiting for its game. This is more than a referee keeps, so a flood is
/// always judged by the referee.
const MAX_AHEAD: usize = 64;

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

    /// Sends those `responses` that the client understands, in a single write.
    pub async fn say(&mut self, responses: &[Response]) {
        if responses.is_empty() {
            return;
        }
        let mut text = String::with_capacity(256);
        Sayings::append(responses, self.speech(), &mut text);
        self.send(text.as_bytes()).await;
    }

    /// Sends `bytes`, which are whole lines of the protocol. Any bytes that the client does not accept immediately are
    /// sent later.
    pub async fn send(&mut self, bytes: &[u8]) {
        match &mut self.tongue {
            Tongue::Wire(_) => self.put(bytes).await,
            Tongue::Gtp(translator) => {
                let commands = translator.tell(&String::from_utf8_lossy(bytes));
                if !commands.is_empty() {
                    self.put(&commands).await;
                }
            }
        }
    }

    /// Sends `bytes` as they are.
    async fn put(&mut self, bytes: &[u8]) {
        if let Some(recorder) = &self.recorder {
            recorder.sent(bytes);
        }
        poll_fn(|cx| {
            let mut rest = bytes;
            if self.unsent.is_empty() && !self.broken {
                match self.stream.poll_write(cx, bytes) {
                    Poll::Ready(Ok(sent)) => rest = &bytes[sent..],
                    Poll::Ready(Err(_)) => self.broken = true,
                    Poll::Pending => {}
                }
            }
            if !rest.is_empty() {
                self.unsent.extend(rest);
                let _ = self.poll_send(cx);
            }
            Poll::Ready(())
        })
        .await;
    }

    /// Returns the next input from the client. This is cancel safe.
    pub async fn next(&mut self) -> Input {
        poll_fn(|cx| self.poll_next(cx)).await
    }

    /// Returns the next input from the client, or `None` once it has sent more than `bytes` bytes in total without
    /// completing a line.
    pub async fn next_within(&mut self, bytes: u64) -> Option<Input> {
        poll_fn(|cx| match self.poll_next(cx) {
            Poll::Ready(input) => Poll::Ready(Some(input)),
            Poll::Pending if self.read > bytes => Poll::Ready(None),
            Poll::Pending => Poll::Pending,
        })
        .await
    }

    /// Returns the next input that has already arrived, if any. This asks the system directly, since input is available
    /// there before any task is woken.
    pub async fn ready(&mut self) -> Option<Input> {
        for _ in 0..READS_A_TURN {
            let polled = poll_fn(|cx| Poll::Ready(self.poll_next(cx))).await;
            match polled {
                Poll::Ready(input) => return Some(input),
                Poll::Pending if self.unsent.len() > MAX_UNSENT || !self.read_now() => return None,
                Poll::Pending => {}
            }
        }
        None
    }

    /// Whether the system timestamps each line on arrival, however long the arena takes to read it.
    pub const fn is_stamped(&self) -> bool {
        matches!(self.stream, Stream::Tcp(_)) && self.stamped.has_stamps()
    }

    /// Sends all buffered bytes, as fast as the client accepts them.
    pub async fn flush(&mut self) {
        poll_fn(|cx| self.poll_send(cx)).await;
    }

    /// The number of bytes that are still unsent; `None` once the client can no longer be reached.
    pub fn unsent(&self) -> Option<usize> {
        (!self.broken).then_some(self.unsent.len())
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

    /// Waits until the client has closed its end and every line that it sent before has been read. A client that closes
    /// its sending half after its moves is not gone: the moves are kept, to be read later. If a client sends too much,
    /// the rest stays unread, and the end of its stream goes unnoticed.
    pub async fn closed(&mut self) {
        poll_fn(|cx| self.poll_closed(cx)).await;
    }

    /// The polling form of [`Connection::closed`].
    pub fn poll_closed(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        while !self.closed {
            if self.lines.len() > MAX_AHEAD {
                return Poll::Pending;
            }
            std::task::ready!(self.poll_read(cx));
        }
        if self.lines.is_empty() { Poll::Ready(()) } else { Poll::Pending }
    }

    /// Polls for the next input from the client, and sends buffered bytes in the meantime.
    ///
    /// A client can send endless blank lines, or a single endless line. Its input is therefore read piece by piece, and
    /// other tasks, above all the clock, run between the pieces.
    pub fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Input> {
        let _ = self.poll_send(cx);
        if self.lines.is_empty() && std::mem::take(&mut self.to_acknowledge) {
            self.stream.acknowledge_quickly();
        }
        for _ in 0..READS_A_TURN {
            if let Some(line) = self.lines.pop_front() {
                return Poll::Ready(Input::Line(line, self.arrived));
            }
            if self.closed {
                return Poll::Ready(Input::Closed);
            }
            if self.unsent.len() > MAX_UNSENT {
                return Poll::Pending;
            }
            std::task::ready!(self.poll_read(cx));
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    }

    /// Reads once.
    fn poll_read(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let mut bytes = [0; 2048];
        let read = std::task::ready!(self.stream.poll_read(cx, &mut self.stamped, &mut bytes));
        self.take_in(&bytes, read);
        if !self.unsent.is_empty() {
            // An engine waits for the next command.
            let _ = self.poll_send(cx);
        }
        Poll::Ready(())
    }

    /// Reads the available bytes once, and returns whether there were any. This asks the system directly, since a
    /// runtime that was stopped may have missed some bytes.
    fn read_now(&mut self) -> bool {
        let mut bytes = [0; 2048];
        let read = match &self.stream {
            Stream::Tcp(socket) => self.stamped.read(socket, &mut bytes),
            Stream::Pipes(_, stdout) => {
                rustix::io::read(stdout, &mut bytes).map(|read| (read, now())).map_err(io::Error::from)
            }
            Stream::Duplex(_) => return false,
        };
        if matches!(&read, Err(error) if error.kind() == io::ErrorKind::WouldBlock) {
            return false;
        }
        self.take_in(&bytes, read);
        true
    }

    /// Processes the outcome of a read into `bytes`.
    fn take_in(&mut self, bytes: &[u8], read: io::Result<(usize, Instant)>) {
        self.broken |= read.is_err();
        let (read, arrived) = read.unwrap_or_else(|_| (0, now()));
        self.arrived = arrived;
        if read == 0 {
            self.closed = true;
            match &mut self.tongue {
                Tongue::Wire(cutter) => cutter.finish(&mut self.lines),
                Tongue::Gtp(translator) => translator.finish(&mut self.lines),
            }
        } else {
            if let Some(recorder) = &self.recorder {
                if self.read == 0 {
                    recorder.begins_to_talk();
                }
                recorder.heard(arrived, &bytes[..read]);
            }
            self.read += read as u64;
            self.interpret(&bytes[..read]);
            // The answer to a whole line also acknowledges it. Request quick acknowledgements again later, when all
            // answers have been sent and the arena waits for the next line.
            self.to_acknowledge = !self.lines.is_empty();
            if !self.to_acknowledge {
                self.stream.acknowledge_quickly();
            }
        }
    }

    /// Turns the client's bytes into lines, and queues the next commands for an engine.
    fn interpret(&mut self, bytes: &[u8]) {
        match &mut self.tongue {
            Tongue::Wire(cutter) => cutter.push(bytes, &mut self.lines),
            Tongue::Gtp(translator) => {
                let commands = translator.hear(bytes, &mut self.lines);
                if let Some(recorder) = self.recorder.as_ref().filter(|_| !commands.is_empty()) {
                    recorder.sent(&commands);
                }
                self.unsent.extend(commands);
            }
        }
    }

    /// Polls until everything has been sent, or nothing more can be sent.
    pub fn poll_send(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        while !self.unsent.is_empty() && !self.broken {
            let (first, _) = self.unsent.as_slices();
            match std::task::ready!(self.stream.poll_write(cx, first)) {
                Ok(sent) if sent > 0 => drop(self.unsent.drain(..sent)),
                // The client is gone. The next read will show that.
                _ => self.broken = true,
            }
        }
        if self.broken {
            self.unsent.clear();
        }
        Poll::Ready(())
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
