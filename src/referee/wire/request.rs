//! The lines that clients send: a hello, then actions.

#[cfg(test)]
mod tests;

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::{Dialect, Response, VERSION, Words};
use crate::game::{Seat, Side};

/// A protocol version, compared component by component.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    major: u32,
    minor: u32,
    patch: u32,
}

impl Version {
    /// Creates the version `major.minor.patch`.
    pub const fn new(major: u32, minor: u32, patch: u32) -> Self {
        Self { major, minor, patch }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

/// The error for text that is not a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a version is two or three numbers separated by dots")]
pub struct NotAVersion;

/// Reads two or three numbers separated by dots; a missing third number is zero.
impl FromStr for Version {
    type Err = NotAVersion;

    fn from_str(text: &str) -> Result<Self, NotAVersion> {
        let mut numbers = text.split('.').map(number);
        let mut next = || numbers.next().transpose();
        let (Some(major), Some(minor), patch, None) = (next()?, next()?, next()?, next()?) else {
            return Err(NotAVersion);
        };
        Ok(Self { major, minor, patch: patch.unwrap_or(0) })
    }
}

fn number(digits: &str) -> Result<u32, NotAVersion> {
    if digits.bytes().all(|byte| byte.is_ascii_digit()) {
        digits.parse().map_err(|_| NotAVersion)
    } else {
        Err(NotAVersion)
    }
}

/// The name by which a client identifies itself.
///
/// Invariant: at most [`EntityName::MAX_LEN`] characters, none of which is a control character.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct EntityName(String);

impl EntityName {
    /// The maximum length of a name, in characters.
    pub const MAX_LEN: usize = 31;

    /// Creates a name, or returns `None` if `text` is too long or contains control characters.
    pub fn new(text: &str) -> Option<Self> {
        let fits = text.chars().count() <= Self::MAX_LEN && !text.chars().any(char::is_control);
        fits.then(|| Self(text.to_owned()))
    }

    /// The name without its quotes.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Reads a quoted name at the start of `text`; returns the name and the rest of `text`.
    pub(super) fn split_quoted(text: &str) -> Option<(Self, &str)> {
        let mut name = String::new();
        let mut rest = text.strip_prefix('"')?;
        loop {
            let (part, tail) = rest.split_once('"')?;
            name.push_str(part);
            match tail.strip_prefix('"') {
                Some(more) => {
                    name.push('"');
                    rest = more;
                }
                None => return Some((Self::new(&name)?, tail)),
            }
        }
    }
}

/// Writes the name in double quotes, with quotes in the name doubled.
impl fmt::Display for EntityName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.0.replace('"', "\"\""))
    }
}

/// The seat that a player asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SeatWish {
    /// Only this seat. In a game with two seats, seat 1 is black and seat 2 is white.
    Only(Seat),
    /// Any seat.
    Any,
}

impl SeatWish {
    /// Whether this seat or side satisfies this wish.
    pub fn takes(self, seat: impl Into<Seat>) -> bool {
        match self {
            Self::Only(only) => only == seat.into(),
            Self::Any => true,
        }
    }
}

/// The role that a client asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// A player.
    Player(SeatWish),
    /// An observer.
    Observer,
}

/// The first line from every client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hello {
    /// The client's version.
    pub version: Version,
    /// The role that the client asks for.
    pub role: Role,
    /// The name by which the client identifies itself, if any.
    pub name: Option<EntityName>,
}

/// The reason why a hello was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum BadHello {
    /// The version is missing or greater than the arena's (198).
    #[error("the version must not be greater than {VERSION}")]
    Version,
    /// The role is neither player nor observer (199). The value is the game's number of seats.
    #[error("expected {} or `observer` after the version", player_roles(*.0))]
    Role(u8),
    /// The hello asks for a seat that the game does not have (191).
    #[error("the game does not have the requested seat")]
    Seat,
    /// The version is too low for a game with this number of seats (198).
    #[error("a game of {0} seats needs version {VERSION}")]
    TooOld(u8),
    /// The name has no closing quote, is too long, or contains control characters (199).
    #[error(
        "a name must be in double quotes, have at most {} characters, and contain no control characters",
        EntityName::MAX_LEN
    )]
    Name,
}

/// The ways to ask for a seat in a game with `seats` seats, for use in a message.
fn player_roles(seats: u8) -> String {
    match seats {
        2 => "`player white`, `player black`, `player ?`".to_owned(),
        _ => format!("`player 1` to `player {seats}`, `player ?`"),
    }
}

/// Splits `line` into the client's version and the rest.
fn split_version(line: &str) -> Result<(Version, &str), BadHello> {
    let (version, rest) = split_word(line);
    let version = version.parse().map_err(|_| BadHello::Version)?;
    if version > VERSION { Err(BadHello::Version) } else { Ok((version, rest)) }
}

/// Reads a hello for a game with any number of seats. Error messages are worded as for two seats.
impl FromStr for Hello {
    type Err = BadHello;

