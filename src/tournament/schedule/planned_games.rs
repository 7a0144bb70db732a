//! Games that are all known from the start, regardless of results. They are computed round by round by plain
//! arithmetic.

use super::{Fixture, Gauntlet, RoundRobin, ScheduleFrame};
use crate::game::{BySide, Side};
use crate::tournament::Format;
use crate::tournament::shard::Shard;

/// All games of a round robin or a gauntlet, and a position in their order.
///
/// An extended tournament consists of parts: its original games, followed by those added by each extension. Games never
/// change their positions.
#[derive(Clone, Debug)]
pub(super) struct Planned {
    /// The original tournament and the state after each extension. Each part contains all the games of the previous
    /// one.
    parts: Vec<Part>,
    /// The current part.
    part: usize,
    /// The next game, in the order of the current part.
    game: u64,
    /// The number of the next game in the overall order.
    number: u64,
    /// The shard whose games to yield; `None` yields all games.
    shard: Option<Shard>,
}

/// A game with its number in the overall order, starting from 0.
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
    /// The only side of each player, for those that play just one; empty if all players play both.
    sides: Vec<Option<Side>>,
    /// How many positions of a round have no game, because both players play only the same side.
    skipped: u64,
}

#[derive(Clone, Debug)]
enum Pairings {
    RoundRobin(RoundRobin),
    Gauntlet(Gauntlet),
}

impl Part {
    /// Creates the part of a frame; `None` if its format is not planned.
    fn new(frame: &ScheduleFrame) -> Option<Self> {
        let players = frame.slugs.len();
        let (pairings, rounds) = match &frame.format {
            Format::RoundRobin { rounds } => (Pairings::RoundRobin(RoundRobin::new(players)), rounds),
            Format::Gauntlet { rounds, challengers } => {
                (Pairings::Gauntlet(Gauntlet::new(players, challengers)), rounds)
            }
            Format::Swiss { .. } | Format::Knockout { .. } | Format::Sprt { .. } => return None,
        };
        let mut part = Self { pairings, players, rounds: rounds.get(), sides: frame.sides.clone(), skipped: 0 };
        if part.sides.iter().any(Option::is_some) {
            part.skipped = (0..part.places_a_round()).filter(|place| part.game(*place).is_none()).count() as u64;
        }
        Some(part)
    }

    /// How many games a round would have if all players played both sides.
    const fn places_a_round(&self) -> u64 {
        match &self.pairings {
            Pairings::RoundRobin(robin) => robin.games_a_round(),
            Pairings::Gauntlet(gauntlet) => gauntlet.games_a_round(),
        }
    }

    fn places(&self) -> u64 {
        self.places_a_round() * u64::from(self.rounds)
    }

    fn games(&self) -> u64 {
        (self.places_a_round() - self.skipped) * u64::from(self.rounds)
    }

    /// Returns the game at `place`, starting from 0 and less than [`Part::places`]; `None` if its players play only the
    /// same side.
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

    /// Returns the number of the colour pair, starting from 0, that the game at place `number` of this part belongs to.
    const fn pair(&self, number: u64) -> u64 {
        let (round, place) = (number / self.places_a_round(), number % self.places_a_round());
        let place = match &self.pairings {
            Pairings::RoundRobin(robin) => robin.pair_of(place),
            Pairings::Gauntlet(gauntlet) => gauntlet.pair_of(place),
        };
        round * (self.places_a_round() / 2) + place
    }

    /// Returns whether a game of a later part is also a game of this one.
    fn holds(&self, fixture: &Fixture) -> bool {
        let BySide { black, white } = fixture.players;
        fixture.round <= self.rounds && black.max(white) < self.players
    }
}

impl Planned {
    /// Creates the games of `frame`, which was extended from each of `earlier`, oldest first. A frame whose format is
    /// not planned has no games.
    pub(super) fn new(frame: &ScheduleFrame, earlier: &[ScheduleFrame]) -> Self {
        let parts = earlier.iter().chain([frame]).filter_map(Part::new).collect();
        Self { parts, part: 0, game: 0, number: 0, shard: None }
    }

    /// Returns only the games of `shard`, starting from the first.
    pub(super) fn of_shard(&self, shard: Shard) -> Self {
        Self { shard: Some(shard), ..self.restarted() }
    }

    /// Returns how many games there are, including those already taken.
    pub(super) fn games(&self) -> u64 {
        match (self.shard, &self.parts[..]) {
            (None, parts) => parts.last().map_or(0, Part::games),
            (Some(shard), [only]) if only.skipped == 0 => 2 * shard.share_of(only.games() / 2),
            // Each pair has to be examined to find out whether an extension adds it, whether its players meet, and
            // which shard contains it.
            (Some(_), _) => self.restarted().count() as u64,
        }
    }

    /// Returns the same games, starting from the first.
    pub(super) fn restarted(&self) -> Self {
        Self { part: 0, game: 0, number: 0, ..self.clone() }
    }

    /// Returns the game with this number, regardless of whether it has been taken and of whether it is in the shard.
    pub(super) fn get(&self, number: u64) -> Option<NumberedFixture> {
        let first = self.parts.first()?;
        if number < first.games() && first.skipped == 0 {
            return first.game(number).map(|fixture| NumberedFixture { number, fixture });
        }
        let (part, before) = if first.skipped == 0 { (1, first.games()) } else { (0, 0) };
        let mut rest = Self { part, game: 0, number: before, shard: None, ..self.clone() };
        rest.find(|game| game.number == number)
    }
}

