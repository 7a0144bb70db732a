//! Listening for clients on this machine.

use std::io;
use std::time::Duration;

use tokio::net::{TcpListener, ToSocketAddrs};

/// A listener with a backlog for all clients that may connect at once. A client that finds the backlog full waits a
/// second or more until the kernel tries again.
///
/// # Errors
/// When the address is not available.
pub async fn listener(address: impl ToSocketAddrs) -> io::Result<TcpListener> {
    // The kernel usually allows no more.
    const BACKLOG: i32 = 4096;
    let listener = TcpListener::bind(address).await?;
    rustix::net::listen(&listener, BACKLOG)?;
    Ok(listener)
}

/// How long to wait after an accept that failed. Most likely the process has run out of descriptors, and some will
/// become free.
pub const ACCEPT_PAUSE: Duration = Duration::from_millis(20);
