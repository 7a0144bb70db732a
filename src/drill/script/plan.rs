//! The arena's actions in a bout.

use std::time::Duration;

use super::{Delivery, RivalKind, Setting};
use crate::game::Seat;
use crate::referee::record::TryKind;
use crate::referee::sans_io::Endings;
use crate::referee::time_control::{SideControl, TimeControl, many_moves};
use crate::referee::wire::Decision;

/// The arena's actions in one game of a scenario. [`Plan::plain`] is an ordinary game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The clocks.
    pub time_control: TimeControl,
    /// The bot's opponent.
    pub rival: RivalKind,
    /// How the arena's lines are sent over the wire.
    pub delivery: Delivery,
    /// Refusals of legal moves.
    pub false_refusal: Option<FalseRefusal>,
    /// The code that ends the game: the true code, or another code.
    pub last_code: LastCode,
    /// What the arena sends to the bot when its opponent fails.
    pub endings: Endings,
    /// The names that the arena sends before the game starts.
    pub names: Option<ToldNames>,
    /// Whether the bot's own flag falls in its third turn, however little time it has used.
    pub own_flag: bool,
    /// Whether the bot's seat stays open, so that further connections by the bot are refused and counted.
    pub counts_connections: bool,
    /// How much longer than usual the arena waits for the bot's hello, for its moves, and for the end of the game.
    pub longer: Duration,
    /// Whether the bot communicates over stdin and stdout, whatever the player's transport is.
    pub is_piped: bool,
}

impl Plan {
    /// An ordinary game against `rival`.
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

    /// The maximum duration of a game from its first turn on: the time that all clocks allow, but at least the time
    /// that they allow in an ordinary game, plus all of the arena's pauses and a small margin. If the clocks count CPU
    /// time, the bot may also use its whole limit of wall time, or that of an ordinary game if this is longer.
    pub fn timeout(&self, setting: &Setting) -> Duration {
        let Setting { side, ruleset, clock, .. } = *setting;
        let moves = many_moves(ruleset);
        let usable = |control: SideControl| control.usable_in(moves);
        let ordinary = usable(clock.control);
        let of_seat = |seat| self.time_control.of(seat).map_or(ordinary, usable);
        let clocks: Duration = Seat::all(ruleset.seats()).map(of_seat).sum();
        let own_limit = clock.meter(self.time_control, ruleset).wall_limit(side);
        let walls = own_limit.max(clock.wall_limit).unwrap_or_default();
        clocks.max(u32::from(ruleset.seats()) * ordinary).max(walls)
            + self.delivery.pauses()
            + TIMEOUT_SLACK
            + self.longer
    }
}

/// How a game of a scenario is replayed to confirm a cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replay {
    /// The game has the same plan and the same seed.
    Alike,
    /// Like `Alike`, but each of the arena's lines is sent whole and at once.
    Whole,
    /// Like `Alike`, but each of the opponent's moves is held back.
    Held,
    /// Like `Alike`, but the arena waits longer for the bot.
    Patient,
    /// Like `Alike`, but over the bot's stdin and stdout.
    Piped,
}

impl Replay {
    /// How much longer a patient arena waits.
    pub const LONGER: Duration = Duration::from_secs(3);

    /// The arena's actions in this replay of a game whose plan was `plan`.
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

/// `clocks` with an additional [`Replay::LONGER`] for each side.
fn longer(clocks: TimeControl) -> TimeControl {
    clocks.map(|control| match control {
        SideControl::Game { time, increment } => SideControl::Game { time: time + Replay::LONGER, increment },
        SideControl::ByoYomi { time, periods, period } => {
            SideControl::ByoYomi { time, periods, period: period + Replay::LONGER }
        }
        SideControl::PerMove { move_time, bank } => {
            SideControl::PerMove { move_time: move_time + Replay::LONGER, bank }
        }
    })
}

/// By how much a game may exceed its clocks and pauses.
const TIMEOUT_SLACK: Duration = Duration::from_secs(5);

/// Which names the arena sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToldNames {
    /// Names that contain only letters and spaces.
    Plain,
    /// Names that also contain quotes and non-ASCII letters.
    Unusual,
}

/// Refusals of legal moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FalseRefusal {
    /// The number of the bot's move that is refused, counted from 1.
    pub at_move: u32,
    /// How many times in a row the bot's move is refused.
    pub times: u32,
    /// Whether the move is refused as illegal (291) or as garbled (299).
    pub kind: TryKind,
}

/// The code that ends a bout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LastCode {
    /// The true code.
    True,
    /// A code with this meaning for the bot, whatever the board says. Only codes of games that end on the board are
    /// replaced.
    Means(Decision),
}
