//! What all doors of a ladder share: the inbox, the limits, and what has been delivered and reported so far. One thread
//! serves all doors.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;

use super::day_limit::DayLimit;
use super::intake::{Intake, TakenIn};
use super::stored_hand_in::store;
use super::{DoorNews, PlayerDoor};
use crate::base::machine::{away, explained};
use crate::base::time::{WallTime, wall_clock};
use crate::course::unpacking::SubmissionBounds;
use crate::host::sandbox::Cage;
use crate::ladder::hand_in::{DoorKind, HandIn, removed};
use crate::tournament::PlayerName;

/// What the doors share.
#[derive(Debug)]
pub(super) struct DoorDesk {
    pub(super) intake: Arc<Intake>,
    /// The directory of the inbox.
    pub(super) inbox: PathBuf,
    /// How programs are confined; `None` if they are not.
    pub(super) cage: Option<Arc<Cage>>,
    pub(super) bounds: Cell<SubmissionBounds>,
    pub(super) poll: Cell<Duration>,
    pub(super) day: RefCell<DayLimit>,
    /// The digest of each player's last hand-in.
    known: RefCell<HashMap<PlayerName, String>>,
    /// The reported trouble with each player's door.
    told: RefCell<HashMap<PlayerName, String>>,
    pub(super) news: mpsc::Sender<DoorNews>,
    /// Whether the system's `git` was found to obey configuration in its environment.
    pub(super) has_obedient_git: Cell<bool>,
}

/// How a hand-in arrived.
#[derive(Debug)]
pub(super) struct DoorDelivery {
    pub(super) door: DoorKind,
    pub(super) arrived: WallTime,
    /// Where the hand-in came from, in printable form.
    pub(super) origin: String,
    /// A directory in the inbox that belongs to the hand-in, in addition to the directory with the sources.
    pub(super) upload: Option<PathBuf>,
}

impl DoorDesk {
    pub(super) fn new(
        (intake, inbox): (Intake, PathBuf),
        cage: Option<Arc<Cage>>,
        (bounds, poll): (SubmissionBounds, Duration),
        day: DayLimit,
        news: mpsc::Sender<DoorNews>,
    ) -> Self {
        Self {
            intake: Arc::new(intake),
            inbox,
            cage,
            bounds: Cell::new(bounds),
            poll: Cell::new(poll),
            day: RefCell::new(day),
            known: RefCell::default(),
            told: RefCell::default(),
            news,
            has_obedient_git: Cell::new(false),
        }
    }

    /// Records what the plan says about a player's earlier hand-ins.
    pub(super) fn know(&self, player: &PlayerDoor) {
        if let Some(digest) = &player.last_digest {
            self.known.borrow_mut().insert(player.name.clone(), digest.clone());
        }
        for time in &player.recent {
            self.day.borrow_mut().count(&player.name, *time);
        }
    }

    /// How long `player` has to wait before its next hand-in; `None` if it need not wait.
    pub(super) fn wait(&self, player: &PlayerName) -> Option<Duration> {
        self.day.borrow().wait(player, wall_clock())
    }

    /// Delivers again the hand-ins that an earlier arena delivered but did not settle.
    pub(super) async fn deliver_left(&self) {
        let intake = Arc::clone(&self.intake);
        // If the inbox cannot be read, nothing can be taken in, either.
        for hand_in in away(move || intake.left()).await.unwrap_or_default() {
            self.deliver_new(hand_in, None).await;
        }
    }

    /// Delivers a hand-in of `player`, unless it is the same as the previous one.
    pub(super) async fn deliver(&self, player: &PlayerName, delivery: DoorDelivery, taken: TakenIn) {
        let DoorDelivery { door, arrived, origin, upload } = delivery;
        let TakenIn { digest, sources, entry } = taken;
        // An upload stays as it arrived.
        let unstored = upload.is_none().then(|| entry.clone());
        let hand_in = HandIn {
            player: player.clone(),
            door,
            arrived,
            origin,
            digest,
            sources,
            entries: [entry].into_iter().chain(upload).collect(),
        };
        self.deliver_new(hand_in, unstored).await;
    }

    /// Delivers `hand_in`, unless it is the same as the player's previous one. If there is a directory `unstored`,
    /// stores the hand-in there first.
    async fn deliver_new(&self, hand_in: HandIn, unstored: Option<PathBuf>) {
        if self.known.borrow().get(&hand_in.player) == Some(&hand_in.digest) {
            // Anything that cannot be removed now is removed when the doors are opened again.
            away(move || hand_in.settle()).await.ok();
            return;
        }
        self.known.borrow_mut().insert(hand_in.player.clone(), hand_in.digest.clone());
        if hand_in.door != DoorKind::Submit {
            self.day.borrow_mut().count(&hand_in.player, hand_in.arrived);
        }
        let hand_in = match unstored {
            None => hand_in,
            Some(entry) => {
                let (hand_in, stored) = away(move || {
                    let stored = store(&hand_in, &entry);
                    (hand_in, stored)
                })
                .await;
                if let Err(error) = stored {
                    let error = explained(&error);
                    let trouble = format!(
                        "a hand-in could not be stored, and will be lost if the run ends before it \
                    is checked: {error}"
                    );
                    self.tell(&hand_in.player, hand_in.door, trouble).await;
                }
                hand_in
            }
        };
        // If the receiver is gone, the arena is ending, and the hand-in is delivered to the next arena.
        let _ = self.news.send(DoorNews::HandIn(hand_in)).await;
    }

    /// Removes a hand-in that was taken in but is not delivered.
    pub(super) async fn discard(taken: TakenIn) {
        away(move || removed(&taken.entry)).await.ok();
    }

    /// Tells the user about `trouble`, printable text about the door of `player`, unless it has already been reported.
    pub(super) async fn tell(&self, player: &PlayerName, door: DoorKind, trouble: String) {
        let earlier = self.told.borrow_mut().insert(player.clone(), trouble.clone());
        if earlier.as_ref() != Some(&trouble) {
            let _ = self.news.send(DoorNews::Trouble { player: player.clone(), door, trouble }).await;
        }
    }

    /// Tells the user that the door of `player` is working again, if trouble with it was reported.
    pub(super) async fn tell_well(&self, player: &PlayerName, door: DoorKind) {
        let earlier = self.told.borrow_mut().remove(player);
        if earlier.is_some() {
            let _ = self.news.send(DoorNews::Mended { player: player.clone(), door }).await;
        }
    }
}
