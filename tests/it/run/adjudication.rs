//! Tournaments with adjudication: games end as soon as their outcome is proven.

use std::fs;

use gothello_arena::referee::record::GameRecord;
use gothello_arena::referee::result::Termination;

use crate::harness::arena::{Arena, random_and_greedy, text};

const FIELD: &str = concat!("rounds = 2\nseed = 441\ntime = \"60s\"\n", random_and_greedy!());

const ADJUDICATE: &str = "adjudicate = { nodes = 5000, after_ply = 12 }\n";

#[test]
fn adjudication_cuts_games_short_and_changes_no_move() {
    let whole = Arena::new(FIELD);
    let output = whole.run(&[]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let arena = Arena::new(&format!("{ADJUDICATE}{FIELD}"));
    let output = arena.run(&[]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    // Checking the logs repeats every proof.
    arena.assert_logs_hold(&output);

    let mut adjudicated = 0;
    for row in arena.results() {
        let (full, cut) = (whole.record(&row["game"]), arena.record(&row["game"]));
        assert_eq!(full.adjudicate, None);
        let moves = |record: &GameRecord| record.plies.iter().map(|ply| ply.played).collect::<Vec<_>>();
        assert!(moves(&full).starts_with(&moves(&cut)), "{full}{cut}");
        let result = cut.result.as_ref().expect("a result");
        if result.termination() == Termination::Adjudicated {
            adjudicated += 1;
            assert!(cut.plies.len() >= 12 && cut.unfinished.is_none());
            let margin = result.margin().map_or_else(String::new, |margin| margin.to_string());
            let recorded = [&row["termination"], &row["margin"], &row["at_fault"]].map(String::as_str);
            assert_eq!(recorded, ["adjudicated", &margin, ""]);
        }
    }
    assert!(adjudicated > 0, "no game was adjudicated");
    let standings = |run: &Arena, options: &[&str]| {
        let out = run.out();
        let output = run.output(&[&["standings", out.to_str().expect("text")], options].concat());
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    let note = format!("{adjudicated} games ended by proof (adjudicated)");
    assert!(standings(&arena, &[]).contains(&note), "{}", standings(&arena, &[]));
    assert!(!standings(&whole, &[]).contains("adjudicated"));
    let players: Vec<serde_json::Value> =
        serde_json::from_str(&standings(&arena, &["--format", "json"])).expect("JSON");
    let of_all: u64 = players.iter().map(|player| player["adjudicated"].as_u64().expect("a number")).sum();
    assert_eq!(of_all, 2 * adjudicated);

    // Rebuilding from the journal reproduces every file, and resuming the finished run plays nothing.
    let output = arena.output(&["rebuild", "--check", arena.out().to_str().expect("text")]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let again = arena.run(&[]);
    assert_eq!(again.status.code(), Some(0), "{}", text(&again.stderr));
}

#[test]
fn cpu_clocks_and_frozen_bots_do_not_change_adjudication() {
    let ended = |keys: &str| {
        let arena = Arena::new(&format!("{ADJUDICATE}{keys}{FIELD}"));
        let output = arena.run(&[]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let mut rows = arena.results();
        rows.sort_by(|one, other| one["game"].cmp(&other["game"]));
        let facts = ["game", "winner", "margin", "termination", "plies", "moves_sha256"];
        rows.iter().map(|row| facts.map(|fact| row[fact].clone())).collect::<Vec<_>>()
    };
    let plain = ended("");
    assert!(plain.iter().any(|row| row[3] == "adjudicated"), "{plain:?}");
    assert_eq!(ended("clock = \"cpu\"\nbetween_moves = \"freeze\"\n"), plain);
}

#[test]
fn replay_rejects_a_false_proof() {
    let arena = Arena::new(&format!("{ADJUDICATE}{FIELD}"));
    arena.run(&[]);
    let game = arena.results().into_iter().find(|row| row["termination"] == "adjudicated").expect("one");
    let log = arena.out().join("games").join(format!("{}.log", game["game"]));
    let good = fs::read_to_string(&log).expect("a log");
    let shown = arena.output(&["replay", "--final", log.to_str().expect("text")]);
    assert!(shown.status.success() && text(&shown.stdout).contains("(adjudicated)"), "{}", text(&shown.stdout));

    let (won, lost) = if good.contains("[Result \"1-0\"]") { ("1-0", "0-1") } else { ("0-1", "1-0") };
    let forged: Vec<&str> = good.lines().filter(|line| !line.starts_with("[Margin")).collect();
    fs::write(&log, forged.join("\n").replace(won, lost)).expect("written");
    let refused = arena.output(&["replay", "--check", log.to_str().expect("text")]);
    assert_eq!(refused.status.code(), Some(3));
    assert!(text(&refused.stdout).contains("5000 nodes prove"), "{}", text(&refused.stdout));
}

#[test]
fn a_run_resumes_only_with_the_same_adjudication_terms() {
    let arena = Arena::new(&format!("{ADJUDICATE}{FIELD}"));
    arena.run(&[]);
    fs::write(arena.path().join("class.toml"), format!("{}{FIELD}", ADJUDICATE.replace("5000", "6000")))
        .expect("written");
    let other = arena.run(&[]);
    assert_eq!(other.status.code(), Some(2), "{}", text(&other.stderr));
    let said = text(&other.stderr);
    assert!(said.contains("`adjudicate.nodes` was `5000` and is now `6000`"), "{said}");
    // More rounds still count as an extension.
    let extended = format!("{ADJUDICATE}{}", FIELD.replace("rounds = 2", "rounds = 3"));
    fs::write(arena.path().join("class.toml"), extended).expect("written");
    let output = arena.run(&["--extend"]);
    assert_eq!((output.status.code(), arena.results().len()), (Some(0), 6), "{}", text(&output.stderr));
}
