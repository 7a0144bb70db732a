//! The drills of students' bots, kept as files.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::PathBuf;

use super::trial_log::{TRIALS, TrialLog};
use super::{CHECK, ClassPlan, Ears, GradingError, GradingNews, SpoiledThing, plan_for};
use crate::base::stop::{Stop, StopSender};
use crate::course::grades::{DrillBeginning, KeptDrill, TriedBot};
use crate::drill::playing::{
    DrillSetup, DrillTelling, TriedPlayers, Unready, prepare, try_players, write_new, write_transcripts,
};
use crate::drill::readiness::UntriedPlayer;
use crate::drill::script::SCENARIOS;
use crate::host::program::{find_player, take_inventory};
use crate::run::results_dir::read_at_most;
use crate::tournament::definition::PlayerDefinition;
use crate::tournament::{Player, PlayerKind};

/// The name of the file in which a drill is stored.
const DRILL: &str = "drill.json";

/// The maximum size in bytes of the file in which a drill is stored; a hundred times the usual size.
const MOST_BYTES: u64 = 64 << 20;

/// The directory of the drill of `student`.
pub(super) fn place(class: &ClassPlan, student: &Player) -> PathBuf {
    class.dir.join(CHECK).join(student.name.slug())
}

/// Returns the kept drill of `student` if it tested the current version of the bot.
pub(super) fn kept(class: &ClassPlan, student: &Player) -> Option<KeptDrill> {
    let text = read_at_most(&place(class, student).join(DRILL), MOST_BYTES).ok()?;
    KeptDrill::read(&text).filter(|kept| kept.is_of(&bot_now(class, student), class.drill_terms()))
}

/// Identifies the bot of `student` as it is now. Files that cannot be read are treated as missing.
fn bot_now(class: &ClassPlan, student: &Player) -> TriedBot {
    let files = match &student.kind {
        PlayerKind::Program(program) => {
            let executable = find_player(program, &class.base).ok();
            let inventory = take_inventory(program, executable.as_deref(), &class.base, &|_| true);
            inventory.map(|inventory| inventory.files()).unwrap_or_default()
        }
        PlayerKind::Builtin(_) | PlayerKind::Remote(_) | PlayerKind::Team(_) => BTreeMap::new(),
    };
    let submission = class.submissions.get(student.name.as_str()).cloned();
    TriedBot { files, products: None, submission, definition: PlayerDefinition::from(student) }
}

/// Drills the bot of `student` with all scenarios for the class's rules and clocks, and keeps the outcome if it is
/// final. Trials already finished by an interrupted drill of the same bot are not repeated. Returns `None` if `stop`
/// was raised meanwhile; the finished trials are then kept.
pub(super) async fn tried(
    class: &ClassPlan,
    student: &Player,
    ears: &Ears<'_>,
    stop: &StopSender,
) -> Result<Option<KeptDrill>, GradingError> {
    let place = place(class, student);
    let tournament = class.tournament_of(vec![student.clone()]);
    let (terms, seed) = (class.drill_terms(), tournament.seed);
    let plan = plan_for(class, tournament, place.clone());
    let mut signal = stop.signal();
    let prepared = tokio::select! {
        biased;
        prepared = prepare(&plan, class.jobs, &ears.tell) => prepared?,
        () = signal.reached(Stop::Drain) => return Ok(None),
    };
    let isolation = prepared.tier.to_string();
    let bot = prepared.players.first();
    let built = bot.filter(|bot| bot.hall.is_ok()).map(|bot| (bot.files.clone(), bot.products.clone()));
    let timed_out = bot.is_some_and(|bot| matches!(bot.hall, Err(Unready::Broken { timed_out: true, .. })));
    let as_built = |now: TriedBot| match &built {
        Some((files, products)) => TriedBot { files: files.clone(), products: products.clone(), ..now },
        None => now,
    };
    let name = student.name.to_string();
    let bot = as_built(bot_now(class, student));
    let beginning = DrillBeginning::new(name.clone(), terms, seed, &isolation, bot);
    let (mut log, earlier) = TrialLog::open(&place, &beginning).map_err(unwritten)?;
    let how = DrillSetup {
        ruleset: terms.ruleset,
        clock: terms.clock,
        seed,
        scenarios: SCENARIOS
            .iter()
            .filter(|scenario| scenario.is_meant_for(terms.clock.control, terms.ruleset.seats()))
            .collect(),
        jobs: class.jobs,
        earlier: earlier.into_iter().map(|trial| (name.clone(), trial)).collect(),
    };
    let mut unlogged = None;
    let hear = |player: &str, told: DrillTelling<'_>| match told {
        DrillTelling::Begins(game) => {
            (ears.news)(GradingNews::Drilling { player, scenario: game.scenario, side: game.side });
        }
        DrillTelling::Void(game, reason) => {
            let what = SpoiledThing::Scenario(game.scenario, game.side);
            (ears.news)(GradingNews::Void { player, what, reason, again: false });
        }
        DrillTelling::Ended { trial, is_finished } => {
            if let Some(Err(failed)) = is_finished.then(|| log.add(trial)) {
                unlogged = Some(failed);
                stop.raise(Stop::Now);
            }
            (ears.news)(GradingNews::Done { player, what: SpoiledThing::Scenario(trial.scenario, trial.side) });
        }
        DrillTelling::Takes(_) | DrillTelling::Judged(_) => {}
    };
    let tried = try_players(&plan, prepared, how, (stop.signal(), hear)).await.map_err(GradingError::NoThread)?;
    if let Some(failed) = unlogged {
        return Err(unwritten(failed));
    }
    if stop.signal().get() != Stop::No {
        return Ok(None);
    }
    let TriedPlayers { players, spoiled } = tried;
    let now = bot_now(class, student);
    let drill = match (players.into_iter().next(), spoiled.into_iter().next()) {
        (Some(mut player), _) => {
            let written = write_transcripts(&class.dir.join(CHECK), &mut player, false);
            written.map_err(|error| unwritten((place.clone(), error)))?;
            let mut drill = KeptDrill::of(&player, terms, &isolation, as_built(now));
            drill.timed_out = timed_out;
            drill
        }
        (None, Some(UntriedPlayer { player, why, .. })) => {
            let what = SpoiledThing::Build;
            (ears.news)(GradingNews::Void { player: &player, what, reason: &why, again: false });
            KeptDrill::void(player, terms, &isolation, now, why)
        }
        (None, None) => return Ok(None),
    };
    let file = place.join(DRILL);
    if drill.is_final() {
        write_new(&file, &drill.to_json()).map_err(|error| unwritten((file, error)))?;
        // The drill now contains all trials. If the file of trials cannot be removed, the next drill ignores it.
        let _ = fs::remove_file(place.join(TRIALS));
    } else {
        // Remove the outdated drill of an earlier version of the bot.
        let _ = fs::remove_file(&file);
    }
    Ok(Some(drill))
}

fn unwritten((path, source): (PathBuf, io::Error)) -> GradingError {
    GradingError::Io { action: "write", path, source }
}
