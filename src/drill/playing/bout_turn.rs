//! The bot's turn in a bout: when it began, and how much time it costs.

use std::time::Duration;

use crate::base::time::{Instant, now};
use crate::drill::script::Bout;
use crate::referee::clock::Meter;
use crate::referee::sans_io::Arrival;
use crate::run::play::{CpuLooks, SeatedPlayer};

/// One of the bot's turns. Between turns, the opponent replies immediately.
pub(super) struct BoutTurn {
    /// The number of plies before the turn.
    plies: usize,
    /// When the lines that began the turn were written.
    began: Instant,
    meter: Meter,
    /// The CPU time that the bot had used before the turn, if CPU time counts.
    cpu_before: Duration,
    looks: CpuLooks,
}

impl BoutTurn {
    /// The first turn of `bout`.
    pub(super) fn first(bout: &Bout) -> Self {
        let meter = bout.meter();
        Self { plies: bout.turn(), began: now(), meter, cpu_before: Duration::ZERO, looks: CpuLooks::for_meter(meter) }
    }

    /// Measures how much CPU time the bot has used before the turn, if CPU time counts. Must be called right before the
    /// bot is sent the last line that begins the turn.
    pub(super) async fn prepare(&mut self, seat: &mut SeatedPlayer) {
        if self.counts_cpu() {
            self.cpu_before = seat.cpu().await;
        }
    }

    /// Begins the turn that is due in `bout`, now that the lines that begin it have been written.
    pub(super) fn begin(&mut self, bout: &Bout) {
        (self.plies, self.began) = (bout.turn(), now());
    }

    /// Whether the bot has made its move.
    pub(super) fn is_done(&self, bout: &Bout) -> bool {
        bout.turn() != self.plies
    }

    /// When the wall time of the turn is used up; `None` without a limit.
    pub(super) fn due(&self, bout: &Bout) -> Option<Instant> {
        bout.wall_allowance().map(|allowance| self.began + allowance + Duration::from_micros(1))
    }

    /// When to check whether the bot, which has used `used` so far, has used up its CPU time; `None` if CPU time does
    /// not count.
    pub(super) fn next_look(&self, bout: &Bout, used: Duration) -> Option<Instant> {
        let rest = bout.allowance()?.saturating_sub(used);
        self.counts_cpu().then(|| now() + self.looks.pause(rest))
    }

    /// How much time the bot has used in this turn so far, by its clock.
    pub(super) async fn elapsed(&self, seat: &mut SeatedPlayer) -> Duration {
        match self.meter {
            Meter::Wall => self.began.elapsed(),
            Meter::Cpu { .. } => seat.cpu().await.saturating_sub(self.cpu_before),
        }
    }

    /// Measures the arrival of a line at `at`.
    pub(super) async fn arrival(&self, at: Instant, seat: &mut SeatedPlayer) -> Arrival {
        let wall = at.saturating_duration_since(self.began);
        match self.meter {
            Meter::Wall => Arrival { elapsed: wall, wall, lateness: Duration::ZERO },
            Meter::Cpu { .. } => {
                let elapsed = self.elapsed(seat).await;
                // CPU time that the bot uses between the arrival of its line and the measurement counts as the arena's
                // lateness.
                Arrival { elapsed, wall, lateness: self.looks.lateness(now().saturating_duration_since(at)) }
            }
        }
    }

    fn counts_cpu(&self) -> bool {
        self.meter != Meter::Wall
    }
}
