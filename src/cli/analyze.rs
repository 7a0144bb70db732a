//! `gothello-arena analyze`.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, anyhow};

use super::interrupt::Flag;
use super::logs::{LogFile, logs_of};
use super::panel::{MEBIBYTES, Panel};
use super::{CommandResult, Failure, HELP, print};
use crate::base::files;
use crate::base::printable::Shown as _;
use crate::game::rules::{Feature, Side};
use crate::referee::record::GameRecord;
use crate::results::analysis::Accuracy;
use crate::results::report::analysis_table as report;

/// Judge every move of games by exact values
#[derive(Debug, clap::Args)]
#[command(help_template = HELP, after_help = "\
Shows each move's value before and after it (of one game), and how accurately
each player played. Positions are solved from the end of a game backwards until
the budget is used up; what was not solved stays unjudged, and is never guessed.
Examples:
  gothello-arena analyze results/class --budget 30s
  gothello-arena analyze results/class/games/r1-greedy-random.log")]
pub(super) struct Args {
    /// Game logs, `-` for stdin, or directories of them
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// The time to spend on each game
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = super::duration)]
    budget: Duration,
    /// An object a line: each game, then (of several) all players
    #[arg(long)]
    json: bool,
    /// Write copies with comments there, for `replay` to show
    #[arg(long, value_name = "DIR")]
    annotate: Option<PathBuf>,
    /// [default: 2, or as many as there are cores]
    #[arg(long, value_name = "N", value_parser = super::threads)]
    threads: Option<NonZeroUsize>,
    /// Of the table of positions
    #[arg(long, value_name = "MIB", default_value_t = MEBIBYTES)]
    memory: NonZeroU32,
}

impl Args {
    pub(super) fn run(self) -> CommandResult {
        let mut logs = Vec::new();
        for file in &self.files {
            logs.extend(logs_of(file).map_err(Failure::usage)?);
        }
        let copies = self.annotate.as_deref().map(|dir| copies(dir, &logs)).transpose()?;
        // All are read before the first is analyzed: a log that does not hold is told of at once, and not after hours.
        let games: Vec<GameRecord> = logs.iter().map(LogFile::whole).collect::<Result<_, _>>()?;
        for (log, record) in logs.iter().zip(&games) {
            let refused = |missing| Failure::usage(anyhow!("`{}` cannot be analyzed: {missing}", log.path().shown()));
            record.ruleset.require(Feature::Solver).map_err(refused)?;
        }
        let interrupt = Flag::watch()?;
        let mut panel = Panel::new(self.threads, self.memory, self.budget, &interrupt, games.len())?;
        let mut players: BTreeMap<&str, Accuracy> = BTreeMap::new();
        for (index, (log, record)) in logs.iter().map(LogFile::path).zip(&games).enumerate() {
            let Some(analysis) = panel.analyze(record)? else { break };
            if record.result.is_ok() || games.len() == 1 {
                for side in Side::BOTH {
                    let accuracy = players.entry(&record.players[side]).or_default();
                    *accuracy = accuracy.plus(Accuracy::of(&analysis, side));
                }
            }
            if self.json {
                print(report::game_json(&log.display().to_string(), record, &analysis))?;
            } else if games.len() == 1 {
                print(report::game(record, &analysis) + "\n")?;
            } else {
                let name = record.game.clone().unwrap_or_else(|| log.shown());
                print(report::summary(&name, record, &analysis))?;
            }
            if let Some(copy) = copies.as_ref().map(|copies| &copies[index]) {
                files::write_whole(copy, analysis.annotate(record.clone()).to_string().as_bytes())
                    .with_context(|| format!("cannot write `{}`", copy.shown()))?;
            }
        }
        let exit = panel.end();
        let mut players: Vec<(&str, Accuracy)> = players.into_iter().collect();
        players.sort_by(|one, other| by_loss(one.1, other.1));
        if players.is_empty() {
            return Ok(exit);
        }
        if !self.json {
            let gap = if games.len() > 1 { "\n" } else { "" };
            let lines = players.iter().enumerate().map(|(index, &(name, accuracy))| (index + 1, name, accuracy));
            print(gap.to_owned() + &report::accuracy(lines))?;
        } else if games.len() > 1 {
            print(report::accuracy_json(players))?;
        }
        Ok(exit)
    }
}

/// Who gave away least a move comes first; then who blundered least.
fn by_loss(one: Accuracy, other: Accuracy) -> Ordering {
    let key = |accuracy: Accuracy| {
        let all = accuracy.all();
        (all.average_loss().unwrap_or(f64::INFINITY), -all.winner_kept().unwrap_or_default())
    };
    let (one, other) = (key(one), key(other));
    one.0.total_cmp(&other.0).then(one.1.total_cmp(&other.1))
}

/// Where the copies of these logs go.
fn copies(dir: &Path, logs: &[LogFile]) -> Result<Vec<PathBuf>, Failure> {
    std::fs::create_dir_all(dir).with_context(|| format!("cannot make `{}`", dir.shown()))?;
    let mut copies: Vec<PathBuf> = Vec::new();
    for log in logs.iter().map(LogFile::path) {
        let shown = log.shown();
        let name = log.file_name().filter(|_| log != Path::new("-"));
        let name = name.ok_or_else(|| Failure::usage(anyhow!("a copy of `{shown}` has no name: analyze a file")))?;
        let copy = dir.join(name);
        if same_file(&copy, log) {
            return Err(Failure::usage(anyhow!("`{shown}` would be written over: name another directory")));
        }
        copies.push(copy);
    }
    let mut names = BTreeSet::new();
    if let Some(twice) = copies.iter().find(|&copy| !names.insert(copy)) {
        return Err(Failure::usage(anyhow!("two logs would be written to `{}`", twice.shown())));
    }
    Ok(copies)
}

fn same_file(one: &Path, other: &Path) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}
