//! The standings of games with more than two seats as JSON and CSV. Scripts rely on the names of columns and fields.

use super::column::{JsonObject, TableColumn};
use super::csv_sheet::{CsvSheet, text_of};
use super::group_columns::{encounter, own, seat_objects, superiority};
use super::{Extra, Extras, ranks_table, usage_table};
use crate::results::rating::{RankChances, Wdl};
use crate::results::standings::{GroupRow, GroupStandings};
use crate::results::text_cell::text_cell;

/// The version of the JSON. docs/reference/schemas/group-standings.schema.json describes it.
const FORMAT: u32 = 1;

/// The standings as an array with an object for each player.
pub(super) fn json(standings: &GroupStandings, extras: Extras) -> String {
    let chances = rank_chances(standings, extras);
    let (own, seats) = (own(standings), seat_objects(standings));
    let object = |(index, row): (usize, _)| {
        let ranks = chances.get(index).map(|&chances| JsonObject::of(&ranks_table::columns(), chances));
        let usage = |row: &GroupRow| JsonObject::of(&usage_table::columns(), row.into());
        JsonObject::default()
            .with("format", FORMAT)
            .and(JsonObject::of(&own, row))
            .with("seat_advantages", seats.clone())
            .with_any("ranks", ranks)
            .with_any("head_to_head", extras.has(Extra::HeadToHead).then(|| encounters(standings, index)))
            .with_any("superiority", extras.has(Extra::Superiority).then(|| over_others(standings, index)))
            .with_any("usage", extras.has(Extra::Usage).then(|| usage(row)))
    };
    let objects: Vec<JsonObject<'_>> = standings.rows().iter().enumerate().map(object).collect();
    serde_json::to_string_pretty(&objects).expect("numbers and strings are JSON") + "\n"
}

/// How many times the player in the row `index` was placed ahead of each player that it has met.
fn encounters(standings: &GroupStandings, index: usize) -> JsonObject<'_> {
    let columns = encounter();
    let others = standings.rows().iter().enumerate().map(|(other, row)| (row, standings.placed_before(index, other)));
    let met = others.filter(|(_, games)| games.games() > 0);
    JsonObject::by_name(met.map(|(row, games)| (row.player.as_str(), JsonObject::of(&columns, games))))
}

/// The likelihood that the player in the row `index` is stronger than each of the others.
fn over_others(standings: &GroupStandings, index: usize) -> JsonObject<'_> {
    let others = standings.rows().iter().enumerate();
    JsonObject::by_name(
        others.filter_map(|(other, row)| Some((row.player.as_str(), superiority(standings, index, other)?))),
    )
}

/// The chances of the rows with a rank, if `extras` requests these chances and there are any.
fn rank_chances(standings: &GroupStandings, extras: Extras) -> Vec<RankChances> {
    let chances = extras.has(Extra::Ranks).then(|| standings.rank_chances()).flatten();
    chances.unwrap_or_default()
}

/// The content of standings.csv: each player's own columns.
pub(super) fn file(standings: &GroupStandings) -> String {
    text_of(own_sheet(standings).into_records())
}

fn own_sheet(standings: &GroupStandings) -> CsvSheet {
    let mut sheet = CsvSheet::new(standings.rows().len());
    sheet.add("", &own(standings), standings.rows().iter().map(Some));
    sheet
}

/// The standings as CSV: each player's own columns, and those of `extras`.
pub(super) fn csv(standings: &GroupStandings, extras: Extras) -> String {
    let rows = standings.rows();
    let mut sheet = own_sheet(standings);
    if extras.has(Extra::Usage) {
        sheet.add("", &usage_table::columns(), rows.iter().map(|row| Some(row.into())));
    }
    if extras.has(Extra::Ranks) {
        let chances = rank_chances(standings, extras);
        sheet.add("", &ranks_table::columns(), (0..rows.len()).map(|row| chances.get(row).copied()));
    }
    if extras.has(Extra::HeadToHead) {
        let against = |name: &'static str, figure: fn(Wdl) -> u64| {
            rows.iter().enumerate().map(move |(other, row)| {
                let name = format!("{name}_against_{}", text_cell(&row.player));
                TableColumn::in_csv(name, move |index: usize| {
                    let games = standings.placed_before(index, other);
                    (games.games() > 0).then(|| figure(games))
                })
            })
        };
        let before = against("before", |games| games.wins);
        let equal = against("equal", |games| games.draws);
        let behind = against("behind", |games| games.losses);
        sheet.add("", &before.chain(equal).chain(behind).collect::<Vec<_>>(), (0..rows.len()).map(Some));
    }
    if extras.has(Extra::Superiority) {
        let over = |(other, row): (usize, &GroupRow)| {
            let name = format!("superiority_over_{}", text_cell(&row.player));
            TableColumn::in_csv(name, move |index| superiority(standings, index, other))
        };
        let over: Vec<_> = rows.iter().enumerate().map(over).collect();
        sheet.add("", &over, (0..rows.len()).map(Some));
    }
    text_of(sheet.into_records())
}
