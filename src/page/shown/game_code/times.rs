//! Encodes times as text: two letters per ply, for `round(128 log2(1 + microseconds))`.
//!
//! A decoded time differs from the original by less than 0.28%. A time over 70 minutes is written as the longest
//! possible time, and an unknown time is written as `__`.

use std::time::Duration;

use crate::referee::record::Ply;

/// The 64 letters that encode numbers, in ascending order.
pub(super) const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// The number of steps per doubling of the time.
pub(super) const STEPS: f64 = 128.0;

/// The number of the longest time.
const LONGEST: u16 = 4094;

/// The number of an unknown time.
pub(super) const UNKNOWN: u16 = 4095;

/// The times of `plies` as text.
pub(super) fn coded(plies: &[Ply]) -> String {
    let mut text = String::with_capacity(2 * plies.len());
    for ply in plies {
        let number = ply.elapsed.map_or(UNKNOWN, number);
        text.extend([number >> 6, number & 63].map(|digit| char::from(LETTERS[usize::from(digit)])));
    }
    text
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the number lies between 0 and LONGEST")]
fn number(elapsed: Duration) -> u16 {
    let microseconds = elapsed.as_secs_f64() * 1e6;
    (STEPS * (1.0 + microseconds).log2()).round().min(f64::from(LONGEST)) as u16
}
