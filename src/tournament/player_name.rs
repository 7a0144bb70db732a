//! The names of players.

use std::fmt;
use std::str::FromStr;

use caseless::default_case_fold_str;
use thiserror::Error;
use unicode_normalization::UnicodeNormalization;

use crate::base::sanitise::is_unprintable;

/// The characters that begin a formula in a spreadsheet. Some spreadsheets treat the full-width forms used in East
/// Asian text like the ordinary characters.
pub(crate) const FORMULA_SIGNS: [char; 8] = ['=', '+', '-', '@', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}'];

/// A player's name.
///
/// Invariant: a name has 1 to [`PlayerName::MAX_LEN`] characters, none of which are unprintable, `:` or `"`; it has no
/// white space at either end, and does not begin like a formula; and its slug has 1 to [`PlayerName::MAX_SLUG`] bytes.
/// Names that are read from journals and logs are plain strings instead, because earlier versions of the program were
/// less strict.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PlayerName(String);

/// The reason why a string is not a valid player name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum InvalidName {
    /// The text is empty or blank.
    #[error("a player's name cannot be empty")]
    Empty,
    /// The text has more than [`PlayerName::MAX_LEN`] characters, or a slug of more than [`PlayerName::MAX_SLUG`]
    /// bytes.
    #[error(
        "a player's name may have at most {} characters, and its form in game ids at most {} bytes",
        PlayerName::MAX_LEN,
        PlayerName::MAX_SLUG
    )]
    TooLong,
    /// The text begins or ends with white space, which users cannot see.
    #[error("a player's name must not begin or end with a space")]
    Blanks,
    /// A spreadsheet would treat a name with this first character as a formula.
    #[error("a player's name cannot begin with `{0}`, because a spreadsheet would treat it as a formula")]
    Formula(char),
    /// The character is invisible, or changes how its neighbours are displayed.
    #[error("a player's name cannot contain the invisible character U+{:04X}", u32::from(*.0))]
    Invisible(char),
    /// Neither the protocol nor a file could represent the character.
    #[error("a player's name cannot contain {}", match .0 { ':' => "a `:`", '"' => "a `\"`", _ => "control characters" })]
    Forbidden(char),
    /// The text contains nothing from which a slug could be made.
    #[error("a player's name must contain a letter or a digit")]
    NothingForSlug,
}

impl PlayerName {
    /// The maximum length of a name in characters.
    pub const MAX_LEN: usize = 64;

    /// The maximum length of a slug in bytes: file names contain two of them and must stay below 255 bytes.
    pub const MAX_SLUG: usize = 100;

    /// Checks that `text` is a valid player name.
    ///
    /// # Errors
    /// Returns an error if `text` breaks the type's invariant.
    pub fn new(text: impl Into<String>) -> Result<Self, InvalidName> {
        let text = text.into();
        if text.trim().is_empty() {
            return Err(InvalidName::Empty);
        }
        if let Some(forbidden) = text.chars().find(|&c| c.is_control() || c == ':' || c == '"') {
            return Err(InvalidName::Forbidden(forbidden));
        }
        if let Some(invisible) = text.chars().find(|&c| is_unprintable(c)) {
            return Err(InvalidName::Invisible(invisible));
        }
        if text.trim() != text {
            return Err(InvalidName::Blanks);
        }
        if let Some(sign) = text.chars().next().filter(|&c| FORMULA_SIGNS.contains(&c)) {
            return Err(InvalidName::Formula(sign));
        }
        if text.chars().count() > Self::MAX_LEN {
            return Err(InvalidName::TooLong);
        }
        match slug(&text).len() {
            0 => Err(InvalidName::NothingForSlug),
            1..=Self::MAX_SLUG => Ok(Self(text)),
            _ => Err(InvalidName::TooLong),
        }
    }

    /// The name as written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The name, folded so that case and different Unicode representations of the same letters (NFKC) make no
    /// difference. Names with the same folded form are hard to tell apart.
    pub fn folded(&self) -> String {
        let composed: String = self.0.nfkc().collect();
        default_case_fold_str(&composed).nfkc().collect()
    }

    /// The name as used in game ids and file names: letters and digits in lower case, and `_` for each run of anything
    /// else. A slug does not contain `-`, so this character can join slugs without ambiguity.
    pub fn slug(&self) -> String {
        slug(&self.0)
    }
}

impl FromStr for PlayerName {
    type Err = InvalidName;

    fn from_str(text: &str) -> Result<Self, InvalidName> {
        Self::new(text)
    }
}

impl fmt::Display for PlayerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// `text` as a slug: see [`PlayerName::slug`].
pub fn slug(text: &str) -> String {
    let words: Vec<String> =
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase).collect();
    words.join("_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slugs_keep_letters_and_digits() {
        let slug = |name: &str| PlayerName::new(name).unwrap().slug();
        assert_eq!(slug("Line bot"), "line_bot");
        assert_eq!(slug("(Grossthello)--v2.1!"), "grossthello_v2_1");
        assert_eq!(slug("Größe 5"), "größe_5");
    }

    #[test]
    fn names_that_files_or_the_protocol_could_not_hold_are_refused() {
        for (text, why) in [
            ("", InvalidName::Empty),
            (" \u{a0}", InvalidName::Empty),
            ("a:b", InvalidName::Forbidden(':')),
            ("a\"b", InvalidName::Forbidden('"')),
            ("a\u{1b}b", InvalidName::Forbidden('\u{1b}')),
            ("...", InvalidName::NothingForSlug),
            (" a", InvalidName::Blanks),
            ("a\u{a0}", InvalidName::Blanks),
            ("=a", InvalidName::Formula('=')),
            ("+a", InvalidName::Formula('+')),
            ("-a", InvalidName::Formula('-')),
            ("@a", InvalidName::Formula('@')),
            ("\u{ff1d}a", InvalidName::Formula('\u{ff1d}')),
            ("\u{ff0b}a", InvalidName::Formula('\u{ff0b}')),
            ("\u{ff0d}a", InvalidName::Formula('\u{ff0d}')),
            ("\u{ff20}a", InvalidName::Formula('\u{ff20}')),
            ("a\u{ad}b", InvalidName::Invisible('\u{ad}')),
            ("a\u{202e}b", InvalidName::Invisible('\u{202e}')),
            ("a\u{2028}b", InvalidName::Invisible('\u{2028}')),
            ("a\u{2029}b", InvalidName::Invisible('\u{2029}')),
            (&"a".repeat(65), InvalidName::TooLong),
            (&"\u{20000}".repeat(26), InvalidName::TooLong),
        ] {
            assert_eq!(PlayerName::new(text), Err(why), "{text:?}");
            assert_eq!(text.parse::<PlayerName>(), Err(why), "{text:?}");
        }
        assert!(PlayerName::new("a".repeat(64)).is_ok());
        assert!(PlayerName::new("\u{20000}".repeat(25)).is_ok());
    }

    #[test]
    fn names_that_look_alike_fold_alike() {
        let folded = |name: &str| PlayerName::new(name).unwrap().folded();
        for (name, other) in [
            ("Straße", "STRASSE"),
            ("a\u{308}", "Ä"),
            ("ﬁsh", "fish"),
            ("Ａlice ２", "alice 2"),
            ("ΣΑΣ", "σας"),
            ("\u{212b}", "å"),
        ] {
            assert_eq!(folded(name), folded(other), "{name} {other}");
        }
        assert_ne!(folded("ılk"), folded("ilk"));
        assert_eq!(
            PlayerName::new("a\u{202e}b").unwrap_err().to_string(),
            "a player's name cannot contain the invisible character U+202E"
        );
    }
}
