//! An opponent that plays through a referee: a program under the arena's own referee, or a player on a server.

use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use thiserror::Error;

use crate::base::time::{Instant, now};
use crate::base::units::spaced;
use crate::game::{BySide, Ruleset, Side};
use crate::players::client::{ClientError, connect, hello};
use crate::practice::board_game::BoardGame;
use crate::practice::program_referee::{ProgramReferee, RefereeNews, RefereedGame};
use crate::practice::seat_line::{SeatEvent, SeatLine};
use crate::practice::seat_talk::{BeforeGame, InGame, SeatTalk, TalkError, move_line, resignation_line};
use crate::practice::session::Session;
use crate::practice::waiting::away_unless_raised;
use crate::referee::result::Void;
use crate::referee::wire::{EntityName, SeatWish};

/// The maximum number of lines taken in one call. A referee that sends lines without end must not hold up the person.
const AT_ONCE: usize = 64;

/// How long after a game's end its record may arrive. This is longer than a program may take to leave.
const RECORD_TIMEOUT: Duration = Duration::from_secs(30);

/// How often to look for signals while a game starts or ends.
const LOOK: Duration = Duration::from_millis(50);

/// Why no move can be taken back.
pub(crate) const NO_TAKE_BACK: &str = "moves against this opponent cannot be taken back";

/// Why a person cannot take a seat on a server. The text is printable.
#[derive(Debug, Error)]
pub(crate) enum JoinError {
    /// No server answered.
    #[error(transparent)]
    Connect(#[from] ClientError),
    /// The connection failed.
    #[error("the connection to the server failed")]
    Connection(#[from] std::io::Error),
    /// The server sent no greeting within this time.
    #[error("the server sent no greeting within {}: is this the port of a Gothello server?", spaced(*.0))]
    Silent(Duration),
    /// The exchange with the referee failed, so there will be no game.
    #[error(transparent)]
    Talk(#[from] TalkError),
}

/// The phase of the game, according to what the referee has said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RefereedPhase {
    Before,
    Playing,
    Over,
}

/// An action of an opponent or of its referee.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum DistantNews {
    /// Nothing that can be shown.
    Nothing,
    /// The game has changed.
    Changed,
    /// The referee has refused the person's request for this reason, which is printable.
    Refused(String),
}

/// An opponent behind a referee, and the person's seat there. Dropping it ends the connection, and the program if there
/// is one.
#[derive(Debug)]
pub(crate) struct DistantOpponent {
    /// The referee of a program; `None` on a server. This is the first field, so that it is dropped first: a program is
    /// aborted rather than told that the person has left.
    referee: Option<ProgramReferee>,
    line: SeatLine,
    talk: SeatTalk,
    phase: RefereedPhase,
    /// When the referee last reported something that starts a turn.
    turn_began: Instant,
    last_words: Option<String>,
}

impl DistantOpponent {
    /// An opponent that is a program; its `referee` communicates with the person over `socket`.
    ///
    /// # Errors
    /// Fails if no thread can be started.
    pub(crate) fn program(referee: ProgramReferee, socket: TcpStream) -> std::io::Result<Self> {
        Ok(Self::new(Some(referee), SeatLine::new(socket)?))
    }

    fn new(referee: Option<ProgramReferee>, line: SeatLine) -> Self {
        let (talk, phase) = (SeatTalk::default(), RefereedPhase::Before);
        Self { referee, line, talk, phase, turn_began: now(), last_words: None }
    }

    /// Takes a seat on the server at `host` and `port`, on the side `wish` if there is one, and waits for the game to
    /// begin. The server must send its greeting within `patience`; `tell` is called once the greeting has arrived.
    /// Returns the opponent and the game; `None` if `raised` becomes true first.
    ///
    /// # Errors
    /// Fails if there is no server, or if the server does not let the person play.
    pub(crate) fn at_server(
        (host, port): (&str, u16),
        patience: Duration,
        wish: Option<Side>,
        tell: impl FnOnce(Ruleset),
        raised: &AtomicBool,
    ) -> Result<Option<(Self, Session)>, JoinError> {
        let address = host.to_owned();
        let Some(socket) = away_unless_raised(move || connect(&address, port), raised)? else { return Ok(None) };
        let mut opponent = Self::new(None, SeatLine::new(socket?)?);
        let (mut ruleset, mut tell, begun) = (None, Some(tell), now());
        while !raised.load(Ordering::Relaxed) {
            if ruleset.is_none() && begun.elapsed() >= patience {
                return Err(JoinError::Silent(patience));
            }
            let line = match opponent.line.next_within(LOOK) {
                None => continue,
                Some(SeatEvent::Line(line)) => line,
                Some(SeatEvent::TooLong) => return Err(TalkError::TooLong.into()),
                Some(SeatEvent::Closed) => return Err(TalkError::Closed.into()),
            };
            match opponent.talk.hear_before(&line)? {
                BeforeGame::Nothing => {}
                BeforeGame::Greeting(rules) => {
                    ruleset = Some(rules);
                    let seat = wish.map_or(SeatWish::Any, |side| SeatWish::Only(side.into()));
                    opponent.line.say(&hello(rules, seat, EntityName::new("person")).to_string())?;
                    if let Some(tell) = tell.take() {
                        tell(rules);
                    }
                }
                BeforeGame::Begun(side) => {
                    opponent.phase = RefereedPhase::Playing;
                    opponent.turn_began = now();
                    let rules = ruleset.unwrap_or_default();
                    let name =
                        |of: Side| if of == side { "person" } else { opponent.talk.name(of).unwrap_or("opponent") };
                    let players = BySide::from_fn(|side| name(side).to_owned());
                    return Ok(Some((opponent, Session::new(BoardGame::start(rules), true, players))));
                }
            }
        }
        Ok(None)
    }

