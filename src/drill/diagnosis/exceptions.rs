//! D18: an uncaught exception ends the bot.

use super::inquiry::{Subject, shown};
use super::language::Language;
use crate::drill::readiness::{Cause, Diagnosis};

/// The messages of runtimes when the other end of a connection is gone. The line that raises an exception with one of
/// these messages is not the cause.
const CONNECTION: [&str; 6] =
    ["ConnectionReset", "Connection reset", "BrokenPipe", "Broken pipe", "ConnectionAborted", "EPIPE"];

/// Python's exceptions for a file that it cannot parse. In JavaScript, data can also cause a `SyntaxError`.
const SYNTAX: [&str; 3] = ["SyntaxError", "IndentationError", "TabError"];

/// Whether Python cannot parse the bot's program.
pub(super) fn is_unreadable(subject: &Subject<'_>) -> bool {
    let is_python = matches!(subject.inquiry.code.language, Language::Python);
    let says_so = |headline: &str| SYNTAX.iter().any(|name| headline.starts_with(name));
    is_python && subject.uncaught.as_ref().is_some_and(|uncaught| says_so(&uncaught.headline))
}

/// D18, if the bot was ended by an exception from a line in its own files.
pub(super) fn find(subject: &Subject<'_>) -> Option<Diagnosis> {
    let uncaught =
        subject.uncaught.as_ref().filter(|_| subject.has_ended_early() && subject.was_ended_by_exception())?;
    if CONNECTION.iter().any(|word| uncaught.headline.contains(word)) {
        return None;
    }
    let line = subject.failing_line()?;
    let place = line.place();
    let number = place.line.map(|line| format!(", line {line}")).unwrap_or_default();
    if is_unreadable(subject) {
        let text = format!(
            "Python cannot read your program: `{}` at `{}` in {}{number}.",
            shown(&uncaught.headline),
            shown(line.text),
            shown(&place.file),
        );
        let fix = "Correct this line; the mistake may start on the line before it. Then start the bot once outside the arena.";
        return Some(subject.diagnosis(Cause::OwnException, text, fix.to_owned()).at(Some(line)));
    }
    let text = format!(
        "An uncaught exception ended your bot: `{}`. It was raised by `{}` in {}{number}.",
        shown(&uncaught.headline),
        shown(line.text),
        shown(&place.file),
    );
    let how = match subject.inquiry.code.language {
        Language::Python => "`print(..., file=sys.stderr)`",
        Language::Java => "`System.err.println(...)`",
        Language::C | Language::Cpp => "`fprintf(stderr, ...)`",
        Language::Rust => "`eprintln!`",
        Language::JavaScript => "`console.error(...)`",
        Language::Other => "a line on stderr",
    };
    let fix = format!(
        "Find out which values the line uses: print them with {how} just before it, and play the scenario again (`--only {}`).",
        subject.trial.scenario.id
    );
    Some(subject.diagnosis(Cause::OwnException, text, fix).at(Some(line)))
}
