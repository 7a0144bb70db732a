//! What can be wrong with a tournament file, and where.

use std::fmt;
use std::path::Path;

use thiserror::Error;

use super::name::{InvalidName, InvalidToken, PlayerName};
use super::template::TemplateFlaw;
use crate::base::near::nearest;
use crate::base::printable::{Shown as _, printable};
use crate::exact::balance::UnknownValues;

/// A place in a text: line and column, both from 1, the column in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{place}: {flaw}")]
pub struct Problem {
    /// Where.
    pub place: Place,
    /// What.
    pub flaw: Flaw,
}

/// Everything that is wrong with a tournament file.
///
/// Invariant: not empty, in the order of the places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problems(Vec<Problem>);

impl Problems {
    /// `found` in order, or `None` where there is nothing wrong.
    pub(super) fn new(mut found: Vec<Problem>) -> Option<Self> {
        found.sort_by_key(|problem| problem.place);
        found.dedup();
        if found.is_empty() { None } else { Some(Self(found)) }
    }

    /// One problem alone.
    pub(super) fn one(problem: Problem) -> Self {
        Self(vec![problem])
    }

    /// The problems, in the order of their places.
    pub fn iter(&self) -> std::slice::Iter<'_, Problem> {
        self.0.iter()
    }

    /// How many problems are shown; of the others only the number.
    pub const SHOWN: usize = 100;

    /// One line a problem, `file:line:column: what`, without a newline at the end: the first [`Self::SHOWN`] of them, and
    /// how many more there are.
    pub fn display<'a>(&'a self, file: &'a Path) -> impl fmt::Display + 'a {
        InFile { problems: self, file }
    }
}

/// See [`Problems::display`].
struct InFile<'a> {
    problems: &'a Problems,
    file: &'a Path,
}

impl fmt::Display for InFile<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = self.file.shown();
        let shown = self.problems.iter().take(Problems::SHOWN);
        let mut lines: Vec<String> = shown.map(|problem| format!("{file}:{problem}")).collect();
        let more = self.problems.0.len() - lines.len();
        if more > 0 {
            lines.push(format!("{file}: and {more} more {}", if more == 1 { "problem" } else { "problems" }));
        }
        f.write_str(&lines.join("\n"))
    }
}

impl<'a> IntoIterator for &'a Problems {
    type Item = &'a Problem;
    type IntoIter = std::slice::Iter<'a, Problem>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// One line a problem, `line:column: what`.
impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<String> = self.0.iter().map(ToString::to_string).collect();
        f.write_str(&lines.join("\n"))
    }
}

impl std::error::Error for Problems {}

