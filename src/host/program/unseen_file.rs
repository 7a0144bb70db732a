//! Finds files that a confined bot tried to open but could not see.

use std::path::{Path, PathBuf};

/// Phrases that runtimes print about a file that they cannot find.
const MARKS: [&str; 11] = [
    "no such file",
    "enoent",
    "filenotfound",
    "nosuchfile",
    "modulenotfound",
    "cannot find module",
    "classnotfound",
    "could not find or load main class",
    "cannot open shared object",
    // A bot that shares the host's files gets this message.
    "permission denied",
    "eacces",
];

/// How many lines to examine. They are taken from the end of the output, where the reason usually is.
const MOST_LINES: usize = 200;

/// How many words of a line to examine.
const MOST_WORDS: usize = 50;

/// Returns the file that a bot failed to find, if its `stderr` names one. `is_hidden` returns whether an absolute path
/// exists but is not visible to the bot. A file that the bot names without a directory can be in any of `dirs`.
pub(super) fn unseen(stderr: &str, dirs: &[PathBuf], is_hidden: impl Fn(&Path) -> bool) -> Option<PathBuf> {
    let lines = stderr.lines().rev().take(MOST_LINES);
    let telling = lines.filter(|line| {
        let line = line.to_lowercase();
        MARKS.iter().any(|mark| line.contains(mark))
    });
    let words = telling.flat_map(|line| quoted(line).chain(bare(line)).take(MOST_WORDS));
    let files = words.flat_map(|word| {
        // The word can also name a Python or Node module, or a Java class.
        let stem = word.replace('.', "/");
        [word.to_owned(), format!("{stem}.py"), format!("{word}.js"), format!("{stem}.class"), format!("{stem}.java")]
    });
    files.flat_map(|file| dirs.iter().map(move |dir| dir.join(&file))).find(|path| is_hidden(path))
}

/// The parts of `line` between quotation marks of any kind, including apostrophes.
fn quoted(line: &str) -> impl Iterator<Item = &str> {
    line.split(['\'', '"', '`', '‘', '’', '“', '”']).skip(1).filter(|word| !word.is_empty())
}

/// The words of `line`, without the punctuation around them.
fn bare(line: &str) -> impl Iterator<Item = &str> {
    let words = line.split_whitespace();
    words.map(|word| word.trim_matches(|c| "'\"`‘’“”,:;()[]".contains(c))).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_runtimes_say_leads_to_the_file_that_is_hidden() {
        let dirs = [PathBuf::from("/class"), PathBuf::from("/class/bin")];
        for (stderr, hidden) in [
            ("cat: book.txt: No such file or directory\n", "/class/book.txt"),
            ("cat: /models/big: No such file or directory\n", "/models/big"),
            ("python3: can't open file '/class/my bot.py': [Errno 2] No such file or directory", "/class/my bot.py"),
            ("FileNotFoundError: [Errno 2] No such file or directory: 'data/book'\n", "/class/data/book"),
            ("ModuleNotFoundError: No module named 'rules'\n", "/class/rules.py"),
            ("ModuleNotFoundError: No module named 'lib.rules'\n", "/class/lib/rules.py"),
            ("Error: Cannot find module '/class/rules'\nRequire stack:\n", "/class/rules.js"),
            ("Error: ENOENT: no such file or directory, open 'book.json'", "/class/book.json"),
            ("Error: Could not find or load main class Bot\nCaused by: x\n", "/class/Bot.class"),
            ("Exception in thread \"main\" java.lang.ClassNotFoundException: a.Bot\n\tat x\n", "/class/a/Bot.class"),
            ("cat: book.txt: Permission denied", "/class/book.txt"),
            ("java.io.FileNotFoundException: book.txt (No such file or directory)\n", "/class/book.txt"),
            (
                "bot: error while loading shared libraries: libx.so: cannot open shared object file",
                "/class/bin/libx.so",
            ),
        ] {
            let found = unseen(stderr, &dirs, |path| path == Path::new(hidden));
            assert_eq!(found.as_deref(), Some(Path::new(hidden)), "{stderr}");
            assert_eq!(unseen(stderr, &dirs, |_| false), None);
        }
        // A word is a path only if something was not found.
        assert_eq!(unseen("reading book.txt\n", &dirs, |_| true), None);
    }
}
