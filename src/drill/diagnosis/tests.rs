//! Each cause is found in the facts that show it, and in no other facts.

use std::time::Duration;

use super::trials_for_tests::{facts, say, trial};
use super::*;
use crate::base::sanitise::sanitised;
use crate::drill::readiness::Trial;
use crate::drill::readiness::TrialStatus::{Fail, Info, Pass, Skip, Timeout, Warn};
use crate::drill::script::{BoutEnd, BoutFacts, Coming, ProcessExit, Refusal, Replay, Speaker};
use crate::game::{BySide, Side};
use crate::referee::record::{Ply, Tries, TryKind};
use crate::referee::result::{GameResult, Termination};
use crate::referee::starvation::Starvation;
use crate::referee::time_control::TimeControl;
use crate::referee::usage::Usage;

const SECOND: Duration = Duration::from_secs(1);

fn python(files: &[(&str, &str)]) -> SourceFiles {
    let files = files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
    SourceFiles { files, command: vec!["python3".into(), "bot.py".into()], hosts: Vec::new() }
}

/// Finds the causes of a bot that behaves the same each time.
fn diagnose(trials: &mut [Trial], sources: &SourceFiles) {
    diagnose_with(trials, sources, |first, replay| match replay {
        Replay::Alike | Replay::Patient => first.clone(),
        Replay::Whole | Replay::Piped => played("321 x"),
        Replay::Held => BoutFacts { early: Some(false), ..first.clone() },
    });
}

/// Finds the causes of a bot whose behaviour in each replay is given by `again`, based on the first game.
fn diagnose_with(trials: &mut [Trial], sources: &SourceFiles, again: impl Fn(&BoutFacts, Replay) -> BoutFacts) {
    let mut search = CauseSearch::new(trials, sources);
    while let Some(wanted) = search.next(trials) {
        let facts = again(&trials[wanted.trial].games[wanted.game], wanted.replay);
        search.add(wanted, facts);
    }
    search.tell(trials);
}

/// The codes of the causes assigned to each trial.
fn codes(trials: &mut [Trial], sources: &SourceFiles) -> Vec<Vec<&'static str>> {
    diagnose(trials, sources);
    trials.iter().map(|trial| trial.diagnoses.iter().map(|found| found.cause.name()).collect()).collect()
}

/// The codes of the causes assigned to a single trial of the scenario `id` with the single game `game`.
fn code_of(id: &str, game: BoutFacts, sources: &SourceFiles) -> Vec<&'static str> {
    let status = if game.end == BoutEnd::TimedOut { Timeout } else { Fail };
    codes(&mut [trial(id, Side::Black, status, vec![game])], sources).remove(0)
}

/// `game`, after which the bot exited with `status` and wrote `stderr`.
fn exited(mut game: BoutFacts, status: i32, stderr: &str) -> BoutFacts {
    let process = game.process.as_mut().expect("started");
    (process.exit, process.left_after) = (Some(ProcessExit::Status(status)), Some(Duration::ZERO));
    process.stderr = stderr.to_owned();
    game
}

fn absent(reason: &str, status: i32, stderr: &str) -> BoutFacts {
    let mut game = exited(facts(Side::Black), status, stderr);
    game.coming = Coming::Failed { termination: Termination::NoShow, reason: reason.to_owned() };
    game
}

/// A game in the middle of which the bot exited, after the lines `told`.
fn crashed(told: &[&str], stderr: &str) -> BoutFacts {
    let mut game = exited(facts(Side::Black), 1, stderr);
    say(&mut game, Speaker::Arena, &["000 hello"]);
    say(&mut game, Speaker::Bot, &["0.9.1 player black"]);
    say(&mut game, Speaker::Arena, told);
    game.end = BoutEnd::Crashed("exited with code 1".into());
    game
}

/// A game that ended as planned with the line `last`.
fn played(last: &str) -> BoutFacts {
    let mut game = exited(facts(Side::Black), 0, "");
    say(&mut game, Speaker::Arena, &["000 hello", "100 ok", "352 go"]);
    say(&mut game, Speaker::Bot, &["0.9.1 player black", "1 c3"]);
    say(&mut game, Speaker::Arena, &["200 ok", last]);
    game.plies.push(ply(Side::Black, "c3", Duration::ZERO));
    game.end = BoutEnd::Played(GameResult::resigned(Side::White));
    game
}

fn ply(side: Side, played: &str, elapsed: Duration) -> Ply {
    let (elapsed, tries) = (Some(elapsed), Tries::default());
    Ply {
        seat: side.into(),
        played: played.parse().unwrap(),
        elapsed,
        left: None,
        late_credit: false,
        tries,
        thought: None,
        note: None,
    }
}

fn clocks(own: Duration, other: Duration) -> TimeControl {
    TimeControl::sudden_death(BySide { black: own, white: other })
}

fn traceback(file: &str, code: &str, message: &str) -> String {
    format!("Traceback (most recent call last):\n  File \"{file}\", line 2, in f\n    {code}\n{message}\n")
}

const NAME_ERROR: &str = "NameError: name 'white_time_control' is not defined";

#[test]
fn an_old_client_is_recognised_by_the_name_that_it_lacks_and_its_line_is_reported() {
    let mut game =
        crashed(&["101 10 10 go"], &traceback("/b/lib/gthclient.py", "self.my_time = white_time_control", NAME_ERROR));
    game.time_control = clocks(SECOND, SECOND);
    let sources = python(&[("lib/gthclient.py", "class GthClient:\n        self.my_time = white_time_control\n")]);
    let mut trials = [trial("clock", Side::Black, Fail, vec![game.clone()])];
    assert_eq!(codes(&mut trials, &sources), [["D01"]]);
    let found = &trials[0].diagnoses[0];
    assert!(found.fix.contains("`self.my_time = self.white_time_control`"), "{}", found.fix);
    assert_eq!(found.place, Some(SourcePlace { file: "lib/gthclient.py".into(), line: Some(2) }));
    // Another name, a crash later in the game, and a game without clocks have other causes.
    let other = traceback("/b/bot.py", "x = dephts[0]", "NameError: name 'dephts' is not defined");
    let mut late = game.clone();
    say(&mut late, Speaker::Bot, &["1 c3"]);
    let mut unlimited = game.clone();
    unlimited.time_control = TimeControl::Unlimited;
    let mut renamed = game;
    renamed.process.as_mut().unwrap().stderr = other;
    assert_eq!(code_of("clock", late, &sources), ["D18"]);
    assert_eq!(code_of("clock", unlimited, &sources), ["D18"]);
    assert_eq!(code_of("clock", renamed, &sources), [""; 0]);
}

#[test]
fn any_end_on_the_line_101_counts_if_the_bot_plays_without_clocks() {
    let mut game = crashed(&["101 10 10 go"], &traceback("/b/bot.py", "assert code == 100", "AssertionError"));
    game.time_control = clocks(SECOND, SECOND);
    let plain = trial("plain", Side::Black, Pass, vec![played("321 1 c3")]);
    let mut trials = [plain, trial("clock", Side::Black, Fail, vec![game.clone()])];
    assert_eq!(codes(&mut trials, &SourceFiles::default()), [vec![], vec!["D01"]]);
    assert_eq!(code_of("clock", game.clone(), &SourceFiles::default()), [""; 0]);
    // The same exception also ends the bot in the middle of a game.
    let mut chance = crashed(&["100 ok", "311 1 c3"], &traceback("/b/bot.py", "assert code == 100", "AssertionError"));
    say(&mut chance, Speaker::Bot, &["1 c3"]);
    chance.plies.push(ply(Side::Black, "c3", Duration::ZERO));
    let mut trials = [
        trial("plain", Side::Black, Pass, vec![played("321 1 c3")]),
        trial("split", Side::Black, Fail, vec![chance]),
        trial("clock", Side::Black, Fail, vec![game]),
    ];
    assert!(codes(&mut trials, &SourceFiles::default()).iter().flatten().all(|code| *code != "D01"));
}

const GAI: &str = "socket.gaierror: [Errno -2] Name or service not known";

