//! Arenas that play at the same time on one machine: their bots run on different cores, no arena changes the files with
//! which another arena plays, and if several arenas are started in one directory, only one of them plays.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use rustix::process::Signal;

use crate::confinement::probes::{Way, can_confine};
use crate::harness::arena::{Arena, Ready, Running, TIMEOUT, carol, remote_bot, text};
use crate::harness::skipping::{Need, skipped};
use crate::harness::waiting::{InTime as _, Lines, Owned, pause};

/// The directory where arenas lock cores, here and on most machines.
const LOCKS: &str = "/run/lock";

/// A process that runs until the test releases it by closing its stdin.
pub(crate) struct Keeper(pub(crate) Owned);

impl Keeper {
    /// Starts `command`, and waits until it has reported that it is ready.
    pub(crate) fn start(command: &mut Command) -> Self {
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).start().unwrap_or_else(|e| panic!("{command:?}: {e}"));
        let line = Lines::new(child.stdout.take().expect("piped")).line("`ready`");
        assert!(line == "ready\n", "{command:?}: {line}");
        Self(child)
    }
}

/// A machine on which no other arena locks cores: the mounts of a process that has its own directory for locks.
pub(crate) struct Machine(Keeper);

impl Machine {
    /// Creates a machine. If this user may not do this, or if the real machine has no directory for locks, reports that
    /// the test is skipped and returns `None`.
    pub(crate) fn new() -> Option<Self> {
        if !rustix::process::geteuid().is_root() || !Path::new(LOCKS).is_dir() {
            skipped(
                Need::Root,
                format_args!("it takes root and {LOCKS} to give arenas a directory for locks of their own"),
            );
            return None;
        }
        let script = format!("mount -t tmpfs -o mode=1777 locks {LOCKS} && echo ready && read end");
        Some(Self(Keeper::start(Command::new("unshare").args(["--mount", "sh", "-c", &script]))))
    }

    /// Like `command`, but run on this machine. The process keeps its id.
    pub(crate) fn command(&self, command: &Command) -> Command {
        let mut there = Command::new("nsenter");
        there.arg(format!("--mount=/proc/{}/ns/mnt", self.0.0.id())).args(["env", "-C"]);
        there.arg(command.get_current_dir().unwrap_or(Path::new("/"))).arg(command.get_program());
        there.args(command.get_args()).stdin(Stdio::null());
        there.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        there
    }

    /// Starts the tournament of `arena` with the results in `out`. Its bots report to `ready`.
    fn start(&self, arena: &Arena, ready: &Ready) -> Running {
        let mut command = arena.command(&["run", "class.toml", "--out", "out", "--isolation", "off"]);
        command.env("READY", ready.port().to_string());
        Arena::started(self.command(&command).stdout(Stdio::null()))
    }

    /// Runs `code` in a process of the user `nobody`. In the code, `dir` is the directory of the locks,
    /// and `names` are the names of all locks.
    fn let_nobody(&self, code: &str) -> Keeper {
        let setting = format!("import fcntl, os, sys\ndir, names = {LOCKS:?}, {:?}\n", lock_names());
        let rest = "\nprint('ready', flush=True)\nsys.stdin.read()\n";
        let mut command = Command::new("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups", "python3", "-c"]);
        Keeper::start(self.command(command.arg(setting + code + rest)).current_dir("/"))
    }
}

/// The name of each core's lock.
fn lock_names() -> Vec<String> {
    let cpus = fs::read_dir("/sys/devices/system/cpu").expect("there").flatten();
    let names: BTreeSet<String> = cpus
        .filter_map(|cpu| fs::read_to_string(cpu.path().join("topology/core_cpus_list")).ok())
        .map(|cpus| format!("gothello-arena-core-{}", cpus.trim()))
        .collect();
    names.into_iter().collect()
}

/// Whether this process may use two cores or more. If not, reports that the test is skipped.
fn has_two_cores() -> bool {
    let has = lock_names().len() > 1 && std::thread::available_parallelism().is_ok_and(|threads| threads.get() > 1);
    if !has {
        skipped(Need::Cores, "there is one core");
    }
    has
}

/// Two games with a bot that reports the CPUs that it may run on, and waits in each game.
const PINNED: &str = r#"
    between_moves = "freeze"
    concurrency = 1
    pass_env = ["READY"]
    [[player]]
    name = "pinned"
    command = ["python3", "@bots/misbehave.py", "pinned", "{side}", "{host}", "{port}"]
    [[player]]
    name = "random"
    builtin = "random"
