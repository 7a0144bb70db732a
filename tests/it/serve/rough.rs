//! Clients and surroundings that behave badly: none of them costs anybody else a game.

use std::fs;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::process::Signal;

use super::{Server, serve};
use crate::arena::hangup_is_ignored;

/// How much a pipe takes before somebody reads.
const PIPE_SIZE: usize = 65_536;

/// A connection on which somebody writes without end, and whoever reads it throws it away; until it is dropped.
fn flood(server: &Server, first: &[u8], rest: &'static [u8]) -> TcpStream {
    let mut stream = TcpStream::connect(&server.address).expect("it listens");
    stream.write_all(first).expect("sent");
    let (mut reading, mut writing) = (stream.try_clone().expect("cloned"), stream.try_clone().expect("cloned"));
    std::thread::spawn(move || std::io::copy(&mut reading, &mut std::io::sink()));
    std::thread::spawn(move || while writing.write_all(&rest.repeat(500)).is_ok() {});
    stream
}

#[test]
fn a_player_that_never_stops_talking_keeps_neither_observers_nor_signals_waiting() {
    let server = Server::start(&[]);
    let mut white = server.client("0.9.1 player white");
    white.hear("100");
    let flooding = flood(&server, b"0.9.1 player black\r", b"1 z9\r");
    white.hear("351");
    let mut observer = server.client("0.9.1 observer");
    observer.hear("380 1 b");
    server.signal(Signal::TERM);
    assert_eq!(server.end().0, Some(143));
    drop(flooding);
}

/// As `printf ... | nc -N` does.
#[test]
fn a_player_that_sends_all_its_moves_and_closes_its_sending_half_has_them_judged() {
    let mut server = Server::start(&[]);
    let mut black = server.client("0.9.1 player black\r1 c3\r2 pass\r");
    black.stream().shutdown(Shutdown::Write).expect("it is open");
    black.hear("100");
    let mut white = server.client("0.9.1 player white");
    white.hear("311 1 c3 ");
    white.say("1 ... d4\r");
    black.hear("312 1 ... d4 ");
    white.hear("315 2 pass ");
    white.say("2 ... pass\r");
    black.hear("326 2 ... pass");
    server.prints("Game drawn.");
    assert_eq!(server.end().0, Some(0));
}

#[test]
fn a_player_that_closes_its_sending_half_is_gone_when_it_has_no_more_moves() {
    let mut server = Server::start(&[]);
    let (mut black, mut white) = server.players();
    black.say("1 c3\r");
    black.hear("311 1 c3 ");
    black.stream().shutdown(Shutdown::Write).expect("it is open");
    white.hear("311 1 c3 ");
    white.say("1 ... d4\r");
    black.hear("312 1 ... d4 ");
    black.hear("391 Black disconnected");
    white.hear("391 Black disconnected");
    server.prints("White player wins by disconnect.");
}

#[test]
fn observers_that_flood_or_never_read_hold_up_no_game() {
    let server = Server::start(&["--time", "60s"]);
    let flooding = flood(&server, b"0.9.1 observer\r", b"\r1 c3\r");
    let endless = flood(&server, b"0.9.1 observer\r", b"xxxxxxxx");
    let mut deaf = server.client("0.9.1 observer");
    deaf.hear("101");
    let (mut black, mut white) = server.players();
    for (number, square) in (1..).zip(["a1", "b1", "c1", "d1", "e1"]) {
        black.say(&format!("{number} {square}\r"));
        black.hear("207");
        black.hear("313");
        white.hear("313");
        white.say(&format!("{number} ... pass\r"));
        black.hear("318");
    }
    black.say("pass\r");
    assert!(white.rest().ends_with("321 6 pass and black wins\r\n"));
    black.rest();
    // The observers stay; the service goes all the same.
    assert_eq!(server.end().0, Some(0));
    drop((flooding, endless, deaf));
}

#[test]
fn an_observer_may_close_its_end_and_go_on_reading() {
    let server = Server::start(&[]);
    let mut observer = TcpStream::connect(&server.address).expect("it listens");
    // The end of the stream ends the hello too.
    observer.write_all(b"0.9.1 observer").expect("sent");
    observer.shutdown(Shutdown::Write).expect("shut down");
    let mut start = [0; 3];
    observer.read_exact(&mut start).expect("greeted");
    let (mut black, mut white) = server.players();
    black.say("1 c3\r");
    white.say("1 ... resign\r");
    let mut seen = String::new();
    observer.read_to_string(&mut seen).expect("read");
    let end = "327 Black wins by White resigning\r\n380 1 .\r\n382\r\n.....\r\n.....\r\n..b..\r\n.....\r\n.....\r\n";
    assert!(seen.ends_with(end), "{seen}");
}

