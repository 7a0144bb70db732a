//! Points as numbers for programs and as text for people.

/// Points for programs: `7.0` or `7.5`.
pub(super) fn points(half_points: u32) -> f64 {
    f64::from(half_points) / 2.0
}

/// Points for people: `7` or `7.5`.
pub(crate) fn halves(half_points: impl Into<u64>) -> String {
    let half_points = half_points.into();
    format!("{}{}", half_points / 2, if half_points % 2 == 1 { ".5" } else { "" })
}
