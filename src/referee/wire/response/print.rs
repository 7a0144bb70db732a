//! Prints a response as it is sent.

use std::fmt::{self, Write};

use super::{Decision, Response, ToMove};
use crate::game::{BySeat, Move, Ruleset, Seat, Side};
use crate::referee::wire::{GREETED_VERSION, VERSION};

/// The text before the reason why a seat is out.
pub(super) const IS_OUT: &str = "is out, ";

/// Writes a numbered move, such as `1 c3` or `1 ... c3`.
fn write_numbered(f: &mut fmt::Formatter<'_>, side: Side, number: u32, played: Move) -> fmt::Result {
    write!(f, "{number}")?;
    f.write_str(if side == Side::White { " ... " } else { " " })?;
    f.write_str(played.as_str())
}

/// Writes a numbered move with a `...` for each earlier seat, such as `1 ... ... f7`.
fn write_by_seat(f: &mut fmt::Formatter<'_>, seat: Seat, number: u32, played: Move) -> fmt::Result {
    write!(f, "{number} ")?;
    (0..seat.index()).try_for_each(|_| f.write_str("... "))?;
    f.write_str(played.as_str())
}

/// Writes the value of each seat with a space after it.
fn write_list<T: fmt::Display>(f: &mut fmt::Formatter<'_>, values: &BySeat<T>) -> fmt::Result {
    values.values().try_for_each(|value| write!(f, "{value} "))
}

/// Writes the outcome for the player, preceded by the move that ended the game, if there is one.
fn write_over(f: &mut fmt::Formatter<'_>, decision: Decision, played: Option<Move>) -> fmt::Result {
    if let Some(played) = played {
        write!(f, "Move {played} accepted, ")?;
    }
    f.write_str(match decision {
        Decision::Win => "You win",
        Decision::Loss => "You lose",
        Decision::Draw => "You draw",
    })
}

/// Writes the number of the next move, the seconds left, and whose turn it is.
fn write_state(
    f: &mut fmt::Formatter<'_>,
    number: u32,
    left: Option<&BySeat<u64>>,
    to_move: Option<ToMove>,
) -> fmt::Result {
    write!(f, "{number} ")?;
    left.map_or(Ok(()), |left| write_list(f, left))?;
    match to_move {
        None => f.write_str("."),
        Some(ToMove::Side(side)) => f.write_char(side.letter()),
        Some(ToMove::Seat(seat)) => write!(f, "{seat}"),
    }
}

/// Writes the number of `ranks`, and then the ranks.
fn write_counted(f: &mut fmt::Formatter<'_>, ranks: &str) -> fmt::Result {
    write!(f, "{} lines follow", ranks.lines().count())?;
    write_ranks(f, ranks)
}

/// Writes each rank on a separate line.
fn write_ranks(f: &mut fmt::Formatter<'_>, ranks: &str) -> fmt::Result {
    ranks.lines().try_for_each(|rank| write!(f, "\r\n{rank}"))
}

/// The text that distinguishes one of the two kinds of 191 from the other.
pub(super) const NO_SUCH_SEAT: &str = "The game does not have the requested seat";

/// The text before the number of players in the 192 for a game with more than two seats.
pub(super) const ALREADY: &str = "There are already ";

/// The beginning of both kinds of 198.
const ILLEGAL_VERSION: &str = "Illegal version number";

/// The text before the number of seats in one of the two 198 responses.
pub(super) const OF_GAME: &str = ": a game of ";

const fn capital(side: Side) -> &'static str {
    match side {
        Side::Black => "Black",
        Side::White => "White",
    }
}

