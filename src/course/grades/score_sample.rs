//! Estimates a score from colour-swapped pairs of games, and decides how many games to play.

use std::collections::HashSet;

use crate::base::normal::quantile;
use crate::course::rubric::{Baseline, GradePoints, ItemRule, Rubric, RubricItem, ScoreRule};
use crate::tournament::sprt::PlayedPair;

/// The number of games that are added at a time while further games can change a mark.
pub const BLOCK: u32 = 20;

/// With fewer pairs than this, there is no benefit of the doubt: an interval based on so few pairs says next to
/// nothing.
pub(super) const FEW_PAIRS: usize = 5;

/// The scores in colour-swapped pairs of games, each from 0 to 1.
///
/// A pair whose two games repeat those of an earlier pair move for move is not new evidence, and is not counted again.
/// But when no new games can be expected, all possible pairs are known, and repetitions show how frequently each pair
/// occurs. Therefore every pair counts if all of the last [`BLOCK`] games repeated earlier games, or if at least
/// [`BLOCK`] games were played and fewer than [`BLOCK`] are distinct. Otherwise a bot that always plays the same lost
/// game would keep the wide interval of a single pair, which no further game could ever narrow.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScoreSample {
    scores: Vec<f64>,
    distinct: usize,
    played: usize,
}

impl ScoreSample {
    /// The sample of `pairs`, which are in the order of the rounds.
    pub fn of<'p>(pairs: impl IntoIterator<Item = &'p PlayedPair>) -> Self {
        const BLOCK_PAIRS: usize = BLOCK as usize / 2;
        let mut seen: HashSet<[u64; 2]> = HashSet::new();
        let (mut all, mut distinct) = (Vec::new(), Vec::new());
        let mut last_new = 0;
        for pair in pairs {
            let score = f64::from(pair.half_points) / 4.0;
            all.push(score);
            if pair.moves.is_none_or(|moves| seen.insert(moves)) {
                distinct.push(score);
                last_new = all.len();
            }
        }
        let (played, differing) = (all.len(), distinct.len());
        let is_known = played - last_new >= BLOCK_PAIRS || (played >= BLOCK_PAIRS && differing < BLOCK_PAIRS);
        Self { scores: if is_known { all } else { distinct }, distinct: differing, played }
    }

    /// The number of distinct pairs.
    pub const fn distinct(&self) -> usize {
        self.distinct
    }

    /// The number of pairs that count.
    pub const fn pairs(&self) -> usize {
        self.scores.len()
    }

    /// Whether fewer than `FEW_PAIRS` pairs were played, in which case there is no benefit of the doubt.
    pub const fn is_small(&self) -> bool {
        self.played < FEW_PAIRS
    }

    /// The mean score; `None` if there are no pairs.
    pub fn mean(&self) -> Option<f64> {
        (!self.scores.is_empty()).then(|| self.scores.iter().sum::<f64>() / self.count())
    }

    /// The standard error of the mean; `None` if there are no pairs.
    ///
    /// The variance is computed with one extra pair, whose two games are decided by a fair coin: mean 1/2, variance
    /// 1/8. It is therefore never zero, and a few pairs that happen to end alike do not look certain.
    pub fn standard_error(&self) -> Option<f64> {
        const PRIOR_MEAN: f64 = 0.5;
        const PRIOR_VARIANCE: f64 = 0.125;
        let mean = self.mean()?;
        let squares: f64 = self.scores.iter().map(|score| (score - mean).powi(2)).sum();
        let sum = squares + (PRIOR_MEAN - mean).powi(2) + PRIOR_VARIANCE;
        Some((sum / (self.count() * (self.count() + 1.0))).sqrt())
    }

    /// The lower and the upper end of the interval. The true score lies beyond each end with probability 1 -
    /// `confidence`. `None` if there are no pairs.
    pub fn interval(&self, confidence: f64) -> Option<[f64; 2]> {
        let (mean, error) = (self.mean()?, quantile(confidence) * self.standard_error()?);
        Some([mean - error, mean + error].map(|end| end.clamp(0.0, 1.0)))
    }

    /// Whether the interval contains scores that are worth different points under `rule`, or is based on too few pairs.
    pub fn is_undecided(&self, rule: &ScoreRule, points: GradePoints, rounding: GradePoints) -> bool {
        let Some(ends) = self.interval(rule.confidence) else { return true };
        let [low, high] = ends.map(|end| points.part(rule.scale.share(end), rounding));
        self.is_small() || low != high
    }

    #[expect(clippy::cast_precision_loss, reason = "a few thousand at most")]
    fn count(&self) -> f64 {
        self.scores.len() as f64
    }
}

