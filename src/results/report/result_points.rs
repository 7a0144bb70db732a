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

/// Points with their noun: `1 point` or `7.5 points`.
pub(crate) fn counted_points(half_points: impl Into<u64>) -> String {
    let half_points = half_points.into();
    format!("{} {}", halves(half_points), if half_points == 2 { "point" } else { "points" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_point_is_in_the_singular() {
        assert_eq!([0_u32, 1, 2, 3].map(counted_points), ["0 points", "0.5 points", "1 point", "1.5 points"]);
    }
}
