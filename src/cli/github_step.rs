//! The summary of a step of GitHub Actions.

use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::path::Path;

use anyhow::Context as _;

use super::warn;
use crate::base::sanitise::Shown as _;

/// The variable that names the file for the summary of a step, and the maximum number of bytes that the arena writes to
/// that file. GitHub drops a summary of more than 1 MiB.
const SUMMARY_VARIABLE: &str = "GITHUB_STEP_SUMMARY";
const LARGEST_SUMMARY: usize = 900 * 1024;

/// Appends the result of `summary` to the summary of the step; earlier commands of the same step may have written to
/// it. `summary` is called with the maximum number of bytes of its result. Outside GitHub Actions, only warns that
/// there is no summary.
pub(super) fn append_step_summary(summary: impl FnOnce(usize) -> String) -> anyhow::Result<()> {
    let Some(file) = std::env::var_os(SUMMARY_VARIABLE).filter(|file| !file.is_empty()) else {
        warn(format_args!("--github: {SUMMARY_VARIABLE} is not set, so no step summary is written"));
        return Ok(());
    };
    let file = Path::new(&file);
    append(file, summary).with_context(|| format!("could not write the step summary to `{}`", file.shown()))
}

fn append(file: &Path, summary: impl FnOnce(usize) -> String) -> io::Result<()> {
    let mut file = OpenOptions::new().create(true).append(true).open(file)?;
    let earlier = usize::try_from(file.metadata()?.len()).unwrap_or(usize::MAX);
    file.write_all(summary(LARGEST_SUMMARY.saturating_sub(earlier)).as_bytes())
}
