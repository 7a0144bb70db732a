//! When the next kill happens.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use gothello_arena::base::random::SplitMix64;

use crate::harness::waiting::{LIMIT, until_within};

/// Whether every campaign in progress is to panic at its next kill, so that it ends its processes.
pub(crate) static IS_INTERRUPTED: AtomicBool = AtomicBool::new(false);

pub(super) fn is_interrupted() -> bool {
    IS_INTERRUPTED.load(Ordering::Relaxed)
}

/// The moment of a kill.
pub(super) struct Moment {
    /// How many games must be in the journal.
    games: usize,
    /// How long to wait after that.
    then: Duration,
}

impl Moment {
    /// Chooses the moment of kill number `kill` of `kills` in a run of `games` games. In one of four cases, the kill
    /// does not wait for games, so that runs are also killed while they begin; otherwise, the kills are spread over the
    /// run.
    pub(super) fn choose(random: &mut SplitMix64, kill: u64, kills: u64, games: usize) -> Self {
        if random.below(4) == 0 {
            return Self { games: 0, then: Duration::from_micros(random.below(80_000)) };
        }
        let due = usize::try_from((kill + 1) * games as u64 / (kills + 1)).expect("few");
        // Half of these kills come right after a game.
        let then = if random.below(2) == 0 { 0 } else { random.below(30_000) };
        Self { games: due, then: Duration::from_micros(then) }
    }

    /// Waits for the moment. `played` counts the games in the journal, and `is_over` says whether the run has ended.
    /// Returns whether it ended before the moment came.
    pub(super) fn comes(&self, mut played: impl FnMut() -> usize, mut is_over: impl FnMut() -> bool) -> bool {
        let mut since = None;
        until_within(LIMIT, "the moment of a kill", || {
            assert!(!is_interrupted(), "interrupted");
            if is_over() {
                return Some(false);
            }
            if since.is_none() && (self.games == 0 || played() >= self.games) {
                since = Some(Instant::now());
            }
            since.filter(|since| since.elapsed() >= self.then).map(|_| true)
        })
    }
}
