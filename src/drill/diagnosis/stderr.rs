//! Runtimes' output to stderr when a program fails.

use crate::drill::script::ProcessExit;

/// An exception or a panic reported on stderr, either by the runtime that ended the program or by a program that
/// continued.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Uncaught {
    /// The kind and the message of the exception, for example `NameError: name 'x' is not defined`.
    pub(super) headline: String,
    /// The stack of the exception, innermost call first.
    pub(super) calls: Vec<StackLine>,
    /// The runtime whose format the report uses.
    runtime: Runtime,
    /// Whether stderr ends with this report.
    is_last: bool,
}

/// A runtime that reports exceptions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Runtime {
    Python,
    /// Java and Node.js, whose stacks look alike.
    Stacked,
    Rust,
    /// The libraries of C and C++.
    Native,
}

/// How an aborting program exits: by `SIGABRT` or, if a shell runs it, with 128 plus the number of that signal.
const ABORTED: [ProcessExit; 2] = [ProcessExit::Signal(6), ProcessExit::Status(128 + 6)];

impl Runtime {
    /// Whether a program of this runtime that is ended by an uncaught exception exits with `exit`.
    fn ends_with(self, exit: ProcessExit) -> bool {
        match self {
            Self::Python | Self::Stacked => exit == ProcessExit::Status(1),
            Self::Rust => exit == ProcessExit::Status(101) || ABORTED.contains(&exit),
            Self::Native => ABORTED.contains(&exit),
        }
    }

    /// Whether `line` is one that the runtime itself writes after the report: notes, properties of the exception, or a
    /// backtrace.
    fn is_trailer(self, line: &str) -> bool {
        let begins = |marks: &[&str]| marks.iter().any(|mark| line.starts_with(mark));
        match self {
            Self::Python => false,
            // Another stack belongs to the cause of the exception, not to the trailer.
            Self::Stacked => begins(&[" ", "\t", "}", "Node.js v"]) && stack_call(line).is_none(),
            Self::Rust => begins(&[" ", "\t", "note: ", "stack backtrace:"]),
            Self::Native => begins(&["Aborted"]),
        }
    }
}

impl Uncaught {
    /// Whether the runtime ended the program because of this exception, judging by this report: nothing was written
    /// after it, and `exit` is how the runtime then exits. A program that catches an exception, prints it and exits
    /// with status 1 looks the same.
    pub(super) fn has_ended(&self, exit: Option<ProcessExit>) -> bool {
        self.is_last && exit.is_some_and(|exit| self.runtime.ends_with(exit))
    }

    /// Whether nothing was written to stderr after this report.
    pub(super) const fn is_last(&self) -> bool {
        self.is_last
    }

    /// A report of `runtime` that is followed by more output on stderr.
    const fn new(runtime: Runtime, headline: String, calls: Vec<StackLine>) -> Self {
        Self { headline, calls, runtime, is_last: false }
    }
}

/// One line of a stack trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StackLine {
    /// The file as named by the runtime.
    pub(super) file: String,
    /// The line, from 1.
    pub(super) line: u32,
    /// The code of this line, if the runtime shows it.
    pub(super) code: String,
}

/// The maximum number of lines that are read from the end of stderr, and of characters that are read from each line.
const MOST_LINES: usize = 400;
const MOST_CHARACTERS: usize = 1000;

/// The last `most` non-blank lines of `stderr`, each truncated to a sensible length.
pub(super) fn last_lines(stderr: &str, most: usize) -> Vec<&str> {
    let lines = stderr.split(['\n', '\r']).filter(|line| !line.trim().is_empty());
    let mut last: Vec<&str> = lines.rev().take(most).map(cut).collect();
    last.reverse();
    last
}

fn cut(line: &str) -> &str {
    let end = line.char_indices().nth(MOST_CHARACTERS).map_or(line.len(), |(at, _)| at);
    &line[..end]
}

