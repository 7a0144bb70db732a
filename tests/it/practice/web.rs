//! `play --web`: a game in a browser, through the program itself.

use std::path::Path;
use std::process::{Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::harness::arena::{program, text};
use crate::harness::waiting::{InTime as _, Lines, Owned, is_refused, until};
use crate::page::live::client::{Answer, Page};

/// A board that a program serves.
pub(crate) struct WebBoard {
    pub(crate) process: Owned,
    /// The link that the program has printed.
    pub(crate) link: String,
    page: Page,
    token: String,
}

impl WebBoard {
    /// Starts `play` with `arguments` in `dir`, and waits for the link.
    pub(crate) fn start(dir: &Path, arguments: &[&str]) -> Self {
        let mut command = Command::new(program());
        command.arg("play").args(arguments).arg("--web").current_dir(dir);
        let mut process = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .start()
            .expect("the program starts");
        let mut lines = Lines::new(process.stderr.take().expect("piped"));
        let told = lines.hear("anyone with this link can see the board and move: ");
        lines.ignore_the_rest();
        let link = told.trim_end().rsplit(' ').next().expect("a link").to_owned();
        let (url, token) = link.split_once("#token=").expect("a token");
        let address = url.trim_start_matches("http://").trim_end_matches('/').parse().expect("an address");
        Self { process, page: Page(address), token: token.to_owned(), link }
    }

    fn ask(&self, head: &str, body: &str) -> Answer {
        let (host, token) = (self.page.0, &self.token);
        let length = body.len();
        let request = format!(
            "{head} HTTP/1.1\r\nHost: {host}\r\nX-Gothello-Token: {token}\r\nOrigin: http://{host}\r\n\
             Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
        );
        self.page.ask(request.as_bytes()).expect("an answer")
    }

    fn board(&self) -> Value {
        self.ask("GET /board", "").json()
    }

    /// Waits until `is_it` accepts the board, and returns the board.
    fn when(&self, mut is_it: impl FnMut(&Value) -> bool) -> Value {
        let mut board = self.board();
        while !is_it(&board) {
            board = self.ask(&format!("GET /board?after={}", board["seq"]), "").json();
        }
        board
    }

    fn act(&self, ask: &str, text: &str) -> Value {
        let turn = &self.board()["turn"];
        self.ask("POST /act", &json!({ "ask": ask, "text": text, "turn": turn }).to_string()).json()
    }

    /// Waits for the program to end, and returns its exit code and its output.
    fn end(self) -> (Option<i32>, String) {
        let output = self.process.wait_with_output().expect("the program ends");
        (output.status.code(), text(&output.stdout))
    }
}

fn assert_checks(dir: &Path, log: &str) {
    let output = Command::new(program())
        .args(["replay", "--check", log])
        .current_dir(dir)
        .output_in_time()
        .expect("the program starts");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stdout));
}

#[test]
fn a_person_wins_against_greedy_by_hints_alone_and_the_log_checks() {
    let dir = tempfile::tempdir().expect("a directory");
    let board = WebBoard::start(dir.path(), &["greedy", "--seed", "1", "--log", "game.log"]);
    board.act("hint", "");
    let result = loop {
        let told = board.when(|told| told["hint"]["more"] == false || !told["result"].is_null());
        if let Some(result) = told["result"].as_str() {
            break result.to_owned();
        }
        let best = told["hint"]["lines"][0].as_str().expect("a line");
        assert!(best.starts_with("black wins"), "{told}");
        let (_, moves) = best.split_once(": ").expect("moves");
        let played = board.act("move", moves.split(' ').next().expect("a move"));
        assert_eq!(played["told"], "", "{played}");
        assert!(told["moves"].as_array().expect("moves").len() < 60, "{told}");
    };
    assert!(result.starts_with("black wins"), "{result}");
    board.act("leave", "");
    let (code, printed) = board.end();
    assert_eq!(code, Some(0));
    assert!(printed.contains("ply ") && printed.ends_with(&format!("{result}\n")), "{printed}");
    assert_checks(dir.path(), "game.log");
    let log = std::fs::read_to_string(dir.path().join("game.log")).expect("a log");
    assert!(log.contains("[Black \"person\"]\n[White \"greedy\"]\n"), "{log}");
}

#[test]
fn ctrl_c_ends_the_game_and_what_was_played_is_a_log() {
    let dir = tempfile::tempdir().expect("a directory");
    let board = WebBoard::start(dir.path(), &["--two", "--log", "game.log"]);
    let page = board.page;
    board.act("field", "c3");
    kill_process(Pid::from_child(&board.process), Signal::INT).expect("it runs");
    let (code, printed) = board.end();
    assert_eq!(code, Some(130));
    assert!(printed.ends_with("the game was abandoned\n"), "{printed}");
    assert_checks(dir.path(), "game.log");
    let log = std::fs::read_to_string(dir.path().join("game.log")).expect("a log");
    assert!(log.contains("\n1. c3 *\n"), "{log}");
    until("the end of the listener", || is_refused(page.0).then_some(()));
}

#[test]
fn requests_without_the_token_or_from_elsewhere_are_refused_over_the_network_too() {
    let dir = tempfile::tempdir().expect("a directory");
    let board = WebBoard::start(dir.path(), &["--two"]);
    assert_eq!(board.page.get("/board").status, 401);
    assert_eq!(board.page.get("/").status, 200);
    assert_eq!(board.page.request("GET", "/", "evil.example").status, 403);
    assert_eq!(board.ask("POST /act", &"x".repeat(2000)).status, 413);
    assert_eq!(board.board()["moves"], json!([]));
}

#[test]
fn arguments_that_do_not_fit_are_refused() {
    let dir = tempfile::tempdir().expect("a directory");
    for (arguments, said) in [
        (&["--web", "0.0.0.0:0"][..], "add --web-public to allow this"),
        (&["--web", "greedy"], "put it before --web, as in `play greedy --web`"),
        (&["--web", "example.org"], "not an address with a port"),
        (&["--web", "--plain"], "cannot be used with"),
        (&["--web-public"], "--web"),
        (&["--web", "--web-host", "http://x"], "is not a host name"),
        (&["--web", "--ruleset", "quantum-four"], "quantum-four"),
    ] {
        let mut command = Command::new(program());
        let output = command.arg("play").args(arguments).current_dir(dir.path()).output_in_time().expect("it starts");
        let told = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {told}");
        assert!(told.contains(said), "{arguments:?}: {told}");
    }
}
