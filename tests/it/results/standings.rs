//! Standings, from games to text: the counts, the output, and independence of the order of the games.

use std::fs;
use std::num::NonZeroU32;
use std::path::Path;
use std::process::{Command, Output};
use std::time::Duration;

use crate::harness::arena::program;
use crate::harness::waiting::InTime as _;
use gothello_arena::game::{BySide, Move, Side};
use gothello_arena::referee::moves_digest::MovesDigest;
use gothello_arena::referee::record::GameRecord;
use gothello_arena::referee::result::{GameResult, Termination};
use gothello_arena::referee::usage::Usage;
use gothello_arena::results::rating::{Bootstrap, Elo, Prior, Rating, Wdl};
use gothello_arena::results::report::{self, Extra, Extras, ReportFormat};
use gothello_arena::results::standings::{
    Anchor, AnchorError, Counting, ForfeitKinds, GameSummary, PlayerRow, RatingOptions, Standings, Tally, duplicates,
};
use gothello_arena::run::results_dir;
use proptest::prelude::*;
use tempfile::TempDir;

pub(crate) fn game(id: u32, black: &str, white: &str, result: Option<GameResult>) -> GameSummary {
    GameSummary {
        game: format!("r1-{black}-{white}-{id}"),
        round: Some(1),
        players: BySide { black: black.to_owned(), white: white.to_owned() },
        result,
        plies: 20,
        used: BySide { black: Duration::from_micros(1_000_001), white: Duration::from_micros(2) },
        usage: BySide::default(),
        starved: None,
        moves: MovesDigest::of([Move::PASS]),
    }
}

#[expect(clippy::unnecessary_wraps, reason = "as a game has it; a void one has none")]
pub(crate) fn won(winner: Option<Side>, margin: i32) -> Option<GameResult> {
    Some(GameResult::new(winner, Termination::Normal, Some(margin), None).unwrap())
}

#[expect(clippy::unnecessary_wraps, reason = "as a game has it; a void one has none")]
pub(crate) fn forfeit(loser: Side, termination: Termination) -> Option<GameResult> {
    Some(GameResult::new(Some(loser.opponent()), termination, None, None).unwrap())
}

#[expect(clippy::unnecessary_wraps, reason = "as a game has it; a void one has none")]
pub(crate) fn double_forfeit() -> Option<GameResult> {
    Some(GameResult::new(None, Termination::DoubleForfeit, None, None).unwrap())
}

/// Games with every kind of result.
pub(crate) fn mixed() -> Vec<GameSummary> {
    vec![
        game(1, "ada", "bea", won(Some(Side::Black), 5)),
        game(2, "bea", "ada", won(Some(Side::White), -3)),
        game(3, "ada", "cyd", won(None, 0)),
        game(4, "cyd", "ada", forfeit(Side::White, Termination::Time)),
        game(5, "bea", "cyd", double_forfeit()),
        game(6, "cyd", "bea", None),
        game(7, "bea", "cyd", forfeit(Side::Black, Termination::Crash)),
    ]
}

fn standings(games: &[GameSummary], options: &RatingOptions) -> Standings {
    Standings::new(&games.iter().collect(), options).unwrap()
}

fn wdl(wins: u64, draws: u64, losses: u64) -> Wdl {
    Wdl { wins, draws, losses }
}

#[test]
fn games_are_counted_by_player_and_side() {
    let standings = standings(&mixed(), &RatingOptions::default());
    let row = |name: &str| standings.rows().iter().find(|row| row.player == name).unwrap();
    let (ada, bea, cyd) = (row("ada"), row("bea"), row("cyd"));
    assert_eq!(ada.by_side, BySide { black: wdl(1, 1, 0), white: wdl(1, 0, 1) });
    assert_eq!(bea.by_side, BySide { black: wdl(0, 0, 3), white: wdl(0, 0, 1) });
    assert_eq!(cyd.by_side, BySide { black: wdl(1, 0, 0), white: wdl(1, 1, 1) });
    assert_eq!((ada.margin, bea.margin, cyd.margin), (8, -8, 0));
    assert_eq!(ada.forfeits.clone().into_iter().collect::<Vec<_>>(), [(Termination::Time, 1)]);
    let kinds: Vec<Termination> = bea.forfeits.keys().copied().collect();
    assert_eq!(kinds, [Termination::Crash, Termination::DoubleForfeit]);
    assert_eq!(cyd.forfeit_count(), 1);
}

