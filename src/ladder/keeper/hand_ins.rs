//! The checks of hand-ins, one after the other, and their verdicts.

use std::fs;
use std::time::Duration;

use jiff::Timestamp;
use tokio::task::{JoinError, JoinHandle};

use super::{Keeping, SentEntry, resumed};
use crate::base::files::write_whole;
use crate::base::sanitise::{Shown as _, sanitised};
use crate::base::time::{WallTime, utc_now, wall_clock};
use crate::ladder::checking::{AcceptedVersion, CheckFeedback, CheckVerdict, place_sources};
use crate::ladder::hand_in::{DoorKind, HandIn, HandedInSources};
use crate::ladder::places::report_file;
use crate::ladder::queue::QueueTurn;
use crate::run::campaign::ladder_field;
use crate::run::journal::{AcceptedEntry, HandInEntry, JournalEntry, ProgramLine, RefusedEntry};
use crate::tournament::ladder::LadderEntry;

/// How long to wait before a check that the machine spoiled is repeated.
const SPOILED_WAIT: Duration = Duration::from_secs(30);

/// A hand-in that waits for its check, or is being checked.
#[derive(Debug)]
pub(super) struct CheckCandidate {
    pub(super) hand_in: HandIn,
    /// The earliest time for the check, if a previous check was spoiled.
    pub(super) not_before: Option<WallTime>,
}

/// A check in progress.
pub(super) struct CheckInProgress {
    pub(super) turn: QueueTurn<CheckCandidate>,
    pub(super) origin: HandInEntry,
    pub(super) task: JoinHandle<CheckVerdict>,
}

impl Keeping {
    /// Starts the check of the next hand-in if none is in progress and the verdict on the previous hand-in is in the
    /// journal: the number of the next hand-in depends on it.
    pub(super) fn start_check(&mut self) {
        let is_settling = self.sent.values().any(|sent| sent.hand_in.is_some());
        if self.check.is_some() || self.is_freezing || is_settling {
            return;
        }
        let time = wall_clock();
        let due = |candidate: &CheckCandidate| candidate.not_before.is_none_or(|not_before| not_before <= time);
        while let Some(turn) = self.queue.next(time, due) {
            let (owner, hand_in) = (&turn.owner, &turn.thing.hand_in);
            let Some(entry) = self.entry(owner).cloned() else {
                self.dismiss(hand_in);
                continue;
            };
            if let Some(known) = self.known(owner, hand_in) {
                if hand_in.door == DoorKind::Teacher && known.arrived != timestamp(hand_in.arrived) {
                    let name = sanitised(&known.name());
                    self.warn(format!(
                        "the sources added for {} are identical to those of {name}, so they are not accepted",
                        hand_in.player
                    ));
                }
                self.remove(hand_in);
                continue;
            }
            let origin = self.origin(owner, hand_in);
            self.begin_check(entry, turn, origin);
            return;
        }
    }

    /// The player called `owner`, if it is in the tournament file.
    fn entry(&self, owner: &str) -> Option<&LadderEntry> {
        self.ladder.entries.iter().find(|entry| entry.name.as_str() == owner)
    }

    /// Dismisses a hand-in of a player that is no longer in the tournament file.
    fn dismiss(&self, hand_in: &HandIn) {
        self.warn(format!("{} is no longer in the tournament file, so its hand-in is not accepted", hand_in.player));
        self.remove(hand_in);
    }

    /// Removes a hand-in from the inbox.
    pub(super) fn remove(&self, hand_in: &HandIn) {
        if let Err(error) = hand_in.settle() {
            self.warn(format!("could not remove a hand-in by {} from the inbox: {error}", hand_in.player));
        }
    }

    /// The journal's entry for `hand_in`, or for an earlier hand-in of `player` that `hand_in` repeats; `None` if there
    /// is neither.
    fn known<'k>(&'k self, player: &'k str, hand_in: &HandIn) -> Option<&'k HandInEntry> {
        let mut all: Vec<&'k HandInEntry> = self.state.history().hand_ins(player).collect();
        all.sort_unstable_by_key(|known| known.number);
        let is_same = |known: &&'k HandInEntry| known.sources == hand_in.digest;
        // After a run was killed, hand-ins that are already in its journal may be delivered again.
        let arrived = timestamp(hand_in.arrived);
        if let Some(again) = all.iter().copied().find(|known| is_same(known) && known.arrived == arrived) {
            return Some(again);
        }
        // If the teacher has added versions since, unchanged files from the player's own door are still not new.
        let first = match hand_in.door {
            DoorKind::Teacher => all.len().saturating_sub(1),
            _ => all.iter().rposition(|known| known.door != DoorKind::Teacher.name()).unwrap_or(0),
        };
        all[first..].iter().copied().find(is_same)
    }

