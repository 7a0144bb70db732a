//! The starter bots and the built-in bots as real child processes, each playing against a scripted referee.

use std::io::Read;
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use gothello_arena::game::gothello::Game;
use gothello_arena::game::{Move, Position, Side};
use gothello_arena::referee::wire::BASE_PORT;

use crate::harness::arena::program;
use crate::harness::scripted::{CutOff, Script, referee, refuse_version};
use crate::harness::waiting::{InTime as _, Owned, accepted};
use crate::players::languages::is_installed;
use crate::players::use_of_time::{assert_uses_its_time, assert_uses_its_time_on_a_server};

/// How long a player may stay silent, even on a busy machine.
const TIMEOUT: Duration = Duration::from_mins(1);

/// The versions of the protocol that the built-in bots and the starters ask for.
const BUILT_IN: &str = "0.9.1";
const STARTER: &str = "0.9.2";

/// The games that every player plays: on both sides, with and without clocks, played to the end or cut off on either
/// side's turn.
const SCRIPTS: [Script; 8] = [
    script(1, Side::Black, false, None),
    script(2, Side::White, false, None),
    script(3, Side::Black, true, None),
    script(4, Side::White, true, None),
    script(5, Side::Black, true, Some(cut_off(Side::White, "361 Black wins by White time expiring\r\n"))),
    script(6, Side::White, false, Some(cut_off(Side::Black, "391 Black disconnected\r\n"))),
    script(7, Side::Black, false, Some(cut_off(Side::White, "327 Black wins by resignation\r\n"))),
    script(
        8,
        Side::White,
        true,
        Some(cut_off(Side::White, "202 You lose\r\n361 Black wins by White time expiring\r\n")),
    ),
];

/// [`SCRIPTS`], and a few more games for `judge` to see, with players that ask for `version`.
fn scripts(version: &'static str, judge: fn(&Game, Move)) -> impl Iterator<Item = Script> {
    let more = (9..17).map(|seed| script(seed, if seed % 2 == 0 { Side::White } else { Side::Black }, false, None));
    SCRIPTS.into_iter().chain(more).map(move |script| Script { version, judge, ..script })
}

const fn script(seed: u64, side: Side, clocks: bool, cut_off: Option<CutOff>) -> Script {
    Script { side, version: STARTER, request: side.name(), clocks, seed, judge: |_, _| {}, cut_off }
}

const fn cut_off(turn_of: Side, lines: &'static str) -> CutOff {
    CutOff { turn_of, lines }
}

/// Checks the starters' rule for passing: they pass only to end a game that they have won, or because they must.
fn passes_only_to_win_or_by_force(game: &Game, played: Move) {
    let margin = game.board().margin();
    let leads = if game.side() == Side::Black { margin > 0 } else { margin < 0 };
    assert_eq!(played.is_pass(), game.placements() == 0 || game.passed() && leads, "{played} on\n{game}");
}

fn example(name: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "examples", name].iter().collect()
}

fn spawn(command: &mut Command) -> Owned {
    let started = command.start();
    started.unwrap_or_else(|error| panic!("these tests need `{}`: {error}", command.get_program().display()))
}

/// Runs a command that must succeed.
fn run(command: &mut Command) {
    let status = spawn(command).wait().unwrap();
    assert!(status.success(), "{command:?}: {status}");
}

/// Listens on a port that has a server number, because the players can use no other ports. It uses high server numbers,
/// because programs with a hard-coded number use 0.
fn listen() -> (TcpListener, u16) {
    let free = |server| TcpListener::bind((Ipv4Addr::LOCALHOST, BASE_PORT + server)).ok().map(|l| (l, server));
    (0..30).rev().find_map(free).expect("one of the 30 server numbers is free")
}

/// Accepts the player's connection.
fn accept(listener: &TcpListener) -> TcpStream {
    let stream = accepted(listener, "the player");
    stream.set_nodelay(true).unwrap();
    stream
}

/// Plays every script with a player that connects over TCP and asks for `version`. `command` returns the command that
/// starts the player, given the side and the server number.
fn try_over_tcp(version: &'static str, judge: fn(&Game, Move), command: impl Fn(&str, &str) -> Command) {
    for script in scripts(version, judge) {
        let (listener, server) = listen();
        let child = spawn_seeded(command(script.request, &server.to_string()), script);
        play_over_tcp(&listener, child, script);
    }
}

fn spawn_seeded(mut command: Command, script: Script) -> Owned {
    spawn(command.env("GOTHELLO_SEED", script.seed.to_string()))
}

