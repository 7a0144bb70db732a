//! What the arena does in a bout.

use super::{Delivery, RivalKind};
use crate::referee::clock::TimeControl;
use crate::referee::record::TryKind;
use crate::referee::sans_io::Endings;
use crate::referee::wire::Decision;

/// What the arena does in one game of a scenario. [`Plan::plain`] is a game like any other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The clocks.
    pub time_control: TimeControl,
    /// Who plays against the bot.
    pub rival: RivalKind,
    /// How the arena's lines go over the wire.
    pub delivery: Delivery,
    /// Refusals of legal moves.
    pub false_refusal: Option<FalseRefusal>,
    /// The code that ends the game, if not the true one.
    pub last_code: LastCode,
    /// What the arena tells the bot when its opponent fails.
    pub endings: Endings,
    /// Lines that the arena sends before the game starts: names of players and observers.
    pub names: bool,
    /// Whether the bot's own flag falls at its third turn, however little time it has used.
    pub own_flag: bool,
}

impl Plan {
    /// A game against `rival` in which nothing is unusual.
    pub fn plain(time_control: TimeControl, rival: RivalKind) -> Self {
        Self {
            time_control,
            rival,
            delivery: Delivery::Whole,
            false_refusal: None,
            last_code: LastCode::True,
            endings: Endings::default(),
            names: false,
            own_flag: false,
        }
    }
}

/// Refusals of legal moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FalseRefusal {
    /// The bot's move that is refused, from 1.
    pub at_move: u32,
    /// How many times in a row.
    pub times: u32,
    /// As illegal (291) or as garbled (299).
    pub kind: TryKind,
}

/// The code that ends a bout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LastCode {
    /// The true one.
    True,
    /// One that means this for the bot, whatever the board says. Only codes of games that end on the board are replaced.
    Means(Decision),
}
