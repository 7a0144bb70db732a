//! The end of the channel at which a page learns what has happened in its run.

use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;

use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::mpsc::error::TryRecvError;

use super::{BegunRun, Feed, FeedOrder, RunSite, no_outputs};
use crate::base::sanitise::Shown as _;
use crate::base::{console, files};
use crate::page::live::answer::Archive;
use crate::page::live::delay_line::DelayLine;
use crate::page::live::idle_analysis::IdleAnalysis;
use crate::page::live::state::{DropOutNews, EndedGame, LiveState};
use crate::results::analysis::by_solver::Analyst;
use crate::run::derived::Derived;
use crate::run::event::{Ended, Event};
use crate::run::listener::{EventReader, Missed};
use crate::run::results_dir::{self, ALIASES};
use crate::tournament::schedule::{GameId, KnownEnding, Results, Schedule};

/// The number of events that may wait for a page that is behind the run. If more are waiting, moves are dropped.
const MOST_HELD: usize = 100_000;

/// The number of games whose records may wait for a page that is behind the run. The records of further games are read
/// from their logs.
const MOST_RECORDS: usize = 1024;

/// News for the page, which may be held back for a while.
#[derive(Debug)]
enum RunNews {
    /// The games begin.
    Begin(Box<BegunRun>),
    /// This event has occurred. If it is the end of a game, it contains the game's record.
    Event(Event),
    /// This game has ended, and its record is in its log.
    EndedInLog { id: GameId, number: u64 },
    /// The number of moves that have been missed so far.
    Missed(u64),
    /// An event other than a move was missed.
    LostTrack,
    /// There will be no more events.
    Close,
}

/// The events of a run.
#[derive(Debug)]
pub(crate) struct RunFeed {
    results: Derived,
    /// The path of the file of aliases.
    aliases: PathBuf,
    pub(super) reader: EventReader,
    plan: UnboundedReceiver<FeedOrder>,
    line: DelayLine<RunNews>,
    /// The number of records in the line.
    records: usize,
    /// The number of moves that were dropped because the line was full.
    dropped: u64,
    test: Option<(Schedule, Results)>,
    cpus: Option<Vec<u32>>,
    has_begun: bool,
    /// The events that have been missed or dropped so far.
    missed: Missed,
    /// Whether the last event has arrived, and whether it has been shown.
    is_closed: bool,
    is_over: bool,
    /// The analyst and the directory of the run, until the thread that analyzes games takes them.
    analyst: Option<(Analyst, PathBuf)>,
}

impl Feed for RunFeed {
    fn drain(&mut self, state: &mut LiveState, at: Duration) -> bool {
        if !self.is_closed {
            self.receive(at);
        }
        while let Some(news) = self.line.due(at) {
            self.show(news, state, at);
        }
        !self.is_over
    }

    fn cpus(&mut self) -> Option<Vec<u32>> {
        self.cpus.take()
    }

    fn idle_analysis(&mut self) -> Option<IdleAnalysis> {
        let (analyst, dir) = self.analyst.take_if(|_| self.has_begun)?;
        let started = IdleAnalysis::start(analyst, dir);
        started.inspect_err(|error| console::warn(format_args!("games will not be analyzed: {error}"))).ok()
    }

    fn analyzes(&self) -> bool {
        self.analyst.is_some()
    }

    fn archive(&self) -> Archive {
        let results = self.results.clone();
        Rc::new(move |id| results_dir::read_log(&results.log(id)).ok())
    }
}

impl RunFeed {
    /// Creates the feed of the run at `site`, whose events arrive at `reader`, and whose orders arrive at `plan`.
    pub(super) fn new(site: RunSite, reader: EventReader, plan: UnboundedReceiver<FeedOrder>) -> Self {
        let RunSite { dir, analyst, delay, .. } = site;
        let aliases = dir.join(ALIASES);
        Self {
            analyst: analyst.map(|analyst| (analyst, dir.clone())),
            results: Derived::in_dir(dir),
            aliases,
            reader,
            plan,
            line: DelayLine::new(delay),
            records: 0,
            dropped: 0,
            test: None,
            cpus: None,
            has_begun: false,
            missed: Missed::default(),
            is_closed: false,
            is_over: false,
        }
    }

    /// Puts all events up to now, the time `at`, into the line.
    fn receive(&mut self, at: Duration) {
        let is_open = loop {
            let order = match self.plan.try_recv() {
                // No game event precedes this order, but some may already have been queued after it.
                Ok(FeedOrder::Begin(mut start)) => {
                    self.prepare(&mut start);
                    self.line.put(at, RunNews::Begin(start));
                    continue;
                }
                order => order,
            };
            // The other orders come after all events that are already queued.
            while let Some(event) = self.reader.ready() {
                self.hold(event, at);
            }
            match order {
                Ok(FeedOrder::Overflow { id, number }) => self.hold_from_log(id, number, at),
                Ok(FeedOrder::Close) | Err(TryRecvError::Disconnected) => break false,
                Ok(FeedOrder::Begin(_)) | Err(TryRecvError::Empty) => break true,
            }
        };
        let Missed { moves, others } = self.reader.missed();
        let missed = Missed { moves: moves + self.dropped, others };
        let before = std::mem::replace(&mut self.missed, missed);
        if missed.moves != before.moves {
            self.line.put(at, RunNews::Missed(missed.moves));
        }
        if missed.others != before.others {
            self.line.put(at, RunNews::LostTrack);
        }
        if !is_open {
            self.is_closed = true;
            self.line.put(at, RunNews::Close);
        }
    }

