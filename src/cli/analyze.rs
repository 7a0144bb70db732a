//! `gothello-arena analyze`.

use std::collections::BTreeMap;
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use anyhow::{Context as _, anyhow};
use serde::Serialize;

use super::replay::{logs_of, read};
use super::{CommandResult, Exit, Failure, HELP, print};
use crate::analysis::{Accuracy, Analysis, MARGIN_FROM, Mark, Tally, Value};
use crate::files;
use crate::record::{GameRecord, check};
use crate::replay::printable;
use crate::report::analysis as report;
use crate::rules::gothello::Game;
use crate::rules::{BySide, Side};
use crate::solver::Table;
use crate::team::solve_together;
use crate::time::{Instant, now};

/// Judge every move of games by exact values
#[derive(Debug, clap::Args)]
#[command(help_template = HELP, after_help = "Positions are solved from the end of a game backwards until the budget is used
up; what was not solved stays unmarked. Exit code 3: a log does not hold.
Example:
  gothello-arena analyze results/class/games/r1-greedy-random.log")]
pub(super) struct Args {
    /// Game logs, `-` for stdin, or directories of them
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// The time to spend on each game
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = super::duration)]
    budget: Duration,
    /// One JSON object a game
    #[arg(long)]
    json: bool,
    /// Write copies of the logs with comments into this directory
    #[arg(long, value_name = "DIR")]
    annotate: Option<PathBuf>,
    /// [default: 2, or as many as there are cores]
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
    /// Of the table of positions
    #[arg(long, value_name = "MIB", default_value = "256")]
    memory: NonZeroU32,
}

impl Args {
    pub(super) fn run(self) -> CommandResult {
        let mut logs = Vec::new();
        for file in &self.files {
            logs.extend(logs_of(file).map_err(Failure::usage)?);
        }
        if let Some(dir) = &self.annotate {
            std::fs::create_dir_all(dir).with_context(|| format!("cannot make `{}`", dir.display()))?;
        }
        let mut analyst = Analyst::new(self.threads, self.memory, self.budget)?;
        let mut players: BTreeMap<String, Accuracy> = BTreeMap::new();
        for log in &logs {
            let record = whole(log)?;
            let analysis = analyst.analyze(&record);
            for side in Side::BOTH {
                let accuracy = players.entry(record.players[side].clone()).or_default();
                *accuracy = accuracy.plus(Accuracy::of(&analysis, side));
            }
            if self.json {
                print(serde_json::to_string(&GameJson::new(log, &record, &analysis))? + "\n")?;
            } else if logs.len() == 1 {
                print(report::game(&record, &analysis) + "\n")?;
            }
            if let Some(dir) = &self.annotate {
                let name = log.file_name().ok_or_else(|| anyhow!("`{}` has no name to write to", log.display()))?;
                let path = dir.join(name);
                if same_file(&path, log) {
                    let error = anyhow!("`{}` would be written over: name another directory", log.display());
                    return Err(Failure::usage(error));
                }
                files::write_whole(&path, analysis.annotate(record).to_string().as_bytes())
                    .with_context(|| format!("cannot write `{}`", path.display()))?;
            }
        }
        if !self.json {
            let rows = players.iter().map(|(name, accuracy)| (name.as_str(), *accuracy));
            print(report::accuracy(rows, false))?;
        }
        Ok(Exit::Success)
    }
}

fn same_file(one: &Path, other: &Path) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

/// The record of a log that holds.
fn whole(log: &Path) -> Result<GameRecord, Failure> {
    let refuse = |error: String| Failure { exit: Exit::DoesNotHold, error: anyhow!("{}", printable(&error)) };
    let bytes = read(log).map_err(Failure::usage)?;
    let record = GameRecord::from_bytes(&bytes).map_err(|error| refuse(format!("{}:{error}", log.display())))?;
    check(&record).map_err(|error| refuse(format!("{}: {error}", log.display())))?;
    Ok(record)
}

