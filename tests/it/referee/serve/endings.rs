//! Every way a game can end, as reported to the players, to an observer and on stdout.

use super::{Server, assert_logs_hold};
use crate::harness::arena::Client;

/// A way to end a game: the actions that end it, the lines that the remaining player and an observer receive, and the
/// output.
struct Ending {
    args: &'static [&'static str],
    end: fn(&mut Option<Client>, &mut Option<Client>),
    winner: &'static str,
    hears: &'static str,
    prints: &'static str,
}

fn say(client: &mut Option<Client>, text: &str) {
    client.as_mut().expect("a client").say(text);
}

const ENDINGS: &[Ending] = &[
    Ending {
        args: &[],
        end: |black, _| say(black, "1 resign\r"),
        winner: "white",
        hears: "328",
        prints: "White player wins by resignation.",
    },
    Ending {
        args: &[],
        end: |black, white| {
            say(black, "1 c3\r");
            say(white, "resign\r");
        },
        winner: "black",
        hears: "327",
        prints: "Black player wins by resignation.",
    },
    Ending {
        args: &["--time", "1s"],
        end: |_, _| {},
        winner: "white",
        hears: "362 White wins by Black time expiring",
        prints: "White player wins on time.",
    },
    Ending {
        args: &["--white-time", "1s", "--black-time", "50s"],
        end: |black, _| say(black, "1 c3\r"),
        winner: "black",
        hears: "361 Black wins by White time expiring",
        prints: "Black player wins on time.",
    },
    Ending {
        args: &["--game-limit", "1s"],
        end: |_, _| {},
        winner: "white",
        hears: "362",
        prints: "White player wins on time.",
    },
    Ending {
        args: &[],
        end: |black, _| drop(black.take()),
        winner: "white",
        hears: "391 Black disconnected",
        prints: "White player wins by disconnect.",
    },
    Ending {
        args: &[],
        end: |_, white| drop(white.take()),
        winner: "black",
        hears: "392 White disconnected",
        prints: "Black player wins by disconnect.",
    },
    Ending {
        args: &["--illegal-tries", "0"],
        end: |black, white| {
            say(black, "1 c3\r");
            say(white, "1 ... c3\r");
        },
        winner: "black",
        hears: "392",
        prints: "Black player wins by illegal.",
    },
    Ending {
        args: &["--garbled-tries", "1"],
        end: |black, _| say(black, "what?\rwhat?\r"),
        winner: "white",
        hears: "391",
        prints: "White player wins by protocol.",
    },
    Ending {
        args: &["--compatible"],
        end: |black, _| drop(black.take()),
        winner: "white",
        hears: "322 1 pass and black loses",
        prints: "White player wins by disconnect.",
    },
    Ending {
        args: &["--compatible"],
        end: |_, white| drop(white.take()),
        winner: "black",
        hears: "201 You win",
        prints: "Black player wins by disconnect.",
    },
    Ending {
        args: &[],
        end: |black, white| {
            say(white, "1 ... pass\r");
            say(black, "1 pass\r");
        },
        winner: "black",
        hears: "326 1 ... pass and white draws",
        prints: "Game drawn.",
    },
];

#[test]
fn every_ending_reaches_the_winner_the_observers_and_stdout() {
    let logs = tempfile::tempdir().expect("a directory");
    let logged = ["--log", logs.path().to_str().expect("a path")];
    for ending in ENDINGS {
        let mut server = Server::start(&[ending.args, &logged].concat());
        let mut observer = server.client("0.9.1 observer");
        observer.hear("10");
        let (black, white) = server.players();
        let (mut black, mut white) = (Some(black), Some(white));
        (ending.end)(&mut black, &mut white);
        let left = if ending.winner == "black" { &mut black } else { &mut white };
        left.as_mut().expect("a client").hear(ending.hears);
        // Observers always receive the documented code, and finally a board with neither side to move.
        let seen = observer.rest();
        let last = seen.lines().rfind(|line| line.starts_with("38") && line.len() > 3).unwrap_or_default();
        assert!(last.ends_with(" ."), "{seen}");
        if ending.args != ["--compatible"] {
            assert!(seen.contains(&format!("\r\n{}", ending.hears)), "{} is not in {seen}", ending.hears);
        }
        server.prints(ending.prints);
        drop((black, white));
        assert_eq!(server.end().0, Some(0));
    }
    assert_logs_hold(logs.path(), ENDINGS.len());
}

#[test]
fn each_player_receives_the_end_in_lines_that_its_client_understands() {
    // Black's flag falls on black's own turn, or white disconnects on black's turn; these are all the lines that the
    // clients then receive.
    let flag = ["--black-time", "1s", "--white-time", "60s"];
    for (args, loser, winner) in [
        (
            &flag[..],
            "202 You lose\r\n362 White wins by Black time expiring\r\n",
            "362 White wins by Black time expiring\r\n",
        ),
        (
            &["--black-time", "1s", "--white-time", "60s", "--compatible"],
            "202 You lose\r\n362 White wins by Black time expiring\r\n",
            "322 1 pass and black loses\r\n",
        ),
        (
            &["--game-limit", "1s"],
            "202 You lose\r\n362 White wins by Black time expiring\r\n",
            "362 White wins by Black time expiring\r\n",
        ),
    ] {
        let server = Server::start(args);
        let (black, white) = server.players();
        assert_eq!((black.rest().as_str(), white.rest().as_str()), (loser, winner), "{args:?}");
    }
    for (args, heard) in
        [(&[][..], "392 White disconnected\r\n"), (&["--compatible"], "201 You win\r\n321 1 pass and black wins\r\n")]
    {
        let server = Server::start(args);
        let (black, white) = server.players();
        drop(white);
        assert_eq!(black.rest(), heard);
    }
    // Complete lines that arrived before the disconnect are judged first.
    let server = Server::start(&[]);
    let (mut black, white) = server.players();
    black.say("1 c3\r1 d3\r2 d3\r");
    drop(black);
    assert_eq!(white.rest(), "311 1 c3 is black move, game continues\r\n391 Black disconnected\r\n");
}

#[test]
fn without_a_limit_any_number_of_illegal_moves_is_allowed() {
    let server = Server::start(&[]);
    let (mut black, _white) = server.players();
    for _ in 0..200 {
        black.say("1 z9\r");
        black.hear("299");
    }
    black.say("1 c3\r");
    black.hear("200");
}
