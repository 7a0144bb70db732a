//! D14: a module, a toolchain or a file is missing.

use super::super::inquiry::{LAST_WORDS, Subject, shown};
use super::super::language::Language;
use crate::drill::readiness::{Cause, Diagnosis};
use crate::drill::script::Coming;
use crate::host::refused_path::RefusedPath;
use crate::referee::result::Termination;

/// Something that is missing.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Lack {
    /// A module or package, by its name in the code.
    Module(String),
    /// A Java class.
    Class(String),
    /// A shared library.
    Library(String),
    /// A program or file that should have been run.
    Started(String),
    /// A file that the bot reads; empty if its name is unknown.
    File(String),
    /// A file that bots may not open.
    Refused(RefusedPath),
    /// A newer version of Java.
    NewerJava,
}

/// D14, if the bot ended because something is missing.
pub(super) fn find(subject: &Subject<'_>) -> Option<Diagnosis> {
    let not_started = match &subject.game.coming {
        Coming::Failed { termination: Termination::NotStarted, reason } => Some(reason.as_str()),
        _ => None,
    };
    if not_started.is_none() && !(subject.has_ended_early() && has_failed(subject)) {
        return None;
    }
    let (lack, line) = match not_started {
        Some(reason) => (start_lack(reason)?, reason.to_owned()),
        None => told_lack(subject)?,
    };
    let (what, fix) = lack.words(subject);
    let text = format!("{what} The arena does not install anything.");
    let text = if matches!(lack, Lack::Refused(_)) { what } else { text };
    let diagnosis = subject.diagnosis(Cause::Missing, text, fix).at(subject.failing_line());
    let evidence = std::iter::once(format!("stderr: {line}")).chain(subject.exit_words());
    Some(diagnosis.showing(evidence))
}

/// The module, file or program that the bot's last lines on stderr report as missing, with the line that reports it.
///
/// When it starts, a bot may report a missing file or module that it does not need, and fail much later for another
/// reason. After a move, therefore, only an exception that ended the process counts.
fn told_lack(subject: &Subject<'_>) -> Option<(Lack, String)> {
    let has_moved = subject.game.own_plies().next().is_some();
    if has_moved && !subject.was_ended_by_exception() {
        return None;
    }
    let words = match subject.uncaught.as_ref().filter(|uncaught| uncaught.is_last()) {
        Some(uncaught) => vec![uncaught.headline.as_str()],
        None => subject.stderr_tail(LAST_WORDS),
    };
    words.into_iter().rev().find_map(|line| Some((lack(line)?, line.to_owned())))
}

/// The line on stderr that reports the missing module, file or program.
pub(in crate::drill::diagnosis) fn lack_line(subject: &Subject<'_>) -> Option<String> {
    told_lack(subject).map(|(_, line)| line)
}

/// Whether the process exited with a status other than 0.
fn has_failed(subject: &Subject<'_>) -> bool {
    subject.exit_words().is_none_or(|exit| exit != "exit status 0")
}

/// The module, file or program that `line` reports as missing.
fn lack(line: &str) -> Option<Lack> {
    let after = |mark: &str| line.split_once(mark).map(|(_, rest)| rest);
    let name = |text: &str| unquoted(text).to_owned();
    if line.contains("UnsupportedClassVersionError") || line.contains("more recent version of the Java Runtime") {
        return Some(Lack::NewerJava);
    }
    let module = after("No module named ")
        .or_else(|| after("Cannot find module "))
        .or_else(|| after("Cannot find package "))
        .or_else(|| after("cannot find module "));
    if let Some(rest) = module {
        return Some(Lack::Module(name(rest)));
    }
    let class = after("Could not find or load main class ")
        .or_else(|| after("ClassNotFoundException: "))
        .or_else(|| after("NoClassDefFoundError: "));
    if let Some(rest) = class {
        return Some(Lack::Class(name(rest).replace('/', ".")));
    }
    if let Some(rest) = after("error while loading shared libraries: ") {
        return Some(Lack::Library(rest.split(':').next().unwrap_or_default().trim().to_owned()));
    }
    if let Some(rest) = line.strip_suffix(": cannot open shared object file: No such file or directory") {
        return Some(Lack::Library(rest.rsplit(": ").next().unwrap_or_default().to_owned()));
    }
    started(line).or_else(|| RefusedPath::in_line(line).map(Lack::Refused)).or_else(|| file(line))
}

