//! The possible values of each option.

use crate::base::word_enum::words;

/// How the squares are occupied at the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StartRule {
    /// Four stones in the middle.
    Middle,
    /// The first four turns place stones in the middle.
    Open,
    /// Four stones in the middle, and four in the corners of the first mode's area.
    Corners,
    /// No stones: each seat enters with its first stone.
    None,
}

/// Which enclosed rows are turned over in Reverse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RowRule {
    /// All enclosed rows.
    All,
    /// One enclosed row, which the move names.
    One,
}

/// What a seat does if it has a stone left but cannot enclose a row anywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StuckRule {
    /// The seat passes.
    Pass,
    /// The seat places a stone next to another stone, and no stones are turned over.
    Beside,
}

/// Whether a stone may take its own chain's last liberty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SuicideRule {
    /// A stone may not take its own chain's last liberty.
    Forbidden,
    /// A stone may take its own chain's last liberty, and the chain is removed.
    Allowed,
}

/// What counts in Go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CountRule {
    /// Territory and prisoners, after a proof of which stones are dead.
    Territory,
    /// Territory and stones.
    Area,
}

/// What determines the places of the seats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScoringRule {
    /// The sum of all counts.
    Sum,
    /// The number of modes won, and then the sum of all counts.
    Modes,
}

words! { pub StartRule; Middle => "middle", Open => "open", Corners => "corners", None => "none" }
words! { pub RowRule; All => "all", One => "one" }
words! { pub StuckRule; Pass => "pass", Beside => "beside" }
words! { pub SuicideRule; Forbidden => "no", Allowed => "yes" }
words! { pub CountRule; Territory => "territory", Area => "area" }
words! { pub ScoringRule; Sum => "sum", Modes => "modes" }

impl StartRule {
    /// How a game with `seats` seats may start.
    pub const fn of(seats: u8) -> &'static [Self] {
        match seats {
            2 => &[Self::Middle, Self::Open],
            4 => &[Self::Middle, Self::Open, Self::Corners],
            _ => &[Self::None],
        }
    }
}
