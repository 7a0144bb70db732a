//! The players of a game in their seats: their input, and how they leave.

use std::future::poll_fn;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::task::{JoinError, JoinSet};

use super::leaver::{Leaver, leave};
use super::together::all_done;
use crate::base::time::now;
use crate::game::quantum::Mode;
use crate::game::{BySeat, Seat};
use crate::host::line::{Connection, Input};
use crate::host::process::{ChildProcess, Remains};
use crate::host::program_timeout::ProgramTimeout;
use crate::referee::result::Void;
use crate::referee::sans_io::{Departure, Referee};
use crate::referee::thought::Thought;
use crate::tournament::BetweenMoves;

/// A player in its seat.
#[derive(Debug)]
pub struct SeatedPlayer {
    /// The player's connection.
    pub connection: Connection,
    /// The player's process, if the arena started one.
    pub child: Option<ChildProcess>,
}

impl SeatedPlayer {
    /// A player that connected on its own.
    pub const fn without_child(connection: Connection) -> Self {
        Self { connection, child: None }
    }

    /// Records that the player's turn at `ply` begins.
    pub(super) fn begin_turn(&mut self, ply: usize) {
        if let Some(child) = &mut self.child {
            child.begin_turn(ply);
        }
    }

    /// What the player last reported about its thinking, with the ply of the turn.
    pub(super) fn latest_thought(&self) -> Option<(usize, Thought)> {
        self.connection.latest_thought().or_else(|| self.child.as_ref()?.latest_thought())
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

    /// Whether the player's process has exceeded a limit.
    fn exceeds(&self) -> bool {
        self.child.as_ref().is_some_and(|child| child.exceeded().is_some())
    }
}

impl From<SeatedPlayer> for Leaver {
    fn from(SeatedPlayer { connection, child }: SeatedPlayer) -> Self {
        Self { connection: Some(connection), child }
    }
}

/// The players of a game in progress.
///
/// In a game with more than two seats, players can drop out. A player that has dropped out leaves while the others play
/// on.
#[derive(Debug)]
pub struct SeatedPlayers {
    /// The player in each seat; `None` if it has not come, or has dropped out.
    seats: BySeat<Option<SeatedPlayer>>,
    /// The players that have closed their end of the connection, until it is known how they left. Nothing more can be
    /// sent to them.
    going: JoinSet<(Seat, SeatedPlayer, Departure)>,
    /// The programs that are leaving because their players have dropped out, or because other programs have relieved
    /// them. The number counts the programs that had the seat before.
    leaving: JoinSet<(Seat, usize, Remains)>,
    /// For each seat, the modes for which a new program has relieved the previous one.
    reliefs: BySeat<Vec<Mode>>,
    /// How long a player may take to leave.
    quit_timeout: Duration,
}

impl SeatedPlayers {
    /// The players of a game whose seats are all taken. Each player has `quit_timeout` to leave.
    pub fn new(seats: impl Into<BySeat<SeatedPlayer>>, quit_timeout: Duration) -> Self {
        let seats = seats.into().map(Some);
        let reliefs = seats.as_ref().map(|_| Vec::new());
        Self { seats, going: JoinSet::new(), leaving: JoinSet::new(), reliefs, quit_timeout }
    }

    /// The players of a game that begins without the players that have no connection. The processes of the absent
    /// players are ended.
    pub(super) fn of_those_present(all: BySeat<Leaver>, quit_timeout: Duration) -> Self {
        let (mut leaving, deadline) = (JoinSet::new(), now());
        let mut seats = BySeat::from_fn(all.seats(), |_| None);
        for (seat, Leaver { connection, child }) in all {
            match connection {
                Some(connection) => seats[seat] = Some(SeatedPlayer { connection, child }),
                None => {
                    drop(leaving.spawn(async move { (seat, 0, leave(Leaver { connection, child }, deadline).await) }));
                }
            }
        }
        let reliefs = seats.as_ref().map(|_| Vec::new());
        Self { seats, going: JoinSet::new(), leaving, reliefs, quit_timeout }
    }