#[test]
fn a_host_is_named_with_its_line_in_the_sources() {
    let stderr = traceback("/usr/lib/python3.11/socket.py", "for res in getaddrinfo(host, port)", GAI);
    let game = || absent("exited with code 1 before it said hello", 1, &stderr);
    let bot = |line: &str| python(&[("finch.py", &format!("import sys\n# not bar.example.org\n{line}\n"))]);
    for line in [
        "client = GthClient(sys.argv[1], \"barton.example.edu\", 0)",
        "HOST = 'barton.example.edu'",
        "s.connect((\"barton\", 29068))",
        "server_host = \"barton\"",
    ] {
        let mut trials = [trial("hello", Side::Black, Fail, vec![game()])];
        assert_eq!(codes(&mut trials, &bot(line)), [["D02"]], "{line}");
        let found = &trials[0].diagnoses[0];
        assert!(found.text.contains("`barton") && !found.text.contains("bar.example"), "{}", found.text);
        assert_eq!(found.place, Some(SourcePlace { file: "finch.py".into(), line: Some(3) }));
    }
    let java =
        "Exception in thread \"main\" java.net.UnknownHostException: barton.example.edu\n\tat Bot.main(Bot.java:3)\n";
    assert_eq!(code_of("hello", absent("exited", 1, java), &SourceFiles::default()), ["D02"]);
    // Arguments in another order lead to the same message.
    assert_eq!(code_of("hello", game(), &bot("host = sys.argv[1]")), ["D03"]);
    let black = "Error: getaddrinfo ENOTFOUND black\n    at f (node:dns:1:2)\n    at g (/b/bot.js:1:2)\n";
    let node = SourceFiles {
        files: vec![("bot.js".into(), "connect(process.argv[2])\n".into())],
        command: vec!["node".into()],
        hosts: Vec::new(),
    };
    assert_eq!(code_of("hello", absent("exited", 1, black), &node), ["D03"]);
    // A bot that has connected must have reached its host.
    let mut connected = game();
    say(&mut connected, Speaker::Arena, &["000 hello"]);
    assert_eq!(code_of("hello", connected, &bot("HOST = 'barton.example.edu'")), [""; 0]);
}

/// The bot catches its exception and silently exits or continues.
#[test]
fn a_silent_bot_is_told_the_host_in_the_call_that_connects() {
    let call = "client = GthClient(me, \"barton.example.edu\", 0)";
    let bot = |lines: &str| {
        let library = "class GthClient:\n    def __init__(self, side, host):\n        s.connect((host, 1))\n";
        let bot = format!("import sys, gthclient\nme = sys.argv[1]\ntry:\n    {lines}\nexcept OSError: pass\n");
        python(&[("another.py", "s.connect((\"far.example.org\", 1))\n"), ("bot.py", &bot), ("gthclient.py", library)])
    };
    for status in [0, 1] {
        let mut trials = [trial("hello", Side::Black, Fail, vec![absent("exited", status, "")])];
        assert_eq!(codes(&mut trials, &bot(call)), [["D02"]]);
        let found = &trials[0].diagnoses[0];
        assert!(found.text.contains("`barton.example.edu`"), "{}", found.text);
        let shown = ["the referee received no connection".to_owned(), format!("exit status {status}")];
        assert_eq!(found.evidence[0], format!("the bot's code: {call}"));
        assert_eq!(found.evidence[1..], shown);
        assert_eq!(found.place, Some(SourcePlace { file: "bot.py".into(), line: Some(4) }));
    }
    for sound in [
        "client = GthClient(me, sys.argv[2], 0)",
        "client = GthClient(me, sys.argv[2] if len(sys.argv) > 2 else \"barton.example.edu\", 0)",
        "client = GthClient(me, HOST or \"barton.example.edu\", 0)",
        "# client = GthClient(me, \"barton.example.edu\", 0)",
        "print(\"not barton.example.edu\")",
        "client = GthClient(me, \"localhost\", 0)",
        &format!("{call}\n    client = GthClient(me, sys.argv[2], 0)"),
    ] {
        assert_eq!(code_of("hello", absent("exited", 0, ""), &bot(sound)), [""; 0], "{sound}");
    }
    // It is not D02 if the name may be the referee's, if the bot does not run the file, or if an exception ended the bot.
    let named = SourceFiles { hosts: vec!["Barton.example.edu".into()], ..bot(call) };
    assert_eq!(code_of("hello", absent("exited", 0, ""), &named), [""; 0]);
    let other = SourceFiles { command: vec!["python3".into(), "gthclient.py".into()], ..bot(call) };
    assert_eq!(code_of("hello", absent("exited", 0, ""), &other), [""; 0]);
    let raises = absent("exited", 1, &traceback("/b/bot.py", "me = sides[3]", "KeyError: 3"));
    assert!(!code_of("hello", raises, &bot(call)).contains(&"D02"));
    // The bot found the referee once.
    let mut trials = [
        trial("hello", Side::Black, Fail, vec![absent("exited", 0, "")]),
        trial("hello", Side::White, Pass, vec![played("321 x")]),
    ];
    assert_eq!(codes(&mut trials, &bot(call)), [[""; 0], [""; 0]]);
}

#[test]
fn a_side_that_is_written_in_is_shown_where_the_bot_has_it_and_no_command_is_blamed() {
    let library = "class GthClient:\n    def __init__(self, side):\n        self.is_white = side == \"white\"\n        raise MoveError(\"side\")\n";
    let stderr = traceback("/b/aclient.py", "self.is_white = side == \"white\"", "MoveError: side");
    let mut game = absent("asked for white and never for its own side, black", 1, &stderr);
    say(&mut game, Speaker::Arena, &["000 hello"]);
    say(&mut game, Speaker::Bot, &["0.9.1 player white"]);
    let sources =
        python(&[("aclient.py", library), ("bot.py", "import aclient\nclient = aclient.GthClient(\"white\")\n")]);
    let mut trials = [trial("hello", Side::Black, Fail, vec![game])];
    assert_eq!(codes(&mut trials, &sources), [["D03"]]);
    let found = &trials[0].diagnoses[0];
    assert_eq!(found.place, Some(SourcePlace { file: "bot.py".into(), line: Some(2) }));
    assert!(found.text.ends_with("The side is hard-coded in it."), "{}", found.text);
    assert!(!found.text.contains("`command`") && !found.fix.contains("`command`"), "{found:?}");
}

/// A game for which the bot exited without connecting, after it had written `stdout`.
fn unconnected(stdout: &str, status: i32, stderr: &str) -> BoutFacts {
    let mut game = absent("exited before it said hello", status, stderr);
    game.process.as_mut().expect("started").stdout = stdout.to_owned();
    game
}

/// The sources of a bot in the file `name`, which is started by `command`.
fn bot_in(name: &str, text: &str, command: &[&str]) -> SourceFiles {
    let command = command.iter().map(|word| (*word).to_owned()).collect();
    SourceFiles { files: vec![(name.to_owned(), text.to_owned())], command, hosts: Vec::new() }
}

const HELLO_ON_STDOUT: &str = "starting\n0.9.1 player black\r\n";

#[test]
fn a_bot_that_speaks_over_its_standard_streams_is_known_by_its_hello_there_or_by_its_reading() {
    let told = |stdout: &str, sources: &SourceFiles| {
        let mut trials = [trial("hello", Side::Black, Fail, vec![unconnected(stdout, 0, "")])];
        assert_eq!(codes(&mut trials, sources), [["D21"]], "{sources:?}");
        trials[0].diagnoses.remove(0)
    };
    let found = told(HELLO_ON_STDOUT, &bot_in("bot.pl", "", &["perl", "bot.pl"]));
    assert_eq!(found.evidence[0], "stdout: 0.9.1 player black");
    assert!(found.fix.contains("`transport = \"stdio\"`") && found.fix.contains("`check --stdio`"), "{}", found.fix);
    for (name, text, command) in [
        ("bot.py", "import sys\nfor line in sys.stdin: pass\n", &["python3", "bot.py"][..]),
        ("Bot.java", "class Bot {\n  Scanner in = new Scanner(System.in);\n}", &["java", "Bot"]),
        ("bot.c", "#include <stdio.h>\nint main() { fgets(line, 99, stdin); }", &["./bot"]),
        ("bot.cpp", "#include <iostream>\nwhile (getline(std::cin, line)) {}", &["./bot"]),
        ("main.rs", "fn main() {\n    let input = io::stdin().lines();\n}", &["./bot"]),
        ("bot.js", "// over pipes\nreadline.createInterface({ input: process.stdin });", &["node", "bot.js"]),
    ] {
        let found = told("", &bot_in(name, text, command));
        assert_eq!(found.place, Some(SourcePlace { file: name.into(), line: Some(2) }));
        assert!(found.evidence[0].starts_with("the bot's code: "), "{:?}", found.evidence);
    }
    // A name that merely contains `cin` does not read anything.
    let sources = bot_in("bot.cpp", "#include <cinttypes>\nint placing = 0;", &["./bot"]);
    assert_eq!(code_of("hello", unconnected("", 0, ""), &sources), [""; 0]);
    // The same cause explains an exception that ends the bot at the end of its input.
    let stderr = traceback("/b/bot.py", "line = input()", "EOFError: EOF when reading a line");
    let sources = python(&[("bot.py", "side = 'black'\nline = input()\n")]);
    assert_eq!(code_of("hello", unconnected("", 1, &stderr), &sources), ["D21"]);
}

