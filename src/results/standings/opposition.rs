//! Figures about pairings in the standings: head to head, performance, the goodness of the fit, and rank chances.

use super::Standings;
use crate::results::rating::{Elo, Goodness, HeadToHead, RankChances, performance};

/// A player's rated games against all opponents.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Opposition {
    /// The number of games.
    pub games: u64,
    /// The points.
    pub score: f64,
    /// The points that the fit expects.
    pub expected: f64,
    /// The opponents' mean rating, weighted by games; `None` without games, or if an opponent's rating is unbounded.
    pub opponents: Option<Elo>,
    /// The performance rating; see [`performance`].
    pub performance: Option<Elo>,
}

impl Standings {
    /// The rated games of all players who met. Each pairing occurs once; its `player` and `other` are row indices, the
    /// smaller one first.
    pub fn head_to_head(&self) -> Vec<HeadToHead> {
        let mut row_of = vec![0; self.fit.players.len()];
        for (row, place) in self.places.iter().enumerate() {
            if let Some(fitted) = place.fitted {
                row_of[fitted] = row;
            }
        }
        let mut met = self.fit.head_to_head();
        for pairing in &mut met {
            let by_row = HeadToHead { player: row_of[pairing.player], other: row_of[pairing.other], ..*pairing };
            *pairing = if by_row.player < by_row.other { by_row } else { by_row.reversed() };
        }
        met.sort_unstable_by_key(|pairing| (pairing.player, pairing.other));
        met
    }

    /// How well the ratings agree with `met`, the pairings of [`Standings::head_to_head`].
    pub fn goodness(&self, met: &[HeadToHead]) -> Goodness {
        self.fit.goodness(met)
    }

    /// Each row's games against all opponents, from the pairings of [`Standings::head_to_head`].
    pub fn opposition(&self, met: &[HeadToHead]) -> Vec<Opposition> {
        let mut all = vec![Opposition::default(); self.rows().len()];
        let mut half_points = vec![0; all.len()];
        let mut sums = vec![Some(0.0); all.len()];
        for pairing in met.iter().flat_map(|pairing| [*pairing, pairing.reversed()]) {
            let own = &mut all[pairing.player];
            own.games += pairing.games.games();
            own.score += pairing.score();
            own.expected += pairing.expected;
            half_points[pairing.player] += pairing.games.half_points();
            let other = self.rows()[pairing.other].finite_rating();
            sums[pairing.player] =
                sums[pairing.player].zip(other).map(|(sum, elo)| sum + elo.0 * number(pairing.games.games()));
        }
        for ((own, half_points), sum) in all.iter_mut().zip(half_points).zip(sums) {
            own.opponents = sum.filter(|_| own.games > 0).map(|sum| Elo(sum / number(own.games)));
            own.performance = own.opponents.and_then(|opponents| performance(opponents, half_points, own.games));
        }
        all
    }

    /// The rank chances of the rows with a rank, which come first; see [`crate::results::rating::Fit::rank_chances`].
    pub fn rank_chances(&self) -> Option<Vec<RankChances>> {
        let ranked: Vec<usize> =
            self.places.iter().filter(|place| place.is_ranked).filter_map(|place| place.fitted).collect();
        self.fit.rank_chances(&ranked)
    }
}

/// At most `most` pairings whose results deviate most from the fit, the largest deviation first.
pub fn worst_fitted(met: &[HeadToHead], most: usize) -> Vec<HeadToHead> {
    let mut worst = met.to_vec();
    // Rounding errors must not affect the order, and the sort is stable.
    let thousandths = |pairing: &HeadToHead| (pairing.deviation().abs() * 1000.0).round();
    worst.sort_by(|one, other| thousandths(other).total_cmp(&thousandths(one)));
    worst.truncate(most);
    worst
}

#[expect(clippy::cast_precision_loss, reason = "exact up to 2^53 games")]
const fn number(count: u64) -> f64 {
    count as f64
}
