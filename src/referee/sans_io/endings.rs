//! Endings for a reason other than the rules, and how they are announced to the remaining players.

use std::time::Duration;

use super::{Referee, Sayings};
use crate::game::Seat;
use crate::referee::record::Out;
use crate::referee::result::{GameEnd, GameResult, Limit, Termination, Void};
use crate::referee::wire::{Decision, Response, Words};

/// The lines that the remaining player receives when its opponent has crashed, resigned, run out of time or broken the
/// protocol. They matter only in games with two seats.
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
    /// The child process was killed by a signal or exited with a status other than 0, as the text describes.
    Crash(String),
    /// The child process exceeded a limit, as the text describes, and was terminated.
    Limit(Limit, String),
    /// The machine terminated the child process, for the reason given, so the game is void.
    Void(String),
}

/// A fault through which a player loses the game.
pub(super) struct Forfeiture {
    pub(super) loser: Seat,
    pub(super) why: Termination,
    /// A description of what happened.
    pub(super) reason: String,
}

impl Forfeiture {
    /// How the player drops out of a game with more than two seats.
    fn out(self, after_plies: usize) -> Out {
        Out { seat: self.loser, after_plies, termination: self.why, reason: Some(self.reason) }
    }

    /// Whether the player's connection may have ended.
    const fn is_gone(&self) -> bool {
        matches!(self.why, Termination::Disconnect | Termination::Crash | Termination::NoShow | Termination::NotStarted)
    }
}

impl Referee {
    /// Ends the turn because the allowance was used up, `elapsed` after the start of the turn, and no line arrived in
    /// time.
    pub fn time_is_up(&mut self, elapsed: Duration) -> Sayings {
        let mut say = self.nothing();
        if !self.is_over() {
            self.flag_falls(elapsed, &mut say);
            self.judge_kept(&mut say);
        }
        say
    }

    /// Handles the end of the connection of this seat or side, `elapsed` after the start of the turn.
    pub fn departed(&mut self, seat: impl Into<Seat>, how: Departure, elapsed: Duration) -> Sayings {
        let seat = seat.into();
        if !self.is_in(seat) {
            return self.nothing();
        }
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
        say.append_all(self.forfeits(seat, why, reason, elapsed));
        say
    }

    /// Makes this seat or side forfeit for a reason other than the lines that it sent.
    pub fn forfeits(&mut self, seat: impl Into<Seat>, why: Termination, reason: String, elapsed: Duration) -> Sayings {
        let (loser, mut say) = (seat.into(), self.nothing());
        if !self.is_over() && self.is_in(loser) {
            self.forfeit(Forfeiture { loser, why, reason }, elapsed, &mut say);
            self.judge_kept(&mut say);
        }
        say
    }

    /// Ends a game with two seats because neither player took its seat.
    pub fn nobody_came(&mut self, reason: String) {
        if !self.is_over() {
            self.result = Some(Ok(GameEnd::Two(GameResult::double_forfeit(reason))));
        }
    }

    /// Handles a player that did not take its seat, before the start.
    ///
    /// With two seats, the other player wins and is notified. With more seats, the missing player drops out; if this
    /// ends the game, the only player that took its seat is notified, and otherwise [`Referee::start`] announces it. If
    /// no player took its seat, call this for every seat.
    pub fn did_not_come(&mut self, seat: impl Into<Seat>, why: Termination, reason: String) -> Sayings {
        let (loser, mut say) = (seat.into(), self.nothing());
        if self.seats() > 2 {
            self.is_missing(Forfeiture { loser, why, reason }, &mut say);
        } else if !self.is_over() {
            if self.terms.endings == Endings::Compatible {
                // Old clients understand an ending only after a start.
                let winner = loser.side().opponent();
                say.players[winner].push(Response::YouPlay(winner));
            }
            self.forfeit(Forfeiture { loser, why, reason }, Duration::ZERO, &mut say);
        }
        say
    }

    /// Removes a seat from a game with more than two seats before the start.
    fn is_missing(&mut self, forfeiture: Forfeiture, say: &mut Sayings) {
        if !self.is_in(forfeiture.loser) {
            return;
        }
        let was_over = self.is_over();
        self.leave(forfeiture.out(0), Duration::ZERO);
        if self.is_over() && !was_over {
            for out in &self.outs {
                self.tell_all(Response::DroppedOut { seat: out.seat, why: out.termination }, say);
            }
            self.tell_placing(say);
        }
    }

