//! The positions of games, at most one of each class.

use std::collections::HashMap;
use std::ops::RangeInclusive;

use super::example::class_of;
use crate::base::random::{SplitMix64, mix};
use crate::game::Move;
use crate::game::gothello::Game;
use crate::players::bots::{Bot, Builtin, Thinker};

/// A position that occurred in a game.
#[derive(Clone, Debug)]
pub struct SampledPosition {
    /// The position that was the first of its class to occur.
    pub game: Game,
    /// The class of the position.
    pub class: u64,
    /// How many plies were played before the position.
    pub ply: u32,
    /// Where the position comes from.
    pub source: String,
    /// How many times positions of this class occurred.
    pub count: u32,
}

/// The positions of games, one of each class, in the order in which they first occurred.
#[derive(Debug)]
pub struct SampledPositions {
    empty: RangeInclusive<u32>,
    per_empty: Option<usize>,
    places: HashMap<u64, usize>,
    positions: Vec<SampledPosition>,
    of_empty: [usize; 26],
}

impl SampledPositions {
    /// Creates an empty collection. Only positions whose number of empty points is in `empty` are added, and at most
    /// `per_empty` for each number.
    pub fn new(empty: RangeInclusive<u32>, per_empty: Option<usize>) -> Self {
        Self { empty, per_empty, places: HashMap::new(), positions: Vec::new(), of_empty: [0; 26] }
    }

    /// Adds the positions of a game before each of its `moves`, and its last position unless the game is over.
    pub fn add_game(&mut self, moves: impl IntoIterator<Item = Move>, source: &str) {
        let mut game = Game::default();
        self.add(&game, 0, source);
        for (played, ply) in moves.into_iter().zip(1..) {
            game = game.after(played);
            self.add(&game, ply, source);
        }
    }

    fn add(&mut self, game: &Game, ply: u32, source: &str) {
        let empty = game.empty_points();
        if game.is_over() || !self.empty.contains(&empty) {
            return;
        }
        let class = class_of(game);
        if let Some(&place) = self.places.get(&class) {
            let count = &mut self.positions[place].count;
            *count = count.saturating_add(1);
            return;
        }
        let of_empty = &mut self.of_empty[empty as usize];
        if self.per_empty.is_some_and(|most| *of_empty >= most) {
            return;
        }
        *of_empty += 1;
        self.places.insert(class, self.positions.len());
        self.positions.push(SampledPosition { game: *game, class, ply, source: source.to_owned(), count: 1 });
    }

    /// How many positions there are.
    pub fn count(&self) -> usize {
        self.positions.len()
    }

    /// The positions in an order that depends only on `seed`.
    pub fn shuffled(self, seed: u64) -> Vec<SampledPosition> {
        let mut positions = self.positions;
        let mut random = SplitMix64::new(mix(seed, "order"));
        for last in (1..positions.len()).rev() {
            let other = usize::try_from(random.below(last as u64 + 1)).expect("at most `last`");
            positions.swap(last, other);
        }
        positions
    }
}

/// The moves of a game between two built-in bots that differ only in their random numbers.
pub fn self_play(bot: Builtin, seed: u64) -> Vec<Move> {
    let mut bots = ["black", "white"].map(|side| Bot::of(Builtin { seed: None, ..bot }, mix(seed, side)));
    let (mut game, mut moves) = (Game::default(), Vec::new());
    while !game.is_over() {
        let played = bots[moves.len() % 2].choose(&game);
        moves.push(played);
        game = game.after(played);
    }
    moves
}

/// The moves of a random game.
pub fn random_game(seed: u64) -> Vec<Move> {
    self_play(Builtin::new(Thinker::Random), seed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn each_class_is_taken_once_and_within_its_limits() {
        let mut sampled = SampledPositions::new(0..=12, Some(40));
        for seed in 0..100 {
            sampled.add_game(random_game(seed), "random");
        }
        let positions = sampled.shuffled(1);
        let classes: BTreeSet<u64> = positions.iter().map(|position| position.class).collect();
        assert_eq!(classes.len(), positions.len());
        assert!(positions.iter().all(|position| position.game.empty_points() <= 12 && !position.game.is_over()));
        for empty in 0..=12 {
            assert!(positions.iter().filter(|position| position.game.empty_points() == empty).count() <= 40);
        }
        let mut sampled = SampledPositions::new(0..=25, None);
        (0..2).for_each(|_| sampled.add_game(random_game(7), "random"));
        assert!(sampled.shuffled(1).iter().all(|position| position.count >= 2));
    }
}
