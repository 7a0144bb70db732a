//! `play` against programs, players of a tournament file, and the opponents on a server.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use gothello_arena::game::Side;
use gothello_arena::referee::record::GameRecord;
use gothello_arena::referee::result::Termination;
use rustix::process::{Pid, Signal, kill_process};

use crate::harness::arena::{Arena, Ready, assert_gone, is_withheld, program, remote_bot, text};
use crate::harness::on_terminal::OnTerminal;
use crate::harness::waiting::{InTime as _, Lines, Owned, accepted};

const MISBEHAVING: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/bots/misbehave.py");

/// `play --plain` with `options` against the bot that misbehaves in the mode `mode`. If `ready` is given, the bot
/// reports to its port when it is ready.
fn against(dir: &Path, options: &[&str], mode: &str, ready: Option<&Ready>) -> Command {
    let mut command = Command::new(program());
    command.args(["play", "--plain", "--isolation", "off"]).args(options).arg("--command");
    if let Some(ready) = ready {
        command.args(["env".to_owned(), format!("READY={}", ready.port())]);
    }
    command.args(["python3", MISBEHAVING, mode, "{side}", "{host}", "{port}"]).current_dir(dir);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs `command`, and types `input`.
fn typed(command: &mut Command, input: &str) -> Output {
    let mut child = command.start().expect("the program starts");
    let _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
    child.wait_with_output().expect("the program ends")
}

fn read_log(path: &Path) -> GameRecord {
    std::fs::read_to_string(path).expect("a log").parse().expect("a log that can be read")
}

fn assert_checks(dir: &Path, log: &str) {
    let output = Command::new(program()).args(["replay", "--check", log]).current_dir(dir).output_in_time();
    let output = output.expect("the program starts");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
}

#[test]
fn a_program_plays_and_its_referee_s_record_is_the_log() {
    let dir = tempfile::tempdir().expect("a directory");
    let options = ["--time", "5m", "--log", "game.log", "--seed", "5"];
    let output = typed(&mut against(dir.path(), &options, "pass", None), "c3\nundo\na1\nc3\npass\n");
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{said}\n{}", text(&output.stderr));
    assert!(said.starts_with("gothello: you play black, and misbehave.py plays white;"), "{said}");
    assert!(said.contains("black to move (black 5:00, white 5:00)\n"), "{said}");
    assert!(said.contains("moves against this opponent cannot be taken back\n"), "{said}");
    assert!(said.contains("c3: the point is occupied\n") && said.ends_with("black wins by 2\n"), "{said}");
    let record = read_log(&dir.path().join("game.log"));
    assert_eq!((record.players.black.as_str(), record.players.white.as_str()), ("person", "misbehave.py"));
    assert_eq!(record.plies.len(), 5);
    assert!(record.plies.iter().all(|ply| ply.elapsed.is_some()) && record.digests.white.is_some());
    assert_checks(dir.path(), "game.log");
}

#[test]
fn a_program_that_fails_forfeits_in_words() {
    let dir = tempfile::tempdir().expect("a directory");
    for (mode, termination, words) in [
        ("crash", Termination::Crash, "\nthe opponent's stderr: division by zero in my evaluation\n"),
        ("illegal", Termination::Illegal, "illegal move 21 of the game: a1: the point is occupied"),
        ("gone", Termination::NoShow, "exited"),
        ("resign", Termination::Resignation, "white wins (resignation)\n"),
    ] {
        let log = format!("{mode}.log");
        // Both sides must have moved before the bot can try an occupied point.
        let options = ["--side", "white", "--log", &log];
        let output = typed(&mut against(dir.path(), &options, mode, None), "b2\n");
        let said = text(&output.stdout);
        assert_eq!(output.status.code(), Some(0), "{mode}: {said}\n{}", text(&output.stderr));
        let record = read_log(&dir.path().join(&log));
        let result = record.result.expect("a result");
        assert_eq!((result.winner(), result.termination()), (Some(Side::White), termination), "{said}");
        assert!(said.contains(&format!("white wins ({termination})")) && said.contains(words), "{mode}: {said}");
        assert_checks(dir.path(), &log);
    }
}

#[test]
fn a_silent_program_loses_on_time_and_is_not_left_running() {
    let dir = tempfile::tempdir().expect("a directory");
    let ready = Ready::new();
    let options = ["--side", "white", "--time", "1s", "--log", "game.log"];
    let mut command = against(dir.path(), &options, "silent", Some(&ready));
    let mut child = command.start().expect("the program starts");
    let _held = child.stdin.take();
    let (pid, _connection) = ready.next();
    let output = child.wait_with_output().expect("it ends");
    assert!(text(&output.stdout).ends_with("white wins (time) (used more than 1s)\n"), "{}", text(&output.stdout));
    assert_gone(pid);
    assert_checks(dir.path(), "game.log");
}

#[test]
fn a_signal_ends_the_program_too() {
    for (signal, code) in [(Signal::INT, 130), (Signal::TERM, 143), (Signal::HUP, 143)] {
        if is_withheld(signal) {
            continue;
        }
        let dir = tempfile::tempdir().expect("a directory");
        let ready = Ready::new();
        let mut child = against(dir.path(), &["--side", "white"], "silent", Some(&ready)).start().expect("it starts");
        let _held = child.stdin.take();
        let (pid, _connection) = ready.next();
        kill_process(Pid::from_child(&child), signal).expect("it runs");
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(output.status.code(), Some(code), "{}", text(&output.stderr));
        assert_gone(pid);
    }
}

#[test]
fn leaving_the_screen_ends_the_program_too() {
    for (keys, code) in [("qq", 0), ("\x03", 130)] {
        let dir = tempfile::tempdir().expect("a directory");
        let ready = Ready::new();
        let bot = format!("env READY={} python3 {MISBEHAVING} silent {{side}} {{host}} {{port}}", ready.port());
        let arguments = ["play", "--side", "white", "--isolation", "off", "--command", &bot];
        let mut game = OnTerminal::start(dir.path(), &arguments, (80, 24), "C.UTF-8");
        game.see("black thinks");
        let (pid, _connection) = ready.next();
        game.press("u");
        game.see("cannot be taken back");
        game.press(keys);
        game.assert_ends(code);
        assert_gone(pid);
    }
}

#[test]
fn a_program_plays_on_the_screen_and_its_crash_is_told_there() {
    let dir = tempfile::tempdir().expect("a directory");
    let bot = format!("python3 {MISBEHAVING} crash {{side}} {{host}} {{port}}");
    let arguments = ["play", "--isolation", "off", "--log", "game.log", "--command", &bot];
    let mut game = OnTerminal::start(dir.path(), &arguments, (80, 24), "C.UTF-8");
    game.see("black to move");
    game.press("c3\r");
    let shown = game.see("black wins (crash)");
    assert!(shown.contains("against misbehave.py"), "{shown}");
    game.see("division by zero");
    game.press("q");
    game.assert_ends(0);
    assert_checks(dir.path(), "game.log");
}

#[test]
fn a_player_of_a_tournament_file_plays_as_it_does_there() {
    let arena = Arena::new(concat!(
        "isolation = \"off\"\n",
        "[[player]]\nname = \"builder\"\ncommand = [\"python3\", \"./copy.py\", \"pass\", \"{side}\", \"{host}\", \"{port}\"]\n",
        "dir = \"bot\"\nbuild = [\"cp\", \"@bots/misbehave.py\", \"copy.py\"]\n",
        "[[player]]\nname = \"one\"\nbuiltin = \"greedy\"\nsides = [\"white\"]\n",
        "[[player]]\nname = \"broken\"\ncommand = [\"./none\"]\ndir = \"bot\"\nbuild = [\"false\"]\n",
    ));
    std::fs::create_dir(arena.path().join("bot")).expect("a directory");
    let play = |words: &[&str], input: &str| {
        let words = [&["play", "--plain", "--file", "class.toml"], words].concat();
        typed(arena.command(&words).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()), input)
    };
    let output = play(&["--player", "builder", "--log", "game.log"], "c3\npass\n");
    let said = text(&output.stdout);
    assert!(
        said.contains("builder plays white") && said.ends_with("black wins by 1\n"),
        "{said}{}",
        text(&output.stderr)
    );
    assert_checks(arena.path(), "game.log");
    let output = play(&["--player", "one"], "c3\nresign\n");
    assert!(text(&output.stdout).ends_with("white wins (resignation)\n"), "{}", text(&output.stdout));
    // The game begins with the moves from a log, which are reported to the program.
    let output = play(&["--player", "builder", "--from", "game.log", "--ply", "1", "--side", "white"], "b2\nresign\n");
    assert!(text(&output.stdout).ends_with("black wins (resignation)\n"), "{}", text(&output.stdout));
    for (words, why) in [
        (&["--player", "buidler"][..], "there is no player `buidler`; did you mean `builder`?"),
        (&["--player", "one", "--side", "white"], "this player plays only white: add `--side black`"),
        (&["--player", "broken"], "the program for `broken` cannot be started"),
        (&["--player", "one", "--board", ".....", "--to-move", "black"], "cannot be used with"),
        (&["--player", "one", "--adaptive"], "cannot be used with"),
    ] {
        let output = play(words, "");
        assert_eq!(output.status.code(), Some(2), "{words:?}: {}", text(&output.stdout));
        assert!(text(&output.stderr).contains(why), "{words:?}: {}", text(&output.stderr));
    }
}

