//! Games that are all known from the start, whatever the results: round by round, in plain arithmetic.

use super::{Fixture, Gauntlet, RoundRobin, ScheduleFrame};
use crate::game::rules::BySide;
use crate::tournament::file::Format;

/// All games of a round robin or a gauntlet, and a place in their order.
///
/// An extended tournament consists of parts: the games that it had at first, followed by those that each extension
/// added. No game ever changes its place.
#[derive(Clone, Debug)]
pub(super) struct Planned {
    /// The tournament at first and after each extension; each part has all the games of the one before.
    parts: Vec<Part>,
    /// The current part.
    part: usize,
    /// The next game, in the order that this part has by itself.
    game: u64,
}

#[derive(Clone, Debug)]
struct Part {
    pairings: Pairings,
    players: usize,
    rounds: u32,
}

#[derive(Clone, Debug)]
enum Pairings {
    RoundRobin(RoundRobin),
    Gauntlet(Gauntlet),
}

impl Part {
    /// Makes the part of a frame; `None` if its format is not planned.
    fn new(frame: &ScheduleFrame) -> Option<Self> {
        let players = frame.slugs.len();
        let (pairings, rounds) = match &frame.format {
            Format::RoundRobin { rounds } => (Pairings::RoundRobin(RoundRobin::new(players)), rounds),
            Format::Gauntlet { rounds, challengers } => {
                (Pairings::Gauntlet(Gauntlet::new(players, challengers)), rounds)
            }
            Format::Swiss { .. } | Format::Knockout { .. } | Format::Sprt { .. } => return None,
        };
        Some(Self { pairings, players, rounds: rounds.get() })
    }

    const fn games_a_round(&self) -> u64 {
        match &self.pairings {
            Pairings::RoundRobin(robin) => robin.games_a_round(),
            Pairings::Gauntlet(gauntlet) => gauntlet.games_a_round(),
        }
    }

    fn games(&self) -> u64 {
        self.games_a_round() * u64::from(self.rounds)
    }

    /// Returns game `number`, starting from 0 and less than [`Part::games`].
    fn game(&self, number: u64) -> Fixture {
        let (round, number) = (number / self.games_a_round(), number % self.games_a_round());
        let players = match &self.pairings {
            Pairings::RoundRobin(robin) => robin.game(round, number),
            Pairings::Gauntlet(gauntlet) => gauntlet.game(round, number),
        };
        // There are no more rounds than a `u32` can count.
        Fixture { round: u32::try_from(round).unwrap_or(u32::MAX - 1) + 1, nth: 1, players }
    }

    /// Returns whether a game of a later part is also a game of this one.
    fn holds(&self, fixture: &Fixture) -> bool {
        let BySide { black, white } = fixture.players;
        fixture.round <= self.rounds && black.max(white) < self.players
    }
}

impl Planned {
    /// Makes the games of `frame`, which was extended from each of `earlier`, the oldest first. A frame whose format is
    /// not planned has no games.
    pub(super) fn new(frame: &ScheduleFrame, earlier: &[ScheduleFrame]) -> Self {
        Self { parts: earlier.iter().chain([frame]).filter_map(Part::new).collect(), part: 0, game: 0 }
    }

    /// Returns how many games there are, including those already taken.
    pub(super) fn games(&self) -> u64 {
        self.parts.last().map_or(0, Part::games)
    }

    /// Returns the same games, starting from the first.
    pub(super) fn restarted(&self) -> Self {
        Self { part: 0, game: 0, ..self.clone() }
    }

    /// Returns the game at place `number`, starting from 0, whether it has been taken or not.
    pub(super) fn get(&self, number: u64) -> Option<Fixture> {
        let first = self.parts.first()?;
        if number < first.games() {
            return Some(first.game(number));
        }
        let mut rest = Self { part: 1, game: 0, ..self.clone() };
        (first.games()..number).try_for_each(|_| rest.next().map(drop))?;
        rest.next()
    }
}

impl Iterator for Planned {
    type Item = Fixture;

    fn next(&mut self) -> Option<Fixture> {
        loop {
            let part = self.parts.get(self.part)?;
            if self.game == part.games() {
                (self.part, self.game) = (self.part + 1, 0);
                continue;
            }
            let fixture = part.game(self.game);
            self.game += 1;
            if !self.parts[..self.part].iter().any(|earlier| earlier.holds(&fixture)) {
                return Some(fixture);
            }
        }
    }
}
