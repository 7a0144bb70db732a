//! Unreliable networks and disks, and workers whose messages cannot be trusted.

use std::collections::HashMap;
use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex};

use async_nats::jetstream;
use futures_util::StreamExt as _;

use super::*;
use crate::harness::arena::{TIMEOUT, program};
use crate::harness::skipping::{Need, skipped};
use crate::harness::waiting::{InTime as _, PAUSE};

/// A network between a worker and the broker.
struct Network {
    port: u16,
    state: Arc<(Mutex<NetworkState>, Condvar)>,
}

#[derive(Default)]
struct NetworkState {
    /// Whether all data is blocked.
    is_cut: bool,
    connections: Vec<TcpStream>,
}

impl Network {
    /// Creates a network that leads to `port` on this machine.
    fn to(port: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let own = listener.local_addr().expect("bound").port();
        let state = Arc::new((Mutex::<NetworkState>::default(), Condvar::new()));
        let shared = Arc::clone(&state);
        std::thread::spawn(move || {
            for near in listener.incoming().map_while(Result::ok) {
                let Ok(far) = TcpStream::connect(("127.0.0.1", port)) else { continue };
                shared
                    .0
                    .lock()
                    .expect("unpoisoned")
                    .connections
                    .extend([&near, &far].map(|it| it.try_clone().expect("cloned")));
                for (mut from, mut to) in
                    [(near.try_clone().expect("cloned"), far.try_clone().expect("cloned")), (far, near)]
                {
                    let shared = Arc::clone(&shared);
                    std::thread::spawn(move || {
                        let mut buffer = [0; 8192];
                        while let Ok(length @ 1..) = from.read(&mut buffer) {
                            let state = shared.0.lock().expect("unpoisoned");
                            drop(shared.1.wait_while(state, |state| state.is_cut).expect("unpoisoned"));
                            if to.write_all(&buffer[..length]).is_err() {
                                break;
                            }
                        }
                        // The other direction may have ended the connection already.
                        let _ = to.shutdown(Shutdown::Both);
                    });
                }
            }
        });
        Self { port: own, state }
    }

    /// From now on, blocks all data (`is_cut`), or lets everything through, including data that was sent earlier.
    fn cut(&self, is_cut: bool) {
        self.state.0.lock().expect("unpoisoned").is_cut = is_cut;
        self.state.1.notify_all();
    }

    /// Breaks all connections.
    fn reset(&self) {
        for connection in self.state.0.lock().expect("unpoisoned").connections.drain(..) {
            // The connection may have ended.
            let _ = connection.shutdown(Shutdown::Both);
        }
    }
}

#[test]
fn a_worker_that_is_cut_off_loses_its_games_to_others_and_comes_back() {
    let Some(broker) = Broker::start() else { return };
    let network = Network::to(broker.port);
    let arena = Arena::new(&field("rounds = 10", 3));
    let far = Arena::started(&mut Broker::worker_command_at(network.port, &arena, "far"));
    let mut run = broker.coordinate(&arena);
    run.hear("4/60] ");
    // The worker that is cut off holds games and receives nothing; the next worker to arrive gets these games.
    network.cut(true);
    let near = broker.worker(&arena, "near");
    run.hear("20/60] ");
    network.cut(false);
    run.hear("30/60] ");
    network.reset();
    run.hear("36/60] ");
    // Only the worker that was cut off is left, and it plays the remaining games.
    drop(near);
    let (code, stderr) = run.end();
    assert_eq!(code, Some(0), "{stderr}");
    assert_as_alone(&arena);
    far.signal(Signal::TERM);
    assert_eq!(far.end().0, Some(143));
}

#[test]
fn no_game_counts_that_was_played_with_the_files_of_an_earlier_start() {
    let Some(broker) = Broker::start() else { return };
    let arena = Arena::new(
        "rounds = 12\n[[player]]\nname = \"script\"\ncommand = [\"python3\", \"bot.py\", \"{side}\", \"{port}\"]\n\
         [[player]]\nname = \"greedy\"\nbuiltin = \"greedy\"\n",
    );
    let write = |word: &str| {
        let source = include_str!("../../../../examples/line_bot.py");
        let bot = format!("import sys\nsys.stderr.write('{word}\\n')\n{source}");
        fs::write(arena.path().join("bot.py"), bot).expect("written");
    };
    write("before");
    let _workers = [broker.worker(&arena, "one"), broker.worker(&arena, "two")];
    let mut run = broker.coordinate(&arena);
    run.hear("3/24] ");
    run.child.kill().expect("it runs");
    drop(run);
    // The workers hold games from the first start of the run, and may not have noticed the second start.
    write("after");
    let (code, stderr) = broker.coordinate_with(&arena, &["--slots", "0", "--redo", "script"]).end();
    assert_eq!(code, Some(0), "{stderr}");
    for row in arena.results() {
        let side = if row["black"] == "script" { "black" } else { "white" };
        let written = fs::read_to_string(arena.out().join(format!("games/{}.{side}.stderr", row["game"])));
        assert_eq!(written.expect("stderr").lines().next(), Some("after"), "{row:?}");
    }
    let check = arena.output(&["rebuild", "--check", "out"]);
    assert!(check.status.success(), "{}", text(&check.stderr));
}

