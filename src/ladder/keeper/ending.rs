//! How a ladder ends: it freezes once every hand-in that arrived in time has been checked, and it is over once its last
//! games have been played.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::door_plan::closing;
use super::reread::TournamentFileWatch;
use super::{Keeping, LadderNews};
use crate::base::sanitise::Shown as _;
use crate::base::time::{WallTime, wall_clock};
use crate::ladder::class_file::{CLASS_FILE, class_file};
use crate::ladder::mailbox::ArrivedRequest;
use crate::run::journal::{FrozenEntry, JournalEntry};
use crate::tournament::PlayerName;

/// A freeze that the teacher requested. It waits until everything that arrived before the request has been checked.
#[derive(Debug)]
pub(super) struct ComingFreeze {
    /// When the teacher requested it.
    pub(super) at: Timestamp,
    /// How many rounds the last versions play.
    pub(super) rounds: u32,
    pub(super) request: ArrivedRequest,
}

/// The closing times of the doors that have closed and have delivered everything. Each counts only while it is still
/// the closing time in the plan.
pub(super) type ClosedDoors = BTreeMap<PlayerName, WallTime>;

impl Keeping {
    pub(super) fn is_frozen(&self) -> bool {
        self.is_freezing || self.state.history().frozen().is_some()
    }

    /// The time at which hand-ins end, in the past or in the future; `None` if it is not known.
    pub(super) fn end_of_hand_ins(&self) -> Option<Timestamp> {
        let frozen = self.state.history().frozen().map(|frozen| frozen.at);
        let asked = self.freeze.as_ref().map(|freeze| freeze.at);
        [self.ladder.terms.closes, frozen, asked].into_iter().flatten().min()
    }

    /// Freezes the ladder if the hand-ins have ended and everything that arrived before their end has been checked.
    pub(super) fn freeze_in_time(&mut self) {
        let Some(at) = self.end_of_hand_ins().filter(|_| !self.is_frozen()) else { return };
        let time = WallTime::from(at);
        let is_checking = self.check.as_ref().is_some_and(|check| check.turn.arrived <= time);
        let waits = is_checking || self.queue.has_from(time) || !self.sent.is_empty() || self.joining.is_some();
        if wall_clock() < time || waits || self.is_deciding || !self.has_closed(Some(time)) {
            return;
        }
        // The mailbox may contain versions from the teacher, which count as well.
        self.read_requests();
        if !self.requests.is_idle() {
            return;
        }
        self.is_freezing = true;
        let rounds = self.freeze.as_ref().map_or(1, |freeze| freeze.rounds);
        self.enter(JournalEntry::Frozen(FrozenEntry { at, rounds }));
    }

    /// Carries out the consequences of the end of the hand-ins, whose entry is on disk.
    pub(super) fn take_freeze(&mut self) {
        self.is_freezing = false;
        if let Some(freeze) = self.freeze.take() {
            self.settle_request(&freeze.request);
        }
        self.change_doors();
    }

    /// Whether the doors that close by the time `until` (all doors if it is `None`) have closed and have delivered
    /// everything.
    fn has_closed(&self, until: Option<WallTime>) -> bool {
        let (history, end) = (self.state.history(), self.end_of_hand_ins());
        self.ladder.entries.iter().all(|entry| match closing(entry, end, history) {
            Some(closes) => until.is_some_and(|until| closes > until) || self.closed.get(&entry.name) == Some(&closes),
            None => false,
        })
    }

    /// Whether the frozen ladder has nothing left to do: all its games have been played, except those that the machine
    /// spoiled. If so, tells the teacher what this means.
    pub(super) fn has_ended(&mut self) -> bool {
        let is_idle = |keeping: &Self| keeping.is_idle() && keeping.state.is_played_but_for(keeping.spoiled.len());
        if !is_idle(self) {
            return false;
        }
        // A request may have arrived since the mailbox was last checked.
        self.read_requests();
        if !is_idle(self) {
            return false;
        }
        match self.spoiled.len() {
            0 => self.write_class(),
            games => self.warn(format!(
                "the machine has spoiled {games} of the last games; the next `run` will play them again, \
                 and the ladder is not over until then"
            )),
        }
        true
    }

    /// Whether nothing is left to do except playing games.
    fn is_idle(&self) -> bool {
        let is_checked = self.queue.is_empty() && self.check.is_none() && self.has_closed(None);
        let is_written = self.sent.is_empty() && self.changing.is_empty() && !self.is_deciding && !self.is_freezing;
        is_checked && is_written && self.joining.is_none() && self.requests.is_idle() && self.freeze.is_none()
    }

    /// Writes the class that the frozen ladder leaves behind.
    fn write_class(&self) {
        let (file, base) = (self.site.dir.join(CLASS_FILE), &self.site.base);
        let Some(text) = self.watch.as_ref().and_then(TournamentFileWatch::text) else {
            self.warn(
                "the ladder is over, but no class was written for `grade`: the tournament file could not be read again"
                    .to_owned(),
            );
            return;
        };
        let Some(class) = class_file(text, base, self.state.history()) else {
            self.warn(
                "the ladder is over, but no class was written for `grade`: no player has an active version".to_owned(),
            );
            return;
        };
        match crate::base::files::write_whole(&file, class.as_bytes()) {
            Ok(()) => (self.tell)(LadderNews::Note(format!(
                "the ladder is over; `gothello-arena grade {} --rubric rubric.toml` grades the last version of every player",
                file.shown()
            ))),
            Err(error) => self.warn(format!("could not write `{}`: {error}", file.shown())),
        }
    }
}
