//! What a bot reports about its thinking: a line on stderr during its turn, and its form in a game log.
//!
//! A bot writes `#think value=+3 depth=6 nodes=12345 pv=c3,b2`; a log contains `[%eval +3 D6 N12345 c3,b2]`. Everything
//! is the bot's own claim: nothing is checked against the rules or the game.

mod fitting;
mod numbers;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

pub use fitting::fitted;
pub use numbers::{ClaimedChance, ClaimedPoints};

use crate::base::digits::{parse_digits, rounded};
use crate::base::units::counted;
use crate::game::Move;

/// A bot's claims about a position in which it was to move.
///
/// Invariant: at least one of the claims is present, and `line` is at most [`Thought::LONGEST_LINE`] moves long.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Thought {
    /// By how many points the bot will win; negative if it will lose.
    value: Option<ClaimedPoints>,
    /// The chance that it will win.
    win: Option<ClaimedChance>,
    /// How many plies it has looked ahead.
    depth: Option<u32>,
    /// How many positions it has looked at.
    nodes: Option<u64>,
    /// The moves that it expects, beginning with its own. Each begins with a letter, and contains none of the
    /// characters that [`Thought::is_for_logs`] excludes.
    line: Vec<Move>,
}

/// Why a line of a bot's stderr that begins with [`Thought::WORD`] is not a thought.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MalformedThought {
    /// The line is longer than [`Thought::LONGEST`].
    #[error("the line has more than {} bytes", Thought::LONGEST)]
    TooLong,
    /// The line contains no claim.
    #[error("the line contains no claim (expected `value=`, `win=`, `depth=`, `nodes=` or `pv=`)")]
    Empty,
    /// A word is not one of the known claims.
    #[error("`{0}` is not a claim (expected `value=`, `win=`, `depth=`, `nodes=` or `pv=`)")]
    Unknown(String),
    /// The value of a claim has the wrong form or is out of range.
    #[error("`{word}`: expected {expected}")]
    BadValue {
        /// The claim.
        word: String,
        /// The expected value.
        expected: &'static str,
    },
    /// A claim occurs twice.
    #[error("`{0}` occurs twice")]
    Twice(&'static str),
}

/// The error for text that is not the form of a thought in a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected a bot's claims, such as `+3 W0.73 D6 N12345 c3,b2`")]
pub struct NotAThought;

impl Thought {
    /// The first word of a line with a thought.
    pub const WORD: &str = "#think";

    /// The maximum length of a line with a thought, in bytes.
    pub const LONGEST: usize = 400;

    /// The maximum number of expected moves that are kept in a thought.
    pub const LONGEST_LINE: usize = 12;

    /// Reads a line of a bot's stderr, without its line ending. Returns `None` if the line is not about thinking.
    ///
    /// # Errors
    /// Fails if the line begins with [`Thought::WORD`] but does not have the form of a thought.
    pub fn of_stderr(line: &[u8]) -> Option<Result<Self, MalformedThought>> {
        let rest = line.strip_prefix(Self::WORD.as_bytes())?;
        if rest.first().is_some_and(|byte| !matches!(byte, b' ' | b'\t' | b'\r')) {
            return None;
        }
        Some(if line.len() > Self::LONGEST {
            Err(MalformedThought::TooLong)
        } else {
            Self::of_words(&String::from_utf8_lossy(rest))
        })
    }

    fn of_words(text: &str) -> Result<Self, MalformedThought> {
        let mut thought = Self::default();
        for word in text.split_ascii_whitespace() {
            let (name, value) = word.split_once('=').unwrap_or((word, ""));
            let bad = |expected| MalformedThought::BadValue { word: shown(word), expected };
            match name {
                "value" => set(&mut thought.value, ClaimedPoints::parse(value), "value").map_err(|twice| {
                    twice.unwrap_or_else(|| bad("points from the mover's point of view, such as `+3` or `-0.5`"))
                })?,
                "win" => set(&mut thought.win, ClaimedChance::parse(value), "win")
                    .map_err(|twice| twice.unwrap_or_else(|| bad("a chance from 0 to 1, such as `0.73`")))?,
                "depth" => set(&mut thought.depth, parse_u32(value), "depth")
                    .map_err(|twice| twice.unwrap_or_else(|| bad("a whole number of plies")))?,
                "nodes" => set(&mut thought.nodes, parse_digits(value), "nodes")
                    .map_err(|twice| twice.unwrap_or_else(|| bad("a whole number of positions")))?,
                "pv" if thought.line.is_empty() => {
                    thought.line = Self::parse_line(value).ok_or_else(|| bad("moves separated by commas"))?;
                }
                "pv" => return Err(MalformedThought::Twice("pv")),
                _ => return Err(MalformedThought::Unknown(shown(word))),
            }
        }
        if thought.is_empty() { Err(MalformedThought::Empty) } else { Ok(thought) }
    }

    /// A thought with these claims; `None` if there are none. Claims that a log cannot contain, and moves beyond
    /// [`Thought::LONGEST_LINE`], are left out.
    pub fn new(
        value: Option<ClaimedPoints>,
        win: Option<ClaimedChance>,
        (depth, nodes): (Option<u32>, Option<u64>),
        line: impl IntoIterator<Item = Move>,
    ) -> Option<Self> {
        let line = line.into_iter().take_while(Self::is_for_logs).take(Self::LONGEST_LINE).collect();
        let thought = Self { value, win, depth, nodes, line };
        (!thought.is_empty()).then_some(thought)
    }

    /// The number of points by which the bot claims to win; negative if it claims to lose.
    pub const fn value(&self) -> Option<ClaimedPoints> {
        self.value
    }