/// The last exception or panic in `stderr`, as reported by Python, Java, Node.js, Rust, C or C++.
pub(super) fn uncaught(stderr: &str) -> Option<Uncaught> {
    let mut found = None;
    let lines = last_lines(stderr, MOST_LINES);
    let mut at = 0;
    while at < lines.len() {
        let read = python(&lines, at)
            .or_else(|| stacked(&lines, at))
            .or_else(|| rust(&lines, at))
            .or_else(|| native(&lines, at));
        let Some((report, next)) = read else {
            at += 1;
            continue;
        };
        let rest = lines.get(next..).unwrap_or_default();
        at = next + rest.iter().take_while(|line| report.runtime.is_trailer(line)).count();
        found = Some(Uncaught { is_last: at >= lines.len(), ..report });
    }
    found
}

/// Parses a Python traceback that begins at line `at`. Returns it with the index of the line after it.
fn python(lines: &[&str], at: usize) -> Option<(Uncaught, usize)> {
    let is_header = lines[at].trim_start().starts_with("Traceback (most recent call last)");
    // A syntax error has no header.
    if !is_header && python_call(lines[at]).is_none() {
        return None;
    }
    let mut calls = Vec::new();
    let mut next = at + usize::from(is_header);
    while let Some(line) = lines.get(next) {
        if let Some(mut call) = python_call(line) {
            let code = lines.get(next + 1).filter(|code| code.starts_with("    "));
            code.map_or("", |code| code.trim()).clone_into(&mut call.code);
            calls.push(call);
        } else if !line.starts_with([' ', '\t']) {
            calls.reverse();
            return Some((Uncaught::new(Runtime::Python, (*line).to_owned(), calls), next + 1));
        }
        next += 1;
    }
    None
}

/// Parses a line such as `  File "bot.py", line 12, in <module>`.
fn python_call(line: &str) -> Option<StackLine> {
    let (file, rest) = line.trim_start().strip_prefix("File \"")?.split_once("\", line ")?;
    Some(StackLine { file: file.to_owned(), line: leading_number(rest)?, code: String::new() })
}

/// Parses a stack of Java or Node.js whose first call is on line `at`. Returns it with the index of the line after it.
fn stacked(lines: &[&str], at: usize) -> Option<(Uncaught, usize)> {
    stack_call(lines[at])?;
    let mut headline = headline_before(lines, at)?;
    let mut calls = Vec::new();
    let mut next = at;
    while let Some(line) = lines.get(next) {
        if let Some(call) = stack_call(line) {
            calls.extend(call);
        } else if let Some(cause) = line.trim_start().strip_prefix("Caused by: ") {
            // The innermost cause is the actual error, and its stack begins where the error occurred.
            cause.trim().clone_into(&mut headline);
            calls.clear();
        } else if !line.trim_start().starts_with("... ") {
            break;
        }
        next += 1;
    }
    Some((Uncaught::new(Runtime::Stacked, headline, calls), next))
}

/// The maximum number of lines between the message of an exception and its stack.
const MESSAGE_LINES: usize = 5;

/// The message above the stack that begins on line `at`.
fn headline_before(lines: &[&str], at: usize) -> Option<String> {
    let above = lines[at.saturating_sub(MESSAGE_LINES)..at].iter().rev();
    let telling = above.clone().find(|line| line.contains("Error") || line.contains("Exception"));
    let line = telling.or_else(|| above.clone().next())?.trim();
    let of_thread = line.strip_prefix("Exception in thread \"").and_then(|rest| rest.split_once("\" "));
    let line = of_thread.map_or(line, |(_, message)| message);
    Some(line.strip_prefix("Caused by: ").unwrap_or(line).to_owned())
}

/// Parses a line such as `at Bot.main(Bot.java:12)`, `at play (/bot/bot.js:12:9)` or `at file:///bot/bot.mjs:1:7`. A
/// call within the runtime is `Some(None)`.
#[expect(clippy::option_option, reason = "a line that is not a call, a call without a file, and a call in a file")]
fn stack_call(line: &str) -> Option<Option<StackLine>> {
    let call = line.strip_prefix([' ', '\t'])?.trim_start().strip_prefix("at ")?;
    let place = match call.rsplit_once('(') {
        Some((_, inside)) => inside.trim_end().trim_end_matches(')'),
        None => call.trim_end(),
    };
    let place = place.strip_prefix("file://").unwrap_or(place);
    if place.starts_with("node:") || call.starts_with("java.") || call.starts_with("jdk.") {
        return Some(None);
    }
    let mut parts = place.split(':');
    let (Some(file), Some(line)) = (parts.next(), parts.next().and_then(leading_number)) else { return Some(None) };
    Some(Some(StackLine { file: file.to_owned(), line, code: String::new() }))
}

