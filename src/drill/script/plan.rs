//! What the arena does in a bout.

use std::time::Duration;

use super::{Delivery, RivalKind};
use crate::game::{BySide, Side};
use crate::referee::clock::TimeControl;
use crate::referee::record::TryKind;
use crate::referee::sans_io::Endings;
use crate::referee::wire::Decision;

/// What the arena does in one game of a scenario. [`Plan::plain`] is a game like any other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The clocks.
    pub time_control: TimeControl,
    /// The bot's opponent.
    pub rival: RivalKind,
    /// How the arena's lines go over the wire.
    pub delivery: Delivery,
    /// Refusals of legal moves.
    pub false_refusal: Option<FalseRefusal>,
    /// The code that ends the game, if not the true one.
    pub last_code: LastCode,
    /// What the arena tells the bot when its opponent fails.
    pub endings: Endings,
    /// The names that the arena tells before the game starts.
    pub names: Option<ToldNames>,
    /// Whether the bot's own flag falls at its third turn, however little time it has used.
    pub own_flag: bool,
    /// Whether the bot's seat stays open, so that more connections of the bot are refused and counted.
    pub counts_connections: bool,
    /// How much longer than usual the arena waits for the bot's hello, for its moves and for the end of the game.
    pub longer: Duration,
    /// Whether the bot talks over stdin and stdout, whatever transport its player has.
    pub is_piped: bool,
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
            names: None,
            own_flag: false,
            counts_connections: false,
            longer: Duration::ZERO,
            is_piped: false,
        }
    }

    /// How long a game may take from its first turn on, if each side has `time` in an ordinary game: as long as both clocks
    /// together and all pauses of the arena, and a little more.
    pub fn timeout(&self, time: Duration) -> Duration {
        let clocks = Side::BOTH.map(|side| self.time_control.of(side).unwrap_or(time));
        clocks.into_iter().sum::<Duration>().max(2 * time) + self.delivery.pauses() + TIMEOUT_SLACK + self.longer
    }
}

/// How a game of a scenario is played once more, to see whether a cause shows again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replay {
    /// With the same plan and the same seed.
    Alike,
    /// The same, but with each of the arena's lines whole and at once.
    Whole,
    /// The same, but each move of the opponent is held back.
    Held,
    /// The same, but the arena waits longer for the bot.
    Patient,
    /// The same, but over the bot's stdin and stdout.
    Piped,
}

impl Replay {
    /// How much longer a patient arena waits.
    pub const LONGER: Duration = Duration::from_secs(3);

    /// What the arena does in this replay of a game that had `plan`.
    pub fn of(self, plan: Plan) -> Plan {
        match self {
            Self::Alike => plan,
            Self::Whole => Plan { delivery: Delivery::Whole, ..plan },
            Self::Held => Plan { delivery: Delivery::Held, ..plan },
            Self::Patient => Plan { time_control: longer(plan.time_control), longer: Self::LONGER, ..plan },
            Self::Piped => Plan { is_piped: true, ..plan },
        }
    }
}

/// `clocks` with [`Replay::LONGER`] more for each side.
fn longer(clocks: TimeControl) -> TimeControl {
    match clocks {
        TimeControl::SuddenDeath(times) => {
            TimeControl::sudden_death(BySide::from_fn(|side| times[side] + Replay::LONGER))
        }
        TimeControl::Unlimited => TimeControl::Unlimited,
    }
}

/// How much longer than its clocks and pauses a game may take.
const TIMEOUT_SLACK: Duration = Duration::from_secs(5);

/// Which names the arena tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToldNames {
    /// Letters and blanks alone.
    Plain,
    /// Quotes and letters beyond ASCII, too.
    Unusual,
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
