//! The fixed points of handicap stones.

use super::geometry::GoPoint;

/// The maximum number of handicap stones on the fixed points of a board of `size` points per side.
pub const fn most_handicap(size: u8) -> u8 {
    match size {
        ..7 => 0,
        7 => 4,
        _ if size.is_multiple_of(2) => 4,
        _ => 9,
    }
}

/// The points of `stones` handicap stones on a board of `size` points per side, or `None` if there are fewer than 2
/// stones or more than [`most_handicap`].
///
/// They are the points of `fixed_handicap` in the Go Text Protocol, version 2, draft 2, section 4.1.1.
pub fn handicap_points(size: u8, stones: u8) -> Option<Vec<GoPoint>> {
    if !(2..=most_handicap(size)).contains(&stones) {
        return None;
    }
    let low = if size < 13 { 2 } else { 3 };
    let (middle, high) = (size / 2, size - 1 - low);
    let corners = [(low, low), (high, high), (low, high), (high, low)];
    let sides = [(low, middle), (high, middle), (middle, low), (middle, high)];
    let mut points: Vec<(u8, u8)> = corners.into_iter().chain(sides).take(usize::from(stones)).collect();
    // The centre is the fifth, seventh or ninth point.
    if stones >= 5 && !stones.is_multiple_of(2) {
        points.truncate(usize::from(stones) - 1);
        points.push((middle, middle));
    }
    points.into_iter().map(|(file, rank)| GoPoint::new(file, rank)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(size: u8, stones: u8) -> String {
        let points = handicap_points(size, stones).expect("they fit");
        points.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn handicap_stones_are_where_the_protocol_wants_them() {
        assert_eq!(names(19, 2), "d4 q16");
        assert_eq!(names(19, 3), "d4 q16 d16");
        assert_eq!(names(19, 4), "d4 q16 d16 q4");
        assert_eq!(names(19, 5), "d4 q16 d16 q4 k10");
        assert_eq!(names(19, 6), "d4 q16 d16 q4 d10 q10");
        assert_eq!(names(19, 7), "d4 q16 d16 q4 d10 q10 k10");
        assert_eq!(names(19, 8), "d4 q16 d16 q4 d10 q10 k4 k16");
        assert_eq!(names(19, 9), "d4 q16 d16 q4 d10 q10 k4 k16 k10");
        assert_eq!(names(9, 9), "c3 g7 c7 g3 c5 g5 e3 e7 e5");
        assert_eq!(names(13, 5), "d4 k10 d10 k4 g7");
        assert_eq!(names(12, 4), "c3 k10 c10 k3");
    }

    #[test]
    fn more_stones_than_fixed_points_do_not_fit() {
        assert_eq!([6, 7, 8, 9, 10, 11, 21].map(most_handicap), [0, 4, 4, 9, 4, 9, 9]);
        for (size, stones) in [(6, 2), (8, 5), (9, 0), (9, 1), (9, 10), (20, 5)] {
            assert_eq!(handicap_points(size, stones), None, "{stones} on {size}");
        }
    }
}
