//! `gothello-arena grade`: the grades of a class by a rubric.

mod class_evidence;
mod forecast;
mod gradescope_run;
mod handing_out;
mod judging;

use std::collections::BTreeMap;
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, anyhow};

use super::github_step::append_step_summary;
use super::load_tournament::{Loaded, load, read_bounded};
use super::{CommandResult, Exit, Failure, note, print};
use crate::base::console;
use crate::base::files::write_whole;
use crate::base::machine;
use crate::base::sanitise::{Shown as _, sanitised};
use crate::base::suggestion::nearest;
use crate::course::evidence::{ClassPlan, set_aside};
use crate::course::grades::{
    Gradebook, MarkState, UngradedPlayer, audit_json, class_text, grade, grades_csv, student_text,
};
use crate::course::handout::github::{annotations, step_summary};
use crate::course::roster::{ClassRoll, Roster};
use crate::course::rubric::{Baseline, ItemRule, Rubric, RubricItem};
use crate::game::{Feature, Ruleset};
use crate::run::campaign::redo_words;
use crate::tournament::{Isolation, Player, PlayerKind, Transport};
use gradescope_run::Autograder;
use handing_out::{ClassFiles, HandoutArgs};

/// Grade the bots of a class by a rubric
#[derive(Debug, clap::Args)]
#[command(
    help_template = super::HELP,
    override_usage = "gothello-arena grade CLASS --rubric RUBRIC [OPTIONS]",
    after_help = "Exit codes: 3 not all points (--item), 5 mark incomplete; docs/teach/grading.md.
Example:
  gothello-arena grade class/class.toml --rubric rubric.toml"
)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of its own")]
pub(super) struct Args {
    /// Tournament file with a player for each student
    #[arg(value_name = "CLASS")]
    class: PathBuf,
    /// Rubric file
    #[arg(long, value_name = "FILE")]
    rubric: PathBuf,
    /// Write grades and evidence to DIR [default: grades]
    #[arg(long, value_name = "DIR", default_value = "grades", hide_default_value = true)]
    out: PathBuf,
    /// Only this player, with reasons (may be repeated)
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
    /// Only this item, of one player: points and exit code
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
    /// CLASS is /autograder on Gradescope
    #[arg(long, conflicts_with_all = ["out", "redo", "only", "item", "dry_run", "json", "worksheet", "github"])]
    gradescope: bool,
    /// Limit the time of --gradescope, such as 8m
    #[arg(long, value_name = "TIME", requires = "gradescope", value_parser = super::duration, hide = true)]
    deadline: Option<Duration>,
    /// Play N games at a time, overriding the file
    #[arg(long, value_name = "N", value_parser = super::at_least_one::<NonZeroUsize>)]
    concurrency: Option<NonZeroUsize>,
    /// Play N scenarios of the check at a time [default: 1]
    #[arg(long, value_name = "N", default_value = "1", hide_default_value = true, value_parser = super::at_least_one::<NonZeroUsize>)]
    jobs: NonZeroUsize,
    /// Confine bots: require, auto or off (overrides file)
    #[arg(long, value_name = "HOW", value_parser = super::word_options::isolation(), hide_possible_values = true)]
    isolation: Option<Isolation>,
}

/// The file of the roster, beside the tournament file.
const ROSTER: &str = "import.json";

/// Why an engine is not graded.
const ENGINE: &str = "it speaks the Go Text Protocol, for which the check has no scenarios";

/// What is to be graded.
struct Assignment {
    class: ClassPlan,
    ungraded: Vec<UngradedPlayer>,
    roll: Option<ClassRoll>,
}

impl Args {
    pub(super) fn run(self) -> CommandResult {
        machine::raise_open_files();
        if self.gradescope {
            return self.grade_submission();
        }
        let Assignment { class, ungraded, roll } = self.assignment()?;
        let worksheet = self.handout.worksheet(&class.rubric, roll.as_ref())?;
        if self.dry_run {
            print(forecast::text(&class)?)?;
            return Ok(Exit::Success);
        }
        self.set_aside(&class)?;
        let Some(mut evidence) = class_evidence::gather(&class, None)? else { return Ok(Exit::Incomplete) };
        if self.needs_analyses(&class.rubric) {
            let ended = judging::judge(&class, &mut evidence)?;
            if ended != Exit::Success {
                return Ok(ended);
            }
        }
        let students = evidence.into_iter().map(|evidence| grade(&class.rubric, evidence)).collect();
        let book = Gradebook { rubric: class.rubric, ruleset: class.tournament.ruleset, students, ungraded };
        self.tell(&book, &ClassFiles { dir: &class.dir, roll: roll.as_ref(), worksheet: worksheet.as_ref() })
    }

