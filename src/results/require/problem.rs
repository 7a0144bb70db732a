//! Mistakes in requirements, and their positions.

use thiserror::Error;

use super::parse::{CHAMPION, SPRT};
use super::{RatedField, Word};
use crate::base::sanitise::sanitised;
use crate::base::suggestion::nearest;

/// The error for text that is not a requirement.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("character {at}: {problem}")]
pub struct RequirementError {
    /// The position in the text, in characters from 1.
    pub at: usize,
    /// The problem at this position.
    pub problem: RequirementProblem,
}

/// A problem with a requirement.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RequirementProblem {
    /// The text at this position is not what the grammar allows.
    #[error("expected {expected}")]
    Expected {
        /// What the grammar allows at this position.
        expected: &'static str,
    },
    /// A quotation mark is not closed.
    #[error("this quotation mark is not closed")]
    OpenQuote,
    /// No player has this name.
    #[error("no player is named `{name}` ({})", meant.as_ref().map_or_else(
        || format!("choose from `{}`", sanitised(&players.join("`, `"))),
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
    /// No figure has this key.
    #[error("no figure is named `{key}` ({})", meant.as_ref().map_or_else(
        || format!("choose from `{}`", known.join("`, `")),
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
    /// The key contains several figures.
    #[error("`{key}` contains several figures: continue with `.{}`", known.join("`, `."))]
    Several {
        /// The key.
        key: String,
        /// The keys of these figures.
        known: Vec<String>,
    },
    /// A rating, or a figure on the scale of ratings, is compared with another kind of figure.
    #[error(
        "a rating can only be compared with a rating or a number (`performance` and `opponents_elo` only with each other or a number)"
    )]
    RatingAgainstOther,
    /// A rating, or a figure on the scale of ratings, is compared with a number, but nothing fixes the zero point of
    /// the scale.
    #[error("comparing `{}` with a number needs a fixed zero point: add `--anchor NAME=ELO`", sanitised(figure))]
    NoAnchor {
        /// The figure as named in the requirement.
        figure: String,
    },
    /// The standings have no result according to a tournament's format.
    #[error("`{key}` needs the run directory of a Swiss or knockout tournament")]
    NoResult {
        /// The figure that the requirement asks for.
        key: String,
    },
    /// Only a knockout has a champion.
    #[error("a Swiss tournament has no champion: require a place, such as `NAME.result.place == 1`")]
    NoChampion,
    /// The games have more than two seats, and only games with two players have this figure.
    #[error("`{key}` applies only to games with two players")]
    OnlyOfTwo {
        /// The figure that the requirement asks for.
        key: String,
    },
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

/// The error for `word`, which is not a name in `standings`.
pub(super) fn unknown_player<'s>(word: &Word, standings: impl Into<RatedField<'s>>) -> RequirementError {
    if word.text == CHAMPION {
        return RequirementProblem::Expected { expected: "a name, or exactly `champion == NAME`" }.at(word.at);
    }
    let players = standings.into().names();
    let meant = nearest(&word.text, players.iter().copied().chain(WORDS)).map(str::to_owned);
    let players = players.into_iter().map(str::to_owned).collect();
    RequirementProblem::UnknownPlayer { name: word.text.clone(), meant, players }.at(word.at)
}

/// The error for `word`, a key after a figure that contains no other figures.
pub(super) fn no_inner(word: &Word) -> RequirementError {
    RequirementProblem::Expected { expected: "a comparison, because this figure does not contain others" }.at(word.at)
}

/// The error for `key`, which names a figure only together with one of the keys in `known`.
pub(super) fn several(key: &Word, known: &[&str]) -> RequirementError {
    let known = known.iter().map(|&key| key.to_owned()).collect();
    RequirementProblem::Several { key: key.text.clone(), known }.at(key.at)
}

/// The error for `word`, which is not one of the figures in `known`.
pub(super) fn unknown_key(word: &Word, known: &[&str]) -> RequirementError {
    let meant = nearest(&word.text, known.iter().copied()).map(str::to_owned);
    let known = known.iter().map(|&key| key.to_owned()).collect();
    RequirementProblem::UnknownKey { key: word.text.clone(), meant, known }.at(word.at)
}

/// The error for a requirement on `key` when the tournament's format produces no result.
pub(super) fn no_result(key: &str, at: usize) -> RequirementError {
    RequirementProblem::NoResult { key: key.to_owned() }.at(at)
}
