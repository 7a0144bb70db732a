//! The command `serve`, with clients whose lines the tests write themselves.

mod endings;
mod groups;
mod rough;

use std::net::TcpListener;
use std::path::Path;
use std::process::{ChildStderr, ChildStdout, Command, Stdio};

use gothello_arena::referee::wire::BASE_PORT;
use rustix::process::{Pid, Signal, kill_process};

use crate::harness::arena::{Client, program, text};
use crate::harness::waiting::{InTime as _, Lines, Owned, connected};

/// A running `serve`, and its output.
pub(crate) struct Server {
    child: Owned,
    stdout: Option<Lines<ChildStdout>>,
    stderr: Lines<ChildStderr>,
    address: String,
}

fn serve(args: &[&str]) -> Command {
    let mut command = Command::new(program());
    command.arg("serve").args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

impl Server {
    /// Starts `serve` with `args`, on a port that nothing else uses.
    pub(crate) fn start(args: &[&str]) -> Self {
        Self::spawn(&mut serve(&[&["--port", "0"], args].concat()))
    }

    pub(crate) fn spawn(command: &mut Command) -> Self {
        let mut child = command.start().expect("the program starts");
        let stdout = child.stdout.take().map(Lines::new);
        let mut stderr = Lines::new(child.stderr.take().expect("piped"));
        let line = stderr.line("the address of `serve`");
        let address = line.trim_end().strip_prefix("gothello-arena: listening on ");
        let address = address.unwrap_or_else(|| panic!("it said `{line}`")).to_owned();
        Self { child, stdout, stderr, address }
    }

    pub(crate) fn client(&self, hello: &str) -> Client {
        Client::connect(&self.address, hello)
    }

    /// The address on which the service listens.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// The process id of the service.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Connects both players, black and white, and returns them at the start of their game.
    pub(crate) fn players(&self) -> (Client, Client) {
        let mut black = self.client("0.9.1 player black");
        black.hear("10");
        let mut white = self.client("0.9.1 player white");
        white.hear("10");
        black.hear("352 You will play black\r\n");
        white.hear("351 You will play white\r\n");
        (black, white)
    }

    /// Plays a game that black resigns immediately. Returns the lines that white received.
    pub(crate) fn resigned_game(&self) -> String {
        let (mut black, white) = self.players();
        black.say("1 resign\r");
        black.rest();
        white.rest()
    }

    /// Reads stdout up to the line `line`.
    fn prints(&mut self, line: &str) {
        self.stdout.as_mut().expect("open").find(line, |next| next.trim_end_matches('\n') == line);
    }

    /// Reads stderr up to a line that contains `what`.
    fn complains(&mut self, what: &str) {
        self.stderr.hear(what);
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).expect("it runs");
    }

    /// Waits for the service to end. Returns the exit code and the rest of stdout, and asserts that stderr only
    /// mentions the signal that ended the service.
    pub(crate) fn end(self) -> (Option<i32>, String) {
        let (code, printed, complained) = self.end_with_complaints();
        let rest: Vec<&str> = complained.lines().filter(|line| !line.ends_with(": stopping now")).collect();
        assert_eq!(rest, [""; 0]);
        (code, printed)
    }

    /// Waits for the service to end. Returns the exit code and the rest of stdout and stderr.
    fn end_with_complaints(mut self) -> (Option<i32>, String, String) {
        let printed = self.stdout.as_mut().map(|stdout| stdout.rest("the service")).unwrap_or_default();
        let complained = self.stderr.rest("the service");
        (self.child.wait().expect("it ends").code(), printed, complained)
    }
}

#[test]
fn a_game_is_printed_in_the_format_that_scripts_expect() {
    let server = Server::start(&[]);
    let (mut black, mut white) = server.players();
    black.say("1 c3\r");
    assert_eq!(black.hear("200"), "200 Move c3 accepted, continue playing\r\n");
    white.hear("311 1 c3 is black move, game continues\r\n");
    white.say("1 ... pass\n");
    white.hear("200 Move pass accepted");
    black.hear("316 1 ... pass");
    black.say("2 pass\r\n");
    assert_eq!(black.rest().lines().next_back(), Some("321 2 pass and black wins"));
    assert_eq!(white.rest().lines().next_back(), Some("321 2 pass and black wins"));
    let (code, printed) = server.end();
    assert_eq!(code, Some(0));
    let board = ".....\n.....\n..b..\n.....\n.....\n";
    assert_eq!(
        printed,
        format!(
            "Black player connected\nWhite player connected\n\n\
             380 1 b\n382\n.....\n.....\n.....\n.....\n.....\n\n\
             380 1 w\n382\n{board}\n380 2 b\n382\n{board}380 2 .\n382\n{board}Black wins.\n"
        )
    );
}

/// Checks that there are `count` logs and that all of them are valid.
pub(crate) fn assert_logs_hold(logs: &Path, count: usize) {
    let check = Command::new(program()).args(["replay", "--check"]).arg(logs).output_in_time();
    let check = check.expect("the program starts");
    assert!(check.status.success(), "{}{}", text(&check.stdout), text(&check.stderr));
    assert_eq!(text(&check.stdout).lines().count(), count);
}

