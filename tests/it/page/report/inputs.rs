//! What a page is made from, where it is written, and when it is refused.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

use super::{Page, played, report, report_in};
use crate::cli::command_line::text;
use crate::harness::arena::{Arena, program, with_void_games};
use crate::harness::waiting::InTime as _;

#[test]
fn a_run_that_goes_on_is_shown_so_far() {
    let arena = played();
    let journal = arena.out().join("journal.jsonl");
    let lines = fs::read_to_string(&journal).expect("a journal");
    let kept: Vec<&str> = lines.split_inclusive('\n').take(6).collect();
    // The last line is only half written.
    fs::write(&journal, kept.concat() + "{\"game\":{\"nu").expect("written");
    for log in fs::read_dir(arena.out().join("games")).expect("games").flatten() {
        fs::remove_file(log.path()).expect("removed");
    }
    let page = report(&arena, &["out"]);
    assert_eq!((page.games().len(), page.data["soFar"].as_bool()), (5, Some(true)));
    assert_eq!(page.text_of("sofar"), "So far: 5 of 12 games are finished.");
    assert!(fs::read_to_string(&journal).expect("a journal").ends_with("\"nu"), "a report changes nothing");
    fs::write(&journal, kept[0]).expect("written");
    let page = report(&arena, &["out"]);
    assert!(page.games().is_empty());
    assert!(page.text_of("standings").contains("No game has been played yet."));
}

#[test]
fn results_without_moves_make_a_page_without_games() {
    let arena = played();
    let page = report(&arena, &["out/results.csv", "--out", "csv.html"]);
    assert_eq!(page.games().len(), 12);
    assert!(page.games().iter().all(|game| game[6] == ""));
    assert!(page.text_of("games").contains("This page contains no moves."));
    fs::write(arena.path().join("score.csv"), "first,second,first_score\na,b,1\nb,a,0.5\n").expect("written");
    let page = report(&arena, &["score.csv", "--out", "score.html"]);
    assert_eq!((page.names(), page.games().len()), (vec!["a", "b"], 2));
    let output = arena.output(&["report", "score.csv"]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("--out"), "{}", text(&output.stderr));
}

#[test]
fn void_games_and_single_games_are_shown() {
    let dir = TempDir::new().expect("a directory");
    let games = dir.path().join("games");
    fs::create_dir(&games).expect("made");
    let void =
        "[Black \"a\"]\n[White \"b\"]\n[Result \"*\"]\n[Termination \"void\"]\n[Reason \"no port\"]\n\n1. c3 *\n";
    fs::write(games.join("g.log"), void).expect("written");
    assert_eq!(report_in(dir.path(), &["."]).status.code(), Some(0));
    let page = Page::read(&dir.path().join("report.html"));
    assert_eq!((page.games().len(), &page.games()[0][3]), (1, &Value::from(4)));
    assert_eq!(page.data["terms"][0], "void");
    assert!(!page.data.to_string().contains("no port"), "the reason for a void game is not public");
}

#[test]
fn a_run_that_has_played_all_games_is_finished_even_if_some_are_void() {
    let dir = TempDir::new().expect("a directory");
    let arena = with_void_games();
    let journal = fs::read_to_string(arena.out().join("journal.jsonl")).expect("a journal");
    assert_eq!(journal.matches("{\"void\":").count(), 4, "of six games");
    fs::write(dir.path().join("journal.jsonl"), &journal).expect("written");
    assert_eq!(report_in(dir.path(), &["."]).status.code(), Some(0));
    let page = Page::read(&dir.path().join("report.html"));
    assert_eq!((page.games().len(), page.data["soFar"].as_bool()), (6, Some(false)));
    assert!(!page.body().contains("So far"));
    assert!(page.text_of("endings").contains("4 additional void games"), "{}", page.text_of("endings"));
    // Now the last game has not been played yet.
    let before = journal.trim_end().rfind('\n').expect("several lines");
    fs::write(dir.path().join("journal.jsonl"), &journal[..=before]).expect("written");
    assert_eq!(report_in(dir.path(), &["."]).status.code(), Some(0));
    let page = Page::read(&dir.path().join("report.html"));
    assert!(page.text_of("sofar").ends_with(" of 6 games are finished."), "{}", page.text_of("sofar"));
}

