//! Measures how much a live page with 64 clients slows down the games, and the resources that the page itself uses.
//! Small native bots alternately play the same games with and without the page: first one game after another, as fast
//! as they can, and then a hundred at the same time with bots that think. `cargo bench --bench live -- fast` and `--
//! many` run only one of the two.

#[path = "common/class.rs"]
mod class;
#[path = "common/figures.rs"]
mod figures;

use std::fs;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use class::Class;
use figures::{percentile, sorted};
use gothello_arena::base::machine::step_back;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

const CLIENTS: usize = 64;

/// The number of pairs of runs, and the ranks of the two ratios between which the true median lies with a probability
/// of 96%, as follows from the binomial distribution.
const PAIRS: usize = 40;
const MEDIAN_BETWEEN: [usize; 2] = [14, 27];

/// Opens the page at `address` with all clients, which read its events to the end on a separate thread.
fn watch(address: SocketAddr, received: Arc<AtomicU64>) {
    std::thread::spawn(move || {
        // In practice, the clients are on other machines.
        let _ = step_back(10);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let clients: Vec<_> = (0..CLIENTS).map(|_| tokio::spawn(listen(address, Arc::clone(&received)))).collect();
            for client in clients {
                let _ = client.await;
            }
        });
    });
}

async fn listen(address: SocketAddr, received: Arc<AtomicU64>) -> std::io::Result<()> {
    let mut stream = TcpStream::connect(address).await?;
    stream.write_all(format!("GET /events HTTP/1.1\r\nHost: {address}\r\n\r\n").as_bytes()).await?;
    let mut buffer = vec![0; 1 << 16];
    loop {
        match stream.read(&mut buffer).await? {
            0 => return Ok(()),
            bytes => received.fetch_add(bytes as u64, Relaxed),
        };
    }
}

/// The address of the page, if `line` of the program's output contains it.
fn page(line: &str) -> Option<SocketAddr> {
    line.split_once("the live page is at http://")?.1.trim_end_matches('/').parse().ok()
}

/// The resource usage of the arena's process.
#[derive(Clone, Copy, Debug, Default)]
struct Usage {
    /// Its resident memory in MiB.
    memory: f64,
    /// The CPU time of the page's thread in seconds.
    page: f64,
    at: Option<Instant>,
}

/// The current usage of the process `arena`.
fn usage(arena: u32) -> Usage {
    let status = fs::read_to_string(format!("/proc/{arena}/status")).unwrap_or_default();
    let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
    let memory = resident.split_whitespace().next().and_then(|kib| kib.parse::<f64>().ok()).unwrap_or(0.0) / 1024.0;
    let tasks = fs::read_dir(format!("/proc/{arena}/task")).into_iter().flatten().flatten();
    let name = |task: &fs::DirEntry| fs::read_to_string(task.path().join("comm")).unwrap_or_default();
    let live = tasks.into_iter().find(|task| name(task).trim() == "live");
    let spent = live.and_then(|task| fs::read_to_string(task.path().join("schedstat")).ok()).unwrap_or_default();
    let nanos = spent.split_whitespace().next().and_then(|nanos| nanos.parse::<f64>().ok()).unwrap_or(0.0);
    Usage { memory, page: nanos / 1e9, at: Some(Instant::now()) }
}

/// Plays all games of `class`, with the page and its clients if `is_shown`. Returns the run, the usage of the process
/// at each line that it printed, and how many bytes the clients received.
fn run(class: &Class, concurrency: &str, is_shown: bool) -> (class::Run, Vec<Usage>, u64) {
    let received = Arc::<AtomicU64>::default();
    let used = Mutex::new(Vec::new());
    let mut args = vec!["--isolation", "off", "--concurrency", concurrency, "--strict"];
    if is_shown {
        args.extend(["--web", "127.0.0.1:0"]);
    }
    let mut lines = 0_u32;
    let run = class.run_with(&args, |arena, line| {
        if let Some(address) = page(line) {
            watch(address, Arc::clone(&received));
        }
        lines += 1;
        if lines.is_multiple_of(10) {
            used.lock().expect("no panic").push(usage(arena));
        }
    });
    (run, used.into_inner().expect("no panic"), received.load(Relaxed))
}

/// The figure called `name` in the log's `Lateness` tag, in milliseconds.
fn late(log: &str, name: &str) -> f64 {
    let tag = log.split_once("[Lateness \"").and_then(|(_, rest)| rest.split_once('"')).expect("a tag").0;
    let mut words = tag.split(' ').skip_while(|word| *word != name);
    words.nth(1).and_then(|figure| figure.parse::<f64>().ok()).expect("a figure") * 1e3
}