/// Waits until a coordinator announces its run. Returns the run's name, and the status of a worker `name` that has one
/// slot and plays for the run.
async fn announced(context: &jetstream::Context, name: &str) -> (String, serde_json::Value) {
    let runs = bucket(context, "gothello_runs").await;
    let shown = async {
        loop {
            let mut shown = runs.watch_with_history(">").await.expect("watched");
            // On a busy machine, the client may miss the broker's heartbeat.
            if let Some(Ok(run)) = shown.next().await {
                break run;
            }
        }
    };
    let run = tokio::time::timeout(TIMEOUT, shown).await.expect("the coordinator announces the run");
    let notice: serde_json::Value = serde_json::from_slice(&run.value).expect("a notice");
    let run = run.key;
    let status = serde_json::json!({
        "name": name, "program": env!("CARGO_PKG_VERSION"), "run": run, "slots": 1, "cores": 1, "playing": 0, "played": 0,
        "unfit": null, "unfit_for": null, "manifest": notice["manifest"], "cannot": {},
    });
    (run, status)
}

/// A worker that lies: it sends heartbeats, takes jobs, and answers each job with the result of `answer`.
async fn lie(client: &async_nats::Client, answer: impl Fn(&serde_json::Value) -> String) {
    let context = jetstream::new(client.clone());
    let (run, status) = announced(&context, "liar").await;
    let workers = bucket(&context, "gothello_workers").await;
    let deadline = std::time::Instant::now() + TIMEOUT;
    let job = loop {
        assert!(std::time::Instant::now() < deadline, "the coordinator publishes no job");
        // The liar repeats its heartbeat, as a worker does. The coordinator recreates the consumer whenever it starts.
        workers.put("liar", status.to_string().into()).await.expect("said");
        let jobs = context.get_consumer_from_stream("all", format!("gothello-{run}-jobs")).await;
        let Ok(jobs): Result<jetstream::consumer::PullConsumer, _> = jobs else { continue };
        let asked = jobs.batch().max_messages(1).expires(std::time::Duration::from_secs(1)).messages().await;
        let Ok(mut jobs) = asked else { continue };
        if let Some(Ok(job)) = jobs.next().await {
            break job;
        }
    };
    let value: serde_json::Value = serde_json::from_slice(&job.payload).expect("a job");
    let nothing = serde_json::json!({ "stdout": "", "stderr": "", "turns": [] });
    let answer = serde_json::json!({ "worker": "liar", "record": answer(&value), "black": nothing, "white": nothing });
    let subject = format!("gothello.{run}.result.{}.{}", value["number"], value["nth"]);
    context.publish(subject, answer.to_string().into()).await.expect("sent").await.expect("stored");
    job.ack().await.expect("acknowledged");
    workers.purge("liar").await.expect("gone");
}

#[test]
fn lies_are_refused_with_the_name_of_the_worker_and_the_games_are_played() {
    let Some(broker) = Broker::start() else { return };
    let arena = Arena::new(&field("rounds = 1", 1));
    // A valid record of one game of this tournament.
    let alone = arena.output(&["run", "class.toml", "--out", "before", "--quiet"]);
    assert!(alone.status.success());
    let log = |game: &str| fs::read_to_string(arena.path().join(format!("before/games/{game}.log"))).expect("a log");
    let mut run = broker.coordinate(&arena);
    let (runtime, client) = broker.client();
    let honest = log("r1-greedy-random");
    let ended = honest.find("[Result \"").map(|at| &honest[at + 9..at + 12]).expect("a result").to_owned();
    let other = if ended == "1-0" { "0-1" } else { "1-0" };
    let other_winner = honest.replace(&format!("\"{ended}\""), &format!("\"{other}\""));
    runtime.block_on(async {
        lie(&client, |_| honest.replace("r1-greedy-random", "r9-greedy-random")).await;
        lie(&client, |job| other_winner.replace("r1-greedy-random", job["game"].as_str().expect("an id"))).await;
    });
    let said = run.hear("an answer was refused: worker `liar`: the record describes a game other than ");
    assert!(said.contains("r1-"), "{said}");
    run.hear("an answer was refused: worker `liar`: ");
    let _worker = broker.worker(&arena, "honest");
    let (code, stderr) = run.end();
    assert_eq!(code, Some(0), "{stderr}");
    assert_as_alone(&arena);
}

