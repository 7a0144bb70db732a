//! What the referee sends.

use std::fmt::{self, Write};
use std::str::FromStr;

use thiserror::Error;

use super::VERSION;
use super::request::{EntityName, split_word};
use crate::game::rules::{Move, Side};

/// Free text that fits at the end of a response.
///
/// Invariant: not empty, at most [`Words::MAX_LEN`] characters, printable, without leading or trailing blanks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Words(String);

impl Words {
    /// The longest text, in characters.
    pub const MAX_LEN: usize = 200;

    /// Makes `text` fit: escapes control characters, and truncates text that is too long. Empty text becomes `-`.
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

/// What an ending means for the player that is told about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The player wins.
    Win,
    /// The player loses.
    Loss,
    /// Nobody wins.
    Draw,
}

impl Decision {
    /// What `winner` means for `side`.
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

/// One response. Each prints as one line, except [`Response::Board`], which has another line for each rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Response {
    /// 000: the first line that a client receives.
    Greeting,
    /// 100: request accepted.
    Granted,
    /// 101: request accepted, with times in seconds: a player's own and its opponent's, an observer's white and black.
    GrantedTimed {
        /// The client's own time, or white's.
        first: u64,
        /// The opponent's time, or black's.
        second: u64,
    },
    /// 191: the other player holds the requested side.
    Taken,
    /// 192: both sides are already taken.
    Full,
    /// 193: observers are not admitted.
    Private,
    /// 198: illegal version number.
    BadVersion,
    /// 199: hello not understood.
    BadHello(Words),
    /// 200: the move is accepted, the game goes on. Servers need not repeat the move.
    Accepted(Option<Move>),
    /// 207: the same, with the seconds that are left.
    AcceptedTimed {
        /// The move, if the server repeats it.
        played: Option<Move>,
        /// Whole seconds left on the mover's clock.
        left: u64,
    },
    /// 201, 202 and 203: the game is over, by the move of the player that is told or for another reason.
    Over {
        /// What the ending means for the player.
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
        /// What the ending means for the mover.
        decision: Decision,
    },
    /// 327 and 328: won by resignation.
    WonByResignation(Side),
    /// 361 and 362: won because the opponent's time expired.
    WonByTime(Side),
    /// 341 and 342: a player's name.
    PlayerName(Side, EntityName),
    /// 343: an observer's number and name.
    ObserverName(u32, EntityName),
    /// 344: how many observers there are.
    Observers(u32),
    /// 351 and 352: the game starts, and the player plays this side.
    YouPlay(Side),
    /// 353: the game starts for an observer.
    YouObserve,
    /// 380 and 381: number and side of the next move (no side once the game is over), with the seconds left.
    State {
        /// The full-move number.
        number: u32,
        /// Seconds left on black's clock and on white's.
        left: Option<(u64, u64)>,
        /// The side to move.
        to_move: Option<Side>,
    },
    /// 382: the board, its ranks separated by newlines.
    Board(String),
    /// 391 and 392: a player disconnected.
    Disconnected(Side),
    /// 399: anything else that ended the game.
    Problem(Words),
}

impl Response {
    /// The three-digit code.
    pub const fn code(&self) -> u16 {
        match self {
            Self::Greeting => 0,
            Self::Granted => 100,
            Self::GrantedTimed { .. } => 101,
            Self::Taken => 191,
            Self::Full => 192,
            Self::Private => 193,
            Self::BadVersion => 198,
            Self::BadHello(_) => 199,
            Self::Accepted(_) => 200,
            Self::Over { decision: Decision::Win, .. } => 201,
            Self::Over { decision: Decision::Loss, .. } => 202,
            Self::Over { decision: Decision::Draw, .. } => 203,
            Self::Resigned => 204,
            Self::AcceptedTimed { .. } => 207,
            Self::Illegal(_) => 291,
            Self::Garbled(_) => 299,
            Self::Moved { side, played, left, .. } => 311 + moved_offset(*side, played, left.is_some()),
            Self::MovedLast { side, decision, .. } => match (side, decision) {
                (Side::Black, Decision::Win) => 321,
                (Side::Black, Decision::Loss) => 322,
                (Side::White, Decision::Win) => 323,
                (Side::White, Decision::Loss) => 324,
                (Side::Black, Decision::Draw) => 325,
                (Side::White, Decision::Draw) => 326,
            },
            Self::WonByResignation(winner) => by_side(*winner, 327, 328),
            Self::PlayerName(side, _) => by_side(*side, 342, 341),
            Self::ObserverName(..) => 343,
            Self::Observers(_) => 344,
            Self::YouPlay(side) => by_side(*side, 352, 351),
            Self::YouObserve => 353,
            Self::WonByTime(winner) => by_side(*winner, 361, 362),
            Self::State { left: None, .. } => 380,
            Self::State { left: Some(_), .. } => 381,
            Self::Board(_) => 382,
            Self::Disconnected(side) => by_side(*side, 391, 392),
            Self::Problem(_) => 399,
        }
    }
}

