//! One results directory: its journal, logs and locks, and the processes that use it.
//!
//! A line of the journal has two halves, so that a crash can tear it. The system keeps what was written in memory, and
//! puts it on disk when it is synced, or earlier, or never; a power failure keeps any prefix of what was not synced. A
//! log is renamed into place without being synced, so a power failure can leave it whole, empty, or not at all.

mod disk;
mod processes;

use crate::checker::Model;
pub use disk::{Directory, JournalFile, Log, Piece};
pub use processes::{Process, Running};

/// The number of files that may exist at a time: two processes may create one each, and one may be rescued.
pub const FILES: usize = 4;

/// The maximum number of games.
pub const MOST_GAMES: usize = 3;

/// The number of processes.
pub const PROCESSES: usize = 2;

/// A set of games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Games(u8);

impl Games {
    /// The first `number` games.
    pub const fn first(number: u8) -> Self {
        Self((1 << number) - 1)
    }

    /// Whether the set contains `game`.
    pub const fn has(self, game: u8) -> bool {
        self.0 & 1 << game != 0
    }

    /// The set with `game`.
    #[must_use]
    pub const fn with(self, game: u8) -> Self {
        Self(self.0 | 1 << game)
    }

    /// Whether all games of the set are in `other`.
    pub const fn is_in(self, other: Self) -> bool {
        self.0 & !other.0 == 0
    }

    /// Whether the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The games, in ascending order.
    pub fn iter(self) -> impl Iterator<Item = u8> {
        (0..8).filter(move |game| self.has(*game))
    }
}

impl FromIterator<u8> for Games {
    fn from_iter<I: IntoIterator<Item = u8>>(games: I) -> Self {
        games.into_iter().fold(Self::default(), Self::with)
    }
}

/// How many faults of each kind may happen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Faults {
    /// Processes that are killed.
    pub kills: u8,
    /// Power failures.
    pub power_failures: u8,
    /// Changes to the journal by other programs.
    pub disturbances: u8,
}

/// What protects the journal. A protection that is switched off must break a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub struct Protections {
    /// A game is reported only after its line has been synced.
    pub syncs_lines: bool,
    /// A process syncs the lines that it has read before it continues the run.
    pub syncs_what_it_read: bool,
    /// A process uses the journal only while it holds its lock.
    pub locks: bool,
    /// A new journal never replaces another.
    pub creates_only: bool,
    /// A torn last line is cut off before anything is written after it.
    pub cuts_torn_line: bool,
    /// The checksum of a line is checked.
    pub checks_lines: bool,
    /// The directory is synced after a new journal has been named.
    pub syncs_name: bool,
    /// The directory is synced after a journal has been rescued.
    pub syncs_rescued_name: bool,
    /// A process checks that nobody else has moved or changed the journal, and otherwise rescues its lines.
    pub rescues: bool,
    /// An empty log counts as missing.
    pub replaces_empty_logs: bool,
}

impl Protections {
    /// All protections of the program.
    pub const ALL: Self = Self {
        syncs_lines: true,
        syncs_what_it_read: true,
        locks: true,
        creates_only: true,
        cuts_torn_line: true,
        checks_lines: true,
        syncs_name: true,
        syncs_rescued_name: true,
        rescues: true,
        replaces_empty_logs: true,
    };
}

/// The model of a results directory.
#[derive(Clone, Debug)]
pub struct JournalModel {
    /// The number of games.
    pub games: u8,
    /// The number of processes that may use the directory.
    pub processes: u8,
    /// The faults that may happen.
    pub faults: Faults,
    /// Whether the disk may write the halves of lines in any order, so that an earlier half may be lost although a later
    /// one is not.
    pub disorder: bool,
    /// The protections.
    pub protections: Protections,
}

/// The state of a results directory, and of the processes that use it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    /// The files.
    pub directory: Directory,
    /// The processes.
    pub processes: [Process; PROCESSES],
    /// The games that have been reported as saved.
    pub told: Games,
    /// Whether another program has moved or changed the journal, and its lines have not been restored.
    pub is_disturbed: bool,
    /// Whether the process that could have rescued a disturbed journal ended before it did. Nothing is promised then.
    pub is_beyond_help: bool,
    /// Whether a process has ended the run with all games.
    pub is_complete: bool,
    /// The faults that may still happen.
    pub left: Faults,
}

