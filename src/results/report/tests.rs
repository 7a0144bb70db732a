//! Tests of the output on which scripts and people rely, including that it does not depend on the order of the games.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::time::Duration;

use proptest::prelude::*;

use crate::game::{BySide, Side};
use crate::referee::record::GameRecord;
use crate::referee::result::Termination;
use crate::referee::usage::Usage;
use crate::results::analysis::{Accuracy, MoveTally};
use crate::results::format_result::{FormatResult, SwissPlace, SwissResult};
use crate::results::rating::{Bootstrap, Prior};
use crate::results::report::{self, Extra, Extras, ReportFormat};
use crate::results::standings::tests::{
    DISTINCT, any_counting, any_games, counted, forfeit, game, mixed, repeats, standings, tally, without_forfeits, won,
};
use crate::results::standings::{Counting, GameSummary, MachineGames, RatingOptions, RunState, Standings, duplicates};
use crate::tournament::Legs;

const LOG: &str = r#"[Round "3"]
[Black "ada"]
[White "bea"]
[Result "1-0"]
[Termination "time"]
[Game "r3-ada-bea"]
[BlackUsage "user 0.4 system 0.1 wall 2.5 memory 1048576 processes 2 written 10"]
[Starvation "starved 0.6 ran 0.3 of 1"]

1. c3 {[%emt 0:00:01.000000] [%clk 0:00:01.000000]} b2 {[%emt 0:00:00.250000] [%clk 0:00:01.750000]}
2. d4 {[%emt 0:00:00.500000] [%clk 0:00:00.500000]} pass {[%emt 0:00:00.250000] [%clk 0:00:01.500000]}
{[%unfinished 0:00:00.500001]} 1-0
"#;

#[test]
fn a_record_is_summarized() {
    let record: GameRecord = LOG.parse().unwrap();
    let summary = GameSummary::from(&record);
    assert_eq!(summary.game, "r3-ada-bea");
    assert_eq!((summary.round, summary.plies), (Some(3), 4));
    assert_eq!(summary.used, BySide { black: Duration::from_micros(2_000_001), white: Duration::from_millis(500) });
    let row = report::results_csv(&[summary]);
    // The digest comes from `printf 'c3 b2 d4 pass' | sha256sum`.
    let digest = "5817ec1a9b6a160b79f0c786a577f859b58e5f36d1a2c269632364ea5b48958c";
    let expected = format!(
        "r3-ada-bea,3,ada,bea,white,,time,black,4,2.000001,0.500000,0,1.5,{digest},,0.400000,0.100000,2.500000,1048576,2,10,,,,,,,idle,yes\n"
    );
    assert_eq!(row.lines().nth(1).map(|line| format!("{line}\n")), Some(expected));
}

#[test]
fn results_csv_has_the_columns_that_scripts_rely_on() {
    let text = report::results_csv(&mixed());
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        lines[0],
        "game,round,black,white,winner,margin,termination,at_fault,plies,black_seconds,white_seconds,black_left,\
         white_left,moves_sha256,duplicate_of,black_user_seconds,black_system_seconds,black_wall_seconds,black_peak_memory,black_processes,\
         black_written,white_user_seconds,white_system_seconds,white_wall_seconds,white_peak_memory,white_processes,\
         white_written,time_loss_cpu,time_loss_starved"
    );
    assert!(lines[1].starts_with("r1-ada-bea-1,1,ada,bea,black,5,normal,,20,1.000001,0.000002,"), "{}", lines[1]);
    assert!(lines[3].starts_with("r1-ada-cyd-3,1,ada,cyd,draw,0,normal,,20,"), "{}", lines[3]);
    assert!(lines[5].starts_with("r1-bea-cyd-5,1,bea,cyd,,,double forfeit,both,20,"), "{}", lines[5]);
    assert!(lines[6].starts_with("r1-cyd-bea-6,1,cyd,bea,,,void,,20,"), "{}", lines[6]);
    assert!(lines[7].starts_with("r1-bea-cyd-7,1,bea,cyd,white,,crash,black,20,"), "{}", lines[7]);
}

