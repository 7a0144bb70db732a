//! The source of a live page's events, and its implementation for a run.

use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc::error::TryRecvError;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};

use super::answer::Archive;
use super::delay_line::DelayLine;
use super::idle_analysis::IdleAnalysis;
use super::state::{
    DropOutNews, EndedGame, FormatHistory, LiveState, Premise, RulesAndClocks, ShownPlayer, ShownPlayers, Upcoming,
};
use crate::base::sanitise::Shown as _;
use crate::base::time::today;
use crate::base::{console, files};
use crate::game::BySeat;
use crate::host::bot_output::BotOutput;
use crate::page::shown::aliases::Aliases;
use crate::results::analysis::by_solver::Analyst;
use crate::results::standings::PlayedSummary;
use crate::run::derived::Derived;
use crate::run::event::{Ended, Event};
use crate::run::journal::Ledger;
use crate::run::listener::{EventQueue, EventReader, Listener, ListenerContext, Missed, event_queue};
use crate::run::results_dir::{self, ALIASES};
use crate::tournament::schedule::{GameId, KnownEnding, Results, Schedule};
use crate::tournament::{Format, Player, Tournament, slug as slug_of};

/// The source of a page's events. All methods are called on the page's thread, which polls regularly.
pub(crate) trait Feed: Send {
    /// Updates `state` with new events; `at` is the time since the page was started. Returns whether more events may
    /// follow.
    fn drain(&mut self, state: &mut LiveState, at: Duration) -> bool;

    /// The CPUs that the thread should be pinned to, as soon as they are known.
    fn cpus(&mut self) -> Option<Vec<u32>> {
        None
    }

    /// The thread that analyzes games, as soon as the games begin; `None` if they should not be analyzed.
    fn idle_analysis(&mut self) -> Option<IdleAnalysis> {
        None
    }

    /// Whether there is, or will be, a thread that analyzes games.
    fn analyzes(&self) -> bool {
        false
    }

    /// Finds the records of games that have ended, if the feed keeps these records.
    fn archive(&self) -> Archive {
        Rc::new(|_| None)
    }
}

/// The maximum number of events that may be queued for the page's thread, which drains them twenty times a second.
const CAPACITY: usize = 4096;

/// The maximum number of games that the page reports even though they ended before it was started.
const RECALLED: usize = 200;

/// The number of events that may wait for a page that is behind the run. If more are waiting, moves are dropped.
const MOST_HELD: usize = 100_000;

/// The number of games whose records may wait for a page that is behind the run. The records of further games are read
/// from their logs.
const MOST_RECORDS: usize = 1024;

/// A message from the collector to the page's thread that is not an event.
#[derive(Debug)]
enum FeedOrder {
    /// The games begin.
    Begin(Box<BegunRun>),
    /// The queue had no space for the end of this game.
    Overflow { id: GameId, number: u64 },
    /// There will be no more events.
    Close,
}

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

/// The state of a run when its games begin.
#[derive(Debug)]
struct BegunRun {
    state: LiveState,
    test: Option<(Schedule, Results)>,
    cpus: Vec<u32>,
    /// The text of the file of aliases, if names are hidden.
    aliases: Option<String>,
    /// The ids of the latest games to end, in the order in which they ended.
    latest: Vec<String>,
}

/// The data of a tournament that the page shows.
#[derive(Clone, Debug)]
pub(crate) struct ShownRun {
    /// The tournament.
    pub tournament: Arc<Tournament>,
    /// The address at which other machines can reach the page, if they can.
    pub address: Option<String>,
    /// The names to show instead of the players' own, if these are hidden.
    pub aliases: Option<Aliases>,
}

/// The directory of a run's results, and the files and the analyst that the page may use.
#[derive(Debug)]
pub(crate) struct RunSite {
    /// The directory of the results.
    pub dir: PathBuf,
    /// The maximum number of files that the page may have open.
    pub files: u64,
    /// The analyst of games that have ended, if they should be analyzed.
    pub analyst: Option<Analyst>,
    /// How far the page is behind the run.
    pub delay: Duration,
}

