//! Runs whose games are played by workers through a NATS broker, including failures of any of the machines.

mod faults;
mod fitness;
mod ladders;
mod late;
mod security;
mod tidings;

use std::fs;
use std::process::Command;

use gothello_arena::game::Side;
use gothello_arena::referee::pace::TimeScale;
use gothello_arena::referee::record::GameRecord;
use rustix::process::Signal;
use tempfile::TempDir;

use crate::harness::arena::{Arena, Running, TIMEOUT, UNEQUAL_CONTROL, text, unequal_clocks};
use crate::harness::broker::{Broker, nats_server};
use crate::harness::waiting::{PAUSE, until};

/// The bucket `name`, which the program under test creates.
async fn bucket(context: &async_nats::jetstream::Context, name: &str) -> async_nats::jetstream::kv::Store {
    let made = async {
        loop {
            if let Ok(bucket) = context.get_key_value(name).await {
                break bucket;
            }
            tokio::time::sleep(PAUSE).await;
        }
    };
    tokio::time::timeout(TIMEOUT, made).await.unwrap_or_else(|_| panic!("the bucket `{name}` does not exist"))
}

fn field(keys: &str, depth: u32) -> String {
    format!(
        "{keys}\nseed = 7\naffinity = false\n[[player]]\nname = \"random\"\nbuiltin = \"random\"\n\
         [[player]]\nname = \"greedy\"\nbuiltin = \"greedy\"\n\
         [[player]]\nname = \"deep\"\nbuiltin = \"alphabeta\"\ndepth = {depth}\n"
    )
}

/// A fourth player, which crashes when its first turn begins. If it crashed during another player's turn, it would drop
/// out before or after that player's move, depending on the machine's load, and the games would differ.
fn group_rest() -> String {
    let crash = "printf '0.9.2 player %s\\r\\n' $GOTHELLO_SIDE; turns=$GOTHELLO_SIDE; while read -r line; do \
                 case $line in 354*|331*) turns=$((turns - 1));; esac; [ $turns -gt 0 ] || exit 3; done";
    format!("[[player]]\nname = \"crash\"\ntransport = \"stdio\"\ncommand = [\"sh\", \"-c\", {crash:?}]\n")
}

/// Two more players, for a table of six.
const SIXTH: &str =
    "[[player]]\nname = \"fifth\"\nbuiltin = \"random\"\n[[player]]\nname = \"sixth\"\nbuiltin = \"greedy\"\n";

/// Checks that the run in `out` is complete, and has the same standings as a run on this machine without workers.
#[track_caller]
fn assert_as_alone(arena: &Arena) {
    let check = arena.output(&["rebuild", "--check", "out"]);
    assert!(check.status.success(), "{}", text(&check.stderr));
    let alone = arena.output(&["run", "class.toml", "--out", "alone", "--quiet"]);
    assert_eq!(text(&arena.output(&["standings", "out"]).stdout), text(&alone.stdout));
    let games = fs::read_to_string(arena.out().join("journal.jsonl")).expect("a journal");
    let ids: Vec<&str> = games.lines().filter_map(|line| line.split("\"id\":\"").nth(1)?.split('"').next()).collect();
    let distinct: std::collections::BTreeSet<&&str> = ids.iter().collect();
    assert_eq!(distinct.len(), ids.len(), "each game is in the journal once");
}

