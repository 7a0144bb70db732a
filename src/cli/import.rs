//! `gothello-arena import`.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, anyhow};

use super::starters::Starter;
use super::word_options::word;
use super::{CommandResult, Exit, Failure, HELP, at_least_one, duration, note, print};
use crate::base::files::Scratch;
use crate::base::sanitise::{Shown as _, beneath};
use crate::base::units::counted;
use crate::course::roster::{RosterEntry, RosterStudent, SubmissionLayout};
use crate::course::submissions::recipe::GivenFiles;
use crate::course::submissions::worksheet::ClassList;
use crate::course::submissions::{ImportChange, Imported};
use crate::course::unpacking::{
    ArrivedSubmission, ClassAccount, ClassDir, Earlier, Gathering, ImportSetting, LayoutWish, Replaced, Source,
    SubmissionBounds, arrivals, given_files,
};
use crate::host::sandbox::{Detected, Tier, detect};
use crate::run::campaign::redo_words;
use crate::tournament::file::size;

/// Turn a course's submissions into a tournament of the class
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
    #[arg(long, value_name = "DIR")]
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
    /// Each side's time for a game [default: 60s]
    #[arg(long, value_parser = duration)]
    time: Option<Duration>,
    /// Take a student's newest submission or archive
    #[arg(long)]
    latest: bool,
    /// Take over only new and changed files
    #[arg(long)]
    update: bool,
    /// Only say what would be imported
    #[arg(long)]
    dry_run: bool,
    /// Limit of one submission
    #[arg(long, value_name = "SIZE", default_value = "200 MiB", value_parser = bytes)]
    max_bytes: u64,
    /// Limit of one submission
    #[arg(long, value_name = "N", default_value_t = 2000, value_parser = files)]
    max_files: usize,
}

/// The words of `--layout`.
const LAYOUTS: [(LayoutWish, &str); LayoutWish::ALL.len()] = [
    (LayoutWish::Auto, "by the names"),
    (LayoutWish::Moodle, "Moodle"),
    (LayoutWish::Canvas, "Canvas"),
    (LayoutWish::Gradescope, "Gradescope"),
    (LayoutWish::Plain, "a directory or archive for each"),
];

fn bytes(text: &str) -> Result<u64, &'static str> {
    size(text).filter(|bytes| *bytes > 0).ok_or("not a size (write \"200 MiB\")")
}

fn files(text: &str) -> Result<usize, &'static str> {
    at_least_one::<std::num::NonZeroUsize>(text).map(std::num::NonZeroUsize::get)
}

impl Args {
    pub(super) fn run(self) -> CommandResult {
        let sources = self.sources()?;
        let list = self.worksheet.as_deref().map(read_worksheet).transpose()?;
        let class = if self.dry_run {
            ClassDir::open(&self.out, self.update)
        } else {
            ClassDir::open_alone(&self.out, self.update)
        };
        let class = class?;
        if let Some(error) = &class.unlockable {
            note(format_args!(
                "`{}` cannot be locked ({error}): make sure that no other import, run or grading uses it in the meantime",
                self.out.shown()
            ));
        }
        let is_unconfined = is_unconfined()?;
        let given = self.given(&class)?;
        let account = ClassAccount::default();
        if self.dry_run {
            let scratch = Scratch::new().context("cannot create a directory for unpacking")?;
            return self.import(
                &sources,
                list.as_ref(),
                &class,
                Workplace { staging: scratch.path(), account: &account, given: &given, is_unconfined },
            );
        }
        let staging = class.staging()?;
        self.import(
            &sources,
            list.as_ref(),
            &class,
            Workplace { staging: staging.path(), account: &account, given: &given, is_unconfined },
        )
    }

