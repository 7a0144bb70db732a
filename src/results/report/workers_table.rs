//! The games of each machine, and whether its results are like those of the other machines.

use super::column::{JsonObject, RoundedFigure, TableCell, TableColumn, grid};
use super::fit_table::{DOUBTFUL, p_value_text};
use super::text_table::{Grid, Look, shown};
use crate::referee::pace::Speed;
use crate::results::rating::Goodness;
use crate::results::standings::MachineRow;

/// The table's title.
pub(super) const TITLE: &str = "Machines; lateness in milliseconds";

/// The note for standings without information about which machines played.
pub(super) const UNKNOWN: &str = "Only the run directory shows which machine played each game.";

/// A column of the table of machines. A row is a machine with its line number.
type MachineColumn<'s> = TableColumn<'s, (usize, &'s MachineRow)>;

/// The figures of a machine.
fn columns<'s>() -> Vec<MachineColumn<'s>> {
    vec![
        MachineColumn::for_people("line", |(line, _)| line),
        MachineColumn::for_people("machine", |(_, row)| row.machine.to_string()),
        MachineColumn::in_json("machine", |(_, row)| row.machine.name()),
        MachineColumn::in_json("kind", |(_, row)| row.machine.kind()),
        MachineColumn::for_people("speed", |(_, row)| row.speed.map(Speed::shown)),
        // The unit is nodes per second.
        MachineColumn::in_json("speed", |(_, row)| row.speed.map(Speed::nodes_per_second)),
        MachineColumn::new("games", "games", |(_, row)| row.games),
        MachineColumn::new("voids", "void", |(_, row)| row.voids),
        MachineColumn::new("time_losses", "time losses", |(_, row)| row.time_losses),
        MachineColumn::new("idle_time_losses", "idle losses", |(_, row)| row.idle_time_losses),
        MachineColumn::new("late_seconds", "late", |(_, row)| row.late.map(TableCell::Milliseconds)),
        MachineColumn::new("latest_seconds", "latest", |(_, row)| row.latest.map(TableCell::Milliseconds)),
        MachineColumn::in_json("rated", |(_, row)| row.fit.games),
        MachineColumn::new("chi_squared", "chi-squared", |(_, row)| {
            let figure = TableCell::from(RoundedFigure::to(4, row.fit.chi_squared));
            if row.fit.p_value.is_none() { TableCell::ForPrograms(Box::new(figure)) } else { figure }
        }),
        MachineColumn::new("degrees_of_freedom", "d.f.", |(_, row)| row.fit.degrees),
        MachineColumn::new("p_value", "p", |(_, row)| row.fit.p_value.map(TableCell::PValue)),
        MachineColumn::in_json("strangest_player", |(_, row)| {
            row.strangest.as_ref().map(|(player, _)| player.as_str())
        }),
        MachineColumn::in_json("strangest_excess", |(_, row)| {
            row.strangest.as_ref().map(|(_, excess)| RoundedFigure::to(4, *excess))
        }),
        MachineColumn::in_json("differs", |(_, row)| row.fit.differs),
    ]
}

/// All machines in JSON.
pub(super) fn objects(rows: &[MachineRow]) -> Vec<TableCell<'_>> {
    let columns = columns();
    (1..).zip(rows).map(|row| JsonObject::of(&columns, row).into()).collect()
}

/// A line for each machine.
pub(super) fn table(rows: &[MachineRow]) -> Grid {
    grid(&columns(), (1..).zip(rows))
}

/// The conclusions from the table, one or two sentences per line. `goodness` describes the fit of all ratings.
pub(super) fn notes(rows: &[MachineRow], goodness: &Goodness, look: Look) -> Vec<String> {
    let odd: Vec<&MachineRow> = rows.iter().filter(|row| row.fit.differs).collect();
    if odd.is_empty() {
        let judged = rows.iter().filter(|row| row.fit.p_value.is_some()).count();
        return vec![match judged {
            0 => "No two machines have played rated games between the same players, so there is nothing to compare."
                .to_owned(),
            _ => "No machine's results differ from those of the others by more than chance would explain.".to_owned(),
        }];
    }
    let mut notes: Vec<String> = odd.iter().map(|row| verdict(row, look)).collect();
    if odd.len() == 2 && rows.iter().filter(|row| row.fit.games > 0).count() == 2 {
        notes.push(
            "With only two machines, it is impossible to tell which is at fault; a third would show it.".to_owned(),
        );
    }
    if goodness.p_value.is_some_and(|p| p < DOUBTFUL) {
        notes.push(
            "The ratings do not explain the results as a whole (see --show fit), so a machine whose pairings differ from those \
             of the others may deviate for that reason alone."
                .to_owned(),
        );
    }
    notes.push(
        "Compare its speed, lateness, time losses, other load and toolchain versions with those of the other machines. If \
         something is wrong, stop its worker, fix it, and replay its games (`run --redo GAME`); its logs are those with its \
         name in the tag `Worker`."
            .to_owned(),
    );
    notes
}

/// The sentence about how the machine in `row` deviates.
fn verdict(row: &MachineRow, look: Look) -> String {
    let (machine, p) = (shown(&row.machine.to_string(), look), row.fit.p_value.map(p_value_text).unwrap_or_default());
    let most = row.strangest.as_ref().map(|(player, excess)| {
        let direction = if *excess < 0.0 { "fewer" } else { "more" };
        format!(": {} scored {:.1} points {direction} there than elsewhere", shown(player, look), excess.abs())
    });
    format!("{machine} played differently from the others ({p}){}.", most.unwrap_or_default())
}
