//! The lines that clients send: a hello, then actions.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::{Dialect, VERSION};
use crate::game::Side;

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

/// The error for a text that is not a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a version is two or three numbers with dots between them")]
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

    /// Creates a name, or returns `None` if `text` is too long or has control characters.
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

/// The side that a player asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SideWish {
    /// Only this side.
    Only(Side),
    /// Either side.
    Any,
}

impl SideWish {
    /// Whether `side` satisfies this wish.
    pub fn takes(self, side: Side) -> bool {
        match self {
            Self::Only(only) => only == side,
            Self::Any => true,
        }
    }
}

/// The role that a client asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// A player.
    Player(SideWish),
    /// An observer.
    Observer,
}

/// The first line of every client.
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
    /// The role is neither player nor observer (199).
    #[error("expected `player white`, `player black`, `player ?` or `observer` after the version")]
    Role,
    /// The hello asks for a seat that the game does not have, by a number other than 1 and 2 (191).
    #[error("the game has the seats 1 and 2")]
    Seat,
    /// The name has no closing quote, is too long, or has control characters (199).
    #[error(
        "a name must be in double quotes, have at most {} characters, and contain no control characters",
        EntityName::MAX_LEN
    )]
    Name,
}

impl FromStr for Hello {
    type Err = BadHello;

    fn from_str(line: &str) -> Result<Self, BadHello> {
        let (version, rest) = split_word(line);
        let version: Version = version.parse().map_err(|_| BadHello::Version)?;
        if version > VERSION {
            return Err(BadHello::Version);
        }
        let (kind, rest) = split_word(rest);
        let (role, rest) = match kind {
            "observer" => (Role::Observer, rest),
            "player" => {
                let (wish, rest) = split_word(rest);
                let wish = match wish {
                    "?" => SideWish::Any,
                    number if is_seat(number, version) => SideWish::Only(side_of_seat(number)?),
                    side => SideWish::Only(side.parse().map_err(|_| BadHello::Role)?),
                };
                (Role::Player(wish), rest)
            }
            _ => return Err(BadHello::Role),
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

/// Whether `word` is the number of a seat. Clients of the first versions name only sides.
fn is_seat(word: &str, version: Version) -> bool {
    Dialect::of(version) == Dialect::NamesRules && !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

fn side_of_seat(number: &str) -> Result<Side, BadHello> {
    match number.parse() {
        Ok(1_u32) => Ok(Side::Black),
        Ok(2) => Ok(Side::White),
        _ => Err(BadHello::Seat),
    }
}

impl fmt::Display for Hello {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", self.version)?;
        match self.role {
            Role::Player(SideWish::Only(side)) => write!(f, "player {side}")?,
            Role::Player(SideWish::Any) => f.write_str("player ?")?,
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
        /// Whether `...` comes before the move, as white's moves require.
        dots: bool,
        /// The move, `pass` or `resign`; the rules decide whether it is valid.
        text: String,
    },
    /// The bare `pass` of the protocol document.
    Pass,
    /// The bare `resign` of the protocol document.
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
        let (dots, text) = if second == "..." { (true, split_word(rest).0) } else { (false, second) };
        if text.is_empty() {
            return Err(BadAction::NoMove);
        }
        Ok(Self::Numbered { number, dots, text: text.to_owned() })
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Numbered { number, dots, text } => write!(f, "{number} {}{text}", if *dots { "... " } else { "" }),
            Self::Pass => f.write_str("pass"),
            Self::Resign => f.write_str(Self::RESIGN),
        }
    }
}

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
        let black = Role::Player(SideWish::Only(Side::Black));
        assert_eq!(hello("0.9.1 player black"), Ok((black, None)));
        assert_eq!(hello(" 0.9.1\t player  black ignored \"me\""), Ok((black, None)));
        assert_eq!(
            hello("0.9.1 player ? \"a \"\"b\"\" c\" x"),
            Ok((Role::Player(SideWish::Any), Some("a \"b\" c".into())))
        );
        assert_eq!(hello("0.9.1 observer \"\""), Ok((Role::Observer, Some(String::new()))));
        for line in ["0.9.1", "0.9.1 player", "0.9.1 player red", "0.9.1 Player black", "0.9.1 watcher"] {
            assert_eq!(hello(line), Err(BadHello::Role), "{line}");
        }
        let long = format!("0.9.1 observer \"{}\"", "x".repeat(32));
        for line in ["0.9.1 observer \"open", "0.9.1 observer \"a\"b", "0.9.1 observer \"\"\"", &long] {
            assert_eq!(hello(line), Err(BadHello::Name), "{line}");
        }
    }

    #[test]
    fn a_seat_has_a_number_for_clients_that_know_of_seats() {
        let player = |side| Ok((Role::Player(SideWish::Only(side)), None));
        assert_eq!(hello("0.9.2 player 1"), player(Side::Black));
        assert_eq!(hello("0.9.2 player 02 ignored"), player(Side::White));
        assert_eq!(hello("0.9.2 player white"), player(Side::White));
        for seat in ["0", "3", "6", "99999999999999999999"] {
            assert_eq!(hello(&format!("0.9.2 player {seat}")), Err(BadHello::Seat), "{seat}");
        }
        for line in ["0.9.1 player 1", "0.9 player 2", "0.9.2 player +1", "0.9.2 player 1st", "0.9.2 player"] {
            assert_eq!(hello(line), Err(BadHello::Role), "{line}");
        }
    }

    #[test]
    fn actions_are_numbered_or_bare() {
        let numbered = |number, dots, text: &str| Ok(Action::Numbered { number, dots, text: text.into() });
        assert_eq!("1 c3".parse(), numbered(1, false, "c3"));
        assert_eq!("\t01   ...\td4 and more".parse(), numbered(1, true, "d4"));
        assert_eq!("-1 c3".parse(), numbered(-1, false, "c3"));
        assert_eq!("3 resign".parse(), numbered(3, false, "resign"));
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
                Just(Role::Observer), Just(Role::Player(SideWish::Any)),
                Just(Role::Player(SideWish::Only(Side::Black))), Just(Role::Player(SideWish::Only(Side::White)))
            ],
            name in proptest::option::of("[ -~é\"]{0,31}")
        ) {
            let version = Version::new(numbers.0, numbers.1, numbers.2);
            let name = name.map(|name| EntityName::new(&name).expect("short and printable"));
            let hello = Hello { version, role, name };
            prop_assert_eq!(hello.to_string().parse(), Ok(hello));
        }

        #[test]
        fn a_printed_action_reads_back(number: i64, dots: bool, text in "[!-~]{1,20}") {
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
