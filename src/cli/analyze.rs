//! `gothello-arena analyze`.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, anyhow};

use super::analysis_watch::AnalysisWatch;
use super::{CommandResult, Failure, HELP, pager, print, settings};
use crate::base::files;
use crate::base::sanitise::Shown as _;
use crate::game::{Feature, Side};
use crate::referee::record::GameRecord;
use crate::results::analysis::Accuracy;
use crate::results::report::{accuracy_tables, analysis_json, analysis_text};
use crate::run::cached_analyst::{AnalysisMeans, AnalysisQueue, BudgetUnit};
use crate::run::game_files::{LogFile, logs_of};

/// Judge every move of a game by exact values
#[derive(Debug, clap::Args)]
#[command(help_template = HELP, after_help = "\
Shows the value before and after each move (for a single game), and how
accurately each player played. Solves positions from the end of a game backwards
until the budget is used up; earlier moves are left unjudged, never guessed.
Examples:
  gothello-arena analyze results/class --budget 30s
  gothello-arena analyze results/class/games/r1-greedy-random.log")]
pub(super) struct Args {
    /// Game logs, directories of game logs, or `-` for stdin
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Spend up to TIME on each game [default: 10s; in Seegover, search the last ten drops]
    #[arg(long, value_name = "TIME", value_parser = super::duration)]
    budget: Option<Duration>,
    /// Judge a run's games again, ignoring its analysis.jsonl
    #[arg(long)]
    no_cache: bool,
    /// Print a JSON object for each game and, after several games, one for all players
    #[arg(long)]
    json: bool,
    /// Write commented copies to DIR, for `replay` to show
    #[arg(long, value_name = "DIR")]
    annotate: Option<PathBuf>,
    /// Use N threads [default: 2, or 1 if there is one core]
    #[arg(long, short = 'j', value_name = "N", value_parser = super::threads)]
    threads: Option<NonZeroUsize>,
    /// Use a table of MIB mebibytes [default: 64 to 256, by the budget]
    #[arg(long, value_name = "MIB")]
    memory: Option<NonZeroU32>,
}

impl Args {
    pub(super) fn run(self) -> CommandResult {
        let mut logs = Vec::new();
        for file in &self.files {
            logs.extend(logs_of(file)?);
        }
        let copies = self.annotate.as_deref().map(|dir| copies(dir, &logs)).transpose()?;
        // Read all logs before analyzing the first one, so that an invalid log is reported immediately, not hours
        // later.
        let games: Vec<GameRecord> = logs.iter().map(LogFile::whole).collect::<Result<_, _>>()?;
        for (log, record) in logs.iter().zip(&games) {
            let refused = |missing| Failure::usage(anyhow!("`{}` cannot be analyzed: {missing}", log.path().shown()));
            record.ruleset.require(Feature::Solver).map_err(refused)?;
        }
        let watch = AnalysisWatch::new()?;
        let means = AnalysisMeans {
            budget: self.budget,
            threads: settings::threads(self.threads),
            mebibytes: self.memory,
            unit: BudgetUnit::Time,
        };
        let runs = logs.iter().map(|log| log.run().filter(|_| !self.no_cache)).collect();
        let mut queue = AnalysisQueue::new(means, &games, runs, watch.stop(), AnalysisWatch::tell());
        queue.prepare()?;
        let mut players: BTreeMap<&str, Accuracy> = BTreeMap::new();
        let mut text = String::new();
        for (index, log) in logs.iter().map(LogFile::path).enumerate() {
            let Some((record, analysis)) = queue.analyze_next()? else { break };
            if record.result.is_ok() || games.len() == 1 {
                for side in Side::BOTH {
                    let accuracy = players.entry(&record.players[side]).or_default();
                    *accuracy = accuracy.plus(Accuracy::of(&analysis, side));
                }
            }
            if self.json {
                print(analysis_json::game_json(&log.display().to_string(), record, &analysis))?;
            } else if games.len() == 1 {
                text = analysis_text::game(record, &analysis) + "\n";
            } else {
                let name = record.game.clone().unwrap_or_else(|| log.shown());
                print(analysis_text::summary(&name, record, &analysis))?;
            }
            if let Some(copy) = copies.as_ref().map(|copies| &copies[index]) {
                files::write_whole(copy, analysis.annotate(record.clone()).to_string().as_bytes())
                    .with_context(|| format!("cannot write `{}`", copy.shown()))?;
            }
        }
        let exit = watch.end(queue.end());
        let mut players: Vec<(&str, Accuracy)> = players.into_iter().collect();
        players.sort_by(|one, other| by_loss(one.1, other.1));
        if !self.json {
            if !players.is_empty() {
                text += if games.len() > 1 { "\n" } else { "" };
                let lines = players.iter().enumerate().map(|(index, &(name, accuracy))| (index + 1, name, accuracy));
                text += &accuracy_tables::accuracy(lines);
            }
            pager::show(&text)?;
        } else if games.len() > 1 && !players.is_empty() {
            print(analysis_json::accuracy_json(players))?;
        }
        Ok(exit)
    }
}

/// Orders players by their average loss per move, then by how rarely they blundered.
fn by_loss(one: Accuracy, other: Accuracy) -> Ordering {
    let key = |accuracy: Accuracy| {
        let all = accuracy.all();
        (all.average_loss().unwrap_or(f64::INFINITY), -all.winner_kept().unwrap_or_default())
    };
    let (one, other) = (key(one), key(other));
    one.0.total_cmp(&other.0).then(one.1.total_cmp(&other.1))
}

/// The paths of the annotated copies of `logs` in `dir`. Creates `dir` if it is missing.
fn copies(dir: &Path, logs: &[LogFile]) -> Result<Vec<PathBuf>, Failure> {
    std::fs::create_dir_all(dir).with_context(|| format!("cannot create `{}`", dir.shown()))?;
    let mut copies: Vec<PathBuf> = Vec::new();
    for log in logs.iter().map(LogFile::path) {
        let shown = log.shown();
        let name = log.file_name().filter(|_| log != Path::new("-"));
        let name = name.ok_or_else(|| {
            Failure::usage(anyhow!("--annotate cannot name a copy of `{shown}`: analyze a file instead"))
        })?;
        let copy = dir.join(name);
        if same_file(&copy, log) {
            return Err(Failure::usage(anyhow!("--annotate would overwrite `{shown}`: name another directory")));
        }
        copies.push(copy);
    }
    let mut names = BTreeSet::new();
    if let Some(twice) = copies.iter().find(|&copy| !names.insert(copy)) {
        return Err(Failure::usage(anyhow!("--annotate would write two logs to `{}`", twice.shown())));
    }
    Ok(copies)
}

fn same_file(one: &Path, other: &Path) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}