    fn origin(&self, player: &str, hand_in: &HandIn) -> HandInEntry {
        HandInEntry {
            of: player.to_owned(),
            number: self.state.history().last_number(player) + 1,
            sources: hand_in.digest.clone(),
            arrived: timestamp(hand_in.arrived),
            door: hand_in.door.to_string(),
            origin: hand_in.origin.clone(),
        }
    }

    fn begin_check(&mut self, entry: LadderEntry, turn: QueueTurn<CheckCandidate>, origin: HandInEntry) {
        let sources = match &turn.thing.hand_in.sources {
            Ok(sources) => sources.clone(),
            Err(reason) => {
                let feedback = CheckFeedback::of_reason(reason);
                self.refuse(turn.thing.hand_in, origin, feedback);
                return;
            }
        };
        let (site, stop, checked) = (self.site.clone(), self.stop.clone(), origin.clone());
        let task = tokio::spawn(async move {
            let (name, dir) = (checked.name(), site.dir.clone());
            let placed = tokio::task::spawn_blocking(move || {
                place_sources(&sources, &name, &dir).map(|dir| HandedInSources { dir, ..sources })
            });
            match placed.await {
                Ok(Ok(placed)) => Box::pin(site.check(&entry, &checked, &placed, stop)).await,
                Ok(Err(error)) => CheckVerdict::Spoiled(sanitised(&error.to_string())),
                Err(error) => CheckVerdict::Spoiled(sanitised(&error.to_string())),
            }
        });
        self.check = Some(CheckInProgress { turn, origin, task });
        self.showing.changed();
    }

    /// Handles the verdict of the check in progress.
    pub(super) fn judge(&mut self, verdict: Result<CheckVerdict, JoinError>) {
        let Some(CheckInProgress { mut turn, origin, .. }) = self.check.take() else { return };
        match verdict.unwrap_or_else(resumed) {
            // The player may have left during the check.
            CheckVerdict::Accepted(_) if self.entry(&turn.owner).is_none() => self.dismiss(&turn.thing.hand_in),
            CheckVerdict::Accepted(version) => self.accept(turn.thing.hand_in, origin, version),
            CheckVerdict::Refused(feedback) => self.refuse(turn.thing.hand_in, origin, feedback),
            CheckVerdict::Spoiled(why) => {
                self.warn(format!(
                    "the machine has spoiled the check of {}, which will be repeated: {why}",
                    sanitised(&origin.name())
                ));
                turn.thing.not_before = Some(wall_clock() + SPOILED_WAIT);
                self.queue.put_back(turn);
            }
            CheckVerdict::Stopped => {}
        }
    }

    fn accept(&mut self, hand_in: HandIn, origin: HandInEntry, version: Box<AcceptedVersion>) {
        let name = origin.name();
        self.write_report(&name, &version.report);
        let entry = AcceptedEntry {
            player: version.entry.clone(),
            definition: ladder_field::definition(&version.player),
            version: Some(origin),
            program: Some(ProgramLine::from(&version.program)),
            at: utc_now(),
        };
        let AcceptedVersion { player, entrant, .. } = *version;
        self.sent.insert(name, SentEntry { hand_in: Some(hand_in), joining: Some((player, entrant)) });
        self.enter(JournalEntry::Version(Box::new(entry)));
    }

    fn refuse(&mut self, hand_in: HandIn, origin: HandInEntry, feedback: CheckFeedback) {
        let name = origin.name();
        self.write_report(&name, &feedback.report);
        self.sent.insert(name, SentEntry { hand_in: Some(hand_in), joining: None });
        let entry = RefusedEntry { version: origin, reason: feedback.reason, at: utc_now() };
        self.enter(JournalEntry::Refused(entry));
    }

    /// Writes the player's report about the version called `name`.
    fn write_report(&self, name: &str, report: &str) {
        let file = report_file(&self.site.dir, name);
        let written = file.parent().map_or(Ok(()), fs::create_dir_all);
        if let Err(error) = written.and_then(|()| write_whole(&file, report.as_bytes())) {
            self.warn(format!("could not write `{}`: {error}", file.shown()));
        }
    }
}

fn timestamp(time: WallTime) -> Timestamp {
    Timestamp::try_from(time).unwrap_or(Timestamp::UNIX_EPOCH)
}
