//! Chances of ranks: as a table, as CSV columns and as a JSON object.

use serde::Serialize;

use super::text_table::Grid;
use crate::results::rating::RankChances;
use crate::results::standings::Standings;

/// The table's title.
pub(super) const TITLE: &str = "Chance in % of being the strongest, and the ranks that hold the true one with 95 %";

/// What stands there instead of the table if there are no chances.
pub(super) const NOT_COMPARABLE: &str =
    "No chances of ranks: without a prior, the games do not compare all players. Leave out --no-prior.";

/// What stands there instead of an empty table.
pub(super) const NOBODY: &str =
    "No chances of ranks: nobody has a rank, which takes as many rated games as --min-games says.";

/// The columns in CSV, after a player's own.
pub(super) const COLUMNS: [&str; 3] = ["first_probability", "rank_best", "rank_worst"];

/// The object in JSON, with the values of [`COLUMNS`].
#[derive(Serialize)]
pub(super) struct RanksObject {
    first_probability: f64,
    best: usize,
    worst: usize,
}

impl From<&RankChances> for RanksObject {
    fn from(chances: &RankChances) -> Self {
        // A further decimal would be noise of the draws.
        let first_probability = (chances.first * 1e3).round() / 1e3;
        Self { first_probability, best: chances.best, worst: chances.worst }
    }
}

/// A player's values for [`COLUMNS`], which are empty without a rank.
pub(super) fn fields(chances: Option<&RankChances>) -> [String; COLUMNS.len()] {
    chances.map_or_else(Default::default, |chances| {
        let object = RanksObject::from(chances);
        [object.first_probability.to_string(), object.best.to_string(), object.worst.to_string()]
    })
}

/// One line per player with a rank, in the order of the standings.
pub(super) fn grid(standings: &Standings, chances: &[RankChances]) -> Grid {
    let mut grid = Grid::new(["#", "player", "Elo", "first", "ranks"]);
    for (row, RankChances { first, best, worst }) in standings.rows().iter().zip(chances) {
        let ranks = if best == worst { best.to_string() } else { format!("{best}-{worst}") };
        let elo = format!("{:.1}", row.shown_rating("-"));
        grid.push(vec![row.shown_rank("-"), row.player.clone(), elo, format!("{:.1}", 100.0 * first), ranks]);
    }
    grid
}
