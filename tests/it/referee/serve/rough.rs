//! Clients and environments that behave badly: none of them affects other clients' games.

use std::fs;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::process::Signal;

use super::{Server, serve};
use crate::harness::arena::{is_withheld, program};
use crate::harness::waiting::{Lines, connected};

/// The capacity of a pipe in bytes.
const PIPE_SIZE: usize = 65_536;

/// Opens a connection that, until it is dropped, writes endlessly and discards everything that it reads.
fn flood(server: &Server, first: &[u8], rest: &'static [u8]) -> TcpStream {
    let mut stream = connected(&*server.address);
    stream.write_all(first).expect("sent");
    let (mut reading, mut writing) = (stream.try_clone().expect("cloned"), stream.try_clone().expect("cloned"));
    std::thread::spawn(move || std::io::copy(&mut reading, &mut std::io::sink()));
    std::thread::spawn(move || while writing.write_all(&rest.repeat(500)).is_ok() {});
    stream
}

#[test]
fn a_player_that_never_stops_talking_delays_neither_observers_nor_signals() {
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

/// The test behaves like `printf ... | nc -N`.
#[test]
fn moves_sent_before_half_closing_the_connection_still_count() {
    let mut server = Server::start(&[]);
    let mut black = server.client("0.9.1 player black\r1 c3\r2 pass\r");
    black.stream().shutdown(Shutdown::Write).expect("an open stream");
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
fn a_half_closed_player_disconnects_once_its_moves_run_out() {
    let mut server = Server::start(&[]);
    let (mut black, mut white) = server.players();
    black.say("1 c3\r");
    black.hear("311 1 c3 ");
    black.stream().shutdown(Shutdown::Write).expect("an open stream");
    white.hear("311 1 c3 ");
    white.say("1 ... d4\r");
    black.hear("312 1 ... d4 ");
    black.hear("391 Black disconnected");
    white.hear("391 Black disconnected");
    server.prints("White player wins by disconnect.");
}

#[test]
fn observers_that_flood_or_never_read_delay_no_game() {
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
    // The observers are still connected, but the service ends anyway.
    assert_eq!(server.end().0, Some(0));
    drop((flooding, endless, deaf));
}

#[test]
fn an_observer_may_half_close_its_connection_and_keep_reading() {
    let server = Server::start(&[]);
    let mut observer = connected(&*server.address);
    // The end of the stream also ends the hello.
    observer.write_all(b"0.9.1 observer").expect("sent");
    observer.shutdown(Shutdown::Write).expect("shut down");
    let mut start = [0; 3];
    observer.read_exact(&mut start).expect("greeted");
    let (mut black, mut white) = server.players();
    black.say("1 c3\r");
    white.say("1 ... resign\r");
    let mut seen = String::new();
    observer.read_to_string(&mut seen).expect("the server ends the connection in time");
    let end = "327 Black wins by White resigning\r\n380 1 .\r\n382\r\n.....\r\n.....\r\n..b..\r\n.....\r\n.....\r\n";
    assert!(seen.ends_with(end), "{seen}");
}

#[test]
fn the_last_line_arrives_even_after_much_unread_input() {
    let server = Server::start(&[]);
    let (mut black, mut white) = server.players();
    white.say(&"1 ... d4\r".repeat(10));
    black.say(&format!("1 resign\r{}", "2 c3\r".repeat(2_000)));
    assert!(white.rest().ends_with("328 White wins by Black resigning\r\n"));
    assert_eq!(server.end().0, Some(0));
    // Black has read nothing until now. A reset would show as an error and could have discarded data on its way to
    // black.
    assert!(!black.was_reset());
    assert!(black.rest().ends_with("204 Resignation accepted\r\n328 White wins by Black resigning\r\n"));
}

#[test]
fn a_client_without_a_timely_hello_is_disconnected_whatever_it_sends() {
    let server = Server::start(&["--hello-timeout", "1s"]);
    let silent = server.client("");
    let mut chatting = connected(&*server.address);
    let mut reading = chatting.try_clone().expect("cloned");
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) && chatting.write_all(b"\r\n").is_ok() {
                std::hint::spin_loop();
            }
        });
        // The client may see a reset, because it is still sending.
        let _ = reading.read_to_end(&mut Vec::new());
        over.store(true, Ordering::Relaxed);
    });
    assert_eq!(silent.rest().lines().count(), 1);
    server.players();
}

#[test]
fn games_continue_even_if_nobody_reads_stdout() {
    let (reader, mut writer) = std::io::pipe().expect("a pipe");
    writer.write_all(&vec![b'x'; PIPE_SIZE]).expect("written");
    let server = Server::spawn(serve(&["--port", "0", "--games", "2"]).stdout(writer));
    for _ in 0..2 {
        assert!(server.resigned_game().ends_with("328 White wins by Black resigning\r\n"));
    }
    // A late reader still receives everything.
    let printed = Lines::new(reader).rest("the server");
    assert_eq!(printed.matches("White player wins by resignation.\n").count(), 2);
    assert_eq!(server.end().0, Some(0));
}

#[test]
fn the_service_ends_despite_a_full_stdout_and_succeeds_with_a_closed_one() {
    let (reader, mut writer) = std::io::pipe().expect("a pipe");
    writer.write_all(&vec![b'x'; PIPE_SIZE]).expect("written");
    let server = Server::spawn(serve(&["--port", "0"]).stdout(writer));
    server.players();
    server.signal(Signal::TERM);
    assert_eq!(server.end().0, Some(143));
    drop(reader);

    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let server = Server::spawn(serve(&["--port", "0"]).stdout(writer));
    server.resigned_game();
    assert_eq!(server.end().0, Some(0));
}

#[test]
fn an_unwritable_log_is_reported_and_ends_no_game() {
    let dir = tempfile::tempdir().expect("a directory");
    let logs = dir.path().join("logs");
    let server = Server::start(&["--games", "2", "--log", logs.to_str().expect("a path")]);
    fs::remove_dir(&logs).expect("removed");
    for _ in 0..2 {
        server.resigned_game();
    }
    let (code, printed, complained) = server.end_with_complaints();
    assert_eq!(code, Some(1));
    assert_eq!(printed.matches("White player wins by resignation.\n").count(), 2);
    assert_eq!(complained.matches("could not write").count(), 2, "{complained}");
}

#[test]
fn ctrl_c_lets_the_game_finish_but_a_second_one_does_not() {
    if is_withheld(Signal::INT) {
        return;
    }
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
fn under_nohup_a_hangup_is_ignored() {
    let mut shell = Command::new("sh");
    let program = program();
    shell.args(["-c", "trap '' HUP; exec \"$0\" serve --port 0", program]);
    let server = Server::spawn(shell.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()));
    server.signal(Signal::HUP);
    server.resigned_game();
    assert_eq!(server.end().0, Some(0));
}

#[test]
fn signals_end_the_service_with_their_codes() {
    for (signal, code) in [(Signal::INT, 130), (Signal::TERM, 143), (Signal::HUP, 143)] {
        if is_withheld(signal) {
            continue;
        }
        let server = Server::start(&["--games", "0"]);
        // SIGTERM and SIGHUP end the service immediately, even during a game. Ctrl-C is sent when no game is running.
        let players = (signal != Signal::INT).then(|| server.players());
        server.signal(signal);
        assert_eq!(server.end_with_complaints().0, Some(code));
        drop(players);
    }
}