#[test]
fn workers_play_what_one_machine_would_have_played_in_every_format() {
    let Some(broker) = Broker::start() else { return };
    let home = Arena::new("");
    let _workers = [broker.worker(&home, "one"), broker.worker(&home, "two")];
    let two =
        "[[player]]\nname = \"random\"\nbuiltin = \"random\"\n[[player]]\nname = \"greedy\"\nbuiltin = \"greedy\"\n";
    for keys in [
        field("rounds = 2", 1),
        field("format = \"gauntlet\"\nrounds = 2", 1) + "challenger = true\n",
        field(concat!(unequal_clocks!(), "format = \"swiss\"\nrounds = 3"), 1),
        field("format = \"knockout\"", 1),
        field("rounds = 1\nopenings = { plies = 2 }\nillegal_tries = \"unlimited\"", 1),
        field("format = \"group\"\nruleset = \"quantum-8-4p\"\nquit_timeout = \"500ms\"", 1) + &group_rest(),
        field("format = \"group\"\nruleset = \"quantum-6p\"\nquit_timeout = \"500ms\"", 1) + &group_rest() + SIXTH,
        format!("format = \"sprt\"\nmax_pairs = 6\nseed = 7\naffinity = false\n{two}"),
    ] {
        let arena = Arena::new(&keys);
        let (code, stderr) = broker.coordinate(&arena).end();
        assert_eq!(code, Some(0), "{keys}: {stderr}");
        assert!(stderr.contains(" worker: one (1)") || stderr.contains(" two (1)"), "{stderr}");
        assert!(stderr.contains(", on one)") || stderr.contains(", on two)"), "{stderr}");
        assert_as_alone(&arena);
        if keys.starts_with("black_time") {
            arena.assert_clocks_were(UNEQUAL_CONTROL);
        }
        let logs = fs::read_dir(arena.out().join("games")).expect("logs");
        for log in logs.map(|log| fs::read_to_string(log.expect("a log").path()).expect("read")) {
            assert!(log.contains("[Worker \"one\"]") || log.contains("[Worker \"two\"]"), "{log}");
        }
    }
    let listed = home.output(&["workers", "--nats", &broker.url()]);
    let table = text(&listed.stdout);
    assert!(table.contains("one") && table.contains("two") && listed.status.success(), "{table}");
}

#[test]
fn a_worker_gets_the_files_of_a_team_s_later_programs() {
    let Some(broker) = Broker::start() else { return };
    let home = Arena::new("");
    let _worker = broker.worker(&home, "one");
    let keys = "ruleset = \"quantum-8\"\nseed = 7\naffinity = false\nquit_timeout = \"500ms\"\n[[player]]\n\
                name = \"random\"\nbuiltin = \"random\"\n[[player]]\nname = \"team\"\n\
                modes.othello = { builtin = \"greedy\" }\n\
                modes.go = { dir = \"go\", transport = \"stdio\", command = [\"sh\", \"bot.sh\"] }\n";
    let arena = Arena::new(keys);
    fs::create_dir(arena.path().join("go")).expect("created");
    // The bot does not take its seat, so that the games are the same on every machine.
    fs::write(arena.path().join("go/bot.sh"), "echo sent >&2; exit 1\n").expect("written");
    let (code, stderr) = broker.coordinate(&arena).end();
    assert_eq!(code, Some(0), "{stderr}");
    for (game, side) in [("r1-random-team", "white"), ("r1-team-random", "black")] {
        let log = fs::read_to_string(arena.out().join(format!("games/{game}.log"))).expect("a log");
        assert!(log.contains("[Worker \"one\"]") && log.contains("its bot for go: "), "{log}");
        let output = fs::read_to_string(arena.out().join(format!("games/{game}.{side}.stderr"))).expect("its output");
        assert!(output.ends_with("[go]\nsent\n"), "{output}");
    }
    assert_as_alone(&arena);
}

#[test]
fn what_a_bot_tells_about_its_thinking_comes_with_the_record() {
    let Some(broker) = Broker::start() else { return };
    let home = Arena::new("");
    let _worker = broker.worker(&home, "one");
    let arena = Arena::new(
        "affinity = false\n[[player]]\nname = \"random\"\nbuiltin = \"random\"\n[[player]]\nname = \"thinker\"\n\
         transport = \"stdio\"\ndir = \"bot\"\ncommand = [\"sh\", \"bot.sh\"]\n",
    );
    fs::create_dir(arena.path().join("bot")).expect("created");
    let bot = "printf '0.9.2 player %s\\r\\n' $GOTHELLO_SIDE\n\
               while read -r line; do case $line in 351*|352*) echo '#think value=+3' >&2; echo '1 c3'; break;; esac; done\n";
    fs::write(arena.path().join("bot/bot.sh"), bot).expect("written");
    let (code, stderr) = broker.coordinate(&arena).end();
    assert_eq!(code, Some(0), "{stderr}");
    let log = fs::read_to_string(arena.out().join("games/r1-thinker-random.log")).expect("a log");
    assert!(log.contains("[Worker \"one\"]") && log.contains("1. c3 {") && log.contains(" [%eval +3]}"), "{log}");
}

