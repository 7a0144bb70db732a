//! The address to which a player submits.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use thiserror::Error;

use crate::base::percent::encoded_except;

/// An address such as `https://arena.example/submit/ada`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SubmitUrl {
    is_encrypted: bool,
    /// The host, without the brackets of an IPv6 address.
    host: String,
    port: u16,
    /// The path, with its escapes.
    path: String,
}

/// Why text is not an address to which a player can submit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub(crate) enum WrongSubmitUrl {
    /// The text is not an address.
    #[error("expected the address that the teacher gave you, such as https://arena.example/submit/ada")]
    Form,
    /// The path names no player.
    #[error("must end with /submit/NAME, where NAME is the player's name")]
    Player,
    /// Secrets do not belong on a command line.
    #[error("must not contain a user name or password: the token is read from --token-file")]
    Secret,
}

impl SubmitUrl {
    /// Whether the address uses HTTPS.
    pub(crate) const fn is_encrypted(&self) -> bool {
        self.is_encrypted
    }

    /// Whether the host is this machine.
    pub(crate) fn is_own_machine(&self) -> bool {
        self.host.eq_ignore_ascii_case("localhost")
            || self.host.parse::<IpAddr>().is_ok_and(|ip| ip.to_canonical().is_loopback())
    }

    /// The host, without a port.
    pub(crate) fn host(&self) -> &str {
        &self.host
    }

    /// The port.
    pub(super) const fn port(&self) -> u16 {
        self.port
    }

    /// The path, as a request contains it.
    pub(super) fn path(&self) -> &str {
        &self.path
    }

    /// The value of the header `Host`.
    pub(super) fn host_header(&self) -> String {
        let host = if self.host.contains(':') { format!("[{}]", self.host) } else { self.host.clone() };
        let usual = if self.is_encrypted { 443 } else { 80 };
        if self.port == usual { host } else { format!("{host}:{}", self.port) }
    }
}

impl fmt::Display for SubmitUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}{}", if self.is_encrypted { "https" } else { "http" }, self.host_header(), self.path)
    }
}

impl FromStr for SubmitUrl {
    type Err = WrongSubmitUrl;

    fn from_str(text: &str) -> Result<Self, WrongSubmitUrl> {
        let (scheme, rest) = text.split_once("://").ok_or(WrongSubmitUrl::Form)?;
        let is_encrypted = match scheme {
            "https" => true,
            "http" => false,
            _ => return Err(WrongSubmitUrl::Form),
        };
        let (authority, path) = rest.find('/').map_or((rest, "/"), |slash| rest.split_at(slash));
        if authority.contains('@') {
            return Err(WrongSubmitUrl::Secret);
        }
        let (host, port) = match authority.strip_prefix('[') {
            Some(rest) => {
                let (host, rest) = rest.split_once(']').ok_or(WrongSubmitUrl::Form)?;
                let is_address = host.parse::<std::net::Ipv6Addr>().is_ok();
                (
                    host,
                    rest.strip_prefix(':')
                        .or((!rest.is_empty()).then_some(""))
                        .filter(|_| is_address || !rest.is_empty()),
                )
            }
            None => authority.split_once(':').map_or((authority, None), |(host, port)| (host, Some(port))),
        };
        let is_fit = |byte: u8| byte.is_ascii_alphanumeric() || b".-_:".contains(&byte);
        if host.is_empty() || host.starts_with('-') || !host.bytes().all(is_fit) {
            return Err(WrongSubmitUrl::Form);
        }
        let usual = if is_encrypted { 443 } else { 80 };
        let port = port.map_or(Some(usual), |port| port.parse().ok()).filter(|port| *port > 0);
        let port = port.ok_or(WrongSubmitUrl::Form)?;
        if path.contains(['?', '#']) || path.chars().any(char::is_control) {
            return Err(WrongSubmitUrl::Form);
        }
        let (_, player) = path.rsplit_once("/submit/").ok_or(WrongSubmitUrl::Player)?;
        if player.is_empty() || player.contains('/') {
            return Err(WrongSubmitUrl::Player);
        }
        Ok(Self { is_encrypted, host: host.to_owned(), port, path: escaped(path) })
    }
}

/// `path`, in which every character that a request cannot contain is escaped. Existing escapes are kept.
pub(in crate::ladder) fn escaped(path: &str) -> String {
    encoded_except(path, b"/-._~%!$&'()*+,;=:@")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_names_a_host_and_a_player() {
        for (text, host, header, path) in [
            ("https://arena.example/submit/ada", "arena.example", "arena.example", "/submit/ada"),
            ("http://127.0.0.1:8444/submit/Ada L.", "127.0.0.1", "127.0.0.1:8444", "/submit/Ada%20L."),
            (
                "https://arena.example:8443/cup/submit/ad%C3%A9",
                "arena.example",
                "arena.example:8443",
                "/cup/submit/ad%C3%A9",
            ),
            ("http://[::1]:8444/submit/\u{e9}", "::1", "[::1]:8444", "/submit/%C3%A9"),
            ("http://[::1]/submit/a", "::1", "[::1]", "/submit/a"),
        ] {
            let url: SubmitUrl = text.parse().expect(text);
            assert_eq!((url.host(), &*url.host_header(), url.path()), (host, header, path));
            assert_eq!(url.to_string().parse(), Ok(url));
        }
        for (wrong, why) in [
            ("", WrongSubmitUrl::Form),
            ("arena.example/submit/ada", WrongSubmitUrl::Form),
            ("ftp://arena.example/submit/ada", WrongSubmitUrl::Form),
            ("https:///submit/ada", WrongSubmitUrl::Form),
            ("https://arena.example:0/submit/ada", WrongSubmitUrl::Form),
            ("https://arena.example:x/submit/ada", WrongSubmitUrl::Form),
            ("https://[::1/submit/ada", WrongSubmitUrl::Form),
            ("https://[::1]x/submit/ada", WrongSubmitUrl::Form),
            ("https://a b/submit/ada", WrongSubmitUrl::Form),
            ("https://arena.example/submit/a\r\nHost: x", WrongSubmitUrl::Form),
            ("https://arena.example/submit/ada?x", WrongSubmitUrl::Form),
            ("https://arena.example", WrongSubmitUrl::Player),
            ("https://arena.example/submit/", WrongSubmitUrl::Player),
            ("https://arena.example/ada", WrongSubmitUrl::Player),
            ("https://ada:token@arena.example/submit/ada", WrongSubmitUrl::Secret),
        ] {
            assert_eq!(wrong.parse::<SubmitUrl>(), Err(why), "{wrong}");
        }
    }

    #[test]
    fn only_loopback_is_this_machine() {
        let is_own = |text: &str| text.parse::<SubmitUrl>().expect(text).is_own_machine();
        for own in ["http://localhost/submit/a", "http://127.1.2.3:80/submit/a", "http://[::1]:1/submit/a"] {
            assert!(is_own(own), "{own}");
        }
        for other in ["http://localhost.example/submit/a", "http://10.0.0.1/submit/a", "http://[::2]/submit/a"] {
            assert!(!is_own(other), "{other}");
        }
    }
}
