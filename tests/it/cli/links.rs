//! Links to the files that a command names, on a terminal.

use crate::harness::arena::{Arena, random_and_greedy, text};
use crate::harness::on_terminal::OnTerminal;

/// The program's output to a terminal.
fn written(arena: &Arena, args: &[&str], variables: &[(&str, &str)]) -> String {
    let variables: Vec<_> = variables.iter().map(|&(name, value)| (name, value.as_ref())).collect();
    OnTerminal::start_with(arena.path(), args, (200, 60), &variables).written(0)
}

#[test]
fn paths_are_links_on_a_terminal_and_nowhere_else() {
    let arena = Arena::new(concat!("rounds = 1\n", random_and_greedy!()));
    assert!(arena.run(&[]).status.success());
    let dir = arena.path().canonicalize().expect("a path");
    let page = arena.path().join("a b.html");
    let args = ["report", "out", "--out", page.to_str().expect("text")];
    let shown = written(&arena, &args, &[]);
    let label = format!("{}\x1b]8;;\x1b\\`", page.display());
    let (before, _) = shown.split_once(&label).unwrap_or_else(|| panic!("{shown:?}"));
    let (_, uri) = before.rsplit_once("\x1b]8;;").expect("the beginning of a link");
    assert!(uri.starts_with("file://") && uri.ends_with("/a%20b.html\x1b\\"), "{uri:?}");
    let shown = written(&arena, &["standings", "out"], &[]);
    assert!(shown.contains(&format!("{}/out\x1b\\out\x1b]8;;", dir.display())), "{shown:?}");
    for (args, variables) in
        [([&args[..], &["--color", "never"]].concat(), &[][..]), (args.to_vec(), &[("FORCE_HYPERLINK", "0")])]
    {
        let shown = written(&arena, &args, variables);
        assert!(shown.contains("a b.html") && !shown.contains("\x1b]8"), "{shown:?}");
    }
    let output = arena.output(&[&args[..], &["--color", "always"]].concat());
    assert!(!text(&output.stderr).contains("\x1b]8"));
}
