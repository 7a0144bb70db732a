//! The table of the players' rank chances.

use super::column::{RoundedFigure, TableColumn, grid};
use super::standings_columns::{of_player, shown_elo};
use super::text_table::Grid;
use crate::results::rating::RankChances;
use crate::results::standings::{PlayerRow, Standings};

/// The table's title.
pub(super) const TITLE: &str = "Chance in % of being the strongest, and the 95% range of the true rank";

/// The note that replaces the table if there are no chances.
pub(super) const NOT_COMPARABLE: &str =
    "Ranks cannot be estimated: without a prior, the games do not link all players. Leave out --no-prior.";

/// The note that replaces an empty table.
pub(super) const NOBODY: &str = "Ranks cannot be estimated: no player has a rank, which requires at least as many rated games as --min-games \
    specifies.";

/// A column of the chances of players with a rank.
type RankColumn<'s> = TableColumn<'s, RankChances>;

/// The figures of a player with a rank.
pub(super) fn columns<'s>() -> Vec<RankColumn<'s>> {
    vec![
        // A further decimal would only show the noise of the draws.
        RankColumn::new("first_probability", "first", |chances| RoundedFigure::to(3, chances.first).percentage()),
        RankColumn::for_programs("best", |chances| chances.best).csv_name("rank_best"),
        RankColumn::for_programs("worst", |chances| chances.worst).csv_name("rank_worst"),
        RankColumn::for_people(
            "ranks",
            |RankChances { best, worst, .. }| {
                if best == worst { best.to_string() } else { format!("{best}-{worst}") }
            },
        ),
    ]
}

/// One line per player with a rank, in the order of the standings.
pub(super) fn table(standings: &Standings, chances: &[RankChances]) -> Grid {
    let mut all: Vec<TableColumn<'_, (&PlayerRow, &RankChances)>> = of_player(|(row, _)| row).into();
    all.push(shown_elo().of(|(row, _)| row));
    all.extend(columns().into_iter().map(|column| column.of(|(_, chances): (&PlayerRow, &RankChances)| *chances)));
    grid(&all, standings.rows().iter().zip(chances))
}
