//! Host names that are hard-coded in bots.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// The name of a host that is not this machine's own loopback.
///
/// Invariant: a name has 1 to [`HostName::MAX_LEN`] characters. It consists of labels between dots, each of 1 to
/// [`HostName::MAX_LABEL`] lower-case ASCII letters, digits and `-`, without a `-` at either end (RFC 1123). The last
/// label is not a number, as it would be in an address, and the name is not one of those reserved for the loopback.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HostName(String);

/// The reason why a string is not a valid host name in `hosts`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum InvalidHost {
    /// The text or a label is too long.
    #[error(
        "a host name may have at most {} characters, and at most {} between two dots",
        HostName::MAX_LEN,
        HostName::MAX_LABEL
    )]
    TooLong,
    /// A label is empty, or begins or ends with a hyphen.
    #[error("a host name consists of words separated by single dots, and no word may begin or end with a hyphen")]
    Label,
    /// One of the characters is not allowed in a name.
    #[error("a host name may contain only the letters a to z, digits, `-` and `.` (leave out the port and the path)")]
    Character,
    /// The text is a numeric address, which is never looked up.
    #[error("this is an address, but only names can be redirected to a seat")]
    Address,
    /// The name already leads to the seat, or must keep leading to the loopback.
    #[error("this is the bot's own loopback, which leads to the referee anyway (leave it out)")]
    Loopback,
}

impl HostName {
    /// The maximum length of a name in characters.
    pub const MAX_LEN: usize = 253;

    /// The maximum number of characters between two dots.
    pub const MAX_LABEL: usize = 63;

    /// Checks that `text` is a valid host name. Case is ignored.
    ///
    /// # Errors
    /// Returns an error if `text` breaks the type's invariant.
    pub fn new(text: &str) -> Result<Self, InvalidHost> {
        let name = text.to_ascii_lowercase();
        let labels: Vec<&str> = name.split('.').collect();
        if name.parse::<std::net::IpAddr>().is_ok() {
            return Err(InvalidHost::Address);
        }
        if !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '.') {
            return Err(InvalidHost::Character);
        }
        if name.len() > Self::MAX_LEN || labels.iter().any(|label| label.len() > Self::MAX_LABEL) {
            return Err(InvalidHost::TooLong);
        }
        if labels.iter().any(|label| label.is_empty() || label.starts_with('-') || label.ends_with('-')) {
            return Err(InvalidHost::Label);
        }
        if labels.last().is_some_and(|label| is_number(label)) {
            return Err(InvalidHost::Address);
        }
        // `localhost.localdomain` is a common alias of `localhost`, and RFC 6761 reserves `localhost` and all names
        // below it for the loopback.
        if labels.last() == Some(&"localhost") || name == "localhost.localdomain" {
            return Err(InvalidHost::Loopback);
        }
        Ok(Self(name))
    }

    /// The name in lower case.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Whether `inet_aton` would parse `label` as a number, since short and hexadecimal forms such as `127.1` are also
/// addresses.
fn is_number(label: &str) -> bool {
    let is_hexadecimal = label.strip_prefix("0x").is_some_and(|rest| rest.chars().all(|c| c.is_ascii_hexdigit()));
    is_hexadecimal || label.chars().all(|c| c.is_ascii_digit())
}

impl FromStr for HostName {
    type Err = InvalidHost;

    fn from_str(text: &str) -> Result<Self, InvalidHost> {
        Self::new(text)
    }
}

impl fmt::Display for HostName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_a_resolver_looks_up_are_accepted_in_lower_case() {
        let longest = [["a"; 63].concat(), ["b"; 63].concat(), ["c"; 63].concat(), ["d"; 61].concat()].join(".");
        for name in ["barton", "barton.example.edu", "3com.com", "a-b.c", "xn--bcher-kva.example", &longest] {
            assert_eq!(HostName::new(name).map(|host| host.to_string()), Ok(name.to_owned()));
        }
        assert_eq!(HostName::new("Barton.Example.EDU"), HostName::new("barton.example.edu"));
        assert!(HostName::new("localhost.example.edu").is_ok());
    }

    #[test]
    fn what_is_not_a_name_is_refused() {
        for (text, why) in [
            ("", InvalidHost::Label),
            (".", InvalidHost::Label),
            ("a.", InvalidHost::Label),
            ("a..b", InvalidHost::Label),
            ("-a", InvalidHost::Label),
            ("a-.b", InvalidHost::Label),
            ("a b", InvalidHost::Character),
            ("a\nb", InvalidHost::Character),
            ("# a", InvalidHost::Character),
            ("bücher.example", InvalidHost::Character),
            ("barton:29068", InvalidHost::Character),
            ("http://barton/", InvalidHost::Character),
            ("10.1.2.3", InvalidHost::Address),
            ("127.1", InvalidHost::Address),
            ("1", InvalidHost::Address),
            ("0x7f000001", InvalidHost::Address),
            ("::1", InvalidHost::Address),
            ("localhost", InvalidHost::Loopback),
            ("LocalHost", InvalidHost::Loopback),
            ("game.localhost", InvalidHost::Loopback),
            ("localhost.localdomain", InvalidHost::Loopback),
            (&["a"; 64].concat(), InvalidHost::TooLong),
            (
                &[["a"; 63].concat(), ["b"; 63].concat(), ["c"; 63].concat(), ["d"; 62].concat()].join("."),
                InvalidHost::TooLong,
            ),
        ] {
            assert_eq!(HostName::new(text), Err(why), "{text:?}");
        }
    }
}
