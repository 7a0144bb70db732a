//! Imports that run at the same time as other imports, or while a run uses the files to be replaced.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};

use super::download::{BOT, everything};
use super::updates::{IMPORT, UPDATE, download};
use super::{import, imported};
use crate::harness::arena::{Ready, Running, program, text};
use crate::harness::waiting::InTime as _;

/// A class of students who hand in `bot`.
fn submitted(dir: &Path, bot: &str) {
    download(dir, &[("Ada", bot), ("Bob", bot), ("Cleo", bot), ("Dan", bot)]);
}

#[test]
fn updates_at_the_same_time_leave_a_class_that_can_be_updated() {
    for _ in 0..5 {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path();
        submitted(path, BOT);
        imported(path, &IMPORT);
        submitted(path, &(BOT.to_owned() + "depth = 4\n"));
        let start = || {
            let mut command = Command::new(program());
            command.arg("import").args(UPDATE).current_dir(path).stdin(Stdio::null());
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).start().expect("the program starts")
        };
        let all: Vec<_> = (0..4).map(|_| start()).collect();
        for one in all {
            let output = one.wait_with_output().expect("it ends");
            let said = text(&output.stderr);
            let is_refused = output.status.code() == Some(2) && said.contains("is in use by");
            assert!(output.status.code() == Some(0) || is_refused, "{}{said}", text(&output.stdout));
        }
        submitted(path, &(BOT.to_owned() + "depth = 5\n"));
        assert!(imported(path, &UPDATE).contains("4 resubmissions"));
        assert!(imported(path, &UPDATE).contains("nothing has changed"));
    }
}

#[test]
fn an_update_names_the_import_that_is_under_way() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path();
    submitted(path, BOT);
    imported(path, &IMPORT);
    let class = File::open(path.join("class")).expect("there");
    class.try_lock().expect("free");
    let output = import(path, &UPDATE);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains(&format!("(process {})", std::process::id())) && said.contains("`class`"), "{said}");
    drop(class);
    assert!(imported(path, &UPDATE).contains("nothing has changed"));
}

#[test]
fn an_update_replaces_nothing_that_is_being_played_and_takes_over_the_rest() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path();
    let script = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bots/misbehave.py"));
    let script = script
        .expect("there")
        .replace("mode, side, host, port = sys.argv[1:5]", "mode, side, host, port = \"held\", *sys.argv[1:4]");
    submitted(path, &script);
    imported(path, &IMPORT);
    let class = "concurrency = 1\npass_env = [\"READY\"]\n[[player]]\nname = \"Ada\"\ndir = \"bots/ada\"\ncommand = [\"python3\", \"bot.py\", \
                 \"{side}\", \"{host}\", \"{port}\"]\n[[player]]\nname = \"random\"\nbuiltin = \"random\"\n";
    fs::write(path.join("class/played.toml"), class).expect("written");
    let ready = Ready::new();
    let mut command = Command::new(program());
    command.args(["run", "class/played.toml", "--out", "out", "--isolation", "off"]).current_dir(path);
    command.env("READY", ready.port().to_string()).env("PYTHONDONTWRITEBYTECODE", "1");
    let running: Running = crate::harness::arena::Arena::started(command.stdin(Stdio::null()).stdout(Stdio::null()));
    let (_, held) = ready.next();
    submitted(path, &(script + "# newer\n"));
    let played = everything(&path.join("class/bots/ada"));
    let output = import(path, &UPDATE);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("`bots/ada` is in use by") && said.contains("run class/played.toml"), "{said}");
    assert!(said.contains(&format!("(process {})", running.child.id())), "{said}");
    assert_eq!(everything(&path.join("class/bots/ada")), played);
    // The import replaces the other three.
    assert!(text(&output.stdout).contains("3 resubmissions"), "{}", text(&output.stdout));
    let is_newer = |name: &str| {
        fs::read_to_string(path.join("class/bots").join(name).join("bot.py")).expect("there").ends_with("# newer\n")
    };
    assert_eq!(["ada", "bob", "cleo", "dan"].map(is_newer), [false, true, true, true]);
    let page = fs::read_to_string(path.join("class/IMPORT.md")).expect("there");
    assert!(page.contains("is in use by"), "{page}");
    drop(held);
    drop(ready.next());
    let (code, stderr) = running.end();
    assert_eq!(code, Some(0), "{stderr}");
    let said = imported(path, &UPDATE);
    assert!(said.contains("the games of 1 resubmission again"), "{said}");
    assert!(is_newer("ada"));
}

#[test]
fn what_a_killed_update_has_left_goes_with_the_next() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path();
    submitted(path, BOT);
    imported(path, &IMPORT);
    let class = path.join("class");
    let before = everything(&class);
    // The id of a killed process may have been reused for another process, such as this one.
    let left = class.join(format!(".arena-{}-0.tmp", std::process::id()));
    fs::create_dir_all(left.join("bots/ada")).expect("made");
    fs::write(class.join(".arena-x7Ghq2.tmp"), "half a roster").expect("written");
    // As long as the class is locked, no other import touches the leftovers.
    let held = File::open(&class).expect("there");
    held.try_lock().expect("free");
    assert_eq!(import(path, &UPDATE).status.code(), Some(2));
    assert!(left.exists());
    drop(held);
    imported(path, &UPDATE);
    assert!(!left.exists());
    assert_eq!(everything(&class), before);
}
