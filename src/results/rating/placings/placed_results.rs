//! The input of a fit: placings, and how many times each player was placed ahead of each of the others.

use std::collections::HashMap;

use crate::game::{BySeat, MOST_SEATS};
use crate::results::rating::Wdl;
use crate::results::rating::pair_results::{Field, PairResults};

/// The players of a game by seat, as indices from [`PlacedResults::player`], and the place of each seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PlacedGame {
    /// The elements after the last seat are 0.
    players: [u32; MOST_SEATS],
    placing: [u8; MOST_SEATS],
}

impl PlacedGame {
    /// Creates the game of `players` with this `placing`.
    pub fn new(players: &BySeat<usize>, placing: &BySeat<u8>) -> Self {
        let mut game = Self { players: [0; MOST_SEATS], placing: [0; MOST_SEATS] };
        for (seat, &player) in players.iter() {
            game.players[seat.index()] = u32::try_from(player).unwrap_or(u32::MAX);
        }
        for (seat, &place) in placing.iter() {
            game.placing[seat.index()] = place;
        }
        game
    }

    /// Returns the player and the place of each of `seats` seats.
    pub(super) fn seats(&self, seats: usize) -> impl Iterator<Item = (usize, u8)> + Clone {
        let players = self.players.into_iter().map(|player| usize::try_from(player).unwrap_or(usize::MAX));
        players.zip(self.placing).take(seats)
    }

    /// Returns the players of each pair of different seats, with the result from the first player's point of view: the
    /// player that is placed ahead of the other is the winner. The player with the lower index comes first.
    pub(in crate::results) fn pairs(&self, seats: u8) -> impl Iterator<Item = ((usize, usize), Wdl)> {
        let all = self.seats(seats.into());
        let pairs =
            all.clone().enumerate().flat_map(move |(i, one)| all.clone().skip(i + 1).map(move |other| (one, other)));
        pairs.map(|((one, place), (other, others))| {
            let result = Wdl {
                wins: u64::from(place < others),
                draws: u64::from(place == others),
                losses: u64::from(place > others),
            };
            if one <= other { ((one, other), result) } else { ((other, one), result.reversed()) }
        })
    }
}

/// The rated games of a field with a given number of seats.
#[derive(Clone, Debug)]
pub struct PlacedResults {
    seats: u8,
    /// The results of each pair, in games that both played; a player that was placed ahead of the other counts as the
    /// winner.
    pairs: PairResults,
    games: HashMap<PlacedGame, u64>,
}

impl PlacedResults {
    /// A field for games with `seats` seats, without any games yet.
    pub fn new(seats: u8) -> Self {
        Self { seats, pairs: PairResults::default(), games: HashMap::new() }
    }

    /// The number of seats of each game.
    pub const fn seats(&self) -> u8 {
        self.seats
    }

    /// Adds `name` as a player of the field, even without games. Returns the player's index, which never changes.
    pub fn player(&mut self, name: &str) -> usize {
        self.pairs.player(name)
    }

    /// Returns the players in the order of their names, with their indices.
    pub fn players(&self) -> impl Iterator<Item = (&str, usize)> {
        self.pairs.players()
    }

    /// Adds a game.
    pub fn add(&mut self, game: PlacedGame) {
        *self.games.entry(game).or_default() += 1;
        for ((one, other), result) in game.pairs(self.seats) {
            self.pairs.add(one, other, result);
        }
    }

    /// Undoes [`PlacedResults::add`].
    pub fn take_back(&mut self, game: PlacedGame) {
        if let Some(count) = self.games.get_mut(&game) {
            *count -= 1;
            if *count == 0 {
                self.games.remove(&game);
            }
        }
        for ((one, other), result) in game.pairs(self.seats) {
            self.pairs.take_back(one, other, result);
        }
    }

    /// Returns how many times `player` was placed ahead of `other`, shared a place with it, and was placed behind it.
    pub fn versus(&self, player: usize, other: usize) -> Wdl {
        if player <= other { self.pairs.pair(player, other) } else { self.pairs.pair(other, player).reversed() }
    }

    pub(super) const fn pairs(&self) -> &PairResults {
        &self.pairs
    }

    /// Returns the same results in an order that depends only on the names, without players that have no games.
    pub(super) fn canonical(&self) -> PlacedField {
        let field = self.pairs.canonical();
        let mut rank = vec![u32::MAX; self.pairs.players().count()];
        for (name, index) in self.pairs.players() {
            if let Ok(place) = field.names.binary_search_by(|known| known.as_str().cmp(name)) {
                rank[index] = u32::try_from(place).unwrap_or(u32::MAX);
            }
        }
        let seats = usize::from(self.seats);
        let renamed = |(game, count): (&PlacedGame, &u64)| {
            let mut game = *game;
            for player in &mut game.players[..seats] {
                *player = rank[usize::try_from(*player).unwrap_or(usize::MAX)];
            }
            (game, *count)
        };
        let mut games: Vec<(PlacedGame, u64)> = self.games.iter().map(renamed).collect();
        games.sort_unstable();
        PlacedField { field, games, seats }
    }
}

/// [`PlacedResults`] in canonical order.
pub(super) struct PlacedField {
    /// The players, the anchors, and, for each pair of players, how many times each was placed ahead of the other.
    pub(super) field: Field,
    /// The games, each with the number of times it occurs.
    pub(super) games: Vec<(PlacedGame, u64)>,
    pub(super) seats: usize,
}
