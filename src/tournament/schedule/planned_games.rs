//! Games that are all known from the start, regardless of results.

use super::ScheduleFrame;
use crate::tournament::shard::Shard;

/// The games of a tournament as one of its definitions describes them, in a fixed order. A *place* in this order may
/// have no game.
pub(super) trait PlannedPart: Sized + Clone {
    /// A game.
    type Game;

    /// Creates the part of a frame; `None` if its format is of another kind.
    fn new(frame: &ScheduleFrame) -> Option<Self>;

    /// How many places there are.
    fn places(&self) -> u64;

    /// How many games there are.
    fn games(&self) -> u64;

    /// Returns the game at `place`, starting from 0 and less than [`PlannedPart::places`]; `None` if the place has no
    /// game.
    fn game(&self, place: u64) -> Option<Self::Game>;

    /// Returns the number of the bundle, starting from 0, that the game at `place` belongs to. A bundle consists of
    /// games that are fair only together, such as those of a pair of players with both colours.
    fn bundle(&self, place: u64) -> u64;

    /// How many places a bundle has.
    fn games_a_bundle(&self) -> u64;

    /// Returns whether `game`, which comes from a later part, is also a game of this part.
    fn holds(&self, game: &Self::Game) -> bool;
}

/// All games of a tournament whose games are all known, and a position in their order.
///
/// An extended tournament consists of parts: its original games, followed by those added by each extension. Games never
/// change their positions.
#[derive(Clone, Debug)]
pub(super) struct Planned<P> {
    /// The original tournament and the state after each extension. Each part contains all the games of the previous
    /// one.
    parts: Vec<P>,
    /// The current part.
    part: usize,
    /// The next place in the order of the current part.
    place: u64,
    /// The number of the next game in the overall order.
    number: u64,
    /// The shard whose games to yield; `None` yields all games.
    shard: Option<Shard>,
}

/// A game with its number in the overall order, starting from 0.
#[derive(Clone, Copy, Debug)]
pub(super) struct NumberedGame<Game> {
    pub(super) number: u64,
    pub(super) game: Game,
}

impl<P: PlannedPart> Planned<P> {
    /// Creates the games of `frame`, which is the latest extension of the frames in `earlier`, oldest first. A frame
    /// whose format is of another kind has no games.
    pub(super) fn new(frame: &ScheduleFrame, earlier: &[ScheduleFrame]) -> Self {
        let parts = earlier.iter().chain([frame]).filter_map(P::new).collect();
        Self { parts, part: 0, place: 0, number: 0, shard: None }
    }

    /// Returns only the games of `shard`, starting from the first.
    pub(super) fn of_shard(&self, shard: Shard) -> Self {
        Self { shard: Some(shard), ..self.restarted() }
    }

    /// Returns the tournament as its last extension describes it.
    pub(super) fn last_part(&self) -> Option<&P> {
        self.parts.last()
    }

    /// Returns how many games there are, including those already taken.
    pub(super) fn games(&self) -> u64 {
        match (self.shard, &self.parts[..]) {
            (None, parts) => parts.last().map_or(0, P::games),
            (Some(shard), [only]) if only.games() == only.places() => {
                only.games_a_bundle() * shard.share_of(only.games() / only.games_a_bundle())
            }
            // Each bundle has to be examined to find out whether an extension adds it, whether its games exist, and
            // which shard contains it.
            (Some(_), _) => self.restarted().count() as u64,
        }
    }

    /// Returns the same games, starting from the first.
    pub(super) fn restarted(&self) -> Self {
        Self { part: 0, place: 0, number: 0, ..self.clone() }
    }

    /// Returns the game with this number, regardless of whether it has been taken and of whether it is in the shard.
    pub(super) fn get(&self, number: u64) -> Option<NumberedGame<P::Game>> {
        let first = self.parts.first()?;
        let is_full = first.games() == first.places();
        if number < first.games() && is_full {
            return first.game(number).map(|game| NumberedGame { number, game });
        }
        let (part, before) = if is_full { (1, first.games()) } else { (0, 0) };
        let mut rest = Self { part, place: 0, number: before, shard: None, ..self.clone() };
        rest.find(|game| game.number == number)
    }
}

