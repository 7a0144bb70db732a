//! `grade --gradescope`: one submission, within the time that an autograder has.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, anyhow};

use super::{class_evidence, judging};
use crate::base::files::{Scratch, write_whole};
use crate::base::sanitise::Shown as _;
use crate::base::time::{Instant, now};
use crate::base::units::spaced;
use crate::cli::load_tournament::{LoadError, Loaded, load};
use crate::cli::{CommandResult, Exit, Failure, note, print};
use crate::course::evidence::ClassPlan;
use crate::course::grades::{Gradebook, StudentEvidence, class_text, grade};
use crate::course::handout::gradescope::{failed_results, results, unfinished_results};
use crate::course::handout::missing_page::START_EXAMPLES;
use crate::course::rubric::Rubric;
use crate::host::orphans::{adopt_orphans, end_children};
use crate::host::sandbox::{Detected, Tier, detect};
use crate::tournament::{Isolation, Player, PlayerKind};

/// The directories of Gradescope's container, below its own.
const SUBMISSION: &str = "submission";
const RESULTS: &str = "results";

/// How many games with each opponent are played first, before anything is known of their pace.
const FIRST_GAMES: u32 = 2;

/// What a student reads whose bot nobody knows how to start.
const NO_PLAYER: &str = "No way to start your bot was found in your submission. Hand in a file gothello.toml beside your bot, \
                         with the lines that start your bot, such as:";

/// What the teacher reads where bots cannot be confined.
const NOT_CONFINED: &str = "To the teacher: this autograder cannot confine bots, so no bot was started, and there are no points. A bot \
                            that is not confined could write its own results. Run `gothello-arena doctor` in the container, \
                            which reports what is missing, or trust the submissions and add `--isolation off` to \
                            run_autograder.";

/// The part of the time that is left for judging games, in percent.
const FOR_ANALYSIS: u32 = 20;

/// What grades a submission, but for the class, which is not known yet.
pub(super) struct Autograder<'a> {
    /// Gradescope's directory, with `submission` and `results` in it.
    pub(super) dir: &'a Path,
    /// The rubric.
    pub(super) rubric: Rubric,
    /// How bots are to be confined, if the command line says it.
    pub(super) isolation: Option<Isolation>,
    /// How long everything may take.
    pub(super) deadline: Option<Duration>,
    /// Makes the plan for the only player of a tournament: its rubric, and the directory for its evidence.
    pub(super) plan: &'a dyn Fn(Loaded, Player, Rubric, PathBuf) -> ClassPlan,
}

/// Evidence, and the number of games with each opponent that it has.
struct StagedEvidence {
    evidence: Vec<StudentEvidence>,
    games: u32,
}

/// What has become of a submission.
enum Submitted {
    /// It gets no points, for this reason.
    Refused(String),
    /// It is graded, and `note` says what the teacher should know.
    Graded { book: Gradebook, note: Option<String> },
    /// A signal has ended the command.
    Ended(Exit),
}

/// What a submission holds.
enum ImportedBot {
    /// A bot that can be started, as the player of a tournament.
    Player(Box<(Loaded, Player)>),
    /// No such bot, for this reason, in words for the student.
    Nothing(String),
}

