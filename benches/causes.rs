//! Checks faulty bots while something else goes wrong, and counts the false causes reported. A check's number
//! determines its bot, from the folder of faulty bots, and its disturbance. Outcomes are stored in a file, one line per
//! check, so that the bench can be stopped at any time and later resumed: `cargo test --bench causes -- 3000` continues
//! until 3,000 scenarios have been played. Several benches can share the work: `3000 2/4` plays every fourth check,
//! starting from the second, with its own file, and with `report` instead of the number, the bench summarises all
//! files. Checks with busy processes would disturb other benches that run at the same time, so the word `quiet` leaves
//! them out, and `busy` leaves out all others. Without a number, as in an ordinary test, the bench plays one check with
//! each disturbance and does not store anything.
//!
//! The bar is zero false causes and, without a disturbance, the right cause for nine out of ten faulty bots.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{scope, sleep};
use std::time::{Duration, Instant};

use gothello_arena::base::random::SplitMix64;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};
use tempfile::TempDir;

const ARENA: &str = env!("CARGO_BIN_EXE_gothello-arena");

/// The time limit for a check. If a check takes longer, the bench fails.
const LONGEST: Duration = Duration::from_mins(15);

/// A bot, the cause of its failures, the scenarios that reveal the cause, and the options for its check.
struct Faulty(&'static str, &'static str, &'static [&'static str], &'static [&'static str]);

const STDIO: &[&str] = &["--stdio", "--time", "1s"];
const BOARD: &[&str] = &["captures", "legal-20"];
const TURNED: &[&str] = &["captures", "moves-codes"];
const ENDS: &[&str] = &["win", "draw", "opponent-resigns", "opponent-leaves"];

/// Faulty bots, and correct ones, which have no cause.
static BOTS: [Faulty; 44] = [
    Faulty("old_client", "D01", &["plain", "clock"], &[]),
    Faulty("expects_100", "D01", &["plain", "clock"], &[]),
    Faulty("fixed_host", "D02", &["hello"], &[]),
    Faulty("fixed_side", "D03", &["hello"], &[]),
    Faulty("depth_argument", "D03", &["hello"], &[]),
    Faulty("argument_order", "D03", &["hello"], &[]),
    Faulty("usage", "D03", &["hello"], &[]),
    Faulty("missing_module", "D14", &["hello"], &[]),
    Faulty("missing_file", "D14", &["hello"], &[]),
    Faulty("no_captures", "D04", BOARD, &[]),
    Faulty("removes_stones", "D04", BOARD, &[]),
    Faulty("go_suicide", "D05", BOARD, &[]),
    Faulty("upside_down", "D06", TURNED, &[]),
    Faulty("upside_down_reading", "D06", TURNED, &[]),
    Faulty("transposed", "D06", TURNED, &[]),
    Faulty("pass_back", "D07", &["opponent-passes"], &[]),
    Faulty("no_dots", "D08", &["plain", "split"], &[]),
    Faulty("from_zero", "D08", &["plain", "split"], &[]),
    Faulty("counts_plies", "D08", &["plain", "split"], &[]),
    Faulty("moves_first", "D19", &["plain", "split"], &[]),
    Faulty("moves_twice", "D19", &["plain", "refused"], &[]),
    Faulty("unflushed_moves", "D09", &["plain"], STDIO),
    Faulty("unflushed_passes", "D09", &["plain", "must-pass"], STDIO),
    Faulty("one_recv", "D10", &["plain", "split", "merged"], &[]),
    Faulty("draw_raises", "D11", ENDS, &[]),
    Faulty("early_ends_raise", "D12", ENDS, &[]),
    Faulty("early_ends_hang", "D12", ENDS, &[]),
    Faulty("exit_status", "D17", ENDS, &[]),
    Faulty("reads_on", "D17", ENDS, &[]),
    Faulty("swapped_times", "D13", &["clock-uneven"], &[]),
    Faulty("slow", "D16", &["clock"], &["--time", "3s"]),
    Faulty("busy_wait", "D15", &["slow"], &[]),
    Faulty("raises", "D18", &["plain", "split", "merged"], &[]),
    Faulty("any_empty", "D20", BOARD, &[]),
    Faulty("any_point", "D20", BOARD, &[]),
    Faulty("speaks_on_stdout", "D21", &["hello"], &[]),
    Faulty("correct", "", &["plain", "clock", "captures", "split", "merged", "draw", "opponent-leaves"], &[]),
    Faulty("thinks", "", &["plain", "clock", "split", "merged"], &[]),
    Faulty("passes_ahead", "", &["captures", "opponent-passes", "double-pass"], &[]),
    Faulty("passes_by_choice", "", BOARD, &[]),
    Faulty("hangs_on_299", "", &["garbled"], &["--time", "3s"]),
    Faulty("never_leaves", "", ENDS, &[]),
    Faulty("resigns", "", &["plain", "win", "loss"], &[]),
    Faulty("sleeps", "", &["plain"], &["--time", "1s"]),
];

