//! The state of a live page and its latest frames, shared by all clients.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::ops::Range;
use std::rc::Rc;
use std::time::Duration;

use hyper::body::Bytes;
use tokio::sync::watch;

use super::state::LiveState;
use crate::base::time::{Instant, now, uptime};
use crate::referee::record::LoggedGame;

/// The minimum interval between frames.
pub(crate) const FRAME_EVERY: Duration = Duration::from_millis(250);

/// The number of frames to keep for clients that reconnect.
const KEPT: usize = 64;

/// The number of frames that a client may be behind before it gets a new state instead.
const MOST_BEHIND: u64 = 4;

/// The position of a client in the events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cursor {
    /// The client has seen no events, and needs the state.
    Nothing,
    /// The client has the state with all frames up to this number.
    UpTo(u64),
    /// The client has the last event.
    End,
}

/// The text of the state.
#[derive(Clone, Debug)]
struct Snapshot {
    made: Instant,
    seq: u64,
    /// The event that contains the text, and the range of the text within the event.
    event: Bytes,
    text: Range<usize>,
}

/// The state with its latest frames. It is used on a single thread.
#[derive(Debug)]
pub(crate) struct Hub {
    state: RefCell<LiveState>,
    frames: RefCell<VecDeque<(u64, Bytes)>>,
    snapshot: RefCell<Option<Snapshot>>,
    /// The last game that was requested since the last frame: its id on the page, and its text.
    game: RefCell<Option<(String, Bytes)>>,
    /// The page, and the number of fits after which it was made.
    document: RefCell<Option<(u64, Bytes)>>,
    /// Distinguishes this page's frames from those of an earlier run of the program.
    epoch: String,
    began: Instant,
    is_over: Cell<bool>,
    changes: watch::Sender<u64>,
}

impl Hub {
    pub(crate) fn new(state: LiveState) -> Rc<Self> {
        Rc::new(Self {
            state: RefCell::new(state),
            frames: RefCell::default(),
            snapshot: RefCell::default(),
            game: RefCell::default(),
            document: RefCell::default(),
            epoch: format!("{:x}", uptime().as_micros()),
            began: now(),
            is_over: Cell::new(false),
            changes: watch::Sender::new(0),
        })
    }

    /// The time since the page was started.
    pub(crate) fn at(&self) -> Duration {
        self.began.elapsed()
    }

    /// Changes the state.
    pub(crate) fn update<T>(&self, change: impl FnOnce(&mut LiveState) -> T) -> T {
        change(&mut self.state.borrow_mut())
    }

    /// Makes a frame if anything has changed, and wakes the clients' streams.
    pub(crate) fn publish(&self) {
        *self.game.borrow_mut() = None;
        let mut state = self.state.borrow_mut();
        let Some(frame) = state.frame(self.at()) else { return };
        let seq = state.seq();
        let mut frames = self.frames.borrow_mut();
        frames.push_back((seq, self.event("frame", seq, &frame)));
        if frames.len() > KEPT {
            frames.pop_front();
        }
        self.changes.send_replace(seq);
    }

    /// Ends the page: there are no more frames, and every stream ends after it has sent everything.
    pub(crate) fn end(&self) {
        self.is_over.set(true);
        self.changes.send_modify(|_| {});
    }

    /// Returns a receiver that is notified when there is something new.
    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// The state as JSON, which is updated for each frame. It never lags behind the frames that clients have.
    pub(crate) fn snapshot(&self) -> Bytes {
        let Snapshot { event, text, .. } = self.latest();
        event.slice(text)
    }

    fn latest(&self) -> Snapshot {
        let state = self.state.borrow();
        let mut snapshot = self.snapshot.borrow_mut();
        // Clocks advance between frames.
        let is_fresh = |last: &&Snapshot| last.seq == state.seq() && last.made.elapsed() < FRAME_EVERY;
        if let Some(last) = snapshot.as_ref().filter(is_fresh) {
            return last.clone();
        }
        let (seq, text) = (state.seq(), state.snapshot(self.at()));
        let event = self.event("state", seq, &text);
        // Two line breaks end an event.
        let end = event.len() - 2;
        let new = Snapshot { made: now(), seq, text: end - text.len()..end, event };
        *snapshot = Some(new.clone());
        new
    }

    /// The page itself, which is rendered again if its standings have changed.
    pub(crate) fn document(&self) -> Bytes {
        let state = self.state.borrow();
        let mut document = self.document.borrow_mut();
        if let Some((_, html)) = document.as_ref().filter(|(fits, _)| *fits == state.fits()) {
            return html.clone();
        }
        let html = Bytes::from(state.document());
        *document = Some((state.fits(), html.clone()));
        html
    }

    /// The position from which a client that last saw event `last` resumes.
    pub(crate) fn resume(&self, last: Option<&str>) -> Cursor {
        let seq = last.and_then(|last| last.strip_prefix(&self.epoch)?.strip_prefix('-')?.parse::<u64>().ok());
        let frames = self.frames.borrow();
        let oldest = frames.front().map_or(0, |&(oldest, _)| oldest);
        let newest = self.state.borrow().seq();
        let is_known = |&seq: &u64| seq <= newest && seq + 1 >= oldest;
        seq.filter(is_known).map_or(Cursor::Nothing, Cursor::UpTo)
    }

