//! Tests of whole ladders: versions arrive, are checked, play, and are graded.

mod doors;
mod ends;
mod kills;
mod submission_door;
mod submitting;
mod term;

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::harness::arena::{Arena, program, text};
use crate::harness::waiting::{LIMIT, until_within};

/// A ladder of `greedy` and the players in `players`. Its games take almost no time.
pub(crate) fn ladder(keys: &str, players: &str) -> Arena {
    let arena = Arena::new(&format!(
        "format = \"ladder\"\nisolation = \"off\"\nconcurrency = 1\n{keys}\n\
         [[player]]\nname = \"greedy\"\nbuiltin = \"greedy\"\n{players}"
    ));
    fs::create_dir(arena.path().join("in")).expect("made");
    arena
}

/// The TOML table of a player that hands in its versions through the folder `in/NAME`, and plays as the built-in bot
/// `bot`.
pub(crate) fn folder_player(name: &str, bot: &str) -> String {
    let program = program();
    format!(
        "[[player]]\nname = \"{name}\"\nfolder = \"in/{name}\"\n\
         command = [\"{program}\", \"bot\", \"{bot}\", \"--side\", \"{{side}}\", \"--host\", \"{{host}}\", \"--port\", \"{{port}}\", \
         \"--seed\", \"{{seed}}\"]\n"
    )
}

/// Puts a file into the folder of the player `name`, which creates another version.
pub(crate) fn hand_in(arena: &Arena, name: &str, content: &str) {
    let folder = arena.path().join("in").join(name);
    fs::create_dir_all(&folder).expect("made");
    fs::write(folder.join("notes.txt"), content).expect("written");
}

/// The lines of the journal, as JSON.
pub(crate) fn journal(out: &Path) -> Vec<Value> {
    let text = fs::read_to_string(out.join("journal.jsonl")).unwrap_or_default();
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// Waits until the journal contains a line of this `kind` for which `is_it` is true. A check takes most of a minute,
/// because it waits for slow moves on purpose.
#[track_caller]
pub(crate) fn entered(out: &Path, kind: &str, is_it: impl Fn(&Value) -> bool) -> Value {
    until_within(LIMIT, &format!("a line `{kind}` in the journal"), || {
        journal(out).into_iter().filter_map(|line| line.get(kind).cloned()).find(|entry| is_it(entry))
    })
}

/// The object that `ladder status --json` prints.
#[track_caller]
pub(crate) fn status(arena: &Arena) -> Value {
    let printed = arena.output(&["ladder", "status", "out", "--json"]);
    assert!(printed.status.success(), "{}", text(&printed.stderr));
    serde_json::from_slice(&printed.stdout).expect("JSON")
}
