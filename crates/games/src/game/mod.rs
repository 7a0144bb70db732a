//! The rules of the games that the arena plays, as pure values.
//!
//! Input: moves as text. Output: positions, legal moves, outcomes. This file contains what all rule sets have in
//! common: sides, moves, outcomes, and the [`Position`] that the referee drives.
//!
//! | room | contents |
//! | --- | --- |
//! | `board_text` | the 5x5 board as text |
//! | `by_side` | a value for each side |
//! | `fraction` | exact fractions of a point |
//! | `gothello` | Gothello |
//! | `gtp_form` | the form in which GTP engines play a game |
//! | `quantum` | the family of Quantum Gothello, with Go, Othello and the reverse game |
//! | `ruleset` | the rule sets and their features |
//! | `seat` | seats, and a value for each of them |
//! | `seegover` | Seegover |
//! | `standing` | the places of all seats |
//!
//! Only the exact values, the built-in bots and the code that queries them (commands, and a person's games) use
//! [`gothello`], [`seegover`] and [`quantum`] directly, and the reader of tournament files uses the options of the last
//! two. Everything else uses a [`Ruleset`] and its positions, and is independent of board sizes and the moves of any
//! game.

mod board_text;
mod by_side;
mod fraction;
pub mod gothello;
mod gtp_form;
pub mod quantum;
mod ruleset;
mod seat;
pub mod seegover;
mod standing;

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use serde::de::Error as _;
use serde::ser::SerializeStruct as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use thiserror::Error;

use crate::base::word_enum::{alternatives, words};

pub use board_text::BoardError;
pub use by_side::BySide;
pub use fraction::{Fraction, NotAFraction};
pub use gtp_form::{GtpBoard, GtpForm, Komi, NoGtpForm};
pub use ruleset::{Feature, MissingFeature, Ruleset, UnknownRuleset};
pub use seat::{BySeat, MOST_SEATS, Seat};
pub use standing::Standing;

/// One of the two sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// The side that moves first.
    Black,
    /// The side that moves second.
    White,
}

impl Side {
    /// Both sides, black first.
    pub const BOTH: [Self; 2] = Self::ALL;

    /// The other side.
    #[must_use]
    pub const fn opponent(self) -> Self {
        match self {
            Self::Black => Self::White,
            Self::White => Self::Black,
        }
    }

    /// `b` or `w`, as in the text of boards.
    pub const fn letter(self) -> char {
        match self {
            Self::Black => 'b',
            Self::White => 'w',
        }
    }

    /// The side that is ahead at this margin, which is black's points minus white's; `None` if neither is.
    pub const fn ahead(margin: i32) -> Option<Self> {
        match margin {
            1.. => Some(Self::Black),
            0 => None,
            _ => Some(Self::White),
        }
    }

    /// Converts a margin from black's perspective to this side's, and back again: its own points minus its opponent's.
    #[must_use]
    pub const fn own(self, margin: i32) -> i32 {
        match self {
            Self::Black => margin,
            Self::White => -margin,
        }
    }

    /// The result from this side's perspective: 1 if it wins, -1 if its opponent does, 0 in a draw.
    pub fn score(self, winner: Option<Self>) -> i32 {
        winner.map_or(0, |winner| if winner == self { 1 } else { -1 })
    }

    /// The winner if this side's own margin or score has the sign of `own`; `None` means a draw.
    pub const fn winner(self, own: i32) -> Option<Self> {
        Self::ahead(self.own(own))
    }
}

// The words that the protocol and all files use.
words! { pub Side, NotASide, Black => "black", White => "white" }

/// The error for text that does not name a side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected {}", alternatives(&Side::ALL.map(Side::name)))]
pub struct NotASide;

/// A move as its canonical text, such as `c3`, `b1-a1` or `pass`.
///
/// In a [`Position`], the same move always has the same text, and different moves have different texts.
///
/// Invariant: 1 to [`Move::MAX_LEN`] printable ASCII characters without spaces, in lower case.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Move {
    len: u8,
    text: [u8; Self::MAX_LEN],
}

impl Move {
    /// The maximum length of a move's text in any rule set, in bytes.
    pub const MAX_LEN: usize = 15;

    /// The pass, which has the same text in every rule set.
    pub const PASS: Self = Self::from_bytes(b"pass");

