//! Checks a hand-in: finds out how it is built and started, builds it, and plays the scenarios that every bot must
//! pass, the quick ones first.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::sync::mpsc::UnboundedSender;

use crate::base::files::{Copying, remove_tree, sync_tree};
use crate::base::sanitise::sanitised;
use crate::base::stop::{self, Stop, StopSignal};
use crate::course::submissions::recipe::{GivenFiles, Recipe, Recognition, recognise_bot};
use crate::course::unpacking::files_of;
use crate::drill::playing::{DrillSetup, DrillTelling, Prepared, TriedPlayers, try_players};
use crate::drill::readiness::{Readiness, Trial, TriedPlayer};
use crate::drill::report::ReadinessFormat;
use crate::drill::script::{Level, OrdinaryClock, SCENARIOS, Scenario};
use crate::drill::selection::ScenarioChoice;
use crate::host::confinement::Confinement;
use crate::host::program::VisiblePaths;
use crate::ladder::hand_in::HandedInSources;
use crate::results::replay::Style;
use crate::run::campaign::{CampaignOptions, CampaignPlan, ladder_field, same_tournament};
use crate::run::entrants::{DirNews, Entrant, Preparer, Unprepared};
use crate::run::event::Event;
use crate::run::journal::{HandInEntry, PlayerEntry};
use crate::tournament::ladder::{LadderEntry, VersionProgram};
use crate::tournament::{HostName, Player, Template, Tournament};

/// What a check needs from a run.
#[derive(Clone)]
pub(super) struct CheckSite {
    /// The tournament, for its rules, clocks and limits.
    pub(super) tournament: Arc<Tournament>,
    /// The directory of the tournament file.
    pub(super) base: PathBuf,
    /// The directory of the results.
    pub(super) dir: PathBuf,
    /// How programs are confined, if they are.
    pub(super) confinement: Option<Arc<Confinement>>,
    /// The channel for events during preparations.
    pub(super) events: UnboundedSender<Event>,
    /// A function that receives news about the players' directories.
    pub(super) tell: Arc<dyn Fn(DirNews) + Send + Sync>,
}

/// The result of checking a hand-in.
#[derive(Debug)]
pub(super) enum CheckVerdict {
    /// The hand-in can play.
    Accepted(Box<AcceptedVersion>),
    /// The hand-in cannot play.
    Refused(CheckFeedback),
    /// The check failed because of the machine, and has to be repeated. The reason is printable.
    Spoiled(String),
    /// The run was stopped in the meantime.
    Stopped,
}

/// A version that can play.
#[derive(Debug)]
pub(super) struct AcceptedVersion {
    /// The version as a player.
    pub(super) player: Player,
    /// How it is built and started.
    pub(super) program: VersionProgram,
    /// The version, ready to be started on this machine.
    pub(super) entrant: Arc<Entrant>,
    /// What the journal says about its program.
    pub(super) entry: PlayerEntry,
    /// The report about the scenarios.
    pub(super) report: String,
}

/// Why a hand-in cannot play.
#[derive(Debug)]
pub(super) struct CheckFeedback {
    /// The reason, in one printable line.
    pub(super) reason: String,
    /// The whole report for the player.
    pub(super) report: String,
}

impl CheckFeedback {
    /// Feedback that consists of the `reason`, which is hostile text.
    pub(super) fn of_reason(reason: &str) -> Self {
        let lines: Vec<String> = reason.lines().map(sanitised).collect();
        let first = lines.first().cloned().unwrap_or_default();
        Self { reason: first, report: lines.join("\n") + "\n" }
    }
}

/// Why a version is not ready, or why the check does not count.
enum NotAccepted {
    Refused(CheckFeedback),
    Spoiled(String),
    Stopped,
}

impl From<CheckFeedback> for NotAccepted {
    fn from(feedback: CheckFeedback) -> Self {
        Self::Refused(feedback)
    }
}

