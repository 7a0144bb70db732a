//! The teacher's requests, which are carried out one after another. Each request stays in the mailbox until its entry
//! is in the journal.

use std::collections::{BTreeSet, VecDeque};
use std::path::{Path, PathBuf};

use super::door_plan::closing;
use super::ending::ComingFreeze;
use super::{Keeping, LadderNews};
use crate::base::sanitise::sanitised;
use crate::base::time::utc_now;
use crate::ladder::doors::{DoorNews, added, sweep};
use crate::ladder::hand_in::HandIn;
use crate::ladder::mailbox::{self, ArrivedRequest, LadderRequest};
use crate::ladder::places::inbox;
use crate::run::journal::{JournalEntry, ReopenedEntry, StatusEntry, VersionStatus};

/// The requests that have been read.
#[derive(Debug, Default)]
pub(super) struct TeacherRequests {
    waiting: VecDeque<ArrivedRequest>,
    /// The request whose entry was sent to the journal but is not on disk yet.
    entered: Option<(ArrivedRequest, JournalEntry)>,
    /// The files of the requests that were read. It may be impossible to remove some of them.
    read: BTreeSet<PathBuf>,
}

impl TeacherRequests {
    /// Whether no request is waiting. A freeze that was requested but is not due yet does not count.
    pub(super) fn is_idle(&self) -> bool {
        self.waiting.is_empty() && self.entered.is_none()
    }
}

/// The consequence of a request.
enum Obedience {
    /// An entry in the journal.
    Entry(Box<JournalEntry>),
    /// The end of the hand-ins, with the number of rounds of the last round robin.
    Freeze(u32),
    /// The sources that the teacher adds for a player, which are checked when it is their turn. The request is removed
    /// together with them.
    HandIn(Box<HandIn>),
    /// Nothing, for this printable reason. The sources that the teacher added for a player are removed.
    Refused(Box<HandIn>, String),
    /// Nothing yet: another entry about the same version is not on disk yet.
    Later,
    /// Nothing, for this printable reason.
    Nothing(String),
}

impl Keeping {
    /// Removes everything from the inbox that no request refers to. It was left behind by a command that ended before
    /// it posted its request, or by an arena that ended before it removed the sources that it had accepted.
    pub(super) fn sweep_inbox(&self) {
        // If the mailbox cannot be read, anything in the inbox may belong to a request.
        let Ok(requests) = mailbox::requests(&self.site.dir, &BTreeSet::new()) else { return };
        let added = requests.iter().filter_map(|arrived| match &arrived.request {
            Ok(LadderRequest::Add { entry, .. }) => Some(entry.as_str()),
            _ => None,
        });
        let added: BTreeSet<&str> = added.collect();
        sweep(&inbox(&self.site.dir), |entry| added.contains(entry));
    }

    /// Reads the new requests in the mailbox.
    pub(super) fn read_requests(&mut self) {
        match mailbox::requests(&self.site.dir, &self.requests.read) {
            Ok(requests) => {
                self.requests.read.extend(requests.iter().map(|request| request.file.clone()));
                self.requests.waiting.extend(requests);
            }
            Err(error) => self.warn(format!("could not read the mailbox: {error}")),
        }
    }

    /// Carries out the teacher's requests. Each request has to wait until the entry of the previous request is in the
    /// journal.
    pub(super) fn obey(&mut self) {
        while self.requests.entered.is_none()
            && let Some(arrived) = self.requests.waiting.pop_front()
        {
            match self.obedience(&arrived) {
                Obedience::Entry(entry) => {
                    if let JournalEntry::Paused(status)
                    | JournalEntry::Resumed(status)
                    | JournalEntry::Retired(status) = &*entry
                    {
                        self.changing.insert(status.version.clone());
                    }
                    self.requests.entered = Some((arrived, (*entry).clone()));
                    self.enter(*entry);
                }
                Obedience::Freeze(rounds) => {
                    self.freeze = Some(ComingFreeze { at: utc_now(), rounds, request: arrived });
                    self.change_doors();
                    (self.tell)(LadderNews::Note(
                        "the ladder will freeze as soon as all earlier hand-ins have been checked".to_owned(),
                    ));
                }
                Obedience::HandIn(hand_in) => self.hear(DoorNews::HandIn(*hand_in)),
                Obedience::Refused(hand_in, why) => {
                    self.warn(why);
                    self.remove(&hand_in);
                }
                Obedience::Later => {
                    self.requests.waiting.push_front(arrived);
                    return;
                }
                Obedience::Nothing(why) => {
                    self.warn(why);
                    self.settle_request(&arrived);
                }
            }
        }
    }

    /// Removes the request that `entry`, which is on disk, fulfils.
    pub(super) fn fulfil(&mut self, entry: &JournalEntry) {
        if let Some((arrived, _)) = self.requests.entered.take_if(|(_, entered)| entered == entry) {
            self.settle_request(&arrived);
        }
    }

