//! Where a live page's events come from: a run.

use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc::error::TryRecvError;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};

use super::answer::Archive;
use super::state::{EndedGame, LiveState, Premise, ShownPlayer, ShownPlayers, TableSetting};
use crate::base::time::today;
use crate::game::rules::BySide;
use crate::run::derived::Derived;
use crate::run::event::{Ended, Event};
use crate::run::journal::Ledger;
use crate::run::listener::{EventQueue, EventReader, Listener, Outset, event_queue};
use crate::run::results_dir;
use crate::tournament::file::{Player, Tournament};
use crate::tournament::schedule::{GameId, Results, Schedule};

/// Where a page's events come from. Everything happens on the page's own thread, which asks now and then.
pub(crate) trait Feed: Send {
    /// Tells `state` what has happened; `at` is the time since the page began. Returns whether more may come.
    fn drain(&mut self, state: &mut LiveState, at: Duration) -> bool;

    /// The CPUs that the thread should keep to, once that is known.
    fn cpus(&mut self) -> Option<Vec<u32>> {
        None
    }

    /// Finds the records of games that have ended, if they are kept elsewhere.
    fn archive(&self) -> Archive {
        Rc::new(|_| None)
    }
}

/// How many events may wait for the page's thread, which takes them twenty times a second.
const CAPACITY: usize = 4096;

/// What the collector tells the page's thread besides events.
#[derive(Debug)]
enum FeedOrder {
    /// The games begin.
    Begin(Box<BegunRun>),
    /// There was no room for the end of this game.
    Overflow { id: GameId, number: u64 },
    /// There will be no more events.
    Close,
}

/// The state of a run when its games begin.
#[derive(Debug)]
struct BegunRun {
    state: LiveState,
    test: Option<(Schedule, Results)>,
    cpus: Vec<u32>,
}

/// What the page shows of a tournament.
#[derive(Clone, Debug)]
pub(crate) struct ShownRun {
    tournament: Arc<Tournament>,
    address: Option<String>,
}

impl ShownRun {
    pub(crate) const fn new(tournament: Arc<Tournament>, address: Option<String>) -> Self {
        Self { tournament, address }
    }

    /// What the page knows before its first event.
    pub(crate) fn premise(&self, total: Option<u64>) -> Premise {
        let Tournament { name, ruleset, time_control, meter, opening_plies, players, .. } = &*self.tournament;
        let shown = |player: &Player| {
            let (name, slug) = (player.name.to_string(), player.name.slug());
            ShownPlayer { shown: name.clone(), shown_slug: slug.clone(), name, slug }
        };
        Premise {
            title: name.clone(),
            date: Some(today().replace('.', "-")),
            table: TableSetting { ruleset: *ruleset, clocks: *time_control, meter: *meter },
            opening_plies: usize::try_from(*opening_plies).unwrap_or(usize::MAX),
            total,
            roster: ShownPlayers::new(players.iter().map(shown).collect()),
            keeps: 0,
            address: self.address.clone(),
        }
    }
}

/// The listener that feeds a page. It does as little as it can: what it does, the results of all games wait for.
#[derive(Debug)]
pub(crate) struct LiveListener {
    shown: ShownRun,
    files: u64,
    queue: EventQueue,
    orders: UnboundedSender<FeedOrder>,
}

/// The events of a run.
#[derive(Debug)]
pub(crate) struct RunFeed {
    results: Derived,
    reader: EventReader,
    orders: UnboundedReceiver<FeedOrder>,
    test: Option<(Schedule, Results)>,
    cpus: Option<Vec<u32>>,
}

/// Both ends of the way from a run, whose results are in `dir`, to its page, which may have `files` files open.
pub(crate) fn of_run(shown: ShownRun, dir: PathBuf, files: u64) -> (LiveListener, RunFeed) {
    let (queue, reader) = event_queue(CAPACITY);
    let (orders, received) = mpsc::unbounded_channel();
    let feed = RunFeed { results: Derived::in_dir(dir), reader, orders: received, test: None, cpus: None };
    (LiveListener { shown, files, queue, orders }, feed)
}

impl LiveListener {
    /// Sends `order`. It is not an error if the page's thread has gone.
    fn send(&self, order: FeedOrder) {
        let _ = self.orders.send(order);
    }
}

