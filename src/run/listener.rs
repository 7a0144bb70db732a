//! The listeners of a run, and the queues that keep listeners from delaying the run.
//!
//! A listener is notified of a game's end only after the game is in the journal. Games send their starts and moves
//! directly through a bounded queue. A game only enqueues events for which there is space, and never waits for a
//! listener.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::mpsc::{self, Receiver, Sender};

use crate::referee::record::Ply;
use crate::run::event::Event;
use crate::run::journal::Ledger;
use crate::tournament::schedule::{GameId, Results, Schedule};

/// The state of a run when its games begin.
#[derive(Debug)]
pub struct ListenerContext<'a> {
    /// The games.
    pub schedule: &'a Schedule,
    /// The results of the games that have already ended.
    pub results: &'a Results,
    /// The state of the journal, including these games.
    pub ledger: &'a Ledger,
    /// The CPUs that no bot is bound to, if bots are bound to CPUs and some CPUs are left.
    pub spare_cpus: &'a [u32],
}

/// A listener to the events of a run. No method may block: the results of all games pass through here.
pub trait Listener {
    /// Called when the games begin.
    fn begin(&mut self, context: &ListenerContext<'_>) {
        let _ = context;
    }

    /// Called for each event. When the end of a game is reported, the journal already contains the game.
    fn tell(&mut self, event: &Event);

    /// Called when there will be no more events.
    fn close(&mut self) {}

    /// How many files the listener may have open at a time.
    fn open_files(&self) -> u64 {
        0
    }

    /// The queue into which games put their starts and moves; `None` if the listener does not want them.
    fn queue(&self) -> Option<EventQueue> {
        None
    }
}

/// All listeners of a run, in the order in which they are notified of an event.
#[derive(Default)]
pub struct Listeners<'l>(Vec<Box<dyn Listener + 'l>>);

impl<'l> Listeners<'l> {
    /// Adds `listener` after all other listeners.
    #[must_use]
    pub fn with(mut self, listener: impl Listener + 'l) -> Self {
        self.add(Box::new(listener));
        self
    }

    /// Adds `listener` after all other listeners.
    pub fn add(&mut self, listener: Box<dyn Listener + 'l>) {
        self.0.push(listener);
    }

    /// Notifies all listeners that the games begin.
    pub fn begin(&mut self, context: &ListenerContext<'_>) {
        for listener in &mut self.0 {
            listener.begin(context);
        }
    }

    /// Notifies all listeners of `event`.
    pub fn tell(&mut self, event: &Event) {
        for listener in &mut self.0 {
            listener.tell(event);
        }
    }

    /// Notifies all listeners that there will be no more events.
    pub fn close(&mut self) {
        for listener in &mut self.0 {
            listener.close();
        }
    }

    /// How many files all listeners together may have open at a time.
    pub fn open_files(&self) -> u64 {
        self.0.iter().map(|listener| listener.open_files()).sum()
    }

    /// The queues of the listeners that want starts and moves.
    pub fn queues(&self) -> EventQueues {
        EventQueues(self.0.iter().filter_map(|listener| listener.queue()).collect())
    }
}

/// The queues into which games put their starts and moves.
#[derive(Clone, Debug, Default)]
pub struct EventQueues(Vec<EventQueue>);

impl EventQueues {
    /// Whether any listener wants starts and moves.
    pub fn are_heard(&self) -> bool {
        self.0.iter().any(|queue| !queue.events.is_closed())
    }

    /// Puts `event` into every queue that has space for it.
    pub fn put(&self, event: &Event) {
        for queue in &self.0 {
            queue.put(event);
        }
    }

    /// Puts ply `number` (from 1) of `game` into every queue that has space for it.
    pub fn put_move(&self, game: &GameId, number: usize, ply: &Ply) {
        self.put(&Event::Moved { game: game.clone(), ply: number, played: ply.played, left: ply.left });
    }
}

/// How many events a listener has missed because its queue was full.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Missed {
    /// Missed moves and thoughts.
    pub moves: u64,
    /// All other missed events.
    pub others: u64,
}

#[derive(Debug, Default)]
struct MissedSoFar {
    moves: AtomicU64,
    others: AtomicU64,
}

/// A listener that passes events on to an [`EventReader`], which may run on a separate task, thread or connection.
#[derive(Clone, Debug)]
pub struct EventQueue {
    events: Sender<Event>,
    missed: Arc<MissedSoFar>,
}

