//! Points and figures as text.

/// The maximum number of decimals, which is also the number that Moodle keeps.
const MOST_DECIMALS: usize = 5;

/// `14.5` or `20`: with as few decimals as the number needs, and at most five.
pub(crate) fn short(number: f64) -> String {
    padded(number, 0)
}

/// `14.50`: with as many decimals as the number needs, but at least `least` and at most five.
pub(crate) fn padded(number: f64, least: usize) -> String {
    // Adding zero turns negative zero into positive zero.
    let text = format!("{:.MOST_DECIMALS$}", number + 0.0);
    let (whole, decimals) = text.split_once('.').unwrap_or((&text, ""));
    let needed = decimals.trim_end_matches('0').len().max(least.min(MOST_DECIMALS));
    let whole = if whole == "-0" && decimals.bytes().all(|digit| digit == b'0') { "0" } else { whole };
    if needed == 0 { whole.to_owned() } else { format!("{whole}.{}", &decimals[..needed]) }
}

/// Whether two numbers are the same grade, given that Moodle keeps five decimals.
pub(crate) fn is_same_grade(one: f64, other: f64) -> bool {
    (one - other).abs() < 5e-6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_decimals_that_they_need() {
        assert_eq!(
            [14.5, 20.0, 0.0, -0.0, 1.0 / 3.0, -0.000_000_1].map(short),
            ["14.5", "20", "0", "0", "0.33333", "0"]
        );
        assert_eq!([14.5, 20.0, 14.125].map(|number| padded(number, 2)), ["14.50", "20.00", "14.125"]);
        assert!(is_same_grade(0.1 + 0.2, 0.3) && !is_same_grade(0.1, 0.100_01));
    }
}
