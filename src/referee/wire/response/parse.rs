//! Parses the line of a response, as printed by the arena or the original server.

use std::str::FromStr;

use thiserror::Error;

use super::print::{ALREADY, IS_OUT, NO_SUCH_SEAT, OF_GAME};
use super::{Decision, Response, ToMove, Words};
use crate::game::{BySeat, MOST_SEATS, Move, Ruleset, Seat, Side};
use crate::referee::wire::request::{EntityName, split_word};

/// The reason why a line is not a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum BadResponse {
    /// The line does not start with the three digits of a known code.
    #[error("expected a known code of three digits")]
    Code,
    /// A field is missing or does not have the form that the code requires.
    #[error("a field of response {0} is missing or wrong")]
    Field(u16),
    /// A greeting names a rule set with unknown options.
    #[error("the rules of the game are unknown")]
    Rules,
}

/// Reads the text that `Display` prints, and also the original server's wording, since only the code and the fields
/// matter. The ranks of a board follow the line with the code, each after a CR, an LF or both.
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
            0 => Self::Greeting(fields.ruleset()?),
            100 => Self::Granted,
            101 => Self::GrantedTimed { first: fields.parse()?, second: fields.parse()? },
            102 => Self::GrantedInGroup(fields.list()?),
            191 if fields.rest.trim() == NO_SUCH_SEAT => Self::NoSuchSeat,
            191 => Self::Taken,
            192 => fields.full(),
            193 => Self::Private,
            198 => fields.version_refused(),
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
            331 | 332 => fields.moved_in_group()?,
            335 => fields.dropped_out()?,
            336 => Self::Placed(fields.list()?),
            341 => Self::PlayerName(Side::White, fields.name()?),
            342 => Self::PlayerName(Side::Black, fields.name()?),
            343 => Self::ObserverName(fields.parse()?, fields.name()?),
            344 => Self::Observers(fields.parse()?),
            345 => Self::Rules { ruleset: fields.rules_name()?, seats: fields.parse()?, seat: fields.seat()? },
            346 => Self::RuleOption { key: fields.some_word()?, value: fields.some_word()? },
            347 => fields.clocks()?,
            348 => Self::SeatName(fields.number_of_seat()?, fields.name()?),
            349 => Self::MovesSoFar(fields.parse()?),
            351 => Self::YouPlay(Side::White),
            352 => Self::YouPlay(Side::Black),
            353 => Self::YouObserve,
            354 => Self::YouPlaySeat(fields.number_of_seat()?),
            361 => Self::WonByTime(Side::Black),
            362 => Self::WonByTime(Side::White),
            380 => Self::State { number: fields.parse()?, left: None, to_move: fields.whose_turn()? },
            381 => fields.timed_state()?,
            382 => Self::Board(fields.ranks()),
            383 => fields.counted_board()?,
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

    /// The move after the next occurrence of the word `key`.
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

    fn ranks(&self) -> String {
        // Ranks are never empty, so CR LF and blank lines do not need special treatment.
        let lines = self.rest.split(['\r', '\n']).skip(1);
        lines.filter(|rank| !rank.is_empty()).collect::<Vec<_>>().join("\n")
    }

    fn counted_board(&mut self) -> Result<Response, BadResponse> {
        let (ranks, count) = (self.ranks(), self.parse::<usize>()?);
        if ranks.lines().count() == count { Ok(Response::CountedBoard(ranks)) } else { Err(self.error()) }
    }

    /// The name of a known rule set.
    fn rules_name(&mut self) -> Result<&'static str, BadResponse> {
        let word = self.word();
        Ruleset::ALL.into_iter().map(Ruleset::name).find(|&name| name == word).ok_or(BadResponse::Rules)
    }

    fn seat(&mut self) -> Result<Option<u8>, BadResponse> {
        match self.word() {
            "." => Ok(None),
            number => number.parse().map(Some).map_err(|_| self.error()),
        }
    }

    fn some_word(&mut self) -> Result<String, BadResponse> {
        match self.word() {
            "" => Err(self.error()),
            word => Ok(word.to_owned()),
        }
    }

    /// The rule set that a greeting names: the first word that is the name of a rule set, with the options after it. A
    /// greeting that does not name one is for Gothello, which has no options.
    fn ruleset(&self) -> Result<Ruleset, BadResponse> {
        let known = |word| Ruleset::ALL.into_iter().find(|ruleset| ruleset.name() == word);
        let mut words = self.rest.split_ascii_whitespace();
        let Some(named) = words.find_map(known).filter(|&named| named != Ruleset::Gothello) else {
            return Ok(Ruleset::Gothello);
        };
        let options = words.take_while(|word| word.contains('='));
        let text = options.fold(named.to_string(), |text, option| text + " " + option);
        text.parse().map_err(|_| BadResponse::Rules)
    }

    /// The time control: one word, or a word for each side after the side's name.
    fn clocks(&mut self) -> Result<Response, BadResponse> {
        let mut words = self.rest.split_ascii_whitespace();
        let first = words.next().ok_or(self.error())?;
        let more = if first == Side::Black.name() { 3 } else { 0 };
        let text = words.take(more).fold(first.to_owned(), |text, word| text + " " + word);
        let control = text.parse().map_err(|_| self.error())?;
        Response::of_clocks(control).ok_or(self.error())
    }

    fn name(&mut self) -> Result<EntityName, BadResponse> {
        let (name, rest) = EntityName::split_quoted(self.rest.trim_start()).ok_or(self.error())?;
        self.rest = rest;
        Ok(name)
    }

    fn whose_turn(&mut self) -> Result<Option<ToMove>, BadResponse> {
        match self.word() {
            "b" => Ok(Some(ToMove::Side(Side::Black))),
            "w" => Ok(Some(ToMove::Side(Side::White))),
            "." | "*" => Ok(None),
            word => Ok(Some(ToMove::Seat(self.seat_in(word)?))),
        }
    }

    /// A state with the time of each seat.
    fn timed_state(&mut self) -> Result<Response, BadResponse> {
        let number = self.parse()?;
        let mut left = self.numbers();
        let to_move = if self.rest.trim().is_empty() {
            // The last number is a seat.
            let seat = left.pop().and_then(|seat| Seat::new(u8::try_from(seat).ok()?));
            Some(ToMove::Seat(seat.ok_or(self.error())?))
        } else {
            self.whose_turn()?
        };
        let seats = if matches!(to_move, Some(ToMove::Side(_))) { 2..=2 } else { 2..=MOST_SEATS };
        let left = BySeat::new(left).filter(|left| seats.contains(&usize::from(left.seats()))).ok_or(self.error())?;
        Ok(Response::State { number, left: Some(left), to_move })
    }

    /// The numbers up to the next word that is not a number.
    fn numbers(&mut self) -> Vec<u64> {
        let mut numbers = Vec::new();
        loop {
            let (word, rest) = split_word(self.rest);
            let Ok(number) = word.parse() else { return numbers };
            numbers.push(number);
            self.rest = rest;
        }
    }

    /// A number for each seat of a game with more than two seats.
    fn list<T: TryFrom<u64>>(&mut self) -> Result<BySeat<T>, BadResponse> {
        let numbers: Option<Vec<T>> = self.numbers().into_iter().map(|number| T::try_from(number).ok()).collect();
        numbers.and_then(BySeat::new).filter(|values| values.seats() > 2).ok_or(self.error())
    }

    fn seat_in(&self, word: &str) -> Result<Seat, BadResponse> {
        word.parse().ok().and_then(Seat::new).ok_or(self.error())
    }

    fn number_of_seat(&mut self) -> Result<Seat, BadResponse> {
        let word = self.word();
        self.seat_in(word)
    }

    /// Servers for two seats write the number as a word, or use their own wording.
    fn full(&self) -> Response {
        let number = self.rest.trim_start().strip_prefix(ALREADY).and_then(|rest| split_word(rest).0.parse().ok());
        Response::Full { seats: number.unwrap_or(2) }
    }

    fn version_refused(&self) -> Response {
        let seats = self.rest.split_once(OF_GAME).and_then(|(_, rest)| split_word(rest).0.parse().ok());
        seats.map_or(Response::BadVersion, |seats| Response::OldVersion { seats })
    }

    fn dropped_out(&mut self) -> Result<Response, BadResponse> {
        let seat = self.number_of_seat()?;
        let why = self.rest.trim_start().strip_prefix(IS_OUT).and_then(|why| why.trim_end().parse().ok());
        Ok(Response::DroppedOut { seat, why: why.ok_or(self.error())? })
    }

    fn moved_in_group(&mut self) -> Result<Response, BadResponse> {
        let number = self.parse()?;
        let (mut before, mut word) = (0, self.word());
        while word == "..." && before < u8::MAX - 1 {
            (before, word) = (before + 1_u8, self.word());
        }
        let seat = Seat::new(before + 1).ok_or(self.error())?;
        let played = word.parse().map_err(|_| self.error())?;
        let left = if self.code == 332 { Some(self.parse()?) } else { None };
        Ok(Response::MovedInGroup { seat, number, played, left })
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
