//! The resources that the players used.

use super::column::{RoundedFigure, TableCell, grid};
use super::standings_columns::{PlayerColumn, of_player};
use super::text_table::Grid;
use crate::results::standings::{PlayerRow, Standings};

/// The table's title.
pub(super) const TITLE: &str = "Used in the games with figures; CPU and wall times in seconds, bytes in MiB";

/// The columns of a player's figures.
pub(super) fn columns<'s>() -> Vec<PlayerColumn<'s>> {
    vec![
        PlayerColumn::new("games", "games", |row| row.usage.games).csv_name("usage_games"),
        PlayerColumn::new("user_seconds", "user", |row| measured(row, row.usage.user)),
        PlayerColumn::new("system_seconds", "system", |row| measured(row, row.usage.system)),
        PlayerColumn::new("cpu_seconds_per_game", "CPU/game", |row| {
            row.usage.cpu_per_game().map(|seconds| RoundedFigure::to(6, seconds).padded().shown_to(3))
        }),
        PlayerColumn::new("wall_seconds", "wall", |row| measured(row, row.usage.wall)),
        PlayerColumn::new("cpu_share", "CPU/wall", |row| {
            row.usage.cpu_share().map(|share| RoundedFigure::to(6, share).padded().share())
        }),
        PlayerColumn::new("peak_memory", "peak memory", |row| measured(row, TableCell::Bytes(row.usage.peak_memory))),
        PlayerColumn::new("processes", "processes", |row| measured(row, row.usage.processes)),
        PlayerColumn::new("written", "written", |row| measured(row, TableCell::Bytes(row.usage.written))),
        PlayerColumn::new("idle_time_losses", "idle losses", |row| row.idle_time_losses),
    ]
}

/// The cell for `figure`, which people see only if figures are known for at least one game.
fn measured<'s>(row: &PlayerRow, figure: impl Into<TableCell<'s>>) -> TableCell<'s> {
    if row.usage.games == 0 { TableCell::ForPrograms(Box::new(figure.into())) } else { figure.into() }
}

/// One line per player, in the order of the standings.
pub(super) fn table(standings: &Standings) -> Grid {
    let columns: Vec<_> = of_player(|row| row).into_iter().chain(columns()).collect();
    grid(&columns, standings.rows())
}