    /// Returns the next event for a client at `cursor`, and advances the cursor; `None` if there is nothing new. A
    /// client that has fallen behind gets the state, unless `is_back` is set: a client that has just reconnected may
    /// have missed more frames.
    pub(crate) fn next(&self, cursor: &mut Cursor, is_back: bool) -> Option<Bytes> {
        let newest = self.state.borrow().seq();
        match *cursor {
            Cursor::End => None,
            Cursor::UpTo(seq) if seq >= newest => self.is_over.get().then(|| {
                *cursor = Cursor::End;
                self.event("end", newest, "{}")
            }),
            Cursor::UpTo(seq) if is_back || newest - seq < MOST_BEHIND => {
                let frames = self.frames.borrow();
                let found = frames.iter().find(|&&(number, _)| number == seq + 1).map(|(_, frame)| frame.clone());
                drop(frames);
                *cursor = if found.is_some() { Cursor::UpTo(seq + 1) } else { Cursor::Nothing };
                found.or_else(|| self.next(cursor, false))
            }
            Cursor::Nothing | Cursor::UpTo(_) => {
                let Snapshot { seq, event, .. } = self.latest();
                *cursor = Cursor::UpTo(seq);
                Some(event)
            }
        }
    }

    /// A server-sent event. The JSON has no line breaks, so `data` is one line.
    fn event(&self, name: &str, seq: u64, data: &str) -> Bytes {
        Bytes::from(format!("event: {name}\nid: {}-{seq}\ndata: {data}\n\n", self.epoch))
    }

    /// The game that the page calls `shown_id`, as an entry in `games` with its moves; `None` if the game has not
    /// ended, or if `read` finds no record of it. `read` is called with the game's id in the tournament.
    pub(crate) fn game(&self, shown_id: &str, read: impl FnOnce(&str) -> Option<LoggedGame>) -> Option<Bytes> {
        let mut last = self.game.borrow_mut();
        if let Some((id, text)) = &*last
            && id == shown_id
        {
            return Some(text.clone());
        }
        let state = self.state.borrow();
        let text = match state.kept(shown_id) {
            Some(kept) => kept.to_owned(),
            None => state.game(shown_id, &read(state.id(shown_id)?)?)?,
        };
        let text = Bytes::from(text);
        *last = Some((shown_id.to_owned(), text.clone()));
        Some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Ruleset;
    use crate::page::live::state::{Premise, RulesAndClocks, ShownPlayers};
    use crate::referee::clock::Meter;
    use crate::referee::time_control::TimeControl;

    fn hub() -> Rc<Hub> {
        Hub::new(LiveState::new(
            Premise {
                title: "test".to_owned(),
                date: None,
                table: RulesAndClocks {
                    ruleset: Ruleset::Gothello,
                    clocks: TimeControl::Unlimited,
                    meter: Meter::default(),
                },
                opening_plies: 0,
                total: None,
                is_most: false,
                roster: ShownPlayers::new(Vec::new()),
                keeps: 0,
                address: None,
                history: None,
                test: None,
                upcoming: None,
            },
            [],
        ))
    }

    /// Publishes `frames` frames on `hub`.
    fn publish(hub: &Hub, frames: usize) {
        for _ in 0..frames {
            hub.update(|state| state.note(None, "news"));
            hub.publish();
        }
    }

    /// The names of the events for a client at `cursor`, until there are no more.
    fn heard(hub: &Hub, mut cursor: Cursor, is_back: bool) -> (Vec<String>, Cursor) {
        let events = std::iter::from_fn(|| hub.next(&mut cursor, is_back));
        let name = |event: Bytes| {
            let text = String::from_utf8(event.to_vec()).expect("UTF-8");
            assert!(text.ends_with("\n\n") && text.matches('\n').count() == 4, "{text}");
            text.lines().next().and_then(|line| line.strip_prefix("event: ")).expect("a name").to_owned()
        };
        let names = events.map(name).collect();
        (names, cursor)
    }

    #[test]
    fn a_client_that_keeps_up_gets_each_frame_and_one_that_does_not_gets_the_state() {
        let hub = hub();
        assert_eq!(heard(&hub, Cursor::Nothing, false), (vec!["state".to_owned()], Cursor::UpTo(0)));
        publish(&hub, 3);
        assert_eq!(heard(&hub, Cursor::UpTo(0), false), (vec!["frame".to_owned(); 3], Cursor::UpTo(3)));
        publish(&hub, 1);
        assert_eq!(heard(&hub, Cursor::UpTo(0), false), (vec!["state".to_owned()], Cursor::UpTo(4)));
        hub.publish();
        assert_eq!(heard(&hub, Cursor::UpTo(4), false).0, [""; 0], "without news, there is no frame");
        hub.end();
        assert_eq!(heard(&hub, Cursor::UpTo(3), false), (vec!["frame".to_owned(), "end".to_owned()], Cursor::End));
    }

    #[test]
    fn a_client_that_comes_back_gets_what_it_missed_as_long_as_that_is_kept() {
        let hub = hub();
        publish(&hub, 100);
        let back = |seq: usize| hub.resume(Some(&format!("{}-{seq}", hub.epoch)));
        assert_eq!(heard(&hub, back(40), true).0.len(), 60);
        assert_eq!([back(36), back(35)], [Cursor::UpTo(36), Cursor::Nothing], "64 frames are kept");
        assert_eq!([back(100), back(101)], [Cursor::UpTo(100), Cursor::Nothing], "frame 101 does not exist yet");
        for foreign in [None, Some(""), Some("99"), Some("another-99"), Some("-99")] {
            assert_eq!(hub.resume(foreign), Cursor::Nothing, "{foreign:?}");
        }
    }

    #[test]
    fn all_clients_share_the_text_of_the_state() {
        let hub = hub();
        assert_eq!(hub.snapshot().as_ptr(), hub.snapshot().as_ptr());
        let before = hub.snapshot();
        publish(&hub, 1);
        assert_ne!(hub.snapshot(), before);
        assert_eq!(hub.document().as_ptr(), hub.document().as_ptr());
    }
}
