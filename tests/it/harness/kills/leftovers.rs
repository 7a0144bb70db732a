//! What a run that is over must not leave behind.

use std::fs;

use crate::harness::arena::Arena;
use crate::harness::waiting::until;

/// Waits until no process has its working directory in the directory of `arena`. Returns what is wrong with the files
/// there: temporary files are left over.
pub(super) fn of(arena: &Arena) -> Vec<String> {
    let lives = |entry: std::io::Result<fs::DirEntry>| {
        let cwd = fs::read_link(entry.ok()?.path().join("cwd")).ok()?;
        cwd.starts_with(arena.path()).then_some(())
    };
    until("the end of all bots", || {
        let mut all = fs::read_dir("/proc").expect("there");
        (!all.any(|entry| lives(entry).is_some())).then_some(())
    });
    let files = [arena.out(), arena.out().join("games")].into_iter().flat_map(|dir| fs::read_dir(dir).expect("there"));
    let names = files.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned());
    names
        .filter(|name| name.rsplit_once('.').is_some_and(|(_, ending)| ending == "tmp"))
        .map(|name| format!("{name} was left"))
        .collect()
}
