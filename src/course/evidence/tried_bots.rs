//! The drills of students' bots, kept as files.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use super::{CHECK, ClassOrders, Ears, GradingError, GradingNews, SpoiledThing, orders_for};
use crate::base::stop::{Stop, StopSender};
use crate::course::grades::{KeptDrill, TriedBot};
use crate::drill::playing::{
    DrillOrders, DrillTelling, TriedPlayers, Unready, prepare, try_players, write_new, write_transcripts,
};
use crate::drill::readiness::UntriedPlayer;
use crate::drill::script::SCENARIOS;
use crate::host::program::{find_player, take_inventory};
use crate::run::results_dir::read_at_most;
use crate::tournament::definition::PlayerDefinition;
use crate::tournament::file::{Player, PlayerKind};

/// The file with a drill.
const DRILL: &str = "drill.json";

/// The most bytes of such a file; a hundred times what one has.
const MOST_BYTES: u64 = 64 << 20;

/// Each side's time in an ordinary game of the drill, as in `check --bots`.
const TIME: Duration = Duration::from_secs(10);

/// The directory of the drill of `student`.
pub(super) fn place(class: &ClassOrders, student: &Player) -> PathBuf {
    class.dir.join(CHECK).join(student.name.slug())
}

/// The drill of `student` that is there, if it is about the bot as it is now.
pub(super) fn kept(class: &ClassOrders, student: &Player) -> Option<KeptDrill> {
    let text = read_at_most(&place(class, student).join(DRILL), MOST_BYTES).ok()?;
    KeptDrill::read(&text).filter(|kept| kept.is_of(&bot_now(class, student), class.tournament.ruleset))
}

/// What the bot of `student` is now. Files that cannot be read are as good as gone.
fn bot_now(class: &ClassOrders, student: &Player) -> TriedBot {
    let files = match &student.kind {
        PlayerKind::Program(program) => {
            let executable = find_player(program, &class.base).ok();
            let inventory = take_inventory(program, executable.as_deref(), &class.base, &|_| true);
            inventory.map(|inventory| inventory.files()).unwrap_or_default()
        }
        PlayerKind::Builtin(_) | PlayerKind::Remote(_) => BTreeMap::new(),
    };
    let submission = class.submissions.get(student.name.as_str()).cloned();
    TriedBot { files, products: None, submission, definition: PlayerDefinition::from(student) }
}

/// Tries the bot of `student` with all scenarios, and keeps the outcome if it is final.
/// `None` if `stop` was raised meanwhile.
pub(super) async fn tried(
    class: &ClassOrders,
    student: &Player,
    ears: &Ears<'_>,
    stop: &StopSender,
) -> Result<Option<KeptDrill>, GradingError> {
    let place = place(class, student);
    let tournament = class.tournament_of(vec![student.clone()]);
    let (ruleset, seed) = (tournament.ruleset, tournament.seed);
    let orders = orders_for(class, tournament, place.clone());
    let mut signal = stop.signal();
    let prepared = tokio::select! {
        biased;
        prepared = prepare(&orders, class.jobs, &ears.tell) => prepared?,
        () = signal.reached(Stop::Drain) => return Ok(None),
    };
    let isolation = prepared.tier.to_string();
    let bot = prepared.players.first();
    let built = bot.filter(|bot| bot.hall.is_ok()).map(|bot| (bot.files.clone(), bot.products.clone()));
    let timed_out = bot.is_some_and(|bot| matches!(bot.hall, Err(Unready::Broken { timed_out: true, .. })));
    let how = DrillOrders { ruleset, time: TIME, seed, scenarios: SCENARIOS.iter().collect(), jobs: class.jobs };
    let hear = |player: &str, told: DrillTelling<'_>| match told {
        DrillTelling::Begins(game) => {
            (ears.news)(GradingNews::Drilling { player, scenario: game.scenario, side: game.side });
        }
        DrillTelling::Void(game, reason) => {
            let what = SpoiledThing::Scenario(game.scenario, game.side);
            (ears.news)(GradingNews::Void { player, what, reason, again: false });
        }
        DrillTelling::Ended(trial) => {
            (ears.news)(GradingNews::Done { player, what: SpoiledThing::Scenario(trial.scenario, trial.side) });
        }
        DrillTelling::Takes(_) => {}
    };
    let tried = try_players(&orders, prepared, how, (stop.signal(), hear)).await.map_err(GradingError::NoThread)?;
    if stop.signal().get() != Stop::No {
        return Ok(None);
    }
    let TriedPlayers { players, spoiled } = tried;
    let now = bot_now(class, student);
    let unwritten = |path: PathBuf| |source| GradingError::Io { action: "write", path, source };
    let drill = match (players.into_iter().next(), spoiled.into_iter().next()) {
        (Some(mut player), _) => {
            write_transcripts(&class.dir.join(CHECK), &mut player, false).map_err(unwritten(place.clone()))?;
            let bot = match built {
                Some((files, products)) => TriedBot { files, products, ..now },
                None => now,
            };
            let mut drill = KeptDrill::of(&player, ruleset, &isolation, bot);
            drill.timed_out = timed_out;
            drill
        }
        (None, Some(UntriedPlayer { player, why, .. })) => {
            let what = SpoiledThing::Build;
            (ears.news)(GradingNews::Void { player: &player, what, reason: &why, again: false });
            KeptDrill::void(player, ruleset, &isolation, now, why)
        }
        (None, None) => return Ok(None),
    };
    let file = place.join(DRILL);
    if drill.is_final() {
        write_new(&file, &drill.to_json()).map_err(unwritten(file))?;
    } else {
        // Nothing may remain of an earlier bot's drill.
        let _ = fs::remove_file(&file);
    }
    Ok(Some(drill))
}
