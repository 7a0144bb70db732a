//! Numbers as spelled in files and logs.

/// Reads a number that consists only of decimal digits: at least one, and no sign.
pub fn parse_digits(text: &str) -> Option<u64> {
    text.bytes().all(|digit| digit.is_ascii_digit()).then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_alone_are_a_number() {
        assert_eq!(parse_digits("007"), Some(7));
        for text in ["", "+1", "-1", " 1", "1.0", "99999999999999999999", "\u{661}"] {
            assert_eq!(parse_digits(text), None, "{text:?}");
        }
    }
}
