//! Resources that the machine cannot provide: the game becomes void, and no player loses it.

use std::collections::BTreeSet;
use std::fs;
use std::process::{Command, Output, Stdio};

use crate::harness::arena::{Arena, Client, carol, program, text};
use crate::harness::waiting::InTime as _;

/// Runs the tournament with at most `most` file descriptors.
fn with_descriptors(arena: &Arena, most: u32) -> Output {
    let run = format!("ulimit -n {most}; exec \"$0\" run class.toml --out out");
    let mut command = Command::new("sh");
    command.args(["-c", &run, program()]).current_dir(arena.path()).stdin(Stdio::null());
    command.output_in_time().expect("the shell starts")
}

/// The ids of the games that the run reported as ended.
fn ended(stderr: &str) -> BTreeSet<String> {
    let lines = stderr.lines().filter_map(|line| line.strip_prefix('[')?.split_once("] "));
    lines.filter_map(|(_, line)| Some(line.split_once(": ")?.0.to_owned())).collect()
}

#[test]
fn too_few_descriptors_make_some_games_void_and_lose_no_finished_game() {
    let arena = Arena::new(
        r#"
        rounds = 3
        concurrency = 6
        void_retries = 1
        [[player]]
        name = "a"
        builtin = "random"
        [[player]]
        name = "b"
        builtin = "greedy"
        [[player]]
        name = "c"
        builtin = "random"
        "#,
    );
    let (mut told, mut partly) = (BTreeSet::new(), 0);
    // With the lowest limit, no game can be played; with the highest, all games can. Each run resumes the previous one.
    for most in (20..80).step_by(4) {
        let output = with_descriptors(&arena, most);
        let stderr = text(&output.stderr);
        let new = ended(&stderr);
        assert!(told.is_disjoint(&new), "{most}: played twice\n{stderr}");
        let has_void = stderr.contains("void, through no player's fault") && stderr.contains("(attempt 1 of 1)");
        partly += u32::from(has_void && !new.is_empty());
        told.extend(new);
        assert_eq!(output.status.code(), Some(if told.len() == 18 { 0 } else { 5 }), "{most}: {stderr}");
        let results = arena.results();
        let normal = results.iter().filter(|row| row["termination"] == "normal").map(|row| row["game"].clone());
        assert_eq!(normal.collect::<BTreeSet<_>>(), told, "{most}: {stderr}");
        assert!(results.iter().all(|row| row["at_fault"].is_empty()), "{most}: {results:?}");
        let mut voids = stderr.lines().filter(|line| line.contains("void, through no player's fault"));
        assert!(voids.all(|line| line.contains("`ulimit -n`")), "{most}: {stderr}");
        if told.len() == 18 {
            break;
        }
    }
    assert_eq!(told.len(), 18);
    assert!(partly > 0, "at some limit, only some of the games must be played");
}

#[test]
fn a_remote_player_is_notified_of_its_void_game_and_can_reconnect_to_play_it() {
    let greedy = "[[player]]\nname = \"greedy\"\nbuiltin = \"greedy\"\n";
    let arena = Arena::new(&format!("void_retries = 100\n{}{greedy}", carol!()));
    // Without its scratch directory, the arena cannot start anything.
    let scratch = arena.path().join("scratch");
    let mut running = arena.start_with([("TMPDIR", &scratch)]);
    let address = running.hear_address("waiting for carol");
    let mut carol = Client::connect(&address, "0.9.1 player black \"carol:a word of hers\"");
    carol.hear("100");
    let why = carol.hear("399");
    assert!(why.starts_with("399 Problem: the game is void: the machine could not start"), "{why}");
    assert_eq!(carol.rest(), "");
    let line = running.hear("r1-carol-greedy: void, through no player's fault: the machine could not start");
    assert!(line.trim_end().ends_with("it will be played again (attempt 1 of 100)"), "{line}");

    fs::create_dir(&scratch).expect("made");
    for (side, plays) in [("black", "352"), ("white", "351")] {
        let mut carol = Client::connect(&address, &format!("0.9.1 player {side} \"carol:a word of hers\""));
        carol.hear(plays);
        carol.say("resign\r");
        carol.rest();
    }
    let (code, stderr) = running.end();
    assert_eq!(code, Some(0), "{stderr}");
    let results = arena.results();
    assert_eq!(results.len(), 2);
    assert!(results.iter().all(|row| row["termination"] == "resignation"), "{results:?}");
}

/// One player holds all the connections that the arena can accept, so others cannot connect.
#[test]
fn a_bot_that_could_not_be_let_in_is_not_a_no_show() {
    let arena = Arena::new(
        r#"
        void_retries = 0
        hello_timeout = "5s"
        [[player]]
        name = "hog"
        command = ["python3", "-c", """
        import signal, socket, sys
        held = []
        try:
            while True:
                held.append(socket.create_connection(("127.0.0.1", int(sys.argv[1]))))
        except OSError:
            signal.pause()
        """, "{port}"]
        [[player]]
        name = "greedy"
        builtin = "greedy"
        "#
        .replace("\n        ", "\n")
        .as_str(),
    );
    let output = with_descriptors(&arena, 40);
    let stderr = text(&output.stderr);
    assert_eq!(output.status.code(), Some(5), "{stderr}");
    // By then, the arena may not even be able to start the other player.
    let tries = stderr.lines().filter(|line| line.starts_with("r1-") && line.contains("Too many open files"));
    assert_eq!(tries.count(), 2, "{stderr}");
    assert_eq!(stderr.matches("it will not be played again in this run").count(), 2, "{stderr}");
    assert!(arena.results().iter().all(|row| row["termination"] == "void"), "{:?}", arena.results());
}