#[test]
fn a_bot_that_connects_is_not_told_to_speak_over_its_standard_streams() {
    let game = || unconnected(HELLO_ON_STDOUT, 0, "");
    let own = "import sys, helper\nline = sys.stdin.readline()\n";
    let told = |game: BoutFacts, files: &[(&str, &str)]| code_of("hello", game, &python(files));
    assert_eq!(told(game(), &[("bot.py", own)]), ["D21"]);
    // The bot, or one of its modules, makes connections, possibly with the course's library.
    for helper in [
        "import socket\n",
        "reader, writer = await asyncio.open_connection(host, port)\n",
        "from gthclient import GthClient\n",
        "c = wire.connect(host)\n",
    ] {
        assert_eq!(told(game(), &[("bot.py", own), ("helper.py", helper)]), [""; 0], "{helper}");
        assert_eq!(told(game(), &[("bot.py", own), ("other.py", helper)]), ["D21"], "{helper}");
    }
    let java = "class Bot { Scanner in = new Scanner(System.in); Socket s; }";
    assert_eq!(code_of("hello", game(), &bot_in("Bot.java", java, &["java", "Bot"])), [""; 0]);
    // The bot does not use its standard streams, or Python cannot parse it.
    assert_eq!(told(unconnected("player black 0.9.1\n", 0, ""), &[("bot.py", "print(1)\n")]), [""; 0]);
    let unread = "  File \"/b/bot.py\", line 2\n    line = sys.stdin.readline(\nSyntaxError: '(' was never closed\n";
    assert!(!told(unconnected("", 1, unread), &[("bot.py", own)]).contains(&"D21"));
    // The bot connected, or was started by hand.
    let mut connected = game();
    say(&mut connected, Speaker::Arena, &["000 hello"]);
    assert_eq!(told(connected, &[("bot.py", own)]), [""; 0]);
    assert_eq!(told(BoutFacts { process: None, ..game() }, &[("bot.py", own)]), [""; 0]);
    let mut trials =
        [trial("hello", Side::Black, Fail, vec![game()]), trial("hello", Side::White, Pass, vec![played("321 x")])];
    assert_eq!(codes(&mut trials, &python(&[("bot.py", own)])), [[""; 0], [""; 0]]);
    // The bot does not take its seat over its standard streams either, or takes its seat at the second attempt.
    for (comes, count) in [(&[Replay::Piped][..], 1), (&[], 0), (&[Replay::Alike, Replay::Piped], 0)] {
        let mut trials = [trial("hello", Side::Black, Fail, vec![game()])];
        diagnose_with(&mut trials, &python(&[("bot.py", own)]), |first, replay| {
            if comes.contains(&replay) { played("321 x") } else { first.clone() }
        });
        assert_eq!(trials[0].diagnoses.len(), count, "{comes:?}");
    }
}

#[test]
fn a_refused_connection_is_blamed_on_a_near_host_alone() {
    let connect = "client = Client(sys.argv[1], sys.argv[2], int(sys.argv[3]))";
    let stderr = traceback("/b/bot.py", connect, "ConnectionRefusedError: [Errno 111] Connection refused");
    let bot = |first: &str, other: &str, words: &[&str]| {
        let first = format!("import sys\n{first}\n{connect}\n");
        let mut sources = python(&[("another.py", &format!("HOST = {other}\n")), ("bot.py", &first)]);
        sources.command.extend(words.iter().map(|word| (*word).to_owned()));
        sources
    };
    let told = |sources: &SourceFiles| {
        let game = absent("exited with code 1 before it said hello", 1, &stderr);
        let mut trials = [trial("hello", Side::Black, Fail, vec![game])];
        let codes = codes(&mut trials, sources).remove(0);
        (codes, trials[0].diagnoses.first().and_then(|found| found.place.clone()))
    };
    let far = "'barton.example.edu'";
    let all = &["{side}", "{host}", "{server}"][..];
    // A remote host would not have refused a connection, whether it is named in another file or in the same one.
    assert_eq!(told(&bot("", far, &["{side}", "{host}", "{port}"])).0, ["D03"]);
    assert_eq!(told(&bot("HOST = 'barton'", far, all)).0, ["D03"]);
    for near in ["'localhost'", "'127.0.0.1'", "'127.3.2.1'"] {
        let line = SourcePlace { file: "bot.py".into(), line: Some(2) };
        assert_eq!(told(&bot(&format!("HOST = {near}"), far, all)), (vec!["D02"], Some(line.clone())), "{near}");
        // If two files contain a host, the host in the file named by the stack counts.
        assert_eq!(told(&bot(&format!("HOST = {near}"), "'localhost'", all)), (vec!["D02"], Some(line)), "{near}");
    }
    // If the command gives only a port, the referee is at localhost, and the hard-coded host is right.
    assert_eq!(told(&bot("HOST = 'localhost'", far, &["{side}", "{port}"])).0, ["D03"]);
    // A remote host does not answer.
    let timed_out = absent("no hello", 1, &traceback("/b/bot.py", connect, "TimeoutError: timed out"));
    assert_eq!(code_of("hello", timed_out, &bot("", far, all)), ["D02"]);
}

#[test]
fn arguments_are_known_by_the_side_that_is_asked_for_and_by_failing_to_read_them() {
    let mut game = absent("asked for white and never for its own side, black", 0, "");
    say(&mut game, Speaker::Arena, &["000 hello"]);
    say(&mut game, Speaker::Bot, &["0.9.1 player white"]);
    assert_eq!(code_of("hello", game, &SourceFiles::default()), ["D03"]);
    let mut named = absent("no hello by its deadline", 0, "");
    say(&mut named, Speaker::Bot, &["0.9.1 player localhost"]);
    assert_eq!(code_of("hello", named, &SourceFiles::default()), ["D03"]);
    for (code, message) in [
        ("depth = int(sys.argv[4])", "IndexError: list index out of range"),
        ("port = int(sys.argv[3])", "ValueError: invalid literal for int() with base 10: 'black'"),
        ("side, host = sys.argv[1:]", "ValueError: too many values to unpack (expected 2)"),
    ] {
        let game = absent("exited", 1, &traceback("/b/bot.py", code, message));
        assert_eq!(code_of("hello", game, &SourceFiles::default()), ["D03"], "{code}");
    }
    assert_eq!(
        code_of("hello", absent("exited", 2, "usage: bot.py [-h] side\nbot.py: error: x\n"), &SourceFiles::default()),
        ["D03"]
    );
    // The same exception elsewhere has nothing to do with arguments.
    let game = absent("exited", 1, &traceback("/b/bot.py", "book = lines[3]", "IndexError: list index out of range"));
    assert_eq!(code_of("hello", game, &SourceFiles::default()), [""; 0]);
}

#[test]
fn what_is_missing_is_named_only_where_the_bot_ended_by_it() {
    let stderr = traceback("/b/bot.py", "import numpy", "ModuleNotFoundError: No module named 'numpy'");
    let mut trials = [trial("hello", Side::Black, Fail, vec![absent("exited", 1, &stderr)])];
    assert_eq!(codes(&mut trials, &python(&[("bot.py", "x\nimport numpy\n")])), [["D14"]]);
    let found = &trials[0].diagnoses[0];
    assert!(found.text.contains("`numpy`") && found.fix.contains("pip install numpy"), "{found:?}");
    let java = "Error: Could not find or load main class Bot\nCaused by: java.lang.ClassNotFoundException: Bot\n";
    let sources = SourceFiles {
        files: vec![("Bot.java".into(), "class Bot {}".into())],
        command: vec!["java".into(), "Bot".into()],
        hosts: Vec::new(),
    };
    let mut trials = [trial("hello", Side::Black, Fail, vec![absent("exited", 1, java)])];
    assert_eq!(codes(&mut trials, &sources), [["D14"]]);
    assert!(
        trials[0].diagnoses[0].fix.contains("`Bot.java` exists but has not been compiled"),
        "{:?}",
        trials[0].diagnoses
    );
    let mut not_started = absent("`./bot` could not be run in `/b`: No such file or directory (os error 2)", 1, "");
    not_started.coming = Coming::Failed {
        termination: Termination::NotStarted,
        reason: "`./bot` could not be run in `/b`: No such file or directory".into(),
    };
    not_started.process = None;
    assert_eq!(code_of("hello", not_started, &SourceFiles::default()), ["D14"]);
    // The bot reported the missing file but does not need it, and fails for another reason.
    let mut flagged = crashed(&["100 ok"], "weights.txt: No such file or directory\n");
    say(&mut flagged, Speaker::Bot, &["1 c3"]);
    flagged.plies.push(ply(Side::Black, "c3", Duration::ZERO));
    flagged.end = BoutEnd::FlagFell;
    assert_eq!(code_of("clock", flagged, &SourceFiles::default()), [""; 0]);
    let other = format!("weights.txt: No such file or directory\n{}", traceback("/b/bot.py", "f()", "KeyError: 3"));
    assert_eq!(code_of("plain", crashed(&["100 ok"], &other), &SourceFiles::default()), [""; 0]);
}