"#;

/// The CPUs on which the bot could run in each of its games.
fn cpus(arena: &Arena) -> Vec<String> {
    let said = |game: &str, side: &str| {
        let path = arena.out().join("games").join(format!("{game}.{side}.stderr"));
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display())).trim().to_owned()
    };
    vec![said("r1-pinned-random", "black"), said("r1-random-pinned", "white")]
}

fn is_normal(arena: &Arena) -> bool {
    arena.results().iter().all(|row| row["termination"] == "normal")
}

/// The message that is printed if there is no core for a game.
const NO_CORES: &str = "there were no cores for the bots of a game: other arenas on this machine have claimed them";

#[test]
fn two_arenas_at_once_run_their_bots_on_different_cores() {
    let Some(machine) = Machine::new().filter(|_| has_two_cores()) else { return };
    let arenas = [Arena::new(PINNED), Arena::new(PINNED)];
    let readies = [Ready::new(), Ready::new()];
    let running = [0, 1].map(|number| machine.start(&arenas[number], &readies[number]));
    for _ in 0..2 {
        // Both arenas play at the same time.
        let held = readies.each_ref().map(Ready::next);
        drop(held);
    }
    let ended = running.map(Running::end);
    for (code, stderr) in &ended {
        assert!(*code == Some(0) && !stderr.contains("no cores"), "{stderr}");
    }
    assert!(arenas.iter().all(is_normal));
    for (one, other) in cpus(&arenas[0]).iter().zip(cpus(&arenas[1])) {
        let of = |text: &str| text.split(' ').map(str::to_owned).collect::<BTreeSet<String>>();
        assert!(of(one).is_disjoint(&of(&other)), "{one}; {other}");
    }
}

#[test]
fn without_a_free_core_bots_play_on_all_and_get_their_own_when_there_is_one() {
    let Some(machine) = Machine::new().filter(|_| has_two_cores()) else { return };
    let taken = machine.let_nobody(
        "held = [os.open(f'{dir}/{name}', os.O_CREAT | os.O_RDONLY, 0o644) for name in names]\n\
         for file in held: fcntl.flock(file, fcntl.LOCK_EX)",
    );
    let (arena, ready) = (Arena::new(PINNED), Ready::new());
    let running = machine.start(&arena, &ready);
    let (_, held) = ready.next();
    // The first game has begun without a core. The process that holds the core is killed, and the second game begins.
    drop(taken);
    drop(held);
    drop(ready.next());
    let (code, stderr) = running.end();
    assert_eq!(code, Some(0), "{stderr}");
    assert_eq!(stderr.matches(NO_CORES).count(), 1, "{stderr}");
    assert!(is_normal(&arena));
    let all = rustix::thread::sched_getaffinity(None).expect("asked").count() as usize;
    let mut numbers: Vec<usize> = cpus(&arena).iter().map(|cpus| cpus.split(' ').count()).collect();
    numbers.sort_unstable();
    assert!(numbers[0] < all && numbers[1] == all, "{numbers:?} of {all}");
}

#[test]
fn whatever_lies_in_the_place_of_the_locks_costs_cores_and_no_game() {
    let Some(machine) = Machine::new() else { return };
    for (what, make) in [
        ("links", "os.symlink('/etc/nobody-made-this', path)"),
        ("pipes", "os.mkfifo(path)"),
        ("directories", "os.mkdir(path)"),
        ("hidden files", "os.close(os.open(path, os.O_CREAT, 0))"),
    ] {
        let path = "f'{dir}/{name}'";
        let put = machine.let_nobody(&format!("for name in names:\n    path = {path}\n    {make}"));
        let arena = Arena::new(
            "between_moves = \"freeze\"\n[[player]]\nname = \"a\"\nbuiltin = \"random\"\n[[player]]\nname = \"b\"\nbuiltin = \"greedy\"\n",
        );
        let run = machine
            .command(&arena.command(&["run", "class.toml", "--out", "out"]))
            .output_in_time()
            .expect("it starts");
        let stderr = text(&run.stderr);
        assert_eq!(run.status.code(), Some(0), "{what}: {stderr}");
        assert!(is_normal(&arena), "{what}");
        // Root can lock even the files that others have hidden.
        let lacks = usize::from(what != "hidden files");
        assert_eq!(stderr.matches("there were no cores for the bots").count(), lacks, "{what}: {stderr}");
        drop(put);
        machine.let_nobody("import shutil\nfor name in names:\n    path = f'{dir}/{name}'\n    shutil.rmtree(path) if os.path.isdir(path) and not os.path.islink(path) else os.remove(path)");
        assert!(!Path::new("/etc/nobody-made-this").exists());
    }
}

