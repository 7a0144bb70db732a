//! What players used: as a table, as CSV columns and as a JSON object.

use serde::Serialize;

use super::text_table::Grid;
use crate::referee::usage::Total;
use crate::results::standings::{PlayerRow, Standings};

/// The table's title.
pub(super) const TITLE: &str = "Used in the games with figures; CPU and wall times in seconds, bytes in MiB";

/// The columns in CSV, after a player's own.
pub(super) const COLUMNS: [&str; 10] = [
    "usage_games",
    "user_seconds",
    "system_seconds",
    "cpu_seconds_per_game",
    "wall_seconds",
    "cpu_share",
    "peak_memory",
    "processes",
    "written",
    "idle_time_losses",
];

/// The object in JSON, in the order and with the values of [`COLUMNS`].
#[derive(Serialize)]
pub(super) struct UsageObject {
    games: u64,
    user_seconds: f64,
    system_seconds: f64,
    cpu_seconds_per_game: Option<f64>,
    wall_seconds: f64,
    cpu_share: Option<f64>,
    peak_memory: u64,
    processes: u64,
    written: u64,
    idle_time_losses: u64,
}

impl From<&PlayerRow> for UsageObject {
    fn from(row: &PlayerRow) -> Self {
        let total = &row.usage;
        Self {
            games: total.games,
            user_seconds: total.user.as_secs_f64(),
            system_seconds: total.system.as_secs_f64(),
            cpu_seconds_per_game: total.cpu_per_game().map(six_decimals),
            wall_seconds: total.wall.as_secs_f64(),
            cpu_share: total.cpu_share().map(six_decimals),
            peak_memory: total.peak_memory,
            processes: total.processes,
            written: total.written,
            idle_time_losses: row.idle_time_losses,
        }
    }
}

/// A player's values for [`COLUMNS`], which are those of its [`UsageObject`].
pub(super) fn fields(row: &PlayerRow) -> [String; COLUMNS.len()] {
    let object = UsageObject::from(row);
    let seconds = |seconds: f64| format!("{seconds:.6}");
    let known = |value: Option<f64>| value.map(seconds).unwrap_or_default();
    [
        object.games.to_string(),
        seconds(object.user_seconds),
        seconds(object.system_seconds),
        known(object.cpu_seconds_per_game),
        seconds(object.wall_seconds),
        known(object.cpu_share),
        object.peak_memory.to_string(),
        object.processes.to_string(),
        object.written.to_string(),
        object.idle_time_losses.to_string(),
    ]
}

/// One line per player, in the order of the standings.
pub(super) fn grid(standings: &Standings) -> Grid {
    let mut grid = Grid::new([
        "#",
        "player",
        "games",
        "user",
        "system",
        "CPU/game",
        "wall",
        "CPU/wall",
        "peak memory",
        "processes",
        "written",
        "idle losses",
    ]);
    for row in standings.rows() {
        let mut cells = vec![row.shown_rank("-"), row.player.clone()];
        cells.extend(cells_of(&row.usage));
        cells.push(row.idle_time_losses.to_string());
        grid.push(cells);
    }
    grid
}

/// The cells between the name and the losses: dashes if no game has figures.
fn cells_of(total: &Total) -> [String; 9] {
    if total.games == 0 {
        return std::array::from_fn(|cell| if cell == 0 { "0" } else { "-" }.to_owned());
    }
    let known = |value: Option<f64>, text: fn(f64) -> String| value.map_or_else(|| "-".to_owned(), text);
    [
        total.games.to_string(),
        format!("{:.3}", total.user.as_secs_f64()),
        format!("{:.3}", total.system.as_secs_f64()),
        known(total.cpu_per_game(), |seconds| format!("{seconds:.3}")),
        format!("{:.3}", total.wall.as_secs_f64()),
        known(total.cpu_share(), |share| format!("{:.1} %", 100.0 * share)),
        mebibytes(total.peak_memory),
        total.processes.to_string(),
        mebibytes(total.written),
    ]
}

fn mebibytes(bytes: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "shown to three decimals")]
    let bytes = bytes as f64;
    format!("{:.3}", bytes / f64::from(1 << 20))
}

fn six_decimals(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}
