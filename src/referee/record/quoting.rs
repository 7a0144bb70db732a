//! Writes and reads quoted strings in a game log's text.

use std::fmt;

/// Which characters a quoted string escapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quoting {
    /// In a tag: control characters, since some of them would end the line.
    Tag,
    /// In a comment: also brackets and braces, since every PGN reader ends a comment at the first `}`.
    Comment,
}

/// Writes `text` in double quotes. As in PGN, `\"` and `\\` stand for `"` and `\`; as an extension to PGN, `\xHH`
/// stands for the character U+00HH if that character has to be escaped.
pub(super) fn quote(f: &mut impl fmt::Write, text: &str, quoting: Quoting) -> fmt::Result {
    f.write_char('"')?;
    for letter in text.chars() {
        match letter {
            '"' | '\\' => write!(f, "\\{letter}")?,
            '{' | '}' | '[' | ']' if quoting == Quoting::Comment => write!(f, "\\x{:02x}", u32::from(letter))?,
            // All of Unicode's control characters are below U+00A0, so two digits are enough.
            _ if letter.is_control() => write!(f, "\\x{:02x}", u32::from(letter))?,
            _ => f.write_char(letter)?,
        }
    }
    f.write_char('"')
}

/// Reads a quoted string at the start of `text`. Returns its value, and the text after the closing quote. A backslash
/// that does not begin a known escape stands for itself, because other tools write paths that way. `None` if there is
/// no closing quote on this line.
pub(super) fn unquote(text: &str) -> Option<(String, &str)> {
    let mut rest = text.strip_prefix('"')?;
    let mut value = String::new();
    loop {
        let plain = rest.bytes().position(|byte| matches!(byte, b'"' | b'\n' | b'\\'))?;
        value.push_str(&rest[..plain]);
        let after = &rest[plain + 1..];
        match rest.as_bytes()[plain] {
            b'"' => return Some((value, after)),
            b'\n' => return None,
            _ => {
                let (escaped, after) = unescape(after);
                value.push(escaped);
                rest = after;
            }
        }
    }
}

/// The character that an escape stands for, and the text after it; `rest` begins after the backslash.
fn unescape(rest: &str) -> (char, &str) {
    if let Some(after) = rest.strip_prefix('"') {
        return ('"', after);
    }
    if let Some(after) = rest.strip_prefix('\\') {
        return ('\\', after);
    }
    let digits = rest.strip_prefix('x').and_then(|hex| hex.get(..2));
    let code = digits.filter(|hex| hex.bytes().all(|digit| digit.is_ascii_hexdigit()));
    match code.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
        Some(code) => (char::from(code), &rest[3..]),
        None => ('\\', rest),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_comment_cannot_be_broken_from_within() {
        let mut text = String::new();
        quote(&mut text, r#"a}]"\"#, Quoting::Comment).unwrap();
        assert_eq!(text, r#""a\x7d\x5d\"\\""#);
    }

    proptest! {
        #[test]
        fn every_string_survives_its_quotes(letters: Vec<char>, after in "[ -~]{0,5}") {
            let value: String = letters.into_iter().collect();
            for quoting in [Quoting::Tag, Quoting::Comment] {
                let mut text = String::new();
                quote(&mut text, &value, quoting).unwrap();
                prop_assert!(!text.contains(char::is_control));
                let quoted = text.clone() + &after;
                prop_assert_eq!(unquote(&quoted), Some((value.clone(), after.as_str())));
            }
        }
    }
}
