//! Standings of four-player games from the command line: results.csv and logs, every format, requirements, and refused
//! input.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::time::Duration;

use gothello_arena::game::{BySeat, Fraction, Move, Ruleset, Seat, Standing};
use gothello_arena::referee::moves_digest::MovesDigest;
use gothello_arena::referee::record::GroupRecord;
use gothello_arena::referee::result::Termination;
use gothello_arena::results::report::{
    Extra, Extras, ReportFormat, group_results_columns, group_results_csv, render_groups, results_csv,
};
use gothello_arena::results::standings::{
    Counting, GroupResult, GroupStandings, GroupSummary, GroupTally, RatingOptions, SeatOut,
};
use serde_json::json;
use tempfile::TempDir;

use crate::harness::arena::program;
use crate::harness::waiting::InTime as _;
use crate::house::json::{fits, strict};
use crate::results::standings::mixed;

fn placed(round: u32, players: [&str; 4], places: [u8; 4], outs: &[(u8, Termination)]) -> GroupSummary {
    let outs = outs.iter().map(|&(seat, termination)| SeatOut { seat: Seat::new(seat).expect("a seat"), termination });
    let placing = BySeat::new(places.to_vec()).expect("four");
    let totals = placing.clone().map(|place| Fraction::new(20 - i32::from(place), 4));
    let points = placing.clone().map(|place| u8::from(place == 1));
    GroupSummary {
        game: format!("r{round}-t1-g1"),
        round: Some(round),
        players: BySeat::new(players.map(str::to_owned).to_vec()).expect("four"),
        result: Some(GroupResult::new(placing, totals, points, outs.collect()).expect("a result")),
        plies: 40,
        used: BySeat::from_fn(4, |_| Duration::from_secs(1)),
        left: BySeat::from_fn(4, |_| None),
        usage: BySeat::from_fn(4, |_| None),
        has_odds: false,
        moves: MovesDigest::of(std::iter::repeat_n(Move::PASS, usize::try_from(round).expect("small"))),
    }
}

fn field() -> Vec<GroupSummary> {
    vec![
        placed(1, ["ada", "bea", "cyd", "dov"], [1, 2, 3, 4], &[(4, Termination::Time)]),
        placed(2, ["dov", "ada", "bea", "cyd"], [4, 1, 2, 2], &[]),
        placed(3, ["cyd", "dov", "ada", "bea"], [1, 2, 3, 4], &[]),
        placed(4, ["bea", "cyd", "dov", "ada"], [2, 3, 4, 1], &[]),
        GroupSummary { has_odds: true, ..placed(5, ["bea", "cyd", "dov", "ada"], [4, 3, 2, 1], &[]) },
    ]
}

fn standings(games: &[GroupSummary], options: &RatingOptions) -> GroupStandings {
    let mut tally = GroupTally::new(Counting::default(), 4);
    for game in games {
        tally.add(game);
    }
    GroupStandings::of(&tally, options).expect("no anchors")
}

fn extras() -> Extras {
    [Extra::Ranks, Extra::HeadToHead, Extra::Superiority, Extra::Usage].into_iter().collect()
}

fn arena(dir: &Path, args: &[&str]) -> Output {
    Command::new(program()).arg("standings").args(args).current_dir(dir).output_in_time().expect("it starts")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("text")
}

fn folder() -> TempDir {
    let dir = TempDir::new().expect("a directory");
    fs::write(dir.path().join("results.csv"), group_results_csv(&field(), 4)).expect("written");
    dir
}

#[test]
fn the_json_of_groups_conforms_to_its_schema() {
    let schema = strict("group-standings");
    let unbounded =
        RatingOptions { prior: gothello_arena::results::rating::Prior::None, min_games: 4, ..RatingOptions::default() };
    let void = vec![GroupSummary { result: None, ..field().remove(0) }];
    let mut nulls = 0;
    for games in [field(), void] {
        for options in [&RatingOptions::default(), &unbounded] {
            for extras in [Extras::default(), extras()] {
                let text = render_groups(&standings(&games, options), ReportFormat::Json, extras);
                nulls += text.matches(": null").count();
                fits(&schema, &text);
            }
        }
    }
    assert!(nulls > 0, "the nullable fields must occur as null, too");
    let good = fits(&schema, &render_groups(&standings(&field(), &unbounded), ReportFormat::Json, extras()));
    for (field, wrong) in [
        ("format", json!(2)),
        ("points", json!(1.25)),
        ("places", json!([1])),
        ("mean_placing", json!(0.5)),
        ("model", json!("davidson")),
        ("seat_advantages", json!([{ "seat": 0 }])),
        ("surprise", json!(1)),
    ] {
        let mut bad = good.clone();
        bad[0][field] = wrong;
        assert!(!schema.is_valid(&bad), "{field}");
    }
}

