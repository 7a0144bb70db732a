//! The closing time of one door, which may change while the door is open.

use std::cell::Cell;
use std::time::Duration;

use tokio::sync::Notify;

use crate::base::time::{WallTime, now, sleep_until, wall_clock};

/// The closing time of one door. One task attends to the door.
#[derive(Debug)]
pub(super) struct DoorTerms {
    closes: Cell<Option<WallTime>>,
    /// Wakes the task of the door.
    changed: Notify,
}

impl DoorTerms {
    pub(super) fn new(closes: Option<WallTime>) -> Self {
        Self { closes: Cell::new(closes), changed: Notify::new() }
    }

    /// When the door closes; `None` if it stays open.
    pub(super) fn closes(&self) -> Option<WallTime> {
        self.closes.get()
    }

    /// Changes the closing time of the door, and wakes its task, because a different limit may apply from now on.
    pub(super) fn change(&self, closes: Option<WallTime>) {
        self.closes.set(closes);
        self.changed.notify_one();
    }

    /// Waits for the next change. A change made while nothing was waiting also counts.
    pub(super) async fn changed(&self) {
        self.changed.notified().await;
    }

    /// Waits for the duration `wait`, or until the next change. Returns whether the duration has passed.
    pub(super) async fn pause(&self, wait: Duration) -> bool {
        tokio::select! {
            biased;
            () = self.changed() => false,
            () = sleep_until(now() + wait) => true,
        }
    }

    /// Waits until the door closes if it closes after the time `began`; otherwise waits forever.
    pub(super) async fn closing_after(&self, began: WallTime) {
        loop {
            match self.closes().filter(|closes| began < *closes) {
                Some(closes) => match closes.duration_since(wall_clock()) {
                    Ok(left) if !left.is_zero() => drop(self.pause(left).await),
                    _ => return,
                },
                None => self.changed().await,
            }
        }
    }
}
