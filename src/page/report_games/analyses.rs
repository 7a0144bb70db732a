//! Analyzes the games of a report in order of interest, until the time is up.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::{ReportError, RunGames, ratings, upset};
use crate::page::shown::ShownGame;
use crate::referee::record::GameRecord;
use crate::referee::result::GameResult;
use crate::run::cached_analyst::{AnalysisInOrder, AnalysisMeans, AnalysisNews, BudgetUnit, analyze_in_order};
use crate::run::game_files::{GameFilesError, each_record};

/// The games of a run in `path`, in the order in which they are to be analyzed.
pub(crate) struct GamesByInterest<'p> {
    path: &'p Path,
    records: Vec<GameRecord>,
    /// The indices of the records to be analyzed, the most interesting first.
    order: Vec<usize>,
}

impl<'p> GamesByInterest<'p> {
    /// The games of `run`, which is in `path`.
    ///
    /// # Errors
    /// Fails if the games cannot be read, or are in a CSV file, which contains no moves.
    pub(crate) fn of(run: &RunGames, path: &'p Path) -> Result<Self, ReportError> {
        if !path.is_dir() {
            return Err(GameFilesError::NoMoves { path: path.to_owned(), option: "--analysis" }.into());
        }
        let records = records(run, path)?;
        let order = order(run, &records)?;
        Ok(Self { path, records, order })
    }

    /// Analyzes the games within the limits `wanted`, until the time is up or `stop` is raised, and puts the values
    /// into `run`.
    ///
    /// # Errors
    /// Fails if the games cannot be analyzed.
    pub(crate) fn add_values(
        &self,
        run: &mut RunGames,
        wanted: AnalysisAllowance,
        stop: &AtomicBool,
        tell: impl FnMut(AnalysisNews<'_>),
    ) -> Result<(), ReportError> {
        let AnalysisAllowance { total, budget, with_cache } = wanted;
        let means = AnalysisMeans::of_budget(Some(budget), BudgetUnit::Time);
        let wanted = AnalysisInOrder { run: Some(self.path).filter(|_| with_cache), total, means };
        let analyses = analyze_in_order(&self.records, &self.order, wanted, stop, tell)?;
        let places: HashMap<&str, usize> = places(&run.games);
        let analyses = self.records.iter().zip(&analyses);
        let found: Vec<_> = analyses
            .filter_map(|(record, analysis)| Some((*places.get(record.game.as_deref()?)?, analysis.as_ref()?)))
            .collect();
        for (index, analysis) in found {
            run.games[index].add_analysis(analysis);
        }
        Ok(())
    }
}

/// The limits for analyzing the games of a report.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AnalysisAllowance {
    /// The time for all games together.
    pub(crate) total: Duration,
    /// The time for each game.
    pub(crate) budget: Duration,
    /// Whether the cache of the run is used.
    pub(crate) with_cache: bool,
}

/// The index of each game, by its id.
fn places(games: &[ShownGame]) -> HashMap<&str, usize> {
    games.iter().enumerate().map(|(index, game)| (game.summary.game.as_str(), index)).collect()
}

/// The records of the games of `run`.
fn records(run: &RunGames, path: &Path) -> Result<Vec<GameRecord>, GameFilesError> {
    let places = places(&run.games);
    let mut records: Vec<Option<GameRecord>> = vec![None; run.games.len()];
    each_record(path, |game| {
        let Some(record) = game.two() else { return };
        if let Some(&index) = record.game.as_deref().and_then(|id| places.get(id)) {
            // A later record of a game replaces an earlier one.
            records[index] = Some(record.clone());
        }
    })?;
    Ok(records.into_iter().flatten().collect())
}

/// How interesting a game is, the most interesting kind first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Interest {
    /// A game that the better player lost.
    Upset,
    /// A game that one side lost.
    Lost,
    /// Any other game.
    Other,
}

/// The indices of the `records` to be analyzed, the most interesting first.
fn order(run: &RunGames, records: &[GameRecord]) -> Result<Vec<usize>, ReportError> {
    let ratings = ratings(&run.standings()?);
    let places = places(&run.games);
    let mut order: Vec<(Interest, f64, usize)> = Vec::with_capacity(records.len());
    for (index, record) in records.iter().enumerate().filter(|(_, record)| !record.plies.is_empty()) {
        let Some(&place) = record.game.as_deref().and_then(|id| places.get(id)) else { continue };
        let game = &run.games[place];
        let winner = game.summary.result.as_ref().and_then(GameResult::winner);
        let (interest, gap) = match upset(game, &ratings) {
            Some(gap) => (Interest::Upset, gap),
            None if winner.is_some() && game.at_fault().is_none() => (Interest::Lost, 0.0),
            None => (Interest::Other, 0.0),
        };
        order.push((interest, gap, index));
    }
    order.sort_by(|one, other| match one.0.cmp(&other.0) {
        Ordering::Equal => other.1.total_cmp(&one.1).then(one.2.cmp(&other.2)),
        unequal => unequal,
    });
    Ok(order.into_iter().map(|(_, _, index)| index).collect())
}
