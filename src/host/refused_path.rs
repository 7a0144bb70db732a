//! The file to which a bot was refused access, as the bot's runtime names it on stderr.
//!
//! There is no other source: to a bot, a hidden file appears not to exist, and a refusal by Landlock is written to the
//! machine's audit log, which only root may read.

use crate::base::sanitise::sanitised;

/// Phrases with which runtimes and C libraries report that access to a file was refused.
const REFUSED: [&str; 6] = [
    "permission denied",
    "eacces",
    "operation not permitted",
    "eperm",
    // Java puts the file's name after the name of the exception.
    "accessdeniedexception",
    "accesscontrolexception",
];

/// Phrases for a file that exists but cannot be written to.
const READ_ONLY: [&str; 2] = ["read-only file system", "erofs"];

/// Phrases for a file that does not exist. To a bot, a hidden file also appears not to exist.
const ABSENT: [&str; 4] = ["no such file", "enoent", "filenotfound", "nosuchfile"];

/// The directories of the system, which every bot sees, and the directories that each bot has of its own.
const SEEN: [&str; 12] =
    ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/proc", "/dev", "/tmp", "/sys"];

/// How many lines to read, from the end of the output.
const MOST_LINES: usize = 200;

/// How many characters of a path to show.
const MOST_CHARACTERS: usize = 160;

/// Words that runtimes and programs use around paths and that contain a slash or a dot, but are not paths.
const NO_PATHS: [&str; 2] = ["java.io", "java.nio"];

/// A file to which a bot was refused access.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RefusedPath {
    /// The path as printed by the bot's runtime, which is untrusted text.
    path: String,
    access: RefusedAccess,
}

/// The kind of access that was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum RefusedAccess {
    /// Opening the file, presumably to read it.
    Open,
    /// Writing to the file.
    Write,
}

impl RefusedPath {
    /// The last file to which a bot was refused access according to its `stderr`, if the output names such a file.
    pub fn in_output(stderr: &str) -> Option<Self> {
        stderr.lines().rev().take(MOST_LINES).find_map(Self::in_line)
    }

    /// The file to which a bot was refused access according to `line`, a line of its stderr, if the line names such a
    /// file.
    pub fn in_line(line: &str) -> Option<Self> {
        let lower = line.to_lowercase();
        let says = |phrases: &[&str]| phrases.iter().any(|phrase| lower.contains(phrase));
        let access = if says(&READ_ONLY) { RefusedAccess::Write } else { RefusedAccess::Open };
        let is_refused = access == RefusedAccess::Write || says(&REFUSED);
        if !is_refused && !says(&ABSENT) {
            return None;
        }
        let path = path_in(line)?;
        // A relative path leads to the bot's own directory, which the bot may read, so the refused access was a write.
        let access = if is_refused && !path.starts_with('/') { RefusedAccess::Write } else { access };
        // A file that merely does not exist counts as refused only if no bot could see it.
        (is_refused || is_outside(path)).then(|| Self { path: path.to_owned(), access })
    }

    /// A printable sentence, without a full stop, that says what the bot tried to do. The sentence calls the bot `bot`.
    pub fn sentence(&self, bot: &str) -> String {
        let mut letters = self.path.chars();
        let short: String = letters.by_ref().take(MOST_CHARACTERS).collect();
        let dots = if letters.next().is_some() { "..." } else { "" };
        let path = sanitised(&short) + dots;
        match self.access {
            RefusedAccess::Open => format!("{bot} tried to open `{path}`, which bots cannot read"),
            RefusedAccess::Write => {
                format!("{bot} tried to write to `{path}`: bots can write only to the directory in `TMPDIR`")
            }
        }
    }

    /// Whether the bot may read the file, because the file is `dir` or is below `dir`, and only the attempt to open it
    /// failed.
    pub fn is_readable_in(&self, dir: &str) -> bool {
        let is_below = |rest: &str| rest.is_empty() || rest.starts_with('/');
        self.access == RefusedAccess::Open && self.path.strip_prefix(dir.trim_end_matches('/')).is_some_and(is_below)
    }
}

fn is_outside(path: &str) -> bool {
    let is_below = |dir: &&str| path.strip_prefix(*dir).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    path.starts_with('/') && !SEEN.iter().any(is_below) && path.len() > 1
}

/// The path that `line` names: in quotes, in brackets, or as a separate word next to a colon.
fn path_in(line: &str) -> Option<&str> {
    let marks = ['\'', '"', '`', '\u{2018}', '\u{2019}'];
    // An apostrophe may precede the first quotation mark, so the text after each mark is examined.
    let quoted = line.split(marks).skip(1).filter(|text| !text.is_empty());
    let bracketed = line.split('[').skip(1).filter_map(|rest| rest.split_once(']')).map(|(text, _)| text);
    let is_path = |text: &&str| {
        let has_space = text.contains(char::is_whitespace);
        let is_name = || !has_space && text.contains(['/', '.']) && !NO_PATHS.iter().any(|name| text.starts_with(name));
        text.starts_with('/') || is_name()
    };
    let named = quoted.chain(bracketed).find(is_path);
    named.or_else(|| bare_path(line))
}