#[test]
fn a_module_of_the_bot_itself_is_to_be_handed_in_and_any_other_to_be_installed() {
    let sources = |program: &str, file: &str| SourceFiles {
        files: vec![(file.into(), "x = 1\n".into())],
        command: vec![program.into(), file.into()],
        hosts: Vec::new(),
    };
    let (python, node) = (sources("python3", "helper.py"), sources("node", "bot.js"));
    let own = "hand it in with the bot";
    for (sources, stderr, expected) in [
        (&python, "ModuleNotFoundError: No module named 'board'", own),
        (&python, "ModuleNotFoundError: No module named 'rules.moves'", own),
        (&python, "ModuleNotFoundError: No module named 'helper'", own),
        (&python, "ModuleNotFoundError: No module named 'numpy.linalg'", "(`python3 -m pip install numpy`)"),
        (&python, "ModuleNotFoundError: No module named 'cv2'", "(`python3 -m pip install opencv-python`)"),
        (&node, "Error: Cannot find module './tree'", own),
        (&node, "Error: Cannot find module '/b/tree.js'", own),
        (&node, "Error: Cannot find module 'chess'", "(`npm install chess`)"),
    ] {
        let mut trials = [trial("hello", Side::Black, Fail, vec![absent("exited", 1, stderr)])];
        diagnose(&mut trials, sources);
        let found = &trials[0].diagnoses;
        assert!(found.iter().any(|found| found.fix.contains(expected)), "{stderr}: {found:?}");
    }
}

const NO_NUMBA: &str = "ModuleNotFoundError: No module named 'numba'";

/// `game` after one move of each side.
fn after_a_move(mut game: BoutFacts) -> BoutFacts {
    game.plies = vec![ply(Side::Black, "c3", Duration::ZERO), ply(Side::White, "d4", Duration::ZERO)];
    game
}

#[test]
fn a_bot_that_moves_without_a_file_or_module_and_fails_later_did_not_need_it() {
    let book = "book.dat: No such file or directory\n";
    let segfault = |mut game: BoutFacts| {
        game.process.as_mut().unwrap().exit = Some(ProcessExit::Signal(11));
        game
    };
    let import = traceback("/b/bot.py", "import numba", NO_NUMBA);
    let uncaught = || after_a_move(crashed(&["311 1 c3"], &import));
    let printed = format!("{import}playing without it\n1 c3\n2 d4\n");
    for (game, expected) in [
        (segfault(crashed(&["100 ok"], book)), &["D14"][..]),
        (segfault(after_a_move(crashed(&["291 no"], book))), &[]),
        (after_a_move(crashed(&["291 no"], book)), &[]),
        (after_a_move(crashed(&["291 no"], &printed)), &[]),
        (segfault(uncaught()), &[]),
        // A module that is only loaded in the middle of the game ends the bot there.
        (uncaught(), &["D14"]),
    ] {
        assert_eq!(code_of("plain", game.clone(), &SourceFiles::default()), expected, "{game:?}");
    }
    // A traceback printed at the start looks the same, unless the bot plays on after it in some game.
    let with = |other: BoutFacts| {
        let mut trials =
            [trial("win", Side::Black, Pass, vec![other]), trial("plain", Side::Black, Fail, vec![uncaught()])];
        codes(&mut trials, &SourceFiles::default()).remove(1)
    };
    assert_eq!(with(exited(played("321 x"), 0, &import)), [""; 0]);
    assert_eq!(with(exited(played("321 x"), 1, &printed)), [""; 0]);
    assert_eq!(with(exited(played("321 x"), 1, &import)), ["D14"], "it may have ended by that");
    assert_eq!(with(exited(played("321 x"), 0, "")), ["D14"]);
    let never_moved = BoutFacts { plies: Vec::new(), ..exited(played("327 x"), 0, &import) };
    assert_eq!(with(never_moved), ["D14"]);
}

fn refused(side: Side, text: &str, kind: TryKind) -> BoutFacts {
    let mut game = facts(side);
    game.plies = vec![ply(Side::Black, "c3", Duration::ZERO)];
    if side == Side::Black {
        game.plies.push(ply(Side::White, "d4", Duration::ZERO));
    }
    let ply = game.plies.len();
    game.refusals = vec![Refusal { ply, text: text.into(), why: "no".into(), kind, forged: false }];
    game.end = BoutEnd::Stuck("40 refused lines".into());
    game
}

#[test]
fn only_a_legal_move_in_the_wrong_form_has_a_wrong_number() {
    let code = |side, text: &str, kind| {
        let mut trials = [trial("plain", side, Fail, vec![refused(side, text, kind)])];
        codes(&mut trials, &SourceFiles::default()).remove(0)
    };
    for text in ["1 d3", "3 d3", "0 d3", "2 ... d3", "d3", "2. d3", "2...d3", "-1 d3"] {
        assert_eq!(code(Side::Black, text, TryKind::Garbled), ["D08"], "{text}");
    }
    for text in ["1 d3", "1... d3", "2 ... d3", "1 .. d3", "d3"] {
        assert_eq!(code(Side::White, text, TryKind::Garbled), ["D08"], "{text}");
    }
    for (text, kind) in [
        ("1 c3", TryKind::Garbled),
        ("2 z9", TryKind::Garbled),
        ("move d3", TryKind::Garbled),
        ("2 c3", TryKind::Illegal),
        ("", TryKind::Garbled),
    ] {
        assert_eq!(code(Side::Black, text, kind), [""; 0], "{text}");
    }
}

#[test]
fn a_wrong_number_is_told_in_the_words_of_the_rules() {
    let told = |ruleset: &str, side, plies: &[(Side, &str)], text: &str| {
        let mut game = refused(side, text, TryKind::Garbled);
        game.ruleset = ruleset.parse().expect("rules");
        game.plies = plies.iter().map(|&(side, played)| ply(side, played, Duration::ZERO)).collect();
        game.refusals[0].ply = plies.len();
        let mut trials = [trial("plain", side, Fail, vec![game])];
        diagnose(&mut trials, &SourceFiles::default());
        trials[0].diagnoses.first().map(|found| (found.cause, found.text.clone(), found.fix.clone()))
    };
    let (black, white) = (Side::Black, Side::White);
    for (rules, plies, text, expected) in [
        ("gothello", &[(black, "c3")][..], "1 d3", "`1 ... d3`"),
        ("seegover", &[(black, "c4")], "1 d3", "`1 ... d3`"),
        ("seegover drop=2", &[(black, "a1+b1")], "2 ... d3+c4", "`1 ... d3+c4`"),
    ] {
        let (cause, said, fix) = told(rules, white, plies, text).unwrap_or_else(|| panic!("{rules}: {text}"));
        assert_eq!(cause, Cause::MoveNumber);
        assert!(said.contains(expected), "{said}");
        let is_gothello = rules == "gothello";
        assert_eq!([&said, &fix].map(|text| text.contains("passes")), [is_gothello; 2], "{said} {fix}");
        assert_eq!(fix.contains("drops and moves"), !is_gothello, "{fix}");
    }
    // A single stone is not a turn under these rules, whatever its number.
    assert_eq!(told("seegover drop=2", white, &[(black, "a1+b1")], "1 d3"), None);
}

/// A game in which the bot was silent after its hello and used the CPU time `cpu`.
fn silent(cpu: Duration) -> BoutFacts {
    let mut game = facts(Side::Black);
    say(&mut game, Speaker::Arena, &["000 hello", "100 ok", "352 go"]);
    say(&mut game, Speaker::Bot, &["0.9.1 player black"]);
    game.end = BoutEnd::TimedOut;
    game.process.as_mut().unwrap().usage = Some(Usage { user: cpu, wall: 25 * SECOND, ..Usage::default() });
    game
}