#[test]
fn every_bad_row_of_results_csv_is_reported() {
    let good = report::results_csv(&mixed());
    let mut lines: Vec<String> = good.lines().map(str::to_owned).collect();
    lines[1] = lines[1].replace(",normal,", ",norml,");
    // A game that ended by proof has no compensation.
    lines[2] = lines[2].replace(",-3,normal,", ",3,adjudicated,");
    lines[4] = lines[4].replace(",white,20", ",black,20");
    lines[6] = lines[6].replace(",0.000002,,,", ",0.000002,1/move+9,,");
    lines[7] = lines[3].clone();
    let errors = report::read_results_csv(&lines.join("\n")).unwrap_err();
    let shown: Vec<String> = errors.iter().map(ToString::to_string).collect();
    assert_eq!(
        shown,
        [
            "2: `termination`: expected a termination (`normal`, `time`, ...), found `norml`",
            "3: the margin and the winner disagree",
            "5: `at_fault`: `black` does not agree with `winner` and `termination`",
            "7: `black_left`: expected the time left on the clock (`41.5`, `41.5+1`, `0:3x30`, `1/move+9.5bank`), or nothing, \
             found `1/move+9`",
            "8: the game `r1-ada-cyd-3` is listed twice (first in line 4)",
        ]
    );
}

#[test]
fn a_results_csv_has_every_column() {
    for column in report::RESULTS_COLUMNS {
        let text = report::results_csv(&mixed()).replacen(column, "another", 1);
        let errors = report::read_results_csv(&text).unwrap_err();
        let told = errors[0].to_string();
        assert!(told.starts_with(&format!("1: no column `{column}` (expected")), "{told}");
        assert!(told.contains("name the run directory") && told.contains("`gothello-arena rebuild DIR`"), "{told}");
    }
}

#[test]
fn every_bad_score_is_reported() {
    let text = "note,second,first,first_score\n,bea,ada,1\n,bea,ada,2\n,bea,bea,1\n,bea,,0\n,ada,bea,0.5\n,ada,bea\n";
    let errors = report::read_score_csv(text).unwrap_err();
    let shown: Vec<String> = errors.iter().map(ToString::to_string).collect();
    assert_eq!(
        shown,
        [
            "3: `first_score`: expected 0, 0.5 or 1, found `2`",
            "4: `bea` cannot play against itself",
            "5: `first`: expected a player's name, found an empty field",
            "7: `first_score`: expected 0, 0.5 or 1, found an empty field",
        ]
    );
    let error = report::read_score_csv("first,second\na,b\n").unwrap_err();
    assert_eq!(error[0].to_string(), "1: no column `first_score` (expected the columns `first,second,first_score`)");
}

#[test]
fn json_has_the_fields_that_scripts_rely_on() {
    let standings = standings(&mixed(), &RatingOptions::default());
    let text = report::render(&standings, ReportFormat::Json, Extras::default());
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    let bea = value.as_array().unwrap().iter().find(|row| row["player"] == "bea").unwrap();
    for (field, expected) in [("games", 4), ("wins", 0), ("draws", 0), ("losses", 4), ("margin", -8), ("forfeits", 2)] {
        assert_eq!(bea[field], expected, "{field}");
    }
    assert_eq!((&bea["rank"], &bea["points"]), (&3.into(), &0.0.into()));
    assert!(bea["elo"].as_f64().unwrap() < 0.0 && bea["elo_error95"].as_f64().unwrap() > 0.0);
    assert_eq!(bea["forfeits_by_kind"], serde_json::json!({"crash": 1, "double forfeit": 1}));
    assert_eq!(value[0]["rank"], 1);
}

