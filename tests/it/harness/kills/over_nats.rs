//! Runs whose games are played by workers: coordinator, workers and broker are killed.

use std::fs;
use std::io::ErrorKind;
use std::process::ExitStatus;

use gothello_arena::base::random::SplitMix64;

use super::moment::Moment;
use super::watch::played;
use super::{Campaign, Ground, Victim};
use crate::harness::broker::Broker;
use crate::harness::waiting::{LIMIT, Owned, until_within};

/// The workers, each with one slot.
const WORKERS: [&str; 2] = ["one", "two"];

/// Disturbs a run of `games` games until it is over. Returns how many kills happened.
///
/// # Panics
/// Panics if there is no broker.
pub(super) fn disturb(campaign: &Campaign, games: usize, ground: &mut Ground) -> u64 {
    let mut random = SplitMix64::new(campaign.seed);
    let mut machines = Machines::start(ground);
    let (mut kills, mut said_before) = (0, None);
    for number in 0..campaign.kills {
        let moment = Moment::choose(&mut random, number, campaign.kills, games);
        if !moment.comes(|| played(&ground.arena), || machines.end(ground).is_some()) {
            break;
        }
        match campaign.victim(number) {
            Victim::Worker => {
                let which = usize::try_from(random.below(WORKERS.len() as u64)).expect("few");
                end(&mut machines.workers[which]);
                machines.workers[which] = work(ground, &machines.broker, WORKERS[which]);
            }
            Victim::Broker => {
                said_before = Some(ground.watch.said().len());
                machines.broker.restart(random.below(3) > 0);
            }
            _ => {
                end(&mut machines.coordinator);
                ground.watch.look(&ground.arena);
                machines.coordinator = coordinate(ground, &machines.broker);
            }
        }
        kills += 1;
    }
    let ended = until_within(LIMIT, "the end of the run", || machines.end(ground));
    if !ended.success() {
        ground.differences.push(format!("the run ended with {ended}:\n{}", ground.watch.said()));
    }
    // A broker that is killed right after the end of the run can forget that the run has deleted its streams.
    let has_noticed = said_before.is_none_or(|begin| ground.watch.said()[begin..].contains("broker"));
    if has_noticed {
        let left = streams(&machines.broker).into_iter().filter(|name| name.starts_with("gothello-"));
        ground.differences.extend(left.map(|name| format!("the run has left `{name}` at the broker")));
    }
    kills
}

/// The names of the broker's streams. A broker that lost its files after the end of the run has no directory for them.
fn streams(broker: &Broker) -> Vec<String> {
    match fs::read_dir(broker.dir.path().join("files/jetstream/$G/streams")) {
        Ok(entries) => entries.map(|entry| entry.expect("read").file_name().to_string_lossy().into_owned()).collect(),
        Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
        Err(error) => panic!("the broker's streams: {error}"),
    }
}

/// The machines of a run.
struct Machines {
    broker: Broker,
    coordinator: Owned,
    workers: [Owned; 2],
}

impl Machines {
    fn start(ground: &Ground) -> Self {
        let broker = Broker::start().expect("nats-server is installed");
        let coordinator = coordinate(ground, &broker);
        let workers = WORKERS.map(|name| work(ground, &broker, name));
        Self { broker, coordinator, workers }
    }

    /// How the run has ended, if it has. Restarts a coordinator or a worker that has ended because it was started while
    /// there was no broker, as a service manager would.
    fn end(&mut self, ground: &Ground) -> Option<ExitStatus> {
        for (worker, name) in self.workers.iter_mut().zip(WORKERS) {
            if worker.try_wait().expect("asked").is_some() {
                *worker = work(ground, &self.broker, name);
            }
        }
        let ended = self.coordinator.try_wait().expect("asked")?;
        let said = ground.watch.said();
        let error = said.lines().rfind(|line| line.starts_with("error: "));
        let has_found_none = error.is_some_and(|error| error.contains("cannot connect to the broker"));
        if ended.success() || !has_found_none {
            return Some(ended);
        }
        self.coordinator = coordinate(ground, &self.broker);
        None
    }
}

fn coordinate(ground: &Ground, broker: &Broker) -> Owned {
    let url = broker.url();
    let run = ["run", "class.toml", "--out", "out", "--isolation", "off", "--slots", "0", "--worker-timeout", "1s"];
    ground.start(ground.arena.command(&run).args(["--nats", &url]), "said")
}

fn work(ground: &Ground, broker: &Broker, name: &str) -> Owned {
    // The speed makes no difference here, and measuring it takes longer than a game.
    let worker = ["worker", "--nats", &broker.url(), "--slots", "1", "--name", name, "--speed", "1000000"];
    let mut command = ground.arena.command(&worker);
    command.env("XDG_CACHE_HOME", ground.arena.path().join("cache"));
    ground.start(&mut command, "said-by-workers")
}

/// Kills the process, if it has not ended.
fn end(process: &mut Owned) {
    let _ = process.kill();
    process.wait().expect("it ends");
}
