//! Players with keys for programs that cannot play both sides or cannot handle a clock.

use crate::harness::arena::{Arena, text};

/// Two bots that always play white, one of which has a client that fails on any mention of a clock, and a correct bot.
const CLASS: &str = r#"
    time = "60s"
    rounds = 2
    seed = 5
    hello_timeout = "60s"
    [[player]]
    name = "white only"
    command = ["python3", "@bots/faulty/fixed_side.py", "{side}", "{host}", "{server}"]
    sides = ["white"]
    [[player]]
    name = "white too"
    command = ["python3", "@bots/faulty/fixed_side.py", "{side}", "{host}", "{server}"]
    sides = ["white"]
    [[player]]
    name = "old"
    command = ["python3", "@bots/faulty/old_client.py", "{side}", "{host}", "{server}"]
    tell_clock = false
    [[player]]
    name = "random"
    builtin = "random"
"#;

#[test]
fn players_with_one_side_and_without_a_clock_play_all_their_games_to_the_end() {
    let arena = Arena::new(CLASS);
    let output = arena.run(&[]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let rows = arena.results();
    let games = |pair: [&str; 2]| -> Vec<(String, String)> {
        let all = rows.iter().map(|row| (row["black"].clone(), row["white"].clone()));
        all.filter(|(black, white)| [black, white].iter().all(|name| pair.contains(&name.as_str()))).collect()
    };
    assert!(rows.iter().all(|row| row["termination"] == "normal"), "{rows:?}");
    assert_eq!(games(["white only", "white too"]), []);
    for one in ["white only", "white too"] {
        for other in ["old", "random"] {
            assert_eq!(games([one, other]), vec![(other.to_owned(), one.to_owned()); 4]);
        }
    }
    let old: Vec<(String, String)> = games(["old", "random"]);
    assert_eq!((old.len(), old.iter().filter(|(black, _)| black == "old").count()), (4, 2));
    // The clocks ran even for the player that was not informed of them: the logs contain both clocks, as the check of
    // the logs confirms.
    assert!(arena.record(&rows[0]["game"]).time_control.is_some());
    let standings = text(&output.stdout);
    assert!(
        standings.contains("Games as black and as white: ") && standings.contains("white only 0 and 8"),
        "{standings}"
    );
    arena.assert_logs_hold(&output);
    // A resumed run has nothing left to do; after a change of `sides`, the run would be a different one, and is
    // refused.
    assert_eq!(arena.run(&[]).status.code(), Some(0));
    let other = CLASS.replacen("sides = [\"white\"]", "sides = [\"black\"]", 1);
    std::fs::write(arena.path().join("class.toml"), Arena::new(&other).toml()).expect("written");
    let refused = arena.run(&["--redo", "white only"]);
    assert!(!refused.status.success() && text(&refused.stderr).contains("sides"), "{}", text(&refused.stderr));
}

#[test]
fn check_tries_the_side_that_a_player_plays() {
    let arena = Arena::new(CLASS);
    let words = [
        "check",
        "class.toml",
        "--bots",
        "--only",
        "hello",
        "--only",
        "clock",
        "--only",
        "plain",
        "--isolation",
        "off",
        "--format",
        "json",
    ];
    let output = arena.output(&words);
    let told = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{told}{}", text(&output.stderr));
    let report: serde_json::Value = serde_json::from_str(&told).expect("JSON");
    let sides = |player: &serde_json::Value| -> Vec<String> {
        let scenarios = player["scenarios"].as_array().expect("a list");
        let all = scenarios.iter().map(|scenario| scenario["side"].as_str().expect("a side").to_owned());
        all.collect::<std::collections::BTreeSet<_>>().into_iter().collect()
    };
    let players = report["players"].as_array().expect("a list");
    let tried: Vec<(&str, Vec<String>)> =
        players.iter().map(|player| (player["player"].as_str().expect("a name"), sides(player))).collect();
    let white = || vec!["white".to_owned()];
    let both = || vec!["black".to_owned(), "white".to_owned()];
    assert_eq!(tried, [("white only", white()), ("white too", white()), ("old", both())]);
}