    fn import(
        &self,
        sources: &[Source],
        list: Option<&ClassList>,
        class: &ClassDir,
        workplace: Workplace<'_>,
    ) -> CommandResult {
        let Workplace { staging, account, given, is_unconfined } = workplace;
        let bounds = SubmissionBounds { bytes: self.max_bytes, files: self.max_files };
        let gathering = Gathering { layout: self.layout, latest: self.latest, bounds, class: account, staging };
        let mut gathered = gathering.run(sources)?;
        let mut warnings = std::mem::take(&mut gathered.warnings);
        if gathered.groups.is_empty() {
            return Err(Failure::usage(anyhow!(
                "there is no submission in `{}`: name the archive as downloaded, or the directory into which it was unpacked",
                self.submissions[0].shown()
            )));
        }
        let earlier = Earlier { roster: class.roster.as_ref(), out: &self.out, given };
        let arrivals = arrivals(gathered, self.latest, list, earlier)?;
        let absent = absent(list, class, &arrivals);
        warnings.extend(list.and_then(|list| unlisted(list, &arrivals)));
        let setting = ImportSetting { time: self.time, is_unconfined, absent: &absent, warnings: &warnings, given };
        if self.dry_run {
            let submissions = imported(&arrivals);
            let summary = class.page(&submissions, setting).summary();
            let told =
                if self.update { self.told(&class.would_replace(&submissions, setting)?) } else { String::new() };
            print(format!("{summary}{told}nothing was written, as --dry-run was given\n"))?;
            return Ok(Exit::Success);
        }
        let held = class.hold(arrivals, earlier)?;
        let submissions = imported(&held.arrivals);
        let summary = class.page(&submissions, setting).summary();
        let replaced = class.install(held, setting, staging)?;
        print(summary + &self.told(&replaced))?;
        self.complete(&submissions)
    }

    /// Fails if any of the `submissions` was not taken over because its earlier files had to stay.
    fn complete(&self, submissions: &[Imported]) -> CommandResult {
        let staying = |change: ImportChange| {
            let players = submissions.iter().filter(|one| one.change == change).map(|one| one.entry.player.as_str());
            players.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
        };
        let (edited, in_use) = (staying(ImportChange::Edited), staying(ImportChange::InUse));
        let mut reasons = Vec::new();
        if !edited.is_empty() {
            reasons.push(format!(
                "the files of {edited} were edited, so they are not changed; to take over the newer submissions, move their \
                 directories in `{}` away, and repeat the command",
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
        if reasons.is_empty() {
            return Ok(Exit::Success);
        }
        Err(Failure::does_not_hold(anyhow!(reasons.join("\n"))))
    }

    fn sources(&self) -> Result<Vec<Source>, Failure> {
        self.submissions.iter().map(|path| source(path)).collect()
    }

    /// The files of the course: those named now, and those of the import that is being updated. They include the arena's own starters.
    fn given(&self, class: &ClassDir) -> Result<GivenFiles, Failure> {
        let mut given = GivenFiles::new(class.roster.iter().flat_map(|roster| roster.given.clone()));
        for path in &self.given {
            let read = given_files(&source(path)?, &mut given);
            read.with_context(|| format!("`{}` (`--given`)", path.shown())).map_err(Failure::usage)?;
        }
        Starter::all().flat_map(Starter::sources).for_each(|text| given.add_starter(text));
        Ok(given)
    }

    /// The next steps for the user.
    fn told(&self, replaced: &Replaced) -> String {
        let class = self.out.join("class.toml");
        let class = crate::base::sanitise::quoted(&class.to_string_lossy());
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
            text += "class.toml was edited, so nothing is changed in it except for new players at its end\n";
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

fn source(path: &Path) -> Result<Source, Failure> {
    Source::open(path).with_context(|| format!("cannot read `{}`", path.shown())).map_err(Failure::usage)
}

/// Where and under which conditions submissions are unpacked.
#[derive(Clone, Copy)]
struct Workplace<'a> {
    staging: &'a Path,
    account: &'a ClassAccount,
    given: &'a GivenFiles,
    is_unconfined: bool,
}

fn read_worksheet(path: &Path) -> Result<ClassList, Failure> {
    let bytes = fs::read(path)
        .with_context(|| format!("cannot read the worksheet `{}`", path.shown()))
        .map_err(Failure::usage)?;
    ClassList::parse(&bytes).map_err(|problems| {
        let listed = beneath(problems.into_iter().map(|problem| problem.to_string()));
        Failure::usage(anyhow!("--worksheet: `{}`:{listed}", path.shown()))
    })
}

/// Whether this machine cannot confine programs at all.
fn is_unconfined() -> Result<bool, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let Detected { tier, .. } = runtime.block_on(detect(Path::new(".")))?;
    Ok(tier == Tier::D)
}

/// The students in the worksheet, or else in that of the last import, who have no submission.
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
    (!all.is_empty()).then(|| format!("handed in, but without a row in the worksheet for a grade: {named}"))
}
