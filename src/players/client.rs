//! A player's side of the protocol, over any pair of blocking streams. The built-in bots play through it.
//!
//! The client keeps its own position and updates it only from the referee's status lines, which also report the
//! client's own moves. Whenever its seat is to move in that position, the client makes one move. It thus handles moves
//! that no player made, such as those of an opening, like any other moves.
//!
//! In a game with more than two seats, seats can drop out while the others play on. The client leaves such a game when
//! it is over, or when its own seat has dropped out.
//!
//! A refused move does not change the position: the client makes another move in the same turn, and leaves the game
//! only when the referee has refused every legal move.

mod own_turn;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;

use thiserror::Error;

use self::own_turn::{NextLine, OwnTurn};
use crate::game::{BySeat, IllegalMove, Move, Position, Ruleset, Seat};
use crate::referee::record::TryKind;
use crate::referee::wire::GREETED_VERSION;
use crate::referee::wire::{Action, BadResponse, EntityName, Hello, Response, Role, SeatWish, VERSION};

/// The longest line that the client accepts from a referee, in bytes: far more than any line of the protocol.
const MAX_LINE: u64 = 4096;

/// The hello of a player of `ruleset`, in the lowest protocol version that supports such games, since servers for the
/// first two rule sets may be older than this program.
pub(crate) const fn hello(ruleset: Ruleset, wish: SeatWish, name: Option<EntityName>) -> Hello {
    let version = match ruleset {
        Ruleset::Gothello | Ruleset::Seegover(_) => GREETED_VERSION,
        Ruleset::Quantum(_) => VERSION,
    };
    Hello { version, role: Role::Player(wish), name }
}

/// The reason why a client left its game before the end.
#[derive(Debug, Error)]
pub(crate) enum ClientError {
    /// No server answered.
    #[error("cannot connect to {host}:{port} (is a referee listening there, and is the server number right?)")]
    Connect {
        /// The host, as it was given.
        host: String,
        /// The port.
        port: u16,
        /// The system's error.
        source: io::Error,
    },
    /// The connection failed.
    #[error("the connection to the referee failed")]
    Connection(#[from] io::Error),
    /// The connection ended without a result.
    #[error("the referee closed the connection before the game had a result")]
    Closed,
    /// The referee's games have options that this program does not support.
    #[error("the referee plays by rules that this program does not know: `{line}` (a newer version may support them)")]
    UnknownRules {
        /// The greeting.
        line: String,
    },
    /// The referee refused a seat. The name is left out, since it may contain a token.
    #[error("the referee refused the request `{wanted}`: {} (`{line}`)", refusal(*.code))]
    Refused {
        /// The request for a seat.
        wanted: String,
        /// The code of the answer.
        code: u16,
        /// The complete answer.
        line: String,
    },
    /// The referee refused a move, and no other legal move is left to try.
    #[error("the referee refused the move `{sent}`: `{line}`")]
    MoveRefused {
        /// The line that was sent.
        sent: String,
        /// The answer.
        line: String,
    },
    /// The referee reports a move that the rules do not allow.
    #[error("the referee reported an impossible move: `{line}`")]
    ImpossibleMove {
        /// The status line.
        line: String,
        /// The reason.
        source: IllegalMove,
    },
    /// The referee reports a move with the wrong number, or by the wrong seat.
    #[error("the referee reported `{line}`, but the next move is {expected}")]
    OutOfStep {
        /// The status line.
        line: String,
        /// The number and the seat of the next move.
        expected: String,
    },
    /// The referee sent a line that is not part of the protocol, or does not belong in a player's game.
    #[error("unexpected line from the referee: `{line}`")]
    NotUnderstood {
        /// The line.
        line: String,
    },
}

/// The meaning of a refusal's code.
const fn refusal(code: u16) -> &'static str {
    match code {
        191 => "the other player holds that side",
        192 => "both sides are taken",
        193 => "this game does not allow observers",
        198 => "it does not support this protocol version",
        _ => "it did not understand the request",
    }
}

/// Connects to the referee at this address. IPv4 is tried before IPv6, since referees listen on IPv4. Nagle's algorithm
/// is disabled.
///
/// # Errors
/// Returns [`ClientError::Connect`] with the error of the last address that was tried.
pub(crate) fn connect(host: &str, port: u16) -> Result<TcpStream, ClientError> {
    let connect = || {
        let mut addresses: Vec<_> = (host, port).to_socket_addrs()?.collect();
        addresses.sort_by_key(std::net::SocketAddr::is_ipv6);
        let stream = TcpStream::connect(&addresses[..])?;
        stream.set_nodelay(true)?;
        Ok(stream)
    };
    connect().map_err(|source| ClientError::Connect { host: host.to_owned(), port, source })
}

/// Both directions of a stream to a referee.
pub(crate) struct RefereeStream<R, W> {
    /// The lines from the referee.
    pub(crate) input: R,
    /// The lines to the referee.
    pub(crate) output: W,
}

