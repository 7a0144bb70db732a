//! Digests as text.

use std::fmt::Write;

/// Formats `bytes` as lower-case hexadecimal digits, two for each byte.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        // Writing to a string never fails.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Parses the output of [`hex()`] for `N` bytes; `None` for any other text.
pub fn parse<const N: usize>(text: &str) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    let digits = text.as_bytes();
    if digits.len() != 2 * N || !digits.iter().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f')) {
        return None;
    }
    for (byte, at) in bytes.iter_mut().zip((0..).step_by(2)) {
        *byte = u8::from_str_radix(text.get(at..at + 2)?, 16).ok()?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_written_is_read() {
        assert_eq!(parse(&hex(&[0, 15, 160, 255])), Some([0, 15, 160, 255]));
        for other in ["", "0", "0g", "0A", "000", "+1"] {
            assert_eq!(parse::<1>(other), None, "{other}");
        }
    }
}
