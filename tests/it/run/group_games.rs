//! Games with four players in real processes: if some players fail, no other player is harmed.

use std::collections::BTreeMap;
use std::fs;

use gothello_arena::game::Seat;
use gothello_arena::referee::record::GroupRecord;
use gothello_arena::referee::record::LoggedGame;
use gothello_arena::referee::result::Termination;
use rustix::process::Signal;

use crate::harness::arena::{Arena, Client, carol, remote_bot, text};

/// A bot over stdio that says its hello, and runs `at_start` in the shell once its game starts.
fn failing(name: &str, at_start: &str) -> String {
    let script = format!(
        "printf '0.9.2 player %s\\r\\n' $GOTHELLO_SIDE; while read -r line; do case $line in 354*) {at_start};; esac; done"
    );
    format!("[[player]]\nname = \"{name}\"\ntransport = \"stdio\"\ncommand = [\"sh\", \"-c\", {script:?}]\n")
}

fn random(name: &str) -> String {
    format!("[[player]]\nname = \"{name}\"\nbuiltin = \"random\"\n")
}

/// The players that fail, and how.
const FAILING: [(&str, Termination); 4] = [
    ("crash", Termination::Crash),
    ("flag", Termination::Time),
    ("illegal", Termination::Illegal),
    ("never", Termination::NoShow),
];

/// Eight players, four of which fail in every game.
fn players() -> String {
    // No player can place a stone in a corner of the board in the first turns of a game.
    let illegal = "dots=$(printf '%0.s... ' $(seq 2 $GOTHELLO_SIDE)); test $GOTHELLO_SIDE = 1 && dots=; \
                   for i in 1 2 3 4; do printf '1 %sa1\\r\\n' \"$dots\"; done";
    let never = "[[player]]\nname = \"never\"\ntransport = \"stdio\"\ncommand = [\"sh\", \"-c\", \"exit 0\"]\n";
    [
        failing("crash", "echo bye >&2; exit 3"),
        failing("flag", "sleep 600"),
        failing("illegal", illegal),
        never.to_owned(),
        ["ann", "bob", "cyd", "dan"].map(random).concat(),
    ]
    .concat()
}

fn tournament(keys: &str) -> String {
    format!(
        "name = \"groups\"\nformat = \"group\"\nruleset = \"quantum-8-4p\"\nseed = 3\nquit_timeout = \"500ms\"\n\
         illegal_tries = 2\n{keys}\n{}",
        players()
    )
}

/// The records of all games in `arena`, by their ids.
fn games(arena: &Arena) -> BTreeMap<String, GroupRecord> {
    let logs = fs::read_dir(arena.out().join("games")).expect("games").map(|entry| entry.expect("a file").path());
    let logs = logs.filter(|path| path.extension().is_some_and(|extension| extension == "log"));
    logs.map(|path| {
        let game = LoggedGame::from_bytes(&fs::read(&path).expect("a log")).unwrap_or_else(|error| panic!("{error}"));
        let record = *game.into_two().expect_err("four seats");
        (record.game.clone().expect("an id"), record)
    })
    .collect()
}

/// Checks that the players that fail drop out, and are placed behind all other players, which play on.
fn assert_only_failing_players_dropped_out(record: &GroupRecord) {
    let standing = record.result.as_ref().unwrap_or_else(|void| panic!("{void}\n{record}"));
    let how = |seat: Seat| FAILING.iter().find(|(name, _)| *name == record.players[seat]).map(|(_, how)| *how);
    let failing: Vec<Seat> = record.players.all_seats().filter(|&seat| how(seat).is_some()).collect();
    for out in &record.outs {
        assert_eq!(Some(out.termination), how(out.seat), "{record}");
    }
    // The last remaining player has no more turns in which it could fail.
    assert!(record.outs.len() == failing.len().min(3), "{record}");
    let good = record.players.all_seats().filter(|&seat| how(seat).is_none());
    for seat in good {
        assert!(usize::from(standing.placing[seat]) <= 4 - failing.len(), "{record}");
        assert!(failing.len() == 3 || record.plies.iter().any(|ply| ply.seat == seat), "{record}");
    }
    if let Some(crash) = failing.iter().find(|&&seat| record.players[seat] == "crash") {
        let usage = record.usage[*crash].expect("measured");
        assert!(!usage.wall.is_zero());
    }
}

