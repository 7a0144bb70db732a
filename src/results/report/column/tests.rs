use std::time::Duration;

use proptest::prelude::*;
use serde_json::Value;

use super::*;
use crate::results::rating::Elo;
use crate::results::text_cell::text_cell;

type Row = (f64, Option<u64>, &'static str);

fn columns() -> Vec<TableColumn<'static, Row>> {
    let mut columns = vec![
        TableColumn::for_people("#", |_: Row| 1_u64),
        TableColumn::new("figure", "fig.", |(figure, ..): Row| RoundedFigure::to(4, figure).signed()),
        TableColumn::for_programs("elo", |(figure, ..): Row| Elo(figure)),
        TableColumn::new("count", "count", |(_, count, _): Row| count),
        TableColumn::in_json("list", |(_, count, _): Row| vec![count.into(), TableCell::Flag(true)]),
        TableColumn::new("name", "name", |(.., name): Row| name),
    ];
    columns.extend(TableColumn::nested("part", part, |(figure, ..): Row| figure));
    columns
}

fn part() -> Vec<TableColumn<'static, f64>> {
    vec![
        TableColumn::new("share", "share", |share| RoundedFigure::to(3, share).share()),
        TableColumn::for_programs("p", TableCell::PValue),
    ]
}

fn json(row: Row) -> Value {
    serde_json::to_value(JsonObject::of(&columns(), row)).expect("JSON")
}

fn csv(row: Row) -> Vec<(String, String)> {
    csv_header(&columns(), "of_").zip(csv_fields(&columns(), Some(row))).collect()
}

proptest! {
    #[test]
    fn csv_and_json_hold_the_same_values_under_the_same_names(
        figure in -2000.0..2000.0,
        count in prop::option::of(any::<u64>()),
        name in prop::sample::select(vec!["=1", "ann", ""]),
    ) {
        let row = (figure, count, name);
        let object = json(row);
        for (column, field) in csv(row) {
            let pointer = format!("/{}", column.trim_start_matches("of_").replace("part_", "part/"));
            let value = object.pointer(&pointer).expect("the same names");
            let same = match value {
                Value::Null => field.is_empty(),
                Value::String(text) => field == text_cell(text),
                // Whole numbers are written differently: `1` in CSV, `1.0` in JSON.
                number => match number.as_u64() {
                    Some(number) => field == number.to_string(),
                    None => field.parse().ok() == number.as_f64(),
                },
            };
            prop_assert!(same, "{column}: {field} in CSV, {value} in JSON");
        }
    }

    #[test]
    fn people_and_programs_see_the_same_number(value in -9.0..9.0) {
        let figure = RoundedFigure::to(4, value);
        for figure in [figure, RoundedFigure::to(6, value).shown_to(3), figure.signed()] {
            let [text, field] = [figure.text(), figure.csv()].map(|text| text.parse::<f64>().expect("a number"));
            prop_assert!((text - field).abs() < 0.005_1, "{text} for people, {field} for programs");
            prop_assert!((value - field).abs() < 0.000_051, "{value} is {field}");
        }
    }
}

#[test]
fn every_medium_has_the_columns_with_a_name_in_it_in_order() {
    let row = (0.5, None, "=1");
    let names: Vec<String> = csv(row).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["of_figure", "of_elo", "of_count", "of_name", "of_part_share", "of_part_p"]);
    let text = serde_json::to_string(&JsonObject::of(&columns(), row)).expect("JSON");
    assert_eq!(
        text,
        r#"{"figure":0.5,"elo":0.5,"count":null,"list":[null,true],"name":"=1","part":{"share":0.5,"p":0.5}}"#
    );
    let (header, lines) = grid(&columns(), [row, (-0.001, Some(7), "ann")]).into_lines();
    assert_eq!(header, ["#", "fig.", "count", "name"]);
    assert_eq!(lines, [["1", "+0.50", "-", "=1"], ["1", "0.00", "7", "ann"]]);
}

#[test]
fn a_missing_row_has_empty_fields() {
    assert!(csv_fields(&columns(), None).eq(csv(Row::default()).iter().map(|_| String::new())));
}

#[test]
fn each_cell_has_its_text_for_people_csv_and_json() {
    let time = Duration::from_nanos(1_234_567_891);
    for (cell, text, csv, json) in [
        (TableCell::Nothing, "-", "", "null"),
        (TableCell::from("-1"), "-1", "'-1", "\"-1\""),
        (TableCell::Verbatim("-1".to_owned()), "-1", "-1", "\"-1\""),
        (TableCell::from(12_u64), "12", "12", "12"),
        (TableCell::Balance(12), "+12", "12", "12"),
        (TableCell::Balance(0), "0", "0", "0"),
        (TableCell::from(true), "true", "true", "true"),
        (TableCell::from(7.0), "7", "7", "7.0"),
        (TableCell::from(RoundedFigure::to(4, 0.123_45)), "0.12", "0.1235", "0.1235"),
        (TableCell::from(RoundedFigure::to(2, -0.001).signed()), "0.00", "0", "0.0"),
        (TableCell::from(RoundedFigure::to(4, 0.5).share().padded()), "50.0%", "0.5000", "0.5"),
        (TableCell::from(RoundedFigure::to(3, 0.5).percentage()), "50.0", "0.5", "0.5"),
        (TableCell::from(Elo(-12.3)), "-12.3", "-12.30", "-12.3"),
        (TableCell::from(Elo(-0.001)), "0.0", "0.00", "0.0"),
        (TableCell::from(time), "1.235", "1.234568", "1.234567891"),
        (TableCell::Milliseconds(time), "1234.568", "1.234568", "1.234567891"),
        (TableCell::Bytes(1 << 19), "0.500", "524288", "524288"),
        (TableCell::PValue(0.032_123), "0.0321", "0.03212", "0.03212"),
        (TableCell::PValue(1.234_56e-9), "< 0.0001", "0.000000001235", "1.235e-9"),
        (TableCell::ForPrograms(Box::new(TableCell::Count(0))), "-", "0", "0"),
        (TableCell::from(vec![TableCell::Count(1)]), "-", "", "[1]"),
    ] {
        let found = (cell.text(), cell.csv(), serde_json::to_string(&cell).expect("JSON"));
        assert_eq!(found, (text.to_owned(), csv.to_owned(), json.to_owned()), "{cell:?}");
    }
}