impl CheckVerdict {
    /// The verdict with `warnings`, which are hostile text, at the beginning of its report.
    fn with_warnings(self, warnings: &[String]) -> Self {
        match self {
            Self::Accepted(mut version) => {
                version.report = headed(warnings, &version.report);
                Self::Accepted(version)
            }
            Self::Refused(feedback) => {
                Self::Refused(CheckFeedback { report: headed(warnings, &feedback.report), ..feedback })
            }
            other => other,
        }
    }
}

/// `report` after the `warnings`, which are hostile text.
fn headed(warnings: &[String], report: &str) -> String {
    let mut text = String::new();
    for warning in warnings {
        let _ = writeln!(text, "warning: {}", sanitised(warning));
    }
    if !text.is_empty() {
        text.push('\n');
    }
    text + report
}

/// Copies the `sources` of the version called `name` to their place in the results `dir`, replacing anything that an
/// interrupted check left there, and waits until the copy is on disk: the journal must not name a version that a power
/// failure could erase. The original is kept in case the check has to be repeated.
///
/// # Errors
/// Fails if the files cannot be copied.
pub(super) fn place_sources(sources: &HandedInSources, name: &str, dir: &Path) -> io::Result<PathBuf> {
    let place = dir.join(ladder_field::version_dir(name));
    match fs::symlink_metadata(&place) {
        Ok(_) => remove_tree(&place)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    let versions = place.parent().unwrap_or(dir);
    fs::create_dir_all(versions)?;
    // The door has already limited the size of the sources.
    let most = (u64::MAX, usize::MAX);
    Copying { from: &sources.dir, to: &place, except: versions, owner: None, without: &|_| false, most }.run()?;
    sync_tree(&place)?;
    for above in [versions, dir] {
        File::open(above)?.sync_all()?;
    }
    Ok(place)
}

impl CheckSite {
    /// Checks `hand_in`, which the player `entry` handed in. The `sources` are already in place.
    pub(super) async fn check(
        &self,
        entry: &LadderEntry,
        hand_in: &HandInEntry,
        sources: &HandedInSources,
        stop: StopSignal,
    ) -> CheckVerdict {
        let mut warnings = sources.warnings.clone();
        let verdict = match Box::pin(self.accepted(entry, hand_in, (sources, &mut warnings), stop)).await {
            Ok(version) => CheckVerdict::Accepted(Box::new(version)),
            Err(NotAccepted::Refused(feedback)) => CheckVerdict::Refused(feedback),
            Err(NotAccepted::Spoiled(why)) => CheckVerdict::Spoiled(why),
            Err(NotAccepted::Stopped) => CheckVerdict::Stopped,
        };
        verdict.with_warnings(&warnings)
    }

    async fn accepted(
        &self,
        entry: &LadderEntry,
        hand_in: &HandInEntry,
        (sources, warnings): (&HandedInSources, &mut Vec<String>),
        stop: StopSignal,
    ) -> Result<AcceptedVersion, NotAccepted> {
        let program = match entry.program.given() {
            Some(program) => program,
            None => {
                let files = files_of(&sources.dir, &sources.files, &GivenFiles::default());
                let recognition = recognise_bot(&files);
                if recognition.recipe.is_some() {
                    warnings.extend_from_slice(&recognition.warnings);
                }
                recognised(entry, recognition)?
            }
        };
        let version = ladder_field::version(entry, hand_in, program.clone(), &self.dir);
        let player = version.ok_or_else(|| CheckFeedback::of_reason("the player has too many versions"))?;
        let mut all = (*self.tournament).clone();
        all.players.push(player.clone());
        let confinement = self.confined(&all);
        let tournament = Tournament { players: vec![player.clone()], ..all };
        let preparer = Preparer {
            tournament: &tournament,
            base: &self.base,
            confinement: confinement.as_deref(),
            known: &[],
            events: &self.events,
            tell: &*self.tell,
        };
        let mut stopped = stop.clone();
        let entrants = tokio::select! {
            biased;
            entrants = preparer.prepare_each() => entrants,
            () = stopped.reached(Stop::Drain) => return Err(NotAccepted::Stopped),
        };
        if let Some(Err(unprepared)) = entrants.first() {
            return Err(unready(unprepared));
        }
        let report = Box::pin(self.tried(tournament, &entrants, confinement, stop)).await?;
        let entrant = entrants.into_iter().next().and_then(Result::ok);
        let entrant = entrant.ok_or_else(|| CheckFeedback::of_reason("its program is missing"))?;
        let entry = same_tournament::player_entry(&player, &entrant);
        Ok(AcceptedVersion { player, program, entrant: Arc::new(entrant), entry, report })
    }

    /// The confinement of a program that must not see the files of the players of `tournament`.
    pub(super) fn confined(&self, tournament: &Tournament) -> Option<Arc<Confinement>> {
        let confinement = self.confinement.as_ref()?;
        let visible_paths = VisiblePaths::new(tournament, &self.base, &self.dir);
        Some(Arc::new(Confinement { cage: confinement.cage.clone(), visible_paths }))
    }

    /// Plays the scenarios that the only player of `tournament` must pass. Returns the report about them.
    async fn tried(
        &self,
        tournament: Tournament,
        entrants: &[Result<Entrant, Unprepared>],
        confinement: Option<Arc<Confinement>>,
        stop: StopSignal,
    ) -> Result<String, NotAccepted> {
        let prepared = Prepared::of_entrants(&tournament, entrants, confinement);
        let isolation = prepared.tier.to_string();
        let ruleset = tournament.ruleset;
        let clock = OrdinaryClock::of(tournament.time_control, tournament.meter);
        let setup = DrillSetup {
            ruleset,
            clock,
            seed: tournament.seed,
            scenarios: musts(&clock, &tournament),
            jobs: NonZeroUsize::MIN,
            earlier: Vec::new(),
        };
        let plan = CampaignPlan {
            tournament: Arc::new(tournament),
            base: self.base.clone(),
            dir: self.dir.clone(),
            options: CampaignOptions::default(),
        };
        let (sender, signal) = stop::channel();
        let hear = |_: &str, told: DrillTelling<'_>| {
            // Once a quick scenario has failed, the others would only delay the verdict.
            if let DrillTelling::Ended { trial, is_finished: true } = told
                && trial.has_failed()
                && is_quick(trial.scenario)
            {
                sender.raise(Stop::Drain);
            }
        };
        let mut outer = stop;
        let trying = try_players(&plan, prepared, setup, (signal, hear));
        tokio::pin!(trying);
        let tried = tokio::select! {
            biased;
            tried = &mut trying => tried,
            () = outer.reached(Stop::Drain) => return Err(NotAccepted::Stopped),
        };
        let TriedPlayers { players, spoiled } =
            tried.map_err(|error| NotAccepted::Spoiled(sanitised(&error.to_string())))?;
        let readiness = Readiness { ruleset, isolation, players, untried: spoiled };
        if readiness.is_spoiled() {
            let void = readiness.untried.first().map(|untried| sanitised(&untried.why));
            return Err(NotAccepted::Spoiled(void.unwrap_or_else(|| "a game in its check was void".to_owned())));
        }
        let report = crate::drill::report::readiness(&readiness, ReadinessFormat::Text, false, Style::PLAIN);
        match readiness.players.first().and_then(first_failure) {
            Some(reason) => Err(CheckFeedback { reason, report }.into()),
            None => Ok(report),
        }
    }
}