/// A disturbance during a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Disturbance {
    None,
    /// The bot crashes at random, with or without an exception.
    Crash,
    /// The arena or the bot is paused repeatedly, for a while each time.
    Pause,
    /// The bot passes although it could place a stone.
    Passes,
    /// The bot's board is wrong in a way that no cause describes.
    Board,
    /// Twenty other processes keep the CPUs busy.
    Busy,
}

impl Disturbance {
    const ALL: [Self; 6] = [Self::None, Self::Crash, Self::Pause, Self::Passes, Self::Board, Self::Busy];

    const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Crash => "crash",
            Self::Pause => "pause",
            Self::Passes => "passes",
            Self::Board => "board",
            Self::Busy => "busy",
        }
    }

    /// Draws the disturbance for a check. One in ten is expensive.
    fn draw(random: &mut SplitMix64) -> Self {
        if random.below(10) == 0 { Self::Busy } else { Self::ALL[usize::try_from(random.below(5)).expect("few")] }
    }

    /// The disturbing behaviour as Python code: the methods of the class `Disturbed`, which derives from the bot's
    /// class. `None` if the bot itself is not changed.
    fn methods(self, random: &mut SplitMix64) -> Option<String> {
        let boards = [
            // This bot also turns over groups with one liberty.
            "for near in beside(point):\n            if self.board[near] not in (None, side):\n                group, free = self.group(near)\n                if len({p for s in group for p in beside(s) if self.board[p] is None}) == 1:\n                    for stone in group:\n                        self.board[stone] = side",
            // This bot does not see its opponent's stones on one file.
            "if side != self.side and point[0] == 'e':\n            self.board[point] = None",
            // This bot turns over captured groups only two times out of three.
            "if random.random() < 0.33:\n            self.board = dict(before)\n            self.board[point] = side",
        ];
        Some(match self {
            Self::None | Self::Pause | Self::Busy => return None,
            Self::Crash => "    def say(self, line):
        if chance.random() < 0.04:
            how = chance.randrange(3)
            if how == 0:
                raise RuntimeError('a cosmic ray')
            os._exit(1) if how == 1 else os.kill(os.getpid(), 9)
        super().say(line)
"
            .to_owned(),
            Self::Passes => {
                "    def choose(self):\n        return 'pass' if random.random() < 0.15 else super().choose()\n"
                    .to_owned()
            }
            Self::Board => format!(
                "    def place(self, side, point):\n        before = dict(self.board)\n        super().place(side, point)\n        {}\n",
                boards[usize::try_from(random.below(3)).expect("few")]
            ),
        })
    }
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let has = |wanted: &str| words.iter().any(|word| word == wanted);
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("causes");
    if has("report") {
        return report(&kept_in_all(&dir));
    }
    let Some(scenarios) = words.iter().find_map(|word| word.parse::<usize>().ok()) else {
        let numbered = Disturbance::ALL.into_iter().zip(0..);
        return report(&numbered.map(|(disturbance, number)| checked(number, Some(disturbance))).collect::<Vec<_>>());
    };
    let part = words.iter().find_map(|word| word.split_once('/')).unwrap_or(("1", "1"));
    let [first, step]: [u64; 2] = [part.0, part.1].map(|number| number.parse().expect("a part such as 2/4"));
    fs::create_dir_all(&dir).expect("made");
    let file = dir.join(format!("{first}-of-{step}.jsonl"));
    let mut outcomes = kept_in(&file);
    println!("{} checks are in {}", outcomes.len(), file.display());
    let done: BTreeSet<u64> = outcomes.iter().filter_map(|outcome| outcome["number"].as_u64()).collect();
    let mut kept = File::options().create(true).append(true).open(&file).expect("opened");
    let mut numbers =
        (first - 1..).step_by(usize::try_from(step).expect("few")).filter(|number| !done.contains(number));
    while played(&outcomes) < scenarios {
        let number = numbers.next().expect("there is always another check");
        let left_out = if drawn(number).1 == Disturbance::Busy { "quiet" } else { "busy" };
        if has(left_out) {
            continue;
        }
        let outcome = checked(number, None);
        writeln!(kept, "{outcome}").expect("written");
        outcomes.push(outcome);
        if outcomes.len().is_multiple_of(10) {
            println!("{} checks, {} scenarios", outcomes.len(), played(&outcomes));
        }
    }
    report(&outcomes);
}

