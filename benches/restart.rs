//! Measures how long a ladder takes to resume, up to its decision on the next game, and how much memory it needs:
//! without a checkpoint, when it reads its whole journal and all its logs, and with a checkpoint. The numbers of games
//! and of versions are arguments: `cargo bench --bench restart -- 100000 300`.

#[path = "common/random_game.rs"]
mod random_game;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use gothello_arena::base::random::SplitMix64;
use gothello_arena::run::journal::{
    AcceptedEntry, Durability, GameEntry, HandInEntry, Journal, JournalEntry, LadderHistory, PairingEntry, PlayerEntry,
    ProgramLine, StatusEntry,
};
use gothello_arena::tournament::definition::PlayerDefinition;
use gothello_arena::tournament::schedule::GameSpec;
use gothello_arena::tournament::{PlayerName, Tournament};
use jiff::Timestamp;
use rustix::process::{Pid, Signal, kill_process};

/// How many versions each player has handed in.
const EACH: usize = 20;

/// How many games are decided on each day.
const A_DAY: u64 = 10_000;

fn main() {
    let numbers: Vec<u64> = std::env::args().filter_map(|word| word.parse().ok()).collect();
    // `cargo bench` passes `--bench`. Run as a test, the bench uses only a short journal, to show that it still works.
    let full = std::env::args().any(|arg| arg == "--bench");
    let games = numbers.first().copied().unwrap_or(if full { 1_000_000 } else { 200 });
    let versions = numbers.get(1).copied().unwrap_or(if full { 1_000 } else { 10 });
    let dir = tempfile::tempdir().expect("a directory");
    let (file, out) = (dir.path().join("term.toml"), dir.path().join("out"));
    let journal = out.join("journal.jsonl");
    fs::write(&file, FILE).expect("written");
    let mut arena = start(&file, &out);
    await_pairing(&journal, 0, &mut arena);
    end(&mut arena);
    write_run(&out, usize::try_from(versions).expect("few"), games);
    fs::remove_file(out.join("checkpoint.jsonl")).expect("the run has ended");
    let megabytes = fs::metadata(&journal).expect("it is there").len() >> 20;
    println!("{games} games of {versions} versions, a journal of {megabytes} MiB");
    // Each restart finds a new player in the file, whose first game is the next to be decided on.
    for (depth, bars) in (1..).zip(["60 s, 600 MB", "10 s, 200 MB", "10 s, 200 MB"]) {
        let players = (1..=depth).map(|depth| format!("[[player]]\nname = \"new {depth}\"\nbuiltin = \"greedy\"\n"));
        fs::write(&file, format!("{FILE}{}", players.collect::<String>())).expect("written");
        let what = if depth == 1 { "without a checkpoint" } else { "with a checkpoint" };
        let (begun, end_of_journal) = (Instant::now(), fs::metadata(&journal).expect("it is there").len());
        let mut arena = start(&file, &out);
        let peak = await_pairing(&journal, end_of_journal, &mut arena);
        let (took, cpu) = (begun.elapsed().as_secs_f64(), cpu_time(&arena));
        println!("  {what} (bar {bars}): {took:.2} s, {cpu:.2} s of CPU time, at most {peak} MB");
        let begun = Instant::now();
        let peak = end(&mut arena);
        println!("    ending it, with tables: {:.2} s, at most {peak} MB", begun.elapsed().as_secs_f64());
        let checkpoint = fs::metadata(out.join("checkpoint.jsonl")).expect("it is there").len();
        println!("    its checkpoint: {:.2} MB", f64::from(u32::try_from(checkpoint).expect("small")) / 1e6);
    }
}

const FILE: &str = "format = \"ladder\"\ntime = \"60s\"\nconcurrency = 1\nisolation = \"off\"\n\
    [[player]]\nname = \"greedy\"\nbuiltin = \"greedy\"\n[[player]]\nname = \"random\"\nbuiltin = \"random\"\n";

fn start(file: &Path, out: &Path) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gothello-arena"));
    command.arg("run").arg(file).arg("--out").arg(out).arg("--quiet");
    command.stdout(Stdio::null()).stderr(Stdio::inherit()).spawn().expect("it starts")
}

/// Ends `arena`, and returns its peak memory in MB.
fn end(arena: &mut Child) -> u64 {
    kill_process(Pid::from_child(arena), Signal::INT).expect("it runs");
    let mut peak = 0;
    while arena.try_wait().expect("it can be waited for").is_none() {
        peak = peak_memory(arena).max(peak);
        std::thread::sleep(Duration::from_millis(5));
    }
    peak
}

