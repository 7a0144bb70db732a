//! `gothello-arena bench list`, `promote` and `why`: what the bench has stored.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use crate::base::console;
use crate::base::exit::with_causes;
use crate::bench::bench_error::BenchError;
use crate::bench::bench_report::{ListedVersion, list_json, list_text, why_json, why_text};
use crate::bench::bench_store::BenchStore;
use crate::bench::decision::compared_with;
use crate::bench::lost_games::{WhyWish, why_lost};
use crate::cli::analysis_watch::AnalysisWatch;
use crate::cli::colour::style_for;
use crate::cli::{CommandResult, Exit, note, pager, print, settings, warn};
use crate::game::Ruleset;
use crate::run::cached_analyst::{AnalysisMeans, BudgetUnit};

/// The options of all commands.
#[derive(Debug, clap::Args)]
struct KeptArgs {
    /// The bot's directory, where .bench is kept
    #[arg(long, value_name = "DIR", default_value = ".", hide_default_value = true)]
    dir: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// List the versions with their verdicts and results
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  gothello-arena bench list")]
pub(super) struct ListArgs {
    #[command(flatten)]
    kept: KeptArgs,
}

/// Make a version the one to beat
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  gothello-arena bench promote")]
pub(super) struct PromoteArgs {
    /// Version, or its first digits [default: the one saved last]
    version: Option<String>,
    #[command(flatten)]
    kept: KeptArgs,
}

/// Show the costliest moves, and what the version to beat played
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  gothello-arena bench why --budget 30s")]
pub(super) struct WhyArgs {
    /// Version, or its first digits [default: the one saved last]
    version: Option<String>,
    /// Compare with VERSION [default: the one to beat, or the last ready one before it]
    #[arg(long, value_name = "VERSION")]
    before: Option<String>,
    /// The rules of the games [default: those of the last check]
    #[arg(long, value_name = "RULES", value_parser = super::rules)]
    ruleset: Option<Ruleset>,
    /// Analyze at most N lost games of each version
    #[arg(long, value_name = "N", default_value = "10", value_parser = crate::cli::at_least_one::<NonZeroUsize>)]
    games: NonZeroUsize,
    /// Show at most N moves
    #[arg(long, value_name = "N", default_value = "3", value_parser = crate::cli::at_least_one::<NonZeroUsize>)]
    moves: NonZeroUsize,
    /// Spend up to TIME on each game
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = crate::cli::duration)]
    budget: Duration,
    /// Use N threads [default: 2, or 1 if there is one core]
    #[arg(long, short = 'j', value_name = "N", value_parser = crate::cli::threads)]
    threads: Option<NonZeroUsize>,
    #[command(flatten)]
    kept: KeptArgs,
}

impl ListArgs {
    pub(super) fn run(self) -> CommandResult {
        let KeptArgs { dir, json } = self.kept;
        let store = BenchStore::existing(&dir)?;
        let mut versions = Vec::new();
        for version in store.versions()? {
            let results = store.results(&version.id, |error| warn(with_causes(&error)));
            versions.push(ListedVersion { version, results });
        }
        let promoted = store.promoted();
        if json {
            print(list_json(&versions, promoted.as_deref()))?;
        } else {
            pager::show(&list_text(&versions, promoted.as_deref()))?;
        }
        Ok(Exit::Success)
    }
}

impl PromoteArgs {
    pub(super) fn run(self) -> CommandResult {
        let KeptArgs { dir, json } = self.kept;
        let store = BenchStore::existing(&dir)?;
        let version = store.version(self.version.as_deref())?;
        store.promote(&version)?;
        let id = version.id.clone();
        if json {
            let results = store.results(&id, |error| warn(with_causes(&error)));
            print(list_json(&[ListedVersion { version, results }], Some(&id)))?;
        } else {
            print(format!("version {id} is the one to beat\n"))?;
        }
        Ok(Exit::Success)
    }
}

impl WhyArgs {
    pub(super) fn run(self) -> CommandResult {
        let Self { version, before, ruleset, games, moves, budget, threads, kept: KeptArgs { dir, json } } = self;
        let store = BenchStore::existing(&dir)?;
        let version = store.version(version.as_deref())?;
        let earlier = match before {
            Some(before) => {
                let id = store.version(Some(&before))?.id;
                if id == version.id {
                    return Err(BenchError::SameVersion { id }.into());
                }
                Some(id)
            }
            None => compared_with(&version, store.promoted().as_deref(), &store.versions()?).map(str::to_owned),
        };
        let means = AnalysisMeans {
            budget: Some(budget),
            threads: settings::threads(threads),
            mebibytes: None,
            unit: BudgetUnit::Time,
        };
        let watch = AnalysisWatch::new()?;
        let wish = WhyWish { ruleset, games: games.get(), moves: moves.get(), means };
        let why = why_lost(&store, &version, earlier.as_deref(), (wish, watch.stop(), AnalysisWatch::tell))?;
        if watch.exit() != Exit::Success {
            note("interrupted: only the moves solved so far are judged");
        }
        if json {
            print(why_json(&why))?;
        } else {
            let style = style_for(&console::stream());
            pager::show(&why_text(&why, style))?;
        }
        Ok(watch.exit())
    }
}