/// What is wrong. `key` is the key that holds the value in question, `text` what the user wrote; no variant holds
/// anything of a token.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[expect(missing_docs, reason = "the message beside each variant says what its fields are")]
pub enum Flaw {
    #[error("this is not UTF-8")]
    NotUtf8,
    #[error("{0}")]
    Syntax(String),
    #[error("unknown key {key}{}", Meant { text: key, known })]
    UnknownKey { key: Written, known: &'static [&'static str] },
    #[error("`{key}`: expected {expected}, found {found}")]
    WrongType { key: String, expected: &'static str, found: &'static str },
    #[error("`{key}`: {text} is out of range ({least} to {most})")]
    OutOfRange { key: String, text: Written, least: String, most: String },
    #[error("`{key}`: {text} is not a duration (write \"60s\", \"2m 30s\")")]
    NotADuration { key: &'static str, text: Written },
    #[error("`{key}`: {text} is not a number of bytes (write 65536, \"64 KiB\", \"1 MiB\")")]
    NotASize { key: &'static str, text: Written },
    #[error("`{key}`: {text} is not an address and port (write \"0.0.0.0:29070\", \"[::]:29070\")")]
    NotAnAddress { key: &'static str, text: Written },
    #[error("`{key}`: unknown value {text}{}", Meant { text, known })]
    UnknownWord { key: &'static str, text: Written, known: Vec<&'static str> },
    #[error("`{key}` is empty{example}")]
    Empty { key: String, example: &'static str },
    #[error("`{key}` holds a control character or an invisible one")]
    ControlCharacter { key: String },
    #[error("`{key}` is longer than {most} characters")]
    TooLong { key: String, most: usize },
    #[error("{0}")]
    Name(InvalidName),
    #[error("{0}")]
    Token(InvalidToken),
    #[error("{0}")]
    Template(TemplateFlaw),
    #[error(
        "`{key}`: a program over stdin and stdout has no address to connect to, so `{{{placeholder}}}` means nothing"
    )]
    NoAddressOverStdio { key: String, placeholder: &'static str },
    #[error("`command`: the program itself must be the same in every game; placeholders are for its arguments")]
    PlaceholderInProgram,
    #[error("player `{name}` is defined twice (first at line {first_line})")]
    DuplicateName { name: PlayerName, first_line: usize },
    #[error("player `{name}` can't be told from `{first}` at line {first_line} in game ids, where both are `{slug}`")]
    SameSlug { name: PlayerName, first: PlayerName, first_line: usize, slug: String },
    #[error(
        "player `{name}` can't be told from `{first}` at line {first_line} by eye: they differ in case or in how Unicode writes \
         the same letters"
    )]
    LooksLike { name: PlayerName, first: PlayerName, first_line: usize },
    #[error("this player has no `{key}` (write {example})")]
    Missing { key: &'static str, example: &'static str },
    #[error("`{key}` needs `{other}` beside it (or write `time` for both sides)")]
    OneClock { key: &'static str, other: &'static str },
    #[error("`{key}` and `{other}` exclude each other")]
    Excluding { key: &'static str, other: &'static str },
    #[error("how does this player come to its games? Give it one of `command`, `builtin` or `remote = true`")]
    NoKind,
    #[error("`remote`: `false` says nothing (write `remote = true`, or leave it out)")]
    NotRemote,
    #[error("`{key}` is for a player with `{belongs_to}`, and this one has `{kind}`")]
    ForAnotherKind { key: &'static str, belongs_to: &'static str, kind: &'static str },
    #[error("`{key}` is for `builtin = {engines}`, and this is `{engine}`")]
    ForAnotherEngine { key: &'static str, engines: String, engine: &'static str },
    #[error("a tournament needs at least two players, each under a line `[[player]]`, and this one has {0}")]
    TooFewPlayers(usize),
    #[error("`player` needs double brackets: write `[[player]]` above each player")]
    SingleBrackets,
    #[error("this remote player needs either a `token` or an address of its own in `listen`")]
    NoWayIn,
    #[error(
        "`token` needs the arena's public address: write `listen = \"0.0.0.0:29070\"` at the top of the file, \
         above the players"
    )]
    NoPublicAddress,
    #[error(
        "name and token are {length} characters together with the `:` between them, and a client can send {most} at most"
    )]
    HelloTooLong { length: usize, most: usize },
    #[error("`listen`: {address} is taken by line {first_line}")]
    AddressTaken { address: String, first_line: usize },
    #[error(
        "`listen`: player `{player}` needs 127.0.0.1:29068 for itself, as its command names no {{host}}, {{port}} or \
         {{server}}"
    )]
    AddressOfFixedPlayer { player: PlayerName },
    #[error("`{key}`: {name} can't be the name of an environment variable")]
    BadVariable { key: &'static str, name: Written },
    #[error("`{key}`: the arena sets `{name}` itself")]
    ReservedVariable { key: &'static str, name: &'static str },
    #[error("`{key}` is for {belongs_to}, and this tournament has `format = \"{format}\"`")]
    ForAnotherFormat { key: &'static str, belongs_to: String, format: &'static str },
    #[error("`elo0` must be less than `elo1`, and they are {elo0} and {elo1}")]
    EloOrder { elo0: String, elo1: String },
    #[error(
        "`rounds`: {rounds} rounds are more than {players} players can play without meeting again (at most {most})"
    )]
    MoreRoundsThanOpponents { rounds: u32, players: usize, most: usize },
    #[error("`format = \"sprt\"` is a test between two players, and this tournament has {0}")]
    NotTwoPlayers(usize),
    #[error("a gauntlet needs a challenger (write `challenger = true` under each player that is to meet the others)")]
    NoChallenger,
    #[error("a gauntlet needs a player to meet, and here all are challengers")]
    AllChallengers,
    #[error(
        "player `{player}` does not understand openings (if it follows moves that it is told right after its side, \
         write `openings = true` under it)"
    )]
    NoOpenings { player: PlayerName },
    #[error("`{setting}` is for programs that the arena starts, and player `{player}` comes by itself")]
    ProcessOutOfReach { setting: &'static str, player: PlayerName },
    #[error("`clock = \"cpu\"` needs clocks (write `time = \"60s\"` beside it)")]
    CpuWithoutTime,
    #[error(
        "`{key}`: the bot could read everything in {path}, which holds this tournament file and with it tokens, results and \
         other bots ({})", Shown { key }
    )]
    ShowsTheFile { key: &'static str, path: Written },
    #[error("`{key}`: {path} is this tournament file, which no bot may read (leave it out)")]
    IsTheFile { key: &'static str, path: Written },
    #[error(
        "`{key}`: the bot could read everything in {path}, which holds the `dir` of player `{other}` ({})", Shown { key }
    )]
    ShowsAnother { key: &'static str, path: Written, other: PlayerName },
    #[error("`writable` is about a player's `dir`, and this one has none")]
    WritableWithoutDir,
    #[error("`wall_limit` is for `clock = \"cpu\"`: a clock of wall time is its own limit")]
    WallLimitWithoutCpu,
    #[error("`openings` has no `plies` (write `openings = {{ plies = 2 }}`)")]
    MissingPlies,
    #[error(
        "`balanced`: which openings of {plies} plies are nearest to a draw is not known (write `plies` from 1 to {most}, or \
         leave `balanced` out)"
    )]
    BalancedPlies { plies: u32, most: u32 },
    #[error("`balanced`: {0} (leave `balanced` out)")]
    BalancedUnknown(UnknownValues),
    #[error("`openings`: built-in bots understand openings (leave the key out)")]
    BuiltinOpenings,
}

