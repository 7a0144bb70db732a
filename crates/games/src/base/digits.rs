//! Numbers as written in files and logs.

/// Reads a number that consists only of decimal digits: at least one, and no sign.
pub fn parse_digits(text: &str) -> Option<u64> {
    text.bytes().all(|digit| digit.is_ascii_digit()).then(|| text.parse().ok())?
}

/// The number with `places` decimals that is nearest to `value`. A zero has no sign.
pub fn rounded(value: f64, places: u8) -> f64 {
    let factor = 10_f64.powi(places.into());
    // Adding zero turns a negative zero into a positive one.
    (value * factor).round() / factor + 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_rounded_to_its_nearest_decimal_and_no_zero_is_negative() {
        for (value, places, expected) in
            [(0.123_45, 4, "0.1235"), (-2.5, 0, "-3"), (1e9, 3, "1000000000"), (-0.004, 2, "0")]
        {
            assert_eq!(rounded(value, places).to_string(), expected);
        }
    }

    #[test]
    fn digits_alone_are_a_number() {
        assert_eq!(parse_digits("007"), Some(7));
        for text in ["", "+1", "-1", " 1", "1.0", "99999999999999999999", "\u{661}"] {
            assert_eq!(parse_digits(text), None, "{text:?}");
        }
    }
}
