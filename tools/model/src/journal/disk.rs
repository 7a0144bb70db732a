//! The files of a results directory, as the system sees them and as they are on disk.

use super::{FILES, Games, JournalModel, MOST_GAMES, PowerLoss, Process, State, Step};

/// A half of a line of the journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Piece {
    /// The first half of the line of this game.
    Head(u8),
    /// The second half, with the newline.
    Tail(u8),
    /// A half that the disk has lost.
    Hole,
}

/// A journal.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct JournalFile {
    /// The halves of its lines. The header is never torn, since a new journal is synced before it gets its name.
    pub pieces: Vec<Piece>,
    /// How many of these are certainly on disk.
    pub synced: usize,
    /// The process that holds the lock.
    pub holder: Option<u8>,
}

impl JournalFile {
    /// Whether the line of `game` is certainly on disk.
    pub fn keeps(&self, game: u8) -> bool {
        self.pieces[..self.synced].contains(&Piece::Tail(game))
    }

    /// Whether there is a line of which the disk has lost a half, but not its end.
    pub(super) fn has_line_with_hole(&self) -> bool {
        self.pieces.windows(2).any(|pieces| matches!(pieces, [Piece::Hole, Piece::Tail(_)]))
    }
}

/// The log of a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Log {
    /// There is none.
    #[default]
    Absent,
    /// It is empty.
    Empty,
    /// It is as it was written.
    Whole,
}

/// A results directory.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Directory {
    /// The files. Those that cannot be reached are empty.
    pub files: [JournalFile; FILES],
    /// The file that has the journal's name.
    pub name: Option<u8>,
    /// The file that has it on disk.
    pub name_on_disk: Option<u8>,
    /// The file with rescued lines.
    pub rescued: Option<u8>,
    /// Whether that file has its name on disk.
    pub is_rescued_on_disk: bool,
    /// The log of each game.
    pub logs: [Log; MOST_GAMES],
}

impl Directory {
    /// The file that has the journal's name.
    pub fn named(&self) -> Option<&JournalFile> {
        self.name.map(|file| &self.files[file as usize])
    }
}

/// The lines of a journal with these pieces, each with its newline, but without a torn last line.
fn lines_of(pieces: &[Piece]) -> Vec<&[Piece]> {
    let ends = |piece: &Piece| matches!(piece, Piece::Tail(_));
    pieces.split_inclusive(ends).filter(|line| line.last().is_some_and(ends)).collect()
}

impl JournalModel {
    /// The games of the whole lines of a journal with these pieces; `None` if a line is damaged.
    pub(super) fn read(&self, pieces: &[Piece]) -> Option<Vec<u8>> {
        let game = |line: &[Piece]| match line {
            [Piece::Head(game), Piece::Tail(end)] if game == end => Some(*game),
            [Piece::Hole, Piece::Tail(game)] if !self.protections.checks_lines => Some(*game),
            _ => None,
        };
        lines_of(pieces).into_iter().map(game).collect()
    }

    /// Whether a process refuses to continue a run with these `lines` because of its logs.
    pub(super) fn has_strange_logs(&self, state: &State, lines: &[u8]) -> bool {
        let known: Games = lines.iter().copied().collect();
        state.directory.logs.iter().zip(0..).any(|(log, game)| match log {
            Log::Absent => false,
            Log::Empty => !self.protections.replaces_empty_logs,
            Log::Whole => !known.has(game),
        })
    }

    pub(super) fn power_failures(&self, state: &State, steps: &mut Vec<(Step, State)>) {
        let Directory { files, name, name_on_disk, rescued, is_rescued_on_disk, logs } = &state.directory;
        let names = if name == name_on_disk { &[true][..] } else { &[true, false][..] };
        let rescues = if rescued.is_none() || *is_rescued_on_disk { &[true][..] } else { &[true, false][..] };
        for (&keeps_name, &keeps_rescued) in names.iter().flat_map(|name| rescues.iter().map(move |it| (name, it))) {
            let file = if keeps_name { *name } else { *name_on_disk };
            let (synced, length) = file.map_or((0, 0), |file| {
                let file = &files[file as usize];
                (file.synced, file.pieces.len())
            });
            for pieces in synced..=length {
                let most = if self.disorder { 1 << (pieces - synced) } else { 1 };
                for holes in 0..most {
                    each_choice_of_logs(*logs, &mut |logs| {
                        let [pieces, holes] = [pieces, holes << synced].map(|it| u8::try_from(it).unwrap_or(u8::MAX));
                        let loss = PowerLoss { keeps_name, keeps_rescued, pieces, holes, logs };
                        let after = state.after_power_failure(&loss);
                        steps.push((Step::LosePower(loss), after));
                    });
                }
            }
        }
    }

