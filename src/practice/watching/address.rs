//! The address of a server or page to watch.

use std::str::FromStr;

use thiserror::Error;

/// The address of something to watch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum WatchAddress {
    /// A server that speaks the protocol.
    Server {
        /// The host, without the brackets of an IPv6 address.
        host: String,
        /// The port.
        port: u16,
    },
    /// The live page of a run.
    Page {
        /// The host, without the brackets of an IPv6 address.
        host: String,
        /// The port.
        port: u16,
        /// The path of the page, with a slash at both ends.
        path: String,
    },
}

/// Why an address cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub(crate) enum WrongAddress {
    /// The text is not an address in either of the two forms.
    #[error(
        "expected HOST:PORT, such as 127.0.0.1:29068, or the address of a live page, such as http://127.0.0.1:8080"
    )]
    Form,
    /// The page needs encryption.
    #[error("`watch` reads pages over plain HTTP only; open this one in a browser")]
    Encrypted,
}

impl FromStr for WatchAddress {
    type Err = WrongAddress;

    fn from_str(text: &str) -> Result<Self, WrongAddress> {
        if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(WrongAddress::Form);
        }
        if text.starts_with("https://") {
            return Err(WrongAddress::Encrypted);
        }
        let Some(rest) = text.strip_prefix("http://") else {
            let (host, port) = split(text)?;
            return Ok(Self::Server { host, port: port.ok_or(WrongAddress::Form)? });
        };
        let rest = rest.split(['#', '?']).next().unwrap_or_default();
        let (place, path) = rest.find('/').map_or((rest, "/"), |slash| rest.split_at(slash));
        let (host, port) = split(place)?;
        let path = if path.ends_with('/') { path.to_owned() } else { format!("{path}/") };
        Ok(Self::Page { host, port: port.unwrap_or(80), path })
    }
}

/// The host and the port of `HOST`, `HOST:PORT` or `[IPV6]:PORT`.
fn split(text: &str) -> Result<(String, Option<u16>), WrongAddress> {
    let (host, port) = match text.strip_prefix('[') {
        Some(rest) => {
            let (host, rest) = rest.split_once(']').ok_or(WrongAddress::Form)?;
            (host, rest.strip_prefix(':'))
        }
        None => text.rsplit_once(':').map_or((text, None), |(host, port)| (host, Some(port))),
    };
    let port = port.map(|port| port.parse().map_err(|_| WrongAddress::Form)).transpose()?;
    let is_host = !host.is_empty() && !host.contains(['/', '@', '[']);
    if is_host && port != Some(0) { Ok((host.to_owned(), port)) } else { Err(WrongAddress::Form) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(host: &str, port: u16) -> WatchAddress {
        WatchAddress::Server { host: host.to_owned(), port }
    }

    fn page(host: &str, port: u16, path: &str) -> WatchAddress {
        WatchAddress::Page { host: host.to_owned(), port, path: path.to_owned() }
    }

    #[test]
    fn servers_and_pages_have_addresses() {
        for (text, expected) in [
            ("127.0.0.1:29068", Ok(server("127.0.0.1", 29068))),
            ("[::1]:29068", Ok(server("::1", 29068))),
            ("localhost", Err(WrongAddress::Form)),
            ("localhost:0", Err(WrongAddress::Form)),
            ("localhost:x", Err(WrongAddress::Form)),
            (":1", Err(WrongAddress::Form)),
            ("a b:1", Err(WrongAddress::Form)),
            ("http://localhost:8080", Ok(page("localhost", 8080, "/"))),
            ("http://localhost:8080/#projector", Ok(page("localhost", 8080, "/"))),
            ("http://arena.example.edu/cup", Ok(page("arena.example.edu", 80, "/cup/"))),
            ("http://[::1]:8080/", Ok(page("::1", 8080, "/"))),
            ("http://me@host/", Err(WrongAddress::Form)),
            ("https://host/", Err(WrongAddress::Encrypted)),
        ] {
            assert_eq!(text.parse(), expected, "{text}");
        }
    }
}