    /// The side that the referee has given to the person.
    pub(crate) const fn person(&self) -> Side {
        self.talk.side()
    }

    /// Whether the side to move in `session` can make a move: the game has begun, and the referee knows all moves.
    pub(crate) fn is_settled(&self, session: &Session) -> bool {
        self.phase == RefereedPhase::Playing && self.talk.is_settled(session)
    }

    /// Whether nothing more will change.
    pub(crate) const fn is_done(&self) -> bool {
        matches!(self.phase, RefereedPhase::Over) && self.referee.is_none()
    }

    /// If the program failed, the line of its stderr that best explains why. Printable.
    pub(crate) fn last_words(&self) -> Option<&str> {
        self.last_words.as_deref()
    }

    /// The time that `side` has left now, if there are clocks.
    pub(crate) fn left(&self, side: Side, session: &Session) -> Option<Duration> {
        let left = self.talk.left(side)?;
        let runs = self.phase == RefereedPhase::Playing && session.end().is_none() && session.to_move() == side;
        Some(if runs { left.saturating_sub(now() - self.turn_began) } else { left })
    }

    /// Tells the referee the move that the person has just made in `session`.
    pub(crate) fn tell_move(&mut self, session: &Session) {
        if let Some(line) = move_line(session) {
            self.say(&line);
        }
    }

    /// Tells the referee that the person resigns.
    pub(crate) fn tell_resignation(&mut self, session: &Session) {
        self.say(&resignation_line(session));
    }

    fn say(&mut self, line: &str) {
        self.turn_began = now();
        // If the referee is gone, the end of the connection follows.
        if self.line.say(line).is_err() {
            self.line.hang_up();
        }
    }

    /// Waits up to `limit` for the opponent or its referee to act, and returns what happened. Brings `session` up to
    /// date.
    pub(crate) fn news_within(&mut self, limit: Duration, session: &mut Session) -> DistantNews {
        if self.phase == RefereedPhase::Over {
            return self.end_within(limit, session);
        }
        let mut limit = limit;
        for _ in 0..AT_ONCE {
            let Some(event) = self.line.next_within(limit) else { break };
            match self.take(event, session) {
                DistantNews::Nothing if self.phase != RefereedPhase::Over => limit = Duration::ZERO,
                news => return news,
            }
        }
        DistantNews::Nothing
    }

    /// Waits until nothing more will change, unless `raised` becomes true.
    pub(crate) fn finish(&mut self, session: &mut Session, raised: &AtomicBool) {
        let deadline = now() + RECORD_TIMEOUT;
        while !self.is_done() && now() < deadline && !raised.load(Ordering::Relaxed) {
            self.news_within(LOOK, session);
        }
    }

    fn take(&mut self, event: SeatEvent, session: &mut Session) -> DistantNews {
        let plies = session.plies().len();
        let heard = match (event, self.phase) {
            (SeatEvent::Line(line), RefereedPhase::Before) => match self.talk.hear_before(&line) {
                Ok(BeforeGame::Begun(_)) => {
                    self.phase = RefereedPhase::Playing;
                    self.turn_began = now();
                    return DistantNews::Changed;
                }
                Ok(_) => return DistantNews::Nothing,
                Err(error) => Err(error),
            },
            (SeatEvent::Line(line), _) => self.talk.hear(&line, session),
            (SeatEvent::TooLong, _) => Err(TalkError::TooLong),
            (SeatEvent::Closed, _) => self.talk.hear_end(session),
        };
        match heard {
            Ok(InGame::Goes) if session.plies().len() == plies => DistantNews::Nothing,
            Ok(InGame::Goes) => {
                self.turn_began = now();
                // The rules may have ended the game; then the referee is about to say so.
                DistantNews::Changed
            }
            Ok(InGame::Refused(why)) => DistantNews::Refused(why),
            Ok(InGame::Over) => self.end(),
            Err(error) => {
                // In a game with a program, the record states why there was no result.
                if self.referee.is_none() {
                    session.decide(Err(Void { reason: error.to_string() }));
                }
                self.end()
            }
        }
    }

    fn end(&mut self) -> DistantNews {
        self.phase = RefereedPhase::Over;
        // A referee waits for its players to leave.
        self.line.hang_up();
        DistantNews::Changed
    }

    fn end_within(&mut self, limit: Duration, session: &mut Session) -> DistantNews {
        let Some(referee) = &self.referee else { return DistantNews::Nothing };
        match referee.end_within(limit) {
            RefereeNews::Pending => return DistantNews::Nothing,
            RefereeNews::Ended(game) => {
                let RefereedGame { record, last_words } = *game;
                session.conclude(record);
                self.last_words = last_words;
            }
            RefereeNews::Aborted => session.decide(Err(Void { reason: "the referee has failed".to_owned() })),
        }
        self.referee = None;
        DistantNews::Changed
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn a_server_that_sends_no_greeting_is_given_up() {
        let server = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
        let port = server.local_addr().expect("an address").port();
        let never = AtomicBool::new(false);
        let joined =
            DistantOpponent::at_server(("127.0.0.1", port), Duration::ZERO, None, |_| panic!("no greeting"), &never);
        assert!(matches!(joined, Err(JoinError::Silent(_))), "{joined:?}");
    }
}