/// How the bot that `recognition` describes is built and started.
///
/// # Errors
/// Fails if nothing is found, or if the bot cannot play in a ladder. The error contains the reason, worded for the
/// player.
fn recognised(entry: &LadderEntry, recognition: Recognition) -> Result<VersionProgram, CheckFeedback> {
    const DECLARE: &str = "to specify how to start it, add a file `gothello.toml` with `command = [...]` and, if it \
                           has to be built, `build = [...]`";
    let Recognition { recipe, mistake, warnings, .. } = recognition;
    let mistake = mistake.map(|mistake| format!("its `gothello.toml` contains a mistake: {mistake}"));
    let recipe = match (recipe, mistake) {
        (_, Some(mistake)) => return Err(CheckFeedback::of_reason(&mistake)),
        (None, None) => {
            let told: Vec<String> = ["the arena found no way to start it".to_owned(), DECLARE.to_owned()]
                .into_iter()
                .chain(warnings)
                .collect();
            return Err(CheckFeedback::of_reason(&told.join("\n")));
        }
        (Some(recipe), None) => recipe,
    };
    let Recipe { dir, build, command, transport, hosts, side, is_told_clock, .. } = recipe;
    if let Some(side) = side {
        let reason = format!("it plays only {}, but every bot in a ladder plays both sides", side.name());
        return Err(CheckFeedback::of_reason(&reason));
    }
    let unusable = || CheckFeedback::of_reason(&format!("its command cannot be used\n{DECLARE}"));
    let command: Option<Vec<Template>> = command.iter().map(|word| Template::parse(word).ok()).collect();
    let hosts: Option<Vec<HostName>> = hosts.iter().map(|host| HostName::new(host).ok()).collect();
    Ok(VersionProgram {
        command: command.ok_or_else(unusable)?,
        build: entry.program.build().map(<[String]>::to_vec).or(build),
        transport,
        dir: dir.into(),
        hosts: hosts.unwrap_or_default(),
        is_told_clock,
    })
}

