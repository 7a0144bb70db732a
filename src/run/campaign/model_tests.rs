//! Replays the traces of the model of a results directory (tools/model) on the program, and compares the files after each
//! step. docs/dev/model.md describes what is replayed.

use std::fs;
use std::path::PathBuf;

use gothello_model::checker::{Checked, Graph, Model as _, check};
use gothello_model::journal::{
    Directory, Faults, JournalModel, Log, Piece, PowerLoss, Process, Protections, State, Step,
};
use tempfile::TempDir;

use super::*;
use crate::run::derived::Derived;
use crate::run::journal::{Disturbance, GameEntry, JournalEntry, JournalError, Writer, salvage, write_line};
use crate::run::unplayed_record::unplayed_record;

/// If this variable is set, every step of larger models is replayed, and lines are torn at more places.
const VARIABLE: &str = "GOTHELLO_ARENA_MODEL";

const TOURNAMENT: &str = "rounds = 2\n[[player]]\nname = \"a\"\nbuiltin = \"random\"\n\
                          [[player]]\nname = \"b\"\nbuiltin = \"random\"\n";

/// A process of the model, as the program sees it.
enum ReplayedProcess {
    /// It has not started, or it has ended.
    Down,
    /// It has found out what is in the directory.
    Found(Box<Campaign>),
    /// It writes the journal. The model's process has written the lines `written`, which the program writes when the model
    /// syncs them.
    Running { writer: Writer<()>, written: Vec<u8> },
}

/// A results directory in which a trace is replayed.
struct DirectoryReplay {
    dir: TempDir,
    processes: [ReplayedProcess; 2],
    /// The games of the tournament that the model has: their ids, and the lines of the journal.
    games: Vec<(String, JournalEntry)>,
    header: Vec<u8>,
    lines: Vec<Vec<u8>>,
    /// At which part of its first half a torn line ends: its first byte, its last, or in between.
    torn: usize,
    runtime: tokio::runtime::Runtime,
}

