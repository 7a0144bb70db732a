//! The next pairing of a ladder.
//!
//! A version is settled when it has played its first games and the standard error of its rating is below the target.
//! The next game is the one that most reduces the sum of the variances of the versions that are not settled; see
//! `gains.rs`. Settled versions serve only as opponents: if their variances counted as well, fields of 20 and 40
//! players would need half as many games again. When all versions are settled, no games are played. New versions have
//! priority for their first games, and some pairings are drawn at random, so that their results can be compared with
//! those of the chosen pairings.
//!
//! Two versions of one player never meet. Such games would not reduce the total number of games (7,750 instead of
//! 7,550, the mean over eight terms with 12 players and 6 versions per player), and a player could make an old version
//! lose to a new one.
//!
//! A pairing that has been decided counts as a game with the expected result. So several pairings can be decided in a
//! row, and a finished game changes nothing until the next fit.

use super::gains::Gains;
use super::{LadderCounts, LadderFit, LadderVersion, Selection};
use crate::base::matrix::Matrix;
use crate::base::normal;
use crate::base::random::{SplitMix64, mix};
use crate::base::word_enum::words;
use crate::results::rating::Elo;

/// The rules that decide the next pairing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairingRules {
    /// A version is settled when the standard error of its rating is below this value.
    pub target_error: Elo,
    /// The number of first games for which a new version has priority.
    pub first_games: u64,
    /// The share of pairings that are drawn at random, from 0 to 1.
    pub random_share: f64,
    /// A version with this many games is settled, regardless of its error; see [`PairingRules::MOST_GAMES`].
    pub most_games: u64,
    /// The seed of the random numbers.
    pub seed: u64,
}

impl PairingRules {
    /// The usual limit. The games of a version that always wins or never wins say almost nothing about its rating, so
    /// without a limit the version would keep playing. In fields with a standard deviation of 300 Elo, a version needs
    /// at most 850 games for an error of 40 Elo.
    pub const MOST_GAMES: u64 = 1000;

    /// Returns whether a version that has played `games` games, and whose rating has the variance `variance` in square
    /// logits, needs no more games.
    fn settle(&self, games: u64, variance: f64) -> bool {
        let is_exact = variance < self.target_error.logits().powi(2) || games >= self.most_games;
        is_exact && games >= self.first_games
    }
}

/// Why a pairing was decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PairingReason {
    /// The pairing was drawn at random.
    Random,
    /// One of the two versions has not played its first games.
    Newcomer,
    /// The game reduces the variance of the ratings most.
    Variance,
}

// The names that files use.
words! { pub PairingReason; Random => "random", Newcomer => "newcomer", Variance => "variance" }

impl PairingReason {
    /// Returns how the result of the game is counted.
    pub const fn selection(self) -> Selection {
        match self {
            Self::Random => Selection::Drawn,
            Self::Newcomer | Self::Variance => Selection::Chosen,
        }
    }
}

/// The next pairing, with versions as positions in the list of versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LadderPairing {
    /// The version that moves first.
    pub black: usize,
    /// The version that moves second.
    pub white: usize,
    /// How many games between the two versions, with either colour, had been decided before.
    pub earlier: u64,
    /// Why the two versions play each other.
    pub reason: PairingReason,
}

/// Decides the pairings between one fit and the next.
#[derive(Clone, Debug)]
pub struct LadderPairer {
    rules: PairingRules,
    /// The active versions, as positions in the list of versions. All other fields number versions by their positions
    /// here.
    active: Vec<usize>,
    /// The player of each version.
    players: Vec<usize>,
    gains: Gains,
    /// How many games each version has played, or will play.
    games: Vec<u64>,
    /// How many times each version had, or will have, black against each other version.
    as_black: Vec<u32>,
    /// How many more games each version had, or will have, with black than with white.
    surplus_of_black: Vec<i64>,
}

impl LadderPairer {
    /// Creates a pairer from the `active` versions, the latest `fit`, the results so far, and the pairings that have
    /// been decided but not finished, each with black first, in the order in which they were decided. Versions are
    /// positions in `versions`; versions that are not part of `fit` are left out.
    pub fn new(
        rules: PairingRules,
        versions: &[LadderVersion],
        active: &[usize],
        fit: &LadderFit,
        (counts, in_flight): (&LadderCounts, &[(usize, usize)]),
    ) -> Self {
        let mut active: Vec<usize> = active.iter().copied().filter(|&version| fit.number(version).is_some()).collect();
        active.sort_unstable();
        active.dedup();
        let players: Vec<usize> = active.iter().map(|&version| versions[version].player).collect();
        let numbers = fit.numbers(&active);
        let covariance = fit.lineage().covariance_within(&numbers);
        let games: Vec<u64> = active.iter().map(|&version| counts.games_of(version)).collect();
        let is_settled = |i: usize| rules.settle(games[i], covariance.at(i, i));
        let counted = (0..active.len()).map(|i| !is_settled(i)).collect();
        let mut information = Matrix::zeros(active.len());
        for i in 0..active.len() {
            for j in (0..i).filter(|&j| players[i] != players[j]) {
                let (one, other) = (numbers[i], numbers[j]);
                let mean = f64::midpoint(fit.lineage().information(one, other), fit.lineage().information(other, one));
                information.add(i, j, mean);
                information.add(j, i, mean);
            }
        }
        let mut pairer = Self {
            rules,
            players,
            gains: Gains::new(covariance, information, counted),
            games,
            as_black: vec![0; active.len() * active.len()],
            surplus_of_black: vec![0; active.len()],
            active,
        };
        for (black, white, games) in counts.pairs() {
            pairer.count(black, white, games.games());
        }
        for &(black, white) in in_flight {
            pairer.decided(black, white);
        }
        pairer
    }

