//! Untrusted text in a TOML file, written so that it remains a single value on one line, or a comment.

use std::fmt::Write as _;

use crate::base::sanitise::is_unprintable;

/// `text` as a basic string on one line. Line breaks and all other invisible characters are escaped, so that commenting
/// out this line covers the whole string.
pub(super) fn toml_string(text: &str) -> String {
    let mut string = String::with_capacity(text.len() + 2);
    string.push('"');
    for letter in text.chars() {
        // Writing to a string cannot fail.
        let _ = match (letter, u32::from(letter)) {
            ('"' | '\\', _) => write!(string, "\\{letter}"),
            (_, code @ ..=0xffff) if is_unprintable(letter) => write!(string, "\\u{code:04X}"),
            (_, code) if is_unprintable(letter) => write!(string, "\\U{code:08X}"),
            _ => write!(string, "{letter}"),
        };
    }
    string.push('"');
    string
}

/// `words` as an array on one line.
pub(super) fn toml_array(words: &[String]) -> String {
    format!("[{}]", words.iter().map(|word| toml_string(word)).collect::<Vec<_>>().join(", "))
}

/// `text` as a comment: every line begins with `mark`.
pub(super) fn toml_comment(mark: &str, text: &str) -> String {
    text.lines().map(|line| format!("{mark}{line}")).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_string_is_one_line_and_reads_as_it_was(text in "([\"'\\\\#\n\r\t\u{1b}\u{7f}\u{202e}\u{2028}\u{feff}\u{e0001}a-c]|\"\"\"|''')*|.*") {
            let line = format!("key = {}", toml_string(&text));
            prop_assert!(!line.contains(is_unprintable), "{:?}", line);
            let table: toml::Table = line.parse().map_err(|error| TestCaseError::fail(format!("{error}")))?;
            prop_assert_eq!(table["key"].as_str(), Some(text.as_str()));
        }
    }

    #[test]
    fn every_line_of_a_comment_is_one() {
        assert_eq!(toml_comment("# ", "a\nb"), "# a\n# b");
        assert_eq!(toml_array(&["a".to_owned(), "\"\n".to_owned()]), r#"["a", "\"\u000A"]"#);
    }
}