#[test]
fn the_last_line_arrives_though_much_was_left_unread() {
    let server = Server::start(&[]);
    let (mut black, mut white) = server.players();
    white.say(&"1 ... d4\r".repeat(10));
    black.say(&format!("1 resign\r{}", "2 c3\r".repeat(2_000)));
    assert!(white.rest().ends_with("328 White wins by Black resigning\r\n"));
    assert_eq!(server.end().0, Some(0));
    // Black has not read until now. A reset could have thrown away what is on its way, and leaves an error.
    assert!(!black.was_reset());
    assert!(black.rest().ends_with("204 Resignation accepted\r\n328 White wins by Black resigning\r\n"));
}

#[test]
fn who_says_no_hello_in_time_is_let_go_whatever_else_it_says() {
    let server = Server::start(&["--hello-timeout", "1s"]);
    let silent = server.client("");
    let mut chatting = TcpStream::connect(&server.address).expect("it listens");
    let mut reading = chatting.try_clone().expect("cloned");
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) && chatting.write_all(b"\r\n").is_ok() {
                std::hint::spin_loop();
            }
        });
        // It may be a reset, as it still talks.
        let _ = reading.read_to_end(&mut Vec::new());
        over.store(true, Ordering::Relaxed);
    });
    assert_eq!(silent.rest().lines().count(), 1);
    server.players();
}

#[test]
fn nobody_has_to_read_stdout_for_the_games_to_go_on() {
    let (mut reader, mut writer) = std::io::pipe().expect("a pipe");
    writer.write_all(&vec![b'x'; PIPE_SIZE]).expect("it fits");
    let server = Server::spawn(serve(&["--port", "0", "--games", "2"]).stdout(writer));
    for _ in 0..2 {
        let (mut black, white) = server.players();
        black.say("1 resign\r");
        assert!(white.rest().ends_with("328 White wins by Black resigning\r\n"));
        black.rest();
    }
    // All of it is there for one who reads late.
    let mut printed = String::new();
    reader.read_to_string(&mut printed).expect("read");
    assert_eq!(printed.matches("White player wins by resignation.\n").count(), 2);
    assert_eq!(server.end().0, Some(0));
}

#[test]
fn a_full_stdout_does_not_keep_the_service_from_ending_and_a_closed_one_is_no_failure() {
    let (reader, mut writer) = std::io::pipe().expect("a pipe");
    writer.write_all(&vec![b'x'; PIPE_SIZE]).expect("it fits");
    let server = Server::spawn(serve(&["--port", "0"]).stdout(writer));
    server.players();
    server.signal(Signal::TERM);
    assert_eq!(server.end().0, Some(143));
    drop(reader);

    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let server = Server::spawn(serve(&["--port", "0"]).stdout(writer));
    let (mut black, white) = server.players();
    black.say("1 resign\r");
    black.rest();
    white.rest();
    assert_eq!(server.end().0, Some(0));
}

#[test]
fn a_log_that_can_not_be_written_is_said_and_ends_no_games() {
    let dir = tempfile::tempdir().expect("a directory");
    let logs = dir.path().join("logs");
    let server = Server::start(&["--games", "2", "--log", logs.to_str().expect("a path")]);
    fs::remove_dir(&logs).expect("it was made");
    for _ in 0..2 {
        let (mut black, white) = server.players();
        black.say("1 resign\r");
        black.rest();
        white.rest();
    }
    let (code, printed, complained) = server.end_with_complaints();
    assert_eq!(code, Some(1));
    assert_eq!(printed.matches("White player wins by resignation.\n").count(), 2);
    assert_eq!(complained.matches("could not write").count(), 2, "{complained}");
}

#[test]
fn ctrl_c_lets_the_game_finish_and_a_second_one_does_not() {
    for twice in [false, true] {
        let mut server = Server::start(&["--games", "0"]);
        let (mut black, white) = server.players();
        server.signal(Signal::INT);
        server.complains("no new games");
        if twice {
            server.signal(Signal::INT);
        } else {
            black.say("1 resign\r");
            black.rest();
            assert!(white.rest().ends_with("328 White wins by Black resigning\r\n"));
        }
        let (code, printed) = server.end();
        assert_eq!(code, Some(130));
        assert_eq!(printed.contains("White player wins by resignation.\n"), !twice);
    }
}

#[test]
fn under_nohup_a_hangup_is_nothing() {
    let mut shell = Command::new("sh");
    let program = env!("CARGO_BIN_EXE_gothello-arena");
    shell.args(["-c", "trap '' HUP; exec \"$0\" serve --port 0", program]);
    let server = Server::spawn(shell.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()));
    server.signal(Signal::HUP);
    let (mut black, white) = server.players();
    black.say("1 resign\r");
    black.rest();
    white.rest();
    assert_eq!(server.end().0, Some(0));
}

#[test]
fn signals_end_the_service_with_their_codes() {
    for (signal, code) in [(Signal::INT, 130), (Signal::TERM, 143), (Signal::HUP, 143)] {
        if signal == Signal::HUP && hangup_is_ignored() {
            continue;
        }
        let server = Server::start(&["--games", "0"]);
        // A game that is on ends with SIGTERM at once; with Ctrl-C none is on here.
        let players = (signal != Signal::INT).then(|| server.players());
        server.signal(signal);
        assert_eq!(server.end_with_complaints().0, Some(code));
        drop(players);
    }
}
