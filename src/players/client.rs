//! A player's side of the protocol, over any pair of blocking streams. The built-in bots play through it.
//!
//! The client keeps its own position and updates it only from the referee's status lines, which also report the
//! client's own moves. Whenever its seat is to move in that position, the client makes one move. It thus handles moves
//! that were not made by a player, such as those of an opening, like any others.
//!
//! In a game of more than two seats, seats can drop out while the others play on. The client leaves such a game when it is
//! over, or when its own seat has dropped out.
//!
//! A refused move does not change the position: the client makes another move in the same turn, and leaves the game
//! only when the referee has refused every legal move.

mod own_turn;

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
    #[error("the referee's games have rules that this program does not know: `{line}` (a newer version may know them)")]
    UnknownRules {
        /// The greeting.
        line: String,
    },
    /// The referee refused a seat. The name is left out, since it may contain a token.
    #[error("the referee gave no seat for `{wanted}`: {} (`{line}`)", refusal(*.code))]
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
    #[error("the referee reports an impossible move, `{line}`")]
    ImpossibleMove {
        /// The status line.
        line: String,
        /// The reason.
        source: IllegalMove,
    },
    /// The referee reports a move with the wrong number, or of the wrong seat.
    #[error("the referee reports `{line}`, but the next move is {expected}")]
    OutOfStep {
        /// The status line.
        line: String,
        /// The number and the seat of the next move.
        expected: String,
    },
    /// The referee sent a line that is not part of the protocol, or does not belong in a player's game.
    #[error("did not understand the referee's line `{line}`")]
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
        193 => "this game may not be observed",
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
/// one write with the game's start. A client that takes over a game knows how many moves have been made, and waits for all of
/// them.
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
    /// The seconds for the first turn of each seat, if there are more than two.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Side;
    use crate::game::gothello::Game;
    use crate::referee::uneven::Uneven;

    fn start() -> Game {
        Game::default()
    }

    /// Lines that arrive one at a time.
    struct OneByOne<'a>(std::slice::Iter<'a, &'a str>);

    impl Read for OneByOne<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let Some(line) = self.0.next() else { return Ok(0) };
            let line = format!("{line}\r\n");
            buffer[..line.len()].copy_from_slice(line.as_bytes());
            Ok(line.len())
        }
    }

    fn first_besides(game: &Game, refused: &[Move]) -> Move {
        *game.legal_moves().iter().find(|legal| !refused.contains(legal)).expect("a move that is not refused")
    }

    /// Runs a client that plays the first legal move not yet refused, with a referee that sends `lines`. Returns what
    /// it sends and how it disconnects.
    fn hear(wish: SeatWish, lines: &[&str]) -> (String, Result<(), ClientError>) {
        let mut sent = Vec::new();
        let end = play(
            start(),
            RefereeStream { input: OneByOne(lines.iter()), output: &mut sent },
            &hello(Ruleset::Gothello, wish, None),
            |game, _, refused| first_besides(game, refused),
        );
        (String::from_utf8(sent).unwrap(), end)
    }

    fn message(side: Side, lines: &[&str]) -> String {
        hear(SeatWish::Only(side.into()), lines).1.unwrap_err().to_string()
    }

    #[test]
    fn a_greeting_is_heard_for_its_rule_set_and_then_again() {
        for (line, named) in [
            (GREETING, Some("gothello")),
            ("000 Gothello 0.9.1 seegover cycle=superko drop=2 is ready", Some("seegover cycle=superko drop=2")),
            ("100 fine", None),
        ] {
            let arrived = format!("{line}\r\n352 black\r\n");
            let stream = RefereeStream { input: arrived.as_bytes(), output: io::sink() };
            let (ruleset, mut again) = greeting(stream).unwrap();
            assert_eq!(ruleset.map(|ruleset| ruleset.to_string()).as_deref(), named);
            let mut heard = String::new();
            again.input.read_to_string(&mut heard).unwrap();
            assert_eq!(heard, arrived);
        }
    }

    const GREETING: &str = "000 Gothello 0.9.1 hello";

    #[test]
    fn black_moves_once_a_turn_and_skips_what_it_hears_of_itself() {
        let lines =
            [GREETING, "100 fine", "352 black", "200 ok", "311 1 a1 is black move", "312 1 ... c3 is white move"];
        let (sent, end) =
            hear(SeatWish::Only(Side::Black.into()), &[&lines[..], &["200 ok", "327 black wins"]].concat());
        assert_eq!(sent, "0.9.1 player black\r1 a1\r2 b1\r");
        assert!(end.is_ok());
    }

    #[test]
    fn white_waits_for_black_and_understands_clocks_and_passes() {
        let lines = [
            GREETING,
            "101 60 60 (you / opp)",
            "342 \"somebody\"",
            "351 white",
            "317 1 pass 58 (secs) is black move",
            "207 59 secs remaining",
            "314 1 ... a1 59 (secs)",
            "313 2 c3 57 (secs)",
            "361 Black wins by White time expiring",
        ];
        let (sent, end) = hear(SeatWish::Only(Side::White.into()), &lines);
        assert_eq!(sent, "0.9.1 player white\r1 ... a1\r2 ... b1\r");
        assert!(end.is_ok());
    }

    #[test]
    fn plies_that_nobody_made_at_the_table_are_followed() {
        let lines = [GREETING, "100 fine", "351 white", "311 1 a1 x", "312 1 ... b1 x", "311 2 c1 x", "391 gone"];
        // The move for the first turn was sent before the opening was known; the next one is for the current board.
        assert_eq!(hear(SeatWish::Any, &lines).0, "0.9.1 player ?\r1 ... b1\r2 ... d1\r");
    }

    #[test]
    fn an_opening_that_comes_with_the_start_is_heard_before_the_first_move() {
        for (start, request) in [
            ("352 black\r\n311 1 a1 x\r\n312 1 ... b1 x\r\n", "2 c1\r"),
            ("351 white\r\n313 1 a1 60 x\r\n", "1 ... b1\r"),
        ] {
            let mut sent = Vec::new();
            let hello = hello(Ruleset::Gothello, SeatWish::Any, None);
            let end = play(
                Game::default(),
                RefereeStream { input: start.as_bytes(), output: &mut sent },
                &hello,
                |game, _, _| game.legal_moves()[0],
            );
            assert_eq!(String::from_utf8(sent).unwrap(), request);
            assert!(matches!(end, Err(ClientError::Closed)));
        }
    }

    #[test]
    fn what_has_arrived_in_part_is_waited_for_and_blank_lines_are_not() {
        for (first, then, requests) in [
            ("352 black\r\n311 1 a1", " x\r\n312 1 ... b1 x\r\n", "2 c1\r"),
            ("352 black\r\n \r\n\r\n", "361 Black wins by White time expiring\r\n", "1 a1\r"),
        ] {
            let mut sent = Vec::new();
            let arrivals = first.as_bytes().chain(then.as_bytes());
            let end = play(
                start(),
                RefereeStream { input: arrivals, output: &mut sent },
                &hello(Ruleset::Gothello, SeatWish::Any, None),
                |game, _, _| game.legal_moves()[0],
            );
            assert!(matches!(end, Ok(()) | Err(ClientError::Closed)));
            assert_eq!(String::from_utf8(sent).unwrap(), requests);
        }
    }

    #[test]
    fn a_side_that_moves_twice_in_a_row_is_asked_twice() {
        let lines = [GREETING, "100 fine", "351 white", "311 1 a1 x", "312 1 ... b1 x", "312 2 ... c1 x", "391 gone"];
        let mut sent = Vec::new();
        let hello = hello(Ruleset::Gothello, SeatWish::Any, None);
        let end = play(
            Uneven::default(),
            RefereeStream { input: OneByOne(lines.iter()), output: &mut sent },
            &hello,
            |game, _, _| game.legal_moves()[0],
        );
        assert_eq!(String::from_utf8(sent).unwrap(), "0.9.1 player ?\r1 ... b1\r2 ... c1\r");
        assert!(end.is_ok());
    }

    /// Results that end with white's move have dots, which are harmless in the other results.
    const fn dots(code: u32) -> &'static str {
        if matches!(code, 323 | 324 | 326) { "... " } else { "" }
    }

    #[test]
    fn every_ending_is_the_end() {
        for code in (201..=204).chain(321..=328).chain([361, 362, 391, 392]) {
            let (_, end) = hear(
                SeatWish::Any,
                &[GREETING, "100 fine", "351 white", &format!("{code} 3 {}pass over", dots(code)), "nonsense"],
            );
            assert!(end.is_ok(), "{code}");
        }
    }

    #[test]
    fn a_connection_that_ends_without_a_result_is_an_error() {
        for heard in 0..4 {
            let (_, end) = hear(SeatWish::Any, &[GREETING, "100 fine", "352 black", "200 ok"][..heard]);
            assert!(matches!(end, Err(ClientError::Closed)), "{heard}");
        }
    }

    #[test]
    fn a_result_is_heard_even_when_the_last_move_could_not_be_sent() {
        struct Gone;
        impl Write for Gone {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::BrokenPipe.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let hello = hello(Ruleset::Gothello, SeatWish::Any, None);
        let lines = "352 black\r\n362 White wins by Black time expiring\r\n";
        assert!(
            play(start(), RefereeStream { input: lines.as_bytes(), output: Gone }, &hello, |_, _, _| Move::PASS)
                .is_ok()
        );
        let end =
            play(start(), RefereeStream { input: "352 black\r\n".as_bytes(), output: Gone }, &hello, |_, _, _| {
                Move::PASS
            });
        assert!(matches!(end, Err(ClientError::Connection(_))));
    }

    #[test]
    fn errors_say_what_the_referee_said() {
        let start = [GREETING, "100 fine", "352 black"];
        let after = |line: &'static str| message(Side::Black, &[&start[..], &[line]].concat());
        assert_eq!(
            after("312 1 ... a1 x"),
            "the referee reports `312 1 ... a1 x`, but the next move is number 1, by black"
        );
        assert_eq!(after("311 1 z9 x"), "the referee reports an impossible move, `311 1 z9 x`");
        assert_eq!(after("353 observe"), "did not understand the referee's line `353 observe`");
        assert_eq!(after("+100"), "did not understand the referee's line `+100`");
        assert_eq!(
            message(Side::White, &[GREETING, "191 no"]),
            "the referee gave no seat for `0.9.1 player white`: the other player holds that side (`191 no`)"
        );
    }

    /// Runs a client that plays the first legal move not yet refused, with a referee that sends `start` and then
    /// `refusals`. Returns what it sends and how it disconnects.
    fn after_refusals(start: &[&str], refusals: &[&str]) -> (String, Result<(), ClientError>) {
        let (sent, end) = hear(SeatWish::Any, &[&[GREETING, "100 fine"], start, refusals].concat());
        (sent.strip_prefix("0.9.1 player ?\r").expect("a hello").to_owned(), end)
    }

    const ILLEGAL: &str = "291 Illegal move no";
    const GARBLED: &str = "299 Not understood: what?";

    #[test]
    fn an_illegal_move_is_followed_by_another_of_the_same_turn() {
        let black = ["352 black", ILLEGAL, ILLEGAL, "200 ok", "311 1 c1 x", "312 1 ... c3 x", "200 ok", "391 gone"];
        let (sent, end) = after_refusals(&[], &black);
        assert_eq!(sent, "1 a1\r1 b1\r1 c1\r2 a1\r", "the next turn has all its moves again");
        assert!(end.is_ok());
        let white =
            ["351 white", "313 1 a1 60 x", ILLEGAL, "207 59 secs remaining", "314 1 ... c1 59 x", "313 2 c3 58 x"];
        assert_eq!(after_refusals(&white, &[ILLEGAL]).0, "1 ... b1\r1 ... c1\r2 ... b1\r2 ... d1\r");
    }

    #[test]
    fn a_move_that_was_not_understood_is_sent_once_more_and_then_another_is() {
        for (refusals, sent) in [
            (&[GARBLED][..], "1 a1\r1 a1\r"),
            (&[GARBLED, GARBLED], "1 a1\r1 a1\r1 b1\r"),
            (&[GARBLED, ILLEGAL], "1 a1\r1 a1\r1 b1\r"),
            (&[GARBLED, GARBLED, GARBLED], "1 a1\r1 a1\r1 b1\r1 c1\r"),
            (&[ILLEGAL, GARBLED, GARBLED], "1 a1\r1 b1\r1 b1\r1 c1\r"),
        ] {
            assert_eq!(after_refusals(&["352 black"], refusals).0, sent, "{refusals:?}");
        }
        let next_turn = ["200 ok", "311 1 a1 x", "312 1 ... c3 x", GARBLED, "200 ok", "391 gone"];
        let (sent, end) = after_refusals(&["352 black", GARBLED], &next_turn);
        assert_eq!(sent, "1 a1\r1 a1\r2 b1\r2 b1\r", "each turn has a repetition of its own");
        assert!(end.is_ok());
    }

    #[test]
    fn a_client_leaves_when_every_legal_move_is_refused() {
        let all: Vec<String> = start().legal_moves().iter().map(|legal| format!("1 {legal}\r")).collect();
        let message = "the referee refused the move `1 pass`: `291 Illegal move no`";
        let tried = |refusals: &[&str]| {
            let (sent, end) = after_refusals(&["352 black"], refusals);
            (sent, end.map_err(|error| error.to_string()))
        };
        let closed = Err(ClientError::Closed.to_string());
        assert_eq!(tried(&vec![ILLEGAL; all.len() - 1]), (all.concat(), closed.clone()));
        assert_eq!(tried(&vec![ILLEGAL; all.len()]), (all.concat(), Err(message.to_owned())));
        let repeated = format!("{}{}", all[0], all.concat());
        let garbled_first = [&[GARBLED][..], &vec![ILLEGAL; all.len() - 1]].concat();
        assert_eq!(tried(&garbled_first), (repeated.clone(), closed));
        assert_eq!(tried(&[&garbled_first[..], &[ILLEGAL]].concat()), (repeated, Err(message.to_owned())));
    }

    #[test]
    fn a_refusal_of_a_move_whose_turn_an_opening_took_is_no_refusal_of_the_next_one() {
        for refusal in [ILLEGAL, GARBLED] {
            let opening = ["351 white", "311 1 a1 x", "312 1 ... b1 x", "311 2 c1 x"];
            let then = [refusal, "200 ok", "312 2 ... d1 x", "311 3 a3 x", refusal, "391 gone"];
            let (sent, end) = after_refusals(&opening, &then);
            let again = if refusal == GARBLED { "e1" } else { "a2" };
            assert_eq!(sent, format!("1 ... b1\r2 ... d1\r3 ... e1\r3 ... {again}\r"));
            assert!(end.is_ok());
        }
    }

    #[test]
    fn a_refusal_of_nothing_that_was_sent_is_an_error() {
        let (sent, end) = after_refusals(&["352 black", "200 ok"], &[ILLEGAL]);
        assert_eq!(sent, "1 a1\r");
        assert!(matches!(end, Err(ClientError::MoveRefused { .. })));
    }

    /// Runs a client for a game of four that plays the first legal move not yet refused, as [`hear`] does.
    fn hear_of_four(lines: &[&str]) -> (String, Result<(), ClientError>) {
        let ruleset: Ruleset = "quantum-4p".parse().expect("a rule set");
        let Ruleset::Quantum(rules) = ruleset else { panic!("{ruleset} is a line-up") };
        let mut sent = Vec::new();
        let end = play(
            crate::game::quantum::Game::new(rules),
            RefereeStream { input: OneByOne([&[GREETING], lines].concat().iter()), output: &mut sent },
            &hello(ruleset, SeatWish::Any, None),
            |game, left, refused| {
                assert_eq!(left.is_some(), lines[0].starts_with("102"), "the time is known");
                *game.legal_moves().iter().find(|legal| !refused.contains(legal)).expect("a legal move")
            },
        );
        (String::from_utf8(sent).unwrap().strip_prefix("0.9.2 player ?\r").expect("a hello").to_owned(), end)
    }

    #[test]
    fn a_seat_among_four_moves_after_all_before_it() {
        let lines = [
            "102 60 60 50 60 Request accepted with time controls",
            "348 1 \"alice\" is the player",
            "345 quantum-4p 4 3 is the game, seats, and your seat",
            "354 3 You will play seat 3",
            "332 1 g5 58 (secs) is seat 1 move, game continues",
            "332 1 ... pass 58 (secs) is seat 2 move, game continues",
            "207 49 secs remaining after move h4 accepted, continue playing",
            "332 1 ... ... h4 49 (secs) is seat 3 move, game continues",
            "336 2 1 4 3 is the placing, game over",
            "nonsense",
        ];
        let (sent, end) = hear_of_four(&lines);
        let first = {
            let mut game = "quantum-4p".parse::<Ruleset>().expect("a rule set").start();
            for text in ["g5", "pass"] {
                game.play(text).expect("a legal move");
            }
            game.legal_moves()[0]
        };
        assert_eq!(sent, format!("1 ... ... {first}\r"));
        assert!(end.is_ok(), "{end:?}");
    }

    #[test]
    fn turns_of_seats_that_have_dropped_out_are_skipped() {
        let start = ["100 fine", "354 4 You will play seat 4", "331 1 g5 is seat 1 move"];
        let outs = ["335 2 is out, time", "335 3 is out, crash"];
        let (sent, end) = hear_of_four(&[&start[..], &outs, &["335 1 is out, resignation"]].concat());
        assert_eq!(sent.matches('\r').count(), 1);
        assert!(sent.starts_with("1 ... ... ... "), "{sent}");
        assert!(matches!(end, Err(ClientError::Closed)), "the referee ends the game: {end:?}");
        let (sent, _) = hear_of_four(&[&start[..], &outs[..1]].concat());
        assert_eq!(sent, "", "it is the turn of seat 3");
    }

    #[test]
    fn a_client_leaves_when_its_own_seat_is_out_or_the_game_is_over() {
        for line in ["335 4 is out, time", "336 1 2 3 4 is the placing", "201 You win", "202 You lose", "203 You draw"]
        {
            let (sent, end) = hear_of_four(&["100 fine", "354 4 You will play seat 4", line, "nonsense"]);
            assert_eq!((sent.as_str(), end.is_ok()), ("", true), "{line}");
        }
    }

    #[test]
    fn what_makes_no_sense_among_four_is_an_error() {
        for (line, message) in [
            ("331 1 ... g5 x", "the referee reports `331 1 ... g5 x`, but the next move is number 1, by seat 1"),
            ("331 2 g5 x", "the referee reports `331 2 g5 x`, but the next move is number 1, by seat 1"),
            ("331 1 a1 x", "the referee reports an impossible move, `331 1 a1 x`"),
            ("335 5 is out", "did not understand the referee's line `335 5 is out`"),
            ("331 1 ... ...", "did not understand the referee's line `331 1 ... ...`"),
        ] {
            let (_, end) = hear_of_four(&["100 fine", "354 4 You will play seat 4", line]);
            assert_eq!(end.expect_err("makes no sense").to_string(), message);
        }
    }

    #[test]
    fn no_error_gives_a_name_away_as_it_may_hold_a_token() {
        let hello = hello(Ruleset::Gothello, SeatWish::Any, EntityName::new("carol:a word"));
        for line in ["191 no", "299 what?", "nonsense", ""] {
            let error = play(
                start(),
                RefereeStream { input: format!("{GREETING}\r\n{line}").as_bytes(), output: io::sink() },
                &hello,
                |_, _, _| Move::PASS,
            )
            .unwrap_err();
            assert!(!format!("{error} {error:?}").contains("word"), "{error:?}");
        }
    }

    #[test]
    fn a_line_without_end_does_not_fill_the_memory() {
        let endless = io::BufReader::new(GREETING.as_bytes().chain(io::repeat(b'x')));
        let end = play(
            start(),
            RefereeStream { input: endless, output: io::sink() },
            &hello(Ruleset::Gothello, SeatWish::Any, None),
            |_, _, _| Move::PASS,
        );
        assert!(matches!(end, Err(ClientError::NotUnderstood { .. })));
    }
}