impl Listener for LiveListener {
    fn begin(&mut self, outset: &Outset<'_>) {
        let &Outset { schedule, results, ledger, spare_cpus } = outset;
        let state = LiveState::new(self.shown.premise(Some(schedule.at_most())), past(ledger));
        let is_test = schedule.clone().progress(results).is_some();
        let test = is_test.then(|| (schedule.clone(), results.clone()));
        self.send(FeedOrder::Begin(Box::new(BegunRun { state, test, cpus: spare_cpus.to_vec() })));
    }

    fn tell(&mut self, event: &Event) {
        let Event::Ended(Ended { game, number, record, again, .. }) = event else {
            self.queue.put(event);
            return;
        };
        // The page has no use for what bots wrote, which may be long.
        let (record, outputs, again) = (record.clone(), BySide::default(), *again);
        let ended = Ended { game: game.clone(), number: *number, record, outputs, again };
        if !self.queue.put(&Event::Ended(ended)) {
            self.send(FeedOrder::Overflow { id: game.clone(), number: *number });
        }
    }

    fn close(&mut self) {
        self.send(FeedOrder::Close);
    }

    fn open_files(&self) -> u64 {
        self.files
    }

    fn queue(&self) -> Option<EventQueue> {
        Some(self.queue.clone())
    }
}

/// The games that `ledger` holds, each with its number.
fn past(ledger: &Ledger) -> impl Iterator<Item = (u64, &crate::results::standings::GameSummary)> {
    let games = ledger.summaries().into_iter();
    games.filter_map(|summary| Some((ledger.game(&summary.game)?.number, summary)))
}

impl Feed for RunFeed {
    fn drain(&mut self, state: &mut LiveState, at: Duration) -> bool {
        let is_open = loop {
            let order = match self.orders.try_recv() {
                // No event of a game comes before this order, but some may already come after it.
                Ok(FeedOrder::Begin(start)) => {
                    self.begin(*start, state);
                    continue;
                }
                order => order,
            };
            // The other orders follow from events that are already there.
            while let Some(event) = self.reader.ready() {
                self.take(event, state, at);
            }
            match order {
                Ok(FeedOrder::Overflow { id, number }) => self.take_from_log(&id, number, state, at),
                Ok(FeedOrder::Close) | Err(TryRecvError::Disconnected) => break false,
                Ok(FeedOrder::Begin(_)) | Err(TryRecvError::Empty) => break true,
            }
        };
        state.missed(self.reader.missed().moves);
        is_open
    }

    fn cpus(&mut self) -> Option<Vec<u32>> {
        self.cpus.take()
    }

    fn archive(&self) -> Archive {
        let results = self.results.clone();
        Rc::new(move |id| results_dir::read_log(&results.log(id)).ok())
    }
}

impl RunFeed {
    fn begin(&mut self, start: BegunRun, state: &mut LiveState) {
        let BegunRun { state: begun, test, cpus } = start;
        state.replace(begun);
        (self.test, self.cpus) = (test, Some(cpus));
        self.tell_progress(state);
    }

    fn take(&mut self, event: Event, state: &mut LiveState, at: Duration) {
        match event {
            Event::Started { game, players, opening } => {
                state.started((at, game.as_str()), players.as_ref().map(String::as_str), &opening);
            }
            Event::Moved { game, ply, played, left } => state.moved((at, game.as_str()), ply, played, left),
            Event::Ended(Ended { game, number, record, .. }) => {
                state.ended(at, EndedGame { id: game.as_str(), number, record: &record });
                if let (Some((_, results)), Ok(result)) = (&mut self.test, &record.result) {
                    results.insert(game, result.into());
                    self.tell_progress(state);
                }
            }
            Event::Building { player } => state.note(Some(&player), "is being built"),
            // The reason may name files of this machine.
            Event::Unstartable { player, .. } => state.note(Some(&player), "cannot be started and loses all its games"),
            // The address of a remote player is nobody else's business.
            Event::Waiting { player, .. } => state.note(Some(&player), "is expected"),
            Event::Reading { .. } => {}
        }
    }

    /// Takes a game whose end the queue had no room for from its log, which was written before.
    fn take_from_log(&mut self, id: &GameId, number: u64, state: &mut LiveState, at: Duration) {
        let Ok(record) = results_dir::read_log(&self.results.log(id.as_str())) else { return };
        let (record, outputs) = (Box::new(record), BySide::default());
        let ended = Ended { game: id.clone(), number, record, outputs, again: None };
        self.take(Event::Ended(ended), state, at);
    }

    fn tell_progress(&mut self, state: &mut LiveState) {
        let Some((schedule, results)) = &mut self.test else { return };
        if let Some(progress) = schedule.progress(results) {
            state.tested(progress.to_string());
        }
    }
}