#[test]
fn a_killed_arena_gives_its_core_back() {
    let Some(machine) = Machine::new() else { return };
    // All arenas of this test use the same core.
    let cpus = rustix::thread::sched_getaffinity(None).expect("asked");
    let cpu = (0..rustix::thread::CpuSet::MAX_CPU).find(|&cpu| cpus.is_set(cpu)).expect("one");
    let start = |arena: &Arena, ready: &Ready| {
        let mut command = arena.command(&["run", "class.toml", "--out", "out", "--isolation", "off"]);
        let there = machine.command(command.env("READY", ready.port().to_string()));
        let mut pinned = Command::new("taskset");
        pinned.args(["-c", &cpu.to_string()]).arg(there.get_program()).args(there.get_args());
        pinned.envs(there.get_envs().filter_map(|(name, value)| Some((name, value?))));
        Arena::started(pinned.stdin(Stdio::null()).stdout(Stdio::null()))
    };
    let (first, ready) = (Arena::new(PINNED), Ready::new());
    let mut running = start(&first, &ready);
    let _held = ready.next();
    let lacks = |arena: &Arena| {
        let ready = Ready::new();
        let running = start(arena, &ready);
        drop(ready.next());
        drop(ready.next());
        let (code, stderr) = running.end();
        assert!(code == Some(0) && is_normal(arena), "{stderr}");
        stderr.matches(NO_CORES).count()
    };
    assert_eq!(lacks(&Arena::new(PINNED)), 1);
    running.signal(Signal::KILL);
    running.child.wait().expect("it ends");
    assert_eq!(lacks(&Arena::new(PINNED)), 0);
}

#[test]
fn confined_bots_cannot_open_the_locks_of_cores() {
    if !Path::new(LOCKS).is_dir() {
        skipped(Need::Root, format_args!("there is no {LOCKS}"));
        return;
    }
    for way in ["A", "B", "C", "D"].into_iter().flat_map(Way::all) {
        let arena = Arena::new(
            "between_moves = \"freeze\"\nconcurrency = 1\n[[player]]\nname = \"a\"\ndir = \"bot\"\n\
             command = [\"python3\", \"bot.py\"]\n[[player]]\nname = \"b\"\nbuiltin = \"random\"\n",
        );
        let bot = format!(
            "import os, sys\nfor name in {:?}:\n    try:\n        os.open('{LOCKS}/' + name, os.O_RDONLY)\n        \
             print('opened', file=sys.stderr)\n    except OSError as error:\n        print(error, file=sys.stderr)\n",
            lock_names()
        );
        fs::create_dir(arena.path().join("bot")).expect("made");
        fs::write(arena.path().join("bot/bot.py"), bot).expect("written");
        for path in ["", "class.toml", "bot", "bot/bot.py"] {
            way.user.give(&arena.path().join(path));
        }
        let mut command = arena.command(&["run", "class.toml", "--out", "out", "--isolation", way.isolation()]);
        let output = way.act(&mut command, |command| command.output_in_time().expect("the program starts"));
        let said = fs::read_to_string(arena.out().join("games/r1-a-b.black.stderr")).unwrap_or_default();
        assert!(!said.is_empty(), "{way:?}: {}", text(&output.stderr));
        // The arena itself has created the lock file of at least one core.
        assert_eq!(said.contains("opened"), way.tier == "D", "{way:?}: {said}");
    }
}

/// A tournament with a player whose build produces something different each time. In each game, the player waits if it
/// can report to the test.
fn dated(more: &str) -> Arena {
    let arena = Arena::new(&format!(
        r#"
        concurrency = 1
        pass_env = ["READY"]
        {more}
        [[player]]
        name = "dated"
        dir = "bot"
        build = ["sh", "build.sh"]
        command = ["python3", "@bots/misbehave.py", "held", "{{side}}", "{{host}}", "{{port}}"]
        [[player]]
        name = "random"
        builtin = "random"
        "#
    ));
    fs::create_dir(arena.path().join("bot")).expect("made");
    fs::write(arena.path().join("bot/build.sh"), "date +%s%N >stamp.txt\n").expect("written");
    arena
}

