//! Which game is next: the schedule's order, but for remote players, whose games wait for them without holding up the
//! others.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::time::Duration;

use super::guests::Guests;
use crate::result::Termination;
use crate::rules::{BySide, Side};
use crate::schedule::{GameSpec, PlayerIndex, Schedule};
use crate::seat::{Attendance, SeatFailure};
use crate::time::{Instant, now};

/// A game that is to begin now.
#[derive(Debug)]
pub(super) struct Next {
    /// Its number in the schedule, from 0.
    pub(super) number: u64,
    /// The game.
    pub(super) spec: GameSpec,
    /// Its remote players' attendance.
    pub(super) attending: BySide<Option<Attendance>>,
}

/// A remote player that a game waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Call {
    /// Who.
    pub(super) player: PlayerIndex,
    /// Its side in that game.
    pub(super) side: Side,
}

/// The games that have not begun.
#[derive(Debug)]
pub(super) struct Queue {
    schedule: Schedule,
    /// The first game whose turn has not come.
    next: u64,
    /// Games whose turn has come, but which lack a remote player.
    held: BTreeMap<u64, GameSpec>,
    /// Games that began before their turn, because their remote player asked for that side.
    ahead: HashSet<u64>,
    /// Until when each held game is waited for, as far as it is: one game at a time for each remote player.
    deadlines: BTreeMap<u64, Instant>,
    join_timeout: Duration,
}

impl Queue {
    pub(super) fn new(schedule: Schedule, join_timeout: Duration) -> Self {
        Self {
            schedule,
            next: 0,
            held: BTreeMap::new(),
            ahead: HashSet::new(),
            deadlines: BTreeMap::new(),
            join_timeout,
        }
    }

    /// Whether every game has begun.
    pub(super) fn is_done(&self) -> bool {
        self.next >= self.schedule.len() && self.held.is_empty()
    }

    /// When the next game is due that nobody came to.
    pub(super) fn next_deadline(&self) -> Option<Instant> {
        self.deadlines.values().min().copied()
    }

    /// The next game that can begin, if any.
    pub(super) fn pick(&mut self, guests: &mut Guests) -> Option<Next> {
        if let Some(number) = self.wished_for(guests) {
            return self.begin(number, guests);
        }
        let time = now();
        if let Some(number) = self.deadlines.iter().find(|&(_, deadline)| *deadline <= time).map(|(&number, _)| number)
        {
            return self.begin(number, guests);
        }
        while let Some(spec) = self.schedule.get(self.next) {
            let number = self.next;
            self.next += 1;
            if self.ahead.remove(&number) {
                continue;
            }
            let local = Side::BOTH.iter().all(|&side| !guests.is_remote(spec.players[side]));
            self.held.insert(number, spec);
            if local {
                return self.begin(number, guests);
            }
        }
        None
    }

    /// Whom the held games wait for, as far as nobody has been told.
    pub(super) fn calls(&mut self, guests: &Guests) -> Vec<Call> {
        let mut claimed = BTreeSet::new();
        let mut calls = Vec::new();
        for (&number, spec) in &self.held {
            let remote = || Side::BOTH.into_iter().map(|side| (spec.players[side], side));
            let remote = || remote().filter(|(player, _)| guests.is_remote(*player));
            let free = remote().all(|(player, _)| !guests.is_busy(player) && !claimed.contains(&player));
            claimed.extend(remote().map(|(player, _)| player));
            if !free {
                self.deadlines.remove(&number);
            } else if !self.deadlines.contains_key(&number) {
                self.deadlines.insert(number, now() + self.join_timeout);
                let absent = remote().filter(|&(player, side)| !guests.can_begin(player, side));
                calls.extend(absent.map(|(player, side)| Call { player, side }));
            }
        }
        calls
    }

    /// The first game that a waiting remote player has come for and that can begin.
    fn wished_for(&self, guests: &Guests) -> Option<u64> {
        guests.wishes().find_map(|(player, wish)| {
            let suits = |spec: &GameSpec| {
                Side::BOTH.into_iter().any(|side| {
                    let opponent = side.opponent();
                    spec.players[side] == player
                        && wish.takes(side)
                        && guests.can_begin(spec.players[opponent], opponent)
                })
            };
            let held = self.held.iter().find(|(_, spec)| suits(spec)).map(|(&number, _)| number);
            held.or_else(|| {
                let mut later = (self.next..self.schedule.len()).filter(|number| !self.ahead.contains(number));
                later.find(|&number| self.schedule.get(number).is_some_and(|spec| suits(&spec)))
            })
        })
    }

    fn begin(&mut self, number: u64, guests: &mut Guests) -> Option<Next> {
        let spec = match self.held.remove(&number) {
            Some(spec) => spec,
            None => {
                self.ahead.insert(number);
                self.schedule.get(number)?
            }
        };
        self.deadlines.remove(&number);
        let attending = BySide::from_fn(|side| {
            let player = spec.players[side];
            guests.is_remote(player).then(|| match guests.take_connection(player, side) {
                Some(connection) => Attendance::Seated(connection),
                None => {
                    let timeout = humantime::format_duration(self.join_timeout);
                    let reason = format!("not connected within {timeout}");
                    Attendance::Failed(SeatFailure::new(Termination::NoShow, reason))
                }
            })
        });
        guests.begin(&spec);
        Some(Next { number, spec, attending })
    }
}
