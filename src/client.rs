//! A player's side of the protocol, over any pair of blocking streams: what the built-in bots run on.
//!
//! The client keeps a game of its own, driven by the referee's status lines alone, its own moves' among them. Whenever
//! that game has its side to move it makes one move for that ply. Moves that nobody made at the table, such as those of an
//! opening, are therefore followed like any other.

use std::fmt;
use std::io::{self, BufRead, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::str::{FromStr, SplitWhitespace};

use thiserror::Error;

use crate::rules::gothello::Game;
use crate::rules::{IllegalMove, Move, Position, Side};

/// The TCP port of server number 0; server N listens N above it.
pub const BASE_PORT: u16 = 29068;

/// The protocol version that the client speaks.
const VERSION: &str = "0.9.1";

/// The longest line that the client takes from a referee, in bytes: far more than any line of the protocol has.
const MAX_LINE: u64 = 4096;

/// What the client asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hello {
    /// The side, or `None` for either.
    pub side: Option<Side>,
    /// The name to go by.
    pub name: Option<Name>,
}

impl Hello {
    /// The side as the protocol has it, `?` for either.
    fn wanted(&self) -> &'static str {
        self.side.map_or("?", Side::name)
    }
}

/// The request as the protocol has it, without its line end.
impl fmt::Display for Hello {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{VERSION} player {}", self.wanted())?;
        match &self.name {
            Some(name) => write!(f, " {name}"),
            None => Ok(()),
        }
    }
}

/// A name that the protocol can carry.
///
/// Invariant: 1 to [`Name::MAX_CHARS`] characters, none of them a control character.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name(String);

impl Name {
    /// The longest name, in characters.
    pub const MAX_CHARS: usize = 31;
}

/// Text that can't be a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a name has 1 to 31 characters and no control characters")]
pub struct NotAName;

impl FromStr for Name {
    type Err = NotAName;

    fn from_str(text: &str) -> Result<Self, NotAName> {
        let fits = (1..=Self::MAX_CHARS).contains(&text.chars().count()) && !text.contains(char::is_control);
        if fits { Ok(Self(text.to_owned())) } else { Err(NotAName) }
    }
}

/// The name in double quotes, those within it doubled.
impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.0.replace('"', "\"\""))
    }
}

/// Why a client left its game before the end.
#[derive(Debug, Error)]
pub enum ClientError {
    /// Nothing answered.
    #[error("cannot connect to {host}:{port} (is a referee listening there, and is the server number right?)")]
    Connect {
        /// The host as it was given.
        host: String,
        /// The port.
        port: u16,
        /// What the system says.
        source: io::Error,
    },
    /// The connection failed.
    #[error("the connection to the referee failed")]
    Connection(#[from] io::Error),
    /// The connection ended without a result.
    #[error("the referee closed the connection before the game had a result")]
    Closed,
    /// The referee gave no seat. The name is left out, as it may hold a token.
    #[error("the referee gave no seat for `player {wanted}`: {} (`{line}`)", refusal(*.code))]
    Refused {
        /// The side that was asked for.
        wanted: &'static str,
        /// The answer's code.
        code: u16,
        /// The whole answer.
        line: String,
    },
    /// The referee refused a move, which should never happen.
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
        /// Why not.
        source: IllegalMove,
    },
    /// The referee reports a move of the wrong number or side.
    #[error("the referee reports `{line}`, but the next move is {expected}")]
    OutOfStep {
        /// The status line.
        line: String,
        /// Number and side of the next move.
        expected: String,
    },
    /// A line that is not of the protocol, or has no place in a player's game.
    #[error("did not understand the referee's line `{line}`")]
    NotUnderstood {
        /// The line.
        line: String,
    },
}

/// What a refusal's code means.
const fn refusal(code: u16) -> &'static str {
    match code {
        191 => "the other player holds that side",
        192 => "both sides are taken",
        193 => "this game may not be observed",
        198 => "it does not take this protocol version",
        _ => "it did not understand the request",
    }
}

/// A connection to the referee at this address, IPv4 before IPv6, as referees listen on IPv4. What is written leaves at
/// once.
///
/// # Errors
/// [`ClientError::Connect`] with what the last address tried failed with.
pub fn connect(host: &str, port: u16) -> Result<TcpStream, ClientError> {
    let connect = || {
        let mut addresses: Vec<_> = (host, port).to_socket_addrs()?.collect();
        addresses.sort_by_key(std::net::SocketAddr::is_ipv6);
        let stream = TcpStream::connect(&addresses[..])?;
        stream.set_nodelay(true)?;
        Ok(stream)
    };
    connect().map_err(|source| ClientError::Connect { host: host.to_owned(), port, source })
}

