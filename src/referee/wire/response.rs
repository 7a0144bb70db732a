//! The responses that the referee sends.

mod codes;
mod parse;
mod print;
#[cfg(test)]
mod tests;

pub use parse::BadResponse;

use super::request::EntityName;
use super::seconds;
use crate::game::{BySeat, Move, Ruleset, Seat, Side};
use crate::referee::result::Termination;
use crate::referee::time_control::TimeControl;

/// Free text for the end of a response.
///
/// Invariant: not empty, at most [`Words::MAX_LEN`] characters, printable, without leading or trailing whitespace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Words(String);

impl Words {
    /// The maximum length of the text, in characters.
    pub const MAX_LEN: usize = 200;

    /// Makes `text` suitable: escapes control characters, and truncates text that is too long. Empty text becomes `-`.
    pub fn new(text: &str) -> Self {
        let escaped = text.chars().flat_map(|c| {
            let escape = c.is_control().then(|| c.escape_default());
            let plain = (!c.is_control()).then_some(c);
            escape.into_iter().flatten().chain(plain)
        });
        let fit: String = escaped.take(Self::MAX_LEN).collect();
        let fit = fit.trim();
        Self(if fit.is_empty() { "-" } else { fit }.to_owned())
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The outcome of a game for the player that is notified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The player wins.
    Win,
    /// The player loses.
    Loss,
    /// Neither player wins.
    Draw,
}

impl Response {
    /// The response that grants a player the seat of `side`.
    pub fn granted(time_control: TimeControl, side: Side) -> Self {
        match (time_control.first_allowance(side), time_control.first_allowance(side.opponent())) {
            (Some(own), Some(opponent)) => Self::GrantedTimed { first: seconds(own), second: seconds(opponent) },
            _ => Self::Granted,
        }
    }

    /// The response that grants a player `seat` in a game with `seats` seats.
    pub fn granted_in(seats: u8, time_control: TimeControl, seat: Seat) -> Self {
        if seats == 2 {
            return Self::granted(time_control, seat.side());
        }
        let allowances = BySeat::from_fn(seats, |seat| time_control.first_allowance(seat).map(seconds));
        allowances.all().map_or(Self::Granted, Self::GrantedInGroup)
    }

    /// The lines that state the rules of the game: 345, then one 346 for each option. `seat` is the client's seat, if
    /// the client plays.
    pub fn of_rules(ruleset: Ruleset, seat: Option<Seat>) -> Vec<Self> {
        let seat = seat.map(Seat::number);
        let text = ruleset.to_string();
        let options = text.split(' ').filter_map(|word| word.split_once('='));
        let options = options.map(|(key, value)| Self::RuleOption { key: key.to_owned(), value: value.to_owned() });
        let mut lines = vec![Self::Rules { ruleset: ruleset.name(), seats: ruleset.seats(), seat }];
        lines.extend(options);
        lines
    }

    /// The line that states the clocks of the game, if it has clocks: 347.
    pub fn of_clocks(time_control: TimeControl) -> Option<Self> {
        (time_control != TimeControl::Unlimited).then_some(Self::Clocks(time_control))
    }

    /// The line that starts the game for the player in `seat` of a game with `seats` seats: 351, 352 or 354.
    pub const fn you_play(seats: u8, seat: Seat) -> Self {
        if seats == 2 { Self::YouPlay(seat.side()) } else { Self::YouPlaySeat(seat) }
    }

    /// The line that announces a move after which the game goes on, or the last move of a game with more than two
    /// seats: one of 311 to 318, 331 or 332.
    pub const fn of_move(seats: u8, seat: Seat, number: u32, played: Move, left: Option<u64>) -> Self {
        match seats {
            2 => Self::Moved { side: seat.side(), number, played, left },
            _ => Self::MovedInGroup { seat, number, played, left },
        }
    }

    /// The response that shows observers the board `ranks` in a game of `ruleset`.
    pub fn of_board(ruleset: Ruleset, ranks: String) -> Self {
        if ruleset == Ruleset::Gothello { Self::Board(ranks) } else { Self::CountedBoard(ranks) }
    }
}

impl Decision {
    /// The outcome for `seat` of a game that ended with `placing`; the seat wins if it is alone in first place.
    pub fn by_placing(placing: &BySeat<u8>, seat: Seat) -> Self {
        match placing[seat] {
            1 if placing.values().filter(|&&place| place == 1).count() == 1 => Self::Win,
            1 => Self::Draw,
            _ => Self::Loss,
        }
    }

    /// The outcome for `side` if `winner` wins; a draw if there is no winner.
    pub fn of(winner: Option<Side>, side: Side) -> Self {
        match winner {
            Some(winner) if winner == side => Self::Win,
            Some(_) => Self::Loss,
            None => Self::Draw,
        }
    }

    const fn verb(self) -> &'static str {
        match self {
            Self::Win => "wins",
            Self::Loss => "loses",
            Self::Draw => "draws",
        }
    }
}

/// Whose turn it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToMove {
    /// In a game with two seats: `b` or `w`.
    Side(Side),
    /// In a game with more seats: the number.
    Seat(Seat),
}

impl ToMove {
    /// The value for `seat` in a game with `seats` seats.
    pub const fn of(seats: u8, seat: Seat) -> Self {
        if seats == 2 { Self::Side(seat.side()) } else { Self::Seat(seat) }
    }
}