/// A program that could not be run, according to messages of shells, Python and Java.
fn started(line: &str) -> Option<Lack> {
    if let Some((_, rest)) = line.split_once("can't open file ") {
        return Some(Lack::Started(unquoted(rest).to_owned()));
    }
    if let Some((_, rest)) = line.split_once("Unable to access jarfile ") {
        return Some(Lack::Started(rest.trim().to_owned()));
    }
    let before = line.strip_suffix(": not found").or_else(|| line.strip_suffix(": command not found"))?;
    Some(Lack::Started(before.rsplit(": ").next().unwrap_or(before).to_owned()))
}

/// The file that the bot tried to read, according to `line`.
fn file(line: &str) -> Option<Lack> {
    let java = line.split_once("NoSuchFileException: ").map(|(_, rest)| rest.trim());
    if let Some(name) = java {
        return Some(Lack::File(name.to_owned()));
    }
    let at = line.find("No such file or directory").or_else(|| line.find("no such file or directory"))?;
    let (before, after) = line.split_at(at);
    let name = if line.contains("kind: NotFound") {
        // Rust does not report the name.
        ""
    } else if let Some((_, name)) = before.split_once("FileNotFoundException: ") {
        name.trim().trim_end_matches('(').trim()
    } else if after.contains(['\'', '"']) {
        let from = after.find(['\'', '"']).unwrap_or_default();
        unquoted(&after[from..])
    } else {
        // `perror` puts the name before the message, and Rust does not report the name.
        before.trim_end().strip_suffix(':').and_then(|before| before.rsplit(": ").next()).unwrap_or_default()
    };
    Some(Lack::File(name.to_owned()))
}

/// The file or program that is missing according to `reason`, the reason why a program could not be started.
fn start_lack(reason: &str) -> Option<Lack> {
    let says_so = ["No such file", "not found", "no such", "cannot be run", "does not exist"]
        .iter()
        .any(|mark| reason.contains(mark));
    let name = reason.split('`').nth(1).unwrap_or_default();
    says_so.then(|| Lack::Started(name.to_owned()))
}

/// The quoted text at the start of `text`, or its first word.
fn unquoted(text: &str) -> &str {
    let text = text.trim();
    match text.chars().next() {
        Some(quote @ ('\'' | '"' | '`')) => text[1..].split(quote).next().unwrap_or_default(),
        _ => text.split_whitespace().next().unwrap_or_default().trim_end_matches([';', ',']),
    }
}

impl Lack {
    /// A sentence about the missing module, file or program, and advice.
    fn words(&self, subject: &Subject<'_>) -> (String, String) {
        let code = &subject.inquiry.code;
        match self {
            Self::Module(name) => {
                let own = shown(name);
                (format!("Your bot needs the module `{own}`, which is missing."), module_fix(subject, name))
            }
            Self::Class(name) => {
                let source = format!("{}.java", name.rsplit('.').next().unwrap_or(name));
                let fix = if code.has_file(&source) {
                    format!(
                        "`{}` exists but has not been compiled: set `build = [\"javac\", \"-d\", \".\", \"{0}\"]` under the player, and check the path after `-cp`.",
                        shown(&source)
                    )
                } else {
                    "Set `dir` to the directory that contains the classes, and `-cp` to their path in it.".to_owned()
                };
                (format!("Java cannot find the class `{}`.", shown(name)), fix)
            }
            Self::Library(name) => (
                format!("Your bot needs the shared library `{}`, which is missing.", shown(name)),
                "Install the library on the arena's machine, link it statically, or add its directory to `readable`.".to_owned(),
            ),
            Self::Started(name) => (
                format!("The program or file `{}`, named by the command, does not exist.", shown(name)),
                "Set `dir` to the bot's directory, check the name in `command`, and set `build` if the program has to be compiled first.".to_owned(),
            ),
            Self::File(name) if name.is_empty() => (
                "Your bot tries to read a file that does not exist.".to_owned(),
                "Use file names relative to the bot's directory, set `dir` to it, or add the path to `readable`.".to_owned(),
            ),
            Self::File(name) => (
                format!("Your bot tries to read the file `{}`, which does not exist.", shown(name)),
                "Use a file name relative to the bot's directory, set `dir` to it, or add the path to `readable`.".to_owned(),
            ),
            Self::Refused(path) => (
                format!("{}. They see the system and the bot's own directory.", path.sentence("Your bot")),
                "Put the file into the bot's directory and use a name relative to it; or ask the teacher to add the path to `readable`.".to_owned(),
            ),
            Self::NewerJava => (
                "The bot's classes were compiled with a newer version of Java than the one on the arena's machine."
                    .to_owned(),
                "Compile with `javac --release` and the older version number, or set `build` so that the arena compiles the bot.".to_owned(),
            ),
        }
    }
}

