//! Numbers with their units, formatted for users.

use std::time::Duration;

/// Formats a number of bytes for users, such as `4.0 GiB`.
#[expect(clippy::cast_precision_loss, reason = "two digits are shown")]
pub fn bytes(number: u64) -> String {
    const UNITS: [&str; 5] = ["KiB", "MiB", "GiB", "TiB", "PiB"];
    let mut size = number as f64 / 1024.0;
    let mut units = UNITS.iter();
    let mut unit = units.next().unwrap_or(&"");
    for larger in units {
        if size < 1024.0 {
            break;
        }
        (size, unit) = (size / 1024.0, larger);
    }
    format!("{size:.1} {unit}")
}

/// Formats a number of things: `1 stone`, `2 stones`, `1,560 stones`.
pub fn counted(number: impl Into<u64>, thing: &str) -> String {
    let number = number.into();
    format!("{} {thing}{}", grouped(number), if number == 1 { "" } else { "s" })
}

/// Formats a duration: 90 seconds as `1m 30s`, for example, and a week as `7 days`.
pub fn spaced(time: Duration) -> String {
    let text = humantime::format_duration(time).to_string();
    let part = |part: &str| match part.find(|c: char| !c.is_ascii_digit()) {
        // Units of one or two letters follow the number without a space.
        Some(unit) if part.len() - unit > 2 => format!("{} {}", &part[..unit], &part[unit..]),
        _ => part.to_owned(),
    };
    text.split(' ').map(part).collect::<Vec<_>>().join(" ")
}

/// Formats a whole number with a comma between thousands, such as `1,560`.
pub fn grouped(number: impl Into<u64>) -> String {
    let digits = number.into().to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_two_digits_and_a_unit() {
        let shown = [0, 1536, 5 << 20, 4 << 30, 4 << 40].map(bytes);
        assert_eq!(shown, ["0.0 KiB", "1.5 KiB", "5.0 MiB", "4.0 GiB", "4.0 TiB"]);
    }

    #[test]
    fn only_one_thing_is_singular() {
        assert_eq!([0_u32, 1, 2].map(|number| counted(number, "game")), ["0 games", "1 game", "2 games"]);
    }

    #[test]
    fn only_a_unit_that_is_a_word_is_set_apart() {
        let shown = [1, 90, 7200, 86_400, 7 * 86_400 + 60].map(|seconds| spaced(Duration::from_secs(seconds)));
        assert_eq!(shown, ["1s", "1m 30s", "2h", "1 day", "7 days 1m"]);
    }

    #[test]
    fn thousands_are_set_apart() {
        let shown = [0_u32, 999, 1000, 1_234_567].map(grouped);
        assert_eq!(shown, ["0", "999", "1,000", "1,234,567"]);
    }
}
