//! Reads a player's files off the runtime's thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use tokio::sync::mpsc::UnboundedSender;

use crate::base::machine;
use crate::base::time::{now, sleep_until};
use crate::base::tree::TreeError;
use crate::host::program::GoOn;
use crate::run::event::Event;
use crate::tournament::PlayerName;

/// The delay before the first progress event, and the interval between progress events.
const MOMENT: Duration = Duration::from_secs(2);
const PROGRESS: Duration = Duration::from_secs(10);

/// The progress of reading files, and whether the result is still wanted.
#[derive(Debug, Default)]
struct ReadingProgress {
    read: AtomicU64,
    unwanted: AtomicBool,
}

/// Aborts reading when it is dropped.
struct Unwanted(Arc<ReadingProgress>);

impl Drop for Unwanted {
    fn drop(&mut self) {
        self.0.unwanted.store(true, Relaxed);
    }
}

/// Reads files of `player` off this thread, so that signals are handled in the meantime, and sends progress events if
/// reading takes longer than [`MOMENT`]. Dropping the future aborts `reading` the next time it asks whether to
/// continue.
pub(super) async fn away<T: Send + 'static, E: From<TreeError> + Send + 'static>(
    player: &PlayerName,
    events: &UnboundedSender<Event>,
    reading: impl FnOnce(GoOn<'_>) -> Result<T, E> + Send + 'static,
) -> Result<T, E> {
    let wanted = Unwanted(Arc::default());
    let progress = Arc::clone(&wanted.0);
    let reading = machine::away(move || {
        reading(&|read| {
            progress.read.store(read, Relaxed);
            !progress.unwanted.load(Relaxed)
        })
    });
    tokio::pin!(reading);
    let mut next = now() + MOMENT;
    loop {
        tokio::select! {
            done = &mut reading => return done,
            () = sleep_until(next) => {
                next = now() + PROGRESS;
                let (player, bytes) = (player.to_string(), wanted.0.read.load(Relaxed));
                let _ = events.send(Event::Reading { player, bytes });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use tokio::sync::mpsc::unbounded_channel;
    use tokio::task::spawn_blocking;

    use super::*;

    #[tokio::test]
    async fn a_reading_reports_progress_and_ends_when_nobody_wants_it_any_more() {
        let (events, mut told) = unbounded_channel();
        let (ended, end) = mpsc::channel();
        let player = PlayerName::new("slow").expect("a name");
        let endless = move |go_on: GoOn<'_>| -> Result<(), TreeError> {
            while go_on(7 << 20) {
                std::thread::yield_now();
            }
            ended.send(()).expect("waited for");
            Err(TreeError::Stopped)
        };
        tokio::select! {
            _ = away(&player, &events, endless) => panic!("it has no end"),
            event = told.recv() => {
                assert_eq!(event, Some(Event::Reading { player: "slow".to_owned(), bytes: 7 << 20 }));
            }
        }
        // Another thread does the reading.
        spawn_blocking(move || end.recv()).await.expect("no panic").expect("it has ended");
    }
}