impl DirectoryReplay {
    fn new(torn: usize) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        let dir = tempfile::tempdir().expect("a directory");
        let processes = [ReplayedProcess::Down, ReplayedProcess::Down];
        let (games, header, lines) = (Vec::new(), Vec::new(), Vec::new());
        let mut replay = Self { dir, processes, games, header, lines, torn, runtime };
        let (journal, ledger) = replay.find().begin(&entrants()).unwrap_or_else(|error| panic!("{error}"));
        drop(journal);
        replay.header = fs::read(replay.journal()).expect("a header");
        fs::remove_dir_all(replay.out()).expect("removed");
        replay.games = ledger.schedule().games().map(|spec| entry(&spec)).collect();
        let line = |(_, entry): &(String, JournalEntry)| write_line(entry, ledger.seal()).into_bytes();
        replay.lines = replay.games.iter().map(line).collect();
        replay
    }

    fn out(&self) -> PathBuf {
        self.dir.path().join("out")
    }

    fn journal(&self) -> PathBuf {
        self.out().join("journal.jsonl")
    }

    fn log(&self, game: u8) -> PathBuf {
        self.out().join("games").join(format!("{}.log", self.games[game as usize].0))
    }

    fn try_find(&self) -> Result<Campaign, CampaignError> {
        let tournament = Tournament::parse(TOURNAMENT, "test").unwrap_or_else(|problems| panic!("{problems}"));
        let (base, dir) = (self.dir.path().to_owned(), self.out());
        let plan = CampaignPlan { tournament: Arc::new(tournament), base, dir, options: CampaignOptions::default() };
        Campaign::find(plan, Arc::new(|_| {}))
    }

    fn find(&self) -> Campaign {
        self.try_find().unwrap_or_else(|error| panic!("{error}"))
    }

    /// The bytes of a journal with these pieces.
    fn bytes(&self, pieces: &[Piece]) -> Vec<u8> {
        let mut bytes = self.header.clone();
        for (at, piece) in pieces.iter().enumerate() {
            match *piece {
                Piece::Head(game) => {
                    let (line, middle) = (&self.lines[game as usize], self.lines[game as usize].len() / 2);
                    let is_torn = at + 1 == pieces.len();
                    let ends = [middle, 1, line.len() - 1];
                    bytes.extend(&line[..if is_torn { ends[self.torn % 3] } else { middle }]);
                }
                Piece::Tail(game) => {
                    let line = &self.lines[game as usize];
                    bytes.extend(&line[line.len() / 2..]);
                }
                Piece::Hole => bytes.extend([0; 100]),
            }
        }
        bytes
    }

    /// Gives the journal the contents that it has in the model.
    fn write_journal(&self, directory: &Directory) {
        if let Some(file) = directory.named() {
            let (found, bytes) = (fs::read(self.journal()).expect("read"), self.bytes(&file.pieces));
            if found != bytes {
                fs::write(self.journal(), &bytes).expect("written");
            }
        }
    }

    fn step(&mut self, before: &State, step: &Step, after: &State) {
        match *step {
            Step::FindNothing(process) => {
                let campaign = self.find();
                assert!(matches!(campaign.origin, Origin::Nothing));
                self.processes[process as usize] = ReplayedProcess::Found(Box::new(campaign));
            }
            Step::Name(process) | Step::MendLogs(process) => self.begin(process),
            Step::ComeLate(process) => {
                let ReplayedProcess::Found(campaign) = self.end(process) else { panic!("it has not found anything") };
                let late = campaign.begin(&entrants()).map(drop);
                assert!(matches!(late, Err(CampaignError::InUse { .. })), "{late:?}");
            }
            Step::Resume(process) => {
                let campaign = self.find();
                let Process::Read { lines, .. } = &after.processes[process as usize] else { panic!("{after:?}") };
                let Origin::Run { ledger, .. } = &campaign.origin else { panic!("no journal") };
                let mut kept = ledger.in_order();
                kept.sort_by_key(|kept| kept.place);
                let expected = lines.iter().map(|game| self.games[*game as usize].0.as_str());
                assert!(kept.iter().map(|kept| kept.id()).eq(expected), "{lines:?}");
                self.processes[process as usize] = ReplayedProcess::Found(Box::new(campaign));
            }
            Step::Write(process) | Step::Notice(process) => {
                let Process::Running(running) = &before.processes[process as usize] else { panic!("{before:?}") };
                let ReplayedProcess::Running { written, .. } = &mut self.processes[process as usize] else {
                    panic!("down")
                };
                written.extend(&running.queue);
            }
            Step::Sync(process) => self.sync(process),
            Step::WriteLog(process) => {
                let Process::Running(running) = &before.processes[process as usize] else { panic!("{before:?}") };
                let (id, entry) = &self.games[running.lines[running.lines.len() - running.synced] as usize];
                let JournalEntry::Game(GameEntry { record, .. }) = entry else { panic!("a game") };
                Derived::in_dir(self.out()).write_log(id, record).expect("written");
            }
            Step::End(process) => {
                let ReplayedProcess::Running { writer, .. } = self.end(process) else { panic!("down") };
                self.runtime.block_on(writer.finish()).unwrap_or_else(|error| panic!("{error}"));
            }
            Step::TellRescued(process) => self.rescue(before, process),
            Step::Kill(process) | Step::KillInWrite(process, _) => self.kill(process, after),
            Step::LosePower(ref loss) => self.lose_power(before, loss, after),
            Step::Delete | Step::Replace | Step::Truncate(_) => self.disturb(step, after),
            Step::Restore => fs::rename(self.rescued(), self.journal()).expect("moved"),
            Step::Salvage => drop(salvage(&self.out()).unwrap_or_else(|error| panic!("{error}"))),
            // The program does these as parts of other steps, or in memory.
            Step::SyncName(_)
            | Step::Mend(_)
            | Step::EndGame(..)
            | Step::Tell(_)
            | Step::Copy(_)
            | Step::NameCopy(_) => {}
        }
        self.compare(after);
    }

    /// Takes the process, which has ended.
    fn end(&mut self, process: u8) -> ReplayedProcess {
        std::mem::replace(&mut self.processes[process as usize], ReplayedProcess::Down)
    }

    fn begin(&mut self, process: u8) {
        let ReplayedProcess::Found(campaign) = self.end(process) else { panic!("it has not found anything") };
        let (journal, _) = campaign.begin(&entrants()).unwrap_or_else(|error| panic!("{error}"));
        Derived::in_dir(self.out()).prepare().expect("a directory for logs");
        let writer = Writer::start(journal).expect("a thread");
        self.processes[process as usize] = ReplayedProcess::Running { writer, written: Vec::new() };
    }

    fn sync(&mut self, process: u8) {
        let ReplayedProcess::Running { writer, written } = &mut self.processes[process as usize] else {
            panic!("down")
        };
        for &game in &*written {
            writer.write(self.games[game as usize].1.clone(), ());
        }
        for game in written.drain(..) {
            let synced = self.runtime.block_on(writer.written()).expect("it is written");
            assert_eq!(synced.entry, self.games[game as usize].1);
        }
    }

    fn rescued(&self) -> PathBuf {
        self.out().join("journal.jsonl.rescued-1")
    }

    /// The program notices what has happened to the journal, and rescues its lines.
    fn rescue(&mut self, before: &State, process: u8) {
        let ReplayedProcess::Running { writer, written } = self.end(process) else { panic!("down") };
        for game in written {
            writer.write(self.games[game as usize].1.clone(), ());
        }
        let noticed = self.runtime.block_on(writer.finish()).map(drop);
        let Err(JournalError::Disturbed { how, rescued: Ok(path), .. }) = noticed else { panic!("{noticed:?}") };
        let is_there = before.directory.name.is_some();
        assert_eq!(how == Disturbance::Gone, !is_there, "{how}");
        assert_eq!(path, self.rescued());
    }

    /// Ends the process without any of its last steps, and gives the journal the contents of the model.
    fn kill(&mut self, process: u8, after: &State) {
        if let ReplayedProcess::Running { writer, .. } = self.end(process) {
            // The thread of the writer must end before the lock is free. It changes nothing.
            let ended = self.runtime.block_on(writer.finish());
            assert!(after.is_disturbed || after.is_beyond_help || ended.is_ok());
        }
        if !after.is_beyond_help {
            self.write_journal(&after.directory);
        }
    }

    fn lose_power(&mut self, before: &State, loss: &PowerLoss, after: &State) {
        for process in 0..2 {
            self.kill(process, before);
        }
        if after.is_beyond_help {
            return;
        }
        if before.directory.name.is_some() && after.directory.name.is_none() {
            // The directory for logs is not made before the journal's name is on disk.
            fs::remove_dir_all(self.out()).expect("removed");
        }
        if before.directory.rescued.is_some() && after.directory.rescued.is_none() {
            fs::remove_file(self.rescued()).expect("removed");
        }
        self.write_journal(&after.directory);
        for (game, log) in (0..).zip(loss.logs) {
            let path = self.log(game);
            match log {
                Log::Absent if path.exists() => fs::remove_file(path).expect("removed"),
                Log::Empty => fs::write(path, "").expect("emptied"),
                Log::Absent | Log::Whole => {}
            }
        }
    }

    fn disturb(&mut self, step: &Step, after: &State) {
        // If the model has written lines, the program must have written them, too.
        for process in 0..2 {
            if matches!(self.processes[process as usize], ReplayedProcess::Running { .. }) {
                self.sync(process);
            }
        }
        match step {
            Step::Delete => fs::remove_file(self.journal()).expect("removed"),
            Step::Replace => {
                let copy = self.out().join(".copy");
                fs::copy(self.journal(), &copy).expect("copied");
                fs::rename(copy, self.journal()).expect("renamed");
            }
            _ => self.write_journal(&after.directory),
        }
    }

    /// Compares the files with those of the model.
    fn compare(&self, state: &State) {
        if state.is_beyond_help {
            return;
        }
        let has_deferred =
            |real: &ReplayedProcess| matches!(real, ReplayedProcess::Running { written, .. } if !written.is_empty());
        let is_between = |process: &Process| {
            matches!(process, Process::Mended { .. } | Process::Rescuing { copy: Some(_), .. } | Process::Named { .. })
        };
        if self.processes.iter().any(has_deferred) || state.processes.iter().any(is_between) {
            return;
        }
        let found = fs::read(self.journal()).ok();
        let expected = state.directory.named().map(|file| self.bytes(&file.pieces));
        assert_eq!(found.as_deref().map(String::from_utf8_lossy), expected.as_deref().map(String::from_utf8_lossy));
        let rescued = state.directory.rescued.map(|file| self.bytes(&state.directory.files[file as usize].pieces));
        assert_eq!(fs::read(self.rescued()).ok(), rescued);
        for (game, log) in (0..).zip(state.directory.logs) {
            let found = fs::read(self.log(game)).ok();
            let found = found.map_or(Log::Absent, |text| if text.is_empty() { Log::Empty } else { Log::Whole });
            assert_eq!(found, log, "game {game}");
        }
    }

    /// If the model says that a run cannot be continued, checks that the program refuses it.
    fn refuse(&self, model: &JournalModel, state: &State) {
        let is_quiet = state.processes.iter().all(|process| *process == Process::Down);
        if !is_quiet || state.is_disturbed || state.is_complete {
            return;
        }
        let mut steps = Vec::new();
        model.steps(state, &mut steps);
        if steps.iter().any(|(step, _)| matches!(step, Step::Resume(_) | Step::FindNothing(_))) {
            return;
        }
        let begun = self.try_find().and_then(|campaign| campaign.begin(&entrants())).map(drop);
        assert!(begun.is_err(), "the program continues a run that the model refuses");
    }
}

