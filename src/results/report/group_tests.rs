//! The standings and the games of four and six players as text, in every format.

use proptest::prelude::*;
use serde_json::Value;

use super::*;
use crate::results::rating::Prior;
use crate::results::standings::group_tests::{any_games, field, placed, standings, tally};
use crate::results::standings::{Counting, GroupSummary, RatingOptions};
use crate::results::text_cell::text_of_cell;

/// The optional parts of standings of games with more than two seats.
fn extras() -> Extras {
    [Extra::Ranks, Extra::HeadToHead, Extra::Superiority, Extra::Usage].into_iter().collect()
}

#[test]
fn the_table_has_places_seats_and_who_was_placed_before_whom() {
    let (standings, explained) = (standings(&field(), Counting::default()), Extras::default().explained(true));
    let text = render_groups(&standings, ReportFormat::Table, explained);
    assert!(!render_groups(&standings, ReportFormat::Table, Extras::default()).contains("Plackett-Luce"));
    let line = |name: &str| text.lines().find(|line| line.contains(name)).unwrap_or_else(|| panic!("{name}\n{text}"));
    let words = |name: &str| line(name).split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(
        words("player")[..],
        ["#", "player", "Elo", "±95%", "games", "points", "mean", "place", "1st", "2nd", "3rd", "4th", "forfeits"],
    );
    assert_eq!(words("ada")[4..], ["6", "10", "2.33", "3", "0", "1", "2", "1"]);
    assert!(line("first").trim_start().starts_with('1'), "{text}");
    for part in [
        "Plackett-Luce",
        "6 games with 4 players, all rated.",
        "Each seat's advantage over the average seat",
        "Forfeits by kind",
        "Placed ahead-equal-behind",
        "4-0-2",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let markdown = render_groups(&standings, ReportFormat::Markdown, extras().explained(true));
    assert!(markdown.contains("| player") && markdown.contains("- Points: 1 for each"), "{markdown}");
}

#[test]
fn the_notes_say_which_games_are_not_rated() {
    let mut games = field();
    games[1].has_odds = true;
    games[2].result = None;
    let text = render_groups(&standings(&games, Counting::default()), ReportFormat::Table, Extras::default());
    let expected = "5 games with 4 players; not rated: 1 game in which a player had its own handicap or \
                    compensation (--with-odds rates them), 1 additional void game.";
    assert!(text.contains(expected), "{text}");
}

#[test]
fn hostile_names_reach_no_format_unchanged() {
    let games = [placed(1, &["=1+1", "b|c", "d\u{1b}[31m", "e<f>"], &[1, 2, 3, 4], &[])];
    let standings = standings(&games, Counting::default());
    // In CSV, names are data; only what a spreadsheet would evaluate is changed.
    for format in ReportFormat::ALL.into_iter().filter(|format| *format != ReportFormat::Csv) {
        let text = render_groups(&standings, format, extras());
        assert!(!text.contains('\u{1b}'), "{text}");
    }
    let csv = render_groups(&standings, ReportFormat::Csv, extras());
    assert!(csv.contains(",'=1+1,") && !csv.contains(",=1+1"), "{csv}");
    assert!(render_groups(&standings, ReportFormat::Markdown, extras()).contains("b\\|c"));
}

/// The paths in the JSON object at which the value of the column `name` may be found.
fn pointers(name: &str) -> Vec<String> {
    if let Some((figure, other)) = name.split_once("_against_") {
        return vec![format!("/head_to_head/{}/{figure}", text_of_cell(other))];
    }
    if let Some(other) = name.strip_prefix("superiority_over_") {
        return vec![format!("/superiority/{}", text_of_cell(other))];
    }
    if let Some(rest) = name.strip_prefix("seat")
        && let Some((seat, figure)) = rest.split_once('_')
    {
        let index = seat.parse::<usize>().expect("a seat") - 1;
        return vec![format!("/by_seat/{index}/{figure}")];
    }
    if let Some(Ok(place)) = name.strip_prefix("place").map(str::parse::<usize>) {
        return vec![format!("/places/{}", place - 1)];
    }
    let kind = name.strip_prefix("forfeits_").map(|kind| format!("/forfeits_by_kind/{}", kind.replace('_', " ")));
    let within = ["usage", "ranks"].map(|object| format!("/{object}/{name}"));
    let nested = [name.replacen("usage_", "usage/", 1), name.replacen("rank_", "ranks/", 1)];
    let nested = nested.into_iter().map(|path| format!("/{path}"));
    kind.into_iter().chain([format!("/{name}")]).chain(nested).chain(within).collect()
}

#[test]
fn every_column_of_csv_is_a_value_of_json() {
    for prior in [Prior::Weak, Prior::None] {
        let options = RatingOptions { prior, ..RatingOptions::default() };
        let standings = GroupStandings::of(&tally(&field(), Counting::default()), &options).expect("no anchors");
        let objects: Vec<Value> =
            serde_json::from_str(&render_groups(&standings, ReportFormat::Json, extras())).expect("JSON");
        let text = render_groups(&standings, ReportFormat::Csv, extras());
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
    }
}

#[test]
fn standings_csv_is_the_beginning_of_the_csv() {
    let standings = FieldStandings::Groups(Box::new(standings(&field(), Counting::default())));
    let (file, csv) = (field_csv(&standings), render_field(&standings, ReportFormat::Csv, extras()));
    assert!(file.lines().zip(csv.lines()).all(|(short, long)| long.starts_with(short)), "{file}\n{csv}");
    assert_eq!(field_report(&standings), render_field(&standings, ReportFormat::Table, Extras::default()));
}

/// A results.csv of [`field`], changed by `change`.
fn changed(change: impl Fn(&str) -> String) -> String {
    change(&group_results_csv(&field(), 4))
}

#[test]
fn a_line_of_results_has_the_places_and_who_dropped_out() {
    let csv = group_results_csv(&field(), 4);
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let header = reader.headers().expect("a header").clone();
    assert_eq!(header.iter().map(str::to_owned).collect::<Vec<_>>(), group_results_columns(4));
    let records: Vec<csv::StringRecord> = reader.records().map(|record| record.expect("a record")).collect();
    let cell =
        |game: usize, name: &str| &records[game][header.iter().position(|column| column == name).expect("a column")];
    assert_eq!([cell(4, "player1"), cell(4, "player4")], ["ada", "dov"]);
    assert_eq!([cell(4, "placing"), cell(4, "totals"), cell(4, "points")], ["1 2 3 4", "4.75 4.5 4.25 4", "1 0 0 0"]);
    assert_eq!([cell(4, "outs"), cell(4, "at_fault")], ["4 time, 3 resignation", "4"]);
    assert_eq!([cell(4, "termination"), cell(4, "player2_seconds")], ["normal", "2.000000"]);
}

#[test]
fn a_wrong_line_of_results_is_refused_with_its_column() {
    for (old, new, expected) in [
        (",1 2 3 4,", ",1 2 3 5,", "2: this placing is impossible"),
        (",1 2 3 4,", ",1 2 3,", "2: `placing`: expected a place for each seat (`2 1 4 3`), found `1 2 3`"),
        (",1 2 3 4,4.75", ",1 2 3 4,x", "2: `totals`"),
        (",normal,", ",time,", "2: `termination`: expected `normal` or `void`, found `time`"),
        (",normal,", ",void,", "2: `placing`: expected an empty field, because the game is void, found `1 2 3 4`"),
        (",bea,cyd,dov,", ",ada,cyd,dov,", "2: `ada` cannot play against itself"),
        (
            "\"4 time, 3 resignation\",4,",
            "\"4 time, 3 resignation\",3,",
            "6: `at_fault`: `3` does not agree with `outs`",
        ),
        ("\"4 time, 3 resignation\",4,", "\"4 time, 3 normal\",4,", "6: `normal` is not a way to drop out"),
        ("1 crash,1,", "1 bored,1,", "7: `outs`"),
        (
            "r2-dov-ada-bea-cyd",
            "r1-ada-bea-cyd-dov",
            "3: the game `r1-ada-bea-cyd-dov` is listed twice (first in line 2)",
        ),
        (",placing,", ",places,", "1: no column `placing`"),
    ] {
        let text = changed(|text| text.replacen(old, new, 1));
        let errors = read_group_results_csv(&text).expect_err(new);
        let first = errors[0].to_string();
        assert!(first.starts_with(expected), "{new}: {first}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn results_of_groups_are_read_back(four in any_games(4), six in any_games(6)) {
        for (games, seats) in [(four, 4), (six, 6)] {
            let text = group_results_csv(&games, seats);
            let read = read_group_results_csv(&text).map_err(|errors| TestCaseError::fail(format!("{errors:?}")))?;
            prop_assert_eq!(&read, &games);
            prop_assert_eq!(group_results_csv(&read, seats), text);
        }
    }

    #[test]
    fn standings_of_a_file_are_those_of_its_games(games in any_games(4)) {
        let read: Vec<GroupSummary> = read_group_results_csv(&group_results_csv(&games, 4)).unwrap();
        let text = |games: &[GroupSummary]| render_groups(&standings(games, Counting::default()), ReportFormat::Json, extras());
        prop_assert_eq!(text(&read), text(&games));
    }
}
