//! The mark for accuracy: how well the bot's moves kept the value of its positions.

use super::{MarkingFacts, ids, missing_games, plain, without_points};
use crate::base::normal::quantile;
use crate::base::units::counted;
use crate::course::grades::GradedGame;
use crate::course::grades::mark::{FigureUnit, ItemMark, MarkEvidence, MarkFigure, MarkState};
use crate::course::rubric::{AccuracyKind, AccuracyPhase, AccuracyRule, RubricItem};
use crate::results::analysis::{Accuracy, MoveTally, Phase};

/// The confidence level of each end of the interval around a figure based on few moves.
const CONFIDENCE: f64 = 0.9;

impl MarkingFacts<'_> {
    /// The mark for how well the bot's moves kept the value of its positions.
    ///
    /// If fewer moves were judged than the rule's `min_judged`, the mark is borderline and has an interval, because no
    /// further game could provide more moves. In this case, a bot that forfeited all games gets no points.
    pub(super) fn accuracy(&self, item: &RubricItem, rule: &AccuracyRule) -> ItemMark {
        let games: Vec<&GradedGame> = self.first_games().filter(|game| game.repeats.is_none()).collect();
        let evidence = MarkEvidence { games: ids(&games), trials: Vec::new(), distinct: Some(games.len()) };
        if self.lacks_first_games() {
            return ItemMark { evidence, ..missing_games() };
        }
        let analyses = games.iter().filter_map(|game| Some(Accuracy::of(game.analysis.as_ref()?, game.side)));
        let tally = of_phase(&analyses.fold(Accuracy::default(), Accuracy::plus), rule.phase);
        let (value, judged, unit) = match rule.figure {
            AccuracyKind::WinnerKept => (tally.winner_kept(), tally.judged, FigureUnit::Share),
            AccuracyKind::MarginKept => (tally.margin_kept(), tally.measured, FigureUnit::Share),
            AccuracyKind::AverageLoss => (tally.average_loss(), tally.measured, FigureUnit::Stones),
        };
        let value = value.map(|value| unit.rounded(value));
        let phase = rule.phase.in_words();
        let moves = counted(judged, "move");
        if judged < rule.min_judged && self.first_games().all(|game| game.forfeit().is_some()) {
            let few = if judged == 0 { "no move".to_owned() } else { format!("only {moves}") };
            let sentence = format!(
                "The bot forfeited all games, so {few}{phase} could be judged; {} are needed.",
                rule.min_judged
            );
            let figure = plain(value.unwrap_or(0.0), unit);
            return ItemMark { evidence, ..self.settled(item, 0.0, figure, sentence) };
        }
        let Some(value) = value else {
            let sentence = format!("No move{phase} could be judged; a longer `analysis` would complete the mark.");
            return ItemMark { evidence, ..without_points(MarkState::Incomplete, sentence) };
        };
        let what = match rule.figure {
            AccuracyKind::WinnerKept => {
                format!("{:.1}% of {moves}{phase} threw away neither a win nor a draw", value * 100.0)
            }
            AccuracyKind::MarginKept => format!("{:.1}% of {moves}{phase} gave away no stones", value * 100.0),
            AccuracyKind::AverageLoss => format!("{moves}{phase} gave away {value:.2} stones on average"),
        };
        if judged < rule.min_judged {
            let sentence = format!("{what}; a final mark needs {} moves.", rule.min_judged);
            let interval =
                (unit == FigureUnit::Share).then(|| share_interval(value, judged).map(|end| unit.rounded(end)));
            let figure = MarkFigure { interval, ..plain(value, unit) };
            let mark = self.settled(item, rule.scale.share(value), figure, sentence);
            return ItemMark { evidence, state: MarkState::Borderline, ..mark };
        }
        let sentence = format!("{what}.");
        ItemMark { evidence, ..self.settled(item, rule.scale.share(value), plain(value, unit), sentence) }
    }
}

/// The interval of a proportion in `count` moves, after Wilson (1927). The true proportion lies beyond each end with
/// probability 1 - [`CONFIDENCE`].
fn share_interval(share: f64, count: u64) -> [f64; 2] {
    #[expect(clippy::cast_precision_loss, reason = "a few hundred at most")]
    let count = count as f64;
    let weight = quantile(CONFIDENCE).powi(2) / count;
    let middle = share + weight / 2.0;
    let around = (weight * (share * (1.0 - share) + weight / 4.0)).sqrt();
    [middle - around, middle + around].map(|end| (end / (1.0 + weight)).clamp(0.0, 1.0))
}

/// The moves of `phase`.
const fn of_phase(accuracy: &Accuracy, phase: AccuracyPhase) -> MoveTally {
    match phase {
        AccuracyPhase::All => accuracy.all(),
        AccuracyPhase::Opening => accuracy.phase(Phase::Opening),
        AccuracyPhase::Middle => accuracy.phase(Phase::Middle),
        AccuracyPhase::End => accuracy.phase(Phase::End),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_holds_its_share_and_few_moves_make_it_wide() {
        for share in [0.0, 0.4, 1.0] {
            let [[low, high], [nearer, farther]] = [9, 90].map(|count| share_interval(share, count));
            assert!((low..=high).contains(&share) && high - low > farther - nearer, "{share}: {low} {high}");
        }
        // The upper end for 0 of 9 moves, by the formula of the interval: z^2 / (n + z^2) with z = 1.2816.
        assert!((share_interval(0.0, 9)[1] - 1.6424 / 10.6424).abs() < 1e-4);
    }
}
