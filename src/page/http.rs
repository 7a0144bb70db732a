//! The parts that all page servers share: who may send requests, how much a client may use, and the headers of every
//! answer.
//!
//! | room | contents |
//! | --- | --- |
//! | `access` | the address on which a page listens, and the host names that requests may use |
//! | `answers` | answers, with the headers that they all have |
//! | `connections` | the connections and their limits |
//! | `frame_origin` | the origins of the pages that may show a page in a frame |

mod access;
mod answers;
mod connections;
mod frame_origin;

use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener, UdpSocket};

#[cfg(fuzzing)]
pub(crate) use connections::converse;

pub use access::{Access, AccessError};
pub(crate) use answers::{AnswerBody, Framing, HttpSite, SiteAnswers, framed_by, unframed};
pub(crate) use connections::{PeerHost, serve};
pub use frame_origin::{FrameOrigin, NotAnOrigin};

/// The number of clients that may wait to be accepted. The kernel's limit is usually no higher.
const BACKLOG: i32 = 4096;

/// A page's bound address, and its access rules.
#[derive(Debug)]
pub struct OpenedPage {
    listener: TcpListener,
    access: Access,
}

/// Binds the address of `access`.
///
/// # Errors
/// Fails if the address is not available.
pub fn open(access: Access) -> io::Result<OpenedPage> {
    let listener = TcpListener::bind(access.address())?;
    // A client that finds the backlog full waits a second or more until the kernel tries again.
    rustix::net::listen(&listener, BACKLOG)?;
    listener.set_nonblocking(true)?;
    Ok(OpenedPage { listener, access })
}

impl OpenedPage {
    /// The page's address as text for a browser. If the page listens on every address of this machine, this is an
    /// address that other machines can probably reach.
    pub fn url(&self) -> String {
        let address = self.listener.local_addr().unwrap_or_else(|_| self.access.address());
        let port = address.port();
        match self.access.first_host().filter(|_| !self.is_own()) {
            Some(host) => format!("http://{host}:{port}/"),
            None if address.ip().is_unspecified() => format!("http://{}/", SocketAddr::new(own_ip(address.ip()), port)),
            None => format!("http://{address}/"),
        }
    }

    /// The page's address for readers on other machines. If only this machine can reach the address on which the page
    /// listens, but `--web-host` is given, a reverse proxy serves the page under that name, with TLS; otherwise, this
    /// is [`OpenedPage::url`].
    pub(crate) fn outside_url(&self) -> String {
        match self.access.first_host().filter(|_| self.is_own()) {
            Some(host) => format!("https://{host}/"),
            None => self.url(),
        }
    }

    /// [`OpenedPage::url`], if other machines can reach the page at that address.
    pub fn public_url(&self) -> Option<String> {
        (!self.is_own()).then(|| self.url())
    }

    /// Whether only this machine can reach the page.
    const fn is_own(&self) -> bool {
        self.access.address().ip().to_canonical().is_loopback()
    }

    /// The number of files that the page may have open at a time.
    pub fn open_files(&self) -> u64 {
        // The files of the listener, of a connection that is being accepted, and of the runtime.
        const OF_THE_PAGE: u64 = 6;
        self.access.most_clients() as u64 + OF_THE_PAGE
    }

    /// The listener, and who may use it.
    pub(crate) fn into_parts(self) -> (TcpListener, Access) {
        (self.listener, self.access)
    }
}

/// An address at which other machines may reach this one, of the same family as `unspecified`.
fn own_ip(unspecified: IpAddr) -> IpAddr {
    // Connecting a UDP socket sends nothing; it only asks the system for a route, here to an address reserved for
    // documentation.
    let far = if unspecified.is_ipv4() { "192.0.2.1:9" } else { "[2001:db8::1]:9" };
    let socket = UdpSocket::bind(SocketAddr::new(unspecified, 0));
    let own = socket.and_then(|socket| socket.connect(far).and_then(|()| socket.local_addr()));
    own.map_or(unspecified, |own| own.ip())
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use super::*;

    #[test]
    fn a_page_behind_a_proxy_has_the_proxys_address_outside() {
        let opened = |hosts: &[&str]| {
            let hosts: Vec<String> = hosts.iter().map(|&host| host.to_owned()).collect();
            let access = Access::new("127.0.0.1:0".parse().expect("an address"), false, &hosts, NonZeroUsize::MIN);
            open(access.expect("allowed")).expect("a free port")
        };
        let hidden = opened(&["Ladder.example.edu", "other.example.edu"]);
        assert!(hidden.url().starts_with("http://127.0.0.1:"), "{}", hidden.url());
        assert_eq!(hidden.outside_url(), "https://ladder.example.edu/");
        let plain = opened(&[]);
        assert_eq!(plain.outside_url(), plain.url());
    }
}
