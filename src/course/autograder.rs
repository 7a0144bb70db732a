//! Grades one submission within the time limit of an autograder.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use thiserror::Error;

use super::assignment::GatheringOptions;
use crate::base::exit::{CommandError, ErrorExit, Exit};
use crate::base::facts::with_facts;
use crate::base::files::{Scratch, write_whole};
use crate::base::sanitise::Shown as _;
use crate::base::time::{Instant, now};
use crate::base::units::spaced;
use crate::course::evidence::ClassPlan;
use crate::course::grades::{Gradebook, StudentEvidence, grade};
use crate::course::handout::gradescope::{failed_results, results, unfinished_results};
use crate::course::handout::missing_page::START_EXAMPLES;
use crate::course::rubric::Rubric;
use crate::host::orphans::{adopt_orphans, end_children};
use crate::host::sandbox::{Detected, Tier, Undecided, detect};
use crate::host::tournament_file::{LoadedTournament, TournamentFileError, load};
use crate::tournament::{Isolation, Player, PlayerKind};

/// The subdirectories of Gradescope's directory in the container.
const SUBMISSION: &str = "submission";
const RESULTS: &str = "results";

/// How many games to play against each opponent at first, to find out how long games take.
const FIRST_GAMES: u32 = 2;

/// The message to a student whose submission does not say how to start the bot.
const NO_PLAYER: &str = "Your submission does not say how to start your bot. Next to your bot, add a file called \
                         gothello.toml that says how to start it, such as:";

/// The message to the teacher if bots cannot be confined.
const NOT_CONFINED: &str = "To the teacher: this autograder cannot confine bots, so no bot was started, and there are no points. A bot \
                            that is not confined could write its own results. To see what is missing, run \
                            `gothello-arena doctor` in the container. If you trust the submissions, add `--isolation \
                            off` to run_autograder instead.";

/// The share of the time that is reserved for analyzing games, in percent.
const FOR_ANALYSIS: u32 = 20;

