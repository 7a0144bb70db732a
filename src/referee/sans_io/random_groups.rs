//! Random games with more than two seats for tests, with players that fail at random moments.

use std::time::Duration;

use crate::base::random::SplitMix64;
use crate::game::{BySeat, Ruleset, Seat};
use crate::referee::record::GroupRecord;
use crate::referee::result::{Limit, Termination};
use crate::referee::sans_io::{Arrival, Departure, Referee, Sayings, Terms};
use crate::referee::time_control::TimeControl;
use crate::referee::wire::Line;

/// A line of text from a client.
pub(crate) fn line(text: impl Into<String>) -> Line {
    Line::Text(text.into())
}

/// The seat with this number.
pub(crate) fn seat(number: u8) -> Seat {
    Seat::new(number).expect("a seat")
}

/// The line with which the seat to move plays `played`.
pub(crate) fn move_line(referee: &Referee, played: &str) -> Line {
    line(format!("{} {}{played}", referee.number(), "... ".repeat(referee.seat_to_move().index())))
}

/// The parameters of a random game.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RandomGame {
    pub(crate) ruleset: Ruleset,
    pub(crate) time_control: TimeControl,
    /// The seed of all moves, times and failures.
    pub(crate) seed: u64,
    /// How many turns in a thousand contain a player's failure.
    pub(crate) failures: u64,
}

impl RandomGame {
    /// Plays the game to its end, and passes all responses to `hear`.
    pub(crate) fn play(self, mut hear: impl FnMut(&Referee, &Sayings)) -> Referee {
        let Self { ruleset, time_control, seed, failures } = self;
        let (illegal_tries, garbled_tries) = (Some(2), Some(2));
        let mut referee =
            Referee::new(Terms { ruleset, time_control, illegal_tries, garbled_tries, ..Terms::default() });
        let mut random = SplitMix64::new(seed);
        for missing in Seat::all(referee.seats()) {
            if random.below(1_000) < failures {
                let say = referee.did_not_come(missing, Termination::NoShow, "nobody came".to_owned());
                hear(&referee, &say);
            }
        }
        if !referee.is_over() {
            let say = referee.start();
            hear(&referee, &say);
        }
        while !referee.is_over() {
            let say = turn(&mut referee, &mut random, failures);
            hear(&referee, &say);
        }
        referee
    }

    /// The record of the game, with its players' names.
    pub(crate) fn record(self) -> GroupRecord {
        recorded(self.play(|_, _| {}))
    }
}

/// The record of a game with more than two seats.
pub(crate) fn recorded(referee: Referee) -> GroupRecord {
    let players = BySeat::from_fn(referee.seats(), |seat| format!("p{seat}"));
    *referee.finish().record(players).into_two().expect_err("a group")
}

/// A time within the allowance of the seat to move, and often far below it.
fn some_time(referee: &Referee, random: &mut SplitMix64) -> Duration {
    let most = referee.allowance().unwrap_or(Duration::from_secs(9)).min(Duration::from_secs(9));
    let most = u64::try_from(most.as_micros()).unwrap_or(u64::MAX);
    let part = 1 + random.below(20);
    Duration::from_micros(random.below(most / part + 1))
}

/// Makes the next event of a game happen: usually a move, and sometimes a failure.
fn turn(referee: &mut Referee, random: &mut SplitMix64, failures: u64) -> Sayings {
    let elapsed = some_time(referee, random);
    let arrival = Arrival { elapsed, ..Arrival::default() };
    let mover = referee.seat_to_move();
    let seats = referee.seats();
    if random.below(1_000) < failures {
        let number = u8::try_from(1 + random.below(seats.into())).expect("a seat");
        let someone = seat(number);
        return match random.below(7) {
            0 => referee.departed(someone, Departure::Disconnect, elapsed),
            1 => referee.departed(someone, Departure::Crash("signal 11".to_owned()), elapsed),
            2 => referee.departed(someone, Departure::Limit(Limit::Memory, "too much".to_owned()), elapsed),
            3 => referee.receive(mover, move_line(referee, "resign"), arrival),
            4 => match referee.allowance() {
                Some(left) => referee.time_is_up(left + Duration::from_micros(1)),
                None => referee.forfeits(someone, Termination::Protocol, "mumbled".to_owned(), elapsed),
            },
            5 => {
                let mut say = Sayings::nothing(seats);
                for _ in 0..3 {
                    if !referee.is_over() && referee.seat_to_move() == mover {
                        say.append_all(referee.receive(mover, line("what?"), arrival));
                    }
                }
                say
            }
            _ => {
                let mut say = Sayings::nothing(seats);
                for _ in 0..17 {
                    say.append_all(referee.receive(someone, line("9999 pass"), arrival));
                }
                say
            }
        };
    }
    if failures > 0 && random.below(20) == 0 {
        return referee.receive(mover, move_line(referee, "z99"), arrival);
    }
    let legal = referee.position().legal_moves();
    let index = usize::try_from(random.below(legal.len() as u64)).expect("an index");
    // Frequent passes shorten the modes that are played on points.
    let last = legal.last().filter(|last| last.is_pass() && random.below(3) == 0);
    let played = last.unwrap_or(&legal[index]).to_string();
    referee.receive(mover, move_line(referee, &played), arrival)
}
