//! The only place that sanitises untrusted text for printing: names, file names, and the output of bots.

use std::ffi::OsStr;
use std::fmt::Display;
use std::path::Path;

use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

/// Returns whether `c` controls the terminal or is invisible: control characters, and the Unicode categories Cf (which
/// includes the marks that change the writing direction), Zl and Zp.
pub fn is_unprintable(c: char) -> bool {
    // Most text is ASCII, and looking up a category takes longer than everything else done with a letter.
    if c.is_ascii() {
        return c.is_ascii_control();
    }
    matches!(
        c.general_category(),
        GeneralCategory::Control
            | GeneralCategory::Format
            | GeneralCategory::LineSeparator
            | GeneralCategory::ParagraphSeparator
    )
}

/// Returns `text` as one line that cannot control a terminal or a CI server: the line is [`inert`], and every
/// [unprintable](is_unprintable) character is escaped, including line breaks and tabs.
pub fn sanitised(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        if is_unprintable(letter) {
            shown.extend(letter.escape_default());
        } else {
            shown.push(letter);
        }
    }
    if shown.contains("##") || shown.contains("::") { inert(&shown) } else { shown }
}

/// Returns `text` without anything that a CI server would interpret as a command. GitHub Actions recognises `::name::`
/// at the start of a line, after white space, and `##[name]` anywhere; Azure Pipelines and `TeamCity` recognise
/// `##vso[` and `##teamcity[`.
pub fn inert(text: &str) -> String {
    text.split_inclusive('\n').map(inert_line).collect()
}

fn inert_line(line: &str) -> String {
    let mut shown = String::with_capacity(line.len());
    let blanks = line.len() - line.trim_start().len();
    let (blanks, mut rest) = line.split_at(blanks);
    shown.push_str(blanks);
    if let Some(after) = rest.strip_prefix("::").filter(|after| after.contains("::")) {
        shown.push_str("\\u{3a}:");
        rest = after;
    }
    while let Some((before, after)) = rest.split_once("##") {
        shown.push_str(before);
        // The last two characters of `###` can also begin a command.
        let begins_command = after.trim_start_matches(|letter: char| letter.is_ascii_alphabetic() || letter == '#');
        if begins_command.starts_with('[') {
            shown.push_str("#\\u{23}");
            rest = after;
        } else {
            shown.push('#');
            rest = &rest[before.len() + 1..];
        }
    }
    shown + rest
}

/// Shows a path in a message. The path may be untrusted, so the text is [`sanitised`], unlike the output of `display`.
pub trait Shown {
    /// Returns the path as one line, for a message.
    fn shown(&self) -> String;
}

impl Shown for Path {
    fn shown(&self) -> String {
        sanitised(&self.to_string_lossy())
    }
}

impl Shown for OsStr {
    fn shown(&self) -> String {
        sanitised(&self.to_string_lossy())
    }
}

/// Returns `name` quoted as an argument of a command line.
pub fn quoted(name: &str) -> String {
    let is_plain = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "_-./".contains(c));
    if is_plain { name.to_owned() } else { format!("'{}'", name.replace('\'', "'\\''")) }
}

/// Returns `things` as lines below a message, each after a line break.
pub fn beneath<T: Display>(things: impl IntoIterator<Item = T>) -> String {
    things.into_iter().fold(String::new(), |text, thing| format!("{text}\n  {thing}"))
}

/// How many things [`listed`] names before it only counts the rest.
const LISTED: usize = 5;

/// Returns `things` as lines below a message, each after a line break. All but the first few are only counted.
pub fn listed<T: Display>(things: impl ExactSizeIterator<Item = T>) -> String {
    let others = things.len().saturating_sub(LISTED);
    let others = (others > 0).then(|| format!("and {others} more"));
    beneath(things.take(LISTED).map(|thing| thing.to_string()).chain(others))
}

/// Returns a line of a program's output, [`sanitised`] after each tab has been expanded to the next multiple of eight
/// columns, so that the columns of a compiler's output stay aligned.
pub fn output_line(line: &str) -> String {
    const TAB: usize = 8;
    let mut blanks = String::with_capacity(line.len());
    let mut column = 0;
    for letter in line.chars() {
        let width = if letter == '\t' { TAB - column % TAB } else { 1 };
        column += width;
        if letter == '\t' { blanks.push_str(&" ".repeat(width)) } else { blanks.push(letter) }
    }
    sanitised(&blanks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_can_steer_the_terminal_or_hide_in_it() {
        assert_eq!(sanitised("a\x1b[2J\u{202e}\u{e9}"), "a\\u{1b}[2J\\u{202e}\u{e9}");
        for hidden in ['\0', '\n', '\u{9b}', '\u{ad}', '\u{61c}', '\u{200b}', '\u{200f}', '\u{2028}', '\u{2069}'] {
            assert_eq!(sanitised(&format!("a{hidden}b")), format!("a{}b", hidden.escape_default()));
        }
        for letter in '\0'..='\x7f' {
            let is_control = letter.general_category() == GeneralCategory::Control;
            assert_eq!(is_unprintable(letter), is_control, "{letter:?}");
        }
        assert_eq!(Path::new("a\nb").shown(), "a\\nb");
        assert_eq!(sanitised("Größe 5 é 漢字 🙂"), "Größe 5 é 漢字 🙂");
    }

    #[test]
    fn nothing_is_a_command_to_a_ci_server() {
        for (text, shown) in [
            ("##[error]no", "#\\u{23}[error]no"),
            ("a ##vso[task.x]", "a #\\u{23}vso[task.x]"),
            ("##[a]##teamcity[b]", "#\\u{23}[a]#\\u{23}teamcity[b]"),
            ("####[a]", "#\\u{23}#\\u{23}[a]"),
            ("###[a]", "#\\u{23}#[a]"),
            ("  ::error::no", "  \\u{3a}:error::no"),
            ("::set-env name=a::b", "\\u{3a}:set-env name=a::b"),
            ("a::b::c", "a::b::c"),
            ("::1", "::1"),
            ("## Results", "## Results"),
            ("a ## b", "a ## b"),
            ("C##", "C##"),
        ] {
            assert_eq!(sanitised(text), shown);
            assert_eq!(sanitised(shown), shown, "once is enough");
        }
        assert_eq!(inert("a\n::b::\n ##[c]"), "a\n\\u{3a}:b::\n #\\u{23}[c]");
        assert_eq!(output_line("\t::error::no"), "        \\u{3a}:error::no");
    }

    #[test]
    fn tabs_of_a_compiler_become_blanks() {
        assert_eq!(output_line("\tint x;\x1b[0m"), "        int x;\\u{1b}[0m");
        assert_eq!(output_line("ab\tc"), "ab      c");
        assert_eq!(output_line("12345678\tc"), "12345678        c");
    }
}