impl ShownRun {
    /// The page's initial information, before its first event. `schedule` is the run's schedule, from which no game may
    /// have been taken yet; `None` if no games will begin.
    pub(crate) fn premise(&self, schedule: Option<&Schedule>) -> Premise {
        let Tournament { name, ruleset, time_control, meter, opening_plies, players, .. } = &*self.tournament;
        let shown = |player: &Player| {
            let (name, slug) = (player.name.to_string(), player.name.slug());
            let shown = self.aliases.as_ref().map_or(name.as_str(), |aliases| aliases.of(&name)).to_owned();
            ShownPlayer { shown_slug: slug_of(&shown), shown, name, slug }
        };
        let roster = ShownPlayers::new(players.iter().map(shown).collect());
        Premise {
            title: self.aliases.as_ref().map_or_else(|| name.clone(), |aliases| aliases.in_text(name)),
            date: Some(today().replace('.', "-")),
            table: RulesAndClocks { ruleset: *ruleset, clocks: *time_control, meter: *meter },
            opening_plies: usize::try_from(*opening_plies).unwrap_or(usize::MAX),
            total: schedule.map(Schedule::at_most),
            upcoming: schedule.map(|schedule| {
                let number = |player: &Player| roster.find(player.name.as_str()).unwrap_or_default();
                Upcoming::new(schedule.clone(), players.iter().map(number).collect())
            }),
            roster,
            keeps: 0,
            address: self.address.clone(),
            history: FormatHistory::new(&self.tournament, schedule),
            is_test: matches!(self.tournament.format, Format::Sprt { .. }),
        }
    }
}

/// The listener that feeds a page. It does as little as possible, since the results of all games must wait for it.
#[derive(Debug)]
pub(crate) struct LiveListener {
    shown: ShownRun,
    files: u64,
    queue: EventQueue,
    plan: UnboundedSender<FeedOrder>,
}

/// The events of a run.
#[derive(Debug)]
pub(crate) struct RunFeed {
    results: Derived,
    /// The path of the file of aliases.
    aliases: PathBuf,
    reader: EventReader,
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

/// The number of files that an analysis may have open: the cache, and its replacement.
const OF_THE_JUDGE: u64 = 2;

/// Creates both ends of the channel from the run at `site` to its page, which is behind the run by the site's delay.
pub(crate) fn of_run(shown: ShownRun, site: RunSite) -> (LiveListener, RunFeed) {
    let RunSite { dir, files, analyst, delay } = site;
    let files = files + if analyst.is_some() { OF_THE_JUDGE } else { 0 };
    let (queue, reader) = event_queue(CAPACITY);
    let (plan, received) = mpsc::unbounded_channel();
    let aliases = dir.join(ALIASES);
    let feed = RunFeed {
        analyst: analyst.map(|analyst| (analyst, dir.clone())),
        results: Derived::in_dir(dir),
        aliases,
        reader,
        plan: received,
        line: DelayLine::new(delay),
        records: 0,
        dropped: 0,
        test: None,
        cpus: None,
        has_begun: false,
        missed: Missed::default(),
        is_closed: false,
        is_over: false,
    };
    (LiveListener { shown, files, queue, plan }, feed)
}

impl LiveListener {
    /// Sends `order`. It is not an error if the page's thread is gone.
    fn send(&self, order: FeedOrder) {
        let _ = self.plan.send(order);
    }
}

impl Listener for LiveListener {
    fn begin(&mut self, context: &ListenerContext<'_>) {
        let &ListenerContext { schedule, results, ledger, spare_cpus } = context;
        let state = LiveState::new(self.shown.premise(Some(schedule)), past(ledger));
        let is_test = schedule.clone().progress(results).is_some();
        let test = is_test.then(|| (schedule.clone(), results.clone()));
        let (cpus, aliases) = (spare_cpus.to_vec(), self.shown.aliases.as_ref().map(Aliases::json));
        let latest = ledger.latest(RECALLED).into_iter().map(str::to_owned).collect();
        self.send(FeedOrder::Begin(Box::new(BegunRun { state, test, cpus, aliases, latest })));
    }