/// Parses a Rust panic that begins on line `at`. Returns it with the index of the line after it.
fn rust(lines: &[&str], at: usize) -> Option<(Uncaught, usize)> {
    let line = lines[at].trim_start();
    let rest = line.strip_prefix("thread '")?;
    let (_, rest) = rest.split_once(" panicked at ")?;
    if let Some(message) = rest.strip_prefix('\'') {
        // The old format puts the message first.
        let (message, place) = message.rsplit_once("', ")?;
        return Some((Uncaught::new(Runtime::Rust, message.to_owned(), colons(place).into_iter().collect()), at + 1));
    }
    let message = lines.get(at + 1).map_or("", |line| line.trim());
    Some((Uncaught::new(Runtime::Rust, message.to_owned(), colons(rest).into_iter().collect()), at + 2))
}

/// Parses the message of a C or C++ program that aborts. Returns it with the index of the line after it.
fn native(lines: &[&str], at: usize) -> Option<(Uncaught, usize)> {
    let line = lines[at].trim();
    if let Some(kind) = line.strip_prefix("terminate called after throwing an instance of '") {
        let what = lines.get(at + 1).and_then(|next| next.trim().strip_prefix("what():"));
        let headline = format!("{}: {}", kind.trim_end_matches('\''), what.unwrap_or_default().trim());
        return Some((Uncaught::new(Runtime::Native, headline, Vec::new()), at + 1 + usize::from(what.is_some())));
    }
    // For example: bot: bot.c:12: main: Assertion `x' failed.
    let (before, _) = line.split_once(": Assertion ")?;
    let place = before.split_once(": ").map_or(before, |(_, place)| place);
    Some((Uncaught::new(Runtime::Native, line.to_owned(), colons(place).into_iter().collect()), at + 1))
}

/// Parses a place such as `src/main.rs:12:5:`.
fn colons(place: &str) -> Option<StackLine> {
    let (file, rest) = place.trim().split_once(':')?;
    Some(StackLine { file: file.to_owned(), line: leading_number(rest)?, code: String::new() })
}