    /// Grades the submission of an autograder of Gradescope.
    fn grade_submission(self) -> CommandResult {
        let rubric = self.rubric()?;
        let plan = |loaded: Loaded, student: Player, rubric: Rubric, dir: PathBuf| ClassPlan {
            baselines: rubric.baselines().into_iter().copied().collect(),
            tournament: loaded.tournament,
            base: loaded.base,
            students: vec![student],
            submissions: BTreeMap::new(),
            rubric,
            dir,
            isolation: self.isolation,
            concurrency: self.concurrency,
            jobs: self.jobs,
        };
        let (dir, isolation, deadline) = (&self.class, self.isolation, self.deadline);
        Autograder { dir, rubric, isolation, deadline, plan: &plan }.run()
    }

    /// Prints the grades, and writes those of a whole class.
    fn tell(&self, book: &Gradebook, class: &ClassFiles<'_>) -> CommandResult {
        if let Some(id) = &self.item {
            if self.github {
                self.annotate(&book.with_item_alone(id))?;
            }
            return tell_item(book, id);
        }
        if self.only.is_empty() {
            write_class(book, class.roll, class.dir)?;
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
            self.handout.write(book, class)?;
        }
        Ok(if book.is_incomplete() { Exit::Incomplete } else { Exit::Success })
    }

    /// Prints the workflow commands for GitHub Actions, and sums the step up. The commands must not be in the middle of JSON;
    /// GitHub reads them on stderr as well.
    fn annotate(&self, book: &Gradebook) -> Result<(), Failure> {
        let commands = annotations(book);
        if self.json {
            console::workflow_commands(&commands);
        } else {
            print(commands)?;
        }
        Ok(append_step_summary(|most| step_summary(book, most))?)
    }

    /// Reads the files that the command line names.
    fn assignment(&self) -> Result<Assignment, Failure> {
        let loaded = load(Some(&self.class))?;
        let rubric = self.rubric()?;
        self.refuse_what_cannot_be_graded(&rubric, loaded.tournament.ruleset)?;
        let Loaded { tournament, base, .. } = loaded;
        let (students, mut ungraded) = self.students(&tournament.players)?;
        let roll = roster(&base.join(ROSTER))?.map(|roster| ClassRoll::new(roster, &tournament.players));
        if let (Some(roll), true) = (&roll, self.only.is_empty()) {
            let missing = roll.missing.iter();
            ungraded.extend(missing.map(|one| UngradedPlayer { player: one.name(), why: one.why().to_owned() }));
        }
        let baselines = self.baselines(&rubric)?;
        let class = ClassPlan {
            submissions: roll.as_ref().map(|roll| submissions(&roll.roster)).unwrap_or_default(),
            tournament,
            base,
            students,
            baselines,
            rubric,
            dir: self.out.clone(),
            isolation: self.isolation,
            concurrency: self.concurrency,
            jobs: self.jobs,
        };
        Ok(Assignment { class, ungraded, roll })
    }

    /// Sets the evidence of the players of `--redo` aside.
    fn set_aside(&self, class: &ClassPlan) -> Result<(), Failure> {
        let graded = || class.students.iter().map(|student| student.name.as_str());
        for asked in &self.redo {
            if !graded().any(|name| name == asked) {
                let hint = nearest(asked, graded()).map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
                return Err(Failure::usage(anyhow!(
                    "--redo: there is no player `{}` to be graded{hint}",
                    sanitised(asked)
                )));
            }
        }
        let is_asked = |student: &&Player| self.redo.iter().any(|name| name == student.name.as_str());
        for student in class.students.iter().filter(is_asked) {
            set_aside(class, student)?;
        }
        Ok(())
    }

    /// Whether games have to be analyzed. For a single item, only accuracy needs that.
    fn needs_analyses(&self, rubric: &Rubric) -> bool {
        let item = self.item.as_deref().and_then(|id| rubric.item(id));
        item.is_none_or(|item| matches!(item.rule, ItemRule::Accuracy(_)))
    }

    /// The rubric.
    fn rubric(&self) -> Result<Rubric, Failure> {
        let bytes = fs::File::open(&self.rubric).and_then(read_bounded);
        let bytes = bytes.with_context(|| format!("--rubric: cannot read `{}`", self.rubric.shown()));
        Rubric::parse_bytes(&bytes.map_err(Failure::usage)?)
            .map_err(|problems| Failure::wrong_file(problems.display(&self.rubric)))
    }

    /// Refuses a rubric that asks for what the rules of the class do not have.
    fn refuse_what_cannot_be_graded(&self, rubric: &Rubric, ruleset: Ruleset) -> Result<(), Failure> {
        let needs = |item: &RubricItem| match item.rule {
            ItemRule::Score(_) => Some(Feature::BuiltinBots),
            ItemRule::Accuracy(_) => Some(Feature::Solver),
            _ => None,
        };
        for item in &rubric.items {
            let missing = needs(item).and_then(|feature| ruleset.require(feature).err());
            if let Some(missing) = missing {
                let file = self.rubric.shown();
                return Err(Failure::usage(anyhow!("{file}: item `{}`: {missing}", item.id)));
            }
        }
        Ok(())
    }