const fn by_side(side: Side, black: u16, white: u16) -> u16 {
    match side {
        Side::Black => black,
        Side::White => white,
    }
}

/// The codes for moves come before those for passes, untimed before timed, and black's before white's.
const fn moved_offset(side: Side, played: &Move, timed: bool) -> u16 {
    let pass = matches!(played.as_bytes(), b"pass");
    4 * pass as u16 + 2 * timed as u16 + by_side(side, 0, 1)
}

/// `1 c3` or `1 ... c3`.
fn write_numbered(f: &mut fmt::Formatter<'_>, side: Side, number: u32, played: Move) -> fmt::Result {
    write!(f, "{number}")?;
    f.write_str(if side == Side::White { " ... " } else { " " })?;
    f.write_str(played.as_str())
}

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
            Self::Greeting => write!(f, "Gothello {VERSION} gothello-arena is ready"),
            Self::Granted => f.write_str("Request accepted"),
            Self::GrantedTimed { first, second } => {
                write!(f, "{first} {second} Request accepted with time controls (you / opp)")
            }
            Self::Taken => f.write_str("Other player holds requested side"),
            Self::Full => f.write_str("There are already two players"),
            Self::Private => f.write_str("Cannot observe"),
            Self::BadVersion => write!(f, "Illegal version number, this is version {VERSION}"),
            Self::BadHello(words) => write!(f, "Request not understood: {}", words.0),
            // These three are sent for every move, and plain strings are several times as fast as format arguments.
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
            Self::Over { decision, played } => {
                if let Some(played) = played {
                    write!(f, "Move {played} accepted, ")?;
                }
                f.write_str(match decision {
                    Decision::Win => "You win",
                    Decision::Loss => "You lose",
                    Decision::Draw => "You draw",
                })
            }
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
            Self::WonByResignation(winner) => {
                write!(f, "{} wins by {} resigning", capital(*winner), capital(winner.opponent()))
            }
            Self::WonByTime(winner) => {
                write!(f, "{} wins by {} time expiring", capital(*winner), capital(winner.opponent()))
            }
            Self::PlayerName(side, name) => write!(f, "{name} is the {side} player"),
            Self::ObserverName(number, name) => write!(f, "{number} {name} is an observer"),
            Self::Observers(number) => write!(f, "{number} observers"),
            Self::YouPlay(side) => write!(f, "You will play {side}"),
            Self::YouObserve => f.write_str("You will observe"),
            Self::State { number, left, to_move } => {
                write!(f, "{number} ")?;
                if let Some((black, white)) = left {
                    write!(f, "{black} {white} ")?;
                }
                write!(f, "{}", to_move.map_or('.', Side::letter))
            }
            Self::Board(ranks) => {
                for rank in ranks.lines() {
                    write!(f, "\r\n{rank}")?;
                }
                Ok(())
            }
            Self::Disconnected(side) => write!(f, "{} disconnected", capital(*side)),
            Self::Problem(words) => write!(f, "Problem: {}", words.0),
        }
    }
}

/// Why a line is not a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum BadResponse {
    /// The line does not start with the three digits of a known code.
    #[error("expected a known code of three digits")]
    Code,
    /// A field is missing or is not what the code calls for.
    #[error("a field of response {0} is missing or wrong")]
    Field(u16),
}

/// Reads what `Display` prints, and the original server's wordings as well: only the code and the fields count. A
/// board's ranks follow its line, each after a CR, an LF or both.
impl FromStr for Response {
    type Err = BadResponse;