impl<P: PlannedPart> Iterator for Planned<P> {
    type Item = NumberedGame<P::Game>;

    fn next(&mut self) -> Option<NumberedGame<P::Game>> {
        loop {
            let part = self.parts.get(self.part)?;
            if self.place == part.places() {
                (self.part, self.place) = (self.part + 1, 0);
                continue;
            }
            let (game, bundle) = (part.game(self.place), part.bundle(self.place));
            self.place += 1;
            let Some(game) = game else { continue };
            if self.parts[..self.part].iter().any(|earlier| earlier.holds(&game)) {
                continue;
            }
            let number = self.number;
            self.number += 1;
            if self.shard.is_none_or(|shard| shard.has(bundle)) {
                return Some(NumberedGame { number, game });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};
    use std::num::NonZeroU32;

    use proptest::prelude::*;

    use super::super::pair_part::PairPart;
    use super::super::{Fixture, ScheduleFrame};
    use super::*;
    use crate::game::{BySide, Ruleset, Side};
    use crate::tournament::schedule::{GameId, Ids};
    use crate::tournament::{Advantages, Format};

    fn frame(sides: &[Option<Side>], rounds: u32, challengers: Option<Vec<usize>>) -> ScheduleFrame {
        let rounds = NonZeroU32::new(rounds).expect("a round");
        ScheduleFrame {
            ruleset: Ruleset::Gothello,
            advantages: Advantages::default(),
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
        /// A player with one side plays only that side, players with the same single side never meet, and every other
        /// pair meets as often as usual: with both colours, or twice with the only possible ones.
        #[test]
        fn sides_are_kept_and_every_possible_pair_meets_twice_a_round(sides in sides(), rounds in 1_u32..4, gauntlet: bool) {
            let challengers = (gauntlet && sides.len() > 2).then(|| vec![0, 1]);
            let frame = frame(&sides, rounds, challengers.clone());
            let known = Ids::new(&frame).expect("ids");
            let planned = Planned::<PairPart>::new(&frame, &[]);
            let games: Vec<NumberedGame<Fixture>> = planned.clone().collect();
            let mut met: BTreeMap<(u32, usize, usize), Vec<usize>> = BTreeMap::new();
            let mut ids = BTreeSet::new();
            for (place, NumberedGame { number, game: Fixture { round, nth, players } }) in games.iter().enumerate() {
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
            for NumberedGame { number, game: fixture } in &games {
                prop_assert_eq!(planned.get(*number).map(|game| game.game), Some(*fixture));
            }
            prop_assert!(planned.get(games.len() as u64).is_none());
            // The shards together contain every game once.
            let shards: Vec<Shard> = (1..=3).map(|part| format!("{part}/3").parse().expect("a shard")).collect();
            let parts: Vec<NumberedGame<Fixture>> = shards.iter().flat_map(|shard| planned.of_shard(*shard)).collect();
            prop_assert_eq!(parts.len(), games.len());
            prop_assert_eq!(shards.iter().map(|shard| planned.of_shard(*shard).games()).sum::<u64>(), games.len() as u64);
        }

        /// Players that are added later do not change existing games.
        #[test]
        fn an_extension_keeps_every_game(sides in sides(), added in sides(), rounds in 1_u32..3) {
            let before = frame(&sides, rounds, None);
            let after = frame(&[sides, added].concat(), rounds, None);
            let old: Vec<Fixture> = Planned::<PairPart>::new(&before, &[]).map(|game| game.game).collect();
            let planned = Planned::<PairPart>::new(&after, std::slice::from_ref(&before));
            let new: Vec<Fixture> = planned.clone().map(|game| game.game).collect();
            prop_assert_eq!(&new[..old.len()], &old[..]);
            prop_assert_eq!(planned.games(), new.len() as u64);
            let all: BTreeSet<_> = new.iter().map(|it| (it.round, it.nth, it.players.black, it.players.white)).collect();
            prop_assert_eq!(all.len(), new.len());
            for (number, fixture) in new.iter().enumerate() {
                prop_assert_eq!(planned.get(number as u64).map(|game| game.game), Some(*fixture));
            }
        }
    }
}
