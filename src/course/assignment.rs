//! What a user asks the arena to grade: a class by a rubric, or only some of its players, or only one item.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::base::console;
use crate::base::exit::{CommandError, ErrorExit, Exit};
use crate::base::facts::with_facts;
use crate::base::sanitise::{Shown as _, sanitised};
use crate::base::suggestion::nearest;
use crate::course::evidence::{ClassPlan, GradingError, set_aside};
use crate::course::grades::UngradedPlayer;
use crate::course::roster::{BadRoster, ClassRoll, Roster};
use crate::course::rubric::{Baseline, ItemRule, Rubric, RubricItem};
use crate::game::{Feature, MissingFeature, Ruleset};
use crate::host::tournament_file::{LoadedTournament, TournamentFileError, load, read_bounded};
use crate::tournament::file::FileProblems;
use crate::tournament::{Isolation, Player, PlayerKind, Transport};

/// The name of the roster's file, which is next to the tournament file.
const ROSTER: &str = "import.json";

/// The hint for a user who has no rubric.
pub(crate) const HOW_TO_GET_A_RUBRIC: &str =
    "`gothello-arena init tournament new` writes a rubric that you can change, new/rubric.toml (docs/teach/grading.md)";

/// The reason why an engine is not graded.
const ENGINE: &str = "it speaks the Go Text Protocol, for which the check has no scenarios";

with_facts! {
    /// The reason why nothing can be graded.
    #[derive(Debug, Error)]
    pub(crate) enum AssignmentError {
        /// The tournament file of the class cannot be used.
        #[error(transparent)]
        Class(#[from] error: TournamentFileError) => Exit::Usage.alone();
        /// The games of the class have more than two players.
        #[error(
            "{}: `grade` plays games with two players, but `{ruleset}` is for {seats}: play the class with `run`, and take points \
             and mean places from `standings --format csv`",
            file.shown()
        )]
        NotForTwo {
            /// The tournament file.
            file: PathBuf,
            /// The name of the rules.
            ruleset: &'static str,
            /// The number of players in a game.
            seats: u8,
        } => Exit::Usage.alone();
        /// The rubric cannot be read.
        #[error("--rubric: cannot read `{}`", file.shown())]
        UnreadableRubric {
            /// The file.
            file: PathBuf,
            /// The error.
            source: io::Error,
        } => match source.kind() {
            io::ErrorKind::NotFound => Exit::Usage.hint(HOW_TO_GET_A_RUBRIC),
            _ => Exit::Usage.alone(),
        };
        /// The rubric has mistakes.
        #[error("{}", problems.display(file))]
        WrongRubric {
            /// The file.
            file: PathBuf,
            /// The mistakes.
            problems: FileProblems,
        } => Exit::Usage.alone();
        /// The rubric requires something that the rules of the class do not support.
        #[error("{}: item `{item}`: {missing}", file.shown())]
        NoSuchFeature {
            /// The file.
            file: PathBuf,
            /// The item's id.
            item: String,
            /// The feature that is missing.
            missing: MissingFeature,
        } => Exit::Usage.alone();
        /// The roster cannot be read.
        #[error("cannot read `{}`", file.shown())]
        UnreadableRoster {
            /// The file.
            file: PathBuf,
            /// The error.
            source: io::Error,
        } => Exit::Usage.alone();
        /// The roster is wrong.
        #[error("`{}`", file.shown())]
        WrongRoster {
            /// The file.
            file: PathBuf,
            /// The problem.
            source: BadRoster,
        } => Exit::Usage.alone();
        /// No player has this name.
        #[error("--only: there is no player `{}`{}", sanitised(asked), or_perhaps(near.as_deref()))]
        NoPlayer {
            /// The name.
            asked: String,
            /// A similar name that exists.
            near: Option<String>,
        } => Exit::Usage.alone();
        /// No player to be graded has this name.
        #[error("--redo: there is no player `{}` to grade{}", sanitised(asked), or_perhaps(near.as_deref()))]
        NotGraded {
            /// The name.
            asked: String,
            /// A similar name of a player to be graded.
            near: Option<String>,
        } => Exit::Usage.alone();
        /// No player is a program that can be graded.
        #[error("{}: no player is a program that can be graded ({})", file.shown(), reasons(ungraded))]
        NoPrograms {
            /// The tournament file.
            file: PathBuf,
            /// All players, each with the reason why it is not graded.
            ungraded: Vec<UngradedPlayer>,
        } => Exit::Usage.alone();
        /// A single item is requested for several players.
        #[error("--item is for a single player, but `{}` has {players} (add --only NAME)", file.shown())]
        SeveralPlayers {
            /// The tournament file.
            file: PathBuf,
            /// The number of players to be graded.
            players: usize,
        } => Exit::Usage.alone();
        /// The rubric has no item with this id.
        #[error("--item: the rubric has no item `{}`{}", sanitised(asked), or_perhaps(near.as_deref()))]
        NoItem {
            /// The item's id.
            asked: String,
            /// A similar id that exists.
            near: Option<String>,
        } => Exit::Usage.alone();
        /// The evidence cannot be set aside.
        #[error(transparent)]
        Evidence(#[from] error: GradingError) => error.error_exit();
    }

    fn exit_and_hint() -> ErrorExit;
}

