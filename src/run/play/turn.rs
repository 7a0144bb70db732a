//! The current turn: when it began, and what it costs.

use std::thread::available_parallelism;
use std::time::Duration;

use super::arena_stall::{Stalls, TICK};
use super::seated_players::SeatedPlayers;
use crate::base::time::{Instant, now};
use crate::game::{BySeat, Seat};
use crate::referee::clock::Meter;
use crate::referee::record::{Out, Ply};
use crate::referee::sans_io::{Arrival, Referee};
use crate::referee::thought::Thought;

/// When to measure the CPU time of a bot whose clock counts it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CpuLooks {
    /// How many threads can use CPU time at once.
    cpus: u32,
}

impl CpuLooks {
    /// The shortest pause between two checks of the CPU time. A bot cannot gain more than this from a late check.
    const PAUSE: Duration = Duration::from_millis(1);

    /// The schedule of measurements on this machine. If `meter` measures wall time, nothing is measured.
    pub(crate) fn for_meter(meter: Meter) -> Self {
        let cpus = match meter {
            Meter::Wall => 1,
            Meter::Cpu { .. } => {
                available_parallelism().map_or(1, |cpus| u32::try_from(cpus.get()).unwrap_or(u32::MAX))
            }
        };
        Self { cpus }
    }

    /// How long to wait before the next measurement of a bot that may use `rest` more CPU time: the shortest time in
    /// which the bot can use it up.
    pub(crate) fn pause(self, rest: Duration) -> Duration {
        (rest / self.cpus).max(Self::PAUSE)
    }

    /// How much CPU time a bot can use between the arrival of its line and a measurement that is late by this much.
    pub(crate) fn lateness(self, late: Duration) -> Duration {
        late * self.cpus
    }
}

/// A listener to the moves of a game.
pub trait OnMove: std::fmt::Debug + Sync {
    /// Receives the ply with this number, from 1. It must not block, because clocks are running.
    fn moved(&self, number: usize, ply: &Ply);

    /// Whether [`OnMove::told`] is to be called.
    fn hears_thoughts(&self) -> bool {
        false
    }

    /// Receives what the player in `seat` has reported about its thinking in the turn of `ply`, a moment after the
    /// report. A thought that is immediately followed by another one may be missing. Like [`OnMove::moved`], it must
    /// not block.
    fn told(&self, _seat: Seat, _ply: usize, _thought: &Thought) {}

    /// Receives a seat that has dropped out of a game with more than two seats, after all earlier plies. Like
    /// [`OnMove::moved`], it must not block.
    fn dropped_out(&self, out: &Out);
}

/// The current turn.
pub(super) struct Turn {
    /// When the lines that began the turn were written.
    started: Instant,
    /// The seat whose turn it is.
    mover: Seat,
    /// The number of moves before this turn, including those of the opening.
    number: usize,
    /// The number of turns before this one.
    before: usize,
    /// How many seats had dropped out by the last call of [`Turn::go_on`].
    outs: usize,
    meter: Meter,
    /// The CPU time that the mover had used before this turn, if CPU time counts.
    cpu_before: Duration,
    /// When to measure the CPU time, if it counts.
    looks: CpuLooks,
    /// When the arena was stopped in this turn.
    pub(super) stalls: Stalls,
    /// How long the arena was stopped before the last line of the player on move.
    charged: Duration,
    /// How long the arena was stopped during each seat's earlier turns, counting only the time before the seat's last
    /// line in each turn.
    stalled: BySeat<Duration>,
}

impl Turn {
    /// The first turn of a game of this many `seats`, which begins now.
    pub(super) fn first(referee: &Referee, seats: u8) -> Self {
        Self {
            started: now(),
            mover: referee.seat_to_move(),
            number: referee.plies().len(),
            before: referee.turns_ended(),
            outs: 0,
            meter: referee.meter(),
            cpu_before: Duration::ZERO,
            looks: CpuLooks::for_meter(referee.meter()),
            stalls: Stalls::default(),
            charged: Duration::ZERO,
            stalled: BySeat::from_fn(seats, |_| Duration::ZERO),
        }
    }

    /// The seat whose turn it is, even after it has made its move or dropped out.
    pub(super) const fn mover(&self) -> Seat {
        self.mover
    }

    /// Whether a move has been made since the turn began.
    pub(super) fn has_moved(&self, referee: &Referee) -> bool {
        referee.plies().len() > self.number
    }

    /// Whether a move has been made since the turn began, or the game goes on without the player on move.
    pub(super) fn is_done(&self, referee: &Referee) -> bool {
        referee.turns_ended() > self.before
    }

    /// Whether the turn has lasted long enough to check whether its player is starved.
    pub(super) fn is_long(&self) -> bool {
        self.started.elapsed() >= TICK
    }

