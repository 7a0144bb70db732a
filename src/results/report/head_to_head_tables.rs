//! Head to head beside what the fit expects: as tables, as CSV columns and as JSON objects.

use std::collections::BTreeMap;

use serde::Serialize;

use super::standings_notes::points;
use super::text_table::Grid;
use crate::results::rating::{Elo, HeadToHead};
use crate::results::standings::{Opposition, Standings};

/// The title of the table of players.
pub(super) const ALL_TITLE: &str = "Points and those that the ratings predict, mean Elo of the opponents, performance";

/// The title of the table of pairings.
pub(super) const TITLE: &str = "Head to head: points of the player, and those that the ratings predict";

/// The columns in CSV that every player has.
pub(super) const COLUMNS: [&str; 3] = ["expected", "opponents_elo", "performance"];

/// One pairing in JSON, as a player sees it.
#[derive(Serialize)]
pub(super) struct PairingObject {
    games: u64,
    wins: u64,
    draws: u64,
    losses: u64,
    score: f64,
    expected: f64,
    difference: f64,
    deviation: f64,
}

impl From<&HeadToHead> for PairingObject {
    fn from(pairing: &HeadToHead) -> Self {
        let games = pairing.games;
        Self {
            games: games.games(),
            wins: games.wins,
            draws: games.draws,
            losses: games.losses,
            score: pairing.score(),
            expected: four_decimals(pairing.expected),
            difference: four_decimals(pairing.score() - pairing.expected),
            deviation: four_decimals(pairing.deviation()),
        }
    }
}

/// A player's values for [`COLUMNS`].
pub(super) fn fields(own: &Opposition) -> [String; COLUMNS.len()] {
    let elo = |elo: Option<Elo>| elo.map(|elo| elo.to_string()).unwrap_or_default();
    let expected = if own.games > 0 { four_decimals(own.expected).to_string() } else { String::new() };
    [expected, elo(own.opponents), elo(own.performance)]
}

/// The pairings of the player in `row`, by the opponent's name.
pub(super) fn objects<'s>(
    standings: &'s Standings,
    met: &[HeadToHead],
    row: usize,
) -> BTreeMap<&'s str, PairingObject> {
    let seen = met.iter().flat_map(|pairing| [*pairing, pairing.reversed()]).filter(|pairing| pairing.player == row);
    seen.map(|pairing| (standings.rows()[pairing.other].player.as_str(), PairingObject::from(&pairing))).collect()
}

/// One line per player with a rated game.
pub(super) fn all_grid(standings: &Standings, opposition: &[Opposition]) -> Grid {
    let mut grid = Grid::new(["#", "player", "games", "points", "expected", "diff.", "opponents", "perf."]);
    let elo = |elo: Option<Elo>| elo.map_or_else(|| "-".to_owned(), |elo| format!("{elo:.1}"));
    for (row, own) in standings.rows().iter().zip(opposition).filter(|(_, own)| own.games > 0) {
        grid.push(vec![
            row.shown_rank("-"),
            row.player.clone(),
            own.games.to_string(),
            own.score.to_string(),
            format!("{:.2}", own.expected),
            signed(own.score - own.expected),
            elo(own.opponents),
            elo(own.performance),
        ]);
    }
    grid
}

/// One line per pairing.
pub(super) fn grid(standings: &Standings, met: &[HeadToHead]) -> Grid {
    let mut grid = Grid::new(["#", "player", "opponent", "games", "W-D-L", "points", "expected", "diff.", "in sd"]);
    for pairing in met {
        let (row, other) = (&standings.rows()[pairing.player], &standings.rows()[pairing.other]);
        let games = pairing.games;
        grid.push(vec![
            row.shown_rank("-"),
            row.player.clone(),
            other.player.clone(),
            games.games().to_string(),
            format!("{}-{}-{}", games.wins, games.draws, games.losses),
            points(games),
            format!("{:.2}", pairing.expected),
            signed(pairing.score() - pairing.expected),
            signed(pairing.deviation()),
        ]);
    }
    grid
}

/// Two decimals with a sign, unless they are zeros.
fn signed(value: f64) -> String {
    format!("{:+.2}", Elo(value))
}

pub(super) fn four_decimals(value: f64) -> f64 {
    // The sum turns a negative zero into zero.
    (value * 1e4).round() / 1e4 + 0.0
}