impl Autograder<'_> {
    /// Grades the submission. The file of results is there from the beginning, without any points, and is replaced as a whole.
    ///
    /// # Errors
    /// Fails without a directory of a submission, if the results cannot be written, or if the arena itself fails. Without a bot that
    /// can be graded, the results say why, and the command succeeds, as it does with open items: Gradescope shows the results of
    /// a command that fails to nobody.
    pub(super) fn run(self) -> CommandResult {
        let started = now();
        let submission = self.dir.join(SUBMISSION);
        if !submission.is_dir() {
            let why = format!("--gradescope: `{}` is not a directory with a submission", submission.shown());
            return Err(Failure::usage(anyhow!("{why}; give Gradescope's directory, which is /autograder")));
        }
        let file = self.dir.join(RESULTS).join("results.json");
        fs::create_dir_all(self.dir.join(RESULTS))
            .with_context(|| format!("--gradescope: cannot make `{}`", self.dir.join(RESULTS).shown()))
            .map_err(Failure::usage)?;
        write(&file, &unfinished_results(&self.rubric))?;
        let outcome = match self.unconfined()? {
            Some(why) => Ok(Submitted::Refused(why)),
            None => self.graded(started),
        };
        // Unconfined bots may have left processes, which must not come to write behind the last write.
        if self.isolation == Some(Isolation::Off) && !end_children() {
            note("an unconfined bot keeps starting processes: it may have written its results itself");
        }
        match outcome? {
            Submitted::Refused(why) => {
                note(format_args!("no points: {}", why.lines().next().unwrap_or_default()));
                write(&file, &failed_results(&self.rubric, &why))?;
            }
            Submitted::Graded { book, note } => {
                if let Some(student) = book.students.first() {
                    write(&file, &results(&book, student, note.as_deref()))?;
                }
                print(class_text(&book))?;
            }
            Submitted::Ended(exit) => return Ok(exit),
        }
        Ok(Exit::Success)
    }

    /// Why nothing may be started here, in words for the teacher: an unconfined bot can leave processes that write results of their
    /// own. `None` if bots can be confined, or need not be.
    fn unconfined(&self) -> Result<Option<String>, Failure> {
        if self.isolation == Some(Isolation::Off) {
            adopt_orphans().context("cannot become the parent of processes that bots leave behind")?;
            return Ok(None);
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let Detected { tier, failures, .. } = runtime.block_on(detect(self.dir))?;
        let why = failures.iter().map(|(tier, error)| format!("\ntier {tier}: {error}"));
        Ok((tier == Tier::D).then(|| NOT_CONFINED.to_owned() + &why.collect::<String>()))
    }

    /// Imports and grades the submission.
    fn graded(&self, started: Instant) -> Result<Submitted, Failure> {
        let scratch = Scratch::new().context("cannot make a directory for the submission")?;
        let class = scratch.path().join("class");
        let (loaded, player) = match self.import(&class)? {
            ImportedBot::Player(bot) => *bot,
            ImportedBot::Nothing(why) => return Ok(Submitted::Refused(why)),
        };
        let mut plan = (self.plan)(loaded, player, self.rubric.clone(), scratch.path().join("grades"));
        let wanted = self.rubric.play.clone();
        let until = self.deadline.map(|deadline| started + deadline);
        let Some(StagedEvidence { mut evidence, games }) = self.gather(&mut plan, started)? else {
            let deadline = self.deadline.map(spaced).unwrap_or_default();
            return Ok(Submitted::Refused(format!(
                "The check of your bot did not finish within {deadline}, so there are no points yet."
            )));
        };
        (plan.rubric.play.games, plan.rubric.play.max_games) = (wanted.games, games.max(wanted.games));
        plan.rubric = plan.rubric.cut_to(games);
        bound_analysis(&mut plan, &evidence, until);
        let judged = judging::judge(&plan, &mut evidence)?;
        if judged != Exit::Success {
            return Ok(Submitted::Ended(judged));
        }
        let students = evidence.into_iter().map(|evidence| grade(&plan.rubric, evidence)).collect();
        let ruleset = plan.tournament.ruleset;
        let book = Gradebook { rubric: plan.rubric, ruleset, students, ungraded: Vec::new() };
        let note = (games < wanted.games).then(|| {
            format!(
                "The time of {} was sufficient for only {games} of {} games with each opponent, so the intervals are wider than usual.",
                self.deadline.map(spaced).unwrap_or_default(),
                wanted.games
            )
        });
        Ok(Submitted::Graded { book, note })
    }

    /// Imports the submission to `class`, as that of a student of a class would be.
    fn import(&self, class: &Path) -> Result<ImportedBot, Failure> {
        let program = std::env::current_exe().context("cannot find this program")?;
        let imported = Command::new(program)
            .args(["import", "--layout", "plain", "--out"])
            .args([class, &self.dir.join(SUBMISSION)])
            .stdin(Stdio::null())
            .output()
            .context("cannot run `gothello-arena import`")?;
        if !imported.status.success() {
            let why = String::from_utf8_lossy(&imported.stderr).into_owned();
            return Ok(ImportedBot::Nothing(format!("Your submission cannot be read.\n{why}")));
        }
        let summary = String::from_utf8_lossy(&imported.stdout).into_owned();
        // Below the first line of the summary, each line about a submission is indented.
        let details: Vec<&str> = summary.lines().filter(|line| line.starts_with("  no player")).collect();
        let none = || format!("{NO_PLAYER}\n\n{START_EXAMPLES}\n{}", details.join("\n"));
        let loaded = match load(Some(&class.join("class.toml"))) {
            Ok(loaded) => loaded,
            Err(LoadError::Unreadable(failure)) => return Err(failure),
            Err(LoadError::Wrong { .. }) => return Ok(ImportedBot::Nothing(none())),
        };
        let is_program = |player: &&Player| matches!(player.kind, PlayerKind::Program(_));
        let player = loaded.tournament.players.iter().find(is_program).cloned();
        Ok(match player {
            Some(player) => ImportedBot::Player(Box::new((loaded, player))),
            None => ImportedBot::Nothing(none()),
        })
    }

    /// Gathers evidence with more and more games, as long as there is time: the number that was reached is the one that counts.
    /// `None` if the time is over before even the check and the first games have come to an end.
    fn gather(&self, plan: &mut ClassPlan, started: Instant) -> Result<Option<StagedEvidence>, Failure> {
        let wanted = self.rubric.play.clone();
        let Some(deadline) = self.deadline else {
            let gathered = class_evidence::gather(plan, None)?;
            return Ok(gathered.map(|evidence| StagedEvidence { evidence, games: wanted.max_games }));
        };
        let until = started + deadline * (100 - FOR_ANALYSIS) / 100;
        let mut reached: Option<StagedEvidence> = None;
        let mut games = FIRST_GAMES.min(wanted.games);
        loop {
            let begun = now();
            (plan.rubric.play.games, plan.rubric.play.max_games) = (games, games);
            if games == wanted.games {
                plan.rubric.play.max_games = wanted.max_games;
            }
            let evidence = match (class_evidence::gather(plan, Some(until))?, reached) {
                (Some(evidence), _) => evidence,
                (None, reached) => return Ok(reached),
            };
            let has_more = games < wanted.games;
            let staged = StagedEvidence { evidence, games: plan.rubric.play.max_games };
            // The next step has as many games again as all steps so far.
            if !has_more || now() + begun.elapsed() > until {
                return Ok(Some(staged));
            }
            reached = Some(staged);
            games = (2 * games).min(wanted.games);
        }
    }
}

/// Writes the results as a whole.
fn write(file: &Path, text: &str) -> Result<(), Failure> {
    Ok(write_whole(file, text.as_bytes()).with_context(|| format!("could not write `{}`", file.shown()))?)
}

/// Leaves each game no more time for its analysis than there is until `until`.
fn bound_analysis(plan: &mut ClassPlan, evidence: &[StudentEvidence], until: Option<Instant>) {
    let Some(until) = until else { return };
    let games = evidence.iter().map(|found| found.games.len()).sum::<usize>().max(1);
    let each = until.saturating_duration_since(now()) * 3 / 4 / u32::try_from(games).unwrap_or(u32::MAX);
    let analysis = &mut plan.rubric.play.analysis;
    *analysis = (*analysis).min(each);
}