#[test]
fn a_file_of_games_of_four_has_standings_in_every_format() {
    let dir = folder();
    let expected = standings(&field(), &RatingOptions::default());
    for format in ReportFormat::ALL {
        let output =
            arena(dir.path(), &["results.csv", "--format", format.name(), "--show", "ranks,head-to-head,los,usage"]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        assert_eq!(text(&output.stdout), render_groups(&expected, format, extras()), "{}", format.name());
    }
    let rated = arena(dir.path(), &["results.csv", "--with-odds"]);
    assert!(text(&rated.stdout).contains("5 games with 4 players, all rated."), "{}", text(&rated.stdout));
}

#[test]
fn requirements_on_points_mean_places_and_ratings_set_the_exit_code() {
    let dir = folder();
    let held = arena(
        dir.path(),
        &[
            "results.csv",
            "-q",
            "--require",
            "ada > bea",
            "--require",
            "ada.points >= 10",
            "--require",
            "ada.mean_placing < 2",
        ],
    );
    assert_eq!((held.status.code(), text(&held.stdout)), (Some(0), ""), "{}", text(&held.stderr));
    let not = arena(dir.path(), &["results.csv", "-q", "--require", "dov.places.1 > 0", "--junit", "out.xml"]);
    assert_eq!((not.status.code(), text(&not.stderr)), (Some(3), "NOT HELD: dov.places.1 > 0 (0 > 0)\n"));
    let junit = fs::read_to_string(dir.path().join("out.xml")).expect("written");
    assert!(junit.contains("failures=\"1\"") && junit.contains("dov.places.1 &gt; 0 (0 &gt; 0)"), "{junit}");
}

#[test]
fn options_that_are_about_games_of_two_are_refused() {
    let dir = folder();
    for (args, named) in [
        (&["--model", "davidson"][..], "--model"),
        (&["--bootstrap", "9"], "--bootstrap"),
        (&["--sprt", "player=ada,elo0=0,elo1=10"], "--sprt"),
        (&["--accuracy"], "--accuracy"),
        (&["--show", "fit"], "--show fit"),
        (&["--workers"], "--show workers"),
    ] {
        let output = arena(dir.path(), &[&["results.csv"], args].concat());
        let expected = format!("`{named}` can be used only for games of two players, but these games have 4");
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(text(&output.stderr).contains(&expected), "{args:?}: {}", text(&output.stderr));
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn a_handicap_of_a_player_is_marked_in_the_file_of_games_of_two() {
    let dir = TempDir::new().expect("a directory");
    let mut games = mixed();
    let plain = results_csv(&games);
    games[0].has_odds = true;
    let marked = results_csv(&games);
    let columns = |text: &str| text.lines().next().map(str::to_owned).expect("a header");
    assert_eq!(columns(&marked), columns(&plain) + ",odds");
    fs::write(dir.path().join("results.csv"), &marked).expect("written");
    let output = arena(dir.path(), &["results.csv"]);
    let note = "not rated: 1 game in which a player had its own handicap or compensation";
    assert!(text(&output.stdout).contains(note), "{}", text(&output.stdout));
    let rated = arena(dir.path(), &["results.csv", "--with-odds"]);
    assert!(!text(&rated.stdout).contains("handicap"), "{}", text(&rated.stdout));
    fs::write(dir.path().join("plain.csv"), &plain).expect("written");
    assert_eq!(arena(dir.path(), &["plain.csv"]).stdout, rated.stdout);
}

#[test]
fn a_record_of_four_has_the_summary_of_its_line() {
    let rules = Ruleset::ALL.into_iter().find(|ruleset| ruleset.name() == "quantum-4p").expect("a line-up");
    let placing = BySeat::new(vec![2, 1, 4, 3]).expect("four");
    let standing = Standing {
        totals: placing.clone().map(|place| Fraction::new(i32::from(place), 2)),
        points: placing.clone().map(|place| u8::from(place == 1)),
        placing,
        counts: Vec::new(),
    };
    let names = BySeat::from_fn(4, |seat| format!("bot {seat}"));
    let mut record = GroupRecord::of(rules, names, Ok(standing.clone()));
    (record.game, record.round) = (Some("r1-t1-g1".to_owned()), Some(1));
    let summary = GroupSummary::from(&record);
    let result = summary.result.as_ref().expect("a result");
    assert_eq!((result.placing(), result.totals()), (&standing.placing, &standing.totals));
    assert_eq!((summary.game.as_str(), summary.round, summary.has_odds), ("r1-t1-g1", Some(1), false));
    record.other_tags.push(("Odds".to_owned(), "bot 1 handicap 4".to_owned()));
    assert!(GroupSummary::from(&record).has_odds);
    assert_eq!(group_results_columns(4).len() + 2 * 9, group_results_columns(6).len());
}
