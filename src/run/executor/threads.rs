//! The threads that games are played on. Each runs a scheduler of its own, so that a game never moves between threads.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread::available_parallelism;

use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;

/// The threads; they end when this is dropped.
#[derive(Debug)]
pub(crate) struct Workers {
    workers: Vec<Worker>,
}

#[derive(Debug)]
struct Worker {
    handle: Handle,
    /// Has one more reference for each game in progress.
    load: Arc<()>,
    /// Dropping it ends the thread.
    _alive: oneshot::Sender<()>,
}

/// Counts a game while it is in progress.
#[derive(Debug)]
pub(crate) struct Load(#[expect(dead_code, reason = "held for its reference count")] Arc<()>);

impl Workers {
    /// Starts a thread for each concurrent game, but no more than the machine can run at once.
    pub(crate) fn start(concurrency: NonZeroUsize) -> std::io::Result<Self> {
        let threads = concurrency.min(available_parallelism().unwrap_or(NonZeroUsize::MIN));
        let start = |number| {
            let (alive, ended) = oneshot::channel::<()>();
            let (ready, begun) = channel();
            // Dropping a runtime inside another one panics, so each runtime is built and dropped on a thread of its own.
            std::thread::Builder::new().name(format!("games-{number}")).spawn(move || {
                match Builder::new_current_thread().enable_all().build() {
                    Ok(runtime) => {
                        // The thread that started this one waits for it.
                        let _ = ready.send(Ok(runtime.handle().clone()));
                        // An error is the signal to end: the sender is gone.
                        let _ = runtime.block_on(ended);
                    }
                    Err(error) => {
                        let _ = ready.send(Err(error));
                    }
                }
            })?;
            let handle = begun.recv().map_err(std::io::Error::other)??;
            Ok(Worker { handle, load: Arc::new(()), _alive: alive })
        };
        Ok(Self { workers: (0..threads.get()).map(start).collect::<std::io::Result<_>>()? })
    }

    /// The thread with the fewest games, and a [`Load`] that counts one more on it.
    pub(crate) fn least_loaded(&self) -> Option<(&Handle, Load)> {
        let worker = self.workers.iter().min_by_key(|worker| Arc::strong_count(&worker.load))?;
        Some((&worker.handle, Load(Arc::clone(&worker.load))))
    }
}