    /// How many seats the game has.
    pub(super) fn seats(&self) -> u8 {
        self.seats.seats()
    }

    /// The player in `seat`, unless it has not come or has dropped out.
    pub(super) fn get(&self, seat: Seat) -> Option<&SeatedPlayer> {
        self.seats[seat].as_ref()
    }

    /// Returns the same as [`SeatedPlayers::get`], mutably borrowed.
    pub(super) fn get_mut(&mut self, seat: Seat) -> Option<&mut SeatedPlayer> {
        self.seats[seat].as_mut()
    }

    /// The players that are in the game, with their seats.
    pub(super) fn iter(&self) -> impl Iterator<Item = (Seat, &SeatedPlayer)> {
        self.seats.iter().filter_map(|(seat, player)| player.as_ref().map(|player| (seat, player)))
    }

    /// The processes of the players that are in the game.
    pub(super) fn children(&mut self) -> impl Iterator<Item = &mut ChildProcess> {
        self.seats.iter_mut().filter_map(|(_, player)| player.as_mut()?.child.as_mut())
    }

    /// The seats in the order of their turns, starting with `first`.
    pub(super) fn from(&self, first: Seat) -> impl Iterator<Item = Seat> + use<> {
        let seats = self.seats.seats();
        std::iter::successors(Some(first), move |seat| Some(seat.next(seats))).take(usize::from(seats))
    }

    /// The CPU time that the process of the player in `seat` has used so far; zero without a process.
    pub(super) async fn cpu(&mut self, seat: Seat) -> Duration {
        match self.get_mut(seat) {
            Some(player) => player.cpu().await,
            None => Duration::ZERO,
        }
    }

    /// Takes the player of `seat` out of the game, if it is still there.
    pub(super) fn take(&mut self, seat: Seat) -> Option<SeatedPlayer> {
        self.seats[seat].take()
    }

    /// Lets a player that has dropped out leave in the background. The player has its usual time to leave, unless its
    /// process is to be ended `at_once`.
    pub(super) fn see_out(&mut self, seat: Seat, player: SeatedPlayer, at_once: bool) {
        let deadline = if at_once { now() } else { now() + self.quit_timeout };
        let before = self.reliefs[seat].len();
        self.leaving.spawn(async move { (seat, before, leave(Leaver::from(player), deadline).await) });
    }

    /// Gives `seat`, which has been taken from its previous program, to `player`, the program for `mode`.
    pub(super) fn relieve(&mut self, seat: Seat, player: SeatedPlayer, mode: Mode) {
        self.reliefs[seat].push(mode);
        self.seats[seat] = Some(player);
    }

    /// Ends the process of the program for `mode`, which has not taken its `seat`.
    pub(super) fn end_absent(&mut self, seat: Seat, child: Option<ChildProcess>, mode: Mode) {
        self.reliefs[seat].push(mode);
        let (before, deadline) = (self.reliefs[seat].len(), now());
        self.leaving.spawn(async move { (seat, before, leave(Leaver { connection: None, child }, deadline).await) });
    }

    /// Lets all players leave after the game, and returns what their processes have left behind.
    pub async fn leave(self) -> BySeat<Remains> {
        let Self { mut seats, mut going, mut leaving, reliefs, quit_timeout } = self;
        let deadline = now() + quit_timeout;
        for (seat, player) in seats.iter_mut().filter_map(|(seat, player)| Some((seat, player.take()?))) {
            let before = reliefs[seat].len();
            leaving.spawn(async move { (seat, before, leave(Leaver::from(player), deadline).await) });
        }
        while let Some(gone) = going.join_next().await {
            let (seat, player, _) = joined(gone);
            let before = reliefs[seat].len();
            leaving.spawn(async move { (seat, before, leave(Leaver::from(player), deadline).await) });
        }
        let mut remains = reliefs.map(|modes| {
            let titles = std::iter::once(None).chain(modes.into_iter().map(Some));
            titles.map(|mode| (mode, Remains::default())).collect::<Vec<_>>()
        });
        while let Some(left) = leaving.join_next().await {
            let (seat, before, left) = joined(left);
            remains[seat][before].1 = left;
        }
        remains.map(|all| {
            let all = all.into_iter();
            all.fold(Remains::default(), |former, (mode, next)| match mode {
                Some(mode) => former.followed_by(mode, &next),
                None => next,
            })
        })
    }