/// As after a kill of the broker in which it has lost answers, but not the acknowledgements of their jobs.
#[test]
fn jobs_that_the_broker_has_lost_are_published_again() {
    let Some(broker) = Broker::start() else { return };
    let arena = Arena::new(&field("rounds = 1", 1));
    let run = broker.coordinate(&arena);
    let (runtime, client) = broker.client();
    runtime.block_on(async {
        let context = jetstream::new(client.clone());
        let (name, status) = announced(&context, "idle").await;
        let workers = bucket(&context, "gothello_workers").await;
        let jobs = context.get_stream(format!("gothello-{name}-jobs")).await.expect("there");
        let published = async || {
            let deadline = std::time::Instant::now() + TIMEOUT;
            while jobs.get_info().await.expect("told").state.messages == 0 {
                assert!(std::time::Instant::now() < deadline, "there are no jobs");
                workers.put("idle", status.to_string().into()).await.expect("said");
                tokio::time::sleep(PAUSE).await;
            }
        };
        published().await;
        jobs.purge().await.expect("purged");
        published().await;
        workers.purge("idle").await.expect("gone");
    });
    let _worker = broker.worker(&arena, "one");
    let (code, stderr) = run.end();
    assert_eq!(code, Some(0), "{stderr}");
    assert_as_alone(&arena);
}

/// The answers exist before their games are requested, as after a restart of the coordinator. The answers may have any
/// length, and some are about games that do not exist.
#[test]
fn answers_that_come_before_their_games_are_asked_for_count_and_take_no_memory() {
    let Some(broker) = Broker::start() else { return };
    let arena = Arena::new(&field("rounds = 20", 1));
    let alone = arena.output(&["run", "class.toml", "--out", "before", "--quiet"]);
    assert!(alone.status.success());
    let rows = fs::read_to_string(arena.path().join("before/results.csv")).expect("a table");
    let mut rows = csv::Reader::from_reader(rows.as_bytes());
    let games = rows.deserialize::<HashMap<String, String>>().map(|row| row.expect("a row")["game"].clone());
    let games: Vec<String> = games.collect();
    assert_eq!(games.len(), 120);
    let mut run = broker.coordinate(&arena);
    let (runtime, client) = broker.client();
    let padding = "x".repeat(400_000);
    runtime.block_on(async {
        let context = jetstream::new(client.clone());
        let mut shown = bucket(&context, "gothello_runs").await.watch_with_history(">").await.expect("watched");
        // On a busy machine, the broker's heartbeats can be late, which is harmless.
        let run = loop {
            let next = tokio::time::timeout(TIMEOUT, shown.next()).await.expect("the coordinator announces the run");
            if let Ok(entry) = next.expect("a run") {
                break entry.key;
            }
        };
        let nowhere = (0..100).map(|number| (1_000_000 + number, &games[0]));
        for (number, game) in (0..).zip(&games).chain(nowhere) {
            let record = fs::read_to_string(arena.path().join(format!("before/games/{game}.log"))).expect("a log");
            let wrote = serde_json::json!({ "stdout": "", "stderr": &padding, "turns": [] });
            let answer = serde_json::json!({ "worker": "early", "record": record, "black": wrote, "white": wrote });
            let subject = format!("gothello.{run}.result.{number}.1");
            context.publish(subject, answer.to_string().into()).await.expect("sent").await.expect("stored");
        }
        // The coordinator immediately removes useless answers from the broker.
        let mut results = context.get_stream(format!("gothello-{run}-results")).await.expect("there");
        let deadline = std::time::Instant::now() + TIMEOUT;
        while results.info().await.expect("told").state.messages > 120 {
            assert!(std::time::Instant::now() < deadline, "answers to nonexistent games are kept");
            tokio::time::sleep(PAUSE).await;
        }
    });
    let status = fs::read_to_string(format!("/proc/{}/status", run.child.id())).expect("it runs");
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak");
    let peak: u64 = peak.trim().trim_end_matches(" kB").parse().expect("a number");
    // The answers amount to 176 MB.
    assert!(peak < 120_000, "{peak} kB");
    let _worker = broker.worker(&arena, "other");
    run.hear("120/120] ");
    let (code, stderr) = run.end();
    assert_eq!(code, Some(0), "{stderr}");
    assert_as_alone(&arena);
    let last = fs::read_to_string(arena.out().join("games/r20-greedy-random.log")).expect("a log");
    assert!(last.contains("[Worker \"early\"]"), "{last}");
}

