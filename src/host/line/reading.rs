//! A connection's input, which is read piece by piece, so that no client keeps the arena busy.

use std::future::poll_fn;
use std::io;
use std::task::{Context, Poll};

use super::{Connection, Input, READS_A_TURN, Stream, Tongue};
use crate::base::time::{Instant, now};

/// A client's lines are not read while more than this number of bytes are unsent. Otherwise, a client that floods the
/// arena and never reads could make the arena buffer an unlimited number of answers.
const MAX_UNSENT: usize = 64 * 1024;

/// How many lines to read from a client that is waiting for its game. This is more than a referee keeps, so a flood is
/// always judged by the referee.
const MAX_AHEAD: usize = 64;

impl Connection {
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
    pub(super) fn poll_read(&mut self, cx: &mut Context<'_>) -> Poll<()> {
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
}