    /// Creates the move with this text, which must satisfy the type's invariant.
    const fn from_bytes(bytes: &[u8]) -> Self {
        assert!(!bytes.is_empty() && bytes.len() <= Self::MAX_LEN, "a move's text has 1 to 15 bytes");
        let mut text = [0; Self::MAX_LEN];
        let mut i = 0;
        while i < bytes.len() {
            assert!(bytes[i].is_ascii_graphic() && !bytes[i].is_ascii_uppercase(), "a move's text is lower-case ASCII");
            text[i] = bytes[i];
            i += 1;
        }
        #[expect(clippy::cast_possible_truncation, reason = "at most MAX_LEN")]
        let len = bytes.len() as u8;
        Self { len, text }
    }

    /// The canonical text.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(self.as_bytes()).unwrap_or_default()
    }

    /// The canonical text's bytes.
    pub const fn as_bytes(&self) -> &[u8] {
        self.text.split_at(self.len as usize).0
    }

    /// Whether this is the pass.
    pub fn is_pass(&self) -> bool {
        *self == Self::PASS
    }
}

/// The error for text that cannot be a move in any game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a move is 1 to 15 printable lower-case characters")]
pub struct NotAMove;

/// Reads a move's text, for example from a game log. Whether it is a move of the game can be determined only by a
/// [`Position`].
impl FromStr for Move {
    type Err = NotAMove;

    fn from_str(text: &str) -> Result<Self, NotAMove> {
        let fits = (1..=Self::MAX_LEN).contains(&text.len())
            && text.bytes().all(|byte| byte.is_ascii_graphic() && !byte.is_ascii_uppercase());
        if fits { Ok(Self::from_bytes(text.as_bytes())) } else { Err(NotAMove) }
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl Serialize for Move {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Move {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Cow::<'de, str>::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The winner and the margin: how a game ended by its rules, or the value of a position under best play by both sides.
///
/// In JSON, the winner is `black`, `white` or `draw`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The winner; `None` means a draw.
    pub winner: Option<Side>,
    /// Black's points minus white's, not counting any compensation; `None` if only the winner is known. With
    /// compensation, the winner can be behind.
    pub margin: Option<i32>,
}

impl Outcome {
    /// The outcome of a game in which the side with more points wins.
    pub const fn of_margin(margin: i32) -> Self {
        Self { winner: Side::ahead(margin), margin: Some(margin) }
    }

    /// `black`, `white` or `draw`.
    pub const fn winner_name(self) -> &'static str {
        match self.winner {
            Some(side) => side.name(),
            None => "draw",
        }
    }

    /// The margin from the perspective of `side`: its own points minus its opponent's.
    pub fn lead(self, side: Side) -> Option<i32> {
        self.margin.map(|margin| side.own(margin))
    }
}

impl Serialize for Outcome {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("Outcome", 2)?;
        object.serialize_field("winner", self.winner_name())?;
        object.serialize_field("margin", &self.margin)?;
        object.end()
    }
}

/// Fails if the margin implies a different winner: files contain proven values of positions, and rule sets with proofs
/// do not have compensation.
impl<'de> Deserialize<'de> for Outcome {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct OutcomeObject<'a> {
            #[serde(borrow)]
            winner: Cow<'a, str>,
            margin: Option<i32>,
        }
        let OutcomeObject { winner, margin } = OutcomeObject::deserialize(deserializer)?;
        let winner = match &*winner {
            "draw" => None,
            side => Some(side.parse().map_err(|_| D::Error::custom("expected `black`, `white` or `draw`"))?),
        };
        match margin {
            Some(margin) if Side::ahead(margin) != winner => {
                Err(D::Error::custom("the margin does not match the winner"))
            }
            _ => Ok(Self { winner, margin }),
        }
    }
}

/// Writes `black wins by 3`, `white wins` or `draw`. A winner that is not ahead, for example because of its
/// compensation, is described as such: `white wins, level on points`, `white wins, 2 points behind`.
impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(winner) = self.winner else {
            f.write_str("draw")?;
            return match self.margin.and_then(Side::ahead) {
                Some(ahead) => write!(f, ", {ahead} ahead on points"),
                None => Ok(()),
            };
        };
        write!(f, "{winner} wins")?;
        match self.lead(winner) {
            None => Ok(()),
            Some(0) => f.write_str(", level on points"),
            Some(-1) => f.write_str(", 1 point behind"),
            Some(lead @ ..0) => write!(f, ", {} points behind", lead.unsigned_abs()),
            Some(lead) => write!(f, " by {lead}"),
        }
    }
}

