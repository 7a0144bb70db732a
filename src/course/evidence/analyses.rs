//! The analyses of a class's games. A game is analyzed if an item grades it, or if the feedback shows its mistakes.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::{ClassPlan, GradingError};
use crate::course::grades::{GradedGame, StudentEvidence};
use crate::course::rubric::ItemRule;
use crate::game::Feature;
use crate::referee::record::{GameRecord, check_with};
use crate::results::standings::{GameSummary, duplicates};
use crate::run::cached_analyst::{AnalysisMeans, AnalysisNews, AnalysisProgress, AnalysisQueue, BudgetUnit};
use crate::run::campaign::seegover_table::for_check;

/// The maximum number of a student's lost games that are analyzed if no item is about accuracy, because feedback shows
/// the mistakes in only a few games.
const LOST: usize = 10;

/// The games of a class that are to be analyzed. All of them are valid.
pub(crate) struct WantedAnalyses<'c> {
    class: &'c ClassPlan,
    /// For each game, the index of the student in the evidence, and the index of the game in the student's games.
    places: Vec<(usize, usize)>,
    records: Vec<GameRecord>,
}

impl<'c> WantedAnalyses<'c> {
    /// The games of `evidence` whose values the rubric of `class` or the feedback needs; `None` if there are none.
    ///
    /// # Errors
    /// Fails if a game is invalid.
    pub(crate) fn of(class: &'c ClassPlan, evidence: &[StudentEvidence]) -> Result<Option<Self>, GradingError> {
        if !is_analyzed(class) {
            return Ok(None);
        }
        let is_asked = asks_for_accuracy(class);
        let mut places: Vec<(usize, usize)> = Vec::new();
        for (student, found) in evidence.iter().enumerate() {
            let games = if is_asked { first_distinct(found, class.rubric.play.games) } else { lost(found) };
            places.extend(games.into_iter().map(|game| (student, game)));
        }
        let records: Vec<GameRecord> =
            places.iter().map(|&(student, game)| evidence[student].games[game].record.clone()).collect();
        for (record, &(student, game)) in records.iter().zip(&places) {
            let id = &evidence[student].games[game].id;
            check_with(record, for_check(record).as_ref())
                .map_err(|error| GradingError::WrongGame { game: id.clone(), error: Box::new(error) })?;
        }
        Ok((!records.is_empty()).then_some(Self { class, places, records }))
    }

    /// Analyzes the games, and puts the analyses into `evidence`. Ends early once `stop` is raised.
    ///
    /// # Errors
    /// Fails if the games cannot be analyzed.
    pub(crate) fn add_to(
        &self,
        evidence: &mut [StudentEvidence],
        stop: &AtomicBool,
        tell: impl FnMut(AnalysisNews<'_>),
    ) -> Result<AnalysisProgress, GradingError> {
        let means = AnalysisMeans::of_budget(Some(self.class.rubric.play.analysis), BudgetUnit::Nodes);
        let runs = vec![Some(self.class.run_dir()); self.records.len()];
        let mut queue = AnalysisQueue::new(means, &self.records, runs, stop, tell);
        queue.prepare()?;
        for &(student, game) in &self.places {
            let Some((_, analysis)) = queue.analyze_next()? else { break };
            evidence[student].games[game].analysis = Some(analysis);
        }
        Ok(queue.end())
    }
}

/// Whether any games of `class` are analyzed.
fn is_analyzed(class: &ClassPlan) -> bool {
    class.rubric.play.analysis != Duration::ZERO && class.tournament.ruleset.require(Feature::Solver).is_ok()
}

/// Whether an item is about accuracy.
fn asks_for_accuracy(class: &ClassPlan) -> bool {
    class.rubric.items.iter().any(|item| matches!(item.rule, ItemRule::Accuracy(_)))
}

/// The maximum number of games of `class` that can be analyzed.
pub(super) fn most_analyses(class: &ClassPlan) -> u32 {
    if !is_analyzed(class) {
        return 0;
    }
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let first = count(class.baselines.len()).saturating_mul(class.rubric.play.games);
    let of_a_student = if asks_for_accuracy(class) { first } else { first.min(count(LOST)) };
    of_a_student.saturating_mul(count(class.students.len()))
}

/// The indices in `found.games` of the games that every student plays, except those that repeat another game.
fn first_distinct(found: &StudentEvidence, games: u32) -> Vec<usize> {
    let summaries: Vec<GameSummary> = found
        .games
        .iter()
        .map(|game| GameSummary { game: game.id.clone(), ..GameSummary::from(&game.record) })
        .collect();
    let repeats = duplicates(summaries.iter().map(GameSummary::view));
    let is_first = |game: &GradedGame| game.round().is_some_and(|round| round <= games as usize / 2);
    let places = found.games.iter().zip(repeats).enumerate();
    let wanted = places.filter(|(_, (game, repeats))| is_first(game) && repeats.is_none() && has_moves(game));
    wanted.map(|(place, _)| place).collect()
}

/// The indices in `found.games` of the first games lost on the board, at most `LOST` of them.
fn lost(found: &StudentEvidence) -> Vec<usize> {
    let is_lost = |game: &GradedGame| game.forfeit().is_none() && game.winner() == Some(game.side.opponent());
    let places = found.games.iter().enumerate().filter(|(_, game)| is_lost(game) && has_moves(game));
    places.map(|(place, _)| place).take(LOST).collect()
}

/// Whether `game` has a result, and moves to analyze.
fn has_moves(game: &GradedGame) -> bool {
    game.result().is_some() && !game.record.plies.is_empty()
}
