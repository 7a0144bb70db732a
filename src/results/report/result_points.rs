//! Points as numbers for programs and as text for people.

/// Points for programs: `7.0` or `7.5`.
pub(super) fn points(half_points: u32) -> f64 {
    f64::from(half_points) / 2.0
}

/// Points for people: `7` or `7.5`.
pub(super) fn halves(half_points: u32) -> String {
    points(half_points).to_string()
}
