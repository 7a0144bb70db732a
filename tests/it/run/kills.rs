//! Runs that are killed at any moment and resumed: no finished game is lost or counted twice.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io::Read;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use gothello_arena::base::random::SplitMix64;
use gothello_arena::referee::record::LoggedGame;

use crate::harness::arena::{Arena, TIMEOUT, UNEQUAL_CONTROL, program, random_and_greedy, text, unequal_clocks};
use crate::harness::skipping::{Need, skipped};
use crate::harness::waiting::{InTime as _, Owned, until};

/// How many runs to kill in total, unless the environment variable [`VARIABLE`] says otherwise.
const KILLS: u64 = 30;
const VARIABLE: &str = "GOTHELLO_ARENA_KILLS";

const PLAYERS: &str = random_and_greedy!();

const OTHERS: &str = r#"
    [[player]]
    name = "one"
    builtin = "alphabeta"
    depth = 1
    [[player]]
    name = "other"
    builtin = "random"
    [[player]]
    name = "fifth"
    builtin = "greedy"
"#;

/// Tournaments of every format, with different clocks. Their built-in bots play the same games every time.
fn tournaments() -> [String; 5] {
    let clocks = unequal_clocks!();
    [
        format!("concurrency = 2\nrounds = 3\n{clocks}{PLAYERS}{OTHERS}"),
        format!("concurrency = 2\nrounds = 2\nopenings = {{ plies = 2 }}\n{PLAYERS}{OTHERS}"),
        format!("concurrency = 2\nformat = \"swiss\"\nrounds = 4\ntime = \"2s, 3 x 10s\"\n{PLAYERS}{OTHERS}"),
        format!("concurrency = 2\nformat = \"knockout\"\npairs = 3\n{PLAYERS}{OTHERS}"),
        // Games are played one at a time, so that no game is started that the verdict would make unnecessary.
        format!("concurrency = 1\nformat = \"sprt\"\nelo1 = 400\nmax_pairs = 20\n{PLAYERS}"),
    ]
}

/// Tournaments of groups: one in which each of five players meets every trio of the others at one table, and one with a
/// table for six and a player that drops out of every game.
fn groups() -> [String; 2] {
    let gone = "[[player]]\nname = \"gone\"\ntransport = \"stdio\"\ncommand = [\"sh\", \"-c\", \"exit 3\"]\n";
    [
        format!("concurrency = 2\nruleset = \"quantum-8-4p\"\nformat = \"group\"\ntables = \"all\"\n{PLAYERS}{OTHERS}"),
        format!(
            "isolation = \"off\"\nconcurrency = 2\nruleset = \"quantum-6p\"\nformat = \"group\"\ntime = \"60s\"\n{PLAYERS}{OTHERS}{gone}"
        ),
    ]
}

/// The outcome of a run: the result and the log of each game without times, by the game's id, and the standings as
/// printed.
#[derive(Debug, PartialEq)]
struct Course {
    games: BTreeMap<String, [String; 5]>,
    standings: String,
}

impl Course {
    fn of(arena: &Arena, printed: &Output) -> Self {
        let rows = arena.results();
        let columns = match rows.first() {
            Some(row) if row.contains_key("placing") => ["placing", "totals", "plies", "moves_sha256"],
            _ => ["winner", "margin", "plies", "moves_sha256"],
        };
        let games: BTreeMap<_, _> = rows
            .iter()
            .map(|row| {
                let [result, figures, plies, moves] = columns.map(|column| row[column].clone());
                (row["game"].clone(), [result, figures, plies, moves, untimed_log(arena, &row["game"])])
            })
            .collect();
        assert_eq!(games.len(), rows.len(), "each game must have one row");
        Self { games, standings: text(&printed.stdout) }
    }
}

