//! Imports the submissions of a class, or only reports what would be imported.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::archive::Source;
use super::arrival::{ArrivedSubmission, Earlier, arrivals};
use super::class_dir::{ClassDir, ImportSetting, NotImported, Replaced};
use super::gather::{GatherError, Gathering, LayoutWish};
use super::given::given_files;
use super::refusal::UnpackError;
use super::{ClassAccount, SubmissionBounds};
use crate::base::exit::{CommandError, ErrorExit, Exit};
use crate::base::facts::with_facts;
use crate::base::files::Scratch;
use crate::base::sanitise::{Shown as _, beneath, quoted};
use crate::base::units::counted;
use crate::base::work_count::WorkCount;
use crate::course::handout::worksheet::WorksheetProblem;
use crate::course::roster::{RosterEntry, RosterStudent, SubmissionLayout};
use crate::course::submissions::recipe::GivenFiles;
use crate::course::submissions::worksheet::ClassList;
use crate::course::submissions::{ImportChange, Imported};
use crate::host::sandbox::{Detected, Tier, Undecided, detect};
use crate::referee::time_control::SideControl;
use crate::run::campaign::redo_words;

with_facts! {
    /// Why a class is not imported, or is imported only in part.
    #[derive(Debug, Error)]
    pub(crate) enum ImportError {
        /// Submissions or files of the course cannot be opened.
        #[error("cannot read `{}`", path.shown())]
        Unreadable {
            /// The path that the user gave.
            path: PathBuf,
            /// The error.
            source: io::Error,
        } => Exit::Usage.alone();
        /// The worksheet cannot be read.
        #[error("cannot read the worksheet `{}`", path.shown())]
        UnreadableWorksheet {
            /// The file.
            path: PathBuf,
            /// The error.
            source: io::Error,
        } => Exit::Usage.alone();
        /// The worksheet is invalid.
        #[error("--worksheet: `{}`:{}", path.shown(), beneath(problems.iter().map(ToString::to_string)))]
        WrongWorksheet {
            /// The file.
            path: PathBuf,
            /// The problems.
            problems: Vec<WorksheetProblem>,
        } => Exit::Usage.alone();
        /// The course's own files cannot be read.
        #[error("`{}` (`--given`)", path.shown())]
        UnreadableGiven {
            /// The path that the user gave.
            path: PathBuf,
            /// The error.
            source: UnpackError,
        } => Exit::Usage.alone();
        /// There is nothing to import.
        #[error(
            "`{}` contains no submission: give the archive as downloaded, or the directory into which it was unpacked",
            path.shown()
        )]
        Nothing {
            /// The first path that the user gave.
            path: PathBuf,
        } => Exit::Usage.alone();
        /// The submissions cannot be gathered.
        #[error(transparent)]
        Gather(#[from] error: GatherError) => error.error_exit();
        /// The directory of the class cannot be used.
        #[error(transparent)]
        Class(#[from] error: NotImported) => error.error_exit();
        /// A file or directory cannot be read or written.
        #[error(transparent)]
        Unpack(#[from] error: UnpackError) => Exit::ArenaFailed.alone();
        /// A directory for unpacking cannot be created.
        #[error("cannot create a directory for unpacking")]
        NoScratch(#[source] source: io::Error) => Exit::ArenaFailed.alone();
        /// The async runtime cannot be started.
        #[error(transparent)]
        NoRuntime(error: io::Error) => Exit::ArenaFailed.alone();
        /// The arena cannot determine how programs can be confined.
        #[error(transparent)]
        Undecided(#[from] error: Undecided) => Exit::ArenaFailed.alone();
        /// Some submissions were not imported, because their earlier files must not be replaced.
        #[error("{}", reasons.join("\n"))]
        Staying {
            /// The messages, which name the submissions.
            reasons: Vec<String>,
        } => Exit::DoesNotHold.alone();
    }

    fn exit_and_hint() -> ErrorExit;
}

impl CommandError for ImportError {
    fn error_exit(&self) -> ErrorExit {
        self.exit_and_hint()
    }
}

/// The arguments of an import.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClassImport<'a> {
    /// The paths of the submissions: at least one.
    pub(crate) submissions: &'a [PathBuf],
    /// The directory of the class.
    pub(crate) out: &'a Path,
    /// How the platform names submissions.
    pub(crate) layout: LayoutWish,
    /// Moodle's grading worksheet.
    pub(crate) worksheet: Option<&'a Path>,
    /// The course's own files.
    pub(crate) given: &'a [PathBuf],
    /// The texts of the arena's own starters. Like the course's own files, they are not a student's work.
    pub(crate) starters: &'a [&'a str],
    /// Each side's time control.
    pub(crate) control: Option<SideControl>,
    /// Whether the newest of several submissions by a student counts.
    pub(crate) latest: bool,
    /// Whether to update an earlier import: only new and changed submissions are imported.
    pub(crate) update: bool,
    /// Whether to write nothing.
    pub(crate) dry_run: bool,
    /// The limits of one submission.
    pub(crate) bounds: SubmissionBounds,
    /// Counts the completed parts of the work.
    pub(crate) work: &'a WorkCount,
}

/// The result of an import.
#[derive(Debug)]
pub(crate) struct ImportOutcome {
    /// The summary and the next steps.
    pub(crate) text: String,
    /// The reasons why some submissions were not imported, if there are any.
    pub(crate) staying: Option<ImportError>,
}

/// The directory in which submissions are unpacked, and the conditions for unpacking them.
#[derive(Clone, Copy)]
struct Workplace<'a> {
    staging: &'a Path,
    account: &'a ClassAccount,
    given: &'a GivenFiles,
    is_unconfined: bool,
}

