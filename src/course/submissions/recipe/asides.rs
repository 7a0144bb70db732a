//! Files other than the bot, recognised by their names: tests, old copies, and programs for other purposes.

use super::submitted_files::{dir_of, stem};

/// Whether `path`, a directory or a file name without its extension, looks like tests, examples or old copies.
pub(super) fn is_set_aside(path: &str) -> bool {
    const WORDS: [&str; 16] = [
        "old", "copy", "backup", "bak", "archive", "test", "tests", "testing", "spec", "specs", "example", "examples",
        "unused", "kopie", "orig", "previous",
    ];
    path.to_lowercase().split(|c: char| !c.is_alphanumeric()).any(|word| WORDS.contains(&word))
}

/// Whether the file `name` looks like a test, an example or an old copy.
pub(super) fn is_test_or_copy(name: &str) -> bool {
    is_test(name) || is_set_aside(&stem(name).to_lowercase())
}

fn is_test(name: &str) -> bool {
    let own = stem(name).to_lowercase();
    let is_word = |word: &str| ["test", "tests", "testing", "spec", "specs"].contains(&word);
    own.split(|c: char| !c.is_alphanumeric()).any(is_word)
        || own.starts_with("test")
        || own.ends_with("test")
        || own.ends_with("tests")
}

/// Whether the file `name` looks like a program that uses the bot, or like a bot that plays without skill.
pub(super) fn is_sideline(name: &str) -> bool {
    const WORDS: [&str; 11] = [
        "random",
        "manual",
        "human",
        "bench",
        "demo",
        "gui",
        "sample",
        "tournament",
        "selfplay",
        "self_play",
        "self-play",
    ];
    let own = stem(name).to_lowercase();
    WORDS.iter().any(|word| own.contains(word))
}

/// Whether the file `name` only supports `module`, as a test does. `module` may then be a program even though `name`
/// imports it.
pub(super) fn is_beside(name: &str, module: &str) -> bool {
    let is_in_other_dir = dir_of(name) != dir_of(module);
    is_test(name) || is_sideline(name) || is_in_other_dir && is_set_aside(dir_of(name))
}
