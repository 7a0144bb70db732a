//! The page of games of four.

use std::collections::BTreeSet;
use std::fs;

use gothello_arena::referee::record::LoggedGame;
use serde_json::json;

use super::report;
use crate::cli::command_line::text;
use crate::harness::arena::Arena;

/// A tournament with four players in each game. One of the players never moves.
const GROUP: &str = r#"
name = "Groups of Bob Smith"
ruleset = "quantum-8-4p"
format = "group"
tables = 1
seed = 7
quit_timeout = "500ms"
[[player]]
name = "Bob Smith"
builtin = "greedy"
[[player]]
name = "random"
builtin = "random"
[[player]]
name = "other"
builtin = "random"
[[player]]
name = "says-no"
command = ["/bin/sh", "-c", "echo 'Bob Smith <b>was</b> here' >&2; exit 3", "{port}"]
"#;

fn group() -> Arena {
    let arena = Arena::new(GROUP);
    let run = arena.run(&[]);
    assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
    arena
}

#[test]
fn the_page_of_games_of_four_has_all_its_games_and_only_public_texts() {
    let arena = group();
    let page = report(&arena, &["out"]);
    assert_eq!(report(&arena, &["out", "--out", "again.html"]).html, page.html);
    assert_eq!((page.data["seats"].as_u64(), page.data["total"].as_u64()), (Some(4), Some(4)));
    assert_eq!(page.games().len(), 4);
    for (number, game) in (1..).zip(page.games()) {
        let id = format!("r1-t1-g{number}");
        let log = fs::read(arena.out().join(format!("games/{id}.log"))).expect("a log");
        let record = *LoggedGame::from_bytes(&log).expect("a record").into_two().expect_err("four seats");
        assert_eq!(game[10], id);
        let names: Vec<&str> = game[0]
            .as_array()
            .expect("players")
            .iter()
            .map(|seat| page.player(seat)["n"].as_str().expect("a name"))
            .collect();
        assert!(names.iter().eq(record.players.values()), "{names:?}");
        let standing = record.result.as_ref().expect("a result");
        assert_eq!(game[3], json!(standing.placing.values().collect::<Vec<_>>()));
        let outs: Vec<_> = record.outs.iter().map(|out| json!([out.seat.number(), out.termination.name()])).collect();
        assert_eq!(game[5], json!(outs));
        assert_eq!(game[7].as_str().map(str::len), Some(2 * record.plies.len()));
    }
    for name in page.names() {
        assert!(page.text_of("standings").contains(name) && page.text_of("crosstable").contains(name), "{name}");
    }
    assert!(page.text_of("endings").contains("no show") && page.text_of("p=says_no").contains("Dropped out"));
    let body = page.body();
    let document = roxmltree::Document::parse(&body).expect("the markup is XML");
    let ids: BTreeSet<&str> = document.descendants().filter_map(|node| node.attribute("id")).collect();
    for link in document.descendants().filter_map(|node| node.attribute("href")) {
        let target = link.strip_prefix('#').unwrap_or_else(|| panic!("{link} leads out of the page"));
        assert!(target.starts_with("g=") || ids.contains(target), "{link}");
    }
    let all = format!("{}{}", page.html, page.data);
    for word in ["was</b>", "/bin/sh", "exit 3", "exited with", &arena.path().display().to_string()] {
        assert!(!all.contains(word), "{word}");
    }
    let private = report(&arena, &["out", "--private"]);
    assert!(private.text_of("p=says_no").contains("Bob Smith <b>was</b> here"));
    assert!(private.text_of("players").contains("Resources used"));
}

#[test]
fn options_of_the_report_hold_for_games_of_four() {
    let arena = group();
    let hidden = report(&arena, &["out", "--anonymous", "--private"]);
    let all = format!("{}{}", hidden.body(), hidden.data).to_lowercase();
    for name in ["bob smith", "bob_smith", "says-no", "says_no"] {
        assert!(!all.contains(name), "{name}");
    }
    let without = report(&arena, &["out", "--games", "none"]);
    assert!(without.games().iter().all(|game| game[6] == "" && game[7] == ""));
    // In every game, a player drops out.
    let lost = report(&arena, &["out", "--games", "lost"]);
    assert!(lost.games().iter().all(|game| game[6] != ""));
    let table = report(&arena, &["out/results.csv", "--out", "table.html"]);
    assert_eq!((table.games().len(), table.games()[0][6].as_str()), (4, Some("")));
    let refused = arena.output(&["report", "out", "--analysis", "1s"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("leave out `--analysis`"), "{}", text(&refused.stderr));
    let games = arena.path().join("mixed/games");
    fs::create_dir_all(&games).expect("made");
    fs::copy(arena.out().join("games/r1-t1-g1.log"), games.join("four.log")).expect("copied");
    fs::write(
        games.join("two.log"),
        "[Black \"a\"]\n[White \"b\"]\n[Result \"0-1\"]\n[Termination \"resignation\"]\n\n0-1\n",
    )
    .expect("written");
    let mixed = arena.output(&["report", "mixed"]);
    assert_eq!(mixed.status.code(), Some(2), "{}", text(&mixed.stderr));
    assert!(text(&mixed.stderr).contains("different numbers of players"), "{}", text(&mixed.stderr));
}