/// Peeks at the referee's greeting. Returns the rule set of its games, if this is a greeting, and the stream, from
/// which the greeting can be read again.
///
/// # Errors
/// Fails if the connection fails, or if the greeting names unknown rules.
pub(crate) fn greeting<R: Read, W: Write>(
    io: RefereeStream<R, W>,
) -> Result<(Option<Ruleset>, RefereeStream<impl Read, W>), ClientError> {
    let mut input = BufReader::new(io.input);
    let mut heard = Vec::new();
    input.by_ref().take(MAX_LINE).read_until(b'\n', &mut heard)?;
    let line = String::from_utf8_lossy(&heard).trim_end().to_owned();
    let ruleset = match line.parse() {
        Ok(Response::Greeting(ruleset)) => Some(ruleset),
        Err(BadResponse::Rules) => return Err(ClientError::UnknownRules { line }),
        _ => None,
    };
    Ok((ruleset, RefereeStream { input: io::Cursor::new(heard).chain(input), output: io.output }))
}

/// Plays one game that starts in `position`, over the stream `io`, from greeting to result. `choose` picks each of the
/// client's moves, which must be legal. It receives the position, the remaining time in whole seconds, if there are
/// clocks, and the moves that the referee has refused in this turn, which it must not pick. Returns as soon as the
/// referee announces a result of any kind.
///
/// The client reads all lines that have arrived together before it chooses a move: the moves of an opening arrive in
/// one write with the game's start. A client that takes over a game knows how many moves have been made, and waits for
/// all of them.
///
/// # Errors
/// Fails if there is no result, because the referee refuses the seat or all legal moves, sends something that makes no
/// sense, or closes the connection.
pub(crate) fn play<P: Position>(
    position: P,
    io: RefereeStream<impl Read, impl Write>,
    hello: &Hello,
    mut choose: impl FnMut(&P, Option<Duration>, &[Move]) -> Move,
) -> Result<(), ClientError> {
    let RefereeStream { input, mut output } = io;
    let mut input = BufReader::new(input);
    let mut game = Followed::new(position);
    // A referee that has ended the game may be gone by the time the client sends a move. Its last lines can still be
    // read.
    let mut unsent = None;
    while let Some(line) = read_line(&mut input)? {
        let heard = if line.is_empty() { Meaning::Other } else { game.hear(&line, hello)? };
        let request = match heard {
            Meaning::GameOver => return Ok(()),
            Meaning::Greeting => Some(hello.to_string()),
            // Even if this is only the beginning of a line, the rest is on its way.
            Meaning::Other if !input.buffer().is_empty() => None,
            Meaning::Other => game.next_request(&mut choose),
        };
        if let Some(request) = request {
            let sent = output.write_all(format!("{request}\r").as_bytes()).and_then(|()| output.flush());
            unsent = unsent.or(sent.err());
        }
    }
    Err(unsent.map_or(ClientError::Closed, ClientError::Connection))
}

/// Reads the next line without its line ending. It is empty if the line is blank, and `None` at the end of the stream.
fn read_line(input: &mut impl BufRead) -> Result<Option<String>, ClientError> {
    let mut bytes = Vec::new();
    let read = input.by_ref().take(MAX_LINE).read_until(b'\n', &mut bytes)?;
    Ok((read > 0).then(|| String::from_utf8_lossy(&bytes).trim_end().to_owned()))
}

/// The meaning of a line to the client.
enum Meaning {
    Greeting,
    Other,
    GameOver,
}

/// The client's view of its game.
struct Followed<P> {
    /// The client's seat, once the game has begun.
    seat: Option<Seat>,
    position: P,
    /// The remaining time, as last reported by the referee.
    left: Option<Duration>,
    /// The seconds for the first turn of each seat, if there are more than two seats.
    first: Option<BySeat<u64>>,
    /// How many moves of each seat the referee has reported.
    moves: BySeat<u32>,
    /// How many moves the referee is about to report before the client's first turn.
    told: usize,
    /// The client's last turn, and the number of moves that had been reported before it.
    turn: (BySeat<u32>, OwnTurn),
    /// The moves that were sent but not yet answered by the referee, oldest first.
    unanswered: VecDeque<SentMove>,
}

/// A move that was sent.
struct SentMove {
    /// How many moves had been reported before it.
    moves: BySeat<u32>,
    played: Move,
    /// The line that makes the move.
    request: String,
}

impl<P: Position> Followed<P> {
    fn new(position: P) -> Self {
        let moves = BySeat::from_fn(position.seats(), |_| 0);
        let turn = (moves.clone(), OwnTurn::new());
        Self { seat: None, position, left: None, first: None, moves, told: 0, turn, unanswered: VecDeque::new() }
    }

