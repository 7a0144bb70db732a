//! Measures the time from a move's line until both the mover and the opponent have received their answers: through the
//! referee and, in the same run, through a bare relay of the same lines.

mod common;
#[path = "common/figures.rs"]
mod figures;

use common::{Script, drive, pair, referee, relay};
use figures::{percentile, sorted};

const GAMES: u64 = 400;

fn main() {
    let (mut through_referee, mut through_relay) = (Vec::new(), Vec::new());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let handle = runtime.handle().clone();
    std::thread::spawn(move || runtime.block_on(std::future::pending::<()>()));
    for seed in 0..GAMES {
        let script = Script::new(seed);
        let ((black_seat, mut black), (white_seat, mut white)) = (pair(), pair());
        let game = handle.spawn(referee(black_seat, white_seat));
        drive(&mut black, &mut white, &script, |time| through_referee.push(time.as_secs_f64() * 1e6));
        drop((black, white));
        handle.block_on(game).expect("no panic");

        let ((mut black_seat, mut black), (mut white_seat, mut white)) = (pair(), pair());
        std::thread::scope(|scope| {
            scope.spawn(|| relay(&mut black_seat, &mut white_seat, &script));
            drive(&mut black, &mut white, &script, |time| through_relay.push(time.as_secs_f64() * 1e6));
        });
    }
    let (through_referee, through_relay) = (sorted(through_referee), sorted(through_relay));
    println!("turnaround over {} moves of {GAMES} games", through_relay.len());
    for (name, share, bar) in [("p50", 0.5, 1.1), ("p99", 0.99, 1.3)] {
        let (figure, floor) = (percentile(&through_referee, share), percentile(&through_relay, share));
        println!("  {name}: {figure:7.1} us, bare relay {floor:7.1} us, ratio {:.2} (bar {bar})", figure / floor);
    }
}
