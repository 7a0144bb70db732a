//! The places of the seats of a game, and the figures on which they are based.

use super::{BySeat, Fraction, Seat};

/// The places of all seats, and the figures on which they are based.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// The place of each seat, from 1. Tied seats share the better place.
    pub placing: BySeat<u8>,
    /// The sum of each seat's counts and its compensation.
    pub totals: BySeat<Fraction>,
    /// How many modes each seat has won.
    pub points: BySeat<u8>,
    /// The modes that have ended, each with every seat's count, in the order in which they were played.
    pub counts: Vec<(&'static str, BySeat<u16>)>,
}

impl Standing {
    /// The only seat in first place; `None` if several seats share it.
    pub fn winner(&self) -> Option<Seat> {
        let mut first = self.placing.iter().filter(|(_, place)| **place == 1).map(|(seat, _)| seat);
        first.next().filter(|_| first.next().is_none())
    }
}