/// Waits until `journal` contains a line about a pairing after its first `length` bytes. Returns the peak memory of
/// `arena` up to then, in MB.
fn await_pairing(journal: &Path, length: u64, arena: &mut Child) -> u64 {
    while !journal.exists() {
        assert!(arena.try_wait().expect("it can be waited for").is_none(), "it has ended");
        std::thread::sleep(Duration::from_millis(5));
    }
    let mut lines = BufReader::new(File::open(journal).expect("it is there"));
    lines.seek(SeekFrom::Start(length)).expect("it can be read");
    let mut line = Vec::new();
    loop {
        assert!(arena.try_wait().expect("it can be waited for").is_none(), "it has ended");
        lines.by_ref().read_until(b'\n', &mut line).expect("read");
        if line.ends_with(b"\n") {
            if line.starts_with(b"{\"pairing\"") {
                return peak_memory(arena);
            }
            line.clear();
        } else {
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

/// The CPU time that `program` has used so far, in seconds, including time in the kernel.
fn cpu_time(program: &Child) -> f64 {
    let stat = fs::read_to_string(format!("/proc/{}/stat", program.id())).unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let ticks: u32 = after_name.split(' ').skip(12).take(2).filter_map(|ticks| ticks.parse::<u32>().ok()).sum();
    f64::from(ticks) / 100.0
}

/// The peak memory of `program` so far, in MB, or 0 if it has ended.
fn peak_memory(program: &Child) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", program.id())).unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    peak.and_then(|peak| peak.trim().strip_suffix(" kB")?.parse::<u64>().ok()).unwrap_or(0) / 1000
}

/// Adds `versions` versions, which are retired in the end, and `games` games to the ladder in `out`, with their logs.
fn write_run(out: &Path, versions: usize, games: u64) {
    let (mut journal, ledger, _) = Journal::resume(out, Durability::Fast).expect("it can be read");
    let (mut history, _) = ledger.ladder_so_far().expect("a ladder");
    let accepted: Vec<JournalEntry> = (0..versions).map(version).collect();
    let retired = (0..versions).map(|version| {
        let (version, reason) = (hand_in(version).name(), String::new());
        JournalEntry::Retired(StatusEntry { version, reason, at: Timestamp::UNIX_EPOCH })
    });
    for entry in &accepted {
        history.take(entry).expect("it fits");
    }
    journal.append(&accepted).expect("written");
    let field = of_field(&history);
    let (mut random, mut entries) = (SplitMix64::new(1), Vec::new());
    let mut below = |count: usize| usize::try_from(random.below(count as u64)).expect("an index");
    let mut moves = SplitMix64::new(2);
    let first = history.schedule().at_most();
    for number in first..first + games {
        // Most games are between versions that are near each other.
        let count = history.players().len();
        let one = below(count);
        let other = (one + 1 + below(count.min(60) - 1)) % count;
        let name = |player: usize| history.players()[player].name.clone();
        let at = Timestamp::from_second(i64::try_from(number * 86_400 / A_DAY).expect("in range")).expect("a time");
        let pairing = PairingEntry { black: name(one), white: name(other), random: number % 10 == 0, at };
        let pairing = JournalEntry::Pairing(pairing);
        let spec: GameSpec = history.take(&pairing).expect("it fits").expect("a game");
        history.forget(spec.number);
        let record = random_game::play(&field, &spec, &mut moves).to_string();
        fs::write(out.join(format!("games/{}.log", spec.id)), &record).expect("written");
        entries.push(pairing);
        entries.push(JournalEntry::Game(GameEntry { number, id: spec.id.to_string(), record }));
        if entries.len() >= 2000 {
            journal.append(&entries).expect("written");
            entries.clear();
        }
    }
    journal.append(&entries).expect("written");
    journal.append(&retired.collect::<Vec<_>>()).expect("written");
}

/// The hand-in with this `number`, counted from 0.
fn hand_in(number: usize) -> HandInEntry {
    HandInEntry {
        of: format!("p{}", number / EACH),
        number: u32::try_from(number % EACH).expect("few") + 1,
        sources: "0123456789abcdef".repeat(4),
        arrived: Timestamp::UNIX_EPOCH,
        door: "folder".to_owned(),
        origin: "/home/arena/term/handed-in".to_owned(),
    }
}

/// The entry about the version with this `number`, counted from 0.
fn version(number: usize) -> JournalEntry {
    let version = hand_in(number);
    let name = version.name();
    let program = ProgramLine {
        command: vec!["./bot".to_owned()],
        build: None,
        transport: "tcp".to_owned(),
        dir: String::new(),
        hosts: Vec::new(),
        untold: false,
    };
    let digest = Some("0123456789abcdef".repeat(4));
    let files = BTreeMap::from([("bot".to_owned(), "0123456789abcdef".repeat(4))]);
    let facts = BTreeMap::from([("command".to_owned(), "\"./bot\"".to_owned())]);
    JournalEntry::Version(Box::new(AcceptedEntry {
        player: PlayerEntry { name: name.clone(), digest, files, products: None },
        definition: PlayerDefinition { name, facts },
        version: Some(version),
        program: Some(program),
        at: Timestamp::UNIX_EPOCH,
    }))
}

/// A tournament whose players have the names of those in `history`.
fn of_field(history: &LadderHistory) -> Tournament {
    let players = u32::try_from(history.players().len()).expect("few");
    let file = random_game::tournament_file(players, 1);
    let mut field = Tournament::parse(&file, "bench").unwrap_or_else(|problems| panic!("{problems}"));
    for (player, known) in field.players.iter_mut().zip(history.players()) {
        player.name = PlayerName::new(known.name.clone()).expect("a name");
    }
    field
}
