//! The games of a round robin or a gauntlet, computed by plain arithmetic.

use super::planned_games::PlannedPart;
use super::{Fixture, Gauntlet, RoundRobin, ScheduleFrame};
use crate::game::{BySide, Side};
use crate::tournament::Format;

/// The games of a round robin or a gauntlet.
#[derive(Clone, Debug)]
pub(super) struct PairPart {
    pairings: Pairings,
    players: usize,
    rounds: u32,
    /// The only side of each player, for those that play just one; empty if all players play both.
    sides: Vec<Option<Side>>,
    /// How many positions of a round have no game, because both players play the same single side.
    skipped: u64,
}

#[derive(Clone, Debug)]
enum Pairings {
    RoundRobin(RoundRobin),
    Gauntlet(Gauntlet),
}

impl PairPart {
    /// How many games a round would have if all players played both sides.
    const fn places_a_round(&self) -> u64 {
        match &self.pairings {
            Pairings::RoundRobin(robin) => robin.games_a_round(),
            Pairings::Gauntlet(gauntlet) => gauntlet.games_a_round(),
        }
    }
}

impl PlannedPart for PairPart {
    type Game = Fixture;

    fn new(frame: &ScheduleFrame) -> Option<Self> {
        let players = frame.slugs.len();
        let (pairings, rounds) = match &frame.format {
            Format::RoundRobin { rounds } => (Pairings::RoundRobin(RoundRobin::new(players)), rounds),
            Format::Gauntlet { rounds, challengers } => {
                (Pairings::Gauntlet(Gauntlet::new(players, challengers)), rounds)
            }
            Format::Group { .. }
            | Format::Swiss { .. }
            | Format::Knockout { .. }
            | Format::Sprt { .. }
            | Format::Ladder => return None,
        };
        let mut part = Self { pairings, players, rounds: rounds.get(), sides: frame.sides.clone(), skipped: 0 };
        if part.sides.iter().any(Option::is_some) {
            part.skipped = (0..part.places_a_round()).filter(|place| part.game(*place).is_none()).count() as u64;
        }
        Some(part)
    }

    fn places(&self) -> u64 {
        self.places_a_round() * u64::from(self.rounds)
    }

    fn games(&self) -> u64 {
        (self.places_a_round() - self.skipped) * u64::from(self.rounds)
    }

    fn game(&self, place: u64) -> Option<Fixture> {
        let (round, number) = (place / self.places_a_round(), place % self.places_a_round());
        let players = match &self.pairings {
            Pairings::RoundRobin(robin) => robin.game(round, number),
            Pairings::Gauntlet(gauntlet) => gauntlet.game(round, number),
        };
        // There are no more rounds than a `u32` can count.
        let round = u32::try_from(round).unwrap_or(u32::MAX - 1) + 1;
        let only = |side: Side| self.sides.get(players[side]).copied().flatten();
        match (only(Side::Black), only(Side::White)) {
            (Some(one), Some(other)) if one == other => None,
            // The game with swapped colours is replaced by a second game of the pair with these colours.
            (Some(Side::White), _) | (_, Some(Side::Black)) => {
                let BySide { black, white } = players;
                Some(Fixture { round, nth: 2, players: BySide { black: white, white: black } })
            }
            _ => Some(Fixture { round, nth: 1, players }),
        }
    }

    fn bundle(&self, place: u64) -> u64 {
        let (round, place) = (place / self.places_a_round(), place % self.places_a_round());
        let pair = match &self.pairings {
            Pairings::RoundRobin(robin) => robin.pair_of(place),
            Pairings::Gauntlet(gauntlet) => gauntlet.pair_of(place),
        };
        round * (self.places_a_round() / 2) + pair
    }

    fn games_a_bundle(&self) -> u64 {
        2
    }

    fn holds(&self, fixture: &Fixture) -> bool {
        let BySide { black, white } = fixture.players;
        fixture.round <= self.rounds && black.max(white) < self.players
    }
}
