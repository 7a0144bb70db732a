//! The lines that clients of different protocol versions receive in the same games, tested with the whole program.

use crate::harness::arena::{Arena, Client, text};
use crate::referee::serve::Server;

/// A client that connects with `hello` and has been admitted.
fn client(server: &Server, hello: &str) -> Client {
    let mut client = server.client(hello);
    client.hear("10");
    client
}

/// The lines that the clients of a game receive after their admission. Black and the first observer use version 0.9.2,
/// and the other clients use 0.9.1.
struct Heard {
    black: String,
    white: String,
    observers: [String; 2],
}

/// Plays `turns`, after which the side to move resigns.
fn heard_of(ruleset: &str, turns: &[&str]) -> Heard {
    let server = Server::start(&["--ruleset", ruleset]);
    let observers = ["0.9.2 observer", "0.9.1 observer"].map(|hello| client(&server, hello));
    let mut players = ["0.9.2 player 1", "0.9.1 player white"].map(|hello| client(&server, hello));
    for (ply, turn) in turns.iter().enumerate() {
        let (number, dots) = (ply / 2 + 1, if ply % 2 == 0 { "" } else { "... " });
        players[ply % 2].say(&format!("{number} {dots}{turn}\r"));
    }
    players[turns.len() % 2].say("resign\r");
    let [black, white] = players.map(Client::rest);
    let observers = observers.map(Client::rest);
    server.end();
    Heard { black, white, observers }
}

/// Returns `heard` without the lines that version 0.9.2 added.
fn without_rules(heard: &str) -> String {
    heard.split_inclusive("\r\n").filter(|line| !line.starts_with("345 ") && !line.starts_with("346 ")).collect()
}

const EMPTY: &str = ".....\r\n.....\r\n.....\r\n.....\r\n.....\r\n";

#[test]
fn old_clients_of_gothello_receive_the_same_bytes_as_before_and_new_ones_also_the_rules() {
    let Heard { black, white, observers: [new, old] } = heard_of("gothello", &["c3", "d4"]);
    let moves = "311 1 c3 is black move, game continues\r\n\
                 200 Move d4 accepted, continue playing\r\n\
                 312 1 ... d4 is white move, game continues\r\n\
                 328 White wins by Black resigning\r\n";
    assert_eq!(white, format!("351 You will play white\r\n{moves}"));
    assert!(black.starts_with("345 gothello 2 1 is the game, seats, and your seat\r\n352 You will play black\r\n"));
    assert!(new.contains("345 gothello 2 . is the game, seats, and your seat\r\n353 You will observe\r\n380 1 b\r\n"));
    assert_eq!(without_rules(&new), old);
    let start = format!("344 2 observers\r\n353 You will observe\r\n380 1 b\r\n382\r\n{EMPTY}311 1 c3 is black move,");
    assert!(old.starts_with(&start), "{old}");
    assert!(old.ends_with(
        "328 White wins by Black resigning\r\n380 1 .\r\n382\r\n.....\r\n...w.\r\n..b..\r\n.....\r\n.....\r\n"
    ));
}

#[test]
fn old_observers_of_seegover_see_boards_after_382_and_new_ones_after_383() {
    let Heard { observers: [new, old], white, .. } = heard_of("seegover drop=2", &["a1+c4"]);
    assert!(new.contains("346 drop 2 is a rule of this game\r\n353 You will observe\r\n"), "{new}");
    assert!(!white.contains("345 ") && !old.contains("345 ") && !old.contains("383"), "{old}");
    assert_eq!(without_rules(&new).replace("383 5 lines follow\r\n", "382\r\n"), old);
}

#[test]
fn a_client_of_the_first_version_plays_othello_and_receives_nothing_new() {
    let Heard { black, white, observers: [new, old] } = heard_of("othello", &["f5", "d6", "c3"]);
    assert!(black.starts_with("345 othello 2 1 is the game, seats, and your seat\r\n352 You will play black\r\n"));
    assert_eq!(
        white,
        "351 You will play white\r\n\
         311 1 f5 is black move, game continues\r\n\
         200 Move d6 accepted, continue playing\r\n\
         312 1 ... d6 is white move, game continues\r\n\
         311 2 c3 is black move, game continues\r\n\
         204 Resignation accepted\r\n\
         327 Black wins by White resigning\r\n"
    );
    assert_eq!(without_rules(&new), old);
    let board = "........\r\n........\r\n..b.....\r\n...bb...\r\n...wbb..\r\n...w....\r\n........\r\n........\r\n";
    assert!(old.contains(&format!("380 2 w\r\n383 8 lines follow\r\n{board}")), "{old}");
}

