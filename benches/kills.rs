//! Kills workers, the coordinator and the broker in turn during a seeded tournament of built-in bots, restarts each,
//! and checks that every game is in the journal exactly once and that the standings are identical, byte for byte, to
//! those of an undisturbed run on one machine. The number of kills is an argument: `cargo bench --bench kills -- 300`.
//! Every third time that the broker is killed, its files are lost as well.

#[path = "common/broker.rs"]
mod broker;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use broker::{Broker, Used};
use gothello_arena::base::random::SplitMix64;

const ARENA: &str = env!("CARGO_BIN_EXE_gothello-arena");

/// How many workers there are, each with one slot.
const WORKERS: usize = 3;

/// The number of games per kill, which is large enough for all kills to happen during the run.
const GAMES_A_KILL: u64 = 6;

/// How long the bench waits without progress before it fails.
const MOST: Duration = Duration::from_mins(3);

fn main() {
    let asked = std::env::args().find_map(|word| word.parse().ok());
    let kills = asked.unwrap_or(if std::env::args().any(|word| word == "--bench") { 300 } else { 6 });
    let Some(broker) = Broker::start() else { return };
    let dir = tempfile::tempdir().expect("a directory");
    let games = (kills * GAMES_A_KILL).next_multiple_of(6);
    let player = |name: &str, keys: &str| format!("[[player]]\nname = \"{name}\"\nbuiltin = \"{name}\"\n{keys}");
    let bots = [player("random", ""), player("greedy", ""), player("alphabeta", "depth = 3\n")].concat();
    let text = format!("rounds = {}\nseed = 7\naffinity = false\ntime = \"60s\"\nvoid_retries = 9\n{bots}", games / 6);
    fs::write(dir.path().join("class.toml"), text).expect("written");
    println!("{kills} kills in rotation, {games} games, {WORKERS} workers");

    let start = Instant::now();
    let run = Disturbed::start(dir.path(), broker).kill(kills, games);
    let took = start.elapsed();
    let alone = output(dir.path(), &["run", "class.toml", "--out", "alone", "--quiet", "--isolation", "off"]);
    assert!(alone.status.success(), "{}", String::from_utf8_lossy(&alone.stderr));
    let check = output(dir.path(), &["rebuild", "--check", "out"]);
    assert!(check.status.success(), "{}", String::from_utf8_lossy(&check.stderr));
    let journal = Journalled::of(&dir.path().join("out"));
    let twice = journal.games.values().filter(|times| **times > 1).count();
    let lost = games - journal.games.len() as u64;
    let same = output(dir.path(), &["standings", "out"]).stdout == alone.stdout;
    let csv = |out: &str| fs::read(dir.path().join(out).join("standings.csv")).expect("written");
    let same_csv = csv("out") == csv("alone");
    println!(
        "  {} workers, {} coordinators and {} brokers killed in {took:.0?}: {lost} games lost, {twice} twice (bar 0, 0), {} \
         void on the way; standings {}, standings.csv {}",
        run.killed[0],
        run.killed[1],
        run.killed[2],
        journal.void,
        if same { "the same" } else { "DIFFERENT" },
        if same_csv { "the same" } else { "DIFFERENT" },
    );
    assert!(lost == 0 && twice == 0 && same && same_csv, "see above");
}

fn output(dir: &Path, args: &[&str]) -> Output {
    Command::new(ARENA).args(args).current_dir(dir).stdin(Stdio::null()).output().expect("it starts")
}

/// The contents of a journal so far.
struct Journalled {
    /// How many results each game has.
    games: BTreeMap<String, u32>,
    /// How many games were void.
    void: usize,
}

impl Journalled {
    fn of(out: &Path) -> Self {
        let text = fs::read_to_string(out.join("journal.jsonl")).unwrap_or_default();
        let (mut games, mut void) = (BTreeMap::new(), 0);
        for line in text.lines() {
            if line.starts_with("{\"game\":") {
                let id = line.split("\"id\":\"").nth(1).and_then(|rest| rest.split('"').next()).expect("an id");
                *games.entry(id.to_owned()).or_default() += 1;
            } else if line.starts_with("{\"void\":") {
                void += 1;
            }
        }
        Self { games, void }
    }
}