#[test]
fn unbounded_ratings_are_empty_fields_with_the_text_beside_them() {
    let options = RatingOptions { prior: Prior::None, ..RatingOptions::default() };
    let standings = standings(&[game(1, "ada", "bea", won(Some(Side::Black), 5))], &options);
    let json: serde_json::Value = serde_json::from_str(&report::render(
        &standings,
        ReportFormat::Json,
        [Extra::Superiority].into_iter().collect(),
    ))
    .unwrap();
    assert_eq!(json[0]["elo"], serde_json::Value::Null);
    assert!(json[0]["elo_text"].as_str().unwrap().starts_with("> "), "{json}");
    assert!(json[1]["elo_text"].as_str().unwrap().starts_with("< "), "{json}");
    assert_eq!(json[0]["superiority"], serde_json::json!({}));
    let csv = report::standings_csv(&standings);
    assert!(csv.lines().nth(1).unwrap().starts_with("1,ada,,> "), "{csv}");
}

#[test]
fn no_name_breaks_a_table() {
    let games = [game(1, "a|b\u{1b}[2J\nx", "<b>`", won(Some(Side::Black), 5))];
    let standings = standings(&games, &RatingOptions::default());
    let table = report::final_report(&standings);
    assert!(!table.contains('\u{1b}') && table.contains("a|b\\u{1b}[2J\\nx"), "{table}");
    let markdown = report::render(&standings, ReportFormat::Markdown, Extras::default());
    let columns = |line: &str| line.replace("\\|", "").matches('|').count();
    let mut rows = markdown.lines().take(4).map(columns);
    let first = rows.next().unwrap();
    assert!(rows.all(|count| count == first), "{markdown}");
}

#[test]
fn a_game_that_repeats_an_earlier_one_with_the_same_sides_is_marked() {
    let games = repeats();
    assert_eq!(duplicates(games.iter().map(GameSummary::view)), [None, None, Some(0), None, None, None, Some(0)]);
    let text = report::results_csv(&games);
    let place = text.lines().next().unwrap().split(',').position(|column| column == "duplicate_of").unwrap();
    let marks: Vec<&str> = text.lines().skip(1).map(|line| line.split(',').nth(place).unwrap()).collect();
    assert_eq!(marks, ["", "", "r1-ada-bea-1", "", "", "", "r1-ada-bea-1"]);
    // The first game is the first in the schedule, regardless of the position of its line.
    let mut reversed = games;
    reversed.reverse();
    assert_eq!(duplicates(reversed.iter().map(GameSummary::view)), [Some(6), None, None, None, Some(6), None, None]);
}

/// Ada loses on time twice, once with hardly any CPU time used. Bea's usage is known only in the first game.
fn with_usage() -> Vec<GameSummary> {
    let usage = |cpu_millis| Usage {
        user: Duration::from_millis(cpu_millis),
        system: Duration::from_millis(25),
        wall: Duration::from_secs(2),
        peak_memory: cpu_millis << 20,
        processes: 3,
        written: 7,
    };
    let lost = |round, ada, bea: Option<Usage>| GameSummary {
        starved: Some(round == 1),
        round: Some(round),
        usage: BySide { black: Some(usage(ada)), white: bea },
        ..game(round, "ada", "bea", forfeit(Side::Black, Termination::Time))
    };
    let unknown = [game(3, "bea", "ada", won(Some(Side::Black), 1)), game(4, "bea", "cyd", won(Some(Side::Black), 1))];
    [lost(1, 224, Some(usage(1))), lost(2, 226, None)].into_iter().chain(unknown).collect()
}

