//! The rules of the games that the arena plays, as pure values.
//!
//! Input: moves as text. Output: positions, legal moves, outcomes. This file contains the [`Position`] that the referee
//! drives.
//!
//! | room | contents |
//! | --- | --- |
//! | `board_text` | the 5x5 board as text |
//! | `by_side` | a value for each side |
//! | `fraction` | exact fractions of a point |
//! | `gothello` | Gothello |
//! | `gtp_form` | a game as GTP engines play it |
//! | `outcome` | who wins, and by how much |
//! | `played_move` | moves as text |
//! | `quantum` | the family of Quantum Gothello, with Go, Othello and the reverse game |
//! | `ruleset` | the rule sets and their features |
//! | `seat` | seats, and a value for each of them |
//! | `seegover` | Seegover |
//! | `side` | black and white |
//! | `standing` | the places of all seats |
//!
//! Only the exact values, the built-in bots and the code that queries them (commands, and a person's games) use
//! [`gothello`], [`seegover`] and [`quantum`] directly, and the reader of tournament files uses the options of the last
//! two. Everything else uses a [`Ruleset`] and its positions, and is independent of board sizes and of any particular
//! game's moves.

mod board_text;
mod by_side;
mod fraction;
pub mod gothello;
mod gtp_form;
mod outcome;
mod played_move;
pub mod quantum;
mod ruleset;
mod seat;
pub mod seegover;
mod side;
mod standing;

use std::fmt;

use thiserror::Error;

pub use board_text::BoardError;
pub use by_side::BySide;
pub use fraction::{Fraction, NotAFraction};
pub use gtp_form::{GtpBoard, GtpForm, Komi, NoGtpForm};
pub use outcome::Outcome;
pub use played_move::{Move, NotAMove};
pub use ruleset::{Feature, MissingFeature, Ruleset, UnknownRuleset};
pub use seat::{BySeat, MOST_SEATS, Seat};
pub use side::{NotASide, Side};
pub use standing::Standing;

/// The reason why a position refuses a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum IllegalMove {
    /// The text is not a move of this game in any position.
    #[error("not a move in this game")]
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
    /// Returns the reason why the position refuses the move. The position is then unchanged.
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

    /// Takes `seat` out of a game with more than two seats: its turns are skipped from now on, its stones stay, and it
    /// is placed last among the seats that are still in. Nothing changes if `seat` is out already, or the game is
    /// over.
    ///
    /// # Panics
    /// Panics if the game has two seats, because then the opponent has won.
    fn drop_out(&mut self, seat: Seat) {
        panic!("a game with two seats ends when seat {seat} drops out");
    }

    /// Whether `seat` has not dropped out.
    fn is_in(&self, _seat: Seat) -> bool {
        true
    }

    /// The number of stones that `seat` may still place; `None` if its stones are not limited.
    fn stones_left(&self, _seat: Seat) -> Option<u16> {
        None
    }

    /// The places of all seats according to the modes that have ended; `None` in a game with two seats, which has an
    /// [`Outcome`] instead.
    fn standing(&self) -> Option<Standing> {
        None
    }

    /// The name of the current kind of turn, if a game has several kinds in succession: the name of the mode, or
    /// `proof` for the end of Go; `None` once the game is over.
    fn mode_name(&self) -> Option<&'static str> {
        None
    }

    /// The current mode, if the game is played on squares, on points, or on both; `None` once the game is over.
    fn mode(&self) -> Option<quantum::Mode> {
        None
    }

    /// A description of how the rules have ended the game, if the outcome needs an explanation.
    fn reason(&self) -> Option<&'static str> {
        None
    }
}
