//! Listens for clients that connect to this machine.

use std::io;
use std::time::Duration;

use tokio::net::{TcpListener, ToSocketAddrs};

/// Opens a listener with a backlog large enough for all clients that may connect at the same time. If the backlog is
/// full when a client connects, a second or more passes before its kernel tries again.
///
/// # Errors
/// Fails if the address is not available.
pub async fn listener(address: impl ToSocketAddrs) -> io::Result<TcpListener> {
    // This is the kernel's usual limit.
    const BACKLOG: i32 = 4096;
    let listener = TcpListener::bind(address).await?;
    rustix::net::listen(&listener, BACKLOG)?;
    Ok(listener)
}

/// How long to wait after a failed accept. Most likely, the process has run out of descriptors, and some will soon
/// become free.
pub const ACCEPT_PAUSE: Duration = Duration::from_millis(20);
