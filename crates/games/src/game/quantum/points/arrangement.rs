//! The stones on all points.

use super::geometry::GoPoint;
use super::set::GoPoints;
use crate::base::random::SplitMix64;
use crate::game::quantum::seats::{MOST_SEATS, PerSeat, Seat};

/// The maximum number of seats in a game.
#[expect(clippy::cast_possible_truncation, reason = "there are 6")]
const ALL_SEATS: u8 = MOST_SEATS as u8;

/// A stone and its point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stone {
    pub(super) seat: Seat,
    pub(super) point: GoPoint,
}

/// The number that a stone contributes to the key of an arrangement. The key is the exclusive or of the numbers of all
/// stones (Albert Zobrist, "A new hashing method with application for game playing", 1970).
#[inline]
pub(super) const fn stone_key(stone: Stone) -> u64 {
    SplitMix64::new((stone.seat.index() as u64) << 16 | stone.point.place() as u64).next_u64()
}

/// The stones on all points.
///
/// Invariant: no two seats have a stone on the same point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Arrangement {
    stones: PerSeat<GoPoints>,
}

impl Arrangement {
    /// The stones of `seat`.
    #[inline]
    pub fn stones(&self, seat: Seat) -> GoPoints {
        self.stones[seat]
    }

    /// The points with a stone.
    pub fn occupied(&self) -> GoPoints {
        self.stones.of(ALL_SEATS).fold(GoPoints::default(), |all, (_, stones)| all | *stones)
    }

    /// The seat whose stone is on `point`, if there is one.
    pub fn owner(&self, point: GoPoint) -> Option<Seat> {
        self.stones.of(ALL_SEATS).find(|(_, stones)| stones.contains(point)).map(|(seat, _)| seat)
    }

    /// Puts a stone on a point, replacing any stone that is already there.
    pub fn put(&mut self, seat: Seat, point: GoPoint) {
        self.clear(point);
        self.add(Stone { seat, point });
    }

    /// The stones that are on none of `points`.
    #[must_use]
    pub fn without(&self, points: GoPoints) -> Self {
        Self { stones: PerSeat::from_fn(ALL_SEATS, |seat| self.stones[seat] - points) }
    }

    /// Removes the stone on a point, if there is one.
    pub fn clear(&mut self, point: GoPoint) {
        for seat in Seat::all(ALL_SEATS) {
            self.remove(Stone { seat, point });
        }
    }

    /// Puts a stone on an empty point.
    #[inline]
    pub(super) fn add(&mut self, stone: Stone) {
        self.stones[stone.seat].insert(stone.point);
    }

    /// Removes a stone, if it is there.
    #[inline]
    pub(super) fn remove(&mut self, stone: Stone) {
        self.stones[stone.seat].remove(stone.point);
    }
}