    fn from_str(line: &str) -> Result<Self, BadResponse> {
        let digits = line.get(..3).ok_or(BadResponse::Code)?;
        if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(BadResponse::Code);
        }
        let code = digits.parse().map_err(|_| BadResponse::Code)?;
        let mut fields = Fields { code, rest: &line[3..] };
        Ok(match code {
            0 => Self::Greeting,
            100 => Self::Granted,
            101 => Self::GrantedTimed { first: fields.parse()?, second: fields.parse()? },
            191 => Self::Taken,
            192 => Self::Full,
            193 => Self::Private,
            198 => Self::BadVersion,
            199 => Self::BadHello(fields.words("Request not understood: ")),
            200 => Self::Accepted(fields.played_after("Move").ok()),
            201 => fields.over(Decision::Win),
            202 => fields.over(Decision::Loss),
            203 => fields.over(Decision::Draw),
            204 => Self::Resigned,
            207 => Self::AcceptedTimed { left: fields.parse()?, played: fields.played_after("move").ok() },
            291 => Self::Illegal(fields.words("Illegal move ")),
            299 => Self::Garbled(fields.words("Not understood: ")),
            311..=318 => fields.moved()?,
            321 => fields.moved_last(Side::Black, Decision::Win)?,
            322 => fields.moved_last(Side::Black, Decision::Loss)?,
            323 => fields.moved_last(Side::White, Decision::Win)?,
            324 => fields.moved_last(Side::White, Decision::Loss)?,
            325 => fields.moved_last(Side::Black, Decision::Draw)?,
            326 => fields.moved_last(Side::White, Decision::Draw)?,
            327 => Self::WonByResignation(Side::Black),
            328 => Self::WonByResignation(Side::White),
            341 => Self::PlayerName(Side::White, fields.name()?),
            342 => Self::PlayerName(Side::Black, fields.name()?),
            343 => Self::ObserverName(fields.parse()?, fields.name()?),
            344 => Self::Observers(fields.parse()?),
            351 => Self::YouPlay(Side::White),
            352 => Self::YouPlay(Side::Black),
            353 => Self::YouObserve,
            361 => Self::WonByTime(Side::Black),
            362 => Self::WonByTime(Side::White),
            380 => Self::State { number: fields.parse()?, left: None, to_move: fields.side_to_move()? },
            381 => {
                let (number, black, white) = (fields.parse()?, fields.parse()?, fields.parse()?);
                Self::State { number, left: Some((black, white)), to_move: fields.side_to_move()? }
            }
            382 => fields.board(),
            391 => Self::Disconnected(Side::Black),
            392 => Self::Disconnected(Side::White),
            399 => Self::Problem(fields.words("Problem: ")),
            _ => return Err(BadResponse::Code),
        })
    }
}

/// The text after a code.
struct Fields<'a> {
    code: u16,
    rest: &'a str,
}

impl<'a> Fields<'a> {
    const fn error(&self) -> BadResponse {
        BadResponse::Field(self.code)
    }

