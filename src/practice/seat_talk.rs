//! The meaning of a referee's lines for a person at one of its seats.
//!
//! The lines come from another program, perhaps over the network, so nothing about them is trusted: a line that makes
//! no sense ends the game with a description of that line, and text is made printable before it is shown.

#[cfg(test)]
mod tests;

use std::time::Duration;

use thiserror::Error;

use crate::base::sanitise::sanitised;
use crate::game::{BySide, Move, Ruleset, Side};
use crate::practice::session::Session;
use crate::referee::result::{GameResult, Termination, Void};
use crate::referee::wire::{Action, BadResponse, Decision, Response};

/// How many characters of a referee's line are shown.
const SHOWN: usize = 120;

/// Why a person's game with a referee cannot go on. The text is printable.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(crate) enum TalkError {
    /// The referee refused to give the person a seat.
    #[error("the server refused the request for a seat: `{0}`")]
    Refused(String),
    /// The server's games have unknown rules, or are not games for two players.
    #[error("`play` does not support the server's game: `{0}`")]
    OtherGame(String),
    /// A line is not part of the protocol, or has no meaning at this point.
    #[error("unexpected line from the referee: `{0}`")]
    NoSense(String),
    /// The connection ended before there was a result.
    #[error("the connection ended before the game had a result")]
    Closed,
    /// The referee sent a line that is longer than any line of the protocol.
    #[error("the referee sent a line that is too long")]
    TooLong,
}

/// `line` without anything that could control a terminal, cut to a useful length.
fn shown(line: &str) -> String {
    let mut letters = line.chars();
    let head: String = letters.by_ref().take(SHOWN).collect();
    let rest = if letters.next().is_some() { "..." } else { "" };
    sanitised(&head) + rest
}

/// The meaning of a line before the game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum BeforeGame {
    /// The referee waits for a hello. Its games have these rules.
    Greeting(Ruleset),
    /// The game has begun, and the person has this side.
    Begun(Side),
    /// The line changes nothing.
    Nothing,
}

/// The meaning of a line during the game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum InGame {
    /// The game goes on. The position or the clocks may have changed.
    Goes,
    /// The referee refused the person's request for this reason, which is printable. A refused move is taken back.
    Refused(String),
    /// The game is over, or the rules have ended it.
    Over,
}

/// The information that a person's seat has received from its referee.
#[derive(Clone, Debug)]
pub(crate) struct SeatTalk {
    side: Side,
    /// The players' names, once the referee has given them.
    names: BySide<Option<String>>,
    /// How many plies the referee has reported.
    heard: usize,
    /// How many plies the referee is going to report before the person's first turn.
    told: usize,
    /// The time that each side has left, as last reported.
    left: BySide<Option<Duration>>,
    /// The decision that the referee has announced, until it announces how the game ended.
    decision: Option<(Decision, String)>,
}

impl Default for SeatTalk {
    fn default() -> Self {
        let (names, left) = (BySide::default(), BySide::default());
        Self { side: Side::Black, names, heard: 0, told: 0, left, decision: None }
    }
}

impl SeatTalk {
    /// The person's side, once the game has begun.
    pub(crate) const fn side(&self) -> Side {
        self.side
    }

    /// The name of the player on `side`, if the referee has given it. Hostile text.
    pub(crate) fn name(&self, side: Side) -> Option<&str> {
        self.names[side].as_deref()
    }

    /// The time that `side` had left when the referee last reported it.
    pub(crate) fn left(&self, side: Side) -> Option<Duration> {
        self.left[side]
    }

    /// Whether the referee knows all moves of `session`, so that the side to move can make the next one.
    pub(crate) fn is_settled(&self, session: &Session) -> bool {
        self.heard == session.plies().len() && self.heard >= self.told
    }

    /// Processes a line that arrives before the game has begun. Until the referee names the person's side, the person's
    /// time is treated as black's.
    ///
    /// # Errors
    /// Fails if there will be no game.
    pub(crate) fn hear_before(&mut self, line: &str) -> Result<BeforeGame, TalkError> {
        let response: Response = line.parse().map_err(|bad| match bad {
            BadResponse::Rules => TalkError::OtherGame(shown(line)),
            BadResponse::Code | BadResponse::Field(_) => TalkError::NoSense(shown(line)),
        })?;
        match response {
            Response::Greeting(ruleset) if ruleset.seats() == 2 => return Ok(BeforeGame::Greeting(ruleset)),
            Response::Greeting(_) => return Err(TalkError::OtherGame(shown(line))),
            // Until the side is known, black's entry is the person's.
            Response::GrantedTimed { first, second } => {
                let [own, other] = [first, second].map(|seconds| Some(Duration::from_secs(seconds)));
                self.left = BySide { black: own, white: other };
            }
            Response::PlayerName(side, name) => self.names[side] = Some(name.as_str().to_owned()),
            Response::MovesSoFar(moves) => self.told = moves,
            Response::YouPlay(side) => {
                self.side = side;
                if side == Side::White {
                    self.left = BySide { black: self.left.white, white: self.left.black };
                }
                return Ok(BeforeGame::Begun(side));
            }
            response if response.refuses_hello() => return Err(TalkError::Refused(shown(line))),
            Response::Problem(_) | Response::Disconnected(_) => return Err(TalkError::Refused(shown(line))),
            Response::Granted
            | Response::ObserverName(..)
            | Response::Observers(_)
            | Response::Rules { .. }
            | Response::RuleOption { .. }
            | Response::Clocks(_) => {}
            _ => return Err(TalkError::NoSense(shown(line))),
        }
        Ok(BeforeGame::Nothing)
    }