impl ClassImport<'_> {
    /// Imports the class. `tell` receives a warning for the user before the import begins.
    ///
    /// # Errors
    /// Fails if a file cannot be read or written, or if the class's directory contains anything other than an import.
    pub(crate) fn run(&self, tell: impl FnOnce(String)) -> Result<ImportOutcome, ImportError> {
        let sources: Vec<Source> = self.submissions.iter().map(|path| source(path)).collect::<Result<_, _>>()?;
        let list = self.worksheet.map(read_worksheet).transpose()?;
        let class = if self.dry_run {
            ClassDir::open(self.out, self.update)?
        } else {
            ClassDir::open_alone(self.out, self.update)?
        };
        if let Some(error) = &class.unlockable {
            tell(format!(
                "`{}` cannot be locked ({error}): make sure that no other import, run or grading run uses it in the \
                meantime",
                self.out.shown()
            ));
        }
        let is_unconfined = is_unconfined()?;
        let given = self.given(&class)?;
        let account = ClassAccount::default();
        let place = |staging| Workplace { staging, account: &account, given: &given, is_unconfined };
        if self.dry_run {
            let scratch = Scratch::new().map_err(ImportError::NoScratch)?;
            return self.import(&sources, list.as_ref(), &class, place(scratch.path()));
        }
        let staging = class.staging()?;
        self.import(&sources, list.as_ref(), &class, place(staging.path()))
    }

    fn import(
        &self,
        sources: &[Source],
        list: Option<&ClassList>,
        class: &ClassDir,
        workplace: Workplace<'_>,
    ) -> Result<ImportOutcome, ImportError> {
        let (Workplace { staging, account, given, is_unconfined }, work) = (workplace, self.work);
        let gathering =
            Gathering { layout: self.layout, latest: self.latest, bounds: self.bounds, class: account, staging, work };
        let mut gathered = gathering.run(sources)?;
        let mut warnings = std::mem::take(&mut gathered.warnings);
        if gathered.groups.is_empty() {
            return Err(ImportError::Nothing { path: self.submissions[0].clone() });
        }
        work.begin("looking for the programs of the submissions", None);
        let earlier = Earlier { roster: class.roster.as_ref(), out: self.out, given };
        let arrivals = arrivals(gathered, self.latest, list, earlier)?;
        let absent = absent(list, class, &arrivals);
        warnings.extend(list.and_then(|list| unlisted(list, &arrivals)));
        let setting =
            ImportSetting { control: self.control, is_unconfined, absent: &absent, warnings: &warnings, given };
        if self.dry_run {
            let submissions = imported(&arrivals);
            let summary = class.page(&submissions, setting).summary();
            let told =
                if self.update { self.told(&class.would_replace(&submissions, setting)?) } else { String::new() };
            let text = format!("{summary}{told}nothing was written, because of --dry-run\n");
            return Ok(ImportOutcome { text, staying: None });
        }
        work.begin("writing the class", None);
        let held = class.hold(arrivals, earlier)?;
        let submissions = imported(&held.arrivals);
        let summary = class.page(&submissions, setting).summary();
        let replaced = class.install(held, setting, staging)?;
        Ok(ImportOutcome { text: summary + &self.told(&replaced), staying: self.staying(&submissions) })
    }

    /// The reasons why some of the `submissions` were not imported; `None` if all of them were.
    fn staying(&self, submissions: &[Imported]) -> Option<ImportError> {
        let staying = |change: ImportChange| {
            let players = submissions.iter().filter(|one| one.change == change).map(|one| one.entry.player.as_str());
            players.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
        };
        let (edited, in_use) = (staying(ImportChange::Edited), staying(ImportChange::InUse));
        let mut reasons = Vec::new();
        if !edited.is_empty() {
            reasons.push(format!(
                "the files of {edited} were edited, so they are not changed; to import the newer submissions, move their \
                 directories out of `{}`, and repeat the command",
                self.out.join("bots").shown()
            ));
        }
        if !in_use.is_empty() {
            let uses: Vec<&str> = submissions
                .iter()
                .filter(|one| one.change == ImportChange::InUse)
                .flat_map(|one| one.warnings.iter().map(String::as_str))
                .collect();
            reasons.push(format!("the files of {in_use} stay as they are:\n{}", uses.join("\n")));
        }
        (!reasons.is_empty()).then_some(ImportError::Staying { reasons })
    }

    /// The course's own files: those named in this command, those known from the import that is being updated, and the
    /// arena's own starters.
    fn given(&self, class: &ClassDir) -> Result<GivenFiles, ImportError> {
        let mut given = GivenFiles::new(class.roster.iter().flat_map(|roster| roster.given.clone()));
        for path in self.given {
            given_files(&source(path)?, &mut given)
                .map_err(|source| ImportError::UnreadableGiven { path: path.clone(), source })?;
        }
        self.starters.iter().for_each(|text| given.add_starter(text));
        Ok(given)
    }

    /// The next steps for the user.
    fn told(&self, replaced: &Replaced) -> String {
        let class = self.out.join("class.toml");
        let class = quoted(&class.to_string_lossy());
        if !self.update {
            return format!(
                "wrote `{0}`: class.toml, bots/, import.json and IMPORT.md\n\
                 next: read IMPORT.md, correct class.toml where it is wrong, then\n  gothello-arena check {class} --bots\n",
                self.out.shown()
            );
        }
        // Writing to a string cannot fail.
        let mut text = String::new();
        if replaced.redo.is_empty() && replaced.added.is_empty() && replaced.without_player.is_empty() {
            text += "nothing has changed\n";
        }
        if !replaced.without_player.is_empty() {
            let _ = writeln!(text, "imported without a player: {}", replaced.without_player.join(", "));
        }
        if replaced.keeps_class_file {
            text += "class.toml was edited, so it is not changed, except that new players are added at its end\n";
        }
        text += &replaced.notes.text();
        let count = |players: &[String], thing: &str| counted(players.len() as u64, thing);
        let (redo, extend) = (&replaced.redo, &replaced.added);
        let what = match (redo.is_empty(), extend.is_empty()) {
            (true, true) => return text,
            (false, true) => format!("the games of {} again", count(redo, "resubmission")),
            (true, false) => format!("the games of {}", count(extend, "new player")),
            (false, false) => {
                format!(
                    "the games of {} again, and those of {}",
                    count(redo, "resubmission"),
                    count(extend, "new player")
                )
            }
        };
        let words = redo_words(redo.iter().map(String::as_str));
        let words = [words.as_str(), if extend.is_empty() { "" } else { "--extend" }];
        let words = words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
        let _ = writeln!(text, "next, to play {what}:\n  gothello-arena run {class} {words}");
        let _ = writeln!(text, "or, to grade the class:\n  gothello-arena grade {class} --rubric rubric.toml");
        text
    }
}

