//! Error bars from games that the fit itself plays over and over.
//!
//! The error bars of the normal approximation are a few percent too short if players have few games. The parametric
//! bootstrap (B. Efron, "Bootstrap methods: another look at the jackknife", Annals of Statistics 7, 1979) does not need
//! that approximation. It draws as many games as were played, with the fitted probabilities, and fits them again. How
//! far these fits miss the one that they were drawn from shows how far that one may have missed the truth.

use std::num::NonZeroU32;

use super::components::Pools;
use super::pair_results::{Cell, Field};
use super::{Elo, Estimate, Fit, LOGITS_PER_ELO, NO_INFORMATION, PairResults, Prior, Wdl, mean};
use crate::base::random::{SplitMix64, mix};

/// How a bootstrap was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Bootstrap {
    /// How many times the games are drawn.
    pub samples: NonZeroU32,
    /// The seed of the random numbers; the same seed gives the same error bars.
    pub seed: u64,
}

impl Bootstrap {
    /// The default seed.
    pub const DEFAULT_SEED: u64 = 0;
}

impl Fit {
    /// Replaces each error bar that the fit has with one that contains 95 % of the samples. `results` must be those
    /// that the fit was made from. The ratings and [`Fit::superiority`] stay the same.
    ///
    /// A player that has no bound in more than one of twenty samples loses its error bar. The call takes as long as
    /// `samples` fits.
    pub fn bootstrap(&mut self, results: &PairResults, bootstrap: Bootstrap) {
        let field = results.canonical();
        let mut random = SplitMix64::new(mix(bootstrap.seed, "bootstrap"));
        let mut misses = vec![Vec::new(); self.players.len() + 1];
        for _ in 0..bootstrap.samples.get() {
            let sample = self.estimate_of(&self.play(&field, &mut random));
            for (misses, miss) in misses.iter_mut().zip(self.misses(&sample)) {
                misses.push(miss);
            }
        }
        let mut bars = misses.into_iter().map(bar_of);
        for player in &mut self.players {
            player.error95 = player.error95.and(bars.next().flatten());
        }
        self.advantage_error95 = self.advantage_error95.and(bars.next().flatten());
        self.bootstrap = Some(bootstrap);
    }

    /// Plays the games of `field` with the probabilities of the fit.
    fn play(&self, field: &Field, random: &mut SplitMix64) -> Field {
        let cells = field.cells.iter().map(|cell| {
            let chances = self.forecast(cell.black, cell.white);
            let mut games = Wdl::default();
            for _ in 0..cell.games.games() {
                let drawn = unit(random);
                if drawn < chances.win {
                    games.wins += 1;
                } else if drawn < chances.win + chances.loss {
                    games.losses += 1;
                } else {
                    games.draws += 1;
                }
            }
            Cell { games, ..*cell }
        });
        Field { cells: cells.collect(), names: field.names.clone() }
    }

    fn estimate_of(&self, sample: &Field) -> Estimate {
        let pools = Pools::of(sample.names.len(), &sample.cells);
        match self.prior {
            // Samples are similar to the games that they were drawn from.
            Prior::Weak => Estimate::weak(self.model, sample, Some(&self.logits)),
            Prior::None => Estimate::without_prior(self.model, sample, &pools),
        }
    }

    /// Returns how far the ratings of `sample` and, at the end, its advantage are from the fit's own, in logits.
    /// Ratings are relative to the mean of their frame, because error bars are relative to it. A value without a bound
    /// is infinitely far.
    fn misses(&self, sample: &Estimate) -> Vec<f64> {
        let advantage = self.players.len();
        let miss = |i: usize| sample.logits[i] - self.logits[i];
        let bounded = |i: usize| sample.unbounded[i].is_none();
        let frame = |i: usize| if self.prior == Prior::None { self.players[i].pool } else { 0 };
        let mut frames: Vec<Vec<usize>> = vec![Vec::new(); self.pools.max(1)];
        for player in (0..advantage).filter(|&player| bounded(player)) {
            frames[frame(player)].push(player);
        }
        let all: Vec<f64> = (0..advantage).map(miss).collect();
        let zeros: Vec<f64> = frames.iter().map(|members| mean(&all, members.iter().copied())).collect();
        let own = |i: usize| if i == advantage { miss(i) } else { miss(i) - zeros[frame(i)] };
        (0..=advantage).map(|i| if bounded(i) { own(i) } else { f64::INFINITY }).collect()
    }
}

/// Returns the bar that contains 95 % of the misses.
fn bar_of(misses: Vec<f64>) -> Option<Elo> {
    let mut sizes: Vec<f64> = misses.into_iter().map(f64::abs).collect();
    let last = (sizes.len() * 19).div_ceil(20).checked_sub(1)?;
    let (_, &mut bar, _) = sizes.select_nth_unstable_by(last, f64::total_cmp);
    let bar = bar / LOGITS_PER_ELO;
    (bar > 0.0 && bar < NO_INFORMATION).then_some(Elo(bar))
}

/// Returns one of the 2^53 evenly spaced numbers from 0 up to, but not including, 1.
#[expect(clippy::cast_precision_loss, reason = "53 bits are exact")]
fn unit(random: &mut SplitMix64) -> f64 {
    (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}
