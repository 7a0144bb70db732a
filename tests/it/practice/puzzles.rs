//! `puzzles`: its output and its files, and other commands, which agree with its answers.

use std::fs;
use std::io::Write as _;
use std::process::Stdio;

use serde_json::Value;

use crate::harness::arena::{Arena, text};
use crate::harness::on_terminal::OnTerminal;
use crate::harness::waiting::InTime as _;
use crate::house::json::{fits, strict};

const FIELD: &str = "seed = 5\nrounds = 1\n[[player]]\nname = \"greedy\"\nbuiltin = \"greedy\"\n[[player]]\nname = \"random\"\nbuiltin = \"random\"\n";

fn puzzles(arena: &Arena, words: &[&str]) -> Value {
    let output = arena.command(&[&["puzzles", "--json"], words].concat()).output_in_time().expect("it starts");
    assert!(output.status.success(), "{words:?}: {}", text(&output.stderr));
    fits(&strict("puzzles"), &text(&output.stdout))
}

#[test]
fn solve_finds_the_answers_of_a_run_s_puzzles_and_no_other_move() {
    let arena = Arena::new(FIELD);
    assert!(arena.run(&[]).status.success());
    let found = puzzles(&arena, &["out", "--margin", "--easy"]);
    let all = found["puzzles"].as_array().expect("puzzles");
    assert!(all.len() > 5, "{found}");
    let levels: Vec<_> = all.iter().map(|puzzle| puzzle["difficulty"].as_u64()).collect();
    assert!(levels.is_sorted(), "{levels:?}");
    for puzzle in all.iter().rev().take(6) {
        let word = |name: &str| puzzle[name].as_str().expect("text");
        let ply = puzzle["ply"].to_string();
        let log = format!("out/games/{}.log", word("game"));
        let mut by_log = vec!["solve", "--json", "--log", &log, "--ply", &ply];
        let mut by_board = vec!["solve", "--json", "--board", word("board"), "--to-move", word("to_move")];
        if puzzle["passed"] == true {
            by_board.push("--passed");
        }
        for words in [&mut by_log, &mut by_board] {
            if puzzle["goal"] != "margin" {
                words.push("--wdl");
            }
            let output = arena.command(words).output_in_time().expect("it starts");
            let value: Value = serde_json::from_slice(&output.stdout).expect("JSON");
            assert_eq!(value["best"], serde_json::json!([puzzle["answer"]]), "{words:?}");
        }
        let players = [&puzzle["failed"], &puzzle["found"]].map(|names| names.as_array().expect("names").len());
        assert!((1..=2).contains(&players.iter().sum::<usize>()), "{puzzle}");
    }
    // The hardest puzzles come last.
    let hardest = puzzles(&arena, &["out", "--margin", "--easy", "--limit", "2"]);
    assert_eq!(hardest["puzzles"].as_array().expect("puzzles")[..], all[all.len() - 2..]);
}

#[test]
fn random_puzzles_are_the_same_for_the_same_seed_as_text_page_and_cards() {
    let arena = Arena::new(FIELD);
    let words = ["--random", "4", "--empty", "4..7", "--seed", "8"];
    let found = puzzles(&arena, &words);
    assert_eq!(found, puzzles(&arena, &[&words[..], &["--threads", "1"]].concat()));
    assert_ne!(found, puzzles(&arena, &["--random", "4", "--empty", "4..7", "--seed", "9"]));
    let run = |more: &[&str]| {
        let output = arena.command(&[&["puzzles"], &words[..], more].concat()).output_in_time().expect("it starts");
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    let shown = run(&[]);
    let answers: Vec<&str> =
        found["puzzles"].as_array().into_iter().flatten().filter_map(|puzzle| puzzle["answer"].as_str()).collect();
    for (number, answer) in answers.iter().enumerate() {
        assert!(shown.ends_with('\n') && shown.contains(&format!("\n   {}. {answer}\n", number + 1)), "{shown}");
    }
    assert_eq!(run(&["--html", "exam.html", "--deck", "deck.txt"]), "");
    let read = |name: &str| fs::read_to_string(arena.path().join(name)).expect("written");
    assert!(read("exam.html").starts_with("<!DOCTYPE html>"));
    assert_eq!(read("deck.txt").lines().filter(|line| !line.starts_with('#')).count(), 4);
}

/// The exit code and the output of `play --plain --puzzles` with `words`, if a person types `input`.
fn solved(arena: &Arena, words: &[&str], input: &str) -> (Option<i32>, String) {
    let mut command = arena.command(&[&["play", "--plain", "--puzzles"], words].concat());
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).start().expect("it starts");
    let _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
    let output = child.wait_with_output().expect("it ends");
    (output.status.code(), text(&output.stdout) + &text(&output.stderr))
}