impl CommandError for AssignmentError {
    fn error_exit(&self) -> ErrorExit {
        self.exit_and_hint()
    }
}

/// Asks whether the user meant `near`; empty if there is no similar name.
fn or_perhaps(near: Option<&str>) -> String {
    near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default()
}

/// The reasons why the players in `ungraded` are not graded, as text.
fn reasons(ungraded: &[UngradedPlayer]) -> String {
    let why: Vec<String> = ungraded.iter().map(|other| format!("`{}`: {}", other.player, other.why)).collect();
    why.join("; ")
}

/// How evidence is gathered, regardless of what is graded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GatheringOptions {
    /// How to confine bots; overrides the tournament file.
    pub(crate) isolation: Option<Isolation>,
    /// How many games to play at a time; overrides the tournament file.
    pub(crate) concurrency: Option<NonZeroUsize>,
    /// How many scenarios of a drill to play at a time.
    pub(crate) jobs: NonZeroUsize,
}

impl GatheringOptions {
    /// The plan for grading `students`, who are players of `loaded`, against all baselines of `rubric`, with evidence
    /// in `dir`. The plan does not contain the digests of imported submissions.
    pub(super) fn plan(
        self,
        loaded: LoadedTournament,
        students: Vec<Player>,
        rubric: Rubric,
        dir: PathBuf,
    ) -> ClassPlan {
        ClassPlan {
            baselines: rubric.baselines().into_iter().copied().collect(),
            tournament: loaded.tournament,
            base: loaded.base,
            students,
            submissions: BTreeMap::new(),
            rubric,
            dir,
            isolation: self.isolation,
            concurrency: self.concurrency,
            jobs: self.jobs,
        }
    }
}

/// The arguments that determine what is graded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AssignmentFiles<'a> {
    /// The tournament file of the class.
    pub(crate) class: &'a Path,
    /// The file of the rubric.
    pub(crate) rubric: &'a Path,
    /// The directory of the grades.
    pub(crate) dir: &'a Path,
    /// The names of the players to be graded; if empty, all players are graded.
    pub(crate) only: &'a [String],
    /// The only item to be graded, which requires a single player.
    pub(crate) item: Option<&'a str>,
}

/// An assignment that has been read from its files.
#[derive(Debug)]
pub(crate) struct Assignment {
    /// The players, the rubric, and how evidence is gathered.
    pub(crate) class: ClassPlan,
    /// The players that are not graded.
    pub(crate) ungraded: Vec<UngradedPlayer>,
    /// The students and their submissions, if the class was imported.
    pub(crate) roll: Option<ClassRoll>,
}

impl Assignment {
    /// Reads the files of an assignment.
    ///
    /// # Errors
    /// Fails if a file cannot be read or is wrong, or if there is nothing to grade.
    pub(crate) fn read(files: AssignmentFiles<'_>, options: GatheringOptions) -> Result<Self, AssignmentError> {
        let loaded = load(Some(files.class))?;
        let ruleset = loaded.tournament.ruleset;
        if ruleset.seats() > 2 {
            let (file, seats) = (files.class.to_owned(), ruleset.seats());
            return Err(AssignmentError::NotForTwo { file, ruleset: ruleset.name(), seats });
        }
        let rubric = read_rubric(files.rubric)?;
        files.refuse_what_cannot_be_graded(&rubric, ruleset)?;
        let players = &loaded.tournament.players;
        let (students, mut ungraded) = files.students(players)?;
        let roll = roster(&loaded.base.join(ROSTER))?.map(|roster| ClassRoll::new(roster, players));
        if let (Some(roll), true) = (&roll, files.only.is_empty()) {
            let missing = roll.missing.iter();
            ungraded.extend(missing.map(|one| UngradedPlayer { player: one.name(), why: one.why().to_owned() }));
        }
        let baselines = files.baselines(&rubric)?;
        let submissions = roll.as_ref().map(|roll| submissions(&roll.roster)).unwrap_or_default();
        let plan = options.plan(loaded, students, rubric, files.dir.to_owned());
        Ok(Self { class: ClassPlan { submissions, baselines, ..plan }, ungraded, roll })
    }