fn terminations(arena: &Arena, out: &str) -> Vec<String> {
    let text = fs::read_to_string(arena.path().join(out).join("results.csv")).expect("results.csv is there");
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let rows: Vec<std::collections::HashMap<String, String>> =
        reader.deserialize().collect::<Result<_, _>>().expect("a table");
    rows.iter().map(|row| row["termination"].clone()).collect()
}

#[test]
fn a_second_run_that_has_to_build_waits_for_the_first_and_neither_loses_a_game() {
    let (arena, ready) = (dated(""), Ready::new());
    let first = arena.start(Some(&ready));
    let id = first.child.id();
    let (_, held) = ready.next();
    let mut second = Arena::started(
        arena.command(&["run", "class.toml", "--out", "second", "--isolation", "off"]).stdout(Stdio::null()),
    );
    let said = second.hear("waiting for");
    for part in [&format!("run class.toml --out out --isolation off` (process {id})"), "/bot`", "Ctrl-C"] {
        assert!(said.contains(part), "{said}");
    }
    drop(held);
    drop(ready.next());
    let (code, stderr) = first.end();
    assert_eq!(code, Some(0), "{stderr}");
    assert_eq!(terminations(&arena, "out"), ["normal", "normal"]);
    let (code, stderr) = second.end();
    assert_eq!(code, Some(0), "{stderr}");
    assert_eq!(terminations(&arena, "second"), ["normal", "normal"]);
}

#[test]
fn a_run_that_is_killed_while_another_waits_for_it_lets_the_other_build() {
    let (arena, ready) = (dated(""), Ready::new());
    let mut first = arena.start(Some(&ready));
    let _held = ready.next();
    let mut second = Arena::started(
        arena.command(&["run", "class.toml", "--out", "second", "--isolation", "off"]).stdout(Stdio::null()),
    );
    second.hear("waiting for");
    first.signal(Signal::KILL);
    first.child.wait().expect("it ends");
    let (code, stderr) = second.end();
    assert_eq!(code, Some(0), "{stderr}");
    assert_eq!(terminations(&arena, "second"), ["normal", "normal"]);
}

#[test]
fn a_second_run_that_has_nothing_to_build_goes_on_at_once() {
    let arena = dated("");
    fs::write(arena.path().join("bot/build.sh"), "echo always the same >stamp.txt\n").expect("written");
    assert_eq!(arena.run(&[]).status.code(), Some(0));
    let ready = Ready::new();
    let mut command = arena.command(&["run", "class.toml", "--out", "second", "--isolation", "off"]);
    let second = Arena::started(command.env("READY", ready.port().to_string()).stdout(Stdio::null()));
    let (_, held) = ready.next();
    let output = arena.run(&["--redo", "r1-dated-random"]);
    let stderr = text(&output.stderr);
    assert!(output.status.code() == Some(0) && !stderr.contains("waiting for"), "{stderr}");
    drop(held);
    drop(ready.next());
    let (code, stderr) = second.end();
    assert_eq!(code, Some(0), "{stderr}");
    assert_eq!(terminations(&arena, "second"), ["normal", "normal"]);
}

#[test]
fn a_product_that_changes_during_a_run_without_confinement_is_charged_to_the_bot_that_can_have_changed_it() {
    let (arena, ready) = (dated(""), Ready::new());
    let running = arena.start(Some(&ready));
    let (_, held) = ready.next();
    fs::write(arena.path().join("bot/stamp.txt"), "another build\n").expect("written");
    drop(held);
    let (code, stderr) = running.end();
    assert_eq!(code, Some(0), "{stderr}");
    let mut ended = terminations(&arena, "out");
    ended.sort();
    assert_eq!(ended, ["normal", "not started"], "{stderr}");
    for row in arena.results().iter().filter(|row| row["termination"] == "not started") {
        let side = &row["at_fault"];
        assert_eq!(row[side], "dated", "{row:?}");
    }
}