#[test]
fn a_slower_worker_gives_more_time_and_every_log_tells_who_played_how_fast() {
    let Some(broker) = Broker::start() else { return };
    let home = Arena::new("");
    let listed = |name: &str| {
        until(&format!("worker `{name}` in the list"), || {
            let list = home.output(&["workers", "--nats", &broker.url(), "--json"]);
            let value = crate::house::json::fits(&crate::house::json::strict("workers"), &text(&list.stdout));
            let workers = value["workers"].as_array().expect("a list");
            let worker = workers.iter().find(|worker| worker["worker"] == name)?;
            Some(worker["speed"].as_u64().expect("measured"))
        })
    };
    let measured = broker.worker(&home, "measured");
    let speed = listed("measured");
    drop(measured);
    let start = |name: &str, speed: u64| {
        let speed = speed.to_string();
        let args = ["worker", "--nats", &broker.url(), "--slots", "1", "--name", name, "--speed", &speed];
        Arena::started(&mut home.command(&args))
    };
    let mut crawling = start("crawling", 1);
    let toml = |rounds: u32| {
        format!(
            "rounds = {rounds}\ntime = \"60s\"\nscale_time = true\naffinity = false\n[[player]]\nname = \"script\"\n\
             transport = \"stdio\"\ncommand = [\"python3\", \"bot.py\"]\n[[player]]\nname = \"greedy\"\nbuiltin = \"greedy\"\n"
        )
    };
    let arena = Arena::new(&toml(1));
    // The bot records the lines about clocks that it receives.
    let tell = "    code = int(code)\n    if code == 101:\n        sys.stderr.write(line)\n";
    let source = include_str!("../../../examples/line_bot.py").replace("    code = int(code)\n", tell);
    fs::write(arena.path().join("bot.py"), source).expect("written");
    let run = broker.coordinate_with(&arena, &["--slots", "0", "--worker-timeout", "5m"]);
    // The other worker starts once this one has seen the run; otherwise, the other worker could play both games first.
    let refused = crawling.hear("not playing");
    assert!(refused.contains("more than a factor of four"), "{refused}");
    let half = start("half", speed / 2);
    let (code, stderr) = run.end();
    assert_eq!(code, Some(0), "{stderr}");
    drop((half, crawling));
    // The coordinator alone plays the second round.
    fs::write(arena.path().join("class.toml"), toml(2)).expect("written");
    let url = broker.url();
    let more = arena.run(&["--extend", "--nats", &url, "--slots", "1"]);
    assert_eq!(more.status.code(), Some(0), "{}", text(&more.stderr));
    let worker = arena.record("r1-script-greedy");
    let own = arena.record("r2-script-greedy");
    let tag = |record: &GameRecord, name: &str| {
        record.other_tags.iter().find(|(other, _)| other == name).map(|(_, value)| value.clone())
    };
    assert_eq!((tag(&worker, "Worker").as_deref(), tag(&own, "Worker")), (Some("half"), None));
    assert_eq!(tag(&worker, "Speed"), Some((speed / 2).to_string()));
    assert!(tag(&own, "Speed").is_some() && own.time_scale == TimeScale::ONE);
    assert_eq!((worker.time_control, worker.clocks() == own.clocks()), (own.time_control, false), "{worker}");
    for (record, game) in [(&worker, "r1-script-greedy"), (&own, "r2-script-greedy")] {
        let told = fs::read_to_string(arena.out().join(format!("games/{game}.black.stderr"))).expect("stderr");
        let seconds = record.clocks().and_then(|clocks| clocks.first_allowance(Side::Black)).expect("clocks").as_secs();
        assert!(told.starts_with(&format!("101 {seconds} {seconds} ")), "{told}{record}");
    }
    let logs = ["out/games/r1-script-greedy.log", "out/games/r2-script-greedy.log"];
    let replayed = arena.output(&[&["replay", "--check"][..], &logs].concat());
    assert!(replayed.status.success(), "{}", text(&replayed.stderr));
    let table = text(&arena.output(&["standings", "out", "--workers"]).stdout);
    assert!(table.contains("(the coordinator)") && table.contains("half"), "{table}");
    assert_as_alone(&arena);
}

