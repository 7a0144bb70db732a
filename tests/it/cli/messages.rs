//! Messages for users: untrusted text cannot control a terminal, and every error says what to do.

use std::fs::{self, Permissions};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::process::Output;

use crate::confinement::probes::Way;
use crate::harness::arena::{Arena, text};
use crate::harness::waiting::InTime as _;

/// Text that clears the screen, reverses the writing direction, hides text, and forges a line.
const HOSTILE: &str = "x\u{1b}[2J\u{202e}\u{200b}\nFORGED";

/// The same text as a TOML string.
const HOSTILE_TOML: &str = "x\\u001b[2J\\u202e\\u200b\\nFORGED";

/// Asserts that [`HOSTILE`] is shown, but without its control characters.
fn assert_harmless(place: &str, outputs: &[Output]) {
    let mut all = String::new();
    for stream in outputs.iter().flat_map(|output| [&output.stdout, &output.stderr]) {
        let said = text(stream);
        assert!(!said.contains(['\u{1b}', '\u{202e}', '\u{200b}']), "{place}: {said:?}");
        assert!(!said.lines().any(|line| line.trim_start().starts_with("FORGED")), "{place}: {said}");
        all += &said;
    }
    assert!(all.contains("\\u{1b}[2J"), "{place}: {all}");
}

#[test]
fn text_from_others_cannot_steer_the_terminal() {
    let others =
        ["one", "two"].map(|player| format!("[[player]]\nname = \"{player}\"\nbuiltin = \"greedy\"\n")).concat();
    for (place, keys) in [
        ("a dir that is missing", format!("dir = \"{HOSTILE_TOML}\"\ncommand = [\"true\"]")),
        ("a program that is missing", format!("command = [\"{HOSTILE_TOML}\"]")),
        ("a path that is missing", format!("command = [\"./{HOSTILE_TOML}/bot\"]")),
        ("a script that is missing", format!("command = [\"true\", \"{HOSTILE_TOML}.py\"]\ndir = \"@bots\"")),
        ("a build that is missing", format!("command = [\"true\"]\nbuild = [\"{HOSTILE_TOML}\"]")),
        ("a build's output", format!("command = [\"true\"]\nbuild = [\"printf\", \"{HOSTILE_TOML} %d\", \"wrong\"]")),
        ("a word that is wrong", format!("command = [\"true\"]\ntransport = \"{HOSTILE_TOML}\"")),
        ("a name", format!("command = [\"true\"]\n\"{HOSTILE_TOML}\" = 1")),
        ("a variable", format!("command = [\"true\"]\npass_env = [\"{HOSTILE_TOML}=\"]")),
        ("a readable path", format!("command = [\"true\"]\nreadable = [\"{HOSTILE_TOML}/..\"]")),
        (
            "a bot's output",
            format!("command = [\"sh\", \"-c\", \"printf '{HOSTILE_TOML} %s' x >&2; exit 3\", \"{{port}}\"]"),
        ),
    ] {
        let arena = Arena::new(&format!("{others}[[player]]\nname = \"hostile\"\n{keys}\n"));
        let check = arena.command(&["check", "class.toml"]).output_in_time().expect("the program starts");
        let run = arena.run(&[]);
        assert_harmless(place, &[run, check]);
    }
}

#[test]
fn paths_cannot_steer_the_terminal() {
    let arena =
        Arena::new("[[player]]\nname = \"a\"\nbuiltin = \"greedy\"\n[[player]]\nname = \"b\"\nbuiltin = \"random\"\n");
    let dir = arena.path().join(HOSTILE);
    fs::create_dir(&dir).expect("made");
    fs::write(dir.join("wrong.toml"), "x = 1\n").expect("written");
    fs::write(dir.join("wrong.log"), "no log\n").expect("written");
    let toml = format!("{HOSTILE}/wrong.toml");
    let log = format!("{HOSTILE}/wrong.log");
    let log_dir = format!("{log}/x");
    for args in [
        &["check", toml.as_str()][..],
        &["run", toml.as_str()],
        &["run", "class.toml", "--out", log.as_str()],
        &["run", HOSTILE],
        &["standings", HOSTILE],
        &["standings", log.as_str()],
        &["replay", log.as_str()],
        &["replay", "--check", HOSTILE],
        &["rebuild", HOSTILE],
        &["rebuild", log.as_str()],
        &["analyze", log.as_str()],
        &["serve", "--port", "0", "--log", log_dir.as_str()],
        &["tablebase", "check", "gothello", "--table", log.as_str()],
    ] {
        let output = arena.command(args).output_in_time().expect("the program starts");
        assert_ne!(output.status.code(), Some(0), "{args:?}");
        assert_harmless(&format!("{args:?}"), &[output]);
    }
}

/// Names of [`HOSTILE`] players that look like formulas. Files from elsewhere may contain names like these.
const FORMULAS: [&str; 3] = ["=x\u{1b}[2J\u{202e}\u{200b}\nFORGED", "-9\u{1b}[2J\u{2028}x", "+7\u{1b}[2J"];

