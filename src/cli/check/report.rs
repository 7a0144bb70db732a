//! The output of `gothello-arena check --bots`.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use super::super::colour::style_for;
use super::super::github_step::append_step_summary;
use super::super::{CommandResult, Exit, Failure, UNPRINTED};
use crate::base::console;
use crate::base::files::temporary_in;
use crate::base::sanitise::{Shown as _, sanitised};
use crate::drill::playing::{write_new, write_transcripts};
use crate::drill::readiness::Readiness;
use crate::drill::report::{ReadinessFormat, annotations, readiness as render, step_summary};
use crate::results::replay::Style;

/// How the outcome of a drill is reported.
#[derive(Debug, clap::Args)]
pub(super) struct ReportArgs {
    /// Report as text, tap, junit or json
    #[arg(
        long,
        value_parser = super::super::word_options::readiness_format(),
        default_value_t,
        hide_possible_values = true,
        hide_default_value = true,
        requires = "tried"
    )]
    format: ReadinessFormat,
    /// The same as `--format json`
    #[arg(long, requires = "tried", conflicts_with = "format", hide_short_help = true)]
    json: bool,
    /// Write the report to FILE, and text to stdout
    #[arg(long, short, value_name = "FILE", requires = "tried")]
    output: Option<PathBuf>,
    /// Write the transcript of every trial to DIR
    #[arg(long, value_name = "DIR", requires = "tried")]
    transcripts: Option<PathBuf>,
    /// Also exit with code 3 on a warning
    #[arg(long, requires = "tried")]
    strict: bool,
    /// Annotate the change on GitHub Actions
    #[arg(long, requires = "tried")]
    github: bool,
}

impl ReportArgs {
    /// Checks, before any game is played, that all files requested by the options can be written.
    ///
    /// # Errors
    /// Returns a usage error that names the option if one of the files cannot be written.
    pub(super) fn test(&self, default_dir: &Path) -> Result<(), Failure> {
        let room_in = |dir: &Path| fs::create_dir_all(dir).and_then(|()| temporary_in(dir).map(drop));
        let fails = |option: &str, path: &Path, result: io::Result<()>| {
            result.with_context(|| format!("{option}: cannot write to `{}`", path.shown())).map_err(Failure::usage)
        };
        if let Some(file) = &self.output {
            let dir = file.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
            fails("--output", file, room_in(dir))?;
        }
        match &self.transcripts {
            Some(dir) => fails("--transcripts", dir, room_in(dir)),
            None => fails("--transcripts", default_dir, room_in(default_dir)),
        }
    }

    /// Writes and prints everything that the options request. Without `--transcripts`, the transcripts of failed trials
    /// go to `default_dir`.
    pub(super) fn tell(&self, mut readiness: Readiness, default_dir: &Path) -> CommandResult {
        let dir = self.transcripts.as_deref().unwrap_or(default_dir);
        let mut written = Ok(());
        for player in &mut readiness.players {
            written = written.and(write_transcripts(dir, player, self.transcripts.is_some()));
        }
        self.print(&readiness)?;
        written.with_context(|| format!("could not write the transcripts to `{}`", dir.shown()))?;
        if let Some(file) = &self.output {
            let report = render(&readiness, self.format(), self.strict, Style::PLAIN);
            write_new(file, &report).with_context(|| format!("could not write `{}`", file.shown()))?;
        }
        if self.github {
            self.annotate(&readiness)?;
        }
        Ok(match readiness.holds(self.strict) {
            false => Exit::DoesNotHold,
            true if readiness.is_spoiled() => Exit::Incomplete,
            true => Exit::Success,
        })
    }

    /// The format of stdout.
    fn printed_format(&self) -> ReadinessFormat {
        if self.output.is_some() { ReadinessFormat::Text } else { self.format() }
    }

    /// The format of the report.
    const fn format(&self) -> ReadinessFormat {
        if self.json { ReadinessFormat::Json } else { self.format }
    }

    fn print(&self, readiness: &Readiness) -> Result<(), Failure> {
        let print = |out: &mut io::StdoutLock<'static>| {
            let format = self.printed_format();
            let report = render(readiness, format, self.strict, style_for(out));
            let report = if format == ReadinessFormat::Text { with_links(report, readiness) } else { report };
            out.write_all(report.as_bytes())
        };
        Ok(console::data_with((), print).context(UNPRINTED)?)
    }

    /// Prints the workflow commands and writes the summary. The commands must not be in the middle of a report for a
    /// program; GitHub also reads them on stderr.
    fn annotate(&self, readiness: &Readiness) -> Result<(), Failure> {
        let commands = annotations(readiness);
        match self.printed_format() {
            ReadinessFormat::Text => console::data(commands).context(UNPRINTED)?,
            ReadinessFormat::Tap | ReadinessFormat::Junit | ReadinessFormat::Json => {
                console::whole_lines(&commands);
            }
        }
        Ok(append_step_summary(|most| step_summary(readiness, most))?)
    }
}

/// `report`, the text about `readiness`, with the paths of transcripts as links if stdout shows links.
fn with_links(mut report: String, readiness: &Readiness) -> String {
    let trials = readiness.players.iter().flat_map(|player| &player.trials);
    for file in trials.filter_map(|trial| trial.transcript_file.as_deref()) {
        let [before, after] = ["Transcript: ", "\n"];
        let label = sanitised(file);
        let linked = console::path_as(&label, Path::new(file));
        report = report.replacen(&[before, &label, after].concat(), &[before, &linked, after].concat(), 1);
    }
    report
}
