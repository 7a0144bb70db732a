//! The lines that clients send: a hello, then actions.

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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn hello(line: &str) -> Result<(Role, Option<String>), BadHello> {
        line.parse().map(|hello: Hello| (hello.role, hello.name.map(|name| name.0)))
    }

    #[test]
    fn versions_up_to_the_arenas_own_are_accepted() {
        for version in ["0.9", "0.8.7", "0.9.1", "0.9.2", "0.0", "00.09.01"] {
            assert!(hello(&format!("{version} observer")).is_ok(), "{version}");
        }
        for version in ["0.10", "1.0", "0.9.3", "abc", "", "0", "0.9.1.0", "0.9.", "-1.0", "+0.9", "0.99999999999"] {
            assert_eq!(hello(&format!("{version} observer")), Err(BadHello::Version), "{version}");
        }
    }

    #[test]
    fn a_hello_gives_a_role_and_optionally_a_name() {
        let black = Role::Player(SeatWish::Only(Seat::FIRST));
        assert_eq!(hello("0.9.1 player black"), Ok((black, None)));
        assert_eq!(hello(" 0.9.1\t player  black ignored \"me\""), Ok((black, None)));
        assert_eq!(
            hello("0.9.1 player ? \"a \"\"b\"\" c\" x"),
            Ok((Role::Player(SeatWish::Any), Some("a \"b\" c".into())))
        );
        assert_eq!(hello("0.9.1 observer \"\""), Ok((Role::Observer, Some(String::new()))));
        for line in ["0.9.1", "0.9.1 player", "0.9.1 player red", "0.9.1 Player black", "0.9.1 watcher"] {
            assert_eq!(hello(line), Err(BadHello::Role(2)), "{line}");
        }
        let long = format!("0.9.1 observer \"{}\"", "x".repeat(32));
        for line in ["0.9.1 observer \"open", "0.9.1 observer \"a\"b", "0.9.1 observer \"\"\"", &long] {
            assert_eq!(hello(line), Err(BadHello::Name), "{line}");
        }
    }

    #[test]
    fn a_seat_has_a_number_for_clients_that_know_of_seats() {
        let player = |number| Ok((Role::Player(SeatWish::Only(Seat::new(number).expect("a seat"))), None));
        assert_eq!(hello("0.9.2 player 1"), player(1));
        assert_eq!(hello("0.9.2 player 02 ignored"), player(2));
        assert_eq!(hello("0.9.2 player white"), player(2));
        assert_eq!(hello("0.9.2 player 6 \"me\"").map(|(role, _)| role), player(6).map(|(role, _)| role));
        for seat in ["0", "7", "99999999999999999999"] {
            assert_eq!(hello(&format!("0.9.2 player {seat}")), Err(BadHello::Seat), "{seat}");
        }
        for line in ["0.9.1 player 1", "0.9 player 2", "0.9.2 player +1", "0.9.2 player 1st", "0.9.2 player"] {
            assert_eq!(hello(line), Err(BadHello::Role(2)), "{line}");
        }
    }

    #[test]
    fn a_hello_must_fit_the_seats_of_the_game() {
        let check = |line: &str, seats| Hello::for_game(line, seats).map(drop);
        assert_eq!([check("0.9.2 player 3", 2), check("0.9.2 player 5", 4)], [Err(BadHello::Seat); 2]);
        for line in ["0.9.2 player 4", "0.9.2 player black", "0.9.2 player ?", "0.9.2 observer"] {
            assert_eq!(check(line, 4), Ok(()), "{line}");
        }
        for line in ["0.9.1 player black", "0.9 player ?", "0.9.1 observer"] {
            assert_eq!([check(line, 2), check(line, 6)], [Ok(()), Err(BadHello::TooOld(6))], "{line}");
        }
        let refusal = |line, seats| Hello::for_game(line, seats).expect_err("a bad hello").response().to_string();
        assert_eq!(check("0.9.1 player 4", 4), Err(BadHello::TooOld(4)));
        assert_eq!(
            refusal("0.9.2 player red", 4),
            "199 Request not understood: expected `player 1` to `player 4`, `player ?` or `observer` after the version"
        );
        for line in ["0.9.1 player 1", "0.9.2 player red"] {
            assert_eq!(
                refusal(line, 2),
                "199 Request not understood: expected `player white`, `player black`, `player ?` or `observer` after the version"
            );
        }
        assert_eq!(
            BadHello::TooOld(4).response().to_string(),
            "198 Illegal version number: a game of 4 seats needs version 0.9.2"
        );
    }

    #[test]
    fn actions_are_numbered_or_bare() {
        let numbered = |number, dots, text: &str| Ok(Action::Numbered { number, dots, text: text.into() });
        assert_eq!("1 c3".parse(), numbered(1, 0, "c3"));
        assert_eq!("\t01   ...\td4 and more".parse(), numbered(1, 1, "d4"));
        assert_eq!("-1 c3".parse(), numbered(-1, 0, "c3"));
        assert_eq!("3 resign".parse(), numbered(3, 0, "resign"));
        assert_eq!("2 ... ... ...\t... ... f7".parse(), numbered(2, 5, "f7"));
        assert_eq!("2 ... ...".parse(), numbered(2, 1, "..."));
        assert_eq!("pass please".parse(), Ok(Action::Pass));
        assert_eq!("resign".parse(), Ok(Action::Resign));
        for line in ["c3", "", "1.5 c3", "+1 c3", "99999999999999999999 c3", "1...d4", "PASS", "-"] {
            let word = line.split(' ').next().unwrap_or_default();
            assert_eq!(line.parse::<Action>(), Err(BadAction::Number(word.into())), "{line}");
        }
        for line in ["1", "1 ", "1 ..."] {
            assert_eq!(line.parse::<Action>(), Err(BadAction::NoMove), "{line}");
        }
    }

    proptest! {
        #[test]
        fn a_printed_hello_reads_back(
            numbers in (0..1_u32, 0..9_u32, 0..100_u32),
            role in prop_oneof![
                Just(Role::Observer), Just(Role::Player(SeatWish::Any)),
                (1..=2_u8).prop_map(|number| Role::Player(SeatWish::Only(Seat::new(number).expect("a seat"))))
            ],
            name in proptest::option::of("[ -~é\"]{0,31}")
        ) {
            let version = Version::new(numbers.0, numbers.1, numbers.2);
            let name = name.map(|name| EntityName::new(&name).expect("short and printable"));
            let hello = Hello { version, role, name };
            prop_assert_eq!(hello.to_string().parse(), Ok(hello));
        }

        #[test]
        fn a_printed_hello_names_every_seat_of_a_group(number in 1..=6_u8) {
            let role = Role::Player(SeatWish::Only(Seat::new(number).expect("a seat")));
            let hello = Hello { version: VERSION, role, name: None };
            prop_assert_eq!(hello.to_string().parse(), Ok(hello));
        }

        #[test]
        fn a_printed_action_reads_back(number: i64, dots in 0..8_usize, text in "[!-~]{1,20}") {
            prop_assume!(text != "...");
            let action = Action::Numbered { number, dots, text };
            prop_assert_eq!(action.to_string().parse(), Ok(action));
        }

        #[test]
        fn no_line_makes_the_parsers_panic(line in "\\PC{0,80}") {
            let _ = line.parse::<Hello>();
            let _ = line.parse::<Action>();
        }
    }
}
