//! Decides which game is next. Games begin in the schedule's order, except that a game with remote players waits for
//! these players without holding up other games. Games that have results are skipped.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};
use std::time::Duration;

use super::retries::Retries;
use super::waitlist::Waitlist;
use crate::base::time::{Instant, now};
use crate::game::{BySeat, Seat};
use crate::host::lobby::remote_players::RemotePlayer;
use crate::host::seat::{Attendance, SeatFailure};
use crate::referee::result::Termination;
use crate::run::event::Retry;
use crate::tournament::Tournament;
use crate::tournament::schedule::{GameId, GameSpec, KnownEnding, PlayerIndex, Results, Schedule, Step};

/// A game to begin now.
#[derive(Debug)]
pub(super) struct NextGame {
    /// The game.
    pub(super) spec: GameSpec,
    /// The attendance of the game's remote players.
    pub(super) attending: BySeat<Option<Attendance>>,
}

/// A remote player that a game is waiting for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Call {
    /// The game.
    pub(super) game: GameId,
    /// The player.
    pub(super) player: PlayerIndex,
    /// The player's seat in the game.
    pub(super) seat: Seat,
}

/// The games that have not begun.
#[derive(Debug)]
pub(super) struct Queue {
    schedule: Schedule,
    results: Results,
    /// Games that were added after the run began, in their order. They follow those of the schedule.
    added: VecDeque<GameSpec>,
    /// What is known about the games whose turn has not come.
    beyond: Beyond,
    /// Games whose turn has come, but which lack a remote player.
    held: BTreeMap<u64, GameSpec>,
    /// Games that began before their turn, because a waiting remote player could take its seat.
    begun_early: HashSet<u64>,
    /// When the wait for the players of each held game ends. At most one game at a time waits for a given remote
    /// player.
    deadlines: BTreeMap<u64, Instant>,
    join_timeout: Duration,
    /// Void games that will be replayed.
    retries: Retries,
    /// The remote players.
    waitlist: Waitlist,
}

/// What is known about the games whose turn has not come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Beyond {
    /// The schedule has not been queried since the last change.
    Unasked,
    /// These games depend on other games, which have no result yet.
    Unknown,
    /// There are no such games.
    Nothing,
}

impl Queue {
    /// A queue of the games without a result in `schedule`, the schedule of `tournament`. The schedule must not have
    /// been advanced.
    pub(super) fn new(tournament: &Tournament, schedule: Schedule, results: Results) -> Self {
        Self {
            waitlist: Waitlist::new(tournament, &schedule, &results),
            schedule,
            results,
            added: VecDeque::new(),
            beyond: Beyond::Unasked,
            held: BTreeMap::new(),
            begun_early: HashSet::new(),
            deadlines: BTreeMap::new(),
            join_timeout: tournament.limits.join_timeout,
            retries: Retries::new(tournament.limits.void_retries),
        }
    }

    /// Whether no more games can begin without another result: every game has begun, or the next game depends on a
    /// missing result.
    pub(super) fn is_done(&self) -> bool {
        self.held.is_empty() && self.retries.is_empty() && self.beyond != Beyond::Unasked
    }

    /// Adds a game after all others.
    pub(super) fn add(&mut self, spec: GameSpec) {
        self.added.push_back(spec);
        self.beyond = Beyond::Unasked;
    }

    /// Receives a remote player that has said hello.
    pub(super) fn receive(&mut self, arrival: RemotePlayer) {
        self.waitlist.receive(arrival);
    }

    /// Waits until a remote player that is waiting for a game closes its connection.
    pub(super) async fn somebody_leaves(&mut self) {
        self.waitlist.somebody_leaves().await;
    }

    /// Turns away every remote player that is still waiting.
    pub(super) async fn dismiss(self) {
        self.waitlist.dismiss().await;
    }

    /// Records that the game of `players` has ended, so that they can begin another game.
    pub(super) fn ended(&mut self, players: &BySeat<PlayerIndex>) {
        self.waitlist.end_game(players);
    }

    /// Adds the result of a game.
    pub(super) fn add_result(&mut self, game: GameId, ended: impl Into<KnownEnding>) {
        if !self.schedule.needs_results() {
            return;
        }
        self.results.insert(game, ended);
        self.beyond = Beyond::Unasked;
        if self.schedule.is_decided(&self.results) {
            for spec in std::mem::take(&mut self.held).into_values().chain(self.retries.take_all()) {
                self.waitlist.uncount_game(&spec);
            }
            self.deadlines.clear();
        }
    }

    /// Whether the results have decided the tournament, in which case no more games need to begin.
    pub(super) fn is_decided(&mut self) -> bool {
        self.schedule.needs_results() && self.schedule.is_decided(&self.results)
    }

    /// Puts back a void game. Returns the next attempt at it, if there will be one.
    pub(super) fn put_back(&mut self, spec: &GameSpec) -> Option<Retry> {
        if self.schedule.is_decided(&self.results) {
            return None;
        }
        let retry = self.retries.add(spec.clone(), now())?;
        self.waitlist.count_game(spec);
        Some(retry)
    }

    /// Takes from the schedule the next game that has not begun and has no result.
    fn advance(&mut self) -> Option<GameSpec> {
        loop {
            match self.schedule.next(&self.results) {
                Step::Game(spec) => {
                    if self.begun_early.remove(&spec.number) || self.results.get(spec.id.as_str()).is_some() {
                        continue;
                    }
                    if self.schedule.needs_results() {
                        self.waitlist.count_game(&spec);
                    }
                    return Some(spec);
                }
                Step::Wait => {
                    self.beyond = Beyond::Unknown;
                    return None;
                }
                Step::Done => {
                    if let Some(spec) = self.added.pop_front() {
                        return Some(spec);
                    }
                    self.beyond = Beyond::Nothing;
                    self.waitlist.no_more_games();
                    return None;
                }
            }
        }
    }

