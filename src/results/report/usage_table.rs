//! The resources that the players used.

use super::column::{RoundedFigure, TableCell, TableColumn, grid};
use super::standings_columns::of_player;
use super::text_table::Grid;
use crate::referee::usage::Total;
use crate::results::standings::{GroupRow, PlayerRow, Standings};

/// The table's title.
pub(super) const TITLE: &str =
    "Resources used in the games for which they are known; CPU and wall times in seconds, memory and writes in MiB";

/// The figures of a player.
#[derive(Clone, Copy)]
pub(super) struct PlayerUsage {
    total: Total,
    idle_time_losses: u64,
}

impl From<&PlayerRow> for PlayerUsage {
    fn from(row: &PlayerRow) -> Self {
        Self { total: row.usage, idle_time_losses: row.idle_time_losses }
    }
}

impl From<&GroupRow> for PlayerUsage {
    fn from(row: &GroupRow) -> Self {
        Self { total: row.usage, idle_time_losses: row.idle_time_losses }
    }
}

/// A column of players' figures.
type UsageColumn<'s> = TableColumn<'s, PlayerUsage>;

/// The columns of a player's figures.
pub(super) fn columns<'s>() -> Vec<UsageColumn<'s>> {
    vec![
        UsageColumn::new("games", "games", |row| row.total.games).csv_name("usage_games"),
        UsageColumn::new("user_seconds", "user", |row| measured(&row, row.total.user)),
        UsageColumn::new("system_seconds", "system", |row| measured(&row, row.total.system)),
        UsageColumn::new("cpu_seconds_per_game", "CPU/game", |row| {
            row.total.cpu_per_game().map(|seconds| RoundedFigure::to(6, seconds).padded().shown_to(3))
        }),
        UsageColumn::new("wall_seconds", "wall", |row| measured(&row, row.total.wall)),
        UsageColumn::new("cpu_share", "CPU/wall", |row| {
            row.total.cpu_share().map(|share| RoundedFigure::to(6, share).padded().share())
        }),
        UsageColumn::new("peak_memory", "peak memory", |row| measured(&row, TableCell::Bytes(row.total.peak_memory))),
        UsageColumn::new("processes", "processes", |row| measured(&row, row.total.processes)),
        UsageColumn::new("written", "written", |row| measured(&row, TableCell::Bytes(row.total.written))),
        UsageColumn::new("idle_time_losses", "idle losses", |row| row.idle_time_losses),
    ]
}

/// The cell for `figure`, which people see only if the usage is known for at least one game.
fn measured<'s>(row: &PlayerUsage, figure: impl Into<TableCell<'s>>) -> TableCell<'s> {
    if row.total.games == 0 { TableCell::ForPrograms(Box::new(figure.into())) } else { figure.into() }
}

/// One line per player, in the order of the standings.
pub(super) fn table(standings: &Standings) -> Grid {
    let usage = columns().into_iter().map(|column| column.of(|row: &PlayerRow| row.into()));
    let columns: Vec<_> = of_player(|row| row).into_iter().chain(usage).collect();
    grid(&columns, standings.rows())
}
