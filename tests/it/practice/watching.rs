//! `watch`: games on servers and live pages, with and without a terminal, and hostile servers.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Command, Output, Stdio};

use crate::harness::arena::{TIMEOUT, program, text};
use crate::harness::on_terminal::OnTerminal;
use crate::harness::waiting::{InTime as _, accepted};

/// The line with which a server greets a client.
const START: &str = "000 Gothello 0.9.1 server is ready\r\n";

/// The server's lines to an observer in a game of one move, without the line that ends the game.
const GAME: &str = "100 Request accepted\r\n341 \"bo\" is the white player\r\n342 \"ann\" is the black player\r\n353 The game \
                    starts, you observe\r\n380 1 b\r\n382\r\n.....\r\n.....\r\n.....\r\n.....\r\n.....\r\n311 1 c3 is the black \
                    move, game continues\r\n380 1 w\r\n382\r\n.....\r\n.....\r\n..b..\r\n.....\r\n.....\r\n";

/// Starts a server that calls `serve` for one client.
fn serving(serve: impl FnOnce(TcpStream) + Send + 'static) -> SocketAddr {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || serve(accepted(&listener, "a client")));
    address
}

/// Serves the game to an observer that says hello, and ends it with the lines `end`.
fn a_game(mut client: TcpStream, end: &str) {
    client.write_all(START.as_bytes()).expect("a client");
    let mut hello = Vec::new();
    let mut input = BufReader::new(client.try_clone().expect("a socket"));
    input.read_until(b'\r', &mut hello).expect("a hello");
    assert_eq!(text(&hello), "0.9.1 observer \"me\"\r");
    client.write_all(format!("{GAME}{end}").as_bytes()).expect("a client");
    // Wait until the client leaves.
    let _ = input.read_until(b'\r', &mut hello);
}

fn watch(address: SocketAddr, more: &[&str]) -> Output {
    let address = address.to_string();
    let mut command = Command::new(program());
    command.args(["watch", &address]).args(more).stdin(Stdio::null()).output_in_time().expect("it starts")
}

#[test]
fn without_a_terminal_the_boards_are_printed_until_the_game_ends() {
    let address = serving(|client| a_game(client, "327 Black wins by resignation\r\n"));
    let output = watch(address, &["--name", "me"]);
    let shown = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{shown}{}", text(&output.stderr));
    assert!(shown.starts_with("gothello: ann - bo\n\nstart\n"), "{shown}");
    assert!(shown.contains("\nply 1: 1. c3 by ann (black)\n") && shown.contains("3 . .[b]. .\n"), "{shown}");
    assert!(shown.ends_with("\nblack wins by resignation\n"), "{shown}");
}

#[test]
fn a_server_that_leaves_or_sends_escapes_or_nothing_does_no_harm() {
    let early = watch(serving(drop), &[]);
    assert_eq!(early.status.code(), Some(1), "{}", text(&early.stderr));
    assert!(text(&early.stderr).contains("before the end of the game"), "{}", text(&early.stderr));
    let address = serving(|client| a_game(client, "999 \u{1b}]0;x\u{7}\u{1b}[2J\r\n399 Problem: \u{202e}x\r\n"));
    let escapes = watch(address, &["--name", "me"]);
    let shown = text(&escapes.stdout);
    assert_eq!(escapes.status.code(), Some(0), "{shown}");
    assert!(shown.contains("server: 999 \\u{1b}]0;x") && !shown.contains(['\u{1b}', '\u{202e}', '\u{7}']), "{shown}");
    let (sender, held) = std::sync::mpsc::channel::<()>();
    let address = serving(move |client| {
        // Wait until the client leaves.
        let _ = held.recv_timeout(TIMEOUT);
        drop(client);
    });
    let silent = watch(address, &["--timeout", "1s"]);
    drop(sender);
    assert!(text(&silent.stderr).contains("the server sent no greeting"), "{}", text(&silent.stderr));
}

#[test]
fn unbounded_data_is_cut_and_given_up() {
    let address = serving(|mut client| {
        let _ = client.write_all(START.as_bytes());
        let block = vec![b'x'; 1 << 16];
        // First a line of 64 MiB, then an endless series of lines.
        for _ in 0..1024 {
            let _ = client.write_all(&block);
        }
        let lines = "344 1 observer\n".repeat(4096);
        while client.write_all(lines.as_bytes()).is_ok() {}
    });
    let output = watch(address, &[]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("more than any game can contain"), "{}", text(&output.stderr));
    assert!(output.stdout.len() < 1 << 20);
}

#[test]
fn on_a_terminal_the_game_is_on_the_screen_and_the_terminal_is_as_before() {
    for (size, locale) in [((80, 24), "C.UTF-8"), ((40, 16), "C")] {
        let address = serving(|client| a_game(client, "327 Black wins by resignation\r\n"));
        let dir = tempfile::tempdir().expect("a directory");
        let arguments = ["watch", &address.to_string(), "--name", "me"];
        let mut screen = OnTerminal::start(dir.path(), &arguments, size, locale);
        screen.see("ply 1/1");
        assert!(screen.has_screen());
        screen.see("the game is over");
        screen.press("\x1b[D");
        screen.see("start");
        screen.press("q");
        screen.assert_ends(0);
    }
    let dir = tempfile::tempdir().expect("a directory");
    let address = serving(drop);
    let screen = OnTerminal::start(dir.path(), &["watch", &address.to_string()], (80, 24), "C");
    let shown = screen.assert_ends(1);
    assert!(shown.contains("before the end"), "{shown}");
}

#[test]
fn without_a_terminal_a_live_page_is_printed_board_after_board() {
    let state = r#"{"page":{"title":"Cup","ruleset":"gothello","players":[{"n":"ann","rank":1,"elo":1},{"n":"b\u001bo","rank":2,"elo":-1}]},"seq":3,"now":[{"slot":0,"id":"r1-ann-bo","black":0,"white":1,"board":"b........................","ply":1,"last":"a5"}],"log":[{"text":"it begins"}],"progress":{"done":3,"total":4}}"#;
    let frame = r#"{"seq":4,"on":[],"off":[0],"ended":[],"done":[],"log":[{"text":"ann wins"}],"progress":{"done":4,"total":4}}"#;
    let answer = format!(
        "HTTP/1.0 200 OK\r\n\r\nevent: state\nid: a-3\ndata: {state}\n\n:\n\nevent: frame\ndata: {frame}\n\nevent: end\ndata: {{}}\n\n"
    );
    let address = serving(move |mut client| {
        let mut request = BufReader::new(client.try_clone().expect("a socket"));
        let mut line = String::new();
        while line != "\r\n" {
            line.clear();
            request.read_line(&mut line).expect("a request");
        }
        client.write_all(answer.as_bytes()).expect("a client");
    });
    let mut command = Command::new(program());
    command.args(["watch", &format!("http://{address}")]).stdin(Stdio::null());
    let output = command.output_in_time().expect("it starts");
    let shown = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{shown}{}", text(&output.stderr));
    assert!(shown.starts_with("\nr1-ann-bo, ann - b\\u{1b}o, ply 1: a5\n5[b]. . . .\n"), "{shown}");
    assert!(shown.ends_with("it begins\nann wins\nthe run is over: 4/4 games\n"), "{shown}");
}

#[test]
fn wrong_addresses_are_refused() {
    for (address, expected) in [("localhost", "expected HOST:PORT"), ("https://a.b/", "plain HTTP only")] {
        let output = Command::new(program()).args(["watch", address]).output_in_time().expect("it starts");
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output.stderr).contains(expected), "{}", text(&output.stderr));
    }
}