impl Flaw {
    /// Whether it says that something is missing, which may be there but not understood after an error in the TOML.
    pub(super) const fn is_absence(&self) -> bool {
        matches!(
            self,
            Self::Missing { .. }
                | Self::OneClock { .. }
                | Self::NoKind
                | Self::TooFewPlayers(_)
                | Self::NoWayIn
                | Self::NoPublicAddress
                | Self::NoChallenger
                | Self::MissingPlies
                | Self::NotTwoPlayers(_)
                | Self::NoOpenings { .. }
                | Self::CpuWithoutTime
        )
    }
}

/// What the user wrote, fit for a message: without what could confuse a terminal, and cut to a sensible length.
///
/// It is also cut at the first quote or line break. After a forgotten quote, a string may hold all that follows in the
/// file, and a token with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    shown: String,
    is_cut: bool,
}

impl Written {
    /// The most characters that are shown.
    const MOST: usize = 60;

    /// `text`, cut.
    pub(super) fn new(text: &str) -> Self {
        let shown: String =
            text.chars().take(Self::MOST).take_while(|c| !matches!(c, '"' | '\'' | '\n' | '\r')).collect();
        let is_cut = shown.len() < text.len();
        Self { shown: printable(&shown) + if is_cut { "..." } else { "" }, is_cut }
    }

    /// The text without back-quotes.
    pub fn as_str(&self) -> &str {
        &self.shown
    }
}

impl fmt::Display for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", self.shown)
    }
}

/// The end of a message about a path that would show a bot too much.
struct Shown {
    key: &'static str,
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.key {
            "dir" => "put the bot's files into a directory of their own, such as \"bots/alice\", and name that one",
            _ => "name only the files and directories that the bot needs",
        })
    }
}

/// The end of a message about an unknown word.
struct Meant<'a> {
    text: &'a Written,
    known: &'a [&'static str],
}

impl fmt::Display for Meant<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Looked for only now: of many problems, few are shown.
        let near = if self.text.is_cut { None } else { nearest(self.text.as_str(), self.known.iter().copied()) };
        match near {
            Some(near) => write!(f, ": did you mean `{near}`?"),
            None => write!(f, " (known: {})", self.known.join(", ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_ends_at_a_quote_a_line_break_or_sixty_characters() {
        for (text, shown) in [
            ("ten", "`ten`"),
            ("1m\"\ntoken = \"x", "`1m...`"),
            ("1m\ntoken", "`1m...`"),
            ("\u{1b}[31m", "`\\u{1b}[31m`"),
            (&"ä".repeat(60), &format!("`{}`", "ä".repeat(60))),
            (&"ä".repeat(61), &format!("`{}...`", "ä".repeat(60))),
        ] {
            assert_eq!(Written::new(text).to_string(), shown);
        }
    }
}
