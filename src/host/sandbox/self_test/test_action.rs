//! The actions that the program of the self-test tries from inside a confinement, and the outcome that each must have.

use serde::{Deserialize, Serialize};

use crate::host::sandbox::Tier;

/// Something that the test program tries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum TestAction {
    /// Connects to its own seat.
    OwnSeat,
    /// Writes to its own scratch space.
    OwnScratch,
    /// Reads a tournament file.
    ReadTournament,
    /// Reads a file in the directory of another bot.
    ReadRival,
    /// Reads a journal.
    ReadJournal,
    /// Writes outside its scratch space: to the tournament file, into the other bot's directory, and to the root.
    WriteElsewhere,
    /// Connects to a port on which the arena listens for another bot.
    OtherSeat,
    /// Asks the kernel for a route to another machine. Nothing is sent.
    Outside,
    /// Connects to an abstract socket of the host.
    AbstractSocket,
    /// Connects to a socket of the host that has a path.
    NamedSocket,
    /// Creates a vsock, which reaches the hypervisor.
    Vsock,
    /// Looks for a process of another bot in `/proc`.
    SeeProcess,
    /// Reads the environment of that process.
    ReadProcess,
    /// Asks whether it may signal that process.
    Signal,
    /// Traces that process.
    Trace,
    /// Opens more files than it may.
    OpenFiles,
    /// Asks for more memory than it may use.
    Memory,
    /// Starts more threads than it may have. This action is the last one, because it may end the test program.
    Processes,
}

/// The outcome that an action must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expectation {
    /// The action succeeds: every bot needs it. Otherwise, a program that cannot do anything at all would pass the
    /// test.
    Done,
    /// The action is refused, or the program is stopped.
    Refused,
    /// The action may succeed: the tier does not prevent it, as docs/reference/confinement.md says.
    Possible,
}

impl TestAction {
    /// All actions, in the order in which they are tried.
    pub(crate) const ALL: [Self; 18] = [
        Self::OwnSeat,
        Self::OwnScratch,
        Self::ReadTournament,
        Self::ReadRival,
        Self::ReadJournal,
        Self::WriteElsewhere,
        Self::OtherSeat,
        Self::Outside,
        Self::AbstractSocket,
        Self::NamedSocket,
        Self::Vsock,
        Self::SeeProcess,
        Self::ReadProcess,
        Self::Signal,
        Self::Trace,
        Self::OpenFiles,
        Self::Memory,
        Self::Processes,
    ];

    /// The action in a few words, which can follow "a bot could".
    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::OwnSeat => "connect to its own seat",
            Self::OwnScratch => "write to its own scratch space",
            Self::ReadTournament => "read the tournament file",
            Self::ReadRival => "read another bot's directory",
            Self::ReadJournal => "read the journal",
            Self::WriteElsewhere => "write outside its scratch space",
            Self::OtherSeat => "connect to another seat",
            Self::Outside => "connect to another machine",
            Self::AbstractSocket => "connect to an abstract socket",
            Self::NamedSocket => "connect to a socket with a path",
            Self::Vsock => "make a vsock",
            Self::SeeProcess => "see another bot's process",
            Self::ReadProcess => "read another process's environment",
            Self::Signal => "signal another bot's process",
            Self::Trace => "trace another bot's process",
            Self::OpenFiles => "open more files than `open_files`",
            Self::Memory => "get more memory than `memory`",
            Self::Processes => "start more threads than `processes`",
        }
    }

    /// The outcome that the action must have in `tier`.
    pub(crate) fn expectation(self, tier: Tier) -> Expectation {
        match self {
            Self::OwnSeat | Self::OwnScratch => Expectation::Done,
            // Without namespaces, all processes of the host are visible.
            Self::SeeProcess if !tier.has_namespaces() => Expectation::Possible,
            _ => Expectation::Refused,
        }
    }
}

/// A line that the test program prints: an action and its outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ActionReport {
    pub(super) action: TestAction,
    pub(super) outcome: ActionOutcome,
}

/// The outcome of an action, as seen by the test program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ActionOutcome {
    /// The action succeeded.
    Done,
    /// The system refused the action, with this error number, if any.
    Refused(Option<i32>),
}
