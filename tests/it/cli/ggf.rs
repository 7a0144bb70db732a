//! Games in GGF: the arena writes them in the form that the Generic Game Server uses, and the server's games keep their
//! moves when they become records of the arena.

use std::fs;
use std::time::Duration;

use gothello_arena::game::{BySide, Ruleset, Side};
use gothello_arena::referee::record::{GameRecord, Ply, check};
use gothello_arena::referee::result::GameResult;
use gothello_arena::referee::time_control::{SideControl, TimeControl};
use gothello_arena::results::replay::ggf;

use super::sgf::{random_game, replay};

/// Three games as written by the server, one on each line. In the first and the third, black has to pass.
const SERVER: &str = include_str!("../../data/ggf/ggs.ggf");

/// The tags of a game, each with its value. A value has no escapes, and ends with the first `]`.
fn tags(text: &str) -> Vec<(&str, &str)> {
    let mut rest = text.trim_end().strip_prefix("(;").and_then(|text| text.strip_suffix(";)")).expect("a game");
    let mut tags = Vec::new();
    while !rest.is_empty() {
        let (name, after) = rest.split_once('[').expect("a tag");
        let (value, after) = after.split_once(']').expect("its value ends");
        assert!(!name.is_empty() && name.bytes().all(|byte| byte.is_ascii_uppercase()), "{name}");
        tags.push((name, value));
        rest = after;
    }
    tags
}

fn tag<'t>(tags: &[(&'t str, &'t str)], name: &str) -> Option<&'t str> {
    tags.iter().find(|tag| tag.0 == name).map(|tag| tag.1)
}

/// The moves of a game in lower case, each with its side and its time, which the server leaves out if it is zero.
fn moves(tags: &[(&str, &str)]) -> Vec<(Side, String, Duration)> {
    let made = tags.iter().filter_map(|(name, value)| {
        let side = match *name {
            "B" => Side::Black,
            "W" => Side::White,
            _ => return None,
        };
        let mut parts = value.split('/');
        let place = parts.next().expect("a move").to_lowercase();
        let seconds = parts.nth(1).map_or(0.0, |text| text.parse().expect("seconds"));
        Some((side, if place.starts_with("pa") { "pass".to_owned() } else { place }, Duration::from_secs_f64(seconds)))
    });
    made.collect()
}

/// A game from the server, as a record of the arena.
fn transcribed(text: &str) -> GameRecord {
    let tags = tags(text);
    let ruleset: Ruleset = "othello".parse().expect("a rule set");
    let (mut position, mut plies) = (ruleset.start(), Vec::new());
    for (side, place, elapsed) in moves(&tags) {
        assert_eq!(position.to_move(), side, "{place}");
        let played = position.play(&place).unwrap_or_else(|error| panic!("{place}: {error}"));
        plies.push(Ply { elapsed: Some(elapsed), ..Ply::untimed(side, played) });
    }
    let outcome = position.outcome().expect("the game is over");
    let name = |name| tag(&tags, name).expect("a player").to_owned();
    let players = BySide { black: name("PB"), white: name("PW") };
    GameRecord { plies, ..GameRecord::of(ruleset, players, Ok(GameResult::played(outcome))) }
}

#[test]
fn games_of_the_server_have_the_same_moves_result_and_board_in_ours() {
    for line in SERVER.lines() {
        let mut record = transcribed(line);
        let five_minutes = SideControl::sudden_death(Duration::from_mins(5));
        record.time_control = Some(TimeControl::Clocks(BySide { black: five_minutes, white: five_minutes }));
        let text = ggf(&check(&record).expect("valid")).expect("Othello");
        let (ours, theirs) = (tags(&text), tags(line));
        for name in ["GM", "PB", "PW", "RE", "BO"] {
            assert_eq!(tag(&ours, name), tag(&theirs, name), "{name}");
        }
        assert_eq!(moves(&ours), moves(&theirs));
        assert_eq!((tag(&ours, "TY"), tag(&ours, "TI")), (Some("8"), Some("05:00")));
        // The server writes the tags in this order, too.
        let order = |tags: &[(&str, &str)]| {
            tags.iter()
                .map(|tag| tag.0.to_owned())
                .filter(|name| name != "RB" && name != "RW" && name != "DT")
                .collect::<Vec<_>>()
        };
        assert_eq!(order(&ours), order(&theirs));
    }
}

#[test]
fn a_file_is_written_for_each_game_of_othello_and_other_games_are_refused() {
    let dir = tempfile::tempdir().expect("a directory");
    for (name, ruleset) in [("a", "othello"), ("b", "othello-10"), ("c", "reverse"), ("d", "quantum-8")] {
        fs::write(dir.path().join(format!("{name}.log")), random_game(ruleset, 3).to_string()).expect("written");
    }
    let (code, out, err) = replay(dir.path(), &["--ggf", "out", "a.log", "b.log", "c.log", "d.log"]);
    assert_eq!((code, out.as_str()), (Some(2), "2 GGF files in `out`\n"), "{err}");
    for name in ["reverse", "quantum-8"] {
        assert!(err.contains(&format!("`{name}` is not Othello")), "{err}");
    }
    for (name, size) in [("a", "8"), ("b", "10")] {
        let text = fs::read_to_string(dir.path().join(format!("out/{name}.ggf"))).expect("written");
        let tags = tags(&text);
        assert_eq!(tag(&tags, "TY"), Some(size));
        assert_eq!(
            tag(&tags, "BO").map(|board| board.split(' ').count()),
            size.parse::<usize>().ok().map(|size| size + 2)
        );
    }
}