#[test]
fn the_puzzles_of_a_file_are_solved_one_after_another() {
    let arena = Arena::new(FIELD);
    let found = puzzles(&arena, &["--random", "3", "--empty", "4..7", "--seed", "8"]);
    fs::write(arena.path().join("three.json"), found.to_string()).expect("written");
    let answers: Vec<&str> =
        found["puzzles"].as_array().into_iter().flatten().filter_map(|puzzle| puzzle["answer"].as_str()).collect();
    let (code, said) = solved(&arena, &["three.json"], &format!("{}\n\u{1b}[2J\ngive\n{}\n", answers[0], answers[2]));
    assert_eq!(code, Some(0), "{said}");
    assert!(said.ends_with("\n2 of 3 puzzles solved on the first try, 1 given up\n"), "{said}");
    assert!(said.contains(&format!("the answer is {}\n", answers[1])) && !said.contains('\u{1b}'), "{said}");
    let (code, said) = solved(&arena, &["--seed", "4"], "give\n");
    assert_eq!(code, Some(0), "{said}");
    assert!(said.ends_with("\n0 of 10 puzzles solved on the first try, 1 given up, 9 not done\n"), "{said}");
    fs::write(arena.path().join("wrong.json"), "{\"format\": 1, \"puzzles\": [\u{1b}]}").expect("written");
    for (words, why) in [
        (&["wrong.json"][..], "cannot read `wrong.json`: not the output of `puzzles --json`"),
        (&["none.json"], "cannot read `none.json`"),
        (&["-"], "`--puzzles -` would read"),
        (&["three.json", "--two"], "cannot be used with"),
    ] {
        let (code, said) = solved(&arena, words, "");
        assert_eq!(code, Some(2), "{words:?}: {said}");
        assert!(said.contains(why) && !said.contains('\u{1b}'), "{words:?}: {said:?}");
    }
}

#[test]
fn puzzles_are_solved_on_the_screen_and_the_score_is_left_on_the_terminal() {
    let arena = Arena::new(FIELD);
    let found = puzzles(&arena, &["--random", "2", "--empty", "4..7", "--seed", "8"]);
    fs::write(arena.path().join("two.json"), found.to_string()).expect("written");
    for size in [(80, 24), (40, 16)] {
        let mut screen = OnTerminal::start(arena.path(), &["play", "--puzzles", "two.json"], size, "C.UTF-8");
        screen.see("puzzle 1 of 2");
        screen.press(&format!("{}\r", found["puzzles"][0]["answer"].as_str().expect("a move")));
        screen.see("is right");
        screen.press("\r");
        screen.see("puzzle 2 of 2");
        screen.press("g");
        screen.see("the answer is");
        screen.press("q");
        screen.see("1 of 2 puzzles solved on the first try, 1 given up");
        screen.assert_ends(0);
    }
}

#[test]
fn what_has_no_puzzles_is_refused_with_the_reason() {
    let arena = Arena::new(FIELD);
    let quantum = "[Black \"a\"]\n[White \"b\"]\n[Ruleset \"othello\"]\n[Result \"*\"]\n[Termination \"void\"]\n\n*\n";
    fs::write(arena.path().join("othello.log"), quantum).expect("written");
    for (words, why) in [
        (&["puzzles"][..], "required arguments were not provided"),
        (&["puzzles", "--random", "2", "--empty", "9..3"], "expected a number from 2 to 24, or a range such as 6..14"),
        (&["puzzles", "nowhere"], "nowhere"),
        (&["puzzles", "othello.log"], "no game contains a position that the solver can solve"),
        (&["puzzles", "out", "--seed", "3"], "--random"),
    ] {
        let output = arena.command(words).output_in_time().expect("it starts");
        assert_eq!(output.status.code(), Some(2), "{words:?}: {}", text(&output.stdout));
        assert!(text(&output.stderr).contains(why), "{words:?}: {}", text(&output.stderr));
    }
}
