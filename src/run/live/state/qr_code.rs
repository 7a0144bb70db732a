//! The page's address as a QR code, for people who see it on a projector.

use qrcode::{Color, EcLevel, QrCode};

/// The QR code of `address`, a text of `0` (light) and `1` (dark) for each of its rows; empty if the address is too long.
pub(super) fn rows(address: &str) -> Vec<String> {
    let Ok(code) = QrCode::with_error_correction_level(address, EcLevel::M) else { return Vec::new() };
    let letter = |color: &Color| if *color == Color::Dark { '1' } else { '0' };
    code.to_colors().chunks(code.width()).map(|row| row.iter().map(letter).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_square_with_a_finder_in_three_corners() {
        let rows = rows("http://192.0.2.17:8080/");
        let size = rows.len();
        assert!(size >= 21 && rows.iter().all(|row| row.len() == size), "{rows:?}");
        let finder = ["1111111", "1000001", "1011101", "1011101", "1011101", "1000001", "1111111"];
        for (top, left) in [(0, 0), (0, size - 7), (size - 7, 0)] {
            let corner: Vec<&str> = rows[top..top + 7].iter().map(|row| &row[left..left + 7]).collect();
            assert_eq!(corner, finder);
        }
    }

    #[test]
    fn a_longer_address_needs_a_larger_code_and_one_without_end_has_none() {
        assert!(rows("http://192.0.2.17:8080/").len() < rows(&format!("http://{}/", "a.long.name.".repeat(9))).len());
        assert_eq!(rows(&"a".repeat(9000)), [""; 0]);
    }
}
