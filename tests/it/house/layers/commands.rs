//! No command uses the module of another command.

use std::collections::BTreeSet;

use super::code_paths::paths;
use super::modules;

/// The modules of the command line that are commands, as `src/cli/mod.rs` lists them.
fn commands(head: &str) -> BTreeSet<String> {
    let module = |line: &str| {
        let (variant, rest) = line.trim().split_once('(')?;
        let is_name = variant.chars().all(char::is_alphanumeric);
        Some(rest.strip_suffix("::Args),")?.to_owned()).filter(|_| is_name)
    };
    head.lines().filter_map(module).collect()
}

/// A command that `code`, the code of the module `name`, uses, other than the module's own command; `None` if there is
/// none.
fn sibling<'a>(name: &str, code: &str, commands: &'a BTreeSet<String>) -> Option<&'a String> {
    let own = name.split("::").nth(1).filter(|own| commands.contains(*own))?;
    let depth = name.matches("::").count();
    let absolute =
        paths(code, "crate").into_iter().filter_map(|path| Some(path.strip_prefix("crate::cli::")?.to_owned()));
    let prefix = "super::".repeat(depth);
    let relative = paths(code, "super").into_iter().filter_map(|path| Some(path.strip_prefix(&prefix)?.to_owned()));
    let used: Vec<String> = absolute.chain(relative).collect();
    commands.iter().find(|other| *other != own && used.iter().any(|path| path.split("::").next() == Some(other)))
}

#[test]
fn no_command_uses_another_commands_module() {
    let modules = modules();
    let commands = commands(&modules["cli"]);
    assert!(commands.len() > 10, "{commands:?}");
    let wrong: Vec<String> = modules
        .iter()
        .filter(|(name, _)| name.starts_with("cli::"))
        .filter_map(|(name, code)| Some(format!("{name} uses the command `{}`", sibling(name, code, &commands)?)))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_sibling_command_is_seen_however_its_path_is_written() {
    let commands = commands("enum Command {\n    Run(run::Args),\n    Rebuild(rebuild::Args),\n}");
    for (name, code, seen) in [
        ("cli::rebuild", "use super::run::disagreement;", Some("run")),
        ("cli::rebuild::deep", "use super::super::{Exit, run::unusable};", Some("run")),
        ("cli::rebuild::deep", "use crate::cli::{Failure, run};", Some("run")),
        ("cli::rebuild::deep", "use super::run::own_room;", None),
        ("cli::rebuild", "use crate::run::campaign;\nuse super::{Exit, note};", None),
        ("cli::panel", "use super::progress::Progress;", None),
    ] {
        assert_eq!(sibling(name, code, &commands).map(String::as_str), seen, "{name}: {code}");
    }
}