/// The number of games that a student should play against `baseline` in total, given the pairs of games so far, in the
/// order of the rounds. A pair that still lacks a result is `None`.
///
/// This includes at least the games that every student plays. While an item is undecided, [`BLOCK`] more games are
/// added, up to the rubric's `max_games`, unless a whole block has repeated earlier games, since the next block would
/// do the same. The answer depends only on the pairs, and not on when they were played.
pub fn games_wanted(rubric: &Rubric, baseline: &Baseline, pairs: &[Option<PlayedPair>]) -> u32 {
    let mut wanted = rubric.play.games;
    let mut distinct_before = 0;
    loop {
        let so_far = pairs.get(..wanted as usize / 2).map(|pairs| pairs.iter().flatten());
        let Some(so_far) = so_far else { return wanted };
        let sample = ScoreSample::of(so_far);
        let is_new = sample.distinct() > distinct_before;
        let is_undecided =
            |(item, rule): (&RubricItem, &ScoreRule)| sample.is_undecided(rule, item.points, rubric.rounding);
        let wants_more = is_new && scores_against(rubric, baseline).any(is_undecided);
        if wanted >= rubric.play.max_games || !wants_more {
            return wanted;
        }
        distinct_before = sample.distinct();
        wanted = (wanted + BLOCK).min(rubric.play.max_games);
    }
}

