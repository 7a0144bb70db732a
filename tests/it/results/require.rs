//! Requirements on standings, given on the command line as in a CI job.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use gothello_arena::results::report;
use gothello_arena::results::standings::GameSummary;
use serde_json::Value;
use tempfile::TempDir;

use crate::harness::arena::Arena;
use crate::harness::arena::program;
use crate::harness::waiting::InTime as _;
use crate::house::json::{fits, strict};
use crate::results::standings::{forfeit, game, won};
use gothello_arena::game::{Move, Side};
use gothello_arena::referee::moves_digest::MovesDigest;
use gothello_arena::referee::result::Termination;

/// Ada beats Bea in 3 of 4 games and beats bot 2 in every game; bot 2 loses one of its games by a crash.
fn field() -> Vec<GameSummary> {
    let mut games = vec![
        game(1, "ada", "bea", won(Some(Side::Black), 5)),
        game(2, "bea", "ada", won(Some(Side::White), -3)),
        game(3, "ada", "bea", won(Some(Side::Black), 1)),
        game(4, "bea", "ada", won(Some(Side::Black), 2)),
        game(5, "ada", "bot 2", won(Some(Side::Black), 9)),
        game(6, "bot 2", "ada", forfeit(Side::Black, Termination::Crash)),
        game(7, "bea", "bot 2", won(None, 0)),
    ];
    for (game, number) in games.iter_mut().zip(0..) {
        // The moves differ, so that no game repeats another.
        game.moves = MovesDigest::of(std::iter::repeat_n(Move::PASS, number));
    }
    games
}

/// `pairs` pairs of games. Ada wins every game.
fn won_pairs(pairs: u32) -> Vec<GameSummary> {
    let games = (1..=pairs).flat_map(|round| [(round, "ada", "bea", Side::Black), (round, "bea", "ada", Side::White)]);
    let played = |((round, black, white, winner), moves): ((u32, _, _, Side), usize)| GameSummary {
        round: Some(round),
        // The moves differ, so that no pair repeats another.
        moves: MovesDigest::of(std::iter::repeat_n(Move::PASS, moves)),
        ..game(round, black, white, forfeit(winner.opponent(), Termination::Resignation))
    };
    games.zip(1..).map(played).collect()
}

