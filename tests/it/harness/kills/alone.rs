//! Runs on one machine: the arena is killed, the machine loses power, or a stage of a bot's confinement is killed.

use std::process::ExitStatus;

use gothello_arena::base::random::SplitMix64;

use super::moment::Moment;
use super::watch::played;
use super::{Campaign, Ground, Victim, stages};
use crate::harness::restricted::without_namespaces;
use crate::harness::waiting::{LIMIT, Owned, until_within};

/// Disturbs a run of `games` games until it is over. Returns how many kills happened.
pub(super) fn disturb(campaign: &Campaign, games: usize, ground: &mut Ground) -> u64 {
    let mut random = SplitMix64::new(campaign.seed);
    if let Some(disk) = &ground.disk {
        disk.sync();
    }
    let mut run: Option<Run> = None;
    let mut kills = 0;
    for number in 0..campaign.kills {
        let victim = campaign.victim(number);
        // A rebuild can be killed as well.
        let is_rebuilding =
            victim == Victim::Arena && run.is_none() && number > 0 && random.below(8) == 0 && played(&ground.arena) > 0;
        let moment = Moment::choose(&mut random, number, campaign.kills, if is_rebuilding { 0 } else { games });
        let mut running = run.take().unwrap_or_else(|| start(campaign, ground, is_rebuilding, &mut random));
        let has_come = moment.comes(|| played(&ground.arena), || running.has_ended());
        if !has_come && !is_rebuilding {
            run = Some(running);
            break;
        }
        match victim {
            Victim::Stage => {
                kills += u64::from(killed_stage(ground, &mut running));
                run = Some(running);
                continue;
            }
            Victim::Power => lose_power(ground, &mut random, running.process),
            _ => {
                let ended = kill(running.process);
                if is_rebuilding && !has_come && !ended.success() {
                    ground.differences.push(format!("`rebuild` ended with {ended}:\n{}", ground.watch.said()));
                }
            }
        }
        kills += u64::from(has_come);
        ground.watch.look(&ground.arena);
    }
    let mut last = run.unwrap_or_else(|| start(campaign, ground, false, &mut random));
    let ended = last.process.wait().expect("it ends");
    if !ended.success() {
        ground.differences.push(format!("the run ended with {ended}:\n{}", ground.watch.said()));
    }
    if let Some(disk) = ground.disk.as_ref().filter(|_| random.below(2) == 0) {
        // The tables have just been written.
        disk.lose_power();
        disk.restart();
        kills += 1;
    }
    kills
}

/// A run in progress, or a rebuild.
struct Run {
    process: Owned,
    /// Where its output begins in the output of all runs.
    begin: usize,
}

impl Run {
    fn has_ended(&mut self) -> bool {
        self.process.try_wait().expect("asked").is_some()
    }
}

/// Starts the run, or `rebuild`. Bots are confined if stages of their confinement are to be killed; in half of the
/// starts, without namespaces.
fn start(campaign: &Campaign, ground: &Ground, is_rebuilding: bool, random: &mut SplitMix64) -> Run {
    let has_stages = campaign.victims.contains(&Victim::Stage);
    let isolation = if has_stages { "auto" } else { "off" };
    let run = ["run", "class.toml", "--out", "out", "--isolation", isolation];
    let mut command = ground.arena.command(if is_rebuilding { &["rebuild", "out"] } else { &run });
    command.env("TMPDIR", ground.beside.path());
    let begin = ground.watch.said().len();
    let mut start = || ground.start(&mut command, "said");
    let process = if has_stages && random.below(2) == 0 { without_namespaces(&mut start) } else { start() };
    Run { process, begin }
}

/// Kills a stage as soon as there is one. Returns whether there was one before the end of the run.
fn killed_stage(ground: &Ground, run: &mut Run) -> bool {
    let arena = run.process.id();
    // Before this line, the arena tests itself in such stages.
    let begins = || ground.watch.said()[run.begin..].contains("bots are confined by tier ");
    let mut has_begun = false;
    until_within(LIMIT, "a stage of confinement", || {
        has_begun = has_begun || begins();
        let is_killed = has_begun && stages::kill_one(arena);
        (is_killed || run.process.try_wait().expect("asked").is_some()).then_some(is_killed)
    })
}

/// The power fails while the run is in progress. In one of three cases, the disk has been synced shortly before.
fn lose_power(ground: &Ground, random: &mut SplitMix64, run: Owned) {
    let disk = ground.disk.as_ref().expect("a campaign of power failures has a disk");
    if random.below(3) == 0 {
        disk.sync();
    }
    disk.lose_power();
    kill(run);
    disk.restart();
}

/// Kills the process, if it has not ended. Returns how it ended.
fn kill(mut process: Owned) -> ExitStatus {
    let _ = process.kill();
    process.wait().expect("it ends")
}
