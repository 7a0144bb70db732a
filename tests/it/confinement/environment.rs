//! The data that the arena passes to a confined bot: environments and paths may contain anything, and no other user can
//! read them.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::confinement::probes::Way;
use crate::harness::arena::{Arena, program, text};
use crate::harness::waiting::{InTime as _, LIMIT};
use std::time::Instant;

/// All ways to run an arena that confines bots on this machine.
fn ways() -> impl Iterator<Item = Way> {
    ["A", "B", "C"].into_iter().flat_map(Way::all)
}

/// A tournament between a shell script and a built-in bot, in a directory whose name is not UTF-8. `keys` are added to
/// the script's player.
fn odd_arena(way: Way, script: &str, keys: &str) -> Arena {
    let arena = Arena::new("");
    let odd = odd(&arena);
    fs::create_dir_all(odd.join("bot")).expect("made");
    let toml = format!(
        "void_retries = 0\nisolation = \"{}\"\n[[player]]\nname = \"odd\"\ndir = \"bot\"\n\
         command = [\"sh\", \"-c\", '{script}', \"{{port}}\"]\n{keys}\n[[player]]\nname = \"good\"\nbuiltin = \"random\"\n",
        way.isolation()
    );
    fs::write(odd.join("class.toml"), toml).expect("written");
    for path in [arena.path(), &odd, &odd.join("bot"), &odd.join("class.toml")] {
        way.user.give(path);
    }
    arena
}

fn odd(arena: &Arena) -> std::path::PathBuf {
    arena.path().join(OsStr::from_bytes(b"\xff\xfe class"))
}

fn run(way: Way, dir: &Path, command: &mut Command) -> Output {
    command.args(["run", "class.toml", "--out", "out"]).current_dir(dir).stdin(Stdio::null());
    way.act(command, |command| command.output_in_time().expect("the program starts"))
}

fn arena_program() -> Command {
    Command::new(program())
}

/// The bot's output to stderr in its game as black.
fn said(dir: &Path) -> Vec<u8> {
    fs::read(dir.join("out/games/r1-odd-good.black.stderr")).unwrap_or_default()
}

#[test]
fn variables_and_directories_need_not_be_utf_8() {
    for way in ways() {
        let arena = odd_arena(way, r#"printf "%s %s" "$JAVA_HOME" "$PWD" >&2"#, "");
        let dir = odd(&arena);
        let mut command = arena_program();
        command.env("JAVA_HOME", OsStr::from_bytes(b"/\xff\xfe")).env(OsStr::from_bytes(b"ODD\xff"), "1");
        let output = run(way, &dir, &mut command);
        assert_eq!(output.status.code(), Some(0), "{way:?}: {}", text(&output.stderr));
        assert!(text(&output.stderr).contains(&format!("confined by tier {}", way.tier)), "{}", text(&output.stderr));
        let expected = [b"/\xff\xfe ", dir.join("bot").canonicalize().expect("there").as_os_str().as_bytes()].concat();
        assert_eq!(said(&dir), expected, "{way:?}");
    }
}

#[test]
fn the_kernel_kills_a_bot_rather_than_the_arena_for_lack_of_memory() {
    let own = fs::read_to_string("/proc/self/oom_score_adj").expect("there");
    let own: i32 = own.trim().parse().expect("a number");
    // Without confinement, the arena changes the score of a bot that already runs.
    let script =
        format!("while read score < /proc/self/oom_score_adj && [ $score = {own} ]; do :; done; echo $score >&2");
    for way in ["A", "B", "C", "D"].into_iter().flat_map(Way::all) {
        let arena = odd_arena(way, &script, "");
        let dir = odd(&arena);
        let output = run(way, &dir, &mut arena_program());
        assert_eq!(output.status.code(), Some(0), "{way:?}: {}", text(&output.stderr));
        assert_eq!(text(&said(&dir)).trim(), (own + 500).min(1000).to_string(), "{way:?}");
    }
}

/// The key `env` with `number` variables of `length` bytes each.
fn variables(number: usize, length: usize) -> String {
    let variables = (0..number).map(|number| format!("V{number} = \"{}\"", "x".repeat(length)));
    format!("env = {{ {} }}", variables.collect::<Vec<_>>().join(", "))
}

#[test]
fn an_environment_may_be_as_large_as_the_system_allows() {
    for way in ways() {
        let arena = odd_arena(way, "printf \"%s\" \"$V0$V9\" | wc -c >&2", &variables(10, 100_000));
        let output = run(way, &odd(&arena), &mut arena_program());
        assert_eq!(output.status.code(), Some(0), "{way:?}: {}", text(&output.stderr));
        assert_eq!(text(&said(&odd(&arena))).trim(), "200000", "{way:?}: {}", text(&output.stderr));
    }
}

#[test]
fn an_environment_too_large_for_the_system_makes_games_void() {
    for way in ways() {
        // Linux does not accept a single variable of this length.
        let arena = odd_arena(way, "exit 0", &variables(1, 200_000));
        let output = run(way, &odd(&arena), &mut arena_program());
        let stderr = text(&output.stderr);
        assert_eq!(output.status.code(), Some(5), "{way:?}: {stderr}");
        for part in
            ["void, through no player's fault: player `odd`", "run the program: Argument list too long", "`env`"]
        {
            assert!(stderr.contains(part), "{way:?}: {stderr}");
        }
    }
}

/// The command lines that contain `needle`, of all running processes.
fn command_lines_with(needle: &str) -> BTreeSet<String> {
    let processes = fs::read_dir("/proc").expect("there").flatten();
    let lines = processes.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
    lines.map(|line| text(&line).replace('\0', " ")).filter(|line| line.contains(needle)).collect()
}

#[test]
fn a_bots_environment_appears_on_no_command_line() {
    for way in ways() {
        let arena = Arena::new("");
        let secret = format!("secret-of-{}", arena.path().file_name().expect("a name").display());
        let toml = format!(
            "isolation = \"{}\"\nconcurrency = 4\nrounds = 12\n[[player]]\nname = \"bot\"\n\
             command = [\"true\", \"{{port}}\"]\nenv = {{ TOKEN = \"{secret}\" }}\n\
             [[player]]\nname = \"good\"\nbuiltin = \"random\"\n",
            way.isolation()
        );
        fs::write(arena.path().join("class.toml"), toml).expect("written");
        for path in [arena.path(), &arena.path().join("class.toml")] {
            way.user.give(path);
        }
        let mut command = arena.command(&["run", "class.toml", "--out", "out"]);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let mut running = way.act(&mut command, |command| command.start().expect("the program starts"));
        let mut seen = BTreeSet::new();
        let deadline = Instant::now() + LIMIT;
        while running.try_wait().expect("asked").is_none() {
            assert!(Instant::now() < deadline, "{way:?}: the run does not end");
            seen.append(&mut command_lines_with(&secret));
        }
        assert_eq!(seen, BTreeSet::new(), "{way:?}");
        assert_eq!(arena.results().len(), 24);
    }
}