#[test]
fn usage_is_summed_and_idle_losses_on_time_are_marked() {
    let games = with_usage();
    let text = report::results_csv(&games);
    let ends: Vec<&str> = text.lines().skip(1).map(|line| line.split_once(",,").unwrap().1).collect();
    let digest = games[0].moves;
    let row = "0.226000,0.025000,2.000000,236978176,3,7,,,,,,,busy,no";
    assert!(text.lines().nth(2).unwrap().ends_with(&format!(",{digest},r1-ada-bea-1,{row}")), "{text}");
    assert!(ends[0].ends_with(",0.001000,0.025000,2.000000,1048576,3,7,idle,yes"), "{}", ends[0]);
    assert!(ends[2].ends_with(",,,,,,,,,,,,,"), "{}", ends[2]);

    for counting in [Counting::default(), DISTINCT, without_forfeits()] {
        let standings = counted(&games, counting);
        let note = "\n1 loss on time with little CPU used: the loser slept, waited or was held up by the machine instead of thinking.\n";
        assert!(report::final_report(&standings).contains(note), "{counting:?}");
        let note = "\n1 loss on time while the machine was busy: the loser waited longer for a core than it ran. Such losses still count.\n";
        assert!(report::final_report(&standings).contains(note), "{counting:?}");
        let shown = |format| report::render(&standings, format, [Extra::Usage].into_iter().collect());
        let json: serde_json::Value = serde_json::from_str(&shown(ReportFormat::Json)).unwrap();
        let ada = json.as_array().unwrap().iter().find(|row| row["player"] == "ada").unwrap();
        let expected = serde_json::json!({
            "games": 2, "user_seconds": 0.45, "system_seconds": 0.05, "cpu_seconds_per_game": 0.25,
            "wall_seconds": 4.0, "cpu_share": 0.125, "peak_memory": 236_978_176, "processes": 3, "written": 14,
            "idle_time_losses": 1,
        });
        assert_eq!(ada["usage"], expected);
        let csv = shown(ReportFormat::Csv);
        let line = csv.lines().find(|line| line.contains(",ada,")).unwrap();
        assert!(line.ends_with(",2,0.450000,0.050000,0.250000,4.000000,0.125000,236978176,3,14,1"), "{line}");
        let table = shown(ReportFormat::Table);
        let words: Vec<&str> = table.lines().rfind(|line| line.contains(" ada ")).unwrap().split_whitespace().collect();
        let expected = ["ada", "2", "0.450", "0.050", "0.250", "4.000", "12.5%", "226.000", "3", "0.000", "1"];
        assert_eq!(words[1..], expected);
        let cyd: Vec<&str> = table.lines().rfind(|line| line.contains(" cyd ")).unwrap().split_whitespace().collect();
        assert_eq!(cyd[1..], ["cyd", "0", "-", "-", "-", "-", "-", "-", "-", "-", "0"], "nothing is known of its use");
    }
    assert!(
        !report::final_report(&counted(&games, Counting::default())).contains("CPU/game"),
        "usage is shown only on request"
    );
}

#[test]
fn partial_usage_of_a_side_is_refused() {
    let text = report::results_csv(&with_usage()).replacen(",236978176,", ",,", 1);
    let errors = report::read_results_csv(&text).unwrap_err();
    let expected =
        "3: `black_peak_memory`: expected a whole number, or no usage at all for that side, found an empty field";
    assert_eq!(errors.iter().map(ToString::to_string).collect::<Vec<_>>(), [expected]);
}

