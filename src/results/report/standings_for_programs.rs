//! Standings as JSON and CSV. Scripts rely on the names of columns and fields, so these never change.

use super::column::{JsonObject, TableColumn};
use super::csv_sheet::{CsvSheet, text_of};
use super::head_to_head_tables::{self, Encounters};
use super::standings_columns::{NOT_IN_FILE, PlayerColumn, own, superiority};
use super::{
    Extra, Extras, accuracy_figures, fit_table, format_result_fields, ranks_table, sprt_fields, usage_table,
    workers_table,
};
use crate::results::format_result::FormatResult;
use crate::results::rating::RankChances;
use crate::results::standings::{PlayerRow, Standings};
use crate::results::text_cell::text_cell;

/// The version of the JSON. docs/reference/schemas/standings.schema.json describes it.
const FORMAT: u32 = 1;

/// The standings as an array with an object for each player.
pub(super) fn json<'s>(standings: &'s Standings, extras: Extras) -> String {
    let met = standings.head_to_head();
    let (opposition, chances) = (standings.opposition(&met), rank_chances(standings, extras));
    let encounters = extras.has(Extra::HeadToHead).then(|| Encounters::of(&met));
    let fit = || JsonObject::of(&fit_table::columns(standings, &met), standings.goodness(&met));
    let fit = extras.has(Extra::Fit).then(fit);
    let machines = standings.machines().filter(|_| extras.has(Extra::Workers)).map(workers_table::objects);
    let own = own(standings);
    let object = |(index, row): (usize, &'s PlayerRow)| {
        let ranks = chances.get(index).map(|&chances| JsonObject::of(&ranks_table::columns(), chances));
        let usage = extras.has(Extra::Usage).then(|| JsonObject::of(&usage_table::columns(), row.into()));
        let run = standings.run();
        JsonObject::default()
            .with("format", FORMAT)
            .and(JsonObject::of(&own, row))
            .and(JsonObject::of(&head_to_head_tables::columns(), (row, &opposition[index])))
            .with_any("ranks", ranks)
            .with_any("head_to_head", encounters.as_ref().map(|encounters| encounters.object(standings, index)))
            .with_any("fit", fit.clone())
            .with_any("superiority", extras.has(Extra::Superiority).then(|| over_others(standings, index)))
            .with_any("usage", usage)
            .with_any("accuracy", row.accuracy.map(accuracy_figures::object))
            .with_any("workers", machines.clone())
            .with_any("sprt", run.test.as_ref().map(|test| JsonObject::of(&sprt_fields::columns(), test)))
            .with_any(
                "result",
                run.result.as_ref().and_then(|result| format_result_fields::object(result, &row.player)),
            )
    };
    let objects: Vec<JsonObject<'_>> = standings.rows().iter().enumerate().map(object).collect();
    serde_json::to_string_pretty(&objects).expect("numbers and strings are JSON") + "\n"
}

/// The likelihood that the player in the row `index` is stronger than each of the others.
fn over_others(standings: &Standings, index: usize) -> JsonObject<'_> {
    let others = standings.rows().iter().enumerate();
    JsonObject::by_name(
        others.filter_map(|(other, row)| Some((row.player.as_str(), superiority(standings, index, other)?))),
    )
}

/// The chances of the rows with a rank, if `extras` requests these chances and there are any.
fn rank_chances(standings: &Standings, extras: Extras) -> Vec<RankChances> {
    let chances = extras.has(Extra::Ranks).then(|| standings.rank_chances()).flatten();
    chances.unwrap_or_default()
}

/// The content of standings.csv: each player's own columns, and those of the result.
pub(super) fn file(standings: &Standings) -> String {
    let mut sheet = CsvSheet::new(standings.rows().len());
    sheet.add("", &own_in_csv(standings, true), standings.rows().iter().map(Some));
    add_result(&mut sheet, standings);
    text_of(sheet.into_records())
}