/// Plays one game from greeting to result, asking `choose` for each own move, which must be legal. Returns as soon as the
/// result is announced, whatever it is.
///
/// # Errors
/// When there is no result: the seat or a move is refused, the connection ends, or the referee says what makes no sense.
pub fn play(
    mut input: impl BufRead,
    mut output: impl Write,
    hello: &Hello,
    mut choose: impl FnMut(&Game) -> Move,
) -> Result<(), ClientError> {
    let mut table = Table::default();
    // A referee that has ended the game may be gone when a move is sent; its last words can still be read then.
    let mut unsent = None;
    while let Some(line) = read_line(&mut input)? {
        let request = match table.hear(&line, hello)? {
            Heard::GameOver => return Ok(()),
            Heard::Greeting => Some(hello.to_string()),
            Heard::Other => table.next_request(&mut choose),
        };
        if let Some(request) = request {
            let sent = output.write_all(format!("{request}\r").as_bytes()).and_then(|()| output.flush());
            unsent = unsent.or(sent.err());
        }
    }
    Err(unsent.map_or(ClientError::Closed, ClientError::Connection))
}

/// The next line that is not blank, without its end; `None` at the end of the stream.
fn read_line(input: &mut impl BufRead) -> Result<Option<String>, ClientError> {
    loop {
        let mut bytes = Vec::new();
        if input.by_ref().take(MAX_LINE).read_until(b'\n', &mut bytes)? == 0 {
            return Ok(None);
        }
        let text = String::from_utf8_lossy(&bytes);
        if !text.trim().is_empty() {
            return Ok(Some(text.trim_end().to_owned()));
        }
    }
}

/// What a line means for what to say next.
enum Heard {
    Greeting,
    Other,
    GameOver,
}

/// What the client knows of its game.
#[derive(Default)]
struct Table {
    /// Its side, once the game has begun.
    side: Option<Side>,
    game: Game,
    /// How many plies have been reported.
    plies: u32,
    /// The request that was sent last, with the ply it was for.
    sent: Option<(u32, String)>,
}

impl Table {
    /// Takes in one line of the referee's.
    fn hear(&mut self, line: &str, hello: &Hello) -> Result<Heard, ClientError> {
        let owned = || line.to_owned();
        let mut words = line.split_whitespace();
        let code = words.next().filter(|word| word.len() == 3).and_then(|word| word.parse().ok());
        match code {
            Some(0) => return Ok(Heard::Greeting),
            Some(100 | 101 | 200 | 207 | 341..=344) => {}
            Some(code @ 190..=199) => {
                return Err(ClientError::Refused { wanted: hello.wanted(), code, line: owned() });
            }
            Some(351) => self.side = Some(Side::White),
            Some(352) => self.side = Some(Side::Black),
            Some(201..=204 | 321..=328 | 361 | 362 | 391 | 392) => return Ok(Heard::GameOver),
            Some(291 | 299) => {
                let sent = self.sent.take().map(|(_, request)| request).unwrap_or_default();
                return Err(ClientError::MoveRefused { sent, line: owned() });
            }
            Some(311 | 313 | 315 | 317) => self.follow(Side::Black, &mut words, line)?,
            Some(312 | 314 | 316 | 318) => self.follow(Side::White, &mut words, line)?,
            _ => return Err(ClientError::NotUnderstood { line: owned() }),
        }
        Ok(Heard::Other)
    }

    /// Makes the move that a status line reports; `words` are those behind its code.
    fn follow(&mut self, side: Side, words: &mut SplitWhitespace<'_>, line: &str) -> Result<(), ClientError> {
        let number: Option<u32> = words.next().and_then(|word| word.parse().ok());
        if number != Some(self.move_number()) || side != self.game.side() {
            let expected = format!("number {}, by {}", self.move_number(), self.game.side());
            return Err(ClientError::OutOfStep { line: line.to_owned(), expected });
        }
        let played = words.find(|word| *word != "...").unwrap_or_default();
        let impossible = |source| ClientError::ImpossibleMove { line: line.to_owned(), source };
        self.game.play(played).map_err(impossible)?;
        self.plies += 1;
        Ok(())
    }

    /// The number of the next move: black's and white's together count as one.
    const fn move_number(&self) -> u32 {
        self.plies / 2 + 1
    }

