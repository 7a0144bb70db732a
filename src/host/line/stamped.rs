//! Reads data from a socket, together with the time at which the system received it.

use std::io::{self, IoSliceMut};
use std::os::fd::AsRawFd;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use nix::cmsg_space;
use nix::sys::socket::{ControlMessageOwned, MsgFlags, recvmsg, setsockopt, sockopt};
use nix::sys::time::TimeSpec;
use tokio::io::Interest;
use tokio::net::TcpStream;

use crate::base::time::{Instant, Stamps, now};

/// Reads from one socket.
#[derive(Debug, Default)]
pub(super) struct Stamped {
    /// The timestamps; `None` if the system does not timestamp incoming data.
    stamps: Option<Stamps>,
    /// The buffer for a timestamp.
    space: Vec<u8>,
}

impl Stamped {
    /// Enables timestamps on `stream`.
    pub(super) fn new(stream: &TcpStream) -> Self {
        let stamps = setsockopt(stream, sockopt::ReceiveTimestampns, &true).is_ok().then(Stamps::begin);
        Self { stamps, space: cmsg_space!(TimeSpec) }
    }

    /// Whether the system timestamps incoming data.
    pub(super) const fn has_stamps(&self) -> bool {
        self.stamps.is_some()
    }

    /// Reads once. Returns the number of bytes read and the time at which the last of them was received or, if the
    /// system does not report this time, the time at which it was read.
    pub(super) fn poll_read(
        &mut self,
        stream: &TcpStream,
        cx: &mut Context<'_>,
        bytes: &mut [u8],
    ) -> Poll<io::Result<(usize, Instant)>> {
        loop {
            ready!(stream.poll_read_ready(cx))?;
            let mut emptied = None;
            let read = stream.try_io(Interest::READABLE, || match self.read(stream, bytes) {
                // A short read means that no more data is available, so another read is unnecessary.
                Ok(read @ (1.., _)) if read.0 < bytes.len() => {
                    emptied = Some(read);
                    Err(io::ErrorKind::WouldBlock.into())
                }
                read => read,
            });
            match (emptied, read) {
                (Some(read), _) => return Poll::Ready(Ok(read)),
                (None, Err(error)) if error.kind() == io::ErrorKind::WouldBlock => {}
                (None, read) => return Poll::Ready(read),
            }
        }
    }

    /// Reads the available bytes, whether or not the runtime has been notified of them.
    pub(super) fn read(&mut self, stream: &TcpStream, bytes: &mut [u8]) -> io::Result<(usize, Instant)> {
        let mut slices = [IoSliceMut::new(bytes)];
        let message = recvmsg::<()>(stream.as_raw_fd(), &mut slices, Some(&mut self.space), MsgFlags::MSG_DONTWAIT)?;
        let stamp = message.cmsgs().ok().and_then(|mut messages| {
            messages.find_map(|message| match message {
                ControlMessageOwned::ScmTimestampns(stamp) => Some(Duration::from(stamp)),
                _ => None,
            })
        });
        let received = match (&mut self.stamps, stamp) {
            (Some(stamps), Some(stamp)) => stamps.read(stamp),
            _ => now(),
        };
        Ok((message.bytes, received))
    }
}
