//! Durations, sizes and strings as written in TOML.

use std::time::Duration;

/// Parses a duration. Text with more than eleven digits is not accepted: a sensible duration has fewer, and more could
/// overflow inside humantime.
pub(crate) fn duration(text: &str) -> Option<Duration> {
    let digits = text.chars().filter(char::is_ascii_digit).count();
    if digits > 11 { None } else { humantime::parse_duration(text).ok() }
}

/// Parses a number of bytes such as `64 KiB`.
pub(crate) fn size(text: &str) -> Option<u64> {
    let text = text.trim();
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '_').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let factor = match unit.trim() {
        "" | "B" => 1,
        "kB" | "KB" => 1_000,
        "MB" => 1_000_000,
        "GB" => 1_000_000_000,
        "TB" => 1_000_000_000_000,
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        "GiB" => 1 << 30,
        "TiB" => 1 << 40,
        _ => return None,
    };
    number.replace('_', "").parse::<u64>().ok()?.checked_mul(factor)
}

/// The position in `raw`, a TOML literal, that corresponds to byte `wanted` of the string that the literal denotes.
pub(crate) fn offset_in_literal(raw: &str, wanted: usize) -> usize {
    let quote = if raw.starts_with('\'') { "'" } else { "\"" };
    let multi_line = raw.len() >= 6 && raw.starts_with(&quote.repeat(3));
    let mut at = if multi_line { 3 } else { usize::from(raw.starts_with(quote)) };
    if multi_line {
        // The first line break is part of the opening quotes.
        at += ["\r\n", "\n"].into_iter().find(|newline| raw[at..].starts_with(newline)).map_or(0, str::len);
    }
    let mut decoded = 0;
    while let Some(c) = raw[at..].chars().next() {
        let (length, stands_for) =
            if c == '\\' && quote == "\"" { escape(&raw[at..]) } else { (c.len_utf8(), c.len_utf8()) };
        // An escape at the end of a line denotes nothing; skip to the text after it.
        if decoded + stands_for > wanted {
            break;
        }
        decoded += stands_for;
        at += length;
    }
    at
}

/// The length in bytes of the escape at the start of `raw`, and of the text that it denotes.
fn escape(raw: &str) -> (usize, usize) {
    let digits = match raw[1..].chars().next() {
        Some('x') => 2,
        Some('u') => 4,
        Some('U') => 8,
        Some(c) if c.is_whitespace() => return (1 + raw[1..].len() - raw[1..].trim_start().len(), 0),
        Some(c) => return (1 + c.len_utf8(), 1),
        None => return (1, 0),
    };
    let hex = raw.get(2..2 + digits);
    let decoded = hex.and_then(|hex| u32::from_str_radix(hex, 16).ok()).and_then(char::from_u32);
    (hex.map_or(2, |hex| 2 + hex.len()), decoded.map_or(0, char::len_utf8))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn durations_are_those_of_humantime() {
        assert_eq!(duration("2m 30s"), Some(Duration::from_secs(150)));
        assert_eq!(duration("1.5s"), Some(Duration::from_millis(1_500)));
        for text in ["", "ten", "60", "-1s", "18446744073709551615s1000ms"] {
            assert_eq!(duration(text), None, "{text:?}");
        }
    }

    #[test]
    fn sizes_have_binary_and_decimal_units() {
        assert_eq!(size("64 KiB"), Some(65_536));
        assert_eq!(size("65_536"), Some(65_536));
        assert_eq!(size("1kB"), Some(1_000));
        assert_eq!((size("1 TiB"), size("1 TB")), (Some(1 << 40), Some(1_000_000_000_000)));
        for text in ["", "KiB", "1 kb", "-1", "99999999999 GiB"] {
            assert_eq!(size(text), None, "{text:?}");
        }
    }

    #[test]
    fn offsets_pass_over_quotes_and_escapes() {
        for (raw, decoded) in [
            ("\"a{x\"", "a{x"),
            ("'a\\{x'", "a\\{x"),
            (r#""\t\u00e4\U0001F600{x""#, "\tä😀{x"),
            ("\"\"\"\nab\\\n   {x\"\"\"", "ab{x"),
            ("'''\r\na\n{x'''", "a\n{x"),
        ] {
            let text = format!("key = {raw}");
            let table: toml::Table = toml::from_str(&text).unwrap();
            assert_eq!(table["key"].as_str(), Some(decoded));
            let offset = offset_in_literal(raw, decoded.find('{').unwrap());
            assert_eq!(Some(offset), raw.find('{'), "{raw}");
        }
    }

    proptest! {
        #[test]
        fn nothing_written_as_a_duration_panics(text in "[0-9]{0,20}[. ]?[0-9]{0,20}(ms|s|m|h|d|w|y|ns)?[0-9]{0,13}(ms|s|y)?") {
            let _ = duration(&text);
        }

        #[test]
        fn no_literal_is_too_strange(raw in "['\"]{0,3}[\\\\xuU0-9a-fä \n{]{0,12}['\"]{0,3}", wanted in 0_usize..12) {
            prop_assert!(raw.is_char_boundary(offset_in_literal(&raw, wanted)));
        }
    }
}