/// Modules whose packages have different names, and the names of these packages.
const PACKAGES: [(&str, &str); 6] = [
    ("cv2", "opencv-python"),
    ("sklearn", "scikit-learn"),
    ("PIL", "pillow"),
    ("yaml", "pyyaml"),
    ("bs4", "beautifulsoup4"),
    ("dateutil", "python-dateutil"),
];

fn module_fix(subject: &Subject<'_>, name: &str) -> String {
    let code = &subject.inquiry.code;
    let top = name.split('.').next().unwrap_or(name);
    let is_own = name.starts_with('.')
        || name.starts_with('/')
        || ["gthclient", "gothello_client", "board", "rules"].contains(&top)
        || code.has_file(&format!("{top}.py"));
    if is_own {
        return format!(
            "`{}` is one of the bot's files: hand it in with the bot, and set `dir` (on the command line, `--dir`) to the directory that contains both.",
            shown(name)
        );
    }
    match code.language {
        Language::Python => {
            let package = PACKAGES.iter().find(|(module, _)| *module == top).map_or(top, |(_, package)| package);
            format!(
                "Ask the teacher to install it for the Python that runs the bot (`python3 -m pip install {}`), or do without it. If it is one of the bot's files, hand it in, and set `dir` (on the command line, `--dir`) to the directory that contains both.",
                shown(package)
            )
        }
        Language::JavaScript => {
            format!("Hand in `node_modules` with the bot (`npm install {}`), or do without the package.", shown(top))
        }
        _ => "Install it on the arena's machine, or do without it.".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_runtimes_say_names_what_is_missing() {
        let module = |name: &str| Lack::Module(name.to_owned());
        let class = |name: &str| Lack::Class(name.to_owned());
        let started = |name: &str| Lack::Started(name.to_owned());
        let file = |name: &str| Lack::File(name.to_owned());
        for (line, expected) in [
            ("ModuleNotFoundError: No module named 'numpy'", module("numpy")),
            ("ImportError: No module named numpy.linalg", module("numpy.linalg")),
            ("Error: Cannot find module './rules'", module("./rules")),
            ("Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'chess' imported from /b/bot.mjs", module("chess")),
            ("Error: Could not find or load main class a.Bot", class("a.Bot")),
            ("java.lang.NoClassDefFoundError: a/Board", class("a.Board")),
            (
                "./bot: error while loading shared libraries: libx.so.1: cannot open shared object file: No such file or directory",
                Lack::Library("libx.so.1".into()),
            ),
            (
                "ImportError: libblas.so: cannot open shared object file: No such file or directory",
                Lack::Library("libblas.so".into()),
            ),
            ("python3: can't open file '/b/bot.py': [Errno 2] No such file or directory", started("/b/bot.py")),
            ("sh: 1: ./bot: not found", started("./bot")),
            ("bash: line 1: luajit: command not found", started("luajit")),
            ("Error: Unable to access jarfile bot.jar", started("bot.jar")),
            ("FileNotFoundError: [Errno 2] No such file or directory: 'weights.txt'", file("weights.txt")),
            ("java.io.FileNotFoundException: weights.txt (No such file or directory)", file("weights.txt")),
            ("java.nio.file.NoSuchFileException: weights.txt", file("weights.txt")),
            ("Error: ENOENT: no such file or directory, open 'weights.json'", file("weights.json")),
            ("weights.txt: No such file or directory", file("weights.txt")),
            ("bot: weights.txt: No such file or directory", file("weights.txt")),
            ("Error: Os { code: 2, kind: NotFound, message: \"No such file or directory\" }", file("")),
            ("java.lang.UnsupportedClassVersionError: Bot has been compiled by a more recent version", Lack::NewerJava),
        ] {
            assert_eq!(lack(line), Some(expected), "{line}");
        }
        for line in ["NameError: name 'x' is not defined", "", "c3 not found in book, thinking", "Connection refused"] {
            assert_eq!(lack(line), None, "{line}");
        }
    }
}