/// The log of the game `id` without anything that differs between two machines that play the same games.
fn untimed_log(arena: &Arena, id: &str) -> String {
    let log = fs::read_to_string(arena.out().join(format!("games/{id}.log"))).expect("a log");
    let of_machine = ["Site ", "Date ", "Lateness ", "BlackUsage ", "WhiteUsage ", "Usage"];
    let is_of_machine =
        |line: &str| line.strip_prefix('[').is_some_and(|tag| of_machine.iter().any(|name| tag.starts_with(name)));
    let lines: Vec<&str> = log.lines().filter(|line| !is_of_machine(line)).collect();
    // Times, such as those in `{[%emt 0:00:00.012034]}`, are the only words that begin with a digit and a colon.
    let is_time = |word: &&str| word.as_bytes().get(1) == Some(&b':') && word.as_bytes()[0].is_ascii_digit();
    lines.join(" ").split_ascii_whitespace().filter(|word| !is_time(word)).collect::<Vec<_>>().join(" ")
}

/// The outcome of the tournament `toml` without any disturbance.
fn undisturbed(toml: &str) -> Course {
    let arena = Arena::new(toml);
    let output = arena.run(&[]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    Course::of(&arena, &output)
}

/// Starts the program in `arena`, where it also creates its scratch files.
fn start(arena: &Arena, args: &[&str]) -> Owned {
    let mut command = arena.command(args);
    command.env("TMPDIR", arena.path()).stdout(Stdio::null()).stderr(Stdio::piped());
    command.start().expect("the program starts")
}

/// Kills the program after `lines` lines on its stderr or after `time`, whichever comes first. The test does not depend
/// on speed: it must pass whenever the kill happens. Returns whether the program had already ended on its own.
fn kill(mut child: Owned, lines: u64, time: Duration) -> bool {
    let mut stderr = child.stderr.take().expect("piped");
    let deadline = Instant::now() + time;
    let mut heard = 0;
    let mut byte = [0];
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        let timeout = rustix::time::Timespec {
            tv_sec: i64::try_from(left.as_secs()).expect("not so long"),
            tv_nsec: i64::from(left.subsec_nanos()),
        };
        let mut polled = [rustix::event::PollFd::new(&stderr, rustix::event::PollFlags::IN)];
        let ready = rustix::event::poll(&mut polled, Some(&timeout)).unwrap_or(0);
        if ready == 0 || stderr.read(&mut byte).expect("stderr is read") == 0 {
            break;
        }
        heard += u64::from(byte == *b"\n");
        if heard > lines {
            break;
        }
    }
    let ended = child.try_wait().expect("asked").is_some();
    if !ended {
        child.kill().expect("killed");
        child.wait().expect("reaped");
    }
    ended
}

/// The number of journal lines of each game. A torn last line does not count.
fn journal_games(arena: &Arena) -> HashMap<String, u64> {
    let journal = fs::read(arena.out().join("journal.jsonl")).unwrap_or_default();
    let mut games = HashMap::new();
    for line in journal.split_inclusive(|byte| *byte == b'\n').filter(|line| line.ends_with(b"\n")) {
        let entry: serde_json::Value = serde_json::from_slice(line).expect("JSON");
        if let Some(game) = entry.get("game") {
            let id = game["id"].as_str().expect("an id").to_owned();
            let record: LoggedGame = game["record"].as_str().expect("a record").parse().expect("a record");
            assert_eq!(record.game(), Some(&*id));
            *games.entry(id).or_default() += 1;
        }
    }
    games
}