impl Iterator for Planned {
    type Item = NumberedFixture;

    fn next(&mut self) -> Option<NumberedFixture> {
        loop {
            let part = self.parts.get(self.part)?;
            if self.game == part.places() {
                (self.part, self.game) = (self.part + 1, 0);
                continue;
            }
            let (fixture, pair) = (part.game(self.game), part.pair(self.game));
            self.game += 1;
            let Some(fixture) = fixture else { continue };
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

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};
    use std::num::NonZeroU32;

    use proptest::prelude::*;

    use super::*;
    use crate::game::Ruleset;
    use crate::tournament::schedule::{GameId, Ids};

    fn frame(sides: &[Option<Side>], rounds: u32, challengers: Option<Vec<usize>>) -> ScheduleFrame {
        let rounds = NonZeroU32::new(rounds).expect("a round");
        ScheduleFrame {
            ruleset: Ruleset::Gothello,
            format: match challengers {
                Some(challengers) => Format::Gauntlet { rounds, challengers },
                None => Format::RoundRobin { rounds },
            },
            seed: 1,
            opening_plies: 0,
            balanced: None,
            slugs: (0..sides.len()).map(|player| format!("p{player}")).collect(),
            sides: sides.to_vec(),
        }
    }

    fn sides() -> impl Strategy<Value = Vec<Option<Side>>> {
        let side = prop_oneof![3 => Just(None), 1 => Just(Some(Side::Black)), 1 => Just(Some(Side::White))];
        prop::collection::vec(side, 2..9)
    }

    proptest! {
        /// A player with one side plays only that side, those with the same single side never meet, and every other
        /// pair meets as often as usual: with both colours, or twice with the only possible ones.
        #[test]
        fn sides_are_kept_and_every_possible_pair_meets_twice_a_round(sides in sides(), rounds in 1_u32..4, gauntlet: bool) {
            let challengers = (gauntlet && sides.len() > 2).then(|| vec![0, 1]);
            let frame = frame(&sides, rounds, challengers.clone());
            let known = Ids::new(&frame).expect("ids");
            let planned = Planned::new(&frame, &[]);
            let games: Vec<NumberedFixture> = planned.clone().collect();
            let mut met: BTreeMap<(u32, usize, usize), Vec<usize>> = BTreeMap::new();
            let mut ids = BTreeSet::new();
            for (place, NumberedFixture { number, fixture: Fixture { round, nth, players } }) in games.iter().enumerate() {
                prop_assert_eq!(*number, place as u64);
                for side in Side::BOTH {
                    prop_assert!(sides[players[side]].is_none_or(|only| only == side), "{:?}", players);
                }
                prop_assert!(ids.insert((*round, *nth, players.black, players.white)));
                let id = GameId::new(*round, &frame.slugs[players.black], &frame.slugs[players.white], *nth);
                let found = known.find(id.as_str()).map(|place| (place.round, place.players));
                prop_assert_eq!(found, Some((*round, (*players).into())));
                let BySide { black, white } = *players;
                met.entry((*round, black.min(white), black.max(white))).or_default().push(black);
            }
            for round in 1..=rounds {
                for one in 0..sides.len() {
                    for other in one + 1..sides.len() {
                        let is_met = challengers.as_ref().is_none_or(|set| set.contains(&one) != set.contains(&other));
                        let can = sides[one].is_none() || sides[one] != sides[other];
                        let blacks = met.get(&(round, one, other)).cloned().unwrap_or_default();
                        prop_assert_eq!(blacks.len(), if is_met && can { 2 } else { 0 });
                        let is_free = sides[one].is_none() && sides[other].is_none();
                        prop_assert!(blacks.is_empty() || (blacks[0] != blacks[1]) == is_free);
                    }
                }
            }
            prop_assert_eq!(planned.games(), games.len() as u64);
            for NumberedFixture { number, fixture } in &games {
                prop_assert_eq!(planned.get(*number).map(|game| game.fixture), Some(*fixture));
            }
            prop_assert!(planned.get(games.len() as u64).is_none());
            // The shards together contain every game once.
            let shards: Vec<Shard> = (1..=3).map(|part| format!("{part}/3").parse().expect("a shard")).collect();
            let parts: Vec<NumberedFixture> = shards.iter().flat_map(|shard| planned.of_shard(*shard)).collect();
            prop_assert_eq!(parts.len(), games.len());
            prop_assert_eq!(shards.iter().map(|shard| planned.of_shard(*shard).games()).sum::<u64>(), games.len() as u64);
        }

        /// Players that are added later do not change existing games.
        #[test]
        fn an_extension_keeps_every_game(sides in sides(), added in sides(), rounds in 1_u32..3) {
            let before = frame(&sides, rounds, None);
            let after = frame(&[sides, added].concat(), rounds, None);
            let old: Vec<Fixture> = Planned::new(&before, &[]).map(|game| game.fixture).collect();
            let planned = Planned::new(&after, std::slice::from_ref(&before));
            let new: Vec<Fixture> = planned.clone().map(|game| game.fixture).collect();
            prop_assert_eq!(&new[..old.len()], &old[..]);
            prop_assert_eq!(planned.games(), new.len() as u64);
            let all: BTreeSet<_> = new.iter().map(|it| (it.round, it.nth, it.players.black, it.players.white)).collect();
            prop_assert_eq!(all.len(), new.len());
            for (number, fixture) in new.iter().enumerate() {
                prop_assert_eq!(planned.get(number as u64).map(|game| game.fixture), Some(*fixture));
            }
        }
    }
}
