//! The ratings of a ladder's versions: one fit of all games, in which each version is a player.
//!
//! See `results/rating/lineage.rs` for the model and for the prior of a version that has a predecessor.

use super::{LadderCounts, LadderVersion, VersionState};
use crate::results::rating::{Elo, Forecast, Lineage, LineageFit, Model, SDS_IN_95_PERCENT, Wdl};

/// A version whose rating is given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LadderAnchor {
    /// The version, as a position in the list.
    pub version: usize,
    /// The rating.
    pub elo: Elo,
    /// The standard deviation of the rating, if the rating is not exact; positive.
    pub deviation: Option<Elo>,
}

/// The rating of a version.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VersionRating {
    /// The rating: on the scale of the anchors or, if there is none, relative to the mean of the active versions.
    pub elo: Elo,
    /// The standard error of the rating. If there is at most one anchor, and that anchor is exact, this is the error of
    /// the difference from the mean of the active versions.
    pub error: Elo,
}

impl VersionRating {
    /// Returns half of the 95% interval.
    pub fn error95(self) -> Elo {
        Elo(SDS_IN_95_PERCENT * self.error.0)
    }
}

/// The fitted ratings of all versions except the refused ones.
#[derive(Clone, Debug)]
pub struct LadderFit {
    /// For each version, its number among those that were not refused.
    rated: Vec<Option<usize>>,
    fit: LineageFit,
}

impl LadderFit {
    /// Fits `model` to all games in `counts` and to `anchors`. Unlike in standings, the prior of a version that has a
    /// predecessor is centred on the predecessor's rating. An anchor that is not an accepted version, or that is given
    /// a second time, has no effect.
    ///
    /// The search starts at `start`, an earlier fit of the same model, such as this ladder's last fit, if it is given.
    /// This saves most of the time and changes only the last digits, so omit `start` if these digits must be
    /// reproducible.
    pub fn new(
        model: Model,
        versions: &[LadderVersion],
        anchors: &[LadderAnchor],
        counts: &LadderCounts,
        start: Option<&Self>,
    ) -> Self {
        Self::of_games(model, versions, anchors, counts.pairs(), start)
    }

    /// Like [`LadderFit::new`], but fits only the randomly drawn games.
    pub fn of_drawn(
        model: Model,
        versions: &[LadderVersion],
        anchors: &[LadderAnchor],
        counts: &LadderCounts,
        start: Option<&Self>,
    ) -> Self {
        Self::of_games(model, versions, anchors, counts.drawn_pairs(), start)
    }

    fn of_games(
        model: Model,
        versions: &[LadderVersion],
        anchors: &[LadderAnchor],
        games: impl Iterator<Item = (usize, usize, Wdl)>,
        start: Option<&Self>,
    ) -> Self {
        let rated = numbered(versions);
        let number = |version: usize| rated.get(version).copied().flatten();
        let mut lineage = Lineage::default();
        for (position, _) in rated.iter().enumerate().filter(|(_, number)| number.is_some()) {
            lineage.predecessors.push(rated_predecessor(versions, position).and_then(number));
        }
        for anchor in anchors {
            if let Some(player) = number(anchor.version)
                && lineage.anchors.iter().all(|&(other, ..)| other != player)
            {
                lineage.anchors.push((player, anchor.elo, anchor.deviation));
            }
        }
        let of_rated = |(black, white, games)| Some((number(black)?, number(white)?, games));
        lineage.games.extend(games.filter_map(of_rated));
        // A version that has been refused since the earlier fit changes the numbers of the versions after it.
        let start = start.filter(|start| rated.starts_with(&start.rated));
        let fit = LineageFit::new(model, lineage, start.map(|start| &start.fit));
        Self { rated, fit }
    }

    /// Returns the rating of each version relative to the zero point, which depends on the `active` versions if there
    /// is no anchor. Returns `None` for refused versions.
    pub fn ratings(&self, active: &[usize]) -> Vec<Option<VersionRating>> {
        let frame = self.numbers(active);
        let (elos, errors) = (self.fit.ratings(&frame), self.fit.errors(&frame));
        let rating = |number: &Option<usize>| {
            let number = (*number)?;
            Some(VersionRating { elo: elos[number], error: errors[number] })
        };
        self.rated.iter().map(rating).collect()
    }

    /// Returns the first-move advantage, for black.
    pub fn advantage(&self) -> Elo {
        self.fit.advantage()
    }

    /// Returns the parameter for draws between equal players; see [`crate::results::rating::DrawTendency::nu`].
    pub fn nu(&self) -> f64 {
        self.fit.nu()
    }

    /// Returns the probabilities for a game of `black` against `white`, or `None` if one of them was refused.
    pub fn forecast(&self, black: usize, white: usize) -> Option<Forecast> {
        Some(self.fit.forecast(self.number(black)?, self.number(white)?))
    }

    /// Returns the number of `version` in the fit.
    pub(super) fn number(&self, version: usize) -> Option<usize> {
        self.rated.get(version).copied().flatten()
    }

    /// Returns the numbers of `versions` in the fit, leaving out versions that are not part of it.
    pub(super) fn numbers(&self, versions: &[usize]) -> Vec<usize> {
        versions.iter().filter_map(|&version| self.number(version)).collect()
    }

    pub(super) const fn lineage(&self) -> &LineageFit {
        &self.fit
    }
}

/// Returns the number of each version in the fit.
fn numbered(versions: &[LadderVersion]) -> Vec<Option<usize>> {
    let mut next = 0..;
    versions.iter().map(|version| if version.state == VersionState::Refused { None } else { next.next() }).collect()
}

/// Returns the nearest predecessor of `version` that was not refused.
fn rated_predecessor(versions: &[LadderVersion], version: usize) -> Option<usize> {
    // Only earlier versions count, so the search ends.
    let before = |version: usize| versions[version].predecessor.filter(|&predecessor| predecessor < version);
    let mut predecessor = before(version)?;
    while versions[predecessor].state == VersionState::Refused {
        predecessor = before(predecessor)?;
    }
    Some(predecessor)
}