#[test]
fn a_coordinator_on_a_full_disk_ends_with_an_error_and_continues_once_there_is_room() {
    let Some(broker) = Broker::start() else { return };
    let arena = Arena::new(&field("rounds = 10", 1));
    let _worker = broker.worker(&arena, "one");
    let script = format!(
        "mkdir -p out && mount -t tmpfs -o size=64k none out || exit 99
        coordinate='run class.toml --out out --slots 0 --worker-timeout 1s --nats {}'
        $0 $coordinate 2>first; echo $? >code
        mount -o remount,size=16m out
        $0 $coordinate >standings 2>second; echo $? >>code
        mkdir whole && cp -r out/. whole",
        broker.url()
    );
    let mut command = Command::new("unshare");
    command.args(["--mount", "sh", "-c", &script, program()]).current_dir(arena.path());
    let mut trial = Command::new("unshare");
    trial.args(["--mount", "sh", "-c", "mkdir t && mount -t tmpfs none t"]).current_dir(arena.path());
    if !trial.output_in_time().is_ok_and(|output| output.status.success()) {
        skipped(Need::Mounts, "the test is not allowed to mount anything on this machine");
        return;
    }
    command.output_in_time().expect("unshare starts");
    let read = |name: &str| fs::read_to_string(arena.path().join(name)).unwrap_or_default();
    let (first, second) = (read("first"), read("second"));
    assert_eq!(read("code"), "1\n0\n", "{first}{second}");
    assert!(first.contains("No space left on device") && first.contains("the same command continues"), "{first}");
    fs::rename(arena.path().join("whole"), arena.out())
        .or_else(|_| {
            fs::remove_dir_all(arena.out())?;
            fs::rename(arena.path().join("whole"), arena.out())
        })
        .expect("moved");
    // Every game that was reported is in the journal exactly once.
    assert!(second.contains("of 60 games have been played"), "{second}");
    assert_as_alone(&arena);
}

#[test]
fn a_broker_that_cannot_be_used_is_named_with_what_it_lacks() {
    for (conf, expected) in [
        ("", "cannot be used: it runs without JetStream; start it with `-js`"),
        ("jetstream { store_dir: files }\nmax_payload: 4KB\n", "cannot be used: its `max_payload` is 4096 bytes"),
    ] {
        let configure = |dir: &Path| {
            fs::write(dir.join("nats.conf"), format!("listen: \"127.0.0.1:-1\"\n{conf}")).expect("written");
        };
        let Some(broker) = Broker::start_as(TempDir::new().expect("a directory"), configure) else { return };
        let arena = Arena::new(&field("rounds = 1", 1));
        for args in [&["run", "class.toml", "--out", "out"][..], &["worker", "--cache", "kept"], &["workers"]] {
            let output = arena.output(&[args, &["--nats", &broker.url()]].concat());
            let stderr = text(&output.stderr);
            assert!(output.status.code() == Some(1) && stderr.contains(expected), "{args:?}: {stderr}");
        }
    }
}

#[test]
fn a_game_counts_without_the_output_of_the_bots_if_the_broker_does_not_accept_so_much() {
    let configure = |dir: &Path| {
        let conf = "listen: \"127.0.0.1:-1\"\njetstream { store_dir: files }\nmax_payload: 256KB\n";
        fs::write(dir.join("nats.conf"), conf).expect("written");
    };
    let Some(broker) = Broker::start_as(TempDir::new().expect("a directory"), configure) else { return };
    let arena = Arena::new(
        "rounds = 1\noutput_cap = \"1 MiB\"\n[[player]]\nname = \"script\"\n\
         command = [\"python3\", \"bot.py\", \"{side}\", \"{port}\"]\n\
         [[player]]\nname = \"greedy\"\nbuiltin = \"greedy\"\n",
    );
    let source = include_str!("../../../../examples/line_bot.py");
    let bot = format!("import sys\nsys.stderr.write('x' * (1 << 19))\n{source}");
    fs::write(arena.path().join("bot.py"), bot).expect("written");
    let elsewhere = Arena::new("");
    let mut worker = broker.worker(&elsewhere, "one");
    let (code, stderr) = broker.coordinate(&arena).end();
    assert_eq!(code, Some(0), "{stderr}");
    let said = worker.hear("(`max_payload`)");
    assert!(said.contains("is left out"), "{said}");
    for (game, side) in [("r1-script-greedy", "black"), ("r1-greedy-script", "white")] {
        let record = arena.record(game);
        assert!(record.result.is_ok(), "{record}");
        assert!(!arena.out().join(format!("games/{game}.{side}.stderr")).exists(), "{game}");
    }
}
