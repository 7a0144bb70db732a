//! The token of a remote player.

use std::fmt;

use thiserror::Error;

/// A secret word, which is never printed.
///
/// Invariant: the token has at least [`PlayerToken::LEAST`] characters, no control characters and no `"`.
#[derive(Clone)]
pub struct PlayerToken(String);

/// The reason why a string is not a valid token. The error does not contain the string.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum InvalidToken {
    /// The text is empty or blank.
    #[error("`token` is empty (write a word that only this player knows)")]
    Empty,
    /// The text is so short that it can be guessed.
    #[error("`token` has fewer than {} characters, so it could be guessed", PlayerToken::LEAST)]
    TooShort,
    /// One of the characters cannot be represented in the protocol.
    #[error("`token` contains a `\"` or a control character, which no client can send")]
    Forbidden,
}

impl PlayerToken {
    /// The minimum number of characters in a token, not counting white space at either end. A host is allowed too few
    /// guesses to find a token of this length.
    pub const LEAST: usize = 8;

    /// Checks that `text` is a valid token.
    ///
    /// # Errors
    /// Returns an error if `text` breaks the type's invariant.
    pub fn new(text: impl Into<String>) -> Result<Self, InvalidToken> {
        let text = text.into();
        if text.trim().is_empty() {
            return Err(InvalidToken::Empty);
        }
        if text.chars().any(|c| c.is_control() || c == '"') {
            return Err(InvalidToken::Forbidden);
        }
        if text.trim().chars().count() < Self::LEAST {
            return Err(InvalidToken::TooShort);
        }
        Ok(Self(text))
    }

    /// Whether `guess` is the token. The time that this takes depends only on the guess, so that guessing reveals
    /// nothing about the token.
    pub fn matches(&self, guess: &str) -> bool {
        let token = self.0.as_bytes();
        let mut difference = token.len() ^ guess.len();
        for (i, byte) in guess.bytes().enumerate() {
            // The invariant ensures that the token is not empty, so there is always a byte to compare with.
            difference |= usize::from(byte ^ token[i % token.len()]);
        }
        std::hint::black_box(difference) == 0
    }

    /// How many characters the token has.
    pub(super) fn length(&self) -> usize {
        self.0.chars().count()
    }
}

impl fmt::Debug for PlayerToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_whole_token_matches() {
        let token = PlayerToken::new("a word of hers").unwrap();
        assert!(token.matches("a word of hers"));
        for guess in [
            "",
            "a",
            "a word of her",
            "a word of hers ",
            "a word of hersa word of hers",
            "A word of hers",
            "b word of hers",
        ] {
            assert!(!token.matches(guess), "{guess}");
        }
    }

    #[test]
    fn tokens_are_not_shown() {
        assert_eq!(format!("{:?}", PlayerToken::new("hushhush").unwrap()), "Token(..)");
    }

    #[test]
    fn tokens_that_no_client_can_send_are_refused() {
        assert_eq!(PlayerToken::new(" ").unwrap_err(), InvalidToken::Empty);
        assert_eq!(PlayerToken::new("a\"").unwrap_err(), InvalidToken::Forbidden);
        assert_eq!(PlayerToken::new("a\r").unwrap_err(), InvalidToken::Forbidden);
    }

    #[test]
    fn tokens_that_can_be_guessed_are_refused() {
        for short in ["a word", "1234567", " 1234567 ", "größer7"] {
            assert_eq!(PlayerToken::new(short).unwrap_err(), InvalidToken::TooShort, "{short}");
        }
        for long in ["12345678", "größer78", "a b c d e"] {
            assert!(PlayerToken::new(long).is_ok(), "{long}");
        }
    }
}
