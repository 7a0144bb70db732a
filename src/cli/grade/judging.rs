//! Judges the games of a class by exact values.

use std::time::Duration;

use anyhow::anyhow;

use crate::cli::interrupt::Flag;
use crate::cli::judge_games::{Means, Panel, SearchLimit};
use crate::cli::{Exit, Failure};
use crate::course::evidence::ClassPlan;
use crate::course::grades::{GradedGame, StudentEvidence};
use crate::course::rubric::ItemRule;
use crate::game::Feature;
use crate::referee::record::{GameRecord, check_with};
use crate::results::standings::{GameSummary, duplicates};
use crate::run::campaign::seegover_table::for_check;

/// The most lost games of a student that are judged if no item is about accuracy: feedback shows the mistakes of a few.
const LOST: usize = 10;

/// Judges the games that the rubric or the feedback asks about, and puts the analyses into `evidence`. Returns the exit code after a
/// signal, or success.
pub(super) fn judge(class: &ClassPlan, evidence: &mut [StudentEvidence]) -> Result<Exit, Failure> {
    let budget = class.rubric.play.analysis;
    let has_solver = class.tournament.ruleset.require(Feature::Solver).is_ok();
    if budget == Duration::ZERO || !has_solver {
        return Ok(Exit::Success);
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
            .map_err(|error| Failure::does_not_hold(anyhow!("game `{id}`: {error}")))?;
    }
    if records.is_empty() {
        return Ok(Exit::Success);
    }
    let interrupt = Flag::watch()?;
    let means = Means { budget: Some(budget), threads: None, mebibytes: None, limit: SearchLimit::Nodes };
    let mut panel = Panel::new(means, &interrupt, &records).with_caches(vec![Some(class.run_dir()); records.len()]);
    panel.prepare()?;
    let mut judged = places.iter();
    while let Some((_, analysis)) = panel.judge_next()? {
        if let Some(&(student, game)) = judged.next() {
            evidence[student].games[game].analysis = Some(analysis);
        }
    }
    Ok(panel.end())
}

/// Whether an item is about accuracy.
fn asks_for_accuracy(class: &ClassPlan) -> bool {
    class.rubric.items.iter().any(|item| matches!(item.rule, ItemRule::Accuracy(_)))
}

/// The most games of `class` that can be judged.
pub(super) fn most_games(class: &ClassPlan) -> u32 {
    let play = &class.rubric.play;
    let has_solver = class.tournament.ruleset.require(Feature::Solver).is_ok();
    if play.analysis.is_zero() || !has_solver {
        return 0;
    }
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let first = count(class.baselines.len()).saturating_mul(play.games);
    let of_a_student = if asks_for_accuracy(class) { first } else { first.min(count(LOST)) };
    of_a_student.saturating_mul(count(class.students.len()))
}

/// The places of the games that everybody plays, but for those that repeat another one.
fn first_distinct(found: &StudentEvidence, games: u32) -> Vec<usize> {
    let summaries: Vec<GameSummary> = found
        .games
        .iter()
        .map(|game| GameSummary { game: game.id.clone(), ..GameSummary::from(&game.record) })
        .collect();
    let repeats = duplicates(summaries.iter().map(GameSummary::view));
    let is_first = |game: &GradedGame| game.round().is_some_and(|round| round <= games as usize / 2);
    let places = found.games.iter().zip(repeats).enumerate();
    let wanted = places.filter(|(_, (game, repeats))| is_first(game) && repeats.is_none() && is_judgeable(game));
    wanted.map(|(place, _)| place).collect()
}

/// The places of some games that were lost on the board.
fn lost(found: &StudentEvidence) -> Vec<usize> {
    let is_lost = |game: &GradedGame| game.forfeit().is_none() && game.winner() == Some(game.side.opponent());
    let places = found.games.iter().enumerate().filter(|(_, game)| is_lost(game) && is_judgeable(game));
    places.map(|(place, _)| place).take(LOST).collect()
}

/// Whether there is something to judge.
fn is_judgeable(game: &GradedGame) -> bool {
    game.result().is_some() && !game.record.plies.is_empty()
}