    fn tell(&mut self, event: &Event) {
        let Event::Ended(Ended { game, number, record, again, .. }) = event else {
            self.queue.put(event);
            return;
        };
        // The page does not use the bots' outputs, which may be long.
        let (record, outputs, again) = (record.clone(), no_outputs(), *again);
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

/// The outputs of bots that have written nothing.
fn no_outputs() -> BySeat<BotOutput> {
    BySeat::from_fn(2, |_| BotOutput::default())
}

/// The games in `ledger`, each with its number.
fn past(ledger: &Ledger) -> impl Iterator<Item = (u64, PlayedSummary)> {
    ledger.in_order().into_iter().map(|kept| (kept.number, kept.summary().to_summary()))
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

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::referee::record::GameRecord;

    const ROUNDS: u32 = 3000;

    fn shown() -> ShownRun {
        let text = format!(
            "rounds = {ROUNDS}\n[[player]]\nname = \"a\"\nbuiltin = \"random\"\n[[player]]\nname = \"b\"\nbuiltin = \"random\"\n"
        );
        let tournament = Tournament::parse(&text, "test").unwrap_or_else(|problems| panic!("{problems}"));
        ShownRun { tournament: Arc::new(tournament), address: None, aliases: None }
    }

    const fn site(dir: PathBuf) -> RunSite {
        RunSite { dir, files: 0, analyst: None, delay: Duration::ZERO }
    }

    fn record(round: u32) -> GameRecord {
        let text = format!(
            "[Black \"a\"]\n[White \"b\"]\n[Round \"{round}\"]\n[Result \"0-1\"]\n[Termination \"no show\"]\n\n0-1\n"
        );
        text.parse().unwrap_or_else(|error| panic!("{error}"))
    }

    /// The page's state after `drain`, and whether more events may follow.
    fn drained(feed: &mut RunFeed, state: &mut LiveState) -> (Value, bool) {
        let is_open = feed.drain(state, Duration::from_secs(1));
        (serde_json::from_str(&state.snapshot(Duration::from_secs(1))).expect("JSON"), is_open)
    }

    #[test]
    fn no_end_of_a_game_is_lost_when_the_queue_is_full() {
        let dir = tempfile::tempdir().expect("a directory");
        std::fs::create_dir(dir.path().join("games")).expect("made");
        let (mut listener, mut feed) = of_run(shown(), site(dir.path().to_owned()));
        let mut state = LiveState::new(shown().premise(None), []);
        let games = 2 * u64::from(ROUNDS);
        for number in 0..games {
            let round = u32::try_from(number / 2).expect("a few") + 1;
            let id = format!("r{round}-a-b-{}", number % 2);
            let record = record(round);
            if number >= CAPACITY as u64 {
                std::fs::write(dir.path().join(format!("games/{id}.log")), record.to_string()).expect("written");
            }
            let (game, record, outputs) = (GameId::from_text(id), Box::new(record.into()), no_outputs());
            listener.tell(&Event::Ended(Ended { game, number, record, outputs, again: None }));
        }
        let (seen, is_open) = drained(&mut feed, &mut state);
        assert_eq!((seen["progress"]["done"].as_u64(), is_open), (Some(games), true));
        listener.close();
        assert!(!drained(&mut feed, &mut state).1);
    }

    #[test]
    fn a_page_whose_run_has_gone_hears_the_end() {
        let (listener, mut feed) = of_run(shown(), site(PathBuf::new()));
        let mut state = LiveState::new(shown().premise(None), []);
        listener.queue.put(&Event::Building { player: "a".to_owned() });
        drop(listener);
        let (seen, is_open) = drained(&mut feed, &mut state);
        assert_eq!((seen["log"][0]["text"].as_str(), is_open), (Some("a is being built"), false));
    }

    #[test]
    fn bots_output_does_not_reach_the_queue() {
        let (mut listener, mut feed) = of_run(shown(), site(PathBuf::new()));
        let outputs = BySeat::from_fn(2, |_| crate::host::bot_output::BotOutput {
            stderr: vec![b'x'; 1 << 20],
            ..Default::default()
        });
        let (game, record) = (GameId::from_text("r1-a-b"), Box::new(record(1).into()));
        listener.tell(&Event::Ended(Ended { game, number: 0, record, outputs, again: None }));
        let Some(Event::Ended(ended)) = feed.reader.ready() else { panic!("an end") };
        assert_eq!(ended.outputs, no_outputs());
    }
}