/// The reason why a position refuses a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum IllegalMove {
    /// The text is not a move of this game in any position.
    #[error("not a move of this game")]
    NotUnderstood,
    /// A rule of this game forbids the move, for the reason given.
    #[error("{0}")]
    Refused(&'static str),
    /// The game is over.
    #[error("the game is over")]
    GameOver,
}

/// A position of a game, with as much of its history as is needed to judge the next move.
///
/// Its `Display` is the board as shown by the protocol, without a trailing newline. Each rule set defines the order of
/// the ranks, and whether a second board follows.
pub trait Position: fmt::Display + fmt::Debug + Send + Sync {
    /// The side whose turn it is; unspecified once the game is over. The sides do not have to alternate.
    fn to_move(&self) -> Side;

    /// All moves that [`Position::play`] now accepts, with the pass last; none once the game is over.
    fn legal_moves(&self) -> Vec<Move>;

    /// Plays the move that `text` names and returns it in canonical form.
    ///
    /// # Errors
    /// Returns why the position refuses the move. The position is then unchanged.
    fn play(&mut self, text: &str) -> Result<Move, IllegalMove>;

    /// The outcome with its margin, once the rules have ended the game.
    fn outcome(&self) -> Option<Outcome>;

    /// How many seats the game has.
    fn seats(&self) -> u8 {
        2
    }

    /// The seat whose turn it is; unspecified once the game is over. With two seats, this is the side to move.
    fn seat_to_move(&self) -> Seat {
        self.to_move().into()
    }

    /// Whether the rules have ended the game, or only one seat is left.
    fn is_over(&self) -> bool {
        self.outcome().is_some()
    }

    /// Takes `seat` out of a game of more than two seats: its turns are skipped from now on, its stones stay, and it
    /// is placed last among the seats that are still in. Nothing changes if `seat` is out already, or the game is
    /// over.
    ///
    /// # Panics
    /// Panics if the game has two seats, because then the opponent has won.
    fn drop_out(&mut self, seat: Seat) {
        panic!("a game of two seats ends when seat {seat} drops out");
    }

    /// Whether `seat` has not dropped out.
    fn is_in(&self, _seat: Seat) -> bool {
        true
    }

    /// The number of stones that `seat` may still place; `None` if its stones are not limited.
    fn stones_left(&self, _seat: Seat) -> Option<u16> {
        None
    }

    /// The places of all seats according to the modes that have ended; `None` in a game of two seats, which has an
    /// [`Outcome`] instead.
    fn standing(&self) -> Option<Standing> {
        None
    }

    /// The name of the current kind of turns, if a game has several kinds one after another: the name of the mode, or
    /// `proof` for the end of Go; `None` once the game is over.
    fn mode_name(&self) -> Option<&'static str> {
        None
    }

    /// The current mode, if the game is one on squares, on points, or on both; `None` once the game is over.
    fn mode(&self) -> Option<quantum::Mode> {
        None
    }

    /// A description of how the rules have ended the game, if the outcome needs an explanation.
    fn reason(&self) -> Option<&'static str> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_side_sees_margins_and_winners_from_its_own_place() {
        assert_eq!(Side::BOTH.map(|side| side.own(3)), [3, -3]);
        assert_eq!([3, 0, -3].map(Side::ahead), [Some(Side::Black), None, Some(Side::White)]);
        for side in Side::BOTH {
            assert_eq!([1, 0, -1].map(|own| side.score(side.winner(own))), [1, 0, -1]);
        }
    }

    #[test]
    fn an_outcome_tells_who_wins_and_by_how_much() {
        let texts = [5, 0, -1].map(|margin| Outcome::of_margin(margin).to_string());
        assert_eq!(texts, ["black wins by 5", "draw", "white wins by 1"]);
        assert_eq!(Outcome { winner: Some(Side::White), margin: None }.to_string(), "white wins");
        let compensated =
            [2, 1, 0, -1].map(|margin| Outcome { winner: Some(Side::White), margin: Some(margin) }.to_string());
        let behind = ["white wins, 2 points behind", "white wins, 1 point behind"];
        assert_eq!(compensated, [behind[0], behind[1], "white wins, level on points", "white wins by 1"]);
        assert_eq!(Outcome { winner: None, margin: Some(3) }.to_string(), "draw, black ahead on points");
    }
}
