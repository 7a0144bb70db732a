//! Measures games over a NATS broker: how many jobs the coordinator and the broker can handle, the cost of a thousand
//! workers, and how much slower real games are than without a broker. `cargo bench --bench nats -- jobs`, `workers` and
//! `games` run only one of the three. The floor for the first two is the same exchange of equally long messages with
//! the same workers, but the coordinator is replaced with a bare program that only publishes jobs and acknowledges
//! answers.

#[path = "common/bare_coordinator.rs"]
mod bare_coordinator;
#[path = "common/broker.rs"]
mod broker;
#[path = "common/random_game.rs"]
mod random_game;
#[path = "common/simulated.rs"]
mod simulated;

use std::collections::HashSet;
use std::fs;
use std::num::NonZeroUsize;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use bare_coordinator::Exchange;
use broker::{Broker, Used};
use random_game::tournament_file;
use simulated::{Answers, Behaviour, Workforce, until};

const ARENA: &str = env!("CARGO_BIN_EXE_gothello-arena");

/// With eleven players, a round has 110 games.
const PLAYERS: u32 = 11;

/// The time limit for each wait, after which the bench fails.
const MOST: Duration = Duration::from_mins(10);

fn main() {
    // `cargo bench` passes `--bench`. Run as a test, the bench plays only a few games, to show that it still works.
    let full = std::env::args().any(|word| word == "--bench");
    let asked: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let is_asked = |what: &str| asked.is_empty() || asked.iter().any(|word| word == what);
    if is_asked("jobs") {
        jobs(if full { 300 } else { 1 });
    }
    if is_asked("workers") {
        workers(full);
    }
    if is_asked("games") {
        real_games(full);
    }
}

/// The mean number of processes that are running or waiting for a core.
fn load() -> String {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').next().unwrap_or_default().to_owned()
}

/// A separate process that coordinates a run and leaves all games to workers.
struct Coordinator {
    dir: tempfile::TempDir,
    process: Child,
}

impl Coordinator {
    fn start(text: &str, broker: &Broker, durability: &str) -> Self {
        let dir = tempfile::tempdir().expect("a directory");
        fs::write(dir.path().join("class.toml"), text).expect("written");
        let mut command = Command::new(ARENA);
        command.args(["run", "class.toml", "--out", "out", "--slots", "0", "--isolation", "off"]);
        command.args(["--durability", durability, "--nats", &broker.url()]).current_dir(dir.path());
        let said = fs::File::create(dir.path().join("said")).expect("made");
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(said);
        Self { process: command.spawn().expect("it starts"), dir }
    }

    fn id(&self) -> u32 {
        self.process.id()
    }

    /// The coordinator's output so far.
    fn said(&self) -> String {
        fs::read_to_string(self.dir.path().join("said")).unwrap_or_default()
    }

    /// Waits for the coordinator to end, and checks that its journal contains each of `games` games exactly once.
    fn end(mut self, games: u64) -> Finished {
        let status = self.process.wait().expect("it ends");
        let at = Instant::now();
        assert!(status.success(), "{}", self.said());
        let journal = fs::read_to_string(self.dir.path().join("out/journal.jsonl")).expect("a journal");
        assert_eq!(ids(&journal), games, "every game is in the journal");
        let said = self.said();
        let (journal_bytes, lines, said_bytes) = (journal.len() as u64, said.lines().count(), said.len());
        Finished { at, journal_bytes, lines, said_bytes, dir: self.dir }
    }
}

/// How many games a journal contains. Checks that each of them occurs only once.
fn ids(journal: &str) -> u64 {
    let ids: Vec<&str> = journal.lines().filter_map(|line| line.split("\"id\":\"").nth(1)?.split('"').next()).collect();
    let distinct: HashSet<&&str> = ids.iter().collect();
    assert_eq!(distinct.len(), ids.len(), "a game appears twice in the journal");
    ids.len() as u64
}

/// A run that has ended.
struct Finished {
    at: Instant,
    journal_bytes: u64,
    /// The number of lines that it printed on stderr.
    lines: usize,
    said_bytes: usize,
    /// The directory of its results, which exists until this value is dropped.
    dir: tempfile::TempDir,
}

#[expect(clippy::cast_precision_loss, reason = "small")]
fn per_second(games: u64, time: Duration) -> f64 {
    games as f64 / time.as_secs_f64()
}

#[expect(clippy::cast_precision_loss, reason = "small")]
fn micros_each(cpu: Duration, games: u64) -> f64 {
    cpu.as_secs_f64() * 1e6 / games as f64
}