    /// Sets the evidence of `players` aside, so that it is produced again.
    ///
    /// # Errors
    /// Fails if one of `players` is not to be graded, or if files cannot be moved.
    pub(crate) fn set_aside(&self, players: &[String]) -> Result<(), AssignmentError> {
        let students = &self.class.students;
        let graded = || students.iter().map(|student| student.name.as_str());
        for asked in players {
            if !graded().any(|name| name == asked) {
                let near = nearest(asked, graded()).map(str::to_owned);
                return Err(AssignmentError::NotGraded { asked: asked.clone(), near });
            }
        }
        let is_asked = |student: &&Player| players.iter().any(|name| name == student.name.as_str());
        for student in students.iter().filter(is_asked) {
            set_aside(&self.class, student)?;
        }
        Ok(())
    }
}

impl AssignmentFiles<'_> {
    /// Refuses a rubric that requires something that the rules of the class do not support.
    fn refuse_what_cannot_be_graded(&self, rubric: &Rubric, ruleset: Ruleset) -> Result<(), AssignmentError> {
        let needs = |item: &RubricItem| match item.rule {
            ItemRule::Score(_) => Some(Feature::BuiltinBots),
            ItemRule::Accuracy(_) => Some(Feature::Solver),
            _ => None,
        };
        for item in &rubric.items {
            let missing = needs(item).and_then(|feature| ruleset.require(feature).err());
            if let Some(missing) = missing {
                let (file, item) = (self.rubric.to_owned(), item.id.clone());
                return Err(AssignmentError::NoSuchFeature { file, item, missing });
            }
        }
        Ok(())
    }

    /// Splits `players` into those to be graded and the others, each with the reason why it is not graded.
    fn students(&self, players: &[Player]) -> Result<(Vec<Player>, Vec<UngradedPlayer>), AssignmentError> {
        for asked in self.only {
            if !players.iter().any(|player| player.name.as_str() == asked) {
                let near = nearest(asked, players.iter().map(|player| player.name.as_str())).map(str::to_owned);
                return Err(AssignmentError::NoPlayer { asked: asked.clone(), near });
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
                PlayerKind::Remote(_) => "it connects on its own",
                PlayerKind::Team(_) => "it is a team (key `modes`), and only single programs can be graded",
            };
            ungraded.push(UngradedPlayer { player: player.name.to_string(), why: why.to_owned() });
        }
        let file = || self.class.to_owned();
        if students.is_empty() {
            return Err(AssignmentError::NoPrograms { file: file(), ungraded });
        }
        if self.item.is_some() && students.len() > 1 {
            return Err(AssignmentError::SeveralPlayers { file: file(), players: students.len() });
        }
        Ok((students, ungraded))
    }

    /// The baselines whose games are needed. If the only item to be graded is about a score, only its baseline is
    /// needed.
    fn baselines(&self, rubric: &Rubric) -> Result<Vec<Baseline>, AssignmentError> {
        let all = || rubric.baselines().into_iter().copied().collect();
        let Some(id) = self.item else { return Ok(all()) };
        let Some(item) = rubric.item(id) else {
            let near = nearest(id, rubric.items.iter().map(|item| item.id.as_str())).map(str::to_owned);
            return Err(AssignmentError::NoItem { asked: id.to_owned(), near });
        };
        Ok(match &item.rule {
            ItemRule::Score(score) => vec![score.against],
            ItemRule::Check { .. } | ItemRule::Manual => Vec::new(),
            ItemRule::Legality(_) | ItemRule::Forfeits { .. } | ItemRule::Accuracy(_) => all(),
        })
    }
}

/// Reads the rubric in `file`.
///
/// # Errors
/// Fails if the file cannot be read or contains mistakes.
pub(crate) fn read_rubric(file: &Path) -> Result<Rubric, AssignmentError> {
    console::detail_of(file, format_args!("reading the rubric `{}`", file.shown()));
    let bytes = fs::File::open(file).and_then(read_bounded);
    let bytes = bytes.map_err(|source| AssignmentError::UnreadableRubric { file: file.to_owned(), source })?;
    Rubric::parse_bytes(&bytes).map_err(|problems| AssignmentError::WrongRubric { file: file.to_owned(), problems })
}

/// The roster in `file`, if the class was imported.
fn roster(file: &Path) -> Result<Option<Roster>, AssignmentError> {
    let text = match fs::read(file) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(AssignmentError::UnreadableRoster { file: file.to_owned(), source }),
    };
    let wrong = |source| AssignmentError::WrongRoster { file: file.to_owned(), source };
    Roster::parse(&text).map(Some).map_err(wrong)
}

/// The digest of the imported files of each player.
fn submissions(roster: &Roster) -> BTreeMap<String, String> {
    roster.submissions.iter().map(|entry| (entry.player.clone(), entry.files_sha256.clone())).collect()
}
