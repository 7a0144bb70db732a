//! Links in text on a terminal, in the OSC 8 format. They lead only to files and directories.

use std::fmt::Write as _;
use std::path::Path;

/// Returns the URI of the absolute `path` on the machine with the name `host`.
pub fn file_uri(host: &str, path: &Path) -> String {
    let parts = path.as_os_str().as_encoded_bytes().split(|&byte| byte == b'/').map(percent_encoded);
    format!("file://{}{}", percent_encoded(host.as_bytes()), parts.collect::<Vec<_>>().join("/"))
}

/// Returns `label`, which must not contain control characters, as a link to `uri`.
pub fn link(uri: &str, label: &str) -> String {
    format!("\x1b]8;;{uri}\x1b\\{label}\x1b]8;;\x1b\\")
}

/// Returns `text` with the first `label` between back-quotes turned into a link to `uri`.
pub fn link_within(text: &str, label: &str, uri: &str) -> String {
    text.replacen(&format!("`{label}`"), &format!("`{}`", link(uri, label)), 1)
}

/// Returns `bytes` with all except the unreserved characters of RFC 3986 percent-encoded.
fn percent_encoded(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for &byte in bytes {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            text.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(text, "%{byte:02X}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_link_is_around_the_label_only() {
        let uri = file_uri("host", Path::new("/tmp/a b"));
        assert_eq!(
            link_within("wrote `a b` (`a b`)", "a b", &uri),
            "wrote `\x1b]8;;file://host/tmp/a%20b\x1b\\a b\x1b]8;;\x1b\\` (`a b`)"
        );
        assert_eq!(link_within("a b, not between back-quotes", "a b", &uri), "a b, not between back-quotes");
    }

    proptest! {
        /// Whatever a file's name is, its URI cannot control the terminal, and leads to that file.
        #[test]
        fn a_uri_is_plain_text_that_gives_back_the_path(bytes: Vec<u8>) {
            let path = Path::new(OsStr::from_bytes(&bytes));
            let uri = file_uri("a:b/../c", path);
            prop_assert!(uri.bytes().all(|byte| byte.is_ascii_graphic()), "{uri}");
            let rest = uri.strip_prefix("file://a%3Ab%2F..%2Fc").expect("the name of the machine");
            let mut decoded = Vec::new();
            let mut rest = rest.bytes();
            while let Some(byte) = rest.next() {
                let hex = |digit: Option<u8>| u8::try_from(char::from(digit.expect("a digit")).to_digit(16).expect("a digit")).expect("small");
                decoded.push(if byte == b'%' { hex(rest.next()) * 16 + hex(rest.next()) } else { byte });
            }
            prop_assert_eq!(decoded, bytes);
        }
    }
}
