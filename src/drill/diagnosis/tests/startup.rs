//! The causes that keep a bot from connecting: its arguments, hard-coded hosts and sides, and its transport.

use super::*;

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
    // Arguments in the wrong order lead to the same message.
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
    // The cause is not D02 if the name may be the referee's, if the bot does not run the file, or if an exception ended
    // the bot.
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
    let mut game = absent("asked for white but never for its own side, black", 1, &stderr);
    say(&mut game, Speaker::Arena, &["000 hello"]);
    say(&mut game, Speaker::Bot, &["0.9.1 player white"]);
    let sources =
        python(&[("aclient.py", library), ("bot.py", "import aclient\nclient = aclient.GthClient(\"white\")\n")]);
    let mut trials = [trial("hello", Side::Black, Fail, vec![game])];
    assert_eq!(codes(&mut trials, &sources), [["D03"]]);
    let found = &trials[0].diagnoses[0];
    assert_eq!(found.place, Some(SourcePlace { file: "bot.py".into(), line: Some(2) }));
    assert!(found.text.ends_with("The side is hard-coded."), "{}", found.text);
    assert!(!found.text.contains("`command`") && !found.fix.contains("`command`"), "{found:?}");
}

/// A game in which the bot exited without connecting, after it had written `stdout`.
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
    let mut game = absent("asked for white but never for its own side, black", 0, "");
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