/// Sends jobs through the coordinator and the broker, with workers that answer immediately.
fn jobs(rounds: u64) {
    let text = tournament_file(PLAYERS, rounds);
    let answers = Arc::new(Answers::to(&text));
    let behaviour = Behaviour { workers: 8, slots: 32, thinking: Duration::ZERO };
    let threads = NonZeroUsize::MIN;
    println!("{} jobs for {behaviour:?}, load {}", answers.len(), load());
    // For minutes after files are deleted, ext4 steps over each of them whenever it creates another file, which would
    // make the second run slower than the first.
    let mut dirs = Vec::new();
    for durability in ["fast", "fast", "fast", "safe"] {
        let Some(broker) = Broker::start() else { return };
        let bare = {
            let exchange = Exchange::start(&broker.url(), answers.len(), 3 * behaviour.workers * behaviour.slots);
            let workers = Workforce::start(&broker.url(), behaviour, threads, &answers);
            let rate = exchange.end();
            assert_eq!(workers.done.failed.load(Relaxed), 0);
            rate
        };
        let Some(broker) = Broker::start() else { return };
        let run = Coordinator::start(&text, &broker, durability);
        let workers = Workforce::start(&broker.url(), behaviour, threads, &answers);
        let done = Arc::clone(&workers.done);
        until(MOST, &run.said(), || done.answered.load(Relaxed) > 0);
        let (start, before, broker_before) = (Instant::now(), Used::by(run.id()), Used::by(broker.id()));
        let traffic = broker.traffic();
        let last = answers.len() * 9 / 10;
        until(MOST, "most answers", || done.answered.load(Relaxed) >= last);
        let (after, broker_after, traffic_after) = (Used::by(run.id()), Used::by(broker.id()), broker.traffic());
        let finished = run.end(answers.len());
        assert_eq!(broker.streams_of_runs(), [""; 0], "the run has removed everything from the broker");
        let rate = per_second(answers.len(), finished.at - start);
        assert_eq!(done.failed.load(Relaxed), 0);
        println!(
            "  {rate:6.0} games a second (bar 5,000) with --durability {durability}, bare exchange: {bare:6.0}, ratio {:.2}; load {}",
            rate / bare,
            load()
        );
        println!(
            "    a game takes {:.0} us of the coordinator's CPU time, {:.0} us of the broker's; the coordinator: {:.2} \
             cores, {:.0} MiB, {} files",
            micros_each(after.cpu.saturating_sub(before.cpu), last),
            micros_each(broker_after.cpu.saturating_sub(broker_before.cpu), last),
            after.share_since(&before),
            after.memory[1],
            after.files
        );
        println!(
            "    for each game, {} messages and {} bytes into and out of the broker; bytes of a job {}, of an \
             answer {}, in the journal {}, on stderr {}",
            (traffic_after.messages - traffic.messages) / last,
            (traffic_after.bytes - traffic.bytes) / last,
            done.job_bytes.load(Relaxed) / answers.len(),
            answers.mean_length(),
            finished.journal_bytes / answers.len(),
            finished.said_bytes as u64 / answers.len(),
        );
        dirs.push(finished.dir);
    }
}

/// A thousand workers, each with its own connection, whose games take a second.
fn workers(full: bool) {
    let (workers, rounds, warm_up, span) = if full { (1000, 650, 12, 40) } else { (20, 2, 1, 2) };
    let text = tournament_file(PLAYERS, rounds);
    let answers = Arc::new(Answers::to(&text));
    let behaviour = Behaviour { workers, slots: 1, thinking: Duration::from_secs(1) };
    println!("{} games for {behaviour:?}, load {}", answers.len(), load());
    let Some(broker) = Broker::start() else { return };
    let run = Coordinator::start(&text, &broker, "fast");
    let team = Workforce::start(&broker.url(), behaviour, NonZeroUsize::MIN, &answers);
    let done = Arc::clone(&team.done);
    let start = Instant::now();
    until(MOST, "all workers have found the run", || done.playing.load(Relaxed) == workers as u64);
    println!("  all have found the run within {:.1} s", start.elapsed().as_secs_f64());
    std::thread::sleep(Duration::from_secs(warm_up));
    let answered = done.answered.load(Relaxed);
    let (before, broker_before, traffic) = (Used::by(run.id()), Used::by(broker.id()), broker.traffic());
    std::thread::sleep(Duration::from_secs(span));
    let traffic_after = broker.traffic();
    let (after, broker_after) = (Used::by(run.id()), Used::by(broker.id()));
    let games = done.answered.load(Relaxed) - answered;
    println!(
        "  {:.0} games a second (bar {}); if games took a second and nothing else took time: {workers}; load {}",
        per_second(games, after.at - before.at),
        workers * 95 / 100,
        load()
    );
    println!(
        "    the coordinator: {:.2} cores (bar 1), {:.0} MiB, at most {:.0} MiB, {} files",
        after.share_since(&before),
        after.memory[0],
        after.memory[1],
        after.files
    );
    println!(
        "    the broker: {:.2} cores, {:.0} MiB, {} files; {} messages and {} bytes a second into and out of it",
        broker_after.share_since(&broker_before),
        broker_after.memory[0],
        broker_after.files,
        (traffic_after.messages - traffic.messages) / span,
        (traffic_after.bytes - traffic.bytes) / span
    );
    let asked = Instant::now();
    let listed = Command::new(ARENA).args(["workers", "--nats", &broker.url()]).output().expect("it starts");
    println!(
        "    `workers`: {} lines in {:.2} s",
        String::from_utf8_lossy(&listed.stdout).lines().count(),
        asked.elapsed().as_secs_f64()
    );
    until(MOST, "the last answer", || done.answered.load(Relaxed) >= answers.len());
    let last = Instant::now();
    let finished = run.end(answers.len());
    assert_eq!(done.failed.load(Relaxed), 0);
    println!(
        "    from the first of these figures to the last answer {:.0} s, and {:.1} s more to the end of the run; {} lines on \
         stderr for {} games",
        (last - before.at).as_secs_f64(),
        (finished.at - last).as_secs_f64(),
        finished.lines,
        answers.len()
    );
}

