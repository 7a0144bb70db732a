//! Gathers the evidence for grading: the drill of each student's bot, and its games against the baselines.
//!
//! Evidence is kept below the directory of the grades. Each piece of evidence is valid for one version of the bot's
//! files and of the bot's player table in the tournament file, and for one way of playing games. Existing evidence is
//! never produced again, so a grading run that was interrupted at any moment resumes where it stopped, and the new
//! evidence about a changed bot is stored next to the old evidence.
//!
//! ```text
//! grades/check/heron/drill.json             the drill of the player heron, with transcripts of failed scenarios
//! grades/check/heron/trials.jsonl           the finished trials of an interrupted drill
//! grades/run/heron/greedy/journal.jsonl     the games between heron and greedy, a run like any other
//! grades/run/heron/greedy-2/                the games of another version of heron, or with other clocks
//! grades/run/analysis.jsonl                 the analyses of all games
//! grades/replaced/1/                        the old evidence of a player that is graded again
//! ```
//!
//! | room | contents |
//! | --- | --- |
//! | `analyses` | the analyses of the games |
//! | `forecast` | the work that remains for a grading run, as text |
//! | `grading_error` | the errors that occur while evidence is gathered |
//! | `outlook` | the work that remains for a grading run, and its expected duration |
//! | `pairing` | the games of one student against one baseline |
//! | `pairing_listener` | the progress of the games in a pairing |
//! | `trial_log` | the file that records the finished trials of an unfinished drill |
//! | `tried_bots` | the kept drills |

mod analyses;
mod forecast;
mod grading_error;
mod outlook;
mod pairing;
mod pairing_listener;
mod trial_log;
mod tried_bots;

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

pub(crate) use analyses::WantedAnalyses;
pub(crate) use forecast::forecast;
pub(crate) use grading_error::GradingError;

use crate::base::stop::{Stop, StopSender};
use crate::course::grades::{DrillTerms, KeptDrill, StudentEvidence};
use crate::course::rubric::{Baseline, Rubric};
use crate::drill::script::{BotSeat, OrdinaryClock, Scenario};
use crate::referee::time_control::TimeControl;
use crate::run::campaign::enough_resources::AtATime;
use crate::run::campaign::{CampaignOptions, CampaignPlan, Tell, Warning, confine, games_at_a_time};
use crate::tournament::{Isolation, Player, Tournament};
use pairing::StudentPairing;

/// The folders of the drills and of the runs, below the directory of the grades.
const CHECK: &str = "check";
const RUN: &str = "run";

/// The folder of evidence that was set aside.
const REPLACED: &str = "replaced";

/// A class to be graded.
#[derive(Clone, Debug)]
pub(crate) struct ClassPlan {
    /// The tournament of the class; its rules, limits and confinement apply to all games.
    pub(crate) tournament: Tournament,
    /// The directory that paths in the tournament file are relative to.
    pub(crate) base: PathBuf,
    /// The players to be graded: programs that do not speak the Go Text Protocol.
    pub(crate) students: Vec<Player>,
    /// The digest of the files that `import` put into a player's directory, for each player named in import.json.
    pub(crate) submissions: BTreeMap<String, String>,
    /// The rubric.
    pub(crate) rubric: Rubric,
    /// The baselines to play against: those of the rubric, or some of them.
    pub(crate) baselines: Vec<Baseline>,
    /// The directory of the grades.
    pub(crate) dir: PathBuf,
    /// How to confine bots; overrides the tournament file.
    pub(crate) isolation: Option<Isolation>,
    /// How many games to play at a time; overrides the tournament file.
    pub(crate) concurrency: Option<NonZeroUsize>,
    /// How many scenarios of a drill to play at a time.
    pub(crate) jobs: NonZeroUsize,
}

/// The progress of a grading run.
#[derive(Clone, Copy, Debug)]
pub(crate) enum GradingNews<'a> {
    /// A game of a player's drill is starting.
    Drilling {
        /// The player.
        player: &'a str,
        /// The scenario.
        scenario: &'static Scenario,
        /// The bot's side.
        side: BotSeat,
    },
    /// A player's bot is being built.
    Building {
        /// The player.
        player: &'a str,
    },
    /// A fault of the machine has spoiled something.
    Void {
        /// The player.
        player: &'a str,
        /// The part of the evidence that was spoiled.
        what: SpoiledThing<'a>,
        /// The reason, as hostile text.
        reason: &'a str,
        /// Whether this grading run will retry that part.
        again: bool,
    },
    /// Something that the machine may have spoiled before has now succeeded.
    Done {
        /// The player.
        player: &'a str,
        /// The part of the evidence that was spoiled.
        what: SpoiledThing<'a>,
    },
    /// Games of a player against a baseline are being played.
    Playing {
        /// The player.
        player: &'a str,
        /// The baseline.
        baseline: Baseline,
        /// The total number of games.
        games: u32,
        /// The number of games that have ended.
        ended: usize,
    },
}

/// Something that a fault of the machine may spoil.
#[derive(Clone, Copy, Debug)]
pub(crate) enum SpoiledThing<'a> {
    /// The game with this id in its run.
    Game(&'a str),
    /// A scenario of the drill, in which the bot has this side.
    Scenario(&'static Scenario, BotSeat),
    /// The build.
    Build,
}

impl fmt::Display for SpoiledThing<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Game(id) => write!(f, "the game {id}"),
            Self::Scenario(scenario, side) => write!(f, "the scenario {} as {side}", scenario.id),
            Self::Build => f.write_str("the build"),
        }
    }
}

