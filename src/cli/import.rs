//! `gothello-arena import`.

use std::path::PathBuf;

use super::progress::watch_work;
use super::starters::Starter;
use super::word_options::word;
use super::{CommandResult, Exit, HELP, at_least_one, linking, note, print, side_control};
use crate::course::unpacking::{ClassImport, ImportOutcome, LayoutWish, SubmissionBounds};
use crate::referee::time_control::SideControl;
use crate::tournament::file::size;

/// Turn a course's submissions into a class tournament
#[derive(Debug, clap::Args)]
#[command(help_template = HELP, after_help = "\
SUBMISSIONS: the download from Moodle, Canvas or Gradescope, unpacked or not; or
a directory or archive for each student. No submission is run. Afterwards, read
DIR/IMPORT.md, correct DIR/class.toml, and check it with `check --bots`.
Example:
  gothello-arena import CS441-Final.zip --worksheet Grades.csv --out class")]
pub(super) struct Args {
    /// The students' submissions
    #[arg(required = true)]
    submissions: Vec<PathBuf>,
    /// Directory of the class
    #[arg(long, short, value_name = "DIR")]
    out: PathBuf,
    /// moodle, canvas, gradescope or plain
    #[arg(long, default_value = "auto", value_parser = word(&LAYOUTS, LayoutWish::name), hide_possible_values = true)]
    layout: LayoutWish,
    /// Moodle's grading worksheet, for names and teams
    #[arg(long, value_name = "CSV")]
    worksheet: Option<PathBuf>,
    /// The course's own files, which are not bots
    #[arg(long, value_name = "DIR")]
    given: Vec<PathBuf>,
    /// Each side's clock [default: 60s]
    #[arg(long, value_parser = side_control)]
    time: Option<SideControl>,
    /// Take each student's newest submission or archive
    #[arg(long)]
    latest: bool,
    /// Import only new and changed files
    #[arg(long)]
    update: bool,
    /// Only say what would be imported
    #[arg(long)]
    dry_run: bool,
    /// Size limit for one submission
    #[arg(long, value_name = "SIZE", default_value = "200 MiB", value_parser = bytes)]
    max_bytes: u64,
    /// Limit on files in one submission
    #[arg(long, value_name = "N", default_value_t = 2000, value_parser = files)]
    max_files: usize,
}

/// The words of `--layout`.
const LAYOUTS: [(LayoutWish, &str); LayoutWish::ALL.len()] = [
    (LayoutWish::Auto, "Recognised by the names"),
    (LayoutWish::Moodle, "Moodle"),
    (LayoutWish::Canvas, "Canvas"),
    (LayoutWish::Gradescope, "Gradescope"),
    (LayoutWish::Plain, "A directory or archive for each student"),
];

fn bytes(text: &str) -> Result<u64, &'static str> {
    size(text).filter(|bytes| *bytes > 0).ok_or("not a size (write \"200 MiB\")")
}

fn files(text: &str) -> Result<usize, &'static str> {
    at_least_one::<std::num::NonZeroUsize>(text).map(std::num::NonZeroUsize::get)
}

impl Args {
    pub(super) fn run(self) -> CommandResult {
        let starters: Vec<&str> = Starter::all().flat_map(Starter::sources).collect();
        let outcome = watch_work(|work| {
            let class = ClassImport {
                submissions: &self.submissions,
                out: &self.out,
                layout: self.layout,
                worksheet: self.worksheet.as_deref(),
                given: &self.given,
                starters: &starters,
                control: self.time,
                latest: self.latest,
                update: self.update,
                dry_run: self.dry_run,
                bounds: SubmissionBounds { bytes: self.max_bytes, files: self.max_files },
                work,
            };
            class.run(note)
        });
        let ImportOutcome { text, staying } = outcome?;
        print(linking(&text, &self.out))?;
        match staying {
            Some(problem) => Err(problem.into()),
            None => Ok(Exit::Success),
        }
    }
}