/// A list of scores of the players in [`FORMULAS`].
fn foreign_scores() -> Arena {
    let arena = Arena::new("");
    let [one, two, three] = FORMULAS;
    let rows = format!("first,second,first_score\n\"{one}\",{two},1\n{two},{three},0.5\n{three},\"{one}\",0\n");
    fs::write(arena.path().join("scores.csv"), rows).expect("written");
    arena
}

#[test]
fn names_of_a_foreign_file_cannot_steer_the_terminal() {
    let arena = foreign_scores();
    for args in [
        &[][..],
        &["--los"],
        &["--require", "nobody > 1"],
        &["--require", "sprt == H1", "--sprt", "player=nobody,elo0=0,elo1=10"],
    ] {
        let output = arena.output(&[&["standings", "scores.csv"], args].concat());
        assert_harmless(&format!("{args:?}"), &[output]);
    }
}

#[test]
fn no_name_of_a_foreign_file_becomes_a_formula() {
    let arena = foreign_scores();
    let output = arena.output(&["standings", "scores.csv", "--format", "csv", "--los"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let mut reader = csv::Reader::from_reader(&*output.stdout);
    let numbers: Vec<bool> = reader
        .headers()
        .expect("a header")
        .iter()
        .map(|name| !["player", "rests_on", "model", "prior"].contains(&name))
        .collect();
    let mut players = Vec::new();
    for row in reader.into_records().map(|row| row.expect("a row")) {
        players.push(row[1].to_owned());
        for (cell, &is_number) in row.iter().zip(&numbers) {
            assert!(!is_number || cell.is_empty() || cell.parse::<f64>().is_ok(), "{cell}");
        }
    }
    players.sort();
    let mut expected = FORMULAS.map(|name| format!("'{name}"));
    expected.sort();
    assert_eq!(players, expected);
    // Ratings below the mean are still negative numbers.
    assert!(text(&output.stdout).contains(",-"), "{}", text(&output.stdout));
}

/// A tournament of the player `player` and two others, with `keys` at the top level.
fn among_others(keys: &str, player: &str) -> Arena {
    Arena::new(&format!(
        "{keys}\n[[player]]\nname = \"one\"\nbuiltin = \"random\"\n[[player]]\nname = \"two\"\nbuiltin = \"greedy\"\n\
         [[player]]\nname = \"poor\"\n{player}\n"
    ))
}

/// The lines of `said` that contain `part`.
fn lines_with<'a>(said: &'a str, part: &str) -> Vec<&'a str> {
    said.lines().filter(|line| line.contains(part)).collect()
}

#[test]
fn a_failed_build_is_reported_once() {
    let arena = among_others(
        "rounds = 2",
        "build = [\"sh\", \"-c\", \"printf 'a.c:\\\\tno' >&2; exit 7\"]\ncommand = [\"true\"]",
    );
    let output = arena.run(&[]);
    assert_eq!(output.status.code(), Some(0));
    let said = text(&output.stderr);
    let [line] = lines_with(&said, "cannot be started and loses all its games: its build failed")[..] else {
        panic!("{said}");
    };
    assert!(line.starts_with("warning: player `poor`"), "{said}");
    assert_eq!(lines_with(&said, "`poor`").len(), 1, "{said}");
    // The compiler's tab appears as spaces.
    assert!(said.contains("  | a.c:    no"), "{said}");
    assert_eq!(arena.results().iter().filter(|row| row["termination"] == "not started").count(), 8);
}

#[test]
fn a_player_that_never_moves_is_summarized_at_the_end() {
    // A program that names its port gets its own address, which no other test uses.
    let silent = "command = [\"sh\", \"-c\", \"exit 3\", \"{port}\"]";
    let speaking =
        "command = [\"sh\", \"-c\", \"echo 'ValueError: no book' >&2; echo '  at once' >&2; exit 3\", \"{port}\"]";
    for (player, look) in [
        (silent, "it wrote nothing to stderr; run its `command` by hand"),
        (speaking, "its output on stderr is in games/r2-"),
    ] {
        let output = among_others("rounds = 2", player).run(&[]);
        let said = text(&output.stderr);
        let expected =
            "warning: player `poor` lost all its 8 games in this run without a move (no show: exited with code 3";
        let [line] = lines_with(&said, "without a move")[..] else { panic!("{said}") };
        assert!(line.starts_with(expected) && line.contains(look), "{said}");
        if player == speaking {
            assert_eq!(lines_with(&said, "last wrote: ValueError: no book (full").len(), 8, "{said}");
        }
    }
    // The summary is only about players that never made a move.
    let output = among_others("illegal_tries = 0", "command = [\"true\"]\ntransport = \"stdio\"").run(&["--quiet"]);
    assert_eq!(lines_with(&text(&output.stderr), "without a move").len(), 1);
}

