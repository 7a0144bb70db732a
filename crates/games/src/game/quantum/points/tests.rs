//! Tests of Go mode against a simple second implementation, positions from other sources, and known counts.

mod agreement;
mod oracle;
mod played;
mod positions;
mod small;

use super::{Arrangement, GoBoard, GoPoint, GoPoints, GoRules, KoRule, PointRefusal};
use crate::game::quantum::seats::Seat;

/// The seat with this number.
fn seat(number: u8) -> Seat {
    Seat::new(number).expect("a seat")
}

/// All points of a board of `size` points per side, in the order of legal moves.
fn points(size: u8) -> impl Iterator<Item = GoPoint> {
    (0..size).flat_map(move |rank| (0..size).filter_map(move |file| GoPoint::new(file, rank)))
}