    pub(super) fn steps_of_others(&self, state: &State, steps: &mut Vec<(Step, State)>) {
        let is_quiet = state.processes.iter().all(|process| *process == Process::Down);
        if let Some(name) = state.directory.name {
            if state.left.disturbances > 0 {
                state.disturbances(name, steps);
            }
            let damaged = self.read(&state.directory.files[name as usize].pieces).is_none();
            if is_quiet && damaged {
                steps.push((Step::Salvage, state.salvaged(name)));
            }
        }
        if is_quiet
            && state.is_disturbed
            && let Some(rescued) = state.directory.rescued
        {
            let mut after = state.clone();
            after.directory.name = Some(rescued);
            // The message tells nobody to wait for the disk, but nothing here depends on when the name reaches it.
            after.directory.name_on_disk = Some(rescued);
            after.directory.rescued = None;
            after.is_disturbed = false;
            steps.push((Step::Restore, after));
        }
    }
}

/// Calls `each` with every state in which a power failure can leave `logs`.
fn each_choice_of_logs(logs: [Log; MOST_GAMES], each: &mut impl FnMut([Log; MOST_GAMES])) {
    let mut choices = vec![logs];
    for game in 0..MOST_GAMES {
        if logs[game] == Log::Whole {
            let with = |log| choices.iter().map(move |logs| with_log(*logs, game, log));
            choices = [Log::Absent, Log::Empty, Log::Whole].into_iter().flat_map(with).collect();
        }
    }
    choices.into_iter().for_each(each);
}

/// `logs` with another log of the game at `game`.
const fn with_log(mut logs: [Log; MOST_GAMES], game: usize, log: Log) -> [Log; MOST_GAMES] {
    logs[game] = log;
    logs
}

impl State {
    fn disturbances(&self, name: u8, steps: &mut Vec<(Step, Self)>) {
        let mut disturbed = self.clone();
        disturbed.left.disturbances -= 1;
        disturbed.is_disturbed = true;
        if self.processes.iter().all(|process| !process.can_rescue()) {
            disturbed.is_beyond_help = true;
        }
        let mut deleted = disturbed.clone();
        (deleted.directory.name, deleted.directory.name_on_disk) = (None, None);
        steps.push((Step::Delete, deleted));
        if let Some(free) = self.free_file() {
            let mut replaced = disturbed.clone();
            let copy = replaced.directory.files[name as usize].clone();
            replaced.directory.files[free as usize] = super::JournalFile { holder: None, ..copy };
            (replaced.directory.name, replaced.directory.name_on_disk) = (Some(free), Some(free));
            steps.push((Step::Replace, replaced));
        }
        for pieces in 0..self.directory.files[name as usize].pieces.len() {
            let mut cut = disturbed.clone();
            let file = &mut cut.directory.files[name as usize];
            file.pieces.truncate(pieces);
            file.synced = file.synced.min(pieces);
            steps.push((Step::Truncate(u8::try_from(pieces).unwrap_or(u8::MAX)), cut));
        }
    }

    fn salvaged(&self, name: u8) -> Self {
        let mut after = self.clone();
        let file = &mut after.directory.files[name as usize];
        let is_whole = |line: &&[Piece]| matches!(line, [Piece::Head(game), Piece::Tail(end)] if game == end);
        file.pieces = lines_of(&file.pieces).into_iter().filter(is_whole).flatten().copied().collect();
        file.synced = file.pieces.len();
        after
    }

    fn after_power_failure(&self, loss: &PowerLoss) -> Self {
        let mut after = self.clone();
        after.left.power_failures -= 1;
        if self.is_disturbed && self.processes.iter().any(Process::can_rescue) {
            after.is_beyond_help = true;
        }
        after.processes = [Process::Down, Process::Down];
        let directory = &mut after.directory;
        if !loss.keeps_name {
            directory.name = directory.name_on_disk;
        }
        directory.name_on_disk = directory.name;
        if !loss.keeps_rescued {
            directory.rescued = None;
        }
        directory.is_rescued_on_disk = directory.rescued.is_some();
        directory.logs = loss.logs;
        for file in &mut directory.files {
            file.holder = None;
        }
        if let Some(name) = directory.name {
            let file = &mut directory.files[name as usize];
            file.pieces.truncate(loss.pieces as usize);
            for (at, piece) in file.pieces.iter_mut().enumerate() {
                if loss.holes & 1 << at != 0 {
                    *piece = Piece::Hole;
                }
            }
            file.synced = file.pieces.len();
        }
        after
    }

    /// A file that cannot be reached.
    pub(super) fn free_file(&self) -> Option<u8> {
        (0..).zip(&self.directory.files).map(|(file, _)| file).find(|file| !self.is_reachable(*file))
    }

    fn is_reachable(&self, file: u8) -> bool {
        let Directory { name, name_on_disk, rescued, .. } = self.directory;
        [name, name_on_disk, rescued].contains(&Some(file))
            || self.processes.iter().any(|process| process.file() == Some(file))
    }

    pub(super) fn forget_unreachable_files(&mut self) {
        for file in 0..u8::try_from(FILES).unwrap_or(u8::MAX) {
            if !self.is_reachable(file) {
                self.directory.files[file as usize] = JournalFile::default();
            }
        }
    }
}