#[test]
fn a_broker_that_ends_or_does_not_have_its_port_is_noticed() {
    let Some(mut broker) = Broker::start() else { return };
    let dir = TempDir::new().expect("a directory");
    let mut server = Command::new(nats_server().expect("nats-server"));
    let mut server = Broker::spawned(server.args(["-c", "no-such.conf", "--ports_file_dir", "."]), dir.path());
    let why = Broker::port_of(&mut server, dir.path()).expect_err("there is nothing to read");
    assert!(why.contains("has ended") && why.contains("no-such.conf"), "{why}");

    broker.kill();
    let mut in_the_way = Some(std::net::TcpListener::bind(("127.0.0.1", broker.port)).expect("a port"));
    let mut failures = Vec::new();
    broker.start_again(|why| {
        in_the_way = None;
        failures.push(why.to_owned());
    });
    assert!(failures.first().is_some_and(|why| why.contains("address already in use")), "{failures:?}");
    broker.client();
}

#[test]
fn a_program_goes_to_workers_with_its_files_and_its_build() {
    let Some(broker) = Broker::start() else { return };
    let toml = "rounds = 1\nconcurrency = 1\n[[player]]\nname = \"script\"\ndir = \"bots/script\"\n\
                command = [\"python3\", \"bot.py\", \"{side}\", \"{port}\"]\nbuild = [\"cp\", \"source\", \"bot.py\"]\n\
                [[player]]\nname = \"greedy\"\nbuiltin = \"greedy\"\n";
    let arena = Arena::new(toml);
    let dir = arena.path().join("bots/script");
    fs::create_dir_all(&dir).expect("made");
    let source = include_str!("../../../examples/line_bot.py");
    fs::write(dir.join("source"), format!("import sys\nsys.stderr.write('from the worker\\n')\n{source}"))
        .expect("written");
    let elsewhere = Arena::new("");
    let _worker = broker.worker(&elsewhere, "one");
    let (code, stderr) = broker.coordinate(&arena).end();
    assert_eq!(code, Some(0), "{stderr}");
    for game in ["r1-script-greedy", "r1-greedy-script"] {
        let record = arena.record(game);
        let side = if game.starts_with("r1-script") { "black" } else { "white" };
        let written = fs::read_to_string(arena.out().join("games").join(format!("{game}.{side}.stderr")));
        assert!(written.expect("stderr").starts_with("from the worker\n"), "{record}");
    }
    let again = arena.run(&[]);
    assert!(text(&again.stderr).contains("is complete: 2 games"), "{}", text(&again.stderr));
}

#[test]
fn a_run_survives_the_death_of_a_worker_the_coordinator_and_the_broker() {
    let Some(mut broker) = Broker::start() else { return };
    let arena = Arena::new(&field("rounds = 12", 3));
    let mut workers = vec![broker.worker(&arena, "one"), broker.worker(&arena, "two")];
    let mut run = broker.coordinate(&arena);
    run.hear("5/72] ");
    workers.remove(0).child.kill().expect("it runs");
    run.hear("12/72] ");
    run.child.kill().expect("it runs");
    drop(run);
    let mut run = broker.coordinate(&arena);
    run.hear("continuing the run");
    // A killed broker sometimes loses the last jobs and answers that it had accepted, so the test kills it several
    // times.
    for line in ["18/72] ", "22/72] ", "26/72] "] {
        run.hear(line);
        broker.restart(true);
    }
    run.hear("30/72] ");
    broker.restart(false);
    run.hear("40/72] ");
    let frozen = &workers[0];
    frozen.signal(Signal::STOP);
    let third = broker.worker(&arena, "three");
    run.hear("50/72] ");
    frozen.signal(Signal::CONT);
    let (code, stderr) = run.end();
    assert_eq!(code, Some(0), "{stderr}");
    drop(third);
    assert_as_alone(&arena);
}