#[test]
fn a_bot_buffers_if_what_was_missing_comes_when_its_input_ends() {
    let unflushed = python(&[("bot.py", "print('1 c3')\n")]);
    let comes = |mut game: BoutFacts, line: &str, after: Duration| {
        (game.said_after_end, game.spoke_after) = (vec![line.to_owned()], Some(after));
        game
    };
    let at_once = SECOND / 100;
    let buffered = || comes(silent(SECOND / 10), "1 c3", at_once);
    assert_eq!(code_of("plain", buffered(), &unflushed), ["D09"]);
    assert_eq!(code_of("plain", buffered(), &SourceFiles::default()), ["D09"]);
    // The same is detected in the middle of a game.
    let mut later = comes(silent(SECOND / 10), "2 pass", at_once);
    later.plies = vec![ply(Side::Black, "c3", Duration::ZERO), ply(Side::White, "d4", Duration::ZERO)];
    assert_eq!(code_of("plain", later, &unflushed), ["D09"]);
    let mut mute = facts(Side::Black);
    mute.coming = Coming::Failed {
        termination: Termination::NoShow,
        reason: "no hello by its deadline (key `hello_timeout`)".into(),
    };
    say(&mut mute, Speaker::Arena, &["000 hello"]);
    assert_eq!(code_of("hello", comes(mute.clone(), "0.9.1 player black", at_once), &unflushed), ["D09"]);
    // A slow bot may send its move just when its time is over.
    let mut slow = comes(silent(SECOND / 10), "3 a1", at_once);
    slow.time_control = clocks(3 * SECOND, 3 * SECOND);
    (slow.end, slow.used) = (BoutEnd::FlagFell, 3 * SECOND);
    slow.plies = vec![
        ply(Side::Black, "c3", SECOND),
        ply(Side::White, "d4", Duration::ZERO),
        ply(Side::Black, "b2", SECOND),
        ply(Side::White, "e5", Duration::ZERO),
    ];
    assert!(!code_of("clock", slow, &unflushed).contains(&"D09"));
    // If nothing arrives, or another line, or a line that is too late, or a move that is not due, the sources do not
    // matter.
    for other in [
        silent(SECOND / 10),
        comes(silent(SECOND / 10), "resign", at_once),
        comes(silent(SECOND / 10), "2 c3", at_once),
        comes(silent(SECOND / 10), "1 c3", 2 * SECOND),
    ] {
        assert_eq!(code_of("plain", other, &unflushed), [""; 0]);
    }
    mute.transcript = crate::drill::script::Transcript::default();
    assert_eq!(code_of("hello", comes(mute, "0.9.1 player black", at_once), &unflushed), [""; 0]);
    // A bot that is merely slow moves if the arena waits longer.
    let mut trials = [trial("plain", Side::Black, Timeout, vec![buffered()])];
    diagnose_with(&mut trials, &unflushed, |_, replay| {
        assert_eq!(replay, Replay::Patient);
        played("321 x")
    });
    assert_eq!(trials[0].diagnoses, []);
}

#[test]
fn java_flushes_nothing_at_the_end_so_its_sources_tell() {
    let java = |line: &str| {
        let text = format!("class Bot {{\n  void say(String line) {{\n    out.print(line);\n    {line}\n  }}\n}}\n");
        SourceFiles {
            files: vec![("Bot.java".into(), text)],
            command: vec!["java".into(), "Bot".into()],
            hosts: Vec::new(),
        }
    };
    let mut left = silent(SECOND / 10);
    left.process.as_mut().unwrap().exit = Some(ProcessExit::Status(0));
    assert_eq!(code_of("plain", left.clone(), &java("count++;")), ["D09"]);
    assert_eq!(code_of("plain", left.clone(), &java("out.flush();")), [""; 0]);
    // A bot that does not leave was not waiting for a line.
    left.process.as_mut().unwrap().exit = None;
    assert_eq!(code_of("plain", left, &java("count++;")), [""; 0]);
}

#[test]
fn a_wrong_number_is_distinguished_from_a_move_that_comes_too_early() {
    let code = |early| {
        let mut trials = [trial("plain", Side::Black, Fail, vec![refused(Side::Black, "1 d3", TryKind::Garbled)])];
        diagnose_with(&mut trials, &SourceFiles::default(), |first, replay| {
            assert_eq!(replay, Replay::Held);
            BoutFacts { early, ..first.clone() }
        });
        trials[0].diagnoses.iter().map(|found| found.cause.name()).collect::<Vec<_>>()
    };
    assert_eq!(code(Some(false)), ["D08"]);
    assert_eq!(code(Some(true)), ["D19"]);
}

#[test]
fn an_exception_is_reported_if_it_reappears_or_has_ended_another_game() {
    let sources = python(&[("bot.py", "import random\nx = [][0]\n")]);
    let raised = || {
        crashed(&["100 ok", "311 1 c3"], &traceback("/b/bot.py", "x = [][0]", "IndexError: list index out of range"))
    };
    let found = |trials: &mut [Trial], again: &dyn Fn(&BoutFacts) -> BoutFacts| {
        diagnose_with(trials, &sources, |first, _| again(first));
        trials.iter().flat_map(|trial| &trial.diagnoses).map(|found| found.text.clone()).collect::<Vec<_>>()
    };
    let plain = || trial("plain", Side::Black, Fail, vec![raised()]);
    let told = found(&mut [plain()], &Clone::clone);
    assert!(told.len() == 1 && told[0].contains("`IndexError: list index out of range`"), "{told:?}");
    assert!(told[0].contains("bot.py, line 2"), "{told:?}");
    assert_eq!(found(&mut [plain()], &|_| played("321 x")), [""; 0]);
    let mut both = [plain(), trial("clock", Side::Black, Fail, vec![raised()])];
    assert_eq!(found(&mut both, &|_| unreachable!("it has shown twice")).len(), 2);
    // A missing module explains its own exception.
    let stderr = traceback("/b/bot.py", "import numpy", "ModuleNotFoundError: No module named 'numpy'");
    let mut missing = [trial("hello", Side::Black, Fail, vec![absent("exited", 1, &stderr)])];
    assert_eq!(codes(&mut missing, &sources), [["D14"]]);
    // Printing values does not help if Python cannot parse the program.
    let stderr = "  File \"/b/bot.py\", line 2\n    x = [][0]\n    ^\nSyntaxError: '(' was never closed\n";
    let mut unreadable = [trial("hello", Side::Black, Fail, vec![absent("exited", 1, stderr)])];
    assert_eq!(codes(&mut unreadable, &sources), [["D18"]]);
    assert!(unreadable[0].diagnoses[0].fix.starts_with("Correct this line"), "{:?}", unreadable[0].diagnoses);
    let null = "Exception in thread \"main\" java.lang.NullPointerException: x\n\tat Owl.think(Owl.java:2)\n\tat Owl.main(Owl.java:1)\n";
    let owl = SourceFiles {
        files: vec![("Owl.java".into(), "class Owl {\n  int best = move.rank;\n}".into())],
        command: vec!["java".into(), "Owl".into()],
        hosts: Vec::new(),
    };
    let mut trials = [trial("plain", Side::Black, Fail, vec![crashed(&["100 ok"], null)])];
    assert_eq!(codes(&mut trials, &owl), [["D18"]]);
    assert!(trials[0].diagnoses[0].text.contains("`java.lang.NullPointerException: x`"), "{:?}", trials[0].diagnoses);
}

#[test]
fn an_exception_that_was_caught_and_written_out_did_not_end_the_bot() {
    let sources = python(&[("bot.py", "import random\nx = [][0]\n")]);
    let raised = traceback("/b/bot.py", "x = [][0]", "IndexError: list index out of range");
    let ended = |exit, stderr: &str| {
        let mut game = after_a_move(crashed(&["311 1 c3"], stderr));
        game.process.as_mut().unwrap().exit = Some(exit);
        game
    };
    let (one, segfault) = (ProcessExit::Status(1), ProcessExit::Signal(11));
    let later = format!("{raised}7 c4\n8 d3\n9 e5\n");
    for (exit, stderr, expected) in [
        (one, raised.as_str(), &["D18"][..]),
        (one, &later, &[]),
        (ProcessExit::Status(3), &raised, &[]),
        (segfault, &raised, &[]),
    ] {
        assert_eq!(code_of("plain", ended(exit, stderr), &sources), expected, "{exit:?} {stderr}");
    }
    // The bot survived the same exception in another game.
    let with = |other: BoutFacts| {
        let mut trials = [
            trial("win", Side::White, Pass, vec![other]),
            trial("plain", Side::Black, Fail, vec![ended(one, &raised)]),
        ];
        codes(&mut trials, &sources).remove(1)
    };
    assert_eq!(with(exited(played("321 x"), 0, &raised)), [""; 0]);
    assert_eq!(with(exited(played("321 x"), 1, &later)), [""; 0]);
    assert_eq!(with(exited(played("321 x"), 0, "")), ["D18"]);
}