fn imported(arrivals: &[ArrivedSubmission]) -> Vec<Imported> {
    arrivals.iter().map(|arrival| arrival.imported.clone()).collect()
}

fn source(path: &Path) -> Result<Source, ImportError> {
    Source::open(path).map_err(|source| ImportError::Unreadable { path: path.to_owned(), source })
}

fn read_worksheet(path: &Path) -> Result<ClassList, ImportError> {
    let path = || path.to_owned();
    let bytes = fs::read(path()).map_err(|source| ImportError::UnreadableWorksheet { path: path(), source })?;
    ClassList::parse(&bytes).map_err(|problems| ImportError::WrongWorksheet { path: path(), problems })
}

/// Whether this machine cannot confine programs.
fn is_unconfined() -> Result<bool, ImportError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(ImportError::NoRuntime)?;
    let Detected { tier, .. } = runtime.block_on(detect(Path::new(".")))?;
    Ok(tier == Tier::D)
}

/// The students without a submission, according to the worksheet or, if there is none, to the worksheet of the last
/// import.
fn absent(list: Option<&ClassList>, class: &ClassDir, arrivals: &[ArrivedSubmission]) -> Vec<RosterStudent> {
    let has_come = |student: &RosterStudent| {
        let mut present = arrivals.iter().flat_map(|arrival| arrival.imported.entry.students());
        present.any(|other| other.participant.is_some() && other.participant == student.participant)
    };
    let students: Vec<&RosterStudent> = match list {
        Some(list) => list.students.iter().map(|listed| &listed.student).collect(),
        None => class.roster.iter().flat_map(|roster| &roster.absent).collect(),
    };
    students.into_iter().filter(|student| !has_come(student)).cloned().collect()
}

