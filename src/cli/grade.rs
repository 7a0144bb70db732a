//! `gothello-arena grade`: the grades of a class according to a rubric.

mod class_evidence;

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::anyhow;

use super::analysis_watch::AnalysisWatch;
use super::github_step::append_step_summary;
use super::{CommandResult, Exit, Failure, note, note_of, print, warn};
use crate::base::console;
use crate::base::machine;
use crate::base::time::Instant;
use crate::course::assignment::{Assignment, AssignmentFiles, GatheringOptions, HOW_TO_GET_A_RUBRIC, read_rubric};
use crate::course::autograder::{Autograder, GradingSteps, Submitted};
use crate::course::evidence::{ClassPlan, WantedAnalyses, forecast};
use crate::course::grade_files::{ClassFiles, NamedWorksheet};
use crate::course::grades::{Gradebook, MarkState, StudentEvidence, audit_json, class_text, grade, student_text};
use crate::course::handout::github::{annotations, step_summary};
use crate::course::handout::worksheet::{ColumnNumbers, GradeFit};
use crate::course::roster::ClassRoll;
use crate::course::rubric::{ItemRule, Rubric};
use crate::tournament::Isolation;

/// Grade a class's bots by a rubric
#[derive(Debug, clap::Args)]
#[command(
    help_template = super::HELP,
    override_usage = "gothello-arena grade CLASS --rubric RUBRIC [OPTIONS]",
    after_help = "Exit codes: 3 not all points (--item), 5 mark incomplete; docs/teach/grading.md.
Example:
  gothello-arena grade class/class.toml --rubric rubric.toml"
)]
#[expect(clippy::struct_excessive_bools, reason = "each is a separate option")]
pub(super) struct Args {
    /// Tournament file with a player for each student
    #[arg(value_name = "CLASS")]
    class: PathBuf,
    /// Rubric file
    #[arg(long, value_name = "FILE")]
    rubric: Option<PathBuf>,
    /// Write grades and evidence to DIR [default: grades]
    #[arg(long, short, value_name = "DIR", default_value = "grades", hide_default_value = true)]
    out: PathBuf,
    /// Grade only this player, with reasons (may be repeated)
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
    /// Grade one item of one player: points and exit code
    #[arg(long, value_name = "ID", conflicts_with = "json")]
    item: Option<String>,
    /// Set this player's evidence aside, and redo it
    #[arg(long, value_name = "NAME", conflicts_with_all = ["dry_run", "gradescope"])]
    redo: Vec<String>,
    /// Say what would be played, and how long it would take
    #[arg(long, conflicts_with_all = ["json", "item"])]
    dry_run: bool,
    /// Print audit.json instead of a table
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    handout: HandoutArgs,
    /// Annotate on GitHub Actions, with a summary
    #[arg(long, conflicts_with = "dry_run")]
    github: bool,
    /// Treat CLASS as /autograder on Gradescope
    #[arg(long, conflicts_with_all = ["out", "redo", "only", "item", "dry_run", "json", "worksheet", "github"])]
    gradescope: bool,
    /// Limit the time of --gradescope to TIME, such as 8m
    #[arg(long, value_name = "TIME", requires = "gradescope", value_parser = super::duration, hide_short_help = true)]
    deadline: Option<Duration>,
    /// Play N games at a time, overriding the file
    #[arg(long, short = 'j', value_name = "N", value_parser = super::at_least_one::<NonZeroUsize>)]
    concurrency: Option<NonZeroUsize>,
    /// Play N scenarios of the check at a time [default: 1]
    #[arg(long, value_name = "N", default_value = "1", hide_default_value = true, value_parser = super::at_least_one::<NonZeroUsize>)]
    jobs: NonZeroUsize,
    /// Confine bots: require, auto or off (overrides file)
    #[arg(long, value_name = "HOW", value_parser = super::word_options::isolation(), hide_possible_values = true)]
    isolation: Option<Isolation>,
}

/// The options of the handout.
#[derive(Debug, clap::Args)]
struct HandoutArgs {
    /// Fill in Moodle's grading worksheet, as moodle.csv
    #[arg(long, value_name = "FILE", conflicts_with_all = ["item", "only"])]
    worksheet: Option<PathBuf>,
    /// The worksheet's columns by number: id=1,grade=7,max=8
    #[arg(long, value_name = "LIST", requires = "worksheet", hide_short_help = true)]
    columns: Option<ColumnNumbers>,
    /// Convert points to the worksheet's highest grade
    #[arg(long, requires = "worksheet", hide_short_help = true)]
    scale: bool,
    /// Cap grades at the worksheet's highest grade
    #[arg(long, requires = "worksheet", hide_short_help = true)]
    cap: bool,
}

impl HandoutArgs {
    /// Reads the worksheet before anything is played; returns `None` without `--worksheet`.
    fn worksheet(&self, rubric: &Rubric, roll: Option<&ClassRoll>) -> Result<Option<NamedWorksheet>, Failure> {
        let Some(file) = &self.worksheet else { return Ok(None) };
        let numbers = self.columns.clone().unwrap_or_default();
        let fit = GradeFit { is_scaled: self.scale, is_capped: self.cap };
        Ok(Some(NamedWorksheet::read(file, (&numbers, fit), rubric, roll, warn)?))
    }
}

