//! The input of a fit: counts of results for each ordered pair of players.

use std::collections::{HashMap, HashSet};
use std::ops::{Add, AddAssign, SubAssign};

use super::anchors::Tie;
use crate::game::Side;

/// Numbers of wins, draws and losses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Wdl {
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
}

impl Wdl {
    /// Returns the count, from `side`'s point of view, for one game won by `winner`.
    pub fn game(side: Side, winner: Option<Side>) -> Self {
        match winner {
            None => Self { draws: 1, ..Self::default() },
            Some(winner) if winner == side => Self { wins: 1, ..Self::default() },
            Some(_) => Self { losses: 1, ..Self::default() },
        }
    }

    /// Returns the number of games.
    pub const fn games(self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Returns twice the points: 2 for a win, 1 for a draw.
    pub const fn half_points(self) -> u64 {
        2 * self.wins + self.draws
    }

    /// Returns the same games from the other side's point of view.
    #[must_use]
    pub const fn reversed(self) -> Self {
        Self { wins: self.losses, draws: self.draws, losses: self.wins }
    }
}

impl Add for Wdl {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { wins: self.wins + other.wins, draws: self.draws + other.draws, losses: self.losses + other.losses }
    }
}

impl AddAssign for Wdl {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl SubAssign for Wdl {
    /// Removes games that were previously added.
    fn sub_assign(&mut self, other: Self) {
        self.wins -= other.wins;
        self.draws -= other.draws;
        self.losses -= other.losses;
    }
}

/// The rated games of a field, counted for each ordered pair of players, so the memory needed depends only on the
/// number of pairs.
#[derive(Clone, Debug, Default)]
pub struct PairResults {
    indices: HashMap<String, usize>,
    pairs: HashMap<(usize, usize), Wdl>,
}

impl PairResults {
    /// Adds `name` as a player of the field, even without games. Returns the player's index, which never changes.
    pub fn player(&mut self, name: &str) -> usize {
        if let Some(&index) = self.indices.get(name) {
            return index;
        }
        let index = self.indices.len();
        self.indices.insert(name.to_owned(), index);
        index
    }

    /// Adds games of `black` against `white`, from black's point of view. Both are indices from
    /// [`PairResults::player`].
    pub fn add(&mut self, black: usize, white: usize, games: Wdl) {
        *self.pairs.entry((black, white)).or_default() += games;
    }

    /// Undoes [`PairResults::add`].
    pub fn take_back(&mut self, black: usize, white: usize, games: Wdl) {
        *self.pairs.entry((black, white)).or_default() -= games;
    }

    /// Returns the games of all ordered pairs that met, from black's point of view, in no particular order.
    pub fn pairs(&self) -> impl Iterator<Item = ((usize, usize), Wdl)> {
        self.pairs.iter().map(|(&pair, &games)| (pair, games))
    }

    /// Returns the games of `black` against `white`, from black's point of view.
    pub fn pair(&self, black: usize, white: usize) -> Wdl {
        self.pairs.get(&(black, white)).copied().unwrap_or_default()
    }

    /// Returns all rated games, from black's point of view.
    pub fn total(&self) -> Wdl {
        self.pairs.values().fold(Wdl::default(), |sum, &pair| sum + pair)
    }

    /// Returns the players in the order of their names, with their indices.
    pub fn players(&self) -> impl Iterator<Item = (&str, usize)> {
        let mut players: Vec<_> = self.indices.iter().map(|(name, &index)| (name.as_str(), index)).collect();
        players.sort_unstable();
        players.into_iter()
    }

    /// Returns the same results in an order that depends only on the names, without players that have no games.
    pub(super) fn canonical(&self) -> Field {
        let met = self.pairs.iter().filter(|(_, games)| games.games() > 0);
        let with_games: HashSet<usize> = met.clone().flat_map(|(&(black, white), _)| [black, white]).collect();
        let mut rank = vec![0; self.indices.len()];
        let mut names = Vec::with_capacity(rank.len());
        for (name, index) in self.players().filter(|(_, index)| with_games.contains(index)) {
            rank[index] = names.len();
            names.push(name.to_owned());
        }
        let mut cells: Vec<Cell> =
            met.map(|(&(black, white), &games)| Cell { black: rank[black], white: rank[white], games }).collect();
        cells.sort_unstable_by_key(|cell| (cell.black, cell.white));
        Field { names, cells, ties: Vec::new(), centres: None, successions: Vec::new() }
    }
}

/// [`PairResults`] in canonical order, and the rest of a fit's input.
#[derive(Clone, Debug)]
pub(super) struct Field {
    /// The players' names, sorted.
    pub(super) names: Vec<String>,
    /// The pairs that met, sorted.
    pub(super) cells: Vec<Cell>,
    /// The anchors, sorted.
    pub(super) ties: Vec<Tie>,
    /// The means of the priors on the ratings, the advantage and `ln nu`, if they differ from the defaults.
    pub(super) centres: Option<Vec<f64>>,
    /// The players that succeed others, each at most once.
    pub(super) successions: Vec<Succession>,
}

/// A player whose prior is centred on another player's rating instead of on 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Succession {
    pub(super) player: usize,
    pub(super) predecessor: usize,
}

/// The games of one ordered pair, from black's point of view.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    pub(super) black: usize,
    pub(super) white: usize,
    pub(super) games: Wdl,
}