/// The reading end of a queue of events.
#[derive(Debug)]
pub struct EventReader {
    events: Receiver<Event>,
    missed: Arc<MissedSoFar>,
}

/// A queue for at most `capacity` events. Moves may fill only half of it, so that a slow reader misses moves before it
/// misses the end of a game.
pub fn event_queue(capacity: usize) -> (EventQueue, EventReader) {
    let (sender, receiver) = mpsc::channel(capacity);
    let missed = Arc::<MissedSoFar>::default();
    (EventQueue { events: sender, missed: Arc::clone(&missed) }, EventReader { events: receiver, missed })
}

impl EventQueue {
    /// Puts `event` into the queue, or counts it as missed; never waits. Drops it if the reader is gone. Returns
    /// whether the reader will get the event, or no longer needs it.
    pub(crate) fn put(&self, event: &Event) -> bool {
        if self.events.is_closed() {
            return true;
        }
        let is_move = matches!(event, Event::Moved { .. } | Event::Told { .. });
        let has_room = !is_move || self.events.capacity() * 2 > self.events.max_capacity();
        let is_put = has_room && !matches!(self.events.try_send(event.clone()), Err(TrySendError::Full(_)));
        if !is_put {
            let missed = if is_move { &self.missed.moves } else { &self.missed.others };
            missed.fetch_add(1, Relaxed);
        }
        is_put
    }
}

impl Listener for EventQueue {
    fn tell(&mut self, event: &Event) {
        self.put(event);
    }

    fn queue(&self) -> Option<EventQueue> {
        Some(self.clone())
    }
}

impl EventReader {
    /// The next event; `None` once the run is over and all events have been read.
    pub async fn next(&mut self) -> Option<Event> {
        self.events.recv().await
    }

    /// The next event that is already in the queue. If a reader only polls, games do not have to make a system call to
    /// wake it.
    pub fn ready(&mut self) -> Option<Event> {
        self.events.try_recv().ok()
    }

    /// How many events the reader has missed so far.
    pub fn missed(&self) -> Missed {
        Missed { moves: self.missed.moves.load(Relaxed), others: self.missed.others.load(Relaxed) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn building(player: &str) -> Event {
        Event::Building { player: player.to_owned() }
    }

    fn moved(ply: usize) -> Event {
        let played = "c3".parse().expect("a move");
        Event::Moved { game: GameId::from_text("r1-a-b"), ply, played, left: None }
    }

    #[tokio::test]
    async fn a_reader_that_keeps_up_misses_nothing_and_receives_the_end() {
        let (mut queue, mut reader) = event_queue(4);
        for ply in 1..100 {
            assert!(queue.queue().expect("it wants moves").put(&moved(ply)));
            queue.tell(&building("a"));
            assert_eq!((reader.next().await, reader.next().await), (Some(moved(ply)), Some(building("a"))));
        }
        assert_eq!(reader.missed(), Missed::default());
        drop(queue);
        assert_eq!(reader.next().await, None);
    }

    #[tokio::test]
    async fn a_slow_reader_misses_moves_first_and_learns_how_many() {
        let (mut queue, mut reader) = event_queue(4);
        assert_eq!((1..=10).filter(|&ply| queue.put(&moved(ply))).count(), 2);
        assert_eq!(reader.missed(), Missed { moves: 8, others: 0 });
        for player in ["a", "b", "c"] {
            queue.tell(&building(player));
        }
        assert_eq!(reader.missed(), Missed { moves: 8, others: 1 });
        drop(queue);
        for event in [moved(1), moved(2), building("a"), building("b")] {
            assert_eq!(reader.next().await, Some(event));
        }
        assert_eq!(reader.next().await, None);
    }

    #[test]
    fn events_for_a_reader_that_is_gone_are_dropped() {
        let (queue, reader) = event_queue(1);
        let queues = Listeners::default().with(queue.clone()).queues();
        assert!(queues.are_heard());
        drop(reader);
        assert!(!queues.are_heard());
        (1..=10).for_each(|ply| queues.put(&moved(ply)));
        assert_eq!(queue.missed.moves.load(Relaxed), 0, "without a reader, nothing is missed");
        assert!(!Listeners::default().queues().are_heard());
    }
}