fn arena(dir: &Path, args: &[&str]) -> Output {
    Command::new(program()).arg("standings").args(args).current_dir(dir).output_in_time().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

fn folder(games: &[GameSummary]) -> TempDir {
    let dir = TempDir::new().unwrap();
    fs::write(dir.path().join("results.csv"), report::results_csv(games)).unwrap();
    dir
}

#[test]
fn requirements_set_the_exit_code_and_leave_stdout_alone() {
    let dir = folder(&field());
    let plain = arena(dir.path(), &["results.csv", "--format", "json"]);
    let held = arena(dir.path(), &["results.csv", "--format", "json", "--require", "ada > bea"]);
    let not = arena(
        dir.path(),
        &["results.csv", "--format", "json", "--require", "ada > bea", "--require", "bea.wins > ada.wins"],
    );
    assert_eq!((plain.status.code(), held.status.code(), not.status.code()), (Some(0), Some(0), Some(3)));
    assert_eq!((&plain.stdout, &plain.stdout), (&held.stdout, &not.stdout));
    let lines: Vec<&str> = text(&not.stderr).lines().collect();
    assert!(lines[0].starts_with("held: ada > bea (") && lines[0].contains(", probability "), "{lines:?}");
    assert_eq!(lines[1..], ["NOT HELD: bea.wins > ada.wins (1 > 5)"]);
    let quiet = arena(dir.path(), &["results.csv", "--quiet", "--require", "ada > bea"]);
    assert!(quiet.status.success() && quiet.stdout.is_empty());
    assert_eq!(quiet.stderr, held.stderr);
    let sure = arena(dir.path(), &["results.csv", "--require", "ada > bea", "--confidence", "0.999"]);
    assert_eq!(sure.status.code(), Some(3), "{}", text(&sure.stderr));
}

#[test]
fn all_wrong_requirements_are_usage_errors_at_once() {
    let dir = folder(&field());
    for (args, expected) in [
        (&["--require", "ada >", "--require", "> bea"][..], &["`ada >`: character 6", "`> bea`: character 1"][..]),
        (&["--require", "ado > bea", "--require", "ada.wims > 1"], &["did you mean `ada`?", "did you mean `wins`?"]),
        (&["--require", "ada > 1200"], &["--anchor NAME=ELO"]),
        (&["--require", "sprt == H1"], &["--sprt player=NAME"]),
        (
            &["--require", "sprt == H1", "--sprt", "player=ada,elo0=0,elo1=10"],
            &["a test compares two players, but there are 3"],
        ),
        (&["--require", "sprt == H1", "--sprt", "player=x,elo0=0,elo1=10"], &["no player is named `x`"]),
        (&["--require", "sprt == H1", "--sprt", "player=ada,elo0=20,elo1=10"], &["`elo0` must be less than `elo1`"]),
        (&["--require", "sprt == H1", "--sprt", "ada,0,10"], &["expected `player=NAME,elo0=0,elo1=10`"]),
        (&["--require", "ada > bea", "--confidence", "95"], &["expected a probability above 0 and below 1"]),
        (&["--confidence", "0.95"], &["--require"]),
        (&["--junit", "out.xml"], &["--require"]),
        (&["--quiet"], &["--require"]),
        (&["--seed", "3"], &["--bootstrap"]),
    ] {
        let output = arena(dir.path(), &[&["results.csv"], args].concat());
        assert_eq!(output.status.code(), Some(2), "{args:?}: {}", text(&output.stderr));
        for expected in expected {
            assert!(text(&output.stderr).contains(expected), "{args:?}: {}", text(&output.stderr));
        }
        assert!(output.stdout.is_empty(), "{args:?}");
    }
}

#[test]
fn the_verdict_depends_on_the_player_under_test() {
    let dir = folder(&won_pairs(40));
    let sprt = |player: &str| format!("player={player},elo0=0,elo1=50,beta=0.1");
    let judge = |player, requirement| {
        arena(dir.path(), &["results.csv", "--quiet", "--sprt", &sprt(player), "--require", requirement])
    };
    assert_eq!(judge("ada", "sprt == H1").status.code(), Some(0));
    assert_eq!(judge("bea", "sprt == H1").status.code(), Some(3));
    assert_eq!(judge("bea", "sprt == H0").status.code(), Some(0));
    let shown = |format| arena(dir.path(), &["results.csv", "--format", format, "--sprt", &sprt("bea")]).stdout;
    let json: Value = serde_json::from_slice(&shown("json")).unwrap();
    assert_eq!((&json[0]["sprt"]["player"], &json[0]["sprt"]["verdict"]), (&"bea".into(), &"H0".into()));
    assert!(
        text(&shown("table")).contains("Sequential test of bea against ada (elo0 0, elo1 50, alpha 0.05, beta 0.1)")
    );
}

#[test]
fn the_run_of_a_sequential_test_says_what_is_tested() {
    let test = Arena::new(
        "format = \"sprt\"\nseed = 5\nelo0 = 0\nelo1 = 300\nmax_pairs = 40\nopenings = { plies = 3, balanced = true }\n\
         [[player]]\nname = \"new\"\nbuiltin = \"greedy\"\n[[player]]\nname = \"old\"\nbuiltin = \"random\"\n",
    );
    assert_eq!(test.run(&[]).status.code(), Some(0));
    let requirements = ["--require", "sprt == H0", "--require", "sprt.distinct_pairs == 9"];
    let output = arena(test.path(), &[&["out", "--format", "json"][..], &requirements].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let json = fits(&strict("standings"), text(&output.stdout));
    assert_eq!((&json[0]["sprt"]["player"], &json[0]["sprt"]["verdict"]), (&"new".into(), &"H0".into()));
}

#[test]
fn junit_has_a_case_for_each_requirement() {
    let dir = folder(&field());
    let output = arena(
        dir.path(),
        &[
            "results.csv",
            "-q",
            "--junit",
            "out.xml",
            "--require",
            "ada > 'bot 2'",
            "--require",
            "\"bot 2\".forfeits == 0",
        ],
    );
    assert_eq!(output.status.code(), Some(3));
    let xml = fs::read_to_string(dir.path().join("out.xml")).unwrap();
    assert!(xml.contains("tests=\"2\" failures=\"1\""), "{xml}");
    assert!(xml.contains("name=\"ada &gt; &apos;bot 2&apos;\""), "{xml}");
    let failure = "message=\"NOT HELD: &quot;bot 2&quot;.forfeits == 0 (1 == 0)\"";
    assert!(xml.contains(failure), "{xml}");
    let leftovers = fs::read_dir(dir.path()).unwrap().count();
    assert_eq!(leftovers, 2, "only results.csv and out.xml may be left");
    let output = arena(dir.path(), &["results.csv", "-q", "--junit", "no/out.xml", "--require", "ada > bea"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("could not write `no/out.xml`"), "{}", text(&output.stderr));
}
