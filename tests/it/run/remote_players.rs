//! Remote players: players that connect on their own.

use std::io::Read;
use std::process::Command;
use std::time::{Duration, Instant};

use gothello_arena::game::Side;

use crate::harness::arena::{
    Arena, Client, Running, UNEQUAL_CONTROL, address, carol, random_and_greedy, remote_bot, unequal_clocks,
};
use crate::harness::waiting::InTime as _;

const REMOTES: &str = concat!(
    "time = \"60s\"\nquit_timeout = \"500ms\"\n",
    carol!(),
    r#"
    [[player]]
    name = "dave"
    remote = true
    listen = "127.0.0.1:0"
    [[player]]
    name = "greedy"
    builtin = "greedy"
"#
);

/// Returns both players' addresses as soon as the run has printed them.
fn addresses(running: &mut Running) -> (String, String) {
    // The first game is between these two players, so the run waits for both at the same time.
    let lines = [running.hear("waiting for "), running.hear("waiting for ")];
    let of = |name: &str| {
        let line = lines.iter().find(|line| line.contains(name)).unwrap_or_else(|| panic!("{name} in {lines:?}"));
        address(line).to_owned()
    };
    (of("carol"), of("dave"))
}

#[test]
fn remote_players_with_tokens_and_addresses_play_a_whole_tournament() {
    let arena = Arena::new(REMOTES);
    let mut running = arena.start(None);
    let (public, own) = addresses(&mut running);
    std::thread::scope(|scope| {
        for (address, name) in [(&public, Some("carol:a word of hers")), (&own, None)] {
            scope.spawn(move || {
                // Each player plays four games: in the first one, it requests a side, and later it accepts either.
                for side in ["white", "?", "?", "?"] {
                    let mut bot = remote_bot(address, side, name);
                    let status = bot.wait().expect("it ends");
                    let mut stderr = String::new();
                    bot.stderr.take().expect("piped").read_to_string(&mut stderr).expect("read");
                    assert!(status.success(), "{stderr}");
                }
            });
        }
    });
    let (code, stderr) = running.end();
    assert_eq!(code, Some(0), "{stderr}");
    let results = arena.results();
    assert_eq!(results.len(), 6);
    assert!(results.iter().all(|row| row["termination"] == "normal"), "{results:?}");
    // No file contains the token.
    let grep =
        Command::new("grep").args(["-r", "a word", "out"]).current_dir(arena.path()).output_in_time().expect("grep");
    assert_eq!(grep.status.code(), Some(1), "{}", String::from_utf8_lossy(&grep.stdout));
    assert!(!stderr.contains("a word"));
}

/// A client of version 0.9.2 receives line 347, and a client of version 0.9.1 does not. Both are told how many seconds
/// they may use for their next move, and the log contains the same numbers.
#[test]
fn remote_players_are_told_their_own_time_control_and_the_seconds_that_they_may_use() {
    let two = REMOTES.replace("[[player]]\n    name = \"greedy\"\n    builtin = \"greedy\"", "");
    let arena = Arena::new(&two.replace("time = \"60s\"\n", unequal_clocks!()));
    let mut running = arena.start(None);
    let (public, own) = addresses(&mut running);
    let connect = |name: &str, side: Side| match name {
        "carol" => Client::connect(&public, &format!("0.9.2 player {side} \"carol:a word of hers\"")),
        _ => Client::connect(&own, &format!("0.9.1 player {side}")),
    };
    let mut heard = Vec::new();
    for (black_name, white_name) in [("carol", "dave"), ("dave", "carol")] {
        let (mut black, mut white) = (connect(black_name, Side::Black), connect(white_name, Side::White));
        let control = format!("347 {UNEQUAL_CONTROL} is the time control\r\n");
        for (player, name, seconds) in [(&mut black, black_name, "60 31"), (&mut white, white_name, "31 60")] {
            assert!(player.hear("1").starts_with(&format!("101 {seconds} Request accepted")));
            if name == "carol" {
                assert!(player.line().starts_with("345 gothello 2 "));
                assert_eq!(player.line(), control);
            }
            assert!(player.line().starts_with("35"), "the game begins");
        }
        black.say("1 c3\r");
        let told = black.hear("207 ");
        white.say("1 ... b2\r");
        let told = [told, black.hear("313 1 c3 "), white.hear("207 "), white.hear("314 1 ... b2 ")];
        black.say("2 resign\r");
        black.rest();
        white.rest();
        heard.push((black_name, told));
    }
    let (code, stderr) = running.end();
    assert_eq!(code, Some(0), "{stderr}");
    for (black_name, lines) in heard {
        let games = arena.results();
        let game = games.iter().find(|row| row["black"] == black_name).expect("a game");
        let record = arena.record(&game["game"]);
        let left = [0, 0, 1, 1].map(|ply: usize| record.plies[ply].left.expect("a clock").as_secs());
        for ((line, start), seconds) in lines.iter().zip(["207 ", "313 1 c3 ", "207 ", "314 1 ... b2 "]).zip(left) {
            assert!(line.starts_with(&format!("{start}{seconds} ")), "{line}{record}");
        }
    }
    arena.assert_clocks_were(UNEQUAL_CONTROL);
}

