//! The processes that use a results directory.

use super::{JournalFile, JournalModel, Log, Piece, State, Step};

/// A process that runs the tournament in the results directory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Process {
    /// It has not started, or it has ended.
    Down,
    /// It has found no journal, and has written and synced a new one without a name.
    Creating,
    /// Its new journal has its name.
    Named {
        /// The journal.
        file: u8,
    },
    /// It has read the journal.
    Read {
        /// The journal.
        file: u8,
        /// The lines that it has read.
        lines: Vec<u8>,
    },
    /// It has cut off a torn last line, and synced the journal.
    Mended {
        /// The journal.
        file: u8,
        /// The lines of the journal.
        lines: Vec<u8>,
    },
    /// It plays.
    Running(Running),
    /// It has found that another program has moved or changed the journal.
    Rescuing {
        /// All its lines.
        lines: Vec<u8>,
        /// The copy, once it is written.
        copy: Option<u8>,
        /// Whether the copy has its name.
        is_named: bool,
    },
}

/// A process that plays.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Running {
    /// The journal.
    pub file: u8,
    /// The lines that it has read or written.
    pub lines: Vec<u8>,
    /// The games that have ended, and whose lines have not been written.
    pub queue: Vec<u8>,
    /// The number of last lines that have been written, but not synced.
    pub written: usize,
    /// The number of last lines before those that have been synced, but not reported.
    pub synced: usize,
    /// Whether the log of the first of these has been written.
    pub has_log: bool,
}

impl Running {
    fn new(file: u8, lines: Vec<u8>) -> Self {
        Self { file, lines, queue: Vec::new(), written: 0, synced: 0, has_log: false }
    }

    /// The next game to be reported.
    fn next_told(&self) -> Option<u8> {
        (self.written == 0 && self.synced > 0).then(|| self.lines[self.lines.len() - self.synced])
    }

    /// All lines, including those that have not been written.
    fn all_lines(&self) -> Vec<u8> {
        self.lines.iter().chain(&self.queue).copied().collect()
    }
}

impl Process {
    /// The journal, or the copy, that the process has open.
    pub(super) fn file(&self) -> Option<u8> {
        match self {
            Self::Down | Self::Creating => None,
            Self::Named { file } | Self::Read { file, .. } | Self::Mended { file, .. } => Some(*file),
            Self::Running(running) => Some(running.file),
            Self::Rescuing { copy, .. } => *copy,
        }
    }

    /// Whether the process has a copy of all lines of the journal.
    pub(super) fn can_rescue(&self) -> bool {
        matches!(self, Self::Running(_) | Self::Rescuing { .. })
    }

    /// Whether the process has a copy of the line of `game`.
    pub(super) fn remembers(&self, game: u8) -> bool {
        match self {
            Self::Running(running) => running.lines.contains(&game),
            Self::Rescuing { lines, .. } => lines.contains(&game),
            _ => false,
        }
    }
}

fn pieces_of(lines: &[u8]) -> impl Iterator<Item = Piece> {
    lines.iter().flat_map(|game| [Piece::Head(*game), Piece::Tail(*game)])
}

impl JournalModel {
    pub(super) fn steps_of_process(&self, state: &State, process: u8, steps: &mut Vec<(Step, State)>) {
        let mut step = |step: Step, process_after: Process, change: &dyn Fn(&mut State)| {
            let mut after = state.clone();
            after.processes[process as usize] = process_after;
            change(&mut after);
            steps.push((step, after));
        };
        let nothing = |_: &mut State| {};
        match &state.processes[process as usize] {
            Process::Down => self.start(state, process, &mut step),
            Process::Creating => {
                if state.directory.name.is_some() && self.protections.creates_only {
                    step(Step::ComeLate(process), Process::Down, &nothing);
                } else if let Some(file) = state.free_file() {
                    step(Step::Name(process), Process::Named { file }, &|after| {
                        after.directory.files[file as usize].holder = Some(process);
                        after.directory.name = Some(file);
                    });
                }
            }
            Process::Named { file } => {
                let running = Process::Running(Running::new(*file, Vec::new()));
                step(Step::SyncName(process), running, &|after| {
                    if self.protections.syncs_name {
                        after.directory.name_on_disk = after.directory.name;
                    }
                });
            }
            Process::Read { file, lines } => {
                let mended = Process::Mended { file: *file, lines: lines.clone() };
                step(Step::Mend(process), mended, &|after| self.mend(after, *file, lines.len()));
            }
            Process::Mended { file, lines } => {
                let running = Process::Running(Running::new(*file, lines.clone()));
                step(Step::MendLogs(process), running, &|after| {
                    for &game in lines {
                        after.directory.logs[game as usize] = Log::Whole;
                        // The run says how many games have been played.
                        after.told = after.told.with(game);
                    }
                });
            }
            Process::Running(running) => self.run(state, process, running, &mut step),
            Process::Rescuing { lines, copy, is_named } => {
                self.rescue(state, process, (lines, *copy, *is_named), &mut step);
            }
        }
        if state.processes[process as usize] != Process::Down && state.left.kills > 0 {
            let mut after = state.clone();
            after.kill(process, &state.processes[process as usize]);
            steps.push((Step::Kill(process), after));
        }
    }

