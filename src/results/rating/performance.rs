//! The performance rating, as FIDE defines it.
//!
//! Source: FIDE Handbook, B.02, FIDE Rating Regulations, table 8.1.1, and B.01, Title Regulations, 1.4.8: the
//! performance rating is the average rating of the opponents plus a difference determined by the proportion of points.

use super::Elo;

/// The rating differences for proportions of points of 0.50, 0.51, ..., 1.00.
const DIFFERENCES: [u16; 51] = [
    0, 7, 14, 21, 29, 36, 43, 50, 57, 65, 72, 80, 87, 95, 102, 110, 117, 125, 133, 141, 149, 158, 166, 175, 184, 193,
    202, 211, 220, 230, 240, 251, 262, 273, 284, 296, 309, 322, 336, 351, 366, 383, 401, 422, 444, 470, 501, 538, 589,
    677, 800,
];

/// Returns the performance rating of a player with `half_points` half-points in `games` games against opponents whose
/// mean rating, over the games, is `opponents`; `None` if there are no games.
pub fn performance(opponents: Elo, half_points: u64, games: u64) -> Option<Elo> {
    // The proportion of points in hundredths, rounded to the nearest one, with halves rounded up.
    let hundredths = (50 * half_points + games / 2).checked_div(games)?.min(100);
    let (from_half, sign) = if hundredths >= 50 { (hundredths - 50, 1.0) } else { (50 - hundredths, -1.0) };
    let difference = DIFFERENCES[usize::try_from(from_half).ok()?];
    Some(Elo(opponents.0 + sign * f64::from(difference)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn difference(half_points: u64, games: u64) -> f64 {
        performance(Elo(0.0), half_points, games).unwrap().0
    }

    #[test]
    fn the_difference_follows_from_the_share_of_points() {
        // Three points out of four are 0.75; two out of three are 0.67 when rounded.
        let cases = [(6, 4, 193.0), (4, 3, 125.0), (2, 3, -125.0), (3, 3, 0.0), (2, 1, 800.0), (0, 9, -800.0)];
        for (half_points, games, expected) in cases {
            let found = difference(half_points, games);
            assert!((found - expected).abs() < 1e-9, "{half_points} {games}: {found}");
        }
        assert_eq!(performance(Elo(0.0), 0, 0), None);
    }

    #[test]
    fn more_points_never_perform_worse() {
        assert!((0..=200).map(|half_points| difference(half_points, 100)).is_sorted());
        assert!(DIFFERENCES.is_sorted_by(|a, b| a < b));
    }
}
