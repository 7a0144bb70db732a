//! The command `submit`, with the real process of the door. The test takes the place of the arena.

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::process::Command;

use serde_json::json;

use super::submission_door::Door;
use crate::harness::arena::{program, text};
use crate::harness::waiting::{InTime as _, Owned};

/// A directory with a bot and a token.
fn bot() -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a directory");
    for (name, text) in
        [("bot/bot.py", "print()"), ("bot/.git/config", "secret"), ("token", "s3cret\n"), ("bot/t", "s3cret")]
    {
        let path = dir.path().join(name);
        fs::create_dir_all(path.parent().expect("one")).expect("made");
        fs::write(path, text).expect("written");
    }
    symlink("bot.py", dir.path().join("bot/link.py")).expect("linked");
    dir
}

fn submit(dir: &tempfile::TempDir, url: &str, args: &[&str]) -> Command {
    let mut command = Command::new(program());
    command.args(["submit", url, "bot", "--token-file", "token"]).args(args).current_dir(dir.path());
    command
}

fn started(command: &mut Command) -> Owned {
    use std::process::Stdio;

    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).start().expect("the program starts")
}

#[test]
fn a_directory_is_packed_and_sent_and_the_answer_printed() {
    let (mut door, dir) = (Door::usual(), bot());
    let url = format!("http://{}/submit/ada", door.address);
    let client = started(&mut submit(&dir, &url, &[]));
    let number = door.hear_ask();
    door.grant(number, "1-1");
    assert_eq!(door.hear(), json!({ "done": { "ticket": "1-1" } }));
    let archive = flate2::read::GzDecoder::new(File::open(door.incoming().join("1-1")).expect("there"));
    let mut archive = tar::Archive::new(archive);
    let names: Vec<String> = archive
        .entries()
        .expect("entries")
        .map(|entry| entry.expect("an entry").path().expect("valid").display().to_string())
        .collect();
    assert_eq!(names, ["bot.py", "link.py"]);
    door.answer(number, 202, "received\u{1b}[31m");
    let output = client.wait_with_output().expect("it ends");
    assert_eq!(text(&output.stdout), "received\\u{1b}[31m\n");
    assert!(
        text(&output.stderr).contains("sent 1 file, ")
            && text(&output.stderr).contains("`t` contains your token")
            && output.status.success(),
        "{output:?}"
    );
}

#[test]
fn a_refusal_is_an_error_with_the_reason_of_the_arena() {
    let (mut door, dir) = (Door::usual(), bot());
    let url = format!("http://{}/submit/ada", door.address);
    let client = started(&mut submit(&dir, &url, &[]));
    let number = door.hear_ask();
    door.answer(number, 403, "the ladder is closed");
    let output = client.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    assert_eq!(text(&output.stderr), "error: refused: the ladder is closed\n");
}

#[test]
fn a_token_does_not_pass_a_network_in_the_clear_unless_that_is_allowed() {
    let dir = bot();
    let failing = |url: &str, args: &[&str], words: &[&str], code| {
        let output = submit(&dir, url, args).output_in_time().expect("it ends");
        let stderr = text(&output.stderr);
        assert!(output.status.code() == Some(code) && words.iter().all(|word| stderr.contains(word)), "{output:?}");
        assert!(!stderr.contains("s3cret"));
    };
    // This name is reserved and never belongs to a host.
    failing("http://arena.invalid/submit/ada", &[], &["without TLS", "--plain-http"], 2);
    failing("http://arena.invalid/submit/ada", &["--plain-http"], &["cannot send the files to `arena.invalid`"], 1);
    failing("https://127.0.0.1:1/submit/ada", &[], &["cannot send the files to `127.0.0.1`"], 1);
    failing("https://ada:s3cret@arena.invalid/submit/ada", &[], &["--token-file"], 2);
    failing("https://arena.invalid/", &[], &["/submit/NAME"], 2);
    fs::write(dir.path().join("token"), "two words").expect("written");
    failing("http://127.0.0.1:1/submit/ada", &[], &["cannot read a token from `token`", "ladder token"], 2);
}
