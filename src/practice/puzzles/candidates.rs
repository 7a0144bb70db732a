//! Positions that may become puzzles: positions from played games, and random positions.

use std::collections::BTreeMap;

use super::{PuzzleClass, PuzzleTries, class_of, leaves_a_choice};
use crate::base::random::SplitMix64;
use crate::exact::margin_table::grid::BoardGrid;
use crate::exact::solvable::positions;
use crate::game::gothello::{Game, points};
use crate::game::{Move, Position as _};
use crate::referee::record::GameRecord;

/// A position that was reached in games, and the moves played in it.
#[derive(Clone, Debug)]
pub(super) struct PlayedPosition {
    /// The position in the orientation in which it was first reached.
    pub(super) game: Game,
    /// The name of the first game, and the number of plies before the position.
    first: (String, usize),
    /// For each player's move, the player's name and the class of the position after the move.
    moves: Vec<(String, PuzzleClass)>,
}

impl PlayedPosition {
    /// How the players fared, given the right move. A move is right if it leads to the same class, since a different
    /// image of the position has a different image of the answer.
    pub(super) fn tries(&self, grid: &BoardGrid, answer: Move) -> PuzzleTries {
        let right = class_of(grid, &self.game.after(answer));
        let mut players: BTreeMap<&str, bool> = BTreeMap::new();
        for (name, class) in &self.moves {
            *players.entry(name).or_insert(true) &= *class == right;
        }
        let players = players.into_iter().map(|(name, found)| (name.to_owned(), found)).collect();
        PuzzleTries { first: self.first.clone(), players }
    }
}

/// The positions in played games, one for each class, in the order in which they were first reached.
#[derive(Debug)]
pub struct PlayedPositions {
    grid: BoardGrid,
    places: BTreeMap<PuzzleClass, usize>,
    pub(super) all: Vec<PlayedPosition>,
}

impl Default for PlayedPositions {
    fn default() -> Self {
        Self { grid: BoardGrid::new(5), places: BTreeMap::new(), all: Vec::new() }
    }
}

impl PlayedPositions {
    /// The number of positions.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether there are no positions.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Adds the positions of a valid game. A game under a rule set without a solver adds no positions. `name` is the
    /// game's id, or the name of its file.
    pub fn add(&mut self, name: &str, record: &GameRecord) {
        let moves = record.plies.iter().map(|ply| ply.played);
        let Ok(games) = positions(record.ruleset, moves) else { return };
        for (plies, pair) in games.windows(2).enumerate() {
            let [before, after] = pair else { continue };
            if !leaves_a_choice(before) {
                continue;
            }
            let place = *self.places.entry(class_of(&self.grid, before)).or_insert_with(|| {
                self.all.push(PlayedPosition { game: *before, first: (name.to_owned(), plies), moves: Vec::new() });
                self.all.len() - 1
            });
            // The players did not choose the moves of the opening.
            if plies >= record.opening_plies {
                let player = record.players[before.to_move()].clone();
                self.all[place].moves.push((player, class_of(&self.grid, after)));
            }
        }
    }
}

/// Random positions, reached by random placements from the start. Their numbers of empty points are drawn from a range.
#[derive(Debug)]
pub struct RandomPositions {
    random: SplitMix64,
    least_empty: u32,
    most_empty: u32,
}

impl RandomPositions {
    /// Positions with `least_empty` to `most_empty` empty points. Both numbers must be from 1 to 24, the smaller one
    /// first.
    pub fn new(seed: u64, least_empty: u32, most_empty: u32) -> Self {
        Self { random: SplitMix64::new(seed), least_empty, most_empty }
    }
}

impl Iterator for RandomPositions {
    type Item = Game;

    fn next(&mut self) -> Option<Game> {
        let range = u64::from(self.most_empty - self.least_empty + 1);
        loop {
            let empty = self.least_empty + u32::try_from(self.random.below(range)).ok()?;
            let mut game = Game::default();
            while game.empty_points() > empty && !game.is_over() {
                let placements = game.placements();
                let count = u64::from(placements.count_ones());
                let nth = usize::try_from(self.random.below(count.max(1))).ok()?;
                game = points(placements).nth(nth).map_or_else(|| game.pass(), |point| game.place(point));
            }
            if leaves_a_choice(&game) {
                return Some(game);
            }
        }
    }
}