/// Analyzes games one after the other, all with one table.
pub(super) struct Analyst {
    threads: NonZeroUsize,
    table: Table,
    budget: Duration,
}

/// How often it is looked whether the budget is used up.
const LOOK: Duration = Duration::from_millis(20);

impl Analyst {
    pub(super) fn new(threads: Option<NonZeroUsize>, memory: NonZeroU32, budget: Duration) -> anyhow::Result<Self> {
        let cores = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        let threads = threads.unwrap_or_else(|| cores.min(NonZeroUsize::MIN.saturating_add(1)));
        let bytes = usize::try_from(u64::from(memory.get()) << 20)?;
        Ok(Self { threads, table: Table::with_bytes(bytes), budget })
    }

    pub(super) fn analyze(&mut self, record: &GameRecord) -> Analysis {
        let deadline = now() + self.budget;
        Analysis::of(record, |game| self.value(game, deadline))
    }

    fn value(&self, game: &Game, deadline: Instant) -> Option<Value> {
        let stop = AtomicBool::new(now() >= deadline);
        let tick = |_| {
            if now() >= deadline {
                stop.store(true, Relaxed);
            }
        };
        if game.board().empty().count_ones() <= MARGIN_FROM {
            let ask = |solver: &mut crate::solver::Solver<'_>| solver.margin(game);
            let answer = solve_together(self.threads, &self.table, &stop, LOOK, tick, ask);
            answer.found.ok().map(Value::of_margin)
        } else {
            let ask = |solver: &mut crate::solver::Solver<'_>| solver.winner(game);
            let answer = solve_together(self.threads, &self.table, &stop, LOOK, tick, ask);
            answer.found.ok().map(|winner| Value { winner, margin: None })
        }
    }
}

/// One game as JSON.
#[derive(Serialize)]
struct GameJson<'a> {
    file: String,
    game: Option<&'a str>,
    black: &'a str,
    white: &'a str,
    result: String,
    moves: Vec<MoveJson>,
    decisive: Option<usize>,
    accuracy: BySide<AccuracyJson>,
}

#[derive(Serialize)]
struct MoveJson {
    ply: usize,
    side: Side,
    #[serde(rename = "move")]
    played: String,
    empty: u32,
    opening: bool,
    before: Option<ValueJson>,
    after: Option<ValueJson>,
    mark: Option<Mark>,
    lost: Option<u32>,
}

#[derive(Serialize)]
struct ValueJson {
    winner: &'static str,
    margin: Option<i32>,
}

impl From<Value> for ValueJson {
    fn from(value: Value) -> Self {
        Self { winner: value.winner.map_or("draw", Side::name), margin: value.margin }
    }
}

#[derive(Serialize)]
pub(super) struct AccuracyJson {
    kept_share: Option<f64>,
    average_loss: Option<f64>,
    #[serde(flatten)]
    all: Tally,
    phases: Accuracy,
}

impl From<Accuracy> for AccuracyJson {
    fn from(accuracy: Accuracy) -> Self {
        let all = accuracy.all();
        Self { kept_share: all.kept_share(), average_loss: all.average_loss(), all, phases: accuracy }
    }
}

impl<'a> GameJson<'a> {
    fn new(file: &Path, record: &'a GameRecord, analysis: &Analysis) -> Self {
        let moves = analysis.moves.iter().enumerate().map(|(index, judged)| MoveJson {
            ply: index + 1,
            side: judged.side,
            played: judged.played.to_string(),
            empty: judged.empty,
            opening: judged.given,
            before: judged.before.map(ValueJson::from),
            after: judged.after.map(ValueJson::from),
            mark: judged.mark(),
            lost: judged.lost(),
        });
        Self {
            file: file.display().to_string(),
            game: record.game.as_deref(),
            black: &record.players.black,
            white: &record.players.white,
            result: record.result_token().to_owned(),
            moves: moves.collect(),
            decisive: analysis.decisive().map(|index| index + 1),
            accuracy: BySide::from_fn(|side| Accuracy::of(analysis, side).into()),
        }
    }
}