    /// The chance of winning that the bot claims to have.
    pub const fn win(&self) -> Option<ClaimedChance> {
        self.win
    }

    /// How many plies the bot claims to have looked ahead.
    pub const fn depth(&self) -> Option<u32> {
        self.depth
    }

    /// How many positions the bot claims to have looked at.
    pub const fn nodes(&self) -> Option<u64> {
        self.nodes
    }

    /// The moves that the bot expects, beginning with its own.
    pub fn line(&self) -> &[Move] {
        &self.line
    }

    /// The value and the chance in a few characters, `+3, 73%`; `None` if the bot has claimed neither.
    pub fn in_short(&self) -> Option<String> {
        let value = self.value.map(|value| value.to_string());
        let win = self.win.map(|win| format!("{}%", rounded(100.0 * win.chance(), 0)));
        let texts: Vec<String> = [value, win].into_iter().flatten().collect();
        (!texts.is_empty()).then(|| texts.join(", "))
    }

    /// The claims in words: `claims +3, a chance of 73%, depth 6, 12345 nodes, and expects c3 b2`.
    pub fn in_words(&self) -> String {
        let value = self.value.map(|value| value.to_string());
        let win = self.win.map(|win| format!("a chance of {}%", rounded(100.0 * win.chance(), 2)));
        let depth = self.depth.map(|depth| format!("depth {depth}"));
        let nodes = self.nodes.map(|nodes| counted(nodes, "node"));
        let numbers: Vec<String> = [value, win, depth, nodes].into_iter().flatten().collect();
        let claims = if numbers.is_empty() { None } else { Some(format!("claims {}", numbers.join(", "))) };
        let line: Vec<&str> = self.line.iter().map(Move::as_str).collect();
        let expects = (!line.is_empty()).then(|| format!("expects {}", line.join(" ")));
        [claims, expects].into_iter().flatten().collect::<Vec<_>>().join(", and ")
    }

    fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether a log's comment can contain `played` among the expected moves.
    fn is_for_logs(played: &Move) -> bool {
        let text = played.as_str();
        text.starts_with(|letter: char| letter.is_ascii_lowercase())
            && !text.contains([',', '[', ']', '{', '}', '"', '\\'])
    }

    /// Reads moves separated by commas, and keeps the first [`Thought::LONGEST_LINE`] of them. Returns `None` if any of
    /// them is not a move, or if there are none.
    fn parse_line(text: &str) -> Option<Vec<Move>> {
        let moves = text.split(',').map(|played| played.parse().ok().filter(Self::is_for_logs));
        let mut line: Vec<Move> = moves.collect::<Option<_>>()?;
        line.truncate(Self::LONGEST_LINE);
        Some(line)
    }
}

/// Sets a claim that has not been set yet. The error states that the claim has already been set, or is `None` if there
/// is no `value`.
fn set<T>(slot: &mut Option<T>, value: Option<T>, name: &'static str) -> Result<(), Option<MalformedThought>> {
    if slot.is_some() {
        return Err(Some(MalformedThought::Twice(name)));
    }
    *slot = Some(value.ok_or(None)?);
    Ok(())
}

fn parse_u32(text: &str) -> Option<u32> {
    u32::try_from(parse_digits(text)?).ok()
}

/// The beginning of a bot's word, in printable form.
fn shown(word: &str) -> String {
    const SHOWN: usize = 40;
    word.chars().take(SHOWN).flat_map(char::escape_default).collect()
}

/// Writes the form used in logs, which is printable ASCII without brackets: `+3 W0.73 D6 N12345 c3,b2`.
impl fmt::Display for Thought {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut gap = "";
        if let Some(value) = self.value {
            write!(f, "{value}")?;
            gap = " ";
        }
        if let Some(win) = self.win {
            write!(f, "{gap}W{win}")?;
            gap = " ";
        }
        if let Some(depth) = self.depth {
            write!(f, "{gap}D{depth}")?;
            gap = " ";
        }
        if let Some(nodes) = self.nodes {
            write!(f, "{gap}N{nodes}")?;
            gap = " ";
        }
        for played in &self.line {
            write!(f, "{gap}{played}")?;
            gap = ",";
        }
        Ok(())
    }
}

/// Reads the form used in logs.
impl FromStr for Thought {
    type Err = NotAThought;

    fn from_str(text: &str) -> Result<Self, NotAThought> {
        let mut thought = Self::default();
        for word in text.split(' ') {
            let is_new = match word.as_bytes().first() {
                Some(b'+' | b'-') => set(&mut thought.value, ClaimedPoints::parse(word), "value").is_ok(),
                Some(b'W') => set(&mut thought.win, ClaimedChance::parse(&word[1..]), "win").is_ok(),
                Some(b'D') => set(&mut thought.depth, parse_u32(&word[1..]), "depth").is_ok(),
                Some(b'N') => set(&mut thought.nodes, parse_digits(&word[1..]), "nodes").is_ok(),
                _ if thought.line.is_empty() => {
                    thought.line = Self::parse_line(word).ok_or(NotAThought)?;
                    true
                }
                _ => false,
            };
            if !is_new {
                return Err(NotAThought);
            }
        }
        Ok(thought)
    }
}

impl TryFrom<String> for Thought {
    type Error = NotAThought;

    fn try_from(text: String) -> Result<Self, NotAThought> {
        text.parse()
    }
}

impl From<Thought> for String {
    fn from(thought: Thought) -> Self {
        thought.to_string()
    }
}

#[cfg(test)]
mod tests;
