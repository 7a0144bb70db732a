//! Lines wrapped at words.

use unicode_width::UnicodeWidthChar as _;

/// The minimum width to which lines are wrapped: on a narrower screen, wrapped text would be as hard to read as
/// unwrapped text.
const LEAST: usize = 20;

/// Returns `line`, broken into lines of at most `width` columns. It is broken at spaces outside back-quotes, so that a
/// command can still be copied; a word that is wider than the screen stays whole, and the terminal breaks it. The lines
/// after the first have the same indentation as the first.
pub fn wrapped(line: &str, width: usize) -> String {
    let width = width.max(LEAST);
    if columns_of(line) <= width {
        return line.to_owned();
    }
    let indentation: String = line.chars().take_while(|&c| c == ' ').collect();
    // An indentation of half a screen leaves no room for text.
    let indentation = if indentation.len() * 2 > width { String::new() } else { indentation };
    let (mut text, mut used) = (indentation.clone(), indentation.len());
    let mut is_first = true;
    for word in words(line.trim_start_matches(' ')) {
        let needed = columns_of(word);
        if !is_first && used + 1 + needed > width {
            text.push('\n');
            text.push_str(&indentation);
            used = indentation.len();
        } else if !is_first {
            text.push(' ');
            used += 1;
        }
        text.push_str(word);
        used += needed;
        is_first = false;
    }
    text
}

/// Returns one line that consists of `parts`, each with its ANSI codes if `has_colours`, wrapped at `width` if there is
/// one.
pub fn styled(parts: &[(&str, String)], width: Option<usize>, has_colours: bool) -> String {
    let whole: String = parts.iter().map(|(_, text)| text.as_str()).collect();
    let whole = width.map_or_else(|| whole.clone(), |width| wrapped(&whole, width));
    if !has_colours {
        return whole;
    }
    // Wrapping changes only whitespace, so each part's end is found by counting its other characters.
    let is_blank = |c: &char| [' ', '\n'].contains(c);
    let mut letters = whole.chars().peekable();
    let mut line = String::with_capacity(whole.len());
    for (ansi, text) in parts {
        let mut left = text.chars().filter(|c| !is_blank(c)).count();
        let mut part = String::new();
        // The whitespace before a part has no colour.
        while let Some(blank) = letters.next_if(is_blank) {
            line.push(blank);
        }
        while let Some(letter) = letters.next_if(|_| left > 0) {
            left -= usize::from(!is_blank(&letter));
            part.push(letter);
        }
        let coloured = if ansi.is_empty() { part } else { ["\x1b[", ansi, "m", &part, "\x1b[0m"].concat() };
        line.push_str(&coloured);
    }
    line.extend(letters);
    line
}

/// The words of `line`: the parts between spaces outside back-quotes.
fn words(line: &str) -> impl Iterator<Item = &str> {
    let mut in_quotes = false;
    line.split(move |c: char| {
        in_quotes ^= c == '`';
        c == ' ' && !in_quotes
    })
}

/// `row`, cut to `width` columns.
pub fn cut(row: &str, width: usize) -> String {
    let mut text = String::with_capacity(row.len());
    let mut used = 0;
    for letter in row.chars() {
        used += letter.width().unwrap_or_default();
        if used > width {
            break;
        }
        text.push(letter);
    }
    text
}

/// The width of `text` on a terminal. Unprintable characters have no width.
pub fn columns_of(text: &str) -> usize {
    text.chars().map(|c| c.width().unwrap_or_default()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_at_words_and_keep_their_indentation() {
        assert_eq!(wrapped("a short line", 20), "a short line");
        assert_eq!(wrapped("one two three four five six", 20), "one two three four\nfive six");
        assert_eq!(wrapped("  | one two three four five", 20), "  | one two three\n  four five");
        assert_eq!(wrapped("see `run class.toml --fresh` for it", 20), "see\n`run class.toml --fresh`\nfor it");
        assert_eq!(wrapped(&"x".repeat(30), 20), "x".repeat(30));
        assert_eq!(wrapped("an odd ` quote and words", 20), "an odd\n` quote and words");
    }

    #[test]
    fn each_part_of_a_wrapped_line_keeps_its_colour() {
        let parts = [("1", "one:".to_owned()), ("", " two three four".to_owned()), ("31", "five six".to_owned())];
        assert_eq!(styled(&parts, None, false), "one: two three fourfive six");
        assert_eq!(styled(&parts, Some(20), true), "\x1b[1mone:\x1b[0m two three\nfour\x1b[31mfive six\x1b[0m");
        assert_eq!(styled(&[("1", "日".to_owned()), ("", " ".to_owned())], None, true), "\x1b[1m日\x1b[0m ");
    }

    #[test]
    fn a_row_is_cut_before_the_letter_that_does_not_fit() {
        assert_eq!(["a row", "日本", "日本", ""].map(|row| cut(row, 3)), ["a r", "日", "日", ""]);
    }

    #[test]
    fn wide_letters_take_two_columns() {
        assert_eq!(columns_of("日本"), 4);
        assert_eq!(wrapped("日本日本 日本日本日本", 20), "日本日本\n日本日本日本");
        // On a screen narrower than the minimum width, lines are wrapped to the minimum width.
        assert_eq!(wrapped("one two", 1), "one two");
    }
}
