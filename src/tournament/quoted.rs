//! The user's text, as quoted in messages.

use std::fmt;

use crate::base::sanitise::sanitised;

/// The user's text, prepared for a message: truncated to a sensible length, and without characters that could confuse a
/// terminal.
///
/// The text is also cut at the first quotation mark or line break. If the user forgot a quotation mark, a string can
/// contain the rest of the file, including a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quoted {
    shown: String,
    is_cut: bool,
}

impl Quoted {
    /// The maximum number of characters that are shown.
    const MOST: usize = 60;

    /// Quotes `text`, truncated if necessary.
    pub(crate) fn new(text: &str) -> Self {
        let shown: String =
            text.chars().take(Self::MOST).take_while(|c| !matches!(c, '"' | '\'' | '\n' | '\r')).collect();
        let is_cut = shown.len() < text.len();
        Self { shown: sanitised(&shown) + if is_cut { "..." } else { "" }, is_cut }
    }

    /// Whether the text was truncated.
    pub(crate) const fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// The text without back-quotes.
    pub fn as_str(&self) -> &str {
        &self.shown
    }
}

impl fmt::Display for Quoted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", self.shown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_ends_at_a_quote_a_line_break_or_sixty_characters() {
        for (text, shown) in [
            ("ten", "`ten`"),
            ("1m\"\ntoken = \"x", "`1m...`"),
            ("1m\ntoken", "`1m...`"),
            ("\u{1b}[31m", "`\\u{1b}[31m`"),
            (&"ä".repeat(60), &format!("`{}`", "ä".repeat(60))),
            (&"ä".repeat(61), &format!("`{}...`", "ä".repeat(60))),
        ] {
            assert_eq!(Quoted::new(text).to_string(), shown);
        }
    }
}