    /// Records a game that was decided elsewhere, for example before the arena was restarted.
    pub fn decided(&mut self, black: usize, white: usize) {
        self.count(black, white, 1);
        let (black, white) = (self.index(black), self.index(white));
        for i in [black, white].into_iter().flatten() {
            self.games[i] += 1;
        }
        if let (Some(black), Some(white)) = (black, white) {
            self.gains.play(black, white);
        }
        for i in 0..self.active.len() {
            if self.gains.counts(i) && self.is_settled(i) {
                self.gains.leave_out(i);
            }
        }
    }

    /// Adds `games` games of `black` against `white` to the counts of colours.
    fn count(&mut self, black: usize, white: usize, games: u64) {
        let (black, white) = (self.index(black), self.index(white));
        let signed = i64::try_from(games).unwrap_or(i64::MAX);
        if let Some(black) = black {
            self.surplus_of_black[black] += signed;
        }
        if let Some(white) = white {
            self.surplus_of_black[white] -= signed;
        }
        if let (Some(black), Some(white)) = (black, white) {
            let count = &mut self.as_black[black * self.active.len() + white];
            *count = count.saturating_add(u32::try_from(games).unwrap_or(u32::MAX));
        }
    }

    /// Returns the number of a version among the active ones.
    fn index(&self, version: usize) -> Option<usize> {
        self.active.binary_search(&version).ok()
    }

    fn is_settled(&self, i: usize) -> bool {
        self.rules.settle(self.games[i], self.gains.variance(i))
    }

    /// Returns each active version with the standard error that it will have after the games that have been decided.
    pub fn errors(&self) -> impl Iterator<Item = (usize, Elo)> {
        let error = |i: usize| Elo::from_logits(self.gains.variance(i).max(0.0).sqrt());
        self.active.iter().enumerate().map(move |(i, &version)| (version, error(i)))
    }

    /// Decides the next pairing, or returns `None` if every version is settled or has no opponent. `decision` is the
    /// number of pairings that were decided before; the random numbers depend only on this number and on the seed.
    pub fn next(&mut self, decision: u64) -> Option<LadderPairing> {
        let newcomers: Vec<usize> =
            (0..self.active.len()).filter(|&i| self.games[i] < self.rules.first_games).collect();
        if (0..self.active.len()).all(|i| self.is_settled(i)) {
            return None;
        }
        let mut random = SplitMix64::new(mix(self.rules.seed, &format!("pairing {decision}")));
        let is_random = normal::unit(&mut random) < self.rules.random_share;
        let drawn = is_random.then(|| self.draw(&mut random)).flatten().map(|pair| (pair, PairingReason::Random));
        let newcomer = || {
            let best = (!newcomers.is_empty()).then(|| self.gains.best(Some(&newcomers))).flatten();
            best.map(|pair| (pair, PairingReason::Newcomer))
        };
        let best = || self.gains.best(None).map(|pair| (pair, PairingReason::Variance));
        let ((one, other), reason) = drawn.or_else(newcomer).or_else(best)?;
        let blacks = |i: usize, j: usize| self.as_black[i * self.active.len() + j];
        let (ones, others) = (blacks(one, other), blacks(other, one));
        // The colours alternate within a pair. The first game of a pair balances the colours of both versions.
        let key = |own: u32, i: usize| (own, self.surplus_of_black[i], i);
        let (black, white) = if key(ones, one) <= key(others, other) { (one, other) } else { (other, one) };
        let pairing = LadderPairing {
            black: self.active[black],
            white: self.active[white],
            earlier: u64::from(ones) + u64::from(others),
            reason,
        };
        self.decided(pairing.black, pairing.white);
        Some(pairing)
    }

    /// Draws a pair of versions that may meet; all such pairs are equally likely.
    fn draw(&self, random: &mut SplitMix64) -> Option<(usize, usize)> {
        let may_meet = |&(one, other): &(usize, usize)| self.players[one] != self.players[other];
        let pairs = || {
            let size = self.active.len();
            (0..size).flat_map(move |i| (i + 1..size).map(move |j| (i, j))).filter(may_meet)
        };
        let count = pairs().count();
        let drawn = usize::try_from(random.below(count as u64)).ok()?;
        pairs().nth(drawn)
    }
}

/// Returns the number of games between two fits if `active` versions are active. In this number of games, each version
/// plays about once. More frequent fits are not worth the time.
pub const fn fit_interval(active: usize) -> u64 {
    let half = active as u64 / 2;
    if half == 0 { 1 } else { half }
}