/// Plays the script with `child`, the player that connects to `listener`.
fn play_over_tcp(listener: &TcpListener, mut child: Owned, script: Script) {
    let mut stream = accept(listener);
    let game = referee(&stream, &stream, script);
    assert_eq!(game.outcome().is_none(), script.cut_off.is_some());
    stream.shutdown(Shutdown::Write).unwrap();
    leave(&mut stream, &mut child, script);
}

/// Tests a starter against older servers. Each refuses the version in the starter's first request and closes the
/// connection. If the server also refuses the version in the second request, the starter must give up.
fn try_with_older_servers(command: impl Fn(&str, &str) -> Command) {
    let refuse = |listener: &TcpListener, script: Script| {
        let stream = accept(listener);
        refuse_version(&stream, &stream, script);
    };
    for script in &SCRIPTS[1..3] {
        let (listener, server) = listen();
        let start = || spawn_seeded(command(script.request, &server.to_string()), *script);
        let older = Script { version: "0.9.1", ..*script };
        let child = start();
        refuse(&listener, *script);
        play_over_tcp(&listener, child, older);
        let mut child = start();
        refuse(&listener, *script);
        refuse(&listener, older);
        assert!(!child.wait().unwrap().success());
    }
}

/// Plays every script with a player on stdin and stdout. `command` returns the command that starts the player, given
/// the side.
fn try_over_stdio(version: &'static str, judge: fn(&Game, Move), command: impl Fn(&str) -> Command) {
    for script in scripts(version, judge) {
        let (mut ours, theirs) = UnixStream::pair().unwrap();
        ours.set_read_timeout(Some(TIMEOUT)).unwrap();
        let (stdin, stdout): (OwnedFd, OwnedFd) = (theirs.try_clone().unwrap().into(), theirs.into());
        let mut command = command(script.request);
        command.env("GOTHELLO_SEED", script.seed.to_string());
        let mut child = spawn(command.stdin(Stdio::from(stdin)).stdout(Stdio::from(stdout)));
        // The command still holds the player's end of the stream. Unless it is dropped, the test does not notice when
        // the player leaves.
        drop(command);
        let game = referee(&ours, &ours, script);
        assert_eq!(game.outcome().is_none(), script.cut_off.is_some());
        ours.shutdown(Shutdown::Write).unwrap();
        leave(&mut ours, &mut child, script);
    }
}

/// Waits until the player has closed its end of the connection and exited successfully. In the meantime, it may only
/// send the move that it was thinking about.
fn leave(stream: &mut impl Read, child: &mut Owned, script: Script) {
    let mut rest = String::new();
    // A player that closes its end before it has read everything resets the connection. This is not a fault.
    let _ = stream.read_to_string(&mut rest);
    let thinking = script.cut_off.is_some_and(|end| end.turn_of == script.side);
    assert!(rest.is_empty() || thinking && rest.starts_with("4 ") && rest.ends_with('\r'), "{script:?}: {rest:?}");
    let status = child.wait().unwrap();
    assert!(status.success(), "{script:?}: {status}");
}

/// Plays every script with a starter, over TCP and over stdio, then with older servers, and then with each time
/// control. `command` returns the command that starts the starter, without arguments.
fn try_starter(command: impl Fn() -> Command) {
    let over_tcp = |side: &str, server: &str| {
        let mut command = command();
        command.args([side, "localhost", server]);
        command
    };
    try_over_tcp(STARTER, passes_only_to_win_or_by_force, over_tcp);
    try_with_older_servers(over_tcp);
    try_over_stdio(STARTER, passes_only_to_win_or_by_force, |side| {
        let mut command = command();
        command.args([side, "--stdio"]);
        command
    });
    assert_uses_its_time("c3", &command);
    assert_uses_its_time_on_a_server(command);
}

/// Compiles the files `sources` of a starter to `target`, given the compiler and its options.
fn compile(compiler: &[&str], sources: &[&str], target: &Path) {
    let sources = sources.iter().map(|source| example(source));
    run(Command::new(compiler[0]).args(&compiler[1..]).arg(target).args(sources));
}

