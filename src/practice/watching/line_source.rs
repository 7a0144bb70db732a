//! A thread that reads lines from a connection, with limits on everything.

use std::io::{self, BufRead, BufReader, Read};
use std::net::{TcpStream, ToSocketAddrs};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::time::Duration;

use super::WatchError;
use crate::base::sanitise::sanitised;

/// How long it may take to establish a connection.
const CONNECT_WITHIN: Duration = Duration::from_secs(10);

/// Something that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SourceNews {
    /// A line, without its ending. It is not printable yet.
    Line(String),
    /// A line was skipped, because it was longer than the limit.
    TooLong,
    /// The end: the connection was closed, or has failed for this reason.
    End(Option<String>),
}

/// The lines that a thread reads from a connection.
#[derive(Debug)]
pub(super) struct LineSource {
    news: Receiver<SourceNews>,
    /// Whether the end has been taken.
    is_over: bool,
    /// Whether the last call found nothing to take.
    has_waited: bool,
}

/// Connects to `host`.
///
/// # Errors
/// Fails if none of the host's addresses can be reached. The error is that of the last address.
pub(super) fn connect(host: &str, port: u16) -> Result<TcpStream, WatchError> {
    let failed = |source| WatchError::Connect { host: sanitised(host), port, source };
    let mut last = io::Error::from(io::ErrorKind::NotFound);
    for address in (host, port).to_socket_addrs().map_err(failed)? {
        match TcpStream::connect_timeout(&address, CONNECT_WITHIN) {
            Ok(stream) => return Ok(stream),
            Err(error) => last = error,
        }
    }
    Err(failed(last))
}

impl LineSource {
    /// Starts a thread that reads `input` in lines of at most `limit` bytes. While `waiting` lines have not been taken
    /// yet, the thread reads nothing, so the other side has to wait.
    ///
    /// # Errors
    /// Fails if no thread can be started.
    pub(super) fn start(input: impl Read + Send + 'static, limit: u64, waiting: usize) -> io::Result<Self> {
        let (sender, news) = mpsc::sync_channel(waiting);
        // The thread ends at the end of the connection, or with the process.
        std::thread::Builder::new().name("lines".to_owned()).spawn(move || read(input, limit, &sender))?;
        Ok(Self { news, is_over: false, has_waited: false })
    }

    /// The next item that was read; `None` if nothing arrives within `time`, or after the end.
    pub(super) fn next_within(&mut self, time: Duration) -> Option<SourceNews> {
        self.has_waited = self.is_over;
        if self.is_over {
            return None;
        }
        let news = match self.news.recv_timeout(time) {
            Ok(news) => news,
            Err(RecvTimeoutError::Timeout) => {
                self.has_waited = true;
                return None;
            }
            Err(RecvTimeoutError::Disconnected) => SourceNews::End(None),
        };
        self.is_over = matches!(news, SourceNews::End(_));
        Some(news)
    }
}

impl LineSource {
    /// Whether the last call found nothing to take.
    pub(super) const fn has_waited(&self) -> bool {
        self.has_waited
    }
}

/// Reads until the end, or until the receiver is gone.
fn read(input: impl Read, limit: u64, sender: &SyncSender<SourceNews>) {
    let mut input = BufReader::new(input);
    loop {
        let news = next_line(&mut input, limit).unwrap_or_else(|error| SourceNews::End(Some(error.to_string())));
        let is_end = matches!(news, SourceNews::End(_));
        if sender.send(news).is_err() || is_end {
            return;
        }
    }
}

/// The next line that is not blank. Servers end their lines with a CR, an LF or both.
fn next_line(input: &mut impl BufRead, limit: u64) -> io::Result<SourceNews> {
    loop {
        let mut line = Vec::new();
        let (mut is_too_long, mut is_whole) = (false, false);
        while !is_whole {
            let available = input.fill_buf()?;
            if available.is_empty() {
                break;
            }
            let end = available.iter().position(|byte| matches!(byte, b'\r' | b'\n'));
            let part = &available[..end.unwrap_or(available.len())];
            is_too_long |= (line.len() + part.len()) as u64 > limit;
            if is_too_long {
                line.clear();
            } else {
                line.extend_from_slice(part);
            }
            is_whole = end.is_some();
            let used = part.len() + usize::from(is_whole);
            input.consume(used);
        }
        if is_too_long {
            return Ok(SourceNews::TooLong);
        }
        if line.iter().any(|byte| !byte.is_ascii_whitespace()) {
            return Ok(SourceNews::Line(String::from_utf8_lossy(&line).into_owned()));
        }
        if !is_whole {
            return Ok(SourceNews::End(None));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(input: &'static [u8], limit: u64) -> Vec<SourceNews> {
        let mut source = LineSource::start(input, limit, 64).expect("a thread");
        std::iter::from_fn(|| source.next_within(Duration::from_mins(1))).collect()
    }

    fn line(text: &str) -> SourceNews {
        SourceNews::Line(text.to_owned())
    }

    #[test]
    fn lines_end_in_every_way_and_long_ones_are_left_out() {
        let end = SourceNews::End(None);
        assert_eq!(
            all(b"one\r\ntwo\rthree\n\n\r\nfour", 5),
            [line("one"), line("two"), line("three"), line("four"), end.clone()]
        );
        assert_eq!(all(b"123456\nab\n", 5), [SourceNews::TooLong, line("ab"), end.clone()]);
        assert_eq!(all(b"123456", 5), [SourceNews::TooLong, end.clone()]);
        assert_eq!(all(b"a\xffb\n", 5), [line("a\u{fffd}b"), end.clone()]);
        assert_eq!(all(b"", 5), [end]);
    }

    #[test]
    fn an_endless_line_needs_no_memory() {
        let mut source = LineSource::start(io::repeat(b'x').take(64 << 20), 4096, 1).expect("a thread");
        assert_eq!(source.next_within(Duration::from_mins(2)), Some(SourceNews::TooLong));
        assert_eq!(source.next_within(Duration::from_mins(2)), Some(SourceNews::End(None)));
        assert_eq!(source.next_within(Duration::ZERO), None);
    }
}
