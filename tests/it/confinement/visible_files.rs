//! The parts of the arena that a bot can see: files, and the environment of the user who runs the arena.

use std::collections::BTreeSet;
use std::fs::{self, Permissions};
use std::net::TcpListener;
use std::os::unix::fs::{PermissionsExt, symlink};

use gothello_arena::host::program::INHERITED;

use crate::confinement::probes::Way;
use crate::harness::arena::{Arena, text};
use crate::harness::waiting::InTime as _;

/// A bot that prints its environment to stderr and exits.
const TELLTALE: &str = r#"
    isolation = "@isolation"
    pass_env = ["ARENA_MODEL"]
    [[player]]
    name = "telltale"
    command = ["sh", "-c", "env >&2"]
    transport = "stdio"
    env = { LEVEL = "3", LC_TIME = "own" }
    pass_env = ["ARENA_TABLE", "ARENA_UNSET"]
    [[player]]
    name = "greedy"
    builtin = "greedy"
"#;

/// The environment of a bot whose arena runs under `way` with the variables `own`, as names and values.
fn environment_of_a_bot(way: Way, own: &[(&str, &str)]) -> Vec<(String, String)> {
    let arena = Arena::new(&TELLTALE.replace("@isolation", way.isolation()));
    for path in [arena.path(), &arena.path().join("class.toml")] {
        way.user.give(path);
    }
    let mut command = arena.command(&["run", "class.toml", "--out", "out"]);
    command.envs(own.iter().copied());
    let output = way.act(&mut command, |command| command.output_in_time().expect("the program starts"));
    assert_eq!(output.status.code(), Some(0), "{way:?}: {}", text(&output.stderr));
    let said =
        fs::read_to_string(arena.out().join("games/r1-telltale-greedy.black.stderr")).expect("stderr of the bot");
    said.lines().filter_map(|line| line.split_once('=')).map(|(name, value)| (name.into(), value.into())).collect()
}

#[test]
fn no_bot_sees_the_secrets_of_the_user_who_runs_the_arena() {
    let own = [
        ("SSH_AUTH_SOCK", "/run/agent"),
        ("GITHUB_TOKEN", "secret"),
        ("AWS_SECRET_ACCESS_KEY", "secret"),
        ("MAKEFLAGS", "-j"),
        ("LC_TIME", "C"),
        ("LC_NUMERIC", "C"),
        ("TZ", "Europe/Berlin"),
        ("JAVA_HOME", "/opt/jdk"),
        ("ARENA_MODEL", "a"),
        ("ARENA_TABLE", "b"),
        ("ARENA_OTHER", "c"),
    ];
    for way in ["A", "B", "C", "D"].into_iter().flat_map(Way::all) {
        let found = environment_of_a_bot(way, &own);
        let value = |name: &str| found.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str());
        let expected = [
            ("LC_TIME", "own"),
            ("LC_NUMERIC", "C"),
            ("TZ", "Europe/Berlin"),
            ("JAVA_HOME", "/opt/jdk"),
            ("ARENA_MODEL", "a"),
            ("ARENA_TABLE", "b"),
            ("LEVEL", "3"),
            ("GOTHELLO_SIDE", "black"),
            ("GOTHELLO_NAME", "telltale"),
        ];
        for (name, expected) in expected {
            assert_eq!(value(name), Some(expected), "{way:?}: {name}");
        }
        // The last three come from the shell.
        let known = ["LEVEL", "ARENA_MODEL", "ARENA_TABLE", "HOME", "TMPDIR", "PWD", "SHLVL", "_", "OLDPWD"];
        let known: BTreeSet<&str> = INHERITED.into_iter().chain(known).collect();
        let strange: Vec<_> = found
            .iter()
            .filter(|(name, _)| !known.contains(name.as_str()))
            .filter(|(name, _)| !name.starts_with("LC_") && !name.starts_with("GOTHELLO_"))
            .collect();
        assert!(strange.is_empty(), "{way:?}: {strange:?}");
    }
}

/// A bot without a `dir`, which tries to reach the files around it, and its rival.
const CURIOUS: &str = r#"
    isolation = "@isolation"
    # the tokens of all players
    [[player]]
    name = "curious"
    command = ["bin/curious", "book"]
    transport = "stdio"
    [[player]]
    name = "rival"
    dir = "bots/rival"
    command = ["sh", "bot.sh"]
    transport = "stdio"
"#;

/// Tries to reach files from the bot's working directory, and reports the results on stderr.
const REACH: &str = "#!/bin/sh
for file in bin/curious book class.toml ./out/journal.jsonl bots/rival/bot.sh bin/other; do
    cat \"$file\" > /dev/null 2>&1 && echo \"got $file\" >&2
done
echo done >&2
";

#[test]
fn a_program_in_the_tournaments_directory_sees_nothing_beside_it() {
    for way in ["A", "B", "C"].into_iter().flat_map(Way::all) {
        let arena = Arena::new(&CURIOUS.replace("@isolation", way.isolation()));
        let path = |name: &str| arena.path().join(name);
        fs::create_dir_all(path("bots/rival")).expect("made");
        fs::create_dir(path("bin")).expect("made");
        let files = [("bin/curious", REACH), ("bin/other", ""), ("book", ""), ("bots/rival/bot.sh", "exit 0\n")];
        for (name, content) in files {
            fs::write(path(name), content).expect("written");
            fs::set_permissions(path(name), Permissions::from_mode(0o755)).expect("set");
        }
        let all = ["", "class.toml", "bin", "bin/curious", "bin/other", "book", "bots", "bots/rival"];
        for name in all.into_iter().chain(["bots/rival/bot.sh"]) {
            way.user.give(&path(name));
        }
        let mut command = arena.command(&["run", "class.toml", "--out", "out"]);
        let output = way.act(&mut command, |command| command.output_in_time().expect("the program starts"));
        assert_eq!(output.status.code(), Some(0), "{way:?}: {}", text(&output.stderr));
        let said =
            fs::read_to_string(arena.out().join("games/r1-curious-rival.black.stderr")).expect("stderr of the bot");
        assert_eq!(said, "got bin/curious\ngot book\ndone\n", "{way:?}");
    }
}