/// A server for one game, and its address.
fn server(dir: &Path) -> (Owned, String) {
    let mut command = Command::new(program());
    command.args(["serve", "--port", "0", "--time", "5m"]).current_dir(dir).stdin(Stdio::null());
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).start().expect("it starts");
    let mut stderr = Lines::new(child.stderr.take().expect("a pipe"));
    let line = stderr.line("the address of `serve`");
    stderr.ignore_the_rest();
    (child, line.rsplit(' ').next().unwrap_or_default().trim().to_owned())
}

fn play_at(dir: &Path, address: &str, options: &[&str]) -> Command {
    let mut command = Command::new(program());
    command.args(["play", "--plain", "--connect", address]).args(options).current_dir(dir);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

#[test]
fn a_person_sits_at_a_server_like_any_other_client() {
    let dir = tempfile::tempdir().expect("a directory");
    let (mut serve, address) = server(dir.path());
    let mut bot = remote_bot(&address, "white", Some("carol"));
    let options = ["--side", "black", "--log", "game.log"];
    let output = typed(&mut play_at(dir.path(), &address, &options), "c3\nundo\nresign\n");
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{said}\n{}", text(&output.stderr));
    assert!(said.starts_with("gothello: you play black, and "), "{said}");
    assert!(said.contains("this opponent cannot be taken back"), "{said}");
    assert!(said.ends_with("white wins (resignation)\n"), "{said}");
    assert!(said.contains("black to move (black 5:00, white 5:00)\n"), "{said}");
    assert!(text(&output.stderr).contains("which plays gothello; waiting for the game"), "{}", text(&output.stderr));
    assert_eq!(serve.wait().expect("it ends").code(), Some(0));
    bot.wait().expect("it ends");
    assert_eq!(read_log(&dir.path().join("game.log")).plies.len(), 2);
    assert_checks(dir.path(), "game.log");
}

/// The exit code and the output of `play --connect` if the server sends `lines` and then calls `more`.
fn hostile(lines: &str, more: impl FnOnce(&mut TcpStream) + Send + 'static) -> (Option<i32>, String) {
    let dir = tempfile::tempdir().expect("a directory");
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("bound").to_string();
    let mut child = play_at(dir.path(), &address, &[]).start().expect("it starts");
    let _held = child.stdin.take();
    let mut client = accepted(&listener, "the person");
    let _ = client.write_all(lines.as_bytes());
    let serving = std::thread::spawn(move || more(&mut client));
    let output = child.wait_with_output().expect("it ends");
    serving.join().expect("no panic");
    (output.status.code(), text(&output.stdout) + &text(&output.stderr))
}

const BEGUN: &str = "000 Gothello 0.9.1 hello\r\n100 ok\r\n351 You will play white\r\n";

#[test]
fn a_hostile_server_does_no_harm() {
    let closes = |_: &mut TcpStream| ();
    for (lines, code, said) in [
        ("HTTP/1.1 400 \x1b[2J\u{202e}\r\n", 1, "unexpected line from the referee: `HTTP/1.1 400 \\u{1b}[2J\\u{202e}`"),
        ("000 Gothello 0.9.1 hello\r\n192 \x1b]0;full\x07\r\n", 1, "the server refused the request for a seat: `192"),
        ("000 Gothello 0.9.1 quantum-4p hello\r\n", 1, "`play` does not support the server's game"),
        ("", 1, "the connection ended before the game had a result"),
    ] {
        let (found, printed) = hostile(lines, closes);
        assert_eq!(found, Some(code), "{printed}");
        assert!(printed.contains(said) && !printed.contains(['\x1b', '\u{202e}', '\x07']), "{printed:?}");
    }
    for (lines, said) in [
        ("311 1 z9 is black move\r\n", "void: unexpected line from the referee: `311 1 z9 is black move`\n"),
        ("342 \"\x1b[31mmallory\" x\r\n361 Black wins\r\n", "white"),
        ("391 \x1b[2JBlack disconnected\r\n", "white wins (disconnect) (391 \\u{1b}[2JBlack disconnected)\n"),
        ("", "void: the connection ended before the game had a result\n"),
    ] {
        let (code, printed) = hostile(&format!("{BEGUN}{lines}"), closes);
        assert_eq!(code, Some(0), "{printed}");
        assert!(printed.contains(said) && !printed.contains('\x1b'), "{printed:?}");
    }
}

#[test]
fn a_server_that_floods_is_cut_off() {
    for flood in [&b"x"[..], b"\r\n"] {
        let (_, printed) = hostile(BEGUN, move |client| {
            let lines = flood.repeat(1 << 16);
            while client.write_all(&lines).is_ok() {}
        });
        assert!(printed.contains("void: the referee sent a line that is too long\n"), "{printed}");
    }
}

#[test]
fn a_silent_server_is_left_by_ctrl_c() {
    let dir = tempfile::tempdir().expect("a directory");
    for lines in ["", BEGUN] {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("bound").to_string();
        let mut child = play_at(dir.path(), &address, &[]).start().expect("it starts");
        let _held = child.stdin.take();
        let mut client = accepted(&listener, "the person");
        client.write_all(lines.as_bytes()).expect("sent");
        if !lines.is_empty() {
            let mut hello = [0; 5];
            client.read_exact(&mut hello).expect("a hello");
            assert_eq!(&hello, b"0.9.1");
        }
        kill_process(Pid::from_child(&child), Signal::INT).expect("it runs");
        assert_eq!(child.wait_with_output().expect("it ends").status.code(), Some(130));
    }
}