#[test]
fn a_missing_hidden_file_is_reported_with_the_key_that_shows_it() {
    for way in ["A", "B", "C"].into_iter().flat_map(Way::all) {
        for (player, hidden, remedy) in [
            ("command = [\"sh\", \"bot.sh\", \"{port}\"]", "book.txt", "put the bot's files into a separate `dir`"),
            (
                "dir = \"bot\"\ncommand = [\"sh\", \"bot.sh\", \"{port}\"]",
                "models/book.txt",
                "add it to the player's `readable`",
            ),
        ] {
            let isolation = format!("isolation = \"{}\"\nvoid_retries = 0", way.isolation());
            let arena = among_others(&isolation, player);
            let path = |name: &str| arena.path().join(name);
            fs::create_dir(path("bot")).expect("made");
            fs::create_dir(path("models")).expect("made");
            let script = format!("cat {} && echo found >&2\nexit 3\n", path(hidden).display());
            for name in ["bot.sh", "bot/bot.sh", "book.txt", "models/book.txt"] {
                fs::write(path(name), &script).expect("written");
                fs::set_permissions(path(name), Permissions::from_mode(0o644)).expect("set");
            }
            for name in ["", "class.toml", "bot", "bot/bot.sh", "bot.sh", "models", "models/book.txt", "book.txt"] {
                way.user.give(&path(name));
            }
            let mut command = arena.command(&["run", "class.toml", "--out", "out"]);
            let output = way.act(&mut command, |command| command.output_in_time().expect("the program starts"));
            let said = text(&output.stderr);
            let path = path(hidden).canonicalize().expect("there");
            let expected = format!("`{}` exists, but the confined bot cannot see it: {remedy}", path.display());
            // There is one line for each game, and one in the summary.
            assert_eq!(lines_with(&said, &expected).len(), 5, "{way:?}: {said}");
            let reason = arena.record("r1-poor-one").result.expect("a result");
            assert!(reason.reason().is_some_and(|reason| reason.ends_with(&expected)), "{reason:?}");
        }
    }
}

/// The file does not exist, but that makes no difference to the bot's author: no bot could read it anyway.
#[test]
fn a_bot_that_opens_a_file_outside_is_told_that_bots_cannot_read_it() {
    for way in ["A", "B", "C"].into_iter().flat_map(Way::all) {
        let isolation = format!("isolation = \"{}\"\nvoid_retries = 0", way.isolation());
        let arena = among_others(&isolation, "dir = \"bot\"\ncommand = [\"sh\", \"bot.sh\", \"{port}\"]");
        let path = |name: &str| arena.path().join(name);
        fs::create_dir(path("bot")).expect("made");
        fs::write(path("bot/bot.sh"), "cat missing /home/gothello-nobody/book.txt\nexit 3\n").expect("written");
        for name in ["", "class.toml", "bot", "bot/bot.sh"] {
            way.user.give(&path(name));
        }
        let mut command = arena.command(&["run", "class.toml", "--out", "out"]);
        let output = way.act(&mut command, |command| command.output_in_time().expect("the program starts"));
        let said = text(&output.stderr);
        let expected = "the bot tried to open `/home/gothello-nobody/book.txt`, which bots cannot read";
        // There is one line for each game, and one in the summary.
        assert_eq!(lines_with(&said, expected).len(), 5, "{way:?}: {said}");
        let reason = arena.record("r1-poor-one").result.expect("a result");
        assert!(reason.reason().is_some_and(|reason| reason.ends_with(expected)), "{reason:?}");
    }
}

/// Whichever command is given the address, it is for the user to choose another one, so the exit code is the same.
#[test]
fn the_process_that_holds_an_address_is_named() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("an address");
    let address = taken.local_addr().expect("known");
    let greedy = "[[player]]\nname = \"a\"\nbuiltin = \"greedy\"\n[[player]]\nname = \"b\"\n";
    let arena = Arena::new(&format!("{greedy}remote = true\nlisten = \"{address}\"\n"));
    let ladder = format!("format = \"ladder\"\nladder = {{ submit = \"{address}\" }}\n{greedy}submit = true\n");
    fs::write(arena.path().join("term.toml"), ladder).expect("written");
    let (port, address_text) = (address.port().to_string(), address.to_string());
    for args in [
        &["run", "class.toml", "--out", "out"][..],
        &["run", "term.toml", "--out", "term"],
        &["run", "--web", &address_text],
        &["serve", "--port", &port, "--bind", "127.0.0.1"],
        &["play", "greedy", "--web", &address_text],
        &["check", "--listen", &address_text],
    ] {
        let output = arena.command(args).output_in_time().expect("the program starts");
        assert_eq!(output.status.code(), Some(2), "{args:?}: {}", text(&output.stderr));
        let said = text(&output.stderr);
        let holder = format!("process {})", std::process::id());
        assert!(
            said.contains(&format!("could not listen on {address} (taken by \"")) && said.contains(&holder),
            "{said}"
        );
    }
}
