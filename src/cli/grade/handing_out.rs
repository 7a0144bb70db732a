//! Writes what a course gets back.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow};

use crate::base::files::write_whole;
use crate::base::sanitise::{Shown as _, beneath, sanitised};
use crate::cli::{Failure, note};
use crate::course::grades::Gradebook;
use crate::course::handout::class_index::class_index;
use crate::course::handout::feedback::FeedbackPage;
use crate::course::handout::feedback_zip::{SubmissionFeedback, feedback_zip};
use crate::course::handout::gradescope;
use crate::course::handout::missing_page::MissingPage;
use crate::course::handout::moodle;
use crate::course::handout::worksheet::{ColumnNumbers, GradeFit, Worksheet, WorksheetProblem};
use crate::course::roster::{ClassRoll, Roster, RosterEntry};
use crate::course::rubric::Rubric;

/// The largest worksheet to be read.
const LARGEST: u64 = 64 << 20;

/// What is handed out, and in which form.
#[derive(Debug, clap::Args)]
pub(super) struct HandoutArgs {
    /// Fill in Moodle's grading worksheet, as moodle.csv
    #[arg(long, value_name = "FILE", conflicts_with_all = ["item", "only"])]
    worksheet: Option<PathBuf>,
    /// The worksheet's columns by number: id=1,grade=7,max=8
    #[arg(long, value_name = "LIST", requires = "worksheet", hide = true)]
    columns: Option<ColumnNumbers>,
    /// Convert points to the worksheet's highest grade
    #[arg(long, requires = "worksheet", hide = true)]
    scale: bool,
    /// Cut grades above the worksheet's highest grade
    #[arg(long, requires = "worksheet", hide = true)]
    cap: bool,
}

impl HandoutArgs {
    /// Reads the worksheet, before anything is played for it. `None` without the option.
    ///
    /// # Errors
    /// A usage error if the worksheet is wrong, if its highest grade is not the total of `rubric`, if nobody of the roll has a row, or
    /// if there is no roll.
    pub(super) fn worksheet(&self, rubric: &Rubric, roll: Option<&ClassRoll>) -> Result<Option<Worksheet>, Failure> {
        let Some(file) = &self.worksheet else { return Ok(None) };
        let wrong = |problems: Vec<_>| {
            let listed = beneath(problems.into_iter().map(|problem| format!("{problem}")));
            Failure::usage(anyhow!("--worksheet: `{}`:{listed}", file.shown()))
        };
        let Some(roll) = roll else {
            return Err(Failure::usage(anyhow!(
                "--worksheet: there is no import.json beside the tournament file, so rows cannot be assigned to students; create the \
                 class with `gothello-arena import`"
            )));
        };
        let read = || -> anyhow::Result<Vec<u8>> {
            let size = fs::metadata(file)?.len();
            anyhow::ensure!(size <= LARGEST, "it has {size} bytes; a worksheet has at most {LARGEST}");
            Ok(fs::read(file)?)
        };
        let bytes = read().with_context(|| format!("--worksheet: cannot read `{}`", file.shown()));
        let numbers = self.columns.clone().unwrap_or_default();
        let sheet = Worksheet::read(&bytes.map_err(Failure::usage)?, &numbers).map_err(wrong)?;
        let totals = moodle::totals(rubric, self.fit());
        let checks = [sheet.check_totals(totals), moodle::check_class(&sheet, &roll.roster)];
        let problems: Vec<WorksheetProblem> = checks.into_iter().filter_map(Result::err).collect();
        if !problems.is_empty() {
            return Err(wrong(problems));
        }
        if let Some(maximum) = sheet.surpassable(totals) {
            note(format_args!(
                "--worksheet: bonus points can bring a grade above the highest grade of {maximum}; Moodle skips such a row, so \
                 it is not changed unless you give --cap, which limits the grade"
            ));
        }
        Ok(Some(sheet))
    }

    const fn fit(&self) -> GradeFit {
        GradeFit { is_scaled: self.scale, is_capped: self.cap }
    }