#[test]
fn a_seat_that_the_game_does_not_have_is_refused_and_both_that_it_has_are_granted() {
    let server = Server::start(&["--ruleset", "othello compensation=0,1/2"]);
    for (hello, answer) in [
        ("0.9.2 player 3", "191 The game does not have the requested seat\r\n"),
        ("0.9.2 player 0", "191 The game does not have the requested seat\r\n"),
        ("0.9.3 player 1", "198 Illegal version number, this is version 0.9.2\r\n"),
        ("0.9.1 player 2", "199 Request not understood: "),
    ] {
        let mut refused = server.client(hello);
        assert_eq!(refused.line(), "000 Gothello 0.9.1 othello compensation=0,1/2 gothello-arena is ready\r\n");
        assert!(refused.line().starts_with(answer), "{hello}");
    }
    let mut white = client(&server, "0.9.2 player 2");
    assert!(server.client("0.9.1 player white").hear("191").contains("Other player holds"));
    let mut black = client(&server, "0.9.2 player ?");
    for (player, seat) in [(&mut black, "1"), (&mut white, "2")] {
        assert_eq!(player.line(), format!("345 othello 2 {seat} is the game, seats, and your seat\r\n"));
        assert_eq!(player.line(), "346 compensation 0,1/2 is a rule of this game\r\n");
    }
}

#[test]
fn a_refused_move_is_told_why() {
    let server = Server::start(&["--ruleset", "othello"]);
    let (mut black, mut white) = server.players();
    for (line, answer) in [
        ("1 a1", "291 Illegal move a1: the stone turns nothing over\r\n"),
        ("1 d4", "291 Illegal move d4: there is already a stone there\r\n"),
        ("1 pass", "291 Illegal move pass: passing is not allowed while a stone can be placed\r\n"),
        ("1 i1", "299 Not understood: `i1` is not a move\r\n"),
        ("1 f5-d3", "299 Not understood: `f5-d3` is not a move\r\n"),
        ("1 F5", "299 Not understood: `F5` is not a move\r\n"),
        ("1 f05", "299 Not understood: `f05` is not a move\r\n"),
        ("1 f5", "200 Move f5 accepted, continue playing\r\n"),
    ] {
        black.say(&format!("{line}\r"));
        assert_eq!(black.hear("2"), answer);
    }
    assert_eq!(white.hear("31"), "311 1 f5 is black move, game continues\r\n");
}

/// A player that speaks version 0.9.2 over stdin and stdout, copies the lines about the game to stderr, and resigns as
/// black.
const TELLS: &str = r#"
import os, sys
print(sys.argv[1], "|", os.environ["GOTHELLO_RULESET"], "|", sys.stdin.readline().strip(), file=sys.stderr)
seat = "1" if os.environ["GOTHELLO_SIDE"] == "black" else "2"
print("0.9.2 player", seat, flush=True)
for line in sys.stdin:
    if line[:3] in ("345", "346"):
        print(line.strip(), file=sys.stderr, flush=True)
    if line[:3] == "352":
        print("1 resign", flush=True)
    if line[:2] in ("20", "32"):
        break
"#;

#[test]
fn a_launched_bot_learns_the_rules_with_their_options_in_every_way() {
    let player = |name: &str| {
        format!(
            "[[player]]\nname = \"{name}\"\ncommand = [\"python3\", \"tells.py\", \"{{ruleset}}\"]\ntransport = \"stdio\"\n"
        )
    };
    let rules = "ruleset = \"quantum\"\nrules = { start = \"open\", compensation = [0, 1.5] }\n";
    let arena = Arena::new(&format!("{rules}{}{}", player("one"), player("other")));
    std::fs::write(arena.path().join("tells.py"), TELLS).expect("written");
    let output = arena.run(&[]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    arena.assert_logs_hold(&output);
    let tag = "quantum start=open compensation=0,3/2";
    for (side, seat) in [("black", 1), ("white", 2)] {
        let said =
            std::fs::read_to_string(arena.out().join(format!("games/r1-one-other.{side}.stderr"))).expect("read");
        let lines = [
            format!("{tag} | {tag} | 000 Gothello 0.9.1 {tag} gothello-arena is ready"),
            format!("345 quantum 2 {seat} is the game, seats, and your seat"),
            "346 start open is a rule of this game".to_owned(),
            "346 compensation 0,3/2 is a rule of this game".to_owned(),
        ];
        assert_eq!(said.lines().collect::<Vec<_>>(), lines, "{side}");
    }
    assert_eq!(arena.record("r1-one-other").ruleset.to_string(), tag);
}