#[test]
fn void_games_and_double_forfeits_are_not_rated() {
    let rated: Vec<GameSummary> =
        mixed().into_iter().filter(|game| game.result.as_ref().is_some_and(GameResult::is_rated)).collect();
    let (all, rated) = (standings(&mixed(), &RatingOptions::default()), standings(&rated, &RatingOptions::default()));
    let ratings = |standings: &Standings| -> Vec<(String, Option<Rating>)> {
        standings.rows().iter().map(|row| (row.player.clone(), row.rating)).collect()
    };
    assert_eq!(ratings(&all), ratings(&rated));
    let counts = all.counts();
    assert_eq!((counts.rated, counts.double_forfeits, counts.void), (5, 1, 1));
}

#[test]
fn a_void_game_lists_its_players() {
    let standings = standings(&[game(1, "ada", "bea", None)], &RatingOptions::default());
    let names: Vec<&str> = standings.rows().iter().map(|row| row.player.as_str()).collect();
    assert_eq!(names, ["ada", "bea"]);
    assert_eq!(standings.rows()[0].total(), wdl(0, 0, 0));
}

#[test]
fn players_with_equal_elo_and_points_share_a_rank() {
    let games = [
        game(1, "zoe", "bea", won(Some(Side::Black), 5)),
        game(2, "ada", "bea", won(Some(Side::Black), 5)),
        game(3, "bea", "cyd", won(Some(Side::Black), 5)),
    ];
    let standings = standings(&games, &RatingOptions::default());
    let ranks = standings.rows().iter().map(|row| (row.rank.unwrap(), row.player.as_str()));
    let ranks: Vec<(usize, &str)> = ranks.collect();
    assert_eq!(ranks, [(1, "ada"), (1, "zoe"), (3, "bea"), (4, "cyd")]);
}

#[test]
fn an_anchor_changes_neither_order_nor_bars() {
    let anchor = |player: &str| RatingOptions {
        anchors: vec![Anchor { player: player.to_owned(), elo: Elo(1500.004), deviation: None }],
        ..RatingOptions::default()
    };
    let (free, set) = (standings(&mixed(), &RatingOptions::default()), standings(&mixed(), &anchor("bea")));
    for (free, set) in free.rows().iter().zip(set.rows()) {
        assert_eq!((free.rank, &free.player, free.error95), (set.rank, &set.player, set.error95));
    }
    assert_eq!(set.rows().iter().find(|row| row.player == "bea").unwrap().shown_rating("-").to_string(), "1500.00");
    let unknown = Standings::new(&mixed().iter().collect(), &anchor("bee")).unwrap_err();
    assert_eq!(unknown, AnchorError::Unknown { name: "bee".to_owned() });
    let games = [game(1, "ada", "bea", won(Some(Side::Black), 1))];
    let options = RatingOptions { prior: Prior::None, ..anchor("ada") };
    let unbounded = Standings::new(&games.iter().collect(), &options).unwrap_err();
    assert_eq!(unbounded, AnchorError::Unbounded { name: "ada".to_owned() });
}

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
        "r3-ada-bea,3,ada,bea,white,,time,black,4,2.000001,0.500000,{digest},,0.400000,0.100000,2.500000,1048576,2,10,,,,,,,idle,yes\n"
    );
    assert_eq!(row.lines().nth(1).map(|line| format!("{line}\n")), Some(expected));
}