#[test]
fn a_game_that_kills_its_workers_becomes_void_and_names_them() {
    let Some(broker) = Broker::start() else { return };
    let toml = "rounds = 1\nvoid_retries = 0\nisolation = \"off\"\n[[player]]\nname = \"killer\"\n\
                command = [\"sh\", \"-c\", \"kill -9 $PPID; exec sleep 60\", \"{port}\"]\n\
                [[player]]\nname = \"greedy\"\nbuiltin = \"greedy\"\n";
    let arena = Arena::new(toml);
    let run = broker.coordinate(&arena);
    let waiting = std::thread::spawn(move || run.end());
    // The workers run one after another, as under a service manager that restarts its service.
    while !waiting.is_finished() {
        let mut worker = broker.worker(&arena, "victim");
        let is_over = |worker: &mut Running| worker.child.try_wait().expect("asked").is_some();
        until("the end of a worker, or of the run", || (is_over(&mut worker) || waiting.is_finished()).then_some(()));
    }
    let (code, stderr) = waiting.join().expect("no panic");
    assert_eq!(code, Some(5), "{stderr}");
    let reason = "sent out 5 times, but no worker finished it (workers: victim)";
    assert!(stderr.contains(reason), "{stderr}");
    assert!(arena.results().iter().all(|row| row["termination"] == "void"), "{stderr}");
}

#[test]
fn a_broker_that_is_not_there_or_refuses_is_named_before_the_first_game() {
    let arena = Arena::new(&field("rounds = 1", 1));
    let refused = arena.run(&["--nats", "nats://127.0.0.1:1"]);
    let stderr = text(&refused.stderr);
    assert_eq!(refused.status.code(), Some(1), "{stderr}");
    assert!(stderr.contains("cannot connect to the broker at `nats://127.0.0.1:1` (--nats)"), "{stderr}");
    let missing = arena.output(&["worker", "--nats", "nats://127.0.0.1:1", "--nkey", "nowhere"]);
    assert!(text(&missing.stderr).contains("cannot use `nowhere` (--nkey)"), "{}", text(&missing.stderr));
    let both = arena.run(&["--nats", "nats://127.0.0.1:1", "--shard", "1/2"]);
    assert_eq!(both.status.code(), Some(2));
}

#[test]
fn another_version_is_refused_with_both_numbers() {
    let Some(broker) = Broker::start() else { return };
    let home = Arena::new("");
    let mut worker = broker.worker(&home, "one");
    worker.hear("waiting for a run");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let client = runtime.block_on(async {
        let client = async_nats::connect(broker.url()).await.expect("connected");
        let manifest = serde_json::json!({
            "format": 1, "program": "9.8.7", "run": "0123456789abcdef", "manifest": "none",
        });
        // The worker has created the bucket, or is about to.
        let context = async_nats::jetstream::new(client.clone());
        let runs = bucket(&context, "gothello_runs").await;
        runs.put("0123456789abcdef", manifest.to_string().into()).await.expect("shown");
        client
    });
    let refused = worker.hear("not playing");
    assert!(refused.contains("has version 9.8.7") && refused.contains(env!("CARGO_PKG_VERSION")), "{refused}");
    drop(client);
    // The worker ends even though the broker is gone.
    drop(broker);
    worker.signal(Signal::TERM);
    assert_eq!(worker.end().0, Some(143));
}
