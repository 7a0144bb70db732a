//! The files that a grading run writes: grades and evidence, and the files for the course and its students.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::base::exit::{CommandError, ErrorExit, Exit};
use crate::base::facts::with_facts;
use crate::base::files::write_whole;
use crate::base::sanitise::{Shown as _, beneath, sanitised};
use crate::course::grades::{Gradebook, audit_json, grades_csv};
use crate::course::handout::class_index::class_index;
use crate::course::handout::feedback::FeedbackPage;
use crate::course::handout::feedback_zip::{SubmissionFeedback, feedback_zip};
use crate::course::handout::game_links::GameLinks;
use crate::course::handout::gradescope;
use crate::course::handout::missing_page::MissingPage;
use crate::course::handout::moodle;
use crate::course::handout::worksheet::{ColumnNumbers, GradeFit, Worksheet, WorksheetProblem};
use crate::course::handout::zip_file::ZipTooLarge;
use crate::course::roster::{ClassRoll, Roster, RosterEntry};
use crate::course::rubric::Rubric;
use crate::run::campaign::redo_words;

/// The maximum size of a worksheet in bytes.
const LARGEST: u64 = 64 << 20;

with_facts! {
    /// An error that occurs while the files of a grading run are read or written.
    #[derive(Debug, Error)]
    pub(crate) enum GradeFilesError {
        /// Without a roster, rows cannot be assigned to students.
        #[error(
            "--worksheet: there is no import.json beside the tournament file, so rows cannot be assigned to students; create the \
             class with `gothello-arena import`"
        )]
        NoRoster => Exit::Usage.alone();
        /// The worksheet cannot be read.
        #[error("--worksheet: cannot read `{}`", file.shown())]
        UnreadableWorksheet {
            /// The file.
            file: PathBuf,
            /// The error.
            source: io::Error,
        } => Exit::Usage.alone();
        /// The worksheet is wrong, or does not match the class.
        #[error("--worksheet: `{}`:{}", file.shown(), beneath(problems.iter().map(ToString::to_string)))]
        WrongWorksheet {
            /// The file.
            file: PathBuf,
            /// The problems.
            problems: Vec<WorksheetProblem>,
        } => Exit::Usage.alone();
        /// The grades do not match the worksheet.
        #[error("moodle.csv was not written: `{}`:{}", file.shown(), beneath(problems.iter().map(ToString::to_string)))]
        Unfit {
            /// The file of the worksheet.
            file: PathBuf,
            /// The problems.
            problems: Vec<WorksheetProblem>,
        } => Exit::Usage.alone();
        /// The archive of feedback would be too large.
        #[error(transparent)]
        Zip(#[from] error: ZipTooLarge) => Exit::ArenaFailed.alone();
        /// A file cannot be written.
        #[error("could not write `{}`", file.shown())]
        Unwritten {
            /// The file.
            file: PathBuf,
            /// The error.
            source: io::Error,
        } => Exit::ArenaFailed.alone();
        /// A file of an earlier grading run cannot be removed.
        #[error("could not remove `{}`", file.shown())]
        Unremoved {
            /// The file.
            file: PathBuf,
            /// The error.
            source: io::Error,
        } => Exit::ArenaFailed.alone();
    }

    fn exit_and_hint() -> ErrorExit;
}

impl CommandError for GradeFilesError {
    fn error_exit(&self) -> ErrorExit {
        self.exit_and_hint()
    }
}

/// A worksheet to be filled in.
#[derive(Clone, Debug)]
pub(crate) struct NamedWorksheet {
    file: PathBuf,
    sheet: Worksheet,
    fit: GradeFit,
}

impl NamedWorksheet {
    /// Reads the worksheet in `file`, whose columns have `numbers`, before any game is played. `tell` receives
    /// messages for the user.
    ///
    /// # Errors
    /// Fails if the worksheet is wrong, if its highest grade is not the total of `rubric`, if no student of the roll
    /// has a row, or if there is no roll.
    pub(crate) fn read(
        file: &Path,
        (numbers, fit): (&ColumnNumbers, GradeFit),
        rubric: &Rubric,
        roll: Option<&ClassRoll>,
        tell: impl FnOnce(String),
    ) -> Result<Self, GradeFilesError> {
        let wrong = |problems| GradeFilesError::WrongWorksheet { file: file.to_owned(), problems };
        let roll = roll.ok_or(GradeFilesError::NoRoster)?;
        let bytes =
            read(file).map_err(|source| GradeFilesError::UnreadableWorksheet { file: file.to_owned(), source })?;
        let sheet = Worksheet::read(&bytes, numbers).map_err(wrong)?;
        let totals = moodle::totals(rubric, fit);
        let checks = [sheet.check_totals(totals), moodle::check_class(&sheet, &roll.roster)];
        let problems: Vec<WorksheetProblem> = checks.into_iter().filter_map(Result::err).collect();
        if !problems.is_empty() {
            return Err(wrong(problems));
        }
        if let Some(maximum) = sheet.surpassable(totals) {
            tell(format!(
                "--worksheet: bonus points can raise a grade above the maximum of {maximum}; Moodle skips such rows, \
                 so they are left unchanged unless you give --cap, which limits the grade"
            ));
        }
        Ok(Self { file: file.to_owned(), sheet, fit })
    }
}

