//! A flag that all tasks can watch, and that tells them whether to continue.

use tokio::sync::watch;

/// How urgently to stop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stop {
    /// Continue.
    #[default]
    No,
    /// Start nothing new, but let everything that is running finish.
    Drain,
    /// End everything immediately.
    Now,
}

/// The sending half, which raises the flag.
#[derive(Debug)]
pub struct StopSender(watch::Sender<Stop>);

/// The receiving half, which watches the flag. Clones watch the same flag.
#[derive(Clone, Debug)]
pub struct StopSignal(watch::Receiver<Stop>);

/// Creates both halves of a flag, at [`Stop::No`].
pub fn channel() -> (StopSender, StopSignal) {
    let (sender, receiver) = watch::channel(Stop::No);
    (StopSender(sender), StopSignal(receiver))
}

impl StopSender {
    /// Raises the flag to `stop`. The flag is never lowered.
    pub fn raise(&self, stop: Stop) {
        self.0.send_if_modified(|current| {
            let higher = stop > *current;
            *current = stop.max(*current);
            higher
        });
    }

    /// Returns another receiving half.
    pub fn signal(&self) -> StopSignal {
        StopSignal(self.0.subscribe())
    }
}

impl StopSignal {
    /// Returns the current state of the flag.
    pub fn get(&self) -> Stop {
        *self.0.borrow()
    }

    /// Waits until the flag is at `stop` or higher, possibly forever.
    pub async fn reached(&mut self, stop: Stop) {
        if self.0.wait_for(|current| *current >= stop).await.is_err() {
            // The sender is gone, so the flag does not change any more.
            std::future::pending::<()>().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_flag_only_rises() {
        let (sender, mut signal) = channel();
        sender.raise(Stop::Now);
        sender.raise(Stop::Drain);
        signal.reached(Stop::Drain).await;
        assert_eq!(signal.get(), Stop::Now);
    }
}