#[test]
fn results_csv_has_the_columns_that_scripts_rely_on() {
    let text = report::results_csv(&mixed());
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        lines[0],
        "game,round,black,white,winner,margin,termination,at_fault,plies,black_seconds,white_seconds,moves_sha256,\
         duplicate_of,black_user_seconds,black_system_seconds,black_wall_seconds,black_peak_memory,black_processes,\
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
    // A game that a proof ended has no compensation.
    lines[2] = lines[2].replace(",-3,normal,", ",3,adjudicated,");
    lines[4] = lines[4].replace(",white,20", ",black,20");
    lines[7] = lines[3].clone();
    let errors = report::read_results_csv(&lines.join("\n")).unwrap_err();
    let shown: Vec<String> = errors.iter().map(ToString::to_string).collect();
    assert_eq!(
        shown,
        [
            "2: `termination`: expected a word for how games end (`normal`, `time`, ...), found `norml`",
            "3: the margin and the winner disagree",
            "5: `at_fault`: `black` does not agree with winner and termination",
            "8: the game `r1-ada-cyd-3` is listed twice (first in line 4)",
        ]
    );
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

// A run's folder.

fn run_folder(logs: &[(&str, &str)]) -> TempDir {
    let dir = TempDir::new().unwrap();
    fs::create_dir(dir.path().join("games")).unwrap();
    for (name, text) in logs {
        fs::write(dir.path().join("games").join(name), text).unwrap();
    }
    dir
}

const FOREIGN: &str = "[Black \"ada\"]\n[White \"bea\"]\n[Result \"0-1\"]\n\n1. c3 d4 2. e3 0-1\n";

#[test]
fn a_log_without_an_id_is_named_by_its_file() {
    let dir = run_folder(&[("b.log", FOREIGN), ("a.log", LOG), ("a.black.stderr", "no log")]);
    let games = results_dir::summaries(dir.path()).unwrap();
    let ids: Vec<&str> = games.iter().map(|game| game.game.as_str()).collect();
    assert_eq!(ids, ["r3-ada-bea", "b"]);
}

#[test]
fn every_log_that_cannot_be_used_is_named_with_its_place() {
    let dir = run_folder(&[("a.log", LOG), ("b.log", "[Black \"x\"\n"), ("c.log", LOG)]);
    let error = results_dir::summaries(dir.path()).unwrap_err().to_string();
    let lines: Vec<&str> = error.lines().collect();
    let games = dir.path().join("games");
    assert_eq!(lines.len(), 2, "{error}");
    assert!(lines[0].starts_with(&format!("{}:", games.join("b.log").display())), "{error}");
    let expected = format!(
        "{}: the game `r3-ada-bea` already has a log: {}",
        games.join("c.log").display(),
        games.join("a.log").display()
    );
    assert_eq!(lines[1], expected);
}

// The command.

fn arena(dir: &Path, args: &[&str]) -> Output {
    let arena = program();
    Command::new(arena).arg("standings").args(args).current_dir(dir).output_in_time().unwrap()
}

fn stdout(output: &Output) -> &str {
    assert!(output.status.success(), "{}", stderr(output));
    std::str::from_utf8(&output.stdout).unwrap()
}

fn stderr(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).unwrap()
}

#[test]
fn logs_and_results_csv_give_the_same_standings() {
    let dir = run_folder(&[("a.log", LOG), ("b.log", FOREIGN)]);
    let games = results_dir::summaries(dir.path()).unwrap();
    fs::write(dir.path().join("results.csv"), report::results_csv(&games)).unwrap();
    let expected = report::final_report(&standings(&games, &RatingOptions::default()));
    assert_eq!(stdout(&arena(dir.path(), &["."])), expected);
    for format in ["table", "csv", "json", "markdown"] {
        let from_logs = arena(dir.path(), &[".", "--format", format, "--los", "--usage"]);
        let from_csv = arena(dir.path(), &["results.csv", "--format", format, "--los", "--usage"]);
        assert_eq!(stdout(&from_logs), stdout(&from_csv));
    }
}