#[test]
fn players_that_fail_in_games_of_four_are_placed_last_and_nobody_else_is_harmed() {
    // The games in which a player lets its time run out are played at the same time, so that their waits overlap.
    for (tables, keys) in
        [(2, "isolation = \"off\"\nconcurrency = 8\n"), (1, "between_moves = \"freeze\"\nconcurrency = 8\n")]
    {
        let arena = Arena::new(&tournament(&format!("tables = {tables}\ntime = \"4s + 3s\"\n{keys}")));
        let output = arena.run(&[]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let games = games(&arena);
        assert_eq!(games.len(), 8 * tables);
        games.values().for_each(assert_only_failing_players_dropped_out);
        arena.assert_logs_hold(&output);
        // The output of a player that has dropped out is kept.
        let (id, record) =
            games.iter().find(|(_, record)| record.players.values().any(|name| name == "crash")).expect("one");
        let seat = record.players.all_seats().find(|&seat| record.players[seat] == "crash").expect("a player");
        let stderr = fs::read_to_string(arena.out().join(format!("games/{id}.seat{seat}.stderr"))).expect("its output");
        assert_eq!(stderr, "bye\n");
    }
}

#[test]
fn a_run_of_groups_that_is_interrupted_and_resumed_plays_each_game_once() {
    let arena = Arena::new(&tournament("tables = 1\ntime = \"2s + 3s\"\nisolation = \"off\"\nconcurrency = 2\n"));
    for signals in [&[Signal::INT, Signal::INT][..], &[Signal::KILL]] {
        let mut running = arena.start(None);
        running.hear("r1-");
        for &signal in signals {
            running.signal(signal);
        }
        running.end();
    }
    let output = arena.run(&[]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let games = games(&arena);
    assert_eq!(games.len(), 8);
    games.values().for_each(assert_only_failing_players_dropped_out);
    arena.assert_logs_hold(&output);
}

#[test]
fn remote_players_take_their_seats_and_one_that_never_connects_drops_out() {
    let keys = concat!(
        "format = \"group\"\nruleset = \"quantum-8-4p\"\nseed = 3\ntime = \"60s\"\njoin_timeout = \"2s\"\n",
        "quit_timeout = \"500ms\"\nisolation = \"off\"\n",
        carol!(),
        "\n[[player]]\nname = \"dave\"\nremote = true\ntoken = \"a word of his\"\n"
    );
    let arena = Arena::new(&[keys, &random("ann"), &random("bob")].concat());
    let mut running = arena.start(None);
    let address = running.hear_address("waiting for carol");
    // Carol plays every seat once, and Dave never connects.
    for _ in 0..4 {
        let mut bot = remote_bot(&address, "?", Some("carol:a word of hers"));
        assert!(bot.wait().expect("it ends").success());
    }
    let (code, stderr) = running.end();
    assert_eq!(code, Some(0), "{stderr}");
    let games = games(&arena);
    assert_eq!(games.len(), 4);
    let mut seats = Vec::new();
    for record in games.values() {
        assert!(record.outs.iter().all(|out| record.players[out.seat] == "dave"), "{record}");
        assert_eq!(record.outs.iter().map(|out| out.termination).collect::<Vec<_>>(), [Termination::NoShow]);
        seats.extend(record.players.all_seats().filter(|&seat| record.players[seat] == "carol"));
    }
    seats.sort_unstable();
    assert!(seats.into_iter().eq(Seat::all(4)));
}

#[test]
fn a_remote_player_that_asks_for_a_seat_gets_its_game_in_that_seat() {
    let keys = concat!(
        "format = \"group\"\nruleset = \"quantum-8-4p\"\nseed = 3\ntime = \"60s\"\nquit_timeout = \"500ms\"\nisolation = \"off\"\n",
        carol!()
    );
    let arena = Arena::new(&[keys, &["ann", "bob", "dan"].map(random).concat()].concat());
    let mut running = arena.start(None);
    let address = running.hear_address("waiting for carol");
    for (hello, code) in [("0.9.1 player ?", "198"), ("0.9.2 player 5", "191")] {
        Client::connect(&address, &format!("{hello} \"carol:a word of hers\"")).hear(code);
    }
    for seat in [3, 1, 4, 2] {
        let mut carol = Client::connect(&address, &format!("0.9.2 player {seat} \"carol:a word of hers\""));
        carol.hear("102 60 60 60 60 ");
        carol.hear(&format!("354 {seat} You will play seat {seat}"));
        carol.say("resign\r");
        carol.hear(&format!("335 {seat} is out, resignation"));
    }
    let (code, stderr) = running.end();
    assert_eq!(code, Some(0), "{stderr}");
    for record in games(&arena).values() {
        let out: Vec<&str> = record.outs.iter().map(|out| record.players[out.seat].as_str()).collect();
        assert_eq!(out, ["carol"], "{record}");
        assert_eq!(record.result.as_ref().map(|standing| standing.placing[record.outs[0].seat]), Ok(4));
    }
}