    /// Writes to `dir` what the class and its course get: pages of feedback, files for Moodle and Gradescope, and the teacher's
    /// page. Files of an earlier grading that would no longer be true are removed.
    ///
    /// # Errors
    /// Fails if a file cannot be written, or if the grades do not fit the worksheet; the other files are written nevertheless.
    pub(super) fn write(&self, book: &Gradebook, class: &ClassFiles<'_>) -> Result<(), Failure> {
        let dir = class.dir;
        let mut pages = Vec::with_capacity(book.students.len());
        for student in &book.students {
            let page = FeedbackPage::of(book, student);
            let html = page.html();
            write(&dir.join("feedback").join(format!("{}.html", student.slug)), html.as_bytes())?;
            write(&dir.join("feedback").join(format!("{}.md", student.slug)), page.markdown().as_bytes())?;
            let results = gradescope::results(book, student, None);
            write(&dir.join("gradescope").join(&student.slug).join("results.json"), results.as_bytes())?;
            pages.push(html);
        }
        write(&dir.join("index.html"), class_index(book, class.roll).as_bytes())?;
        let Some(roll) = class.roll else {
            replace(&dir.join("feedback.zip"), None)?;
            replace(&dir.join("moodle.csv"), None)?;
            tell_written(dir, &[]);
            return Ok(());
        };
        tell_strangers(roll);
        let of_missing = missing_pages(book, roll);
        for MissingPages { slug, html, markdown, .. } in &of_missing {
            write(&dir.join("feedback").join(format!("{slug}.html")), html.as_bytes())?;
            write(&dir.join("feedback").join(format!("{slug}.md")), markdown.as_bytes())?;
        }
        // A stranger has no folder in Moodle, which the note about strangers says.
        let entries = book.students.iter().zip(&pages).filter_map(|(student, page)| {
            let entry = roll.roster.of_player(&student.player)?;
            Some(SubmissionFeedback { entry, page })
        });
        let missing = of_missing.iter().map(|pages| SubmissionFeedback { entry: pages.entry, page: &pages.html });
        let entries: Vec<SubmissionFeedback<'_>> = entries.chain(missing).collect();
        let zip = feedback_zip(&entries, class.worksheet).map_err(anyhow::Error::from)?;
        for warning in &zip.warnings {
            note(warning);
        }
        replace(&dir.join("feedback.zip"), zip.bytes.as_deref())?;
        let filled = self.write_moodle(book, &roll.roster, class);
        let files = [("feedback.zip", zip.bytes.is_some()), ("moodle.csv", filled.is_ok())];
        let written = files.into_iter().filter(|(_, is_written)| *is_written);
        tell_written(dir, &written.map(|(name, _)| name).collect::<Vec<_>>());
        filled
    }

    /// Writes moodle.csv: the worksheet, or a plain table without one.
    fn write_moodle(&self, book: &Gradebook, roster: &Roster, class: &ClassFiles<'_>) -> Result<(), Failure> {
        let file = class.dir.join("moodle.csv");
        let Some(sheet) = class.worksheet else {
            note(
                "moodle.csv is a plain table, which Moodle does not take; give the grading worksheet with --worksheet",
            );
            return replace(&file, Some(moodle::plain_grades(book, roster).as_bytes()));
        };
        match moodle::filled(sheet, book, roster, self.fit()) {
            Ok((filled, warnings)) => {
                for warning in &warnings {
                    note(warning);
                }
                for warning in &filled.warnings {
                    note(warning);
                }
                replace(&file, Some(&filled.bytes))
            }
            Err(problems) => {
                replace(&file, None)?;
                let worksheet = self.worksheet.as_deref().unwrap_or(Path::new("")).shown();
                Err(Failure::usage(anyhow!("moodle.csv is not written: `{worksheet}`:{}", beneath(problems))))
            }
        }
    }
}

/// Where the files of a class go, and what they are made of besides the gradebook.
pub(super) struct ClassFiles<'c> {
    pub(super) dir: &'c Path,
    pub(super) roll: Option<&'c ClassRoll>,
    pub(super) worksheet: Option<&'c Worksheet>,
}

/// The pages for a student without a player.
struct MissingPages<'r> {
    entry: &'r RosterEntry,
    slug: &'r str,
    html: String,
    markdown: String,
}

/// The pages for all who have handed something in and have no player.
fn missing_pages<'r>(book: &Gradebook, roll: &'r ClassRoll) -> Vec<MissingPages<'r>> {
    let pages = roll.missing.iter().filter_map(|student| {
        let entry = student.entry()?;
        let page = MissingPage { rubric: &book.rubric, student };
        Some(MissingPages { entry, slug: &entry.slug, html: page.html(), markdown: page.markdown() })
    });
    // The files of somebody who is graded are not to be lost, if the teacher has given a player the name of a former one.
    let is_free = |pages: &MissingPages<'_>| book.students.iter().all(|student| student.slug != pages.slug);
    pages.filter(is_free).collect()
}

/// Says what is in `dir` now: what every class gets, and the files for Moodle.
fn tell_written(dir: &Path, for_moodle: &[&str]) {
    let files = [&["index.html", "grades.csv", "audit.json", "feedback/", "gradescope/"], for_moodle].concat();
    note(format_args!("wrote `{}`: {}", dir.shown(), files.join(", ")));
}

/// Names the players of whom nobody knows whose they are.
fn tell_strangers(roll: &ClassRoll) {
    if !roll.strangers.is_empty() {
        let names: Vec<String> = roll.strangers.iter().map(|name| format!("`{}`", sanitised(name))).collect();
        note(format_args!(
            "not in import.json, neither by name nor by `dir = \"bots/...\"`, so their grades and feedback are not in the \
             files for Moodle: {}",
            names.join(", ")
        ));
    }
}

/// Writes `file` as a whole, with the directories above it.
fn write(file: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let written = file.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| write_whole(file, bytes));
    Ok(written.with_context(|| format!("could not write `{}`", file.shown()))?)
}

/// Writes `file`, or removes what an earlier grading has left there.
fn replace(file: &Path, bytes: Option<&[u8]>) -> Result<(), Failure> {
    if let Some(bytes) = bytes {
        return write(file, bytes);
    }
    match fs::remove_file(file) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(anyhow::Error::new(error).context(format!("could not remove `{}`", file.shown())).into())
        }
        _ => Ok(()),
    }
}
