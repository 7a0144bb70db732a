//! The values of the terms in requirements, and helpers shared by all of them.

use super::problem::{no_inner, several, unknown_player};
use super::{RatedField, RequirementError, Word};
use crate::results::rating::Rating;

/// The value of a term.
#[derive(Clone, Copy, Debug)]
pub(super) enum Figure {
    /// The rating of the player in this row.
    Elo(usize, Rating),
    /// Another figure on the scale of the ratings.
    OnScale(f64),
    /// Any other figure.
    Number(f64),
    /// The games do not yield this figure, for the given reason.
    Missing(&'static str),
}

impl Figure {
    /// The player has no rank.
    pub(super) const NO_RANK: Self = Self::Missing("the player has no rank");

    /// The player is not part of the tournament's result.
    pub(super) const NO_PLACE: Self = Self::Missing("the player has no place in the result");

    /// The figure `number`, or `why` it is missing.
    pub(super) fn or_missing(number: Option<f64>, why: &'static str) -> Self {
        number.map_or(Self::Missing(why), Self::Number)
    }
}

/// A count.
pub(super) fn whole(count: u64) -> Figure {
    Figure::Number(number(count))
}

pub(super) fn count(count: usize) -> Figure {
    whole(count as u64)
}

#[expect(clippy::cast_precision_loss, reason = "exact up to 2^53")]
pub(super) const fn number(count: u64) -> f64 {
    count as f64
}

/// The row of `player`.
pub(super) fn row_of<'s>(player: &Word, standings: impl Into<RatedField<'s>>) -> Option<usize> {
    standings.into().names().iter().position(|name| *name == player.text)
}

/// The row of `player`, or an error if there is no player with this name.
pub(super) fn known_row<'s>(player: &Word, standings: impl Into<RatedField<'s>>) -> Result<usize, RequirementError> {
    let standings = standings.into();
    row_of(player, standings).ok_or_else(|| unknown_player(player, standings))
}

/// All players.
pub(super) fn names<'s>(standings: impl Into<RatedField<'s>>) -> Vec<&'s str> {
    standings.into().names()
}

/// The first key in `inner`, which must be the only one within `key`.
pub(super) fn only<'w>(key: &Word, inner: &'w [Word], known: &[&str]) -> Result<&'w Word, RequirementError> {
    match inner {
        [inner] => Ok(inner),
        [_, further, ..] => Err(no_inner(further)),
        [] => Err(several(key, known)),
    }
}