/// A bot that communicates over pipes, and tries to connect to `@port` on loopback.
const CALLER: &str = r#"
    isolation = "@isolation"
    [[player]]
    name = "caller"
    command = ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/@port; echo \"ended with $?\" >&2"]
    transport = "stdio"
    [[player]]
    name = "greedy"
    builtin = "greedy"
"#;

/// A bot over pipes has no seat to connect to. Tier C confines it without a network namespace, so there Landlock alone
/// refuses the connection.
#[test]
fn a_bot_over_pipes_connects_to_nothing_on_loopback() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("bound");
    listener.set_nonblocking(true).expect("set");
    let port = listener.local_addr().expect("bound").port().to_string();
    for way in ["A", "B", "C", "D"].into_iter().flat_map(Way::all) {
        let arena = Arena::new(&CALLER.replace("@isolation", way.isolation()).replace("@port", &port));
        for path in [arena.path(), &arena.path().join("class.toml")] {
            way.user.give(path);
        }
        let mut command = arena.command(&["run", "class.toml", "--out", "out"]);
        let output = way.act(&mut command, |command| command.output_in_time().expect("the program starts"));
        assert_eq!(output.status.code(), Some(0), "{way:?}: {}", text(&output.stderr));
        let said =
            fs::read_to_string(arena.out().join("games/r1-caller-greedy.black.stderr")).expect("it said something");
        assert_eq!(said.contains("ended with 0"), way.tier == "D", "{way:?}: {said}");
        assert!(said.contains("ended with "), "{way:?}: {said}");
        let is_reached = listener.incoming().next().is_some_and(|stream| stream.is_ok());
        assert_eq!(is_reached, way.tier == "D", "{way:?}: {said}");
    }
}

/// The message with which the program refuses `args` as a usage error.
fn complaint(arena: &Arena, args: &[&str]) -> String {
    let output = arena.command(args).output_in_time().expect("the program starts");
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
    text(&output.stderr)
}

#[test]
fn no_link_leads_a_bot_to_the_tournament_file() {
    let player = |keys: &str| {
        format!("[[player]]\nname = \"greedy\"\nbuiltin = \"greedy\"\n[[player]]\nname = \"alice\"\n{keys}\n")
    };
    for (keys, place, what) in [
        ("dir = \"bots/link\"\ncommand = [\"env\"]", "6:7", "`dir`: the bot could read everything in `bots/link`"),
        ("dir = \"@here\"\ncommand = [\"env\"]", "6:7", "`dir`: the bot could read everything in"),
        ("command = [\"env\"]\nreadable = [\"a\", \"bots/link\"]", "7:18", "`readable`: the bot could read everything"),
        ("command = [\"cat\", \"bots/file\"]", "6:19", "`command`: `bots/file` is this tournament file"),
        (
            "command = [\"cat\"]\nreadable = [\"class.toml\"]",
            "7:13",
            "`readable`: `class.toml` is this tournament file",
        ),
    ] {
        let arena = Arena::new("");
        let here = arena.path().display().to_string();
        fs::create_dir(arena.path().join("bots")).expect("made");
        symlink("..", arena.path().join("bots/link")).expect("linked");
        symlink("../class.toml", arena.path().join("bots/file")).expect("linked");
        fs::write(arena.path().join("class.toml"), player(&keys.replace("@here", &here))).expect("written");
        // The validity of a file does not depend on the command line.
        for args in [&["check", "class.toml"][..], &["run", "class.toml", "--isolation", "off"]] {
            let said = complaint(&arena, args);
            assert!(said.starts_with(&format!("error: class.toml:{place}: {what}")), "{keys}: {said}");
        }
        assert!(!arena.path().join("results").exists());
    }
}

#[test]
fn results_never_go_where_a_bot_can_read_them() {
    let arena = Arena::new(
        "[[player]]\nname = \"greedy\"\nbuiltin = \"greedy\"\n\
         [[player]]\nname = \"alice\"\ndir = \"bot\"\ncommand = [\"true\"]\n\
         [[player]]\nname = \"bob\"\nreadable = [\"data\"]\ncommand = [\"true\"]\n",
    );
    fs::create_dir(arena.path().join("bot")).expect("made");
    symlink("bot", arena.path().join("link")).expect("linked");
    for (out, player, key) in [("bot", "alice", "dir"), ("link/a/b", "alice", "dir"), ("data/x", "bob", "readable")] {
        let said = complaint(&arena, &["run", "class.toml", "--out", out]);
        let expected = format!("player `{player}` could read the results: `{out}` is in its `{key}`");
        assert!(said.contains(&expected), "{said}");
    }
    assert_eq!(fs::read_dir(arena.path().join("bot")).expect("read").count(), 0);
    let said = complaint(&arena, &["run", "class.toml", "--out", "/usr/share/none"]);
    assert!(
        said.contains("every bot may read `/usr`, so neither the tournament file nor the results can be there"),
        "{said}"
    );
}