    /// How the player in `seat` left, once it has closed its end of the connection.
    pub(super) async fn departure(&mut self, seat: Seat) -> Departure {
        let who = seat.name(self.seats());
        match self.get_mut(seat) {
            Some(player) => departure(who, player).await,
            None => Departure::Disconnect,
        }
    }

    /// Begins to find out how the player in `seat` left, once it has closed its end of the connection.
    /// [`SeatedPlayers::next_event`] then returns the answer.
    pub(super) fn begin_departure(&mut self, seat: Seat) {
        let who = seat.name(self.seats());
        if let Some(mut player) = self.take(seat) {
            self.going.spawn(async move {
                let how = departure(who, &mut player).await;
                (seat, player, how)
            });
        }
    }

    /// Waits for the next input of a player that has not `ended`, or until it is known how a player left. The player on
    /// move has priority.
    pub(super) async fn next_event(&mut self, to_move: Seat, ended: &BySeat<bool>) -> PlayerEvent {
        poll_fn(|cx| self.poll_event(to_move, ended, cx)).await
    }

    fn poll_event(&mut self, to_move: Seat, ended: &BySeat<bool>, cx: &mut Context<'_>) -> Poll<PlayerEvent> {
        for seat in self.from(to_move) {
            let Some(SeatedPlayer { connection, .. }) = self.get_mut(seat) else { continue };
            if ended[seat] {
                // The player may still read.
                let _ = connection.poll_send(cx);
            } else if let Poll::Ready(input) = connection.poll_next(cx) {
                return Poll::Ready(PlayerEvent::Input(seat, input));
            }
        }
        if let Poll::Ready(Some(gone)) = self.going.poll_join_next(cx) {
            let (seat, player, how) = joined(gone);
            self.seats[seat] = Some(player);
            return Poll::Ready(PlayerEvent::Departed(seat, how));
        }
        Poll::Pending
    }

    /// Finds a player whose confinement has ended unexpectedly, so its bot no longer has any limits.
    pub(super) fn unconfined(&self) -> Option<Void> {
        let is_lost = |player: &SeatedPlayer| player.child.as_ref().is_some_and(ChildProcess::is_unconfined);
        let (lost, _) = self.iter().find(|(_, player)| is_lost(player))?;
        Some(Void { reason: ended_by_itself(lost.name(self.seats())) })
    }
}

/// An event at a table.
#[derive(Debug)]
pub(super) enum PlayerEvent {
    /// A player has sent a line, or closed its end of the connection.
    Input(Seat, Input),
    /// It is known how a player left; see [`SeatedPlayers::begin_departure`].
    Departed(Seat, Departure),
}

/// The value of a task that was not aborted.
pub(super) fn joined<T>(ended: Result<T, JoinError>) -> T {
    // A bug must surface as a panic.
    ended.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()))
}

/// A process that ends within this time after its player's connection is closed is considered to have crashed. Time
/// that the process spends waiting for a core does not count.
const CRASH_WINDOW: Duration = Duration::from_millis(200);

/// The maximum real time that the arena waits for the process to end.
const LONGEST_CRASH: Duration = Duration::from_secs(10);

fn ended_by_itself(who: &str) -> String {
    format!("the confinement of {who} ended unexpectedly, as happens when the machine is out of memory")
}

/// What the arena has received from each player.
#[derive(Clone, Debug)]
pub(super) struct Presence {
    /// Whether the player has sent anything in this game.
    pub(super) spoken: BySeat<bool>,
    /// Whether the player closed its sending half while it was not on move, and may still read.
    pub(super) ended: BySeat<bool>,
}

