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
    /// The bot looks for a liberty before anything is captured.
    SuicideOrder,
    /// The bot's ranks are upside down.
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
