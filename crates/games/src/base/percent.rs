//! Percent-encoding, which represents the bytes that an address cannot contain.

use std::fmt::Write as _;

/// Escapes everything in `text` except ASCII letters and digits, `-`, `_` and `.`, so that it can be part of an
/// address.
pub fn encoded(text: &str) -> String {
    encoded_except(text, b"-_.")
}

/// Escapes everything in `text` except ASCII letters and digits and the bytes `kept`, which are ASCII as well.
pub fn encoded_except(text: &str, kept: &[u8]) -> String {
    text.bytes().fold(String::with_capacity(text.len()), |mut encoded, byte| {
        if byte.is_ascii_alphanumeric() || kept.contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            // Writing to a string never fails.
            let _ = write!(encoded, "%{byte:02X}");
        }
        encoded
    })
}

/// Resolves the escapes in `text`; `None` if one of them is malformed, or if the result is not text.
pub fn decoded(text: &str) -> Option<String> {
    let (bytes, is_well_formed) = resolved(text);
    String::from_utf8(bytes).ok().filter(|_| is_well_formed)
}

/// Like [`decoded()`], but malformed escapes stay as they are.
pub fn decoded_leniently(text: &str) -> String {
    String::from_utf8_lossy(&resolved(text).0).into_owned()
}

/// The bytes that `text` represents, and whether all escapes are well-formed; malformed escapes stay as they are.
fn resolved(text: &str) -> (Vec<u8>, bool) {
    let (mut bytes, mut is_well_formed) = (Vec::with_capacity(text.len()), true);
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let escaped = if *first == b'%' { escaped_byte(after) } else { None };
        is_well_formed &= *first != b'%' || escaped.is_some();
        bytes.push(escaped.unwrap_or(*first));
        rest = if escaped.is_some() { &after[2..] } else { after };
    }
    (bytes, is_well_formed)
}

/// The byte whose two hexadecimal digits are at the beginning of `digits`.
fn escaped_byte(digits: &[u8]) -> Option<u8> {
    let [high, low, ..] = digits else { return None };
    let digit = |digit: &u8| char::from(*digit).to_digit(16);
    u8::try_from(digit(high)? * 16 + digit(low)?).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn whatever_is_encoded_is_decoded_and_fits_into_an_address(text: String, kept in "[/:@!$&]{0,3}") {
            let encoded = encoded_except(&text, kept.as_bytes());
            let is_fit = |byte: u8| byte == b'%' || byte.is_ascii_alphanumeric() || kept.as_bytes().contains(&byte);
            prop_assert!(encoded.bytes().all(is_fit), "{encoded}");
            prop_assert_eq!(decoded(&encoded), Some(text.clone()));
            prop_assert_eq!(decoded_leniently(&encoded), text.clone());
            prop_assert_eq!(decoded(&super::encoded(&text)), Some(text));
        }

        #[test]
        fn no_text_is_decoded_in_two_ways(text in "[%0-9a-fA-F+zö]{0,8}") {
            if let Some(strictly) = decoded(&text) {
                prop_assert_eq!(decoded_leniently(&text), strictly);
            }
        }
    }

    #[test]
    fn escapes_are_resolved_once_and_malformed_ones_are_not() {
        assert_eq!(encoded("Ada L\u{f6}%-_."), "Ada%20L%C3%B6%25-_.");
        assert_eq!(decoded("r1-gr%C3%B6%c3%9fe-b").as_deref(), Some("r1-gr\u{f6}\u{df}e-b"));
        assert_eq!(decoded("%252e").as_deref(), Some("%2e"));
        for wrong in ["%", "%4", "%zz", "%+1", "100%"] {
            assert_eq!((decoded(wrong), decoded_leniently(wrong)), (None, wrong.to_owned()));
        }
        assert_eq!((decoded("a%ff"), decoded_leniently("a%ff")), (None, "a\u{fffd}".to_owned()));
        assert_eq!(decoded_leniently("a%40b%3A"), "a@b:");
    }
}