    fn start(&self, state: &State, process: u8, step: &mut impl FnMut(Step, Process, &dyn Fn(&mut State))) {
        let Some(name) = state.directory.name else {
            // A directory with logs but without a journal is refused, and so is one that waits to be restored.
            if state.directory.logs.iter().all(|log| *log == Log::Absent) && !state.is_disturbed {
                step(Step::FindNothing(process), Process::Creating, &|_| {});
            }
            return;
        };
        let file = &state.directory.files[name as usize];
        let is_free = file.holder.is_none() || !self.protections.locks;
        if let Some(lines) = self.read(&file.pieces).filter(|_| is_free)
            && !state.is_disturbed
            && !self.has_strange_logs(state, &lines)
        {
            step(Step::Resume(process), Process::Read { file: name, lines }, &|after| {
                after.directory.files[name as usize].holder = Some(process);
            });
        }
    }

    /// Cuts off a torn last line of `file`, which has this number of whole lines, and syncs the journal.
    fn mend(&self, state: &mut State, file: u8, lines: usize) {
        if self.protections.syncs_what_it_read {
            state.directory.name_on_disk = state.directory.name;
        }
        let file = &mut state.directory.files[file as usize];
        let is_torn = file.pieces.len() > 2 * lines;
        if is_torn && self.protections.cuts_torn_line {
            file.pieces.truncate(2 * lines);
            file.synced = file.pieces.len();
        }
        if self.protections.syncs_what_it_read {
            file.synced = file.pieces.len();
        }
    }

    fn run(
        &self,
        state: &State,
        process: u8,
        running: &Running,
        step: &mut impl FnMut(Step, Process, &dyn Fn(&mut State)),
    ) {
        let Running { file, lines, queue, written, .. } = running;
        let file = *file;
        let pieces = &state.directory.files[file as usize].pieces;
        let is_intact =
            !self.protections.rescues || state.directory.name == Some(file) && pieces.len() >= 2 * lines.len();
        let all = running.all_lines();
        for game in (0..self.games).filter(|game| !all.contains(game)) {
            let queue = queue.iter().copied().chain([game]).collect();
            step(Step::EndGame(process, game), Process::Running(Running { queue, ..running.clone() }), &|_| {});
        }
        let notice = Process::Rescuing { lines: all.clone(), copy: None, is_named: false };
        let is_whole = (0..self.games).all(|game| lines.contains(&game));
        if *written == 0 && !queue.is_empty() {
            if !is_intact {
                return step(Step::Notice(process), notice, &|_| {});
            }
            let new: Vec<Piece> = pieces_of(queue).collect();
            let running = Running { lines: all, queue: Vec::new(), written: queue.len(), ..running.clone() };
            step(Step::Write(process), Process::Running(running), &|after| {
                after.directory.files[file as usize].pieces.extend(new.iter().copied());
            });
            for torn in (1..new.len()).filter(|_| state.left.kills > 0) {
                let torn_after = u8::try_from(torn).unwrap_or(u8::MAX);
                step(Step::KillInWrite(process, torn_after), Process::Down, &|after| {
                    after.directory.files[file as usize].pieces.extend(new[..torn].iter().copied());
                    after.kill(process, &state.processes[process as usize]);
                });
            }
        } else if *written > 0 {
            if !is_intact {
                return step(Step::Notice(process), notice, &|_| {});
            }
            let synced = Running { written: 0, synced: running.synced + written, ..running.clone() };
            step(Step::Sync(process), Process::Running(synced), &|after| {
                if self.protections.syncs_lines {
                    let file = &mut after.directory.files[file as usize];
                    file.synced = file.pieces.len();
                }
            });
        } else if is_whole && running.synced == 0 {
            if !is_intact {
                return step(Step::Notice(process), notice, &|_| {});
            }
            step(Step::End(process), Process::Down, &|after| {
                after.directory.files[file as usize].holder = None;
                after.is_complete = true;
            });
        }
        let Some(game) = running.next_told() else { return };
        if running.has_log {
            let told = Running { synced: running.synced - 1, has_log: false, ..running.clone() };
            step(Step::Tell(process), Process::Running(told), &|after| after.told = after.told.with(game));
        } else {
            let logged = Running { has_log: true, ..running.clone() };
            step(Step::WriteLog(process), Process::Running(logged), &|after| {
                after.directory.logs[game as usize] = Log::Whole;
            });
        }
    }

    fn rescue(
        &self,
        state: &State,
        process: u8,
        (lines, copy, is_named): (&[u8], Option<u8>, bool),
        step: &mut impl FnMut(Step, Process, &dyn Fn(&mut State)),
    ) {
        let lines = lines.to_vec();
        match copy {
            None => {
                let Some(free) = state.free_file() else { return };
                let pieces: Vec<Piece> = pieces_of(&lines).collect();
                step(Step::Copy(process), Process::Rescuing { lines, copy: Some(free), is_named }, &|after| {
                    let synced = pieces.len();
                    after.directory.files[free as usize] = JournalFile { pieces: pieces.clone(), synced, holder: None };
                });
            }
            Some(_) if !is_named => {
                step(Step::NameCopy(process), Process::Rescuing { lines, copy, is_named: true }, &|after| {
                    (after.directory.rescued, after.directory.is_rescued_on_disk) = (copy, false);
                });
            }
            Some(_) => step(Step::TellRescued(process), Process::Down, &|after| {
                after.directory.is_rescued_on_disk |= self.protections.syncs_rescued_name;
            }),
        }
    }
}

impl State {
    /// Ends the process, which is in the state `killed`.
    fn kill(&mut self, process: u8, killed: &Process) {
        self.processes[process as usize] = Process::Down;
        self.left.kills -= 1;
        for file in &mut self.directory.files {
            if file.holder == Some(process) {
                file.holder = None;
            }
        }
        self.is_beyond_help |= self.is_disturbed && killed.can_rescue();
    }
}
