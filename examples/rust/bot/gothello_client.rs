//! A player's side of the Gothello protocol. You do not have to change this file.
//!
//!     let mut client = Client::connect("black", "localhost", 29068, name)?;    a port below 30 is a server number
//!     let mut client = Client::stdio("black", name)?;                          over stdin and stdout
//!
//!     client.is_black         the side that you play
//!     client.my_time          seconds left on your clock, rounded down; None without clocks
//!     client.opponent_time    the same for your opponent
//!     client.time_control     what your clock gives for each move: a TimeControl
//!     client.told             how many given moves, yours included, next() has yet to return, as in an opening
//!     client.next()           waits for your opponent; returns Event::Move(point), Pass or GameOver(end)
//!     client.play("c3")       makes your move; returns Reply::Accepted, Refused(text) or GameOver(end)
//!     client.pass()           passes; returns the same as play
//!     client.resign()         gives up; returns the same as play
//!
//! Black moves first, so black starts with play() and white with next(). After Refused it is still your turn. However
//! the game ends, you receive a GameOver, and later calls return it again. If there is no game, because nothing answers
//! or the server refuses, connect and stdio return an error.

#![allow(dead_code)] // a bot does not have to use everything

use std::env;
use std::io::{self, Read, Write};
use std::net::TcpStream;

const VERSION: &str = "0.9.2";
/// The version for older servers, which refuse the newer version.
const OLD_VERSION: &str = "0.9.1";
/// The port of server number 0.
const FIRST_PORT: u16 = 29068;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Win,
    Loss,
    Draw,
    Unknown,
}

/// How the game ended, and the server's text about it.
#[derive(Clone, Debug)]
pub struct End {
    pub outcome: Outcome,
    pub text: String,
}

/// What the opponent did, or a move of an opening.
#[derive(Clone, Debug)]
pub enum Event {
    Move(String),
    Pass,
    GameOver(End),
}

/// The server's answer to a move.
#[derive(Clone, Debug)]
pub enum Reply {
    Accepted,
    Refused(String),
    GameOver(End),
}

/// What the clock gives for each move, in seconds. Values that do not apply to your time control are 0.
#[derive(Clone, Copy, Debug, Default)]
pub struct TimeControl {
    /// The time for each move.
    pub move_time: f64,
    /// The time added to your clock after each move.
    pub increment: f64,
    /// The number of periods of byo-yomi.
    pub periods: f64,
    /// The length of each of these periods.
    pub period: f64,
}

impl TimeControl {
    /// The time control that the arena set in the environment, if it started the bot.
    fn in_environment() -> Self {
        let given = |part| env::var(format!("GOTHELLO_{part}")).map_or(0.0, |value| seconds(&value));
        let [move_time, increment, periods, period] = ["MOVE_TIME", "INCREMENT", "PERIODS", "PERIOD"].map(given);
        Self { move_time, increment, periods, period }
    }

    /// The time control in "60+1 is the time control", or in "black 600:5x30 white 1/move+60bank is the time control".
    fn in_line(text: &str, is_black: bool) -> Self {
        let words: Vec<&str> = text.split_whitespace().collect();
        let own = match words[..] {
            ["black", black, ..] if is_black => black,
            ["black", _, "white", white, ..] => white,
            _ => field(text, 0),
        };
        let mut control = Self::default();
        if let Some((move_time, _)) = own.split_once("/move") {
            control.move_time = seconds(move_time); // the rest of a bank is in `my_time`
        } else if let Some((_, increment)) = own.split_once('+') {
            control.increment = seconds(increment);
        } else if let Some((periods, period)) = own.split_once(':').and_then(|(_, overtime)| overtime.split_once('x')) {
            (control.periods, control.period) = (seconds(periods), seconds(period));
        }
        control
    }
}

pub struct Client {
    pub is_black: bool,
    pub my_time: Option<u64>,
    pub opponent_time: Option<u64>,
    pub time_control: TimeControl,
    pub told: u32,
    input: Box<dyn Read>,
    output: Box<dyn Write>,
    unread: Vec<u8>,
    plies: u32,
    over: Option<End>,
}

impl Client {
    /// Connects, asks for `side` (`black`, `white` or `?`) and waits until the game starts.
    pub fn connect(side: &str, host: &str, port: u16, name: &str) -> io::Result<Self> {
        let open = || -> io::Result<Self> {
            let stream = TcpStream::connect((host, if port < 30 { FIRST_PORT + port } else { port }))?;
            stream.set_nodelay(true)?; // send immediately: our clock is running
            Ok(Self::new(side, Box::new(stream.try_clone()?), Box::new(stream)))
        };
        let mut client = open()?;
        let mut answer = client.ask(VERSION, side, name);
        if answer.0 == 198 {
            client = open()?; // the server is older, and has closed the connection
            answer = client.ask(OLD_VERSION, side, name);
        }
        client.seated(answer)
    }

    pub fn stdio(side: &str, name: &str) -> io::Result<Self> {
        let mut client = Self::new(side, Box::new(io::stdin()), Box::new(io::stdout()));
        let answer = client.ask(VERSION, side, name);
        client.seated(answer)
    }

    fn new(side: &str, input: Box<dyn Read>, output: Box<dyn Write>) -> Self {
        let (my_time, opponent_time, unread) = (None, None, Vec::new());
        let (is_black, time_control) = (side == "black", TimeControl::in_environment());
        Self { is_black, my_time, opponent_time, time_control, told: 0, input, output, unread, plies: 0, over: None }
    }

