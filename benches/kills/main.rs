//! Kills processes of tournaments of all formats at random moments, and takes away the power of their machine. Continues
//! each tournament, and checks that every game is there exactly once and that the tables are identical, byte for byte,
//! to those of an undisturbed run. `tests/it/harness/kills` describes such a campaign.
//!
//!     cargo bench --bench kills -- 10000 --log kills.csv --jobs 3
//!
//! plays campaigns until there were 10,000 kills, three at a time, with one line in `kills.csv` for each. The same
//! command continues after the last whole line. At the end, or when it is interrupted, it prints the sums. The number
//! of a campaign determines its format, its victim and its moments; `--only NUMBER` repeats one. Victims that are
//! impossible on this machine are skipped: power failures and the users of bots need root, runs over NATS need
//! nats-server.

#[allow(dead_code, unused_imports, unused_macros, reason = "the integration tests use more of their harness")]
mod harness;
mod log;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use gothello_arena::base::random::SplitMix64;
use tokio::signal::unix::{SignalKind, signal};

use harness::broker::nats_server;
use harness::kills::moment::IS_INTERRUPTED;
use harness::kills::{Campaign, Format, Undisturbed, Victim, can_confine, can_lose_power};
use log::{Line, Log};

/// How many kills the bench makes if the command line does not say so: enough for each format and each victim.
const USUAL: u64 = 300;

/// What the command line asks for.
struct Request {
    kills: u64,
    log: Option<PathBuf>,
    jobs: u64,
    only: Option<u64>,
}

impl Request {
    fn read() -> Self {
        let mut request = Self { kills: USUAL, log: None, jobs: 2, only: None };
        let mut words = std::env::args().skip(1).filter(|word| word != "--bench");
        while let Some(word) = words.next() {
            let mut value = || words.next().unwrap_or_else(|| panic!("`{word}` needs a value"));
            match word.as_str() {
                "--log" => request.log = Some(value().into()),
                "--jobs" => request.jobs = value().parse().expect("a number of campaigns at a time"),
                "--only" => request.only = Some(value().parse().expect("the number of a campaign")),
                number => request.kills = number.parse().expect("a number of kills"),
            }
        }
        request
    }
}

/// The formats, with their names in the log.
const FORMATS: [(Format, &str); 6] = [
    (Format::RoundRobin, "round-robin"),
    (Format::Swiss, "swiss"),
    (Format::Knockout, "knockout"),
    (Format::Sprt, "sprt"),
    (Format::Seegover, "seegover"),
    (Format::Group, "group"),
];

/// The victims, with their names in the log.
const VICTIMS: [(Victim, &str); 6] = [
    (Victim::Arena, "arena"),
    (Victim::Power, "power"),
    (Victim::Stage, "stage"),
    (Victim::Coordinator, "coordinator"),
    (Victim::Worker, "worker"),
    (Victim::Broker, "broker"),
];

/// The format and the victim of campaign `number`: all pairs of them in turn.
fn kind(number: u64) -> ((Format, &'static str), (Victim, &'static str)) {
    let nth = |number: u64| usize::try_from(number % 6).expect("small");
    (FORMATS[nth(number)], VICTIMS[nth(number / 6)])
}

/// Plays campaign `number`, and prints what is wrong with it. Its line says that it failed if it panics.
fn play(number: u64, keep: Option<PathBuf>) -> Line {
    let ((format, format_name), (victim, victim_name)) = kind(number);
    let mut random = SplitMix64::new(number);
    let campaign = Campaign { victims: vec![victim], kills: 24 + random.below(9), seed: random.next_u64() };
    let start = Instant::now();
    let played = catch_unwind(AssertUnwindSafe(|| {
        let undisturbed = Undisturbed::play(format, &campaign.victims, random.below(1 << 40));
        campaign.play(&undisturbed, keep)
    }));
    if let Ok(tally) = &played
        && !tally.is_clean()
    {
        eprintln!("campaign {number}: {tally:#?}");
    }
    Line::new(number, [format_name, victim_name], played.as_ref().ok(), start.elapsed())
}

/// Interrupts all campaigns at the first SIGINT or SIGTERM.
fn heed_signals() {
    std::thread::spawn(|| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let [mut int, mut term] =
                [SignalKind::interrupt(), SignalKind::terminate()].map(|kind| signal(kind).expect("a signal"));
            tokio::select! { _ = int.recv() => {}, _ = term.recv() => {} }
        });
        IS_INTERRUPTED.store(true, Ordering::Relaxed);
    });
}

fn main() -> ExitCode {
    let request = Request::read();
    let is_possible = [
        (can_lose_power(), &[Victim::Power][..]),
        (can_confine(), &[Victim::Stage]),
        (nats_server().is_some(), &[Victim::Coordinator, Victim::Worker, Victim::Broker]),
    ];
    let impossible: Vec<Victim> = is_possible
        .into_iter()
        .filter(|(is_possible, _)| !is_possible)
        .flat_map(|(_, victims)| victims.to_vec())
        .collect();
    if let Some(only) = request.only {
        let line = play(only, request.log.map(|log| log::directory(&log, only)));
        println!("{line}");
        return ExitCode::SUCCESS;
    }
    heed_signals();
    let log = Log::open(request.log.as_deref());
    let known = log.campaigns();
    let (log, next) = (Mutex::new(log), AtomicU64::new(0));
    let locked = || log.lock().unwrap_or_else(PoisonError::into_inner);
    std::thread::scope(|scope| {
        for _ in 0..request.jobs {
            scope.spawn(|| {
                while !IS_INTERRUPTED.load(Ordering::Relaxed) && locked().kills() < request.kills {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if known.contains(&number) || impossible.contains(&kind(number).1.0) {
                        continue;
                    }
                    let line = play(number, request.log.as_deref().map(|log| log::directory(log, number)));
                    // What an interruption has broken is played again.
                    if !IS_INTERRUPTED.load(Ordering::Relaxed) {
                        println!("{line}");
                        locked().add(line);
                    }
                }
            });
        }
    });
    let log = locked();
    print!("{}", log.sums());
    if log.is_clean() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
