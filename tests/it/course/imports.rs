//! `import` turns submissions into a tournament, and no submission can cause harm.

mod class_of_80;
mod courses;
mod download;
mod hostile_archives;
mod layouts;
mod side_by_side;
mod updates;

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use gothello_arena::course::roster::{Roster, RosterEntry};
use gothello_arena::tournament::{PlayerKind, Tournament};

use crate::harness::arena::{program, text};
use crate::harness::waiting::InTime as _;

/// Runs `import` with `args` in the directory `dir`.
fn import(dir: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(program());
    command.arg("import").args(args).current_dir(dir).stdin(Stdio::null());
    command.output_in_time().expect("the program starts")
}

/// Runs `import`, which has to succeed, and returns its output.
fn imported(dir: &Path, args: &[&str]) -> String {
    let output = import(dir, args);
    assert_eq!(output.status.code(), Some(0), "{args:?}: {}{}", text(&output.stdout), text(&output.stderr));
    text(&output.stdout).clone()
}

/// The roster in `class` below `dir`.
fn roster(dir: &Path) -> Roster {
    Roster::parse(&fs::read(dir.join("class/import.json")).expect("written")).expect("a roster")
}

/// The submission of the student `full_name`.
fn of<'r>(roster: &'r Roster, full_name: &str) -> &'r RosterEntry {
    let found = roster.submissions.iter().find(|entry| entry.full_name == full_name);
    found.unwrap_or_else(|| panic!("no submission of {full_name}: {roster:?}"))
}

/// The class.toml in `class` below `dir`.
fn class_toml(dir: &Path) -> String {
    fs::read_to_string(dir.join("class/class.toml")).expect("written")
}

/// The directory, the build (if any) and the command of the player `name` in class.toml.
fn command(class_toml: &str, name: &str) -> String {
    let tournament =
        Tournament::parse(class_toml, "class").unwrap_or_else(|problems| panic!("{problems}\n{class_toml}"));
    let player = tournament.players.iter().find(|player| player.name.as_str() == name);
    match player.map(|player| &player.kind) {
        Some(PlayerKind::Program(program)) => {
            let words: Vec<String> = program.command.iter().map(ToString::to_string).collect();
            let build = program.build.as_ref().map(|build| format!("[{}] ", build.join(" "))).unwrap_or_default();
            let dir = program.dir.as_ref().expect("a directory").display().to_string();
            format!("{}> {build}{}", dir.trim_start_matches("bots/"), words.join(" "))
        }
        _ => "none".to_owned(),
    }
}
