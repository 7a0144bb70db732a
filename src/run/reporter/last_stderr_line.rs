//! A bot's stderr, summarised in one line.

use crate::base::sanitise::output_line;

/// The maximum number of characters to show.
const MOST: usize = 200;

/// The line of `stderr` that best explains why the bot failed, safe to print: the last line that names an error, or
/// else the last line outside a stack trace; `None` if there is neither.
///
/// For a Java exception with causes, this is the innermost cause; for a panic in Rust, its location and message.
pub(crate) fn last_words(stderr: &str) -> Option<String> {
    let lines: Vec<&str> = stderr.lines().filter(|line| !line.trim().is_empty()).collect();
    let error = lines.iter().rposition(|line| names_an_error(line));
    let at = error.or_else(|| lines.iter().rposition(|line| !is_trace(line)))?;
    let mut words = lines[at].trim().to_owned();
    if words.contains(" panicked at ")
        && let Some(message) = lines.get(at + 1).filter(|message| !is_trace(message))
    {
        words = format!("{words} {}", message.trim());
    }
    Some(output_line(&words.chars().take(MOST).collect::<String>()))
}

/// Whether `line` looks like a runtime's report of an error.
fn names_an_error(line: &str) -> bool {
    const BEGINNINGS: [&str; 5] =
        ["Exception in thread ", "Caused by: ", "terminate called", "Segmentation fault", "panic: "];
    const PARTS: [&str; 4] =
        [" panicked at ", ": Assertion `", ": error while loading shared libraries: ", "Error: Could not find or load"];
    // `ValueError: ...` (Python), `TypeError: ...` (Node), `java.io.IOException: ...`, with or without a message.
    let class = line.split(':').next().unwrap_or_default();
    let is_class = !class.is_empty() && class.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | '$'));
    BEGINNINGS.iter().any(|beginning| line.starts_with(beginning))
        || PARTS.iter().any(|part| line.contains(part))
        || is_class && (class.ends_with("Error") || class.ends_with("Exception"))
}

/// Whether `line` only says where something happened, or how to get more information.
fn is_trace(line: &str) -> bool {
    let text = line.trim_start();
    let indented = text.len() < line.len();
    let numbered = text.split_once(": ").is_some_and(|(number, _)| number.bytes().all(|byte| byte.is_ascii_digit()));
    indented && (text.starts_with("at ") || text.starts_with("... ") || numbered)
        || ["note: ", "stack backtrace:", "Node.js v", "Traceback ", "goroutine "].iter().any(|it| text.starts_with(it))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_is_shown_and_not_the_end_of_its_trace() {
        for (stderr, words) in [
            (
                "Exception in thread \"main\" java.lang.IllegalStateException: no book\n\tat Bot.main(Bot.java:3)\n\
                 \tat java.base/Main.run(Main.java:1)\n",
                "Exception in thread \"main\" java.lang.IllegalStateException: no book",
            ),
            (
                "Exception in thread \"main\" java.lang.RuntimeException\n\tat A.b(A.java:1)\nCaused by: \
                 java.io.FileNotFoundException: book.txt\n\tat A.c(A.java:9)\n\t... 5 more\n",
                "Caused by: java.io.FileNotFoundException: book.txt",
            ),
            (
                "Traceback (most recent call last):\n  File \"bot.py\", line 3, in <module>\n    import rules\n\
                 ModuleNotFoundError: No module named 'rules'\n",
                "ModuleNotFoundError: No module named 'rules'",
            ),
            (
                "node:internal/modules/cjs/loader:1143\n  throw err;\n  ^\n\nError: Cannot find module '/b/rules'\n\
                 \x20   at Module._load (node:1)\n  code: 'MODULE_NOT_FOUND'\n}\n\nNode.js v20.1.0\n",
                "Error: Cannot find module '/b/rules'",
            ),
            (
                "thread 'main' panicked at src/main.rs:2:5:\nindex out of bounds\nstack backtrace:\n   0: rust_begin\n\
                 note: run with `RUST_BACKTRACE=full`\n",
                "thread 'main' panicked at src/main.rs:2:5: index out of bounds",
            ),
            ("bot: bot.c:9: main: Assertion `x' failed.\nAborted\n", "bot: bot.c:9: main: Assertion `x' failed."),
            ("thinking\nSegmentation fault (core dumped)\n", "Segmentation fault (core dumped)"),
            ("depth 3\ndepth 4\n\n", "depth 4"),
            ("no\tbook\x1b[2J\n", "no      book\\u{1b}[2J"),
        ] {
            assert_eq!(last_words(stderr).as_deref(), Some(words), "{stderr}");
        }
        assert_eq!(last_words(" \n\n"), None);
        assert_eq!(last_words(&"ä".repeat(300)), Some("ä".repeat(200)));
    }
}