/// Why a program that could not be prepared cannot play.
fn unready(unprepared: &Unprepared) -> NotAccepted {
    match unprepared {
        Unprepared::Shortage(reason) => NotAccepted::Spoiled(sanitised(reason)),
        Unprepared::Changed(what) => NotAccepted::Spoiled(format!("{} changed during the check", sanitised(what))),
        Unprepared::Unstartable { reason, output, .. } => {
            let mut feedback = CheckFeedback::of_reason(reason);
            if !output.is_empty() {
                let lines: Vec<String> = output.lines().map(sanitised).collect();
                feedback.report = format!("{}\n{}\n", feedback.reason, lines.join("\n"));
            }
            feedback.into()
        }
    }
}

/// Whether `scenario` is part of a quick check.
fn is_quick(scenario: &Scenario) -> bool {
    quick().any(|id| id == scenario.id)
}

/// The ids of the scenarios in a quick check.
fn quick() -> impl Iterator<Item = &'static str> {
    let choice = ScenarioChoice { only: &[], skip: &[], quick: true };
    choice.scenarios().unwrap_or_default().into_iter().map(|scenario| scenario.id)
}

/// The scenarios that every bot must pass under the clocks of `tournament`, the quick ones first.
fn musts(clock: &OrdinaryClock, tournament: &Tournament) -> Vec<&'static Scenario> {
    let seats = tournament.ruleset.seats();
    let is_meant = |scenario: &&Scenario| scenario.level == Level::Must && scenario.is_meant_for(clock.control, seats);
    let (first, then): (Vec<_>, Vec<_>) = SCENARIOS.iter().filter(is_meant).partition(|scenario| is_quick(scenario));
    first.into_iter().chain(then).collect()
}

/// The first failure of `player` in one printable line; `None` if there is none.
fn first_failure(player: &TriedPlayer) -> Option<String> {
    if let Some(broken) = &player.broken {
        return Some(CheckFeedback::of_reason(broken).reason);
    }
    let trial: &Trial = player.trials.iter().find(|trial| trial.has_failed())?;
    let what = match trial.diagnoses.first() {
        Some(diagnosis) => sanitised(&diagnosis.title),
        None => sanitised(&trial.summary),
    };
    Some(format!("it fails `{}`: {what}", trial.name()))
}

#[cfg(test)]
mod tests;