    /// Processes a line about the game of `session`, which begins with the plies known to both the person and the
    /// referee.
    ///
    /// # Errors
    /// Fails if the line has no meaning at this point. In that case, the game cannot go on.
    pub(crate) fn hear(&mut self, line: &str, session: &mut Session) -> Result<InGame, TalkError> {
        let nonsense = || TalkError::NoSense(shown(line));
        let response: Response = line.parse().map_err(|_| nonsense())?;
        match response {
            Response::AcceptedTimed { left, .. } => self.left[self.side] = Some(Duration::from_secs(left)),
            Response::Moved { side, number, played, left } => {
                self.left[side] = left.map(Duration::from_secs).or(self.left[side]);
                self.follow((side, number, played), session).ok_or_else(nonsense)?;
            }
            Response::MovedLast { side, number, played, .. } => {
                self.follow((side, number, played), session).ok_or_else(nonsense)?;
                return if session.outcome().is_some() { Ok(InGame::Over) } else { Err(nonsense()) };
            }
            Response::Illegal(why) | Response::Garbled(why) => {
                self.take_back(session);
                return Ok(InGame::Refused(shown(why.as_str())));
            }
            Response::Over { decision, .. } => self.decision = Some((decision, shown(line))),
            Response::WonByResignation(winner) => {
                return Ok(over(session, Ok(GameResult::resigned(winner.opponent()))));
            }
            Response::WonByTime(winner) => {
                let result = GameResult::forfeit(winner.opponent(), Termination::Time, shown(line));
                return Ok(over(session, Ok(result)));
            }
            Response::Disconnected(loser) => {
                let result = GameResult::forfeit(loser, Termination::Disconnect, shown(line));
                return Ok(over(session, Ok(result)));
            }
            Response::Problem(why) => return Ok(over(session, Err(Void { reason: shown(why.as_str()) }))),
            Response::PlayerName(side, name) => session.name(side, name.as_str()),
            Response::Accepted(_)
            | Response::Resigned
            | Response::ObserverName(..)
            | Response::Observers(_)
            | Response::Rules { .. }
            | Response::RuleOption { .. }
            | Response::MovesSoFar(_)
            | Response::Clocks(_) => {}
            _ => return Err(nonsense()),
        }
        Ok(InGame::Goes)
    }

    /// Processes the end of the connection.
    ///
    /// # Errors
    /// Fails if the referee has not said how the game ended.
    pub(crate) fn hear_end(&mut self, session: &mut Session) -> Result<InGame, TalkError> {
        if session.end().is_some() {
            return Ok(InGame::Over);
        }
        let (decision, line) = self.decision.take().ok_or(TalkError::Closed)?;
        let loser = match decision {
            Decision::Win => self.side.opponent(),
            Decision::Loss => self.side,
            Decision::Draw => return Err(TalkError::NoSense(line)),
        };
        Ok(over(session, Ok(GameResult::forfeit(loser, Termination::Disconnect, line))))
    }

    /// Plays a move that the referee reports, unless `session` already contains it; `None` if it is not the next move.
    fn follow(&mut self, (side, number, played): (Side, u32, Move), session: &mut Session) -> Option<()> {
        let before = session.plies().get(..self.heard)?;
        let of_side = before.iter().filter(|ply| ply.side() == side).count();
        if u32::try_from(of_side).ok()? + 1 != number {
            return None;
        }
        match session.plies().get(self.heard) {
            // The person has made this move, or the game began with it.
            Some(known) => (known.side() == side && known.played == played).then_some(())?,
            None if session.end().is_none() && session.to_move() == side => {
                session.play(played.as_str()).ok()?;
            }
            None => return None,
        }
        self.heard += 1;
        Some(())
    }

    /// Takes back the move that the referee has refused, if the refused request was a move.
    fn take_back(&self, session: &mut Session) {
        if session.plies().len() > self.heard && self.heard >= session.given() {
            session.take_back(self.side);
        }
    }
}

fn over(session: &mut Session, end: Result<GameResult, Void>) -> InGame {
    session.decide(end);
    InGame::Over
}

/// The line that tells a referee the last move of `session`; `None` if there is none.
pub(crate) fn move_line(session: &Session) -> Option<String> {
    let last = session.plies().last()?;
    let number = session.plies().iter().filter(|ply| ply.side() == last.side()).count();
    Some(numbered(number, last.side(), last.played.as_str()))
}

/// The line that tells a referee that the side to move in `session` resigns.
pub(crate) fn resignation_line(session: &Session) -> String {
    let side = session.to_move();
    let made = session.plies().iter().filter(|ply| ply.side() == side).count();
    numbered(made + 1, side, Action::RESIGN)
}

fn numbered(number: usize, side: Side, text: &str) -> String {
    let dots = usize::from(side == Side::White);
    Action::Numbered { number: i64::try_from(number).unwrap_or(i64::MAX), dots, text: text.to_owned() }.to_string()
}
