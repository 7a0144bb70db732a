//! The connection of a person's seat to its referee.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Shutdown, TcpStream};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::time::Duration;

/// The longest line that is accepted from a referee, in bytes: far more than any line of the protocol.
const MAX_LINE: u64 = 4096;

/// How many lines are read ahead. A referee that sends more has to wait until these have been taken.
const READ_AHEAD: usize = 64;

/// How many blank lines in a row count as an endless line.
const MOST_BLANK: usize = 1024;

/// How long a referee may take to receive a line.
const SEND_TIMEOUT: Duration = Duration::from_secs(10);

/// Something that a referee has sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SeatEvent {
    /// A line that is not blank, without its line ending. Hostile text.
    Line(String),
    /// A line that is longer than any line of the protocol. Nothing more is read.
    TooLong,
    /// The end of the connection.
    Closed,
}

/// A connection to a referee. Dropping it closes the connection.
#[derive(Debug)]
pub(crate) struct SeatLine {
    socket: TcpStream,
    events: Receiver<SeatEvent>,
}

impl SeatLine {
    /// Begins to read from `socket`, on a thread that lives as long as the connection.
    ///
    /// # Errors
    /// Fails if the socket cannot be shared with a thread, or if no thread can be started.
    pub(crate) fn new(socket: TcpStream) -> io::Result<Self> {
        socket.set_nodelay(true)?;
        socket.set_write_timeout(Some(SEND_TIMEOUT))?;
        let (sender, events) = mpsc::sync_channel(READ_AHEAD);
        let read_half = socket.try_clone()?;
        std::thread::Builder::new().name("seat".to_owned()).spawn(move || read(read_half, &sender))?;
        Ok(Self { socket, events })
    }

    /// Sends a line.
    ///
    /// # Errors
    /// Fails if the referee is gone or does not read.
    pub(crate) fn say(&self, line: &str) -> io::Result<()> {
        (&self.socket).write_all(format!("{line}\r").as_bytes())
    }

    /// The next event, if it occurs within `limit`. Once the connection has ended, this is always
    /// [`SeatEvent::Closed`].
    pub(crate) fn next_within(&self, limit: Duration) -> Option<SeatEvent> {
        match self.events.recv_timeout(limit) {
            Ok(event) => Some(event),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => Some(SeatEvent::Closed),
        }
    }

    /// Closes the connection.
    pub(crate) fn hang_up(&self) {
        // The referee may have closed it before.
        let _ = self.socket.shutdown(Shutdown::Both);
    }
}

impl Drop for SeatLine {
    fn drop(&mut self) {
        self.hang_up();
    }
}

/// Forwards the lines from `socket` to `to`, until the socket is closed or the receiver is gone.
fn read(socket: TcpStream, to: &SyncSender<SeatEvent>) {
    let mut input = BufReader::new(socket);
    let mut blank = 0;
    loop {
        let mut bytes = Vec::new();
        let is_whole = match input.by_ref().take(MAX_LINE).read_until(b'\n', &mut bytes) {
            Ok(0) | Err(_) => break,
            Ok(_) => bytes.ends_with(b"\n") || u64::try_from(bytes.len()).is_ok_and(|length| length < MAX_LINE),
        };
        let line = String::from_utf8_lossy(&bytes).trim().to_owned();
        blank = if line.is_empty() { blank + 1 } else { 0 };
        if !is_whole || blank > MOST_BLANK {
            let _ = to.send(SeatEvent::TooLong);
            return;
        }
        if !line.is_empty() && to.send(SeatEvent::Line(line)).is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    /// A connection, and its other end.
    fn pair() -> (SeatLine, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let socket = TcpStream::connect(listener.local_addr().expect("bound")).expect("it listens");
        (SeatLine::new(socket).expect("a thread"), listener.accept().expect("it connects").0)
    }

    const LONG: Duration = Duration::from_mins(1);

    #[test]
    fn lines_arrive_in_order_and_then_the_end() {
        let (seat, mut referee) = pair();
        referee.write_all(b"\r\n200 fine\r\n\xff\x1b[2J\n311").expect("sent");
        drop(referee);
        let text = |line: &str| Some(SeatEvent::Line(line.to_owned()));
        assert_eq!(seat.next_within(LONG), text("200 fine"));
        assert_eq!(seat.next_within(LONG), text("\u{fffd}\u{1b}[2J"));
        assert_eq!(seat.next_within(LONG), text("311"));
        for _ in 0..2 {
            assert_eq!(seat.next_within(LONG), Some(SeatEvent::Closed));
        }
    }

    #[test]
    fn an_endless_line_and_endless_blank_lines_end_the_reading() {
        for flood in [&b"x"[..], b"\n"] {
            let (seat, mut referee) = pair();
            let flooding = std::thread::spawn(move || while referee.write_all(&flood.repeat(4096)).is_ok() {});
            assert_eq!(seat.next_within(LONG), Some(SeatEvent::TooLong));
            drop(seat);
            flooding.join().expect("it ends when nobody reads");
        }
    }

    #[test]
    fn what_is_said_is_a_line_and_hanging_up_ends_both_directions() {
        let (seat, mut referee) = pair();
        seat.say("1 c3").expect("sent");
        seat.hang_up();
        let mut heard = String::new();
        referee.read_to_string(&mut heard).expect("text");
        assert_eq!((heard.as_str(), seat.next_within(LONG)), ("1 c3\r", Some(SeatEvent::Closed)));
    }
}