/// The bytes of the worksheet in `file`.
fn read(file: &Path) -> io::Result<Vec<u8>> {
    let size = fs::metadata(file)?.len();
    if size > LARGEST {
        return Err(io::Error::other(format!("the file has {size} bytes, but a worksheet may have at most {LARGEST}")));
    }
    fs::read(file)
}

/// The destination of a class's files, and the data that the files contain in addition to the gradebook.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClassFiles<'c> {
    /// The directory.
    pub(crate) dir: &'c Path,
    /// The class's roll, if the class was imported.
    pub(crate) roll: Option<&'c ClassRoll>,
    /// The worksheet, if there is one.
    pub(crate) worksheet: Option<&'c NamedWorksheet>,
}

impl ClassFiles<'_> {
    /// Writes the grades of a whole class. `tell` receives messages about bots that could not be started.
    ///
    /// # Errors
    /// Fails if a file cannot be written.
    pub(crate) fn write_grades(&self, book: &Gradebook, mut tell: impl FnMut(String)) -> Result<(), GradeFilesError> {
        for (name, text) in [("grades.csv", grades_csv(book, self.roll)), ("audit.json", audit_json(book))] {
            let file = self.dir.join(name);
            write_whole(&file, text.as_bytes()).map_err(|source| GradeFilesError::Unwritten { file, source })?;
        }
        for student in &book.students {
            let Some(drill) = student.drill.as_ref().filter(|drill| drill.broken.is_some()) else { continue };
            let player = &student.player;
            tell(if drill.timed_out {
                format!(
                    "the build of player `{player}` did not finish within `build_timeout`, so there are no points; \
                     raise that key if the build needs more time (the next grading run builds the bot again)"
                )
            } else {
                let redo = redo_words(std::iter::once(player.as_str()));
                format!(
                    "player `{player}` could not be started; see audit.json and the feedback. It will be tried again \
                     once its files have changed, or if you use `{redo}`"
                )
            });
        }
        Ok(())
    }

    /// Writes the files for the students and the course: pages of feedback, files for Moodle and Gradescope, and the
    /// teacher's page. Outdated files of an earlier grading run are removed. `tell` receives messages for the user.
    ///
    /// # Errors
    /// Fails if a file cannot be written, or if the grades do not match the worksheet; in either case, the other files
    /// are still written.
    pub(crate) fn write_handouts(&self, book: &Gradebook, mut tell: impl FnMut(String)) -> Result<(), GradeFilesError> {
        let dir = self.dir;
        let links = GameLinks::of(&book.students, |file| dir.join(file).is_file());
        let links_of_feedback = links.in_folder();
        let mut pages = Vec::with_capacity(book.students.len());
        for student in &book.students {
            let page = FeedbackPage::of(book, student);
            // A page that is sent to a student would lead nowhere.
            let html = page.html();
            let linked = page.html_with(&links_of_feedback);
            write(&dir.join("feedback").join(format!("{}.html", student.slug)), linked.as_bytes())?;
            write(&dir.join("feedback").join(format!("{}.md", student.slug)), page.markdown().as_bytes())?;
            let results = gradescope::results(book, student, None);
            write(&dir.join("gradescope").join(&student.slug).join("results.json"), results.as_bytes())?;
            pages.push(html);
        }
        write(&dir.join("index.html"), class_index(book, self.roll, &links).as_bytes())?;
        let Some(roll) = self.roll else {
            replace(&dir.join("feedback.zip"), None)?;
            replace(&dir.join("moodle.csv"), None)?;
            tell(written_files(dir, &[]));
            return Ok(());
        };
        strangers(roll).into_iter().for_each(&mut tell);
        let of_missing = missing_pages(book, roll);
        for MissingPages { slug, html, markdown, .. } in &of_missing {
            write(&dir.join("feedback").join(format!("{slug}.html")), html.as_bytes())?;
            write(&dir.join("feedback").join(format!("{slug}.md")), markdown.as_bytes())?;
        }
        // A player without a submission has no folder in Moodle, as the note about strangers says.
        let entries = book.students.iter().zip(&pages).filter_map(|(student, page)| {
            let entry = roll.roster.of_player(&student.player)?;
            Some(SubmissionFeedback { entry, page })
        });
        let missing = of_missing.iter().map(|pages| SubmissionFeedback { entry: pages.entry, page: &pages.html });
        let entries: Vec<SubmissionFeedback<'_>> = entries.chain(missing).collect();
        let zip = feedback_zip(&entries, self.worksheet.map(|worksheet| &worksheet.sheet))?;
        zip.warnings.iter().map(ToString::to_string).for_each(&mut tell);
        replace(&dir.join("feedback.zip"), zip.bytes.as_deref())?;
        let filled = self.write_moodle(book, &roll.roster, &mut tell);
        let files = [("feedback.zip", zip.bytes.is_some()), ("moodle.csv", filled.is_ok())];
        let written = files.into_iter().filter(|(_, is_written)| *is_written);
        tell(written_files(dir, &written.map(|(name, _)| name).collect::<Vec<_>>()));
        filled
    }

    /// Writes moodle.csv: the filled-in worksheet, or a plain table if there is no worksheet.
    fn write_moodle(
        &self,
        book: &Gradebook,
        roster: &Roster,
        tell: &mut impl FnMut(String),
    ) -> Result<(), GradeFilesError> {
        let path = self.dir.join("moodle.csv");
        let Some(NamedWorksheet { file, sheet, fit }) = self.worksheet else {
            tell(
                "moodle.csv is a plain table, which Moodle does not accept; give the grading worksheet with --worksheet"
                    .to_owned(),
            );
            return replace(&path, Some(moodle::plain_grades(book, roster).as_bytes()));
        };
        match moodle::filled(sheet, book, roster, *fit) {
            Ok((filled, warnings)) => {
                warnings.iter().map(ToString::to_string).for_each(&mut *tell);
                filled.warnings.iter().map(ToString::to_string).for_each(tell);
                replace(&path, Some(&filled.bytes))
            }
            Err(problems) => {
                replace(&path, None)?;
                Err(GradeFilesError::Unfit { file: file.clone(), problems })
            }
        }
    }
}