/// The path between the colons or spaces of a message such as `bot: /home/ann/book.txt: Permission denied`.
fn bare_path<'l>(line: &'l str) -> Option<&'l str> {
    // Java puts the system's message in brackets after the path.
    let bare =
        |part: &'l str| part.rsplit_once(" (").filter(|(_, rest)| rest.ends_with(')')).map_or(part, |(path, _)| path);
    let parts = line.split(": ").map(|part| bare(part.trim()).trim_end());
    let words = parts.flat_map(|part| std::iter::once(part).chain(part.split_whitespace()));
    let clean = words.map(|word| word.trim_matches(|c| ",;()".contains(c)).trim_end_matches(':'));
    clean.filter(|word| !word.contains(char::is_whitespace) || word.starts_with('/')).find(|word| word.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_is_found_in_the_words_of_each_runtime() {
        let home = "/home/ann/weights.bin";
        for line in [
            "PermissionError: [Errno 13] Permission denied: '/home/ann/weights.bin'",
            "FileNotFoundError: [Errno 2] No such file or directory: '/home/ann/weights.bin'",
            "Exception in thread \"main\" java.nio.file.AccessDeniedException: /home/ann/weights.bin",
            "java.io.FileNotFoundException: /home/ann/weights.bin (Permission denied)",
            "java.io.FileNotFoundException: /home/ann/weights.bin (No such file or directory)",
            "Caused by: java.nio.file.NoSuchFileException: /home/ann/weights.bin",
            "Error: EACCES: permission denied, open '/home/ann/weights.bin'",
            "Error: EPERM: operation not permitted, open '/home/ann/weights.bin'",
            "[Error: ENOENT: no such file or directory, open '/home/ann/weights.bin'] {",
            "/home/ann/weights.bin: Permission denied",
            "bot: /home/ann/weights.bin: Permission denied",
            "cat: /home/ann/weights.bin: No such file or directory",
            "python3: can't open file '/home/ann/weights.bin': [Errno 13] Permission denied",
            "sh: 1: cannot open /home/ann/weights.bin: Permission denied",
            "terminate called: filesystem error: cannot open: Permission denied [/home/ann/weights.bin]",
        ] {
            let found = RefusedPath::in_line(line).unwrap_or_else(|| panic!("{line}"));
            assert_eq!(found.path, home, "{line}");
            assert_eq!(found.sentence("It"), "It tried to open `/home/ann/weights.bin`, which bots cannot read");
        }
    }

    #[test]
    fn a_file_of_its_own_that_a_bot_is_refused_was_to_be_written() {
        for (line, path) in [
            ("PermissionError: [Errno 13] Permission denied: 'log.txt'", "log.txt"),
            ("OSError: [Errno 30] Read-only file system: '/class/bot/log.txt'", "/class/bot/log.txt"),
            ("Error: EROFS: read-only file system, open './log.txt'", "./log.txt"),
        ] {
            let found = RefusedPath::in_line(line).unwrap_or_else(|| panic!("{line}"));
            assert_eq!((found.path.as_str(), found.access), (path, RefusedAccess::Write), "{line}");
            assert!(found.sentence("It").contains("write to"), "{line}");
        }
    }

    #[test]
    fn other_lines_name_no_refused_file() {
        for line in [
            "",
            "reading /home/ann/weights.bin",
            "FileNotFoundError: [Errno 2] No such file or directory: 'weights.bin'",
            "cat: /usr/share/words: No such file or directory",
            "PermissionError: [Errno 13] Permission denied",
            "Error: Os { code: 13, kind: PermissionDenied, message: \"Permission denied\" }",
            "PermissionError: [Errno 1] Operation not permitted",
        ] {
            assert_eq!(RefusedPath::in_line(line), None, "{line}");
        }
    }

    #[test]
    fn the_last_refusal_counts_and_its_path_is_made_printable() {
        let stderr = "cat: /home/a: Permission denied\n/home/b\u{1b}[31m: Permission denied\nthinking\n";
        let found = RefusedPath::in_output(stderr).expect("two");
        let sentence = found.sentence("It");
        assert!(sentence.contains("/home/b") && !sentence.contains('\u{1b}'), "{sentence}");
        let long = RefusedPath::in_line(&format!("/home/{}: Permission denied", "x".repeat(500))).expect("one");
        assert!(long.sentence("It").chars().count() < 250);
        assert!(found.is_readable_in("/home/") && found.is_readable_in("/home") && !found.is_readable_in("/hom"));
        let written = RefusedPath::in_line("OSError: [Errno 30] Read-only file system: '/home/b'").expect("one");
        assert!(!written.is_readable_in("/home"));
    }
}
