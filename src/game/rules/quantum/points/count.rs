//! What the stones are worth when Go mode is over.

use super::board::GoBoard;
use crate::game::rules::quantum::seats::PerSeat;

impl GoBoard {
    /// How many empty points belong to each seat: those from which one reaches, over empty points, stones of this seat and
    /// of no other.
    pub fn territory(&self) -> PerSeat<u32> {
        let mut territory = PerSeat::default();
        let mut rest = self.empty();
        while let Some(start) = rest.nth(0) {
            let region = rest.region(start);
            rest = rest - region;
            let around = region.beside();
            let stones = PerSeat::from_fn(self.seats(), |seat| self.stones().stones(seat));
            let mut reached = stones.of(self.seats()).filter(|(_, stones)| !(around & **stones).is_empty());
            if let (Some((owner, _)), None) = (reached.next(), reached.next()) {
                territory[owner] += region.len();
            }
        }
        territory
    }

    /// How many points each seat controls: its territory and its stones.
    pub fn area(&self) -> PerSeat<u32> {
        let territory = self.territory();
        PerSeat::from_fn(self.seats(), |seat| territory[seat] + self.stones().stones(seat).len())
    }
}
