//! Output that is longer than a terminal's screen.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::harness::arena::{Arena, random_and_greedy, text};
use crate::harness::on_terminal::OnTerminal;
use crate::harness::skipping::{Need, skipped};
use crate::harness::waiting::InTime as _;

/// A pager that copies its input to the file `paged`, and prints only a line that shows that it ran.
const COPIES: &str = "pager = \"cat > paged; echo shown by the pager\"\n";

/// An arena whose user has this `config.toml`.
fn arena(config: &str) -> Arena {
    let arena = Arena::new("");
    fs::create_dir_all(arena.path().join("gothello-arena")).expect("created");
    fs::write(arena.path().join("gothello-arena/config.toml"), config).expect("written");
    arena
}

/// Runs the program with `args` on a terminal with this number of rows. Returns the program's output on the terminal,
/// and the text that its pager has read.
fn on_terminal(arena: &Arena, args: &[&str], rows: u16) -> (String, Option<String>) {
    let home = [("XDG_CONFIG_HOME", arena.path())];
    let shown = OnTerminal::start_with(arena.path(), args, (80, rows), &home).assert_ends(0);
    let paged = arena.path().join("paged");
    let read = fs::read_to_string(&paged).ok();
    if read.is_some() {
        fs::remove_file(paged).expect("removed");
    }
    (shown, read)
}

#[test]
fn help_that_is_longer_than_the_screen_is_paged_and_its_text_is_the_same() {
    let arena = arena(COPIES);
    let help = text(&arena.output(&["run", "--help"]).stdout);
    let (shown, read) = on_terminal(&arena, &["run", "--help", "--color=never"], 24);
    assert!(shown.contains("shown by the pager"), "{shown}");
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(words(&read.expect("the pager ran")), words(&help));
    // The screen has enough rows for all of the help.
    let (shown, read) = on_terminal(&arena, &["run", "--help"], 200);
    assert!(read.is_none() && shown.contains("--durability"), "{shown}");
    let (_, read) = on_terminal(&arena, &["run", "--help", "--no-pager"], 24);
    assert!(read.is_none());
}

#[test]
fn without_a_pager_that_runs_the_text_is_printed() {
    let arena = arena("pager = \"no-such-pager\"\n");
    let (shown, _) = on_terminal(&arena, &["run", "--help"], 24);
    assert!(shown.contains("gothello-arena run tournaments/class.toml"), "{shown}");
}

/// With `less`, every paged command shows its first screen, shows its last screen after `G`, and restores the terminal
/// after `q`.
#[test]
fn less_pages_every_command_that_has_more_than_a_screen() {
    if Command::new("less").arg("--version").output_in_time().is_err() {
        skipped(Need::Tools, "less is not installed");
        return;
    }
    let arena = Arena::new(concat!("rounds = 1\n", random_and_greedy!()));
    assert!(arena.run(&[]).status.success());
    let log = fs::read_dir(arena.out().join("games")).expect("there").flatten().map(|entry| entry.path());
    let log = log.into_iter().find(|path| path.extension().is_some_and(|end| end == "log")).expect("a log");
    let log = log.to_str().expect("text");
    let commands: [&[&str]; 6] = [
        &["help", "run"],
        &["standings", "out", "--explain"],
        &["standings", "out", "--format", "table"],
        &["replay", log],
        &["analyze", log],
        &["puzzles", "--random", "4", "--seed", "1"],
    ];
    let variables = [("XDG_CONFIG_HOME", arena.path()), ("PAGER", Path::new("less"))];
    for args in commands {
        let plain = text(&arena.output(args).stdout);
        let mut words = plain.split_whitespace();
        let mut screen = OnTerminal::start_with(arena.path(), args, (80, 6), &variables);
        screen.see(words.next().expect("a first word").trim_end_matches(':'));
        screen.see(":");
        screen.press("G");
        screen.see("(END)");
        screen.see(words.next_back().expect("a last word"));
        screen.press("q");
        screen.assert_ends(0);
    }
}