#[test]
fn the_only_run_needs_no_path() {
    let dir = TempDir::new().unwrap();
    let output = arena(dir.path(), &[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("there is no run in `results`"), "{}", stderr(&output));
    let run = |name: &str| {
        fs::create_dir_all(dir.path().join("results").join(name).join("games")).unwrap();
        fs::write(dir.path().join("results").join(name).join("games/a.log"), LOG).unwrap();
    };
    run("one");
    assert!(stdout(&arena(dir.path(), &[])).contains("ada"));
    run("two");
    let output = arena(dir.path(), &[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("\n  results/one\n  results/two\n"), "{}", stderr(&output));
}

#[test]
fn wrong_usage_and_wrong_data_have_separate_exit_codes() {
    let dir = run_folder(&[]);
    fs::write(dir.path().join("scores.csv"), "first,second,first_score\nada,bea,1\n").unwrap();
    fs::write(dir.path().join("bad.csv"), "first,second,first_score\nada,bea,won\n").unwrap();
    fs::write(dir.path().join("other.csv"), "a,b\n1,2\n").unwrap();
    for (args, code, expected) in [
        (&["."][..], 5, "there are no games in `.`"),
        (&["nowhere"], 2, "cannot read `nowhere`"),
        (&["other.csv"], 2, "other.csv:1: expected a CSV file with the columns `first,second,first_score`"),
        (&["bad.csv"], 3, "bad.csv:2: `first_score`: expected 0, 0.5 or 1, found `won`"),
        (&["scores.csv", "--anchor", "beu=3"], 2, "no player is named `beu` (did you mean `bea`?)"),
        (&["scores.csv", "--anchor", "someone=3"], 2, "(there are `ada`, `bea`)"),
        (&["scores.csv", "--anchor", "bea=high"], 2, "expected a player and its Elo, such as `greedy=1500`"),
        (&["scores.csv", "--anchor", "bea=3", "--no-prior"], 2, "its rating is unbounded"),
    ] {
        let output = arena(dir.path(), args);
        assert_eq!(output.status.code(), Some(code), "{args:?}: {}", stderr(&output));
        assert!(stderr(&output).contains(expected), "{args:?}: {}", stderr(&output));
        assert!(output.stdout.is_empty(), "{args:?}");
    }
    let damaged = run_folder(&[("a.log", LOG), ("b.log", "[Black")]);
    let output = arena(damaged.path(), &["."]);
    assert_eq!(output.status.code(), Some(3));
    assert!(stderr(&output).contains("./games/b.log:1:"), "{}", stderr(&output));
}

#[test]
fn of_many_bad_lines_the_first_twenty_are_shown_and_the_others_counted() {
    let dir = run_folder(&[]);
    for (bad, shown, last) in [
        (20, 20, "bad.csv:21: `first_score`: expected 0, 0.5 or 1, found `won`"),
        (21, 21, "bad.csv: and 1 more problem"),
        (2_020, 21, "bad.csv: and 2000 more problems"),
    ] {
        let text = format!("first,second,first_score\n{}", "ada,bea,won\n".repeat(bad));
        fs::write(dir.path().join("bad.csv"), text).unwrap();
        let output = arena(dir.path(), &["bad.csv"]);
        assert_eq!(output.status.code(), Some(3));
        let stderr = stderr(&output);
        assert_eq!(stderr.lines().count(), shown, "{stderr}");
        assert!(stderr.trim_end().ends_with(last), "{stderr}");
    }
}

// Laws.

fn any_result() -> impl Strategy<Value = Option<GameResult>> {
    let side = || prop::sample::select(Side::BOTH.as_slice());
    let one_sided: Vec<Termination> =
        Termination::ALL.into_iter().filter(|kind| kind.is_forfeit() && *kind != Termination::DoubleForfeit).collect();
    prop_oneof![
        6 => (-25..=25).prop_map(|margin: i32| {
            let winner = (margin != 0).then_some(if margin > 0 { Side::Black } else { Side::White });
            won(winner, margin)
        }),
        1 => side().prop_map(|loser| forfeit(loser, Termination::Resignation)),
        2 => (side(), prop::sample::select(one_sided)).prop_map(|(loser, kind)| forfeit(loser, kind)),
        1 => Just(double_forfeit()),
        1 => Just(None),
    ]
}

fn any_games() -> impl Strategy<Value = Vec<GameSummary>> {
    let names = ["ada", "b,ea", "cy\"d", "d\nov", "é 1", "=1", "'-x"];
    let pair = (0..names.len(), 1..names.len());
    let usage = || {
        let figures = (0_u64..30_000_000, 0_u64..9, 0_u64..99_000_000, any::<u32>(), 1_u64..9, any::<u32>());
        prop::option::of(figures.prop_map(|(user, system, wall, memory, processes, written)| {
            let [user, system, wall] = [user, system, wall].map(Duration::from_micros);
            Usage { user, system, wall, peak_memory: memory.into(), processes, written: written.into() }
        }))
    };
    let (round, plies) = (prop::option::of(1_u32..9), prop_oneof![Just(0_usize), 1_usize..50]);
    let starved = prop::option::of(any::<bool>());
    let one = (pair, any_result(), round, plies, 0_u64..100_000_000, (usage(), usage(), starved));
    prop::collection::vec(one, 1..25).prop_map(move |games| {
        let numbered = games.into_iter().zip(0..);
        let summary =
            |(((black, offset), result, round, plies, micros, (black_usage, white_usage, starved)), id)| GameSummary {
                usage: BySide { black: black_usage, white: white_usage },
                starved,
                round,
                plies,
                // There are few enough moves that many games are equal.
                moves: MovesDigest::of(std::iter::repeat_n(Move::PASS, plies % 3)),
                used: BySide { black: Duration::from_micros(micros), white: Duration::from_micros(micros * 7) },
                ..game(id, names[black], names[(black + offset) % names.len()], result)
            };
        numbered.map(summary).collect()
    })
}

fn any_counting() -> impl Strategy<Value = Counting> {
    let kinds = prop::collection::vec(prop::sample::select(&Termination::ALL[..]), 0..4);
    let kinds =
        prop_oneof![Just(ForfeitKinds::NONE), Just(ForfeitKinds::all()), kinds.prop_map(ForfeitKinds::from_iter)];
    (kinds, any::<bool>()).prop_map(|(without_forfeits, distinct)| Counting {
        without_forfeits,
        distinct,
        last_round: None,
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn duplicates_are_exactly_the_games_that_distinct_leaves_out(games in any_games()) {
        let first = duplicates(games.iter().map(GameSummary::view));
        let kept: Vec<GameSummary> =
            games.iter().zip(&first).filter(|(_, first)| first.is_none()).map(|(game, _)| game.clone()).collect();
        let (distinct, kept) = (counted(&games, DISTINCT), counted(&kept, Counting::default()));
        prop_assert_eq!(distinct.counts().duplicates, first.iter().flatten().count() as u64);
        for (distinct, kept) in distinct.rows().iter().zip(kept.rows()) {
            prop_assert_eq!((&distinct.player, distinct.rating, distinct.by_side), (&kept.player, kept.rating, kept.by_side));
            prop_assert_eq!(distinct.margin, kept.margin);
        }
        prop_assert!(first.iter().flatten().all(|&first_of_all| first[first_of_all].is_none()));
    }

    #[test]
    fn results_csv_reads_back_equal(games in any_games()) {
        let text = report::results_csv(&games);
        prop_assert_eq!(report::read_results_csv(&text).unwrap(), games);
    }

    #[test]
    fn everything_is_counted_once_for_each_side(games in any_games(), counting in any_counting()) {
        let standings = counted(&games, counting);
        let rows = standings.rows();
        let counts = standings.counts();
        prop_assert_eq!(rows.iter().map(|row| row.margin).sum::<i64>(), 0);
        let seats: u64 = rows.iter().map(|row| row.total().games()).sum();
        prop_assert_eq!(seats, 2 * (counts.rated + counts.double_forfeits));
        let half_points: u64 = rows.iter().map(|row| row.total().half_points()).sum();
        prop_assert_eq!(half_points, 2 * counts.rated);
        for (index, row) in rows.iter().enumerate() {
            let versus = (0..rows.len()).fold(Wdl::default(), |sum, other| sum + standings.versus(index, other));
            prop_assert_eq!(versus, row.total());
        }
        let merit = |row: &PlayerRow| (row.rating.map(|rating| rating.elo().hundredths()), row.total().half_points());
        let order: Vec<_> = rows.iter().map(merit).collect();
        prop_assert!(order.is_sorted_by(|a, b| a >= b), "{:?}", order);
        let left_out = counts.forfeits_left_out + if counting.distinct { counts.duplicates } else { 0 };
        prop_assert_eq!(counts.rated + counts.double_forfeits + counts.void + left_out, games.len() as u64);
    }
}

proptest! {
    // Every case makes all tables twice.
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

// Repeated games, and forfeits that are left out.

fn tally(games: &[GameSummary], counting: Counting) -> Tally {
    let mut tally = Tally::new(counting);
    tally.extend(games);
    tally
}

fn counted(games: &[GameSummary], counting: Counting) -> Standings {
    Standings::new(&tally(games, counting), &RatingOptions::default()).unwrap()
}

const DISTINCT: Counting = Counting { without_forfeits: ForfeitKinds::NONE, distinct: true, last_round: None };

fn without_forfeits() -> Counting {
    Counting { without_forfeits: ForfeitKinds::all(), distinct: false, last_round: None }
}

fn moves(text: &str) -> MovesDigest {
    MovesDigest::of(text.split(' ').map(|word| word.parse().unwrap()))
}

/// Ada and Bea play the same game several times: one of these has another ending, one has swapped colours, and one is
/// void.
fn repeats() -> Vec<GameSummary> {
    let played = |round, black, white, result, text: &str| GameSummary {
        round: Some(round),
        moves: moves(text),
        ..game(round, black, white, result)
    };
    vec![
        played(1, "ada", "bea", won(Some(Side::Black), 5), "c3 pass pass"),
        played(1, "bea", "ada", won(Some(Side::Black), 5), "c3 pass pass"),
        played(2, "ada", "bea", won(Some(Side::Black), 5), "c3 pass pass"),
        played(3, "ada", "bea", won(Some(Side::Black), 5), "c3 d3"),
        GameSummary { plies: 0, ..played(4, "ada", "bea", forfeit(Side::White, Termination::NoShow), "c3 pass pass") },
        played(5, "ada", "bea", None, "c3 pass pass"),
        played(6, "ada", "bea", won(Some(Side::Black), 5), "c3 pass pass"),
    ]
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
    vec![lost(1, 224, Some(usage(1))), lost(2, 226, None), game(3, "bea", "ada", won(Some(Side::Black), 1))]
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
        let note = "\n1 loss on time with little CPU used: the machine, a sleep or a wait, not thinking.\n";
        assert!(report::final_report(&standings).contains(note), "{counting:?}");
        let note = "\n1 loss on time while the machine was busy: the loser waited longer for a core than it ran. They count all the same.\n";
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
        let expected = ["ada", "2", "0.450", "0.050", "0.250", "4.000", "12.5", "%", "226.000", "3", "0.000", "1"];
        assert_eq!(words[1..], expected);
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
        "3: `black_peak_memory`: expected a whole number, or no usage of that side at all, found an empty field";
    assert_eq!(errors.iter().map(ToString::to_string).collect::<Vec<_>>(), [expected]);
}

#[test]
fn a_long_results_csv_names_the_first_of_equal_games_wherever_it_stands() {
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
        assert_eq!(line.split(',').nth(12), Some(id.unwrap_or_default()));
    }
}

#[test]
fn distinct_games_count_once() {
    let (all, distinct) = (counted(&repeats(), Counting::default()), counted(&repeats(), DISTINCT));
    let ada = |standings: &Standings| {
        let row = standings.rows().iter().find(|row| row.player == "ada").unwrap().clone();
        (row.by_side, row.margin, row.duplicates)
    };
    assert_eq!(ada(&all), (BySide { black: wdl(5, 0, 0), white: wdl(0, 0, 1) }, 15, 2));
    assert_eq!(ada(&distinct), (BySide { black: wdl(3, 0, 0), white: wdl(0, 0, 1) }, 5, 2));
    assert_eq!((all.counts().rated, all.counts().duplicates), (6, 2));
    assert_eq!((distinct.counts().rated, distinct.counts().duplicates), (4, 2));
    let note = |standings: &Standings| report::final_report(standings);
    let expected = "2 games repeat an earlier one move for move; they are still counted.";
    assert!(note(&all).contains(expected), "{}", note(&all));
    let expected = "Distinct games only: 2 games that repeat an earlier one move for move left out.";
    assert!(note(&distinct).contains(expected), "{}", note(&distinct));
}

#[test]
fn the_first_of_equal_games_counts_however_they_ended() {
    let ending = |round, loser| GameSummary {
        round: Some(round),
        ..game(round, "ada", "bea", forfeit(loser, Termination::Crash))
    };
    let mut games = vec![ending(10, Side::Black), ending(2, Side::White), ending(9, Side::Black)];
    for _ in 0..3 {
        games.rotate_left(1);
        let standings = counted(&games, DISTINCT);
        let total = |name: &str| standings.rows().iter().find(|row| row.player == name).unwrap().total();
        assert_eq!((total("ada"), total("bea")), (wdl(1, 0, 0), wdl(0, 0, 1)));
    }
    // Ids order the games of one round: the tenth comes after the second.
    let of_round = |id: &str, loser| GameSummary { game: id.to_owned(), ..ending(1, loser) };
    let games = [of_round("r1-ada-bea-10", Side::White), of_round("r1-ada-bea-2", Side::Black)];
    assert_eq!(duplicates(games.iter().map(GameSummary::view)), [Some(1), None]);
    assert_eq!(counted(&games, DISTINCT).rows()[0].player, "bea");
}

#[test]
fn forfeits_left_out_of_the_ratings_are_still_shown() {
    let standings = counted(&mixed(), without_forfeits());
    let row = |name: &str| standings.rows().iter().find(|row| row.player == name).unwrap();
    assert_eq!(row("ada").by_side, BySide { black: wdl(1, 1, 0), white: wdl(1, 0, 0) });
    assert_eq!(row("bea").total(), wdl(0, 0, 2));
    assert_eq!((row("ada").forfeit_count(), row("bea").forfeit_count(), row("cyd").forfeit_count()), (1, 2, 1));
    let counts = standings.counts();
    assert_eq!((counts.rated, counts.double_forfeits, counts.void, counts.forfeits_left_out), (3, 0, 1, 3));
    let kept: Vec<GameSummary> = mixed().into_iter().take(3).collect();
    let ratings = |standings: &Standings| -> Vec<(String, Option<Rating>)> {
        standings.rows().iter().map(|row| (row.player.clone(), row.rating)).collect()
    };
    let expected = [counted(&kept, Counting::default())];
    assert_eq!(ratings(&standings)[..2], ratings(&expected[0])[..2]);
    assert!(report::final_report(&standings).contains("Without forfeits: 3 games left out of ratings, points"));
}

#[test]
fn the_options_reach_the_standings() {
    let dir = TempDir::new().unwrap();
    let other = mixed().into_iter().map(|game| GameSummary { game: format!("{}-other", game.game), ..game });
    let games: Vec<GameSummary> = repeats().into_iter().chain(other).collect();
    fs::write(dir.path().join("results.csv"), report::results_csv(&games)).unwrap();
    let both = Counting { without_forfeits: ForfeitKinds::all(), distinct: true, last_round: None };
    for (args, counting) in [
        (&["results.csv"][..], Counting::default()),
        (&["results.csv", "--distinct"], DISTINCT),
        (&["results.csv", "--without-forfeits"], without_forfeits()),
        (&["results.csv", "--distinct", "--without-forfeits"], both),
    ] {
        let expected = report::final_report(&counted(&games, counting));
        assert_eq!(stdout(&arena(dir.path(), args)), expected, "{args:?}");
    }
    let seeds = ["1", "1", "2"].map(|seed| arena(dir.path(), &["results.csv", "--bootstrap", "50", "--seed", seed]));
    let [first, again, other] = seeds.each_ref().map(stdout);
    assert_eq!(first, again);
    assert_ne!(first, other);
    assert!(first.contains("±95% holds 95 % of 50 fits to games drawn from this one (seed 1)"), "{first}");
}

#[test]
fn a_tally_built_game_by_game_gives_the_same_standings() {
    let mut tally = Tally::default();
    for game in &mixed() {
        tally.add(game);
    }
    let grown = Standings::new(&tally, &RatingOptions::default()).unwrap();
    let expected = report::final_report(&standings(&mixed(), &RatingOptions::default()));
    assert_eq!(report::final_report(&grown), expected);
}

#[test]
fn games_that_were_under_way_when_a_test_ended_are_listed_and_count_for_nothing() {
    let games: Vec<GameSummary> = repeats();
    for last in 0..4 {
        let counting = Counting { last_round: Some(last), ..Counting::default() };
        let (of_test, later): (Vec<_>, Vec<_>) =
            games.iter().cloned().partition(|game| game.round.is_none_or(|round| round <= last));
        let (all, up_to_last) = (counted(&games, counting), counted(&of_test, Counting::default()));
        let points = |standings: &Standings| -> Vec<_> {
            standings.rows().iter().map(|row| (row.player.clone(), row.total(), row.rating, row.duplicates)).collect()
        };
        if of_test.iter().any(|game| game.result.is_some()) {
            assert_eq!(points(&all), points(&up_to_last), "{last}");
        }
        let after = later.iter().filter(|game| game.result.is_some()).count() as u64;
        assert_eq!((all.counts().after_test, all.counts().all()), (after, games.len() as u64), "{last}");
        assert_eq!(report::final_report(&all).contains("in progress when the test ended"), after > 0, "{last}");
    }
}