fn leading_number(text: &str) -> Option<u32> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text[..end].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(stderr: &str) -> (String, Vec<(String, u32)>) {
        let Uncaught { headline, calls, .. } = uncaught(stderr).expect(stderr);
        (headline, calls.into_iter().map(|call| (call.file, call.line)).collect())
    }

    #[test]
    fn a_traceback_of_python_is_read_innermost_first_with_its_code() {
        let stderr = "hello\nTraceback (most recent call last):\n  File \"/b/bot.py\", line 3, in <module>\n    GthClient()\n    ^^^^\n  File \"/b/gthclient.py\", line 141, in __init__\n    self.my_time = white_time_control\nNameError: name 'white_time_control' is not defined\n";
        let (headline, calls) = read(stderr);
        assert_eq!(headline, "NameError: name 'white_time_control' is not defined");
        assert_eq!(calls, [("/b/gthclient.py".to_owned(), 141), ("/b/bot.py".to_owned(), 3)]);
        assert_eq!(uncaught(stderr).unwrap().calls[0].code, "self.my_time = white_time_control");
    }

    #[test]
    fn the_last_of_several_exceptions_counts() {
        let one = "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\n    g()\nValueError: one\n";
        let two = "\nDuring handling of the above exception, another exception occurred:\n\nTraceback (most recent call last):\n  File \"a.py\", line 2, in f\n    h()\nKeyError: 203\n";
        assert_eq!(read(&format!("{one}{two}")).0, "KeyError: 203");
        assert_eq!(
            read("  File \"bot.py\", line 7\n    if x\n       ^\nSyntaxError: expected ':'\n").1,
            [("bot.py".to_owned(), 7)]
        );
    }

    #[test]
    fn stacks_of_java_lead_to_the_deepest_cause_in_files_of_the_bot() {
        let stderr = "Exception in thread \"main\" java.lang.RuntimeException: no\n\tat Bot.main(Bot.java:9)\nCaused by: java.net.UnknownHostException: barton\n\tat java.base/java.net.Socket.connect(Socket.java:751)\n\tat GthClient.<init>(GthClient.java:45)\n\t... 1 more\n";
        let (headline, calls) = read(stderr);
        assert_eq!(headline, "java.net.UnknownHostException: barton");
        assert_eq!(calls, [("GthClient.java".to_owned(), 45)]);
    }

    #[test]
    fn stacks_of_node_and_panics_of_rust_and_aborts_of_c_are_read() {
        let node = "/b/bot.js:2\nthrow new Error('x');\n^\n\nError: x\n    at play (/b/bot.js:2:7)\n    at Module._compile (node:internal/modules/cjs/loader:1:2)\n\nNode.js v20\n";
        assert_eq!(read(node), ("Error: x".to_owned(), vec![("/b/bot.js".to_owned(), 2)]));
        let missing = "Error: Cannot find module 'rules'\nRequire stack:\n- /b/bot.js\n    at Module._resolve (node:internal:1:2)\n    at Object.<anonymous> (/b/bot.js:1:9) {\n";
        assert_eq!(read(missing).0, "Error: Cannot find module 'rules'");
        for panic in [
            "thread 'main' (12) panicked at src/main.rs:12:5:\nindex out of bounds\nnote: run with\n",
            "thread 'main' panicked at 'index out of bounds', src/main.rs:12:5\n",
        ] {
            assert_eq!(read(panic), ("index out of bounds".to_owned(), vec![("src/main.rs".to_owned(), 12)]));
        }
        let thrown = "terminate called after throwing an instance of 'std::out_of_range'\n  what():  vector\n";
        assert_eq!(read(thrown).0, "std::out_of_range: vector");
        assert_eq!(read("bot: bot.c:12: main: Assertion `ok' failed.\n").1, [("bot.c".to_owned(), 12)]);
    }

    #[test]
    fn an_exception_has_ended_the_program_if_its_report_is_the_last_and_the_status_is_the_runtimes() {
        use ProcessExit::{Signal, Status};
        let python = "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\n    g()\nKeyError: 3\n";
        let java = "Exception in thread \"main\" java.lang.Error: x\n\tat Bot.main(Bot.java:9)\n\t... 1 more\n";
        let node =
            "Error: x\n    at play (/b/bot.js:2:7) {\n  code: 'X',\n  stack: [\n    'y'\n  ]\n}\n\nNode.js v20\n";
        let rust = "thread 'main' panicked at src/main.rs:12:5:\nassertion failed\n  left: 1\n right: 2\nstack backtrace:\n   0: rust_begin_unwind\n             at ./library/std/src/panicking.rs:1:2\nnote: run with\n";
        let native = "bot: bot.c:12: main: Assertion `ok' failed.\nAborted (core dumped)\n";
        let exits = [Status(0), Status(1), Status(2), Status(101), Status(134), Signal(6), Signal(11)];
        for (stderr, fitting) in [
            (python, &[Status(1)][..]),
            (java, &[Status(1)]),
            (node, &[Status(1)]),
            (rust, &[Status(101), Status(134), Signal(6)]),
            (native, &[Status(134), Signal(6)]),
        ] {
            let read = |stderr: &str| uncaught(stderr).expect("an exception");
            for exit in exits {
                assert_eq!(read(stderr).has_ended(Some(exit)), fitting.contains(&exit), "{stderr} {exit:?}");
                let went_on = read(&format!("{stderr}depth 3\n"));
                assert!(!went_on.has_ended(Some(exit)), "{stderr} {exit:?}");
            }
            assert!(!read(stderr).has_ended(None), "{stderr}");
        }
        assert_eq!(read(rust).1, [("src/main.rs".to_owned(), 12)]);
    }

    #[test]
    fn ordinary_and_hostile_output_is_not_an_exception() {
        for stderr in [
            "",
            "depth 3 value 4\nlook at c3\n",
            "Traceback (most recent call last):\n  File \"a\", line",
            "\u{1b}[31m\n",
        ] {
            assert_eq!(uncaught(stderr), None, "{stderr}");
        }
        let long =
            format!("Traceback (most recent call last):\n  File \"a.py\", line 1, in f\n{}\n", "é".repeat(1 << 20));
        assert!(read(&long).0.len() < 5000);
    }
}