/// The standings as CSV: each player's own columns, the columns of its games against all opponents, those of `extras`,
/// and those of a sequential test and of the result.
pub(super) fn csv(standings: &Standings, extras: Extras) -> String {
    let rows = standings.rows();
    let met = standings.head_to_head();
    let opposition = standings.opposition(&met);
    let encounters = Encounters::of(&met);
    let mut sheet = CsvSheet::new(rows.len());
    sheet.add("", &own_in_csv(standings, true), rows.iter().map(Some));
    sheet.add("", &own_in_csv(standings, false), rows.iter().map(Some));
    sheet.add("", &head_to_head_tables::columns(), rows.iter().zip(&opposition).map(Some));
    if extras.has(Extra::Usage) {
        sheet.add("", &usage_table::columns(), rows.iter().map(|row| Some(row.into())));
    }
    if rows.iter().any(|row| row.accuracy.is_some()) {
        let accuracy = rows.iter().map(|row| Some(row.accuracy.unwrap_or_default()));
        sheet.add("accuracy_", &accuracy_figures::columns(), accuracy);
    }
    if extras.has(Extra::Ranks) {
        let chances = rank_chances(standings, extras);
        let ranked = (0..rows.len()).map(|row| chances.get(row).copied());
        sheet.add("", &ranks_table::columns(), ranked);
    }
    if extras.has(Extra::Fit) {
        let goodness = standings.goodness(&met);
        sheet.add("fit_", &fit_table::columns(standings, &met), rows.iter().map(|_| Some(goodness)));
    }
    if extras.has(Extra::HeadToHead) {
        sheet.add("", &encounters.columns(standings), (0..rows.len()).map(Some));
    }
    if extras.has(Extra::Superiority) {
        let over = |(other, row): (usize, &PlayerRow)| {
            let name = format!("superiority_over_{}", text_cell(&row.player));
            TableColumn::in_csv(name, move |index| superiority(standings, index, other))
        };
        let over: Vec<_> = rows.iter().enumerate().map(over).collect();
        sheet.add("", &over, (0..rows.len()).map(Some));
    }
    if let Some(test) = &standings.run().test {
        sheet.add("sprt_", &sprt_fields::columns(), rows.iter().map(|_| Some(test)));
    }
    add_result(&mut sheet, standings);
    text_of(sheet.into_records())
}

/// The players' own columns: those in standings.csv if `in_file`, otherwise the others.
fn own_in_csv(standings: &Standings, in_file: bool) -> Vec<PlayerColumn<'_>> {
    let mut own = own(standings);
    own.retain(|column| column.name_in_csv().is_some_and(|name| NOT_IN_FILE.contains(&name)) != in_file);
    own
}

/// Adds the columns of the result, which come after all others.
fn add_result(sheet: &mut CsvSheet, standings: &Standings) {
    let players = standings.rows().iter().map(|row| row.player.as_str());
    match &standings.run().result {
        Some(FormatResult::Swiss(swiss)) => {
            sheet.add("", &format_result_fields::of_swiss(swiss), players.map(|player| swiss.place(player)));
        }
        Some(FormatResult::Knockout(knockout)) => {
            sheet.add("", &format_result_fields::of_knockout(knockout), players.map(|player| knockout.place(player)));
        }
        None => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::super::read_score_csv;
    use super::*;
    use crate::results::standings::{Counting, RatingOptions, Tally};
    use crate::results::text_cell::text_of_cell;

    /// The paths in the JSON object at which the value of the column `name` may be found.
    fn pointers(name: &str) -> Vec<String> {
        if let Some((figure, other)) = name.split_once("_against_") {
            return vec![format!("/head_to_head/{}/{figure}", text_of_cell(other))];
        }
        if let Some(other) = name.strip_prefix("superiority_over_") {
            return vec![format!("/superiority/{}", text_of_cell(other))];
        }
        let nested = [name.replacen('_', "/", 1), name.replacen("rank_", "ranks/", 1)];
        let within = ["usage", "ranks"].map(|object| format!("{object}/{name}"));
        [name.to_owned()].into_iter().chain(nested).chain(within).map(|path| format!("/{path}")).collect()
    }

    #[test]
    fn every_column_of_csv_holds_a_value_of_json() {
        let scores = "first,second,first_score\n=1,b,1\nb,=1,0.5\nb,c,1\nc,b,1\nc,=1,0\n=1,c,0\n";
        let mut tally = Tally::new(Counting::default());
        for game in read_score_csv(scores).expect("scores") {
            tally.add(&game);
        }
        let standings = Standings::new(&tally, &RatingOptions::default()).expect("standings");
        let extras = Extra::ALL.into_iter().collect();
        let objects: Vec<Value> = serde_json::from_str(&json(&standings, extras)).expect("JSON");
        let text = csv(&standings, extras);
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let header = reader.headers().expect("a header").clone();
        let mut missing = Vec::new();
        for (record, object) in reader.records().map(|record| record.expect("a record")).zip(&objects) {
            for (name, field) in header.iter().zip(&record) {
                match pointers(name).iter().find_map(|pointer| object.pointer(pointer)) {
                    None => missing.push((name.to_owned(), field.to_owned())),
                    Some(Value::Null) => assert_eq!(field, "", "{name}"),
                    Some(Value::String(text)) => assert_eq!(text_of_cell(field), text, "{name}"),
                    Some(value) => assert_eq!(field.parse().ok(), value.as_f64(), "{name}"),
                }
            }
        }
        // No player plays against itself, and JSON names only the kinds of forfeits that occurred.
        missing.retain(|(name, field)| !(name.starts_with("forfeits_") && field == "0"));
        assert!(missing.iter().all(|(_, field)| field.is_empty()), "{missing:?}");
        assert_eq!(missing.len(), 3 * objects.len(), "{missing:?}");
    }
}