    /// Ends the game without a result, through no player's fault.
    pub fn void(&mut self, reason: String, elapsed: Duration) -> Sayings {
        let mut say = self.nothing();
        if !self.is_over() {
            self.tell_untold(&mut say);
            let problem = Response::Problem(Words::new(&format!("the game is void: {reason}")));
            self.result = Some(Err(Void { reason }));
            self.cut_off = Some((self.seat_to_move(), elapsed));
            self.tell_all(problem, &mut say);
        }
        say
    }

    pub(super) fn resign(&mut self, elapsed: Duration, say: &mut Sayings) {
        let loser = self.seat_to_move();
        say.players[loser].push(Response::Resigned);
        if self.seats() > 2 {
            let (after_plies, termination) = (self.plies.len(), Termination::Resignation);
            self.drop_out(Out { seat: loser, after_plies, termination, reason: None }, elapsed, say);
            return;
        }
        let side = loser.side();
        self.end_by(GameResult::resigned(side), elapsed);
        self.tell_ending(side, Response::WonByResignation(side.opponent()), say);
    }

    pub(super) fn flag_falls(&mut self, elapsed: Duration, say: &mut Sayings) {
        let mover = self.seat_to_move();
        let clock = self.clocks[mover];
        let (loser, reason) = if let Some((control, left)) = clock.control().zip(clock.left()) {
            let exceeded = control.overrun(left, self.number());
            let reason = match self.terms.meter.wall_limit(mover) {
                None => format!("used {exceeded}"),
                Some(_) if elapsed > left => format!("used {exceeded} of CPU time"),
                Some(limit) => format!(
                    "its turns took more than {} (key `wall_limit`), of which {}.{:03} s was CPU time",
                    humantime::format_duration(limit),
                    (clock.used() + elapsed).as_secs(),
                    (clock.used() + elapsed).subsec_millis()
                ),
            };
            (mover, reason)
        } else {
            self.slowest(mover, elapsed)
        };
        self.forfeit(Forfeiture { loser, why: Termination::Time, reason }, elapsed, say);
    }

    /// The seat that loses when the limit of a game without clocks is exceeded, and the reason. Of the seats that are
    /// still in, this is the seat that has used the most time; in a tie, it is `mover` if `mover` is among them, and
    /// otherwise the first of them.
    fn slowest(&self, mover: Seat, elapsed: Duration) -> (Seat, String) {
        let used = |seat: Seat| self.clocks[seat].used() + if seat == mover { elapsed } else { Duration::ZERO };
        let others = Seat::all(self.seats()).filter(|&seat| seat != mover && self.is_in(seat));
        let slower = others.fold(mover, |slowest, seat| if used(seat) > used(slowest) { seat } else { slowest });
        let limit = humantime::format_duration(self.terms.game_limit.unwrap_or_default());
        let limit = format!("the players' total thinking time exceeded {limit} (key `game_limit`)");
        let reason = match self.seats() {
            2 => format!("{limit}, and {} used more of it", slower.side()),
            _ => format!("{limit}, and seat {slower} used the most"),
        };
        (slower, reason)
    }

    pub(super) fn forfeit(&mut self, forfeiture: Forfeiture, elapsed: Duration, say: &mut Sayings) {
        self.tell_untold(say);
        if self.seats() > 2 {
            if !forfeiture.is_gone() {
                say.players[forfeiture.loser].push(Response::Over { decision: Decision::Loss, played: None });
            }
            self.drop_out(forfeiture.out(self.plies.len()), elapsed, say);
            return;
        }
        let Forfeiture { loser, why, reason } = forfeiture;
        let loser = loser.side();
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
        // The last turn counts, so the record contains the time that the side to move used in it.
        let seat = self.seat_to_move();
        self.cut_off = Some((seat, elapsed));
        // It no longer matters whether the flag falls: the result already states how the game ended.
        let _ = self.clocks[seat].press(elapsed);
        self.result = Some(Ok(GameEnd::Two(result)));
    }
}
