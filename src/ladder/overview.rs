//! The state of a ladder as a table: every version with its rating.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use super::state::LadderState;
use crate::results::ladder::VersionRating;
use crate::results::rating::Elo;
use crate::results::report::{LadderRow, LadderSummary, RefusedRow, WaitingRow};
use crate::run::journal::ladder_history::VersionStatus;
use crate::tournament::ladder::LadderTerms;

/// The state of a ladder; the versions that play come first, best first. `inbox` contains the hand-ins that are not
/// settled; those that have a verdict do not wait any more. `now` is the time in seconds since the start of 1970,
/// for changes within a week.
pub(crate) fn overview(
    state: &mut LadderState,
    terms: &LadderTerms,
    inbox: Vec<WaitingRow>,
    now: i64,
) -> LadderSummary {
    state.fit(terms);
    let before = state.ratings_week_ago(now).unwrap_or_default();
    let (ratings, active) = (state.ratings(), state.active());
    let history = state.history();
    let mut rows: Vec<LadderRow> = history
        .players()
        .iter()
        .enumerate()
        .map(|(place, player)| {
            let results = state.counts().results_of(place);
            let rating = ratings.get(place).copied().flatten().filter(|_| results.games() > 0);
            let (status, reason) = match &player.status {
                VersionStatus::Playing if active.contains(&place) => ("playing", ""),
                VersionStatus::Playing => ("resting", ""),
                VersionStatus::Paused(reason) => ("paused", reason.as_str()),
                VersionStatus::Retired(reason) => ("retired", reason.as_str()),
            };
            LadderRow {
                rank: None,
                name: player.name.clone(),
                player: player.version.as_ref().map_or_else(|| player.name.clone(), |version| version.of.clone()),
                status,
                reason: reason.to_owned(),
                elo: rating.map(|rating| rating.elo),
                change: rating.and_then(|rating| {
                    let before = before.get(place).copied().flatten()?;
                    Some(Elo(rating.elo.0 - before.elo.0))
                }),
                error95: rating.map(VersionRating::error95),
                results,
                arrived: player.version.as_ref().map(|version| version.arrived.to_string()),
            }
        })
        .collect();
    rows.sort_by(better_first);
    let mut ranked = BTreeSet::new();
    for row in rows.iter_mut().filter(|row| row.status == "playing" && row.elo.is_some()) {
        if ranked.insert(row.player.clone()) {
            row.rank = Some(ranked.len() as u64);
        }
    }
    let refused = history.refused().iter().map(|entry| RefusedRow {
        name: entry.version.name(),
        reason: entry.reason.clone(),
        arrived: entry.version.arrived.to_string(),
    });
    let is_judged =
        |row: &WaitingRow| history.hand_ins(&row.player).any(|known| known.arrived.to_string() == row.arrived);
    let waiting = inbox.into_iter().filter(|row| !is_judged(row)).collect();
    LadderSummary {
        frozen: history.frozen().map(|frozen| frozen.at.to_string()),
        games: state.counts().total(),
        in_flight: state.in_flight() as u64,
        zero: history.players().iter().find(|player| player.version.is_none()).map(|player| player.name.clone()),
        selection: state.selection(),
        rows,
        refused: refused.collect(),
        waiting,
    }
}

/// The order of the rows: versions that play, then those that are resting, then the others, each group by rating.
fn better_first(one: &LadderRow, other: &LadderRow) -> Ordering {
    let class =
        |row: &LadderRow| ["playing", "resting", "paused", "retired"].iter().position(|word| *word == row.status);
    let elo = |row: &LadderRow| row.elo.map_or(f64::NEG_INFINITY, |elo| elo.0);
    class(one).cmp(&class(other)).then_with(|| elo(other).total_cmp(&elo(one)))
}