    /// The time by which the turn must be over.
    pub(super) fn due(&self, referee: &Referee) -> Option<Instant> {
        let allowance = match self.meter {
            Meter::Wall => referee.allowance(),
            Meter::Cpu { .. } => referee.wall_allowance(),
        };
        allowance.map(|allowance| self.started + allowance)
    }

    /// When to check whether the turn is over, given that the mover has used `used` so far: a microsecond after `due`,
    /// because a flag falls only when more than the whole time is spent, or as soon as the mover could have used up its
    /// CPU time, whichever comes first.
    pub(super) fn next_look(&self, referee: &Referee, due: Option<Instant>, used: Duration) -> Option<Instant> {
        let due = due.map(|due| due + Duration::from_micros(1));
        match self.meter {
            Meter::Wall => due,
            Meter::Cpu { .. } => {
                let rest = referee.allowance().unwrap_or_default().saturating_sub(used);
                let look = now() + self.looks.pause(rest);
                Some(due.map_or(look, |due| due.min(look)))
            }
        }
    }

    /// Measures the arrival of a line at `at`. The arena should have checked by `due`, so everything since then is its
    /// own lateness, and so is the CPU time that a bot uses between its move's arrival and this measurement.
    pub(super) async fn arrival(&self, at: Instant, due: Option<Instant>, players: &mut SeatedPlayers) -> Arrival {
        let wall = at.saturating_duration_since(self.started);
        match self.meter {
            Meter::Wall => {
                // A line that is in time needs no credit, so the clock need not be read again.
                let due = due.filter(|&due| at > due);
                let lateness = due.map(|due| now().saturating_duration_since(due)).unwrap_or_default();
                // A stop is not lateness: it may have happened at any time.
                let lateness = lateness.saturating_sub(self.stalls.total());
                Arrival { elapsed: wall, wall, lateness }
            }
            Meter::Cpu { .. } => {
                let used = players.cpu(self.mover).await;
                let lateness = self.looks.lateness(now().saturating_duration_since(at));
                Arrival { elapsed: used.saturating_sub(self.cpu_before), wall, lateness }
            }
        }
    }

    /// Whether it is doubtful that `elapsed` is too long, because it might have been shorter if the arena had not been
    /// stopped. `at` is the time when a line arrived, or the time by which no line had arrived.
    pub(super) fn is_doubtful(&self, referee: &Referee, elapsed: Duration, at: Instant) -> bool {
        let mover = referee.seat_to_move();
        let before = if referee.is_timed() { self.stalled[mover] } else { self.stalled.values().sum() };
        let stalled = before + self.stalls.before(at);
        let allowance = referee.allowance().unwrap_or(Duration::MAX);
        !stalled.is_zero() && (self.meter != Meter::Wall || elapsed.saturating_sub(stalled) <= allowance)
    }

    /// Records that a line of the player on move, which arrived at `at`, is about to be judged. If the line is a move,
    /// the move is charged with the time for which the arena was stopped before it.
    pub(super) fn charge_stalls(&mut self, at: Instant) {
        self.charged = self.stalls.before(at);
    }

    /// Measures how much CPU time the player on move has used before its turn, if CPU time counts. This must be called
    /// before that player is notified.
    pub(super) async fn prepare(&mut self, referee: &Referee, players: &mut SeatedPlayers) {
        if self.meter != Meter::Wall {
            self.cpu_before = players.cpu(referee.seat_to_move()).await;
        }
    }

    /// Continues the turn after a `pause` in which its clock did not run.
    pub(super) fn skip(&mut self, pause: Duration) {
        self.started += pause;
    }

    /// Begins the turn, now that the lines that announce it have been written.
    pub(super) fn begin(&mut self) {
        self.stalls.clear();
        self.started = now();
    }

    /// Begins the next turn if this one is done, and returns whether it is.
    pub(super) fn go_on(&mut self, referee: &Referee, moves: Option<&dyn OnMove>) -> bool {
        if let Some(moves) = moves {
            let mut outs = referee.outs().iter().skip(self.outs).peekable();
            for (number, ply) in (1..).zip(referee.plies()).skip(self.number) {
                while let Some(out) = outs.next_if(|out| out.after_plies < number) {
                    moves.dropped_out(out);
                }
                moves.moved(number, ply);
            }
            outs.for_each(|out| moves.dropped_out(out));
        }
        self.outs = referee.outs().len();
        let begins = self.is_done(referee);
        if begins {
            self.stalled[self.mover] += std::mem::take(&mut self.charged);
            self.mover = referee.seat_to_move();
            self.number = referee.plies().len();
            self.before = referee.turns_ended();
            self.begin();
        }
        begins
    }
}