with_facts! {
    /// Why a submission cannot be graded, for a reason other than the submission itself.
    #[derive(Debug, Error)]
    pub(crate) enum AutograderError {
        /// The directory of the submission does not exist.
        #[error(
            "--gradescope: `{}` is not a directory; give Gradescope's own directory, /autograder",
            dir.shown()
        )]
        NoSubmission {
            /// The path of that directory.
            dir: PathBuf,
        } => Exit::Usage.alone();
        /// The directory of the results cannot be created.
        #[error("--gradescope: cannot create `{}`", dir.shown())]
        Unmade {
            /// The directory.
            dir: PathBuf,
            /// The error.
            source: io::Error,
        } => Exit::Usage.alone();
        /// The arena cannot adopt the processes that bots leave behind, and so could not end them.
        #[error("cannot adopt the processes that bots leave behind")]
        NoAdoption(#[source] source: io::Error) => Exit::ArenaFailed.alone();
        /// The async runtime cannot be started.
        #[error(transparent)]
        NoRuntime(error: io::Error) => Exit::ArenaFailed.alone();
        /// The arena cannot determine how bots can be confined.
        #[error(transparent)]
        Undecided(#[from] error: Undecided) => Exit::ArenaFailed.alone();
        /// A directory for the submission cannot be created.
        #[error("cannot create a directory for the submission")]
        NoScratch(#[source] source: io::Error) => Exit::ArenaFailed.alone();
        /// The path of this program cannot be determined.
        #[error("cannot find the gothello-arena executable")]
        NoProgram(#[source] source: io::Error) => Exit::ArenaFailed.alone();
        /// This program cannot be run.
        #[error("cannot run `gothello-arena import`")]
        NoImport(#[source] source: io::Error) => Exit::ArenaFailed.alone();
        /// The tournament file of the import cannot be read.
        #[error(transparent)]
        Tournament(error: TournamentFileError) => Exit::Usage.alone();
        /// The results cannot be written.
        #[error("could not write `{}`", file.shown())]
        Unwritten {
            /// The file.
            file: PathBuf,
            /// The error.
            source: io::Error,
        } => Exit::ArenaFailed.alone();
    }

    fn exit_and_hint() -> ErrorExit;
}

impl CommandError for AutograderError {
    fn error_exit(&self) -> ErrorExit {
        self.exit_and_hint()
    }
}

/// The long steps of grading, which the caller provides so that it can show their progress.
pub(crate) trait GradingSteps {
    /// The error of a step.
    type Error: From<AutograderError>;

    /// Gathers the evidence of all students. Returns `None` if it is not complete by `until`.
    ///
    /// # Errors
    /// Fails if evidence cannot be produced, or after a signal.
    fn gather(&self, class: &ClassPlan, until: Option<Instant>) -> Result<Option<Vec<StudentEvidence>>, Self::Error>;

    /// Analyzes games of `evidence`. Returns success, or the exit code for a signal that arrived.
    ///
    /// # Errors
    /// Fails if games cannot be analyzed.
    fn analyze(&self, class: &ClassPlan, evidence: &mut [StudentEvidence]) -> Result<Exit, Self::Error>;

    /// Receives a message for the teacher.
    fn tell(&self, message: &str);
}

/// Everything that is needed to grade a submission, except for the class, which is not known yet.
pub(crate) struct Autograder<'a, S> {
    /// Gradescope's directory, with `submission` and `results` in it.
    pub(crate) dir: &'a Path,
    /// The rubric.
    pub(crate) rubric: Rubric,
    /// How long everything may take.
    pub(crate) deadline: Option<Duration>,
    /// How evidence is gathered.
    pub(crate) options: GatheringOptions,
    /// The long steps.
    pub(crate) steps: S,
}

/// Evidence, and the number of games against each opponent in this evidence.
struct StagedEvidence {
    evidence: Vec<StudentEvidence>,
    games: u32,
}

/// The outcome for a submission.
pub(crate) enum Submitted {
    /// The submission gets no points, for this reason.
    Refused(String),
    /// The submission is graded.
    Graded {
        /// The grades.
        book: Box<Gradebook>,
        /// A note for the teacher, if there is one.
        note: Option<String>,
    },
    /// A signal ended the command.
    Ended(Exit),
}

/// The content of a submission.
enum ImportedBot {
    /// A bot that can be started, as the player of a tournament.
    Player(Box<(LoadedTournament, Player)>),
    /// The submission does not contain a bot that can be started. The reason is addressed to the student.
    Nothing(String),
}

impl<S: GradingSteps> Autograder<'_, S> {
    /// Grades the submission. The file of results exists from the beginning, without any points, and is later replaced
    /// in one step.
    ///
    /// # Errors
    /// Fails if there is no directory with a submission, if the results cannot be written, or if the arena itself
    /// fails. A submission without a bot that can be graded is not an error, and neither are open items; the results
    /// give the reasons. Gradescope does not show the results of a command that fails.
    pub(crate) fn run(self) -> Result<Submitted, S::Error> {
        let started = now();
        let dir = self.dir.join(SUBMISSION);
        if !dir.is_dir() {
            return Err(AutograderError::NoSubmission { dir }.into());
        }
        let dir = self.dir.join(RESULTS);
        let file = dir.join("results.json");
        fs::create_dir_all(&dir).map_err(|source| AutograderError::Unmade { dir, source })?;
        write(&file, &unfinished_results(&self.rubric))?;
        let outcome = match self.unconfined()? {
            Some(why) => Ok(Submitted::Refused(why)),
            None => self.graded(started),
        };
        // Unconfined bots may leave processes behind. End them, so that they cannot overwrite the results.
        if self.options.isolation == Some(Isolation::Off) && !end_children() {
            self.steps.tell("an unconfined bot keeps starting processes: it may have written its own results");
        }
        let outcome = outcome?;
        match &outcome {
            Submitted::Refused(why) => {
                self.steps.tell(&format!("no points: {}", why.lines().next().unwrap_or_default()));
                write(&file, &failed_results(&self.rubric, why))?;
            }
            Submitted::Graded { book, note } => {
                if let Some(student) = book.students.first() {
                    write(&file, &results(book, student, note.as_deref()))?;
                }
            }
            Submitted::Ended(_) => {}
        }
        Ok(outcome)
    }

    /// The reason why no bot may be started here, addressed to the teacher: an unconfined bot can leave processes
    /// behind that write results themselves. `None` if bots can be confined, or need not be.
    fn unconfined(&self) -> Result<Option<String>, AutograderError> {
        if self.options.isolation == Some(Isolation::Off) {
            adopt_orphans().map_err(AutograderError::NoAdoption)?;
            return Ok(None);
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(AutograderError::NoRuntime)?;
        let Detected { tier, failures, .. } = runtime.block_on(detect(self.dir))?;
        let why = failures.iter().map(|(tier, error)| format!("\ntier {tier}: {error}"));
        Ok((tier == Tier::D).then(|| NOT_CONFINED.to_owned() + &why.collect::<String>()))
    }

    /// Imports and grades the submission.
    fn graded(&self, started: Instant) -> Result<Submitted, S::Error> {
        let scratch = Scratch::new().map_err(AutograderError::NoScratch)?;
        let class = scratch.path().join("class");
        let (loaded, player) = match self.import(&class)? {
            ImportedBot::Player(bot) => *bot,
            ImportedBot::Nothing(why) => return Ok(Submitted::Refused(why)),
        };
        let mut plan = self.options.plan(loaded, vec![player], self.rubric.clone(), scratch.path().join("grades"));
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
        let ended = self.steps.analyze(&plan, &mut evidence)?;
        if ended != Exit::Success {
            return Ok(Submitted::Ended(ended));
        }
        let students = evidence.into_iter().map(|evidence| grade(&plan.rubric, evidence)).collect();
        let ruleset = plan.tournament.ruleset;
        let book = Gradebook { rubric: plan.rubric, ruleset, students, ungraded: Vec::new() };
        let note = (games < wanted.games).then(|| {
            format!(
                "The deadline of {} left time for only {games} of {} games against each opponent, so the intervals are wider than usual.",
                self.deadline.map(spaced).unwrap_or_default(),
                wanted.games
            )
        });
        Ok(Submitted::Graded { book: Box::new(book), note })
    }

    /// Imports the submission into `class`, as if it came from a class with one student.
    fn import(&self, class: &Path) -> Result<ImportedBot, AutograderError> {
        let program = std::env::current_exe().map_err(AutograderError::NoProgram)?;
        let imported = Command::new(program)
            .args(["import", "--layout", "plain", "--out"])
            .args([class, &self.dir.join(SUBMISSION)])
            .stdin(Stdio::null())
            .output()
            .map_err(AutograderError::NoImport)?;
        if !imported.status.success() {
            let why = String::from_utf8_lossy(&imported.stderr).into_owned();
            return Ok(ImportedBot::Nothing(format!("Your submission could not be read.\n{why}")));
        }
        let summary = String::from_utf8_lossy(&imported.stdout).into_owned();
        // After the first line of the summary, each line about a submission is indented.
        let details: Vec<&str> = summary.lines().filter(|line| line.starts_with("  no player")).collect();
        let none = || format!("{NO_PLAYER}\n\n{START_EXAMPLES}\n{}", details.join("\n"));
        let loaded = match load(Some(&class.join("class.toml"))) {
            Ok(loaded) => loaded,
            Err(TournamentFileError::Wrong { .. }) => return Ok(ImportedBot::Nothing(none())),
            Err(error) => return Err(AutograderError::Tournament(error)),
        };
        let is_program = |player: &&Player| matches!(player.kind, PlayerKind::Program(_));
        let player = loaded.tournament.players.iter().find(is_program).cloned();
        Ok(match player {
            Some(player) => ImportedBot::Player(Box::new((loaded, player))),
            None => ImportedBot::Nothing(none()),
        })
    }

    /// Gathers evidence with more and more games while there is time, and returns the last complete evidence. Returns
    /// `None` if the time runs out before the check and the first games have ended.
    fn gather(&self, plan: &mut ClassPlan, started: Instant) -> Result<Option<StagedEvidence>, S::Error> {
        let wanted = self.rubric.play.clone();
        let Some(deadline) = self.deadline else {
            let gathered = self.steps.gather(plan, None)?;
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
            let evidence = match (self.steps.gather(plan, Some(until))?, reached) {
                (Some(evidence), _) => evidence,
                (None, reached) => return Ok(reached),
            };
            let has_more = games < wanted.games;
            let staged = StagedEvidence { evidence, games: plan.rubric.play.max_games };
            // The next step plays as many new games as all previous steps together, so it takes at least as long as
            // this step did.
            if !has_more || now() + begun.elapsed() > until {
                return Ok(Some(staged));
            }
            reached = Some(staged);
            games = (2 * games).min(wanted.games);
        }
    }
}

/// Writes the results in one step.
fn write(file: &Path, text: &str) -> Result<(), AutograderError> {
    write_whole(file, text.as_bytes()).map_err(|source| AutograderError::Unwritten { file: file.to_owned(), source })
}

/// Limits the analysis of each game to its share of the time that is left before `until`.
fn bound_analysis(plan: &mut ClassPlan, evidence: &[StudentEvidence], until: Option<Instant>) {
    let Some(until) = until else { return };
    let games = evidence.iter().map(|found| found.games.len()).sum::<usize>().max(1);
    let each = until.saturating_duration_since(now()) * 3 / 4 / u32::try_from(games).unwrap_or(u32::MAX);
    let analysis = &mut plan.rubric.play.analysis;
    *analysis = (*analysis).min(each);
}