#[test]
fn all_line_ends_in_use_are_accepted_in_any_pieces() {
    let server = Server::start(&[]);
    let mut black = server.client("");
    for piece in ["\n\n0.9", ".1 pla", "yer\tblack", "\r"] {
        black.say(piece);
    }
    black.hear("100");
    let mut white = server.client("");
    white.say("0.9.1   player white\r\r");
    white.hear("351");
    black.hear("352");
    for (number, end) in ["\r", "\n", "\r\n", "\r\r", " \t \n\n"].into_iter().enumerate() {
        let number = number + 1;
        black.say(&format!("{number} a{number} and more words{end}"));
        assert!(black.line().starts_with("200 "));
        assert!(black.line().starts_with("311 "));
        white.hear("311");
        white.say(&format!("\t0{number}  ...\tpass{end}"));
        assert!(white.line().starts_with("200 "));
        assert!(white.line().starts_with("316 "));
        assert!(black.line().starts_with("316 "));
    }
    black.say("6 PASS\r");
    assert!(black.line().starts_with("299 "));
    black.say(&format!("{}\r", "x".repeat(600)));
    assert!(black.line().starts_with("299 "));
    black.say("pass\r");
    assert!(black.rest().starts_with("201 "));
}

#[test]
fn clients_that_connect_during_a_game_can_play_the_next_one() {
    let server = Server::start(&["--games", "2"]);
    let mut early = [server.client(""), server.client("")];
    server.resigned_game();
    for (client, side) in early.iter_mut().zip(["black", "white"]) {
        client.say(&format!("0.9.1 player {side}\r"));
        client.hear("100");
    }
    let [mut black, mut white] = early;
    black.hear("352");
    white.hear("351");
    drop(black);
    white.hear("391");
    // The port is free again as soon as the service has ended.
    let port = server.address.rsplit(':').next().expect("a port").to_owned();
    drop(white);
    assert_eq!(server.end().0, Some(0));
    Server::spawn(&mut serve(&["--port", &port]));
}

#[test]
fn each_hello_gets_its_answer() {
    let server = Server::start(&[]);
    for (hello, answer) in [
        ("0.9.3 player black", "198"),
        ("1.0 player black", "198"),
        ("abc", "198"),
        ("0.9.1 player red", "199"),
        ("0.9.1 player black \"no end", "199"),
        ("0.9.1", "199"),
    ] {
        let mut client = server.client(hello);
        client.hear("000 Gothello 0.9.1 ");
        assert!(client.rest().starts_with(answer), "{hello}");
    }
    assert!(server.client(&format!("0.9.1 observer {}", "x".repeat(600))).rest().contains("\r\n199 "));
    // A silent client does not block others, and neither does a client that leaves before the game.
    let _silent = server.client("");
    let mut gone = server.client("0.9.1 player black");
    gone.hear("100");
    assert!(server.client("0.9 player black").rest().contains("\r\n191 "));
    drop(gone);
    let mut black = server.client("0.9 player black");
    black.hear("100");
    let mut white = server.client("0.9.1 player ? \"the other\" ignored");
    white.hear("100");
    white.hear("351");
    black.hear("352");
    for hello in ["0.9.1 player black", "0.9.1 player white", "0.9.1 player ?"] {
        assert!(server.client(hello).rest().contains("\r\n192 "), "{hello}");
    }
}

#[test]
fn with_unequal_clocks_a_wish_for_either_side_is_answered_once_the_side_is_known() {
    let server = Server::start(&["--black-time", "90s", "--white-time", "60s"]);
    let mut either = server.client("0.9.1 player ?");
    either.hear("000");
    let mut black = server.client("0.9.1 player black");
    assert!(black.hear("101").starts_with("101 90 60 "));
    // This is the first line; not even a 100 comes before it.
    assert!(either.line().starts_with("101 60 90 "));
    either.hear("351");
}

#[test]
fn two_players_that_take_either_side_get_one_each() {
    let server = Server::start(&[]);
    let (mut one, mut two) = (server.client("0.9.1 player ?"), server.client("0.9.1 player ?"));
    let mut sides = [one.hear("35"), two.hear("35")];
    sides.sort();
    assert_eq!(sides, ["351 You will play white\r\n", "352 You will play black\r\n"]);
}