    /// Handles one line from the referee.
    fn hear(&mut self, line: &str, hello: &Hello) -> Result<Meaning, ClientError> {
        let owned = || line.to_owned();
        let response: Response = line.parse().map_err(|_| ClientError::NotUnderstood { line: owned() })?;
        match response {
            Response::Greeting(_) => return Ok(Meaning::Greeting),
            Response::GrantedTimed { first, .. } => self.left = Some(Duration::from_secs(first)),
            Response::AcceptedTimed { left, .. } => {
                self.left = Some(Duration::from_secs(left));
                self.unanswered.pop_front();
            }
            Response::Accepted(_) => drop(self.unanswered.pop_front()),
            Response::Granted
            | Response::PlayerName(..)
            | Response::SeatName(..)
            | Response::ObserverName(..)
            | Response::Observers(_)
            | Response::Rules { .. }
            | Response::RuleOption { .. }
            | Response::Clocks(_) => {}
            Response::Taken
            | Response::NoSuchSeat
            | Response::Full { .. }
            | Response::Private
            | Response::BadVersion
            | Response::OldVersion { .. }
            | Response::BadHello(_) => {
                let wanted = Hello { name: None, ..hello.clone() }.to_string();
                return Err(ClientError::Refused { wanted, code: response.code(), line: owned() });
            }
            Response::MovesSoFar(moves) => self.told = moves,
            Response::YouPlay(side) => self.seat = Some(side.into()),
            Response::YouPlaySeat(seat) => {
                self.seat = Some(seat);
                let first = self.first.as_ref().and_then(|first| first.get(seat));
                self.left = first.copied().map(Duration::from_secs);
            }
            Response::Over { .. }
            | Response::Placed(_)
            | Response::Resigned
            | Response::MovedLast { .. }
            | Response::WonByResignation(_)
            | Response::WonByTime(_)
            | Response::Disconnected(_)
            | Response::Problem(_) => return Ok(Meaning::GameOver),
            Response::Illegal(_) => self.refuse(TryKind::Illegal, line)?,
            Response::Garbled(_) => self.refuse(TryKind::Garbled, line)?,
            Response::Moved { side, number, played, .. } => self.follow(side.into(), number, played, line)?,
            Response::MovedInGroup { seat, number, played, .. } => self.follow(seat, number, played, line)?,
            Response::GrantedInGroup(first) => self.first = Some(first),
            Response::DroppedOut { seat, .. } if self.seat == Some(seat) => return Ok(Meaning::GameOver),
            Response::DroppedOut { seat, .. } if self.moves.seats() > 2 && self.moves.has(seat) => {
                self.position.drop_out(seat);
            }
            Response::DroppedOut { .. }
            | Response::YouObserve
            | Response::State { .. }
            | Response::Board(_)
            | Response::CountedBoard(_) => {
                return Err(ClientError::NotUnderstood { line: owned() });
            }
        }
        Ok(Meaning::Other)
    }

    /// Handles the referee's refusal of the oldest unanswered move. The referee may have refused that move because an
    /// opening had taken its turn, which does not affect the current turn.
    fn refuse(&mut self, kind: TryKind, line: &str) -> Result<(), ClientError> {
        let refused = |sent| Err(ClientError::MoveRefused { sent, line: line.to_owned() });
        let Some(SentMove { moves, played, request }) = self.unanswered.pop_front() else {
            return refused(String::new());
        };
        if moves != self.moves {
            return Ok(());
        }
        let (_, turn) = &mut self.turn;
        turn.refuse(kind, played);
        if turn.refused().len() < self.position.legal_moves().len() { Ok(()) } else { refused(request) }
    }

    /// Makes the move that a status line reports.
    fn follow(&mut self, seat: Seat, number: u32, played: Move, line: &str) -> Result<(), ClientError> {
        if number != self.move_number() || seat != self.position.seat_to_move() {
            let next = self.position.seat_to_move();
            let by = if self.moves.seats() > 2 { format!("seat {next}") } else { next.side().to_string() };
            let expected = format!("number {}, by {by}", self.move_number());
            return Err(ClientError::OutOfStep { line: line.to_owned(), expected });
        }
        let impossible = |source| ClientError::ImpossibleMove { line: line.to_owned(), source };
        self.position.play(played.as_str()).map_err(impossible)?;
        self.moves[seat] += 1;
        self.told = self.told.saturating_sub(1);
        Ok(())
    }

    /// The number of the next move. Each seat's moves are numbered from 1.
    fn move_number(&self) -> u32 {
        self.moves[self.position.seat_to_move()] + 1
    }

    /// The line that makes a move, if it is the client's turn and no move is in flight.
    fn next_request(&mut self, choose: &mut impl FnMut(&P, Option<Duration>, &[Move]) -> Move) -> Option<String> {
        let is_over = self.position.is_over();
        let is_told = self.told == 0;
        let seat = self.seat.filter(|&seat| is_told && seat == self.position.seat_to_move() && !is_over)?;
        if self.turn.0 != self.moves {
            self.turn = (self.moves.clone(), OwnTurn::new());
        }
        let (_, turn) = &mut self.turn;
        let played = match turn.take_next() {
            NextLine::Nothing => return None,
            NextLine::Again(played) => played,
            NextLine::Choice => choose(&self.position, self.left, turn.refused()),
        };
        let (number, text) = (i64::from(self.move_number()), played.to_string());
        let request = Action::Numbered { number, dots: seat.index(), text }.to_string();
        self.unanswered.push_back(SentMove { moves: self.moves.clone(), played, request: request.clone() });
        Some(request)
    }
}
