//! What a bot gets to see of the arena: the environment of who runs it.

use std::collections::BTreeSet;
use std::fs;

use gothello_arena::program::INHERITED;

use crate::arena::{Arena, text};
use crate::probes::Way;

/// A bot that writes its environment to stderr and exits.
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

/// The environment of a bot whose arena runs in this way with the variables of `own`, as names and values.
fn environment_of_a_bot(way: Way, own: &[(&str, &str)]) -> Vec<(String, String)> {
    let arena = Arena::new(&TELLTALE.replace("@isolation", way.isolation()));
    for path in [arena.path(), &arena.path().join("class.toml")] {
        way.user.give(path);
    }
    let mut command = arena.command(&["run", "class.toml", "--out", "out"]);
    command.envs(own.iter().copied());
    let output = way.act(&mut command, |command| command.output().expect("the program starts"));
    assert_eq!(output.status.code(), Some(0), "{way:?}: {}", text(&output.stderr));
    let said =
        fs::read_to_string(arena.out().join("games/r1-telltale-greedy.black.stderr")).expect("it said something");
    said.lines().filter_map(|line| line.split_once('=')).map(|(name, value)| (name.into(), value.into())).collect()
}

#[test]
fn secrets_of_who_runs_the_arena_reach_no_bot() {
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
        // The shell sets the last three.
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