#[test]
fn each_wrong_token_delays_its_host_longer_and_the_right_one_still_works() {
    let arena = Arena::new(&REMOTES.replace("[[player]]\n    name = \"greedy\"\n    builtin = \"greedy\"", ""));
    let mut running = arena.start(None);
    let (public, own) = addresses(&mut running);
    // The test only requires the minimum delay, which does not depend on how busy the machine is.
    let mut least = Duration::ZERO;
    let begun = Instant::now();
    for delay in [50, 100, 200, 400, 800, 1_000] {
        Client::connect(&public, "0.9.1 player ? \"carol:a word of hex\"").hear("199");
        assert!(begun.elapsed() >= least, "{:?} instead of {least:?}", begun.elapsed());
        least += Duration::from_millis(delay);
    }
    for (black, white) in [("carol", "dave"), ("dave", "carol")] {
        let connect = |name: &str, side: &str| match name {
            "carol" => Client::connect(&public, &format!("0.9.1 player {side} \"carol:a word of hers\"")),
            _ => Client::connect(&own, &format!("0.9.1 player {side}")),
        };
        let (mut black, mut white) = (connect(black, "black"), connect(white, "white"));
        black.hear("352");
        white.hear("351");
        black.say("resign\r");
        black.rest();
        white.rest();
    }
    assert!(begun.elapsed() >= least);
    let (code, stderr) = running.end();
    assert_eq!(code, Some(0), "{stderr}");
    assert!(stderr.contains("6 hellos had a wrong name or token: 6 from 127.0.0.1; "), "{stderr}");
}

#[test]
fn wrong_names_and_tokens_get_the_same_answer_and_leavers_are_forgotten() {
    let arena = Arena::new(&REMOTES.replace("[[player]]\n    name = \"greedy\"\n    builtin = \"greedy\"", ""));
    let mut running = arena.start(None);
    let (public, own) = addresses(&mut running);
    let refusals = ["carol:wrong", "nobody:a word of hers", "carol", "greedy:a word of hers"].map(|name| {
        let hello = format!("0.9.1 player white \"{name}\"");
        Client::connect(&public, &hello).hear("199")
    });
    assert!(refusals.iter().all(|refusal| *refusal == refusals[0]), "{refusals:?}");
    assert!(Client::connect(&public, "0.9.1 player white").hear("199") == refusals[0]);
    assert!(Client::connect(&public, "0.9.1 observer \"carol:a word of hers\"").hear("193").starts_with("193"));

    // Carol connects and leaves before dave connects: the game waits for her again.
    drop(Client::connect(&public, "0.9.1 player ? \"carol:a word of hers\""));
    let mut dave = Client::connect(&own, "0.9.1 player black");
    let mut carol = Client::connect(&public, "0.9.1 player white \"carol:a word of hers\"");
    dave.hear("352");
    carol.hear("351");
    dave.say("1 resign\r");
    carol.hear("328");
    dave.rest();
    carol.rest();

    // One game between the two is left; dave plays white in it.
    let mut late = Client::connect(&own, "0.9.1 player black");
    assert!(late.hear("191").starts_with("191"));
    let mut dave = Client::connect(&own, "0.9.1 player white");
    let mut carol = Client::connect(&public, "0.9.1 player ? \"carol:a word of hers\"");
    dave.hear("351");
    carol.hear("352");
    carol.say("resign\r");
    dave.hear("328");
    dave.rest();
    carol.rest();
    let (code, stderr) = running.end();
    assert_eq!(code, Some(0), "{stderr}");
    // A hello without a token does not count as a guess.
    assert_eq!(stderr.matches("3 hellos had a wrong name or token: 3 from 127.0.0.1; ").count(), 1, "{stderr}");
    assert_eq!(stderr.matches("wrong name or token").count(), 1, "{stderr}");
    assert!(arena.results().iter().all(|row| row["termination"] == "resignation"));
}

#[test]
fn an_absent_remote_player_is_a_no_show_and_the_others_play_on() {
    let arena = Arena::new(concat!("join_timeout = \"1s\"\n", carol!(), random_and_greedy!()));
    let output = arena.run(&[]);
    assert_eq!(output.status.code(), Some(0));
    for row in arena.results() {
        let remote = row["black"] == "carol" || row["white"] == "carol";
        assert_eq!(row["termination"], if remote { "no show" } else { "normal" });
    }
    arena.assert_logs_hold(&output);
}
