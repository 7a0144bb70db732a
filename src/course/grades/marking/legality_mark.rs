//! The mark for legal moves.

use super::{LineCounts, MarkingFacts, ids, missing_games, own_lines, plain, ratio};
use crate::base::units::{counted, grouped};
use crate::course::grades::mark::{FigureUnit, ItemMark, MarkEvidence};
use crate::course::grades::{GradedGame, KeptTrial};
use crate::course::rubric::{LegalityRule, RubricItem};
use crate::drill::readiness::TrialStatus;

impl MarkingFacts<'_> {
    /// The mark for the share of moves that were refused.
    ///
    /// A bot that forfeits its games early has little opportunity to make illegal moves. Therefore a bot that has
    /// forfeited a game gets points in proportion to the number of moves that it made in completed games and scenarios,
    /// up to the rule's `min_moves`.
    pub(super) fn legality(&self, item: &RubricItem, rule: LegalityRule) -> ItemMark {
        let games: Vec<&GradedGame> = self.first_games().collect();
        let trials: Vec<&KeptTrial> = self.drill.trials.iter().filter(|trial| trial.games > 0).collect();
        let evidence = MarkEvidence {
            games: ids(&games),
            trials: trials.iter().map(|trial| trial.name()).collect(),
            distinct: None,
        };
        if trials.iter().any(|trial| trial.void) || self.lacks_first_games() {
            return ItemMark { evidence, ..missing_games() };
        }
        let in_drill = trials.iter().fold(LineCounts::default(), |sum, trial| LineCounts {
            accepted: sum.accepted + trial.made,
            refused: sum.refused + trial.refused + trial.garbled,
        });
        let counts = games.iter().map(|game| own_lines(game)).fold(in_drill, |sum, game| LineCounts {
            accepted: sum.accepted + game.accepted,
            refused: sum.refused + game.refused,
        });
        if counts.accepted == 0 {
            let sentence = "The bot made no legal move, so nothing shows that it knows the rules.".to_owned();
            let figure = plain(if counts.refused > 0 { 1000.0 } else { 0.0 }, FigureUnit::PerThousand);
            return ItemMark { evidence, ..self.settled(item, 0.0, figure, sentence) };
        }
        let unit = FigureUnit::PerThousand;
        let refused = unit.rounded(ratio(counts.refused, counts.accepted + counts.refused) * 1000.0);
        let sentence = format!(
            "{} of {} {} refused in the check and in {}",
            if counts.refused == 0 { "None".to_owned() } else { grouped(counts.refused) },
            counted(counts.accepted + counts.refused, "move"),
            if counts.refused < 2 { "was" } else { "were" },
            counted(games.len() as u64, "game"),
        );
        let figure = plain(refused, unit);
        let shown = brought_to_an_end(&trials, &games);
        let share = rule.scale.share(refused);
        if shown >= rule.min_moves || games.iter().all(|game| game.forfeit().is_none()) {
            return ItemMark { evidence, ..self.settled(item, share, figure, format!("{sentence}.")) };
        }
        let sentence = format!(
            "{sentence}, but only {} were made in games and checks that the bot completed; {} are needed for full points.",
            counted(shown, "move"),
            rule.min_moves
        );
        ItemMark { evidence, ..self.settled(item, share * ratio(shown, rule.min_moves), figure, sentence) }
    }
}

/// The number of moves in the trials that were passed and in the games that the student did not forfeit.
fn brought_to_an_end(trials: &[&KeptTrial], games: &[&GradedGame]) -> u64 {
    let passed = trials.iter().filter(|trial| trial.status == TrialStatus::Pass).map(|trial| trial.made);
    let played = games.iter().filter(|game| game.forfeit().is_none()).map(|game| own_lines(game).accepted);
    passed.chain(played).sum()
}
