//! The count when Go mode is over.

use super::arrangement::Arrangement;
use super::board::GoBoard;
use super::set::GoPoints;
use crate::game::quantum::seats::PerSeat;

impl GoBoard {
    /// The stones that count: all except proof stones, which are lifted before the count and do not become prisoners.
    pub fn lifted(&self) -> Arrangement {
        self.stones().without(self.proof_stones().unwrap_or_default())
    }

    /// How many points belong to each seat once the stones of the proof have been lifted.
    pub fn territory(&self) -> PerSeat<u32> {
        let regions = self.territories();
        PerSeat::from_fn(self.seats(), |seat| regions[seat].len())
    }

    /// The points that belong to each seat once the stones of the proof have been lifted: the empty points from which
    /// stones of this seat, but not of any other, can be reached through empty points.
    pub fn territories(&self) -> PerSeat<GoPoints> {
        let stones = self.lifted();
        let stones = PerSeat::from_fn(self.seats(), |seat| stones.stones(seat));
        let mut rest = self.empty() | self.proof_stones().unwrap_or_default();
        let mut territory = PerSeat::<GoPoints>::default();
        while let Some(start) = rest.nth(0) {
            let region = rest.region(start);
            rest = rest - region;
            let around = region.beside();
            let mut reached = stones.of(self.seats()).filter(|(_, stones)| !(around & **stones).is_empty());
            if let (Some((owner, _)), None) = (reached.next(), reached.next()) {
                territory[owner] = territory[owner] | region;
            }
        }
        territory
    }

    /// How many points each seat controls once the stones of the proof have been lifted: its territory and its stones.
    pub fn area(&self) -> PerSeat<u32> {
        let (stones, territory) = (self.lifted(), self.territory());
        PerSeat::from_fn(self.seats(), |seat| territory[seat] + stones.stones(seat).len())
    }
}