#[test]
fn observers_see_who_plays_and_late_ones_see_the_board() {
    let mut server = Server::start(&["--time", "60s"]);
    let mut early = server.client("0.9.1 observer \"eve\"");
    early.hear("101 60 60 ");
    let mut black = server.client("0.9.1 player black \"ann \"\"the\"\" bot\"");
    let mut white = server.client("0.9.1 player white \"bob\"");
    for line in ["341 \"bob\"", "342 \"ann \"\"the\"\" bot\"", "343 0 \"eve\"", "344 1", "353", "381 1 60 60 b", "382"]
    {
        assert!(early.line().starts_with(line), "{line}");
    }
    // Players receive no 34x lines, because no client library supports them.
    black.hear("101");
    assert!(black.line().starts_with("352"));
    black.say("1 a1\r");
    white.hear("313 1 a1");
    let mut late = server.client("0.9.1 observer");
    late.hear("101");
    for line in ["341", "342", "343", "344 2", "353"] {
        assert!(late.line().starts_with(line), "{line}");
    }
    // The number of whole seconds left on black's clock depends on the machine.
    let state = late.line();
    assert!(state.starts_with("381 1 ") && state.trim_end().ends_with(" 60 w"), "{state}");
    for line in ["382", ".....", ".....", ".....", ".....", "b...."] {
        assert!(late.line().starts_with(line), "{line}");
    }
    // Lines from observers are ignored, and an observer that leaves has no effect on others.
    late.say("1 ... c3\r");
    drop(late);
    white.say("1 ... resign\r");
    early.hear("327");
    server.prints("Observer 0 connected");
}

#[test]
fn several_games_are_played_and_logged_under_separate_names() {
    let dir = tempfile::tempdir().expect("a directory");
    let logs = dir.path().join("a").join("logs");
    std::fs::create_dir_all(&logs).expect("made");
    let kept = "[Black \"x\"]\n[White \"y\"]\n[Result \"1/2-1/2\"]\n\n1. pass pass 1/2-1/2\n";
    std::fs::write(logs.join("game-0001.log"), kept).expect("written");
    let server = Server::start(&["--games", "3", "--log", logs.to_str().expect("a path")]);
    for _ in 0..2 {
        server.resigned_game();
    }
    let mut black = server.client("0.9.1 player black \"a \"\"b\"\" \\ [c] {d}\"");
    black.hear("100");
    let white = server.client("0.9.1 player white \"\"");
    black.hear("352");
    black.say("1 z9 \"quoted\" } ) \r1 resign\r");
    black.rest();
    white.rest();
    assert_eq!(server.end().0, Some(0));
    assert_logs_hold(&logs, 4);
    assert_eq!(std::fs::read_to_string(logs.join("game-0001.log")).expect("read"), kept);
    assert!(logs.join("game-0002.log").exists() && logs.join("game-0003.log").exists());
}

#[test]
fn a_server_number_means_a_port_and_a_taken_port_is_reported() {
    let taken = (1..30).find_map(|number| Some((number, TcpListener::bind(("127.0.0.1", BASE_PORT + number)).ok()?)));
    let (number, _listener) = taken.expect("a free server number");
    let output = serve(&[&number.to_string()]).output_in_time().expect("the program starts");
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(text(&output.stdout), "");
    let complaint = format!("could not listen on 127.0.0.1:{} (taken by ", BASE_PORT + number);
    assert!(text(&output.stderr).contains(&complaint), "{}", text(&output.stderr));
}

#[test]
fn a_time_of_0_means_no_clock() {
    for args in [&["--time", "0"][..], &["--time", "0", "--game-limit", "5m"]] {
        let server = Server::start(args);
        let mut black = server.client("0.9.1 player black");
        black.hear("100 ");
        let mut white = server.client("0.9.1 player white");
        white.hear("351 ");
        black.say("1 c3\r");
        black.hear("200 ");
        white.hear("311 1 c3 ");
        white.say("1 ... resign\r");
        assert_eq!(server.end().0, Some(0));
    }
}

#[test]
fn nonsensical_options_are_refused() {
    for args in [
        &["--time", "0s"][..],
        &["--time", "1ms"],
        &["--time", "2years"],
        &["--time", "99999999999999999999years"],
        &["--time", "18446744073709551615s 18446744073709551615s"],
        &["--hello-timeout", "500000years"],
        &["--game-limit", "0s"],
        &["--game-limit", "5m", "--time", "60s"],
        &["--game-limit", "5m", "--black-time", "60s", "--white-time", "60s"],
        &["3", "--port", "29070"],
        &["--port", "65536"],
        &["--bind", "nowhere"],
        &["--log", "/dev/null"],
    ] {
        let output = serve(args).output_in_time().expect("the program starts");
        assert_eq!(output.status.code(), Some(2), "{args:?}: {}", text(&output.stderr));
        assert_eq!(text(&output.stdout), "", "{args:?}");
        assert!(!text(&output.stderr).contains("panicked"), "{}", text(&output.stderr));
    }
}

#[test]
fn refusals_are_printed_as_in_the_original_but_port_probes_are_not() {
    let server = Server::start(&[]);
    drop(connected(&*server.address));
    let mut black = server.client("0.9.1 player black");
    black.hear("100");
    for refused in ["0.9.1 player black", "0.9.3 player white", "0.9.1 player red"] {
        server.client(refused).rest();
    }
    let mut white = server.client("0.9.1 player white");
    white.hear("351");
    server.client("0.9.1 player ?").rest();
    black.say("1 resign\r");
    black.rest();
    white.rest();
    let (code, printed) = server.end();
    assert_eq!(code, Some(0));
    let failed = "Failed connection attempt\n";
    let start = format!("Black player connected\n{failed}{failed}{failed}White player connected\n\n380 1 b\n");
    assert!(printed.starts_with(&start), "{printed}");
    assert_eq!(printed.matches(failed).count(), 4);
}
