//! The two players of a game in their seats: their input, and how they leave.

use std::future::poll_fn;
use std::task::Poll;
use std::time::Duration;

use crate::game::{BySide, Side};
use crate::host::line::{Connection, Input};
use crate::host::process::ChildProcess;
use crate::host::program_timeout::ProgramTimeout;
use crate::referee::result::Void;
use crate::referee::sans_io::{Departure, Referee};
use crate::tournament::BetweenMoves;

/// A player in its seat.
#[derive(Debug)]
pub struct Seat {
    /// The player's connection.
    pub connection: Connection,
    /// The player's process, if the arena started one.
    pub child: Option<ChildProcess>,
}

impl Seat {
    /// Records that the player's turn at `ply` begins.
    pub(super) fn begin_turn(&mut self, ply: usize) {
        if let Some(child) = &mut self.child {
            child.begin_turn(ply);
        }
    }

    /// Checks whether the player's process is starved in its turn, like [`ChildProcess::watch_turn`].
    pub(crate) fn watch_turn(&mut self) {
        if let Some(child) = &mut self.child {
            child.watch_turn();
        }
    }

    /// Records that the player's turn is over.
    pub(crate) fn end_turn(&mut self) {
        if let Some(child) = &mut self.child {
            child.end_turn();
        }
    }

    /// The CPU time that the player's process has used so far; zero without a process.
    pub(crate) async fn cpu(&mut self) -> Duration {
        match &mut self.child {
            Some(child) => child.cpu().await,
            None => Duration::ZERO,
        }
    }
}

/// How soon after a player's connection is closed its process must end for this to count as a crash. Time that the process
/// spends waiting for a core does not count.
const CRASH_WINDOW: Duration = Duration::from_millis(200);

/// The maximum real time that the arena waits for the process to end.
const LONGEST_CRASH: Duration = Duration::from_secs(10);

/// Finds a player whose confinement has ended unexpectedly, so its bot no longer has any limits.
pub(super) fn unconfined(seats: &BySide<Seat>) -> Option<Void> {
    let lost = |side: &Side| seats[*side].child.as_ref().is_some_and(ChildProcess::is_unconfined);
    Side::BOTH.into_iter().find(lost).map(|side| Void { reason: ended_by_itself(side) })
}

fn ended_by_itself(side: Side) -> String {
    format!("the confinement of {side} ended unexpectedly, as happens when the machine is out of memory")
}

/// What the arena has received from each player.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Presence {
    /// Whether the player has sent anything in this game.
    pub(super) spoken: BySide<bool>,
    /// Whether the player closed its sending half while it was not on move, and may still read.
    pub(super) ended: BySide<bool>,
}

impl Presence {
    /// Records that `side` has closed its end, unless this means that it is gone. If a player sends its moves and
    /// closes its sending half, its moves are judged in their turns, as is the opponent's answer to the last one; the
    /// player is gone when it is on move and has no more lines. A player that has sent nothing, exceeds a limit or
    /// cannot be reached is gone at once.
    pub(super) fn ends(&mut self, side: Side, seat: &mut Seat) -> bool {
        let exceeds = seat.child.as_ref().is_some_and(|child| child.exceeded().is_some());
        self.ended[side] = self.spoken[side] && !exceeds && !seat.connection.is_broken();
        self.ended[side]
    }

    /// The player that has closed its end and is gone now: the player on move, because it has no more lines, or the other player
    /// once nothing reaches it.
    pub(super) fn gone(self, to_move: Side, seats: &mut BySide<Seat>) -> Option<Side> {
        [to_move, to_move.opponent()]
            .into_iter()
            .find(|&side| self.ended[side] && (side == to_move || seats[side].connection.is_broken()))
    }
}

/// Waits for the next input of a player that has not `ended`. The player on move has priority.
pub(super) async fn next_input(seats: &mut BySide<Seat>, to_move: Side, ended: BySide<bool>) -> (Side, Input) {
    poll_fn(|cx| {
        for side in [to_move, to_move.opponent()] {
            if ended[side] {
                // The player may still read.
                let _ = seats[side].connection.poll_send(cx);
            } else if let Poll::Ready(input) = seats[side].connection.poll_next(cx) {
                return Poll::Ready((side, input));
            }
        }
        Poll::Pending
    })
    .await
}

/// Distinguishes a crash from a mere disconnect, and both from the end of the player's confinement.
pub(crate) async fn departure(side: Side, seat: &mut Seat) -> Departure {
    let Some(child) = &mut seat.child else { return Departure::Disconnect };
    let mut timeout = ProgramTimeout::new(CRASH_WINDOW, child.pid()).at_most(LONGEST_CRASH);
    let gone = tokio::select! {
        biased;
        gone = child.gone() => Some(gone),
        _ = timeout.run_out() => None,
    };
    if let Some((limit, how)) = child.exceeded() {
        return Departure::Limit(limit, how);
    }
    if gone.is_none() {
        child.settle().await;
    }
    if child.is_unconfined() {
        return Departure::Void(ended_by_itself(side));
    }
    match gone {
        Some(gone) if !gone.is_success() => Departure::Crash(gone.to_string()),
        _ => Departure::Disconnect,
    }
}

/// Which players' processes are stopped.
pub(super) struct Frozen {
    between_moves: BetweenMoves,
    stopped: BySide<bool>,
}

impl Frozen {
    pub(super) fn new(between_moves: BetweenMoves) -> Self {
        Self { between_moves, stopped: BySide::default() }
    }

    /// Lets the process of the side to move run, and stops the other side's process. Once the game is over, both run.
    pub(super) async fn hand_over(&mut self, referee: &Referee, seats: &mut BySide<Seat>) {
        let stop = BySide::from_fn(|side| !referee.is_over() && side != referee.to_move());
        self.stop(stop, seats).await;
    }

    /// Stops both processes.
    pub(super) async fn hold(&mut self, seats: &mut BySide<Seat>) {
        self.stop(BySide::from_fn(|_| true), seats).await;
    }

    async fn stop(&mut self, stop: BySide<bool>, seats: &mut BySide<Seat>) {
        if self.between_moves == BetweenMoves::Run {
            return;
        }
        let before = std::mem::replace(&mut self.stopped, stop);
        let set = async |seat: &mut Seat, before: bool, stop: bool| match &mut seat.child {
            Some(child) if !before && stop => child.freeze().await,
            Some(child) if before && !stop => child.thaw().await,
            Some(_) | None => {}
        };
        tokio::join!(set(&mut seats.black, before.black, stop.black), set(&mut seats.white, before.white, stop.white));
    }
}