/// The message about submissions from Moodle whose students have no row in the worksheet, if there are any.
fn unlisted(list: &ClassList, arrivals: &[ArrivedSubmission]) -> Option<String> {
    const MOST_NAMED: usize = 20;
    let is_moodle =
        |entry: &&RosterEntry| matches!(entry.layout, SubmissionLayout::MoodleFolders | SubmissionLayout::MoodleFiles);
    let is_unlisted = |entry: &&RosterEntry| match &entry.team {
        Some(team) => team.members.is_empty(),
        None => entry.participant.as_ref().is_some_and(|number| list.of_participant(number).is_none()),
    };
    let entries = arrivals.iter().map(|arrival| &arrival.imported.entry).filter(is_moodle).filter(is_unlisted);
    let all: Vec<String> = entries
        .map(|entry| {
            let number = entry.participant.as_ref().map(|number| format!(" (participant {number})"));
            entry.player.clone() + &number.unwrap_or_default()
        })
        .collect();
    let mut named = all.iter().take(MOST_NAMED).cloned().collect::<Vec<_>>().join(", ");
    if let Some(more) = all.len().checked_sub(MOST_NAMED).filter(|more| *more > 0) {
        let _ = write!(named, " and {more} more");
    }
    (!all.is_empty()).then(|| format!("the worksheet has no row for the grades of these submissions: {named}"))
}