impl Presence {
    /// Creates the state before anything has been received from any of the `seats`.
    pub(super) fn new(seats: u8) -> Self {
        let none = BySeat::from_fn(seats, |_| false);
        Self { spoken: none.clone(), ended: none }
    }

    /// Records that a new program has taken `seat`.
    pub(super) fn begins(&mut self, seat: Seat) {
        self.spoken[seat] = false;
        self.ended[seat] = false;
    }

    /// Records that the player in `seat` has closed its end of the connection, unless the player is therefore gone. If
    /// a player sends its moves in advance and closes its sending half, the moves are judged in their turns, as is an
    /// opponent's answer to the last move; the player is gone once it is on move and has no more lines. A player that
    /// has sent nothing, exceeds a limit or cannot be reached is gone immediately.
    pub(super) fn ends(&mut self, seat: Seat, player: &mut SeatedPlayer) -> bool {
        self.ended[seat] = self.spoken[seat] && !player.exceeds() && !player.connection.is_broken();
        self.ended[seat]
    }

    /// The player that has closed its end of the connection and is gone now: the player on move, because it has no more
    /// lines, or another player, once nothing can be sent to it.
    pub(super) fn gone(&self, to_move: Seat, players: &mut SeatedPlayers) -> Option<Seat> {
        players.from(to_move).find(|&seat| {
            let player = players.get_mut(seat).filter(|_| self.ended[seat]);
            player.is_some_and(|player| seat == to_move || player.connection.is_broken())
        })
    }
}

/// Distinguishes a crash of the player `who` from a mere disconnect, and both from the end of the player's confinement.
pub(crate) async fn departure(who: &str, player: &mut SeatedPlayer) -> Departure {
    let Some(child) = &mut player.child else { return Departure::Disconnect };
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
        return Departure::Void(ended_by_itself(who));
    }
    match gone {
        Some(gone) if !gone.is_success() => Departure::Crash(gone.to_string()),
        _ => Departure::Disconnect,
    }
}

/// Which players' processes are stopped.
pub(super) struct Frozen {
    between_moves: BetweenMoves,
    stopped: BySeat<bool>,
}

impl Frozen {
    /// Creates the state with no process of any of the `seats` stopped.
    pub(super) fn new(between_moves: BetweenMoves, seats: u8) -> Self {
        Self { between_moves, stopped: BySeat::from_fn(seats, |_| false) }
    }

    /// Whether only one process at a time runs.
    pub(super) fn is_exclusive(&self) -> bool {
        self.between_moves == BetweenMoves::Freeze
    }

    /// Lets the process of the player on move run, and stops all others. Once the game is over, all processes run.
    pub(super) async fn hand_over(&mut self, referee: &Referee, players: &mut SeatedPlayers) {
        let on_move = referee.seat_to_move();
        let stop = BySeat::from_fn(players.seats(), |seat| !referee.is_over() && seat != on_move);
        self.stop(stop, players).await;
    }

    /// Stops all processes.
    pub(super) async fn hold(&mut self, players: &mut SeatedPlayers) {
        self.stop(BySeat::from_fn(players.seats(), |_| true), players).await;
    }

    /// Records that a new program, which is running, has taken `seat`.
    pub(super) fn begins(&mut self, seat: Seat) {
        self.stopped[seat] = false;
    }

    async fn stop(&mut self, stop: BySeat<bool>, players: &mut SeatedPlayers) {
        if !self.is_exclusive() {
            return;
        }
        let before = std::mem::replace(&mut self.stopped, stop);
        let stopped = &self.stopped;
        let changed = players.seats.iter_mut().filter(|(seat, _)| before[*seat] != stopped[*seat]);
        let set = changed.filter_map(|(seat, player)| {
            let child = player.as_mut()?.child.as_mut()?;
            Some(async move { if stopped[seat] { child.freeze().await } else { child.thaw().await } })
        });
        all_done(set).await;
    }
}
