//! `--accuracy`: judges the moves of a run's games.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use anyhow::anyhow;

use crate::base::sanitise::Shown as _;
use crate::cli::interrupt::Flag;
use crate::cli::judge_games::{Means, Panel, SearchLimit};
use crate::cli::run_input::run_in;
use crate::cli::{Exit, Failure};
use crate::game::{Feature, Side};
use crate::referee::record::{GameRecord, check_with};
use crate::results::analysis::Accuracy;
use crate::results::standings::{Counting, GameSummary, duplicates};
use crate::run::campaign::seegover_table::for_check;
use crate::run::journal::{self, JournalError, Ledger, TextDigest};
use crate::run::results_dir;

/// What is asked about a run.
#[derive(Clone, Copy, Debug)]
pub(super) struct AccuracyAsked {
    /// The games that count.
    pub(super) counting: Counting,
    /// The time for each game; `None` is the default of `analyze`.
    pub(super) budget: Option<Duration>,
    /// Whether to use the results that the run has kept, and to keep new ones. Only a run with a journal keeps any.
    pub(super) with_cache: bool,
}

/// How accurately each player of the run in `path` played, and the exit code. `ledger` is the run's, if it has a journal.
pub(super) fn judge(
    path: &Path,
    ledger: Option<&Ledger>,
    asked: AccuracyAsked,
) -> Result<(BTreeMap<String, Accuracy>, Exit), Failure> {
    if !path.is_dir() {
        let hint = "--accuracy needs the games themselves: name the directory of a run";
        return Err(Failure::usage(anyhow!("`{}` has no moves ({hint})", path.shown())));
    }
    let run = run_in(path)?;
    let games = match ledger {
        Some(ledger) => of_journal(&run, ledger)?,
        None => of_logs(&run)?,
    };
    let games = counted(games, asked.counting);
    for record in &games {
        let of_game = || record.game.clone().unwrap_or_else(|| "a game".to_owned());
        let refused = |missing| Failure::usage(anyhow!("--accuracy cannot judge `{}`: {missing}", of_game()));
        record.ruleset.require(Feature::Solver).map_err(refused)?;
        check_with(record, for_check(record).as_ref())
            .map_err(|error| Failure::does_not_hold(anyhow!("{}: {error}", of_game())))?;
    }
    let interrupt = Flag::watch()?;
    let cache = ledger.filter(|_| asked.with_cache).map(|_| run);
    let means = Means { budget: asked.budget, threads: None, mebibytes: None, limit: SearchLimit::Time };
    let mut panel = Panel::new(means, &interrupt, &games).with_caches(vec![cache; games.len()]);
    panel.prepare()?;
    let mut players: BTreeMap<String, Accuracy> = BTreeMap::new();
    while let Some((record, analysis)) = panel.judge_next()? {
        for side in Side::BOTH {
            let accuracy = players.entry(record.players[side].clone()).or_default();
            *accuracy = accuracy.plus(Accuracy::of(&analysis, side));
        }
    }
    Ok((players, panel.end()))
}

/// The games that count, in the order of the journal.
fn of_journal(run: &Path, ledger: &Ledger) -> Result<Vec<GameRecord>, Failure> {
    let mut games = Vec::new();
    let read = journal::each_game(run, |game| {
        let counts = ledger.game(&game.id).is_some_and(|kept| kept.text == TextDigest::of(&game.record));
        // The ledger was built from the same lines, so every record parses.
        games.extend(game.record.parse().ok().filter(|_| counts));
        Ok::<_, JournalError>(())
    });
    read.map_err(Failure::does_not_hold)?;
    Ok(games)
}

fn of_logs(run: &Path) -> Result<Vec<GameRecord>, Failure> {
    let logs = results_dir::logs(run).map_err(Failure::does_not_hold)?;
    logs.iter().map(|log| results_dir::read_log(log).map_err(Failure::does_not_hold)).collect()
}

/// The games that the standings count.
fn counted(mut games: Vec<GameRecord>, counting: Counting) -> Vec<GameRecord> {
    let is_counted = |game: &GameRecord| match &game.result {
        Ok(result) => counting.has_round(game.round) && !counting.without_forfeits.contains(result.termination()),
        Err(_) => false,
    };
    games.retain(is_counted);
    if counting.distinct {
        let summaries: Vec<GameSummary> = games.iter().map(GameSummary::from).collect();
        let mut repeats = duplicates(summaries.iter().map(GameSummary::view)).into_iter();
        games.retain(|_| repeats.next().flatten().is_none());
    }
    games
}
