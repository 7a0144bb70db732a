//! The byte streams that carry lines: sockets, pipes, and in-memory streams in tests.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, DuplexStream, ReadBuf};
use tokio::net::TcpStream;
use tokio::process::{ChildStdin, ChildStdout};

use super::Stamped;
use crate::base::time::{Instant, now};

/// The byte streams over which a client can communicate.
#[derive(Debug)]
pub enum Stream {
    /// A socket.
    Tcp(TcpStream),
    /// A child's stdin (`None` once the arena has closed it) and its stdout.
    Pipes(Option<ChildStdin>, ChildStdout),
    /// A stream to another task of this process.
    Duplex(DuplexStream),
}

impl Stream {
    /// Reads once. Returns the number of bytes read and, if known, the time at which the last of them was received.
    pub(super) fn poll_read(
        &mut self,
        cx: &mut Context<'_>,
        stamped: &mut Stamped,
        bytes: &mut [u8],
    ) -> Poll<io::Result<(usize, Instant)>> {
        let mut buffer = ReadBuf::new(bytes);
        let read = match self {
            Self::Tcp(stream) => return stamped.poll_read(stream, cx, bytes),
            Self::Pipes(_, stdout) => Pin::new(stdout).poll_read(cx, &mut buffer),
            Self::Duplex(stream) => Pin::new(stream).poll_read(cx, &mut buffer),
        };
        read.map_ok(|()| (buffer.filled().len(), now()))
    }

    pub(super) fn poll_write(&mut self, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match self {
            Self::Tcp(stream) => Pin::new(stream).poll_write(cx, bytes),
            Self::Pipes(Some(stdin), _) => Pin::new(stdin).poll_write(cx, bytes),
            Self::Pipes(None, _) => Poll::Ready(Err(io::ErrorKind::BrokenPipe.into())),
            Self::Duplex(stream) => Pin::new(stream).poll_write(cx, bytes),
        }
    }

    pub(super) fn poll_shutdown(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self {
            Self::Tcp(stream) => Pin::new(stream).poll_shutdown(cx),
            Self::Pipes(stdin, _) => {
                // Closing the pipe signals the end of the input.
                *stdin = None;
                Poll::Ready(Ok(()))
            }
            Self::Duplex(stream) => Pin::new(stream).poll_shutdown(cx),
        }
    }

    /// Disables delayed acknowledgements. Otherwise, a bot that writes a line in two pieces would wait 40 ms between
    /// them.
    pub(super) fn acknowledge_quickly(&self) {
        #[cfg(target_os = "linux")]
        if let Self::Tcp(stream) = self {
            // A failure affects only speed.
            let _ = stream.set_quickack(true);
        }
    }
}
