//! Error bars from games that are drawn repeatedly with the probabilities of the fit.
//!
//! The error bars of the normal approximation are a few percent too short if players have few games. The parametric
//! bootstrap (B. Efron, "Bootstrap methods: another look at the jackknife", Annals of Statistics 7, 1979) does not need
//! that approximation. It repeatedly draws as many games as were played, with the fitted probabilities, and fits them.
//! The errors of these fits relative to the original fit show how large the error of the original may be.
//!
//! The weak prior is an additional observation of each value, for example that it is 0 plus or minus 400 Elo. A
//! bootstrap must draw these observations like the games: around the fitted values, with the prior's standard
//! deviations. If they were the same in all samples, they would only pull the samples together, and the bars of players
//! with few games would be too short. Loose anchors are observations, too.

use std::num::NonZeroU32;

use super::anchors::Scale;
use super::model::{FitProblem, LN_NU_SD};
use super::objective::RATING_SD;
use super::pair_results::{Cell, Field};
use super::win_graph::Pools;
use super::{Elo, Estimate, Fit, NO_INFORMATION, Prior, Wdl, mean};
use crate::base::normal;
use crate::base::random::{SplitMix64, mix};

/// The parameters of a bootstrap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Bootstrap {
    /// How many times the games are drawn.
    pub samples: NonZeroU32,
    /// The seed of the random numbers; the same seed always produces the same error bars.
    pub seed: u64,
}

impl Bootstrap {
    /// The default seed.
    pub const DEFAULT_SEED: u64 = 0;
}

impl Fit {
    /// Replaces each error bar of the fit with a bar that contains 95% of the samples. The ratings and
    /// [`Fit::superiority`] stay the same.
    ///
    /// A player that is unbounded in more than one in twenty samples loses its error bar. The bootstrap takes as long
    /// as `samples` fits.
    pub fn bootstrap(&mut self, bootstrap: Bootstrap) {
        let mut random = SplitMix64::new(mix(bootstrap.seed, "bootstrap"));
        let mut misses = vec![Vec::new(); self.players.len() + 1];
        for _ in 0..bootstrap.samples.get() {
            let sample = self.play(&mut random);
            let estimate = self.estimate_of(&sample);
            for (misses, miss) in misses.iter_mut().zip(self.misses(&sample, &estimate)) {
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

    /// Plays the games of the fit with its probabilities, and draws the observations of the prior and the loose
    /// anchors.
    fn play(&self, random: &mut SplitMix64) -> Field {
        let cells = self.field.cells.iter().map(|cell| {
            let chances = self.chances(cell.black, cell.white);
            let mut games = Wdl::default();
            for _ in 0..cell.games.games() {
                let drawn = normal::unit(random);
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
        let mut sample = Field { cells: cells.collect(), ..self.field.clone() };
        let advantage = self.players.len();
        sample.centres = (self.prior == Prior::Weak).then(|| {
            let sd = |i: usize| if i > advantage { LN_NU_SD } else { RATING_SD };
            self.logits.iter().enumerate().map(|(i, value)| value + sd(i) * normal::draw(random)).collect()
        });
        let offset = self.scale.as_ref().map_or(0.0, |scale| scale.offset(&self.logits));
        for tie in &mut sample.ties {
            if let Some(sd) = tie.sd {
                tie.value = self.logits[tie.player] + offset + sd * normal::draw(random);
            }
        }
        sample
    }

    fn estimate_of(&self, sample: &Field) -> Estimate<FitProblem> {
        // Samples are similar to the games that they were drawn from.
        let make = |looseness| FitProblem::new(self.model, sample, looseness);
        Estimate::of(self.prior, make, &Pools::of(sample), Some(&self.logits))
    }

    /// Returns how far the ratings of `estimate` and, at the end, its advantage are from the fit's own, in logits.
    /// Ratings are relative to the same reference as error bars: the mean of their frame, or the anchors. An unbounded
    /// value is infinitely far away.
    fn misses(&self, sample: &Field, estimate: &Estimate<FitProblem>) -> Vec<f64> {
        let advantage = self.players.len();
        let bounded = |i: usize| estimate.unbounded[i].is_none();
        let frame = |i: usize| if self.prior == Prior::None { self.players[i].pool } else { 0 };
        let all: Vec<f64> = (0..=advantage).map(|i| estimate.logits[i] - self.logits[i]).collect();
        let mut frames: Vec<Vec<usize>> = vec![Vec::new(); self.pools.max(1)];
        for player in (0..advantage).filter(|&player| bounded(player)) {
            frames[frame(player)].push(player);
        }
        let mut zeros: Vec<f64> = frames.iter().map(|members| mean(&all, members.iter().copied())).collect();
        if let (Some(then), Some(now)) = (Scale::of(&sample.ties), &self.scale)
            && now.has_width
        {
            let anchored = frame(self.field.ties[0].player);
            zeros[anchored] = now.offset(&self.logits) - then.offset(&estimate.logits);
        }
        let own = |i: usize| if i == advantage { all[i] } else { all[i] - zeros[frame(i)] };
        (0..=advantage).map(|i| if bounded(i) { own(i) } else { f64::INFINITY }).collect()
    }
}

/// Returns the bar that contains 95% of the misses.
fn bar_of(misses: Vec<f64>) -> Option<Elo> {
    let mut sizes: Vec<f64> = misses.into_iter().map(f64::abs).collect();
    let last = (sizes.len() * 19).div_ceil(20).checked_sub(1)?;
    let (_, &mut bar, _) = sizes.select_nth_unstable_by(last, f64::total_cmp);
    let bar = Elo::from_logits(bar);
    (bar.0 > 0.0 && bar.0 < NO_INFORMATION).then_some(bar)
}
