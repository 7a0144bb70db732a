//! The connections to a page, with limits on their number, their duration and the size of requests.

use std::convert::Infallible;
use std::io;
use std::net::IpAddr;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinSet;
use tokio::time::Sleep;

use super::answers::HttpSite;
use crate::base::time::{now, sleep_until};
use crate::host::listen::ACCEPT_PAUSE;

/// The maximum size of a request line with its headers, in bytes.
const MAX_HEAD: usize = 8 * 1024;

/// The time that a client may take to send the request line and the headers.
const HEAD_TIMEOUT: Duration = Duration::from_secs(5);

/// The maximum time without a byte in either direction.
const IDLE: Duration = Duration::from_secs(30);

/// The address from which a request came. [`serve`] adds it to every request as an extension, unless the client has
/// already gone.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PeerHost(pub(crate) IpAddr);

/// The number of bytes that the system may buffer for a client that does not read. The system doubles this value.
const SEND_BUFFER: usize = 128 * 1024;

/// The response to a client if all connections are in use.
const FULL: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain\r\nContent-Length: 31\r\n\
                      Retry-After: 5\r\nConnection: close\r\n\r\nthe page is busy; please retry\n";

/// Serves `site` on `listener` until `stop` is ready, and then until the last client has gone; must run in a
/// `LocalSet`. Every connection carries a single request, so idle connections do not count against the limit.
pub(crate) async fn serve(listener: TcpListener, site: impl HttpSite, mut stop: oneshot::Receiver<()>) {
    let mut clients = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            Some(_) = clients.join_next() => continue,
            // `stop` completes once its sender is dropped.
            _ = &mut stop => break,
        };
        match accepted {
            Ok((stream, _)) if clients.len() < site.access().most_clients() => {
                let site = site.clone();
                clients.spawn_local(async move { serve_one(stream, &site).await });
            }
            // The client gets nothing else; it should retry later.
            Ok((stream, _)) => drop(stream.try_write(FULL)),
            Err(_) => sleep_until(now() + ACCEPT_PAUSE).await,
        }
    }
    drop(listener);
    while clients.join_next().await.is_some() {}
}

/// Answers the request of one client.
async fn serve_one(stream: TcpStream, site: &impl HttpSite) {
    // The connection also works without these two options.
    let _ = stream.set_nodelay(true);
    let _ = rustix::net::sockopt::set_socket_send_buffer_size(&stream, SEND_BUFFER);
    let peer = stream.peer_addr().ok().map(|peer| PeerHost(peer.ip()));
    converse(stream, peer, site).await;
}

/// Answers the request that arrives on `stream` from `peer`, if it arrives in time and is not too long.
pub(crate) async fn converse(
    stream: impl AsyncRead + AsyncWrite + Unpin,
    peer: Option<PeerHost>,
    site: &impl HttpSite,
) {
    let answer = service_fn(async |mut request: Request<Incoming>| {
        if let Some(peer) = peer {
            request.extensions_mut().insert(peer);
        }
        Ok::<_, Infallible>(site.answer(request).await)
    });
    let mut server = http1::Builder::new();
    server.timer(TokioTimer::new()).header_read_timeout(HEAD_TIMEOUT).max_buf_size(MAX_HEAD).keep_alive(false);
    // An error in one connection does not affect the others.
    let _ = server.serve_connection(TokioIo::new(Impatient::new(stream)), answer).await;
}

/// A stream that fails if no byte has been transferred for [`IDLE`].
#[derive(Debug)]
struct Impatient<S> {
    stream: S,
    deadline: Pin<Box<Sleep>>,
}

impl<S> Impatient<S> {
    fn new(stream: S) -> Self {
        Self { stream, deadline: Box::pin(sleep_until(now() + IDLE)) }
    }

    /// `result`, or an error if `result` is still pending and the time is up.
    fn watched<T>(&mut self, context: &mut Context<'_>, result: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if result.is_ready() {
            self.deadline.as_mut().reset(now() + IDLE);
            return result;
        }
        ready!(self.deadline.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Impatient<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let result = Pin::new(&mut self.stream).poll_read(context, buffer);
        self.watched(context, result)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Impatient<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let result = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.watched(context, result)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let result = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.watched(context, result)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
