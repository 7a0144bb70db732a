//! Why a bot did not pass a trial: the known causes, and diagnoses of them.

use crate::base::word_enum::words;
use crate::drill::script::{Replay, TrialFailure};

/// The known causes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Cause {
    /// An old copy of the course's Python client fails on every `101` line.
    ClockNameError,
    /// The bot has a hard-coded host.
    FixedHost,
    /// The bot ignores or misreads its side or another argument that its command passes.
    FixedSide,
    /// The bot does not turn over captured groups.
    NoCaptures,
    /// The bot captures first and looks for a liberty afterwards, as in Go; in Gothello, the order is the opposite.
    SuicideOrder,
    /// The bot reads or writes points on a board that is upside down, mirrored or rotated.
    FlippedBoard,
    /// The bot passes whenever its opponent passes.
    PassBack,
    /// The bot's move numbers or dots are wrong.
    MoveNumber,
    /// The bot does not flush its output.
    Buffered,
    /// The bot treats the result of one `recv` as one line.
    LineByRecv,
    /// The bot treats a draw as an error.
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
    /// An uncaught exception ends the bot.
    OwnException,
    /// The bot moves before it has read the answer to its last move, or its opponent's move.
    MovesEarly,
    /// The bot tries points without knowing which moves are legal.
    TriesPoints,
    /// The bot communicates over stdin and stdout, but was started as if it connected to a socket.
    StandardStreams,
}

// The codes that reports and docs/bot/check.md use.
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
    OwnException => "D18",
    MovesEarly => "D19",
    TriesPoints => "D20",
    StandardStreams => "D21",
}

