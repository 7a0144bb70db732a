//! The players and the seats of games with more than two seats, with their figures, as JSON.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::base::digits::rounded;
use crate::base::sanitise::sanitised;
use crate::page::shown::rating_history::whole;
use crate::results::standings::{GroupRow, PlacingTotals, SeatRow};

/// The games, the points and the places of a player or of a seat, as JSON.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct PlacingFigures {
    games: u64,
    pts: f64,
    mean: Option<f64>,
    /// How many times the player or the seat was first, second, and so on.
    places: Vec<u64>,
}

impl From<&PlacingTotals> for PlacingFigures {
    fn from(totals: &PlacingTotals) -> Self {
        Self {
            games: totals.games,
            pts: totals.points(),
            mean: totals.mean_placing().map(|mean| rounded(mean, 4)),
            places: totals.places.clone(),
        }
    }
}

/// A player in games with more than two seats, as JSON.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PageGroupPlayer {
    /// The name, sanitised for display.
    #[serde(rename = "n")]
    pub name: String,
    #[serde(rename = "s")]
    pub(super) slug: String,
    rank: usize,
    elo: Option<i64>,
    e95: Option<i64>,
    #[serde(flatten)]
    total: PlacingFigures,
    /// The figures in each seat, seat 1 first.
    seats: Vec<PlacingFigures>,
    f: BTreeMap<&'static str, u64>,
    #[serde(rename = "comp", skip_serializing_if = "Option::is_none")]
    component: Option<usize>,
}

impl PageGroupPlayer {
    /// The player called `name` before its first game, in a tournament of games with `seats` seats.
    pub(crate) fn without_games(seats: u8, name: &str, slug: String, rank: usize) -> Self {
        let none = PlacingFigures { games: 0, pts: 0.0, mean: None, places: vec![0; seats.into()] };
        Self {
            name: sanitised(name),
            slug,
            rank,
            elo: None,
            e95: None,
            seats: vec![none.clone(); seats.into()],
            total: none,
            f: BTreeMap::new(),
            component: None,
        }
    }

    /// The player of `row`, with `slug` in its links. A player without a rank has the rank `last`.
    pub(crate) fn new(row: &GroupRow, slug: String, last: usize) -> Self {
        Self {
            name: sanitised(&row.player),
            slug,
            rank: row.rank.unwrap_or(last),
            elo: row.finite_rating().map(whole),
            e95: row.error95.map(whole),
            total: PlacingFigures::from(&row.total),
            seats: row.by_seat.values().map(PlacingFigures::from).collect(),
            f: row.forfeits.iter().map(|(kind, &times)| (kind.name(), times)).collect(),
            component: row.rated_component(),
        }
    }
}

/// A seat with the games of all players in it, as JSON.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct SeatFigures {
    /// The advantage in Elo over the average seat, if it is finite, and half its 95% interval.
    elo: Option<i64>,
    e95: Option<i64>,
    #[serde(flatten)]
    total: PlacingFigures,
}

impl From<&SeatRow> for SeatFigures {
    fn from(row: &SeatRow) -> Self {
        Self {
            elo: row.effect.and_then(|effect| effect.advantage.finite()).map(whole),
            e95: row.effect.and_then(|effect| effect.error95).map(whole),
            total: PlacingFigures::from(&row.total),
        }
    }
}
