//! Players' directories and builds: what they may hold and do, and what becomes of it.

use std::fs::{self, File};
use std::process::Output;

use crate::arena::{Arena, text};

fn command(arena: &Arena, args: &[&str]) -> Output {
    arena.command(args).output().expect("the program starts")
}

/// A tournament of a player whose directory is `bot`, with these lines besides, and a built-in one.
fn field(lines: &str) -> Arena {
    let arena = Arena::new(&format!(
        "[[player]]\nname = \"student\"\ndir = \"bot\"\n{lines}\n[[player]]\nname = \"random\"\nbuiltin = \"random\"\n"
    ));
    fs::create_dir(arena.path().join("bot")).expect("made");
    arena
}

#[test]
fn a_directory_that_is_too_large_is_named_and_never_read() {
    for lines in ["command = [\"true\"]", "command = [\"true\"]\nbuild = [\"true\"]"] {
        let arena = field(lines);
        let model = File::create(arena.path().join("bot/model")).expect("made");
        model.set_len(4 << 40).expect("a sparse file");
        let checked = command(&arena, &["check", "class.toml"]);
        let said = text(&checked.stderr);
        assert_eq!(checked.status.code(), Some(3), "{said}");
        assert!(said.contains("`student`") && said.contains("`model` has 4.0 TiB"), "{said}");
        let run = arena.run(&[]);
        let said = text(&run.stderr);
        assert_eq!(run.status.code(), Some(0), "{said}");
        assert!(said.contains("player `student` can't be started") && said.contains("`model` has 4.0 TiB"), "{said}");
        assert!(arena.results().iter().all(|row| row["termination"] == "not started"));
    }
}
