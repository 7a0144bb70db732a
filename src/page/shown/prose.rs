//! Sentences as markup. Messages put code between backticks, for terminals and for Markdown; a page puts it in elements
//! instead.

use maud::{Markup, html};

use crate::base::sanitise::sanitised;

/// `text`, sanitised, with anything between two backticks as code. An unpaired backtick is kept. Lines break only
/// between words of code, never within one, such as `--only`.
pub(crate) fn prose(text: &str) -> Markup {
    let text = sanitised(text);
    let pieces: Vec<&str> = text.split('`').collect();
    // The pieces at odd indices are between two backticks, unless the last one is not closed.
    let unpaired = pieces.len().is_multiple_of(2).then(|| pieces.len() - 1);
    html! {
        @for (place, piece) in pieces.iter().enumerate() {
            @if Some(place) == unpaired { "`" (piece) }
            @else if place % 2 == 0 { (piece) }
            @else { (code(piece)) }
        }
    }
}

fn code(text: &str) -> Markup {
    let words: Vec<&str> = text.split(' ').collect();
    html! {
        code {
            @for (place, word) in words.iter().enumerate() {
                @if place > 0 { " " }
                @if words.len() == 1 { (word) } @else { span { (word) } }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_between_back_quotes_is_code_whose_words_stay_whole() {
        for (text, markup) in [
            ("no code", "no code"),
            ("`?`: none", "<code>?</code>: none"),
            (
                "play `check --only plain` again",
                "play <code><span>check</span> <span>--only</span> <span>plain</span></code> again",
            ),
            ("`a` and `b`", "<code>a</code> and <code>b</code>"),
            ("one ` alone", "one ` alone"),
            ("`a` and ` alone", "<code>a</code> and ` alone"),
            ("`<b>` \u{1b}", "<code>&lt;b&gt;</code> \\u{1b}"),
        ] {
            assert_eq!(prose(text).into_string(), markup);
        }
    }
}
