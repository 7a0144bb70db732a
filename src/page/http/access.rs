//! Access to a live page: the address on which it listens, and the host names that requests may use.

use std::net::{IpAddr, SocketAddr};
use std::num::NonZeroUsize;

use thiserror::Error;

use hyper::http::uri::Authority;

/// The access rules of a page.
#[derive(Clone, Debug)]
pub struct Access {
    address: SocketAddr,
    hosts: Vec<String>,
    most_clients: NonZeroUsize,
}

/// A reason why a page cannot be offered with these access rules.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum AccessError {
    /// Other machines could reach the address, and the user has not allowed that.
    #[error(
        "--web {0} is not a loopback address: anyone who can reach this machine could watch, and read all names and \
         results; add --web-public to allow this"
    )]
    NotPublic(SocketAddr),
    /// A name that is not a host name.
    #[error("--web-host `{0}` is not a host name (write it like `arena.example.edu`, without a scheme or port)")]
    NotAHost(String),
}

impl Access {
    /// Access at `address`, for at most `most_clients` connections at a time. `hosts` are the names that requests may
    /// use in addition to the names of this machine.
    ///
    /// # Errors
    /// Fails if other machines could reach `address` and `is_public` is false, or if one of `hosts` is not a host name.
    pub fn new(
        address: SocketAddr,
        is_public: bool,
        hosts: &[String],
        most_clients: NonZeroUsize,
    ) -> Result<Self, AccessError> {
        if !is_public && !address.ip().to_canonical().is_loopback() {
            return Err(AccessError::NotPublic(address));
        }
        let is_name = |host: &String| {
            let is_fit = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '.' || c == '_';
            !host.is_empty() && host.chars().all(is_fit) && !host.starts_with('.')
        };
        match hosts.iter().find(|host| !is_name(host)) {
            Some(wrong) => Err(AccessError::NotAHost(wrong.clone())),
            None => Ok(Self { address, hosts: hosts.iter().map(|host| plain(host)).collect(), most_clients }),
        }
    }

    /// The address to listen on.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// The maximum number of connections to serve at a time.
    pub const fn most_clients(&self) -> usize {
        self.most_clients.get()
    }

    /// The first of the host names that the user gave.
    pub fn first_host(&self) -> Option<&str> {
        self.hosts.first().map(String::as_str)
    }

    /// Whether a request may name `host`, which is the value of a Host header: an IP address, a name of this machine,
    /// or one of the names that the user gave. Rejecting other names prevents DNS rebinding.
    pub fn allows(&self, host: &str) -> bool {
        let Ok(authority) = host.parse::<Authority>() else { return false };
        if host.contains('@') {
            return false;
        }
        let name = authority.host();
        let literal = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
        let name = plain(name);
        literal.parse::<IpAddr>().is_ok()
            || matches!(name.rsplit('.').next(), Some("localhost"))
            || matches!(name.rsplit_once('.'), Some((_, "local")))
            || self.hosts.contains(&name)
    }
}

/// A host name normalised for comparison: in lower case, without a trailing dot.
fn plain(host: &str) -> String {
    host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(address: &str, is_public: bool, hosts: &[&str]) -> Result<Access, AccessError> {
        let hosts: Vec<String> = hosts.iter().map(|&host| host.to_owned()).collect();
        Access::new(address.parse().expect("an address"), is_public, &hosts, NonZeroUsize::MIN)
    }

    #[test]
    fn only_loopback_needs_no_word_that_the_page_is_public() {
        for loopback in ["127.0.0.1:0", "127.3.4.5:80", "[::1]:8080", "[::ffff:127.0.0.1]:1"] {
            assert!(access(loopback, false, &[]).is_ok(), "{loopback}");
        }
        for open in ["0.0.0.0:8080", "[::]:8080", "192.168.0.7:80", "8.8.8.8:1", "[fe80::1]:1"] {
            let error = access(open, false, &[]).expect_err(open);
            assert!(error.to_string().contains("add --web-public"), "{error}");
            assert!(access(open, true, &[]).is_ok(), "{open}");
        }
    }

    #[test]
    fn a_request_must_name_this_machine_or_a_host_that_the_user_named() {
        let access = access("127.0.0.1:0", false, &["Arena.example.edu"]).expect("loopback");
        for good in [
            "127.0.0.1",
            "127.0.0.1:8080",
            "[::1]:8080",
            "[::1]",
            "192.168.1.5:80",
            "localhost",
            "LOCALHOST:1",
            "localhost.",
            "a.localhost",
            "beamer.local:8080",
            "arena.example.edu",
            "ARENA.example.edu.:443",
        ] {
            assert!(access.allows(good), "{good}");
        }
        for evil in [
            "evil.example",
            "evil.example:8080",
            "",
            " ",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "evil.example@localhost",
            "localhost@evil.example",
            "notlocalhost",
            "xlocal",
            "arena.example.edu.evil.example",
            "example.edu",
            "local host",
            "localhost/",
            "127.0.0.1, evil.example",
        ] {
            assert!(!access.allows(evil), "{evil}");
        }
    }

    #[test]
    fn a_page_serves_as_many_clients_as_the_user_allows() {
        let address = "127.0.0.1:0".parse().expect("an address");
        for most in [NonZeroUsize::MIN, NonZeroUsize::MAX] {
            let access = Access::new(address, false, &[], most).expect("loopback");
            assert_eq!(access.most_clients(), most.get());
        }
    }

    #[test]
    fn a_name_with_a_scheme_or_a_port_is_refused() {
        for wrong in ["http://a", "a:80", "", "a/b", "ä", ".a"] {
            assert_eq!(
                access("127.0.0.1:0", false, &[wrong]).expect_err(wrong),
                AccessError::NotAHost(wrong.to_owned())
            );
        }
    }
}
