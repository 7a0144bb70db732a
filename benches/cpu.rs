//! Measures the CPU time that the arena itself and a bare relay use for each move, with everything pinned to one core.

mod common;

use std::time::Duration;

use common::{Script, drive, pair, referee, relay};
use rustix::thread::{CpuSet, sched_setaffinity};
use rustix::time::{ClockId, clock_gettime};

const GAMES: u64 = 400;

fn pin(cpu: usize) {
    let mut set = CpuSet::new();
    set.set(cpu);
    // If the machine has only one core, both sides share it.
    let _ = sched_setaffinity(None, &set);
}

fn own_cpu() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.try_into().expect("positive"), time.tv_nsec.try_into().expect("positive"))
}

/// Returns the CPU time per move of a thread that plays the server's part in all games, one after another.
fn measure(
    scripts: &[Script],
    serve: impl FnOnce(Vec<(std::net::TcpStream, std::net::TcpStream)>) + Send + 'static,
) -> f64 {
    let (servers, clients): (Vec<_>, Vec<_>) = scripts
        .iter()
        .map(|_| {
            let ((black_seat, black), (white_seat, white)) = (pair(), pair());
            ((black_seat, white_seat), (black, white))
        })
        .unzip();
    let arena = std::thread::spawn(move || {
        pin(0);
        let before = own_cpu();
        serve(servers);
        own_cpu().saturating_sub(before)
    });
    for ((mut black, mut white), script) in clients.into_iter().zip(scripts) {
        drive(&mut black, &mut white, script, |_| {});
    }
    let spent = arena.join().expect("no panic");
    let plies: usize = scripts.iter().map(|script| script.plies.len()).sum();
    spent.as_secs_f64() * 1e6 / f64::from(u32::try_from(plies).expect("a few"))
}

fn main() {
    pin(0);
    println!("the arena's own CPU time for each move, all pinned to one core");
    for round in 0..3 {
        let scripts: Vec<Script> = (0..GAMES).map(|seed| Script::new(seed + round * GAMES)).collect();
        let figure = measure(&scripts, |games| {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(async {
                for (black, white) in games {
                    referee(black, white).await;
                }
            });
        });
        let again: Vec<Script> = (0..GAMES).map(|seed| Script::new(seed + round * GAMES)).collect();
        let floor = measure(&scripts, move |games| {
            for ((mut black, mut white), script) in games.into_iter().zip(&again) {
                relay(&mut black, &mut white, script);
            }
        });
        println!("  {figure:5.1} us, bare relay {floor:5.1} us, ratio {:.2} (bar 1.25)", figure / floor);
    }
}