/// The outcomes in `file`, if it exists.
fn kept_in(file: &Path) -> Vec<Value> {
    let lines = File::open(file).ok().into_iter().flat_map(|kept| BufReader::new(kept).lines().map_while(Result::ok));
    lines.filter_map(|line| serde_json::from_str(&line).ok()).collect()
}

/// The outcomes stored in `dir` by all benches that share the work.
fn kept_in_all(dir: &Path) -> Vec<Value> {
    let files = fs::read_dir(dir).expect("checks have been played").map(|file| file.expect("a name").path());
    files.flat_map(|file| kept_in(&file)).collect()
}

/// The bot and the disturbance of the check with this number, and the generator for further draws.
fn drawn(number: u64) -> (&'static Faulty, Disturbance, SplitMix64) {
    let mut random = SplitMix64::new(number.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 7);
    let bot = &BOTS[usize::try_from(random.below(BOTS.len() as u64)).expect("few")];
    (bot, Disturbance::draw(&mut random), random)
}

/// How many scenarios have been played.
fn played(outcomes: &[Value]) -> usize {
    outcomes.iter().filter_map(|outcome| outcome["scenarios"].as_u64()).sum::<u64>().try_into().expect("few")
}

/// Plays the check with this number.
fn checked(number: u64, wanted: Option<Disturbance>) -> Value {
    let (&Faulty(name, cause, scenarios, options), drawn, mut random) = drawn(number);
    let disturbance = wanted.unwrap_or(drawn);
    let dir = TempDir::new().expect("a directory");
    let program = place_bot(dir.path(), name, disturbance, &mut random);
    let begun = Instant::now();
    let mut arena = Command::new("nice");
    arena.args(["-n", "19", ARENA, "check", "--format", "json", "--isolation", "off", "--dir", "bot"]).args(options);
    arena.args(scenarios.iter().flat_map(|id| ["--only", *id]));
    arena.args([
        "--jobs",
        "2",
        "--output",
        "report.json",
        "--command",
        "python3",
        &program,
        "{side}",
        "{host}",
        "{server}",
    ]);
    arena.current_dir(dir.path()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut arena = arena.spawn().expect("the program starts");
    let others = if disturbance == Disturbance::Busy { busy() } else { Vec::new() };
    let ended = AtomicBool::new(false);
    scope(|threads| {
        if disturbance == Disturbance::Pause {
            let (seed, id) = (random.below(u64::MAX), arena.id());
            let ended = &ended;
            threads.spawn(move || pause(id, SplitMix64::new(seed), ended));
        }
        while arena.try_wait().expect("it can be asked").is_none() {
            assert!(begun.elapsed() < LONGEST, "check {number} of {name} with {disturbance:?} has not ended");
            sleep(Duration::from_millis(50));
        }
        ended.store(true, Ordering::Relaxed);
    });
    for mut other in others {
        other.kill().expect("it runs");
        other.wait().expect("it ends");
    }
    let report = fs::read(dir.path().join("report.json")).expect("a report");
    let report: Value = serde_json::from_slice(&report).expect("JSON");
    outcome_of(number, (name, cause, disturbance), &report, begun.elapsed())
}

/// The outcome of a check.
fn outcome_of(
    number: u64,
    (name, cause, disturbance): (&str, &str, Disturbance),
    report: &Value,
    took: Duration,
) -> Value {
    let trials = report["players"][0]["scenarios"].as_array().expect("trials");
    let mut told = BTreeSet::new();
    let mut wrong = BTreeSet::new();
    for trial in trials {
        for found in trial["diagnoses"].as_array().expect("diagnoses") {
            let code = found["code"].as_str().expect("a code");
            // If a disturbance makes the bot crash at random, no other cause explains all of its endings. The exception
            // is a true cause in any case, whether it was raised by the disturbance or by the bot's own fault.
            let is_own = disturbance == Disturbance::Crash && found["file"] == format!("{name}.py");
            let is_made = code == "D18" && (found["file"] == "disturbed.py" || is_own);
            told.insert(code.to_owned());
            if code != cause && !is_made {
                wrong.insert(format!("{code} {}.{}: {}", trial["id"], trial["side"], found["text"]));
            }
        }
    }
    let played = trials.iter().filter(|trial| trial["status"] != "skip").count();
    let wrong: Vec<String> = wrong.into_iter().collect();
    json!({
        "number": number, "bot": name, "cause": cause, "disturbance": disturbance.name(), "scenarios": played, "told": told,
        "wrong": wrong, "seconds": took.as_secs(),
    })
}

/// Puts the bot into the directory `bot` in `dir`, together with its disturbance. Returns the name of its program.
fn place_bot(dir: &Path, name: &str, disturbance: Disturbance, random: &mut SplitMix64) -> String {
    let faulty = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bots/faulty");
    let bot = dir.join("bot");
    fs::create_dir(&bot).expect("made");
    for file in ["correct.py", &format!("{name}.py")] {
        fs::copy(faulty.join(file), bot.join(file)).expect(file);
    }
    let Some(methods) = disturbance.methods(random) else { return format!("{name}.py") };
    let class = if name == "correct" { "Player" } else { "Bot" };
    let text = format!(
        "import os\nimport random\nimport sys\n\nfrom correct import beside\nfrom {name} import {class} as Base\n\n\
         chance = random.SystemRandom()\n\n\nclass Disturbed(Base):\n{methods}\n\nDisturbed(sys.argv[1:]).run()\n"
    );
    fs::write(bot.join("disturbed.py"), text).expect("written");
    "disturbed.py".to_owned()
}

/// Starts twenty processes that keep the CPUs busy.
fn busy() -> Vec<Child> {
    let start =
        || Command::new("nice").args(["-n", "19", "sh", "-c", "while :; do :; done"]).spawn().expect("it starts");
    (0..20).map(|_| start()).collect()
}

/// Repeatedly pauses the process `id`, or one of its descendants, until it has ended.
fn pause(id: u32, mut random: SplitMix64, ended: &AtomicBool) {
    while !ended.load(Ordering::Relaxed) {
        sleep(Duration::from_millis(200 + random.below(2000)));
        let family = family(id);
        let Some(chosen) = family.get(usize::try_from(random.below(family.len().max(1) as u64)).expect("few")) else {
            return;
        };
        let process = Pid::from_raw(i32::try_from(*chosen).expect("a process id"));
        // The process may have ended in the meantime.
        let _ = kill(process, Signal::SIGSTOP);
        sleep(Duration::from_millis(300 + random.below(2700)));
        let _ = kill(process, Signal::SIGCONT);
    }
}

/// The process and all its descendants.
fn family(id: u32) -> Vec<u32> {
    let mut found = vec![id];
    let mut at = 0;
    while let Some(id) = found.get(at) {
        let tasks = fs::read_dir(format!("/proc/{id}/task")).into_iter().flatten().flatten();
        let children = tasks.filter_map(|task| fs::read_to_string(task.path().join("children")).ok());
        let children: Vec<u32> = children
            .flat_map(|text| text.split_whitespace().filter_map(|word| word.parse().ok()).collect::<Vec<_>>())
            .collect();
        found.extend(children);
        at += 1;
    }
    found
}

fn report(outcomes: &[Value]) {
    let word = |outcome: &Value, key: &str| outcome[key].as_str().unwrap_or_default().to_owned();
    let wrong = |outcome: &&Value| outcome["wrong"].as_array().is_some_and(|wrong| !wrong.is_empty());
    for disturbance in Disturbance::ALL {
        let of: Vec<&Value> = outcomes.iter().filter(|outcome| outcome["disturbance"] == disturbance.name()).collect();
        let faulty = of.iter().filter(|outcome| !word(outcome, "cause").is_empty());
        let right = faulty.clone().filter(|outcome| {
            outcome["told"].as_array().is_some_and(|told| told.iter().any(|code| *code == outcome["cause"]))
        });
        let scenarios: u64 = of.iter().filter_map(|outcome| outcome["scenarios"].as_u64()).sum();
        println!(
            "  {:8} {:4} checks, {scenarios:5} scenarios, {} with a false cause (bar 0); the right cause in {} of {}",
            disturbance.name(),
            of.len(),
            of.iter().copied().filter(wrong).count(),
            right.count(),
            faulty.count()
        );
    }
    for outcome in outcomes.iter().filter(wrong) {
        println!("  false: {outcome}");
    }
    let mut bots: BTreeMap<String, [usize; 2]> = BTreeMap::new();
    for outcome in outcomes.iter().filter(|outcome| outcome["disturbance"] == "none" && outcome["cause"] != "") {
        let found = bots.entry(word(outcome, "bot")).or_default();
        let is_right = outcome["told"].as_array().is_some_and(|told| told.iter().any(|code| *code == outcome["cause"]));
        found[usize::from(is_right)] += 1;
    }
    let missed: Vec<String> = bots
        .iter()
        .filter(|(_, [missed, _])| *missed > 0)
        .map(|(bot, [missed, right])| format!("{bot} {missed} of {}", missed + right))
        .collect();
    println!(
        "  without a disturbance, missed: {}",
        if missed.is_empty() { "none".to_owned() } else { missed.join(", ") }
    );
    let checks: usize = bots.values().flatten().sum();
    let right: usize = bots.values().map(|[_, right]| right).sum();
    assert!(!outcomes.iter().any(|outcome| wrong(&outcome)), "a false cause");
    assert!(right * 10 >= checks * 9, "the right cause for {right} of {checks}");
}