    pub(super) fn settle_request(&mut self, arrived: &ArrivedRequest) {
        match arrived.settle() {
            Ok(()) => {
                self.requests.read.remove(&arrived.file);
            }
            Err(error) => self.warn(format!("could not remove a request from the mailbox: {error}")),
        }
    }

    fn obedience(&self, arrived: &ArrivedRequest) -> Obedience {
        let at = utc_now();
        let status =
            |version: &String, reason: &str| StatusEntry { version: version.clone(), reason: reason.to_owned(), at };
        let entry = match &arrived.request {
            Err(why) => {
                return Obedience::Nothing(format!("a request in the mailbox cannot be read: {}", sanitised(why)));
            }
            Ok(LadderRequest::Pause { version, reason }) => JournalEntry::Paused(status(version, reason)),
            Ok(LadderRequest::Resume { version }) => JournalEntry::Resumed(status(version, "")),
            Ok(LadderRequest::Retire { version, reason }) => JournalEntry::Retired(status(version, reason)),
            Ok(LadderRequest::Freeze { rounds }) => {
                return if self.is_frozen() || self.freeze.is_some() {
                    Obedience::Nothing(without_effect("the ladder is already frozen"))
                } else {
                    Obedience::Freeze(*rounds)
                };
            }
            Ok(LadderRequest::Add { player, entry }) => return self.addition(player, entry, &arrived.file),
            Ok(LadderRequest::Reopen { player, until }) => {
                JournalEntry::Reopened(ReopenedEntry { player: player.clone(), until: *until })
            }
        };
        match self.obstacle(&entry) {
            Some(why) => Obedience::Nothing(without_effect(&why)),
            None if self.is_changing(&entry) => Obedience::Later,
            None => Obedience::Entry(Box::new(entry)),
        }
    }

    /// Decides what happens to the directory `entry` in the inbox, whose sources the teacher adds for `player` with the
    /// request in `file`. Reading the sources takes at most a fraction of a second, and a teacher adds only a few.
    fn addition(&self, player: &str, entry: &str, file: &Path) -> Obedience {
        let name = sanitised(player);
        let Some(mut hand_in) =
            added(&inbox(&self.site.dir), entry).filter(|hand_in| hand_in.player.as_str() == player)
        else {
            return Obedience::Nothing(format!("the sources added for {name} are no longer there: add them again"));
        };
        // The request is removed first, so that no request is left without its sources.
        hand_in.entries.insert(0, file.to_owned());
        let history = self.state.history();
        let why = match self.ladder.entries.iter().find(|entry| entry.name.as_str() == player) {
            None => Some(format!("no player named {name} hands in versions")),
            Some(entry) => {
                let closes = closing(entry, self.end_of_hand_ins(), history);
                let has_extension = history.reopened(player).is_some();
                let is_late = closes.is_some_and(|closes| closes <= hand_in.arrived);
                let is_over = is_late || self.is_frozen() && !has_extension;
                is_over.then(|| format!("{name} can no longer hand in versions (`ladder reopen` grants more time)"))
            }
        };
        match why {
            Some(why) => Obedience::Refused(Box::new(hand_in), format!("{why}, so the added sources are not accepted")),
            None => Obedience::HandIn(Box::new(hand_in)),
        }
    }

    /// Whether another entry about the same version is not on disk yet.
    fn is_changing(&self, entry: &JournalEntry) -> bool {
        match entry {
            JournalEntry::Paused(status) | JournalEntry::Resumed(status) | JournalEntry::Retired(status) => {
                self.changing.contains(&status.version)
            }
            _ => false,
        }
    }

    /// Why an entry for the teacher's request would have no effect, in words; `None` if it would have one.
    fn obstacle(&self, entry: &JournalEntry) -> Option<String> {
        let history = self.state.history();
        if let JournalEntry::Reopened(ReopenedEntry { player, until }) = entry {
            let name = sanitised(player);
            return if !self.ladder.entries.iter().any(|entry| entry.name.as_str() == player) {
                Some(format!("no player named {name} hands in versions"))
            } else if *until <= utc_now() {
                Some(format!("{until}, the new deadline for {name}, has already passed"))
            } else if history.reopened(player) == Some(*until) {
                Some(format!("{name} may already hand in versions until {until}"))
            } else {
                None
            };
        }
        let (JournalEntry::Paused(status) | JournalEntry::Resumed(status) | JournalEntry::Retired(status)) = entry
        else {
            return None;
        };
        let name = sanitised(&status.version);
        let Some(place) = history.place(&status.version) else { return Some(format!("there is no version {name}")) };
        match (entry, &history.players()[place].status) {
            // An entry that is not yet on disk takes precedence.
            _ if self.changing.contains(&status.version) => None,
            (_, VersionStatus::Retired(_)) => Some(format!("{name} is retired, and will not play again")),
            (JournalEntry::Paused(_), VersionStatus::Paused(_)) => Some(format!("{name} is already paused")),
            (JournalEntry::Resumed(_), VersionStatus::Playing) => Some(format!("{name} is not paused")),
            _ => None,
        }
    }
}

fn without_effect(why: &str) -> String {
    format!("{why}, so the request has no effect")
}