/// Receives news about a grading run, and warnings from its runs of games.
pub(crate) struct Ears<'a> {
    /// Receives the news.
    pub(crate) news: &'a dyn Fn(GradingNews<'_>),
    /// Receives warnings. Several runs may send the same warning.
    pub(crate) tell: Tell,
}

impl ClassPlan {
    /// The directory of the runs, which also contains the cache of analyses.
    pub(crate) fn run_dir(&self) -> PathBuf {
        self.dir.join(RUN)
    }

    /// The time control of all games: the rubric's, if it has one, and otherwise the tournament's.
    fn time_control(&self) -> TimeControl {
        self.rubric.play.control.map_or(self.tournament.time_control, TimeControl::both)
    }

    /// The terms that are the same for all scenarios of all drills.
    fn drill_terms(&self) -> DrillTerms {
        let clock = OrdinaryClock::of(self.time_control(), self.tournament.meter);
        DrillTerms { ruleset: self.tournament.ruleset, clock }
    }

    /// The tournament of the class with `players` as its only players.
    fn tournament_of(&self, players: Vec<Player>) -> Tournament {
        Tournament { players, ..self.tournament.clone() }
    }
}

/// Gathers the evidence of all students of `class`, producing whatever does not exist yet. Returns `None` if `stop` was
/// raised before everything was complete; what was gathered is kept.
///
/// # Errors
/// Returns an error if evidence cannot be produced, kept or read.
pub(crate) async fn gather(
    class: &ClassPlan,
    ears: &Ears<'_>,
    stop: &StopSender,
) -> Result<Option<Vec<StudentEvidence>>, GradingError> {
    let mut drills: Vec<KeptDrill> = Vec::with_capacity(class.students.len());
    let mut has_compared = false;
    for student in &class.students {
        let drill = match tried_bots::kept(class, student) {
            Some(kept) => Some(kept),
            None => {
                if !std::mem::replace(&mut has_compared, true) {
                    compare_room(class, &ears.tell).await?;
                }
                Box::pin(tried_bots::tried(class, student, ears, stop)).await?
            }
        };
        let Some(drill) = drill else { return Ok(None) };
        drills.push(drill);
    }
    let mut found = Vec::with_capacity(class.students.len());
    for (student, drill) in class.students.iter().zip(drills) {
        let mut games = Vec::new();
        // The games must be played by the bot that was drilled. If a fault of the machine prevented that bot's build,
        // there is no such bot yet.
        for &baseline in class.baselines.iter().filter(|_| drill.void.is_none()) {
            let pairing = StudentPairing { class, student, baseline, bot: &drill };
            let Some(played) = Box::pin(pairing.play(ears, stop)).await? else { return Ok(None) };
            games.extend(played);
        }
        found.push(StudentEvidence { player: student.name.to_string(), slug: student.name.slug(), drill, games });
    }
    Ok(if stop.signal().get() == Stop::No { Some(found) } else { None })
}

/// Warns the user if the machine may not have enough resources for the builds, scenarios and games of the class.
async fn compare_room(class: &ClassPlan, tell: &Tell) -> Result<(), GradingError> {
    let plan = plan_for(class, class.tournament_of(class.students.clone()), class.dir.clone());
    let tier = confine::tier(&plan).await?;
    let games = games_at_a_time(&class.tournament, class.concurrency);
    // A student's bot plays only against built-in bots and the opponents of the drill.
    let at_a_time = if class.jobs > games { AtATime::Scenarios(class.jobs) } else { AtATime::GamesOfOne(games) };
    for warning in Warning::of_room(&class.students, at_a_time, tier) {
        tell(warning);
    }
    Ok(())
}

/// Sets the evidence of `student` aside in a numbered folder, so that all of it is produced again.
///
/// # Errors
/// Fails if a directory cannot be made or renamed.
pub(crate) fn set_aside(class: &ClassPlan, student: &Player) -> Result<(), GradingError> {
    let slug = student.name.slug();
    let present: Vec<&str> =
        [CHECK, RUN].into_iter().filter(|part| class.dir.join(part).join(&slug).exists()).collect();
    if present.is_empty() {
        return Ok(());
    }
    let replaced = class.dir.join(REPLACED);
    let unmade = |path: &PathBuf| {
        let path = path.clone();
        move |source| GradingError::Io { action: "make", path, source }
    };
    fs::create_dir_all(&replaced).map_err(unmade(&replaced))?;
    let mut number = 1_u32;
    while replaced.join(number.to_string()).exists() {
        number += 1;
    }
    let free = replaced.join(number.to_string());
    for part in present {
        let (from, to) = (class.dir.join(part).join(&slug), free.join(part));
        fs::create_dir_all(&to).map_err(unmade(&to))?;
        fs::rename(&from, to.join(&slug)).map_err(|source| GradingError::Io {
            action: "rename",
            path: from,
            source,
        })?;
    }
    Ok(())
}

/// The plan for `tournament`, with results in `dir`.
fn plan_for(class: &ClassPlan, tournament: Tournament, dir: PathBuf) -> CampaignPlan {
    let (isolation, concurrency) = (class.isolation, class.concurrency);
    let options = CampaignOptions { isolation, concurrency, excuses_starved: true, ..CampaignOptions::default() };
    CampaignPlan { tournament: Arc::new(tournament), base: class.base.clone(), dir, options }
}