#[test]
fn a_long_results_csv_names_the_first_of_equal_games_wherever_it_is() {
    let games: Vec<GameSummary> = repeats()
        .into_iter()
        .cycle()
        .take(700)
        .zip(1..)
        .map(|(game, round)| GameSummary { game: format!("g{round}"), round: Some(round), ..game })
        .collect();
    let text = report::results_csv(&games);
    assert_eq!(report::read_results_csv(&text).unwrap(), games);
    assert_eq!(text.lines().filter(|line| line.starts_with("game,")).count(), 1);
    let first = duplicates(games.iter().map(GameSummary::view));
    assert!(first.iter().flatten().count() > 256, "more than a part holds");
    for (line, first) in text.lines().skip(1).zip(first) {
        let id = first.map(|first| games[first].game.as_str());
        assert_eq!(line.split(',').nth(14), Some(id.unwrap_or_default()));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn results_csv_reads_back_equal(games in any_games()) {
        let text = report::results_csv(&games);
        prop_assert_eq!(report::read_results_csv(&text).unwrap(), games);
    }
}

proptest! {
    // Every case creates all tables twice.
    #![proptest_config(ProptestConfig::with_cases(20))]

    #[test]
    fn the_order_of_games_does_not_change_a_single_byte(
        (games, shuffled) in any_games().prop_flat_map(|games| (Just(games.clone()), Just(games).prop_shuffle())),
        format in prop::sample::select(ReportFormat::ALL.as_slice()),
        prior in prop::sample::select([Prior::Weak, Prior::None].as_slice()),
        counting in any_counting(),
        resampled: bool,
    ) {
        let bootstrap = resampled.then_some(Bootstrap { samples: NonZeroU32::MIN, seed: 7 });
        let options = RatingOptions { prior, bootstrap, ..RatingOptions::default() };
        let text = |games: &[GameSummary]| {
            let standings = Standings::new(&tally(games, counting), &options).unwrap();
            report::render(&standings, format, Extra::ALL.into_iter().collect())
        };
        prop_assert_eq!(text(&games), text(&shuffled));
    }
}

/// Each player's fields in a CSV file, by column name.
fn fields(csv: &str) -> BTreeMap<String, BTreeMap<String, String>> {
    let rows = csv::Reader::from_reader(csv.as_bytes()).into_deserialize::<BTreeMap<String, String>>();
    rows.map(|row| row.unwrap()).map(|row| (row["player"].clone(), row)).collect()
}

#[test]
fn accuracy_is_in_every_format_with_shares_of_four_decimals() {
    let judged = MoveTally { moves: 9, judged: 7, blunders: 1, measured: 6, exact: 2, lost: 11 };
    let accuracy =
        Accuracy { opening: MoveTally { moves: 3, ..MoveTally::default() }, end: judged, ..Accuracy::default() };
    let players = BTreeMap::from([("ada".to_owned(), accuracy)]);
    let standings = standings(&mixed(), &RatingOptions::default()).with_accuracy(&players);
    let json: serde_json::Value =
        serde_json::from_str(&report::render(&standings, ReportFormat::Json, Extras::default())).unwrap();
    let ada = &json.as_array().unwrap().iter().find(|row| row["player"] == "ada").unwrap()["accuracy"];
    let csv = fields(&report::render(&standings, ReportFormat::Csv, Extras::default()));
    for (key, all, opening, end) in [
        ("moves", Some(12.0), Some(3.0), Some(9.0)),
        ("judged", Some(7.0), Some(0.0), Some(7.0)),
        ("blunders", Some(1.0), Some(0.0), Some(1.0)),
        ("measured", Some(6.0), Some(0.0), Some(6.0)),
        ("exact", Some(2.0), Some(0.0), Some(2.0)),
        ("lost", Some(11.0), Some(0.0), Some(11.0)),
        ("winner_kept", Some(0.8571), None, Some(0.8571)),
        ("margin_kept", Some(0.3333), None, Some(0.3333)),
        ("average_loss", Some(1.8333), None, Some(1.8333)),
    ] {
        assert_eq!(
            [ada[key].as_f64(), ada["opening"][key].as_f64(), ada["end"][key].as_f64()],
            [all, opening, end],
            "{key}"
        );
        let columns = ["", "opening_", "end_"].map(|phase| csv["ada"][&format!("accuracy_{phase}{key}")].parse().ok());
        assert_eq!(columns, [all, opening, end], "{key}");
        assert_eq!(
            csv["bea"][&format!("accuracy_{key}")].parse::<f64>().ok(),
            all.filter(|_| opening.is_some()).map(|_| 0.0)
        );
    }
    for format in [ReportFormat::Table, ReportFormat::Markdown] {
        let table = report::render(&standings, format, Extras::default());
        let shown = |text: &str| table.contains(text);
        assert!(shown("85.7%") && shown("33.3%") && shown("1.83"), "{table}");
    }
}

#[test]
fn every_format_has_each_players_own_place_in_the_tournament() {
    let place = |place, player: &str| SwissPlace {
        place,
        player: player.to_owned(),
        half_points: u32::try_from(10 - place).unwrap(),
        byes: 0,
        buchholz: 2,
        sonneborn_berger: 4,
        direct_encounter: None,
        rounds: Vec::new(),
    };
    let places = vec![place(1, "cyd"), place(2, "bea"), place(3, "ada")];
    let swiss = SwissResult { places, drawn: 0, rounds: 2, legs: Legs::One, is_final: false };
    let run = RunState { result: Some(FormatResult::Swiss(swiss)), ..RunState::default() };
    let standings = standings(&mixed(), &RatingOptions::default()).of_run(run);
    let csv = fields(&report::render(&standings, ReportFormat::Csv, Extras::default()));
    let file = fields(&report::standings_csv(&standings));
    let json: serde_json::Value =
        serde_json::from_str(&report::render(&standings, ReportFormat::Json, Extras::default())).unwrap();
    for (player, place, points) in [("cyd", 1, 4.5), ("bea", 2, 4.0), ("ada", 3, 3.5)] {
        let row = json.as_array().unwrap().iter().find(|row| row["player"] == player).unwrap();
        assert_eq!((&row["result"]["place"], &row["result"]["points"]), (&place.into(), &points.into()));
        for row in [&csv[player], &file[player]] {
            assert_eq!(
                (row["result_place"].parse(), row["result_points"].parse()),
                (Ok(place), Ok(points)),
                "{player}"
            );
        }
    }
}

#[test]
fn the_table_of_machines_says_whether_one_differs_from_the_others() {
    let record = |machine: &str, number: u32, black: &str, white: &str, token: &str| -> GameRecord {
        let text = format!(
            "[Round \"{number}\"]\n[Black \"{black}\"]\n[White \"{white}\"]\n[Result \"{token}\"]\n[Termination \"resignation\"]\n\
             [Game \"{machine}-{number}-{black}\"]\n[Worker \"{machine}\"]\n\n{token}\n"
        );
        text.parse().unwrap_or_else(|error| panic!("{error}\n{text}"))
    };
    // On each machine, ada wins this many of 20 games with either colour.
    let said = |won: &[(&str, u32)]| {
        let records: Vec<GameRecord> = won
            .iter()
            .flat_map(|&(machine, won)| (0..20).map(move |number| (machine, number, number < won)))
            .flat_map(|(machine, number, won)| {
                let (as_black, as_white) = if won { ("1-0", "0-1") } else { ("0-1", "1-0") };
                [record(machine, number, "ada", "bea", as_black), record(machine, number, "bea", "ada", as_white)]
            })
            .collect();
        let mut machines = MachineGames::default();
        for record in &records {
            machines.add(record);
        }
        let games: Vec<GameSummary> = records.iter().map(GameSummary::from).collect();
        let standings = standings(&games, &RatingOptions::default()).with_machines(&machines);
        report::render(&standings, ReportFormat::Table, [Extra::Workers].into_iter().collect())
    };
    let differs = "lab-1 played differently from the others";
    let two = "With only two machines, it is impossible to tell which is at fault; a third would show it.";
    let alike = "No machine's results differ from those of the others by more than chance would explain.";
    let nothing = "No two machines have played rated games between the same players, so there is nothing to compare.";
    for (won, expected) in [
        (&[("lab-1", 20), ("lab-2", 0)][..], [true, true, false, false]),
        (&[("lab-1", 20), ("lab-2", 2), ("lab-3", 2)], [true, false, false, false]),
        (&[("lab-1", 10), ("lab-2", 10)], [false, false, true, false]),
        (&[("lab-1", 10)], [false, false, false, true]),
    ] {
        let text = said(won);
        assert_eq!([differs, two, alike, nothing].map(|note| text.contains(note)), expected, "{won:?}\n{text}");
    }
}
