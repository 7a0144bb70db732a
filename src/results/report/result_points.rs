//! Points of a result as text.

/// `7` or `7.5`.
pub(super) fn halves(half_points: u32) -> String {
    quarters(2 * u64::from(half_points))
}

/// `7`, `7.25`, `7.5` or `7.75`.
pub(super) fn quarters(quarters: u64) -> String {
    let part = ["", ".25", ".5", ".75"][(quarters % 4) as usize];
    format!("{}{part}", quarters / 4)
}