    /// Answers the greeting, and returns the line that starts the game or refuses a seat.
    fn ask(&mut self, version: &str, side: &str, name: &str) -> (u16, String) {
        let short: String = name.chars().take(31).collect();
        let quoted = if name.is_empty() { String::new() } else { format!(" \"{}\"", short.replace('"', "\"\"")) };
        loop {
            let (code, text) = self.hear();
            match code {
                0 => self.send(&format!("{version} player {side}{quoted}")),
                190..=199 | 351 | 352 => return (code, text),
                _ if self.over.is_some() => return (code, text),
                _ => {}
            }
        }
    }

    fn seated(self, (code, text): (u16, String)) -> io::Result<Self> {
        match code {
            190..=199 => Err(io::Error::other(format!("the server refused a seat: {text}"))),
            _ => Ok(self),
        }
    }

    pub fn next(&mut self) -> Event {
        loop {
            if let Some(end) = &self.over {
                return Event::GameOver(end.clone());
            }
            let (code, text) = self.hear();
            // Our own moves are reported, too.
            if (311..=318).contains(&code) && (self.told > 0 || is_by_black(code) != self.is_black) {
                self.told = self.told.saturating_sub(1);
                self.plies += 1;
                let point = field(&text, 1);
                return if point == "pass" { Event::Pass } else { Event::Move(point.to_owned()) };
            }
        }
    }

    pub fn play(&mut self, chosen: &str) -> Reply {
        if self.over.is_none() {
            let dots = if self.is_black { "" } else { "... " };
            self.send(&format!("{} {dots}{chosen}", self.plies / 2 + 1));
        }
        loop {
            if let Some(end) = &self.over {
                return Reply::GameOver(end.clone());
            }
            match self.hear() {
                (200 | 207, _) => {
                    self.plies += 1;
                    return Reply::Accepted;
                }
                (199 | 291 | 299, text) => return Reply::Refused(text),
                _ => {}
            }
        }
    }

    pub fn pass(&mut self) -> Reply {
        self.play("pass")
    }

    pub fn resign(&mut self) -> Reply {
        self.play("resign")
    }

    /// Reads the next line, notes the sides, clocks and end that it reports, and returns its code and text.
    fn hear(&mut self) -> (u16, String) {
        let Some(line) = self.read_line() else {
            self.end(Outcome::Unknown, "the server closed the connection");
            return (999, String::new());
        };
        let (code, text) = line.split_at(3);
        let (code, text) = (code.parse().unwrap_or(999), text.trim());
        let seconds = |index| field(text, index).parse().ok();
        match code {
            351 | 352 => self.is_black = code == 352,
            345 => self.is_black = field(text, 2) == "1", // the game, its number of seats, and our seat
            347 => self.time_control = TimeControl::in_line(text, self.is_black),
            349 => self.told = field(text, 0).parse().unwrap_or(0),
            101 => (self.my_time, self.opponent_time) = (seconds(0), seconds(1)), // your own time comes first
            207 => self.my_time = seconds(0),
            313 | 314 | 317 | 318 if is_by_black(code) == self.is_black => self.my_time = seconds(2),
            313 | 314 | 317 | 318 => self.opponent_time = seconds(2),
            201 => self.end(Outcome::Win, text),
            202 | 204 => self.end(Outcome::Loss, text), // 204 answers a resignation
            203 | 325 | 326 => self.end(Outcome::Draw, text),
            // Black has won by a move or pass, by resignation, on time, or because white has left; then the reverse.
            321 | 324 | 327 | 361 | 392 => self.won_by(true, text),
            322 | 323 | 328 | 362 | 391 => self.won_by(false, text),
            390..=399 => self.end(Outcome::Unknown, text),
            _ => {} // other codes, such as the names of players, need no answer
        }
        (code, text.to_owned())
    }

    fn won_by(&mut self, black: bool, text: &str) {
        self.end(if black == self.is_black { Outcome::Win } else { Outcome::Loss }, text);
    }

    fn end(&mut self, outcome: Outcome, text: &str) {
        self.over = Some(End { outcome, text: text.to_owned() });
    }

    /// The next line that begins with a code, or `None` at the end. A line may arrive in pieces or with others.
    fn read_line(&mut self) -> Option<String> {
        loop {
            while let Some(end) = self.unread.iter().position(|byte| b"\r\n".contains(byte)) {
                let line: Vec<u8> = self.unread.drain(..=end).collect();
                if line.len() > 3 && line[..3].iter().all(u8::is_ascii_digit) {
                    return Some(String::from_utf8_lossy(&line).into_owned());
                }
            }
            let mut data = [0; 4096];
            match self.input.read(&mut data) {
                Ok(0) => return None,
                Ok(count) => self.unread.extend_from_slice(&data[..count]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return None,
            }
        }
    }

    fn send(&mut self, line: &str) {
        // If the server is gone, its last lines can still be read.
        let _ = write!(self.output, "{line}\r").and_then(|()| self.output.flush());
    }
}

/// Whether black made the move that `code`, from 311 to 318, reports.
fn is_by_black(code: u16) -> bool {
    code % 2 == 1
}

/// A number of seconds, such as `60` or `0.5`.
fn seconds(text: &str) -> f64 {
    text.parse().unwrap_or(0.0)
}

/// A word of `text`, not counting the dots before white's moves.
fn field(text: &str, index: usize) -> &str {
    text.split_whitespace().filter(|&word| word != "...").nth(index).unwrap_or("")
}
