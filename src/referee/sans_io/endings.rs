//! Endings for a reason other than the rules, and how they are announced to the remaining player.

use std::time::Duration;

use super::{Referee, Sayings};
use crate::game::Side;
use crate::referee::result::{GameEnd, GameResult, Limit, Termination, Void};
use crate::referee::wire::{Decision, Response, Words};

/// The lines that the remaining player is sent when its opponent has crashed, resigned, run out of time or broken the
/// protocol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Endings {
    /// The lines with the codes in the protocol document: 327/328, 361/362, 391/392.
    #[default]
    Documented,
    /// Lines that every old client library understands as a clean win.
    Compatible,
}

/// How a connection ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Departure {
    /// The child process, if there is one, kept running or exited with status 0.
    Disconnect,
    /// The child process was killed by a signal or exited with a status other than 0, as described.
    Crash(String),
    /// The child process exceeded a limit, as described, and was ended.
    Limit(Limit, String),
    /// The machine ended the child process, for the reason given, so the game is void.
    Void(String),
}

/// A player's fault that costs it the game.
pub(super) struct Forfeiture {
    pub(super) loser: Side,
    pub(super) why: Termination,
    /// A description of what happened.
    pub(super) reason: String,
}

impl Referee {
    /// Ends the turn because the allowance was used up, `elapsed` after the start of the turn, and no line arrived in
    /// time.
    pub fn time_is_up(&mut self, elapsed: Duration) -> Sayings {
        let mut say = self.nothing();
        if !self.is_over() {
            self.flag_falls(elapsed, &mut say);
        }
        say
    }

    /// Handles the end of the connection of `side`, `elapsed` after the start of the turn.
    pub fn departed(&mut self, side: Side, how: Departure, elapsed: Duration) -> Sayings {
        let mut say = self.unproven_for_good();
        let (why, reason) = match how {
            Departure::Disconnect => (Termination::Disconnect, "the connection ended".to_owned()),
            Departure::Limit(limit, how) => (Termination::Limit(limit), how),
            Departure::Crash(how) => (Termination::Crash, how),
            Departure::Void(reason) => {
                say.append_all(self.void(reason, elapsed));
                return say;
            }
        };
        say.append_all(self.forfeits(side, why, reason, elapsed));
        say
    }

    /// Makes `side` forfeit for a reason other than the lines that it sent.
    pub fn forfeits(&mut self, side: Side, why: Termination, reason: String, elapsed: Duration) -> Sayings {
        let mut say = self.nothing();
        if !self.is_over() {
            self.forfeit(Forfeiture { loser: side, why, reason }, elapsed, &mut say);
        }
        say
    }

    /// Ends the game because neither player took its seat.
    pub fn nobody_came(&mut self, reason: String) {
        if !self.is_over() {
            self.result = Some(Ok(GameEnd::Two(GameResult::double_forfeit(reason))));
        }
    }

    /// Ends the game because one player did not take its seat: the other player wins and is notified.
    pub fn did_not_come(&mut self, side: Side, why: Termination, reason: String) -> Sayings {
        let mut say = self.nothing();
        if !self.is_over() {
            if self.terms.endings == Endings::Compatible {
                // Old clients understand an ending only after a start.
                say.players[side.opponent()].push(Response::YouPlay(side.opponent()));
            }
            self.forfeit(Forfeiture { loser: side, why, reason }, Duration::ZERO, &mut say);
        }
        say
    }

    /// Ends the game without a result, through no player's fault.
    pub fn void(&mut self, reason: String, elapsed: Duration) -> Sayings {
        let mut say = self.nothing();
        if !self.is_over() {
            self.tell_untold(&mut say);
            let problem = Response::Problem(Words::new(&format!("the game is void: {reason}")));
            self.result = Some(Err(Void { reason }));
            self.cut_off = Some(elapsed);
            self.tell_all(problem, &mut say);
        }
        say
    }

    pub(super) fn resign(&mut self, elapsed: Duration, say: &mut Sayings) {
        let loser = self.to_move();
        say.players[loser].push(Response::Resigned);
        self.end_by(GameResult::resigned(loser), elapsed);
        self.tell_ending(loser, Response::WonByResignation(loser.opponent()), say);
    }

    pub(super) fn flag_falls(&mut self, elapsed: Duration, say: &mut Sayings) {
        let to_move = self.to_move();
        let clock = self.clocks[to_move];
        let (loser, reason) = if let Some((control, left)) = clock.control().zip(clock.left()) {
            let exceeded = match control.sudden_death_time() {
                Some(time) => format!("more than {} ", humantime::format_duration(time)),
                None => {
                    let (left, number) = (humantime::format_duration(left), self.number());
                    format!("more than the remaining {left} for move {number} ({}) ", control.shown())
                }
            };
            let reason = match self.terms.meter.wall_limit(to_move) {
                None => format!("{exceeded}used"),
                Some(_) if elapsed > left => format!("{exceeded}of CPU time used"),
                Some(limit) => format!(
                    "more than {} passed in its turns (key `wall_limit`), {}.{:03} s of them on the CPU",
                    humantime::format_duration(limit),
                    (clock.used() + elapsed).as_secs(),
                    (clock.used() + elapsed).subsec_millis()
                ),
            };
            (to_move, reason)
        } else {
            // The game limit: the side that has used more time loses; in a tie, the side to move.
            let waiting = self.clocks[to_move.opponent()].used();
            let slower = if waiting > self.clocks[to_move].used() + elapsed { to_move.opponent() } else { to_move };
            let limit = self.terms.game_limit.unwrap_or_default();
            let limit = humantime::format_duration(limit);
            (
                slower,
                format!("the game took more than {limit} of thinking (key `game_limit`), and {slower} used more of it"),
            )
        };
        self.forfeit(Forfeiture { loser, why: Termination::Time, reason }, elapsed, say);
    }

    pub(super) fn forfeit(&mut self, forfeiture: Forfeiture, elapsed: Duration, say: &mut Sayings) {
        let Forfeiture { loser, why, reason } = forfeiture;
        self.tell_untold(say);
        self.end_by(GameResult::forfeit(loser, why, reason), elapsed);
        let gone = matches!(why, Termination::Disconnect | Termination::Crash | Termination::NoShow);
        if !gone {
            say.players[loser].push(Response::Over { decision: Decision::Loss, played: None });
        }
        let status = match why {
            Termination::Time => Response::WonByTime(loser.opponent()),
            _ => Response::Disconnected(loser),
        };
        self.tell_ending(loser, status, say);
    }

    fn end_by(&mut self, result: GameResult, elapsed: Duration) {
        // The last turn counts, so the record has the time that the side to move used in it.
        let side = self.to_move();
        self.cut_off = Some(elapsed);
        // It no longer matters whether the flag falls: the result already states how the game ended.
        let _ = self.clocks[side].press(elapsed);
        self.result = Some(Ok(GameEnd::Two(result)));
    }
}
