//! What each machine did, and whether its results are like those of the others: as text and as JSON.

use std::time::Duration;

use serde::Serialize;

use super::fit_table::{DOUBTFUL, p_value_text, significant};
use super::head_to_head_tables::four_decimals;
use super::text_table::{Grid, Look, shown};
use crate::referee::pace::Speed;
use crate::results::rating::Goodness;
use crate::results::standings::{MachineRow, Standings};

/// The table's title.
pub(super) const TITLE: &str = "Machines; lateness in milliseconds";

/// What is said if the standings do not know who played.
pub(super) const UNKNOWN: &str = "Which machine played a game is known from the directory of a run alone.";

/// A machine in JSON.
#[derive(Serialize)]
pub(super) struct MachineObject<'s> {
    machine: &'s str,
    kind: &'static str,
    /// In nodes a second.
    speed: Option<Speed>,
    games: u64,
    voids: u64,
    time_losses: u64,
    idle_time_losses: u64,
    late_seconds: Option<f64>,
    latest_seconds: Option<f64>,
    rated: u64,
    chi_squared: f64,
    degrees_of_freedom: u32,
    p_value: Option<f64>,
    strangest_player: Option<&'s str>,
    strangest_excess: Option<f64>,
    differs: bool,
}

/// All machines; `None` if the standings do not know who played.
pub(super) fn objects(standings: &Standings) -> Option<Vec<MachineObject<'_>>> {
    Some(standings.machines()?.iter().map(MachineObject::from).collect())
}

impl<'s> From<&'s MachineRow> for MachineObject<'s> {
    fn from(row: &'s MachineRow) -> Self {
        Self {
            machine: row.machine.name(),
            kind: row.machine.kind(),
            speed: row.speed,
            games: row.games,
            voids: row.voids,
            time_losses: row.time_losses,
            idle_time_losses: row.idle_time_losses,
            late_seconds: row.late.map(|late| late.as_secs_f64()),
            latest_seconds: row.latest.map(|latest| latest.as_secs_f64()),
            rated: row.fit.games,
            chi_squared: four_decimals(row.fit.chi_squared),
            degrees_of_freedom: row.fit.degrees,
            p_value: row.fit.p_value.map(significant),
            strangest_player: row.strangest.as_ref().map(|(player, _)| player.as_str()),
            strangest_excess: row.strangest.as_ref().map(|(_, excess)| four_decimals(*excess)),
            differs: row.fit.differs,
        }
    }
}

/// A line for each machine.
pub(super) fn grid(rows: &[MachineRow]) -> Grid {
    let mut grid = Grid::new([
        "line",
        "machine",
        "speed",
        "games",
        "void",
        "time losses",
        "idle losses",
        "late",
        "latest",
        "chi-squared",
        "d.f.",
        "p",
    ]);
    let milliseconds =
        |late: Option<Duration>| late.map_or_else(dash, |late| format!("{:.3}", late.as_secs_f64() * 1e3));
    for (number, row) in (1..).zip(rows) {
        let MachineRow { machine, speed, games, voids, time_losses, idle_time_losses, late, latest, fit, strangest: _ } =
            row;
        grid.push(vec![
            i32::to_string(&number),
            machine.to_string(),
            speed.map_or_else(dash, Speed::shown),
            games.to_string(),
            voids.to_string(),
            time_losses.to_string(),
            idle_time_losses.to_string(),
            milliseconds(*late),
            milliseconds(*latest),
            fit.p_value.map_or_else(dash, |_| format!("{:.2}", fit.chi_squared)),
            fit.degrees.to_string(),
            fit.p_value.map_or_else(dash, |p| if p < 0.0001 { "< 0.0001".to_owned() } else { format!("{p:.4}") }),
        ]);
    }
    grid
}

fn dash() -> String {
    "-".to_owned()
}

/// What follows from the table, one sentence or two per line. `goodness` is that of all ratings.
pub(super) fn notes(rows: &[MachineRow], goodness: &Goodness, look: Look) -> Vec<String> {
    let odd: Vec<&MachineRow> = rows.iter().filter(|row| row.fit.differs).collect();
    if odd.is_empty() {
        let judged = rows.iter().filter(|row| row.fit.p_value.is_some()).count();
        return vec![match judged {
            0 => "No two machines have played rated games of the same players, so there is nothing to compare."
                .to_owned(),
            _ => "No machine's results differ from those of the others by more than chance explains.".to_owned(),
        }];
    }
    let mut notes: Vec<String> = odd.iter().map(|row| verdict(row, look)).collect();
    if odd.len() == 2 && rows.iter().filter(|row| row.fit.games > 0).count() == 2 {
        notes.push("With two machines, nothing shows which of them is odd: a third one would.".to_owned());
    }
    if goodness.p_value.is_some_and(|p| p < DOUBTFUL) {
        notes.push(
            "The ratings do not explain the results as a whole (see --show fit), so a machine that played other pairings than the \
             others may differ for that reason alone."
                .to_owned(),
        );
    }
    notes.push(
        "Compare speed, lateness, time losses, other load and the versions of toolchains there with those of the other machines. If \
         something is wrong, stop its worker, mend it, and play again what it played (`run --redo GAME`); its logs are those with its \
         name in the tag `Worker`."
            .to_owned(),
    );
    notes
}

/// What is odd about the machine of `row`.
fn verdict(row: &MachineRow, look: Look) -> String {
    let (machine, p) = (shown(&row.machine.to_string(), look), row.fit.p_value.map(p_value_text).unwrap_or_default());
    let most = row.strangest.as_ref().map(|(player, excess)| {
        let direction = if *excess < 0.0 { "fewer" } else { "more" };
        format!(": {} scored {:.1} points {direction} there than elsewhere", shown(player, look), excess.abs())
    });
    format!("{machine} played differently from the others ({p}){}.", most.unwrap_or_default())
}