/// A step of a process, of another program, or of the machine.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// A process starts, and finds no journal.
    FindNothing(u8),
    /// It gives its new journal the journal's name.
    Name(u8),
    /// It finds that another process was faster, and ends.
    ComeLate(u8),
    /// It syncs the directory.
    SyncName(u8),
    /// A process starts, takes the lock of the journal, and reads it.
    Resume(u8),
    /// It cuts off a torn last line, and syncs the journal.
    Mend(u8),
    /// It writes the logs that are missing.
    MendLogs(u8),
    /// A game of the process ends.
    EndGame(u8, u8),
    /// The process writes the lines of all games that have ended.
    Write(u8),
    /// It is killed while it writes, after this number of halves of lines.
    KillInWrite(u8, u8),
    /// It syncs the journal.
    Sync(u8),
    /// It writes the log of the first game that is on disk and has not been reported.
    WriteLog(u8),
    /// It reports this game.
    Tell(u8),
    /// It ends the run.
    End(u8),
    /// It finds that another program has moved or changed the journal.
    Notice(u8),
    /// It writes a copy of all its lines to a new file, and syncs it.
    Copy(u8),
    /// It gives the copy its name.
    NameCopy(u8),
    /// It syncs the directory, and ends with a message that names the copy.
    TellRescued(u8),
    /// It is killed.
    Kill(u8),
    /// The machine loses its power, and starts again with these files.
    LosePower(PowerLoss),
    /// Another program deletes the journal.
    Delete,
    /// Another program replaces the journal with a copy of it.
    Replace,
    /// Another program truncates the journal to this number of halves of lines.
    Truncate(u8),
    /// Somebody gives the rescued journal the journal's name, as the message says.
    Restore,
    /// Somebody runs `rebuild --salvage`, as the message says.
    Salvage,
}

/// What is left after a power failure.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PowerLoss {
    /// Whether the last change of the journal's name survives.
    pub keeps_name: bool,
    /// Whether the name of a rescued journal survives.
    pub keeps_rescued: bool,
    /// How many halves of lines of the journal survive.
    pub pieces: u8,
    /// Which of these are lost all the same; without disorder, none.
    pub holes: u8,
    /// The log of each game.
    pub logs: [Log; MOST_GAMES],
}

impl Model for JournalModel {
    type State = State;
    type Step = Step;

    fn initial(&self) -> State {
        State {
            directory: Directory::default(),
            processes: [Process::Down, Process::Down],
            told: Games::default(),
            is_disturbed: false,
            is_beyond_help: false,
            is_complete: false,
            left: self.faults,
        }
    }

    fn steps(&self, state: &State, steps: &mut Vec<(Step, State)>) {
        if state.is_beyond_help || state.is_complete {
            return;
        }
        for process in 0..self.processes {
            self.steps_of_process(state, process, steps);
        }
        self.steps_of_others(state, steps);
        if state.left.power_failures > 0 {
            self.power_failures(state, steps);
        }
        for (_, state) in steps {
            state.forget_unreachable_files();
        }
    }

    fn broken_rule(&self, state: &State) -> Option<String> {
        let journal = state.directory.named();
        if let Some(lines) = journal.and_then(|file| self.read(&file.pieces)) {
            if lines.iter().enumerate().any(|(at, game)| lines[..at].contains(game)) {
                return Some("a game has two results".to_owned());
            }
            if journal.is_some_and(|file| file.pieces.contains(&Piece::Hole) && file.has_line_with_hole()) {
                return Some("a damaged line counts".to_owned());
            }
        }
        if state.is_beyond_help {
            return None;
        }
        let survives = |game: u8| {
            let directory = &state.directory;
            let on_disk = directory.name_on_disk.is_some_and(|file| directory.files[file as usize].keeps(game));
            let rescued = directory.rescued.filter(|_| directory.is_rescued_on_disk);
            on_disk
                || rescued.is_some_and(|file| directory.files[file as usize].keeps(game))
                // The lines are in the memory of the process that will rescue them.
                || state.is_disturbed && state.processes.iter().any(|process| process.remembers(game))
        };
        let lost = state.told.iter().find(|game| !survives(*game))?;
        Some(format!("game {lost} was reported as saved, but a power failure would lose it"))
    }

    fn is_done(&self, state: &State) -> bool {
        state.is_beyond_help || state.is_complete
    }

    fn is_fault(&self, _: &State, step: &Step) -> bool {
        match step {
            Step::KillInWrite(..)
            | Step::Kill(_)
            | Step::LosePower(_)
            | Step::Delete
            | Step::Replace
            | Step::Truncate(_) => true,
            // Only a disk that writes out of order makes this necessary.
            Step::Salvage => !self.disorder,
            _ => false,
        }
    }
}