/// The share of a core that the page's thread used from the first to the last of `used`.
fn share(used: &[Usage]) -> f64 {
    let [Some(first), Some(last)] = [used.first(), used.last()] else { return 0.0 };
    let time = last.at.zip(first.at).map_or(Duration::ZERO, |(last, first)| last - first);
    (last.page - first.page) / time.as_secs_f64().max(1e-9)
}

/// Games one after another, as fast as possible.
fn fast() {
    const GAMES: u32 = 200;
    let class = Class::new(GAMES, "given");
    println!(
        "turnaround and lateness with {CLIENTS} clients and without: {PAIRS} times {GAMES} games of each, alternately"
    );
    let (mut with, mut without, mut shares) = (Vec::new(), Vec::new(), Vec::new());
    // The first run warms up the machine's caches.
    class.run("off", "1");
    for pair in 0..PAIRS {
        let mut both = [(false, &mut without), (true, &mut with)];
        // Neither of the two is always the first one.
        both.rotate_left(pair % 2);
        for (is_shown, figures) in both {
            let (run, used, bytes) = run(&class, "1", is_shown);
            let answers = sorted(run.answers.iter().map(|nanos| nanos / 1e3).collect());
            let lateness = sorted(run.logs.iter().map(|log| late(log, "sum") * 1e3).collect());
            figures.push([
                percentile(&answers, 0.5),
                percentile(&answers, 0.99),
                percentile(&lateness, 0.5),
                percentile(&lateness, 0.99),
            ]);
            if is_shown {
                shares.push(share(&used) * 100.0);
                assert!(bytes > 0, "the clients have seen nothing");
            }
        }
    }
    let names = ["answer p50", "answer p99", "lateness a game p50", "lateness a game p99"];
    for (nth, name) in names.into_iter().enumerate() {
        let [one, other] =
            [&with, &without].map(|all| percentile(&sorted(all.iter().map(|run| run[nth]).collect()), 0.5));
        let ratios = sorted(with.iter().zip(&without).map(|(with, without)| with[nth] / without[nth]).collect());
        let [low, high] = MEDIAN_BETWEEN.map(|rank| ratios[rank - 1]);
        println!(
            "  {name}: {one:.1} us with, {other:.1} us without; ratio of pairs: median {:.3}, between {low:.3} and {high:.3} \
             with 96% confidence (bar 1.05)",
            percentile(&ratios, 0.5)
        );
    }
    println!("  the page's thread: {:.1}% of a core (median)", percentile(&sorted(shares), 0.5));
}

/// A hundred games at the same time, with bots that think.
fn many() {
    const GAMES: u32 = 500;
    let class = Class::new(GAMES, "given:400000");
    println!("{GAMES} games, 100 at a time, of bots that think for 0.4 s a move");
    for is_shown in [false, true] {
        let (run, used, bytes) = run(&class, "100", is_shown);
        assert!(!run.said.contains("void"), "{}", run.said);
        let largest = sorted(run.logs.iter().map(|log| late(log, "max")).collect());
        // Skip the period in which the first games begin.
        let used = &used[used.len() / 10..];
        let memory: Vec<f64> = used.iter().map(|usage| usage.memory).collect();
        println!(
            "  {}: {:.1?}, {:.1?} of CPU time; largest lateness of a game: median {:.2} ms, p99 {:.2} ms, most {:.2} ms; flag falls: {}",
            if is_shown { "with 64 clients" } else { "without a page " },
            run.time,
            run.cpu,
            percentile(&largest, 0.5),
            percentile(&largest, 0.99),
            largest[largest.len() - 1],
            run.logs.iter().filter(|log| log.contains("[Termination \"time\"]")).count(),
        );
        println!(
            "    resident memory: {:.1} MiB at first, {:.1} MiB at last, {:.1} MiB at most; the page's thread: {:.1}% of a \
             core; the clients received {} MB",
            memory[0],
            memory[memory.len() - 1],
            memory.iter().copied().fold(0.0, f64::max),
            share(used) * 100.0,
            bytes / 1_000_000
        );
    }
}

fn main() {
    let asked = |what: &str| std::env::args().any(|word| word == what);
    if !asked("many") {
        fast();
    }
    if !asked("fast") {
        many();
    }
}
