//! Host names that are hard-coded in bots: they lead to the bot's own seat and nowhere else.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::confinement::probes::Way;
use crate::harness::arena::{Arena, text};
use crate::harness::skipping::{Need, skipped};
use crate::harness::waiting::InTime as _;

/// The name that is hard-coded in the bots. It is reserved and never resolves (RFC 2606).
const NAME: &str = "barton.invalid";

/// The path of the system's own Python, which ordinary users can run.
const PYTHON: &str = "/usr/bin/python3";

/// All ways to run an arena in which bots have their own namespaces.
fn ways() -> impl Iterator<Item = Way> {
    ["A", "B"].into_iter().flat_map(Way::all)
}

/// An arena for `toml`, whose directory `bot` contains the file `name` with this `content`.
fn arena(way: Way, toml: &str, name: &str, content: &str) -> Arena {
    let arena = Arena::new(&format!("isolation = \"{}\"\nhello_timeout = \"60s\"\n{toml}", way.isolation()));
    let bot = arena.path().join("bot");
    fs::create_dir(&bot).expect("made");
    fs::write(bot.join(name), content).expect("written");
    for path in [arena.path(), &arena.path().join("class.toml"), &bot, &bot.join(name)] {
        way.user.give(path);
    }
    arena
}

fn run(way: Way, arena: &Arena) -> Output {
    let mut command = arena.command(&["run", "class.toml", "--out", "out"]);
    let output = way.act(&mut command, |command| command.output_in_time().expect("the program starts"));
    assert_eq!(output.status.code(), Some(0), "{way:?}: {}", text(&output.stderr));
    output
}

/// The stderr output of the bot that played `side` in the game `game`.
fn said(arena: &Arena, game: &str, side: &str) -> String {
    fs::read_to_string(arena.out().join(format!("games/{game}.{side}.stderr"))).unwrap_or_default()
}

/// Creates an arena with the Python starter in the directory `bot`.
fn with_starter(way: Way, toml: &str) -> Arena {
    let text = |file: &str| {
        let starter = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/python/bot");
        fs::read_to_string(starter.join(file)).expect("there")
    };
    let arena = arena(way, toml, "bot.py", &text("bot.py"));
    for module in ["rules.py", "gothello_client.py"] {
        let path = arena.path().join("bot").join(module);
        fs::write(&path, text(module)).expect("written");
        way.user.give(&path);
    }
    arena
}

#[test]
fn a_bot_with_a_host_written_into_it_plays_where_the_host_is_its_seat() {
    let player = |name: &str, keys: &str| {
        format!(
            "[[player]]\nname = \"{name}\"\ndir = \"bot\"\ncommand = [\"{PYTHON}\", \"bot.py\", \"{{side}}\", \"{NAME}\", \"0\"]\n{keys}\n"
        )
    };
    let toml = player("finch", &format!("hosts = [\"{NAME}\"]")) + &player("heron", "");
    for way in ways() {
        let toml = toml.clone() + "[[player]]\nname = \"good\"\nbuiltin = \"random\"\n";
        let arena = with_starter(way, &toml);
        let output = run(way, &arena);
        assert!(!text(&output.stderr).contains("`hosts`"), "{way:?}: {}", text(&output.stderr));
        for row in arena.results() {
            let has_heron = [&row["black"], &row["white"]].contains(&&"heron".to_owned());
            assert_eq!(row["termination"], if has_heron { "no show" } else { "normal" }, "{way:?}: {row:?}");
            // The host name of the opponent's seat does not resolve for the other bot.
            let heron_is_black = row["black"] == "heron";
            assert!(!has_heron || (row["at_fault"] == "black") == heron_is_black, "{way:?}: {row:?}");
            if has_heron {
                let said = said(&arena, &row["game"], if heron_is_black { "black" } else { "white" });
                assert!(said.contains("gaierror"), "{way:?}: {said}");
            }
        }
        assert_eq!(arena.results().len(), 6);
    }
}

/// Looks up names in several ways, and prints each result to stderr.
const CURIOUS: &str = r#"
import os, pwd, socket, subprocess, sys
def ask(what, look_up):
    try:
        found = look_up()
    except OSError as error:
        found = type(error).__name__
    print(f"{what}: {found}", file=sys.stderr)
name = sys.argv[1]
own = os.uname().nodename
addresses = lambda name, family: sorted({info[4][0] for info in socket.getaddrinfo(name, 29068, family)})
ask("any family", lambda: addresses(name, 0))
ask("upper case", lambda: addresses(name.upper(), 0))
ask("IPv6", lambda: addresses(name, socket.AF_INET6))
ask("gethostbyname", lambda: socket.gethostbyname(name))
ask("getent", lambda: subprocess.run(["getent", "ahosts", name], capture_output=True, text=True).stdout.split()[:1])
ask("hosts file", lambda: [line.split()[0] for line in open("/etc/hosts") if name in line.split()[1:]])
ask("localhost", lambda: addresses("localhost", 0))
ask("own name", lambda: addresses(own, 0))
ask("reverse", lambda: socket.gethostbyaddr("127.0.0.1")[0])
ask("another", lambda: addresses("other." + name, 0))
ask("user", lambda: pwd.getpwuid(0).pw_name)
ask("certificates", lambda: len(os.listdir("/etc")) >= int(sys.argv[2]))
for path in ["/etc/hosts", "/etc/nsswitch.conf", "/etc/new"]:
    ask(path, lambda: open(path, "a"))
"#;