    fn word(&mut self) -> &'a str {
        let (word, rest) = split_word(self.rest);
        self.rest = rest;
        word
    }

    fn parse<T: FromStr>(&mut self) -> Result<T, BadResponse> {
        self.word().parse().map_err(|_| self.error())
    }

    /// The word after the next `key`.
    fn played_after(&mut self, key: &str) -> Result<Move, BadResponse> {
        loop {
            match self.word() {
                "" => return Err(self.error()),
                word if word == key => return self.parse(),
                _ => {}
            }
        }
    }

    fn words(&self, lead: &str) -> Words {
        let text = self.rest.trim_start();
        Words::new(text.strip_prefix(lead).unwrap_or(text))
    }

    fn over(&mut self, decision: Decision) -> Response {
        Response::Over { decision, played: self.played_after("Move").ok() }
    }

    fn board(&self) -> Response {
        // No rank is empty, so CR LF and blank lines need no special treatment.
        let lines = self.rest.split(['\r', '\n']).skip(1);
        Response::Board(lines.filter(|rank| !rank.is_empty()).collect::<Vec<_>>().join("\n"))
    }

    fn name(&mut self) -> Result<EntityName, BadResponse> {
        let (name, rest) = EntityName::split_quoted(self.rest.trim_start()).ok_or(self.error())?;
        self.rest = rest;
        Ok(name)
    }

    fn side_to_move(&mut self) -> Result<Option<Side>, BadResponse> {
        match self.word() {
            "b" => Ok(Some(Side::Black)),
            "w" => Ok(Some(Side::White)),
            "." | "*" => Ok(None),
            _ => Err(self.error()),
        }
    }

    fn numbered(&mut self, side: Side) -> Result<(u32, Move), BadResponse> {
        let number = self.parse()?;
        if side == Side::White && self.word() != "..." {
            return Err(self.error());
        }
        Ok((number, self.parse()?))
    }

    fn moved(&mut self) -> Result<Response, BadResponse> {
        let offset = self.code - 311;
        let side = if offset.is_multiple_of(2) { Side::Black } else { Side::White };
        let timed = offset & 2 != 0;
        let (number, played) = self.numbered(side)?;
        let left = if timed { Some(self.parse()?) } else { None };
        if played.is_pass() != (offset >= 4) {
            return Err(self.error());
        }
        Ok(Response::Moved { side, number, played, left })
    }

    fn moved_last(&mut self, side: Side, decision: Decision) -> Result<Response, BadResponse> {
        let (number, played) = self.numbered(side)?;
        Ok(Response::MovedLast { side, number, played, decision })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn side() -> impl Strategy<Value = Side> {
        prop_oneof![Just(Side::Black), Just(Side::White)]
    }

    fn played() -> impl Strategy<Value = Move> {
        prop_oneof![Just(Move::PASS), "[a-u]([1-9]|1[0-9]|2[01])".prop_map(|text| text.parse().expect("a move"))]
    }

    fn decision() -> impl Strategy<Value = Decision> {
        prop_oneof![Just(Decision::Win), Just(Decision::Loss), Just(Decision::Draw)]
    }

    fn words() -> impl Strategy<Value = Words> {
        "\\PC{0,210}".prop_map(|text| Words::new(&text))
    }

    fn name() -> impl Strategy<Value = EntityName> {
        "[ -~]{0,31}".prop_map(|text| EntityName::new(&text).expect("a name"))
    }

    /// Any response.
    fn response() -> impl Strategy<Value = Response> {
        let left = || proptest::option::of(any::<u64>());
        prop_oneof![
            prop_oneof![
                Just(Response::Greeting),
                Just(Response::Granted),
                any::<(u64, u64)>().prop_map(|(first, second)| Response::GrantedTimed { first, second }),
                Just(Response::Taken),
                Just(Response::Full),
                Just(Response::Private),
                Just(Response::BadVersion),
                words().prop_map(Response::BadHello),
            ],
            prop_oneof![
                proptest::option::of(played()).prop_map(Response::Accepted),
                (proptest::option::of(played()), any::<u64>())
                    .prop_map(|(played, left)| Response::AcceptedTimed { played, left }),
                (decision(), proptest::option::of(played()))
                    .prop_map(|(decision, played)| Response::Over { decision, played }),
                Just(Response::Resigned),
                words().prop_map(Response::Illegal),
                words().prop_map(Response::Garbled),
            ],
            prop_oneof![
                (side(), any::<u32>(), played(), left()).prop_map(|(side, number, played, left)| Response::Moved {
                    side,
                    number,
                    played,
                    left
                }),
                (side(), any::<u32>(), played(), decision()).prop_map(|(side, number, played, decision)| {
                    Response::MovedLast { side, number, played, decision }
                }),
                side().prop_map(Response::WonByResignation),
                side().prop_map(Response::WonByTime),
                side().prop_map(Response::Disconnected),
                words().prop_map(Response::Problem),
            ],
            prop_oneof![
                (side(), name()).prop_map(|(side, name)| Response::PlayerName(side, name)),
                (any::<u32>(), name()).prop_map(|(number, name)| Response::ObserverName(number, name)),
                any::<u32>().prop_map(Response::Observers),
                side().prop_map(Response::YouPlay),
                Just(Response::YouObserve),
                (any::<u32>(), proptest::option::of(any::<(u64, u64)>()), proptest::option::of(side()))
                    .prop_map(|(number, left, to_move)| Response::State { number, left, to_move }),
                "[bw.]{5}(\n[bw.]{5}){4}".prop_map(Response::Board),
            ],
        ]
    }

    proptest! {
        #[test]
        fn a_printed_response_reads_back(response in response()) {
            prop_assert_eq!(response.to_string().parse(), Ok(response));
        }

        #[test]
        fn every_response_has_its_code_a_blank_and_a_last_word(response in response()) {
            let line = response.to_string();
            let code = format!("{:03}", response.code());
            prop_assert!(line.starts_with(&code));
            match response {
                Response::Board(_) => prop_assert!(line.starts_with("382\r\n")),
                Response::State { .. } => prop_assert!(!line.ends_with(' ')),
                // Free text has no fields.
                Response::Illegal(_) | Response::Garbled(_) | Response::BadHello(_) | Response::Problem(_) => {}
                // The Java clients fail if nothing follows the last field.
                _ => prop_assert!(line.ends_with(|c: char| !c.is_ascii_digit() && c != ' ')
                    || line.split_whitespace().count() > 3, "{}", line),
            }
            prop_assert!(response.code() == 382 || !line.contains(['\r', '\n']));
        }

        #[test]
        fn no_line_makes_the_parser_panic(line in "\\PC{0,60}|[0-9]{3} \\PC{0,60}") {
            let _ = line.parse::<Response>();
        }
    }

    #[test]
    fn each_response_prints_as_existing_clients_know_it() {
        let c3: Move = "c3".parse().expect("a move");
        let moved = |side, played, left| Response::Moved { side, number: 1, played, left };
        let last = |side, decision| Response::MovedLast { side, number: 3, played: Move::PASS, decision };
        let table = [
            (moved(Side::Black, c3, None), "311 1 c3 is black move, game continues"),
            (moved(Side::White, c3, None), "312 1 ... c3 is white move, game continues"),
            (moved(Side::Black, c3, Some(59)), "313 1 c3 59 (secs) is black move, game continues"),
            (moved(Side::White, c3, Some(59)), "314 1 ... c3 59 (secs) is white move, game continues"),
            (moved(Side::Black, Move::PASS, None), "315 1 pass is black move, game continues"),
            (moved(Side::White, Move::PASS, None), "316 1 ... pass is white move, game continues"),
            (moved(Side::Black, Move::PASS, Some(58)), "317 1 pass 58 (secs) is black move, game continues"),
            (moved(Side::White, Move::PASS, Some(0)), "318 1 ... pass 0 (secs) is white move, game continues"),
            (last(Side::Black, Decision::Win), "321 3 pass and black wins"),
            (last(Side::Black, Decision::Loss), "322 3 pass and black loses"),
            (last(Side::White, Decision::Win), "323 3 ... pass and white wins"),
            (last(Side::White, Decision::Loss), "324 3 ... pass and white loses"),
            (last(Side::Black, Decision::Draw), "325 3 pass and black draws"),
            (last(Side::White, Decision::Draw), "326 3 ... pass and white draws"),
            (Response::WonByResignation(Side::Black), "327 Black wins by White resigning"),
            (Response::WonByTime(Side::Black), "361 Black wins by White time expiring"),
            (Response::WonByTime(Side::White), "362 White wins by Black time expiring"),
            (Response::Disconnected(Side::White), "392 White disconnected"),
            (
                Response::AcceptedTimed { played: Some(c3), left: 59 },
                "207 59 secs remaining after move c3 accepted, continue playing",
            ),
            (Response::Accepted(Some(c3)), "200 Move c3 accepted, continue playing"),
            (Response::Over { decision: Decision::Win, played: Some(Move::PASS) }, "201 Move pass accepted, You win"),
            (Response::State { number: 4, left: None, to_move: None }, "380 4 ."),
            (Response::State { number: 1, left: Some((1, 2)), to_move: Some(Side::White) }, "381 1 1 2 w"),
            (Response::Board(".....\n..b..".into()), "382\r\n.....\r\n..b.."),
            (Response::YouPlay(Side::White), "351 You will play white"),
            (
                Response::GrantedTimed { first: 30, second: 60 },
                "101 30 60 Request accepted with time controls (you / opp)",
            ),
        ];
        for (response, line) in table {
            assert_eq!(response.to_string(), line);
        }
    }

    #[test]
    fn any_line_end_separates_ranks() {
        let board = Response::Board("..b..\n.....".into());
        for text in ["382\r\n..b..\r\n.....", "382\n..b..\n.....\n\n", "382\r..b..\r\r\n.....\r\r"] {
            assert_eq!(text.parse().as_ref(), Ok(&board), "{text:?}");
        }
        assert_eq!(board.to_string(), "382\r\n..b..\r\n.....");
    }

    #[test]
    fn the_original_servers_wordings_are_understood() {
        let reads = |line: &str| line.parse::<Response>();
        assert_eq!(reads("000 0.9.1 version Gothello server says hello!"), Ok(Response::Greeting));
        assert_eq!(
            reads("202 Your time expires, and you lose"),
            Ok(Response::Over { decision: Decision::Loss, played: None })
        );
        assert_eq!(reads("380 4 *"), Ok(Response::State { number: 4, left: None, to_move: None }));
        assert!(matches!(reads("291 Illegal move b1"), Ok(Response::Illegal(_))));
        assert_eq!(reads("777 what"), Err(BadResponse::Code));
        assert_eq!(reads("312 1 d3 is"), Err(BadResponse::Field(312)));
    }
}
