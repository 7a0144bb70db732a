//! Greatest common divisors.

/// Returns the greatest common divisor; `a` must not be 0.
pub(super) const fn gcd(a: u64, b: u64) -> u64 {
    let (mut a, mut b) = (a, b);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
