//! Bots' reports about their thinking: from stderr to the logs, the tables and the commands that show the reports.

use std::fs;

use gothello_arena::game::Side;
use gothello_arena::referee::record::{GameRecord, LoggedGame};
use gothello_arena::results::report::{read_results_csv, results_csv};
use gothello_arena::results::standings::ThoughtMeans;

use crate::harness::arena::{Arena, text};

const GAMES: [(&str, Side); 2] = [("r1-telling-quick", Side::Black), ("r1-quick-telling", Side::White)];

/// A tournament of the bot `telling.py`, which reports its thinking, against a built-in bot that does not. `keys` are
/// at the top of the file.
fn arena(keys: &str) -> Arena {
    Arena::new(&format!(
        "illegal_tries = \"unlimited\"\nhello_timeout = \"60s\"\n{keys}\n[[player]]\nname = \"telling\"\ndir = \"@bots\"\n\
         command = [\"python3\", \"telling.py\", \"thinking\", \"{{side}}\", \"{{host}}\", \"{{port}}\"]\n\
         [[player]]\nname = \"quick\"\nbuiltin = \"greedy\"\n"
    ))
}

fn played(keys: &str) -> Arena {
    let arena = arena(keys);
    let output = arena.run(&[]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    arena
}

/// Checks the thoughts of the player `side`. Returns how many plies the player made, and for how many of these plies
/// the reported value is the correct one.
#[track_caller]
fn assert_told(record: &GameRecord, side: Side) -> (usize, usize) {
    let (mut plies, mut right) = (0, 0);
    for (index, ply) in record.plies.iter().enumerate() {
        let number = record.numbered(index).number;
        let Some(thought) = ply.thought.as_deref().filter(|_| ply.side() == side) else {
            assert_eq!(ply.thought, None, "the other player reports nothing");
            plies += usize::from(ply.side() == side);
            continue;
        };
        plies += 1;
        right += usize::from(thought.value().is_some_and(|value| value.to_string() == format!("+{number}")));
        assert!(thought.depth().is_none_or(|depth| depth as usize == index + 1), "{thought:?}");
    }
    (plies, right)
}

#[test]
fn every_log_has_what_a_bot_told_by_ply_and_is_hardly_longer() {
    // On a busy machine, the arena may read a line only in the next turn.
    let (mut plies, mut right) = (0, 0);
    let arena = played("rounds = 3\nisolation = \"auto\"");
    for round in 1..=3 {
        for (game, side) in GAMES {
            let record = arena.record(&game.replace("r1", &format!("r{round}")));
            let (all, fitting) = assert_told(&record, side);
            (plies, right) = (plies + all, right + fitting);
            let mut without = record.clone();
            without.plies.iter_mut().for_each(|ply| ply.thought = None);
            let (with, without) = (record.to_string().len(), without.to_string().len());
            assert!(100 * (with - without) <= 15 * without, "{with} bytes instead of {without}");
        }
    }
    assert!(plies >= 60 && right * 100 >= plies * 95, "{right} of {plies}");
    let check = arena.output(&["replay", "--check", "out"]);
    assert_eq!(check.status.code(), Some(0), "{}", text(&check.stderr));
}

#[test]
fn tables_and_commands_have_what_a_bot_told() {
    let arena = played("");
    let csv = fs::read_to_string(arena.out().join("results.csv")).expect("written");
    let header = csv.lines().next().expect("a header");
    assert!(
        header
            .ends_with(",black_value,black_win,black_depth,black_nodes,white_value,white_win,white_depth,white_nodes")
    );
    let games = read_results_csv(&csv).expect("as written");
    assert_eq!(results_csv(&games), csv);
    for (id, side) in GAMES {
        let game = games.iter().find(|game| game.game == id).expect("a game");
        let thoughts = game.thoughts.as_deref().expect("thoughts");
        assert!(thoughts[side].value.is_some() && thoughts[side.opponent()] == ThoughtMeans::default(), "{thoughts:?}");
    }
    let log = arena.out().join("games/r1-telling-quick.log");
    let shown = text(&arena.output(&["replay", log.to_str().expect("plain")]).stdout);
    assert!(shown.contains("\nclaims +1"), "{shown}");
    let json = text(&arena.output(&["analyze", "--json", log.to_str().expect("plain")]).stdout);
    let game: serde_json::Value = serde_json::from_str(json.lines().next().expect("a game")).expect("JSON");
    assert_eq!(game["moves"][0]["thought"]["value"], 1.0, "{json}");
    assert_eq!(game["moves"][1].get("thought"), None, "{json}");
}

#[test]
fn thoughts_survive_a_continued_run_and_are_rebuilt() {
    let arena = played("");
    let log = arena.out().join("games/r1-telling-quick.log");
    let files = || [&log, &arena.out().join("results.csv")].map(|file| fs::read_to_string(file).expect("there"));
    let before = files();
    assert!(before[0].contains("[%eval +1"), "{}", before[0]);
    fs::remove_file(&log).expect("there");
    for args in [
        &["run", "class.toml", "--out", "out", "--isolation", "off"][..],
        &["rebuild", "out"],
        &["rebuild", "--check", "out"],
    ] {
        let output = arena.output(args);
        assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
        assert_eq!(files(), before, "{args:?}");
    }
    let game: LoggedGame = before[0].parse().expect("a log");
    assert_eq!(game.to_string(), before[0]);
}

#[test]
fn the_log_says_whether_pages_may_show_thoughts() {
    for (keys, is_public) in [("", false), ("thoughts = \"private\"", false), ("thoughts = \"public\"", true)] {
        let arena = played(keys);
        let record = arena.record("r1-telling-quick");
        assert_eq!(record.has_public_thoughts(), is_public, "{keys}");
        assert_eq!(record.to_string().contains("[Thoughts \"public\"]\n"), is_public, "{record}");
    }
}