/// A tournament of a confined bot that always passes and has its own directory, against a remote player. `keys` are
/// further lines in the bot's table.
fn against_carol(keys: &str) -> Arena {
    let student = "[[player]]\nname = \"student\"\ndir = \"bot\"\n\
                   command = [\"python3\", \"bot.py\", \"passes\", \"{side}\", \"{host}\", \"{port}\"]\n";
    let arena = Arena::new(&format!("isolation = \"require\"\nvoid_retries = 0\n{}{student}{keys}", carol!()));
    fs::create_dir(arena.path().join("bot")).expect("made");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bots/misbehave.py");
    fs::copy(script, arena.path().join("bot/bot.py")).expect("copied");
    arena
}

/// Plays both games of the `arena` from [`against_carol`], calls `meanwhile` between them, and returns the exit code
/// and the output.
fn played_with_carol(arena: &Arena, meanwhile: impl FnOnce()) -> (Option<i32>, String) {
    let mut running = arena.start(None);
    let address = running.hear_address("waiting for carol");
    let mut bot = remote_bot(&address, "?", Some("carol:a word of hers"));
    bot.wait().expect("it ends");
    running.hear("[1/2]");
    meanwhile();
    let mut bot = remote_bot(&address, "?", Some("carol:a word of hers"));
    let ended = running.end();
    bot.wait().expect("it ends");
    ended
}

#[test]
fn a_product_of_a_confined_bot_that_somebody_changes_during_a_run_makes_games_void() {
    if !can_confine() {
        return;
    }
    let arena = against_carol("build = [\"sh\", \"-c\", \"echo built >stamp.txt\"]\n");
    let stamp = arena.path().join("bot/stamp.txt");
    let (code, stderr) = played_with_carol(&arena, || fs::write(&stamp, "another build\n").expect("written"));
    assert_eq!(code, Some(5), "{stderr}");
    let reason = "player `student`: `stamp.txt`, a product of the build, has changed since the run began";
    assert!(stderr.contains(reason), "{stderr}");
    assert!(arena.results().iter().all(|row| row["at_fault"].is_empty()), "{:?}", arena.results());
    let mut running = arena.start(None);
    let address = running.hear_address("waiting for carol");
    let mut bot = remote_bot(&address, "?", Some("carol:a word of hers"));
    let (code, stderr) = running.end();
    bot.wait().expect("it ends");
    assert_eq!(code, Some(0), "{stderr}");
    assert_eq!(terminations(&arena, "out"), ["normal", "normal"]);
    assert_eq!(fs::read_to_string(stamp).expect("there"), "built\n");
}

#[test]
fn a_source_of_a_confined_bot_that_somebody_changes_during_a_run_makes_games_void() {
    if !can_confine() {
        return;
    }
    let arena = against_carol("");
    let path = arena.path().join("bot/bot.py");
    let script = fs::read_to_string(&path).expect("there");
    let (code, stderr) = played_with_carol(&arena, || fs::write(&path, script + "# better\n").expect("written"));
    assert_eq!(code, Some(5), "{stderr}");
    assert!(stderr.contains("player `student`: `bot.py` has changed since the run began"), "{stderr}");
    assert!(arena.results().iter().all(|row| row["at_fault"].is_empty()), "{:?}", arena.results());
}

#[test]
fn of_four_runs_that_begin_at_once_in_a_new_directory_one_plays() {
    for _ in 0..10 {
        let (arena, ready) = (Arena::new(PINNED), Ready::new());
        let start = || {
            let mut command = arena.command(&["run", "class.toml", "--out", "out", "--isolation", "off"]);
            Arena::started(command.env("READY", ready.port().to_string()).stdout(Stdio::null()))
        };
        let mut runs: Vec<Running> = (0..4).map(|_| start()).collect();
        let deadline = Instant::now() + TIMEOUT;
        let mut refused = Vec::new();
        while refused.len() < 3 {
            assert!(Instant::now() < deadline, "only {} have ended", refused.len());
            let ended = runs.iter_mut().position(|run| run.child.try_wait().expect("asked").is_some());
            match ended {
                Some(ended) => refused.push(runs.remove(ended).end()),
                None => pause(),
            }
        }
        for (code, stderr) in refused {
            assert_eq!(code, Some(2), "{stderr}");
            assert!(stderr.contains("another run is in progress in `out`"), "{stderr}");
        }
        drop(ready.next());
        drop(ready.next());
        let (code, stderr) = runs.remove(0).end();
        assert_eq!(code, Some(0), "{stderr}");
        assert!(is_normal(&arena));
    }
}
