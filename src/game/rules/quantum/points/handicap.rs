//! The fixed points of handicap stones.

use super::geometry::GoPoint;

/// The most handicap stones that fit on the fixed points of a board of `size` points a side.
pub const fn most_handicap(size: u8) -> u8 {
    match size {
        ..7 => 0,
        7 => 4,
        _ if size.is_multiple_of(2) => 4,
        _ => 9,
    }
}

/// The points on which `stones` handicap stones stand on a board of `size` points a side, or `None` if there are fewer
/// than 2 stones or more than [`most_handicap`].
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
    // The centre takes the place of a fifth, seventh or ninth point.
    if stones >= 5 && !stones.is_multiple_of(2) {
        points.truncate(usize::from(stones) - 1);
        points.push((middle, middle));
    }
    points.into_iter().map(|(file, rank)| GoPoint::new(file, rank)).collect()
}
