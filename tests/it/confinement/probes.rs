//! Bots that fail, and bots that try to reach forbidden resources, in every tier of confinement that this machine
//! supports. The tests check how and how soon their games end, what they reach, and what they leave behind. Meanwhile,
//! three honest bots play undisturbed.

mod remote;
mod stage;
mod table;
mod ways;

use std::fs;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use gothello_arena::game::Side;
use gothello_arena::referee::record::GameRecord;

use crate::harness::arena::{Arena, TIMEOUT, program, text};
use crate::harness::skipping::{Need, skipped};
use crate::harness::waiting::{InTime as _, Owned, pause, until};
use stage::{Decoys, HONEST_GAMES, Stage, disturbed, usual_delay};
pub(crate) use stage::{MARK, marked};
use table::Terms;
pub(crate) use table::{PROBES, Probe};
pub(crate) use ways::{Memory, User, Way};

/// How much longer than its clocks allow a game may take, for starting its bots and waiting for them to leave, not
/// counting the usual delay on this machine.
const GRACE: Duration = Duration::from_secs(1);

/// How many programs are started in sequence for a confined bot; a built-in bot needs only one.
const STARTS: u32 = 4;

/// How long the arena waits for a bot to leave on its own.
const QUIT_TIMEOUT: Duration = Duration::from_millis(300);

/// The time after which no process of a killed run may be left. Without the cleanup, the probes would run far longer.
const SOON: Duration = Duration::from_secs(8);

/// The probe program, compiled once.
pub(crate) fn probe() -> &'static Path {
    static PROBE: OnceLock<(tempfile::TempDir, PathBuf)> = OnceLock::new();
    &PROBE.get_or_init(|| compiled("probe")).1
}

/// Compiles the program `name` of tests/probes.
pub(crate) fn compiled(name: &str) -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join(name);
    let source = format!("{}/tests/probes/{name}.c", env!("CARGO_MANIFEST_DIR"));
    let status = Command::new("cc").args(["-O1", "-pthread", "-o"]).arg(&path).arg(source).status_in_time();
    assert!(status.expect("cc starts").success());
    (dir, path)
}

/// Whether this machine can confine bots with namespaces. If not, reports that the test is skipped.
pub(crate) fn can_confine() -> bool {
    static OBSTACLE: OnceLock<Option<String>> = OnceLock::new();
    let obstacle = OBSTACLE.get_or_init(|| {
        let doctor = Command::new(program()).arg("doctor").output_in_time().expect("it starts");
        let said = text(&doctor.stdout);
        let can = ["A", "B"].iter().any(|tier| said.contains(&format!("confined by tier {tier}")));
        (!can).then_some(said)
    });
    if let Some(said) = obstacle {
        skipped(Need::Namespaces, format_args!("this machine cannot confine bots: {said}"));
    }
    obstacle.is_none()
}

/// Waits until no process with the mark `mark` is running.
pub(crate) fn assert_none_marked(mark: &str) {
    let deadline = Instant::now() + SOON;
    while !marked(mark).is_empty() {
        assert!(Instant::now() < deadline, "{:?} are still running", marked(mark));
        pause();
    }
}

/// Serializes the tiers: running them all at the same time would only measure how many programs the machine can run.
static TURN: Mutex<()> = Mutex::new(());

/// Plays all probes that are meant for this tier.
fn play_all(tier: &'static str) {
    play_in(Way::all(tier), |_| true);
}

/// Whether the developer has chosen this probe. If the environment variable `GOTHELLO_PROBES` is set, it lists the
/// chosen probes; otherwise all are chosen.
fn is_chosen(probe: &Probe) -> bool {
    let Ok(chosen) = std::env::var("GOTHELLO_PROBES") else { return true };
    chosen.split_whitespace().any(|mode| mode == probe.mode)
}

/// Plays the probes that `is_for_it` selects, in each of `ways`.
fn play_in(ways: Vec<Way>, is_for_it: impl Fn(&Probe) -> bool + Copy) {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    for way in ways {
        let is_played = move |probe: &&Probe| probe.is_for(way) && is_for_it(probe) && is_chosen(probe);
        let of_terms = |terms| PROBES.iter().filter(is_played).filter(move |probe| probe.terms == terms).collect();
        // The tournaments run at the same time, because most of their probes only wait.
        let wrong: Vec<String> = std::thread::scope(|scope| {
            let plays: Vec<_> = Terms::ALL
                .into_iter()
                .map(|terms| (terms, of_terms(terms)))
                .filter(|(_, probes): &(_, Vec<&Probe>)| !probes.is_empty())
                .map(|(terms, probes)| scope.spawn(move || play(way, &probes, terms)))
                .collect();
            plays.into_iter().flat_map(|play| play.join().unwrap_or_else(|panic| resume_unwind(panic))).collect()
        });
        assert!(wrong.is_empty(), "{way:?}:\n{}", wrong.join("\n"));
    }
}

