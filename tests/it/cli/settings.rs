//! The user's file `config.toml`.

use std::fs;
use std::process::Output;

use serde_json::Value;

use crate::harness::arena::{Arena, random_and_greedy, text};
use crate::harness::waiting::InTime as _;

/// A user with this `config.toml`.
struct User(Arena);

impl User {
    fn new(config: &str) -> Self {
        let arena = Arena::new(concat!("rounds = 1\n", random_and_greedy!()));
        fs::create_dir_all(arena.path().join("config/gothello-arena")).expect("created");
        let user = Self(arena);
        user.configure(config);
        user
    }

    fn configure(&self, config: &str) {
        fs::write(self.0.path().join("config/gothello-arena/config.toml"), config).expect("written");
    }

    /// Runs the program with `args` and with these variables, as this user, outside CI.
    fn output(&self, args: &[&str], variables: &[(&str, &str)]) -> Output {
        let mut command = self.0.command(args);
        for name in ["CI", "NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
            command.env_remove(name);
        }
        command.env("XDG_CONFIG_HOME", self.0.path().join("config")).env("HOME", self.0.path());
        command.envs(variables.iter().copied()).output_in_time().expect("the program starts")
    }

    /// The value of `key` and its origin, as `doctor` shows them.
    fn setting(&self, key: &str, args: &[&str], variables: &[(&str, &str)]) -> (String, String) {
        let output = self.output(&[&["doctor", "--json"], args].concat(), variables);
        let checkup: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let values = checkup["settings"]["values"].as_array().expect("a list").clone();
        let found = values.iter().find(|value| value["key"] == key).expect("a known key");
        (found["value"].as_str().expect("text").to_owned(), found["from"].as_str().expect("text").to_owned())
    }
}

const ALL: &str = "color = \"always\"\nprogress = \"none\"\nout = \"~/mine\"\nthreads = 3\nweb = \"127.0.0.1:9\"\n";

#[test]
fn doctor_shows_each_value_and_its_origin() {
    let user = User::new(ALL);
    let of = |value: &str, origin: &str| (value.to_owned(), origin.to_owned());
    assert_eq!(user.setting("threads", &[], &[]), of("3", "file"));
    assert_eq!(user.setting("color", &[], &[]), of("always", "file"));
    assert_eq!(user.setting("color", &[], &[("NO_COLOR", "1")]), of("never", "variable"));
    assert_eq!(user.setting("progress", &[], &[("GOTHELLO_ARENA_PROGRESS", "bar")]), of("bar", "variable"));
    assert_eq!(user.setting("pager", &[], &[]), of("less", "default"));
    for (args, variables) in [(&["--no-config"][..], &[][..]), (&[], &[("CI", "true")])] {
        assert_eq!(user.setting("color", args, variables), of("auto", "default"), "{args:?}");
        assert_eq!(user.setting("out", args, variables), of("results", "default"), "{args:?}");
    }
    let shown = text(&user.output(&["doctor"], &[]).stdout);
    assert!(
        shown.contains("/config/gothello-arena/config.toml`:\n  color     always            the file\n"),
        "{shown}"
    );
}

#[test]
fn a_run_follows_the_file_unless_an_option_says_otherwise() {
    let user = User::new(ALL);
    let output = user.output(&["run", "class.toml"], &[]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(!text(&output.stderr).contains("[1/"), "no games: {}", text(&output.stderr));
    assert!(user.0.path().join("mine/class/results.csv").is_file());
    // The run is found in the directory that the file names.
    let standings = user.output(&["standings"], &[]);
    assert_eq!(standings.status.code(), Some(0), "{}", text(&standings.stderr));
    let output = user.output(&["run", "class.toml", "--progress", "counter", "--out", "other", "--color=never"], &[]);
    assert!(text(&output.stderr).contains("[1/2] "), "{}", text(&output.stderr));
    assert!(user.0.path().join("other/results.csv").is_file());
}

#[test]
fn what_a_run_plays_is_no_setting() {
    let user = User::new("");
    for key in ["isolation = \"off\"", "concurrency = 2", "rounds = 7", "seed = 1", "durability = \"fast\""] {
        user.configure(key);
        let output = user.output(&["run", "class.toml"], &[]);
        assert_eq!(output.status.code(), Some(2), "{key}");
        let said = text(&output.stderr);
        assert!(said.contains("config.toml:1:1: unknown key `") && said.contains("tip: `--no-config`"), "{said}");
        assert!(!user.0.path().join("results").exists(), "{key}");
    }
    user.configure("colour = \"never\"\nthreads = 0\n");
    let said = text(&user.output(&["perft", "2"], &[]).stderr);
    assert!(said.contains(":1:1: ") && said.contains(":2:11: "), "{said}");
    // Mistakes in the file do not affect users who ignore it, or bots and scripts.
    for args in [&["perft", "2", "--no-config"][..], &["completions", "bash"], &["--version"], &["run", "--help"]] {
        assert_eq!(user.output(args, &[]).status.code(), Some(0), "{args:?}");
    }
}

#[test]
fn a_file_that_cannot_be_read_is_an_error_with_its_name() {
    let user = User::new("");
    let file = user.0.path().join("config/gothello-arena/config.toml");
    fs::remove_file(&file).expect("removed");
    assert_eq!(user.output(&["perft", "2"], &[]).status.code(), Some(0));
    fs::create_dir(&file).expect("created");
    let output = user.output(&["perft", "2"], &[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("config.toml`"), "{}", text(&output.stderr));
}

#[test]
fn verbose_tells_what_is_used_and_changes_no_data() {
    let user = User::new(ALL);
    let (quiet, verbose) = (user.output(&["perft", "3"], &[]), user.output(&["perft", "3", "-v"], &[]));
    assert_eq!(quiet.stdout, verbose.stdout);
    assert_eq!(text(&quiet.stderr), "");
    assert!(text(&verbose.stderr).contains("using the settings in `"), "{}", text(&verbose.stderr));
    let run = user.output(&["run", "class.toml", "-v"], &[]);
    assert!(text(&run.stderr).contains("2 players and at most 2 games"), "{}", text(&run.stderr));
    assert!(text(&run.stderr).contains("reading the tournament from `class.toml`"), "{}", text(&run.stderr));
    let dir =
        text(&run.stderr).split("tables go to `").nth(1).and_then(|rest| rest.split('`').next()).map(str::to_owned);
    let dir = dir.expect("the directory of the results");
    let standings = user.output(&["standings", &dir, "-v"], &[]);
    assert!(text(&standings.stderr).contains(&format!("reading the journal `{dir}/journal.jsonl`")), "{dir}");
    let check = user.output(&["replay", "--check", &dir, "-v"], &[]);
    assert!(text(&check.stderr).contains(&format!("reading 2 logs in `{dir}`")), "{}", text(&check.stderr));
    let solve = user.output(&["solve", "--board", "b.... ..... ..... ..... ....w", "--to-move", "black", "-v"], &[]);
    assert!(text(&solve.stderr).contains("table"), "{}", text(&solve.stderr));
}
