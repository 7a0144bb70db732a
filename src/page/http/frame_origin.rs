//! The origins of the pages that may show a page in a frame.

use std::fmt;
use std::net::Ipv6Addr;
use std::str::FromStr;

use thiserror::Error;

/// The origin of a page on another site: `https://www.example.edu`, or `http://127.0.0.1:8000`.
///
/// Invariant: the text is a source expression of a Content-Security-Policy that matches exactly one origin. It contains
/// neither spaces nor the characters `;`, `,` and `*`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrameOrigin(String);

/// The reason why a text is not an origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("not an origin (write the scheme and the host, such as https://www.example.edu, and the port if there is one)")]
pub struct NotAnOrigin;

impl FromStr for FrameOrigin {
    type Err = NotAnOrigin;

    fn from_str(text: &str) -> Result<Self, NotAnOrigin> {
        let text = text.to_ascii_lowercase();
        let authority = ["http://", "https://"].into_iter().find_map(|scheme| text.strip_prefix(scheme));
        let authority = authority.ok_or(NotAnOrigin)?;
        let (host, port) = match authority.rfind(':').filter(|_| !authority.ends_with(']')) {
            Some(colon) => (&authority[..colon], Some(&authority[colon + 1..])),
            None => (authority, None),
        };
        let is_port = |port: &str| {
            port.bytes().all(|byte| byte.is_ascii_digit()) && port.parse::<u16>().is_ok_and(|number| number > 0)
        };
        if is_csp_host(host) && port.is_none_or(is_port) { Ok(Self(text)) } else { Err(NotAnOrigin) }
    }
}

/// Whether `host` names one host in a Content-Security-Policy: an IPv6 address in brackets, or labels joined by single
/// dots, which includes IPv4 addresses. A policy's grammar has no empty label, and so no dot at the end.
fn is_csp_host(host: &str) -> bool {
    if let Some(address) = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        return address.parse::<Ipv6Addr>().is_ok();
    }
    let is_label = |label: &str| {
        !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
    };
    host.split('.').all(is_label)
}

impl fmt::Display for FrameOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_has_a_scheme_a_host_and_perhaps_a_port() {
        for (text, origin) in [
            ("https://www.example.edu", "https://www.example.edu"),
            ("HTTP://Club.Example:8080", "http://club.example:8080"),
            ("http://localhost", "http://localhost"),
            ("http://127.0.0.1:8000", "http://127.0.0.1:8000"),
            ("http://[::1]:8000", "http://[::1]:8000"),
            ("http://[::1]", "http://[::1]"),
        ] {
            assert_eq!(text.parse::<FrameOrigin>().map(|origin| origin.to_string()), Ok(origin.to_owned()));
        }
    }

    #[test]
    fn nothing_else_gets_into_the_policy() {
        for wrong in [
            "",
            "*",
            "'self'",
            "null",
            "https:",
            "https://",
            "https://*",
            "https://*.example.edu",
            "https://example.edu/",
            "https://example.edu/page",
            "https://example.edu?a",
            "https://example.edu#a",
            "https://user@example.edu",
            "https://example.edu:",
            "https://example.edu:*",
            "https://example.edu:0",
            "https://example.edu:65536",
            "https://example.edu:+80",
            "https://example.edu; script-src *",
            "https://example.edu https://evil.example",
            "https://example.edu,evil.example",
            "https://example.edu\r\nX: y",
            "https://.example.edu",
            "https://example..edu",
            "https://[::1",
            "https://[example]",
            "https://[::1]x",
            "https://exämple.edu",
            "ftp://example.edu",
            "data:text/html",
            "example.edu",
            "//example.edu",
        ] {
            assert_eq!(wrong.parse::<FrameOrigin>(), Err(NotAnOrigin), "{wrong}");
        }
    }
}
