//! The causes of a trial that a bot did not pass.

use crate::base::word_enum::words;

/// The causes that are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Cause {
    /// An old copy of the course's Python client fails on every `101` line.
    ClockNameError,
    /// A host is written into the bot.
    FixedHost,
    /// The bot takes its side or its arguments otherwise than its command gives them.
    FixedSide,
    /// The bot's board does not turn captured groups.
    NoCaptures,
    /// The bot captures first and looks for a liberty afterwards, as in Go; Gothello looks before.
    SuicideOrder,
    /// The bot reads or writes points on a board that is upside down, mirrored or turned.
    FlippedBoard,
    /// The bot passes whenever its opponent passes.
    PassBack,
    /// The bot's move numbers or dots are wrong.
    MoveNumber,
    /// The bot does not flush its output.
    Buffered,
    /// The bot takes what one `recv` returns for one line.
    LineByRecv,
    /// The bot takes a draw for an error.
    DrawAsError,
    /// The bot does not know the codes that end a game early.
    EndCodes,
    /// The bot swaps its own time and its opponent's.
    OwnOpponentSwapped,
    /// The bot lacks a module, a toolchain or a file.
    Missing,
    /// The bot computes while it waits.
    BusyWait,
    /// The bot uses nearly all of its clock, or more.
    Slow,
    /// The bot's process fails after the game has ended.
    DiesAfterEnd,
}

// The codes that reports and docs/check.md use.
words! {
    pub Cause;
    ClockNameError => "D01",
    FixedHost => "D02",
    FixedSide => "D03",
    NoCaptures => "D04",
    SuicideOrder => "D05",
    FlippedBoard => "D06",
    PassBack => "D07",
    MoveNumber => "D08",
    Buffered => "D09",
    LineByRecv => "D10",
    DrawAsError => "D11",
    EndCodes => "D12",
    OwnOpponentSwapped => "D13",
    Missing => "D14",
    BusyWait => "D15",
    Slow => "D16",
    DiesAfterEnd => "D17",
}

impl Cause {
    /// What the cause is, in a few words.
    pub const fn title(self) -> &'static str {
        match self {
            Self::ClockNameError => "the client fails on the line `101`",
            Self::FixedHost => "a host is written into the bot",
            Self::FixedSide => "the bot reads its arguments otherwise than its command gives them",
            Self::NoCaptures => "the bot's board does not turn captured groups",
            Self::SuicideOrder => "the bot captures first, and looks for a liberty afterwards",
            Self::FlippedBoard => "the bot's board is turned",
            Self::PassBack => "the bot passes whenever its opponent passes",
            Self::MoveNumber => "the move's number or its `...` is wrong",
            Self::Buffered => "what the bot says stays in its buffer",
            Self::LineByRecv => "the bot takes what one `recv` returns for one line",
            Self::DrawAsError => "the bot takes a draw for an error",
            Self::EndCodes => "the bot does not know every code that ends a game",
            Self::OwnOpponentSwapped => "the bot swaps its own time and its opponent's",
            Self::Missing => "a module, a toolchain or a file is missing",
            Self::BusyWait => "the bot computes while it waits",
            Self::Slow => "the bot uses nearly all of its clock, or more",
            Self::DiesAfterEnd => "the bot's process fails after the game",
        }
    }
}

/// A cause that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnosis {
    /// The cause.
    pub cause: Cause,
    /// What it is, in a few words.
    pub title: String,
    /// What is wrong, in two sentences; printable.
    pub text: String,
    /// The lines of transcript or stderr that show it; printable.
    pub evidence: Vec<String>,
    /// What to do about it, in the bot's own language; printable.
    pub fix: String,
    /// The file that has the mistake, relative to the bot's directory, and the line, if it was found; printable.
    pub place: Option<SourcePlace>,
}

/// A line of a source file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourcePlace {
    /// The file, relative to the bot's directory; printable.
    pub file: String,
    /// The line, from 1.
    pub line: Option<u32>,
}