/// Asserts that the test program that `command` starts, given a file of positions, finds no fault in its rules if all
/// positions are right, and finds one if a position is wrong.
fn assert_tests_rules(command: impl Fn() -> Command) {
    let right = std::fs::read_to_string(example("vectors.json")).unwrap();
    let (start, last) = right.rsplit_once("\"after\":\"").unwrap();
    let flipped = last.replacen(['b', 'w'], "#", 1);
    let (before, legal) = right.rsplit_once("\"legal\":\"").unwrap();
    let wrong =
        [format!("{start}\"after\":\"{flipped}"), format!("{before}\"legal\":\"{}", &legal[3..]), "[]".to_owned()];
    for (text, code) in [(&right, 0)].into_iter().chain(wrong.iter().map(|text| (text, 1))) {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("vectors.json");
        std::fs::write(&file, text).unwrap();
        let output = command().arg(&file).output_in_time().unwrap();
        assert_eq!(output.status.code(), Some(code), "{}", String::from_utf8_lossy(&output.stdout));
    }
}

const C: [&str; 7] = ["cc", "-std=c11", "-pedantic", "-Wall", "-Wextra", "-Werror", "-o"];
const CPP: [&str; 7] = ["c++", "-std=c++17", "-pedantic", "-Wall", "-Wextra", "-Werror", "-o"];
const JAVA: [&str; 6] = ["javac", "--release", "11", "-Xlint:all", "-Werror", "-d"];

#[test]
fn the_c_starter_compiles_without_a_warning_and_plays() {
    let dir = tempfile::tempdir().unwrap();
    let (bot, test) = (dir.path().join("bot"), dir.path().join("test"));
    compile(&C, &["c/bot/bot.c", "c/bot/rules.c", "c/bot/gothello_client.c"], &bot);
    try_starter(|| Command::new(&bot));
    compile(&C, &["c/bot/test_rules.c", "c/bot/rules.c"], &test);
    assert_tests_rules(|| Command::new(&test));
}

#[test]
fn the_cpp_starter_compiles_without_a_warning_and_plays() {
    if !is_installed("c++") {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let (bot, test) = (dir.path().join("bot"), dir.path().join("test"));
    compile(&CPP, &["cpp/bot/bot.cpp", "cpp/bot/rules.cpp", "cpp/bot/gothello_client.cpp"], &bot);
    try_starter(|| Command::new(&bot));
    compile(&CPP, &["cpp/bot/test_rules.cpp", "cpp/bot/rules.cpp"], &test);
    assert_tests_rules(|| Command::new(&test));
}

#[test]
fn the_java_starter_compiles_without_a_warning_and_plays() {
    if !is_installed("javac") {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let sources =
        ["Bot.java", "GothelloClient.java", "Rules.java", "TestRules.java"].map(|name| format!("java/bot/{name}"));
    compile(&JAVA, &sources.each_ref().map(String::as_str), dir.path());
    let java = |class: &str| {
        let mut command = Command::new("java");
        command.args(["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp"]).arg(dir.path()).arg(class);
        command
    };
    try_starter(|| java("Bot"));
    assert_tests_rules(|| java("TestRules"));
}

#[test]
fn the_python_starter_plays() {
    try_starter(|| {
        let mut command = Command::new("python3");
        command.arg("-B").arg(example("python/bot/bot.py"));
        command
    });
}

#[test]
fn the_javascript_starter_plays() {
    if is_installed("node") {
        try_starter(|| {
            let mut command = Command::new("node");
            command.arg(example("javascript/bot/bot.js"));
            command
        });
    }
}

#[test]
fn the_rust_starter_compiles_without_a_warning_and_plays() {
    let dir = tempfile::tempdir().unwrap();
    let bot = dir.path().join("bot");
    compile(&["rustc", "--edition", "2021", "-D", "warnings", "-o"], &["rust/bot/bot.rs"], &bot);
    try_starter(|| Command::new(&bot));
}

fn builtin(engine: &str, side: &str) -> Command {
    let mut command = Command::new(program());
    command.args(["bot", engine, "--seed", "7", "--side", side]);
    command
}

#[test]
fn the_built_in_bots_play_over_tcp() {
    for engine in ["random", "greedy", "alphabeta"] {
        try_over_tcp(
            BUILT_IN,
            |_, _| {},
            |side, server| {
                let mut command = builtin(engine, side);
                command.args(["--server", server]);
                command
            },
        );
    }
}

#[test]
fn the_built_in_bots_play_over_stdio() {
    for engine in ["random", "greedy", "alphabeta"] {
        try_over_stdio(
            BUILT_IN,
            |_, _| {},
            |side| {
                let mut command = builtin(engine, side);
                command.arg("--stdio");
                command
            },
        );
    }
}
