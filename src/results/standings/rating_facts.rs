//! The facts about the ratings in standings of games with any number of seats.

use super::{Anchor, GroupStandings, Standings};
use crate::results::rating::{Basis, Bootstrap, PlayerGroups, Prior, Rating};

/// How the ratings were computed, and which players have a rating.
#[derive(Clone, Debug, PartialEq)]
pub struct RatingFacts<'s> {
    /// The players whose ratings were given.
    pub anchors: &'s [Anchor],
    /// How many rated games a player needs for a rank.
    pub min_games: u64,
    /// What the ratings assume before the first game.
    pub prior: Prior,
    /// How many components of rated players there are.
    pub components: usize,
    /// How games connect the rated players.
    pub connection: PlayerGroups,
    /// The bootstrap that computed the error bars, if the normal approximation was not used.
    pub bootstrap: Option<Bootstrap>,
    /// The players, best first.
    pub rows: Vec<RatedRow>,
}

/// A player's rating, without the player's name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RatedRow {
    /// Whether the player has a rank.
    pub has_rank: bool,
    /// The player's rating; `None` without a rated game.
    pub rating: Option<Rating>,
    /// What the rating is based on.
    pub basis: Basis,
}

impl RatingFacts<'_> {
    /// Whether every player has a rated game.
    pub fn are_all_rated(&self) -> bool {
        self.rows.iter().all(|row| row.rating.is_some())
    }
}

impl Standings {
    /// The facts about the ratings in these standings.
    pub fn rating_facts(&self) -> RatingFacts<'_> {
        let row =
            |row: &super::PlayerRow| RatedRow { has_rank: row.rank.is_some(), rating: row.rating, basis: row.basis };
        RatingFacts {
            anchors: self.anchors(),
            min_games: self.min_games(),
            prior: self.prior(),
            components: self.components(),
            connection: self.connection(),
            bootstrap: self.bootstrap(),
            rows: self.rows().iter().map(row).collect(),
        }
    }
}

impl GroupStandings {
    /// The facts about the ratings in these standings.
    pub fn rating_facts(&self) -> RatingFacts<'_> {
        let row =
            |row: &super::GroupRow| RatedRow { has_rank: row.rank.is_some(), rating: row.rating, basis: row.basis };
        RatingFacts {
            anchors: self.anchors(),
            min_games: self.min_games(),
            prior: self.prior(),
            components: self.components(),
            connection: self.connection(),
            bootstrap: None,
            rows: self.rows().iter().map(row).collect(),
        }
    }
}
