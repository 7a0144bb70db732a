//! `--analysis`: judges games in order of interest, until the time is up.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::path::Path;

use anyhow::anyhow;

use super::run_games::{RunGames, ratings, upset};
use super::standings;
use crate::base::sanitise::Shown as _;
use crate::cli::judge_games::{Judging, judge_in_order};
use crate::cli::run_input::each_record;
use crate::cli::{Exit, Failure};
use crate::page::shown::ShownGame;
use crate::referee::record::GameRecord;
use crate::referee::result::GameResult;

/// Judges the games of `run`, which is in `path`, as specified by `judging`. After a signal, only the games that were judged
/// until then are judged.
pub(super) fn judge(run: &mut RunGames, path: &Path, judging: Judging<'_>) -> Result<Exit, Failure> {
    if !path.is_dir() {
        let hint = "--analysis needs the games themselves: name the directory of a run";
        return Err(Failure::usage(anyhow!("`{}` has no moves ({hint})", path.shown())));
    }
    let records = records(run, path)?;
    let order = order(run, &records)?;
    let judged = judge_in_order(&records, &order, judging)?;
    let places: HashMap<&str, usize> = places(&run.games);
    let analyses = records.iter().zip(&judged.analyses);
    let found: Vec<_> = analyses
        .filter_map(|(record, analysis)| Some((*places.get(record.game.as_deref()?)?, analysis.as_ref()?)))
        .collect();
    for (index, analysis) in found {
        run.games[index].judge(analysis);
    }
    Ok(judged.exit)
}

/// The index of each game, by its id.
fn places(games: &[ShownGame]) -> HashMap<&str, usize> {
    games.iter().enumerate().map(|(index, game)| (game.summary.game.as_str(), index)).collect()
}

/// The records of the games of `run`.
fn records(run: &RunGames, path: &Path) -> Result<Vec<GameRecord>, Failure> {
    let places = places(&run.games);
    let mut records: Vec<Option<GameRecord>> = vec![None; run.games.len()];
    each_record(path, |record| {
        if let Some(&index) = record.game.as_deref().and_then(|id| places.get(id)) {
            // A later record of a game replaces an earlier one.
            records[index] = Some(record.clone());
        }
    })?;
    Ok(records.into_iter().flatten().collect())
}

/// The order of interest in a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Interest {
    /// A game that the better player lost.
    Upset,
    /// A game that somebody lost.
    Lost,
    /// Any other game.
    Other,
}

/// The indices of the `records` to be judged, the most interesting first.
fn order(run: &RunGames, records: &[GameRecord]) -> Result<Vec<usize>, Failure> {
    let ratings = ratings(&standings(run)?);
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
