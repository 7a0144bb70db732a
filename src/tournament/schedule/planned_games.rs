//! Games that are all known from the start, whatever the results: round by round, in plain arithmetic.

use super::{Fixture, Gauntlet, RoundRobin, ScheduleFrame};
use crate::game::rules::BySide;
use crate::tournament::file::Format;
use crate::tournament::shard::Shard;

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
    /// The number of the next game in the whole order.
    number: u64,
    /// The shard whose games to yield; `None` yields all games.
    shard: Option<Shard>,
}

/// A game with its number in the whole order, starting from 0.
#[derive(Clone, Copy, Debug)]
pub(super) struct NumberedFixture {
    pub(super) number: u64,
    pub(super) fixture: Fixture,
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

    /// Returns the number of the colour pair, starting from 0, that game `number` of this part belongs to.
    const fn pair(&self, number: u64) -> u64 {
        let (round, place) = (number / self.games_a_round(), number % self.games_a_round());
        let place = match &self.pairings {
            Pairings::RoundRobin(robin) => robin.pair_of(place),
            Pairings::Gauntlet(gauntlet) => gauntlet.pair_of(place),
        };
        round * (self.games_a_round() / 2) + place
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
        let parts = earlier.iter().chain([frame]).filter_map(Part::new).collect();
        Self { parts, part: 0, game: 0, number: 0, shard: None }
    }

    /// Returns the games of `shard` alone, starting from the first.
    pub(super) fn of_shard(&self, shard: Shard) -> Self {
        Self { shard: Some(shard), ..self.restarted() }
    }

    /// Returns how many games there are, including those already taken.
    pub(super) fn games(&self) -> u64 {
        match (self.shard, &self.parts[..]) {
            (None, parts) => parts.last().map_or(0, Part::games),
            (Some(shard), [only]) => 2 * shard.share_of(only.games() / 2),
            // Which pairs an extension adds, and in which shard they are, is found out only by looking at each.
            (Some(_), _) => self.restarted().count() as u64,
        }
    }

    /// Returns the same games, starting from the first.
    pub(super) fn restarted(&self) -> Self {
        Self { part: 0, game: 0, number: 0, ..self.clone() }
    }

    /// Returns the game of this number, whether it has been taken or not, and whether it is in the shard or not.
    pub(super) fn get(&self, number: u64) -> Option<NumberedFixture> {
        let first = self.parts.first()?;
        if number < first.games() {
            return Some(NumberedFixture { number, fixture: first.game(number) });
        }
        let mut rest = Self { part: 1, game: 0, number: first.games(), shard: None, ..self.clone() };
        rest.find(|game| game.number == number)
    }
}

impl Iterator for Planned {
    type Item = NumberedFixture;

    fn next(&mut self) -> Option<NumberedFixture> {
        loop {
            let part = self.parts.get(self.part)?;
            if self.game == part.games() {
                (self.part, self.game) = (self.part + 1, 0);
                continue;
            }
            let (fixture, pair) = (part.game(self.game), part.pair(self.game));
            self.game += 1;
            if self.parts[..self.part].iter().any(|earlier| earlier.holds(&fixture)) {
                continue;
            }
            let number = self.number;
            self.number += 1;
            if self.shard.is_none_or(|shard| shard.has(pair)) {
                return Some(NumberedFixture { number, fixture });
            }
        }
    }
}