#[test]
fn a_cause_is_reported_only_under_failures_that_it_explains_and_if_nothing_contradicts_it() {
    // A bot whose move was refused and that then does not leave is not given a cause related to endings.
    let stays = |last: &str| {
        let mut game = played(last);
        let process = game.process.as_mut().unwrap();
        (process.exit, process.left_after) = (None, None);
        game
    };
    let refused = BoutFacts { refusals: refused(Side::Black, "1 a1", TryKind::Illegal).refusals, ..stays("325 x") };
    let mut trials =
        [trial("win", Side::Black, Pass, vec![played("321 x")]), trial("draw", Side::Black, Fail, vec![refused])];
    assert_eq!(codes(&mut trials, &SourceFiles::default()), [vec![""; 0], vec![]]);
    // A bot that handles a draw elsewhere does not treat draws as errors.
    let fails = exited(played("203 draw"), 1, "");
    let mut trials = [
        trial("win", Side::Black, Pass, vec![played("321 x")]),
        trial("draw", Side::Black, Warn, vec![fails.clone()]),
        trial("draw", Side::White, Pass, vec![played("325 x")]),
    ];
    assert_eq!(codes(&mut trials, &SourceFiles::default())[1], ["D17"]);
    // A bot that never leaves, and none of whose games ended on the board, reveals nothing about any code.
    let mut trials = [
        trial("win", Side::Black, Fail, vec![crashed(&["100 ok"], "")]),
        trial("opponent-leaves", Side::Black, Warn, vec![stays("391 x")]),
    ];
    assert_eq!(codes(&mut trials, &SourceFiles::default()), [[""; 0], [""; 0]]);
}

#[test]
fn a_cause_that_does_not_reappear_is_not_reported() {
    fn good() -> BoutFacts {
        played("321 x")
    }
    fn bad() -> BoutFacts {
        crashed(&["311 1 c3"], "")
    }
    let sources = python(&[("bot.py", "data = sock.recv(1024)\n")]);
    let fails = || crashed(&["311 1 c3"], "");
    let told = |again: fn() -> BoutFacts, whole: fn() -> BoutFacts| {
        let mut trials = [
            trial("plain", Side::Black, Pass, vec![played("321 x")]),
            trial("merged", Side::Black, Fail, vec![fails()]),
        ];
        diagnose_with(&mut trials, &sources, |_, replay| if replay == Replay::Whole { whole() } else { again() });
        trials[1].diagnoses.iter().map(|found| found.cause.name()).collect::<Vec<_>>()
    };
    assert_eq!(told(bad, good), ["D10"]);
    assert_eq!(told(good, good), [""; 0], "it crashed by chance");
    assert_eq!(told(bad, bad), [""; 0], "it crashes in this game however the lines arrive");
    let void = || BoutFacts { end: BoutEnd::Void("no memory".into()), ..facts(Side::Black) };
    assert_eq!(told(void, good), [""; 0], "a void game shows nothing");
}

#[test]
fn a_bot_that_falls_silent_after_a_refusal_or_once_for_long_is_not_slow() {
    let game = |turns: &[Duration], cpu: Duration| {
        let mut game = facts(Side::Black);
        game.time_control = clocks(10 * SECOND, 10 * SECOND);
        (game.end, game.used) = (BoutEnd::FlagFell, 10 * SECOND);
        game.plies = turns.iter().map(|turn| ply(Side::Black, "c3", *turn)).collect();
        game.process.as_mut().unwrap().usage = Some(Usage { user: cpu, ..Usage::default() });
        game
    };
    let even = [SECOND; 7];
    assert_eq!(code_of("clock", game(&even, SECOND), &SourceFiles::default()), ["D16"]);
    let mut refused = game(&even, SECOND);
    refused.refusals =
        vec![Refusal { ply: 7, text: "8 a1".into(), why: "no".into(), kind: TryKind::Garbled, forged: true }];
    assert_eq!(code_of("clock", refused, &SourceFiles::default()), [""; 0]);
    // The machine hung in one turn.
    let mut once = [SECOND / 100; 7];
    once[2] = 9 * SECOND;
    assert_eq!(code_of("clock", game(&once, SECOND), &SourceFiles::default()), [""; 0]);
}

#[test]
fn a_bot_that_fails_only_when_lines_are_cut_or_joined_reads_by_recv() {
    let sources = python(&[("bot.py", "data = sock.recv(1024)\n")]);
    let game = || crashed(&["311 1 c3"], &traceback("/b/bot.py", "int(data)", "ValueError: x"));
    let mut trials =
        [trial("plain", Side::Black, Pass, vec![played("321 x")]), trial("split", Side::Black, Fail, vec![game()])];
    assert_eq!(codes(&mut trials, &sources), [vec![], vec!["D10"]]);
    assert_eq!(codes(&mut trials, &python(&[("bot.py", "line = file.readline()\n")])), [vec![], vec![""; 0]]);
    let mut resigned = game();
    resigned.end = BoutEnd::Resigned;
    let mut trials =
        [trial("plain", Side::Black, Pass, vec![played("321 x")]), trial("split", Side::Black, Fail, vec![resigned])];
    assert_eq!(codes(&mut trials, &sources), [vec![], vec![""; 0]]);
    let mut trials = [trial("plain", Side::Black, Fail, vec![game()]), trial("split", Side::Black, Fail, vec![game()])];
    assert_eq!(codes(&mut trials, &sources), [[""; 0], [""; 0]]);
}

#[test]
fn ends_are_told_apart_by_which_of_them_the_bot_takes() {
    let fails = |last: &str| exited(played(last), 1, &traceback("/b/bot.py", "raise E", "E: game terminated early"));
    let stays = |last: &str| {
        let mut game = played(last);
        let process = game.process.as_mut().unwrap();
        (process.exit, process.left_after) = (None, None);
        game
    };
    let with = |ordinary: fn(&str) -> BoutFacts, id, game| {
        let (win, loss) = (ordinary("321 x"), ordinary("322 x"));
        let status = |game: &BoutFacts| {
            if game.process.as_ref().unwrap().exit == Some(ProcessExit::Status(0)) { Pass } else { Warn }
        };
        let mut trials = [
            trial("win", Side::Black, status(&win), vec![win]),
            trial("loss", Side::Black, status(&loss), vec![loss]),
            trial(id, Side::Black, Warn, vec![game]),
        ];
        codes(&mut trials, &SourceFiles::default())
    };
    for last in ["203 draw", "325 1 c3", "326 1 ... c3"] {
        assert_eq!(with(played, "draw", fails(last)), [vec![], vec![], vec!["D11"]], "{last}");
    }
    // A move that ends the game is announced by two lines; the bot has read only the first.
    let mut two = fails("203 draw");
    say(&mut two, Speaker::Arena, &["325 5 e5"]);
    let mut trials =
        [trial("win", Side::Black, Pass, vec![played("321 x")]), trial("draw", Side::Black, Warn, vec![two])];
    assert_eq!(codes(&mut trials, &SourceFiles::default()), [vec![], vec!["D11"]]);
    assert!(trials[1].diagnoses[0].text.contains("(code `203`)"), "{:?}", trials[1].diagnoses);
    for (id, last) in [
        ("opponent-resigns", "327 x"),
        ("opponent-leaves", "392 x"),
        ("opponent-flags", "361 x"),
        ("own-flag", "202 x"),
    ] {
        assert_eq!(with(played, id, fails(last)), [vec![], vec![], vec!["D12"]], "{last}");
        assert_eq!(with(played, id, stays(last)), [vec![], vec![], vec!["D12"]], "{last}");
    }
    let always = |last: &str| exited(played(last), 1, "");
    assert_eq!(with(always, "draw", always("203 x")), [["D17"], ["D17"], ["D17"]]);
    assert_eq!(with(always, "opponent-leaves", always("391 x")), [["D17"], ["D17"], ["D17"]]);
    // A bot that never leaves on its own treats all endings alike.
    assert_eq!(
        with(
            |last| {
                let mut game = played(last);
                let process = game.process.as_mut().unwrap();
                (process.exit, process.left_after) = (None, None);
                game
            },
            "opponent-leaves",
            stays("391 x")
        ),
        [[""; 0], [""; 0], [""; 0]]
    );
}

#[test]
fn swapped_times_show_in_the_pace_on_either_clock() {
    let (short, long) = (7 * SECOND, 60 * SECOND);
    let run = |own, other, turns: u32, pace: Duration, end: BoutEnd| {
        let mut game = facts(Side::Black);
        game.time_control = clocks(own, other);
        game.used = pace * turns;
        if end == BoutEnd::FlagFell {
            game.used = own;
        }
        game.plies = (0..turns).map(|_| ply(Side::Black, "c3", pace)).collect();
        game.end = end;
        game
    };
    let ended = || BoutEnd::Played(GameResult::resigned(Side::White));
    let code = |games| codes(&mut [trial("clock-uneven", Side::Black, Fail, games)], &SourceFiles::default()).remove(0);
    let swapped = vec![run(long, short, 12, SECOND / 3, ended()), run(short, long, 2, 3 * SECOND, BoutEnd::FlagFell)];
    assert_eq!(code(swapped), ["D13"]);
    // A bot that ignores its clocks is slow on both.
    let slow = vec![run(long, short, 12, SECOND, ended()), run(short, long, 7, SECOND, BoutEnd::FlagFell)];
    assert_eq!(code(slow), ["D16"]);
}