/// A run whose processes are killed.
struct Disturbed<'a> {
    dir: &'a Path,
    broker: Broker,
    coordinator: Child,
    workers: Vec<Child>,
    /// How many workers, coordinators and brokers were killed.
    killed: [u32; 3],
}

impl<'a> Disturbed<'a> {
    fn start(dir: &'a Path, broker: Broker) -> Self {
        let coordinator = coordinator(dir, &broker);
        let workers = (0..WORKERS).map(|number| worker(dir, &broker, number)).collect();
        Self { dir, broker, coordinator, workers, killed: [0; 3] }
    }

    /// Kills `kills` times, spread over the run of `games` games, and waits for its end.
    fn kill(mut self, kills: u64, games: u64) -> Self {
        let mut random = SplitMix64::new(1);
        let mut last = 0;
        for kill in 0..kills {
            // A kill can happen at any moment of a game, not only when a game has just been saved.
            let due = ((kill + 1) * games / (kills + 1)).max(last + 1);
            last = self.wait(due);
            sleep(Duration::from_millis(random.below(40)));
            match kill % 3 {
                0 => {
                    let number = usize::try_from(kill / 3).expect("few") % WORKERS;
                    end(&mut self.workers[number]);
                    self.workers[number] = worker(self.dir, &self.broker, number);
                }
                1 => {
                    end(&mut self.coordinator);
                    self.coordinator = coordinator(self.dir, &self.broker);
                }
                _ if kill / 3 % 3 == 2 => self.broker.restart_empty(),
                _ => self.broker.restart(),
            }
            self.killed[usize::try_from(kill % 3).expect("few")] += 1;
            if (kill + 1) % 30 == 0 {
                println!("  {} kills, {last} of {games} games", kill + 1);
            }
        }
        self.wait(games);
        let ended = self.coordinator.wait().expect("it ends");
        assert!(ended.success(), "{}", said(self.dir));
        self.workers.iter_mut().for_each(end);
        assert_eq!(self.broker.streams_of_runs(), [""; 0], "the run has removed everything from the broker");
        println!(
            "  the broker at the end: {} files, {:.0} MiB",
            Used::by(self.broker.id()).files,
            Used::by(self.broker.id()).memory[0]
        );
        self
    }

    /// Waits until the journal contains at least `games` games. Returns how many it contains.
    fn wait(&mut self, games: u64) -> u64 {
        let start = Instant::now();
        loop {
            let played = Journalled::of(&self.dir.join("out")).games.len() as u64;
            if played >= games {
                return played;
            }
            let ended = self.coordinator.try_wait().expect("it can be asked");
            assert!(ended.is_none(), "the coordinator has ended: {}", said(self.dir));
            assert!(start.elapsed() < MOST, "no progress: {}\n{}", self.broker.url(), said(self.dir));
            sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Disturbed<'_> {
    fn drop(&mut self) {
        end(&mut self.coordinator);
        self.workers.iter_mut().for_each(end);
    }
}

fn said(dir: &Path) -> String {
    let text = fs::read_to_string(dir.join("said")).unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(40)..].join("\n")
}

fn coordinator(dir: &Path, broker: &Broker) -> Child {
    let mut command = Command::new(ARENA);
    command.args(["run", "class.toml", "--out", "out", "--slots", "0", "--isolation", "off", "--worker-timeout", "1s"]);
    command.args(["--nats", &broker.url()]);
    spawned(command, dir, "said")
}

fn worker(dir: &Path, broker: &Broker, number: usize) -> Child {
    let mut command = Command::new(ARENA);
    command.args(["worker", "--nats", &broker.url(), "--slots", "1", "--name", &format!("worker-{number}")]);
    spawned(command, dir, "said-by-workers")
}

fn spawned(mut command: Command, dir: &Path, said: &str) -> Child {
    let said = File::options().create(true).append(true).open(dir.join(said)).expect("opened");
    command.current_dir(dir).stdin(Stdio::null()).stdout(Stdio::null()).stderr(said);
    command.spawn().expect("it starts")
}

fn end(process: &mut Child) {
    // The process may already have ended.
    let _ = process.kill();
    let _ = process.wait();
}
