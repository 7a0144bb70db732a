//! The pairings of a Swiss tournament, in which players with similar scores meet, round by round and without rematches.

mod least_weight;

use std::collections::HashMap;
use std::sync::Arc;

use super::drawn_rounds::{DrawnPairing, DrawnRound};
use super::{Decided, Fixture, KnownResult, PlayerIndex, Step};
use crate::base::random::mix;
use crate::game::{BySide, Side};
use crate::tournament::Legs;

/// A Swiss tournament.
///
/// Each round is drawn once the previous one is over, with the pairings that have the least weight. With an odd number
/// of players, one of them has a bye, which counts as if the player had won all its games.
///
/// There are no rematches and no second byes as long as a round can be drawn without them. This is certain up to the
/// round whose number is half the number of players: by Dirac's theorem, a graph in which every vertex has an edge to
/// at least half of the others has a perfect matching.
#[derive(Clone, Debug)]
pub(super) struct Swiss {
    slugs: Arc<[String]>,
    rounds: u32,
    legs: Legs,
    seed: u64,
    /// The rounds drawn so far.
    drawn: Vec<Vec<DrawnPairing>>,
    /// The games of the current round.
    fixtures: Vec<Fixture>,
    /// How many of these games have been returned.
    taken: usize,
    players: Vec<SwissStanding>,
    /// How often the players of each pair have met. The smaller index comes first in a pair.
    met: HashMap<(PlayerIndex, PlayerIndex), u32>,
}

/// The parameters of a Swiss tournament, apart from its players.
#[derive(Clone, Copy, Debug)]
pub(super) struct SwissTerms {
    pub(super) rounds: u32,
    pub(super) legs: Legs,
    pub(super) seed: u64,
}

/// The standing of a player in the tournament.
#[derive(Clone, Copy, Debug, Default)]
struct SwissStanding {
    half_points: u32,
    /// Games with black minus games with white.
    colours: i32,
    /// The sides of the last game and of the one before it.
    last: [Option<Side>; 2],
    byes: u32,
}

impl SwissStanding {
    fn play(&mut self, side: Side, half_points: u8) {
        self.half_points += u32::from(half_points);
        self.colours = self.colours_after(side);
        self.last = [Some(side), self.last[0]];
    }

    /// The balance of colours after one more game on `side`.
    const fn colours_after(&self, side: Side) -> i32 {
        match side {
            Side::Black => self.colours + 1,
            Side::White => self.colours - 1,
        }
    }

    /// Whether a game on `side` would be the third in a row on that side. A bye between the games makes no difference.
    fn would_be_third(&self, side: Side) -> bool {
        self.last == [Some(side); 2]
    }
}

impl Swiss {
    pub(super) fn new(slugs: Arc<[String]>, terms: SwissTerms) -> Self {
        let SwissTerms { rounds, legs, seed } = terms;
        let players = vec![SwissStanding::default(); slugs.len()];
        Self {
            slugs,
            rounds,
            legs,
            seed,
            drawn: Vec::new(),
            fixtures: Vec::new(),
            taken: 0,
            players,
            met: HashMap::new(),
        }
    }

    pub(super) fn games(&self) -> u64 {
        self.slugs.len() as u64 / 2 * u64::from(self.rounds) * u64::from(self.legs.games())
    }

    pub(super) fn next(&mut self, known: KnownResult<'_>) -> Step<Fixture> {
        if self.taken == self.fixtures.len() {
            if self.drawn.len() == self.rounds as usize {
                return Step::Done;
            }
            let results: Option<Vec<Decided>> = self.fixtures.iter().map(known).collect();
            let Some(results) = results else { return Step::Wait };
            self.count(&results);
            self.draw();
        }
        let fixture = self.fixtures[self.taken];
        self.taken += 1;
        Step::Game(fixture)
    }

    /// The rounds drawn so far.
    pub(super) fn drawn(&self) -> Vec<DrawnRound> {
        (1..).zip(&self.drawn).map(|(round, pairings)| DrawnRound { round, pairings: pairings.clone() }).collect()
    }

    /// Counts the results of a round.
    fn count(&mut self, results: &[Decided]) {
        for (fixture, decided) in self.fixtures.iter().zip(results) {
            for side in Side::BOTH {
                self.players[fixture.players[side]].play(side, decided.half_points(side));
            }
        }
    }

    /// Draws the next round.
    fn draw(&mut self) {
        let pairings = least_weight::draw(self);
        let round = self.round();
        self.taken = 0;
        self.fixtures.clear();
        for pairing in &pairings {
            match *pairing {
                DrawnPairing::Bye(player) => {
                    self.players[player].byes += 1;
                    self.players[player].half_points += 2 * self.legs.games();
                }
                DrawnPairing::Meeting { sides: players, .. } => {
                    let BySide { black, white } = players;
                    *self.met.entry((black.min(white), black.max(white))).or_default() += 1;
                    self.fixtures.push(Fixture { round, nth: 1, players });
                }
            }
        }
        if self.legs == Legs::Two {
            for leg in 0..self.fixtures.len() {
                let Fixture { players: BySide { black, white }, .. } = self.fixtures[leg];
                self.fixtures.push(Fixture { players: BySide { black: white, white: black }, ..self.fixtures[leg] });
            }
        }
        self.drawn.push(pairings);
    }

    /// The round to be drawn, starting from 1.
    fn round(&self) -> u32 {
        // There are no more rounds than a `u32` can count.
        u32::try_from(self.drawn.len()).unwrap_or(u32::MAX - 1) + 1
    }

    /// The number that determines all random choices in this round.
    fn lot(&self) -> u64 {
        mix(self.seed, &format!("swiss round {}", self.round()))
    }

    /// Returns the players, best first. Equal players are in an order drawn for this round.
    fn order(&self) -> Vec<PlayerIndex> {
        let lot = self.lot();
        let mut order: Vec<PlayerIndex> = (0..self.players.len()).collect();
        order.sort_by_cached_key(|&player| {
            (std::cmp::Reverse(self.players[player].half_points), mix(lot, &self.slugs[player]), player)
        });
        order
    }

    /// How often two players have met.
    fn times_met(&self, one: PlayerIndex, other: PlayerIndex) -> u32 {
        self.met.get(&(one.min(other), one.max(other))).copied().unwrap_or_default()
    }
}
