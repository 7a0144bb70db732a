//! The threads that games are played on. Each runs its own scheduler, so a game never moves between threads.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread::available_parallelism;

use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;

/// The threads, which end when this value is dropped.
#[derive(Debug)]
pub(crate) struct GameThreads {
    threads: Vec<GameThread>,
}

#[derive(Debug)]
struct GameThread {
    handle: Handle,
    /// The number of references is one more than the number of games in progress.
    load: Arc<()>,
    /// The sender that keeps the thread alive: dropping it ends the thread.
    _alive: oneshot::Sender<()>,
}

/// Counts a game while it is in progress.
#[derive(Debug)]
pub(crate) struct Load(#[expect(dead_code, reason = "held for its reference count")] Arc<()>);

impl GameThreads {
    /// Starts a thread for each concurrent game, but no more than the machine can run at once.
    pub(crate) fn start(concurrency: NonZeroUsize) -> std::io::Result<Self> {
        let count = concurrency.min(available_parallelism().unwrap_or(NonZeroUsize::MIN));
        let start = |number| {
            let (alive, ended) = oneshot::channel::<()>();
            let (ready, begun) = channel();
            // Dropping a runtime inside another one panics, so each runtime is created and dropped on its own thread.
            std::thread::Builder::new().name(format!("games-{number}")).spawn(move || {
                match Builder::new_current_thread().enable_all().build() {
                    Ok(runtime) => {
                        // The thread that started this one waits for this message.
                        let _ = ready.send(Ok(runtime.handle().clone()));
                        // An error is the signal to exit: the sender is gone.
                        let _ = runtime.block_on(ended);
                    }
                    Err(error) => {
                        let _ = ready.send(Err(error));
                    }
                }
            })?;
            let handle = begun.recv().map_err(std::io::Error::other)??;
            Ok(GameThread { handle, load: Arc::new(()), _alive: alive })
        };
        Ok(Self { threads: (0..count.get()).map(start).collect::<std::io::Result<_>>()? })
    }

    /// The thread with the fewest games, and a [`Load`] that counts one more game on that thread.
    pub(crate) fn least_loaded(&self) -> Option<(&Handle, Load)> {
        let thread = self.threads.iter().min_by_key(|thread| Arc::strong_count(&thread.load))?;
        Some((&thread.handle, Load(Arc::clone(&thread.load))))
    }
}