#[test]
fn a_slow_bot_is_distinguished_from_one_that_hangs() {
    let game = |turns: u32, pace: Duration, cpu: Duration| {
        let mut game = facts(Side::Black);
        game.time_control = clocks(10 * SECOND, 10 * SECOND);
        (game.end, game.used) = (BoutEnd::FlagFell, 10 * SECOND);
        game.plies = (0..turns).map(|_| ply(Side::Black, "c3", pace)).collect();
        game.process.as_mut().unwrap().usage = Some(Usage { user: cpu, ..Usage::default() });
        game
    };
    assert_eq!(code_of("clock", game(6, SECOND, SECOND), &SourceFiles::default()), ["D16"]);
    assert_eq!(code_of("clock", game(0, SECOND, 9 * SECOND), &SourceFiles::default()), ["D16"]);
    assert_eq!(code_of("clock", game(3, SECOND / 100, SECOND / 5), &SourceFiles::default()), [""; 0]);
}

/// A game in which the bot took a second for each of its `turns` moves, and waited for a core for `starved` in total.
fn paced(turns: u32, time_control: TimeControl, end: BoutEnd, starved: Duration) -> BoutFacts {
    let (used, ran) = (turns * SECOND, turns * SECOND / 2);
    let mut game = BoutFacts { time_control, end, used, took: used, ..facts(Side::Black) };
    game.starvation = Some(Starvation { starved, ran, of: used });
    game.plies = (0..turns).map(|_| ply(Side::Black, "c3", SECOND)).collect();
    game
}

#[test]
fn a_bot_that_waited_for_a_core_is_not_blamed_for_that_time() {
    let clocked = clocks(10 * SECOND, 10 * SECOND);
    let ended = || BoutEnd::Played(GameResult::resigned(Side::White));
    for (turns, time_control, end, starved, expected) in [
        (10, clocked, BoutEnd::FlagFell, SECOND / 2, &["D16"][..]),
        (10, clocked, BoutEnd::FlagFell, 2 * SECOND, &[]),
        (10, clocked, ended(), SECOND / 2, &["D16"]),
        (10, clocked, ended(), 2 * SECOND, &[]),
        (20, TimeControl::Unlimited, BoutEnd::TimedOut, SECOND, &["D16"]),
        (20, TimeControl::Unlimited, BoutEnd::TimedOut, 12 * SECOND, &[]),
    ] {
        let id = if time_control == clocked { "clock" } else { "plain" };
        let game = paced(turns, time_control, end, starved);
        assert_eq!(code_of(id, game.clone(), &SourceFiles::default()), expected, "{starved:?} {:?}", game.end);
    }
}

#[test]
fn a_clock_of_cpu_time_does_not_run_while_a_bot_waits() {
    let (clocked, wall_limit) = (clocks(10 * SECOND, 10 * SECOND), Some(100 * SECOND));
    let ended = || BoutEnd::Played(GameResult::resigned(Side::White));
    let sleeps = python(&[("bot.py", "def choose():\n    time.sleep(5)\n    search()\n")]);
    for end in [BoutEnd::FlagFell, ended()] {
        // Although the bot waited for a core for a long time, its CPU time is its own.
        let mut game = paced(10, clocked, end, 20 * SECOND);
        game.wall_limit = wall_limit;
        game.walls = vec![9 * SECOND; 10];
        let mut trials = [trial("clock", Side::Black, Fail, vec![game])];
        assert_eq!(codes(&mut trials, &sleeps), [["D16"]]);
        let Diagnosis { text, fix, evidence, place, .. } = trials[0].diagnoses.remove(0);
        assert!(text.contains(" 10 s of CPU time") && !text.contains("busy machine"), "{text}");
        assert!(fix.ends_with("(`clock = \"cpu\"`); measure that time.") && place.is_none(), "{fix} {place:?}");
        assert_eq!(evidence, ["10 moves in 10 s of CPU time", "the slowest turn took 1.0 s of CPU time"]);
    }
    // A bot whose wall time runs out has used little of its clock.
    let mut waits = paced(3, clocked, BoutEnd::OutOfWallTime, Duration::ZERO);
    (waits.wall_limit, waits.walls) = (wall_limit, vec![30 * SECOND; 3]);
    assert_eq!(code_of("clock", waits, &sleeps), [""; 0]);
    // The times of a game without clocks are wall times, which say nothing about CPU time.
    let mut plain = facts(Side::Black);
    plain.plies = (0..5).map(|_| ply(Side::Black, "c3", SECOND)).collect();
    plain.end = ended();
    let control = TimeControl::both("1/move".parse().expect("a control"));
    let mut silent = BoutFacts { time_control: control, end: BoutEnd::FlagFell, used: SECOND, ..facts(Side::Black) };
    for (limit, expected) in [(None, &["D16"][..]), (wall_limit, &[])] {
        silent.wall_limit = limit;
        let mut trials = [
            trial("plain", Side::Black, Pass, vec![plain.clone()]),
            trial("clock", Side::Black, Fail, vec![silent.clone()]),
        ];
        assert_eq!(codes(&mut trials, &SourceFiles::default())[1], expected, "{limit:?}");
    }
}

#[test]
fn a_slow_bot_is_referred_to_its_clock_only_if_it_was_told_of_one() {
    let told = |game: BoutFacts| {
        let (id, status) = if game.end == BoutEnd::TimedOut { ("plain", Timeout) } else { ("clock", Fail) };
        let mut trials = [trial(id, Side::Black, status, vec![game])];
        assert_eq!(codes(&mut trials, &SourceFiles::default()), [["D16"]]);
        let Diagnosis { text, fix, .. } = trials[0].diagnoses.remove(0);
        assert_eq!(text.matches(". ").count() + usize::from(text.ends_with('.')), 2, "{text}");
        let marks = ["watch its clock", "no clocks", "tell_clock = false", "first number after `101`"];
        marks.map(|mark| text.contains(mark) || fix.contains(mark))
    };
    let clocked = |hello: &str| {
        let mut game = paced(10, clocks(10 * SECOND, 10 * SECOND), BoutEnd::FlagFell, Duration::ZERO);
        say(&mut game, Speaker::Arena, &["000 hello", hello]);
        game
    };
    assert_eq!(told(clocked("101 10 10 go")), [true, false, false, true]);
    assert_eq!(told(clocked("100 go")), [false, false, true, false]);
    let unlimited = paced(20, TimeControl::Unlimited, BoutEnd::TimedOut, Duration::ZERO);
    assert_eq!(told(unlimited), [false, true, false, false]);
}