/// The pages for a student without a player.
struct MissingPages<'r> {
    entry: &'r RosterEntry,
    slug: &'r str,
    html: String,
    markdown: String,
}

/// The pages for all students who have handed something in but do not have a player.
fn missing_pages<'r>(book: &Gradebook, roll: &'r ClassRoll) -> Vec<MissingPages<'r>> {
    let pages = roll.missing.iter().filter_map(|student| {
        let entry = student.entry()?;
        let page = MissingPage { rubric: &book.rubric, student };
        Some(MissingPages { entry, slug: &entry.slug, html: page.html(), markdown: page.markdown() })
    });
    // If the teacher has given another player the slug of this submission, the pages of that player must not be
    // overwritten.
    let is_free = |pages: &MissingPages<'_>| book.students.iter().all(|student| student.slug != pages.slug);
    pages.filter(is_free).collect()
}

/// The message about the files that are now in `dir`: the files that every class has, and those for Moodle.
fn written_files(dir: &Path, for_moodle: &[&str]) -> String {
    let files = [&["index.html", "grades.csv", "audit.json", "feedback/", "gradescope/"], for_moodle].concat();
    format!("wrote `{}`: {}", dir.shown(), files.join(", "))
}

/// The message about players that do not belong to any submission, if there are any.
fn strangers(roll: &ClassRoll) -> Option<String> {
    let names: Vec<String> = roll.strangers.iter().map(|name| format!("`{}`", sanitised(name))).collect();
    (!names.is_empty()).then(|| {
        format!(
            "neither the name nor the `dir` of these players is in import.json, so the files for Moodle lack their \
             grades and feedback: {}",
            names.join(", ")
        )
    })
}

/// Writes `file` in one step, after creating the directories above it.
fn write(file: &Path, bytes: &[u8]) -> Result<(), GradeFilesError> {
    let written = file.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| write_whole(file, bytes));
    written.map_err(|source| GradeFilesError::Unwritten { file: file.to_owned(), source })
}

/// Writes `file`, or removes it if there are no `bytes`.
fn replace(file: &Path, bytes: Option<&[u8]>) -> Result<(), GradeFilesError> {
    if let Some(bytes) = bytes {
        return write(file, bytes);
    }
    match fs::remove_file(file) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => {
            Err(GradeFilesError::Unremoved { file: file.to_owned(), source })
        }
        _ => Ok(()),
    }
}
