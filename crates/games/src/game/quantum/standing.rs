//! Totals, points and placing.

use super::choices::ScoringRule;
use super::game::Game;
use super::modes::ModeCounts;
use super::options::QuantumRules;
use super::seats::{PerSeat, Seat};
use crate::game::Fraction;

/// The result of the modes that have ended, and the places of all seats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FinalStanding {
    seats: u8,
    parts: PerSeat<i32>,
    /// How many modes each seat has won.
    pub points: PerSeat<u8>,
    /// The place of each seat, starting from 1. Tied seats share the better place.
    pub placing: PerSeat<u8>,
}

impl FinalStanding {
    pub(super) fn new(rules: &QuantumRules, counts: &ModeCounts, resigned: PerSeat<u8>) -> Self {
        let seats = rules.seats();
        let sum = |seat| counts.iter().map(|(_, count)| i32::from(count[seat])).sum::<i32>();
        let parts = PerSeat::from_fn(seats, |seat| sum(seat) * i32::from(seats) + rules.compensation().parts(seat));
        let mut points = PerSeat::default();
        for (_, count) in counts.iter() {
            if let Some(winner) = mode_winner(rules, &count) {
                points[winner] += 1;
            }
        }
        let merit = |seat| match rules.scoring() {
            ScoringRule::Sum => (0, parts[seat]),
            ScoringRule::Modes => (points[seat], parts[seat]),
        };
        let stays = |seat: Seat| resigned[seat] == 0;
        let placing = PerSeat::from_fn(seats, |seat| match resigned[seat] {
            0 => {
                let better = Seat::all(seats).filter(|&other| stays(other) && merit(other) > merit(seat)).count();
                u8::try_from(better).unwrap_or(u8::MAX) + 1
            }
            nth => seats + 1 - nth,
        });
        Self { seats, parts, points, placing }
    }

    /// The sum of the counts of `seat` and its compensation.
    pub fn total(&self, seat: Seat) -> Fraction {
        Fraction::new(self.parts[seat], self.seats)
    }

    /// The only seat in first place; `None` if there is a tie.
    pub fn winner(&self) -> Option<Seat> {
        let mut first = self.placing.of(self.seats).filter(|(_, place)| **place == 1).map(|(seat, _)| seat);
        first.next().filter(|_| first.next().is_none())
    }
}

/// The seat with the highest count plus compensation in a mode; `None` if there is a tie.
fn mode_winner(rules: &QuantumRules, count: &PerSeat<u16>) -> Option<Seat> {
    let seats = rules.seats();
    let worth = |seat| i32::from(count[seat]) * i32::from(seats) + rules.compensation().parts(seat);
    let most = Seat::all(seats).map(worth).max()?;
    let mut best = Seat::all(seats).filter(|&seat| worth(seat) == most);
    best.next().filter(|_| best.next().is_none())
}

impl Game {
    /// The result of the modes that have ended, and the placing that follows from it. Seats that have resigned are
    /// placed behind all others; the later a seat has resigned, the better its place.
    pub fn standing(&self) -> FinalStanding {
        FinalStanding::new(&self.rules, &self.counts, self.resigned)
    }

    /// The counts of the modes that have ended.
    pub const fn counts(&self) -> ModeCounts {
        self.counts
    }

    /// How many prisoners each seat has taken.
    pub fn prisoners(&self) -> PerSeat<u32> {
        self.points().map(|points| *points.prisoners()).unwrap_or_default()
    }
}