#[test]
fn a_slow_bot_is_told_in_the_terms_of_its_control() {
    let ended = || BoutEnd::Played(GameResult::resigned(Side::White));
    // The last of these turns, each in tenths of a second, is the one in which the flag falls, if it does.
    let game = |control: &str, turns: &[u32], end: BoutEnd| {
        let times = turns.iter().map(|tenths| SECOND / 10 * *tenths);
        let mut game = facts(Side::Black);
        game.used = times.clone().sum();
        let moves = turns.len() - usize::from(end == BoutEnd::FlagFell);
        game.plies = times.take(moves).map(|elapsed| ply(Side::Black, "c3", elapsed)).collect();
        (game.time_control, game.end) = (TimeControl::both(control.parse().expect("a control")), end);
        say(&mut game, Speaker::Arena, &["000 hello", "101 10 10 go"]);
        game
    };
    let sum = "the line `207`, which includes";
    for (control, turns, end, text, fix) in [
        (
            "6+1",
            &[30, 30, 30][..],
            BoutEnd::FlagFell,
            "Your bot's flag fell after 2 moves: it had used all of its 6 s, and what it had gained after its moves.",
            sum,
        ),
        (
            "10+1",
            &[50, 56, 1],
            ended(),
            "Your bot had only 0.4 s left at one point, after 10 s at the start, which leaves no reserve for a busy machine.",
            sum,
        ),
        (
            "0:2x2",
            &[15, 30, 21],
            BoutEnd::FlagFell,
            "Your bot's flag fell after 2 moves: its move 3 did not end within the last period of 2 s.",
            sum,
        ),
        (
            "1/move",
            &[8, 8, 10],
            BoutEnd::FlagFell,
            "Your bot's flag fell after 2 moves: its move 3 took longer than the 1 s for a move.",
            "three quarters of the time for a move",
        ),
        (
            "1/move",
            &[8, 10, 8],
            ended(),
            "Your bot used 1.00 of 1 s for its move 2, which leaves no reserve for a busy machine.",
            "`{move_time}`",
        ),
        (
            "1/move+2bank",
            &[15, 20, 5, 14],
            ended(),
            "Your bot used 1.90 of 2 s of its bank, for 3 moves that took longer than 1 s, which leaves no reserve for a \
             busy machine.",
            "With a bank",
        ),
    ] {
        let mut trials = [trial("clock", Side::Black, Fail, vec![game(control, turns, end)])];
        assert_eq!(codes(&mut trials, &SourceFiles::default()), [["D16"]], "{control}");
        let Diagnosis { text: told, fix: advice, .. } = trials[0].diagnoses.remove(0);
        assert!(told.starts_with(text), "{told}");
        assert!(advice.contains(fix), "{advice}");
    }
    // Periods and increments are there to be used.
    for (control, turns) in [("6+1", &[10; 20][..]), ("0:2x2", &[15, 17, 15]), ("1/move+2bank", &[8, 12, 8])] {
        let mut played = trial("clock", Side::Black, Fail, vec![game(control, turns, ended())]);
        played.failure = Some(crate::drill::script::TrialFailure::UsedClock);
        assert_eq!(codes(&mut [played], &SourceFiles::default()), [[""; 0]], "{control}");
    }
}

#[test]
fn a_bot_that_never_makes_a_move_in_time_is_slow_if_it_makes_moves_elsewhere() {
    let control = TimeControl::both("1/move".parse().expect("a control"));
    let silent = BoutFacts { time_control: control, end: BoutEnd::FlagFell, used: SECOND, ..facts(Side::Black) };
    for (pace, expected) in [(SECOND / 2, &[][..]), (SECOND, &["D16"])] {
        let mut plain = facts(Side::Black);
        plain.plies = (0..5).map(|_| ply(Side::Black, "c3", pace)).collect();
        plain.end = BoutEnd::Played(GameResult::resigned(Side::White));
        let mut trials =
            [trial("plain", Side::Black, Pass, vec![plain]), trial("clock", Side::Black, Fail, vec![silent.clone()])];
        assert_eq!(codes(&mut trials, &SourceFiles::default())[1], expected, "{pace:?}");
    }
}

#[test]
fn a_move_that_comes_after_the_flag_has_fallen_shows_that_the_bot_does_not_hang() {
    let told = |control: &str, said: &str, after: Duration| {
        let mut game = facts(Side::Black);
        (game.time_control, game.end) = (TimeControl::both(control.parse().expect("a control")), BoutEnd::FlagFell);
        game.plies = vec![ply(Side::Black, "c3", SECOND / 100), ply(Side::White, "a1", Duration::ZERO)];
        game.used = game.time_control.of(Side::Black).expect("clocks").allowance() + SECOND / 100;
        (game.said_after_end, game.spoke_after) = (vec![said.to_owned()], Some(after));
        let mut trials = [trial("clock", Side::Black, Fail, vec![game])];
        diagnose(&mut trials, &SourceFiles::default());
        let [Trial { diagnoses, .. }] = trials;
        diagnoses.into_iter().map(|found| (found.cause.name(), found.evidence.concat())).collect::<Vec<_>>()
    };
    for control in ["1/move", "1/move+2bank", "0:1x5", "10", "10+1"] {
        let found = told(control, "2 d3", SECOND / 2);
        assert!(
            matches!(&found[..], [("D16", shown)] if shown.contains("the next move came 0.5 s too late")),
            "{found:?}"
        );
        for (said, after) in [("2 d3", SECOND / 20), ("3 d3", SECOND / 2), ("2 a1", SECOND / 2), ("bye", SECOND / 2)] {
            assert_eq!(told(control, said, after), [], "{control} {said} {after:?}");
        }
    }
}

#[test]
fn a_bot_that_computes_in_silence_is_busy() {
    let mut game = played("321 x");
    game.idle_cpu = Some(29 * SECOND / 10);
    assert_eq!(codes(&mut [trial("slow", Side::Black, Warn, vec![game.clone()])], &SourceFiles::default()), [["D15"]]);
    game.idle_cpu = Some(SECOND / 10);
    assert_eq!(codes(&mut [trial("slow", Side::Black, Warn, vec![game])], &SourceFiles::default()), [[""; 0]]);
}

#[test]
fn nothing_is_diagnosed_where_a_scenario_passes_or_is_skipped_or_only_reported() {
    let stderr = traceback("/b/bot.py", "import numpy", "ModuleNotFoundError: No module named 'numpy'");
    for status in [Pass, Skip, Info] {
        let mut trials = [trial("hello", Side::Black, status, vec![absent("exited", 1, &stderr)])];
        assert_eq!(codes(&mut trials, &SourceFiles::default()), [[""; 0]], "{status}");
    }
    let mut void = absent("exited", 1, &stderr);
    void.end = BoutEnd::Void("out of memory".into());
    assert_eq!(codes(&mut [trial("hello", Side::Black, Fail, vec![void])], &SourceFiles::default()), [[""; 0]]);
    assert_eq!(codes(&mut [trial("hello", Side::Black, Fail, vec![])], &SourceFiles::default()), [[""; 0]]);
}

#[test]
fn hostile_text_comes_out_printable_and_short() {
    let nasty = format!("\u{1b}]0;x\u{7}\u{202e}{}\u{85}\u{0}", "A".repeat(1 << 16));
    let sources = python(&[("\u{1b}[2Jbot.py", &format!("HOST = 'b.edu'  # {nasty}\n{nasty}\n"))]);
    let messages = [
        format!("ModuleNotFoundError: No module named '{nasty}'"),
        format!("{GAI} {nasty}"),
        format!("java.net.UnknownHostException: {nasty}"),
        format!("NameError: name 'white_time_control{nasty}' is not defined"),
        format!("FileNotFoundError: [Errno 2] No such file or directory: '{nasty}'"),
        format!("usage: {nasty}"),
        nasty.clone(),
    ];
    for message in messages {
        let mut clocked = crashed(&["101 1 1 x", &nasty], &traceback("/b/\u{1b}[2Jbot.py", &nasty, &message));
        clocked.time_control = clocks(SECOND, SECOND);
        let mut refused = refused(Side::Black, &format!("1 d3 {nasty}"), TryKind::Garbled);
        refused.process.as_mut().unwrap().stderr.clone_from(&message);
        let mut trials = [
            trial(
                "hello",
                Side::Black,
                Fail,
                vec![absent(&message, 1, &traceback("/b/\u{1b}[2Jbot.py", &nasty, &message))],
            ),
            trial("clock", Side::Black, Fail, vec![clocked]),
            trial("plain", Side::Black, Fail, vec![refused]),
            trial("draw", Side::Black, Warn, vec![exited(played(&format!("203 {nasty}")), 1, &message)]),
        ];
        diagnose(&mut trials, &sources);
        for found in trials.iter().flat_map(|trial| &trial.diagnoses) {
            let place = found.place.as_ref().map(|place| place.file.clone()).unwrap_or_default();
            for text in [&found.title, &found.text, &found.fix, &place].into_iter().chain(&found.evidence) {
                assert_eq!(*text, sanitised(text));
                assert!(text.len() < 2000, "{}", text.len());
            }
        }
    }
}

#[test]
fn each_text_is_two_sentences_and_each_diagnosis_has_evidence_and_a_fix() {
    let stderr = traceback("/b/bot.py", "import numpy", "ModuleNotFoundError: No module named 'numpy'");
    let as_white = BoutFacts { side: Side::White.into(), ..absent("exited", 1, &stderr) };
    let mut trials = [
        trial("hello", Side::White, Fail, vec![as_white]),
        trial("plain", Side::Black, Timeout, vec![refused(Side::Black, "d3", TryKind::Garbled)]),
        trial("win", Side::Black, Warn, vec![exited(played("321 x"), 3, "")]),
    ];
    assert_eq!(codes(&mut trials, &SourceFiles::default()), [["D14"], ["D08"], ["D17"]]);
    for found in trials.iter().flat_map(|trial| &trial.diagnoses) {
        assert_eq!(found.title, found.cause.title());
        assert_eq!(found.text.matches(". ").count() + usize::from(found.text.ends_with('.')), 2, "{}", found.text);
        assert!(!found.evidence.is_empty() && found.fix.ends_with('.'), "{found:?}");
    }
}