/// Plays `probes` in one tournament with the honest bots. Returns a list of everything that is wrong.
fn play(way: Way, probes: &[&Probe], terms: Terms) -> Vec<String> {
    let decoys = Decoys::new(way.user);
    let stage = Stage::new(way, probes, &decoys, terms);
    let output = stage.run();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let mut wrong = Vec::new();
    // Checks immediately: a game's processes are gone when the game ends. The arena kills a group without waiting for
    // it only if there is no confinement.
    let left = marked(&stage.mark);
    if way.tier == "D" {
        assert_none_marked(&stage.mark);
    } else if !left.is_empty() {
        wrong.push(format!("{left:?} are still running"));
    }
    stage.arena.assert_logs_hold(&output);
    let rows = stage.arena.results();
    let disturbed = disturbed(&rows, terms);
    if !disturbed.is_empty() {
        wrong.push(format!("the honest bots' games changed: {disturbed:?}"));
    }
    assert_eq!(rows.len(), 2 * probes.len() + HONEST_GAMES);
    let grace = GRACE + STARTS * usual_delay(&stage.arena);
    for probe in probes {
        let mut games = 0;
        for row in &rows {
            let Some(side) = Side::BOTH.into_iter().find(|side| row[&side.to_string()] == probe.mode) else { continue };
            games += 1;
            let record = stage.arena.record(&row["game"]);
            let stderr = stage.arena.out().join(format!("games/{}.{side}.stderr", row["game"]));
            let said = fs::read_to_string(stderr).unwrap_or_default();
            wrong.extend(faults(way, probe, &record, side, &said, grace));
        }
        assert_eq!(games, 2, "{}", probe.mode);
    }
    wrong.extend(decoys.harmed());
    wrong
}

/// Everything that is wrong with a probe's game. `said` is the probe's output to stderr.
fn faults(way: Way, probe: &Probe, record: &GameRecord, side: Side, said: &str, grace: Duration) -> Vec<String> {
    let mut wrong = Vec::new();
    let result = match &record.result {
        Ok(result) => result,
        Err(void) => return vec![format!("{}: void: {}", probe.mode, void.reason)],
    };
    let (termination, reason) = (result.termination().to_string(), result.reason().unwrap_or_default());
    let (ends, because, refusals) = probe.ends_in(way);
    if termination != ends || !reason.contains(because) {
        wrong.push(format!("ended with {termination}: {reason}"));
    }
    if termination != "normal" && !result.fault().is_on(side) {
        wrong.push("the other side is at fault".to_owned());
    }
    if !record.other_tags.iter().any(|(tag, value)| tag == "Isolation" && value == way.tier) {
        wrong.push(format!("not in tier {}", way.tier));
    }
    if said.contains("reached ") || said.matches("refused ").count() != refusals {
        wrong.push(format!("{refusals} of its attempts should have been refused, but it printed\n{said}"));
    }
    let spent = spent(record);
    let unplayed = if probe.dawdles { probe.terms.hello } else { Duration::ZERO };
    if probe.terms.time.is_some_and(|time| record.used(side) > time + grace) {
        wrong.push(format!("its resources were {:?}", record.used(side)));
    }
    for usage in [record.usage.black, record.usage.white].into_iter().flatten() {
        if usage.wall > spent + unplayed + QUIT_TIMEOUT + 3 * grace {
            wrong.push(format!("a bot was present for {:?}, while the clocks counted {spent:?}", usage.wall));
        }
    }
    wrong.iter().map(|what| format!("{}, {side}: {what}", probe.mode)).collect()
}

/// The time counted by both clocks together.
fn spent(record: &GameRecord) -> Duration {
    record.used(Side::Black) + record.used(Side::White)
}

#[test]
fn every_probe_ends_as_documented_in_namespaces_as_root() {
    play_all("A");
}