    /// The players to be graded, and those that are not.
    fn students(&self, players: &[Player]) -> Result<(Vec<Player>, Vec<UngradedPlayer>), Failure> {
        for asked in &self.only {
            if !players.iter().any(|player| player.name.as_str() == asked) {
                let near = nearest(asked, players.iter().map(|player| player.name.as_str()));
                let hint = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
                return Err(Failure::usage(anyhow!("--only: there is no player `{}`{hint}", sanitised(asked))));
            }
        }
        let is_asked =
            |player: &Player| self.only.is_empty() || self.only.iter().any(|name| name == player.name.as_str());
        let (mut students, mut ungraded) = (Vec::new(), Vec::new());
        for player in players.iter().filter(|player| is_asked(player)) {
            let why = match &player.kind {
                PlayerKind::Program(program) if program.transport == Transport::Gtp => ENGINE,
                PlayerKind::Program(_) => {
                    students.push(player.clone());
                    continue;
                }
                PlayerKind::Builtin(_) => "it is a built-in bot",
                PlayerKind::Remote(_) => "it connects by itself",
            };
            ungraded.push(UngradedPlayer { player: player.name.to_string(), why: why.to_owned() });
        }
        if students.is_empty() {
            let why: Vec<String> = ungraded.iter().map(|other| format!("`{}`: {}", other.player, other.why)).collect();
            let file = self.class.shown();
            return Err(Failure::usage(anyhow!("{file}: no player is a program to be graded ({})", why.join("; "))));
        }
        if self.item.is_some() && students.len() > 1 {
            return Err(Failure::usage(anyhow!(
                "--item is for a single player, but `{}` has {} (add --only NAME)",
                self.class.shown(),
                students.len()
            )));
        }
        Ok((students, ungraded))
    }

    /// The baselines whose games are needed: for a single item about a score, the one.
    fn baselines(&self, rubric: &Rubric) -> Result<Vec<Baseline>, Failure> {
        let all = || rubric.baselines().into_iter().copied().collect();
        let Some(id) = &self.item else { return Ok(all()) };
        let Some(item) = rubric.item(id) else {
            let near = nearest(id, rubric.items.iter().map(|item| item.id.as_str()));
            let hint = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            return Err(Failure::usage(anyhow!("--item: the rubric has no item `{}`{hint}", sanitised(id))));
        };
        Ok(match &item.rule {
            ItemRule::Score(score) => vec![score.against],
            ItemRule::Check { .. } | ItemRule::Manual => Vec::new(),
            ItemRule::Legality(_) | ItemRule::Forfeits { .. } | ItemRule::Accuracy(_) => all(),
        })
    }
}

/// The digest of the imported files of each player.
fn submissions(roster: &Roster) -> BTreeMap<String, String> {
    roster.submissions.iter().map(|entry| (entry.player.clone(), entry.files_sha256.clone())).collect()
}

/// Prints the points of one student in one item.
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

/// The roster in `file`; `None` if there is no such file.
fn roster(file: &Path) -> Result<Option<Roster>, Failure> {
    let text = match fs::read(file) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => {
            return Err(Failure::usage(anyhow::Error::new(error).context(format!("cannot read `{}`", file.shown()))));
        }
    };
    let roster = Roster::parse(&text).with_context(|| format!("`{}`", file.shown()));
    roster.map(Some).map_err(Failure::usage)
}

/// Writes the grades of a whole class.
fn write_class(book: &Gradebook, roll: Option<&ClassRoll>, dir: &Path) -> Result<(), Failure> {
    for (name, text) in [("grades.csv", grades_csv(book, roll)), ("audit.json", audit_json(book))] {
        let file = dir.join(name);
        write_whole(&file, text.as_bytes()).with_context(|| format!("could not write `{}`", file.shown()))?;
    }
    for student in &book.students {
        let Some(drill) = student.drill.as_ref().filter(|drill| drill.broken.is_some()) else { continue };
        let player = &student.player;
        note(if drill.timed_out {
            format!(
                "the build of player `{player}` did not finish within `build_timeout`, so there are no points: raise that key if \
                 the build needs longer; the next grading builds it again"
            )
        } else {
            let redo = redo_words(std::iter::once(player.as_str()));
            format!(
                "player `{player}` cannot be started: see audit.json and the feedback; it is tried again once its files have \
                 changed, or with `{redo}`"
            )
        });
    }
    Ok(())
}
