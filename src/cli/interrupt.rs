//! Ctrl-C, SIGTERM and SIGHUP.

use std::sync::{Arc, OnceLock};

use tokio::signal::unix::{SignalKind, signal};
use tokio::task::AbortHandle;

use super::Exit;
use crate::stop::{self, Stop, StopSender, StopSignal};

/// What interrupted the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Interrupted {
    /// Ctrl-C.
    ByUser,
    /// SIGTERM or SIGHUP.
    BySystem,
}

impl Interrupted {
    pub(super) const fn exit(self) -> Exit {
        match self {
            Self::ByUser => Exit::Interrupted,
            Self::BySystem => Exit::Terminated,
        }
    }
}

/// The watch over the signals; it ends when this is dropped.
#[derive(Debug)]
pub(super) struct Watch {
    sender: Arc<StopSender>,
    signal: StopSignal,
    which: Arc<OnceLock<Interrupted>>,
    task: AbortHandle,
}

impl Watch {
    /// The flag that the signals raise.
    pub(super) fn signal(&self) -> StopSignal {
        self.signal.clone()
    }

    /// Ends everything now, though nobody asked from outside.
    pub(super) fn stop_now(&self) {
        self.sender.raise(Stop::Now);
    }

    /// The first signal that came, if any.
    pub(super) fn which(&self) -> Option<Interrupted> {
        self.which.get().copied()
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Begins to watch. Ctrl-C asks to drain, a second one to end now; SIGTERM and SIGHUP ask to end now.
pub(super) fn watch() -> std::io::Result<Watch> {
    let (sender, stop_signal) = stop::channel();
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut hangup = signal(SignalKind::hangup())?;
    let sender = Arc::new(sender);
    let which = Arc::new(OnceLock::new());
    let first = Arc::clone(&which);
    let raiser = Arc::clone(&sender);
    let task = tokio::spawn(async move {
        let mut next = Stop::Drain;
        loop {
            let (what, stop) = tokio::select! {
                _ = interrupt.recv() => (Interrupted::ByUser, next),
                _ = terminate.recv() => (Interrupted::BySystem, Stop::Now),
                _ = hangup.recv() => (Interrupted::BySystem, Stop::Now),
            };
            // Only the first counts.
            let _ = first.set(what);
            if stop == Stop::Drain {
                eprintln!("gothello-arena: what is running may finish; Ctrl-C again ends it now");
            }
            raiser.raise(stop);
            next = Stop::Now;
        }
    });
    Ok(Watch { sender, signal: stop_signal, which, task: task.abort_handle() })
}