#[test]
fn every_way_to_look_a_name_up_leads_to_the_loopback() {
    let entries = fs::read_dir("/etc").expect("there").count();
    let toml = format!(
        "[[player]]\nname = \"curious\"\ndir = \"bot\"\ncommand = [\"{PYTHON}\", \"bot.py\", \"{NAME}\", \"{entries}\"]\n\
         hosts = [\"games\", \"{}\"]\n[[player]]\nname = \"good\"\nbuiltin = \"random\"\n",
        NAME.to_uppercase()
    );
    for way in ways() {
        let arena = arena(way, &toml, "bot.py", CURIOUS);
        run(way, &arena);
        let said = said(&arena, "r1-curious-good", "black");
        let expected = [
            "any family: ['127.0.0.1']",
            "upper case: ['127.0.0.1']",
            "IPv6: gaierror",
            "gethostbyname: 127.0.0.1",
            "getent: ['127.0.0.1']",
            "hosts file: ['127.0.0.1']",
            "localhost: ['127.0.0.1']",
            "own name: ['127.0.0.1']",
            "reverse: localhost",
            "another: gaierror",
            "user: root",
            "certificates: True",
        ];
        let lines: Vec<&str> = said.lines().collect();
        assert_eq!(lines[..expected.len()], expected, "{way:?}");
        // A bot can change neither these files nor their directory.
        for line in &lines[expected.len()..] {
            assert!(line.ends_with(": PermissionError") || line.ends_with(": OSError"), "{way:?}: {said}");
        }
        assert_eq!(lines.len(), expected.len() + 3, "{way:?}: {said}");
    }
}

#[test]
fn a_build_does_not_know_its_players_hosts() {
    let toml = format!(
        "[[player]]\nname = \"finch\"\ndir = \"bot\"\nhosts = [\"{NAME}\"]\n\
         build = [\"sh\", \"-c\", \"getent hosts {NAME} > found || echo nothing > found\"]\n\
         command = [\"sh\", \"-c\", \"getent hosts {NAME} >&2\"]\n[[player]]\nname = \"good\"\nbuiltin = \"random\"\n"
    );
    for way in ways() {
        let arena = arena(way, &toml, "source", "");
        run(way, &arena);
        assert_eq!(fs::read_to_string(arena.path().join("bot/found")).expect("made"), "nothing\n", "{way:?}");
        assert!(said(&arena, "r1-finch-good", "black").starts_with("127.0.0.1"), "{way:?}");
    }
}

/// Whether `program` is installed. If not, reports that the test is skipped.
fn is_installed(program: &str) -> bool {
    let status = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status_in_time();
    let is_installed = status.is_ok_and(|status| status.success());
    if !is_installed {
        skipped(Need::Languages, format_args!("`{program}` is not installed"));
    }
    is_installed
}

#[test]
fn runtimes_with_resolvers_of_their_own_find_the_seat() {
    for (program, source, player) in [
        ("node", "passing.js", "command = [\"node\", \"passing.js\", \"{side}\"]"),
        (
            "javac",
            "Passing.java",
            "build = [\"javac\", \"Passing.java\"]\ncommand = [\"java\", \"Passing\", \"{side}\"]",
        ),
    ] {
        if !is_installed(program) {
            continue;
        }
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bots").join(source);
        let content = fs::read_to_string(path).expect("there");
        assert!(content.contains("\"localhost\""), "{source}");
        let content = content.replace("\"localhost\"", &format!("\"{NAME}\""));
        let toml = format!(
            "[[player]]\nname = \"finch\"\ndir = \"bot\"\nhosts = [\"{NAME}\"]\n{player}\n\
             [[player]]\nname = \"good\"\nbuiltin = \"random\"\n"
        );
        for way in Way::all("A") {
            let arena = arena(way, &toml, source, &content);
            run(way, &arena);
            assert!(arena.results().iter().all(|row| row["termination"] == "normal"), "{:?}", arena.results());
        }
    }
}

#[test]
fn where_names_lead_nowhere_the_arena_says_so_before_the_first_game() {
    let toml = format!(
        "[[player]]\nname = \"finch\"\ndir = \"bot\"\nhosts = [\"games\", \"{NAME}\"]\n\
         command = [\"{PYTHON}\", \"bot.py\", \"{{side}}\", \"{NAME}\", \"0\"]\n[[player]]\nname = \"good\"\nbuiltin = \"random\"\n"
    );
    for way in ["C", "D"].into_iter().flat_map(Way::all) {
        let arena = with_starter(way, &toml);
        let stderr = text(&run(way, &arena).stderr);
        let why = if way.tier == "C" { "tier C is in force" } else { "bots are not confined" };
        let expected = format!("`hosts` of player `finch` needs confinement by tier A or B, but {why}");
        let (at, first_game) = (stderr.find(&expected), stderr.find("r1-"));
        assert!(at.is_some() && at < first_game, "{way:?}: {stderr}");
        assert!(stderr.contains(&format!("resolves `games`, `{NAME}` to 127.0.0.1")), "{way:?}: {stderr}");
        assert!(arena.results().iter().all(|row| row["termination"] == "no show"), "{way:?}: {:?}", arena.results());
    }
}

#[test]
fn check_names_the_hosts_and_says_where_they_lead_nowhere() {
    let toml = |isolation: &str| {
        format!(
            "isolation = \"{isolation}\"\n[[player]]\nname = \"finch\"\ncommand = [\"true\"]\nhosts = [\"games\", \"{NAME}\"]\n\
             [[player]]\nname = \"good\"\nbuiltin = \"random\"\n"
        )
    };
    for (isolation, says_so) in [("auto", false), ("off", true)] {
        let output = Arena::new(&toml(isolation)).output(&["check", "class.toml"]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        assert!(
            text(&output.stdout).contains(&format!(", with its seat at games, {NAME}, ")),
            "{}",
            text(&output.stdout)
        );
        assert_eq!(text(&output.stderr).contains("`hosts` of player `finch` needs confinement"), says_so);
    }
}
