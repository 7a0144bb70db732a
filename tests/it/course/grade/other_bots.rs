//! Bots that have changed since they were graded, and bots that cannot be started.

use std::fs;
use std::time::Duration;

use serde_json::Value;

use super::planted::{make_bot, plant_checks, plant_checks_with, plant_roster};
use super::{CLASS, RUBRIC, class, files, grade, grades};
use crate::harness::arena::{Arena, text};
use crate::house::json::{fits, strict};

#[test]
fn a_mended_bot_gets_new_games_and_a_former_one_its_old_ones() {
    let arena = class();
    assert_eq!(grade(&arena, &[]).status.code(), Some(0));
    let before = grades(&arena);
    make_bot(&arena, "weak", "alphabeta --depth 1");
    let forecast = text(&grade(&arena, &["--dry-run"]).stdout);
    assert!(forecast.contains("weak        check takes about 1s; 4 games of about"), "{forecast}");
    plant_checks(&arena);
    assert_eq!(grade(&arena, &[]).status.code(), Some(0));
    let audit: Value = serde_json::from_slice(&grades(&arena)[1]).expect("JSON");
    let id = audit["students"][1]["games"][0]["id"].as_str().expect("an id").to_owned();
    assert!(id.starts_with("weak/random-2/"), "{id}");
    assert_eq!(audit["students"][0], serde_json::from_slice::<Value>(&before[1]).expect("JSON")["students"][0]);

    make_bot(&arena, "weak", "random");
    plant_checks(&arena);
    let runs = files(&arena.path().join("grades/run"));
    assert_eq!(grade(&arena, &[]).status.code(), Some(0));
    assert!(grades(&arena) == before, "the earlier bot has its earlier grade");
    assert!(files(&arena.path().join("grades/run")) == runs, "nothing was played");

    // A change of clocks also requires new checks and new games.
    fs::write(arena.path().join("rubric.toml"), RUBRIC.replace("seed = 5", "seed = 5\ntime = \"30s\""))
        .expect("written");
    let forecast = text(&grade(&arena, &["--dry-run", "--only", "weak"]).stdout);
    assert!(forecast.contains("weak  check not measured yet; 4 games"), "{forecast}");
    plant_checks_with(&arena, Duration::from_secs(30));
    assert_eq!(grade(&arena, &["--only", "weak"]).status.code(), Some(0));
    assert!(arena.path().join("grades/run/weak/random-3/journal.jsonl").is_file());
}

#[test]
fn a_bot_that_is_mended_by_adding_a_module_is_another_bot() {
    let arena = class();
    plant_roster(&arena, "11");
    plant_checks(&arena);
    let weak = |more: &[&str]| grade(&arena, &[&["--only", "weak"], more].concat());
    assert_eq!(weak(&[]).status.code(), Some(0));
    // Files that the bot itself may have written do not count as a change.
    fs::write(arena.path().join("bots/weak/helper.py"), "").expect("written");
    let forecast = text(&weak(&["--dry-run"]).stdout);
    assert!(forecast.contains("weak  check is done; no games to play\n"), "{forecast}");
    plant_roster(&arena, "22");
    let forecast = text(&weak(&["--dry-run"]).stdout);
    assert!(forecast.contains("weak  check not measured yet; 4 games"), "{forecast}");
    plant_checks(&arena);
    let forecast = text(&weak(&["--dry-run"]).stdout);
    assert!(forecast.contains("weak  check is done; 4 games"), "{forecast}");
    assert_eq!(weak(&[]).status.code(), Some(0));
    assert!(arena.path().join("grades/run/weak/random-2/journal.jsonl").is_file());
}

#[test]
fn what_a_build_makes_only_once_is_not_a_change_of_the_bot() {
    let class =
        CLASS.replacen("[\"./play\"", "[\"./made\"", 1).replacen("command", "build = [\"sh\", \"make\"]\ncommand", 1);
    let arena = Arena::new(&class);
    fs::write(arena.path().join("rubric.toml"), RUBRIC).expect("written");
    let dir = arena.path().join("bots/strong_one");
    fs::create_dir_all(&dir).expect("made");
    // Like the `Cargo.lock` of cargo: the build writes it if it does not exist. The bot exits before its hello, so that
    // everything is over soon.
    let build = "[ -e lock ] || echo locked > lock\nprintf '#!/bin/sh\\nexit 3\\n' > made\nchmod +x made\n";
    fs::write(dir.join("make"), build).expect("written");
    let strong = || grade(&arena, &["--only", "Strong One"]);
    let output = strong();
    assert_eq!(output.status.code(), Some(0), "{}{}", text(&output.stdout), text(&output.stderr));
    assert!(dir.join("lock").is_file());
    let runs = files(&arena.path().join("grades"));
    assert_eq!(strong().status.code(), Some(0));
    assert!(files(&arena.path().join("grades")) == runs, "nothing was tried or played again");
}

#[test]
fn a_bot_that_cannot_be_started_gets_no_points_and_is_tried_again_once_it_has_changed() {
    let arena = class();
    fs::remove_file(arena.path().join("bots/weak/play")).expect("removed");
    let output = grade(&arena, &["--only", "weak"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let said = text(&output.stdout);
    for line in [
        "weak: 0 of 60",
        "protocol           0/20  The bot could not be started, so it passed no check.",
        "no-forfeits        0/10  The bot made no move in any of its 4 games.",
    ] {
        assert!(said.contains(line), "{line}\n{said}");
    }
    let kept = fs::read_to_string(arena.path().join("grades/check/weak/drill.json")).expect("kept");
    assert!(!fits(&strict("drill"), &kept)["broken"].is_null());
    let before = files(&arena.path().join("grades"));
    assert_eq!(grade(&arena, &["--only", "weak"]).stdout, output.stdout);
    assert!(files(&arena.path().join("grades")) == before, "the same broken bot is not tried again");
    make_bot(&arena, "weak", "random");
    let forecast = text(&grade(&arena, &["--dry-run", "--only", "weak"]).stdout);
    assert!(forecast.contains("weak  check not measured yet; 4 games"), "{forecast}");
}