impl fmt::Display for Response {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let code = self.code();
        for digit in [code / 100, code / 10 % 10, code % 10] {
            f.write_char(char::from_digit(u32::from(digit), 10).unwrap_or('0'))?;
        }
        if !matches!(self, Self::Board(_)) {
            f.write_str(" ")?;
        }
        match self {
            Self::Greeting(Ruleset::Gothello) => write!(f, "Gothello {GREETED_VERSION} gothello-arena is ready"),
            Self::Greeting(ruleset) => write!(f, "Gothello {GREETED_VERSION} {ruleset} gothello-arena is ready"),
            Self::Granted => f.write_str("Request accepted"),
            Self::GrantedTimed { first, second } => {
                write!(f, "{first} {second} Request accepted with time controls (you / opp)")
            }
            Self::GrantedInGroup(left) => {
                write_list(f, left)?;
                f.write_str("Request accepted with time controls")
            }
            Self::Taken => f.write_str("Other player holds requested side"),
            Self::NoSuchSeat => f.write_str(NO_SUCH_SEAT),
            Self::Full { seats: 2 } => f.write_str("There are already two players"),
            Self::Full { seats } => write!(f, "{ALREADY}{seats} players"),
            Self::Private => f.write_str("Cannot observe"),
            Self::BadVersion => write!(f, "{ILLEGAL_VERSION}, this is version {VERSION}"),
            Self::OldVersion { seats } => {
                write!(f, "{ILLEGAL_VERSION}{OF_GAME}{seats} seats needs version {VERSION}")
            }
            Self::BadHello(words) => write!(f, "Request not understood: {}", words.0),
            // These three are sent for every move, and writing plain strings is several times as fast as using format
            // arguments.
            Self::Accepted(Some(played)) => {
                f.write_str("Move ")?;
                f.write_str(played.as_str())?;
                f.write_str(" accepted, continue playing")
            }
            Self::Accepted(None) => f.write_str("Continue playing"),
            Self::AcceptedTimed { played: Some(played), left } => {
                write!(f, "{left}")?;
                f.write_str(" secs remaining after move ")?;
                f.write_str(played.as_str())?;
                f.write_str(" accepted, continue playing")
            }
            Self::AcceptedTimed { played: None, left } => write!(f, "{left} secs remaining, continue playing"),
            Self::Over { decision, played } => write_over(f, *decision, *played),
            Self::Resigned => f.write_str("Resignation accepted"),
            Self::Illegal(words) => write!(f, "Illegal move {}", words.0),
            Self::Garbled(words) => write!(f, "Not understood: {}", words.0),
            Self::Moved { side, number, played, left } => {
                write_numbered(f, *side, *number, *played)?;
                if let Some(left) = left {
                    write!(f, " {left}")?;
                    f.write_str(" (secs)")?;
                }
                f.write_str(" is ")?;
                f.write_str(side.name())?;
                f.write_str(" move, game continues")
            }
            Self::MovedLast { side, number, played, decision } => {
                write_numbered(f, *side, *number, *played)?;
                write!(f, " and {side} {}", decision.verb())
            }
            Self::MovedInGroup { seat, number, played, left } => {
                write_by_seat(f, *seat, *number, *played)?;
                left.iter().try_for_each(|left| write!(f, " {left} (secs)"))?;
                write!(f, " is seat {seat} move, game continues")
            }
            Self::DroppedOut { seat, why } => write!(f, "{seat} {IS_OUT}{why}"),
            Self::Placed(placing) => {
                write_list(f, placing)?;
                f.write_str("is the placing, game over")
            }
            Self::WonByResignation(winner) => {
                write!(f, "{} wins by {} resigning", capital(*winner), capital(winner.opponent()))
            }
            Self::WonByTime(winner) => {
                write!(f, "{} wins by {} time expiring", capital(*winner), capital(winner.opponent()))
            }
            Self::PlayerName(side, name) => write!(f, "{name} is the {side} player"),
            Self::ObserverName(number, name) => write!(f, "{number} {name} is an observer"),
            Self::Observers(number) => write!(f, "{number} observers"),
            Self::Rules { ruleset, seats, seat } => {
                write!(f, "{ruleset} {seats} ")?;
                match seat {
                    Some(seat) => write!(f, "{seat}")?,
                    None => f.write_str(".")?,
                }
                f.write_str(" is the game, seats, and your seat")
            }
            Self::RuleOption { key, value } => write!(f, "{key} {value} is a rule of this game"),
            Self::Clocks(control) => write!(f, "{control} is the time control"),
            Self::SeatName(seat, name) => write!(f, "{seat} {name} is a player"),
            Self::MovesSoFar(moves) => write!(f, "{moves} moves follow, which have been made"),
            Self::YouPlay(side) => write!(f, "You will play {side}"),
            Self::YouObserve => f.write_str("You will observe"),
            Self::YouPlaySeat(seat) => write!(f, "{seat} You will play seat {seat}"),
            Self::State { number, left, to_move } => write_state(f, *number, left.as_ref(), *to_move),
            Self::Board(ranks) => write_ranks(f, ranks),
            Self::CountedBoard(ranks) => write_counted(f, ranks),
            Self::Disconnected(side) => write!(f, "{} disconnected", capital(*side)),
            Self::Problem(words) => write!(f, "Problem: {}", words.0),
        }
    }
}
