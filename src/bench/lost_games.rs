//! A version's lost games, read from its runs, and analyzed with the caches of these runs.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use super::bench_error::BenchError;
use super::bench_store::BenchStore;
use super::losses::{StudiedGame, WhyLost, accuracy, alike, compare, costly_moves, is_lost_by, side_of};
use super::version::BenchVersion;
use crate::game::Ruleset;
use crate::referee::record::GameRecord;
use crate::results::analysis::Accuracy;
use crate::run::cached_analyst::{AnalysisMeans, AnalysisNews, AnalysisQueue, AnalystError};
use crate::run::journal;

/// A request to find out why a version loses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WhyWish {
    /// The rules of the games; `None` for the rules under which the version was last checked.
    pub(crate) ruleset: Option<Ruleset>,
    /// How many lost games to analyze.
    pub(crate) games: usize,
    /// How many moves to show.
    pub(crate) moves: usize,
    /// How the games are analyzed.
    pub(crate) means: AnalysisMeans,
}

/// The games under the rules of `ruleset` that have a result, in the runs of the version `id`, each with its run.
fn games_of(store: &BenchStore, id: &str, ruleset: Ruleset) -> Result<Vec<(GameRecord, PathBuf)>, BenchError> {
    let mut all = Vec::new();
    for run in store.runs(id) {
        let mut records: BTreeMap<String, GameRecord> = BTreeMap::new();
        let (ledger, _) = journal::read(&run, |game| {
            // A later record of a game replaces an earlier one.
            records.extend(game.two().and_then(|record| Some((record.game.clone()?, record.clone()))));
        })?;
        if ledger.definition.frame.ruleset != ruleset {
            continue;
        }
        records.retain(|id, record| ledger.game(id).is_some() && record.result.is_ok());
        all.extend(records.into_values().map(|record| (record, run.clone())));
    }
    Ok(all)
}

/// Analyzes `games`, until `stop` is raised.
fn studied(
    games: Vec<(GameRecord, PathBuf)>,
    means: AnalysisMeans,
    stop: &AtomicBool,
    tell: impl FnMut(AnalysisNews<'_>),
) -> Result<Vec<StudiedGame>, AnalystError> {
    let (records, runs): (Vec<GameRecord>, Vec<PathBuf>) = games.into_iter().unzip();
    let mut queue = AnalysisQueue::new(means, &records, runs.into_iter().map(Some).collect(), stop, tell);
    queue.prepare()?;
    let mut found = Vec::new();
    while let Some((record, analysis)) = queue.analyze_next()? {
        found.push(StudiedGame { record: record.clone(), analysis });
    }
    queue.end();
    Ok(found)
}

/// Finds out why `version` loses: analyzes its lost games, and compares its costliest moves with those of the version
/// `earlier` in the same positions. Games against the earlier version come first. Once `stop` is raised, nothing more
/// is analyzed.
///
/// # Errors
/// Fails if the version has not lost a game, or if the games cannot be read or analyzed.
pub(crate) fn why_lost<T: FnMut(AnalysisNews<'_>)>(
    store: &BenchStore,
    version: &BenchVersion,
    earlier: Option<&str>,
    (wish, stop, tell): (WhyWish, &AtomicBool, impl Fn() -> T),
) -> Result<WhyLost, BenchError> {
    let checked = || version.verdict.as_ref()?.terms.as_ref()?.ruleset.parse().ok();
    let ruleset = wish.ruleset.or_else(checked).unwrap_or(Ruleset::Gothello);
    let own = games_of(store, &version.id, ruleset)?;
    let played = own.len();
    let lost = lost_by(&own, &version.id, earlier);
    if lost.is_empty() {
        let (id, ruleset) = (version.id.clone(), ruleset.name().to_owned());
        return Err(BenchError::NothingLost { id, ruleset, games: played });
    }
    let first = |lost: &[&(GameRecord, PathBuf)]| lost.iter().take(wish.games).map(|game| (*game).clone()).collect();
    let games = studied(first(&lost), wish.means, stop, tell())?;
    let mut moves = costly_moves(&games, &version.id, wish.moves);
    let mut accuracies = [accuracy(&games, &version.id), Accuracy::default()];
    if let Some(earlier) = earlier {
        let mut others = Vec::new();
        for other in store.versions()? {
            // An answer without the games of another version is better than no answer.
            others.extend(games_of(store, &other.id, ruleset).unwrap_or_default());
        }
        others.retain(|(record, _)| side_of(record, earlier).is_some());
        let alike = alike(others.iter().map(|(record, _)| record), earlier, &mut moves, wish.games);
        let before = alike.into_iter().map(|index| others[index].clone()).collect();
        compare(&mut moves, earlier, &studied(before, wish.means, stop, tell())?);
        let lost = lost_by(&others, earlier, Some(&version.id));
        accuracies[1] = accuracy(&studied(first(&lost), wish.means, stop, tell())?, earlier);
    }
    Ok(WhyLost {
        version: version.id.clone(),
        ruleset: ruleset.name().to_owned(),
        earlier: earlier.map(str::to_owned),
        played,
        lost: lost.len(),
        analyzed: games.len(),
        accuracy: accuracies,
        moves,
    })
}

/// The games that `player` has lost, starting with those against `other`.
fn lost_by<'g>(
    games: &'g [(GameRecord, PathBuf)],
    player: &str,
    other: Option<&str>,
) -> Vec<&'g (GameRecord, PathBuf)> {
    let mut lost: Vec<_> = games.iter().filter(|(record, _)| is_lost_by(record, player)).collect();
    lost.sort_by_key(|(record, _)| other.is_none_or(|other| side_of(record, other).is_none()));
    lost
}
