//! Quoting of untrusted text for each output format.

use crate::base::sanitise::{output_line, sanitised};

/// The maximum width of text shown to users.
pub(crate) const WIDTH: usize = 80;

/// Wraps `text` into lines of at most [`WIDTH`] columns. The first line begins with `first`, and the others are
/// indented by the same width.
pub(crate) fn wrapped(first: &str, text: &str) -> String {
    let indent = first.chars().count();
    let room = WIDTH.saturating_sub(indent).max(20);
    let mut lines = vec![String::new()];
    let mut column = 0;
    for piece in text.split(' ').filter(|word| !word.is_empty()).flat_map(|word| pieces(word, room)) {
        let width = piece.chars().count();
        if column > 0 && column + 1 + width > room {
            lines.push(String::new());
            column = 0;
        }
        let line = lines.last_mut().expect("there is a first line");
        if column > 0 {
            line.push(' ');
            column += 1;
        }
        line.push_str(&piece);
        column += width;
    }
    first.to_owned() + &lines.join(&format!("\n{}", " ".repeat(indent))) + "\n"
}

/// `word`, split into pieces that fit into `room` columns.
fn pieces(word: &str, room: usize) -> Vec<String> {
    let letters: Vec<char> = word.chars().collect();
    letters.chunks(room).map(|piece| piece.iter().collect()).collect()
}

/// The first `most` characters of `text`, ending in dots if it was truncated.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most.saturating_sub(3)).chain("...".chars()).collect()
}

/// `text` as the beginning of a sentence.
pub(crate) fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// How many lines of a failed build's output are shown.
const BUILD_LINES: usize = 10;

/// Why a bot could not be prepared, shortened for display: the reason, and the output of its build from the first error
/// on, sanitised. There are at most [`BUILD_LINES`] lines, followed by the number of lines left out.
pub(crate) fn failed_build(broken: &str) -> (String, Vec<String>) {
    let mut lines = broken.lines();
    let reason = lines.next().unwrap_or_default().trim_end_matches(':').to_owned();
    let output: Vec<&str> = lines.filter(|line| !line.trim().is_empty()).collect();
    let is_error = |line: &&str| {
        let line = line.to_lowercase();
        ["error", "undefined reference", "no such file", "not found"].iter().any(|word| line.contains(word))
    };
    let from = output.iter().position(is_error).unwrap_or_default();
    let shown = output.iter().skip(from).take(BUILD_LINES).map(|line| output_line(line));
    let left = output.len().saturating_sub(BUILD_LINES);
    let more = (left > 0).then(|| format!("... and {left} more lines of output"));
    (reason, shown.chain(more).collect())
}

/// Escapes `text` for a line of Markdown, which shows it literally: nothing in it becomes markup, a link, a formula or
/// a table cell.
pub(crate) fn markdown(text: &str) -> String {
    const HARMLESS: &str = ",;'\"?/=% ";
    sanitised(text).chars().fold(String::with_capacity(text.len()), |mut escaped, letter| {
        if letter.is_ascii_punctuation() && !HARMLESS.contains(letter) {
            escaped.push('\\');
        }
        escaped.push(letter);
        escaped
    })
}

/// Escapes `text` for a line of Markdown, with anything between two backticks as code. Code that could be mistaken for
/// something else in a table or in HTML is put in quotation marks instead.
pub(crate) fn markdown_prose(text: &str) -> String {
    let pieces: Vec<&str> = text.split('`').collect();
    let unpaired = pieces.len().is_multiple_of(2).then(|| pieces.len() - 1);
    let piece = |(place, piece): (usize, &&str)| match place {
        _ if Some(place) == unpaired => format!("\\`{}", markdown(piece)),
        _ if place % 2 == 0 => markdown(piece),
        _ => markdown_code(piece),
    };
    pieces.iter().enumerate().map(piece).collect()
}

/// Formats `text`, which contains no backtick, as code within a line of Markdown, if possible.
fn markdown_code(text: &str) -> String {
    let code = sanitised(text);
    let is_blank = code.trim().is_empty();
    if is_blank || code.contains(['<', '>', '|', '&', '\\', '[', ']']) {
        return format!("\"{}\"", markdown(text));
    }
    format!("`{code}`")
}

/// `text` as a code block in Markdown. The fence is longer than any run of backticks in `text`.
pub(crate) fn fenced(text: &str) -> String {
    let longest = text.split(|letter| letter != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}text\n{}\n{fence}\n", text.trim_end_matches('\n'))
}

/// Escapes `text` for a property of a workflow command.
pub(crate) fn property(text: &str) -> String {
    message(text).replace(':', "%3A").replace(',', "%2C")
}

/// Escapes `text` for the message of a workflow command.
pub(crate) fn message(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_sentence_begins_with_a_capital_letter() {
        assert_eq!(["the bot", "ärger", "`x`", ""].map(capitalised), ["The bot", "Ärger", "`x`", ""]);
    }

    #[test]
    fn code_stays_code_in_markdown_unless_it_could_be_something_else() {
        for (text, expected) in [
            ("play `check --only plain`.", r"play `check --only plain`\."),
            ("`a|b` and `<b>`", r#""a\|b" and "\<b\>""#),
            ("one ` alone", r"one \` alone"),
            ("``", r#""""#),
            ("`x\u{1b}`", r#""x\\u\{1b\}""#),
        ] {
            assert_eq!(markdown_prose(text), expected);
        }
    }

    proptest! {
        #[test]
        fn wrapped_lines_hold_as_many_words_as_fit_below_each_other(
            first in prop::sample::select(vec!["", "- ", "    hint: "]),
            words in prop::collection::vec("[a-zé]{1,12}|[a-z]{60,200}", 0..40),
        ) {
            let room = WIDTH - first.len();
            let text = wrapped(first, &words.join(" "));
            let body = text.strip_prefix(first).and_then(|text| text.strip_suffix('\n')).expect("a first and a last line");
            let indent = format!("\n{}", " ".repeat(first.len()));
            let lines: Vec<&str> = body.split(&indent).collect();
            prop_assert_eq!(lines.concat().replace(' ', ""), words.concat());
            for (line, next) in lines.iter().zip(&lines[1..]) {
                let word = next.split(' ').next().unwrap_or_default();
                prop_assert!(!line.is_empty() && line.chars().count() + 1 + word.chars().count() > room, "{}", text);
            }
            prop_assert!(lines.iter().all(|line| line.chars().count() <= room && !line.contains("  ")), "{}", text);
            prop_assert!(words.iter().filter(|word| word.chars().count() <= room).all(|word| text.contains(word.as_str())));
        }
    }
}
