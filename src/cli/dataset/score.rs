//! `gothello-arena dataset score`.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow};

use crate::base::sanitise::Shown as _;
use crate::cli::{CommandResult, Exit, Failure, print};
use crate::dataset::score::{ScoreFileError, score};

/// Compare predictions with the values in a data set
#[derive(Debug, clap::Args)]
#[command(after_help = "\
PREDICTIONS has the columns `id,value`, with the margin for the side to move, or
`id,move`. A value between -0.5 and 0.5 predicts a draw.
Example:
  gothello-arena dataset score out.csv predictions.csv")]
pub(super) struct Args {
    /// Data set, as CSV
    #[arg(value_name = "OUT.csv")]
    dataset: PathBuf,
    /// Predictions, as CSV
    #[arg(value_name = "PREDICTIONS.csv")]
    predictions: PathBuf,
}

impl Args {
    pub(super) fn run(&self) -> CommandResult {
        let [dataset, predictions] = [read(&self.dataset)?, read(&self.predictions)?];
        let found = score(&dataset, &predictions).map_err(|error| {
            let file = match error {
                ScoreFileError::Dataset(_) => &self.dataset,
                ScoreFileError::Predictions(_) => &self.predictions,
            };
            Failure::usage(anyhow!("{}:{error}", file.shown()))
        })?;
        print(found.text())?;
        Ok(Exit::Success)
    }
}

fn read(file: &Path) -> Result<Vec<u8>, Failure> {
    fs::read(file).with_context(|| format!("cannot read `{}`", file.shown())).map_err(Failure::usage)
}