/// The items of `rubric` about the score against `baseline`.
fn scores_against<'r>(
    rubric: &'r Rubric,
    baseline: &Baseline,
) -> impl Iterator<Item = (&'r RubricItem, &'r ScoreRule)> {
    rubric.items.iter().filter_map(move |item| match &item.rule {
        ItemRule::Score(rule) if rule.against == *baseline => Some((item, rule)),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::normal::unit;
    use crate::base::random::SplitMix64;
    use crate::course::rubric::RUBRIC_TOML;
    use proptest::prelude::*;

    fn pair(half_points: u8, number: u64) -> PlayedPair {
        PlayedPair { half_points, moves: Some([number, number]) }
    }

    /// A rubric with a single item, worth 20 points, with the table `score` against greedy.
    fn rubric(score: &str) -> Rubric {
        let item = format!("[[item]]\nid = \"a\"\npoints = 20\nagainst = \"greedy\"\nscore = {score}\n");
        Rubric::parse(&format!("title = \"t\"\ntotal = 20\n{item}")).unwrap_or_else(|problems| panic!("{problems}"))
    }

    fn greedy() -> Baseline {
        "greedy".parse().expect("a bot")
    }

    /// The points of a student who keeps playing until the stopping rule is satisfied, and the number of games. Each
    /// pair is drawn from `outcomes`: the probabilities of 0 to 4 half points.
    fn simulated(rubric: &Rubric, outcomes: [f64; 5], random: &mut SplitMix64) -> (GradePoints, u32) {
        let mut pairs: Vec<Option<PlayedPair>> = Vec::new();
        loop {
            let wanted = games_wanted(rubric, &greedy(), &pairs);
            if pairs.len() >= wanted as usize / 2 {
                let ItemRule::Score(rule) = &rubric.items[0].rule else { panic!("a score") };
                let sample = ScoreSample::of(pairs.iter().flatten());
                let counted = super::super::marking::counted_end(rule, &sample).expect("pairs");
                return (rubric.items[0].points.part(rule.scale.share(counted), rubric.rounding), wanted);
            }
            while pairs.len() < wanted as usize / 2 {
                let mut chance = unit(random);
                let drawn = outcomes.iter().position(|share| {
                    chance -= share;
                    chance < 0.0
                });
                let half_points = u8::try_from(drawn.unwrap_or(4)).expect("at most 4");
                pairs.push(Some(pair(half_points, random.next_u64())));
            }
        }
    }

    /// Bots whose true score is 1/2, described by the probabilities of their pairs: with decisive games, with draws,
    /// with an advantage for black, and with wins and losses in pairs.
    const EVEN: [[f64; 5]; 4] = [
        [0.25, 0.0, 0.5, 0.0, 0.25],
        [0.09, 0.24, 0.34, 0.24, 0.09],
        [0.1, 0.0, 0.8, 0.0, 0.1],
        [0.45, 0.0, 0.1, 0.0, 0.45],
    ];

    #[test]
    fn a_bot_whose_true_score_is_a_half_gets_full_points_for_a_half_with_the_benefit_of_the_doubt() {
        let rubric = rubric("{ full = 0.5, zero = 0.2, confidence = 0.9, doubt = \"student\" }");
        for (outcomes, seeds) in EVEN.into_iter().zip([5000, 1000, 1000, 1000]) {
            let full = (0..seeds)
                .filter(|&seed| simulated(&rubric, outcomes, &mut SplitMix64::new(seed)).0 == rubric.items[0].points)
                .count();
            assert!(full as u64 * 100 >= seeds * 88, "{outcomes:?}: {full} of {seeds}");
        }
    }

    #[test]
    fn without_the_benefit_of_the_doubt_about_half_of_them_do_and_fewer_where_the_teacher_has_it() {
        let share = |doubt: &str| {
            let rubric = rubric(&format!("{{ full = 0.5, zero = 0.45, doubt = \"{doubt}\" }}"));
            let full =
                |&seed: &u64| simulated(&rubric, EVEN[1], &mut SplitMix64::new(seed)).0 == rubric.items[0].points;
            (0..1000).filter(full).count()
        };
        let (none, teacher) = (share("none"), share("teacher"));
        assert!((350..=650).contains(&none), "{none}");
        // The score is judged up to five times as games are added, and any of these results may be lucky.
        assert!((1..=350).contains(&teacher), "{teacher}");
    }

    #[test]
    fn more_games_are_wanted_only_where_they_can_change_the_points() {
        let rubric = rubric("{ full = 0.5, zero = 0.2 }");
        let all = |half_points: u8| -> Vec<Option<PlayedPair>> {
            (0..50).map(|number| Some(pair(half_points, number))).collect()
        };
        assert_eq!(games_wanted(&rubric, &greedy(), &[]), 20);
        assert_eq!(games_wanted(&rubric, &greedy(), &all(4)), 20, "it wins all games");
        assert_eq!(games_wanted(&rubric, &greedy(), &all(0)), 20, "it loses all games");
        assert_eq!(games_wanted(&rubric, &greedy(), &all(2)[..10]), 40, "the true score may be a little lower");
        assert_eq!(games_wanted(&rubric, &greedy(), &all(1)), 100, "it is between both ends");
        assert_eq!(games_wanted(&rubric, &greedy(), &all(1)[..25]), 60, "a block is played to its end");
        // A student who plays the same game again and again is not asked for more games.
        let same = vec![Some(pair(2, 7)); 50];
        assert_eq!(games_wanted(&rubric, &greedy(), &same), 40);
    }

    #[test]
    fn the_example_asks_for_a_hundred_games_at_most() {
        let rubric = Rubric::parse(RUBRIC_TOML).expect("right");
        let pairs: Vec<Option<PlayedPair>> = (0..500).map(|number| Some(pair(2, number))).collect();
        for baseline in rubric.baselines() {
            assert!(games_wanted(&rubric, baseline, &pairs) <= 100);
        }
    }

    #[test]
    fn a_repeated_pair_counts_once_and_pairs_without_moves_repeat_nothing() {
        let unplayed = PlayedPair { half_points: 0, moves: None };
        let sample = ScoreSample::of(&[pair(4, 1), pair(4, 1), pair(2, 2), unplayed, unplayed]);
        assert_eq!((sample.pairs(), sample.distinct(), sample.mean()), (4, 4, Some(0.375)));
        assert_eq!(ScoreSample::default().interval(0.9), None);
    }

    /// The upper end of ten distinct lost pairs.
    fn upper_end_of_ten_losses() -> f64 {
        let ten: Vec<PlayedPair> = (0..10).map(|number| pair(0, number)).collect();
        ScoreSample::of(&ten).interval(0.9).expect("pairs")[1]
    }

    #[test]
    fn a_block_of_repeats_makes_repeats_evidence() {
        // 12 distinct pairs, and then the same pairs again.
        let pairs: Vec<PlayedPair> = (0..40).map(|number| pair(0, number % 12)).collect();
        for (played, counting) in [(12, 12), (21, 12), (22, 22), (40, 40)] {
            let sample = ScoreSample::of(&pairs[..played]);
            assert_eq!((sample.pairs(), sample.distinct()), (counting, 12), "{played}");
        }
        let same = ScoreSample::of(&[pair(0, 1); 10]);
        assert_eq!((same.pairs(), same.distinct()), (10, 1));
        assert!(!same.is_small() && ScoreSample::of(&[pair(0, 1); 4]).is_small());
    }

    proptest! {
        #[test]
        fn a_bot_that_loses_all_games_gets_at_most_what_ten_lost_pairs_leave_in_doubt(
            numbers in proptest::collection::vec(0_u64..30, 10..60), kinds in 1_u64..30,
        ) {
            let pairs: Vec<PlayedPair> = numbers.iter().map(|number| pair(0, number % kinds)).collect();
            let upper = ScoreSample::of(&pairs).interval(0.9).expect("pairs")[1];
            prop_assert!(upper_end_of_ten_losses() < 0.0755);
            prop_assert!(upper <= upper_end_of_ten_losses() + 1e-12, "{upper}");
        }

        #[test]
        fn the_interval_holds_the_mean_and_shrinks_with_more_pairs(
            scores in proptest::collection::vec(0_u8..=4, 1..60), confidence in 0.5..0.999,
        ) {
            let pairs: Vec<PlayedPair> = (0..).zip(&scores).map(|(number, &half)| pair(half, number)).collect();
            let sample = ScoreSample::of(&pairs);
            let (mean, [low, high]) = (sample.mean().expect("pairs"), sample.interval(confidence).expect("pairs"));
            prop_assert!((0.0..=mean).contains(&low) && (mean..=1.0).contains(&high));
            prop_assert!(sample.standard_error().expect("pairs") > 0.0);
            let twice: Vec<PlayedPair> = (0..).zip(scores.iter().chain(&scores)).map(|(number, &half)| pair(half, number)).collect();
            prop_assert!(ScoreSample::of(&twice).standard_error() < sample.standard_error());
        }

        #[test]
        fn what_is_wanted_never_shrinks_as_games_are_played(
            scores in proptest::collection::vec(0_u8..=4, 0..50), zero in 0.0..0.49,
        ) {
            let rubric = rubric(&format!("{{ full = 0.5, zero = {zero} }}"));
            let pairs: Vec<_> = (0..).zip(scores).map(|(number, half)| Some(pair(half, number))).collect();
            let wanted: Vec<u32> = (0..=pairs.len()).map(|count| games_wanted(&rubric, &greedy(), &pairs[..count])).collect();
            prop_assert!(wanted.is_sorted());
        }
    }
}