    fn from_str(line: &str) -> Result<Self, BadHello> {
        let (version, rest) = split_version(line)?;
        let (kind, rest) = split_word(rest);
        let (role, rest) = match kind {
            "observer" => (Role::Observer, rest),
            "player" => {
                let (wish, rest) = split_word(rest);
                let wish = match wish {
                    "?" => SeatWish::Any,
                    number if is_seat(number, version) => SeatWish::Only(seat_of(number)?),
                    side => SeatWish::Only(side.parse::<Side>().map_err(|_| BadHello::Role(2))?.into()),
                };
                (Role::Player(wish), rest)
            }
            _ => return Err(BadHello::Role(2)),
        };
        // Like the original server, ignore an unquoted word in place of a name.
        let rest = rest.trim_start_matches(BLANKS);
        let name = if rest.starts_with('"') {
            let (name, tail) = EntityName::split_quoted(rest).ok_or(BadHello::Name)?;
            if !tail.is_empty() && !tail.starts_with(BLANKS) {
                return Err(BadHello::Name);
            }
            Some(name)
        } else {
            None
        };
        Ok(Self { version, role, name })
    }
}

/// Whether `word` is the number of a seat. Clients before version 0.9.2 name only sides.
fn is_seat(word: &str, version: Version) -> bool {
    Dialect::of(version) == Dialect::NamesRules && !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

fn seat_of(number: &str) -> Result<Seat, BadHello> {
    number.parse().ok().and_then(Seat::new).ok_or(BadHello::Seat)
}

impl Hello {
    /// Reads the hello of a client that wants to take part in a game with `seats` seats.
    ///
    /// # Errors
    /// Fails if `line` is not a hello, if the game does not have the seat that the client asks for, or if the game has
    /// more than two seats and the client's version is too low for the lines of such a game.
    pub fn for_game(line: &str, seats: u8) -> Result<Self, BadHello> {
        let (version, _) = split_version(line)?;
        // This check comes first: clients of lower versions would not understand a refusal that mentions numbers of
        // seats.
        if seats > 2 && Dialect::of(version) == Dialect::Original {
            return Err(BadHello::TooOld(seats));
        }
        let hello: Self = line.parse().map_err(|bad| match bad {
            BadHello::Role(_) => BadHello::Role(seats),
            other => other,
        })?;
        match hello.role {
            Role::Player(SeatWish::Only(seat)) if seat.number() > seats => Err(BadHello::Seat),
            Role::Player(_) | Role::Observer => Ok(hello),
        }
    }
}

impl BadHello {
    /// The response to the client.
    pub fn response(&self) -> Response {
        match self {
            Self::Version => Response::BadVersion,
            &Self::TooOld(seats) => Response::OldVersion { seats },
            Self::Seat => Response::NoSuchSeat,
            Self::Role(_) | Self::Name => Response::BadHello(Words::new(&self.to_string())),
        }
    }
}

impl fmt::Display for Hello {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", self.version)?;
        match self.role {
            Role::Player(SeatWish::Only(seat)) if seat.number() <= 2 => write!(f, "player {}", seat.side())?,
            Role::Player(SeatWish::Only(seat)) => write!(f, "player {seat}")?,
            Role::Player(SeatWish::Any) => f.write_str("player ?")?,
            Role::Observer => f.write_str("observer")?,
        }
        match &self.name {
            Some(name) => write!(f, " {name}"),
            None => Ok(()),
        }
    }
}

/// An action of a player on its turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// A numbered move, pass or resignation.
    Numbered {
        /// The full-move number.
        number: i64,
        /// How many `...` come before the move: one for each seat before the mover's, so white's moves have one.
        dots: usize,
        /// The move, `pass` or `resign`; the rules decide whether it is valid.
        text: String,
    },
    /// A bare `pass`, as in the protocol document.
    Pass,
    /// A bare `resign`, as in the protocol document.
    Resign,
}

impl Action {
    /// The word for a resignation.
    pub const RESIGN: &'static str = "resign";
}

/// The reason why a line is not an action (299).
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BadAction {
    /// The line does not start with a number.
    #[error("expected a move number, got `{0}`")]
    Number(String),
    /// Nothing follows the number.
    #[error("expected a move after the number")]
    NoMove,
}

/// Words after the move are ignored.
impl FromStr for Action {
    type Err = BadAction;

    fn from_str(line: &str) -> Result<Self, BadAction> {
        let (first, rest) = split_word(line);
        match first {
            "pass" => return Ok(Self::Pass),
            Self::RESIGN => return Ok(Self::Resign),
            _ => {}
        }
        let digits = first.strip_prefix('-').unwrap_or(first);
        let number = match first.parse() {
            Ok(number) if digits.bytes().all(|byte| byte.is_ascii_digit()) => number,
            _ => return Err(BadAction::Number(first.to_owned())),
        };
        let (second, rest) = split_word(rest);
        let (mut dots, mut text, mut rest) = (0, second, rest);
        while text == DOTS {
            let (next, after) = split_word(rest);
            // A final `...` with nothing after it is read as the move, unless it is the only one.
            if next.is_empty() && dots > 0 {
                break;
            }
            (dots, text, rest) = (dots + 1, next, after);
        }
        if text.is_empty() {
            return Err(BadAction::NoMove);
        }
        Ok(Self::Numbered { number, dots, text: text.to_owned() })
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Numbered { number, dots, text } => write!(f, "{number} {}{text}", "... ".repeat(*dots)),
            Self::Pass => f.write_str("pass"),
            Self::Resign => f.write_str(Self::RESIGN),
        }
    }
}

/// The word that stands for an earlier seat's move.
const DOTS: &str = "...";

/// The characters that separate words.
pub(crate) const BLANKS: [char; 2] = [' ', '\t'];

/// The first word of `text`, and the rest; both may be empty.
pub(super) fn split_word(text: &str) -> (&str, &str) {
    let text = text.trim_start_matches(BLANKS);
    text.split_once(BLANKS).unwrap_or((text, ""))
}
