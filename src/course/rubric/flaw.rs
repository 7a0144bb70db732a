//! The mistakes that can occur only in a rubric file.

use thiserror::Error;

use super::{GradePoints, InvalidBaseline};
use crate::tournament::Quoted;
use crate::tournament::file::Flaw;

/// A mistake in a rubric file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[expect(missing_docs, reason = "the message of each variant explains its fields")]
pub enum RubricFlaw {
    #[error("this {what} has no `{key}` (write {example})")]
    Missing { what: &'static str, key: &'static str, example: &'static str },
    #[error("a rubric needs at least one item, each under a line `[[item]]`")]
    NoItems,
    #[error("`item` needs double brackets: write `[[item]]` above each item")]
    SingleBrackets,
    #[error("`{key}`: points may have at most three decimals")]
    TooFine { key: &'static str },
    #[error("`rounding` must be more than 0 (write `rounding = 0.5`)")]
    NoRounding,
    #[error(
        "`{key}` must be even, since half of the games against each opponent are played as black, but it is {games}"
    )]
    OddGames { key: &'static str, games: u64 },
    #[error("`max_games` must be at least `games`, but `games` is {games} and `max_games` is {max_games}")]
    FewerGames { games: u32, max_games: u32 },
    #[error("`id` must consist of 1 to 60 letters, digits, `-` and `_`, and must not begin with `-`")]
    BadId,
    #[error("item `{id}` is defined twice (first at line {first_line})")]
    SameId { id: String, first_line: usize },
    #[error("`points`: {points} is not a multiple of `rounding`, which is {rounding}")]
    NotRounded { points: GradePoints, rounding: GradePoints },
    #[error("`total` is {total}, but the points of all items without `bonus` add up to {sum}")]
    OtherSum { total: GradePoints, sum: GradePoints },
    #[error(
        "this item has nothing to grade (write `check`, `legality`, `forfeits`, `score`, `accuracy` or `manual = true` under it)"
    )]
    NoRule,
    #[error("`{key}` and `{other}` cannot be used together: an item grades one thing")]
    TwoRules { key: &'static str, other: &'static str },
    #[error("`manual`: `false` has no effect (write `manual = true`, or leave it out)")]
    NotManual,
    #[error("`score` needs an opponent (write `against = \"greedy\"` next to it)")]
    NoOpponent,
    #[error("`against` is only for an item with `score`")]
    NoScore,
    #[error("`against`: {text}: {why}")]
    NotABaseline { text: Quoted, why: InvalidBaseline },
    #[error("`{table}` has no `{key}` (write `{table} = {example}`)")]
    MissingInside { table: &'static str, key: &'static str, example: &'static str },
    #[error("`{full}` and `{zero}` are equal, so no points lie between them (write two different values)")]
    SameEnds { full: &'static str, zero: &'static str },
    #[error(
        "`{table}`: the figure for all points must be {wanted} than the figure for no points, but `{full}` is {full_at} \
         and `{zero}` is {zero_at}"
    )]
    WrongWay {
        table: &'static str,
        wanted: &'static str,
        full: &'static str,
        full_at: String,
        zero: &'static str,
        zero_at: String,
    },
    #[error("`kinds`: {text} is not a kind of forfeit (choose from {known})")]
    NotAForfeit { text: Quoted, known: String },
    #[error("`kinds` is empty, so no forfeit counts (name one, or leave out `kinds` to count all)")]
    NoKinds,
    #[error("`{key}` needs games, but no item has `against` (add an item with `against` and `score`)")]
    NoGames { key: &'static str },
    #[error("`accuracy` needs analyses, but `analysis` under `[play]` is \"none\" (write `analysis = \"5s\"`)")]
    NoAnalysis,
}

impl RubricFlaw {
    /// Whether the flaw is that something is missing. If the TOML itself has an error, the missing part may exist after
    /// all.
    const fn is_absence(&self) -> bool {
        matches!(
            self,
            Self::Missing { .. }
                | Self::NoItems
                | Self::NoRule
                | Self::NoOpponent
                | Self::NoScore
                | Self::MissingInside { .. }
                | Self::OtherSum { .. }
                | Self::NoGames { .. }
        )
    }
}

impl From<RubricFlaw> for Flaw {
    fn from(flaw: RubricFlaw) -> Self {
        Self::OfOtherFile { text: flaw.to_string(), is_absence: flaw.is_absence() }
    }
}