    /// When the next game is due, either because the wait for its players ends or because a retry may begin.
    pub(super) fn next_deadline(&self) -> Option<Instant> {
        self.deadlines.values().min().copied().into_iter().chain(self.retries.next()).min()
    }

    /// Extends all deadlines by `late`, the time by which the arena's check for players was late.
    pub(super) fn postpone(&mut self, late: Duration) {
        for deadline in self.deadlines.values_mut() {
            *deadline += late;
        }
    }

    /// The next game that can begin, if any.
    pub(super) fn next_game(&mut self) -> Option<NextGame> {
        loop {
            let number = self.choose()?;
            let players = self.held.get(&number).map(|spec| spec.players.clone());
            let players = players.or_else(|| Some(self.schedule.get(number)?.players))?;
            // A player whose connection is known to be closed cannot begin a game, but another player may be able to.
            if !self.waitlist.forget_gone(&players) {
                return self.begin(number);
            }
        }
    }

    /// The next game for another machine: the next game that has no remote players.
    pub(super) fn next_without_remote_players(&mut self) -> Option<GameSpec> {
        let number = self.choose_local()?;
        self.begin(number).map(|next| next.spec)
    }

    /// The number of the next game without remote players. Earlier games that have remote players are held.
    fn choose_local(&mut self) -> Option<u64> {
        let time = now();
        while let Some(spec) = self.retries.take(time).or_else(|| self.advance()) {
            let number = spec.number;
            if self.hold(spec) {
                return Some(number);
            }
        }
        None
    }

    /// The number of the next game that can begin if all waiting players are still connected.
    fn choose(&mut self) -> Option<u64> {
        let time = now();
        while let Some(spec) = self.retries.take(time) {
            let number = spec.number;
            if self.hold(spec) {
                return Some(number);
            }
        }
        if let Some(number) = self.first_for_waiting() {
            return Some(number);
        }
        if let Some((&number, _)) = self.deadlines.iter().find(|&(_, deadline)| *deadline <= time) {
            return Some(number);
        }
        while let Some(spec) = self.advance() {
            let number = spec.number;
            if self.hold(spec) {
                return Some(number);
            }
        }
        // The games of a planned schedule were known before their turn. In any other schedule, a waiting player may be
        // able to play a game whose turn has just come.
        if self.schedule.needs_results() { self.first_for_waiting() } else { None }
    }

    /// Holds a game whose turn has come. Returns whether it can begin immediately, because it has no remote player.
    fn hold(&mut self, spec: GameSpec) -> bool {
        let is_local = spec.players.values().all(|&player| !self.waitlist.is_remote(player));
        self.held.insert(spec.number, spec);
        is_local
    }

    /// Calls the players that held games are waiting for and that have not been called yet.
    pub(super) fn call_players(&mut self) -> Vec<Call> {
        let mut claimed = BTreeSet::new();
        let mut calls = Vec::new();
        for (&number, spec) in &self.held {
            let remote = || spec.players.iter().map(|(seat, &player)| (player, seat));
            let remote = || remote().filter(|(player, _)| self.waitlist.is_remote(*player));
            let free = remote().all(|(player, _)| !self.waitlist.is_busy(player) && !claimed.contains(&player));
            claimed.extend(remote().map(|(player, _)| player));
            if !free {
                self.deadlines.remove(&number);
            } else if !self.deadlines.contains_key(&number) {
                self.deadlines.insert(number, now() + self.join_timeout);
                let absent = remote().filter(|&(player, seat)| !self.waitlist.can_begin(player, seat));
                calls.extend(absent.map(|(player, seat)| Call { game: spec.id.clone(), player, seat }));
            }
        }
        calls
    }

    /// The first game that can begin with a waiting remote player.
    fn first_for_waiting(&self) -> Option<u64> {
        if !self.waitlist.somebody_waits() {
            return None;
        }
        let suits = |spec: &GameSpec| {
            let mut players = spec.players.iter().map(|(seat, &player)| (player, seat));
            players.clone().any(|(player, _)| self.waitlist.is_remote(player))
                && players.all(|(player, seat)| self.waitlist.can_begin(player, seat))
        };
        let held = self.held.iter().find(|(_, spec)| suits(spec)).map(|(&number, _)| number);
        held.or_else(|| {
            let unplayed = |spec: &GameSpec| {
                !self.begun_early.contains(&spec.number) && self.results.get(spec.id.as_str()).is_none()
            };
            self.schedule.rest().find(|spec| suits(spec) && unplayed(spec)).map(|spec| spec.number)
        })
    }

    fn begin(&mut self, number: u64) -> Option<NextGame> {
        let spec = match self.held.remove(&number) {
            Some(spec) => spec,
            None => {
                self.begun_early.insert(number);
                self.schedule.get(number)?
            }
        };
        self.deadlines.remove(&number);
        let attending = BySeat::from_fn(spec.players.seats(), |seat| {
            let player = spec.players[seat];
            self.waitlist.is_remote(player).then(|| match self.waitlist.take_connection(player, seat) {
                Some(connection) => Attendance::Seated(Box::new(connection)),
                None => {
                    let timeout = humantime::format_duration(self.join_timeout);
                    let reason = format!("not connected within {timeout}");
                    Attendance::Failed(SeatFailure::new(Termination::NoShow, reason))
                }
            })
        });
        self.waitlist.begin_game(&spec);
        Some(NextGame { spec, attending })
    }
}