/// A response. Each is printed as one line, except [`Response::Board`] and [`Response::CountedBoard`], which have an
/// additional line for each rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Response {
    /// 000: the first line that a client receives. After the version, it names the rule set with its options, except
    /// for Gothello, whose clients receive the same line as in earlier versions.
    Greeting(Ruleset),
    /// 100: request accepted.
    Granted,
    /// 101: request accepted, with the number of whole seconds that each side may use for its first turn before its
    /// flag falls. A player receives its own number, then its opponent's; an observer receives white's, then black's.
    GrantedTimed {
        /// The client's own time, or white's.
        first: u64,
        /// The opponent's time, or black's.
        second: u64,
    },
    /// 102: request accepted, in a game with more than two seats, with the number of whole seconds that each seat may
    /// use for its first turn before its flag falls.
    GrantedInGroup(BySeat<u64>),
    /// 191: the other player holds the requested side.
    Taken,
    /// 191: the game does not have the requested seat.
    NoSuchSeat,
    /// 192: all seats are already taken.
    Full {
        /// How many seats the game has.
        seats: u8,
    },
    /// 193: observers are not admitted.
    Private,
    /// 198: illegal version number.
    BadVersion,
    /// 198: the version is too low for the number of seats of the game.
    OldVersion {
        /// How many seats the game has.
        seats: u8,
    },
    /// 199: hello not understood.
    BadHello(Words),
    /// 200: the move is accepted, and the game goes on. Servers do not have to repeat the move.
    Accepted(Option<Move>),
    /// 207: like [`Response::Accepted`], with the remaining seconds.
    AcceptedTimed {
        /// The move, if the server repeats it.
        played: Option<Move>,
        /// Whole seconds left on the mover's clock.
        left: u64,
    },
    /// 201, 202 and 203: the game is over, either because of the notified player's move or for another reason.
    Over {
        /// The outcome for the player.
        decision: Decision,
        /// The player's move that ended the game, if one did.
        played: Option<Move>,
    },
    /// 204: resignation accepted.
    Resigned,
    /// 291: understood, but not allowed.
    Illegal(Words),
    /// 299: not understood.
    Garbled(Words),
    /// 311 to 318: a move or pass was made, and the game goes on.
    Moved {
        /// The side that moved.
        side: Side,
        /// The full-move number.
        number: u32,
        /// The move.
        played: Move,
        /// Whole seconds left on the mover's clock; `None` without clocks.
        left: Option<u64>,
    },
    /// 321 to 326: a move or pass ended the game.
    MovedLast {
        /// The side that moved.
        side: Side,
        /// The full-move number.
        number: u32,
        /// The move.
        played: Move,
        /// The outcome for the mover.
        decision: Decision,
    },
    /// 331 and 332: a move or pass was made in a game with more than two seats. It may be the last one of the game.
    MovedInGroup {
        /// The seat that moved.
        seat: Seat,
        /// The full-move number.
        number: u32,
        /// The move.
        played: Move,
        /// Whole seconds left on the mover's clock; `None` without clocks.
        left: Option<u64>,
    },
    /// 335: a seat has dropped out of a game with more than two seats.
    DroppedOut {
        /// The seat.
        seat: Seat,
        /// The reason: a resignation or a forfeit by one player.
        why: Termination,
    },
    /// 336: a game with more than two seats is over; the place of each seat.
    Placed(BySeat<u8>),
    /// 327 and 328: won by resignation.
    WonByResignation(Side),
    /// 361 and 362: won because the opponent's time expired.
    WonByTime(Side),
    /// 341 and 342: a player's name.
    PlayerName(Side, EntityName),
    /// 343: an observer's number and name.
    ObserverName(u32, EntityName),
    /// 344: the number of observers.
    Observers(u32),
    /// 345: the game, and the client's seat.
    Rules {
        /// The rule set's name, without its options.
        ruleset: &'static str,
        /// How many seats a game has.
        seats: u8,
        /// The client's seat, from 1; `None` for an observer.
        seat: Option<u8>,
    },
    /// 346: an option that differs from the rule set's default.
    RuleOption {
        /// The option.
        key: String,
        /// Its value.
        value: String,
    },
    /// 347: the time control, which is not [`TimeControl::Unlimited`].
    Clocks(TimeControl),
    /// 348: the name of a player in a game with more than two seats.
    SeatName(Seat, EntityName),
    /// 349: this many moves have already been made, because the game begins with an opening or the player takes over
    /// the game. These moves follow the line that starts the game.
    MovesSoFar(usize),
    /// 351 and 352: the game starts, and the player plays this side.
    YouPlay(Side),
    /// 353: the game starts for an observer.
    YouObserve,
    /// 354: a game with more than two seats starts, and the player has this seat.
    YouPlaySeat(Seat),
    /// 380 and 381: the number of the next move, its side or seat (absent once the game is over), and the seconds left.
    State {
        /// The full-move number.
        number: u32,
        /// Seconds left on each seat's clock.
        left: Option<BySeat<u64>>,
        /// Whose turn it is.
        to_move: Option<ToMove>,
    },
    /// 382: the board, with its ranks separated by newlines.
    Board(String),
    /// 383: the number of the board's ranks, and then the board, with its ranks separated by newlines.
    CountedBoard(String),
    /// 391 and 392: a player disconnected.
    Disconnected(Side),
    /// 399: anything else that ended the game.
    Problem(Words),
}
