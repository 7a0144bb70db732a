//! The line-ups: the boards, modes, seats and stones of each game.

use std::fmt;
use std::hash::{Hash, Hasher};

use crate::base::word_enum::words;

use super::choices::{CountRule, StartRule, StuckRule};
use super::seats::{MOST_SEATS, PerSeat};

/// A part of a game with its own way to place stones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Rows are turned over on the inner 8x8 squares.
    Reverse,
    /// Rows are turned over on all squares.
    Othello,
    /// Chains are enclosed on the points.
    Go,
}

words! { pub Mode; Reverse => "reverse", Othello => "othello", Go => "go" }

/// The size of the area of [`Mode::Reverse`], in squares per side.
pub const INNER: u8 = 8;

/// A line-up, named by the first word of a rule set: the boards, the modes, the seats, and the defaults of the options.
#[derive(Clone, Copy, Debug)]
pub struct Lineup {
    /// The name.
    pub(super) name: &'static str,
    /// How many players: 2, 4 or 6.
    pub(super) seats: u8,
    /// Squares per side, an even number; 0 if there are no squares.
    pub(super) squares: u8,
    /// Points per side; 0 if there are no points.
    pub(super) points: u8,
    /// The modes, in order; at least one.
    pub(super) modes: &'static [Mode],
    /// How many stones there are.
    pub(super) stones: StoneLimit,
    /// How the squares are occupied at the start.
    pub(super) start: StartRule,
    /// What a seat does if it cannot enclose a row.
    pub(super) stuck: StuckRule,
    /// What counts in Go.
    pub(super) count: CountRule,
    /// The compensation of each seat in parts of a point; a point has as many parts as there are seats.
    pub(super) compensation: PerSeat<i16>,
}

/// How many stones the seats have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StoneLimit {
    /// One stone for each field, divided among all seats.
    Supplied,
    /// Seats never run out of stones.
    Unlimited,
}

impl Lineup {
    /// Every line-up, in the documented order.
    pub const ALL: [Self; 18] = [
        Self::quantum("quantum", 2, 10),
        Self::quantum("quantum-8", 2, 8),
        Self::quantum("quantum-12", 2, 12),
        Self::quantum("quantum-14", 2, 14),
        Self::quantum("quantum-16", 2, 16),
        Self::quantum("quantum-18", 2, 18),
        Self::quantum("quantum-20", 2, 20),
        Self::quantum("quantum-4p", 4, 10),
        Self::quantum("quantum-8-4p", 4, 8),
        Self::quantum("quantum-6p", 6, 10),
        Self { stuck: StuckRule::Beside, ..Self::quantum("quantum-4p-beside", 4, 10) },
        Self { stuck: StuckRule::Beside, ..Self::quantum("quantum-6p-beside", 6, 10) },
        Self { stones: StoneLimit::Unlimited, ..Self::on_squares("othello", 8, &[Mode::Othello]) },
        Self { stones: StoneLimit::Unlimited, ..Self::on_squares("othello-10", 10, &[Mode::Othello]) },
        Self::on_squares("reverse", 8, &[Mode::Reverse]),
        Self::on_points("go-9", 9),
        Self::on_points("go-13", 13),
        Self::on_points("go-19", 19),
    ];

    /// The line-up with this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        static ALL: [Lineup; Lineup::ALL.len()] = Lineup::ALL;
        ALL.iter().find(|lineup| lineup.name == name)
    }

    /// A game that consists of Reverse on the inner 8x8 squares (if there are squares outside them), then Othello, and
    /// then Go. Each seat gets one more part of a point as compensation than the seat before it.
    const fn quantum(name: &'static str, seats: u8, squares: u8) -> Self {
        let modes: &[Mode] =
            if squares > INNER { &[Mode::Reverse, Mode::Othello, Mode::Go] } else { &[Mode::Othello, Mode::Go] };
        Self {
            name,
            seats,
            squares,
            points: squares + 1,
            modes,
            stones: StoneLimit::Supplied,
            start: if seats == 6 { StartRule::None } else { StartRule::Middle },
            stuck: StuckRule::Pass,
            count: CountRule::Territory,
            compensation: ascending(seats),
        }
    }

    /// A game for two seats on squares.
    const fn on_squares(name: &'static str, squares: u8, modes: &'static [Mode]) -> Self {
        Self { points: 0, modes, compensation: PerSeat([0; MOST_SEATS]), ..Self::quantum(name, 2, squares) }
    }

    /// A game for two seats on points, in which the second seat gets 7.5 points of compensation.
    const fn on_points(name: &'static str, points: u8) -> Self {
        let mut compensation = PerSeat([0; MOST_SEATS]);
        compensation.0[1] = 15;
        Self {
            squares: 0,
            points,
            modes: &[Mode::Go],
            stones: StoneLimit::Unlimited,
            count: CountRule::Area,
            compensation,
            ..Self::quantum(name, 2, INNER)
        }
    }

    /// The name.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// How many players.
    pub const fn seats(&self) -> u8 {
        self.seats
    }

    /// Squares per side; 0 if there are no squares.
    pub const fn squares(&self) -> u8 {
        self.squares
    }

    /// Points per side; 0 if there are no points.
    pub const fn points(&self) -> u8 {
        self.points
    }

    /// The modes, in order.
    pub const fn modes(&self) -> &'static [Mode] {
        self.modes
    }

    /// Whether `mode` is one of the modes.
    pub fn has(&self, mode: Mode) -> bool {
        self.modes.contains(&mode)
    }

    /// How many stones there are.
    pub const fn stones(&self) -> StoneLimit {
        self.stones
    }
}

/// Returns 0, 1, 2 and so on for `seats` seats.
const fn ascending(seats: u8) -> PerSeat<i16> {
    let mut parts = [0; MOST_SEATS];
    let mut seat = 0;
    while seat < seats {
        parts[seat as usize] = seat as i16;
        seat += 1;
    }
    PerSeat(parts)
}

/// Compares line-ups by their names, which are unique.
impl PartialEq for Lineup {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Lineup {}

impl Hash for Lineup {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

impl fmt::Display for Lineup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name)
    }
}