    /// At the start of the games, does the work that need not be delayed.
    fn prepare(&mut self, start: &mut BegunRun) {
        if let Some(text) = start.aliases.take()
            && let Err(error) = files::write_whole(&self.aliases, text.as_bytes())
        {
            console::warn(format_args!("could not write `{}`: {error}", self.aliases.shown()));
        }
        (self.cpus, self.has_begun) = (Some(std::mem::take(&mut start.cpus)), true);
    }

    /// Puts `event` into the line, if there is room for it. If there is no room, moves are dropped, and games that have
    /// ended wait without their records.
    fn hold(&mut self, event: Event, at: Duration) {
        let news = match event {
            Event::Moved { .. } | Event::Told { .. } if self.line.is_delayed() && self.line.len() >= MOST_HELD => {
                self.dropped += 1;
                return;
            }
            // The log of a void game will be replaced by the log of the next attempt.
            Event::Ended(Ended { game: id, number, record, .. })
                if self.line.is_delayed() && self.records >= MOST_RECORDS && record.void().is_none() =>
            {
                RunNews::EndedInLog { id, number }
            }
            event => {
                self.records += usize::from(matches!(event, Event::Ended(_)));
                RunNews::Event(event)
            }
        };
        self.line.put(at, news);
    }

    /// Handles the end of a game that did not fit into the queue: puts it into the line with the record from the game's
    /// log, which has already been written.
    fn hold_from_log(&mut self, id: GameId, number: u64, at: Duration) {
        let Some(ended) = self.read_from_log(id, number) else { return };
        self.hold(Event::Ended(ended), at);
    }

    /// The end of a game, with the record from its log.
    fn read_from_log(&self, id: GameId, number: u64) -> Option<Ended> {
        let record = Box::new(results_dir::read_log(&self.results.log(id.as_str())).ok()?);
        Some(Ended { game: id, number, record, outputs: no_outputs(), again: None })
    }

    /// Shows `news` on the page.
    fn show(&mut self, news: RunNews, state: &mut LiveState, at: Duration) {
        match news {
            RunNews::Begin(start) => self.begin(*start, state),
            RunNews::Event(event) => {
                self.records -= usize::from(matches!(event, Event::Ended(_)));
                self.take(event, state, at);
            }
            RunNews::EndedInLog { id, number } => {
                if let Some(ended) = self.read_from_log(id, number) {
                    self.take(Event::Ended(ended), state, at);
                }
            }
            RunNews::Missed(moves) => state.missed(moves),
            RunNews::LostTrack => state.lost_track(),
            RunNews::Close => self.is_over = true,
        }
    }

    fn begin(&mut self, start: BegunRun, state: &mut LiveState) {
        let BegunRun { state: begun, test, latest, .. } = start;
        state.replace(begun);
        for id in &latest {
            if let Ok(record) = results_dir::read_log(&self.results.log(id)) {
                state.recall(id, &record);
            }
        }
        if !latest.is_empty() {
            state.note(None, "the run continues from here");
        }
        self.test = test;
        self.tell_progress(state);
    }

    fn take(&mut self, event: Event, state: &mut LiveState, at: Duration) {
        match event {
            Event::Started { game, players, opening } => {
                state.started((at, game.as_str()), &players, &opening);
            }
            Event::Moved { game, ply, played, left } => state.moved((at, game.as_str()), ply, played, left),
            Event::Told { game, seat, thought, .. } => state.told(game.as_str(), seat, &thought),
            Event::Ended(Ended { game, number, record, .. }) => {
                state.ended(at, EndedGame { id: game.as_str(), number, record: &record });
                if let (Some((_, results)), Some(known)) = (&mut self.test, KnownEnding::of(&record)) {
                    results.insert(game, known);
                    self.tell_progress(state);
                }
            }
            Event::Building { player } => state.note(Some(&player), "is being built"),
            // The reason is not shown, because it may name files on this machine.
            Event::Unstartable { player, .. } => state.note(Some(&player), "cannot be started and loses all its games"),
            Event::Unprepared { player, .. } => {
                state.note(Some(&player), "could not be prepared, and its games are void");
            }
            // The address of a remote player is private.
            Event::Waiting { player, .. } => state.note(Some(&player), "is expected"),
            // The names of workers are not shown, because they are the names of machines.
            Event::Staffed { workers, slots } => state.staffed(workers, slots),
            Event::DroppedOut { game, seat, after_plies, why } => {
                state.dropped_out((at, game.as_str()), DropOutNews { seat, after_plies: Some(after_plies), why });
            }
            Event::Reading { .. } | Event::Enter(_) | Event::Entered(_) => {}
        }
    }

    fn tell_progress(&mut self, state: &mut LiveState) {
        let Some((schedule, results)) = &mut self.test else { return };
        if let Some(progress) = schedule.progress(results) {
            state.tested(progress);
        }
    }
}