    /// The line that makes a move, when it is the own turn and no move has been sent for it.
    fn next_request(&mut self, choose: &mut impl FnMut(&Game) -> Move) -> Option<String> {
        let side = self.side.filter(|&side| side == self.game.side() && !self.game.is_over())?;
        if self.sent.as_ref().is_some_and(|(ply, _)| *ply == self.plies) {
            return None;
        }
        let chosen = choose(&self.game);
        let request = match side {
            Side::Black => format!("{} {chosen}", self.move_number()),
            Side::White => format!("{} ... {chosen}", self.move_number()),
        };
        self.sent = Some((self.plies, request.clone()));
        Some(request)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a client that always plays the first legal move sends to a referee that says `lines`, and how it leaves.
    fn hear(side: Option<Side>, lines: &[&str]) -> (String, Result<(), ClientError>) {
        let mut sent = Vec::new();
        let hello = Hello { side, name: None };
        let end = play(lines.join("\r\n").as_bytes(), &mut sent, &hello, |game| game.legal_moves()[0]);
        (String::from_utf8(sent).unwrap(), end)
    }

    fn message(side: Side, lines: &[&str]) -> String {
        hear(Some(side), lines).1.unwrap_err().to_string()
    }

    const GREETING: &str = "000 Gothello 0.9.1 hello";

    #[test]
    fn black_moves_once_a_turn_and_skips_what_it_hears_of_itself() {
        let lines =
            [GREETING, "100 fine", "352 black", "200 ok", "311 1 a1 is black move", "312 1 ... c3 is white move"];
        let (sent, end) = hear(Some(Side::Black), &[&lines[..], &["200 ok", "327 black wins"]].concat());
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
        let (sent, end) = hear(Some(Side::White), &lines);
        assert_eq!(sent, "0.9.1 player white\r1 ... a1\r2 ... b1\r");
        assert!(end.is_ok());
    }

    #[test]
    fn plies_that_nobody_made_at_the_table_are_followed() {
        let lines = [GREETING, "100 fine", "351 white", "311 1 a1 x", "312 1 ... b1 x", "311 2 c1 x", "391 gone"];
        // The move for the first turn was sent before the opening was known; the next one is for the board as it is.
        assert_eq!(hear(None, &lines).0, "0.9.1 player ?\r1 ... b1\r2 ... d1\r");
    }

    #[test]
    fn every_ending_is_the_end() {
        for code in (201..=204).chain(321..=328).chain([361, 362, 391, 392]) {
            let (_, end) = hear(None, &[GREETING, "100 fine", "351 white", &format!("{code} over"), "nonsense"]);
            assert!(end.is_ok(), "{code}");
        }
    }

    #[test]
    fn a_connection_that_ends_without_a_result_is_an_error() {
        for heard in 0..4 {
            let (_, end) = hear(None, &[GREETING, "100 fine", "352 black", "200 ok"][..heard]);
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
        let hello = Hello { side: None, name: None };
        let lines = "352 black\r\n362 White wins by Black time expiring\r\n";
        assert!(play(lines.as_bytes(), Gone, &hello, |_| Move::PASS).is_ok());
        let end = play("352 black\r\n".as_bytes(), Gone, &hello, |_| Move::PASS);
        assert!(matches!(end, Err(ClientError::Connection(_))));
    }

    #[test]
    fn errors_say_what_the_referee_said() {
        let start = [GREETING, "100 fine", "352 black"];
        let after = |line: &'static str| message(Side::Black, &[&start[..], &[line]].concat());
        assert_eq!(after("291 Illegal move a1"), "the referee refused the move `1 a1`: `291 Illegal move a1`");
        assert_eq!(
            after("312 1 ... a1 x"),
            "the referee reports `312 1 ... a1 x`, but the next move is number 1, by black"
        );
        assert_eq!(after("311 1 z9 x"), "the referee reports an impossible move, `311 1 z9 x`");
        assert_eq!(after("353 observe"), "did not understand the referee's line `353 observe`");
        assert_eq!(after("+100"), "did not understand the referee's line `+100`");
        assert_eq!(
            message(Side::White, &[GREETING, "191 no"]),
            "the referee gave no seat for `player white`: the other player holds that side (`191 no`)"
        );
    }

    #[test]
    fn no_error_gives_a_name_away_as_it_may_hold_a_token() {
        let hello = Hello { side: None, name: Some("carol:a word".parse().unwrap()) };
        for line in ["191 no", "299 what?", "nonsense", ""] {
            let error =
                play(format!("{GREETING}\r\n{line}").as_bytes(), io::sink(), &hello, |_| Move::PASS).unwrap_err();
            assert!(!format!("{error} {error:?}").contains("word"), "{error:?}");
        }
    }

    #[test]
    fn a_line_without_end_does_not_fill_the_memory() {
        let endless = io::BufReader::new(GREETING.as_bytes().chain(io::repeat(b'x')));
        let end = play(endless, io::sink(), &Hello { side: None, name: None }, |_| Move::PASS);
        assert!(matches!(end, Err(ClientError::NotUnderstood { .. })));
    }

    #[test]
    fn names_are_quoted_as_the_protocol_has_it() {
        let hello = Hello { side: Some(Side::White), name: Some("say \"hi\"".parse().unwrap()) };
        assert_eq!(hello.to_string(), "0.9.1 player white \"say \"\"hi\"\"\"");
        for text in ["", "a\rb", &"x".repeat(32)] {
            assert_eq!(text.parse::<Name>(), Err(NotAName), "{text:?}");
        }
        assert!("x".repeat(31).parse::<Name>().is_ok());
    }
}
