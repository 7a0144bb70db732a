//! Bots of students, and checks that tests plant because real ones take a long time.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use gothello_arena::course::grades::{DrillTerms, KeptDrill, KeptTrial, TriedBot};
use gothello_arena::course::roster::Roster;
use gothello_arena::drill::readiness::{TrialStatus, TriedPlayer};
use gothello_arena::drill::script::{BotSeat, Level, OrdinaryClock};
use gothello_arena::game::{Ruleset, Side};
use gothello_arena::host::program::{find_player, take_inventory};
use gothello_arena::referee::time_control::SideControl;
use gothello_arena::tournament::definition::PlayerDefinition;
use gothello_arena::tournament::{PlayerKind, Tournament};

use crate::harness::arena::{Arena, program};

/// Makes the bot of the student with this slug: the built-in bot `plays` with a fixed seed, so that its games are
/// repeatable.
pub(super) fn make_bot(arena: &Arena, slug: &str, plays: &str) {
    make_bot_of(arena, slug, program(), plays);
}

/// Like `make_bot`, but the bot starts the arena through the path `program`.
pub(crate) fn make_bot_of(arena: &Arena, slug: &str, program: &str, plays: &str) {
    let dir = arena.path().join("bots").join(slug);
    fs::create_dir_all(&dir).expect("made");
    let script =
        format!("#!/bin/sh\nexec '{program}' bot {plays} --side \"$1\" --host \"$2\" --port \"$3\" --seed 7\n");
    let file = dir.join("play");
    fs::write(&file, script).expect("written");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).expect("changed");
}

/// The clocks of the class.
const TIME: Duration = Duration::from_mins(1);

/// Plants a check that each student's current bot has passed, with the clocks of the class.
pub(super) fn plant_checks(arena: &Arena) {
    plant_checks_with(arena, TIME);
}

/// Plants a check that each student's current bot has passed, with `time` for each side.
pub(crate) fn plant_checks_with(arena: &Arena, time: Duration) {
    let control = SideControl::sudden_death(time);
    let class = fs::read_to_string(arena.path().join("class.toml")).expect("there");
    let tournament = Tournament::parse(&class, "class").expect("right");
    for player in &tournament.players {
        let PlayerKind::Program(program) = &player.kind else { continue };
        let executable = find_player(program, arena.path()).expect("a script");
        let inventory = take_inventory(program, Some(&executable), arena.path(), &|_| true).expect("readable");
        let roster = fs::read(arena.path().join("import.json")).ok();
        let roster = roster.map(|text| Roster::parse(&text).expect("a roster"));
        let entry = roster.as_ref().and_then(|roster| roster.of_player(player.name.as_str()));
        let submission = entry.map(|entry| entry.files_sha256.clone());
        let bot = TriedBot {
            files: inventory.files(),
            products: None,
            submission,
            definition: PlayerDefinition::from(player),
        };
        let tried = TriedPlayer {
            player: player.name.to_string(),
            command: "./play".to_owned(),
            sides: BotSeat::all(2).collect(),
            dir: None,
            digest: Some(inventory.digest()),
            broken: None,
            control,
            trials: Vec::new(),
            took: Duration::from_secs(1),
        };
        let mut kept = KeptDrill::of(
            &tried,
            DrillTerms { ruleset: Ruleset::Gothello, clock: OrdinaryClock::of_wall_time(control) },
            "D",
            bot,
        );
        kept.trials.push(KeptTrial {
            id: "legal-20".to_owned(),
            side: Side::Black.into(),
            level: Level::Must,
            status: TrialStatus::Pass,
            summary: "it plays".to_owned(),
            diagnoses: Vec::new(),
            transcript: None,
            made: 10,
            refused: 0,
            garbled: 0,
            games: 1,
            games_ms: 10,
            void: false,
        });
        let dir = arena.path().join("grades/check").join(player.name.slug());
        fs::create_dir_all(&dir).expect("made");
        fs::write(dir.join("drill.json"), kept.to_json()).expect("written");
    }
}

/// Writes the import.json of a class whose player `weak` handed in files with this digest.
pub(super) fn plant_roster(arena: &Arena, digest: &str) {
    let entry = serde_json::json!({
        "player": "weak", "slug": "weak", "state": "ready", "late": false, "layout": "plain", "full_name": "weak", "participant": null,
        "username": null, "email": null, "folder": null, "team": null, "submitted": ["weak.zip"], "submission_sha256": digest,
        "files": ["play"], "files_sha256": digest,
    });
    let mut roster = Roster::new(Vec::new());
    roster.submissions.push(serde_json::from_value(entry).expect("an entry"));
    fs::write(arena.path().join("import.json"), roster.json()).expect("written");
}
