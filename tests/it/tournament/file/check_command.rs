//! The command `check`, which reports whether a file is valid.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::{TWO, third};
use crate::harness::arena::program;
use crate::harness::waiting::InTime as _;

/// Runs `gothello-arena check FILE`. Returns the exit code, stdout and stderr.
fn check(file: Option<&Path>) -> (Option<i32>, String, String) {
    let output = Command::new(program()).arg("check").args(file).output_in_time().unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn check_describes_the_embedded_tournament() {
    let (code, stdout, stderr) = check(None);
    assert_eq!((code, stderr.as_str()), (Some(0), ""));
    assert!(
        stdout.contains("4 players, round-robin, 5 rounds, 60 games")
            && stdout.contains("built in: alphabeta, depth 3")
    );
}

#[test]
fn check_exits_with_2_for_an_invalid_file() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("t.toml");
    fs::write(&file, format!("seeed = 3\nrounds = 0{TWO}")).unwrap();
    let (code, stdout, stderr) = check(Some(&file));
    assert_eq!((code, stdout.as_str()), (Some(2), ""));
    let shown = file.display();
    assert_eq!(
        stderr,
        format!(
            "error: {shown}:1:1: unknown key `seeed`: did you mean `seed`?\n\
             error: {shown}:2:10: `rounds`: `0` is out of range (1 to 1000000)\n"
        )
    );
    assert_eq!(check(Some(&dir.path().join("none.toml"))).0, Some(2));
}

#[test]
fn check_exits_with_3_if_a_program_is_missing() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("t.toml");
    // The program of a player with a build may be missing until the build has run, but its directory may not.
    let players = third("command = [\"sh\", \"bot.sh\", \"-x\"]")
        + "[[player]]\nname = \"built\"\nbuild = [\"sh\", \"-c\", \"make\"]\ncommand = [\"./none\"]\n\
           [[player]]\nname = \"gone\"\ncommand = [\"./none\"]\n\
           [[player]]\nname = \"nowhere\"\ndir = \"no\"\ncommand = [\"sh\"]\n\
           [[player]]\nname = \"unbuilt\"\nbuild = [\"./no-make\"]\ncommand = [\"./none\"]\n\
           [[player]]\nname = \"remote\"\nremote = true\ntoken = \"hushhush\"\n";
    fs::write(&file, format!("listen = \"127.0.0.1:29095\"\n{players}")).unwrap();
    let (code, stdout, stderr) = check(Some(&file));
    assert_eq!(code, Some(3), "{stderr}");
    // The arena can only guess which argument of an interpreter is the script, so this is only a hint.
    let hint = format!("`bot.sh` is not in `{}`, the directory in which `sh bot.sh -x` starts", dir.path().display());
    assert_eq!(stderr.lines().filter(|line| line.ends_with(&hint)).count(), 1, "{stderr}");
    let at_fault: Vec<&str> =
        stderr.lines().filter(|line| !line.ends_with(&hint)).map(|line| line.split('`').nth(1).unwrap()).collect();
    assert_eq!(at_fault, ["gone", "nowhere", "unbuilt"], "{stderr}");
    assert!(stderr.contains(&format!("{}/none: no such file", dir.path().display())), "{stderr}");
    assert!(
        stdout.contains("sh bot.sh -x, sha256 ") && stdout.contains("by name and token on 127.0.0.1:29095"),
        "{stdout}"
    );
    assert!(!stdout.contains("hush") && !stderr.contains("hush"));
    assert!(stderr.contains(&format!("player `c`: {hint}\n")), "{stderr}");
    let line = |player: &str| stdout.lines().find(|line| line.contains(player)).expect("a line");
    assert!(line("sh bot.sh").ends_with("(a file named in its command does not exist)"), "{stdout}");
    assert!(line("gone").ends_with("cannot be run") && line("nowhere").ends_with("cannot be run"), "{stdout}");
    // If stdout and stderr are the same terminal, the list of players comes before the problems with the players.
    let mut shell = Command::new("sh");
    shell.args(["-c", "\"$0\" check \"$1\" 2>&1", program()]).arg(&file);
    let both = String::from_utf8(shell.output_in_time().unwrap().stdout).unwrap();
    assert_eq!(both, stdout + &stderr);
}