/// Real games on two workers with one slot each, compared with the same run without a broker.
fn real_games(full: bool) {
    let (rounds, times) = if full { (400, 5) } else { (1, 1) };
    let player = |name: &str, keys: &str| format!("[[player]]\nname = \"{name}\"\nbuiltin = \"{name}\"\n{keys}");
    // Otherwise, both workers would pin their bots to the same cores.
    let text = format!(
        "rounds = {rounds}\nseed = 7\ntime = \"60s\"\naffinity = false\n{}{}{}",
        player("random", ""),
        player("greedy", ""),
        player("alphabeta", "depth = 2\n")
    );
    let games = rounds * 6;
    println!("{games} real games, two workers of one slot, over `run --concurrency 2`, alternately; load {}", load());
    for _ in 0..times {
        let alone = alone(&text, games);
        let shared = shared(&text, games);
        println!(
            "  {shared:.1} over {alone:.1} games a second, ratio {:.2} (bar 0.9); load {}",
            shared / alone,
            load()
        );
    }
}

/// How many games per second this machine plays without workers.
fn alone(text: &str, games: u64) -> f64 {
    let dir = tempfile::tempdir().expect("a directory");
    fs::write(dir.path().join("class.toml"), text).expect("written");
    let mut command = Command::new(ARENA);
    command.args(["run", "class.toml", "--out", "out", "--quiet", "--isolation", "off", "--durability", "fast"]);
    command.args(["--concurrency", "2"]).current_dir(dir.path()).stdin(Stdio::null()).stdout(Stdio::null());
    let mut run = command.spawn().expect("it starts");
    let under_way = UnderWay::seen(dir.path());
    assert!(run.wait().expect("it ends").success());
    let end = Instant::now();
    let journal = fs::read_to_string(dir.path().join("out/journal.jsonl")).expect("a journal");
    assert_eq!(ids(&journal), games, "every game is in the journal");
    under_way.rate(games, end)
}

/// How many games per second two workers play for a run.
fn shared(text: &str, games: u64) -> f64 {
    let Some(broker) = Broker::start() else { return 0.0 };
    let worker = |name: &str| {
        let mut command = Command::new(ARENA);
        command.args(["worker", "--nats", &broker.url(), "--slots", "1", "--name", name]);
        command.stdin(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts")
    };
    let mut workers = [worker("one"), worker("two")];
    let run = Coordinator::start(text, &broker, "fast");
    let under_way = UnderWay::seen(run.dir.path());
    let finished = run.end(games);
    for worker in &mut workers {
        worker.kill().expect("it runs");
        worker.wait().expect("it ends");
    }
    under_way.rate(games, finished.at)
}

/// A run in which some games are over, so that all workers have joined.
struct UnderWay {
    games: u64,
    at: Instant,
}

impl UnderWay {
    /// Waits for the first games of the run in `dir`.
    fn seen(dir: &Path) -> Self {
        let games = || ids(&fs::read_to_string(dir.join("out/journal.jsonl")).unwrap_or_default());
        until(MOST, "the first games", || games() > 0);
        Self { games: games(), at: Instant::now() }
    }

    /// The games per second from then on, for a run that had played `games` games by its `end`.
    fn rate(&self, games: u64, end: Instant) -> f64 {
        per_second(games - self.games, end - self.at)
    }
}
