//! The versions of a ladder, and which of them play.

use std::collections::BTreeMap;

use crate::base::word_enum::words;

/// Whether a version may play.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VersionState {
    /// The version passed its checks and may play.
    Accepted,
    /// The version may not play until it is resumed.
    Paused,
    /// The version will not play again.
    Retired,
    /// The version failed its checks and has never played.
    Refused,
}

// The names that files use.
words! { pub VersionState; Accepted => "accepted", Paused => "paused", Retired => "retired", Refused => "refused" }

/// A version of a player. Versions are numbered by their position in a list, in the order in which they were handed in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LadderVersion {
    /// The number of the player.
    pub player: usize,
    /// The number of the version among its player's versions.
    pub number: u32,
    /// The earlier version whose rating is expected to be similar, as a position in the list.
    pub predecessor: Option<usize>,
    /// Whether the version may play.
    pub state: VersionState,
    /// Whether the player is a baseline, which does not change.
    pub is_baseline: bool,
}

/// Returns the positions of the versions that play, in order: for each player, the last `newest` accepted versions, and
/// the accepted version with the highest `rating`. If several versions share that rating, the newest of them counts as
/// the best.
///
/// A player without an accepted version does not play.
pub fn active_versions(versions: &[LadderVersion], newest: usize, rating: impl Fn(usize) -> Option<f64>) -> Vec<usize> {
    let mut of_player: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (position, version) in
        versions.iter().enumerate().filter(|(_, version)| version.state == VersionState::Accepted)
    {
        of_player.entry(version.player).or_default().push(position);
    }
    let mut active = Vec::new();
    for accepted in of_player.values_mut() {
        accepted.sort_unstable_by_key(|&position| (versions[position].number, position));
        let rated = accepted.iter().filter_map(|&position| Some((position, rating(position)?)));
        let best = rated.max_by(|(_, one), (_, other)| one.total_cmp(other));
        let first_newest = accepted.len().saturating_sub(newest);
        active.extend(&accepted[first_newest..]);
        active.extend(best.map(|(position, _)| position).filter(|best| accepted[..first_newest].contains(best)));
    }
    active.sort_unstable();
    active
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(player: usize, number: u32, state: VersionState) -> LadderVersion {
        LadderVersion { player, number, predecessor: None, state, is_baseline: false }
    }

    #[test]
    fn the_newest_versions_of_a_player_and_its_best_play() {
        use VersionState::{Accepted, Paused, Refused, Retired};
        let versions = [
            version(0, 1, Accepted),
            version(0, 2, Accepted),
            version(1, 1, Accepted),
            version(0, 3, Accepted),
            version(0, 4, Refused),
            version(0, 5, Accepted),
            version(2, 1, Paused),
            version(0, 6, Retired),
        ];
        let ratings = [50.0, 90.0, 0.0, 10.0, 500.0, 20.0, 100.0, 500.0];
        let active = |newest, ratings: [f64; 8]| active_versions(&versions, newest, |version| Some(ratings[version]));
        assert_eq!(active(2, ratings), [1, 2, 3, 5]);
        assert_eq!(active(1, ratings), [1, 2, 5]);
        assert_eq!(active(9, ratings), [0, 1, 2, 3, 5]);
        assert_eq!(active(1, [7.0; 8]), [2, 5], "of equal versions, the newest is the best");
        assert_eq!(active_versions(&versions, 2, |_| None), [2, 3, 5], "without a fit, there is no best version");
    }
}