/// The players of the tournament.
fn entrants() -> Vec<Entrant> {
    vec![Entrant::Remote, Entrant::Remote]
}

/// The id and the journal entry of the game `spec`, which white has won.
fn entry(spec: &crate::tournament::schedule::GameSpec) -> (String, JournalEntry) {
    let names = [spec.pair().black, spec.pair().white].map(|player| ["a", "b"][player]);
    let (number, id) = (spec.number, spec.id.to_string());
    let record = unplayed_record(spec, &id, names, "0-1", "no show");
    (id.clone(), JournalEntry::Game(GameEntry { number, id, record }))
}

/// The states of `model`.
fn graph(model: &JournalModel) -> Graph<JournalModel> {
    match check(model, 1 << 20) {
        Checked::Sound(graph) => graph,
        Checked::Flawed(flaw) => panic!("{}", flaw.text()),
        Checked::TooLarge => panic!("too many states"),
    }
}

/// Replays traces that contain every step of `model`, except that two steps count as the same if they differ only in the
/// faults before them or after them. Returns how many steps were replayed.
fn replay(model: &JournalModel) -> usize {
    let graph = graph(model);
    let all = std::env::var_os(VARIABLE).is_some();
    let paths = graph.tour(|graph, edge| {
        let State { directory, processes, is_disturbed, .. } = &graph.states[edge.from];
        let whole = all.then_some(edge.from);
        Some((whole, edge.step.clone(), directory.clone(), processes.clone(), *is_disturbed))
    });
    let mut steps = 0;
    for (number, path) in paths.iter().enumerate() {
        let places = if all { 0..3 } else { number % 3..number % 3 + 1 };
        for torn in places {
            let mut replay = DirectoryReplay::new(torn);
            for edge in path.iter().map(|&edge| &graph.edges[edge]) {
                replay.step(&graph.states[edge.from], &edge.step, &graph.states[edge.to]);
                steps += 1;
            }
            let last = path.last().map_or(0, |&edge| graph.edges[edge].to);
            replay.refuse(model, &graph.states[last]);
        }
    }
    assert_ne!(steps, 0, "{} states, {} traces", graph.states.len(), paths.len());
    steps
}

/// A model with these faults.
const fn model(processes: u8, faults: Faults) -> JournalModel {
    JournalModel { games: 2, processes, faults, disorder: false, protections: Protections::ALL }
}

const CALM: Faults = Faults { kills: 0, power_failures: 0, disturbances: 0 };

#[test]
fn a_run_that_is_killed_or_loses_its_power_is_where_the_model_is() {
    replay(&model(1, Faults { kills: 1, power_failures: 1, ..CALM }));
}

#[test]
fn two_runs_in_one_directory_are_where_the_model_is() {
    replay(&model(2, Faults { kills: 1, ..CALM }));
}

#[test]
fn a_run_whose_journal_is_moved_or_changed_is_where_the_model_is() {
    replay(&model(1, Faults { disturbances: 1, ..CALM }));
}

#[test]
fn a_run_on_a_disk_that_writes_in_any_order_is_where_the_model_is() {
    replay(&JournalModel { disorder: true, ..model(1, Faults { power_failures: 1, ..CALM }) });
}