#[test]
fn a_log_that_breaks_the_rules_is_refused_with_its_ply() {
    let dir = TempDir::new().expect("a directory");
    let games = dir.path().join("games");
    fs::create_dir(&games).expect("made");
    let log = "[Black \"a\"]\n[White \"b\"]\n[Result \"0-1\"]\n[Termination \"time\"]\n\n1. c3 c3 0-1\n";
    fs::write(games.join("g.log"), log).expect("written");
    let output = report_in(dir.path(), &["."]);
    assert_eq!(output.status.code(), Some(3));
    assert!(text(&output.stderr).contains("`g`: ply 2 (c3): the point is occupied"), "{}", text(&output.stderr));
    assert!(!dir.path().join("report.html").exists());
}

#[test]
fn a_page_of_hundreds_of_players_is_bounded() {
    let dir = TempDir::new().expect("a directory");
    let names: Vec<String> = (0..301).map(|number| format!("player {number}")).collect();
    let pairs = names.windows(2).map(|pair| format!("{},{},1\n{},{},0\n", pair[0], pair[1], pair[1], pair[0]));
    let csv = format!("first,second,first_score\n{}", pairs.collect::<String>());
    fs::write(dir.path().join("many.csv"), csv).expect("written");
    let output = report_in(dir.path(), &["many.csv", "--out", "many.html"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let page = Page::read(&dir.path().join("many.html"));
    assert!(page.html.len() < 2 << 20, "{} bytes", page.html.len());
    assert!(page.text_of("crosstable").contains("The crosstable shows the best 150 of 301 players."));
    assert_eq!(page.names().len(), 301);
}

#[test]
fn a_page_that_browsers_could_not_open_is_not_written() {
    let dir = TempDir::new().expect("a directory");
    let name = "x".repeat(6 << 20);
    fs::write(dir.path().join("long.csv"), format!("first,second,first_score\n{name},b,1\n")).expect("written");
    let output = report_in(dir.path(), &["long.csv", "--out", "long.html"]);
    assert_eq!(output.status.code(), Some(2));
    let said = text(&output.stderr);
    assert!(said.contains("20.0 MiB") && said.contains("--games lost"), "{said}");
    assert!(!dir.path().join("long.html").exists());
}

#[test]
fn a_disk_that_refuses_leaves_the_old_page_whole() {
    let arena = played();
    let page = arena.out().join("report.html");
    report(&arena, &["out"]);
    let old = fs::read(&page).expect("a page");
    // Files may be at most eight blocks long, far fewer than the page needs.
    let command = format!("ulimit -f 8; exec {} report out --title Another", program());
    let output =
        Command::new("sh").args(["-c", &command]).current_dir(arena.path()).output_in_time().expect("it starts");
    assert!(!output.status.success());
    assert_eq!(fs::read(&page).expect("a page"), old);
    let output = arena.output(&["report", "out", "--out", "nowhere/report.html"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("nowhere/report.html"), "{}", text(&output.stderr));
}

#[test]
fn the_page_lies_in_the_run_unless_told() {
    let arena = played();
    let results = arena.path().join("results");
    fs::create_dir(&results).expect("made");
    fs::rename(arena.out(), results.join("class")).expect("moved");
    let output = arena.output(&["report"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let page: PathBuf = results.join("class/report.html");
    assert!(text(&output.stderr).contains("wrote `results/class/report.html`"), "{}", text(&output.stderr));
    assert!(Page::read(&page).html.starts_with("<!DOCTYPE html>"));
}

#[test]
fn a_path_that_does_not_exist_is_called_so() {
    let arena = Arena::new("");
    let output = arena.output(&["report", "nothing"]);
    let stderr = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains("cannot read `nothing`: No such file or directory"), "{stderr}");
    let output = arena.output(&["report", "class.toml"]);
    assert!(text(&output.stderr).contains("a page for a file needs `--out FILE.html`"));
}
