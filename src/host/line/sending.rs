//! A connection's output, which is sent as fast as the client accepts it.

use std::future::poll_fn;
use std::task::{Context, Poll};

use super::{Connection, Tongue};
use crate::referee::sans_io::Sayings;
use crate::referee::wire::Response;

impl Connection {
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
    pub(super) async fn put(&mut self, bytes: &[u8]) {
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

    /// Sends all buffered bytes, as fast as the client accepts them.
    pub async fn flush(&mut self) {
        poll_fn(|cx| self.poll_send(cx)).await;
    }

    /// The number of bytes that are still unsent; `None` once the client can no longer be reached.
    pub fn unsent(&self) -> Option<usize> {
        (!self.broken).then_some(self.unsent.len())
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
}
