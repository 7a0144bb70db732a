//! The token in the link to a board.

use std::fmt;
use std::fs::File;
use std::io::{self, Read as _};

use crate::base::hex::hex;

/// 128 random bits, without which nobody can see the board or make moves on it.
pub(super) struct WebToken([u8; 16]);

impl WebToken {
    /// A new token.
    ///
    /// # Errors
    /// Fails if the system cannot provide random numbers.
    pub(super) fn random() -> io::Result<Self> {
        let mut bytes = [0; 16];
        File::open("/dev/urandom")?.read_exact(&mut bytes)?;
        Ok(Self(bytes))
    }

    /// The token as 32 hexadecimal digits.
    pub(super) fn text(&self) -> String {
        hex(&self.0)
    }

    /// Whether `text` is the token. The time that this takes does not depend on how much of `text` is right.
    pub(super) fn is(&self, text: &str) -> bool {
        let own = self.text();
        let differing = |differing, (one, other): (u8, u8)| differing | (one ^ other);
        own.len() == text.len() && own.bytes().zip(text.bytes()).fold(0, differing) == 0
    }
}

/// Does not reveal the token.
impl fmt::Debug for WebToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WebToken").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_random_and_only_its_own_text_fits() {
        let [token, other] = [WebToken::random(), WebToken::random()].map(|token| token.expect("random numbers"));
        let text = token.text();
        assert!(text.len() == 32 && token.is(&text) && !other.is(&text));
        let last = if text.ends_with('0') { "1" } else { "0" };
        for wrong in ["", &text[1..], &format!("{text}0"), &format!("{}{last}", &text[..31]), &text.to_uppercase()] {
            assert!(!token.is(wrong) || wrong == text, "{wrong}");
        }
        assert!(!format!("{token:?}").contains(&text));
    }
}