impl Args {
    pub(super) fn run(self) -> CommandResult {
        machine::raise_open_files();
        if self.gradescope {
            return self.grade_submission();
        }
        let files = AssignmentFiles {
            class: &self.class,
            rubric: self.rubric()?,
            dir: &self.out,
            only: &self.only,
            item: self.item.as_deref(),
        };
        let assignment = Assignment::read(files, self.options())?;
        let (rubric, roll) = (&assignment.class.rubric, assignment.roll.as_ref());
        let worksheet = self.handout.worksheet(rubric, roll)?;
        if self.dry_run {
            print(forecast(&assignment.class)?)?;
            return Ok(Exit::Success);
        }
        assignment.set_aside(&self.redo)?;
        let Assignment { class, ungraded, roll } = assignment;
        let Some(mut evidence) = class_evidence::gather(&class, None)? else { return Ok(Exit::Incomplete) };
        if self.needs_analyses(&class.rubric) {
            let ended = analyze(&class, &mut evidence)?;
            if ended != Exit::Success {
                return Ok(ended);
            }
        }
        let students = evidence.into_iter().map(|evidence| grade(&class.rubric, evidence)).collect();
        let book = Gradebook { rubric: class.rubric, ruleset: class.tournament.ruleset, students, ungraded };
        self.tell(&book, &ClassFiles { dir: &class.dir, roll: roll.as_ref(), worksheet: worksheet.as_ref() })
    }

    /// The file of the rubric.
    fn rubric(&self) -> Result<&Path, Failure> {
        self.rubric.as_deref().ok_or_else(|| {
            let error = anyhow!("`grade` needs a rubric, which says what earns points: add --rubric rubric.toml");
            Failure::usage(error).with_hint(Some(HOW_TO_GET_A_RUBRIC.to_owned()))
        })
    }

    const fn options(&self) -> GatheringOptions {
        GatheringOptions { isolation: self.isolation, concurrency: self.concurrency, jobs: self.jobs }
    }

    /// Grades the submission that Gradescope passes to its autograder.
    fn grade_submission(&self) -> CommandResult {
        let (rubric, options) = (read_rubric(self.rubric()?)?, self.options());
        let autograder = Autograder { dir: &self.class, rubric, deadline: self.deadline, options, steps: WatchedSteps };
        match autograder.run()? {
            Submitted::Refused(_) => {}
            Submitted::Graded { book, .. } => print(class_text(&book))?,
            Submitted::Ended(exit) => return Ok(exit),
        }
        Ok(Exit::Success)
    }

    /// Prints the grades, and writes the grades of a whole class to files.
    fn tell(&self, book: &Gradebook, class: &ClassFiles<'_>) -> CommandResult {
        if let Some(id) = &self.item {
            if self.github {
                self.annotate(&book.with_item_alone(id))?;
            }
            return tell_item(book, id);
        }
        if self.only.is_empty() {
            class.write_grades(book, note)?;
        }
        if self.github {
            self.annotate(book)?;
        }
        print(match (self.json, self.only.is_empty()) {
            (true, _) => audit_json(book),
            (false, true) => class_text(book),
            (false, false) => book.students.iter().map(|student| student_text(book, student)).collect(),
        })?;
        if self.only.is_empty() {
            class.write_handouts(book, |message| note_of(class.dir, message))?;
        }
        Ok(if book.is_incomplete() { Exit::Incomplete } else { Exit::Success })
    }

    /// Prints the workflow commands for GitHub Actions, and writes the summary of the step. The commands must not be in
    /// the middle of JSON; GitHub also reads them on stderr.
    fn annotate(&self, book: &Gradebook) -> Result<(), Failure> {
        let commands = annotations(book);
        if self.json {
            console::whole_lines(&commands);
        } else {
            print(commands)?;
        }
        Ok(append_step_summary(|most| step_summary(book, most))?)
    }

    /// Whether games have to be analyzed. A single item needs this only if it is about accuracy.
    fn needs_analyses(&self, rubric: &Rubric) -> bool {
        let item = self.item.as_deref().and_then(|id| rubric.item(id));
        item.is_none_or(|item| matches!(item.rule, ItemRule::Accuracy(_)))
    }
}

/// The long steps of grading, with a progress line.
struct WatchedSteps;

impl GradingSteps for WatchedSteps {
    type Error = Failure;

    fn gather(&self, class: &ClassPlan, until: Option<Instant>) -> Result<Option<Vec<StudentEvidence>>, Failure> {
        class_evidence::gather(class, until)
    }

    fn analyze(&self, class: &ClassPlan, evidence: &mut [StudentEvidence]) -> CommandResult {
        analyze(class, evidence)
    }

    fn tell(&self, message: &str) {
        note(message);
    }
}

/// Analyzes the games that the rubric or the feedback needs, and puts the analyses into `evidence`. Returns the exit
/// code after a signal, or success.
fn analyze(class: &ClassPlan, evidence: &mut [StudentEvidence]) -> Result<Exit, Failure> {
    let Some(wanted) = WantedAnalyses::of(class, evidence)? else { return Ok(Exit::Success) };
    let watch = AnalysisWatch::new()?;
    let progress = wanted.add_to(evidence, watch.stop(), AnalysisWatch::tell())?;
    Ok(watch.end(progress))
}

/// Prints the points of one student for one item.
fn tell_item(book: &Gradebook, id: &str) -> CommandResult {
    let place = book.rubric.items.iter().position(|item| item.id == id);
    let marked = place.and_then(|place| Some((&book.rubric.items[place], book.students.first()?.marks.get(place)?)));
    let Some((item, mark)) = marked else { return Ok(Exit::Incomplete) };
    let Some(points) = mark.points else {
        print(format!("points -/{}\n{}\n", item.points, mark.sentence))?;
        let is_manual = mark.state == MarkState::Manual;
        return Ok(if is_manual { Exit::Success } else { Exit::Incomplete });
    };
    print(format!("points {points}/{}\n{}\n", item.points, mark.sentence))?;
    Ok(if points == item.points { Exit::Success } else { Exit::DoesNotHold })
}
