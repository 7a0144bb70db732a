//! Mistakes in requirements, and their positions.

use thiserror::Error;

use super::Word;
use super::parse::{CHAMPION, SPRT};
use crate::base::sanitise::sanitised;
use crate::base::suggestion::nearest;
use crate::results::standings::Standings;

/// A text that is not a requirement.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("character {at}: {problem}")]
pub struct RequirementError {
    /// The position in the text, in characters from 1.
    pub at: usize,
    /// What is wrong there.
    pub problem: RequirementProblem,
}

/// What is wrong with a requirement.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RequirementProblem {
    /// The text has something else there.
    #[error("expected {expected}")]
    Expected {
        /// What the grammar allows there.
        expected: &'static str,
    },
    /// A quotation mark is not closed.
    #[error("this quotation mark is not closed")]
    OpenQuote,
    /// No player has this name.
    #[error("no player is named `{name}` ({})", meant.as_ref().map_or_else(
        || format!("there are `{}`", sanitised(&players.join("`, `"))),
        |meant| format!("did you mean `{}`?", sanitised(meant))
    ))]
    UnknownPlayer {
        /// The name.
        name: String,
        /// The player that was probably meant.
        meant: Option<String>,
        /// All players.
        players: Vec<String>,
    },
    /// There is no such key.
    #[error("no figure is named `{key}` ({})", meant.as_ref().map_or_else(
        || format!("there are `{}`", known.join("`, `")),
        |meant| format!("did you mean `{meant}`?")
    ))]
    UnknownKey {
        /// The key.
        key: String,
        /// The key that was probably meant.
        meant: Option<String>,
        /// All existing keys.
        known: Vec<String>,
    },
    /// The key has several figures within it.
    #[error("`{key}` contains several figures: continue with `.{}`", known.join("`, `."))]
    Several {
        /// The key.
        key: String,
        /// The keys within it.
        known: Vec<String>,
    },
    /// A rating, or a figure on the scale of ratings, is compared with another kind of figure.
    #[error(
        "a rating can only be compared with a rating or a number (`performance` and `opponents_elo`: with each other or a number)"
    )]
    RatingAgainstOther,
    /// A rating, or a figure on the scale of ratings, is compared with a number, and nothing fixes the zero.
    #[error("comparing `{}` with a number needs a fixed zero: add `--anchor NAME=ELO`", sanitised(figure))]
    NoAnchor {
        /// The figure as named in the requirement.
        figure: String,
    },
    /// The standings have no result by the tournament's format.
    #[error("`{key}` needs the directory of a run of a Swiss tournament or of a knockout")]
    NoResult {
        /// What the requirement asks for.
        key: String,
    },
    /// Only a knockout has a champion.
    #[error("a Swiss tournament has no champion: require a place, such as `NAME.result.place == 1`")]
    NoChampion,
    /// There is no sequential test.
    #[error("`sprt` needs to know what is tested: add `--sprt player=NAME,elo0=0,elo1=10`")]
    NoSprt,
}

impl RequirementProblem {
    pub(super) const fn at(self, at: usize) -> RequirementError {
        RequirementError { at, problem: self }
    }
}

/// The words that may be used in the position of a player.
const WORDS: [&str; 3] = [CHAMPION, "fit", SPRT];

/// `word` is not one of the names in `standings`.
pub(super) fn unknown_player(word: &Word, standings: &Standings) -> RequirementError {
    if word.text == CHAMPION {
        return RequirementProblem::Expected { expected: "a name, or exactly `champion == NAME`" }.at(word.at);
    }
    let players: Vec<&str> = standings.rows().iter().map(|row| row.player.as_str()).collect();
    let meant = nearest(&word.text, players.iter().copied().chain(WORDS)).map(str::to_owned);
    let players = players.into_iter().map(str::to_owned).collect();
    RequirementProblem::UnknownPlayer { name: word.text.clone(), meant, players }.at(word.at)
}

/// There is a key within a figure that has none.
pub(super) fn no_inner(word: &Word) -> RequirementError {
    RequirementProblem::Expected { expected: "a comparison: this figure contains no others" }.at(word.at)
}

/// `key` alone is not a figure, but one of `known` within it is.
pub(super) fn several(key: &Word, known: &[&str]) -> RequirementError {
    let known = known.iter().map(|&key| key.to_owned()).collect();
    RequirementProblem::Several { key: key.text.clone(), known }.at(key.at)
}

/// `word` is not one of the figures `known`.
pub(super) fn unknown_key(word: &Word, known: &[&str]) -> RequirementError {
    let meant = nearest(&word.text, known.iter().copied()).map(str::to_owned);
    let known = known.iter().map(|&key| key.to_owned()).collect();
    RequirementProblem::UnknownKey { key: word.text.clone(), meant, known }.at(word.at)
}

/// The requirement asks for `key`, and there is no result by the format.
pub(super) fn no_result(key: &str, at: usize) -> RequirementError {
    RequirementProblem::NoResult { key: key.to_owned() }.at(at)
}