impl Cause {
    /// The cause in a few words.
    pub const fn title(self) -> &'static str {
        match self {
            Self::ClockNameError => "the client fails on the line `101`",
            Self::FixedHost => "a host is hard-coded in the bot",
            Self::FixedSide => "the bot ignores or misreads the arguments that its command passes",
            Self::NoCaptures => "the bot does not turn over captured groups",
            Self::SuicideOrder => "the bot captures before it looks for a liberty",
            Self::FlippedBoard => "the bot's board is flipped or rotated",
            Self::PassBack => "the bot passes whenever its opponent passes",
            Self::MoveNumber => "the move number or the `...` is wrong",
            Self::Buffered => "the bot does not flush its output",
            Self::LineByRecv => "the bot treats the result of one `recv` as one line",
            Self::DrawAsError => "the bot treats a draw as an error",
            Self::EndCodes => "the bot does not recognise every code that ends a game",
            Self::OwnOpponentSwapped => "the bot confuses its own time with its opponent's",
            Self::Missing => "a module, a toolchain or a file is missing",
            Self::BusyWait => "the bot computes while it waits",
            Self::Slow => "the bot uses nearly all of its clock, or more",
            Self::DiesAfterEnd => "the bot's process fails after the game",
            Self::OwnException => "an uncaught exception ends the bot",
            Self::MovesEarly => "the bot moves before it has read all earlier lines",
            Self::TriesPoints => "the bot tries points without knowing which moves are legal",
            Self::StandardStreams => "the bot uses stdin and stdout instead of connecting",
        }
    }

    /// The failures that the cause can explain. The cause is never reported for any other failure.
    pub const fn explains(self) -> &'static [TrialFailure] {
        use TrialFailure as F;
        match self {
            Self::ClockNameError => &[F::Crashed, F::Disconnected],
            Self::FixedHost | Self::FixedSide | Self::StandardStreams => &[F::Absent],
            Self::Missing => &[F::Absent, F::Crashed],
            // A bot may exit or hang because one of its lines is refused.
            Self::NoCaptures => {
                &[F::Illegal, F::Stuck, F::PassedOver, F::Crashed, F::Disconnected, F::FlagFell, F::TimedOut]
            }
            Self::SuicideOrder | Self::FlippedBoard | Self::TriesPoints => {
                &[F::Illegal, F::Stuck, F::Crashed, F::Disconnected, F::FlagFell, F::TimedOut]
            }
            Self::PassBack => &[F::PassedBack],
            Self::MoveNumber | Self::MovesEarly => {
                &[F::Garbled, F::Stuck, F::Crashed, F::Disconnected, F::FlagFell, F::TimedOut]
            }
            Self::Buffered => &[F::Absent, F::FlagFell, F::TimedOut],
            Self::LineByRecv => &[
                F::Crashed,
                F::Disconnected,
                F::FlagFell,
                F::TimedOut,
                F::Illegal,
                F::Garbled,
                F::Stuck,
                F::SpokeAfterEnd,
            ],
            Self::DrawAsError | Self::EndCodes => &[F::FailedAfterEnd, F::RaisedAfterEnd, F::Stayed],
            Self::OwnOpponentSwapped => &[F::FlagFell],
            Self::BusyWait => &[F::Busy],
            Self::Slow => &[F::FlagFell, F::TimedOut, F::UsedClock],
            Self::DiesAfterEnd => &[F::FailedAfterEnd],
            Self::OwnException => &[F::Absent, F::Crashed, F::Disconnected],
        }
    }

    /// How a game that showed the cause has to be replayed, and what the replays have to show, before the cause may be
    /// reported.
    pub const fn proof(self) -> CauseProof {
        match self {
            Self::LineByRecv => CauseProof::Contrast { again: Replay::Alike, control: Replay::Whole },
            Self::StandardStreams => CauseProof::Contrast { again: Replay::Alike, control: Replay::Piped },
            Self::MoveNumber | Self::MovesEarly => CauseProof::Again(Replay::Held),
            Self::Buffered => CauseProof::Again(Replay::Patient),
            Self::OwnException => CauseProof::AgainOrElsewhere,
            Self::ClockNameError
            | Self::FixedHost
            | Self::FixedSide
            | Self::NoCaptures
            | Self::SuicideOrder
            | Self::FlippedBoard
            | Self::PassBack
            | Self::DrawAsError
            | Self::EndCodes
            | Self::OwnOpponentSwapped
            | Self::Missing
            | Self::BusyWait
            | Self::Slow
            | Self::DiesAfterEnd
            | Self::TriesPoints => CauseProof::Again(Replay::Alike),
        }
    }

    /// The maximum number of games to replay, out of all games that showed the cause. If the bot ignores its seed, a
    /// sign that emerges only over many games need not appear in every replay.
    pub const fn attempts(self) -> usize {
        match self {
            Self::NoCaptures
            | Self::SuicideOrder
            | Self::FlippedBoard
            | Self::PassBack
            | Self::MoveNumber
            | Self::MovesEarly
            | Self::TriesPoints => 3,
            _ => 1,
        }
    }
}

/// The observation that is required before a cause may be reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CauseProof {
    /// A second game shows the cause again.
    Again(Replay),
    /// A second game shows the cause again, or the cause also appeared in a second trial.
    AgainOrElsewhere,
    /// A second game shows the cause again, and a game that avoids the cause is played without the failure.
    Contrast {
        /// The second game.
        again: Replay,
        /// The game without the failure.
        control: Replay,
    },
}

impl CauseProof {
    /// The replays that are required.
    pub fn replays(self) -> Vec<Replay> {
        match self {
            Self::Again(replay) => vec![replay],
            Self::AgainOrElsewhere => vec![Replay::Alike],
            Self::Contrast { again, control } => vec![again, control],
        }
    }
}

/// A cause that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnosis {
    /// The cause.
    pub cause: Cause,
    /// The cause in a few words.
    pub title: String,
    /// What is wrong, in two sentences; printable.
    pub text: String,
    /// The lines of the transcript or of stderr that show the cause; printable.
    pub evidence: Vec<String>,
    /// How to fix the bot, worded for its programming language; printable.
    pub fix: String,
    /// The file and the line that contain the mistake, if they were found.
    pub place: Option<SourcePlace>,
}

/// A line of a source file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SourcePlace {
    /// The file, relative to the bot's directory; printable.
    pub file: String,
    /// The number of the line, counted from 1.
    pub line: Option<u32>,
}
