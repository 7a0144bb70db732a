//! Standings, computed from a run's folder and by the command: both produce the same text, and every problem is named.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::time::Duration;

use crate::harness::arena::program;
use crate::harness::waiting::InTime as _;
use gothello_arena::game::{BySide, Move, Side};
use gothello_arena::referee::moves_digest::MovesDigest;
use gothello_arena::referee::result::{GameResult, Termination};
use gothello_arena::results::report;
use gothello_arena::results::standings::{
    Counting, ForfeitKinds, GameSummary, PlayedSummary, RatingOptions, Standings, Tally,
};
use gothello_arena::run::results_dir;
use tempfile::TempDir;

pub(crate) fn game(id: u32, black: &str, white: &str, result: Option<GameResult>) -> GameSummary {
    GameSummary {
        game: format!("r1-{black}-{white}-{id}"),
        round: Some(1),
        players: BySide { black: black.to_owned(), white: white.to_owned() },
        result,
        plies: 20,
        used: BySide { black: Duration::from_micros(1_000_001), white: Duration::from_micros(2) },
        left: BySide::default(),
        usage: BySide::default(),
        starved: None,
        has_odds: false,
        thoughts: None,
        moves: MovesDigest::of([Move::PASS]),
    }
}

#[expect(clippy::unnecessary_wraps, reason = "the type of a game's result, which a void game lacks")]
pub(crate) fn won(winner: Option<Side>, margin: i32) -> Option<GameResult> {
    Some(GameResult::new(winner, Termination::Normal, Some(margin), None).unwrap())
}

#[expect(clippy::unnecessary_wraps, reason = "the type of a game's result, which a void game lacks")]
pub(crate) fn forfeit(loser: Side, termination: Termination) -> Option<GameResult> {
    Some(GameResult::new(Some(loser.opponent()), termination, None, None).unwrap())
}

#[expect(clippy::unnecessary_wraps, reason = "the type of a game's result, which a void game lacks")]
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

/// The summaries of a run's games, which all have two seats.
fn pairs(dir: &Path) -> Vec<GameSummary> {
    let pair = |game| match game {
        PlayedSummary::Pair(game) => game,
        PlayedSummary::Group(game) => panic!("{game:?}"),
    };
    results_dir::summaries(dir).unwrap().into_iter().map(pair).collect()
}

#[test]
fn a_log_without_an_id_is_named_by_its_file() {
    let dir = run_folder(&[("b.log", FOREIGN), ("a.log", LOG), ("a.black.stderr", "no log")]);
    let games = pairs(dir.path());
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

// The command `standings`.

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
    let games = pairs(dir.path());
    fs::write(dir.path().join("results.csv"), report::results_csv(&games)).unwrap();
    let expected = report::final_report(&counted(&games, Counting::default()));
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
        (&["scores.csv", "--anchor", "someone=3"], 2, "(choose from `ada`, `bea`)"),
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

fn tally(games: &[GameSummary], counting: Counting) -> Tally {
    let mut tally = Tally::new(counting);
    tally.extend(games);
    tally
}

fn counted(games: &[GameSummary], counting: Counting) -> Standings {
    Standings::new(&tally(games, counting), &RatingOptions::default()).unwrap()
}

const DISTINCT: Counting =
    Counting { without_forfeits: ForfeitKinds::NONE, distinct: true, last_round: None, with_odds: false };

fn without_forfeits() -> Counting {
    Counting { without_forfeits: ForfeitKinds::all(), distinct: false, last_round: None, with_odds: false }
}

fn moves(text: &str) -> MovesDigest {
    MovesDigest::of(text.split(' ').map(|word| word.parse().unwrap()))
}

/// Ada and Bea play the same game several times: once with a different ending, once with swapped colours, and once as a
/// void game.
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
fn the_options_reach_the_standings() {
    let dir = TempDir::new().unwrap();
    let other = mixed().into_iter().map(|game| GameSummary { game: format!("{}-other", game.game), ..game });
    let games: Vec<GameSummary> = repeats().into_iter().chain(other).collect();
    fs::write(dir.path().join("results.csv"), report::results_csv(&games)).unwrap();
    let both = Counting { without_forfeits: ForfeitKinds::all(), distinct: true, last_round: None, with_odds: false };
    for (args, counting) in [
        (&["results.csv"][..], Counting::default()),
        (&["results.csv", "--distinct"], DISTINCT),
        (&["results.csv", "--without-forfeits"], without_forfeits()),
        (&["results.csv", "--distinct", "--without-forfeits"], both),
    ] {
        let expected = report::final_report(&counted(&games, counting));
        assert_eq!(stdout(&arena(dir.path(), args)), expected, "{args:?}");
    }
    let drawn = |seed| arena(dir.path(), &["results.csv", "--explain", "--bootstrap", "50", "--seed", seed]);
    let seeds = ["1", "1", "2"].map(drawn);
    let [first, again, other] = seeds.each_ref().map(stdout);
    assert_eq!(first, again);
    assert_ne!(first, other);
    assert!(first.contains("±95% contains 95% of 50 fits to games drawn from this fit (seed 1)"), "{first}");
}