#[test]
fn every_probe_ends_as_documented_in_namespaces_as_an_ordinary_user() {
    play_all("B");
}

#[test]
fn every_probe_ends_as_documented_without_namespaces() {
    play_all("C");
}

#[test]
fn without_control_groups_memory_outside_of_processes_is_refused() {
    for tier in ["A", "B", "C"] {
        let watched = Way::all(tier).into_iter().filter_map(Way::watched).collect();
        play_in(watched, Probe::is_about_memory);
    }
}

#[test]
fn without_landlock_namespaces_and_mounts_refuse_the_same() {
    for tier in ["A", "B"] {
        let bare = Way::all(tier).into_iter().filter_map(Way::without_landlock).collect();
        play_in(bare, Probe::is_refused);
    }
}

/// Starts a tournament with the probe `hang`, and waits for the bot and its background process.
fn start_hanging(way: Way) -> (Decoys, Stage, Owned) {
    let hang: Vec<&Probe> = PROBES.iter().filter(|probe| probe.mode == "hang").collect();
    let decoys = Decoys::new(way.user);
    let stage = Stage::new(way, &hang, &decoys, hang[0].terms);
    let mut command = stage.command();
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let running = way.act(&mut command, |command| command.start().expect("the program starts"));
    until(&format!("the probe and its background process, {way:?}"), || (marked(&stage.mark).len() >= 2).then_some(()));
    (decoys, stage, running)
}

#[test]
fn the_next_run_removes_the_control_groups_of_a_killed_one() {
    for way in ["A", "C"].into_iter().flat_map(Way::all).filter(|way| way.memory == Memory::Counted) {
        let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let (_decoys, stage, mut running) = start_hanging(way);
        let group = group_of(&marked(&stage.mark)[0]);
        assert!(group.contains("/gothello-"), "{way:?}: {group}");
        assert_ne!(group, group_of(&running.id().to_string()));
        let dir = Path::new("/sys/fs/cgroup/memory").join(group.trim_start_matches('/'));
        assert!(dir.exists(), "{}", dir.display());
        running.kill().expect("killed");
        running.wait().expect("gone");
        assert_none_marked(&stage.mark);
        // The program that starts next removes the leftovers. A program that starts earlier has only its own groups to
        // remove.
        let mut doctor = Command::new(program());
        let deadline = Instant::now() + TIMEOUT;
        while dir.exists() {
            assert!(Instant::now() < deadline, "{} is left", dir.display());
            way.act(doctor.arg("doctor").current_dir("/"), |command| command.output_in_time().expect("it starts"));
        }
    }
}

/// The memory control group of a process, in version 1 of control groups.
fn group_of(pid: &str) -> String {
    let groups = fs::read_to_string(format!("/proc/{pid}/cgroup")).expect("alive");
    let group = groups.lines().find_map(|line| line.split_once(":memory:"));
    group.map(|(_, group)| group.to_owned()).unwrap_or_default()
}

#[test]
fn every_probe_that_only_fails_ends_as_documented_without_confinement() {
    play_all("D");
}

#[test]
fn confined_bots_die_with_the_arena() {
    for way in ["A", "B", "C"].into_iter().flat_map(Way::all) {
        let (_decoys, stage, mut running) = start_hanging(way);
        running.kill().expect("killed");
        running.wait().expect("gone");
        assert_none_marked(&stage.mark);
    }
}

#[test]
fn a_bot_that_replaces_its_own_program_is_not_started_again() {
    let arena = Arena::new(
        "isolation = \"off\"\nconcurrency = 1\n[[player]]\nname = \"one\"\nbuiltin = \"random\"\n\
         [[player]]\nname = \"probe\"\ndir = \"bot\"\n\
         command = [\"./probe\", \"change\", \"{side}\", \"{host}\", \"{port}\"]\n",
    );
    fs::create_dir(arena.path().join("bot")).expect("made");
    fs::copy(probe(), arena.path().join("bot/probe")).expect("copied");
    let output = arena.run(&[]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let rows = arena.results();
    let ended: Vec<&str> = rows.iter().map(|row| row["termination"].as_str()).collect();
    assert_eq!(ended, ["normal", "not started"]);
    let record = arena.record(&rows[1]["game"]);
    let reason = record.result.ok().and_then(|result| result.reason().map(str::to_owned)).unwrap_or_default();
    assert!(reason.contains("probe` has changed since the run began"), "{reason}");
}