/// Plays the tournament, kills the run at random moments up to `most` times, and compares the outcome with `expected`.
/// Returns the number of kills.
fn disturb(toml: &str, expected: &Course, most: u64, random: &mut SplitMix64) -> u64 {
    let arena = Arena::new(toml);
    let mut kills = 0;
    let mut finished: HashMap<String, u64> = HashMap::new();
    while kills < most {
        let rebuild = random.below(8) == 0 && arena.out().join("journal.jsonl").exists();
        let args: &[&str] = if rebuild { &["rebuild", "out"] } else { &["run", "class.toml", "--out", "out"] };
        // Some kills happen immediately, some in the middle of a game or of a write, some right after a game.
        let lines = if random.below(3) == 0 { random.below(6) } else { u64::MAX };
        let time = Duration::from_micros(random.below(60_000));
        let ended = kill(start(&arena, args), lines, if lines == u64::MAX { time } else { TIMEOUT / 2 });
        let games = journal_games(&arena);
        assert!(games.values().all(|&lines| lines == 1), "a game is listed twice: {games:?}");
        assert!(finished.keys().all(|id| games.contains_key(id)), "a game was lost: {finished:?} {games:?}");
        finished = games;
        if ended && !rebuild {
            break;
        }
        kills += u64::from(!ended);
    }
    let output = arena.run(&[]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(&Course::of(&arena, &output), expected);
    arena.assert_logs_hold(&output);
    let check = arena.command(&["rebuild", "--check", "out"]).output_in_time().expect("the program starts");
    assert_eq!(check.status.code(), Some(0), "{}", text(&check.stderr));
    if toml.contains(unequal_clocks!()) {
        arena.assert_clocks_were(UNEQUAL_CONTROL);
    } else if toml.contains("3 x 10s") {
        arena.assert_clocks_were("2:3x10");
    }
    let left = fs::read_dir(arena.out().join("games")).expect("there").chain(fs::read_dir(arena.out()).expect("there"));
    for entry in left {
        let name = entry.expect("an entry").file_name();
        assert!(!name.to_string_lossy().ends_with(".tmp"), "{} was left", name.display());
    }
    assert_no_process_in(&arena);
    kills
}

/// Waits until no process has its working directory in the arena's directory, so that nothing is left of the killed
/// runs.
fn assert_no_process_in(arena: &Arena) {
    let lives = |entry: std::io::Result<fs::DirEntry>| {
        let cwd = fs::read_link(entry.ok()?.path().join("cwd")).ok()?;
        cwd.starts_with(arena.path()).then_some(())
    };
    until("the end of all bots", || {
        let mut all = fs::read_dir("/proc").expect("there");
        (!all.any(|entry| lives(entry).is_some())).then_some(())
    });
}

#[test]
fn a_run_killed_at_random_moments_ends_the_same() {
    let wanted = std::env::var(VARIABLE).ok().map_or(KILLS, |kills| kills.parse().expect("a number of kills"));
    let mut random = SplitMix64::new(20_261_121);
    let tournaments = tournaments().map(|toml| (undisturbed(&toml), toml));
    let (mut kills, mut campaigns) = (0, 0);
    while kills < wanted {
        let (expected, toml) = &tournaments[campaigns % tournaments.len()];
        kills += disturb(toml, expected, (wanted - kills).min((wanted / 5).clamp(6, 15)), &mut random);
        campaigns += 1;
    }
    println!("{kills} runs were killed, in {campaigns} tournaments");
}

#[test]
fn a_run_of_groups_killed_at_random_moments_ends_the_same() {
    let wanted: u64 = std::env::var(VARIABLE).ok().map_or(8, |kills| kills.parse().expect("a number of kills"));
    let tournaments = groups().map(|toml| (undisturbed(&toml), toml));
    assert_eq!(tournaments.each_ref().map(|(expected, _)| expected.games.len()), [20, 6]);
    let (mut random, mut kills, mut campaigns) = (SplitMix64::new(20_261_127), 0, 0);
    while kills < wanted || campaigns < tournaments.len() {
        let (expected, toml) = &tournaments[campaigns % tournaments.len()];
        kills += disturb(toml, expected, wanted.saturating_sub(kills).min((wanted / 2).clamp(4, 15)), &mut random);
        campaigns += 1;
    }
    println!("{kills} runs were killed, in {campaigns} tournaments");
}

/// Every kill comes after at least one more game.
#[test]
fn a_tournament_killed_nine_times_has_the_same_standings() {
    let toml = format!("concurrency = 2\nrounds = 4\n{PLAYERS}{OTHERS}");
    let expected = undisturbed(&toml);
    let arena = Arena::new(&toml);
    let mut played = 0;
    for _ in 0..9 {
        let ended = kill(start(&arena, &["run", "class.toml", "--out", "out"]), 1, TIMEOUT / 2);
        assert!(!ended);
        let games = journal_games(&arena).len();
        assert!(games > played, "{games} {played}");
        played = games;
    }
    let output = arena.run(&[]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(
        text(&output.stderr).contains(&format!("{played} of 80 games have been played")),
        "{}",
        text(&output.stderr)
    );
    assert_eq!(Course::of(&arena, &output), expected);
}

/// Runs a shell script in its own mount namespace. If that is impossible, reports that the test is skipped and returns
/// `None`.
fn with_mounts(arena: &Arena, script: &str) -> Option<Output> {
    let mut command = Command::new("unshare");
    command.args(["--mount", "sh", "-c", script, program()]).current_dir(arena.path());
    let mut trial = Command::new("unshare");
    trial.args(["--mount", "sh", "-c", "mkdir -p t && mount -t tmpfs none t"]).current_dir(arena.path());
    if trial.output_in_time().is_ok_and(|output| output.status.success()) {
        return Some(command.output_in_time().expect("unshare starts"));
    }
    skipped(Need::Mounts, "the test is not allowed to mount anything on this machine");
    None
}

#[test]
fn a_full_disk_loses_nothing() {
    let toml = format!("concurrency = 2\nrounds = 6\n{PLAYERS}{OTHERS}");
    let arena = Arena::new(&toml);
    let script = "mkdir -p out && mount -t tmpfs -o size=160k none out || exit 99
        $0 run class.toml --out out 2>first; echo $? >code
        cp -r out full
        mount -o remount,size=16m out
        $0 run class.toml --out out >standings 2>second; echo $? >>code
        $0 rebuild --check out >/dev/null || echo broken >>code
        cp -r out whole";
    let Some(output) = with_mounts(&arena, script) else { return };
    let read = |name: &str| fs::read_to_string(arena.path().join(name)).unwrap_or_default();
    assert_eq!(read("code"), "1\n0\n", "{}{}{}", text(&output.stderr), read("first"), read("second"));
    let first = read("first");
    for word in ["could not write", "No space left on device", "the same command continues"] {
        assert!(first.contains(word), "`{word}` is not in\n{first}");
    }
    // Every game that was reported as finished is in the journal.
    let told: Vec<&str> = first.lines().filter(|line| line.starts_with('[')).collect();
    let full = read("full/journal.jsonl");
    for line in &told {
        let id = line.split(['[', ']', ':', ' ']).find(|word| word.starts_with('r')).expect("an id");
        assert!(full.contains(&format!("\"id\":\"{id}\"")), "{id} was reported but is lost");
    }
    assert!(!told.is_empty());
    let expected = undisturbed(&toml);
    assert_eq!(read("standings"), expected.standings);
    assert!(read("second").contains(&format!(
        "{} of 120 games have been played",
        full.split_inclusive('\n').filter(|line| line.starts_with("{\"game\":") && line.ends_with('\n')).count()
    )));
}

#[test]
fn reaching_a_file_size_limit_is_an_ordinary_error() {
    let arena = Arena::new(&format!("concurrency = 2\nrounds = 6\n{PLAYERS}{OTHERS}"));
    let mut limited = Command::new("sh");
    limited.args(["-c", "ulimit -f 80; exec \"$0\" run class.toml --out out", program()]);
    let output = limited.current_dir(arena.path()).output_in_time().expect("sh starts");
    let stderr = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(stderr.contains("journal.jsonl") && stderr.contains("File too large"), "{stderr}");
    let before = journal_games(&arena);
    assert!(!before.is_empty());
    let output = arena.run(&[]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let after = journal_games(&arena);
    assert!(after.len() == 120 && after.values().all(|&lines| lines == 1));
}

#[test]
fn an_unwritable_results_directory_is_reported_before_the_first_game() {
    let arena = Arena::new(PLAYERS);
    fs::write(arena.path().join("file"), "").expect("written");
    for (out, word) in
        [("file", "cannot be used"), ("file/sub", "ot a directory"), ("/proc/nowhere", "could not create")]
    {
        let output = arena.command(&["run", "class.toml", "--out", out]).output_in_time().expect("the program starts");
        let stderr = text(&output.stderr);
        assert!(matches!(output.status.code(), Some(1 | 2)), "{stderr}");
        assert!(stderr.contains(word) && !stderr.contains("[1/"), "{stderr}");
    }
    let script = "mkdir -p out && mount -t tmpfs none out && mount -o remount,ro out || exit 99
        $0 run class.toml --out out; echo $? >code";
    let Some(output) = with_mounts(&arena, script) else { return };
    assert_eq!(fs::read_to_string(arena.path().join("code")).expect("a code"), "1\n");
    let stderr = text(&output.stderr);
    assert!(stderr.contains("Read-only file system") && stderr.contains("--out"), "{stderr}");
}
